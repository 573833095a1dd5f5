//! Primitives: which vertices belong to which.

use super::assembled::Outline;
use std::fmt;
use std::ops::Range;

/// Most vertices of a patch (OpenGL, MAX_PATCH_VERTICES).
pub const MAX_PATCH_VERTICES: u32 = 32;

named! {
    /// What vertices are drawn as. Names are those of OpenGL without `GL_`.
    Primitive:
    /// Every vertex.
    Points "points",
    /// Every two vertices.
    Lines "lines",
    /// From each vertex to the next.
    LineStrip "line_strip",
    /// From each vertex to the next, and from the last to the first.
    LineLoop "line_loop",
    /// Every three vertices.
    Triangles "triangles",
    /// Each vertex with the two before.
    TriangleStrip "triangle_strip",
    /// Each vertex with the one before and the first.
    TriangleFan "triangle_fan",
    /// Every four vertices: a line with a neighbour at either end.
    LinesAdjacency "lines_adjacency",
    /// A line strip with a neighbour at either end.
    LineStripAdjacency "line_strip_adjacency",
    /// Every six vertices: a triangle with a neighbour at each side.
    TrianglesAdjacency "triangles_adjacency",
    /// A triangle strip on every second vertex, the others being neighbours.
    TriangleStripAdjacency "triangle_strip_adjacency",
    /// Patches of so many vertices as the draw says.
    Patches "patches",
    /// Every four vertices, as two triangles.
    Quads "quads",
    /// Every two vertices with the two before, as two triangles.
    QuadStrip "quad_strip",
    /// All vertices, as triangles with the first.
    Polygon "polygon",
}

named! {
    /// Which vertex of a primitive provokes: flat attributes are its. Of polygons it is the first one in any case.
    Provoking:
    /// The last one.
    Last "last",
    /// The first one.
    First "first",
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a primitive is to the rasteriser and to transform feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One vertex.
    Point,
    /// Two vertices.
    Line,
    /// Three vertices.
    Triangle,
}

impl Shape {
    /// Number of vertices.
    pub const fn vertices(self) -> u32 {
        match self {
            Shape::Point => 1,
            Shape::Line => 2,
            Shape::Triangle => 3,
        }
    }
}

/// The vertices that some primitives of a draw have: a range, and perhaps the first vertex of the draw besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub range: Range<u32>,
    pub with_first: bool,
}

impl Window {
    /// Number of vertices.
    #[cfg(test)]
    pub fn count(&self) -> u32 {
        self.range.len() as u32 + u32::from(self.with_first)
    }

    /// The vertex at a place of the window.
    pub fn vertex(&self, place: u32) -> u32 {
        if place < self.range.len() as u32 { self.range.start + place } else { 0 }
    }

    /// The place of a vertex of the window.
    fn place(&self, vertex: u32) -> u32 {
        if self.range.contains(&vertex) { vertex - self.range.start } else { self.range.len() as u32 }
    }
}

impl Primitive {
    /// Vertices of one primitive, neighbours included. `patch` is the size of patches.
    pub const fn vertices(self, patch: u32) -> u32 {
        use Primitive::*;
        match self {
            Points => 1,
            Lines | LineStrip | LineLoop => 2,
            Triangles | TriangleStrip | TriangleFan | Quads | QuadStrip | Polygon => 3,
            LinesAdjacency | LineStripAdjacency => 4,
            TrianglesAdjacency | TriangleStripAdjacency => 6,
            Patches => patch,
        }
    }

    /// What the rasteriser sees, and which vertices of the primitive that are. Patches it cannot see.
    pub const fn shape(self) -> Option<(Shape, &'static [u32])> {
        use Primitive::*;
        match self {
            Points => Some((Shape::Point, &[0])),
            Lines | LineStrip | LineLoop => Some((Shape::Line, &[0, 1])),
            Triangles | TriangleStrip | TriangleFan | Quads | QuadStrip | Polygon => {
                Some((Shape::Triangle, &[0, 1, 2]))
            }
            LinesAdjacency | LineStripAdjacency => Some((Shape::Line, &[1, 2])),
            TrianglesAdjacency | TriangleStripAdjacency => Some((Shape::Triangle, &[0, 2, 4])),
            Patches => None,
        }
    }

    /// Which of the vertices that the rasteriser sees provokes: where it can be, the first or the last of them, so that the primitives of
    /// transform feedback look the same when they are drawn.
    pub const fn provoking(self, provoking: Provoking) -> u32 {
        use Primitive::*;
        match (self, provoking) {
            (Polygon, _) | (_, Provoking::First) => 0,
            (Points | Patches, Provoking::Last) => 0,
            (Lines | LineStrip | LineLoop | LinesAdjacency | LineStripAdjacency, Provoking::Last) => 1,
            (
                Triangles
                | TriangleStrip
                | TriangleFan
                | Quads
                | QuadStrip
                | TrianglesAdjacency
                | TriangleStripAdjacency,
                Provoking::Last,
            ) => 2,
        }
    }

