//! Rules of integers and bits, of lanes and uniforms.

use super::constant;
use crate::attribute::{Bits, IntTest};
use crate::entity::Value;
use crate::facts::ValueRange;
use crate::op::Op;
use crate::simplify::value_numbering::{Rewrite, Rewriter};

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let is_left = || Some(Rewrite::Is(args[0]));
    let right = || constant(rewriter, *args.get(1)?);
    let zero = || Some(Rewrite::IsConstant(Op::Lane { bits: Bits(0) }));
    match (*op, right()) {
        (
            Op::Iadd {}
            | Op::Isub {}
            | Op::Or {}
            | Op::Xor {}
            | Op::Shl {}
            | Op::Shr {}
            | Op::Sar {}
            | Op::UniformAdd {}
            | Op::UniformSub {},
            Some(0),
        ) => is_left(),
        (Op::Imul {} | Op::UniformMul {}, Some(1)) => is_left(),
        (Op::And {} | Op::UniformAnd {}, Some(u32::MAX)) => is_left(),
        (Op::Imul {} | Op::And {}, Some(0)) => zero(),
        (Op::UniformMul {} | Op::UniformAnd {}, Some(0)) => Some(Rewrite::IsConstant(Op::Uniform { value: 0 })),
        (Op::And {} | Op::Or {} | Op::UniformAnd {}, _) if args[0] == args[1] => is_left(),
        (Op::Isub {} | Op::Xor {}, _) if args[0] == args[1] => zero(),
        (Op::FloatToIndex { limit: 0 | 1 }, _) => zero(),
        (Op::Icmp { test }, _) if args[0] == args[1] => Some(Rewrite::IsConstant(Op::Mask { value: test.holds(0, 0) })),
        (Op::Icmp { test: test @ (IntTest::Eq | IntTest::Ne) }, Some(bits))
            if never(&rewriter.range(args[0]), bits) =>
        {
            Some(Rewrite::IsConstant(Op::Mask { value: test == IntTest::Ne }))
        }
        _ => None,
    }
}

/// Whether a value in this range never has the bits of this float, which is not a zero, denormal, or NaN.
fn never(range: &ValueRange, bits: u32) -> bool {
    let float = f32::from_bits(bits);
    (float.is_normal() || float.is_infinite()) && !(range.lo..=range.hi).contains(&float)
}
