//! The interpreter and every form of machine code after one engine: a program is lifted and simplified once for all of
//! them, which takes most of the time of a small run.

use crate::hunt::tally::Tally;
use ctm_codegen::EngineName;
use ctm_engine::interp::{Code as Interpreted, Group, Program};
use ctm_engine::{
    Backend, Bindings, BoundCode, Code, CodeCounts, Engine, Incomplete, KernelSource, RectangleOutcome, Refusal, Stop,
};
use ctm_lane::budget::{Meter, Poller};
use ctm_lane::domain::{Domain, Lanes, Layout};
use ctm_lane::effort::Effort;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Lanes of the interpreter's groups.
const WIDTH: usize = 128;

/// In the text of every error that says that engines disagree.
pub const DISAGREEMENT: &str = "is not as the reference";

/// An engine with all forms, of which one is chosen for each run.
pub struct Forms {
    engine: Engine,
    backends: Arc<[Box<dyn Backend>]>,
    names: Vec<&'static str>,
    chosen: Arc<AtomicUsize>,
    /// Pieces of code that were not shown to be safe as they were made first, at the last look.
    unproven: AtomicU64,
}

impl Default for Forms {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Forms {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Forms({:?})", self.names)
    }
}

impl Forms {
    /// Every form that this host has; the interpreter is number 0.
    pub fn new() -> Self {
        let backends: Arc<[_]> = backends().into();
        let names = std::iter::once(EngineName::Interp.name()).chain(backends.iter().map(|backend| backend.name()));
        let names = names.collect();
        let chosen = Arc::new(AtomicUsize::new(0));
        let engine = Engine::with_backend(Box::new(AllForms { backends: backends.clone(), chosen: chosen.clone() }));
        Forms { engine, backends, names, chosen, unproven: AtomicU64::new(0) }
    }

    /// The engine, with the form that was chosen last.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Adds what the checker found of all code so far.
    pub fn count(&self, tally: &mut Tally) {
        for backend in self.backends.iter() {
            tally.check(backend.name(), backend.code_counts());
        }
    }

    /// Whether all machine code since the last call was shown to be safe as it was made first.
    ///
    /// # Errors
    /// If some of it was made again with explicit clamps and masks, or refused.
    pub fn check_proven(&self) -> Result<(), String> {
        let counts: Vec<CodeCounts> = self.backends.iter().map(|backend| backend.code_counts()).collect();
        let unproven: u64 = counts.iter().map(|counts| counts.explicit + counts.refused).sum();
        match unproven - self.unproven.swap(unproven, Relaxed) {
            0 => Ok(()),
            new => {
                let faults = self.backends.iter().zip(counts);
                let faults =
                    faults.filter_map(|(backend, counts)| Some(format!("{}: {}", backend.name(), counts.fault?)));
                let faults = faults.collect::<Vec<_>>().join("; ");
                Err(format!("{new} pieces of machine code were not shown to be safe as they were made first: {faults}"))
            }
        }
    }

    /// The names of the forms that a run can have, each chosen while it is the iterator's last. What is not `compiled` is
    /// interpreted by all of them.
    pub fn each(&self, compiled: bool) -> impl Iterator<Item = &'static str> {
        let count = if compiled { self.names.len() } else { 1 };
        self.names[..count].iter().enumerate().map(|(number, name)| {
            self.chosen.store(number, Relaxed);
            *name
        })
    }
}

#[cfg(target_arch = "x86_64")]
fn backends() -> Vec<Box<dyn Backend>> {
    use ctm_codegen::x64::Jit;
    let forms = [Jit::avx512(), Jit::avx2()].into_iter().flatten();
    forms.map(|jit| Box::new(jit) as Box<dyn Backend>).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn backends() -> Vec<Box<dyn Backend>> {
    Vec::new()
}

struct AllForms {
    backends: Arc<[Box<dyn Backend>]>,
    chosen: Arc<AtomicUsize>,
}

impl Backend for AllForms {
    fn name(&self) -> &'static str {
        "all forms"
    }

    /// Code of all forms, complete, so that all of it is checked. All of them refuse the same functions: what one has not, the
    /// others do not need.
    fn compile(&self, source: &KernelSource, effort: &Effort) -> Result<Box<dyn Code>, Refusal> {
        let machine: Vec<_> =
            self.backends.iter().map(|backend| backend.compile(source, effort)).collect::<Result<_, _>>()?;
        if machine.is_empty() || !machine.iter().all(|code| code.complete()) {
            return Err(Refusal::Unsupported);
        }
        let interpreted = Interpreted::new(source.function);
        Ok(Box::new(AllCode { interpreted, machine, chosen: self.chosen.clone() }))
    }
}

struct AllCode {
    interpreted: Interpreted,
    machine: Vec<Box<dyn Code>>,
    chosen: Arc<AtomicUsize>,
}

impl Code for AllCode {
    fn bind<'a>(&'a self, bindings: &'a Bindings) -> Result<Box<dyn BoundCode + 'a>, Incomplete> {
        match self.chosen.load(Relaxed).checked_sub(1) {
            None => Ok(Box::new(BoundInterpreter { code: &self.interpreted, bindings })),
            Some(form) => self.machine[form].bind(bindings),
        }
    }

    fn columns(&self) -> u32 {
        self.chosen.load(Relaxed).checked_sub(1).map_or(u32::MAX, |form| self.machine[form].columns())
    }

    fn is_sound(&self) -> bool {
        self.machine.iter().all(|machine| machine.is_sound())
    }

    fn complete(&self) -> bool {
        self.machine.iter().all(|machine| machine.complete())
    }

    fn bytes(&self) -> usize {
        self.interpreted.bytes() + self.machine.iter().map(|machine| machine.bytes()).sum::<usize>()
    }
}

/// The interpreter as code among others.
struct BoundInterpreter<'a> {
    code: &'a Interpreted,
    bindings: &'a Bindings<'a>,
}

impl BoundCode for BoundInterpreter<'_> {
    fn run(
        &mut self,
        rectangle: Domain,
        step_limit: u64,
        _poller: &mut Poller,
    ) -> Result<RectangleOutcome, Incomplete> {
        let program = Program::new(self.code, self.bindings);
        let options = crate::untimed();
        let meter = Meter::new(options.budget, options.cancel);
        let mut group = Group::new(&program, WIDTH, step_limit, &meter)?;
        let stopped = |stop| match stop {
            Stop::Halted(halt) => Incomplete::Halted(halt),
            Stop::Trap { .. } | Stop::StepLimit { .. } => Incomplete::Stopped,
        };
        if self.code.uses_quads {
            let layout = Layout::new(Lanes::Area(rectangle), WIDTH);
            for number in 0..layout.groups() {
                group.set_positions(layout.positions(number), |i, j| rectangle.contains(i, j));
                group.run().map_err(stopped)?;
            }
        } else {
            for first in (0..rectangle.lanes()).step_by(WIDTH) {
                group.set_rows(rectangle, first);
                group.run().map_err(stopped)?;
            }
        }
        Ok(RectangleOutcome { instructions: group.instructions })
    }
}
