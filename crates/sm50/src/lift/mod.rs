//! From programs to lane IR.
//!
//! What a lane does depends on its own values only, if the program neither votes nor reads what other lanes write. So the
//! order in which the two sides of a divergent branch execute is of no account, and tokens of divergence are not needed: a
//! lane is at a place in the code, with tokens of its own on the stack (`graph`). The places with their tokens are the
//! nodes of a graph; the function visits them in one order, each with the lanes that wait there (`flow`). A branch that
//! nobody takes costs a test; sides that meet again, meet as soon as they can. Programs whose lanes do depend on each other,
//! and fragments that look at others of their quad, are lifted if the function keeps the order of warps (`order`).
//!
//! Registers, predicates and flags are values; constant banks are tables, attribute memory is buffers, local memory an
//! array.
//!
//! Where a program does something that it should not, the function traps, and that is all it says: whoever runs it lets the
//! reference run the launch again, which knows the error, or what to warn of. There is one kind of trap therefore, and
//! what happens on the way to it does not matter. Instructions that few programs have are also traps.
#![deny(clippy::wildcard_enum_match_arm)]

mod attribute;
mod bits;
mod compare;
mod conversion;
mod float;
mod flow;
mod fragment;
mod function;
mod global;
mod graph;
mod integer;
mod machine;
mod memory;
mod operand;
mod order;
mod pixels;
mod special;
mod specialisation;
mod texture;

pub use pixels::{InputKind, PixelLayout};
pub(crate) use pixels::{lanes, pixel_values, primitive_values, quad_words};
pub use specialisation::*;
pub use texture::{BoundTexture, TextureLayout};
pub(crate) use texture::{handle_bank, texel_words};

use crate::codes::BarrierOp;
use crate::field::key;
use crate::operand::{PredSource, Reg};
use crate::program::Code;
use crate::table::Op;
use ctm_lane::Function;
use ctm_lane::effort::Effort;

/// A program as a function, for a line of lanes, one for each invocation, or for an area of pixels.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The function.
    pub function: Function,
    /// What its tables hold.
    pub tables: Vec<TableBinding>,
    /// What its buffers are.
    pub buffers: Vec<BufferBinding>,
    /// What a lane does depends on no other lane but those of its quad. Otherwise groups are warps, whose lanes execute operation by operation.
    pub is_independent: bool,
    /// For each kind of access to global memory, in the order of the log ([`Footprints`](crate::footprint::Footprints)), whether it writes.
    pub footprints: Vec<bool>,
    /// The program reads records that the launch writes, so that a second run of the launch would see those of the first.
    pub reads_back: bool,
}

/// Why a program is not lifted. The reference runs it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLifted {
    /// Too many ways through the program, too much local memory, or more than the effort.
    #[error("the program is too large, or its tokens nest in too many ways")]
    TooLarge,
    /// A branch to an address in a register.
    #[error("the program branches to an address in a register")]
    IndexedBranch,
    /// Lanes read what others write, and the order in which they do so is that of a warp.
    #[error("the program's lanes depend on each other and diverge")]
    Dependent,
    /// Textures whose handles are in registers, or that are sampled in ways that few programs have.
    #[error("the program samples textures in ways that are left to the reference")]
    Texture,
    /// Images.
    #[error("the program accesses images")]
    Image,
    /// Shared memory, or atomic accesses.
    #[error("the program accesses shared memory, or memory in atomic ways")]
    SharedMemory,
    /// Barriers at which the warps of a block may wait for each other in ways that only running shows.
    #[error("the warps of a block wait for each other at barriers")]
    Barrier,
    /// Global memory that the launch does not have, or stores of less than four bytes to it.
    #[error("the program accesses global memory in ways that are left to the reference")]
    GlobalMemory,
}

type Walked<T> = Result<T, NotLifted>;

fn has_barriers(code: &Code) -> bool {
    code.instructions().iter().any(|instruction| instruction.op() == Op::Bar)
}

/// Whether all warps of a block that runs this code from the first instruction to the last one, without a branch, come to its barriers.
/// Then nobody waits for ever, and who accesses what others write shows in the log.
fn barriers_are_met(code: &Code) -> bool {
    let barriers = code.instructions().iter().filter(|instruction| instruction.op() == Op::Bar);
    barriers.into_iter().all(|barrier| {
        let named = barrier.get(key::BARRIER_ID_IMM) || barrier.get(key::BARRIER_ID) == Reg::RZ.0;
        let none = if barrier.get(key::BARRIER_COUNT_IMM) { 0 } else { Reg::RZ.0.into() };
        let all = barrier.get(key::BARRIER_COUNT) == none;
        let waits = barrier.get(key::BARRIER_OP) == BarrierOp::Sync;
        barrier.guard() == PredSource::TRUE && named && all && waits
    })
}

/// Lifts a program.
///
/// # Errors
/// If the program has no such form.
pub fn lift(code: &Code, specialisation: &Specialisation) -> Result<Lifted, NotLifted> {
    lift_within(code, specialisation, &Effort::default())
}

/// The same, if it does not take more than the effort.
///
/// # Errors
/// If it does, or the program has no such form.
pub fn lift_within(code: &Code, specialisation: &Specialisation, effort: &Effort) -> Result<Lifted, NotLifted> {
    let graph = graph::Graph::new(code, specialisation)?;
    if specialisation.has_company && has_barriers(code) && !(graph.is_straight() && barriers_are_met(code)) {
        return Err(NotLifted::Barrier);
    }
    let mut machine = machine::LiftState::new(code, specialisation)?;
    flow::walk(&mut machine, &graph, effort)?;
    let looks = machine.depends || machine.uses_quads || graph.kills();
    if machine.disordered && machine.depends || looks && !graph.keeps_order(code) {
        return Err(NotLifted::Dependent);
    }
    Ok(machine.done())
}
