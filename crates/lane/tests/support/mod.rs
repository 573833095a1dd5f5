//! What the tests share: a plain evaluator of functions, and a generator of functions that pass the verifier.
#![allow(dead_code, reason = "each test uses a part")]

pub mod evaluate;
pub mod generate;
pub mod random;
