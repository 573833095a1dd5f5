//! Rules of float arithmetic. A NaN result has open bits, so a rule may give any NaN where there was one.

use crate::attribute::{Denorm, Rounding, Zero};
use crate::entity::Value;
use crate::facts::ValueRange;
use crate::op::Op;
use crate::simplify::value_numbering::{Rewrite, Rewriter};
use std::cmp::Ordering;

const ONE: u32 = 0x3F80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;
/// 2^-100: numbers from here on lie further apart than denormals do.
const GREAT: f32 = 7.888_609e-31;
/// How deep definitions are looked into.
const DEPTH: u32 = 5;

pub(super) fn apply(rewriter: &Rewriter<'_>, op: &Op, args: &[Value]) -> Option<Rewrite> {
    let becomes = |op, args: &[Value]| Some(Rewrite::Becomes(op, args.to_vec()));
    let negated = |at: usize| match rewriter.definition(args[at]) {
        Some((Op::Neg {}, &[a])) => Some(a),
        _ => None,
    };
    let is = |at: usize, bits: u32| rewriter.function.lane_constant(args[at]) == Some(bits);
    let unchanged = |denorm: Denorm| {
        let settled = denorm == Denorm::Keep || !rewriter.range(args[0]).denormal;
        settled.then(|| Rewrite::Is(args[0]))
    };
    match *op {
        Op::Fadd { denorm } if is(1, MINUS_ZERO) => unchanged(denorm),
        Op::Fadd { denorm }
            if is(1, 0) && (!rewriter.zero_sign_matters() || never_minus_zero(rewriter, args[0], DEPTH)) =>
        {
            unchanged(denorm)
        }
        Op::Fsub { denorm } if is(1, 0) => unchanged(denorm),
        Op::Fadd { denorm } => match (negated(0), negated(1)) {
            (_, Some(b)) => becomes(Op::Fsub { denorm }, &[args[0], b]),
            (Some(a), None) => becomes(Op::Fsub { denorm }, &[args[1], a]),
            (None, None) => None,
        },
        Op::Fsub { denorm } => negated(1).and_then(|b| becomes(Op::Fadd { denorm }, &[args[0], b])),
        Op::Fmul { denorm, zero } => {
            if zero != Zero::Always
                && is(1, ONE)
                && let Some(outcome) = unchanged(denorm)
            {
                return Some(outcome);
            }
            if let (Some(a), Some(b)) = (negated(0), negated(1)) {
                return becomes(*op, &[a, b]);
            }
            (zero == Zero::Special && !zero_rule_matters(rewriter, args))
                .then(|| Rewrite::Becomes(Op::Fmul { denorm, zero: Zero::Ieee }, args.to_vec()))
        }
        Op::Fma { denorm, zero } => {
            if zero != Zero::Always && is(1, ONE) {
                return becomes(Op::Fadd { denorm }, &[args[0], args[2]]);
            }
            if zero != Zero::Always && is(0, ONE) {
                return becomes(Op::Fadd { denorm }, &[args[1], args[2]]);
            }
            if is(0, 0) && is(1, 0) {
                return becomes(Op::Fadd { denorm }, &[args[2], args[0]]);
            }
            let product_will_do = is(2, 0) && (args[0] == args[1] || !rewriter.zero_sign_matters());
            if is(2, MINUS_ZERO) || product_will_do {
                return becomes(Op::Fmul { denorm, zero }, &args[..2]);
            }
            if let (Some(a), Some(b)) = (negated(0), negated(1)) {
                return becomes(*op, &[a, b, args[2]]);
            }
            (zero == Zero::Special && !zero_rule_matters(rewriter, args))
                .then(|| Rewrite::Becomes(Op::Fma { denorm, zero: Zero::Ieee }, args.to_vec()))
        }
        Op::FaddRounded { rounding: Rounding::Even } => becomes(Op::Fadd { denorm: Denorm::Keep }, args),
        Op::FmulRounded { rounding: Rounding::Even } => {
            becomes(Op::Fmul { denorm: Denorm::Keep, zero: Zero::Ieee }, args)
        }
        Op::FmaRounded { rounding: Rounding::Even } => {
            becomes(Op::Fma { denorm: Denorm::Keep, zero: Zero::Ieee }, args)
        }
        Op::Fcmp { test, denorm }
            if (is(1, 0) || is(1, MINUS_ZERO))
                && let Some(operands) = compared_difference(rewriter, args[0]) =>
        {
            becomes(Op::Fcmp { test, denorm }, &operands)
        }
        Op::Fcmp { test, denorm } => {
            let orders = possible_orders(&rewriter.range(args[0]), &rewriter.range(args[1]), denorm);
            let mut answers = orders.iter().flatten().map(|&order| test.holds(order));
            let first = answers.next()?;
            answers.all(|answer| answer == first).then_some(Rewrite::IsConstant(Op::Mask { value: first }))
        }
        _ => None,
    }
}

/// The operands of a difference that has the sign of the exact one, and is zero only if that is: no difference from a constant this
/// great is tiny.
fn compared_difference(rewriter: &Rewriter<'_>, value: Value) -> Option<[Value; 2]> {
    let Some((Op::Fsub { .. }, &[a, b])) = rewriter.definition(value) else { return None };
    let is_great = |value: Value| {
        let constant = rewriter.function.lane_constant(value).map(f32::from_bits);
        constant.is_some_and(|constant| constant.is_finite() && constant.abs() >= GREAT)
    };
    (is_great(a) || is_great(b)).then_some([a, b])
}

/// Whether a float is certainly not -0. (Results that are flushed keep their sign.)
fn never_minus_zero(rewriter: &Rewriter<'_>, value: Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let never = |value: Value| never_minus_zero(rewriter, value, depth);
    let is_negative = |value: Value| rewriter.range(value).lo < 0.0;
    match rewriter.definition(value) {
        Some((Op::Lane { bits }, _)) => bits.0 != MINUS_ZERO,
        Some((Op::Fmul { .. }, &[a, b])) => a == b,
        Some((Op::Fadd { .. }, &[a, b])) => (never(a) || never(b)) && !is_negative(a) && !is_negative(b),
        Some((Op::CanonNan { .. } | Op::PassNan {}, args)) => never(args[0]),
        Some((Op::Abs {} | Op::Itof {} | Op::Utof {} | Op::Ex2 {} | Op::Frc {} | Op::Clamp01 { .. }, _)) => true,
        _ => rewriter.range(value).lo > 0.0,
    }
}

/// Whether a product can be zero times infinity or NaN.
fn zero_rule_matters(rewriter: &Rewriter<'_>, args: &[Value]) -> bool {
    let (a, b) = (rewriter.range(args[0]), rewriter.range(args[1]));
    a.may_be_zero_times_special(&b)
}

/// How two floats of these ranges can compare; `None` inside is unordered.
fn possible_orders(a: &ValueRange, b: &ValueRange, denorm: Denorm) -> [Option<Option<Ordering>>; 4] {
    let flush = |end: f32| match denorm {
        Denorm::Keep => end,
        Denorm::Flush => f32::from_bits(ctm_num::flush(end.to_bits())),
    };
    let (a_lo, a_hi, b_lo, b_hi) = (flush(a.lo), flush(a.hi), flush(b.lo), flush(b.hi));
    [
        (a_lo < b_hi).then_some(Some(Ordering::Less)),
        (a_lo <= b_hi && b_lo <= a_hi).then_some(Some(Ordering::Equal)),
        (a_hi > b_lo).then_some(Some(Ordering::Greater)),
        (a.nan || b.nan).then_some(None),
    ]
}
