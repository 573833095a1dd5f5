//! Rules about the bits of NaNs, and about flushing: an operand that is only computed with need not be fixed or flushed
//! before.

use crate::attribute::{Denorm, Zero};
use crate::entity::{Type, Value};
use crate::op::{NanBits, Op};
use crate::simplify::value_numbering::{Rewrite, Rewriter};

const ONE: u32 = 0x3F80_0000;

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    match *op {
        Op::CanonNan { .. } if !rewriter.range(args[0]).nan => return Some(Rewrite::Is(args[0])),
        Op::PassNan {} if !rewriter.range(args[0]).nan || !rewriter.range(args[1]).nan => {
            return Some(Rewrite::Is(args[0]));
        }
        _ => {}
    }
    if !matches!(op.nan_bits(), NanBits::Loose | NanBits::Ignored) {
        return None;
    }
    let flushes = reads_flushed(op);
    let operands = op.info().operands;
    let (at, simpler) = args.iter().enumerate().filter(|&(at, _)| operands[at].1 == Type::Lane).find_map(
        |(at, &arg)| match rewriter.definition(arg)? {
            (Op::CanonNan { .. }, &[a]) => Some((at, a)),
            (Op::PassNan {}, &[r, _]) => Some((at, r)),
            (Op::Fmul { denorm: Denorm::Flush, zero }, &[a, one])
                if flushes && zero != Zero::Always && rewriter.function.lane_constant(one) == Some(ONE) =>
            {
                Some((at, a))
            }
            _ => None,
        },
    )?;
    let mut args = args.to_vec();
    args[at] = simpler;
    Some(Rewrite::Becomes(*op, args))
}

/// Whether the operation reads denormal operands as zeros, or cannot tell them from zeros.
fn reads_flushed(op: &Op) -> bool {
    match *op {
        Op::Fadd { denorm }
        | Op::Fsub { denorm }
        | Op::Fmul { denorm, .. }
        | Op::Fma { denorm, .. }
        | Op::Fdiv { denorm }
        | Op::Fsqrt { denorm }
        | Op::Fround { denorm, .. }
        | Op::Clamp01 { denorm }
        | Op::Fcmp { denorm, .. } => denorm == Denorm::Flush,
        Op::Frc {} | Op::Ex2 {} | Op::Ln2 {} | Op::Sin {} | Op::Cos {} => true,
        Op::Ftoi {} | Op::Ftou {} | Op::FloatToIndex { .. } | Op::FloatToCoordinate {} => true,
        _ => false,
    }
}
