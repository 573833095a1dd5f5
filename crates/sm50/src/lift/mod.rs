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
mod block;
mod calls;
mod compare;
mod conversion;
mod float;
mod flow;
mod fragment;
mod function;
mod global;
mod graph;
mod integer;
mod lines;
mod machine;
mod memory;
mod operand;
mod order;
mod pixels;
mod resume;
mod special;
mod specialisation;
mod texture;

pub(crate) use block::OWNER_BITS;
pub use calls::samples_by_calls;
pub(crate) use global::TURNS_BYTES;
pub use lines::{LineBinding, line_inputs};
pub use pixels::{InputKind, PixelArea, PixelLayout};
pub(crate) use pixels::{lanes, pixel_values, primitive_values, quad_words, quads_across};
pub(crate) use resume::{BITS, CALLS, ENDED, FIRST_REGISTER, FLAGS, HELPER_BIT, PREDICATES, RESUME, WAITS, WAYS};
pub use specialisation::*;
pub use texture::{BoundTexture, TextureLayout};
pub(crate) use texture::{handle_bank, texel_words};

use crate::codes::BarrierOp;
use crate::field::{FieldId, key};
use crate::footprint::AccessKind;
use crate::operand::{PredSource, Reg};
use crate::program::Code;
use crate::table::{AtomicOp, Class, Op};
use ctm_lane::Function;
use ctm_lane::effort::Effort;
use graph::{End, Leaves};
use std::collections::{BTreeMap, BTreeSet};

/// A program as a function, for a line of lanes, one for each invocation, or for an area of pixels.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The function.
    pub function: Function,
    /// What its tables hold.
    pub tables: Vec<TableBinding>,
    /// What its buffers are.
    pub buffers: Vec<BufferBinding>,
    /// What its surfaces are.
    pub lines: Vec<LineBinding>,
    /// What a lane does depends on no other lane but those of its quad. Otherwise groups are warps, whose lanes execute operation by operation.
    pub is_independent: bool,
    /// What each kind of access to global memory does, in the order of the log ([`Footprints`](crate::footprint::Footprints)).
    pub footprints: Vec<AccessKind>,
    /// Lanes see what others did to global memory in atomic ways: warps run one after the other.
    pub is_sequential: bool,
    /// The program reads records that the launch writes, so that a second run of the launch would see those of the first.
    pub reads_back: bool,
    /// Lanes leave the function and come back, at barriers and for calls.
    pub resumes: Option<ResumePlan>,
}

/// How lanes leave a function and come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePlan {
    /// Columns of what lanes keep.
    pub columns: u32,
    /// The registers among them.
    pub registers: Vec<u8>,
    /// The places where lanes go on after barriers, each with the number of the barrier.
    pub barriers: Vec<(u32, u32)>,
    /// The places where lanes come back from calls.
    pub calls: Vec<(u32, Call)>,
}

/// Something that is done for lanes while they are not in their function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The instruction.
    pub instruction: usize,
    /// What it does with memory, if it accesses any, as a number in [`Lifted::footprints`].
    pub footprint: Option<usize>,
    /// Warps come to it once at most, with all of their lanes that do.
    pub is_once: bool,
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
    /// Textures that are sampled in ways for which lanes would call, where they cannot.
    #[error("the program samples textures in ways that are left to the reference")]
    Texture,
    /// Images, where lanes cannot call for them.
    #[error("the program accesses images in ways that are left to the reference")]
    Image,
    /// Atomic accesses to pairs of words of shared memory, or shared memory outside of blocks.
    #[error("the program accesses pairs of words of shared memory in atomic ways, or shared memory without a block")]
    SharedMemory,
    /// Barriers at which not all warps of a block wait for each other.
    #[error("the program has barriers with conditions, or of some warps")]
    Barrier,
    /// Global memory that the launch does not have, stores of less than four bytes to it, or atomic accesses to pairs of words or floats.
    #[error("the program accesses global memory in ways that are left to the reference")]
    GlobalMemory,
}

type Walked<T> = Result<T, NotLifted>;

fn has_barriers(code: &Code) -> bool {
    code.instructions().iter().any(|instruction| instruction.op() == Op::Bar)
}

/// Whether the barriers of a program are of all warps of a block, and nothing but that. If its code is straight, besides, nobody waits for
/// ever, and who accesses what others write shows in the log.
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
    let calls = calls::calls(code, specialisation);
    // Otherwise the function may still do without them, and trap there.
    if !calls.is_empty()
        && let Ok(lifted) = lift_resuming(code, specialisation, &calls, effort)
    {
        return Ok(lifted);
    }
    let no_calls = BTreeSet::new();
    let graph = graph::Graph::new(code, specialisation, Leaves { at_barriers: false, at_calls: &no_calls })?;
    if shares_memory(code) || specialisation.has_company && has_barriers(code) && !graph.is_straight() {
        return lift_resuming(code, specialisation, &BTreeMap::new(), effort);
    }
    if specialisation.has_company && has_barriers(code) && !barriers_are_met(code) {
        return Err(NotLifted::Barrier);
    }
    let mut machine = machine::LiftState::new(code, specialisation, false)?;
    flow::walk(&mut machine, &graph, effort)?;
    check_order(&machine, &graph, code)?;
    Ok(machine.done())
}

