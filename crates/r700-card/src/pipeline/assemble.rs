//! Primitives of the vertices of a part, in order: strips, fans, quads and polygons are taken apart.

use super::DrawError;
use crate::registers::codes::PrimitiveType;

/// What a primitive is: places in a list of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveForm {
    /// A point.
    Point([usize; 1]),
    /// A line.
    Line([usize; 2]),
    /// A triangle.
    Triangle([usize; 3]),
    /// A rectangle: its fourth corner is the second and the third without the first.
    Rectangle([usize; 3]),
}

impl PrimitiveForm {
    /// Its vertices.
    pub fn vertices(&self) -> &[usize] {
        match self {
            PrimitiveForm::Point(vertices) => vertices,
            PrimitiveForm::Line(vertices) => vertices,
            PrimitiveForm::Triangle(vertices) | PrimitiveForm::Rectangle(vertices) => vertices,
        }
    }
}

/// A primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// What it is.
    pub form: PrimitiveForm,
    /// The vertex that gives flat attributes.
    pub provoking: usize,
    /// Bit n: the edge from vertex n to the next one is one of what the triangle was taken from, and vertex n belongs to this triangle when
    /// corners are drawn.
    pub edges: u8,
}

/// All edges of a triangle.
const ALL: u8 = 0b111;

impl Primitive {
    /// The same primitive with the vertices at other places.
    #[inline]
    pub fn map(self, mut place: impl FnMut(usize) -> usize) -> Self {
        // What maps arrays is a call for each of their elements.
        let form = match self.form {
            PrimitiveForm::Point([a]) => PrimitiveForm::Point([place(a)]),
            PrimitiveForm::Line([a, b]) => PrimitiveForm::Line([place(a), place(b)]),
            PrimitiveForm::Triangle([a, b, c]) => PrimitiveForm::Triangle([place(a), place(b), place(c)]),
            PrimitiveForm::Rectangle([a, b, c]) => PrimitiveForm::Rectangle([place(a), place(b), place(c)]),
        };
        let of_form = self.form.vertices().iter().position(|&vertex| vertex == self.provoking);
        let provoking = of_form.map_or(0, |number| form.vertices()[number]);
        Primitive { form, provoking, edges: self.edges }
    }
}

impl Primitive {
    /// The same primitive of vertices that come so much later.
    #[inline]
    pub fn moved(self, by: usize) -> Self {
        let form = match self.form {
            PrimitiveForm::Point([a]) => PrimitiveForm::Point([a + by]),
            PrimitiveForm::Line([a, b]) => PrimitiveForm::Line([a + by, b + by]),
            PrimitiveForm::Triangle([a, b, c]) => PrimitiveForm::Triangle([a + by, b + by, c + by]),
            PrimitiveForm::Rectangle([a, b, c]) => PrimitiveForm::Rectangle([a + by, b + by, c + by]),
        };
        Primitive { form, provoking: self.provoking + by, edges: self.edges }
    }
}

/// The primitives that so many vertices make. Vertices that make no whole one are left out.
#[derive(Clone, Copy, Debug)]
pub struct Assembly {
    kind: PrimitiveType,
    count: usize,
    /// The last vertex provokes.
    last: bool,
}

