//! Triangles between two rows of points.

use super::subdivision::{FINEST, Subdivision, rank};

/// A row of points: a side of a ring, or the points in the middle. The numbers of its points go on, but for the last one, which
/// may be any: the last side of a ring ends at the ring's first point.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Number of the first point.
    pub first: u32,
    /// Points but the last.
    pub segments: u32,
    /// Number of the last point.
    pub last: u32,
    /// The row is walked from its last point.
    pub is_reversed: bool,
}

impl Row {
    /// A row from its first point on.
    pub fn new(first: u32, segments: u32, last: u32) -> Self {
        Row { first, segments, last, is_reversed: false }
    }

    /// One point.
    pub fn point(point: u32) -> Self {
        Row::new(point, 0, point)
    }

    /// The same row, from its other end.
    pub fn reversed(self) -> Self {
        Row { is_reversed: !self.is_reversed, ..self }
    }

    fn at(&self, point: u32) -> u32 {
        let point = if self.is_reversed { self.segments - point } else { point };
        if point == self.segments { self.last } else { self.first + point }
    }
}

/// Triangles, three points each. They go counterclockwise if rows do, seen from the inside of their ring.
#[derive(Debug, Default)]
pub struct Triangles(pub Vec<u32>);

impl Triangles {
    /// A triangle.
    pub fn push(&mut self, triangle: [u32; 3]) {
        self.0.extend(triangle);
    }

    /// The strip between an edge of the domain and the outermost row inside, whose levels differ. `edge` and `inside` are the
    /// subdivisions of the edge and of the inside; the inner row has the points of the latter, but the first and the last.
    pub fn transition(&mut self, outer: &Row, inner: &Row, edge: &Subdivision, inside: &Subdivision) {
        let mut walk = Walk::new(self, outer, inner);
        let has_outer = |point| rank(point) < edge.half();
        let has_inner = |point| point > 0 && rank(point) < inside.half();
        for point in 0..FINEST {
            if has_inner(point) {
                walk.along_inner();
            }
            if has_outer(point) {
                walk.along_outer();
            }
        }
        if inside.is_odd() {
            walk.along_inner();
        }
        if edge.is_odd() {
            walk.along_outer_from_inner();
        }
        for point in (0..FINEST).rev() {
            if has_outer(point) {
                walk.along_outer();
            }
            if has_inner(point) {
                walk.along_inner();
            }
        }
    }

    /// The strip between two rings of the inside: the inner row has two points fewer. Its diagonals are mirrored at its middle.
    pub fn trapezoid(&mut self, outer: &Row, inner: &Row) {
        let mut walk = Walk::new(self, outer, inner);
        walk.along_outer();
        for segment in 0..inner.segments {
            if segment < inner.segments.div_ceil(2) {
                walk.along_inner_from_outer();
                walk.along_outer();
            } else {
                walk.along_outer_from_inner();
                walk.along_inner();
            }
        }
        walk.along_outer();
    }

    /// Quads between two rows of equally many points.
    pub fn quads(&mut self, outer: &Row, inner: &Row) {
        let mut walk = Walk::new(self, outer, inner);
        for _ in 0..outer.segments {
            walk.along_outer_from_inner();
            walk.along_inner();
        }
    }

    /// The same with other diagonals, and the one of the middle quad turned: for an odd number of quads.
    pub fn turned_quads(&mut self, outer: &Row, inner: &Row) {
        let mut walk = Walk::new(self, outer, inner);
        for segment in 0..outer.segments {
            if segment == outer.segments / 2 {
                walk.along_inner_from_outer();
                walk.along_outer();
            } else {
                walk.along_outer();
                walk.along_inner();
            }
        }
    }
}

/// The way along an outer and an inner row.
struct Walk<'a> {
    triangles: &'a mut Triangles,
    outer: Steps<'a>,
    inner: Steps<'a>,
}

/// Where a walk is on a row.
struct Steps<'a> {
    row: &'a Row,
    taken: u32,
    here: u32,
}

impl<'a> Steps<'a> {
    fn new(row: &'a Row) -> Self {
        Steps { row, taken: 0, here: row.at(0) }
    }

    /// Goes to the next point. Gives the point before and that point.
    fn step(&mut self) -> [u32; 2] {
        let before = self.here;
        self.taken += 1;
        self.here = self.row.at(self.taken);
        [before, self.here]
    }
}

impl<'a> Walk<'a> {
    fn new(triangles: &'a mut Triangles, outer: &'a Row, inner: &'a Row) -> Self {
        Walk { triangles, outer: Steps::new(outer), inner: Steps::new(inner) }
    }

    /// A triangle on the next outer segment. It starts with that.
    fn along_outer(&mut self) {
        let [before, next] = self.outer.step();
        self.triangles.push([before, next, self.inner.here]);
    }

    /// The same triangle, starting at its inner point.
    fn along_outer_from_inner(&mut self) {
        let [before, next] = self.outer.step();
        self.triangles.push([self.inner.here, before, next]);
    }

    /// A triangle on the next inner segment. It starts at the first point of that.
    fn along_inner(&mut self) {
        let [before, next] = self.inner.step();
        self.triangles.push([before, self.outer.here, next]);
    }

    /// The same triangle, starting at its outer point.
    fn along_inner_from_outer(&mut self) {
        let [before, next] = self.inner.step();
        self.triangles.push([self.outer.here, next, before]);
    }
}
