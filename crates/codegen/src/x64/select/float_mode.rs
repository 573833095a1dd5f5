//! Modes of the floating-point unit (MXCSR): which one an operation needs, and where the code changes it.
//!
//! Every block of the function starts and ends in one mode, the one that most operations want; in between the mode
//! changes where an operation needs another one.

use super::Selector;
use super::floats::{Need, floats};
use crate::mir::{Arg, Base, Mem};
use crate::x64::isa;
use crate::x64::{Inst, InstKind};
use ctm_lane::{Denorm, Op, Rounding};
use iced_x86::Code;

/// What becomes of denormals, and the direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    pub denorm: Denorm,
    pub rounding: Rounding,
}

impl FloatMode {
    /// The mode in which code is called.
    pub const ENTRY: Self = Self::nearest(Denorm::Flush);

    pub const fn nearest(denorm: Denorm) -> Self {
        Self { denorm, rounding: Rounding::Even }
    }

    pub fn rounds_to_nearest(self) -> bool {
        self.rounding == Rounding::Even
    }

    fn register(self) -> u32 {
        let denorms = match self.denorm {
            Denorm::Flush => isa::FLOAT_MODE,
            Denorm::Keep => isa::FLOAT_MODE & !isa::FLUSHES,
        };
        let direction = match self.rounding {
            Rounding::Even => 0,
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::Zero => 3,
        };
        denorms | direction << isa::DIRECTION_AT
    }
}

impl Selector<'_> {
    /// The mode between blocks, and whether it will do for all operations.
    pub fn find_usual_mode(&self) -> (FloatMode, bool) {
        let (mut flushes, mut keeps, mut others) = (0, 0, 0);
        for &block in &self.graph.order {
            for &inst in self.function.insts(block) {
                match floats(self.function.op(inst)).mode {
                    Need::Mode(FloatMode { denorm: Denorm::Flush, .. }) => flushes += 1,
                    Need::Mode(FloatMode { rounding: Rounding::Even, .. }) => keeps += 1,
                    Need::Mode(_) => others += 1,
                    Need::Nearest | Need::Nothing => {}
                }
            }
        }
        let denorm = if keeps > flushes { Denorm::Keep } else { Denorm::Flush };
        (FloatMode::nearest(denorm), others + flushes.min(keeps) == 0)
    }

    /// Changes the mode to what the operation needs.
    pub fn prepare(&mut self, op: &Op) {
        match floats(op).mode {
            Need::Nothing => {}
            Need::Nearest if self.float_mode.rounding == Rounding::Even => {}
            Need::Nearest => self.change_mode(self.usual_mode),
            Need::Mode(mode) => self.change_mode(mode),
        }
    }

    pub fn change_mode(&mut self, mode: FloatMode) {
        if std::mem::replace(&mut self.float_mode, mode) != mode {
            let at = self.pool_at(&[mode.register()]);
            self.insts.push(Inst::new(InstKind::Plain(Code::Ldmxcsr_m32), None, &[Arg::Mem(Mem::at(Base::Pool, at))]));
        }
    }
}
