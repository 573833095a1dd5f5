//! Random functions as machine code against a plain evaluator.
#![cfg(target_arch = "x86_64")]

#[path = "support/functions.rs"]
mod functions;
#[path = "../../lane/tests/support/generate.rs"]
mod generate;
#[path = "../../lane/tests/support/random.rs"]
#[allow(dead_code, reason = "the generator uses a part")]
mod random;
mod support;

use functions::{Checked, check, draft};
use support::backends;

#[test]
fn functions_agree() {
    let count = 500;
    for backend in backends() {
        let outcome =
            |seed| check(&backend, &draft(seed)).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        let outcomes: Vec<Checked> = (0..count).map(outcome).collect();
        let of = |kind| outcomes.iter().filter(|&&outcome| outcome == kind).count() as u64;
        let (stopped, compiled) = (of(Checked::Stopped), count - of(Checked::Refused));
        assert!(compiled * 2 > count && stopped * 20 > count, "{compiled} of {count} were compiled, {stopped} stopped");
    }
}
