//! X1K jobs on the engine.
//!
//! A program is lifted in its group-independent form, whose lanes may be grouped in any way, if it has one, and if nothing in the job
//! makes the order of lanes matter; that is a kernel like any other. What is left runs here: in its exact form, group by
//! group as the reference does, or by the reference itself. Quads that the domain's edge cuts are such groups too.

mod edge;
mod exact;
mod key;
mod route;

pub use key::{Key, KeyRef};
pub use route::Order;

use crate::lift::{self, Lifted, LiftedForm, NotLifted, SurfaceBinding};
use crate::{IntConstant, Job, RunError, RunOptions, RunStats, Trap, TrapKind, reference};
use ctm_engine::{
    Bindings, BudgetedOnce, Grouping, GuestJob, Kernel, Launch, Runtime, SHORT, Stages, Stop, SurfaceLayout, Workers,
};
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_memory::{Aliasing, Bounds, View};
use edge::Quads;
use exact::ExactForm;
use key::Environment;
use route::{Route, aliasing, route};
use thiserror::Error;

impl GuestJob for Job<'_> {
    type Key = Key;
    type KeyRef<'k>
        = KeyRef<'k>
    where
        Self: 'k;
    type Kernels = Kernels;
    type Output = RunStats;
    type Error = RunError;
    type NotCompiled = NotCompiled;

    /// The threads of R580 have 48 lanes (decision C2).
    const GROUP_WIDTH: usize = 48;

    fn check(&self) -> Result<(), RunError> {
        Ok(Job::check(self)?)
    }

    fn order(&self) -> Option<Aliasing> {
        aliasing(self)
    }

    fn key(&self) -> Result<KeyRef<'_>, NotCompiled> {
        Ok(KeyRef::of(self))
    }

    fn to_owned(key: KeyRef<'_>) -> Key {
        key.into_owned()
    }

    fn matches(key: &KeyRef<'_>, kept: &Key) -> bool {
        key.equals(kept)
    }

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Kernels {
        Kernels::new(key, runtime.workers(), effort)
    }

    fn bytes(kernels: &Kernels) -> usize {
        kernels.bytes()
    }

    fn prepare(&self, kernels: &Kernels, runtime: &Runtime, effort: &Effort) {
        if let Ok(independent) = &kernels.independent {
            _ = independent.bind(self, runtime, effort);
        }
        if kernels
            .independent
            .as_ref()
            .ok()
            .is_none_or(|independent| independent.lifted.uses_quads && Quads::of(self.domain).are_cut())
        {
            kernels.exact(self, effort);
        }
    }

    /// Quads that the domain's edge cuts do not count: they are always interpreted.
    fn is_compiled(&self, kernels: &Kernels, options: &RunOptions, runtime: &Runtime) -> Result<(), NotCompiled> {
        let independent = kernels.independent.as_ref().map_err(|&reason| reason)?;
        let route = route(self, self.order());
        if let Route::Exact(order) | Route::Reference(order) = route {
            return Err(NotCompiled::Order(order));
        }
        if !is_independent(self, route, options, &independent.lifted) {
            return Err(NotCompiled::StepLimit);
        }
        if independent.lifted.uses_quads && Quads::of(self.domain).whole().is_none() {
            return Err(NotCompiled::NoWholeQuads);
        }
        let effort = Effort::of_steps(options.budget.code_steps);
        let bound = independent.bind(self, runtime, &effort);
        if bound.is_some_and(|bound| bound.kernel.is_compiled()) { Ok(()) } else { Err(NotCompiled::Refused) }
    }

    fn run(
        &self,
        kernels: &Kernels,
        order: Option<Aliasing>,
        options: &RunOptions,
        runtime: &Runtime,
    ) -> Result<RunStats, RunError> {
        kernels.run(self, route(self, order), options, runtime)
    }

    fn reference(&self, options: &RunOptions) -> Result<RunStats, RunError> {
        reference::run(self, options)
    }
}

/// The stages of a job's program, as far as the effort goes: those of the group-independent form if that is what runs, else those of the exact form,
/// which is interpreted.
///
/// # Errors
/// If the reference runs the program, because it is too large for the exact form.
pub fn stages(job: &Job, options: &RunOptions, effort: &Effort) -> Result<Stages, NotLifted> {
    let Key { program, environment } = KeyRef::of(job).into_owned();
    let lift = |form| lift::lift_within(&program, &environment.specialisation, form, effort);
    if let Ok(lifted) = lift(LiftedForm::Independent)
        && is_independent(job, route(job, job.order()), options, &lifted)
    {
        let surfaces: Option<Vec<SurfaceLayout>> =
            lifted.surfaces.iter().map(|&binding| environment.surface(binding)).collect();
        let most_steps = max_steps(job, &lifted);
        return Ok(Stages::new(lifted.function, effort).with_machine_code(surfaces, Some(most_steps), effort));
    }
    Ok(Stages::new(lift(LiftedForm::Exact)?.function, effort))
}

