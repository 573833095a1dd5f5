//! Why launches end early.

use ctm_lane::budget::Halt;
use thiserror::Error;

/// Why a launch did not complete. Groups before the one that stopped are complete; those after it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// A group came to a trap.
    #[error("trap {code} at instruction {pc}, in the group of lane ({x}, {y})")]
    Trap {
        /// The cause, in the guest's numbering.
        code: u16,
        /// The guest instruction.
        pc: u32,
        /// Column of the lane that stands for the group: the first that the trap concerns, else the first covered one.
        x: u32,
        /// Row of that lane.
        y: u32,
    },
    /// A group would have executed more steps than the options allow.
    #[error("step limit reached at instruction {pc}, in the group of lane ({x}, {y})")]
    StepLimit {
        /// The guest instruction that was one too many.
        pc: u32,
        /// Column of the lane that stands for the group, as above.
        x: u32,
        /// Row of that lane.
        y: u32,
    },
    /// The run was ended from outside: it was cancelled, or its budget was used up.
    #[error(transparent)]
    Halted(#[from] Halt),
}
