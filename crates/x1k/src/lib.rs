//! The X1K (R5xx) fragment instruction set.
//!
//! - [`Instruction`]: decode and encode, total and inverse, from one field table;
//! - [`Program`]: instructions with their program information and constants;
//! - [`Job`]: one run of a program, for any engine; [`reference::run`]: the golden model of the others;
//! - [`fragments`]: what runs over the fragments of a picture, with a texture unit;
//! - [`check::check`]: the rules of the machine, hazards and likely mistakes;
//! - [`Effects`]: what an instruction really reads and writes; [`Graph`]: what can follow it;
//! - [`text`]: the assembly language, both ways.
#![forbid(unsafe_code)]

pub mod check;
mod codes;
mod conditional;
pub mod debug;
mod effects;
pub mod engine;
pub mod fragments;
mod frames;
mod graph;
mod instruction;
mod interpolants;
mod job;
pub mod lift;
mod program;
pub mod reference;
mod references;
mod sampled;
pub mod text;
pub mod topics;

pub use codes::*;
pub use conditional::*;
pub use ctm_raster::sampler;
pub use effects::*;
pub use frames::FrameBuffer;
pub use graph::*;
pub use instruction::*;
pub use interpolants::*;
pub use job::*;
pub use program::*;
pub use sampled::{InputSampler, TEXTURE_KINDS, texture_kind_name};
