//! Depths of primitives at many pixels together.

use super::primitives::Primitive;
use crate::pipeline::pixels::GRID;
use ctm_raster::grid::Point;
use ctm_raster::plane::Plane;

impl Primitive {
    /// Depths at the pixels of quads with these upper left ones, as [`depth_at`](crate::pipeline::attributes::Gradients::depth_at) gives each.
    #[inline(always)]
    pub fn depths<const N: usize>(&self, corners: impl Iterator<Item = (u32, u32)>) -> [f32; N] {
        let (mut dx, mut dy) = ([0.0; N], [0.0; N]);
        let surface_quads = dx.as_chunks_mut::<4>().0.iter_mut().zip(dy.as_chunks_mut::<4>().0);
        for (corner, (dx, dy)) in corners.zip(surface_quads) {
            (*dx, *dy) = self.distances(corner);
        }
        let mut depths = [0.0; N];
        let Plane { value, dx: across, dy: down } = self.depth;
        let places = dx.iter().zip(&dy);
        depths.iter_mut().zip(places).for_each(|(depth, (dx, dy))| *depth = (value + across * dx + down * dy) as f32);
        depths
    }

    /// How far the pixels of a quad are from the first corner: to the right, and downwards.
    #[inline(always)]
    fn distances(&self, (x, y): (u32, u32)) -> ([f64; 4], [f64; 4]) {
        let Point { x: left, y: top } = self.origin;
        let per_pixel = GRID.per_pixel as f64;
        let first = GRID.pixel_centre(x, y);
        // Steps of the grid are a power of two: all of this is exact.
        let (dx, dy) = ((first.x - left) as f64 / per_pixel, (first.y - top) as f64 / per_pixel);
        ([dx, dx + 1.0, dx, dx + 1.0], [dy, dy, dy + 1.0, dy + 1.0])
    }
}
