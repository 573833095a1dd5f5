//! Random functions as machine code against a plain evaluator.
#![cfg(target_arch = "x86_64")]

use crate::functions::{Checked, check, draft};
use crate::support::backends;

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
