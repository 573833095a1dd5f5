//! The backend of an engine: makes code for a target, checks it, and counts what was found.

use crate::kernel::Kernel;
use crate::memory::Blocks;
use crate::target::Target;
use ctm_engine::{Backend, CheckCounts, Code, Source};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The backend. It exists only on hosts that can run its code.
#[derive(Debug)]
pub struct Jit<T> {
    pub(crate) target: T,
    pub(crate) checks: Arc<Checks>,
    /// What runs of its kernels have tables and arrays in.
    pub(crate) blocks: Arc<Blocks>,
}

/// What is checked of code, and what was found of the code that a backend has made.
#[derive(Debug)]
pub(crate) struct Checks {
    /// The bytes are checked, and not only the instructions that they are made of.
    pub bytes: bool,
    pub proven: AtomicU64,
    pub explicit: AtomicU64,
    pub refused: AtomicU64,
    /// Nanoseconds that the checkers of accesses and of bytes took.
    pub access_time: AtomicU64,
    pub byte_time: AtomicU64,
}

impl Default for Checks {
    fn default() -> Self {
        let [proven, explicit, refused, access_time, byte_time] = [0; 5].map(AtomicU64::new);
        Self { bytes: cfg!(debug_assertions), proven, explicit, refused, access_time, byte_time }
    }
}

/// Adds the time that a check takes.
pub(crate) fn timed<T>(nanoseconds: &AtomicU64, check: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = check();
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}

impl<T: Target> Jit<T> {
    /// The same, and the bytes of all code are checked too: that registers are where the checked instructions have them, on
    /// every way through the code. Builds with debug assertions always do that.
    pub fn with_checked_bytes(self) -> Self {
        Self { checks: Arc::new(Checks { bytes: true, ..Checks::default() }), ..self }
    }

    /// The backend for a target that this host has.
    pub(crate) fn of(target: T) -> Self {
        Self { target, checks: Arc::default(), blocks: Arc::default() }
    }

    /// Lanes of a group.
    pub fn lanes(&self) -> u32 {
        self.target.lanes()
    }

    /// The machine code for a function as text, one instruction on a line; `None` if the backend refuses it.
    pub fn disassemble(&self, source: &Source) -> Option<String> {
        let kernel = Kernel::new(source, self)?;
        let mut text = String::new();
        for (title, unit) in [("interior", &kernel.interior), ("general", &kernel.general)] {
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
        Some(text)
    }
}

impl<T: Target> Backend for Jit<T> {
    fn name(&self) -> &'static str {
        self.target.name()
    }

    fn compile(&self, source: &Source) -> Option<Box<dyn Code>> {
        Kernel::new(source, self).map(|kernel| Box::new(kernel) as Box<dyn Code>)
    }

    fn check_counts(&self) -> CheckCounts {
        let Checks { bytes: _, proven, explicit, refused, access_time, byte_time } = &*self.checks;
        let [proven, explicit, refused] = [proven, explicit, refused].map(|count| count.load(Relaxed));
        let [access_time, byte_time] = [access_time, byte_time].map(|time| Duration::from_nanos(time.load(Relaxed)));
        CheckCounts { proven, explicit, refused, access_time, byte_time }
    }
}
