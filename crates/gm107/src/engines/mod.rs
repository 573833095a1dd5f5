//! What moves data without programs: uploads, copies, blits, clears.

pub mod blit;
pub mod clear;
pub mod copy;
pub mod upload;

use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;

/// Rows of work between two looks at the clock.
const ROWS_PER_CHECK: u64 = 64;

/// Looks at the clock now and then.
#[derive(Debug)]
pub struct Patience {
    deadline: Option<Instant>,
    rows: u64,
}

/// The submission takes longer than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late;

impl Patience {
    /// As these options say.
    pub fn new(options: &RunOptions) -> Self {
        Patience { deadline: options.budget.deadline, rows: 0 }
    }

    /// Another row of work is done.
    ///
    /// # Errors
    /// The time is up.
    pub fn row(&mut self) -> Result<(), Late> {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_PER_CHECK) && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Late);
        }
        Ok(())
    }
}