/// Lanes that look at each other do so in the order of warps.
fn check_order(machine: &machine::LiftState, graph: &graph::Graph, code: &Code) -> Walked<()> {
    let looks = machine.depends || machine.uses_quads || graph.kills();
    let is_kept = !(machine.disordered && machine.depends || looks && !graph.keeps_order(code));
    is_kept.then_some(()).ok_or(NotLifted::Dependent)
}

fn shares_memory(code: &Code) -> bool {
    code.instructions().iter().any(|instruction| {
        let class = instruction.op().class();
        matches!(class, Class::Shared(_) | Class::Atomic(AtomicOp::Atoms | AtomicOp::AtomsCas))
    })
}

/// Lifts a program whose lanes leave the function: threads that share memory, or wait for each other in the middle of loops, and lanes that call.
fn lift_resuming(
    code: &Code,
    specialisation: &Specialisation,
    calls: &BTreeMap<usize, Option<AccessKind>>,
    effort: &Effort,
) -> Result<Lifted, NotLifted> {
    let shares = shares_memory(code);
    if shares && !specialisation.has_grid {
        return Err(NotLifted::SharedMemory);
    }
    let at_barriers = has_barriers(code) && (shares || specialisation.has_company);
    if at_barriers && !barriers_are_met(code) {
        return Err(NotLifted::Barrier);
    }
    let at_calls = calls.keys().copied().collect();
    let graph = graph::Graph::new(code, specialisation, Leaves { at_barriers, at_calls: &at_calls })?;
    let called = calls.keys().flat_map(|&index| calls::destinations(&code.instructions()[index]));
    let called: BTreeSet<u8> = called.collect();
    // The registers that lanes keep, and whether they come in the order of warps, are known after the first time.
    let (mut kept, mut in_order) = (BTreeSet::new(), false);
    for is_first in [true, false] {
        let mut machine = machine::LiftState::new(code, specialisation, true)?;
        machine.enter(&kept, !calls.is_empty());
        if shares {
            machine.enter_block(in_order);
        }
        flow::walk(&mut machine, &graph, effort)?;
        // Warps are not stopped in the middle.
        if machine.depends && !calls.is_empty() {
            return Err(NotLifted::Dependent);
        }
        check_order(&machine, &graph, code)?;
        if !is_first {
            return Ok(finish(machine, &graph, calls));
        }
        kept = std::mem::take(&mut machine.written);
        kept.extend(&called);
        in_order = machine.depends;
    }
    Err(NotLifted::TooLarge)
}

/// The function of lanes that come back, and how.
fn finish(machine: machine::LiftState, graph: &graph::Graph, calls: &BTreeMap<usize, Option<AccessKind>>) -> Lifted {
    let code = machine.code;
    let barrier = |(node, instruction): (usize, usize)| {
        let number = code.instructions()[instruction].value(FieldId::BARRIER_ID);
        let place = flow::place_of(node) | if calls.is_empty() { 0 } else { WAITS };
        (place, if number == u32::from(Reg::RZ.0) { 0 } else { number })
    };
    let registers = machine.kept_registers();
    let columns = machine.state_columns();
    let barriers = graph.resumes().map(barrier).collect();
    let keeps_order = graph.keeps_order(code);
    let last_back = graph.last_back();
    let is_once = |instruction: usize| {
        let calls = |node: &graph::Node| matches!(node.end, End::Call(_)) && node.instructions.end == instruction + 1;
        let mut nodes = (0..graph.nodes.len()).filter(|&at| calls(&graph.nodes[at]));
        let in_loop = |at: usize| last_back[..=at].iter().flatten().any(|&last| last >= at);
        keeps_order && nodes.next().is_some_and(|at| !in_loop(at)) && nodes.next().is_none()
    };
    let mut lifted = machine.done();
    let call = |(node, instruction): (usize, usize)| {
        let footprint = calls.get(&instruction).copied().flatten().map(|kind| {
            lifted.footprints.push(kind);
            lifted.footprints.len() - 1
        });
        (flow::place_of(node), Call { instruction, footprint, is_once: is_once(instruction) })
    };
    let calls = graph.returns().map(call).collect();
    lifted.resumes = Some(ResumePlan { columns, registers, barriers, calls });
    lifted
}
