//! The function for groups that lie wholly inside the domain: most of them, and at times all.

use crate::ending::{longest, may_trap};
use ctm_lane::effort::Effort;
use ctm_lane::{Function, assume_covered, simplify_within};

/// Makes the function for groups all of whose lanes are covered, simplified, out of a function that has been simplified once. That is simplified
/// further where both come to the same, or where it may lose its loops or traps, as the interior does; otherwise it waits until other groups are there.
pub(crate) fn interior_of(function: &mut Function, effort: &Effort) -> Function {
    let mut interior = function.clone();
    if assume_covered(&mut interior) {
        simplify_within(&mut interior, effort);
        let loses_loops = longest(function).is_none() && longest(&interior).is_some();
        let loses_traps = may_trap(function) && !may_trap(&interior);
        if loses_loops || loses_traps {
            simplify_within(function, effort);
        }
        return interior;
    }
    simplify_within(function, effort);
    let mut interior = function.clone();
    assume_covered(&mut interior);
    interior
}
