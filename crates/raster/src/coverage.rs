//! Which samples a convex shape covers, exactly: edge functions in integers, and rules for samples on an edge.

use crate::grid::{Grid, Point, Rect};
use std::ops::Range;

/// Corners that a [`ConvexPolygon`] has at most.
pub const MAX_CORNERS: usize = 4;
/// Samples that a pixel has at most.
pub const MAX_SAMPLES: usize = 8;
/// Coordinates of a [`ConvexPolygon`], in sub-pixels, are of at most this magnitude. Then edge functions fit in 64 bits.
pub const LIMIT: i64 = 1 << 29;

/// Which edges count as top and bottom, and which as left and right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeOrientation {
    /// Only horizontal edges are top or bottom; all others are left or right.
    XMajor,
    /// Only vertical edges are left or right; all others are top or bottom.
    YMajor,
}

/// Whether a sample exactly on an edge is inside, by the side of the shape that the edge is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgeRule {
    /// What side an edge is on.
    pub orientation: EdgeOrientation,
    /// Samples on left edges (the inside is to their right) are inside.
    pub left: bool,
    /// Samples on right edges are inside.
    pub right: bool,
    /// Samples on top edges (the inside is below them) are inside.
    pub top: bool,
    /// Samples on bottom edges are inside.
    pub bottom: bool,
}

impl EdgeRule {
    /// Left and top edges are inside, right and bottom ones are not: shapes that share an edge share no sample.
    pub const TOP_LEFT: EdgeRule =
        EdgeRule { orientation: EdgeOrientation::XMajor, left: true, right: false, top: true, bottom: false };

    /// Whether samples on an edge in direction (`dx`, `dy`), with the inside clockwise of it (y downwards), are inside.
    #[inline]
    fn includes(self, dx: i64, dy: i64) -> bool {
        let sideways = if dy < 0 { self.left } else { self.right };
        let upright = if dx > 0 { self.top } else { self.bottom };
        match self.orientation {
            EdgeOrientation::XMajor => {
                if dy != 0 {
                    sideways
                } else {
                    upright
                }
            }
            EdgeOrientation::YMajor => {
                if dx != 0 {
                    upright
                } else {
                    sideways
                }
            }
        }
    }
}

/// A half plane: the points with a * x + b * y + c >= 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge {
    pub(crate) a: i32,
    pub(crate) b: i32,
    pub(crate) c: i64,
}

impl Edge {
    #[inline(always)]
    fn a(&self) -> i64 {
        self.a.into()
    }

    #[inline(always)]
    fn b(&self) -> i64 {
        self.b.into()
    }
}

/// A convex polygon with area.
#[derive(Clone, Debug)]
pub struct ConvexPolygon {
    edges: [Edge; MAX_CORNERS],
    count: usize,
    low: Point,
    high: Point,
}

impl ConvexPolygon {
    /// The convex polygon with these corners in order, of any winding. `None` if its area is 0, or if it has more than [`MAX_CORNERS`]
    /// corners or one beyond [`LIMIT`].
    #[inline]
    pub fn new(points: &[Point], rule: EdgeRule) -> Option<ConvexPolygon> {
        match *points {
            [a, b, c] => ConvexPolygon::of([a, b, c], rule),
            [a, b, c, d] => ConvexPolygon::of([a, b, c, d], rule),
            _ => None,
        }
    }

