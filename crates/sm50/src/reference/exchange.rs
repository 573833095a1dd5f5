//! Instructions that see several lanes: votes and shuffles.

use super::warp::{LANES, Warp, lanes};
use crate::codes::{ShuffleMode, VoteMode};
use crate::field::key;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::table::ExchangeOp;

impl Warp<'_> {
    pub fn exchange(&mut self, op: ExchangeOp, instruction: &Instruction, taken: u32) {
        match op {
            ExchangeOp::Vote => self.vote(instruction, taken),
            ExchangeOp::Shfl => self.shuffle(instruction, taken),
        }
    }

    fn vote(&mut self, instruction: &Instruction, taken: u32) {
        let ballot = self.mask_of(instruction.pred_c()) & taken;
        let result = match instruction.get(key::VOTE_MODE) {
            VoteMode::All => ballot == taken,
            VoteMode::Any => ballot != 0,
            VoteMode::Eq | VoteMode::Invalid => ballot == 0 || ballot == taken,
        };
        for lane in lanes(taken) {
            self.lane = lane;
            self.set_reg(instruction.dst(), ballot);
            self.set_pred(instruction.pred(key::PD), result);
        }
    }

    /// SHFL, by the rules of PTX's `shfl`. A lane that does not take part gives 0 (PTX: undefined), but for
    /// fragments.
    fn shuffle(&mut self, instruction: &Instruction, taken: u32) {
        let source = instruction.reg(key::RA);
        let clamp_field = instruction.get(key::CLAMP_IMM);
        let mut results = [(0, false); LANES];
        for lane in lanes(taken) {
            self.lane = lane;
            let b = if instruction.get(key::LANE_IS_IMM) {
                u32::from(instruction.reg(key::RB).0)
            } else {
                self.reg(instruction.reg(key::RB))
            };
            let c = if instruction.get(key::CLAMP_IS_IMM) {
                clamp_field.into()
            } else {
                self.reg(Reg((clamp_field >> 5) as u8))
            };
            let (lane, b, clamp, segment) = (lane as u32, b & 31, c & 31, c >> 8 & 31);
            let max = lane & segment | clamp & !segment;
            let (from, inside) = match instruction.get(key::SHUFFLE_MODE) {
                ShuffleMode::Idx => {
                    let from = lane & segment | b & !segment;
                    (from, from <= max)
                }
                ShuffleMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= max as i32),
                ShuffleMode::Down => (lane + b, lane + b <= max),
                ShuffleMode::Bfly => (lane ^ b, lane ^ b <= max),
            };
            let from = if inside { from } else { lane };
            // Derivatives take the values of lanes that do not take part, too.
            let there = taken >> from & 1 != 0 || self.stage == Stage::Pixel;
            let value = if there { self.state.registers[usize::from(source.0)][from as usize] } else { 0 };
            results[self.lane] = (value, inside);
        }
        for lane in lanes(taken) {
            self.lane = lane;
            let (value, inside) = results[lane];
            self.set_reg(instruction.dst(), value);
            self.set_pred(instruction.pred(key::PD), inside);
        }
    }
}
