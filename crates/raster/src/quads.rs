//! Linear functions over blocks of quads: the same numbers as place by place, computed together.

use crate::grid::{Grid, Point};
use crate::plane::{DepthPlane, Plane};
use crate::simd::Simd;

/// Quads of a block: quads side by side, of which a row has as many pixels as are computed [together](crate::simd::LANES).
pub const BLOCK: usize = crate::simd::LANES / 2;

/// The places of the pixels of a block.
#[derive(Clone, Copy)]
pub struct BlockPlaces<S: Simd> {
    simd: S,
    /// Columns, in pixels from vertex 0.
    dx: S::Numbers,
    /// The upper and the lower row.
    dy: S::Rows,
    /// What attributes are divided by, if they are not linear on the screen.
    divisors: Option<[S::Numbers; 2]>,
}

impl<S: Simd> BlockPlaces<S> {
    /// Those of the samples at `place` inside of the pixels of the block whose upper left one is in this column and row, for a primitive with its
    /// vertex 0 at `origin`. Vertices are no more than 2^14 pixels from any of them.
    #[inline(always)]
    pub fn new(simd: S, grid: Grid, origin: Point, (x, y): (u16, u16), place: Point) -> Self {
        let first = grid.inside(x.into(), y.into(), place);
        // There are conversions of 32 bits many at a time.
        let (x, y, per_pixel) = ((first.x - origin.x) as i32, (first.y - origin.y) as i32, grid.per_pixel as i32);
        BlockPlaces { simd, dx: simd.fractions(x, per_pixel), dy: simd.rows(y, per_pixel), divisors: None }
    }

    /// The same for attributes whose planes are divided by this one.
    #[inline(always)]
    pub fn divided_by(self, divisor: &Plane) -> Self {
        BlockPlaces { divisors: Some(self.numbers(divisor)), ..self }
    }

    /// As [`Plane::at`] gives them, in the upper and the lower row.
    #[inline(always)]
    pub fn numbers(&self, plane: &Plane) -> [S::Numbers; 2] {
        let BlockPlaces { simd, dx, dy, .. } = *self;
        let column = simd.add(simd.number(plane.value), simd.mul(simd.number(plane.dx), dx));
        let rows = simd.mul_rows(dy, plane.dy);
        [simd.add_row(column, rows, 0), simd.add_row(column, rows, 1)]
    }

    /// The bits of an attribute at each place, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them.
    #[inline(always)]
    pub fn attribute(&self, plane: &Plane) -> [S::Words; 2] {
        let [upper, lower] = self.numbers(plane);
        let [upper, lower] = match &self.divisors {
            Some(divisors) => [self.simd.div(upper, divisors[0]), self.simd.div(lower, divisors[1])],
            None => [upper, lower],
        };
        [self.simd.binary32(upper), self.simd.binary32(lower)]
    }

    /// The same of an attribute that is linear on the screen, whose plane [`has_normal_values`](Plane::has_normal_values).
    #[inline(always)]
    pub fn normal_attribute(&self, plane: &Plane) -> [S::Words; 2] {
        let [upper, lower] = self.numbers(plane);
        [self.simd.normal_binary32(upper), self.simd.normal_binary32(lower)]
    }

    /// The depth at each place, as [`DepthPlane::at`] gives it.
    #[inline(always)]
    pub fn depths(&self, depth: &DepthPlane, max: u32) -> [S::Words; 2] {
        let [upper, lower] = self.numbers(depth.plane());
        [self.simd.nearest(upper, max), self.simd.nearest(lower, max)]
    }
}

/// How far the samples at `place` inside of the pixels of a block are from vertex 0 of a primitive, which is at `origin`, in steps of the grid: their
/// columns, the upper row and the lower one.
#[inline(always)]
pub fn distances<S: Simd>(simd: S, grid: Grid, origin: Point, (x, y): (u16, u16), place: Point) -> [S::Words; 3] {
    let (first, per_pixel) = (grid.inside(x.into(), y.into(), place), grid.per_pixel as i32);
    let (x, y) = ((first.x - origin.x) as i32, (first.y - origin.y) as i32);
    let rows = [y, y + per_pixel].map(i32::cast_unsigned);
    [simd.progression(x, per_pixel), simd.splat(rows[0]), simd.splat(rows[1])]
}

/// The places of pixels of a primitive that need not lie together.
#[derive(Clone, Copy)]
pub struct PixelPlaces<S: Simd> {
    simd: S,
    /// Columns and rows, in pixels from vertex 0.
    dx: S::Numbers,
    dy: S::Numbers,
    /// What attributes are divided by, if they are not linear on the screen.
    divisors: Option<S::Numbers>,
}

impl<S: Simd> PixelPlaces<S> {
    /// Those at these distances from vertex 0, in steps of the grid: columns and rows.
    #[inline(always)]
    pub fn new(simd: S, grid: Grid, [columns, rows]: [S::Words; 2]) -> Self {
        let per_pixel = grid.per_pixel as i32;
        let (dx, dy) = (simd.quotients(columns, per_pixel), simd.quotients(rows, per_pixel));
        PixelPlaces { simd, dx, dy, divisors: None }
    }

    /// The same for attributes whose planes are divided by this one.
    #[inline(always)]
    pub fn divided_by(self, divisor: &Plane) -> Self {
        PixelPlaces { divisors: Some(self.numbers(divisor)), ..self }
    }

