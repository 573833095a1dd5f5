//! Looks at the budget of the run from inside of a group.
//!
//! Steps come to a group in slices. When a slice is used up, which is noticed where loops go back, the code calls [`poll`]: it
//! takes care of the limit on the group's steps, and looks at deadline, cancel flag and instruction budget. A loop pays
//! nothing for that but the counting of its steps.
#![allow(unsafe_code, reason = "machine code calls this with the pointers that it was called with")]

use crate::context::Context;
use crate::target::Target;
use ctm_lane::budget::{Halt, Poller};

/// Steps of a slice. A step takes 1 to 100 ns, so that a slice lasts 7 ms at most.
pub const SLICE: i64 = 1 << 16;

/// What a call of code may look at.
pub struct Monitor<'p, 'w> {
    pub poller: &'p mut Poller<'w>,
    /// The code leaves rules about NaNs to the invalid flag.
    pub speculates: bool,
    /// What ended the run.
    pub halt: Option<Halt>,
}

/// Gives a group its next slice, if it may go on; a negative number if not. `left` are the steps that are left, below 0.
///
/// # Safety
/// The context is that of the call, and its monitor points to a [`Monitor`] that nobody else uses during the call.
pub unsafe fn poll<T: Target>(context: *mut Context, left: i64) -> i64 {
    // SAFETY: the caller's promise; the code that calls does not use the context meanwhile.
    let context = unsafe { &mut *context };
    // SAFETY: the caller's promise.
    let monitor = unsafe { &mut *context.monitor.cast::<Monitor>() };
    // What was calculated since the flag went up means nothing, so exact code decides.
    if monitor.speculates && context.flags & T::INVALID != 0 {
        return -1;
    }
    let executed = context.slice + context.granted - left;
    if executed > context.step_limit {
        return -1;
    }
    if context.granted == 0 {
        monitor.poller.begin_group();
    }
    if let Err(halt) = monitor.poller.poll(context.instructions, (context.x, context.y)) {
        monitor.halt = Some(halt);
        return -1;
    }
    let next = SLICE.min(context.step_limit - executed);
    context.granted += next - left;
    next
}
