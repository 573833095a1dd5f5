//! The X1K (R5xx) fragment instruction set.
//!
//! - [`Instruction`]: decode and encode, total and inverse, from one field table;
//! - [`Program`]: instructions with their program information and constants;
//! - [`Effects`]: what an instruction really reads and writes.
#![forbid(unsafe_code)]

mod codes;
mod effects;
mod instruction;
mod program;
mod references;

pub use codes::*;
pub use effects::*;
pub use instruction::*;
pub use program::*;
