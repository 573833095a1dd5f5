//! Loops without a number of passes: a predicate per loop says which lanes have left it. Where a test decides who leaves, it sets the predicate.

use super::machine::{Condition, Item, Op};
use ctm_x1k::ZeroTest;

/// Predicates that there are. Deeper loops do not fit the machine.
const PREDICATES: usize = 4;

/// Lets tests of breaks set the predicates of their loops.
pub(super) fn by_predicates(items: &mut [Item<Op>]) {
    walk(items, 0, false);
}

/// `depth`: loops around. `endless`: whether the innermost of them has no number of passes.
fn walk(items: &mut [Item<Op>], depth: usize, endless: bool) {
    for k in 0..items.len() {
        let (before, rest) = items.split_at_mut(k);
        match &mut rest[0] {
            Item::If { condition, then, otherwise, .. } => {
                if let (true, [Item::Break], [], Some(Item::Block(ops))) =
                    (endless, then.as_slice(), otherwise.as_slice(), before.last_mut())
                    && let Some(op) = ops.iter_mut().find(|op| op.test.is_some())
                    && depth <= PREDICATES
                    && let Some(test) = predicate_test(*condition, op.test)
                {
                    (op.test, op.predicate, *condition) = (Some(test), Some(depth - 1), Condition::Left);
                }
                walk(then, depth, endless);
                walk(otherwise, depth, endless);
            }
            Item::Loop { passes, body, .. } => walk(body, depth + 1, *passes == crate::ir::Passes::Endless),
            Item::Block(_) | Item::Break | Item::Continue => {}
        }
    }
}

/// The test whose predicate holds where a condition does. There is none for what is not (at least zero), as a NaN is not less than zero either.
fn predicate_test(condition: Condition, test: Option<ZeroTest>) -> Option<ZeroTest> {
    let Condition::Test { inverted } = condition else { return None };
    match (test?, inverted) {
        (test, false) => Some(test),
        (ZeroTest::Equal, true) => Some(ZeroTest::NotEqual),
        (ZeroTest::NotEqual, true) => Some(ZeroTest::Equal),
        (ZeroTest::Less | ZeroTest::GreaterEqual, true) => None,
    }
}
