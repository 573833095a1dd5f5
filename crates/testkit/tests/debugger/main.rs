//! Debugger sessions over generated programs: what they show is what the reference does, in any order of looking.
//!
//! `CTM_DEBUG_PROGRAMS` says how many programs of each kind run; the usual number keeps the test short.

mod r700;
mod sm50;
mod way;
mod x1k;
