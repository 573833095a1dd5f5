//! Runs compute code: a grid of blocks over global memory.

use super::global::GlobalMemory;
use super::options::{Sizes, Sm50Args};
use super::setup::Setup;
use super::{Loaded, fragments};
use crate::isa::finding::require_no_errors;
use crate::isa::{File, one};
use crate::options::RunArgs;
use crate::options::values::{FollowedLane, Vector};
use crate::progress::Progress;
use crate::report::Message;
use crate::run::counts::{Counting, Listing};
use crate::run::follow::{self, Follower, Guest};
use crate::run::utilisation::{self, Issued};
use crate::run::{Memory, engine, note_missing_code, options};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_follow::{Address, FollowedLanes, InstructionPlace};
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::run::{RunOptions, RunStats};
use ctm_sm50::engine::NotCompiled;
use ctm_sm50::launch::{
    Constants, Environment, Grid, Invocations, LaunchConstants, LaunchReport, Shader, StageLaunch, Stop, WARP,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::text::print_instruction;
use ctm_sm50::textures::COMPUTE_HANDLE_BANK;
use ctm_sm50::{AttributeMap, Code, Stage};
use serde_json::json;
use std::io;
use std::time::Instant;

/// A kernel with what it runs over.
pub struct Kernel {
    pub loaded: Loaded,
    pub grid: Grid,
    pub setup: Setup,
}

impl Kernel {
    /// With what it needs.
    pub fn of(
        loaded: Loaded,
        args: &RunArgs,
        sm50: &Sm50Args,
        console: &mut Console,
    ) -> Result<(Self, GlobalMemory), Failure> {
        if let Some(header) = loaded.program.header {
            return Err(no_compute_code(header.stage, &loaded.name));
        }
        require_no_errors(&loaded)?;
        refuse_options(args, sm50)?;
        let mut memory = Memory::new(args, console.host);
        let (setup, globals) = Setup::prepare((args, sm50), COMPUTE_HANDLE_BANK, &mut memory, console)?;
        Ok((Kernel { loaded, grid: grid(sm50)?, setup }, globals))
    }

    pub fn shader(&self, sm50: &Sm50Args) -> Shader<'_> {
        let (local_memory, shared_memory) = (sm50.local_memory.unwrap_or(0), sm50.shared_memory.unwrap_or(0));
        Shader { local_memory, shared_memory, ..(&self.loaded.program).into() }
    }

    /// The launch.
    pub fn launch<'a>(
        &'a self,
        sm50: &Sm50Args,
        environment: &'a Environment<'a>,
        invocations: &'a Invocations,
    ) -> Result<StageLaunch<'a>, Failure> {
        let all = AttributeMap::default();
        let launch =
            StageLaunch { grid: Some(self.grid), ..StageLaunch::new(self.shader(sm50), environment, invocations, all) };
        require_own_constants(&launch, &environment.constants)?;
        Ok(launch)
    }

    pub fn invocations(&self) -> Invocations {
        Invocations { count: self.grid.invocations(), columns: None }
    }
}