    /// The number that primitive `k` has for programs: the triangles of a quad, or of a polygon, have one.
    pub const fn id(self, k: u32) -> u32 {
        match self.cut_from() {
            Whole::Primitive => k,
            Whole::Quad => k / 2,
            Whole::Polygon => 0,
        }
    }

    /// Number of whole primitives that `n` vertices make, where quads and polygons are as many as they have triangles.
    pub const fn count(self, n: u32, patch: u32) -> u32 {
        use Primitive::*;
        match self {
            Points | Lines | Triangles | LinesAdjacency | TrianglesAdjacency | Patches => n / self.vertices(patch),
            LineStrip => n.saturating_sub(1),
            LineLoop if n < 2 => 0,
            LineLoop => n,
            TriangleStrip | TriangleFan | Polygon => n.saturating_sub(2),
            Quads => n / 4 * 2,
            QuadStrip => (n / 2).saturating_sub(1) * 2,
            LineStripAdjacency => n.saturating_sub(3),
            TriangleStripAdjacency if n < 6 => 0,
            TriangleStripAdjacency => (n - 4) / 2,
        }
    }

    /// The vertices that primitives `some` have, out of a draw of `n` vertices.
    pub(super) fn window(self, some: Range<u32>, n: u32, patch: u32) -> Window {
        use Primitive::*;
        let (start, end) = (some.start, some.end);
        let size = self.vertices(patch);
        let range = match self {
            Points | Lines | Triangles | LinesAdjacency | TrianglesAdjacency | Patches => start * size..end * size,
            Quads => start / 2 * 4..end.div_ceil(2) * 4,
            QuadStrip => start / 2 * 2..end.div_ceil(2) * 2 + 2,
            LineStrip | TriangleStrip | LineStripAdjacency => start..end + size - 1,
            LineLoop => start..(end + 1).min(n),
            TriangleFan | Polygon => start + 1..end + 2,
            TriangleStripAdjacency => (2 * start).saturating_sub(2)..(2 * end + 5).min(n),
        };
        let with_first = match self {
            LineLoop => end == n && start > 0,
            TriangleFan | Polygon => true,
            _ => false,
        };
        Window { range, with_first }
    }

    /// Appends the places in the window of primitive `k`'s vertices, in the order in which geometry programs and transform feedback get
    /// them: in strips, every second triangle has its first two vertices swapped (OpenGL 4.6, sections 10.1 and 13.3), or its last two where
    /// the first one provokes, which of fans is the second one. Quads are cut so that both triangles have the vertex that provokes.
    pub(super) fn assemble(
        self,
        k: u32,
        (n, patch): (u32, u32),
        provoking: Provoking,
        window: &Window,
        places: &mut Vec<u32>,
    ) {
        use Primitive::*;
        let odd = k % 2;
        let mut push = |vertex: u32| places.push(window.place(vertex));
        match self {
            Points | Lines | Triangles | LinesAdjacency | TrianglesAdjacency | Patches => {
                let size = self.vertices(patch);
                (k * size..(k + 1) * size).for_each(push);
            }
            LineStrip => (k..k + 2).for_each(push),
            LineLoop => [k, if k + 1 == n { 0 } else { k + 1 }].into_iter().for_each(push),
            TriangleStrip => match provoking {
                Provoking::Last => [k + odd, k + 1 - odd, k + 2].into_iter().for_each(push),
                Provoking::First => [k, k + 1 + odd, k + 2 - odd].into_iter().for_each(push),
            },
            TriangleFan if provoking == Provoking::First => [k + 1, k + 2, 0].into_iter().for_each(push),
            TriangleFan | Polygon => [0, k + 1, k + 2].into_iter().for_each(push),
            Quads => {
                half_quad([0, 1, 2, 3].map(|corner| k / 2 * 4 + corner), odd, provoking).into_iter().for_each(push)
            }
            QuadStrip => {
                // The last vertex of a strip's quad is the fourth one that comes.
                let corners = match provoking {
                    Provoking::Last => [2, 0, 1, 3],
                    Provoking::First => [0, 1, 3, 2],
                };
                half_quad(corners.map(|corner| k / 2 * 2 + corner), odd, provoking).into_iter().for_each(push);
            }
            LineStripAdjacency => (k..k + 4).for_each(push),
            TriangleStripAdjacency => {
                let first = 2 * k;
                let last = k + 1 == self.count(n, patch);
                // The neighbours at the side of the triangle before, of the triangle after, and at the strip's edge.
                let before = if k == 0 { 1 } else { first - 2 };
                let behind = if last { first + 5 } else { first + 6 };
                let edge = first + 3;
                let vertices = match (odd, provoking) {
                    (0, _) => [first, before, first + 2, behind, first + 4, edge],
                    (_, Provoking::Last) => [first + 2, before, first, edge, first + 4, behind],
                    (_, Provoking::First) => [first, edge, first + 4, behind, first + 2, before],
                };
                vertices.into_iter().for_each(&mut push);
            }
        }
    }

