//! Linear functions over many quads of a primitive: the same numbers as place by place, computed together.

use crate::bits;
use crate::grid::Point;
use crate::plane::{DepthPlane, Perspective, Plane, Setup};

/// Quads at most.
pub const QUADS: usize = 32;
/// Numbers that are computed together.
const TOGETHER: usize = 8;

/// A number for each of two pixels of quads, one quad behind the other.
type Numbers = [[f64; TOGETHER]; 2 * QUADS / TOGETHER];

/// Words for the upper pixels of quads, and for the lower ones.
pub type Lines<'a> = [&'a mut [[u32; 2]]; 2];

/// The places of the pixels of quads.
pub struct QuadPlaces {
    /// Quads that there are.
    count: usize,
    /// In sub-pixels from vertex 0: of the left and the right pixels, of the upper and of the lower ones.
    places: [[[i32; 2]; QUADS]; 3],
    /// The same in pixels.
    dx: Numbers,
    dy: [Numbers; 2],
    /// Attributes are not linear on the screen.
    is_divided: bool,
    /// The plane of 1/w at each, if so.
    divisors: [Numbers; 2],
    /// What is calculated.
    words: [[u32; TOGETHER]; 2 * QUADS / TOGETHER],
}

impl Default for QuadPlaces {
    fn default() -> Self {
        let numbers = [[0.0; TOGETHER]; 2 * QUADS / TOGETHER];
        QuadPlaces {
            count: 0,
            places: [[[0; 2]; QUADS]; 3],
            dx: numbers,
            dy: [numbers; 2],
            is_divided: false,
            divisors: [numbers; 2],
            words: [[0; TOGETHER]; 2 * QUADS / TOGETHER],
        }
    }
}

impl QuadPlaces {
    /// Sets them to those of quads whose upper left pixels have these centres: at most [`QUADS`], the others do not count.
    #[inline(always)]
    pub fn set(
        &mut self,
        setup: &Setup,
        perspective: Option<&Perspective>,
        centres: impl ExactSizeIterator<Item = Point>,
    ) {
        let (origin, per_pixel) = (setup.origin(), setup.per_pixel());
        let next = per_pixel as i32;
        self.count = centres.len().min(QUADS);
        for (n, centre) in centres.take(QUADS).enumerate() {
            // Differences of coordinates have less than 32 bits, of which there are conversions many at a time.
            let (x, y) = ((centre.x - origin.x) as i32, (centre.y - origin.y) as i32);
            (self.places[0][n], self.places[1][n], self.places[2][n]) = ([x, x + next], [y; 2], [y + next; 2]);
        }
        let [upper, lower] = &mut self.dy;
        for (numbers, places) in [&mut self.dx, upper, lower].into_iter().zip(&self.places) {
            let groups = places.as_flattened().as_chunks::<TOGETHER>().0;
            for (numbers, places) in numbers.iter_mut().zip(groups).take(groups_of(self.count)) {
                for (number, place) in numbers.iter_mut().zip(places) {
                    *number = f64::from(*place) / per_pixel;
                }
            }
        }
        let divisor = perspective.and_then(Perspective::divisor);
        self.is_divided = divisor.is_some();
        if let Some(plane) = divisor {
            for line in 0..2 {
                for group in 0..groups_of(self.count) {
                    self.divisors[line][group] = self.values(&plane, line, group);
                }
            }
        }
    }

    /// The values of a plane at some of the pixels.
    #[inline(always)]
    fn values(&self, plane: &Plane, line: usize, group: usize) -> [f64; TOGETHER] {
        let (dx, dy) = (&self.dx[group], &self.dy[line][group]);
        let mut values = [plane.value; TOGETHER];
        for n in 0..TOGETHER {
            values[n] = values[n] + plane.dx * dx[n] + plane.dy * dy[n];
        }
        values
    }

