//! PVS: the programmable vertex shader of R3xx to R5xx graphics cards, in the form of the R5xx.
//!
//! - [`Instruction`]: decode and encode, total and inverse, from one table; [`Operation`] is what it does;
//! - [`Program`]: code, flow control, constants;
//! - [`text`]: the assembly language, both ways;
//! - [`check::check`]: what cannot run, likely mistakes;
//! - [`mod@reference`]: the golden model of what programs do;
//! - [`debug`]: debugger sessions over it.
#![forbid(unsafe_code)]

pub mod check;
mod codes;
pub mod debug;
mod instruction;
mod job;
pub mod lift;
mod operation;
mod program;
pub mod reference;
pub mod text;
pub mod topics;
mod uses;

pub use codes::{Component, DestinationKind, DestinationRegisters, Select, SourceKind};
pub use instruction::{AddressMode, DWORDS, Destination, Instruction, SOURCES, Source, Words};
pub use job::{Compiled, Job, Key, NotCompiled, RunError};
pub use operation::{MacroOp, MathOp, Operation, VectorOp};
pub use program::{
    ALTERNATES, CONSTANTS, CodeError, FLOW_ENTRIES, FlowEntry, FlowOp, INPUTS, MAX_DEPTH, MAX_INSTRUCTIONS, OUTPUTS,
    Program, TEMPORARIES,
};
pub use uses::Uses;
