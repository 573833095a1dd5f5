//! What the instructions for each operation do with floats: one table, from which the modes of the floating-point unit, the
//! operands whose denormals nobody sees, and speculation on NaNs come.

use super::Selector;
use super::float_mode::FloatMode;
use crate::speculation::NanUse;
use ctm_lane::{Denorm, Op, Value, Zero};

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Floats {
    pub mode: Need,
    pub denormals: Denormals,
    pub nans: NanUse,
}

/// What the instructions ask of the mode of the floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Nothing,
    /// Rounding to nearest; there are no denormals.
    Nearest,
    Mode(FloatMode),
}

/// What is seen of denormals among the operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Denormals {
    /// Nothing: they are read as zeros, or give what zeros give.
    Unseen,
    /// What users of the result see.
    Passed,
    /// Everything.
    Seen,
}

/// The row of an operation. There is no arm for all others, so that no new operation is forgotten.
pub fn floats(op: &Op) -> Floats {
    let nearest = |denorm| Need::Mode(FloatMode::nearest(denorm));
    let kept = |rounding| Need::Mode(FloatMode { denorm: Denorm::Keep, rounding });
    let read = |denorm| if denorm == Denorm::Keep { Denormals::Seen } else { Denormals::Unseen };
    let compared = |denorm| if denorm == Denorm::Keep { Denormals::Seen } else { Denormals::Passed };
    let (mode, denormals, nans) = match *op {
        Op::Fmul { denorm, zero: Zero::Special } | Op::Fma { denorm, zero: Zero::Special } => {
            (nearest(denorm), read(denorm), NanUse::PassedByRule)
        }
        Op::Fadd { denorm }
        | Op::Fsub { denorm }
        | Op::Fmul { denorm, zero: Zero::Ieee | Zero::Always }
        | Op::Fma { denorm, zero: Zero::Ieee | Zero::Always }
        | Op::Fdiv { denorm }
        | Op::Fsqrt { denorm } => (nearest(denorm), read(denorm), NanUse::Passed),
        Op::Fround { denorm, .. } => (nearest(denorm), read(denorm), NanUse::PassedRaising),
        Op::Frc {} | Op::Ex2 {} | Op::Ln2 {} | Op::Sin {} | Op::Cos {} => {
            (nearest(Denorm::Flush), Denormals::Unseen, NanUse::PassedRaising)
        }
        Op::FaddRounded { rounding } | Op::FmulRounded { rounding } | Op::FmaRounded { rounding } => {
            (kept(rounding), Denormals::Seen, NanUse::PassedRaising)
        }
        Op::Fmin { denorm } | Op::Fmax { denorm } => (nearest(denorm), compared(denorm), NanUse::Raise),
        Op::Clamp01 { denorm } | Op::Fcmp { denorm, .. } => (nearest(denorm), read(denorm), NanUse::Raise),
        Op::FloatToCoordinate {} => (nearest(Denorm::Flush), Denormals::Unseen, NanUse::Raise),
        Op::FloatToIndex { .. } | Op::Ftoi {} | Op::Ftou {} => (Need::Nothing, Denormals::Unseen, NanUse::Raise),
        Op::CanonNan { .. } | Op::PassNan {} => (Need::Nothing, Denormals::Passed, NanUse::PassedByRule),
        Op::Select {} | Op::Neg {} | Op::Abs {} | Op::Nabs {} | Op::Quad { .. } => {
            (Need::Nothing, Denormals::Passed, NanUse::Passed)
        }
        Op::ArrayWrite { .. } | Op::ArrayScatter { .. } => (Need::Nothing, Denormals::Seen, NanUse::Stored),
        Op::Dtof { rounding }
        | Op::Dadd { rounding }
        | Op::Dmul { rounding }
        | Op::Dfma { rounding }
        | Op::Ftoh { rounding } => (kept(rounding), Denormals::Seen, NanUse::Seen),
        Op::Ftod {} | Op::Ddiv {} | Op::Dsqrt {} | Op::Dround { .. } | Op::Dcmp { .. } => {
            (nearest(Denorm::Keep), Denormals::Seen, NanUse::Seen)
        }
        // The unit compares as its surface's type says, which flushes; what it writes are the operand's bits.
        Op::SurfaceTest { .. } => (nearest(Denorm::Flush), Denormals::Seen, NanUse::Seen),
        Op::Itof {}
        | Op::Utof {}
        | Op::Itod {}
        | Op::Utod {}
        | Op::Udiv {}
        | Op::SurfaceLoad { .. }
        | Op::SurfaceLoad2x2 { .. }
        | Op::SurfaceStore { .. } => (Need::Nearest, Denormals::Seen, NanUse::Seen),
        Op::Lane { .. }
        | Op::Mask { .. }
        | Op::Uniform { .. }
        | Op::PosX {}
        | Op::PosY {}
        | Op::Covered {}
        | Op::Splat {}
        | Op::TableSplat { .. }
        | Op::TableAt { .. }
        | Op::TableGather { .. }
        | Op::TableUniform { .. }
        | Op::Dtoi {}
        | Op::Dtou {}
        | Op::Htof {}
        | Op::Icmp { .. }
        | Op::MaskAnd {}
        | Op::MaskOr {}
        | Op::MaskXor {}
        | Op::MaskAndnot {}
        | Op::MaskNot {}
        | Op::MaskSelect {}
        | Op::Iadd {}
        | Op::Isub {}
        | Op::Imul {}
        | Op::SmulHigh {}
        | Op::UmulHigh {}
        | Op::Smin {}
        | Op::Smax {}
        | Op::Umin {}
        | Op::Umax {}
        | Op::And {}
        | Op::Or {}
        | Op::Xor {}
        | Op::Shl {}
        | Op::Shr {}
        | Op::Sar {}
        | Op::Popcount {}
        | Op::Clz {}
        | Op::BitReverse {}
        | Op::UniformAdd {}
        | Op::UniformSub {}
        | Op::UniformMul {}
        | Op::UniformAnd {}
        | Op::Ballot {}
        | Op::Shuffle {}
        | Op::BufferLoad { .. }
        | Op::BufferStore { .. }
        | Op::ArrayRead { .. }
        | Op::ArrayGather { .. }
        | Op::MaskArrayRead { .. }
        | Op::MaskArrayWrite { .. }
        | Op::UniformArrayRead { .. }
        | Op::UniformArrayWrite { .. }
        | Op::Steps { .. } => (Need::Nothing, Denormals::Seen, NanUse::Seen),
    };
    Floats { mode, denormals, nans }
}

impl Selector<'_> {
    /// Values whose denormals nobody sees.
    pub fn find_flushed(&self) -> Vec<bool> {
        let mut flushed = vec![true; self.function.value_count()];
        for &block in self.graph.order.iter().rev() {
            for value in self.function.terminator(block).values() {
                flushed[value.index()] = false;
            }
            for &inst in self.function.insts(block).iter().rev() {
                let are_seen = match floats(self.function.op(inst)).denormals {
                    Denormals::Unseen => false,
                    Denormals::Passed => !flushed[self.function.result(inst).index()],
                    Denormals::Seen => true,
                };
                if are_seen {
                    for &arg in self.function.args(inst) {
                        flushed[arg.index()] = false;
                    }
                }
            }
        }
        flushed
    }

    pub fn is_flushed_by_all(&self, value: Value) -> bool {
        self.flushed_by_all.get(value.index()).copied().unwrap_or(false)
    }
}
