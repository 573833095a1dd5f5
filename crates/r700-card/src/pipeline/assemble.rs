//! Primitives of the vertices of a part, in order: strips, fans, quads and polygons are taken apart.

use super::DrawError;
use crate::registers::codes::PrimitiveType;

/// What a primitive is: places in the part's list of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A point.
    Point([usize; 1]),
    /// A line.
    Line([usize; 2]),
    /// A triangle.
    Triangle([usize; 3]),
    /// A rectangle: its fourth corner is the second and the third without the first.
    Rectangle([usize; 3]),
}

impl Form {
    /// Its vertices.
    pub fn vertices(&self) -> &[usize] {
        match self {
            Form::Point(vertices) => vertices,
            Form::Line(vertices) => vertices,
            Form::Triangle(vertices) | Form::Rectangle(vertices) => vertices,
        }
    }
}

/// A primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// What it is.
    pub form: Form,
    /// The vertex that gives flat attributes.
    pub provoking: usize,
}

/// The primitives of so many vertices; with `last`, their last vertex provokes.
///
/// # Errors
/// Of a kind that is not assembled yet.
pub fn primitives(kind: PrimitiveType, count: usize, last: bool) -> Result<Vec<Primitive>, DrawError> {
    let line =
        |from: usize, to: usize| Primitive { form: Form::Line([from, to]), provoking: if last { to } else { from } };
    let triangle = |vertices: [usize; 3], provoking: usize| Primitive {
        form: Form::Triangle(vertices),
        provoking: vertices[provoking],
    };
    let end = if last { 2 } else { 0 };
    // So that the provoking vertex is in both halves.
    let quad = |[a, b, c, d]: [usize; 4]| match last {
        true => [triangle([a, b, d], 2), triangle([b, c, d], 2)],
        false => [triangle([a, b, c], 0), triangle([a, c, d], 0)],
    };
    let whole = |corners: usize| (0..count / corners).map(move |n| n * corners);
    let strip = |corners: usize| 0..(count + 1).saturating_sub(corners);
    Ok(match kind.0 {
        0 => Vec::new(),
        1 => (0..count).map(|n| Primitive { form: Form::Point([n]), provoking: n }).collect(),
        2 => whole(2).map(|n| line(n, n + 1)).collect(),
        3 => strip(2).map(|n| line(n, n + 1)).collect(),
        4 => whole(3).map(|n| triangle([n, n + 1, n + 2], end)).collect(),
        5 => strip(3).map(|n| triangle([0, n + 1, n + 2], if last { 2 } else { 1 })).collect(),
        6 => strip(3)
            .map(|n| match (n % 2, last) {
                (0, _) => triangle([n, n + 1, n + 2], end),
                (_, true) => triangle([n + 1, n, n + 2], 2),
                (_, false) => triangle([n, n + 2, n + 1], 0),
            })
            .collect(),
        17 => whole(3).map(|n| Primitive { form: Form::Rectangle([n, n + 1, n + 2]), provoking: n + end }).collect(),
        18 if count > 1 => strip(2).map(|n| line(n, n + 1)).chain([line(count - 1, 0)]).collect(),
        18 => Vec::new(),
        19 => whole(4).flat_map(|n| quad([n, n + 1, n + 2, n + 3])).collect(),
        20 => strip(4).step_by(2).flat_map(|n| quad([n, n + 1, n + 3, n + 2])).collect(),
        21 => strip(3).map(|n| triangle([0, n + 1, n + 2], 0)).collect(),
        _ => return Err(DrawError::Primitives { kind: kind.name() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: u8, count: usize, last: bool) -> Vec<(Vec<usize>, usize)> {
        let found = primitives(PrimitiveType(kind), count, last).unwrap();
        found.iter().map(|primitive| (primitive.form.vertices().to_vec(), primitive.provoking)).collect()
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
        let neighbours = DrawError::Primitives { kind: "triangles with neighbours" };
        assert_eq!(primitives(PrimitiveType(12), 6, true), Err(neighbours));
    }
}
