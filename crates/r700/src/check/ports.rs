//! Operands that a group cannot read, and what is odd about its indices.

use super::{FindingCode, Findings, Location};
use crate::alu::Alu;
use crate::codes::{Family, IndexMode};
use crate::group::Unit;
use crate::ports::{ConstantError, check_constants, check_ports};
use std::collections::BTreeSet;

/// Checks a group whose units are known.
pub(super) fn check(units: &[(Unit, &Alu)], family: Family, location: Location, findings: &mut Findings) {
    if let Err(error) = check_ports(units) {
        let help = "choose other bank swizzles (the assembler does where the text gives none), copy an operand to another \
                    register, or split the group";
        findings.inside(FindingCode::ReadPorts, location, error.to_string(), help);
    }
    if let Err(error) = check_constants(units.iter().map(|(_, slot)| *slot), family) {
        let code = match error {
            ConstantError::Constants { .. } => FindingCode::ConstantPorts,
            ConstantError::Halves(_) => FindingCode::ConstantHalves,
        };
        findings.inside(code, location, error.to_string(), "copy some to registers in a group before");
    }
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
        findings.inside(FindingCode::IndexModes, location, message, "use one index in a group");
    }
}
