//! Where a function runs: positions of lanes, and the groups that they form.

/// Lanes of a quad.
pub const QUAD: usize = 4;
/// Positions along an axis: coordinates have 16 bits.
pub const AXIS: u32 = 1 << 16;

/// A rectangle of positions (i, j), bounds inclusive. Empty when `i1 < i0` or `j1 < j0`. Coordinates are below [`AXIS`];
/// a guest machine may have less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// First column.
    pub i0: u32,
    /// First row.
    pub j0: u32,
    /// Last column.
    pub i1: u32,
    /// Last row.
    pub j1: u32,
}

impl Domain {
    /// The domain of `width` x `height` positions from (0, 0); `None` if a side is 0.
    pub fn of_size(width: u32, height: u32) -> Option<Domain> {
        Some(Domain { i0: 0, j0: 0, i1: width.checked_sub(1)?, j1: height.checked_sub(1)? })
    }

    /// True if no position is in the domain.
    pub const fn is_empty(&self) -> bool {
        self.i1 < self.i0 || self.j1 < self.j0
    }

    /// True if (i, j) is in the domain.
    pub const fn contains(&self, i: u32, j: u32) -> bool {
        self.i0 <= i && i <= self.i1 && self.j0 <= j && j <= self.j1
    }

    /// Number of positions.
    pub const fn lanes(&self) -> u64 {
        if self.is_empty() { 0 } else { (self.i1 - self.i0 + 1) as u64 * (self.j1 - self.j0 + 1) as u64 }
    }
}

/// The lanes that a function runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// One for each position of a rectangle: pixels.
    Area(Domain),
    /// So many in a line: vertices, primitives, threads. Lane n is at (n % 65536, n / 65536), so that a function gets n as
    /// `or (shl pos_y 16) pos_x`, and as `pos_x` alone where it knows that there are at most 65536.
    Line(u32),
}

impl From<Domain> for Lanes {
    fn from(domain: Domain) -> Self {
        Lanes::Area(domain)
    }
}

impl Lanes {
    /// Number of lanes.
    pub const fn count(&self) -> u64 {
        match self {
            Lanes::Area(domain) => domain.lanes(),
            Lanes::Line(count) => *count as u64,
        }
    }

    /// True if there is a lane at (i, j).
    pub const fn contains(&self, i: u32, j: u32) -> bool {
        match self {
            Lanes::Area(domain) => domain.contains(i, j),
            Lanes::Line(count) => i < AXIS && (j as u64 * AXIS as u64 + i as u64) < *count as u64,
        }
    }
}

/// Where the lanes of each group are. Those of an area form quads in row-major order, the lanes of a quad row by row, so
/// that a group may have positions outside the area; those of a line follow each other, four of them a quad, so that lane
/// n is lane n % width of its group.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    lanes: Lanes,
    width: usize,
}

impl Layout {
    /// The groups of `width` lanes.
    pub fn new(lanes: impl Into<Lanes>, width: usize) -> Self {
        Layout { lanes: lanes.into(), width }
    }

    /// Places for lanes in all groups.
    fn slots(&self) -> u64 {
        match self.lanes {
            Lanes::Area(domain) if domain.is_empty() => 0,
            Lanes::Area(domain) => quads_across(&domain) * u64::from(domain.j1 / 2 - domain.j0 / 2 + 1) * QUAD as u64,
            Lanes::Line(count) => u64::from(count),
        }
    }

    /// Number of groups.
    pub fn groups(&self) -> u64 {
        self.slots().div_ceil(self.width as u64)
    }

    /// The positions of a group, those without a lane included. The last group of an area may have fewer than its width.
    pub fn positions(&self, group: u64) -> impl Iterator<Item = (u32, u32)> + use<> {
        let first = group * self.width as u64;
        let lanes = self.lanes;
        let end = match lanes {
            Lanes::Area(_) => (first + self.width as u64).min(self.slots()),
            Lanes::Line(_) => first + self.width as u64,
        };
        (first..end).map(move |slot| match lanes {
            Lanes::Area(domain) => {
                let (quad, lane) = (slot / QUAD as u64, (slot % QUAD as u64) as u32);
                let across = quads_across(&domain);
                let (column, row) = ((quad % across) as u32, (quad / across) as u32);
                ((domain.i0 / 2 + column) * 2 + lane % 2, (domain.j0 / 2 + row) * 2 + lane / 2)
            }
            Lanes::Line(_) => ((slot % u64::from(AXIS)) as u32, (slot / u64::from(AXIS)) as u32),
        })
    }

