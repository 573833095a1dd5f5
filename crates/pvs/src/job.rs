//! A vertex program with everything that one run of it depends on, and how engines run it.

use crate::lift::{CONSTANT_ENTRIES, Layout, Lifted, NotLifted, lift_within};
use crate::program::{CONSTANTS, FlowEntry, INPUTS, OUTPUTS, Program};
use crate::reference::{Constants, Trap, Vector, run_observed};
use crate::{FLOW_ENTRIES, Instruction};
use ctm_engine::{Bindings, Grouping, GuestJob, Kernel, Launch, Runtime, SHORT, Stages, Stop};
use ctm_lane::budget::{Halt, Meter};
use ctm_lane::counts::Tally;
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::effort::Effort;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Aliasing, Buffer, Reach, Space};
use thiserror::Error;

/// Bytes of a vector in a buffer.
pub(crate) const VECTOR_BYTES: u32 = 16;

/// A run over vertices.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What runs.
    pub program: &'a Program,
    /// Its constants.
    pub constants: Constants<'a>,
    /// The vectors of each vertex in the buffers.
    pub layout: &'a Layout,
    /// Number of vertices.
    pub vertices: u32,
    /// The vectors that vertices bring: those of vertex 0, of vertex 1, and so on, four dwords each.
    pub inputs: Buffer<'a>,
    /// The vectors that the program gives, likewise.
    pub outputs: Buffer<'a>,
    /// The memory of both.
    pub memory: &'a Space,
}

/// Why a run did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// A vertex trapped; those before it completed.
    #[error("{trap}, of vertex {vertex}")]
    Trap {
        /// What happened.
        trap: Trap,
        /// The vertex.
        vertex: u32,
    },
    /// The run was ended from outside: it was cancelled, or its budget was used up.
    #[error(transparent)]
    Halted(#[from] Halt),
}

/// Why machine code does not run a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotCompiled {
    /// The program cannot be lifted.
    #[error("not lifted: {0}")]
    NotLifted(NotLifted),
    /// The order of vertices matters.
    #[error("the order of vertices matters: {0}")]
    Order(Aliasing),
    /// A vertex may reach the step limit.
    #[error("a vertex may reach the step limit")]
    StepLimit,
    /// The engine has no backend, or its backend makes no code of the function.
    #[error("no code of the backend")]
    Refused,
}

/// What a compiled program depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: Vec<Instruction>,
    first: u16,
    last: u16,
    flow: [FlowEntry; FLOW_ENTRIES],
    layout: Layout,
}

/// A [`Key`], borrowed from a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRef<'k> {
    code: &'k [Instruction],
    first: u16,
    last: u16,
    flow: &'k [FlowEntry; FLOW_ENTRIES],
    layout: &'k Layout,
}

/// A compiled program.
pub struct Compiled {
    kernel: Kernel,
    max_steps: u64,
}

impl Job<'_> {
    /// The input vectors of a vertex, by their numbers; (0, 0, 0, 0) those that the layout does not have.
    pub(crate) fn vertex(&self, vertex: u32) -> [Vector; INPUTS] {
        let mut inputs = [[0; 4]; INPUTS];
        for (place, &number) in self.layout.inputs.iter().enumerate() {
            let at = address(self.layout.inputs.len(), vertex, place);
            inputs[usize::from(number) % INPUTS] =
                std::array::from_fn(|component| self.inputs.load(at + 4 * component as u32));
        }
        inputs
    }

    /// Stores the output vectors of a vertex that the layout has.
    pub(crate) fn keep(&self, vertex: u32, outputs: &[Vector; OUTPUTS]) {
        for (place, &number) in self.layout.outputs.iter().enumerate() {
            let at = address(self.layout.outputs.len(), vertex, place);
            for (&value, component) in outputs[usize::from(number)].iter().zip(0..) {
                self.outputs.store(at + 4 * component, value);
            }
        }
    }

    /// The four tables of constants.
    fn tables(&self) -> Vec<Vec<u32>> {
        let Constants { memory, base } = self.constants;
        let mut tables = vec![vec![0; CONSTANT_ENTRIES as usize]; 4];
        for number in 0..=self.program.max_constant {
            let constant = memory[usize::from(base.wrapping_add(number)) % CONSTANTS];
            tables.iter_mut().zip(constant).for_each(|(table, component)| table[usize::from(number)] = component);
        }
        tables
    }

    /// The stages of its program, as far as the effort goes.
    ///
    /// # Errors
    /// If the reference runs it.
    pub fn stages(&self, effort: &Effort) -> Result<Stages, NotLifted> {
        let Lifted { function, max_steps } = lift_within(self.program, self.layout, effort)?;
        Ok(Stages::new(function, effort).with_machine_code(Some(Vec::new()), Some(max_steps), effort))
    }

    fn run_compiled(&self, compiled: &Compiled, options: &RunOptions) -> Result<RunStats, RunError> {
        let buffers = vec![self.inputs, self.outputs];
        let bindings = Bindings { surfaces: Vec::new(), tables: self.tables(), buffers };
        let max_steps = Some(compiled.max_steps);
        let launch = Launch { lanes: Lanes::Line(self.vertices), bindings, max_steps };
        compiled.kernel.run(&launch, options).map_err(|stop| match stop {
            Stop::Halted(halt) => RunError::Halted(halt),
            // Lifted functions have no traps, and are run only where they stay below the limit of steps.
            Stop::Trap { pc, x, y, .. } | Stop::StepLimit { pc, x, y } => {
                let trap = Trap { kind: crate::reference::TrapKind::StepLimit, pc: pc as u16 };
                RunError::Trap { trap, vertex: y << 16 | x }
            }
        })
    }
}

