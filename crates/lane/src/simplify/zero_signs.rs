//! Of which values the sign matters when they are zero. Compilers of GPUs add zeros for moves and for products, since their machines
//! have multiply-adds only; such a sum turns -0 into +0, which most users do not see.
//!
//! A sign that nobody sees may change. What hides a sign must therefore do so whatever becomes of the signs of other values: that an
//! operand is never -0 is taken from its own operation alone.

use crate::effort::Patience;
use crate::entity::Value;
use crate::facts::ValueRanges;
use crate::function::Function;
use crate::graph::Graph;
use crate::op::Op;

const MINUS_ZERO: u32 = 0x8000_0000;

/// The values whose sign matters when they are zero.
pub(crate) struct ZeroSigns(Vec<bool>);

impl ZeroSigns {
    pub(crate) fn new(function: &Function, graph: &Graph, ranges: &ValueRanges, patience: &Patience) -> Self {
        let mut signs = Self(vec![false; function.value_count()]);
        // Users come before operands, but for what comes around loops.
        let has_loops = graph.loop_heads().next().is_some();
        while signs.spread(function, graph, ranges) && has_loops {
            if !patience.spend(function.size()) {
                signs.0.fill(true);
                break;
            }
        }
        signs
    }

    /// Whether the sign of this value matters when it is zero.
    pub(crate) fn matters(&self, value: Value) -> bool {
        // What was made later is not known.
        self.0.get(value.index()).copied().unwrap_or(true)
    }

    /// Goes once from users to operands; whether something was found.
    fn spread(&mut self, function: &Function, graph: &Graph, ranges: &ValueRanges) -> bool {
        let mut found = false;
        for &block in graph.order.iter().rev() {
            for target in function.terminator(block).targets() {
                for (&arg, &param) in target.args.iter().zip(function.params(target.block)) {
                    found |= self.0[param.index()] && !std::mem::replace(&mut self.0[arg.index()], true);
                }
            }
            for &inst in function.insts(block).iter().rev() {
                let (op, args) = (function.op(inst), function.args(inst));
                for (at, &arg) in args.iter().enumerate() {
                    let own = || self.0[function.result(inst).index()];
                    let seen = match sign_use(op, at) {
                        Use::Unseen => false,
                        Use::Seen => true,
                        Use::Passed => own(),
                        Use::Added(others) => own() && !never_minus_zero(function, ranges, &args[others]),
                    };
                    found |= seen && !std::mem::replace(&mut self.0[arg.index()], true);
                }
            }
        }
        found
    }
}

/// What is seen of the sign of a zero among the operands.
enum Use {
    Unseen,
    Seen,
    /// What users of the result see.
    Passed,
    /// The same, unless this operand, or the product of these two, is never -0: it makes a sum of zeros +0.
    Added(std::ops::Range<usize>),
}

/// Whether a value, or a product of two, is never -0.
fn never_minus_zero(function: &Function, ranges: &ValueRanges, values: &[Value]) -> bool {
    match *values {
        [a, b] => a == b,
        [value] => match function.defining_op(value) {
            Some((Op::Lane { bits }, _)) => bits.0 != MINUS_ZERO,
            Some((Op::Fmul { .. }, &[a, b])) => a == b,
            Some((Op::Abs {} | Op::Itof {} | Op::Utof {} | Op::Ex2 {} | Op::Frc {}, _)) => true,
            _ => ranges.get(value).lo > 0.0,
        },
        _ => false,
    }
}

/// There is no arm for all other operations, so that no new operation is forgotten.
fn sign_use(op: &Op, at: usize) -> Use {
    match (op, at) {
        (Op::Fadd { .. }, 0) => Use::Added(1..2),
        (Op::Fadd { .. } | Op::Fsub { .. }, 1) => Use::Added(0..1),
        (Op::Fma { .. }, 2) => Use::Added(0..2),
        (Op::Fma { .. }, _) => Use::Added(2..3),
        (Op::Select {}, 0) => Use::Seen,
        (
            Op::Fadd { .. }
            | Op::Fsub { .. }
            | Op::Fmul { .. }
            | Op::Fsqrt { .. }
            | Op::Fround { .. }
            | Op::Sin {}
            | Op::CanonNan { .. }
            | Op::PassNan {}
            | Op::Fmin { .. }
            | Op::Fmax { .. }
            | Op::Select {}
            | Op::Neg {},
            _,
        ) => Use::Passed,
        (
            Op::Frc {}
            | Op::Ex2 {}
            | Op::Cos {}
            | Op::Abs {}
            | Op::Nabs {}
            | Op::Ftoi {}
            | Op::Ftou {}
            | Op::FloatToIndex { .. }
            | Op::FloatToCoordinate {}
            | Op::Fcmp { .. },
            _,
        ) => Use::Unseen,
        (
            Op::Fdiv { .. }
            | Op::Ln2 {}
            | Op::Clamp01 { .. }
            | Op::FaddRounded { .. }
            | Op::FmulRounded { .. }
            | Op::FmaRounded { .. }
            | Op::Ftod {}
            | Op::Dtof { .. }
            | Op::Itod {}
            | Op::Utod {}
            | Op::Dtoi {}
            | Op::Dtou {}
            | Op::Dadd { .. }
            | Op::Dmul { .. }
            | Op::Dfma { .. }
            | Op::Ddiv {}
            | Op::Dsqrt {}
            | Op::Dround { .. }
            | Op::Dcmp { .. }
            | Op::Htof {}
            | Op::Ftoh { .. }
            | Op::Quad { .. }
            | Op::Itof {}
            | Op::Utof {}
            | Op::SurfaceLoad { .. }
            | Op::SurfaceLoad2x2 { .. }
            | Op::SurfaceStore { .. }
            | Op::SurfaceTest { .. }
            | Op::Lane { .. }
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
            | Op::Udiv {}
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
            | Op::ArrayWrite { .. }
            | Op::ArrayGather { .. }
            | Op::ArrayScatter { .. }
            | Op::MaskArrayRead { .. }
            | Op::MaskArrayWrite { .. }
            | Op::UniformArrayRead { .. }
            | Op::UniformArrayWrite { .. }
            | Op::Steps { .. },
            _,
        ) => Use::Seen,
    }
}