    /// The same for so many corners.
    #[inline(always)]
    fn of<const CORNERS: usize>(points: [Point; CORNERS], rule: EdgeRule) -> Option<ConvexPolygon> {
        let first = points[0];
        let (mut low, mut high) = (first, first);
        let mut area = 0;
        for point in &points[1..] {
            low = Point { x: low.x.min(point.x), y: low.y.min(point.y) };
            high = Point { x: high.x.max(point.x), y: high.y.max(point.y) };
        }
        if low.x < -LIMIT || low.y < -LIMIT || high.x > LIMIT || high.y > LIMIT {
            return None;
        }
        for n in 2..CORNERS {
            area += cross(first, points[n - 1], points[n]);
        }
        if area == 0 {
            return None;
        }
        let mut shape = ConvexPolygon { edges: [Edge::default(); MAX_CORNERS], count: 0, low, high };
        for n in 0..CORNERS {
            let (point, next) = (points[n], points[(n + 1) % CORNERS]);
            let (from, to) = if area > 0 { (point, next) } else { (next, point) };
            let (dx, dy) = (to.x - from.x, to.y - from.y);
            if (dx, dy) != (0, 0) {
                // Coordinates are within [`LIMIT`], so that differences have no more than 31 bits.
                let on_edge = i64::from(!rule.includes(dx, dy));
                shape.edges[shape.count] = Edge { a: -dy as i32, b: dx as i32, c: dy * from.x - dx * from.y - on_edge };
                shape.count += 1;
            }
        }
        Some(shape)
    }

    /// The corners' least and greatest coordinates.
    #[inline]
    pub fn bounds(&self) -> (Point, Point) {
        (self.low, self.high)
    }

    #[inline]
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges[..self.count]
    }
}

/// Twice the area of a triangle; positive if its corners go around clockwise (y downwards).
#[inline]
pub fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)
}

/// A square of two by two pixels of which at least one sample is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quad {
    /// Column of the left pixels: even.
    pub x: u32,
    /// Row of the upper pixels: even.
    pub y: u32,
    /// Bit s: sample s is covered; of the upper left, upper right, lower left and lower right pixel.
    pub coverage: [u8; 4],
}

/// The pixels of a quad, in the order of [`Quad::coverage`].
pub const QUAD_PIXELS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// The edge functions of a shape at one row of quads.
struct Row {
    /// Of each edge: its value at the origin of the pixel in column 0.
    start: [i64; MAX_CORNERS],
    /// Quads with a left column from `first` to `last` may have covered samples; those from `inner_first` to `inner_last` have no others.
    first: i64,
    last: i64,
    inner_first: i64,
    inner_last: i64,
}

/// What coverage needs to know of a shape and a pattern of samples.
struct Steps<'a> {
    edges: &'a [Edge],
    per_pixel: i64,
    samples: usize,
    /// Of each edge: what a sample adds to the value at its pixel's origin.
    offset: [[i64; MAX_SAMPLES]; MAX_CORNERS],
    /// Of each edge: the least and the greatest that a sample of a quad adds to the value at the quad's origin.
    least: [i64; MAX_CORNERS],
    greatest: [i64; MAX_CORNERS],
}

impl<'a> Steps<'a> {
    fn new(shape: &'a ConvexPolygon, per_pixel: i64, samples: &[Point]) -> Self {
        let samples = &samples[..samples.len().min(MAX_SAMPLES)];
        let mut steps = Steps {
            edges: shape.edges(),
            per_pixel,
            samples: samples.len(),
            offset: [[0; MAX_SAMPLES]; MAX_CORNERS],
            least: [0; MAX_CORNERS],
            greatest: [0; MAX_CORNERS],
        };
        for (n, edge) in steps.edges.iter().enumerate() {
            let (mut least, mut greatest) = (i64::MAX, i64::MIN);
            for (s, sample) in samples.iter().enumerate() {
                let offset = edge.a() * sample.x + edge.b() * sample.y;
                steps.offset[n][s] = offset;
                (least, greatest) = (least.min(offset), greatest.max(offset));
            }
            let (right, down) = (edge.a() * per_pixel, edge.b() * per_pixel);
            steps.least[n] = least.saturating_add(right.min(0) + down.min(0));
            steps.greatest[n] = greatest.saturating_add(right.max(0) + down.max(0));
        }
        steps
    }

