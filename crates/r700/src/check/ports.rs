//! Read ports: whether the operands of a group can be fetched in three cycles.
//!
//! Every cycle delivers one register for each channel; BANK_SWIZZLE says in which cycle each source of an instruction is
//! read (R700 guide 4-12; Mesa's `check_vector`, `check_scalar` and `reserve_cfile`; LLVM's `R600InstrInfo`).

use super::{Code, Findings, Place};
use crate::alu::{Alu, Operand, Selector};
use crate::codes::{BankSwizzle, Family, IndexMode};
use crate::group::Unit;
use std::collections::BTreeSet;

/// Most constants of the trans unit.
const TRANS_CONSTANTS: usize = 2;
/// Most different constants of the constant file and cache in a group.
const GROUP_CONSTANTS: usize = 4;
/// Most different xy or zw halves of such constants that compilers use on R700.
const GROUP_HALVES: usize = 2;
const CYCLES: usize = 3;

/// What a register port delivers: a register, and whether an index is added.
type Register = (u8, bool);

fn register(operand: &Operand) -> Option<Register> {
    match operand.selector {
        Selector::Gpr(gpr) => Some((gpr, operand.relative)),
        _ => None,
    }
}

fn is_constant(operand: &Operand) -> bool {
    matches!(
        operand.selector,
        Selector::Kcache { .. } | Selector::Constant(_) | Selector::Literal | Selector::Special(_)
    )
}

/// Checks a group whose units are known.
pub(super) fn check(units: &[(Unit, &Alu)], family: Family, place: Place, findings: &mut Findings) {
    if let Err(message) = reads(units) {
        let help = "choose other bank swizzles, copy an operand to another register, or split the group";
        findings.inside(Code::ReadPorts, place, message, help);
    }
    constants(units, family, place, findings);
    let modes: BTreeSet<u8> = units
        .iter()
        .filter(|(_, slot)| {
            slot.fields.dst.relative && slot.writes() || slot.operands().any(|operand| operand.relative)
        })
        .map(|(_, slot)| slot.fields.index_mode as u8)
        .collect();
    if modes.len() > 1 {
        let names: Vec<_> = modes.iter().map(|&mode| IndexMode::ALL[usize::from(mode)].name()).collect();
        let message = format!("relative operands of the group use {}", names.join(" and "));
        findings.inside(Code::IndexModes, place, message, "use one index in a group");
    }
}

/// Whether every register operand has a port.
///
/// # Errors
/// What stands in the way.
fn reads(units: &[(Unit, &Alu)]) -> Result<(), String> {
    let mut ports: [[Option<Register>; 4]; CYCLES] = [[None; 4]; CYCLES];
    for (unit, slot) in units {
        let trans = *unit == Unit::T;
        let operands: Vec<Operand> = slot.operands().collect();
        let Some(cycles) = slot.fields.bank_swizzle.cycles(trans) else {
            let BankSwizzle(code) = slot.fields.bank_swizzle;
            return Err(format!("unit {} has no bank swizzle {code}", unit.name()));
        };
        let constants = operands.iter().filter(|operand| is_constant(operand)).count();
        if trans && constants > TRANS_CONSTANTS {
            return Err(format!("the trans unit reads {constants} constants, it can read {TRANS_CONSTANTS}"));
        }
        for (k, (operand, cycle)) in operands.iter().zip(cycles).enumerate() {
            let previous = matches!(operand.selector, Selector::PreviousVector | Selector::PreviousScalar);
            let key = register(operand);
            // The constants of the trans unit take the first cycles.
            if trans && usize::from(cycle) < constants && (key.is_some() || previous) {
                return Err(format!("source {k} of the trans unit is read in cycle {cycle}, which a constant takes"));
            }
            let Some(key) = key else { continue };
            let same_as_first = !trans
                && k == 1
                && operands.first().is_some_and(|first| register(first) == Some(key) && first.chan == operand.chan);
            if same_as_first {
                continue;
            }
            let port = &mut ports[usize::from(cycle)][operand.chan as usize];
            match port {
                Some(taken) if *taken != key => {
                    return Err(format!(
                        "R{}.{channel} and R{}.{channel} are both read in cycle {cycle}",
                        taken.0,
                        key.0,
                        channel = operand.chan.name()
                    ));
                }
                _ => *port = Some(key),
            }
        }
    }
    Ok(())
}

/// Constants of the constant file and cache.
fn constants(units: &[(Unit, &Alu)], family: Family, place: Place, findings: &mut Findings) {
    let operands = || units.iter().flat_map(|(_, slot)| slot.operands());
    let read =
        || operands().filter(|operand| matches!(operand.selector, Selector::Kcache { .. } | Selector::Constant(_)));
    let (limited, what): (BTreeSet<(u16, u8)>, _) = match family {
        Family::R600 => (read().map(|operand| (operand.selector.encode(), operand.chan as u8)).collect(), "channels"),
        Family::R700 => (read().map(|operand| (operand.selector.encode(), 0)).collect(), "constants"),
    };
    if limited.len() > GROUP_CONSTANTS {
        let message = format!("the group reads {} different {what}, it can read {GROUP_CONSTANTS}", limited.len());
        findings.inside(Code::ConstantPorts, place, message, "copy some to registers in a group before");
        return;
    }
    let halves: BTreeSet<(u16, u8)> =
        read().map(|operand| (operand.selector.encode(), operand.chan as u8 / 2)).collect();
    if family == Family::R700 && halves.len() > GROUP_HALVES {
        let message = format!("the group reads {} different xy or zw halves of constants", halves.len());
        let help = "compilers read at most two in a group; copy some to registers in a group before";
        findings.inside(Code::ConstantHalves, place, message, help);
    }
}
