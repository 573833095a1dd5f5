//! The fields that an instruction's name gets appended: how each is spelled, depending on the others.

use crate::codes::{BarrierOp, FloatCondition, INVALID};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::table::Op;

/// What the name gets appended for a field: nothing, or words that begin with a dot; [`INVALID`] where the value makes no
/// instruction.
pub(crate) fn spelling(instruction: &Instruction, id: FieldId) -> &'static str {
    let value = instruction.value(id);
    match id {
        FieldId::FLOAT_CONDITION if instruction.op() == Op::Fcmp && value == FloatCondition::Gt as u32 => "",
        FieldId::BARRIER_REDUCTION if instruction.get(key::BARRIER_OP) != BarrierOp::Red => "",
        FieldId::FCHK_OP => {
            if value == 0 {
                ".DIVIDE"
            } else {
                INVALID
            }
        }
        FieldId::F2F_ROUND => {
            let same_size = instruction.value(FieldId::TO_FLOAT) == instruction.value(FieldId::FROM_FLOAT);
            let table = if same_size { SAME_SIZE_ROUNDING } else { OTHER_SIZE_ROUNDING };
            table[value as usize]
        }
        _ => FieldId::spell(id, value).unwrap_or(""),
    }
}

/// `F2F_ROUND` between equal types.
const SAME_SIZE_ROUNDING: [&str; 8] = ["", ".PASS", ".PASS", ".PASS", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC"];
/// `F2F_ROUND` between different types.
const OTHER_SIZE_ROUNDING: [&str; 8] = ["", ".RM", ".RP", ".RZ", "", ".RM", ".RP", ".RZ"];

/// The name with all that it gets appended.
pub(crate) fn mnemonic(instruction: &Instruction) -> String {
    let row = instruction.row();
    row.suffixes.iter().fold(row.name.to_owned(), |name, &id| name + spelling(instruction, id))
}
