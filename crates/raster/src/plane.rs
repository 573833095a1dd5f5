//! Linear functions over the screen: depth, and attributes with and without perspective.
//!
//! Arithmetic is that of binary64, each operation rounded once, in the order that the functions are written in.

use crate::bits;
use crate::coverage::cross;
use crate::grid::{Grid, Point};

/// What the places of a primitive's vertices alone decide about the planes through them.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveSetup {
    origin: Point,
    per_pixel: f64,
    /// Vertices 1 and 2, in sub-pixels from vertex 0.
    x: [f64; 2],
    y: [f64; 2],
    /// Twice the triangle's area in sub-pixels; exact.
    area: f64,
}

/// A place, in pixels from a primitive's vertex 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneOffset {
    /// To the right.
    pub dx: f64,
    /// Downwards.
    pub dy: f64,
}

impl PrimitiveSetup {
    /// Of a triangle; `None` if it has no area. Coordinates are within [`LIMIT`](crate::coverage::LIMIT).
    #[inline]
    pub fn triangle(grid: Grid, points: [Point; 3]) -> Option<PrimitiveSetup> {
        let [a, b, c] = points;
        let area = cross(a, b, c);
        (area != 0).then(|| PrimitiveSetup {
            origin: a,
            per_pixel: grid.per_pixel as f64,
            x: [(b.x - a.x) as f64, (c.x - a.x) as f64],
            y: [(b.y - a.y) as f64, (c.y - a.y) as f64],
            area: area as f64,
        })
    }

    /// Of a line: values change along its major axis and are constant across it. Vertex 2 of what is interpolated has to repeat vertex 0.
    /// `None` if both points are the same.
    #[inline]
    pub fn line(grid: Grid, [from, to]: [Point; 2]) -> Option<PrimitiveSetup> {
        let x_major = (to.x - from.x).abs() >= (to.y - from.y).abs();
        let (x, y) = if x_major { (0, 1) } else { (1, 0) };
        PrimitiveSetup::triangle(grid, [from, to, Point { x: from.x + x, y: from.y + y }])
    }

    /// For what is the same everywhere, as over a point.
    #[inline]
    pub fn constant(grid: Grid) -> PrimitiveSetup {
        PrimitiveSetup {
            origin: Point::default(),
            per_pixel: grid.per_pixel as f64,
            x: [1.0, 0.0],
            y: [0.0, 1.0],
            area: 1.0,
        }
    }

    /// The place of vertex 0.
    #[inline]
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Where a place is, seen from vertex 0.
    #[inline]
    pub fn offset(&self, place: Point) -> PlaneOffset {
        PlaneOffset {
            dx: (place.x - self.origin.x) as f64 / self.per_pixel,
            dy: (place.y - self.origin.y) as f64 / self.per_pixel,
        }
    }

    /// The plane through these values of the vertices.
    #[inline]
    pub fn plane(&self, [first, second, third]: [f64; 3]) -> Plane {
        let (one, two) = (second - first, third - first);
        Plane {
            value: first,
            dx: (one * self.y[1] - two * self.y[0]) * self.per_pixel / self.area,
            dy: (two * self.x[0] - one * self.x[1]) * self.per_pixel / self.area,
        }
    }

    /// [`plane`](Self::plane) of four values at once.
    #[inline(always)]
    fn four_planes(&self, [first, second, third]: [[f64; 4]; 3]) -> [Plane; 4] {
        let PrimitiveSetup { x, y, per_pixel, area, .. } = *self;
        let (mut dx, mut dy) = ([0.0; 4], [0.0; 4]);
        for n in 0..4 {
            let (one, two) = (second[n] - first[n], third[n] - first[n]);
            dx[n] = (one * y[1] - two * y[0]) * per_pixel / area;
            dy[n] = (two * x[0] - one * x[1]) * per_pixel / area;
        }
        std::array::from_fn(|n| Plane { value: first[n], dx: dx[n], dy: dy[n] })
    }
}

