//! Which masks lie inside which, as far as their definitions say.

use crate::entity::Value;
use crate::function::Function;
use crate::op::Op;

/// How deep definitions are looked into; masks of nested conditions grow by one level each.
const DEPTH: u32 = 5;

/// Whether every lane of `m` is certainly in `n`.
pub(crate) fn implies(function: &Function, m: Value, n: Value) -> bool {
    implies_within(function, m, n, DEPTH)
}

/// Whether no lane is certainly in both `m` and `n`.
pub(crate) fn disjoint(function: &Function, m: Value, n: Value) -> bool {
    disjoint_within(function, m, n, DEPTH)
}

fn implies_within(function: &Function, m: Value, n: Value, depth: u32) -> bool {
    if m == n {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let implied = |m, n| implies_within(function, m, n, depth);
    let apart = |m, n| disjoint_within(function, m, n, depth);
    let by_left = match function.defining_op(m) {
        Some((Op::Mask { value: false }, _)) => true,
        Some((Op::MaskAnd {}, &[a, b])) => implied(a, n) || implied(b, n),
        Some((Op::MaskAndnot {}, &[a, _])) => implied(a, n),
        Some((Op::MaskOr {}, &[a, b])) => implied(a, n) && implied(b, n),
        Some((Op::MaskSelect {}, &[_, a, b])) => implied(a, n) && implied(b, n),
        Some((Op::SurfaceTest { .. }, &[_, _, _, tested])) => implied(tested, n),
        _ => false,
    };
    by_left
        || match function.defining_op(n) {
            Some((Op::Mask { value: true }, _)) => true,
            Some((Op::MaskAnd {}, &[a, b])) => implied(m, a) && implied(m, b),
            Some((Op::MaskAndnot {}, &[a, b])) => implied(m, a) && apart(m, b),
            Some((Op::MaskOr {}, &[a, b])) => implied(m, a) || implied(m, b),
            Some((Op::MaskNot {}, &[a])) => apart(m, a),
            _ => false,
        }
}

fn disjoint_within(function: &Function, m: Value, n: Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let implied = |m, n| implies_within(function, m, n, depth);
    let apart = |m, n| disjoint_within(function, m, n, depth);
    let one_way = |m: Value, n: Value| match function.defining_op(m) {
        Some((Op::Mask { value: false }, _)) => true,
        Some((Op::MaskNot {}, &[a])) => implied(n, a),
        Some((Op::MaskAnd {}, &[a, b])) => apart(a, n) || apart(b, n),
        Some((Op::MaskAndnot {}, &[a, b])) => implied(n, b) || apart(a, n),
        Some((Op::MaskOr {}, &[a, b])) => apart(a, n) && apart(b, n),
        _ => false,
    };
    one_way(m, n) || one_way(n, m)
}
