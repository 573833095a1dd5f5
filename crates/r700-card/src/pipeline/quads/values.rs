//! What primitives give for four pixels together.

use crate::pipeline::inputs::{Gradients, Pixels4, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::samples::Samples;
use ctm_raster::grid::Point;
use ctm_raster::plane::{AttributePlane, Plane};

/// The places of four pixels, row by row, seen from a primitive's first corner.
#[derive(Clone, Copy, Default)]
pub struct Places {
    dx: [f64; 4],
    dy: [f64; 4],
    /// What planes with perspective are divided by.
    divisors: [f64; 4],
}

/// A plane at each of these.
#[inline(always)]
fn values(plane: &Plane, places: &Places) -> [f64; 4] {
    let mut values = [0.0; 4];
    let places = places.dx.iter().zip(&places.dy);
    values.iter_mut().zip(places).for_each(|(value, (dx, dy))| *value = plane.value + plane.dx * dx + plane.dy * dy);
    values
}

/// The bits of an attribute at each of these, as [`AttributePlane::at`] gives them.
#[inline(always)]
fn attribute(plane: &AttributePlane, places: &Places, is_divided: bool) -> [u32; 4] {
    let plane = match plane {
        AttributePlane::Constant(bits) => return [*bits; 4],
        AttributePlane::Varying(plane) => plane,
    };
    let mut values = values(plane, places);
    if is_divided {
        values.iter_mut().zip(&places.divisors).for_each(|(value, divisor)| *value /= divisor);
    }
    let mut bits = [0; 4];
    bits.iter_mut().zip(values).for_each(|(bits, value)| *bits = AttributePlane::bits(value));
    bits
}

impl Gradients {
    /// The places of the quad with this upper left pixel.
    #[inline(always)]
    pub fn places(&self, corner: (u32, u32)) -> Places {
        let (dx, dy) = self.distances(corner);
        let mut places = Places { dx, dy, divisors: [1.0; 4] };
        if let Some(divisor) = self.perspective.divisor() {
            places.divisors = values(&divisor, &places);
        }
        places
    }

    /// Depths at the pixels of squares with these upper left ones, as [`depth_at`](Self::depth_at) gives each.
    #[inline(always)]
    pub fn depths<const N: usize>(&self, corners: impl Iterator<Item = (u32, u32)>) -> [f32; N] {
        let (mut dx, mut dy) = ([0.0; N], [0.0; N]);
        let squares = dx.as_chunks_mut::<4>().0.iter_mut().zip(dy.as_chunks_mut::<4>().0);
        for (corner, (dx, dy)) in corners.zip(squares) {
            (*dx, *dy) = self.distances(corner);
        }
        let mut depths = [0.0; N];
        let Plane { value, dx: across, dy: down } = self.depth;
        let places = dx.iter().zip(&dy);
        depths.iter_mut().zip(places).for_each(|(depth, (dx, dy))| *depth = (value + across * dx + down * dy) as f32);
        depths
    }

    /// How far the pixels of a square are from the first corner: to the right, and downwards.
    #[inline(always)]
    fn distances(&self, (x, y): (u32, u32)) -> ([f64; 4], [f64; 4]) {
        let Point { x: left, y: top } = self.perspective.setup().origin();
        let per_pixel = GRID.per_pixel as f64;
        let first = GRID.pixel_centre(x, y);
        // Steps of the grid are a power of two: all of this is exact.
        let (dx, dy) = ((first.x - left) as f64 / per_pixel, (first.y - top) as f64 / per_pixel);
        ([dx, dx + 1.0, dx, dx + 1.0], [dy, dy, dy + 1.0, dy + 1.0])
    }

    /// What register `number` gets in quads of one sample, as [`at`](Self::at) gives it: `put` takes the number of the quad and the vectors of
    /// its pixels. `quads`: their upper left pixels, their places, and which pixels are covered.
    #[inline(always)]
    pub fn values_at<'q>(
        &self,
        number: usize,
        samples: &Samples,
        quads: impl Iterator<Item = ((u32, u32), &'q Places, u8)>,
        mut put: impl FnMut(usize, &[[u32; 4]; 4]),
    ) {
        let Some(value) = self.values.get(number) else { return };
        match value {
            Value::Constant(value) => quads.enumerate().for_each(|(n, _)| put(n, &[*value; 4])),
            // With one sample, all of these places are the centre.
            Value::Varying { planes, linear, .. } => {
                let is_divided = !linear && !self.perspective.is_affine();
                for (n, (_, places, _)) in quads.enumerate() {
                    let [x, y] = [attribute(&planes[0], places, is_divided), attribute(&planes[1], places, is_divided)];
                    let [z, w] = [attribute(&planes[2], places, is_divided), attribute(&planes[3], places, is_divided)];
                    let vector = |pixel: usize| [x[pixel], y[pixel], z[pixel], w[pixel]];
                    put(n, &[vector(0), vector(1), vector(2), vector(3)]);
                }
            }
            Value::Position { .. } | Value::Face { .. } | Value::Sample | Value::Sprite { .. } => {
                for (n, (corner, _, mask)) in quads.enumerate() {
                    let covered = [0, 1, 2, 3].map(|pixel| mask >> pixel & 1);
                    put(n, &self.vectors(value, &Pixels4 { corner, covered, sample: None }, samples));
                }
            }
        }
    }
}
