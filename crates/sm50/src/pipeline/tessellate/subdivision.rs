//! Where the points of a subdivided edge are, in the tessellator's fixed point.

use super::Spacing;

/// 1.0 in 16 fraction bits.
pub const ONE: u32 = 1 << 16;
/// 0.5.
pub const HALF: u32 = ONE / 2;
/// The least inner level of a domain in which anything is subdivided: one step above 1.
const ABOVE_ONE: f32 = 1.0 + 1.0 / ONE as f32;

/// A subdivision from 0 to 1, symmetric about the middle.
#[derive(Clone, Debug)]
pub struct Subdivision {
    /// No segment ends in the middle.
    is_odd: bool,
    /// Where the points are, with 16 fraction bits. Some may be at one position.
    positions: Vec<u32>,
}

impl Subdivision {
    /// The subdivision of an edge.
    pub fn new(spacing: Spacing, level: f32) -> Self {
        match spacing {
            Spacing::Equal => {
                let segments = clamp(level, 1.0, 64.0).ceil() as u32;
                Subdivision::of(segments * ONE, !segments.is_multiple_of(2))
            }
            Spacing::FractionalOdd => Subdivision::of(fixed(clamp(level, 1.0, 63.0)), true),
            Spacing::FractionalEven => Subdivision::of(fixed(clamp(level, 2.0, 64.0)), false),
        }
    }

    /// The subdivision of the inside by an inner level, where anything is subdivided.
    pub fn inside(spacing: Spacing, level: f32) -> Self {
        Subdivision::new(spacing, clamp(level, ABOVE_ONE, 64.0))
    }

    /// A subdivision by a level with 16 fraction bits, into an odd or an even number of segments.
    fn of(level: u32, is_odd: bool) -> Self {
        let near = Half::new(level, is_odd);
        let points = 2 * near.fine + u32::from(!is_odd);
        let position = |point: u32| match point {
            _ if point < near.fine => near.position(point),
            _ if 2 * point + 1 == points => HALF,
            _ => ONE - near.position(points - 1 - point),
        };
        Subdivision { is_odd, positions: (0..points).map(position).collect() }
    }

    /// Number of segments.
    pub fn segments(&self) -> u32 {
        self.positions.len() as u32 - 1
    }

    /// Whether no segment ends in the middle.
    pub fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// Segments of one half, without the one across the middle.
    pub fn half(&self) -> u32 {
        self.segments() / 2
    }

    /// Where point `point` of 0 to [`segments`](Self::segments) is, with 16 fraction bits.
    pub fn position(&self, point: u32) -> u32 {
        self.positions[point as usize]
    }
}

/// The half of a subdivision that begins at 0.
///
/// A level between those of two numbers of segments is between the subdivisions into these: every point moves in a straight line
/// from its position in the one to its position in the other, and the point that only the finer one has comes out of its neighbour.
struct Half {
    /// Points of the finer subdivision in the half, without one in the middle.
    fine: u32,
    /// The point that comes out of the one before it.
    new: u32,
    /// How far the level is from the coarser subdivision to the finer one.
    fraction: u32,
    /// Length of a segment of the coarser subdivision, and of the finer one.
    lengths: [u32; 2],
}

impl Half {
    fn new(level: u32, is_odd: bool) -> Self {
        let across = u32::from(is_odd);
        let half = level.div_ceil(2) + across * HALF;
        let (coarse, fine, fraction) = (half / ONE, half.div_ceil(ONE), half % ONE);
        let new = match coarse - across {
            0 => 1,
            points => 2 * (points - (1 << points.ilog2())) + 2,
        };
        Half { fine, new, fraction, lengths: [coarse, fine].map(|half| reciprocal(2 * half - across)) }
    }

    fn position(&self, point: u32) -> u32 {
        let before = if point >= self.new { point - 1 } else { point };
        let [coarse, fine] = [before * self.lengths[0], point * self.lengths[1]].map(u64::from);
        let (fraction, one) = (u64::from(self.fraction), u64::from(ONE));
        let coarse = if fraction == 0 { fine } else { coarse };
        ((coarse * (one - fraction) + fine * fraction + one / 2) / one) as u32
    }
}

/// A level inside of its bounds. What is not a number becomes the least.
fn clamp(level: f32, least: f32, greatest: f32) -> f32 {
    level.max(least).min(greatest)
}

/// A positive level in 16 fraction bits, rounded to the nearest.
fn fixed(level: f32) -> u32 {
    (level * ONE as f32).round_ties_even() as u32
}

/// 1 / n in 16 fraction bits, rounded to the nearest.
fn reciprocal(n: u32) -> u32 {
    (2 * ONE + n) / (2 * n)
}

/// Points of the finest half, the middle not counted.
pub const FINEST: u32 = 33;

/// How many points the coarsest half has that has point `point` of the finest one, less one. The half of least points has its
/// first; each further point divides the half's segments in turn, from the outside in, and then those that came of it.
pub fn rank(point: u32) -> u32 {
    match point {
        0 => 0,
        1 => FINEST - 1,
        _ => {
            let halvings = (point - 1).trailing_zeros();
            (1 << (4 - halvings)) + ((point - 1) >> (halvings + 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(spacing: Spacing, level: f32) -> Vec<u32> {
        let subdivision = Subdivision::new(spacing, level);
        (0..=subdivision.segments()).map(|point| subdivision.position(point)).collect()
    }

    #[test]
    fn subdivisions_are_symmetric_and_go_over_into_each_other() {
        for spacing in [Spacing::Equal, Spacing::FractionalOdd, Spacing::FractionalEven] {
            for level in 0..=64 * 8 {
                let positions = positions(spacing, level as f32 / 8.0);
                assert!(positions.is_sorted(), "{spacing:?} {level} {positions:?}");
                let mirrored: Vec<u32> = positions.iter().rev().map(|position| ONE - position).collect();
                assert_eq!(positions, mirrored, "{spacing:?} {level}");
            }
        }
        // A third, which has no end in 16 bits; a level on the way from 2 to 4, and the two that it is between.
        assert_eq!(positions(Spacing::Equal, 3.0), [0, 21845, 43691, 65536]);
        assert_eq!(positions(Spacing::FractionalEven, 2.5), [0, 28672, 32768, 36864, 65536]);
        // From four segments to six the point in the middle of the half divides: it is the second that came up.
        assert_eq!(positions(Spacing::FractionalEven, 4.0), [0, 16384, 32768, 49152, 65536]);
        assert_eq!(positions(Spacing::FractionalEven, 4.0 + 1.0 / 65536.0).len(), 7);
    }

    /// A half of so many points has the points of the finest that were inserted before: each in the middle of the first of the
    /// longest gaps.
    #[test]
    fn ranks_are_the_order_in_which_gaps_are_divided() {
        let mut ranked: Vec<u32> = (0..FINEST).collect();
        ranked.sort_by_key(|&point| rank(point));
        assert_eq!(ranked[..9], [0, 17, 9, 25, 5, 13, 21, 29, 3]);
        assert_eq!(
            (0..FINEST).map(|point| rank(ranked[point as usize])).collect::<Vec<_>>(),
            (0..FINEST).collect::<Vec<_>>()
        );
    }
}
