//! What functions do not do: their lanes leave, and have it done by the rules of the reference ([`super::resume`]).
//!
//! That is for instructions that few programs have, each in too many ways. What they access of memory comes into the log of accesses
//! ([`crate::footprint`]). Lanes that call for the same instruction have it done in the order of warps; where several instructions change a word, whose
//! order counts, the launch is one for the reference if they come in another one.

use super::pixels::{PixelArea, PixelLayout};
use super::specialisation::Specialisation;
use super::texture::is_sampled;
use crate::codes::{AtomOp, AtomType, ConstantMode, SurfaceType};
use crate::field::{FieldId, key};
use crate::footprint::AccessKind;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::StageLaunch;
use crate::operand::Reg;
use crate::program::Code;
use crate::table::{AtomicOp, Class, ConstantOp, FragmentOp, GlobalOp, SurfaceOp};
use std::collections::BTreeMap;

/// What a called instruction does with memory, if it accesses any.
pub(super) type Memory = Option<AccessKind>;

/// The instructions of a program that lanes call for.
pub(super) fn calls(code: &Code, specialisation: &Specialisation) -> BTreeMap<usize, Memory> {
    let is_quads = |pixels: &PixelLayout| !matches!(pixels.area, PixelArea::Lines { .. });
    let can_leave = matches!(specialisation.stage, Stage::Vertex | Stage::Tessellation) || {
        specialisation.has_grid || specialisation.pixels.as_ref().is_some_and(is_quads)
    };
    let instructions = code.instructions().iter().enumerate().filter(|_| can_leave);
    let called = instructions.clone().filter_map(|(index, i)| Some((index, call(i, specialisation)?)));
    let mut calls: BTreeMap<usize, Memory> = called.collect();
    // By themselves, they run in warps.
    if !calls.is_empty() {
        calls.extend(instructions.filter(|(_, i)| is_ordered(i)).map(|(index, _)| (index, Some(AccessKind::Ordered))));
    }
    calls
}

/// Whether a launch samples textures in ways that lanes call for, if they can leave.
pub fn samples_by_calls(launch: &StageLaunch) -> bool {
    let Some(specialisation) = Specialisation::of(launch) else { return false };
    launch.shader.code.instructions().iter().any(|instruction| match instruction.op().class() {
        Class::Texture(op) => !is_sampled(op, instruction, &specialisation),
        Class::Surface(_)
        | Class::Constant(_)
        | Class::Video(_)
        | Class::Global(_)
        | Class::Fragment(_)
        | Class::Raw
        | Class::Attribute(_)
        | Class::Special(_)
        | Class::Move(_)
        | Class::Local(_)
        | Class::Cache(_)
        | Class::System(_)
        | Class::Shared(_)
        | Class::Atomic(_)
        | Class::Float(_)
        | Class::Double(_)
        | Class::Compare(_)
        | Class::Integer(_)
        | Class::Bits(_)
        | Class::Convert(_)
        | Class::Flags(_)
        | Class::Exchange(_)
        | Class::Flow(_)
        | Class::Order(_) => false,
    })
}

/// Whether an instruction is an atomic access to global memory whose order counts.
fn is_ordered(instruction: &Instruction) -> bool {
    let Class::Atomic(op) = instruction.op().class() else { return false };
    let is_word = matches!(instruction.get(key::ATOM_TYPE), AtomType::U32 | AtomType::S32);
    let commutes = is_word && update(instruction.get(key::ATOM_OP), false).is_some();
    match op {
        AtomicOp::AtomCas => true,
        AtomicOp::Atom => !(commutes && instruction.dst().is_zero()),
        AtomicOp::Red => !commutes,
        AtomicOp::Atoms | AtomicOp::AtomsCas => false,
    }
}

/// What an instruction does with memory, if lanes call for it.
fn call(instruction: &Instruction, specialisation: &Specialisation) -> Option<Memory> {
    match instruction.op().class() {
        Class::Texture(op) => (!is_sampled(op, instruction, specialisation)).then_some(None),
        Class::Surface(op) => Some(Some(surface(op, instruction))),
        Class::Global(GlobalOp::St | GlobalOp::Stg) if instruction.get(key::MEMORY_SIZE).bytes() < 4 => {
            Some(Some(AccessKind::Write))
        }
        Class::Constant(ConstantOp::Ldc) => {
            (instruction.get(key::CONSTANT_MODE) != ConstantMode::Plain).then_some(None)
        }
        Class::Fragment(FragmentOp::Ipa) if specialisation.pixels.is_some() => {
            instruction.get(key::IDX).then_some(None)
        }
        Class::Video(_) => Some(None),
        Class::Global(_)
        | Class::Fragment(_)
        | Class::Raw
        | Class::Attribute(_)
        | Class::Special(_)
        | Class::Move(_)
        | Class::Local(_)
        | Class::Cache(_)
        | Class::System(_)
        | Class::Shared(_)
        | Class::Atomic(_)
        | Class::Float(_)
        | Class::Double(_)
        | Class::Compare(_)
        | Class::Integer(_)
        | Class::Bits(_)
        | Class::Convert(_)
        | Class::Flags(_)
        | Class::Exchange(_)
        | Class::Flow(_)
        | Class::Order(_) => None,
    }
}

/// What an instruction does with the memory of an image.
fn surface(op: SurfaceOp, instruction: &Instruction) -> AccessKind {
    let has_type = instruction.has(FieldId::SURFACE_TYPE);
    let ty = instruction.get(key::SURFACE_TYPE);
    let is_signed = ty == SurfaceType::S32;
    let is_word = has_type && (is_signed || ty == SurfaceType::U32);
    match op {
        SurfaceOp::Suld => AccessKind::Read,
        SurfaceOp::Sust => AccessKind::Write,
        SurfaceOp::Suatom if !instruction.dst().is_zero() => AccessKind::Ordered,
        SurfaceOp::Suatom | SurfaceOp::Sured => {
            let update = update(instruction.get(key::ATOM_OP), is_signed).filter(|_| is_word);
            update.unwrap_or(AccessKind::Ordered)
        }
        SurfaceOp::SuatomCas => AccessKind::Ordered,
    }
}

/// An atomic operation on an integer, if the order of several does not matter.
fn update(op: AtomOp, is_signed: bool) -> Option<AccessKind> {
    use AtomOp::*;
    match op {
        Add | And | Or | Xor => Some(AccessKind::Update(op, false)),
        Min | Max => Some(AccessKind::Update(op, is_signed)),
        Inc | Dec | Exch | SafeAdd | Invalid9 | Invalid11 | Invalid12 | Invalid13 | Invalid14 | Invalid15 => None,
    }
}

/// The registers that a called instruction may write.
pub(super) fn destinations(instruction: &Instruction) -> impl Iterator<Item = u8> {
    let second = if instruction.has(FieldId::RD2) { instruction.reg(key::RD2) } else { Reg::RZ };
    let of = |first: Reg, count: u8| (0..count).filter_map(move |k| first.0.checked_add(k));
    let none = instruction.op().is_store();
    of(instruction.dst(), 4).chain(of(second, 2)).filter(move |&number| !none && number < Reg::RZ.0)
}
