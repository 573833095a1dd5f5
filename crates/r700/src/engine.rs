//! R700 jobs on the engine.
//!
//! A program whose jumps are mere short cuts is a group-independent kernel, as long as no lane reads or writes what another one
//! writes. Where groups jump together, or kills end lanes, the interpreter runs the groups that the options name. Where the order of
//! lanes counts, the reference runs the program.

use crate::lift::{
    self, BufferBinding, Dependence, InputLayout, Lifted, Names, NotLifted, Specialisation, SurfaceBinding,
    TableBinding, TexelLayout, bank_words, buffer_lengths, gradient_words, input_words, launch_words, sampler_words,
    texture_words,
};
use crate::reach::{self, aliasing};
use crate::{
    Bindings as Resources, Input, Job, Program, Region, RunError, Texels, Trap, TrapKind, TrapLocation, reference,
};
use ctm_engine::{Bindings, Grouping, GuestJob, Kernel, KernelFunctions, Launch, Runtime, Stages, Stop, SurfaceLayout};
use ctm_lane::budget::Halt;
use ctm_lane::domain::{Domain, QUAD};
use ctm_lane::effort::Effort;
use ctm_lane::run::{MAX_GROUP_WIDTH, RunOptions, RunStats};
use ctm_lane::{Function, Op, assume_covered, simplify_within};
use ctm_memory::{Aliasing, Bounds, Buffer, Surface, View};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

impl GuestJob for Job<'_> {
    type Key = Key;
    type KeyRef<'k>
        = KeyRef<'k>
    where
        Self: 'k;
    type Kernels = Result<Kernels, NotCompiled>;
    type Output = RunStats;
    type Error = RunError;
    type NotCompiled = NotCompiled;

    /// A wavefront.
    const GROUP_WIDTH: usize = 64;

    fn check(&self) -> Result<(), RunError> {
        Ok(Job::check(self)?)
    }

    fn order(&self) -> Option<Aliasing> {
        aliasing(self, self.lanes)
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

    fn compile(key: &Key, runtime: &Runtime, effort: &Effort) -> Result<Kernels, NotCompiled> {
        Kernels::new(key, runtime, effort)
    }

    fn bytes(kernels: &Result<Kernels, NotCompiled>) -> usize {
        kernels.as_ref().map_or(0, |kernels| kernels.kernel.bytes())
    }

    fn is_compiled(
        &self,
        kernels: &Result<Kernels, NotCompiled>,
        _: &RunOptions,
        _: &Runtime,
    ) -> Result<(), NotCompiled> {
        let kernels = kernels.as_ref().map_err(|&reason| reason)?;
        if let Some(aliasing) = self.order() {
            return Err(NotCompiled::Order(aliasing));
        }
        match kernels.lifted.dependence {
            Dependence::Group => Err(NotCompiled::Group),
            Dependence::Order => Err(NotCompiled::Dependent),
            Dependence::Independent if kernels.kernel.is_compiled() => Ok(()),
            Dependence::Independent => Err(NotCompiled::Refused),
        }
    }

    fn run(
        &self,
        kernels: &Result<Kernels, NotCompiled>,
        order: Option<Aliasing>,
        options: &RunOptions,
        _: &Runtime,
    ) -> Result<RunStats, RunError> {
        match kernels {
            Ok(kernels) if order.is_none() => kernels.run(self, options),
            _ => reference::run(self, options),
        }
    }

    fn reference(&self, options: &RunOptions) -> Result<RunStats, RunError> {
        reference::run(self, options)
    }
}

/// Why machine code does not run an R700 job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotCompiled {
    /// The program cannot be lifted.
    #[error("not lifted: {0}")]
    NotLifted(NotLifted),
    /// Jumps are more than short cuts, or kills end lanes: the interpreter runs the groups that the options name.
    #[error("groups jump together")]
    Group,
    /// Lanes exchange data, or one instruction may trap in several ways: the reference runs the program.
    #[error("lanes depend on each other")]
    Dependent,
    /// A lane reads what another one writes, or two write the same place.
    #[error("the order of lanes matters: {0}")]
    Order(Aliasing),
    /// The engine has no backend, or its backend makes no code of the function.
    #[error("no code of the backend")]
    Refused,
}

