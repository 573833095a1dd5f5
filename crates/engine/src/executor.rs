//! Engines by name, and what runs jobs with one of them.

use crate::backend::{CheckCounts, Source};
use crate::engine::{Compiled, Engine};
use crate::guest::GuestJob;
#[cfg(target_arch = "x86_64")]
use crate::jit::Jit;
use ctm_lane::run::RunOptions;
use std::fmt;
use thiserror::Error;

/// The name of an engine, with its number in the C interface. All engines give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum EngineName {
    /// The scalar reference: one instruction of the program after the other.
    Reference = 1,
    /// Lane IR, interpreted: on any host.
    Interp = 2,
    /// Machine code, of the best form that the host has.
    Jit = 3,
    /// Machine code for x86-64 with AVX2.
    JitAvx2 = 4,
    /// Machine code for x86-64 with AVX-512.
    JitAvx512 = 5,
}

/// This host cannot have an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this machine cannot run the machine code of engine {}, which needs {}", .0.name(), .0.needs())]
pub struct NoEngine(pub EngineName);

impl EngineName {
    /// Every name, the slowest engine first.
    pub const ALL: [EngineName; 5] =
        [EngineName::Reference, EngineName::Interp, EngineName::Jit, EngineName::JitAvx2, EngineName::JitAvx512];

    /// How people spell it.
    pub const fn name(self) -> &'static str {
        match self {
            EngineName::Reference => "reference",
            EngineName::Interp => "interp",
            EngineName::Jit => "jit",
            EngineName::JitAvx2 => "jit-avx2",
            EngineName::JitAvx512 => "jit-avx512",
        }
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            EngineName::Reference => "The specification's own algorithm, one instruction at a time",
            EngineName::Interp => "The program as lane IR, interpreted: any host",
            EngineName::Jit => "The program as machine code, of the best form that this host has",
            EngineName::JitAvx2 => "Machine code for x86-64 with AVX2 and FMA",
            EngineName::JitAvx512 => "Machine code for x86-64 with AVX-512",
        }
    }

    /// What a host must have for it.
    const fn needs(self) -> &'static str {
        match self {
            EngineName::Reference | EngineName::Interp => "nothing",
            EngineName::Jit | EngineName::JitAvx2 => "x86-64 with AVX2, FMA, F16C, BMI1 and POPCNT",
            EngineName::JitAvx512 => "x86-64 with AVX-512 (F, CD, DQ, VL, BW) and POPCNT",
        }
    }

    /// The engine that is spelled so.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// The engines that this host has, the reference first; `jit`, which is one of the others, is left out.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&name| name != EngineName::Jit && Executor::new(name).is_ok())
    }

    /// The fastest engine of this host.
    pub fn fastest() -> Self {
        if Executor::new(EngineName::Jit).is_ok() { EngineName::Jit } else { EngineName::Interp }
    }

    #[cfg(target_arch = "x86_64")]
    fn jit(self) -> Option<Jit> {
        match self {
            EngineName::Reference | EngineName::Interp => None,
            EngineName::Jit => Jit::new(),
            EngineName::JitAvx2 => Jit::avx2(),
            EngineName::JitAvx512 => Jit::avx512(),
        }
    }

    /// The engine that makes this machine code, if this host can run it; its bytes are checked if `checks_bytes` says so.
    #[cfg(target_arch = "x86_64")]
    fn machine_code(self, checks_bytes: bool) -> Option<Engine> {
        let jit = self.jit()?;
        let jit = if checks_bytes { jit.with_checked_bytes() } else { jit };
        Some(Engine::with_backend(Box::new(jit)))
    }

    /// No engine makes machine code for this host.
    #[cfg(not(target_arch = "x86_64"))]
    fn machine_code(self, _: bool) -> Option<Engine> {
        None
    }

    /// The machine code of a function as text; `None` if the engine makes none.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn disassemble(self, source: &Source) -> Option<String> {
        self.jit()?.disassemble(source)
    }

    /// No engine makes machine code for this host.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn disassemble(self, _: &Source) -> Option<String> {
        None
    }
}

/// Executes jobs with one engine, and keeps what it has prepared for them.
pub enum Executor {
    /// The scalar reference, which prepares nothing.
    Reference,
    /// Lane IR, interpreted or compiled.
    Engine(Engine),
}

impl Executor {
    /// The engine of this name.
    ///
    /// # Errors
    /// If this host cannot have it.
    pub fn new(name: EngineName) -> Result<Self, NoEngine> {
        Self::of(name, false)
    }

    /// The engine of this name. If it makes machine code, the bytes are checked before they run, and not only the
    /// instructions that they are made of: a mistake of register allocation or encoding is refused too. That is meant for
    /// programs that nobody answers for.
    ///
    /// # Errors
    /// If this host cannot have it.
    pub fn with_checked_code(name: EngineName) -> Result<Self, NoEngine> {
        Self::of(name, true)
    }

    fn of(name: EngineName, checks_bytes: bool) -> Result<Self, NoEngine> {
        let engine = match name {
            EngineName::Reference => return Ok(Executor::Reference),
            EngineName::Interp => Some(Engine::interpreter()),
            EngineName::Jit | EngineName::JitAvx2 | EngineName::JitAvx512 => name.machine_code(checks_bytes),
        };
        engine.map(Executor::Engine).ok_or(NoEngine(name))
    }

    /// The name of the engine, for people: that of the form, where machine code has several.
    pub fn name(&self) -> &'static str {
        match self {
            Executor::Reference => EngineName::Reference.name(),
            Executor::Engine(engine) => engine.name(),
        }
    }

    /// What the checker found of all machine code so far.
    pub fn check_counts(&self) -> CheckCounts {
        match self {
            Executor::Reference => CheckCounts::default(),
            Executor::Engine(engine) => engine.check_counts(),
        }
    }

    /// Compiles a job's program, for this job and all that have the same specialisation key.
    ///
    /// # Errors
    /// If the job's environment does not fit its program.
    pub fn compile<J: GuestJob>(&self, job: &J) -> Result<Compiled<J::Key, J::Kernels>, J::Error> {
        match self {
            Executor::Reference => job.check().map(|()| Compiled { engine: None, program: None }),
            Executor::Engine(engine) => engine.compile(job),
        }
    }

    /// Runs a job. Memory, output and errors are the same for every engine.
    ///
    /// # Errors
    /// As [`GuestJob::reference`].
    pub fn run<J: GuestJob>(&self, job: &J, options: &RunOptions) -> Result<J::Output, J::Error> {
        match self {
            Executor::Reference => job.reference(options),
            Executor::Engine(engine) => engine.run(job, options),
        }
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Executor({})", self.name())
    }
}
