//! Linear functions over many quads of a primitive: the same numbers as place by place, computed together.

use crate::bits;
use crate::grid::Grid;
use crate::plane::{DepthPlane, Perspective, Plane, Setup};

/// Quads at most.
pub const QUADS: usize = 32;
/// Numbers that are computed together.
const TOGETHER: usize = 8;

/// A number for each of two pixels of quads, one quad behind the other.
type Numbers = [[f64; TOGETHER]; 2 * QUADS / TOGETHER];

/// Words for the upper pixels of quads, and for the lower ones.
pub type Lines<'a> = [&'a mut [[u32; 2]]; 2];

/// Quads that are computed together.
const QUADS_TOGETHER: usize = TOGETHER / 2;

/// The words that are computed for so many quads: some for none may be at the end.
pub fn words_of(quads: usize) -> usize {
    quads.next_multiple_of(QUADS_TOGETHER)
}

/// The places of the pixels of quads.
pub struct QuadPlaces {
    /// Quads that there are.
    count: usize,
    /// In pixels from vertex 0: of the left and the right pixels, of the upper and of the lower ones.
    dx: Numbers,
    dy: [Numbers; 2],
    /// Attributes are not linear on the screen.
    is_divided: bool,
    /// The plane of 1/w at each, if so.
    divisors: [Numbers; 2],
}

impl Default for QuadPlaces {
    fn default() -> Self {
        let numbers = [[0.0; TOGETHER]; 2 * QUADS / TOGETHER];
        QuadPlaces { count: 0, dx: numbers, dy: [numbers; 2], is_divided: false, divisors: [numbers; 2] }
    }
}

impl QuadPlaces {
    /// Sets them to those of quads whose upper left pixels are in these columns and rows: at most [`QUADS`], the others do not count.
    /// Vertices are no more than 2^14 pixels from any of them.
    #[inline(always)]
    pub fn set(
        &mut self,
        grid: Grid,
        setup: &Setup,
        perspective: Option<&Perspective>,
        quads: impl ExactSizeIterator<Item = (u16, u16)>,
    ) {
        let (origin, first) = (setup.origin(), grid.pixel_centre(0, 0));
        // There are conversions of 32 bits many at a time.
        let (x, y, per_pixel) = ((first.x - origin.x) as i32, (first.y - origin.y) as i32, grid.per_pixel as i32);
        let mut places = [[0; QUADS]; 2];
        self.count = quads.len().min(QUADS);
        for (n, quad) in quads.take(QUADS).enumerate() {
            (places[0][n], places[1][n]) = (x + per_pixel * i32::from(quad.0), y + per_pixel * i32::from(quad.1));
        }
        let [xs, ys] = places.each_ref().map(|places| places.as_chunks::<QUADS_TOGETHER>().0);
        let pixels =
            |places: &[i32; QUADS_TOGETHER], more| places.map(|place| f64::from(place + more) / f64::from(per_pixel));
        for group in 0..groups_of(self.count) {
            self.dx[group] = alternating(pixels(&xs[group], 0), pixels(&xs[group], per_pixel));
            for (line, more) in [0, per_pixel].into_iter().enumerate() {
                let dy = pixels(&ys[group], more);
                self.dy[line][group] = alternating(dy, dy);
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

    /// Gives the words of lines group by group.
    #[inline(always)]
    fn give(&self, lines: Lines, words: impl Fn(usize, usize) -> [u32; TOGETHER]) {
        for (line, given) in lines.into_iter().enumerate() {
            for (group, given) in
                given.as_chunks_mut::<QUADS_TOGETHER>().0.iter_mut().enumerate().take(groups_of(self.count))
            {
                given.as_flattened_mut().copy_from_slice(&words(line, group));
            }
        }
    }

    /// The bits of an attribute at each place, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them, in as many words as
    /// [`words_of`] says.
    #[inline(always)]
    pub fn attribute(&self, plane: &Plane, lines: Lines) {
        let attribute = |values: [f64; TOGETHER]| values.map(|value| ctm_num::flush(bits(value as f32)));
        match self.is_divided {
            false => self.give(lines, |line, group| attribute(self.values(plane, line, group))),
            true => self.give(lines, |line, group| {
                let (mut values, divisors) = (self.values(plane, line, group), &self.divisors[line][group]);
                values.iter_mut().zip(divisors).for_each(|(value, divisor)| *value /= divisor);
                attribute(values)
            }),
        }
    }

    /// The depth at each place, as [`DepthPlane::at`] gives it, in as many words as [`words_of`] says.
    #[inline(always)]
    pub fn depth(&self, depth: &DepthPlane, max: u32, lines: Lines) {
        let nearest = |value| DepthPlane::nearest(value, max);
        self.give(lines, |line, group| self.values(depth.plane(), line, group).map(nearest));
    }
}

/// The elements of both, one of each after the other.
#[inline(always)]
fn alternating(left: [f64; QUADS_TOGETHER], right: [f64; QUADS_TOGETHER]) -> [f64; TOGETHER] {
    std::array::from_fn(|n| if n % 2 == 0 { left[n / 2] } else { right[n / 2] })
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
    use crate::grid::Point;
    use crate::plane::AttributePlane;

    #[test]
    fn many_quads_are_their_places() {
        let grid = Grid { per_pixel: 12 };
        arbtest::arbtest(|u| {
            let mut point = || Ok(Point { x: u.int_in_range(-500..=500)?, y: u.int_in_range(-500..=500)? });
            let Some(setup) = Setup::triangle(grid, [point()?, point()?, point()?]) else { return Ok(()) };
            let mut quad = || Ok((2 * u.int_in_range(0..=100)?, 2 * u.int_in_range(0..=100)?));
            let quads = [quad()?, quad()?, quad()?, quad()?, quad()?];
            let count = u.int_in_range(0..=5)?;
            let mut value = || Ok(u.int_in_range(-40..=40)? as f32 / *u.choose(&[16.0f32, 0.0, 1e38, 1e-38])?);
            let mut values = || Ok([value()?, value()?, value()?]);
            let (depths, attribute) = (values()?, values()?);
            let w = if u.arbitrary()? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let mut places = QuadPlaces::default();
            places.set(grid, &setup, Some(&perspective), quads[..count].iter().copied());
            let check = |lines: [[[u32; 2]; 12]; 2], expected: &dyn Fn(Point) -> u32| {
                for (n, (x, y)) in quads.into_iter().enumerate().take(count) {
                    for (dx, dy) in QUAD_PIXELS {
                        let place = grid.pixel_centre(u32::from(x) + dx, u32::from(y) + dy);
                        assert_eq!(lines[dy as usize][n][dx as usize], expected(place));
                    }
                }
                assert!(lines.iter().all(|line| line[words_of(count)..].iter().all(|words| *words == [7; 2])));
            };
            let mut found = [[[7; 2]; 12]; 2];
            let depth = DepthPlane::new(&setup, depths);
            let [upper, lower] = &mut found;
            places.depth(&depth, 0xFFFF, [upper, lower]);
            check(found, &|place| depth.at(setup.offset(place), 0xFFFF));
            if let plane @ AttributePlane::Varying(numbers) = perspective.attribute(attribute.map(f32::to_bits)) {
                let [upper, lower] = &mut found;
                places.attribute(&numbers, [upper, lower]);
                check(found, &|place| plane.at(&perspective.place(place)));
            }
            Ok(())
        });
    }
}
