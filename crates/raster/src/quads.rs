//! Linear functions over spans of quads: the same numbers as place by place, computed together.

use crate::bits;
use crate::grid::{Grid, Point};
use crate::plane::{DepthPlane, Plane};
use std::sync::atomic::{Ordering, compiler_fence};

/// Quads of a span at most: quads side by side.
pub const SPAN: usize = 32;
/// Pixels of a row that are computed together.
pub const TOGETHER: usize = 8;
/// Such groups of a span at most.
const GROUPS: usize = 2 * SPAN / TOGETHER;

/// Words for the upper pixels of quads, and for the lower ones.
pub type Lines<'a> = [&'a mut [[u32; 2]]; 2];

/// The words that are computed for so many quads: some for none may be at the end.
#[inline]
pub fn words_of(quads: usize) -> usize {
    quads.next_multiple_of(TOGETHER / 2)
}

/// The places of the pixels of a span of quads.
pub struct SpanPlaces {
    /// Groups of columns that there are.
    groups: usize,
    /// Columns, in pixels from vertex 0.
    dx: [[f64; TOGETHER]; GROUPS],
    /// The upper and the lower row.
    dy: [f64; 2],
    /// Attributes are not linear on the screen.
    is_divided: bool,
    /// The plane of 1/w at each, if so.
    divisors: [[[f64; TOGETHER]; GROUPS]; 2],
}

impl Default for SpanPlaces {
    fn default() -> Self {
        let numbers = [[0.0; TOGETHER]; GROUPS];
        SpanPlaces { groups: 0, dx: numbers, dy: [0.0; 2], is_divided: false, divisors: [numbers; 2] }
    }
}

/// A linear function at the pixels of a span: its value at vertex 0, what a column adds to that, and what the rows add then.
#[derive(Clone, Copy)]
struct Slope {
    value: f64,
    column: f64,
    rows: [f64; 2],
}

impl SpanPlaces {
    /// Sets them to those of so many quads, at most [`SPAN`], from the one whose upper left pixel is in this column and row, for a primitive with
    /// its vertex 0 at `origin`. Vertices are no more than 2^14 pixels from any of them.
    #[inline(always)]
    pub fn set(&mut self, grid: Grid, origin: Point, (x, y): (u16, u16), quads: usize) {
        let first = grid.pixel_centre(x.into(), y.into());
        // There are conversions of 32 bits many at a time.
        let (x, y, per_pixel) = ((first.x - origin.x) as i32, (first.y - origin.y) as i32, grid.per_pixel as i32);
        let pixels = |place: i32| f64::from(place) / f64::from(per_pixel);
        self.groups = words_of(quads.min(SPAN)) / (TOGETHER / 2);
        self.dy = [pixels(y), pixels(y + per_pixel)];
        self.is_divided = false;
        for (group, dx) in self.dx.iter_mut().enumerate().take(self.groups) {
            let first = x + (group * TOGETHER) as i32 * per_pixel;
            *dx = std::array::from_fn(|n| pixels(first + n as i32 * per_pixel));
            group_by_group();
        }
    }

    /// Sets what attributes are divided by.
    #[inline(always)]
    pub fn divide(&mut self, divisor: &Plane) {
        self.is_divided = true;
        let slope = self.slope(divisor);
        for line in 0..2 {
            for group in 0..self.groups {
                self.divisors[line][group] = self.values(slope, line, group);
                group_by_group();
            }
        }
    }

    #[inline(always)]
    fn slope(&self, plane: &Plane) -> Slope {
        Slope { value: plane.value, column: plane.dx, rows: self.dy.map(|dy| plane.dy * dy) }
    }

    /// As [`Plane::at`] gives them.
    #[inline(always)]
    fn values(&self, slope: Slope, line: usize, group: usize) -> [f64; TOGETHER] {
        self.dx[group].map(|dx| slope.value + slope.column * dx + slope.rows[line])
    }

