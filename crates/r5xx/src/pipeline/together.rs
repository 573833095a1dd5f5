//! Which draws are drawn together: those between which nothing changes but what vertices are made of, if that cannot be told from drawing each by itself.

use super::DrawContext;
use super::program::VertexProgram;
use super::program::{FIRST_CONSTANT, FIRST_PLANE};
use super::programs::Programs;
use crate::ports::Port;
use crate::registers::{
    self, Rb3dAaresolveOffset, Rb3dColoroffset, RegisterFile, RegisterType, ValueFormat, VapAltNumVertices,
    VapIndexOffset, VapPvsConstCntl, VapPvsUploadData, VapPvsVectorIndx, VapVfMaxVtxIndx, VapVfMinVtxIndx,
    ZbDepthoffset,
};
use crate::state::State;
use crate::stream::{Command, Draw, VertexSource};
use ctm_card::{DrawCounts, Object};
use ctm_pvs::FlowOp;
use ctm_x1k::{Body, Program};
use std::sync::LazyLock;

/// Pairs of programs of which it is remembered that they come to their end.
const MOST: usize = 4096;

/// The registers of addresses: of what is written to, and of what is read.
static ADDRESSES: LazyLock<[Vec<u32>; 2]> = LazyLock::new(|| {
    let all = registers::map().all().iter().filter(|register| register.shown == ValueFormat::Address);
    let all = all.flat_map(|register| (0..register.count).map(|n| (register.address, n * register.stride)));
    let targets = [Rb3dColoroffset::ADDRESS, ZbDepthoffset::ADDRESS, Rb3dAaresolveOffset::ADDRESS];
    let (written, read): (Vec<_>, Vec<_>) = all.partition(|(first, _)| targets.contains(first));
    [written, read].map(|all| all.into_iter().map(|(first, offset)| first + offset).collect())
});

fn objects(registers: &RegisterFile, addresses: &[u32]) -> impl Iterator<Item = Object> {
    addresses.iter().filter_map(|&address| Some(registers.binding_at(address)?.object))
}

/// Whether an object shares no memory with what is drawn to.
fn is_apart(registers: &RegisterFile, object: Object) -> bool {
    let end = |object: Object| u64::from(object.address) + u64::from(object.size);
    objects(registers, &ADDRESSES[0])
        .all(|other| end(other) <= object.address.into() || end(object) <= other.address.into())
}

/// Whether a draw may be drawn together with others between which nothing changes: its programs come to their end, and nothing that is read is drawn to.
pub fn may_draw_together(state: &State, context: &DrawContext) -> bool {
    let hashes = || Programs::of(state, context).hashes();
    let is_safe = |cache: &super::DrawCache| hashes().is_some_and(|programs| cache.safe.borrow().contains(&programs));
    let registers = &state.registers;
    let mut read = objects(registers, &ADDRESSES[1]).chain(state.arrays.iter().map(|array| array.object));
    context.cache.is_some_and(is_safe) && read.all(|object| is_apart(registers, object))
}

/// A draw, and what changes before it.
#[derive(Clone, Copy)]
pub struct DrawStep<'c, 'w> {
    /// The changes.
    pub changes: &'c [Command<'w>],
    /// The draw.
    pub draw: &'c Draw<'w>,
}

/// Whether a draw may follow one with which it [may be drawn together](may_draw_together).
pub fn may_follow(state: &State, DrawStep { changes, draw }: &DrawStep) -> bool {
    let reads_apart = match draw.vertices {
        VertexSource::IndexBuffer { object, .. } => is_apart(&state.registers, object),
        VertexSource::List | VertexSource::Embedded(_) | VertexSource::EmbeddedIndices(_) => true,
    };
    let mut cursor = None;
    reads_apart && changes.iter().all(|command| changes_vertices_alone(state, command, &mut cursor))
}

/// Whether a command changes nothing but what vertices are made of: the constants of their program, arrays, and how they are counted. The next
/// vector that is uploaded goes to `cursor`.
fn changes_vertices_alone(state: &State, command: &Command, cursor: &mut Option<usize>) -> bool {
    let registers = &state.registers;
    match *command {
        Command::Write { address, value, object: None } => match address {
            VapPvsVectorIndx::ADDRESS => {
                *cursor = Some(VapPvsVectorIndx::decode(value).index.into());
                true
            }
            // How many there are is a part of the program.
            VapPvsConstCntl::ADDRESS => VapPvsConstCntl::decode(value).max == registers.get::<VapPvsConstCntl>().max,
            VapIndexOffset::ADDRESS
            | VapVfMaxVtxIndx::ADDRESS
            | VapVfMinVtxIndx::ADDRESS
            | VapAltNumVertices::ADDRESS => true,
            _ => changes_nothing(registers, address, value, None),
        },
        Command::Write { address, value, object } => changes_nothing(registers, address, value, object),
        Command::Upload { address: VapPvsUploadData::ADDRESS, values } if values.len().is_multiple_of(4) => {
            let Some(first) = *cursor else { return false };
            let end = first + values.len() / 4;
            *cursor = Some(end);
            first >= FIRST_CONSTANT && end <= FIRST_PLANE
        }
        Command::Upload { .. } | Command::Draw(_) => false,
        Command::VertexArrays(ref arrays) => arrays.iter().all(|array| is_apart(registers, array.object)),
    }
}

/// Whether it changes nothing to write this to a register.
fn changes_nothing(registers: &RegisterFile, address: u32, value: u32, object: Option<Object>) -> bool {
    // Others take what is written each time, or are told of.
    Port::of(address).is_none() && registers::map().at(address).is_some() && registers.holds(address, value, object)
}

/// Notes that programs came to their end. Those that go from instruction to instruction do so always.
pub fn note(programs: &Programs, context: &DrawContext, counts: &DrawCounts) {
    let Some(cache) = context.cache.filter(|_| counts.vertices > 0 && counts.fragments > 0) else { return };
    let Some((vertices, hashes)) = programs.vertices.as_ref().zip(programs.hashes()) else { return };
    let mut safe = cache.safe.borrow_mut();
    if !safe.contains(&hashes) && is_straight(&vertices.program) && is_straight_line(&programs.fragments.program) {
        if safe.len() >= MOST {
            safe.clear();
        }
        safe.insert(hashes);
    }
}

fn is_straight(VertexProgram { program, .. }: &VertexProgram) -> bool {
    program.flow.iter().all(|entry| entry.op == FlowOp::None)
}

fn is_straight_line(program: &Program) -> bool {
    program.code.iter().all(|instruction| !matches!(instruction.body, Body::Flow(_)))
}

#[cfg(test)]
mod tests;
