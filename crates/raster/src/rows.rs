//! Rows of pixels, each with the columns that are covered in it: rectangles, and primitives that are one together.

use std::ops::Range;

/// A row, and the columns that are covered in it.
pub type Row = (u32, Range<u32>);

/// Whether rows have the same columns, and none is missing.
pub fn is_rectangle(rows: &[Row]) -> bool {
    rows.windows(2).all(|rows| rows[0].1 == rows[1].1 && rows[0].0 + 1 == rows[1].0)
}

/// What all of these are, if they are the same.
pub fn same_of_all<R: PartialEq>(mut all: impl Iterator<Item = Option<R>>) -> Option<R> {
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The rows and columns of both, from the top, if these are a rectangle and no pixel is in both.
pub fn together(one: &[Row], other: &[Row]) -> Option<Vec<Row>> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut all: Vec<Row> = Vec::with_capacity(one.len().max(other.len()));
    loop {
        let next = match (one.peek(), other.peek()) {
            (Some((row, left)), Some((other_row, right))) if row == other_row => {
                let joined = if left.end == right.start { left.start..right.end } else { right.start..left.end };
                let touches = left.end == right.start || right.end == left.start;
                one.next();
                other.next();
                touches.then_some((*row, joined))?
            }
            (Some((row, _)), Some((other_row, _))) if row > other_row => other.next()?.clone(),
            (Some(_), _) => one.next()?.clone(),
            (None, Some(_)) => other.next()?.clone(),
            (None, None) => break,
        };
        if all.first().is_some_and(|(_, columns)| *columns != next.1) {
            return None;
        }
        all.push(next);
    }
    is_rectangle(&all).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_are_a_rectangle() {
        let lower: Vec<_> = (1..5).map(|y| (10 + y, 20..20 + y)).collect();
        let upper: Vec<_> = (0..4).map(|y| (10 + y, 20 + y..24)).collect();
        let all: Vec<_> = (10..15).map(|y| (y, 20..24)).collect();
        assert_eq!(together(&lower, &upper), Some(all.clone()));
        assert_eq!(together(&upper, &lower), Some(all));
        assert_eq!(together(&lower, &lower), None, "pixels are in both");
        assert_eq!(together(&lower, &upper[..3]), None, "a row is short");
        assert_eq!(together(&lower, &upper[1..]), Some((11..15).map(|y| (y, 20..24)).collect()));
        assert_eq!(together(&[(1, 4..8)], &[(3, 4..8)]), None, "a row is missing");
    }
}
