//! The lane IR: one intermediate language for the programs of all guest machines.
//!
//! A [`Function`] says what a *group* of W lanes does. W is the engine's choice, a multiple of 4 when quads matter; no
//! function can see it. Control flow is the group's: a block ends in a jump, in a branch on two uniforms, or in a branch on
//! whether a mask has any lane. Lanes never diverge; what would be divergence on the guest is data here, namely masks.
//! Values are in static single assignment form, with parameters of blocks where ways meet.
//!
//! - Types ([`Type`]): 32 untyped bits per lane, one bit per lane, one integer per group. Guest registers are untyped, so
//!   operations say how they read their operands.
//! - Operations ([`Op`]): one table gives names, types, effects and the exact rule of each; text, builder, verifier and the
//!   reference in `docs/lane-ir.md` come from it. Numbers follow `ctm-num`.
//! - Every operation computes in every lane of the group, in those that are not covered too. Only masks keep a lane from
//!   reading memory, writing it, or taking part in a decision.
//!
//! # Bits of NaNs
//!
//! The arithmetic operations do not fix the bits of a NaN result: hosts differ, and fixing them costs. `canon_nan` and
//! `pass_nan` fix them, as the guest has it. Whoever makes a function puts one of them after every arithmetic operation
//! whose guest fixes the bits; simplification removes those that nothing observes.
//!
//! Some operations *observe* the bits of an operand: stores, integer operations, writes of what is loaded from arrays, and
//! so on. Others care only whether it is a NaN: arithmetic, comparisons, conversions. Others pass the bits on: select,
//! minimum, maximum, signs, quads, parameters of blocks.
//!
//! # One canonical form where two would do
//!
//! There is no branch on *all*: it is a branch on *any* of the complement. There is no operation for an output modifier,
//! for 1/x or for 1/sqrt(x): they are a multiplication by a power of two, a division, a square root and a division, bit for
//! bit.
#![forbid(unsafe_code)]

mod ancestors;
mod attribute;
pub mod budget;
mod builder;
pub mod clock;
mod compact;
pub mod counts;
mod cursor;
pub mod domain;
pub mod effort;
mod entity;
mod facts;
mod function;
mod graph;
mod hash;
mod op;
mod reference;
pub mod run;
mod scalar;
mod simplify;
mod text;
mod verify;

pub use attribute::{
    Attribute, Bits, Channels, Denorm, ElementTest, ElementWrite, FloatTest, IntTest, QuadOrder, Round, Rounding, Zero,
};
pub use builder::{Builder, Variable};
pub use cursor::{Cursor, ParseCause, ParseError};
pub use entity::{Array, Block, Buffer, Inst, Surface, Table, Type, Value};
pub use facts::{Axis, LaneShape, LaneShapes, ValueRange, ValueRanges};
pub use function::{ArrayDecl, BranchTarget, Def, Function, SurfaceDecl, TableDecl, Terminator};
pub use graph::Graph;
pub use op::{Effect, NanBits, Op, OpInfo};
pub use reference::operation_reference;
pub use scalar::{evaluate, evaluate_pair};
pub use simplify::{
    assume_constants, assume_covered, hoist_invariants, hoist_invariants_within, run_inactive_lanes, simplify,
    simplify_once, simplify_once_within, simplify_with, simplify_within, version_full_mask_loops, zero_inactive_lanes,
};
pub use verify::{Location, VerifyCause, VerifyError, verify, verify_form};