/// Whether lanes of a job may run in any order.
pub fn is_order_free(job: &Job) -> bool {
    route(job, job.order()) == Route::Independent
}

/// Why machine code does not run an X1K job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotCompiled {
    /// The program is not structured, so that what a lane does depends on its group.
    #[error("no structured program")]
    Unstructured,
    /// There are too many ways through the program's subroutines.
    #[error("too many ways through subroutines")]
    TooLarge,
    /// The order of lanes matters.
    #[error("the order of lanes matters: {0}")]
    Order(Order),
    /// A group may reach the step limit.
    #[error("a group may reach the step limit")]
    StepLimit,
    /// The program takes differences across quads, and the domain cuts all of them.
    #[error("no whole quads")]
    NoWholeQuads,
    /// The engine has no backend, or its backend makes no code of the function.
    #[error("no code of the backend")]
    Refused,
}

impl From<lift::NotLifted> for NotCompiled {
    fn from(reason: lift::NotLifted) -> Self {
        match reason {
            lift::NotLifted::Unstructured(_) => NotCompiled::Unstructured,
            lift::NotLifted::TooLarge => NotCompiled::TooLarge,
        }
    }
}

impl From<Stop> for RunError {
    fn from(stop: Stop) -> Self {
        let trap = |kind, pc: u32, i, j| RunError::Trap(Trap { kind, pc: pc as usize, i, j });
        match stop {
            Stop::Trap { code, pc, x, y } => trap(lift::trap_kind(code).unwrap_or(TrapKind::StepLimit), pc, x, y),
            Stop::StepLimit { pc, x, y } => trap(TrapKind::StepLimit, pc, x, y),
            Stop::Halted(halt) => halt.into(),
        }
    }
}

/// Bytes that a value of a lifted function comes to in all that is made of it, about.
const VALUE_BYTES: usize = 256;

/// The form whose lanes do not depend on their group.
struct IndependentForm {
    /// All but the function.
    lifted: Lifted,
    function: Function,
    surfaces: Vec<SurfaceLayout>,
    /// For jobs whose constants let a group take few steps, and for the others, which look at the run's budget on the way.
    short: BudgetedOnce<Kernel>,
    long: BudgetedOnce<Kernel>,
}

/// The group-independent form for the constants of one job.
struct Independent<'a> {
    lifted: &'a Lifted,
    kernel: &'a Kernel,
}

/// A compiled program, for surfaces with the layouts of its key.
pub struct Kernels {
    environment: Environment,
    /// Or why there is none.
    independent: Result<IndependentForm, NotCompiled>,
    /// Made when it is wanted; `None` if the program is too large for it.
    exact: BudgetedOnce<Option<ExactForm>>,
    workers: Workers,
}

impl Kernels {
    fn new(key: &Key, workers: &Workers, effort: &Effort) -> Self {
        let Key { program, environment } = key;
        let independent = lift::lift_within(program, &environment.specialisation, LiftedForm::Independent, effort);
        let independent = independent.map_err(NotCompiled::from);
        let independent = independent.and_then(|mut lifted| {
            let surfaces = lifted.surfaces.iter().map(|&binding| environment.surface(binding)).collect::<Option<_>>();
            let surfaces = surfaces.ok_or(NotCompiled::Refused)?;
            let function = std::mem::take(&mut lifted.function);
            Ok(IndependentForm {
                lifted,
                function,
                surfaces,
                short: BudgetedOnce::default(),
                long: BudgetedOnce::default(),
            })
        });
        Kernels {
            environment: environment.clone(),
            independent,
            exact: BudgetedOnce::default(),
            workers: workers.clone(),
        }
    }

    /// What is made later is guessed.
    fn bytes(&self) -> usize {
        self.independent.as_ref().map_or(0, |independent| independent.function.value_count() * VALUE_BYTES)
    }

    fn exact(&self, job: &Job, effort: &Effort) -> Option<&ExactForm> {
        let make = || ExactForm::new(job.program, &self.environment.specialisation, &self.workers, effort).ok();
        self.exact.get_or_make(effort, make)?.as_ref()
    }

