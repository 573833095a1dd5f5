//! The scalar reference: the guide's rules as plain code over decoded instructions, one group of lanes at a time. It is
//! the golden model of every other engine.
//!
//! A group runs one program counter. Lanes of a group come from 2x2 quads of the domain, and it has no effect on the
//! results how many of them there are (CTM Guide p.4). Programs that use the derivative operations see the other lanes of
//! their quad; where one of these does not run it helps, and then the quad is a group of its own, so that decisions in
//! it do not depend on the group width either.
#![deny(clippy::wildcard_enum_match_arm)]

mod alu;
mod cycle;
mod flow;
mod fragments;
mod group;
mod operands;
mod prepare;
mod registers;
mod schedule;
mod stepper;
mod tex;
mod view;

pub use fragments::{Shader, shade_observed, with_shader};
pub use group::{Lane, LaneKind};
pub use schedule::{run, run_group, run_observed, split_incomplete_quads};
pub use stepper::{Moment, Stepper};
