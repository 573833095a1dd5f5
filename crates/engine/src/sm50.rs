//! SM50: launches of stages.
//!
//! A program whose lanes do not depend on each other is a free kernel; one whose lanes exchange data, but stay together,
//! runs in warps. Everything else is the reference's, and so is every launch that comes to a trap or to the step limit: the
//! reference knows the error, or in lenient mode the warnings.

use crate::backend::Bindings;
use crate::cache::Engine;
use crate::kernel::{Grouping, Kernel};
use crate::launch::{Launch as Start, Stop as KernelStop};
use ctm_lane::domain::Lanes;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Buffer, Space};
use ctm_num::sm50::mufu;
use ctm_sm50::attributes::Records;
use ctm_sm50::launch::{Column, Executor, Invocations, Launch, NO_INVOCATION, Outcome, Stop, WARP};
use ctm_sm50::lift::{self, BufferRole, Facts, Lifted, TableRole, launch_words, place_words};
use ctm_sm50::reference::Reference;

impl Executor for Engine {
    /// Runs a launch. Attribute memory, statistics, warnings and errors are those of
    /// [`Reference`](ctm_sm50::reference::Reference), bit for bit.
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let Some(facts) = Facts::of(launch) else { return Reference.run(launch, options) };
        match self.sm50.get(facts, |facts| Ready::new(facts, self)).as_ref() {
            Some(ready) => ready.run(launch, options),
            None => Reference.run(launch, options),
        }
    }
}

impl Executor for crate::Executor {
    /// Runs a launch. Everything is the same for every engine.
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        match self {
            crate::Executor::Reference => Reference.run(launch, options),
            crate::Executor::Engine(engine) => Executor::run(engine, launch, options),
        }
    }
}

impl Engine {
    /// Whether machine code runs the launch, as long as its program does nothing that it should not.
    pub fn compiles_sm50(&self, launch: &Launch) -> bool {
        let ready = Facts::of(launch).map(|facts| self.sm50.get(facts, |facts| Ready::new(facts, self)));
        ready.is_some_and(|ready| ready.as_ref().as_ref().is_some_and(|ready| ready.kernel.is_compiled()))
    }
}

/// A program, ready to run.
pub(crate) struct Ready {
    lifted: Lifted,
    kernel: Kernel,
}

impl Ready {
    /// `None` if the reference has to run the program.
    fn new(facts: &Facts, engine: &Engine) -> Option<Self> {
        let mut lifted = lift::lift(facts).ok()?;
        let function = std::mem::take(&mut lifted.function);
        let grouping = if lifted.is_free { Grouping::Free } else { Grouping::Lockstep(WARP as usize) };
        let kernel = Kernel::new(function, grouping, &[], None, engine);
        Some(Ready { lifted, kernel })
    }

    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let memory = Space::default();
        let Some(bindings) = self.bind(launch, &memory) else { return Reference.run(launch, options) };
        let start = Start { lanes: Lanes::Line(launch.invocations.count), bindings, max_steps: None };
        let written = [launch.outputs, launch.patches].into_iter().flatten();
        let before: Vec<Before> = if self.lifted.reads_back { written.map(Before::of).collect() } else { Vec::new() };
        match self.attempt(&start, options) {
            Ok(stats) => {
                let groups = launch.invocations.warps().into();
                let stats = RunStats { groups, lanes: live_lanes(launch.invocations), ..stats };
                Ok(Outcome { stats, ..Outcome::default() })
            }
            Err(KernelStop::Halted(halt)) => Err(halt.into()),
            Err(KernelStop::Trap { .. } | KernelStop::StepLimit { .. }) => {
                before.iter().for_each(Before::restore);
                Reference.run(launch, options)
            }
        }
    }

    /// Runs the kernel. If nothing stops it, no warp takes more steps than the options allow.
    fn attempt(&self, start: &Start, options: &RunOptions) -> Result<RunStats, KernelStop> {
        if !self.lifted.is_free {
            return self.kernel.run(start, options);
        }
        // The steps of a warp are those of its parts, which go apart at worst lane by lane.
        let budget = options.step_limit / u64::from(WARP);
        if self.kernel.longest.is_some_and(|steps| steps > budget) {
            return Err(KernelStop::StepLimit { pc: 0, x: 0, y: 0 });
        }
        self.kernel.run_free(start, options, WARP as usize, budget)
    }

    /// Binds the names of the function to the launch's memory and constants.
    fn bind<'a>(&self, launch: &Launch<'a>, memory: &'a Space) -> Option<Bindings<'a>> {
        let table = |role: &TableRole| match *role {
            TableRole::Launch => Some(launch_words(launch)),
            TableRole::Coefficients => Some(mufu::coefficients()),
            TableRole::Bank(bank) => {
                let mut words = launch.environment.constants.bank(bank)?.to_vec();
                words.resize(words.len().next_power_of_two(), 0);
                Some(words)
            }
            role => Some(place_words(launch, role)),
        };
        let buffer = |role: &BufferRole| -> Option<Buffer<'a>> {
            Some(match role {
                BufferRole::Inputs => launch.inputs?.buffer(),
                BufferRole::Outputs => launch.outputs?.buffer(),
                BufferRole::Patches => launch.patches?.buffer(),
                BufferRole::Indices => launch.primitives?.indices.buffer(),
                BufferRole::Ids => launch.primitives?.ids.buffer(),
                BufferRole::Columns => launch.invocations.columns.as_ref()?.buffer(),
                BufferRole::Emissions => launch.emissions?.buffer(),
            })
        };
        Some(Bindings {
            space: memory,
            surfaces: Vec::new(),
            tables: self.lifted.tables.iter().map(table).collect::<Option<_>>()?,
            buffers: self.lifted.buffers.iter().map(buffer).collect::<Option<_>>()?,
        })
    }
}

/// What records held before a launch.
struct Before<'a> {
    buffer: Buffer<'a>,
    words: Vec<u32>,
}

impl<'a> Before<'a> {
    fn of(records: &'a Records) -> Self {
        let buffer = records.buffer();
        let words = (0..buffer.length()).step_by(4).map(|address| buffer.load(address)).collect();
        Before { buffer, words }
    }

    fn restore(&self) {
        for (&word, address) in self.words.iter().zip((0..).step_by(4)) {
            self.buffer.store(address, word);
        }
    }
}

/// Lanes that have an invocation.
fn live_lanes(invocations: &Invocations) -> u64 {
    if invocations.columns.is_none() {
        return invocations.count.into();
    }
    let is_live = |&lane: &u32| invocations.get(Column::Primitive, lane) != NO_INVOCATION;
    (0..invocations.count).filter(is_live).count() as u64
}
