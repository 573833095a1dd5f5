//! Moves, shifts, logic, bit fields.

use super::arithmetic::is_signed;
use super::warp::Warp;
use crate::codes::{FunnelPart, FunnelType, LogicOp, PredicateMode, PrmtMode, ShiftExtend};
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::table::{BitsOp, MoveOp};
use ctm_num::sm50::{self, Flags, PermuteMode, ShiftWord};

impl Warp<'_> {
    /// Moves and selections.
    pub fn choose(&mut self, op: MoveOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let b = self.word(instruction.b().value)?;
        let result = match op {
            MoveOp::Sel if self.pred(instruction.pred_c()) => self.reg(instruction.reg(key::RA)),
            MoveOp::Sel => b,
            // The mask says which lanes of each quad move (decision S30: by envytools' name for it).
            MoveOp::Mov | MoveOp::Mov32i if instruction.get(key::QUAD_MASK) >> (self.lane % 4) & 1 == 0 => {
                return Ok(());
            }
            MoveOp::Mov | MoveOp::Mov32i => b,
        };
        self.set_reg(instruction.dst(), result);
        Ok(())
    }

    pub fn bitwise(&mut self, op: BitsOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use BitsOp::*;
        if instruction.get(key::X)
            || instruction.get(key::SHIFT_EXTEND) != ShiftExtend::None
            || matches!(instruction.get(key::FUNNEL_PART), FunnelPart::X | FunnelPart::Xhi)
        {
            return Err(TrapKind::Unsupported);
        }
        let (a, b) = (self.int(instruction.a())?, self.int(instruction.b())?);
        let c = self.word(instruction.c().value)?;
        let (wrap, signed) = (instruction.get(key::W), is_signed(instruction));
        let reversed = |a: u32| if instruction.get(key::BREV) { a.reverse_bits() } else { a };
        let result = match op {
            Shl => sm50::shift_left(a, b, wrap),
            Shr => sm50::shift_right(reversed(a), b, wrap, signed),
            ShfL => sm50::shift_funnel_left(a, c, b, wrap, is_wide(instruction)),
            ShfR => {
                let high = instruction.get(key::FUNNEL_PART) == FunnelPart::Hi;
                let word = if high { ShiftWord::High } else { ShiftWord::Low };
                let signed = instruction.get(key::FUNNEL_TYPE) == FunnelType::S64;
                sm50::shift_funnel_right(a, c, b, wrap, is_wide(instruction), signed, word)
            }
            Lop | Lop32i => match instruction.get(key::LOGIC_OP) {
                LogicOp::And => a & b,
                LogicOp::Or => a | b,
                LogicOp::Xor => a ^ b,
                LogicOp::PassB => b,
            },
            Lop3 => sm50::logic3(a, b, c, instruction.get(key::LUT)),
            Bfe => sm50::bfe(reversed(a), b, signed),
            Bfi => sm50::bfi(a, b, c),
            Flo => sm50::find_leading_one(b, signed, instruction.get(key::SH)),
            Popc => b.count_ones(),
            Prmt => sm50::permute(permute_mode(instruction.get(key::PRMT_MODE)), a, b, c),
        };
        let pred = match instruction.get(key::PREDICATE_MODE) {
            PredicateMode::F => false,
            PredicateMode::T => true,
            PredicateMode::Z => result == 0,
            PredicateMode::Nz => result != 0,
        };
        self.set_pred(instruction.pred(key::PD), pred);
        self.set_result(instruction, result, Flags::of(result));
        Ok(())
    }
}

fn is_wide(instruction: &Instruction) -> bool {
    matches!(instruction.get(key::FUNNEL_TYPE), FunnelType::U64 | FunnelType::S64)
}

fn permute_mode(mode: PrmtMode) -> PermuteMode {
    match mode {
        PrmtMode::F4e => PermuteMode::Forward,
        PrmtMode::B4e => PermuteMode::Backward,
        PrmtMode::Rc8 => PermuteMode::Byte,
        PrmtMode::Ecl => PermuteMode::EdgeLeft,
        PrmtMode::Ecr => PermuteMode::EdgeRight,
        PrmtMode::Rc16 => PermuteMode::Half,
        // No instruction has the invalid codes.
        PrmtMode::Index
        | PrmtMode::Invalid7
        | PrmtMode::Invalid8
        | PrmtMode::Invalid9
        | PrmtMode::Invalid10
        | PrmtMode::Invalid11
        | PrmtMode::Invalid12
        | PrmtMode::Invalid13
        | PrmtMode::Invalid14
        | PrmtMode::Invalid15 => PermuteMode::Index,
    }
}