    /// The row of quads whose upper pixels are in row `y`, from column `first` to column `last`.
    fn row(&self, y: i64, first: i64, last: i64) -> Row {
        let mut row = Row { start: [0; MAX_CORNERS], first, last, inner_first: first, inner_last: last };
        for (n, edge) in self.edges.iter().enumerate() {
            let start = edge.b() * y * self.per_pixel + edge.c;
            row.start[n] = start;
            let (outer, inner) = (start + self.greatest[n], start + self.least[n]);
            let step = edge.a() * self.per_pixel;
            match step {
                1.. => {
                    row.first = row.first.max((-outer).div_euclid(step) + i64::from((-outer).rem_euclid(step) != 0));
                    row.inner_first =
                        row.inner_first.max((-inner).div_euclid(step) + i64::from((-inner).rem_euclid(step) != 0));
                }
                0 => {
                    if outer < 0 {
                        row.last = first - 1;
                    }
                    if inner < 0 {
                        row.inner_last = first - 1;
                    }
                }
                _ => {
                    row.last = row.last.min(outer.div_euclid(-step));
                    row.inner_last = row.inner_last.min(inner.div_euclid(-step));
                }
            }
        }
        row
    }

    /// Coverage of the quad with its left pixels in column `x`.
    fn quad(&self, row: &Row, x: i64) -> [u8; 4] {
        let mut coverage = [((1u16 << self.samples) - 1) as u8; 4];
        for (n, edge) in self.edges.iter().enumerate() {
            let (right, down) = (edge.a() * self.per_pixel, edge.b() * self.per_pixel);
            let origin = row.start[n] + x * right;
            for (pixel, value) in [origin, origin + right, origin + down, origin + right + down].into_iter().enumerate()
            {
                let offsets = &self.offset[n][..self.samples];
                let inside = offsets.iter().rev().fold(0, |bits, offset| bits << 1 | u8::from(value + offset >= 0));
                coverage[pixel] &= inside;
            }
        }
        coverage
    }
}

/// Calls `emit` for each quad of which `shape` covers a sample of a pixel inside of `clip`, row by row from the top, in a row from the
/// left. `samples` are 1 to [`MAX_SAMPLES`] places inside of a pixel, in sub-pixels from its upper left corner. Pixels outside of `clip`
/// are not covered.
#[inline]
pub fn quads(grid: Grid, shape: &ConvexPolygon, clip: &Rect, samples: &[Point], mut emit: impl FnMut(Quad)) {
    let per_pixel = grid.per_pixel;
    let pixel = |sub_pixel: i64| sub_pixel.div_euclid(per_pixel);
    let first = pixel(shape.low.x).max(i64::from(clip.left)) & !1;
    let last = pixel(shape.high.x).min(i64::from(clip.right) - 1);
    let top = pixel(shape.low.y).max(i64::from(clip.top)) & !1;
    let bottom = pixel(shape.high.y).min(i64::from(clip.bottom) - 1);
    if first > last || top > bottom || samples.is_empty() {
        return;
    }
    let steps = Steps::new(shape, per_pixel, samples);
    let full = [((1u16 << steps.samples) - 1) as u8; 4];
    for y in (top..=bottom).step_by(2) {
        let row = steps.row(y, first, last);
        // Columns of quads are even: the first one at or after, the last one at or before.
        let mut x = (row.first + 1) & !1;
        while x <= row.last {
            let mut coverage = if row.inner_first <= x && x <= row.inner_last { full } else { steps.quad(&row, x) };
            let (column, line) = (x as u32, y as u32);
            if !(clip.contains(column, line) && clip.contains(column + 1, line + 1)) {
                for (coverage, (dx, dy)) in coverage.iter_mut().zip(QUAD_PIXELS) {
                    if !clip.contains(column + dx, line + dy) {
                        *coverage = 0;
                    }
                }
            }
            if coverage != [0; 4] {
                emit(Quad { x: column, y: line, coverage });
            }
            x += 2;
        }
    }
}

/// The pixels of a rectangle that have one of the places between a shape's corners.
#[inline]
pub fn area(grid: Grid, shape: &ConvexPolygon, clip: Rect) -> Rect {
    // Coordinates of shapes have 30 bits.
    let pixel = |sub_pixel: i64| sub_pixel.max(0) as u32 / grid.per_pixel as u32;
    let (low, high) = (shape.low, shape.high);
    let (left, top) = (pixel(low.x), pixel(low.y));
    let right = if high.x < 0 { 0 } else { pixel(high.x) + 1 };
    let bottom = if high.y < 0 { 0 } else { pixel(high.y) + 1 };
    Rect { left, top, right, bottom }.intersection(clip)
}

