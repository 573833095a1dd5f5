//! The contract of selection: what a target is asked for, and what it gives.

use crate::mir::MachineFunction;

/// What selection assumes.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Groups are quads side by side, two rows high; otherwise they are parts of a row.
    pub quads: bool,
    /// All lanes are covered, and the group lies inside the window.
    pub interior: bool,
    /// Rules about NaNs are left to IEEE rules; the caller looks at the invalid flag.
    pub speculates: bool,
    /// Groups may trap or execute too many steps.
    pub may_stop: bool,
    /// Nothing is taken from what is known of values: every access is by clamps and masks of its own.
    pub explicit: bool,
}

/// Positions at which accesses to surfaces at fixed distances stay inside, bounds inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub x: (i64, i64),
    pub y: (i64, i64),
}

/// Machine code for a function, and where it may run.
pub struct Selected<O> {
    pub machine: MachineFunction<O>,
    pub window: Window,
    /// The code speculates on NaNs, as the mode allows; otherwise it is exact.
    pub speculates: bool,
}
