//! Rules of selects, minima and maxima, signs, and quads.

use super::constant;
use crate::entity::{Type, Value};
use crate::op::Op;
use crate::scalar::evaluate;
use crate::simplify::mask_implication::{disjoint, implies};
use crate::simplify::value_numbering::{Rewrite, Rewriter};

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    match *op {
        Op::Select {} | Op::MaskSelect {} => select(rewriter, op, args[0], args[1], args[2]),
        Op::Fmin { .. } | Op::Fmax { .. } | Op::Smin {} | Op::Smax {} | Op::Umin {} | Op::Umax {}
            if args[0] == args[1] =>
        {
            Some(Rewrite::Is(args[0]))
        }
        Op::Clamp01 { denorm } => match rewriter.definition(args[0])? {
            (Op::Clamp01 { denorm: inner }, _) if inner == denorm => Some(Rewrite::Is(args[0])),
            _ => None,
        },
        Op::Neg {} => match rewriter.definition(args[0])? {
            (Op::Neg {}, &[a]) => Some(Rewrite::Is(a)),
            (Op::Abs {}, &[a]) => becomes(Op::Nabs {}, &[a]),
            (Op::Nabs {}, &[a]) => becomes(Op::Abs {}, &[a]),
            _ => None,
        },
        Op::Abs {} | Op::Nabs {} => match rewriter.definition(args[0])? {
            (Op::Neg {} | Op::Abs {} | Op::Nabs {}, &[a]) => becomes(*op, &[a]),
            _ => None,
        },
        Op::Quad { .. } if rewriter.is_uniform(args[0]) => Some(Rewrite::Is(args[0])),
        _ => None,
    }
}

/// What an operation makes of a choice between two constants, which is how guests without masks keep the results of tests.
pub(super) fn of_constants(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let (&choice, rest) = args.split_first()?;
    let (Op::Select {}, &[m, a, b]) = rewriter.definition(choice)? else { return None };
    let (a_bits, b_bits) = (constant(rewriter, a)?, constant(rewriter, b)?);
    let [other] = *rest else { return None };
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    match (*op, a_bits, b_bits) {
        (Op::And {}, u32::MAX, 0) => return becomes(Op::Select {}, &[m, other, b]),
        (Op::And {}, 0, u32::MAX) => return becomes(Op::Select {}, &[m, a, other]),
        _ => {}
    }
    let other = constant(rewriter, other)?;
    let (of_a, of_b) = (evaluate(op, &[a_bits, other])?, evaluate(op, &[b_bits, other])?);
    match (op.info().results[0], of_a, of_b) {
        (Type::Mask, 0, 0) => Some(Rewrite::IsConstant(Op::Mask { value: false })),
        (Type::Mask, 0, _) => becomes(Op::MaskNot {}, &[m]),
        (Type::Mask, _, 0) => Some(Rewrite::Is(m)),
        (Type::Mask, ..) => Some(Rewrite::IsConstant(Op::Mask { value: true })),
        (Type::Lane, ..) if (of_a, of_b) == (a_bits, b_bits) => Some(Rewrite::Is(choice)),
        (Type::Lane, ..) if (of_a, of_b) == (b_bits, a_bits) => becomes(Op::Select {}, &[m, b, a]),
        _ => None,
    }
}

fn select(rewriter: &Rewriter<'_>, op: &Op, m: Value, a: Value, b: Value) -> Option<Rewrite> {
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    match rewriter.definition(m) {
        _ if a == b => return Some(Rewrite::Is(a)),
        Some((Op::Mask { value }, _)) => return Some(Rewrite::Is(if value { a } else { b })),
        Some((Op::MaskNot {}, &[n])) => return becomes(*op, &[n, b, a]),
        _ => {}
    }
    let function = &*rewriter.function;
    // A select inside this one that is decided by the outer mask.
    if let Some((inner, &[n, x, y])) = rewriter.definition(a).filter(|(inner, _)| inner == op) {
        if implies(function, m, n) {
            return becomes(inner, &[m, x, b]);
        }
        if disjoint(function, m, n) {
            return becomes(inner, &[m, y, b]);
        }
    }
    if let Some((inner, &[n, _, y])) = rewriter.definition(b).filter(|(inner, _)| inner == op)
        && implies(function, n, m)
    {
        return becomes(inner, &[m, a, y]);
    }
    None
}