impl Assembly {
    /// Of this kind; with `last`, the last vertex of a primitive provokes.
    ///
    /// # Errors
    /// Of a kind that there is not.
    pub fn new(kind: PrimitiveType, count: usize, last: bool) -> Result<Self, DrawError> {
        match kind.0 {
            0..=6 | 10..=13 | 17..=21 => Ok(Assembly { kind, count, last }),
            _ => Err(DrawError::Primitives { kind: kind.name() }),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let count = self.count;
        match self.kind.0 {
            1 => count,
            2 => count / 2,
            3 => count.saturating_sub(1),
            4 | 17 => count / 3,
            5 | 6 | 21 => count.saturating_sub(2),
            10 => count / 4,
            11 => count.saturating_sub(3),
            12 => count / 6,
            13 => (count / 2).saturating_sub(2),
            18 if count > 1 => count,
            19 => count / 4 * 2,
            20 => (count / 2).saturating_sub(1) * 2,
            _ => 0,
        }
    }

    /// Whether each three vertices are a triangle.
    pub fn is_triangle_list(&self) -> bool {
        self.kind == PrimitiveType::TRIANGLES
    }

    /// The primitive with this number, without neighbours.
    pub fn get(&self, n: usize) -> Primitive {
        let last = self.last;
        let point = |vertex: usize| Primitive { form: PrimitiveForm::Point([vertex]), provoking: vertex, edges: 0 };
        let line = |from: usize, to: usize| Primitive {
            form: PrimitiveForm::Line([from, to]),
            provoking: if last { to } else { from },
            edges: 0,
        };
        let triangle = |vertices: [usize; 3], provoking: usize, edges: u8| Primitive {
            form: PrimitiveForm::Triangle(vertices),
            provoking: vertices[provoking],
            edges,
        };
        let end = if last { 2 } else { 0 };
        // So that the provoking vertex is in both halves.
        let quad = |[a, b, c, d]: [usize; 4]| match (last, n % 2) {
            (true, 0) => triangle([a, b, d], 2, 0b101),
            (true, _) => triangle([b, c, d], 2, 0b011),
            (false, 0) => triangle([a, b, c], 0, 0b011),
            (false, _) => triangle([a, c, d], 0, 0b110),
        };
        let strip = |step: usize| match (n % 2, last) {
            (0, _) => triangle([0, 1, 2].map(|k| (n + k) * step), end, ALL),
            (_, true) => triangle([1, 0, 2].map(|k| (n + k) * step), 2, ALL),
            (_, false) => triangle([0, 2, 1].map(|k| (n + k) * step), 0, ALL),
        };
        match self.kind.0 {
            2 => line(2 * n, 2 * n + 1),
            3 => line(n, n + 1),
            4 => triangle([3 * n, 3 * n + 1, 3 * n + 2], end, ALL),
            5 => triangle([0, n + 1, n + 2], if last { 2 } else { 1 }, ALL),
            6 => strip(1),
            10 => line(4 * n + 1, 4 * n + 2),
            11 => line(n + 1, n + 2),
            12 => triangle([6 * n, 6 * n + 2, 6 * n + 4], end, ALL),
            13 => strip(2),
            17 => Primitive {
                form: PrimitiveForm::Rectangle([3 * n, 3 * n + 1, 3 * n + 2]),
                provoking: 3 * n + end,
                edges: 0,
            },
            18 => line(n, if n + 1 == self.count { 0 } else { n + 1 }),
            19 => quad([0, 1, 2, 3].map(|k| n / 2 * 4 + k)),
            // The last vertex of a strip's quad is the fourth one that comes, as OpenGL has it.
            20 => quad((if last { [2, 0, 1, 3] } else { [0, 1, 3, 2] }).map(|k| n / 2 * 2 + k)),
            21 => {
                let (is_first, is_last) = (n == 0, n + 3 == self.count);
                triangle([0, n + 1, n + 2], 0, u8::from(is_first) | 0b010 | u8::from(is_last) << 2)
            }
            _ => point(n),
        }
    }

    /// The vertices that a geometry program gets for the primitive with this number: up to six, neighbours among them. What is not asked for
    /// is vertex 0 again.
    pub fn with_neighbours(&self, n: usize) -> [usize; 6] {
        match self.kind.0 {
            10 => [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3, 0, 0],
            11 => [n, n + 1, n + 2, n + 3, 0, 0],
            12 => [0, 1, 2, 3, 4, 5].map(|k| 6 * n + k),
            13 => {
                let at = 2 * n;
                let is_last = n + 1 == self.len();
                let before = if n == 0 { 1 } else { at - 2 };
                let after = if is_last { at + 5 } else { at + 6 };
                match n % 2 {
                    0 => [at, before, at + 2, after, at + 4, at + 3],
                    // The card turns odd ones by two; the driver's programs turn them back.
                    _ => {
                        let turned = [at + 2, before, at, at + 3, at + 4, after];
                        std::array::from_fn(|k| turned[(k + 2) % 6])
                    }
                }
            }
            _ => {
                let mut vertices = [0; 6];
                let primitive = self.get(n);
                for (place, vertex) in vertices.iter_mut().zip(primitive.form.vertices()) {
                    *place = *vertex;
                }
                vertices
            }
        }
    }

    /// Vertices that [`with_neighbours`](Self::with_neighbours) gives.
    pub fn inputs(&self) -> usize {
        match self.kind.0 {
            0 | 1 => 1,
            2 | 3 | 18 => 2,
            10 | 11 => 4,
            12 | 13 => 6,
            _ => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: u8, count: usize, last: bool) -> Vec<(Vec<usize>, usize)> {
        let assembly = Assembly::new(PrimitiveType(kind), count, last).unwrap();
        let primitives = (0..assembly.len()).map(|n| assembly.get(n));
        primitives.map(|primitive| (primitive.form.vertices().to_vec(), primitive.provoking)).collect()
    }

    fn expect<const N: usize>(found: Vec<(Vec<usize>, usize)>, expected: &[([usize; N], usize)]) {
        let expected: Vec<_> = expected.iter().map(|(vertices, provoking)| (vertices.to_vec(), *provoking)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn vertices_become_triangles() {
        expect(of(4, 7, true), &[([0, 1, 2], 2), ([3, 4, 5], 5)]);
        expect(of(5, 4, true), &[([0, 1, 2], 2), ([0, 2, 3], 3)]);
        expect(of(5, 4, false), &[([0, 1, 2], 1), ([0, 2, 3], 2)]);
        expect(of(6, 5, true), &[([0, 1, 2], 2), ([2, 1, 3], 3), ([2, 3, 4], 4)]);
        expect(of(6, 4, false), &[([0, 1, 2], 0), ([1, 3, 2], 1)]);
        expect(of(19, 5, true), &[([0, 1, 3], 3), ([1, 2, 3], 3)]);
        expect(of(20, 7, false), &[([0, 1, 3], 0), ([0, 3, 2], 0), ([2, 3, 5], 2), ([2, 5, 4], 2)]);
        expect(of(20, 6, true), &[([2, 0, 3], 3), ([0, 1, 3], 3), ([4, 2, 5], 5), ([2, 3, 5], 5)]);
        expect(of(21, 4, true), &[([0, 1, 2], 0), ([0, 2, 3], 0)]);
        expect(of(17, 4, true), &[([0, 1, 2], 2)]);
        assert_eq!((of(4, 2, true), of(6, 2, true), of(20, 3, true)), (vec![], vec![], vec![]));
    }

    #[test]
    fn vertices_become_points_and_lines() {
        expect(of(1, 2, true), &[([0], 0), ([1], 1)]);
        expect(of(2, 5, false), &[([0, 1], 0), ([2, 3], 2)]);
        expect(of(3, 3, true), &[([0, 1], 1), ([1, 2], 2)]);
        expect(of(18, 3, true), &[([0, 1], 1), ([1, 2], 2), ([2, 0], 0)]);
        assert_eq!((of(3, 1, true), of(18, 1, true), of(18, 0, true)), (vec![], vec![], vec![]));
        let unknown = DrawError::Primitives { kind: "unknown primitives" };
        assert_eq!(Assembly::new(PrimitiveType(7), 6, true).unwrap_err(), unknown);
    }

    #[test]
    fn neighbours_are_left_out() {
        expect(of(10, 9, true), &[([1, 2], 2), ([5, 6], 6)]);
        expect(of(11, 5, false), &[([1, 2], 1), ([2, 3], 2)]);
        expect(of(12, 11, true), &[([0, 2, 4], 4)]);
        expect(of(13, 9, true), &[([0, 2, 4], 4), ([4, 2, 6], 6)]);
        expect(of(13, 8, false), &[([0, 2, 4], 0), ([2, 6, 4], 2)]);
    }

    /// Table 10.1 of OpenGL 4.6 (there vertices count from 1), with odd triangles turned by two.
    #[test]
    fn geometry_programs_get_neighbours() {
        let of = |kind: u8, count: usize| {
            let assembly = Assembly::new(PrimitiveType(kind), count, true).unwrap();
            (0..assembly.len()).map(|n| assembly.with_neighbours(n)).collect::<Vec<_>>()
        };
        assert_eq!(of(11, 5), [[0, 1, 2, 3, 0, 0], [1, 2, 3, 4, 0, 0]]);
        assert_eq!(of(13, 6), [[0, 1, 2, 5, 4, 3]]);
        let turned = |six: [usize; 6]| [2, 3, 4, 5, 0, 1].map(|k| six[k]);
        assert_eq!(of(13, 10), [[0, 1, 2, 6, 4, 3], turned([4, 0, 2, 5, 6, 8]), [4, 2, 6, 9, 8, 7]],);
        assert_eq!(of(13, 8)[1], turned([4, 0, 2, 5, 6, 7]));
        assert_eq!(of(6, 4)[1][..3], [2, 1, 3]);
    }

    /// Every edge of a polygon is drawn once, and every corner.
    #[test]
    fn outlines_have_no_diagonals() {
        for (kind, last) in [(19, true), (19, false), (20, true), (20, false), (21, true)] {
            let assembly = Assembly::new(PrimitiveType(kind), 4, last).unwrap();
            let mut edges = Vec::new();
            for primitive in (0..assembly.len()).map(|n| assembly.get(n)) {
                let vertices = primitive.form.vertices();
                let drawn = (0..3).filter(|n| primitive.edges >> n & 1 != 0);
                edges.extend(drawn.map(|n| (vertices[n], vertices[(n + 1) % 3])));
            }
            edges.sort_unstable();
            let expected = if kind == 20 { [(0, 1), (1, 3), (2, 0), (3, 2)] } else { [(0, 1), (1, 2), (2, 3), (3, 0)] };
            assert_eq!(edges, expected, "{kind} {last}");
        }
    }
}