/// The stages of a job's program on its way to machine code, or to the interpreter, as far as the effort goes.
///
/// # Errors
/// If the reference runs the program, because it cannot be lifted.
pub fn stages(job: &Job, for_machine_code: bool, effort: &Effort) -> Result<Stages, NotLifted> {
    let key = KeyRef::of(job).into_owned();
    let with_loops = if for_machine_code { key.lift_with_loops(effort) } else { None };
    let has_loops = with_loops.is_some();
    let lifted = with_loops.map_or_else(|| key.lift(effort), Ok)?;
    let is_independent = lifted.dependence == Dependence::Independent && job.order().is_none();
    let surfaces = lifted.surfaces.iter().map(|&binding| key.environment.surface(binding)).collect::<Option<_>>();
    let most_steps = lifted.most_steps.filter(|_| has_loops);
    let surfaces = surfaces.filter(|_| is_independent);
    Ok(Stages::new(lifted.function, effort).with_machine_code(surfaces, most_steps, effort))
}

/// What is known of a job's environment when its program is compiled.
#[derive(Clone, Debug, PartialEq, Hash)]
struct Environment {
    specialisation: Specialisation,
    colours: Vec<Option<SurfaceLayout>>,
    colour_channels: Vec<Option<[SurfaceLayout; 4]>>,
    depth: Option<SurfaceLayout>,
}

/// Everything that a compiled program depends on.
#[derive(Clone, Debug)]
pub struct Key {
    program: Program,
    fetch_program: Option<Program>,
    environment: Environment,
}

/// A [`Key`], borrowed from a job. What is compared first differs most often.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct KeyRef<'k> {
    environment: Cow<'k, Environment>,
    program: &'k Program,
    fetch_program: Option<&'k Program>,
}

impl<'k> KeyRef<'k> {
    fn of(job: &'k Job) -> Self {
        let environment = Cow::Owned(Environment::of(job));
        KeyRef { environment, program: job.program, fetch_program: job.fetch_program }
    }

    fn into_owned(self) -> Key {
        Key {
            program: self.program.clone(),
            fetch_program: self.fetch_program.cloned(),
            environment: self.environment.into_owned(),
        }
    }

    fn equals(&self, Key { program, fetch_program, environment }: &Key) -> bool {
        let fetch_program = fetch_program.as_ref();
        *self == KeyRef { environment: Cow::Borrowed(environment), program, fetch_program }
    }
}

impl Key {
    /// The program as a function.
    fn lift(&self, effort: &Effort) -> Result<Lifted, NotLifted> {
        lift::lift_within(&self.program, self.fetch_program.as_ref(), &self.environment.specialisation, effort)
    }

    /// The program as a function for machine code, if that is another one: with the loops that a compiler has unrolled.
    fn lift_with_loops(&self, effort: &Effort) -> Option<Lifted> {
        lift::lift_with_loops(&self.program, self.fetch_program.as_ref(), &self.environment.specialisation, effort)
    }
}

/// What the interpreter runs of a program whose machine code has loops that the program has not: it is made when a run first needs it.
struct InterpreterFunction {
    key: Key,
    names: Names,
    with_loops: Function,
    made: OnceLock<Lifted>,
}

impl InterpreterFunction {
    fn of(key: &Key, with_loops: &Lifted) -> Self {
        InterpreterFunction {
            key: key.clone(),
            names: with_loops.names(),
            with_loops: with_loops.function.clone(),
            made: OnceLock::new(),
        }
    }

    /// Lifts the program. What has been lifted with loops can be lifted without; if it cannot, only places differ.
    fn lift(&self, effort: &Effort) -> Function {
        let Key { program, fetch_program, environment } = &self.key;
        let specialisation = &environment.specialisation;
        let lifted = lift::lift_with_names(program, fetch_program.as_ref(), specialisation, &self.names, effort);
        let Ok(mut lifted) = lifted else { return self.with_loops.clone() };
        let function = std::mem::take(&mut lifted.function);
        let _ = self.made.set(lifted);
        function
    }
}

impl Environment {
    fn of(job: &Job) -> Self {
        let target = |surface: &Surface| SurfaceLayout::of(job.memory, surface, Bounds::Drop);
        let channels = |surfaces: &[Surface; 4]| surfaces.each_ref().map(target);
        Environment {
            specialisation: Specialisation::of(job),
            colours: job.targets.colours.iter().map(|colour| colour.as_ref().map(target)).collect(),
            colour_channels: job.targets.colour_channels.iter().map(|colour| colour.as_ref().map(channels)).collect(),
            depth: job.targets.depth.as_ref().map(target),
        }
    }