/// A linear function over the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// At vertex 0.
    pub value: f64,
    /// Change per pixel to the right.
    pub dx: f64,
    /// Change per pixel downwards.
    pub dy: f64,
}

impl Plane {
    /// The same value everywhere.
    pub fn constant(value: f64) -> Plane {
        Plane { value, dx: 0.0, dy: 0.0 }
    }

    /// Whether the value at every place whose offset is 0 or between 2^-12 and 2^16 pixels is 0 or a normal number as binary32. Only where all that
    /// is added is 0 or far from the least and greatest such numbers that is said: then sums are 0 or multiples of what is far above the least.
    pub fn has_normal_values(&self) -> bool {
        const LEAST: u64 = (1.0 / (1u64 << 60) as f64).to_bits();
        const MOST: u64 = ((1u64 << 60) as f64).to_bits();
        // Without signs, numbers are ordered as their bits are.
        let is_normal = |part: f64| {
            let bits = part.abs().to_bits();
            (bits == 0) | (bits.wrapping_sub(LEAST) < MOST - LEAST)
        };
        is_normal(self.value) & is_normal(self.dx) & is_normal(self.dy)
    }

    /// The value at a place.
    #[inline]
    pub fn at(&self, offset: PlaneOffset) -> f64 {
        self.value + self.dx * offset.dx + self.dy * offset.dy
    }

    /// What the value at the centre of each pixel of the first 4096 columns (axis 0) or rows (1) has more than the number of its column or row, for a
    /// primitive with its vertex 0 at `origin`: if it changes with that alone, and all numbers that it is made of are exact in binary32.
    pub fn pixel_offset(&self, grid: Grid, origin: Point, axis: usize) -> Option<f32> {
        /// Multiples of 1/1024 that sums are of, and the most of them: together 23 bits.
        const PARTS: f64 = 1024.0;
        const MOST: f64 = 4096.0;
        let (along, across, from) = match axis {
            0 => (self.dx, self.dy, origin.x),
            _ => (self.dy, self.dx, origin.y),
        };
        let first = grid.centre(0) - from;
        let offset = self.value + first as f64 / grid.per_pixel as f64;
        let is_exact = |number: f64| number.abs() <= MOST && (number * PARTS).fract() == 0.0;
        let steps_are_exact = along == 1.0 && across == 0.0 && 2 * first % grid.per_pixel == 0;
        (steps_are_exact && is_exact(self.value) && is_exact(offset)).then_some(offset as f32)
    }
}

/// Depth over a primitive, in units of the depth buffer.
#[derive(Clone, Copy, Debug)]
pub struct DepthPlane {
    plane: Plane,
    slope: f64,
}

impl DepthPlane {
    /// The plane through the depths of the vertices. Three equal depths are that depth everywhere.
    #[inline]
    pub fn new(setup: &PrimitiveSetup, depths: [f32; 3]) -> DepthPlane {
        let plane = setup.plane(depths.map(f64::from));
        DepthPlane { plane, slope: plane.dx.abs().max(plane.dy.abs()) / setup.per_pixel }
    }

    /// The same depth everywhere.
    #[inline]
    pub fn constant(depth: f32) -> DepthPlane {
        DepthPlane { plane: Plane::constant(f64::from(depth)), slope: 0.0 }
    }

    /// The depth everywhere, clamped and rounded as [`at`](Self::at) does it, if it is the same everywhere.
    pub fn everywhere(&self, max: u32) -> Option<u32> {
        (self.plane.dx == 0.0 && self.plane.dy == 0.0).then(|| DepthPlane::nearest(self.plane.value, max))
    }

    /// The steepest change along x or y, per sub-pixel: what polygon offset scales.
    #[inline]
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// The plane moved by polygon offset: `scale` times the slope, plus `bias`.
    pub fn with_offset(mut self, scale: f32, bias: f32) -> DepthPlane {
        self.plane.value += f64::from(scale) * self.slope + f64::from(bias);
        self
    }

