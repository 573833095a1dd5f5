//! Primitives out of vertices.

use crate::registers::codes::{PrimitiveType, ProvokingVertex};

/// A primitive, by the numbers of its vertices in the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive<'a> {
    /// A point.
    Point(usize),
    /// A line.
    Line {
        /// Start and end.
        ends: [usize; 2],
        /// Whose colours are the line's where they are flat.
        provoking: usize,
        /// It begins where another of the draw has ended.
        continues: bool,
    },
    /// A triangle, quad or polygon.
    Polygon {
        /// Its corners, in order.
        corners: &'a [usize],
        /// Whose colours are the polygon's where they are flat.
        provoking: usize,
    },
}

/// Calls `emit` for every primitive that so many vertices make, in order. Vertices that make no whole one are left out.
pub fn assemble<E>(
    kind: PrimitiveType,
    count: usize,
    provoking: ProvokingVertex,
    mut emit: impl FnMut(Primitive) -> Result<(), E>,
) -> Result<(), E> {
    use ProvokingVertex::{First, Last, Second, Third};
    let of_line = |[start, end]: [usize; 2]| if provoking == First { start } else { end };
    let mut line = |ends: [usize; 2], continues| emit(Primitive::Line { ends, provoking: of_line(ends), continues });
    // Of vertices in the order in which they arrive.
    let of_triangle = |[first, second, third]: [usize; 3]| match provoking {
        First => first,
        Second => second,
        Third | Last => third,
    };
    let of_quad = |[_, second, _, fourth]: [usize; 4]| match provoking {
        First | Second => second,
        Third | Last => fourth,
    };
    match kind {
        PrimitiveType::Points => (0..count).try_for_each(|n| emit(Primitive::Point(n))),
        PrimitiveType::Lines => (0..count / 2).try_for_each(|n| line([2 * n, 2 * n + 1], false)),
        PrimitiveType::LineStrip => (1..count).try_for_each(|n| line([n - 1, n], n > 1)),
        PrimitiveType::LineLoop => {
            (1..count).try_for_each(|n| line([n - 1, n], n > 1))?;
            if count > 1 { line([count - 1, 0], true) } else { Ok(()) }
        }
        PrimitiveType::Triangles | PrimitiveType::TrianglesWithFlags => (0..count / 3).try_for_each(|n| {
            let corners = [3 * n, 3 * n + 1, 3 * n + 2];
            emit(Primitive::Polygon { corners: &corners, provoking: of_triangle(corners) })
        }),
        PrimitiveType::TriangleStrip => (2..count).try_for_each(|n| {
            let [first, second, third] = [n - 2, n - 1, n];
            let corners = if n % 2 == 0 { [first, second, third] } else { [second, first, third] };
            emit(Primitive::Polygon { corners: &corners, provoking: of_triangle([first, second, third]) })
        }),
        PrimitiveType::TriangleFan => (2..count).try_for_each(|n| {
            let corners = [0, n - 1, n];
            emit(Primitive::Polygon { corners: &corners, provoking: of_triangle(corners) })
        }),
        PrimitiveType::Quads => (0..count / 4).try_for_each(|n| {
            let corners = [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3];
            emit(Primitive::Polygon { corners: &corners, provoking: of_quad(corners) })
        }),
        PrimitiveType::QuadStrip => (1..count / 2).try_for_each(|n| {
            let arrived = [2 * n - 2, 2 * n - 1, 2 * n, 2 * n + 1];
            let corners = [arrived[0], arrived[1], arrived[3], arrived[2]];
            emit(Primitive::Polygon { corners: &corners, provoking: of_quad(arrived) })
        }),
        PrimitiveType::Polygon if count >= 3 => {
            let corners: Vec<usize> = (0..count).collect();
            emit(Primitive::Polygon { corners: &corners, provoking: usize::from(provoking != Last) })
        }
        PrimitiveType::Polygon
        | PrimitiveType::None
        | PrimitiveType::Reserved8
        | PrimitiveType::Reserved9
        | PrimitiveType::Reserved10
        | PrimitiveType::Reserved11 => Ok(()),
    }
}

/// The triangles of a polygon of so many corners, by the numbers of these: a quad is cut from corner 1 to corner 3, others are fans around
/// corner 0.
pub fn triangles(corners: usize) -> impl Iterator<Item = [usize; 3]> {
    (2..corners).map(move |n| match (corners, n) {
        (4, 2) => [0, 1, 3],
        (4, _) => [1, 2, 3],
        _ => [0, n - 1, n],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(kind: PrimitiveType, count: usize, provoking: ProvokingVertex) -> Vec<(Vec<usize>, usize)> {
        let mut all = Vec::new();
        let collected: Result<(), ()> = assemble(kind, count, provoking, |primitive| {
            all.push(match primitive {
                Primitive::Point(vertex) => (vec![vertex], vertex),
                Primitive::Line { ends, provoking, .. } => (ends.to_vec(), provoking),
                Primitive::Polygon { corners, provoking } => (corners.to_vec(), provoking),
            });
            Ok(())
        });
        collected.unwrap();
        all
    }

    #[test]
    fn primitives_and_their_provoking_vertices() {
        use PrimitiveType::*;
        let last = |kind, count| all(kind, count, ProvokingVertex::Last);
        assert_eq!(last(Lines, 5), [(vec![0, 1], 1), (vec![2, 3], 3)]);
        assert_eq!(last(LineLoop, 3), [(vec![0, 1], 1), (vec![1, 2], 2), (vec![2, 0], 0)]);
        assert_eq!(last(TriangleStrip, 4), [(vec![0, 1, 2], 2), (vec![2, 1, 3], 3)]);
        assert_eq!(last(TriangleFan, 4), [(vec![0, 1, 2], 2), (vec![0, 2, 3], 3)]);
        assert_eq!(last(QuadStrip, 6), [(vec![0, 1, 3, 2], 3), (vec![2, 3, 5, 4], 5)]);
        assert_eq!(last(Quads, 7), [(vec![0, 1, 2, 3], 3)]);
        assert_eq!(last(Polygon, 5), [(vec![0, 1, 2, 3, 4], 0)]);
        let first = |kind, count| {
            all(kind, count, ProvokingVertex::First).into_iter().map(|(_, vertex)| vertex).collect::<Vec<_>>()
        };
        assert_eq!(first(LineStrip, 3), [0, 1]);
        assert_eq!(first(TriangleStrip, 4), [0, 1]);
        assert_eq!(first(QuadStrip, 6), [1, 3]);
        assert_eq!(first(Polygon, 3), [1]);
        let second = all(TriangleFan, 4, ProvokingVertex::Second);
        assert_eq!(second.iter().map(|(_, vertex)| *vertex).collect::<Vec<_>>(), [1, 2]);
        for kind in PrimitiveType::ALL {
            for count in 0..2 {
                let expected = if kind == Points { count } else { 0 };
                assert_eq!(last(kind, count).len(), expected, "{kind:?}");
            }
        }
    }

    #[test]
    fn polygons_are_cut_into_triangles() {
        assert_eq!(triangles(4).collect::<Vec<_>>(), [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(triangles(5).collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!((triangles(3).count(), triangles(2).count()), (1, 0));
    }
}
