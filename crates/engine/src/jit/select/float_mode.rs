//! Modes of the floating-point unit (MXCSR): which one an operation needs, and where the code changes it.
//!
//! Every block of the function starts and ends in one mode, the one that most operations want; in between the mode
//! changes where an operation needs another one.

use super::Selector;
use crate::jit::context;
use crate::jit::mir::{Arg, Base, Inst, Kind, Mem};
use ctm_lane::{Denorm, Op, Rounding};
use iced_x86::Code;

/// What becomes of denormals, and the direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    denorm: Denorm,
    rounding: Rounding,
}

/// What an operation asks of the mode.
#[derive(Clone, Copy)]
enum Need {
    Nothing,
    /// Rounding to nearest; there are no denormals.
    Nearest,
    Mode(FloatMode),
}

impl FloatMode {
    /// The mode in which code is called.
    pub const ENTRY: Self = Self::nearest(Denorm::Flush);

    const fn nearest(denorm: Denorm) -> Self {
        Self { denorm, rounding: Rounding::Even }
    }

    pub fn rounds_to_nearest(self) -> bool {
        self.rounding == Rounding::Even
    }

    fn register(self) -> u32 {
        let denorms = match self.denorm {
            Denorm::Flush => context::MODE,
            Denorm::Keep => context::MODE & !context::FLUSHES,
        };
        let direction = match self.rounding {
            Rounding::Even => 0,
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::Zero => 3,
        };
        denorms | direction << context::DIRECTION_AT
    }
}

fn need(op: &Op) -> Need {
    match *op {
        Op::Fadd { denorm }
        | Op::Fsub { denorm }
        | Op::Fmul { denorm, .. }
        | Op::Fma { denorm, .. }
        | Op::Fdiv { denorm }
        | Op::Fsqrt { denorm }
        | Op::Fround { denorm, .. }
        | Op::Fmin { denorm }
        | Op::Fmax { denorm }
        | Op::Clamp01 { denorm }
        | Op::Fcmp { denorm, .. } => Need::Mode(FloatMode::nearest(denorm)),
        Op::Frc {}
        | Op::Ex2 {}
        | Op::Ln2 {}
        | Op::Sin {}
        | Op::Cos {}
        | Op::FloatToCoordinate {}
        | Op::SurfaceTest { .. } => Need::Mode(FloatMode::nearest(Denorm::Flush)),
        Op::FaddRounded { rounding }
        | Op::FmulRounded { rounding }
        | Op::FmaRounded { rounding }
        | Op::Dtof { rounding }
        | Op::Dadd { rounding }
        | Op::Dmul { rounding }
        | Op::Dfma { rounding }
        | Op::Ftoh { rounding } => Need::Mode(FloatMode { denorm: Denorm::Keep, rounding }),
        Op::Ftod {} | Op::Ddiv {} | Op::Dsqrt {} | Op::Dround { .. } | Op::Dcmp { .. } => {
            Need::Mode(FloatMode::nearest(Denorm::Keep))
        }
        Op::Itof {}
        | Op::Utof {}
        | Op::Itod {}
        | Op::Utod {}
        | Op::Udiv {}
        | Op::SurfaceLoad { .. }
        | Op::SurfaceLoad2x2 { .. }
        | Op::SurfaceStore { .. } => Need::Nearest,
        _ => Need::Nothing,
    }
}

impl Selector<'_> {
    /// The mode between blocks, and whether it will do for all operations.
    pub fn find_usual_mode(&self) -> (FloatMode, bool) {
        let (mut flushes, mut keeps, mut others) = (0, 0, 0);
        for &block in &self.graph.order {
            for &inst in self.function.insts(block) {
                match need(self.function.op(inst)) {
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
        match need(op) {
            Need::Nothing => {}
            Need::Nearest if self.float_mode.rounding == Rounding::Even => {}
            Need::Nearest => self.change_mode(self.usual_mode),
            Need::Mode(mode) => self.change_mode(mode),
        }
    }

    pub fn change_mode(&mut self, mode: FloatMode) {
        if std::mem::replace(&mut self.float_mode, mode) != mode {
            let at = self.pool_at(&[mode.register()]);
            self.insts.push(Inst::new(Kind::Plain(Code::Ldmxcsr_m32), None, &[Arg::Mem(Mem::at(Base::Pool, at))]));
        }
    }
}