    /// The group that the lane at (i, j) is in, if there is such a lane.
    pub fn group_of(&self, i: u32, j: u32) -> Option<u64> {
        let slot = match self.lanes {
            _ if !self.lanes.contains(i, j) => return None,
            Lanes::Area(domain) => {
                let (column, row) = (i / 2 - domain.i0 / 2, j / 2 - domain.j0 / 2);
                let quad = u64::from(row) * quads_across(&domain) + u64::from(column);
                quad * QUAD as u64 + u64::from(j % 2 * 2 + i % 2)
            }
            Lanes::Line(_) => u64::from(j) * u64::from(AXIS) + u64::from(i),
        };
        Some(slot / self.width as u64)
    }

    /// Number of groups that have a lane.
    pub fn occupied_groups(&self) -> u64 {
        let has_lane = |group: &u64| self.positions(*group).any(|(i, j)| self.lanes.contains(i, j));
        // Four places in a row always have a lane. The last group may have fewer.
        let doubtful = if self.width >= QUAD { self.groups().saturating_sub(1) } else { 0 };
        doubtful + (doubtful..self.groups()).filter(has_lane).count() as u64
    }
}

/// Quads in a row of quads.
fn quads_across(domain: &Domain) -> u64 {
    u64::from(domain.i1 / 2 - domain.i0 / 2 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_along_the_first_axis() {
        let layout = Layout::new(Lanes::Line(AXIS + 3), 32);
        assert_eq!(layout.groups(), 2049);
        assert_eq!(layout.occupied_groups(), 2049);
        assert_eq!(layout.positions(2047).last(), Some((65535, 0)));
        assert!(layout.positions(2048).eq((0..32).map(|i| (i, 1))));
        assert!(Lanes::Line(AXIS + 3).contains(2, 1) && !Lanes::Line(AXIS + 3).contains(3, 1));
    }

    #[test]
    fn areas_are_quads_row_by_row() {
        let domain = Domain { i0: 3, j0: 1, i1: 4, j1: 1 };
        let layout = Layout::new(domain, 3);
        let all: Vec<_> = (0..layout.groups()).flat_map(|group| layout.positions(group)).collect();
        assert_eq!(all, [(2, 0), (3, 0), (2, 1), (3, 1), (4, 0), (5, 0), (4, 1), (5, 1)]);
        assert_eq!((layout.groups(), layout.occupied_groups()), (3, 2), "the first three places are outside");
        assert_eq!(Layout::new(Domain { i0: 1, ..Domain::default() }, 4).groups(), 0);
    }

    /// The group of a lane is the one that has its position, and each lane has one.
    #[test]
    fn lanes_are_in_the_groups_of_their_positions() {
        let areas = [(0, 0, 0, 0), (3, 1, 4, 1), (1, 1, 9, 6), (2, 3, 8, 3), (5, 0, 5, 9), (0, 2, 6, 5)];
        let areas = areas.map(|(i0, j0, i1, j1)| Lanes::Area(Domain { i0, j0, i1, j1 }));
        let lines = [0, 1, 7, 40].map(Lanes::Line);
        for lanes in areas.into_iter().chain(lines) {
            for width in [1, 3, 4, 8, 32] {
                let layout = Layout::new(lanes, width);
                let mut count = 0;
                for group in 0..layout.groups() {
                    for (i, j) in layout.positions(group) {
                        let is_lane = lanes.contains(i, j);
                        assert_eq!(layout.group_of(i, j), is_lane.then_some(group), "{lanes:?} {width}: ({i}, {j})");
                        count += u64::from(is_lane);
                    }
                }
                assert_eq!(count, lanes.count(), "{lanes:?} {width}");
                let quads = match lanes {
                    Lanes::Area(Domain { i0, j0, i1, j1 }) => (i1 / 2 - i0 / 2 + 1) * (j1 / 2 - j0 / 2 + 1),
                    Lanes::Line(count) => count.div_ceil(4),
                };
                let most = (u64::from(quads) * QUAD as u64).div_ceil(width as u64);
                assert!(layout.groups() <= most, "{lanes:?} {width}: {} groups", layout.groups());
            }
        }
        let long = Layout::new(Lanes::Line(AXIS + 3), 32);
        assert_eq!(
            [(0, 0), (31, 0), (32, 0), (2, 1), (3, 1)].map(|(i, j)| long.group_of(i, j)),
            [Some(0), Some(0), Some(1), Some(2048), None]
        );
        assert!(!Lanes::Line(AXIS + 3).contains(AXIS, 0), "coordinates are below it");
        let one = Domain::of_size(1, 1).expect("a position");
        assert_eq!((one.is_empty(), one.lanes(), Domain { i0: 1, ..one }.is_empty()), (false, 1, true));
        assert_eq!((Domain { j0: 1, ..one }.is_empty(), Domain { i0: 2, i1: 5, j0: 7, j1: 9 }.lanes()), (true, 12));
        assert_eq!(Domain::of_size(3, 2), Some(Domain { i0: 0, j0: 0, i1: 2, j1: 1 }));
        assert_eq!((Domain::of_size(0, 1), Domain::of_size(1, 0)), (None, None));
    }
}