    /// The depth at a place: clamped to 0..=`max`, which has at most 31 bits, the nearest integer, halves up. NaN gives 0.
    #[inline]
    pub fn at(&self, offset: PlaneOffset, max: u32) -> u32 {
        DepthPlane::nearest(self.plane.at(offset), max)
    }

    /// The nearest integer to a depth, as [`at`](Self::at) gives it.
    #[inline(always)]
    pub(crate) fn nearest(depth: f64, max: u32) -> u32 {
        nearest(depth, max)
    }

    /// Depth before it is rounded.
    #[inline]
    pub fn plane(&self) -> &Plane {
        &self.plane
    }
}

/// The nearest integer to a number, halves up, from 0 to `max`, which has at most 31 bits. NaN gives 0.
#[inline(always)]
pub fn nearest(number: f64, max: u32) -> u32 {
    /// Numbers of this size are integers: their units are in the low bits of those above it.
    const UNITS: f64 = (1u64 << 52) as f64;
    let raised = number.max(0.0).min(f64::from(max)) + 0.5;
    // The nearest integer, halves to even ones, is the one below or the one above it. Unlike conversions, such operations are done for
    // many numbers at a time.
    let sum = raised + UNITS;
    (sum.to_bits() as u32).wrapping_sub(u32::from(sum - UNITS > raised))
}

/// How attributes run over a primitive: linear on the screen if its vertices have the same 1/w, else with perspective.
#[derive(Clone, Copy, Debug)]
pub struct Perspective {
    setup: PrimitiveSetup,
    /// 1/w of the vertices and the plane through them; `None` if they are equal.
    reciprocals: Option<([f64; 3], Plane)>,
}

/// A place where attributes are asked for.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationPoint {
    offset: PlaneOffset,
    /// What the attributes' planes are divided by.
    divisor: f64,
}

impl Perspective {
    /// From the bits of 1/w of the vertices.
    #[inline]
    pub fn new(setup: PrimitiveSetup, reciprocals: [u32; 3]) -> Perspective {
        let q = reciprocals.map(|bits| f64::from(f32::from_bits(bits)));
        let equal = q[0] == q[1] && q[1] == q[2];
        Perspective { setup, reciprocals: (!equal).then(|| (q, setup.plane(q))) }
    }

    /// The places of the vertices.
    #[inline]
    pub fn setup(&self) -> &PrimitiveSetup {
        &self.setup
    }

    /// The plane of 1/w, by which those of attributes are divided; `None` if attributes are linear on the screen.
    #[inline]
    pub fn divisor(&self) -> Option<Plane> {
        self.reciprocals.map(|(_, plane)| plane)
    }

    /// Whether attributes are linear on the screen.
    pub fn is_affine(&self) -> bool {
        self.reciprocals.is_none()
    }

    /// The attribute with these values (bits) at the vertices.
    #[inline]
    pub fn attribute(&self, values: [u32; 3]) -> AttributePlane {
        if values[0] == values[1] && values[1] == values[2] {
            return AttributePlane::Constant(values[0]);
        }
        let a = values.map(|bits| f64::from(f32::from_bits(bits)));
        AttributePlane::Varying(match self.reciprocals {
            None => self.setup.plane(a),
            Some((q, _)) => self.setup.plane([a[0] * q[0], a[1] * q[1], a[2] * q[2]]),
        })
    }

    /// The planes of four attributes with these values (bits) at the vertices, as [`AttributePlane::normal`] gives them. `None` if attributes are not
    /// linear on the screen, or if one of those that are chosen (bit n) has none.
    #[inline]
    pub fn normal_planes(&self, values: [[u32; 4]; 3], chosen: u8) -> Option<[Plane; 4]> {
        if self.reciprocals.is_some() {
            return None;
        }
        let number = |vertex: usize| values[vertex].map(|bits| f64::from(f32::from_bits(bits)));
        let planes = self.setup.four_planes([number(0), number(1), number(2)]);
        for (n, plane) in planes.iter().enumerate() {
            // The sum of -0 and 0 is 0.
            let is_normal = values[0][n] != 0x8000_0000 && plane.has_normal_values();
            if chosen >> n & 1 != 0 && !is_normal {
                return None;
            }
        }
        Some(planes)
    }

