//! The X1K (R5xx) fragment instruction set.
//!
//! - [`Instruction`]: decode and encode, total and inverse, from one field table;
//! - [`Program`]: instructions with their program information and constants.
#![forbid(unsafe_code)]

mod codes;
mod instruction;
mod program;

pub use codes::*;
pub use instruction::*;
pub use program::*;
