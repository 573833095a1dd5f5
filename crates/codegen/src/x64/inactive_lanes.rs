//! What lanes calculate that nobody looks at.

use super::isa::VectorIsa;
use super::select::floats::floats;
use crate::speculation::NanUse;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, Op, run_inactive_lanes, version_full_mask_loops, zero_inactive_lanes};

/// Instructions of a block, at least, in which a number may run off to infinity: each pass of a loop that squares one takes some.
const LONG: usize = 128;
/// Instructions for each choice, at least.
const FOR_EACH: usize = 8;

/// Lets lanes that have left a loop go on in it where arithmetic raises no flags. Elsewhere they stand still, by choices that passes without a lane that leaves do
/// without, and lanes that do not come to a long block have zeros there.
pub fn prepare(function: &mut Function, isa: VectorIsa, effort: &Effort) {
    if isa.can_be_quiet() {
        run_inactive_lanes(function, effort, is_harmless);
    } else {
        version_full_mask_loops(function, effort);
        zero_inactive_lanes(function, effort, |insts, choices| insts >= LONG && insts >= choices * FOR_EACH);
    }
}

/// Whether code for an operation takes any numbers and NaNs in lanes that nobody looks at.
fn is_harmless(op: &Op) -> bool {
    match floats(op).nans {
        NanUse::Passed | NanUse::PassedByRule => true,
        NanUse::PassedRaising | NanUse::Raise | NanUse::Seen | NanUse::Stored => false,
    }
}