    /// What is known of a surface of the function.
    fn surface(&self, binding: SurfaceBinding) -> Option<SurfaceLayout> {
        match binding {
            SurfaceBinding::Colour(number) => self.colours[number],
            SurfaceBinding::ColourChannel(number, channel) => Some(self.colour_channels[number]?[channel]),
            SurfaceBinding::Depth => self.depth,
            SurfaceBinding::Input(register) => match self.specialisation.inputs.get(&register)? {
                InputLayout::Surface(layout) => Some(*layout),
                InputLayout::Channels(_)
                | InputLayout::Position
                | InputLayout::PositionFrom
                | InputLayout::Vertex
                | InputLayout::Buffer
                | InputLayout::Value
                | InputLayout::Gradient { .. } => None,
            },
            SurfaceBinding::InputChannel(register, channel) => match self.specialisation.inputs.get(&register)? {
                InputLayout::Channels(layouts) => Some(layouts[channel]),
                InputLayout::Surface(_)
                | InputLayout::Position
                | InputLayout::PositionFrom
                | InputLayout::Vertex
                | InputLayout::Buffer
                | InputLayout::Value
                | InputLayout::Gradient { .. } => None,
            },
            SurfaceBinding::Texture { alternate, number, level } => {
                let texture = self.specialisation.bindings[usize::from(alternate)].textures.get(&number)?;
                match &texture.texels {
                    TexelLayout::Surfaces { levels, .. } => levels.get(level).copied(),
                    TexelLayout::Vectors { .. } => None,
                }
            }
        }
    }
}

/// A compiled program, for surfaces with the layouts of its key.
pub struct Kernels {
    lifted: Lifted,
    /// Where the interpreter runs another function.
    plain: Option<Arc<InterpreterFunction>>,
    surfaces: Vec<SurfaceLayout>,
    kernel: Kernel,
    /// What lanes depend on; none if that is more than themselves and their quads.
    sources: Option<Sources>,
}

/// What lanes depend on beside textures, buffers and tables.
struct Sources {
    /// Of each surface, whether it is read.
    surfaces: Vec<bool>,
    /// They look at others of their quad.
    quads: bool,
}

impl Sources {
    /// Of a function whose lanes are independent.
    fn of(mut function: Function, effort: &Effort) -> Self {
        simplify_within(&mut function, effort);
        if assume_covered(&mut function) {
            simplify_within(&mut function, effort);
        }
        let mut sources = Sources { surfaces: vec![false; function.surfaces.len()], quads: false };
        for block in function.blocks() {
            for op in function.insts(block).iter().map(|&inst| function.op(inst)) {
                sources.quads |= matches!(op, Op::Quad { .. });
                if let Op::SurfaceLoad { surface } | Op::SurfaceLoad2x2 { surface } = op {
                    sources.surfaces[surface.index()] = true;
                }
            }
        }
        sources
    }
}

/// A job with the memory and constants of its program bound.
#[derive(Debug)]
pub struct BoundJob<'a>(Launch<'a>);

impl Kernels {
    fn new(key: &Key, runtime: &Runtime, effort: &Effort) -> Result<Self, NotCompiled> {
        let with_loops = runtime.backend().and_then(|_| key.lift_with_loops(effort));
        let has_loops = with_loops.is_some();
        let mut lifted = with_loops.map_or_else(|| key.lift(effort), Ok).map_err(NotCompiled::NotLifted)?;
        let grouping = match lifted.dependence {
            Dependence::Independent => Grouping::Independent,
            Dependence::Group => Grouping::LockstepOfRun,
            Dependence::Order => return Err(NotCompiled::Dependent),
        };
        let surfaces =
            lifted.surfaces.iter().map(|&binding| key.environment.surface(binding)).collect::<Option<Vec<_>>>();
        let surfaces = surfaces.ok_or(NotCompiled::Refused)?;
        let plain = has_loops.then(|| Arc::new(InterpreterFunction::of(key, &lifted)));
        let function = std::mem::take(&mut lifted.function);
        let has_channels = lifted.surfaces.iter().any(|binding| matches!(binding, SurfaceBinding::InputChannel(..)));
        let is_independent = has_channels && grouping == Grouping::Independent;
        let sources = is_independent.then(|| Sources::of(function.clone(), effort));
        let functions = match &plain {
            Some(plain) => {
                let plain = Arc::clone(plain);
                KernelFunctions::with_interpreted(function, move |effort| plain.lift(effort))
            }
            None => function.into(),
        };
        let most_steps = if plain.is_some() { lifted.most_steps } else { None };
        let kernel = Kernel::within(functions, (grouping, &surfaces, most_steps), runtime, effort);
        Ok(Kernels { lifted, plain, surfaces, kernel, sources })
    }

