//! The fields that an instruction's name gets appended: how each is spelled, depending on the others.

use super::Instruction;
use crate::codes::{BarrierOp, FloatCondition, INVALID, MemorySize, VideoImm, VideoPart};
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
            FieldId::MEMORY_SIZE if self.op() == Op::Lds && self.get(key::U) && value == MemorySize::B32 as u32 => {
                ".32"
            }
            FieldId::SCALAR_MASK if !self.reg(key::RD2).is_zero() => self.get(key::SCALAR_MASK).long_name(),
            FieldId::VIDEO_A | FieldId::VIDEO_B | FieldId::VIDEO_IMM if self.video_types_go_without_saying() => "",
            FieldId::SP_C => {
                let signed = self.value(FieldId::SP_A) & 1 != 0 || self.value(FieldId::SP_B) & 1 != 0;
                SP_C_NAMES[usize::from(signed)][value as usize]
            }
            _ => FieldId::spell(id, value).unwrap_or(""),
        }
    }

    /// Whether the types of a video instruction are not spelled: those of words with sign, and of an immediate with sign.
    fn video_types_go_without_saying(&self) -> bool {
        let b = if self.has(FieldId::VIDEO_B) {
            self.get(key::VIDEO_B) == VideoPart::S32
        } else {
            !self.has(FieldId::VIDEO_IMM) || self.get(key::VIDEO_IMM) == VideoImm::S16
        };
        self.op() != Op::Vsetp && self.get(key::VIDEO_A) == VideoPart::S32 && b
    }
}

/// `F2F_ROUND` between equal types.
const SAME_SIZE_ROUNDING: [&str; 8] = ["", ".PASS", ".PASS", ".PASS", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC"];
/// `F2F_ROUND` between different types.
const OTHER_SIZE_ROUNDING: [&str; 8] = ["", ".RM", ".RP", ".RZ", "", ".RM", ".RP", ".RZ"];
/// `SP_C` without sign and with it.
const SP_C_NAMES: [[&str; 4]; 2] = [[".U32", ".U24", ".U16H0", INVALID], [".S32", ".S24", ".S16H0", INVALID]];