    /// Runs a job with the key that these kernels were made for. It has been checked.
    fn run(&self, job: &Job, route: Route, options: &RunOptions, runtime: &Runtime) -> Result<RunStats, RunError> {
        let effort = options.effort();
        // Which groups execute an instruction only the exact form tells.
        if let Some(independent) =
            self.independent.as_ref().ok().filter(|independent| {
                options.counts.is_none() && is_independent(job, route, options, &independent.lifted)
            })
        {
            let Some(independent) = independent.bind(job, runtime, &effort) else {
                return reference::run(job, options);
            };
            if !independent.lifted.uses_quads || job.domain.is_empty() {
                return independent.run(job.domain, job, options);
            }
            let quads = Quads::of(job.domain);
            let exact = if quads.are_cut() { self.exact(job, &effort) } else { None };
            if exact.is_some() || !quads.are_cut() {
                return quads.run(&independent, exact, job, options);
            }
        }
        match self.exact(job, &effort) {
            Some(exact) if !matches!(route, Route::Reference(_)) => exact.run(job, options),
            _ => reference::run(job, options),
        }
    }
}

impl IndependentForm {
    /// Makes what is not there yet of what a job with these constants needs; `None` if a limit of the run comes first.
    fn bind(&self, job: &Job, runtime: &Runtime, effort: &Effort) -> Option<Independent<'_>> {
        let is_short = max_steps(job, &self.lifted) <= SHORT;
        let (kernel, most_steps) = if is_short { (&self.short, SHORT) } else { (&self.long, u64::MAX) };
        let kind = (Grouping::Independent, self.surfaces.as_slice(), Some(most_steps));
        let make = || Kernel::within(self.function.clone(), kind, runtime, effort);
        Some(Independent { lifted: &self.lifted, kernel: kernel.get_or_make(effort, make)? })
    }
}

impl Independent<'_> {
    /// Runs this part of a job's domain.
    fn run(&self, domain: Domain, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        let max_steps = Some(max_steps(job, self.lifted));
        let launch = Launch { lanes: domain.into(), bindings: bind(job, self.lifted), max_steps };
        Ok(self.kernel.run(&launch, options)?)
    }
}

/// Most steps that a group takes, with the constants of this job.
fn max_steps(job: &Job, lifted: &Lifted) -> u64 {
    lifted.max_steps(|int| job.constants.ints[usize::from(int)].count)
}

/// Whether the group-independent form is the program for this job: the order of lanes does not matter, and it does not reach the step
/// limit.
fn is_independent(job: &Job, route: Route, options: &RunOptions, lifted: &Lifted) -> bool {
    route == Route::Independent && max_steps(job, lifted) <= options.step_limit
}

/// Binds the names of a function to the job's memory and constants.
fn bind<'a>(job: &Job<'a>, lifted: &Lifted) -> Bindings<'a> {
    let views = lifted.surfaces.iter().filter_map(|&binding| {
        let (surface, bounds) = match binding {
            SurfaceBinding::Input(number) => (job.inputs[number], Bounds::Clamp),
            SurfaceBinding::Level(number, level) => {
                let levels = job.samplers[number].as_ref().map(|sampler| &sampler.levels);
                (levels.and_then(|levels| levels.get(level)).copied(), Bounds::Clamp)
            }
            SurfaceBinding::Output(number) => (job.outputs[number], Bounds::Drop),
            SurfaceBinding::Conditional => (job.conditional.surface, Bounds::Drop),
        };
        Some(View::new(job.memory, surface?, bounds))
    });
    let constants = &job.constants;
    let mut tables: Vec<Vec<u32>> =
        (0..lift::FLOAT_TABLES).map(|channel| constants.floats.iter().map(|value| value[channel]).collect()).collect();
    let fields =
        |int: &IntConstant| [u32::from(int.count), u32::from(int.init), i32::from(int.step).cast_unsigned(), 0];
    tables.push(constants.ints.iter().flat_map(fields).collect());
    tables.push(constants.bools.iter().map(|&set| u32::from(set)).collect());
    let mut of_positions = vec![job.conditional.pe_value];
    let takes_interpolants = job.program.info.takes_interpolants();
    if job.origin != [0; 2] || takes_interpolants {
        of_positions.extend(job.origin.map(|place| (place as f32).to_bits()));
        of_positions.push(0);
    }
    if let Some(interpolants) = job.interpolants.as_ref().filter(|_| takes_interpolants) {
        of_positions.extend(interpolants.numbers());
        of_positions.resize(lift::PLANES_ENTRIES, 0);
    }
    tables.push(of_positions);
    Bindings { surfaces: views.collect(), tables, buffers: Vec::new() }
}
