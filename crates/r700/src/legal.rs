//! The rules that an ALU group must keep to be issued at all. A group that breaks one traps where it is to execute, and
//! the check refuses it beforehand.

use crate::alu::{Alu, Effect, Op2Fields, Selector};
use crate::codes::{Channel, IndexMode, PredicateSelect};
use crate::group::{GROUP_SLOTS, Group, Unit, UnitError, assign_units};
use crate::program::ProgramInfo;
use thiserror::Error;

/// What is wrong with a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GroupError {
    /// The clause ends inside the group.
    #[error("the clause ends before the group does")]
    CutOff,
    /// No unit for an instruction.
    #[error(transparent)]
    Units(#[from] UnitError),
    /// A reduction that is not the same in x, y, z and w.
    #[error("{0} must stand in all four vector units, with the same modifiers")]
    Reduction(&'static str),
    /// Two instructions write one register channel.
    #[error("two instructions write R{gpr}.{}", .chan.name())]
    WriteCollision {
        /// The register, as the words have it.
        gpr: u8,
        /// The channel.
        chan: Channel,
    },
    /// More than one instruction sets the predicate or the active mask.
    #[error("two instructions set the predicate or the active mask")]
    TwoUpdates,
    /// `PRED_SEL` 1.
    #[error("PRED_SEL has the reserved value 1")]
    PredicateSelect,
    /// A relative operand with an `INDEX_MODE` from 5 on.
    #[error("INDEX_MODE has a reserved value")]
    IndexMode,
    /// A source selector that is reserved.
    #[error("source selector {0} is reserved")]
    Selector(u8),
    /// A relative operand in the constant cache.
    #[error("a constant-cache operand is relative; windows move with KCACHE_MODE LOCK_LOOP_INDEX only")]
    RelativeKcache,
}

/// Checks a group, and finds the unit of each of its instructions.
///
/// # Errors
/// The first rule that the group breaks.
pub fn legal_group(group: &Group, info: &ProgramInfo) -> Result<Vec<Unit>, GroupError> {
    if group.cut_off {
        return Err(GroupError::CutOff);
    }
    let units = assign_units(&group.slots, info.family, info.prefer_vector)?;
    reductions(group)?;
    destinations(group, info)?;
    let updates = group.slots.iter().filter(|slot| {
        let sets = |op2: &Op2Fields| op2.update_pred || op2.update_execute_mask;
        slot.op.properties().effect == Effect::Predicate && slot.op2().is_some_and(sets)
    });
    if updates.count() > 1 {
        return Err(GroupError::TwoUpdates);
    }
    for slot in &group.slots {
        if slot.fields.pred_sel == PredicateSelect::Reserved1 {
            return Err(GroupError::PredicateSelect);
        }
        let relative_dst = slot.fields.dst.relative && slot.writes();
        let relative = relative_dst || slot.operands().any(|operand| operand.relative);
        let reserved =
            matches!(slot.fields.index_mode, IndexMode::Reserved5 | IndexMode::Reserved6 | IndexMode::Reserved7);
        if relative && reserved {
            return Err(GroupError::IndexMode);
        }
        for operand in slot.operands() {
            match operand.selector {
                Selector::Reserved(sel) => return Err(GroupError::Selector(sel)),
                Selector::Kcache { .. } if operand.relative => return Err(GroupError::RelativeKcache),
                _ => {}
            }
        }
    }
    Ok(units)
}

/// A reduction stands in all vector units, so that its operands are those of the four.
fn reductions(group: &Group) -> Result<(), GroupError> {
    let reductions = group.slots.iter().filter(|slot| slot.op.properties().reduction().is_some());
    let reductions: Vec<&Alu> = reductions.collect();
    let Some(first) = reductions.first() else { return Ok(()) };
    let same =
        |slot: &&Alu| slot.op == first.op && slot.omod() == first.omod() && slot.fields.clamp == first.fields.clamp;
    // Units are assigned, so these are different ones.
    if reductions.len() == GROUP_SLOTS - 1 && reductions.iter().all(same) {
        return Ok(());
    }
    Err(GroupError::Reduction(first.op.name().unwrap_or_default()))
}

/// Destinations differ as they are written, but for what is discarded. (Relative ones are compared again when their registers
/// are known.)
fn destinations(group: &Group, info: &ProgramInfo) -> Result<(), GroupError> {
    let discards = |slot: &Alu| !slot.fields.dst.relative && info.discards(slot.fields.dst.gpr);
    let writes = |slot: &&Alu| slot.writes() && slot.op.properties().effect != Effect::Address && !discards(slot);
    let writers = group.slots.iter().filter(writes);
    let mut written = Vec::with_capacity(GROUP_SLOTS);
    for slot in writers {
        let key = (slot.fields.dst, slot.fields.dst.relative.then_some(slot.fields.index_mode));
        if written.contains(&key) {
            return Err(GroupError::WriteCollision { gpr: slot.fields.dst.gpr, chan: slot.fields.dst.chan });
        }
        written.push(key);
    }
    Ok(())
}