    /// What of the outline of primitive `k` there is; edge flags apart.
    pub(super) fn outline(self, k: u32, n: u32, provoking: Provoking) -> Outline {
        let is_strip = matches!(self, Primitive::LineStrip | Primitive::LineLoop | Primitive::LineStripAdjacency);
        match self.cut_from() {
            Whole::Primitive if is_strip && k > 0 => Outline::continued(),
            Whole::Primitive => Outline::WHOLE,
            Whole::Quad => Outline::of_edges(match (provoking, k % 2) {
                (Provoking::Last, 0) => 0b101,
                (Provoking::Last, _) | (Provoking::First, 0) => 0b011,
                (Provoking::First, _) => 0b110,
            }),
            Whole::Polygon => Outline::of_edges(u8::from(k == 0) | 0b010 | u8::from(k + 3 == n) << 2),
        }
    }

    /// What primitives are cut from.
    const fn cut_from(self) -> Whole {
        use Primitive::*;
        match self {
            Points
            | Lines
            | LineStrip
            | LineLoop
            | Triangles
            | TriangleStrip
            | TriangleFan
            | LinesAdjacency
            | LineStripAdjacency
            | TrianglesAdjacency
            | TriangleStripAdjacency
            | Patches => Whole::Primitive,
            Quads | QuadStrip => Whole::Quad,
            Polygon => Whole::Polygon,
        }
    }

    /// Whether edge flags count (OpenGL 4.6 compatibility profile, section 10.3).
    pub(super) const fn has_edge_flags(self) -> bool {
        matches!(self, Primitive::Triangles | Primitive::Quads | Primitive::Polygon)
    }
}

/// What a primitive is a piece of.
enum Whole {
    /// Itself.
    Primitive,
    Quad,
    Polygon,
}

