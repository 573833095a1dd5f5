//! Moves negations from factors to products.
//!
//! A product is then one that the code has anyway, as of a number by itself, and a sum subtracts it. Rounding to the nearest is the same for
//! both signs, and nothing says which bits a product that is a NaN has.

use crate::attribute::Zero;
use crate::entity::Value;
use crate::function::Function;
use crate::op::Op;

pub(crate) fn run(function: &mut Function) -> bool {
    let mut is_changed = false;
    for block in function.blocks() {
        let insts = std::mem::take(&mut function.blocks[block.index()].insts);
        let mut all = Vec::with_capacity(insts.len());
        for inst in insts {
            // Products that are +0 where a factor is a zero have no sign then.
            if let Op::Fmul { zero: Zero::Ieee, .. } = *function.op(inst)
                && let Some(factors) = one_negated(function, function.args(inst))
            {
                let product = function.make_inst(*function.op(inst), &factors);
                function.replace_op(inst, Op::Neg {}, &[function.result(product)]);
                all.push(product);
                is_changed = true;
            }
            all.push(inst);
        }
        function.blocks[block.index()].insts = all;
    }
    is_changed
}

/// The factors without the negation that one of them has.
fn one_negated(function: &Function, factors: &[Value]) -> Option<[Value; 2]> {
    let negated = |value: Value| match function.defining_op(value) {
        Some((Op::Neg {}, &[a])) => Some(a),
        _ => None,
    };
    let &[a, b] = factors else { return None };
    match (negated(a), negated(b)) {
        (Some(a), None) => Some([a, b]),
        (None, Some(b)) => Some([a, b]),
        (Some(_), Some(_)) | (None, None) => None,
    }
}