/// The columns and rows of pixels, first and last, in which a shape may cover pixels inside of a rectangle.
#[inline(always)]
pub(crate) fn extent(grid: Grid, shape: &ConvexPolygon, clip: &Rect) -> ((i64, i64), (i64, i64)) {
    let pixel = |sub_pixel: i64| sub_pixel.div_euclid(grid.per_pixel);
    let (low, high) = (shape.low, shape.high);
    let columns = (pixel(low.x).max(i64::from(clip.left)), pixel(high.x).min(i64::from(clip.right) - 1));
    let rows = (pixel(low.y).max(i64::from(clip.top)), pixel(high.y).min(i64::from(clip.bottom) - 1));
    (columns, rows)
}

/// Crossings that are followed together. The first half are bounds on the left, the others on the right.
const CROSSINGS: usize = 4;
/// Those of a side. A triangle has no more.
const SIDE: usize = CROSSINGS / 2;

/// Where edges cross the rows of pixels, row by row: a bound is the quotient of two integers, of which the first changes by the same from row to
/// row. On the left it is the first column that may be covered; on the right the last one, with the other sign, so that all are calculated alike.
#[derive(Clone, Copy)]
struct Crossings {
    /// Rounded down, and what is left.
    quotients: [i64; CROSSINGS],
    rests: [i64; CROSSINGS],
    divisors: [i64; CROSSINGS],
    /// What is added for each row, and what is left of that.
    quotient_steps: [i64; CROSSINGS],
    rest_steps: [i64; CROSSINGS],
}

impl Crossings {
    /// These columns in all rows.
    fn of((first, last): (i64, i64)) -> Self {
        let none = [0; CROSSINGS];
        let quotients = std::array::from_fn(|n| if n < SIDE { first } else { -last });
        Crossings { quotients, rests: none, divisors: [1; CROSSINGS], quotient_steps: none, rest_steps: none }
    }

    /// Sets one to an edge that is not horizontal, at samples of this place inside of pixels, from row `y` on.
    #[inline(always)]
    fn set(&mut self, number: usize, edge: &Edge, grid: Grid, place: Point, y: i64) {
        // Covered is edge.a() * per_pixel * x + rest >= 0.
        let rest = edge.a() * place.x + edge.b() * (y * grid.per_pixel + place.y) + edge.c;
        let divisor = (edge.a() * grid.per_pixel).abs();
        (self.quotients[number], self.rests[number]) = divided(divisor - 1 - rest, divisor);
        (self.quotient_steps[number], self.rest_steps[number]) = divided(-edge.b() * grid.per_pixel, divisor);
        self.divisors[number] = divisor;
    }

    /// The bounds in this row. Goes to the next one, without conditions, which no processor foresees.
    #[inline(always)]
    fn next(&mut self) -> [i64; CROSSINGS] {
        let bounds = self.quotients;
        for n in 0..CROSSINGS {
            let over = self.rests[n] + self.rest_steps[n] - self.divisors[n];
            // All bits if there is no carry, else none.
            let none = over >> (i64::BITS - 1);
            self.rests[n] = over + (self.divisors[n] & none);
            self.quotients[n] += self.quotient_steps[n] + 1 + none;
        }
        bounds
    }
}

/// The quotient of a number by a positive one, rounded down, and what is left.
#[inline(always)]
fn divided(number: i64, divisor: i64) -> (i64, i64) {
    let (quotient, rest) = (number / divisor, number % divisor);
    let below = rest >> (i64::BITS - 1);
    (quotient + below, rest + (divisor & below))
}

/// The columns of the pixels whose sample a shape covers, row by row: of a convex shape they are neighbours.
struct Rows {
    /// Those that it may cover.
    columns: (i64, i64),
    crossings: Crossings,
    /// The other edges, if one side has more.
    others: Option<Crossings>,
    /// The next row, and the last one.
    y: i64,
    bottom: i64,
}