/// A triangle of the two that a quad is cut into.
fn half_quad([a, b, c, d]: [u32; 4], half: u32, provoking: Provoking) -> [u32; 3] {
    match (provoking, half) {
        (Provoking::Last, 0) => [a, b, d],
        (Provoking::Last, _) => [b, c, d],
        (Provoking::First, 0) => [a, b, c],
        (Provoking::First, _) => [a, c, d],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(primitive: Primitive, k: u32, n: u32, provoking: Provoking, window: &Window) -> Vec<u32> {
        let vertices: Vec<u32> = (0..window.count()).map(|place| window.vertex(place)).collect();
        let mut places = Vec::new();
        primitive.assemble(k, (n, 5), provoking, window, &mut places);
        places.into_iter().map(|place| vertices[place as usize]).collect()
    }

    fn all_with(primitive: Primitive, n: u32, provoking: Provoking) -> Vec<Vec<u32>> {
        let count = primitive.count(n, 5);
        let window = primitive.window(0..count, n, 5);
        (0..count).map(|k| one(primitive, k, n, provoking, &window)).collect()
    }

    fn all(primitive: Primitive, n: u32) -> Vec<Vec<u32>> {
        all_with(primitive, n, Provoking::Last)
    }

    #[test]
    fn primitives_have_the_vertices_of_opengl() {
        use Primitive::*;
        assert_eq!(all(Points, 2), [[0], [1]]);
        assert_eq!(all(Lines, 5), [[0, 1], [2, 3]]);
        assert_eq!(all(LineStrip, 3), [[0, 1], [1, 2]]);
        assert_eq!(all(LineLoop, 3), [[0, 1], [1, 2], [2, 0]]);
        assert_eq!(all(Triangles, 7), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(all(TriangleStrip, 5), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(all(TriangleFan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(all(LinesAdjacency, 8), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(all(LineStripAdjacency, 5), [[0, 1, 2, 3], [1, 2, 3, 4]]);
        assert_eq!(all(TrianglesAdjacency, 6), [[0, 1, 2, 3, 4, 5]]);
        assert_eq!(all(Patches, 11), [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]);
        // The table of OpenGL 4.6, section 10.1.14, one row for each place in a strip.
        assert_eq!(all(TriangleStripAdjacency, 6), [[0, 1, 2, 5, 4, 3]]);
        let four = [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 8], [4, 2, 6, 10, 8, 7], [8, 4, 6, 9, 10, 11]];
        assert_eq!(all(TriangleStripAdjacency, 12), four);
        for &primitive in Primitive::ALL {
            assert!(all(primitive, 0).is_empty(), "{primitive}");
        }
    }

    #[test]
    fn parts_of_a_draw_have_the_vertices_of_the_whole() {
        for &primitive in Primitive::ALL {
            let n = 25;
            let (count, whole) = (primitive.count(n, 5), all(primitive, n));
            for start in 0..count {
                for end in start + 1..=count {
                    let window = primitive.window(start..end, n, 5);
                    let vertices: Vec<u32> = (0..window.count()).map(|place| window.vertex(place)).collect();
                    assert_eq!(vertices.len(), window.count() as usize);
                    for k in start..end {
                        let got = one(primitive, k, n, Provoking::Last, &window);
                        assert_eq!(got, whole[k as usize], "{primitive} {k} of {start}..{end}");
                    }
                }
            }
        }
    }

    #[test]
    fn quads_and_polygons_are_cut_at_the_vertex_that_provokes() {
        use Primitive::*;
        use Provoking::*;
        assert_eq!(all_with(Quads, 7, Last), [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(all_with(Quads, 8, First), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
        assert_eq!(all_with(QuadStrip, 6, Last), [[2, 0, 3], [0, 1, 3], [4, 2, 5], [2, 3, 5]]);
        assert_eq!(all_with(QuadStrip, 7, First), [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]]);
        assert_eq!(all_with(Polygon, 4, Last), [[0, 1, 2], [0, 2, 3]]);
        for (primitive, provoking, expected) in [
            (Quads, Last, [3, 3, 7, 7]),
            (Quads, First, [0, 0, 4, 4]),
            (QuadStrip, Last, [3, 3, 5, 5]),
            (QuadStrip, First, [0, 0, 2, 2]),
        ] {
            let place = primitive.provoking(provoking) as usize;
            let found: Vec<u32> = all_with(primitive, 8, provoking).iter().map(|vertices| vertices[place]).collect();
            assert_eq!(found[..4], expected, "{primitive} {}", provoking.name());
        }
    }

    /// Provoking vertices of OpenGL 4.6, table 13.2.
    #[test]
    fn the_first_vertex_can_provoke() {
        use Primitive::*;
        let provoked = |primitive: Primitive, n: u32| -> Vec<u32> {
            let kept = primitive.shape().unwrap().1;
            let place = kept[primitive.provoking(Provoking::First) as usize] as usize;
            all_with(primitive, n, Provoking::First).iter().map(|vertices| vertices[place]).collect()
        };
        assert_eq!(all_with(TriangleStrip, 5, Provoking::First), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(provoked(TriangleStrip, 5), [0, 1, 2]);
        assert_eq!(provoked(TriangleFan, 4), [1, 2]);
        assert_eq!(all_with(TriangleFan, 4, Provoking::First), [[1, 2, 0], [2, 3, 0]]);
        assert_eq!(provoked(LineStrip, 3), [0, 1]);
        assert_eq!(provoked(LinesAdjacency, 8), [1, 5]);
        assert_eq!(provoked(TrianglesAdjacency, 12), [0, 6]);
        assert_eq!(provoked(TriangleStripAdjacency, 10), [0, 2, 4]);
        assert_eq!(provoked(Polygon, 5), [0, 0, 0]);
        let turned = |six: &[u32], by: usize| -> Vec<u32> { (0..6).map(|n| six[(n + by) % 6]).collect() };
        let (last, first) = (all(TriangleStripAdjacency, 12), all_with(TriangleStripAdjacency, 12, Provoking::First));
        assert_eq!((&last[0], turned(&last[1], 2)), (&first[0], first[1].clone()), "the same triangles");
    }

    /// Every edge of a polygon is drawn once.
    #[test]
    fn outlines_have_no_diagonals() {
        use Primitive::*;
        for (primitive, provoking) in [
            (Quads, Provoking::Last),
            (Quads, Provoking::First),
            (QuadStrip, Provoking::Last),
            (QuadStrip, Provoking::First),
            (Polygon, Provoking::Last),
        ] {
            let mut edges = Vec::new();
            for (k, vertices) in (0..).zip(all_with(primitive, 4, provoking)) {
                let outline = primitive.outline(k, 4, provoking);
                let drawn = (0..3).filter(|&n| outline.has_edge(n)).map(|n| n as usize);
                edges.extend(drawn.map(|n| (vertices[n], vertices[(n + 1) % 3])));
            }
            edges.sort_unstable();
            let strip = primitive == QuadStrip;
            let expected = if strip { [(0, 1), (1, 3), (2, 0), (3, 2)] } else { [(0, 1), (1, 2), (2, 3), (3, 0)] };
            assert_eq!(edges, expected, "{primitive} {}", provoking.name());
        }
        assert!(
            !LineStrip.outline(0, 3, Provoking::Last).continues()
                && LineLoop.outline(1, 3, Provoking::Last).continues()
        );
    }
}
