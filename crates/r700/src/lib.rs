//! The R700 (and R600) shader instruction set.
//!
//! - [`Program`]: an image of qwords with program information; [`Outline`]: what it is made of;
//! - [`Cf`], [`Alu`], [`Fetch`]: instructions; decode and encode, total and inverse, from field tables;
//! - [`text`]: the assembly language, both ways;
//! - [`groups`], [`assign_units`], [`find_swizzles`]: the groups of an ALU clause, the units that execute them, and how
//!   these read their operands.
#![forbid(unsafe_code)]

mod alu;
mod cf;
pub mod check;
mod codes;
pub mod debug;
pub mod engine;
mod fetch;
mod gradient;
mod group;
mod job;
mod legal;
pub mod lift;
mod opcodes;
mod outline;
mod ports;
mod program;
mod reach;
pub mod reference;
mod resource;
mod stack;
mod target;
pub mod text;
pub mod topics;
mod uses;

pub use alu::*;
pub use cf::*;
pub use codes::*;
pub use fetch::*;
pub use gradient::{Component, Gradient, LinearPlane};
pub use group::*;
pub use job::*;
pub use legal::*;
pub use outline::*;
pub use ports::*;
pub use program::*;
pub use resource::*;
pub use stack::*;
pub use target::*;
pub use uses::*;
