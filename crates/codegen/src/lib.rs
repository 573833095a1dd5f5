//! Makes machine code of lane IR for the host, and knows the engines by name.
//!
//! An [`EngineName`] names what executes jobs, machine code or not, and says what this host has. [`fault::install`] makes faults
//! of machine code errors of its run.
//!
//! # From a function to machine code
//!
//! 1. *Selection* (a target's) turns a function into machine instructions over virtual registers (`mir`), with one loop
//!    around it that goes over the groups of a row. Two pieces of code come out: one for groups that are wholly covered and
//!    whose accesses at fixed distances stay inside their surfaces, and one for all others.
//! 2. Groups may be *interleaved*, masks and what loops carry *split*, and instructions *reordered*.
//! 3. *Allocation* assigns locations to the virtual registers; *emission* makes bytes.
//! 4. *Checks* show of the instructions that no access leaves its object, and of the bytes that they are these instructions.
//!
//! All of this is written for any target (`target`); targets are the modules for which there are hosts.
//!
//! # Rules about NaNs
//!
//! Guests say what becomes of NaNs: zero times one of them may be zero, and results may have bits of their own. That costs
//! nothing here while nobody looks at a NaN (`speculation` has the argument): the code calculates as IEEE 754 says,
//! and the processor's sticky flag for invalid operations says afterwards whether that was enough. When the flag is up, the strip
//! of groups runs again with exact code, over what the first try has written; so this is done only where the second run
//! overwrites all of it and reads none of it.
//!
//! # Nothing is trusted
//!
//! Before code runs, `check` shows of the final instructions that no access leaves its object, and, where that is asked
//! for, of the bytes that they are these instructions. Code that it cannot show this of is made once more without anything
//! that is known of the function's values; if that does not help, the interpreter runs the function.
//! [`Backend::code_counts`](ctm_engine::Backend::code_counts) says how often.
//!
//! # Stops
//!
//! A group that traps, or has executed more steps than it may, leaves the code at once; steps are counted in a register,
//! which is looked at where loops go back and at the end of the group. A stop while the flag is up says nothing: exact code
//! decides. There, too, the code looks at the run's budget (`poll`), and the caller between calls, which it keeps
//! short where groups have loops.
//!
//! # Faults
//!
//! Everything that code accesses lies between guard regions ([`Pages`](ctm_memory::Pages)), at least as wide as an index of 32
//! bits reaches. Should an access escape in spite of everything, it faults there. With a handler installed (`fault`), the
//! call then ends, the run with it, and the kernel is interpreted from then on.
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::wildcard_enum_match_arm, reason = "a new operation must not lose its machine code")
)]
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports, reason = "there is no target for this host"))]

mod allocate;
mod backend;
mod bound_code;
mod check;
mod code_checks;
mod code_piece;
mod columns;
mod commute_spilled;
mod constants;
mod context;
mod counts;
mod emit;
mod engines;
pub mod fault;
mod groups;
mod interleave;
mod interleave_cost;
mod kernel;
mod memory;
mod mir;
#[cfg(test)]
mod mock;
mod poll;
mod prefetch;
mod recurrence_latency;
mod resources;
mod run;
mod scheduling;
mod select;
mod share_rows;
mod share_spill_loads;
mod speculation;
mod speculation_retry;
mod split_loop_carried;
mod split_masks;
mod target;
#[cfg(target_arch = "x86_64")]
pub mod x64;

pub use engines::{EngineName, NoEngine};
