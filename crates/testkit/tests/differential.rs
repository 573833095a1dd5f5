//! Random programs of every kind on every engine give what they give on the reference.

use ctm_codegen::EngineName;
use ctm_testkit::differential::Differential;
use ctm_testkit::random::Random;

#[test]
fn engines_agree() {
    let mut differential = Differential::new();
    for seed in 0..300 {
        differential.check(Random::new(seed)).unwrap_or_else(|difference| panic!("seed {seed}, {difference}"));
    }
    // What all engines leave to the interpreter says nothing about machine code.
    let makes_code = EngineName::available().count() > 2;
    assert!(!makes_code || differential.compiled() > 0.6, "{}", differential.summary());
    assert!(!makes_code || differential.sampled() > 30, "{} sampled", differential.sampled());
}
