//! Rules of mask logic.

use crate::entity::Value;
use crate::op::Op;
use crate::simplify::mask_implication::{disjoint, implies};
use crate::simplify::value_numbering::{Rewrite, Rewriter};

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    let is = |value| Some(Rewrite::Is(value));
    let empty = || Some(Rewrite::IsConstant(Op::Mask { value: false }));
    let function = &*rewriter.function;
    let constant = |at: usize| function.mask_constant(args[at]);
    let complement = |at: usize| match rewriter.definition(args[at]) {
        Some((Op::MaskNot {}, &[a])) => Some(a),
        _ => None,
    };
    match *op {
        Op::MaskNot {} => match rewriter.definition(args[0])? {
            (Op::MaskNot {}, &[a]) => is(a),
            (Op::Fcmp { test, denorm }, operands) if rewriter.has_one_use(args[0]) => {
                becomes(Op::Fcmp { test: test.negated(), denorm }, operands)
            }
            (Op::Icmp { test }, operands) if rewriter.has_one_use(args[0]) => {
                becomes(Op::Icmp { test: test.negated() }, operands)
            }
            _ => None,
        },
        Op::MaskAnd {} => {
            let (a, b) = (args[0], args[1]);
            if rewriter.implies(a, b) {
                return is(a);
            }
            if rewriter.implies(b, a) {
                return is(b);
            }
            if disjoint(function, a, b) {
                return empty();
            }
            match (complement(0), complement(1)) {
                (_, Some(n)) => becomes(Op::MaskAndnot {}, &[a, n]),
                (Some(n), None) => becomes(Op::MaskAndnot {}, &[b, n]),
                (None, None) => None,
            }
        }
        Op::MaskAndnot {} => {
            let (a, b) = (args[0], args[1]);
            if implies(function, a, b) {
                return empty();
            }
            if disjoint(function, a, b) {
                return is(a);
            }
            if constant(0) == Some(true) {
                return becomes(Op::MaskNot {}, &[b]);
            }
            if let Some(n) = complement(1) {
                return becomes(Op::MaskAnd {}, &[a, n]);
            }
            // Inside a, only the other part of b counts.
            match rewriter.definition(b) {
                Some((Op::MaskAndnot {}, &[x, y])) if implies(function, a, x) => becomes(Op::MaskAnd {}, &[a, y]),
                Some((Op::MaskAnd {}, &[x, y])) if implies(function, a, x) => becomes(*op, &[a, y]),
                Some((Op::MaskAnd {}, &[x, y])) if implies(function, a, y) => becomes(*op, &[a, x]),
                _ => None,
            }
        }
        Op::MaskOr {} => {
            let (a, b) = (args[0], args[1]);
            if implies(function, a, b) {
                return is(b);
            }
            if implies(function, b, a) {
                return is(a);
            }
            // m and x, or m without x, is m.
            match (rewriter.definition(a), rewriter.definition(b)) {
                (Some((Op::MaskAnd {}, &[m, x])), Some((Op::MaskAndnot {}, &[n, y])))
                | (Some((Op::MaskAndnot {}, &[n, y])), Some((Op::MaskAnd {}, &[m, x])))
                    if (m, x) == (n, y) || (x, m) == (n, y) =>
                {
                    is(n)
                }
                _ => None,
            }
        }
        Op::MaskXor {} => match constant(1) {
            Some(true) => becomes(Op::MaskNot {}, &args[..1]),
            Some(false) => is(args[0]),
            None if args[0] == args[1] => empty(),
            None => None,
        },
        Op::MaskSelect {} => match (constant(1), constant(2)) {
            (Some(true), _) => becomes(Op::MaskOr {}, &[args[0], args[2]]),
            (Some(false), _) => becomes(Op::MaskAndnot {}, &[args[2], args[0]]),
            (None, Some(false)) => becomes(Op::MaskAnd {}, &args[..2]),
            _ => narrowed(rewriter, op, args[0], args[1], args[2]),
        },
        _ => None,
    }
}

/// Parts of the arms of a mask select that the mask decides.
fn narrowed(rewriter: &Rewriter<'_>, op: &Op, m: Value, a: Value, b: Value) -> Option<Rewrite> {
    match rewriter.definition(a) {
        Some((Op::MaskAnd {}, &[x, y])) if implies(rewriter.function, m, x) => {
            Some(Rewrite::Becomes(*op, vec![m, y, b]))
        }
        Some((Op::MaskAnd {}, &[x, y])) if implies(rewriter.function, m, y) => {
            Some(Rewrite::Becomes(*op, vec![m, x, b]))
        }
        _ => None,
    }
}