    /// Whether no lane of the program looks at another one, where some inputs are [channels](Input::Channels).
    pub fn is_by_lanes(&self) -> bool {
        self.sources.as_ref().is_some_and(|sources| !sources.quads)
    }

    /// Whether it matters what a channel of a register holds at program start, where that is in a surface of its own.
    pub fn reads_channel(&self, register: u8, channel: usize) -> bool {
        let binding = SurfaceBinding::InputChannel(register, channel);
        let place = self.lifted.surfaces.iter().position(|known| *known == binding);
        place.is_some_and(|place| self.sources.as_ref().is_none_or(|sources| sources.surfaces[place]))
    }

    /// Whether every lane is known to export all channels of this colour, whatever it does: what its target held does not matter.
    pub fn replaces_colour(&self, number: usize) -> bool {
        let is_colour = |binding: &SurfaceBinding| *binding == SurfaceBinding::Colour(number);
        let surface = self.lifted.surfaces.iter().position(is_colour);
        surface.is_some_and(|surface| self.kernel.replaces(ctm_lane::Surface::new(surface)))
    }

    /// The same where its channels are in surfaces of their own.
    pub fn replaces_colour_channels(&self, number: usize) -> bool {
        let replaces = |channel: usize| {
            let wanted = SurfaceBinding::ColourChannel(number, channel);
            let surface = self.lifted.surfaces.iter().position(|binding| *binding == wanted);
            surface.is_some_and(|surface| self.kernel.replaces(ctm_lane::Surface::new(surface)))
        };
        (0..4).all(replaces)
    }

    /// Whether no run ends with a trap or at the step limit.
    pub fn is_safe(&self, options: &RunOptions) -> bool {
        self.kernel.is_safe(self.max_steps(), options)
    }

