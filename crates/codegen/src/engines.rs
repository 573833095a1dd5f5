//! Engines by name, and which of them this host has.

#[cfg(target_arch = "x86_64")]
use crate::x64::Jit;
use ctm_engine::{Engine, Executor, Refusal, Stages};
use ctm_lane::effort::Effort;
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
            EngineName::Reference => Executor::REFERENCE,
            EngineName::Interp => Engine::INTERPRETER,
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
        Self::ALL.into_iter().filter(|&name| name != EngineName::Jit && name.executor().is_ok())
    }

    /// The fastest engine of this host.
    pub fn fastest() -> Self {
        if EngineName::Jit.executor().is_ok() { EngineName::Jit } else { EngineName::Interp }
    }

    /// What executes jobs with the engine.
    ///
    /// # Errors
    /// If this host cannot have it.
    pub fn executor(self) -> Result<Executor, NoEngine> {
        self.of(false)
    }

    /// The same. If the engine makes machine code, the bytes are checked before they run, and not only the instructions
    /// that they are made of: a mistake of register allocation or encoding is refused too. That is meant for untrusted
    /// programs.
    ///
    /// # Errors
    /// If this host cannot have it.
    pub fn checked_executor(self) -> Result<Executor, NoEngine> {
        self.of(true)
    }

    fn of(self, checks_bytes: bool) -> Result<Executor, NoEngine> {
        let engine = match self {
            EngineName::Reference => return Ok(Executor::Reference),
            EngineName::Interp => Some(Engine::interpreter()),
            EngineName::Jit | EngineName::JitAvx2 | EngineName::JitAvx512 => self.machine_code(checks_bytes),
        };
        engine.map(Executor::Engine).ok_or(NoEngine(self))
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

    /// The machine code that an engine makes of a program, as text with addresses, one instruction on a line; `None` if it
    /// makes none, or the program is interpreted.
    ///
    /// # Errors
    /// Why there is none of this program.
    #[cfg(target_arch = "x86_64")]
    pub fn disassemble(self, stages: &Stages, effort: &Effort) -> Result<Option<String>, Refusal> {
        let jit = self.jit().zip(stages.source());
        jit.map(|(jit, source)| jit.disassemble(&source, effort)).transpose()
    }

    /// No engine makes machine code for this host.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn disassemble(self, _: &Stages, _: &Effort) -> Result<Option<String>, Refusal> {
        Ok(None)
    }
}
