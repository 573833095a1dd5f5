//! Random functions of the lane IR as machine code, against a plain evaluator. The generator and the evaluator are those of
//! the tests of the crates `lane` and `engine`.

#[path = "../../engine/tests/jit_support/functions.rs"]
mod functions;
#[path = "../../lane/tests/support/generate.rs"]
mod generate;
#[path = "../../engine/tests/jit_support/mod.rs"]
mod jit_support;
#[path = "../../lane/tests/support/random.rs"]
#[allow(dead_code, reason = "the generator uses a part")]
mod random;

use ctm_engine::jit::Jit;
pub use functions::Checked;

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
}

impl Differential {
    /// All backends of this host.
    pub fn new() -> Self {
        Differential { backends: jit_support::backends(), ..Self::default() }
    }

    /// Makes a function of this seed, and runs it on every backend.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, seed: u64) -> Result<(), String> {
        for backend in &self.backends {
            let name = ctm_engine::Backend::name(backend);
            let checked = functions::check(backend, seed).map_err(|difference| format!("{name}: {difference}"))?;
            self.functions += 1;
            self.compiled += u64::from(checked != Checked::Refused);
            self.stopped += u64::from(checked == Checked::Stopped);
        }
        Ok(())
    }
}