    /// Binds a job, which has the key of this program, for many runs; none if something else may run it, or it depends on the place of its lanes.
    pub fn bound<'a>(&self, job: &Job<'a>) -> Option<BoundJob<'a>> {
        let is_fixed = self.lifted.dependence == Dependence::Independent
            && !self.lifted.tables.contains(&TableBinding::Launch)
            && job.check().is_ok()
            && aliasing(job, reach::ANY).is_none();
        let bindings = if is_fixed { self.bind(job)? } else { return None };
        Some(BoundJob(Launch { lanes: job.lanes, bindings, max_steps: self.max_steps() }))
    }

    /// Runs a job that was [bound](Self::bound) for these lanes.
    ///
    /// # Errors
    /// As of any run.
    pub fn run_bound(&self, job: &mut BoundJob, lanes: Domain, options: &RunOptions) -> Result<RunStats, RunError> {
        let BoundJob(launch) = job;
        launch.lanes = lanes.into();
        self.run_launch(launch, options)
    }

    fn run(&self, job: &Job, options: &RunOptions) -> Result<RunStats, RunError> {
        let Some(bindings) = self.bind(job) else { return reference::run(job, options) };
        self.run_launch(&Launch { lanes: job.lanes, bindings, max_steps: self.max_steps() }, options)
    }

    /// Most steps of a group, where the function does not tell.
    fn max_steps(&self) -> Option<u64> {
        self.plain.as_ref().and(self.lifted.most_steps)
    }

    /// What says where steps and traps are.
    fn places(&self) -> &Lifted {
        self.plain.as_ref().and_then(|plain| plain.made.get()).unwrap_or(&self.lifted)
    }

    fn run_launch(&self, launch: &Launch, options: &RunOptions) -> Result<RunStats, RunError> {
        // Groups are whole quads.
        let group_width = options.group_width.clamp(1, MAX_GROUP_WIDTH).next_multiple_of(QUAD);
        let options = &RunOptions { group_width, ..*options };
        let place = |number: u32| self.location(number).place();
        let done = match options.counts {
            Some(_) => self.kernel.run_counted(launch, options, &place),
            None => self.kernel.run(launch, options),
        };
        done.map_err(|stop| self.error(stop))
    }

    /// Binds the names of the function to the job's memory and constants.
    fn bind<'a>(&self, job: &Job<'a>) -> Option<Bindings<'a>> {
        let surface = |(binding, layout): (&SurfaceBinding, &SurfaceLayout)| {
            let surface = match *binding {
                SurfaceBinding::Colour(number) => job.targets.colours[number]?,
                SurfaceBinding::ColourChannel(number, channel) => job.targets.colour_channels[number]?[channel],
                SurfaceBinding::Depth => job.targets.depth?,
                SurfaceBinding::Input(register) => match job.inputs.get(&register)? {
                    Input::Surface(surface) => *surface,
                    _ => return None,
                },
                SurfaceBinding::InputChannel(register, channel) => match job.inputs.get(&register)? {
                    Input::Channels(surfaces) => surfaces[channel],
                    _ => return None,
                },
                SurfaceBinding::Texture { alternate, number, level } => {
                    *resources(job, alternate).textures.get(&number)?.surfaces().get(level)?
                }
            };
            Some(View::new(job.memory, surface, layout.bounds))
        };
        let table = |binding: &TableBinding| match *binding {
            TableBinding::Launch => Some(launch_words(job)),
            TableBinding::Inputs => Some(input_words(job)),
            TableBinding::Gradient(register) => match job.inputs.get(&register)? {
                Input::Gradient(gradient) => Some(gradient_words(gradient)),
                _ => None,
            },
            TableBinding::BufferLengths => Some(buffer_lengths(job)),
            TableBinding::Constants { alternate, channel } => {
                let constants = &resources(job, alternate).constants;
                let of_channel = constants.iter().map(|constant| constant[channel]);
                Some(of_channel.chain(std::iter::repeat(0)).take(256).collect())
            }
            TableBinding::Texture { alternate, number } => {
                resources(job, alternate).textures.get(&number).map(texture_words)
            }
            TableBinding::Sampler { alternate, number } => {
                let sampler = resources(job, alternate).samplers.get(&number).copied().unwrap_or_default();
                Some(sampler_words(&sampler))
            }
            TableBinding::Bank { alternate, bank } => bank_words(resources(job, alternate), bank, job.memory),
        };
        let buffer = |binding: &BufferBinding| {
            let Region { base, length } = region(job, *binding)?;
            Buffer::new(job.memory, base, length).ok()
        };
        Some(Bindings {
            surfaces: self.lifted.surfaces.iter().zip(&self.surfaces).map(surface).collect::<Option<_>>()?,
            tables: self.lifted.tables.iter().map(table).collect::<Option<_>>()?,
            buffers: self.lifted.buffers.iter().map(buffer).collect::<Option<_>>()?,
        })
    }

    /// The guest instruction with this number in the function.
    fn location(&self, number: u32) -> TrapLocation {
        let nowhere = TrapLocation { pc: 0, slot: None, in_fetch_program: false };
        self.places().locations.get(number as usize).copied().unwrap_or(nowhere)
    }

    fn error(&self, stop: Stop) -> RunError {
        let location = |number| self.location(number);
        match stop {
            Stop::Trap { code, pc, x, y } => {
                let kind = self.places().traps.get(usize::from(code)).copied().unwrap_or(TrapKind::BadOpcode);
                Trap { kind, location: location(pc), i: x, j: y }.into()
            }
            Stop::StepLimit { pc, x, y } => {
                Trap { kind: TrapKind::StepLimit, location: location(pc), i: x, j: y }.into()
            }
            Stop::Halted(Halt::HostAccess { pc: Some(pc) }) => Halt::HostAccess { pc: Some(location(pc).pc) }.into(),
            Stop::Halted(halt) => halt.into(),
        }
    }
}

fn resources<'j>(job: &'j Job, alternate: bool) -> &'j Resources {
    if alternate { &job.alternate } else { &job.bindings }
}

/// The bytes of a buffer of a function.
fn region(job: &Job, binding: BufferBinding) -> Option<Region> {
    let (targets, memories) = (&job.targets, &job.memories);
    match binding {
        BufferBinding::Input(register) => match job.inputs.get(&register)? {
            Input::Buffer(region) => Some(*region),
            _ => None,
        },
        BufferBinding::Fetch { alternate, number } => {
            resources(job, alternate).buffers.get(&number).map(|buffer| buffer.region)
        }
        BufferBinding::Texture { alternate, number } => match resources(job, alternate).textures.get(&number)?.texels {
            Texels::Vectors { region, .. } => Some(region),
            Texels::Surfaces(_) => None,
        },
        BufferBinding::Position(number) => targets.positions[number],
        BufferBinding::Parameter(number) => targets.parameters[number],
        BufferBinding::Valid => targets.valid,
        BufferBinding::Ring => memories.ring.map(|items| items.region),
        BufferBinding::Stream(number) => memories.streams[number].map(|items| items.region),
        BufferBinding::Reduction => memories.reduction,
        BufferBinding::Export => memories.export,
        BufferBinding::Strips => memories.strips.map(|items| items.region),
    }
}
