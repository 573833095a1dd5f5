//! Debugger sessions over generated programs: what they show is what the reference does, in any order of looking.
//!
//! `CTM_DEBUG_PROGRAMS=2500` has sessions over so many programs of each instruction set instead of what a test says, and `CTM_DEBUG_PROGRAMS_FIRST` is the
//! first seed: the one that failed, or one that was never tried.

mod lane_trace;
mod pvs;
mod r700;
mod sm50;
mod writes;
mod x1k;