/// Runs a kernel and writes what it leaves in global memory.
pub fn run(file: File, args: &RunArgs, sm50: &Sm50Args, console: &mut Console) -> Result<(), Failure> {
    let kernel = file.kernel.clone();
    let mut loaded = one(Loaded::all(file, console)?, kernel.as_deref(), |loaded| loaded)?;
    loaded.link(sm50, console)?;
    if loaded.program.header.is_some_and(|header| header.stage == Stage::Pixel) {
        return fragments::run(loaded, args, sm50, console);
    }
    let cancel = console.host.interrupt();
    let (kernel, mut memory) = Kernel::of(loaded, args, sm50, console)?;
    let Kernel { grid, setup: Setup { frames, .. }, ref loaded } = kernel;
    let followed = args.execution.follow.map(|named| thread(named, &grid)).transpose()?;
    let followed = followed.map(|(thread, name)| (grid.invocation_of(thread), name));
    let invocations = kernel.invocations();
    if sm50.memory.global_outputs.is_empty() && !args.execution.reports() {
        console.report(&Message::note("results are not kept; add --global-output ADDR:COUNT=FILE"));
    }

    let progress = (console.interactive && followed.is_none()).then(|| Progress::start(frames.numbers().end));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = options(&args.execution, console.host, &update, &cancel);
    let counting = Counting::new(&args.execution, Lanes::Line(grid.invocations()), &options, console)?;
    let options = RunOptions { counts: Counting::sink(&counting), ..options };
    let (name, engine) = engine(&args.execution)?;
    // Utilisation is that of the reference's warps.
    let name = if args.execution.utilisation || sm50.races { EngineName::Reference } else { name };
    let start = Instant::now();
    let host = console.host;
    let mut follower = followed.map(|(at, name)| (at, Follower::new(guest(loaded, name), &args.execution, console)));
    let mut issued = args.execution.utilisation.then(Issued::default);
    let mut slower = None;
    let mut run = || -> Result<LaunchReport, Failure> {
        let mut report = LaunchReport::default();
        for frame in frames.numbers() {
            let space = memory.space()?;
            let environment = kernel.setup.environment(frame, &space);
            let launch = kernel.launch(sm50, &environment, &invocations)?;
            progress.iter().for_each(Progress::begin_run);
            let ran = match &mut follower {
                Some((invocation, follower)) => Reference.run_observed(&launch, &options, *invocation, follower),
                None => match &mut issued {
                    Some(issued) => Reference.run_observed(&launch, &options, FollowedLanes::EachGroup, issued),
                    None if sm50.races => Reference.run_for_races(&launch, &options),
                    None => {
                        if options.counts.is_none() {
                            slower = fallback(&engine, &launch, &options);
                        }
                        engine.run(&launch, &options)
                    }
                },
            };
            report.merge(&ran.map_err(|error| match error {
                Stop::Halted(halt) => halt.into(),
                Stop::Trap(trap) => Failure::Trap(loaded.trap(&trap)),
            })?);
            memory.keep(host, &space, frame)?;
        }
        Ok(report)
    };
    let outcome = run();
    let idle = follower.map(|(_, follower)| follower.finish()).transpose()?.flatten();
    idle.iter().for_each(|message| console.report(message));
    let outcome = outcome?;
    let seconds = start.elapsed().as_secs_f64();
    progress.iter().for_each(Progress::finish);
    note_missing_code(&engine, console);
    note_fallbacks(slower, console);
    for (stage, pc, kind, warning) in outcome.warnings.iter() {
        console.report(&loaded.warning(stage, pc, kind, warning));
    }
    memory.commit(&cancel, console)?;
    if args.execution.stats {
        report(args.execution.json, name, &outcome.stats, issued.map(|Issued(issued)| issued), seconds, console)?;
    }
    if let Some(counting) = counting {
        counting.finish_as(
            &args.execution,
            &outcome.stats,
            listing(loaded),
            |lanes| by_position(lanes, &grid),
            console,
        )?;
    }
    Ok(())
}

/// What runs a launch that machine code does not run, and why, for people.
pub fn fallback(executor: &Executor, launch: &StageLaunch, options: &RunOptions) -> Option<String> {
    let Executor::Engine(engine) = executor else { return None };
    let reason = engine.compiles(launch, options).err()?;
    let instead = match reason {
        NotCompiled::Shape | NotCompiled::NotLifted(_) => "the reference",
        NotCompiled::Lockstep if engine.name() != Engine::INTERPRETER => "the interpreter",
        // What the interpreter runs because it was asked to; what backends refuse is said for the programs of all machines.
        NotCompiled::Lockstep | NotCompiled::Refused => return None,
    };
    let program = match launch.shader.stage() {
        Stage::None => "program".into(),
        stage => format!("{} program", stage.name()),
    };
    Some(format!("{instead} runs the {program}: {reason}"))
}

/// Tells what machine code does not run, if there is something.
pub fn note_fallbacks(fallbacks: impl IntoIterator<Item = String>, console: &mut Console) {
    let fallbacks: Vec<String> = fallbacks.into_iter().collect();
    if !fallbacks.is_empty() {
        console.report(&Message::note(fallbacks.join("; ")).help("results are the same, but take longer"));
    }
}

/// Refuses constants that stand where the launch has its own.
fn require_own_constants(launch: &StageLaunch, constants: &Constants) -> Result<(), Failure> {
    let Some(conflict) = launch.constants().and_then(|own| own.fit(constants).err()) else { return Ok(()) };
    let message = Message::error(format!("constant bank {}: {conflict}", LaunchConstants::BANK));
    Err(Failure::Usage(message.help(
        "leave the dwords from 0x8 to 0x20 zero in the file: --block, --grid and --local-memory say what stands there",
    )))
}

/// Why a program of a pipeline does not run by itself, and how it does.
fn no_compute_code(stage: Stage, file: &str) -> Failure {
    let message = format!("this is a program of a graphics pipeline (stage {}), not compute code", stage.name());
    let options = [
        (Stage::Vertex, "--vs"),
        (Stage::TessellationInit, "--vs VERTEX --tcs"),
        (Stage::Tessellation, "--vs VERTEX --tes"),
        (Stage::Geometry, "--vs VERTEX --gs"),
    ];
    let option = options.iter().find(|(of, _)| *of == stage);
    Failure::Usage(Message::error(message).help(match option {
        Some((_, option)) => {
            format!("'ctm draw {option} {file} --primitive triangles --vertices 3 -o out.npy' draws with it")
        }
        None => "'ctm dis' and 'ctm info' show it; there is no command that executes it".into(),
    }))
}