    /// Gives the words that were calculated for a line.
    #[inline(always)]
    fn give(&self, words: &mut [[u32; 2]]) {
        words.copy_from_slice(&self.words.as_flattened().as_chunks::<2>().0[..words.len()]);
    }

    /// The bits of an attribute at each place, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them. There are as many
    /// words as places.
    #[inline(always)]
    pub fn attribute(&mut self, plane: &Plane, lines: Lines) {
        for (line, words) in lines.into_iter().enumerate() {
            for group in 0..groups_of(self.count) {
                let mut values = self.values(plane, line, group);
                if self.is_divided {
                    let divisors = &self.divisors[line][group];
                    values.iter_mut().zip(divisors).for_each(|(value, divisor)| *value /= divisor);
                }
                for (word, value) in self.words[group].iter_mut().zip(values) {
                    *word = ctm_num::flush(bits(value as f32));
                }
            }
            self.give(words);
        }
    }

    /// The depth at each place, as [`DepthPlane::at`] gives it.
    #[inline(always)]
    pub fn depth(&mut self, depth: &DepthPlane, max: u32, lines: Lines) {
        for (line, words) in lines.into_iter().enumerate() {
            for group in 0..groups_of(self.count) {
                let values = self.values(depth.plane(), line, group);
                for (word, value) in self.words[group].iter_mut().zip(values) {
                    *word = DepthPlane::nearest(value, max);
                }
            }
            self.give(words);
        }
    }
}

/// Groups that pixels of so many quads are in.
#[inline(always)]
fn groups_of(quads: usize) -> usize {
    (2 * quads).div_ceil(TOGETHER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::QUAD_PIXELS;
    use crate::grid::Grid;
    use crate::plane::AttributePlane;

    #[test]
    fn many_quads_are_their_places() {
        let grid = Grid { per_pixel: 12 };
        arbtest::arbtest(|u| {
            let mut point = || Ok(Point { x: u.int_in_range(-500..=500)?, y: u.int_in_range(-500..=500)? });
            let Some(setup) = Setup::triangle(grid, [point()?, point()?, point()?]) else { return Ok(()) };
            let quads = [point()?, point()?, point()?, point()?, point()?];
            let count = u.int_in_range(0..=5)?;
            let mut value = || Ok(u.int_in_range(-40..=40)? as f32 / *u.choose(&[16.0f32, 0.0, 1e38, 1e-38])?);
            let mut values = || Ok([value()?, value()?, value()?]);
            let (depths, attribute) = (values()?, values()?);
            let w = if u.arbitrary()? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let mut places = QuadPlaces::default();
            places.set(&setup, Some(&perspective), quads[..count].iter().copied());
            let place = |quad: Point, pixel: usize| {
                let (dx, dy) = QUAD_PIXELS[pixel];
                Point { x: quad.x + 12 * i64::from(dx), y: quad.y + 12 * i64::from(dy) }
            };
            let check = |lines: [[[u32; 2]; 5]; 2], expected: &dyn Fn(Point) -> u32| {
                for (n, quad) in quads.into_iter().enumerate().take(count) {
                    for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
                        assert_eq!(lines[dy as usize][n][dx as usize], expected(place(quad, pixel)));
                    }
                }
                assert!(lines.iter().all(|line| line[count..].iter().all(|words| *words == [7; 2])));
            };
            let mut found = [[[7; 2]; 5]; 2];
            let depth = DepthPlane::new(&setup, depths);
            let [upper, lower] = &mut found;
            places.depth(&depth, 0xFFFF, [&mut upper[..count], &mut lower[..count]]);
            check(found, &|place| depth.at(setup.offset(place), 0xFFFF));
            if let plane @ AttributePlane::Varying(numbers) = perspective.attribute(attribute.map(f32::to_bits)) {
                let [upper, lower] = &mut found;
                places.attribute(&numbers, [&mut upper[..count], &mut lower[..count]]);
                check(found, &|place| plane.at(&perspective.place(place)));
            }
            Ok(())
        });
    }
}
