//! The scalar reference: the guides' rules as plain code over decoded instructions, one wavefront at a time.
//!
//! It is slow, and the golden model of every other engine. [`run`] is its entry point; inside,
//!
//! - `control`, `flow`: pixel states, the stack, and the branch and loop instructions;
//! - `clause`, `operation`, `registers`: ALU clauses;
//! - `fetch`, `element`: vertex and memory fetches; `sample`, `level`, `cube`: texture look-ups;
//! - `export`: exports and memory writes;
//! - `wavefront`, `machine`, `schedule`: what puts them together;
//! - `view`: what observers are shown;
//! - `stepper`: wavefronts that debuggers run step by step.
#![deny(clippy::wildcard_enum_match_arm)]

mod clause;
mod control;
mod cube;
mod element;
mod export;
mod fetch;
mod flow;
mod level;
mod machine;
mod operation;
mod registers;
mod sample;
mod schedule;
mod stepper;
mod view;
mod wavefront;

pub use element::ElementDecoder;
pub(crate) use element::{ComponentEncoding, element_bytes, one, parts};
pub use schedule::{run, run_observed};
pub(crate) use stepper::{Moment, StackEntry, Stepper};