    /// As [`Plane::at`] gives them.
    #[inline(always)]
    pub fn numbers(&self, plane: &Plane) -> S::Numbers {
        let PixelPlaces { simd, dx, dy, .. } = *self;
        let column = simd.add(simd.number(plane.value), simd.mul(simd.number(plane.dx), dx));
        simd.add(column, simd.mul(simd.number(plane.dy), dy))
    }

    /// The bits of an attribute, as [`AttributePlane::at`](crate::plane::AttributePlane::at) gives them.
    #[inline(always)]
    pub fn attribute(&self, plane: &Plane) -> S::Words {
        let numbers = self.numbers(plane);
        let numbers = match self.divisors {
            Some(divisors) => self.simd.div(numbers, divisors),
            None => numbers,
        };
        self.simd.binary32(numbers)
    }

    /// The same of an attribute that is linear on the screen, whose plane [`has_normal_values`](Plane::has_normal_values).
    #[inline(always)]
    pub fn normal_attribute(&self, plane: &Plane) -> S::Words {
        self.simd.normal_binary32(self.numbers(plane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::{AttributePlane, Perspective, PrimitiveSetup};
    use crate::simd::{LANES, LaneWords, SimdTask, dispatch};

    const GRID: Grid = Grid { per_pixel: 12 };

    /// Depths and an attribute over a block.
    struct Values<'t> {
        place: (u16, u16),
        sample: Point,
        perspective: &'t Perspective,
        depth: &'t DepthPlane,
        attribute: Option<&'t Plane>,
    }

    impl SimdTask for Values<'_> {
        type Output = [[LaneWords; 2]; 5];

        fn run(self, simd: impl Simd) -> Self::Output {
            let mut places = BlockPlaces::new(simd, GRID, self.perspective.setup().origin(), self.place, self.sample);
            if let Some(divisor) = self.perspective.divisor() {
                places = places.divided_by(&divisor);
            }
            let attribute = self.attribute.map(|plane| places.attribute(plane).map(|words| simd.array(words)));
            let normal = self.attribute.map(|plane| places.normal_attribute(plane).map(|words| simd.array(words)));
            let depths = places.depths(self.depth, 0xFFFF).map(|words| simd.array(words));
            let [columns, upper, lower] =
                distances(simd, GRID, self.perspective.setup().origin(), self.place, self.sample);
            let (mut one_by_one, mut normal_ones) = ([[0; LANES]; 2], [[0; LANES]; 2]);
            for (row, distance) in [upper, lower].into_iter().enumerate() {
                let mut places = PixelPlaces::new(simd, GRID, [columns, distance]);
                if let Some(divisor) = self.perspective.divisor() {
                    places = places.divided_by(&divisor);
                }
                if let Some(plane) = self.attribute {
                    one_by_one[row] = simd.array(places.attribute(plane));
                    normal_ones[row] = simd.array(places.normal_attribute(plane));
                }
            }
            [depths, attribute.unwrap_or_default(), normal.unwrap_or_default(), one_by_one, normal_ones]
        }
    }

    #[test]
    fn quads_of_a_block_are_their_places() {
        ctm_cases::check(4000, |u| {
            let mut point = || Ok(Point { x: u.int_in_range(-500..=500)?, y: u.int_in_range(-500..=500)? });
            let Some(setup) = PrimitiveSetup::triangle(GRID, [point()?, point()?, point()?]) else { return Ok(()) };
            let place: (u16, u16) = (2 * u.int_in_range(0..=100)?, 2 * u.int_in_range(0..=100)?);
            let sample = Point { x: u.int_in_range(0..=11)?, y: u.int_in_range(0..=11)? };
            let mut value = || Ok(u.int_in_range(-40..=40)? as f32 / *u.choose(&[16.0f32, 0.0, 1e38, 1e-38])?);
            let mut values = || Ok([value()?, value()?, value()?]);
            let (depths, attribute) = (values()?, values()?);
            let w = if u.arbitrary()? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let depth = DepthPlane::new(&setup, depths);
            let plane = perspective.attribute(attribute.map(f32::to_bits));
            let attribute = match &plane {
                AttributePlane::Varying(plane) => Some(plane),
                AttributePlane::Constant(_) => None,
            };
            let check = |found: [LaneWords; 2], expected: &dyn Fn(Point) -> u32| {
                for (line, words) in found.iter().enumerate() {
                    for (n, word) in words.iter().enumerate() {
                        let (x, y) = (u32::from(place.0) + n as u32, u32::from(place.1) + line as u32);
                        let place = GRID.inside(x, y, sample);
                        assert_eq!(*word, expected(place), "{n} {line}");
                    }
                }
            };
            let [depths, values, normal, one_by_one, normal_ones] =
                dispatch(Values { place, sample, perspective: &perspective, depth: &depth, attribute });
            check(depths, &|place| depth.at(setup.offset(place), 0xFFFF));
            if let Some(attribute) = attribute {
                let expected = |place| plane.at(&perspective.place(place));
                check(values, &expected);
                check(one_by_one, &expected);
                if perspective.is_affine() && attribute.has_normal_values() {
                    check(normal, &expected);
                    check(normal_ones, &expected);
                }
            }
            Ok(())
        });
    }
}
