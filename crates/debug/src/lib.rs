//! Debugger sessions over guest programs.
//!
//! A [`Session`] is over a run that a [`Guest`] executes step by step with its reference. It goes forward and back, stops at breakpoints
//! in both directions, and finds out who wrote a value. It works on memory of its own, so that looking changes nothing, and after the
//! same steps the state is always the same: going back is going to a checkpoint and forward again, and memory is put back from a record
//! of what was stored.
//!
//! [`Snapshot`]s are plain values for those who show a session: editors, terminals, pages.
#![forbid(unsafe_code)]

mod breakpoint;
mod checkpoints;
mod console;
mod expression;
mod guest;
mod location;
mod session;
mod snapshot;
mod target;
mod variables;

pub use breakpoint::{Breakpoint, BreakpointKind};
pub use console::{Answer, HELP, command};
pub use expression::{Expression, ExpressionError, cell_name, find_cell, number_of};
pub use guest::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    SourceText, StepOutcome,
};
pub use location::{Location, Origin, Test, Variable};
pub use session::{Direction, Position, Session, SessionError, StepKind, StopReason, Write};
pub use snapshot::{LaneSnapshot, Register, Snapshot, Value, parse_bits};
pub use target::{WriteTarget, WriteTargetError};
