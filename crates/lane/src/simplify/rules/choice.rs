//! Rules of selects, minima and maxima, signs, and quads.

use crate::entity::Value;
use crate::op::Op;
use crate::simplify::forward::{Outcome, Rewriter};
use crate::simplify::implication::{disjoint, implies};

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Outcome> {
    let becomes = |op, args: &[Value]| Some(Outcome::Becomes(op, args.to_vec()));
    match *op {
        Op::Select {} | Op::MaskSelect {} => select(rewriter, op, args[0], args[1], args[2]),
        Op::Fmin { .. } | Op::Fmax { .. } | Op::Smin {} | Op::Smax {} | Op::Umin {} | Op::Umax {}
            if args[0] == args[1] =>
        {
            Some(Outcome::Is(args[0]))
        }
        Op::Clamp01 { denorm } => match rewriter.definition(args[0])? {
            (Op::Clamp01 { denorm: inner }, _) if inner == denorm => Some(Outcome::Is(args[0])),
            _ => None,
        },
        Op::Neg {} => match rewriter.definition(args[0])? {
            (Op::Neg {}, &[a]) => Some(Outcome::Is(a)),
            (Op::Abs {}, &[a]) => becomes(Op::Nabs {}, &[a]),
            (Op::Nabs {}, &[a]) => becomes(Op::Abs {}, &[a]),
            _ => None,
        },
        Op::Abs {} | Op::Nabs {} => match rewriter.definition(args[0])? {
            (Op::Neg {} | Op::Abs {} | Op::Nabs {}, &[a]) => becomes(*op, &[a]),
            _ => None,
        },
        Op::Quad { .. } if rewriter.is_uniform(args[0]) => Some(Outcome::Is(args[0])),
        _ => None,
    }
}

fn select(rewriter: &Rewriter<'_>, op: &Op, m: Value, a: Value, b: Value) -> Option<Outcome> {
    let becomes = |op, args: &[Value]| Some(Outcome::Becomes(op, args.to_vec()));
    match rewriter.definition(m) {
        _ if a == b => return Some(Outcome::Is(a)),
        Some((Op::Mask { value }, _)) => return Some(Outcome::Is(if value { a } else { b })),
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
