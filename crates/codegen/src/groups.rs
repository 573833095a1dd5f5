//! How many groups code takes at a time.

use ctm_lane::Axis;

/// Groups that code takes at a time: so many side by side, and so many one below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    pub columns: u32,
    pub rows: u32,
}

impl Groups {
    pub const ONE: Self = Self { columns: 1, rows: 1 };
    /// What any number that is worth it divides: two, three or four columns, two or four rows.
    pub const ANY: Self = Self { columns: 12, rows: 4 };

    /// So many on an axis.
    pub fn along(axis: Axis, count: u32) -> Self {
        match axis {
            Axis::X => Self { columns: count, rows: 1 },
            Axis::Y => Self { columns: 1, rows: count },
        }
    }

    pub fn count(self) -> u32 {
        self.columns * self.rows
    }

    /// Whether a whole number of times as many are the others.
    pub fn divides(self, others: Self) -> bool {
        others.columns.is_multiple_of(self.columns) && others.rows.is_multiple_of(self.rows)
    }
}