impl Rows {
    /// Of the samples at this place inside of pixels.
    fn new(grid: Grid, shape: &ConvexPolygon, clip: &Rect, place: Point) -> Self {
        let (columns, (mut top, mut bottom)) = extent(grid, shape, clip);
        for edge in shape.edges().iter().filter(|edge| edge.a == 0) {
            // Covered is edge.b() * per_pixel * y + rest >= 0.
            let (rest, step) = (edge.b() * place.y + edge.c, edge.b() * grid.per_pixel);
            match step > 0 {
                true => top = top.max(-rest.div_euclid(step)),
                false => bottom = bottom.min(rest.div_euclid(-step)),
            }
        }
        let (mut crossings, mut others) = (Crossings::of(columns), None);
        let mut counts = [0; 2];
        for edge in shape.edges().iter().filter(|edge| edge.a != 0) {
            let side = usize::from(edge.a < 0);
            let number = SIDE * side + counts[side] % SIDE;
            match counts[side] < SIDE {
                true => crossings.set(number, edge, grid, place, top),
                false => others.get_or_insert(Crossings::of(columns)).set(number, edge, grid, place, top),
            }
            counts[side] += 1;
        }
        Rows { columns, crossings, others, y: top, bottom }
    }

    /// The columns of the next row.
    #[inline(always)]
    fn next(&mut self) -> Range<u32> {
        let (mut first, mut last) = (self.columns.0, -self.columns.1);
        let mut narrow = |bounds: [i64; CROSSINGS]| {
            for n in 0..SIDE {
                first = first.max(bounds[n]);
                last = last.max(bounds[SIDE + n]);
            }
        };
        narrow(self.crossings.next());
        if let Some(others) = &mut self.others {
            narrow(others.next());
        }
        self.y += 1;
        if first <= -last { first as u32..(1 - last) as u32 } else { 0..0 }
    }
}

/// Calls `emit` for each row in which `shape` covers the sample at `place` of some pixel inside of `clip`, from the top, with these
/// columns.
pub fn spans(grid: Grid, shape: &ConvexPolygon, clip: &Rect, place: Point, mut emit: impl FnMut(u32, Range<u32>)) {
    let mut rows = Rows::new(grid, shape, clip, place);
    while rows.y <= rows.bottom {
        let y = rows.y;
        let span = rows.next();
        if !span.is_empty() {
            emit(y as u32, span);
        }
    }
}

/// The rows of quads in which `shape` covers the sample at `place` of some pixel inside of `clip`, from the top: the upper row, which is
/// even, and the columns in both.
#[inline(always)]
pub fn quad_spans(grid: Grid, shape: &ConvexPolygon, clip: &Rect, place: Point) -> QuadSpans {
    QuadSpans(Rows::new(grid, shape, clip, place))
}

/// Rows of quads that a shape covers.
pub struct QuadSpans(Rows);

impl Iterator for QuadSpans {
    type Item = (u32, [Range<u32>; 2]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let rows = &mut self.0;
        while rows.y <= rows.bottom {
            let upper = rows.y & !1;
            let first = if rows.y == upper { rows.next() } else { 0..0 };
            let second = if rows.y <= rows.bottom { rows.next() } else { 0..0 };
            if !(first.is_empty() && second.is_empty()) {
                return Some((upper as u32, [first, second]));
            }
        }
        None
    }
}