    /// The bits of an attribute at each place, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them, in as many words as
    /// [`words_of`] says.
    #[inline(always)]
    pub fn attribute(&self, plane: &Plane, lines: Lines) {
        let slope = self.slope(plane);
        let attribute = |value: f64| ctm_num::flush(bits(value as f32));
        let [upper, lower] = lines.map(groups_of);
        for (group, lines) in upper.iter_mut().zip(lower).enumerate().take(self.groups) {
            let column = self.dx[group].map(|dx| slope.value + slope.column * dx);
            for (line, words) in [lines.0, lines.1].into_iter().enumerate() {
                let mut values = column.map(|value| value + slope.rows[line]);
                if self.is_divided {
                    values.iter_mut().zip(&self.divisors[line][group]).for_each(|(value, divisor)| *value /= divisor);
                }
                *words = values.map(attribute);
                group_by_group();
            }
        }
    }

    /// The depths over these places.
    #[inline(always)]
    pub fn depths<'p>(&'p self, depth: &DepthPlane, max: u32) -> Depths<'p> {
        Depths { places: self, slope: self.slope(depth.plane()), max }
    }
}

/// Depths over the places of a span.
#[derive(Clone, Copy)]
pub struct Depths<'p> {
    places: &'p SpanPlaces,
    slope: Slope,
    max: u32,
}

impl Depths<'_> {
    /// The depth at each of the places of a group in a line, as [`DepthPlane::at`] gives it.
    #[inline(always)]
    pub fn group(&self, line: usize, group: usize) -> [u32; TOGETHER] {
        self.places.values(self.slope, line, group).map(|value| DepthPlane::nearest(value, self.max))
    }

    /// The depth at each place, in as many words as [`words_of`] says.
    #[inline(always)]
    pub fn all(&self, lines: Lines) {
        for (line, words) in lines.into_iter().enumerate() {
            for (group, words) in groups_of(words).iter_mut().enumerate().take(self.places.groups) {
                *words = self.group(line, group);
                group_by_group();
            }
        }
    }
}

/// Keeps compilers from doing many groups at a time, with places that do not lie together, instead of the numbers of one.
#[inline(always)]
fn group_by_group() {
    compiler_fence(Ordering::SeqCst);
}

/// The whole groups of a line.
#[inline(always)]
fn groups_of(line: &mut [[u32; 2]]) -> &mut [[u32; TOGETHER]] {
    line.as_flattened_mut().as_chunks_mut().0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{AttributePlane, Perspective, Setup};

    #[test]
    fn quads_of_a_span_are_their_places() {
        let grid = Grid { per_pixel: 12 };
        arbtest::arbtest(|u| {
            let mut point = || Ok(Point { x: u.int_in_range(-500..=500)?, y: u.int_in_range(-500..=500)? });
            let Some(setup) = Setup::triangle(grid, [point()?, point()?, point()?]) else { return Ok(()) };
            let (x, y): (u16, u16) = (2 * u.int_in_range(0..=100)?, 2 * u.int_in_range(0..=100)?);
            let count = u.int_in_range(0..=10)?;
            let mut value = || Ok(u.int_in_range(-40..=40)? as f32 / *u.choose(&[16.0f32, 0.0, 1e38, 1e-38])?);
            let mut values = || Ok([value()?, value()?, value()?]);
            let (depths, attribute) = (values()?, values()?);
            let w = if u.arbitrary()? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let mut places = SpanPlaces::default();
            places.set(grid, setup.origin(), (x, y), count);
            perspective.divisor().iter().for_each(|divisor| places.divide(divisor));
            let check = |lines: [[[u32; 2]; 12]; 2], expected: &dyn Fn(Point) -> u32| {
                for (line, words) in lines.iter().enumerate() {
                    for (n, word) in words.as_flattened()[..2 * count].iter().enumerate() {
                        let place = grid.pixel_centre(u32::from(x) + n as u32, u32::from(y) + line as u32);
                        assert_eq!(*word, expected(place), "{n} {line}");
                    }
                }
                assert!(lines.iter().all(|line| line[words_of(count)..].iter().all(|words| *words == [7; 2])));
            };
            let mut found = [[[7; 2]; 12]; 2];
            let depth = DepthPlane::new(&setup, depths);
            let [upper, lower] = &mut found;
            places.depths(&depth, 0xFFFF).all([upper, lower]);
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
