//! Primitives: which vertices belong to which.

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
    pub fn count(&self) -> u32 {
        self.range.len() as u32 + u32::from(self.with_first)
    }

    /// The vertices, each in the place of its record.
    pub fn vertices(&self) -> impl Iterator<Item = u32> {
        self.range.clone().chain(self.with_first.then_some(0))
    }

    /// The record of a vertex of the window.
    fn record(&self, vertex: u32) -> u32 {
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
            Triangles | TriangleStrip | TriangleFan => 3,
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
            Triangles | TriangleStrip | TriangleFan => Some((Shape::Triangle, &[0, 1, 2])),
            LinesAdjacency | LineStripAdjacency => Some((Shape::Line, &[1, 2])),
            TrianglesAdjacency | TriangleStripAdjacency => Some((Shape::Triangle, &[0, 2, 4])),
            Patches => None,
        }
    }

    /// Number of whole primitives that `n` vertices make.
    pub const fn count(self, n: u32, patch: u32) -> u32 {
        use Primitive::*;
        match self {
            Points | Lines | Triangles | LinesAdjacency | TrianglesAdjacency | Patches => n / self.vertices(patch),
            LineStrip => n.saturating_sub(1),
            LineLoop if n < 2 => 0,
            LineLoop => n,
            TriangleStrip | TriangleFan => n.saturating_sub(2),
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
            LineStrip | TriangleStrip | LineStripAdjacency => start..end + size - 1,
            LineLoop => start..(end + 1).min(n),
            TriangleFan => start + 1..end + 2,
            TriangleStripAdjacency => (2 * start).saturating_sub(2)..(2 * end + 5).min(n),
        };
        let with_first = match self {
            LineLoop => end == n && start > 0,
            TriangleFan => true,
            _ => false,
        };
        Window { range, with_first }
    }

    /// Appends the records of primitive `k`'s vertices, in the order in which geometry programs and transform feedback get
    /// them: in strips, every second triangle has its first two vertices swapped (OpenGL 4.6, sections 10.1 and 13.3).
    pub(super) fn assemble(self, k: u32, n: u32, patch: u32, window: &Window, records: &mut Vec<u32>) {
        use Primitive::*;
        let odd = k % 2;
        let mut push = |vertex: u32| records.push(window.record(vertex));
        match self {
            Points | Lines | Triangles | LinesAdjacency | TrianglesAdjacency | Patches => {
                let size = self.vertices(patch);
                (k * size..(k + 1) * size).for_each(push);
            }
            LineStrip => (k..k + 2).for_each(push),
            LineLoop => [k, if k + 1 == n { 0 } else { k + 1 }].into_iter().for_each(push),
            TriangleStrip => [k + odd, k + 1 - odd, k + 2].into_iter().for_each(push),
            TriangleFan => [0, k + 1, k + 2].into_iter().for_each(push),
            LineStripAdjacency => (k..k + 4).for_each(push),
            TriangleStripAdjacency => {
                let first = 2 * k;
                let last = k + 1 == self.count(n, patch);
                // The neighbours at the side of the triangle before, of the triangle after, and at the strip's edge.
                let before = if k == 0 { 1 } else { first - 2 };
                let behind = if last { first + 5 } else { first + 6 };
                let edge = first + 3;
                let vertices = if odd == 0 {
                    [first, before, first + 2, behind, first + 4, edge]
                } else {
                    [first + 2, before, first, edge, first + 4, behind]
                };
                vertices.into_iter().for_each(&mut push);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(primitive: Primitive, n: u32) -> Vec<Vec<u32>> {
        let count = primitive.count(n, 5);
        let window = primitive.window(0..count, n, 5);
        let vertices: Vec<u32> = window.vertices().collect();
        (0..count)
            .map(|k| {
                let mut records = Vec::new();
                primitive.assemble(k, n, 5, &window, &mut records);
                records.into_iter().map(|record| vertices[record as usize]).collect()
            })
            .collect()
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
                    let vertices: Vec<u32> = window.vertices().collect();
                    assert_eq!(vertices.len(), window.count() as usize);
                    for k in start..end {
                        let mut records = Vec::new();
                        primitive.assemble(k, n, 5, &window, &mut records);
                        let got: Vec<u32> = records.into_iter().map(|record| vertices[record as usize]).collect();
                        assert_eq!(got, whole[k as usize], "{primitive} {k} of {start}..{end}");
                    }
                }
            }
        }
    }
}