    /// [`attribute`](Self::attribute) of four attributes at once.
    #[inline]
    pub fn attributes(&self, values: [[u32; 4]; 3]) -> [AttributePlane; 4] {
        let factors = self.reciprocals.map_or([1.0; 3], |(factors, _)| factors);
        let number = |vertex: usize| values[vertex].map(|bits| f64::from(f32::from_bits(bits)) * factors[vertex]);
        let planes = self.setup.four_planes([number(0), number(1), number(2)]);
        std::array::from_fn(|n| match values[0][n] == values[1][n] && values[1][n] == values[2][n] {
            true => AttributePlane::Constant(values[0][n]),
            false => AttributePlane::Varying(planes[n]),
        })
    }

    /// The place for [`AttributePlane::at`].
    #[inline]
    pub fn place(&self, point: Point) -> EvaluationPoint {
        let offset = self.setup.offset(point);
        let divisor = self.reciprocals.as_ref().map_or(1.0, |(_, plane)| plane.at(offset));
        EvaluationPoint { offset, divisor }
    }
}

/// One component of an attribute over a primitive.
#[derive(Clone, Copy, Debug)]
pub enum AttributePlane {
    /// All vertices have these bits.
    Constant(u32),
    /// The plane of attribute times 1/w, or of the attribute where all 1/w are equal.
    Varying(Plane),
}

impl AttributePlane {
    /// The plane of an attribute that is linear on the screen, if its values are [normal](Plane::has_normal_values): a constant has one too.
    pub fn normal(&self) -> Option<Plane> {
        let plane = match *self {
            // The sum of -0 and 0 is 0.
            AttributePlane::Constant(0x8000_0000) => return None,
            AttributePlane::Constant(bits) => Plane::constant(f32::from_bits(bits).into()),
            AttributePlane::Varying(plane) => plane,
        };
        plane.has_normal_values().then_some(plane)
    }

    /// The bits of the attribute at a place: rounded to binary32 once, denormals are zeros of their sign.
    #[inline]
    pub fn at(&self, place: &EvaluationPoint) -> u32 {
        match self {
            AttributePlane::Constant(bits) => *bits,
            AttributePlane::Varying(plane) => AttributePlane::bits(plane.at(place.offset) / place.divisor),
        }
    }

