//! Primitives of the vertices of a part: triangles and rectangles, in order.

use super::DrawError;
use crate::registers::codes::PrimitiveType;

/// A primitive: places in the part's list of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Its vertices. Of a rectangle, the fourth is the second and the third without the first.
    pub vertices: [usize; 3],
    /// It is a rectangle.
    pub rectangle: bool,
    /// Which of the vertices gives flat attributes.
    pub provoking: usize,
}

/// The primitives of so many vertices.
///
/// # Errors
/// Of a kind that is not drawn yet.
pub fn primitives(kind: PrimitiveType, count: usize, last: bool) -> Result<Vec<Primitive>, DrawError> {
    let triangle = |vertices: [usize; 3], provoking: usize| Primitive { vertices, rectangle: false, provoking };
    let end = if last { 2 } else { 0 };
    // So that the provoking vertex is in both halves.
    let quad = |[a, b, c, d]: [usize; 4]| match last {
        true => [triangle([a, b, d], 2), triangle([b, c, d], 2)],
        false => [triangle([a, b, c], 0), triangle([a, c, d], 0)],
    };
    let whole = |corners: usize| (0..count / corners).map(move |n| n * corners);
    let strip = |corners: usize| 0..(count + 1).saturating_sub(corners);
    Ok(match kind.0 {
        4 => whole(3).map(|n| triangle([n, n + 1, n + 2], end)).collect(),
        5 => strip(3).map(|n| triangle([0, n + 1, n + 2], if last { 2 } else { 1 })).collect(),
        6 => strip(3)
            .map(|n| match (n % 2, last) {
                (0, _) => triangle([n, n + 1, n + 2], end),
                (_, true) => triangle([n + 1, n, n + 2], 2),
                (_, false) => triangle([n, n + 2, n + 1], 0),
            })
            .collect(),
        17 => whole(3).map(|n| Primitive { vertices: [n, n + 1, n + 2], rectangle: true, provoking: end }).collect(),
        19 => whole(4).flat_map(|n| quad([n, n + 1, n + 2, n + 3])).collect(),
        20 => strip(4).step_by(2).flat_map(|n| quad([n, n + 1, n + 3, n + 2])).collect(),
        21 => strip(3).map(|n| triangle([0, n + 1, n + 2], 0)).collect(),
        0 => Vec::new(),
        _ => return Err(DrawError::Primitives { kind: kind.name() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: u8, count: usize, last: bool) -> Vec<([usize; 3], usize)> {
        let found = primitives(PrimitiveType(kind), count, last).unwrap();
        found.iter().map(|primitive| (primitive.vertices, primitive.vertices[primitive.provoking])).collect()
    }

    #[test]
    fn vertices_become_triangles() {
        assert_eq!(of(4, 7, true), [([0, 1, 2], 2), ([3, 4, 5], 5)]);
        assert_eq!(of(5, 4, true), [([0, 1, 2], 2), ([0, 2, 3], 3)]);
        assert_eq!(of(5, 4, false), [([0, 1, 2], 1), ([0, 2, 3], 2)]);
        assert_eq!(of(6, 5, true), [([0, 1, 2], 2), ([2, 1, 3], 3), ([2, 3, 4], 4)]);
        assert_eq!(of(6, 4, false), [([0, 1, 2], 0), ([1, 3, 2], 1)]);
        assert_eq!(of(19, 5, true), [([0, 1, 3], 3), ([1, 2, 3], 3)]);
        assert_eq!(of(20, 7, false), [([0, 1, 3], 0), ([0, 3, 2], 0), ([2, 3, 5], 2), ([2, 5, 4], 2)]);
        assert_eq!(of(21, 4, true), [([0, 1, 2], 0), ([0, 2, 3], 0)]);
        assert_eq!((of(4, 2, true), of(6, 2, true), of(20, 3, true)), (vec![], vec![], vec![]));
        assert!(primitives(PrimitiveType(17), 3, true).unwrap()[0].rectangle);
        assert_eq!(primitives(PrimitiveType(1), 3, true), Err(DrawError::Primitives { kind: "points" }));
    }
}
