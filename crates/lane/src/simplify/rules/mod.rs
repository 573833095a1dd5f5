//! The rules: what one instruction can be replaced by, given what defines its operands. Each file holds the rules of one
//! kind of operation.

mod choice;
mod float;
mod integer;
mod mask;
mod memory;
mod nan;

use super::value_numbering::{Rewrite, Rewriter};
use crate::attribute::Bits;
use crate::entity::{Type, Value};
use crate::op::Op;
use crate::scalar::{evaluate, evaluate_pair};

/// The first rule that applies.
pub(crate) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    fold(rewriter, op, args)
        .or_else(|| order(rewriter, op, args))
        .or_else(|| nan::apply(rewriter, op, args))
        .or_else(|| float::apply(rewriter, op, args))
        .or_else(|| choice::apply(rewriter, op, args))
        .or_else(|| choice::of_constants(rewriter, op, args))
        .or_else(|| mask::apply(rewriter, op, args))
        .or_else(|| integer::apply(rewriter, op, args))
        .or_else(|| memory::apply(rewriter, op, args))
}

/// The constant that a value is, as bits; 0 or 1 for a mask.
fn constant(rewriter: &Rewriter<'_>, value: Value) -> Option<u32> {
    match *rewriter.function.defining_op(value)?.0 {
        Op::Lane { bits } => Some(bits.0),
        Op::Mask { value } => Some(u32::from(value)),
        Op::Uniform { value } => Some(value.cast_unsigned()),
        _ => None,
    }
}

/// An operation on constants is a constant.
fn fold(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let mut bits = [0; 6];
    if args.is_empty() || args.len() > bits.len() {
        return None;
    }
    for (slot, &arg) in bits.iter_mut().zip(args) {
        *slot = constant(rewriter, arg)?;
    }
    if let Some(pair) = evaluate_pair(op, &bits[..args.len()]) {
        return Some(Rewrite::AreConstants(pair));
    }
    let result = match (op, evaluate(op, &bits[..args.len()])) {
        (_, Some(result)) => result,
        (Op::Quad { .. }, None) => bits[0],
        _ => return None,
    };
    Some(Rewrite::IsConstant(match op.info().results[0] {
        Type::Lane => Op::Lane { bits: Bits(result) },
        Type::Mask => Op::Mask { value: result != 0 },
        Type::Uniform => Op::Uniform { value: result.cast_signed() },
    }))
}

/// Puts the operands of commutative operations in one order: constants last, else by number.
fn order(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let op = match *op {
        Op::Fcmp { test, denorm } => Op::Fcmp { test: test.exchanged(), denorm },
        Op::Icmp { test } => Op::Icmp { test: test.exchanged() },
        Op::Fadd { .. }
        | Op::Fmul { .. }
        | Op::Fma { .. }
        | Op::FaddRounded { .. }
        | Op::FmulRounded { .. }
        | Op::FmaRounded { .. }
        | Op::Iadd {}
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
        | Op::MaskAnd {}
        | Op::MaskOr {}
        | Op::MaskXor {}
        | Op::UniformAdd {}
        | Op::UniformMul {}
        | Op::UniformAnd {} => *op,
        _ => return None,
    };
    let key = |value: Value| (constant(rewriter, value).is_some(), value);
    (key(args[1]) < key(args[0])).then(|| {
        let mut args = args.to_vec();
        args.swap(0, 1);
        Rewrite::Becomes(op, args)
    })
}