    /// The bits of an attribute that a plane gives.
    #[inline(always)]
    pub fn bits(value: f64) -> u32 {
        ctm_num::flush(bits(value as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NAN;
    use ctm_cases::{Result, Unstructured};

    const GRID: Grid = Grid { per_pixel: 12 };

    fn points<const N: usize>(u: &mut Unstructured) -> Result<[Point; N]> {
        let mut points = [Point::default(); N];
        for point in &mut points {
            *point = Point { x: u.int_in_range(-1000..=12_000)?, y: u.int_in_range(-1000..=12_000)? };
        }
        Ok(points)
    }

    /// The shares of the vertices at a place (they sum up to 1), from areas of the parts of the triangle.
    fn shares([a, b, c]: [Point; 3], place: Point) -> [f64; 3] {
        let whole = cross(a, b, c) as f64;
        [cross(place, b, c), cross(a, place, c), cross(a, b, place)].map(|part| part as f64 / whole)
    }

    fn close(found: f64, expected: f64, size: f64) {
        assert!((found - expected).abs() <= 1e-6 * size, "{found} instead of {expected}");
    }

    #[test]
    fn planes_go_through_the_vertices_and_between_them() {
        ctm_cases::check(4000, |u| {
            let corners: [Point; 3] = points(u)?;
            let [place] = points(u)?;
            let mut number = || u.int_in_range(1..=4_000_000u32).map(|v| v as f32 / 4096.0);
            let a = [number()?, number()?, number()?];
            let q = [number()?, number()?, number()?];
            let Some(setup) = PrimitiveSetup::triangle(GRID, corners) else { return Ok(()) };
            let share = shares(corners, place);
            let size: f64 = share.map(f64::abs).iter().sum::<f64>() * 1000.0;
            let mix = |v: [f64; 3]| (0..3).map(|n| share[n] * v[n]).sum::<f64>();
            let depth = mix(a.map(f64::from)).clamp(0.0, 900.0);
            close(f64::from(DepthPlane::new(&setup, a).at(setup.offset(place), 900)), depth, 1e6 + size * 1e3);
            let perspective = Perspective::new(setup, q.map(f32::to_bits));
            let (a, q) = (a.map(f64::from), q.map(f64::from));
            let below = mix(q);
            if below.abs() > 1e-3 * size {
                let value = perspective.attribute(a.map(|a| (a as f32).to_bits())).at(&perspective.place(place));
                let above = mix([a[0] * q[0], a[1] * q[1], a[2] * q[2]]);
                close(f64::from(f32::from_bits(value)), above / below, size * 1000.0 / below.abs());
            }
            Ok(())
        });
    }

    /// Planes go through the vertices where the grid has them, but vertices have values for where they were. So a copy of the position, of which
    /// drivers make `gl_FragCoord`, is off by as much as the grid moves vertices: half a sub-pixel at most, nothing for vertices on the grid.
    #[test]
    fn a_copy_of_the_position_is_off_by_what_the_grid_moves_vertices() {
        let mut state = 1u32;
        let mut number = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % (most + 1)
        };
        let (mut inside, mut worst) = (0, [0.0f64; 2]);
        for case in 0..400 {
            let parts = [12, 1024][case % 2];
            let vertices = [(); 3].map(|()| [(); 2].map(|()| number(40 * parts) as f32 / parts as f32));
            let corners = vertices.map(|[x, y]| Point { x: GRID.snap(x), y: GRID.snap(y) });
            let Some(setup) = PrimitiveSetup::triangle(GRID, corners) else { continue };
            let planes = [0, 1].map(|axis| setup.plane(vertices.map(|vertex| f64::from(vertex[axis]))));
            for (x, y) in (0..40).flat_map(|y| (0..40).map(move |x| (x, y))) {
                let centre = GRID.pixel_centre(x, y);
                if shares(corners, centre).iter().any(|share| *share < 0.0) {
                    continue;
                }
                let found = planes.map(|plane| plane.at(setup.offset(centre)));
                let off = (found[0] - f64::from(x) - 0.5).abs().max((found[1] - f64::from(y) - 0.5).abs());
                inside += 1;
                worst[case % 2] = worst[case % 2].max(off);
            }
        }
        assert!(inside > 10_000, "{inside}");
        let half = 0.5 / GRID.per_pixel as f64;
        assert!(worst[0] < 1e-5 && worst[1] > 0.9 * half && worst[1] < half + 1e-5, "{worst:?}");
    }

    #[test]
    fn windows_of_power_of_two_size_have_exact_values() {
        let corner = |x: i64, y: i64| Point { x: x * 12, y: y * 12 };
        let setup = PrimitiveSetup::triangle(GRID, [corner(0, 0), corner(128, 0), corner(0, 64)]).unwrap();
        let perspective = Perspective::new(setup, [0x3F80_0000; 3]);
        assert!(perspective.is_affine());
        let across = perspective.attribute([0f32, 1.0, 0.0].map(f32::to_bits));
        let down = perspective.attribute([0f32, 0.0, 2.0].map(f32::to_bits));
        for n in 0..64 {
            let place = perspective.place(GRID.pixel_centre(2 * n, n));
            assert_eq!(f32::from_bits(across.at(&place)), (2.0 * n as f32 + 0.5) / 128.0);
            assert_eq!(f32::from_bits(down.at(&place)), (n as f32 + 0.5) / 32.0);
        }
    }

    #[test]
    fn equal_values_stay_as_they_are() {
        let setup = PrimitiveSetup::triangle(GRID, [(0, 0), (7, 1), (3, 11)].map(|(x, y)| Point { x, y })).unwrap();
        let perspective = Perspective::new(setup, [1f32, 2.0, 3.0].map(f32::to_bits));
        assert!(!perspective.is_affine());
        let place = perspective.place(Point { x: 100, y: -100 });
        for bits in [1f32.to_bits() + 1, 0x7FC1_2345, 1] {
            assert_eq!(perspective.attribute([bits; 3]).at(&place), bits);
        }
        let infinite = perspective.attribute([f32::INFINITY, 1.0, f32::NEG_INFINITY].map(f32::to_bits));
        assert_eq!(infinite.at(&place), crate::NAN);
        let plane = DepthPlane::new(&setup, [16_777_214.0; 3]);
        assert_eq!(plane.at(setup.offset(Point { x: -5000, y: 9999 }), 0xFF_FFFF), 16_777_214);
        assert_eq!(plane.slope(), 0.0);
    }

    #[test]
    fn planes_of_normal_values_give_the_bits_of_constants() {
        for value in [0f32, 1.0, -3.5, 1e-10, 7e15] {
            let plane = AttributePlane::Constant(value.to_bits()).normal().expect("a normal value");
            let found = plane.at(PlaneOffset { dx: 3.25, dy: -100.5 }) as f32;
            assert_eq!(found.to_bits(), value.to_bits());
        }
        for bits in [0x8000_0000, 1, NAN, 0x7F80_0000, 0x0080_0000, 0x7F7F_FFFF] {
            assert!(AttributePlane::Constant(bits).normal().is_none(), "{bits:#x}");
        }
    }

    #[test]
    fn planes_that_follow_pixels_are_their_numbers() {
        let mut found = 0;
        ctm_cases::check(4000, |u| {
            let mut step =
                |usual: f64| Ok(if u.ratio(7, 8)? { usual } else { *u.choose(&[0.0, -0.0, 0.5, 1.0 + f64::EPSILON])? });
            let (along, across) = (step(1.0)?, step(0.0)?);
            let part = *u.choose(&[1.0, 2.0, 16.0, 1024.0, 4096.0, 3.0])?;
            let value = f64::from(u.int_in_range(-20_000..=20_000)?) / part;
            let axis = u.int_in_range(0..=1)?;
            let (dx, dy) = if axis == 0 { (along, across) } else { (across, along) };
            let plane = Plane { value, dx, dy };
            let [mut origin] = points(u)?;
            if u.ratio(3, 4)? {
                origin = Point { x: origin.x / 6 * 6, y: origin.y / 6 * 6 };
            }
            let Some(offset) = plane.pixel_offset(GRID, origin, axis) else { return Ok(()) };
            found += 1;
            let corners = [origin, Point { x: origin.x + 7, ..origin }, Point { y: origin.y + 9, ..origin }];
            let setup = PrimitiveSetup::triangle(GRID, corners).expect("an area");
            for n in [0, 1, 4094, 4095, u.int_in_range(0..=4095)?, u.int_in_range(0..=4095)?] {
                let other = u.int_in_range(0..=4095)?;
                let centre = if axis == 0 { GRID.pixel_centre(n, other) } else { GRID.pixel_centre(other, n) };
                let value = AttributePlane::bits(plane.at(setup.offset(centre)));
                assert_eq!(value, (n as f32 + offset).to_bits(), "{plane:?} {origin:?} {n}");
            }
            Ok(())
        });
        assert!(found > 100, "{found}");
    }

    #[test]
    fn four_attributes_are_those_of_each() {
        ctm_cases::check(4000, |u| {
            let Some(setup) = PrimitiveSetup::triangle(GRID, points(u)?) else { return Ok(()) };
            let mut bits = || u.choose(&[0f32, -0.0, 1.0, -3.5, 0.3, 1e-30, 7e15, f32::NAN]).map(|n| n.to_bits());
            let values = [[bits()?, bits()?, bits()?, bits()?], [bits()?; 4], [bits()?, bits()?, bits()?, bits()?]];
            let perspective = Perspective::new(setup, [bits()?, bits()?, bits()?]);
            for (n, found) in perspective.attributes(values).iter().enumerate() {
                let alone = perspective.attribute(values.map(|values| values[n]));
                let parts = |plane: &AttributePlane| match *plane {
                    AttributePlane::Constant(bits) => [bits.into(), 0, 0],
                    AttributePlane::Varying(Plane { value, dx, dy }) => {
                        [value, dx, dy].map(|part| if part.is_nan() { 1 } else { part.to_bits() })
                    }
                };
                assert_eq!(parts(found), parts(&alone), "{values:x?} {n}");
            }
            Ok(())
        });
    }

    #[test]
    fn planes_of_four_attributes_are_those_of_each() {
        let mut found = 0;
        ctm_cases::check(4000, |u| {
            let Some(setup) = PrimitiveSetup::triangle(GRID, points(u)?) else { return Ok(()) };
            let bits = [0f32, -0.0, 1.0, -3.5, 1e-10, 1e-30, 7e15, 1e30, f32::NAN].map(f32::to_bits);
            let mut values = [[0; 4]; 3];
            for value in values.as_flattened_mut() {
                *value = if u.ratio(3, 4)? {
                    u.int_in_range(0..=99)? as f32 / 7.0
                } else {
                    f32::from_bits(*u.choose(&bits)?)
                }
                .to_bits();
            }
            if u.arbitrary()? {
                let bits = *u.choose(&bits)?;
                values.iter_mut().for_each(|values| values[0] = bits);
            }
            let w = if u.ratio(1, 8)? { [1.0, 0.5, 2.0] } else { [0.25; 3] };
            let perspective = Perspective::new(setup, w.map(f32::to_bits));
            let chosen: u8 = u.arbitrary()?;
            let Some(planes) = perspective.normal_planes(values, chosen) else { return Ok(()) };
            assert!(perspective.is_affine());
            for (n, plane) in planes.iter().enumerate().filter(|(n, _)| chosen >> n & 1 != 0) {
                found += 1;
                let expected = perspective.attribute(values.map(|values| values[n]));
                assert!(expected.normal().is_some(), "{expected:?}");
                for place in points::<4>(u)? {
                    let offset = setup.offset(place);
                    let value = AttributePlane::bits(plane.at(offset));
                    assert_eq!(value, expected.at(&perspective.place(place)), "{plane:?} {offset:?}");
                }
            }
            Ok(())
        });
        assert!(found > 100, "{found}");
    }

    #[test]
    fn depth_is_rounded_clamped_and_offset() {
        let corner = |x: i64, y: i64| Point { x: x * 12, y: y * 12 };
        let setup = PrimitiveSetup::triangle(GRID, [corner(0, 0), corner(8, 0), corner(0, 8)]).unwrap();
        let plane = DepthPlane::new(&setup, [0.0, 8.0, -16.0]);
        let at = |plane: &DepthPlane, x, y| plane.at(setup.offset(GRID.pixel_centre(x, y)), 5);
        assert_eq!(at(&plane, 4, 0), 4, "4.5 - 1 is a half");
        assert_eq!(at(&plane, 0, 4), 0);
        assert_eq!(at(&plane, 9, 0), 5);
        assert_eq!(plane.slope(), 2.0 / 12.0);
        assert_eq!(at(&plane.with_offset(-12.0, 1.0), 4, 0), 3);
        assert_eq!(at(&DepthPlane::constant(2.5), 0, 0), 3);
    }

    #[test]
    fn lines_change_along_the_major_axis_only() {
        for (to, along) in [((1200, 600), true), ((600, -1200), false)] {
            let (from, to) = (Point { x: 0, y: 0 }, Point { x: to.0, y: to.1 });
            let setup = PrimitiveSetup::line(GRID, [from, to]).unwrap();
            let plane = setup.plane([10.0, 20.0, 10.0]);
            assert_eq!((plane.dx, plane.dy), if along { (0.1, 0.0) } else { (0.0, -0.1) });
        }
        assert!(PrimitiveSetup::line(GRID, [Point::default(); 2]).is_none());
    }
}
