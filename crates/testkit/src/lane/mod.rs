//! Random functions of the lane IR as machine code, against a plain evaluator. The generator and the evaluator are those of
//! the tests of the crates `lane` and `engine`.

pub mod filetest;
#[path = "../../../codegen/tests/support/functions.rs"]
mod functions;
#[path = "../../../lane/tests/support/generate.rs"]
mod generate;
#[path = "../../../lane/tests/support/random.rs"]
#[allow(dead_code, reason = "the generator uses a part")]
mod random;
#[path = "../../../codegen/tests/support/mod.rs"]
mod support;
pub mod targets;

use crate::hunt::tally::{Tally, add, one_more};
use ctm_codegen::x64::Jit;
use ctm_engine::Backend;
use ctm_lane::Op;
pub use functions::{Checked, Draft, draft};
use std::collections::BTreeMap;

/// The backends of this host, and counters.
#[derive(Default)]
pub struct Differential {
    backends: Vec<Jit>,
    /// Functions so far, each counted once for every backend.
    pub functions: u64,
    /// Those that machine code ran.
    pub compiled: u64,
    /// Those of them that trapped, or took too many steps.
    pub stopped: u64,
    /// Functions with each operation.
    operations: BTreeMap<String, u64>,
}

impl Differential {
    /// All backends of this host.
    pub fn new() -> Self {
        Differential { backends: support::backends(), ..Self::default() }
    }

    /// Makes a function of this seed, and runs it on every backend.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, seed: u64) -> Result<(), String> {
        self.check_draft(&draft(seed))
    }

    /// Runs a function on every backend.
    ///
    /// # Errors
    /// With what differs.
    pub fn check_draft(&mut self, draft: &Draft) -> Result<(), String> {
        for block in draft.function.blocks() {
            for &inst in draft.function.insts(block) {
                one_more(&mut self.operations, draft.function.op(inst).info().name);
            }
        }
        for backend in &self.backends {
            let checked = functions::check(backend, draft)?;
            self.functions += 1;
            self.compiled += u64::from(checked != Checked::Refused);
            self.stopped += u64::from(checked == Checked::Stopped);
        }
        Ok(())
    }

    /// Adds the counters to those of a hunt.
    pub fn count(&self, tally: &mut Tally) {
        tally.programs += self.functions;
        tally.compiled += self.compiled;
        tally.trapped += self.stopped;
        let refused = self.functions - self.compiled;
        if refused > 0 {
            *tally.refused.entry("no code of the backend".into()).or_default() += refused;
        }
        tally.operations.extend(Op::table().iter().map(|op| (op.name.to_owned(), 0)));
        add(&mut tally.operations, &self.operations);
        for backend in &self.backends {
            tally.check(backend.name(), backend.code_counts());
        }
    }
}
