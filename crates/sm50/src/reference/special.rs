//! Special registers.

use super::warp::Warp;
use crate::codes::BarrierRead;
use crate::field::key;
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::{TrapKind, WARP, WarningKind};
use crate::program::Code;
use crate::special::packed;
use crate::table::SystemOp;

impl Warp<'_> {
    /// S2R and CS2R. Registers without a meaning here read as 0.
    pub fn special_register(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let number = instruction.get(key::SPECIAL);
        let value = self.special(number).unwrap_or_else(|| {
            self.warn(WarningKind::SpecialRegister(number));
            0
        });
        self.set_reg(instruction.dst(), value);
        Ok(())
    }

    /// What only systems use. There are no interrupts and no counters here.
    pub fn system(&mut self, op: SystemOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use SystemOp::*;
        match op {
            Lepc => {
                let index = self.code.index_at(self.pc).unwrap_or_default();
                self.set_reg(instruction.dst(), Code::address(index + 1));
                Ok(())
            }
            Ide | Stp => Ok(()),
            B2r if instruction.get(key::B2R_MODE) == BarrierRead::Result => {
                self.set_reg(instruction.dst(), self.state.reduced.word);
                self.set_pred(instruction.pred(key::PD), self.state.reduced.predicate);
                Ok(())
            }
            B2r | R2b | Getcrsptr | Getlmembase | Setcrsptr | Setlmembase | Rtt | Bpt => Err(TrapKind::Unsupported),
        }
    }

    fn special(&self, number: u8) -> Option<u32> {
        let place = self.state.places[self.lane];
        let below = (1u32 << self.lane) - 1;
        let own = 1u32 << self.lane;
        Some(match number {
            // LANEID
            0x00 => self.lane as u32,
            // CLOCK, CLOCKLO: instructions before this one
            0x01 | 0x50 => (self.state.clock - 1) as u32,
            0x51 => ((self.state.clock - 1) >> 32) as u32,
            // PRIM_TYPE: vertices of an input patch
            0x10 if matches!(self.stage, Stage::TessellationInit | Stage::Tessellation) => {
                self.vertices_per_primitive() << 8
            }
            0x10 => 0,
            // INVOCATION_ID
            0x11 => place.invocation,
            // Y_DIRECTION
            0x12 => self.launch.environment.y_direction,
            // THREAD_KILL
            0x13 => {
                if self.is_helper() {
                    u32::MAX
                } else {
                    0
                }
            }
            // WSCALEFACTOR_XY and _Z
            0x1E | 0x1F => 0,
            // INVOCATION_INFO: primitive and vertices per primitive. (Decision S27: only their product is used.)
            0x1D => place.primitive & 0xFF | self.vertices_per_primitive() << 16,
            // TID and NTID: all axes in one word
            0x20 => packed(self.thread()?),
            0x28 => packed(self.launch.grid?.block_size()),
            // TID.X, .Y, .Z and CTAID.X, .Y, .Z
            0x21..=0x23 => self.thread()?[usize::from(number - 0x21)],
            0x25..=0x27 => self.launch.grid?.block_of(self.invocation())[usize::from(number - 0x25)],
            // EQMASK, LTMASK, LEMASK, GTMASK, GEMASK
            0x38 => own,
            0x39 => below,
            0x3A => below | own,
            0x3B => !(below | own),
            0x3C => !below,
            _ => return None,
        })
    }

    /// The invocation of the lane that executes.
    fn invocation(&self) -> u32 {
        self.state.number * WARP + self.lane as u32
    }

    /// Coordinates of the lane's thread in its block.
    fn thread(&self) -> Option<[u32; 3]> {
        Some(self.launch.grid?.thread_of(self.invocation()))
    }
}
