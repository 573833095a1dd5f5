//! The shapes of points and lines.

use crate::grid::Point;

/// The corners of the rectangle that a point is: `half_width` and `half_height` sub-pixels to each side of its centre.
#[inline]
pub fn point(centre: Point, half_width: i64, half_height: i64) -> [Point; 4] {
    let (left, right) = (centre.x - half_width, centre.x + half_width);
    let (top, bottom) = (centre.y - half_height, centre.y + half_height);
    [Point { x: left, y: top }, Point { x: right, y: top }, Point { x: right, y: bottom }, Point { x: left, y: bottom }]
}

/// How the ends of a line with a width are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// Horizontally: a parallelogram that reaches half the width to the left and right of the segment.
    Horizontal,
    /// Vertically: a parallelogram that reaches half the width above and below the segment.
    Vertical,
    /// Vertically if the line is x-major, else horizontally.
    AcrossMajor,
    /// Perpendicularly to the segment: a rectangle.
    Perpendicular,
}

/// The direction of a line along its major axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineDirection {
    /// x-major, towards greater x.
    LeftToRight,
    /// x-major, towards smaller x.
    RightToLeft,
    /// y-major, towards greater y.
    TopToBottom,
    /// y-major, towards smaller y.
    BottomToTop,
}

impl LineDirection {
    /// The direction of the line between two points. Diagonals are x-major.
    #[inline]
    pub fn of(from: Point, to: Point) -> Self {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        match dx.abs() >= dy.abs() {
            true if dx >= 0 => LineDirection::LeftToRight,
            true => LineDirection::RightToLeft,
            false if dy >= 0 => LineDirection::TopToBottom,
            false => LineDirection::BottomToTop,
        }
    }

    /// Whether x is the major axis.
    #[inline]
    pub fn is_x_major(self) -> bool {
        match self {
            LineDirection::LeftToRight | LineDirection::RightToLeft => true,
            LineDirection::TopToBottom | LineDirection::BottomToTop => false,
        }
    }
}

/// The corners of a line that is 2 * `half_width` sub-pixels wide. Corners of perpendicular ends are rounded to the nearest sub-pixel.
pub fn line(from: Point, to: Point, half_width: i64, ends: LineEnds) -> [Point; 4] {
    let (x, y) = match ends {
        LineEnds::Horizontal => (half_width, 0),
        LineEnds::Vertical => (0, half_width),
        LineEnds::AcrossMajor if LineDirection::of(from, to).is_x_major() => (0, half_width),
        LineEnds::AcrossMajor => (half_width, 0),
        LineEnds::Perpendicular => {
            let (dx, dy) = ((to.x - from.x) as f64, (to.y - from.y) as f64);
            let length = (dx * dx + dy * dy).sqrt();
            let along = |delta: f64| (half_width as f64 * delta / length).round() as i64;
            (along(-dy), along(dx))
        }
    };
    [
        Point { x: from.x - x, y: from.y - y },
        Point { x: from.x + x, y: from.y + y },
        Point { x: to.x + x, y: to.y + y },
        Point { x: to.x - x, y: to.y - y },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::cross;

    fn at(x: i64, y: i64) -> Point {
        Point { x, y }
    }

    #[test]
    fn points_are_rectangles_around_their_centre() {
        assert_eq!(point(at(10, 20), 3, 5), [at(7, 15), at(13, 15), at(13, 25), at(7, 25)]);
    }

    #[test]
    fn directions() {
        use LineDirection::*;
        let cases =
            [(5, 0, LeftToRight), (5, 5, LeftToRight), (-5, 5, RightToLeft), (4, 5, TopToBottom), (4, -5, BottomToTop)];
        for (x, y, direction) in cases {
            assert_eq!(LineDirection::of(at(1, 1), at(1 + x, 1 + y)), direction);
        }
    }

    #[test]
    fn ends_are_cut_as_asked() {
        let (from, to) = (at(0, 0), at(30, 40));
        assert_eq!(line(from, to, 5, LineEnds::AcrossMajor), line(from, to, 5, LineEnds::Horizontal));
        assert_eq!(line(from, to, 5, LineEnds::Horizontal), [at(-5, 0), at(5, 0), at(35, 40), at(25, 40)]);
        assert_eq!(line(from, to, 5, LineEnds::Vertical), [at(0, -5), at(0, 5), at(30, 45), at(30, 35)]);
        assert_eq!(line(from, at(40, 30), 5, LineEnds::AcrossMajor), [at(0, -5), at(0, 5), at(40, 35), at(40, 25)]);
        assert_eq!(line(from, to, 5, LineEnds::Perpendicular), [at(4, -3), at(-4, 3), at(26, 43), at(34, 37)]);
        assert_eq!(cross(from, from, to), 0);
        assert_eq!(line(from, from, 5, LineEnds::Perpendicular), [from; 4], "a line without length has no direction");
    }
}