/// Refuses the options of `ctm run` that mean nothing for compute code.
fn refuse_options(args: &RunArgs, sm50: &Sm50Args) -> Result<(), Failure> {
    let given = [
        ("--domain", args.domain.is_some(), "--grid and --block give the threads"),
        (
            "--output",
            !args.outputs.is_empty() || args.output0.is_some(),
            "--global-output ADDR:COUNT=FILE keeps results",
        ),
        ("--depth-output", args.depth_output.is_some(), "--global-output ADDR:COUNT=FILE keeps results"),
        ("--mask-output", sm50.mask_output.is_some(), "--global-output ADDR:COUNT=FILE keeps results"),
        ("--output-format", !args.output_formats.is_empty(), "--global-output ADDR:COUNT=FILE keeps results"),
        ("--clear", args.clear != Vector::default(), "--global ADDR=FILE fills memory"),
        ("--tonemap", args.tonemap.is_some(), "results are arrays"),
        ("--buffer", !args.buffers.is_empty(), "--global ADDR=FILE fills memory"),
        ("--bottom-up", args.bottom_up.is_some(), "results are arrays"),
        ("--position", args.position.is_some(), "threads know their position by S2R"),
        ("--const", !args.floats.is_empty(), "--bank BANK=FILE gives constants"),
        ("--consts", args.consts.is_some(), "--bank BANK=FILE gives constants"),
        ("--group", args.execution.group.is_some(), "threads run in warps of 32"),
        ("--repeat", args.execution.repeat != 1, "it runs once"),
        ("--emit", args.execution.emit.is_some(), "stages of compute code are not shown"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, help)) => {
            let message = format!("{option} does not apply to SM50 compute code");
            Err(Failure::Usage(Message::error(message).help(help)))
        }
        None => Ok(()),
    }
}

fn grid(sm50: &Sm50Args) -> Result<Grid, Failure> {
    let sizes = |given: Option<Sizes>, absent| given.map_or(absent, |Sizes(sizes)| sizes);
    Grid::new(sizes(sm50.grid, [1; 3]), sizes(sm50.block, [WARP, 1, 1])).ok_or_else(|| {
        let message = format!("a block has at most {} threads, and a grid fewer than 2^32", Grid::MAX_THREADS);
        Failure::Usage(Message::error(message).help("choose other sizes with --grid and --block"))
    })
}

/// The number of the thread to follow, and how it is called.
pub fn thread(named: FollowedLane, grid: &Grid) -> Result<(u32, String), Failure> {
    let ((low, high), name) = follow::lane(named, Lanes::Line(grid.threads()), "thread")?;
    Ok((high * AXIS + low, name))
}

/// Its instructions, as counts are shown beside them.
fn listing(loaded: &Loaded) -> Listing {
    let text = |(index, instruction)| {
        let at = Code::address(index);
        (InstructionPlace::from(at), print_instruction(instruction, at))
    };
    let steps = loaded.program.code.instructions().iter().enumerate().map(text).collect();
    Listing { steps, address }
}

/// What invocations have, as a picture of the threads: columns along x, rows along y, and below them those of the next z. With its width
/// and height.
fn by_position(of_invocations: &[u64], grid: &Grid) -> (Vec<u64>, usize, usize) {
    let [across, down, deep] = std::array::from_fn(|axis| (grid.block_size()[axis] * grid.blocks()[axis]) as usize);
    let mut picture = vec![0; across * down * deep];
    for (invocation, &value) in (0..).zip(of_invocations).filter(|&(invocation, _)| grid.has_thread(invocation)) {
        let (block, thread, size) = (grid.block_of(invocation), grid.thread_of(invocation), grid.block_size());
        let [x, y, z] = std::array::from_fn(|axis| (block[axis] * size[axis] + thread[axis]) as usize);
        picture[(z * down + y) * across + x] = value;
    }
    (picture, across, down * deep)
}

fn address(at: Address) -> String {
    format!("{:04x}", at.pc)
}

/// How its steps are shown.
pub fn guest(loaded: &Loaded, lane: String) -> Guest<'_> {
    let code = &loaded.program.code;
    let text = |Address { pc, .. }: Address, _| {
        code.index_at(pc).map_or_else(String::new, |index| print_instruction(&code.instructions()[index], pc))
    };
    Guest { text: Box::new(text), address, width: 50, lane }
}

fn report(
    json: bool,
    engine: EngineName,
    stats: &RunStats,
    issued: Option<u64>,
    seconds: f64,
    console: &mut Console,
) -> io::Result<()> {
    let &RunStats { lanes, instructions, groups, .. } = stats;
    let engine = engine.name();
    if json {
        return console.json(&json!({
            "engine": engine,
            "lanes": lanes,
            "warps": groups,
            "instructions": instructions,
            "issued": issued,
            "utilisation": utilisation::utilisation(instructions, issued),
            "run_seconds": seconds,
        }));
    }
    let ran = format!("{} in {}", number_of(lanes as usize, "thread"), number_of(groups as usize, "warp"));
    writeln!(console.out, "engine          {engine}")?;
    writeln!(console.out, "launch          {ran}")?;
    writeln!(console.out, "instructions    {instructions}, over all threads")?;
    utilisation::line(instructions, issued).iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
    writeln!(console.out, "run time        {:.3} ms", seconds * 1e3)
}
