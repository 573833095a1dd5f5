//! The fields that an instruction's name gets appended: how each is spelled, depending on the others.

use super::Instruction;
use crate::codes::{BarrierOp, FloatCondition, INVALID};
use crate::field::{FieldId, key};
use crate::table::Op;

impl Instruction {
    /// The name with all that it gets appended.
    pub(crate) fn mnemonic(&self) -> String {
        self.row.suffixes.iter().fold(self.row.name.to_owned(), |name, &id| name + self.spelling(id))
    }

    /// What the name gets appended for a field: nothing, or words that begin with a dot; [`INVALID`] where the value makes no
    /// instruction.
    pub(crate) fn spelling(&self, id: FieldId) -> &'static str {
        let value = self.value(id);
        match id {
            FieldId::FLOAT_CONDITION if self.op() == Op::Fcmp && value == FloatCondition::Gt as u32 => "",
            FieldId::BARRIER_REDUCTION if self.get(key::BARRIER_OP) != BarrierOp::Red => "",
            FieldId::FCHK_OP => {
                if value == 0 {
                    ".DIVIDE"
                } else {
                    INVALID
                }
            }
            FieldId::F2F_ROUND => {
                let same_size = self.value(FieldId::TO_FLOAT) == self.value(FieldId::FROM_FLOAT);
                let table = if same_size { SAME_SIZE_ROUNDING } else { OTHER_SIZE_ROUNDING };
                table[value as usize]
            }
            _ => FieldId::spell(id, value).unwrap_or(""),
        }
    }
}

/// `F2F_ROUND` between equal types.
const SAME_SIZE_ROUNDING: [&str; 8] = ["", ".PASS", ".PASS", ".PASS", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC"];
/// `F2F_ROUND` between different types.
const OTHER_SIZE_ROUNDING: [&str; 8] = ["", ".RM", ".RP", ".RZ", "", ".RM", ".RP", ".RZ"];