/// Where one of so many vectors of a vertex begins in their buffer.
fn address(vectors: usize, vertex: u32, place: usize) -> u32 {
    (vertex as usize * vectors + place) as u32 * VECTOR_BYTES
}

impl GuestJob for Job<'_> {
    type Key = Key;
    type KeyRef<'k>
        = KeyRef<'k>
    where
        Self: 'k;
    type Kernels = Result<Compiled, NotLifted>;
    type Output = RunStats;
    type Error = RunError;
    type NotCompiled = NotCompiled;

    /// Each vertex is a group of its own.
    const GROUP_WIDTH: usize = 1;

    fn order(&self) -> Option<Aliasing> {
        let bytes = |buffer: &Buffer| {
            let base = u64::from(buffer.base());
            base..base + u64::from(buffer.length())
        };
        let mut reach = Reach::of(self.memory);
        reach.read(bytes(&self.inputs));
        reach.write(bytes(&self.outputs));
        reach.aliasing()
    }

    fn key(&self) -> Result<KeyRef<'_>, NotCompiled> {
        let Program { code, first, last, flow, .. } = self.program;
        Ok(KeyRef { code, first: *first, last: *last, flow, layout: self.layout })
    }

    fn to_owned(KeyRef { code, first, last, flow, layout }: KeyRef) -> Key {
        Key { code: code.to_vec(), first, last, flow: *flow, layout: layout.clone() }
    }

    fn matches(key: &KeyRef, Key { code, first, last, flow, layout }: &Key) -> bool {
        *key == KeyRef { code, first: *first, last: *last, flow, layout }
    }

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Result<Compiled, NotLifted> {
        let program =
            Program { code: key.code.clone(), first: key.first, last: key.last, flow: key.flow, ..Program::default() };
        let Lifted { function, max_steps } = lift_within(&program, &key.layout, effort)?;
        let most = if max_steps <= SHORT { SHORT } else { u64::MAX };
        let kernel = Kernel::within(function, (Grouping::Independent, &[], Some(most)), runtime, effort);
        Ok(Compiled { kernel, max_steps })
    }

    fn bytes(compiled: &Result<Compiled, NotLifted>) -> usize {
        compiled.as_ref().map_or(0, |compiled| compiled.kernel.bytes())
    }

    fn is_compiled(
        &self,
        compiled: &Result<Compiled, NotLifted>,
        options: &RunOptions,
        _: &Runtime,
    ) -> Result<(), NotCompiled> {
        let compiled = compiled.as_ref().map_err(|&reason| NotCompiled::NotLifted(reason))?;
        if let Some(aliasing) = self.order() {
            return Err(NotCompiled::Order(aliasing));
        }
        if compiled.max_steps > options.step_limit {
            return Err(NotCompiled::StepLimit);
        }
        if compiled.kernel.is_compiled() { Ok(()) } else { Err(NotCompiled::Refused) }
    }

    fn run(
        &self,
        compiled: &Result<Compiled, NotLifted>,
        order: Option<Aliasing>,
        options: &RunOptions,
        _: &Runtime,
    ) -> Result<RunStats, RunError> {
        match compiled {
            // Of predicates of whole instructions, the kernel's counts know nothing.
            Ok(compiled) if order.is_none() && compiled.max_steps <= options.step_limit && options.counts.is_none() => {
                self.run_compiled(compiled, options)
            }
            _ => self.reference(options),
        }
    }

    /// One vertex after the other.
    fn reference(&self, options: &RunOptions) -> Result<RunStats, RunError> {
        let mut stats = RunStats::default();
        let meter = Meter::new(options.budget, options.cancel);
        let mut tally = options.counts.map(|counts| Tally::new(counts, 1));
        for vertex in 0..self.vertices {
            meter.check()?;
            let inputs = self.vertex(vertex);
            let observer = |pc: u16, executes: bool| {
                tally.iter_mut().for_each(|tally| tally.add(u32::from(pc), executes.then_some(0).into_iter()));
            };
            let done = run_observed(self.program, self.constants, &inputs, options.step_limit, observer);
            let done = done.map_err(|trap| RunError::Trap { trap, vertex })?;
            tally.iter_mut().for_each(|tally| tally.finish(std::iter::once((vertex % AXIS, vertex / AXIS))));
            stats.lanes += 1;
            stats.groups += 1;
            stats.instructions += done.steps;
            self.keep(vertex, &done.outputs);
        }
        Ok(stats)
    }
}
