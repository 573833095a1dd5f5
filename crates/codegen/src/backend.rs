//! The backend of an engine: makes code for a target, checks it, and counts what was found.

use crate::check::Decoding;
use crate::code_checks::CodeChecks;
use crate::kernel::Kernel;
use crate::memory::Blocks;
use ctm_engine::{Backend, Code, CodeCounts, KernelSource, Refusal};
use ctm_lane::effort::Effort;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The backend. It exists only on hosts that can run its code.
#[derive(Debug)]
pub struct Jit<T> {
    pub(crate) target: T,
    pub(crate) checks: Arc<CodeChecks>,
    /// What runs of its kernels have tables and arrays in.
    pub(crate) blocks: Arc<Blocks>,
}

impl<T: Decoding> Jit<T> {
    /// The same, and the bytes of all code are checked too: that registers are where the checked instructions have them, on
    /// every way through the code. Builds with debug assertions always do that.
    pub fn with_checked_bytes(self) -> Self {
        Self { checks: Arc::new(CodeChecks { bytes: true, ..CodeChecks::default() }), ..self }
    }

    /// The code of a function.
    pub(crate) fn kernel(&self, source: &KernelSource, effort: &Effort) -> Result<Kernel<T>, Refusal> {
        Kernel::new(source, self.target, (&self.checks, &self.blocks), effort)
    }

    /// The backend for a target that this host has.
    pub(crate) fn of(target: T) -> Self {
        Self { target, checks: Arc::default(), blocks: Arc::default() }
    }

    /// Lanes of a group.
    pub fn lanes(&self) -> u32 {
        self.target.lanes()
    }

    /// The machine code for a function as text, one instruction on a line.
    ///
    /// # Errors
    /// Why there is none.
    pub fn disassemble(&self, source: &KernelSource, effort: &Effort) -> Result<String, Refusal> {
        let kernel = self.kernel(source, effort)?;
        let mut text = String::new();
        for (title, unit) in [("interior", &kernel.interior), ("general", &kernel.make_general(effort)?)] {
            text.push_str(title);
            text.push_str(":\n");
            if let Some(fault) = &unit.fault {
                text.push_str(&format!(
                    "; explicit clamps and masks, as other code could not be shown to be safe: {fault}\n"
                ));
            }
            let code = unit.code.bytes().get(unit.code.entry()..unit.end).unwrap_or_default();
            text.push_str(&T::disassemble(code, unit.code.entry()));
        }
        Ok(text)
    }
}

impl<T: Decoding> Backend for Jit<T> {
    fn name(&self) -> &'static str {
        self.target.name()
    }

    fn compile(&self, source: &KernelSource, effort: &Effort) -> Result<Box<dyn Code>, Refusal> {
        self.kernel(source, effort).map(|kernel| Box::new(kernel) as Box<dyn Code>)
    }

    fn code_counts(&self) -> CodeCounts {
        let count = |count: &AtomicU64| count.load(Relaxed);
        let time = |nanoseconds: &AtomicU64| Duration::from_nanos(nanoseconds.load(Relaxed));
        let checks = &self.checks;
        CodeCounts {
            proven: count(&checks.proven),
            explicit: count(&checks.explicit),
            refused: count(&checks.refused),
            interleaved: count(&checks.interleaved),
            speculating: count(&checks.speculating),
            deoptimised: count(&checks.deoptimised),
            access_time: time(&checks.access_time),
            byte_time: time(&checks.byte_time),
            cut_short: count(&checks.cut_short),
            last_refusal: checks.last_refusal(),
            fault: checks.last_fault(),
        }
    }
}
