//! The PRED_SET family: whether a pixel passes, and the number that goes to the destination.
//!
//! The numbers of the simple comparisons are 0.0 for a pass and 1.0 for a failure (Multi2Sim's Evergreen model; Mesa's
//! optimiser agrees on PRED_SET_INV), since the counting forms (INV, POP, PUSH, RESTORE) take 0.0 for "executing".

use super::{MAXF, ONE, add, equal, greater_equal, sub};

/// What a PRED_SET operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The new predicate and execute bit.
    pub pass: bool,
    /// The result.
    pub value: u32,
}

/// A comparison that came out like this.
#[inline]
pub fn simple(pass: bool) -> Predicate {
    Predicate { pass, value: if pass { 0 } else { ONE } }
}

/// PRED_SET_INV: 1.0 passes; 0.0 becomes 1.0, and other numbers stay.
#[inline]
pub fn set_inv(a: u32) -> Predicate {
    let pass = equal(a, ONE);
    let value = match pass {
        true => 0,
        false if equal(a, 0) => ONE,
        false => a,
    };
    Predicate { pass, value }
}

/// PRED_SET_POP: passes where a <= b; else the result is a - b.
#[inline]
pub fn set_pop(a: u32, b: u32) -> Predicate {
    let pass = greater_equal(b, a);
    Predicate { pass, value: if pass { 0 } else { sub(a, b) } }
}

/// PRED_SET_CLR: fails, with the largest number.
#[inline]
pub fn set_clr() -> Predicate {
    Predicate { pass: false, value: MAXF }
}

/// PRED_SET_RESTORE: passes where a is zero; the result is a.
#[inline]
pub fn set_restore(a: u32) -> Predicate {
    Predicate { pass: equal(a, 0), value: a }
}

/// PRED_SETxx_PUSH, PRED_SETxx_PUSH_INT: passes where the test of b holds and the counter a is zero; else a + 1.
#[inline]
pub fn set_push(a: u32, holds: bool) -> Predicate {
    let pass = holds && equal(a, 0);
    Predicate { pass, value: if pass { 0 } else { add(a, ONE) } }
}