/// The pixels inside of `clip` that have their sample (one for each pixel, at this place) inside of a shape whose edges all run along x or
/// y; `None` for other shapes.
pub fn rectangle(grid: Grid, shape: &ConvexPolygon, clip: &Rect, sample: Point) -> Option<Rect> {
    let (mut left, mut top) = (i64::from(clip.left), i64::from(clip.top));
    let (mut right, mut bottom) = (i64::from(clip.right), i64::from(clip.bottom));
    for edge in shape.edges() {
        let (first, end, slope, place) = match (edge.a(), edge.b()) {
            (slope, 0) => (&mut left, &mut right, slope, sample.x),
            (0, slope) => (&mut top, &mut bottom, slope, sample.y),
            _ => return None,
        };
        // slope * (per_pixel * pixel + place) + c >= 0
        let (step, rest) = (slope * grid.per_pixel, slope * place + edge.c);
        if step > 0 {
            *first = (*first).max(-rest.div_euclid(step));
        } else {
            *end = (*end).min(rest.div_euclid(-step) + 1);
        }
    }
    let pixel = |value: i64| value.max(0) as u32;
    Some(Rect { left: pixel(left), top: pixel(top), right: pixel(right), bottom: pixel(bottom) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_cases::{Result, Unstructured};
    use std::collections::BTreeMap;

    const GRID: Grid = Grid { per_pixel: 12 };
    const CENTRE: [Point; 1] = [Point { x: 6, y: 6 }];
    const SIX: [Point; 6] = [
        Point { x: 3, y: 1 },
        Point { x: 7, y: 3 },
        Point { x: 11, y: 5 },
        Point { x: 1, y: 7 },
        Point { x: 5, y: 9 },
        Point { x: 9, y: 10 },
    ];

    fn point(x: i64, y: i64) -> Point {
        Point { x, y }
    }

    fn collect(shape: &ConvexPolygon, clip: &Rect, samples: &[Point]) -> BTreeMap<(u32, u32), u8> {
        let mut pixels = BTreeMap::new();
        let mut last = None;
        quads(GRID, shape, clip, samples, |quad| {
            assert!(quad.x % 2 == 0 && quad.y % 2 == 0 && quad.coverage != [0; 4]);
            assert!(last < Some((quad.y, quad.x)), "rows from the top, in each from the left");
            last = Some((quad.y, quad.x));
            for (coverage, (dx, dy)) in quad.coverage.into_iter().zip(QUAD_PIXELS) {
                if coverage != 0 {
                    pixels.insert((quad.x + dx, quad.y + dy), coverage);
                }
            }
        });
        pixels
    }

    /// Whether the shape has the sample, in another way: where a horizontal line through the sample crosses the edges, as fractions. A
    /// sample on the boundary is looked up in the rule by moving it a little: to the inside of each edge that it lies on.
    fn has(corners: &[Point], rule: EdgeRule, sample: Point) -> bool {
        let mut on = Vec::new();
        let count = corners.len();
        for n in 0..count {
            let (a, b) = (corners[n], corners[(n + 1) % count]);
            let between = |v: i64, a: i64, b: i64| a.min(b) <= v && v <= a.max(b);
            if a != b && cross(a, b, sample) == 0 && between(sample.x, a.x, b.x) && between(sample.y, a.y, b.y) {
                on.push((a, b));
            }
        }
        let middle = |f: fn(&Point) -> i64| corners.iter().map(f).sum::<i64>();
        let (x, y) = (middle(|corner| corner.x), middle(|corner| corner.y));
        if !on.is_empty() {
            let n = count as i64;
            return on.into_iter().all(|(a, b)| {
                let horizontal = a.y == b.y;
                let vertical = a.x == b.x;
                // The corners' mean is inside: compared with the edge's place at the same height or in the same column.
                let (dx, dy) = (i128::from(b.x - a.x), i128::from(b.y - a.y));
                let (mx, my) = (i128::from(x - n * a.x), i128::from(y - n * a.y));
                let is_left = if horizontal { false } else { mx * dy * dy.signum() > my * dx * dy.signum() };
                let is_top = if vertical { false } else { my * dx * dx.signum() > mx * dy * dx.signum() };
                let sideways = if is_left { rule.left } else { rule.right };
                let upright = if is_top { rule.top } else { rule.bottom };
                match rule.orientation {
                    EdgeOrientation::XMajor => {
                        if horizontal {
                            upright
                        } else {
                            sideways
                        }
                    }
                    EdgeOrientation::YMajor => {
                        if vertical {
                            sideways
                        } else {
                            upright
                        }
                    }
                }
            });
        }
        // An odd number of edges crosses the ray to the right.
        let crossings = (0..count).filter(|&n| {
            let (a, b) = (corners[n], corners[(n + 1) % count]);
            let (up, down) = if a.y < b.y { (a, b) } else { (b, a) };
            let at = |s: Point| {
                i128::from(up.x) * i128::from(down.y - up.y) + i128::from(s.y - up.y) * i128::from(down.x - up.x)
                    > i128::from(s.x) * i128::from(down.y - up.y)
            };
            up.y <= sample.y && sample.y < down.y && at(sample)
        });
        crossings.count() % 2 == 1
    }

    fn expected(corners: &[Point], rule: EdgeRule, clip: &Rect, samples: &[Point]) -> BTreeMap<(u32, u32), u8> {
        let mut pixels = BTreeMap::new();
        for y in clip.top..clip.bottom {
            for x in clip.left..clip.right {
                let inside = |s: &Point| has(corners, rule, point(i64::from(x) * 12 + s.x, i64::from(y) * 12 + s.y));
                let coverage = samples.iter().enumerate().fold(0, |bits, (n, s)| bits | u8::from(inside(s)) << n);
                if coverage != 0 {
                    pixels.insert((x, y), coverage);
                }
            }
        }
        pixels
    }

    fn rule(u: &mut Unstructured) -> Result<EdgeRule> {
        let orientation = if u.arbitrary()? { EdgeOrientation::XMajor } else { EdgeOrientation::YMajor };
        Ok(EdgeRule {
            orientation,
            left: u.arbitrary()?,
            right: u.arbitrary()?,
            top: u.arbitrary()?,
            bottom: u.arbitrary()?,
        })
    }

    #[test]
    fn coverage_is_that_of_a_point_in_polygon_test() {
        ctm_cases::check(3000, |u| {
            let rule = rule(u)?;
            // Coordinates in half pixels, so that edges often run through samples; some beyond the clip rectangle.
            let scale = *u.choose(&[1, 2, 3, 6])?;
            let mut coordinate = || Ok::<_, ctm_cases::Error>(u.int_in_range(-24..=24 * 12)? / scale * scale);
            let (a, b, c) = (
                point(coordinate()?, coordinate()?),
                point(coordinate()?, coordinate()?),
                point(coordinate()?, coordinate()?),
            );
            // A parallelogram is convex.
            let d = point(a.x + c.x - b.x, a.y + c.y - b.y);
            // One with three edges on one side.
            let (mut x, mut y) = ([a.x, b.x], [a.y, b.y, c.y, d.y]);
            x.sort();
            y.sort();
            let [near, far] = if u.arbitrary()? { x } else { [x[1], x[0]] };
            let trapezoid = [point(near, y[0]), point(near, y[3]), point(far, y[2]), point(far, y[1])];
            let corners: &[Point] = match u.int_in_range(0..=2)? {
                0 => &[a, b, c],
                1 => &[a, b, c, d],
                _ => &trapezoid,
            };
            let clip = Rect {
                left: u.int_in_range(0..=3)?,
                top: u.int_in_range(0..=3)?,
                right: u.int_in_range(0..=22)?,
                bottom: u.int_in_range(0..=22)?,
            };
            let samples: &[Point] = if u.arbitrary()? { &CENTRE } else { &SIX };
            let Some(shape) = ConvexPolygon::new(corners, rule) else {
                assert_eq!(cross(corners[0], corners[1], corners[2]), 0);
                return Ok(());
            };
            assert_eq!(
                collect(&shape, &clip, samples),
                expected(corners, rule, &clip, samples),
                "{corners:?} {rule:?}"
            );
            let mut spans_cover = BTreeMap::new();
            spans(GRID, &shape, &clip, samples[0], |y, columns| {
                spans_cover.extend(columns.map(|x| ((x, y), 1)));
            });
            let expected = expected(corners, rule, &clip, &samples[..1]);
            assert_eq!(spans_cover, expected, "{corners:?} {rule:?}");
            let mut quads_cover = BTreeMap::new();
            for (y, rows) in quad_spans(GRID, &shape, &clip, samples[0]) {
                assert!(y % 2 == 0 && rows != [0..0, 0..0]);
                for (y, columns) in (y..).zip(rows) {
                    quads_cover.extend(columns.map(|x| ((x, y), 1)));
                }
            }
            assert_eq!(quads_cover, expected, "{corners:?} {rule:?}");
            Ok(())
        });
    }

    #[test]
    fn shapes_that_share_edges_share_no_sample() {
        ctm_cases::check(1000, |u| {
            let mut coordinate = || u.int_in_range(0..=40).map(|v| v * 6);
            let corners =
                [point(0, 0), point(240, 0), point(240, 240), point(0, 240), point(coordinate()?, coordinate()?)];
            let clip = Rect { left: 0, top: 0, right: 64, bottom: 64 };
            let mut pixels = BTreeMap::new();
            for n in 0..4 {
                if let Some(shape) =
                    ConvexPolygon::new(&[corners[n], corners[(n + 1) % 4], corners[4]], EdgeRule::TOP_LEFT)
                {
                    for (place, coverage) in collect(&shape, &clip, &SIX) {
                        let all: &mut u8 = pixels.entry(place).or_default();
                        assert_eq!(*all & coverage, 0, "{place:?} twice");
                        *all |= coverage;
                    }
                }
            }
            assert_eq!(pixels.len(), 400);
            assert!(pixels.values().all(|&coverage| coverage == 0x3F));
            Ok(())
        });
    }

    #[test]
    fn rectangles_are_the_pixels_of_their_quads() {
        ctm_cases::check(4000, |u| {
            let rule = rule(u)?;
            let mut coordinate = || u.int_in_range(-24..=24 * 12);
            let (a, c) = (point(coordinate()?, coordinate()?), point(coordinate()?, coordinate()?));
            let clip = Rect { left: 2, top: 1, right: u.int_in_range(0..=22)?, bottom: u.int_in_range(0..=22)? };
            let corners = [a, point(c.x, a.y), c, point(a.x, c.y)];
            let Some(shape) = ConvexPolygon::new(&corners, rule) else { return Ok(()) };
            let area = rectangle(GRID, &shape, &clip, CENTRE[0]).unwrap();
            let inside = |&(x, y): &(u32, u32)| area.contains(x, y);
            let pixels: Vec<_> = collect(&shape, &clip, &CENTRE).into_keys().collect();
            let expected: Vec<_> = (0..24).flat_map(|x| (0..24).map(move |y| (x, y))).filter(inside).collect();
            assert_eq!(pixels, expected, "{corners:?} {rule:?} {area:?}");
            Ok(())
        });
        let triangle = ConvexPolygon::new(&[point(0, 0), point(24, 0), point(0, 24)], EdgeRule::TOP_LEFT).unwrap();
        assert_eq!(rectangle(GRID, &triangle, &Rect { left: 0, top: 0, right: 9, bottom: 9 }, CENTRE[0]), None);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let (low, high) = (-LIMIT, LIMIT);
        let corners = [point(low, low), point(high, low), point(high, high), point(low, high)];
        let clip = Rect { left: 1, top: 1, right: 4, bottom: 4 };
        let shape = ConvexPolygon::new(&corners, EdgeRule::TOP_LEFT).unwrap();
        assert_eq!(collect(&shape, &clip, &CENTRE).len(), 9);
        let shape = ConvexPolygon::new(&[corners[0], corners[2], corners[3]], EdgeRule::TOP_LEFT).unwrap();
        assert_eq!(collect(&shape, &clip, &CENTRE).len(), 3, "the pixels below the diagonal, which is a right edge");
        assert!(ConvexPolygon::new(&[point(LIMIT + 1, 0), corners[0], corners[1]], EdgeRule::TOP_LEFT).is_none());
        assert!(ConvexPolygon::new(&[], EdgeRule::TOP_LEFT).is_none());
    }
}
