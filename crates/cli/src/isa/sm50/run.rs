//! Runs compute code: a grid of blocks over global memory.

use super::Loaded;
use super::data::{array_kind, constants};
use super::options::{GlobalFile, GlobalOutput, Sizes, Sm50Args};
use crate::failure::require_memory;
use crate::files;
use crate::host::Host;
use crate::isa::{File, one};
use crate::options::RunArgs;
use crate::options::values::FollowedLane;
use crate::outputs::{Form, Sink};
use crate::progress::Progress;
use crate::report::Message;
use crate::run::follow::{self, Follower, Guest};
use crate::run::options;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::{Array, Data, FileKind, Shape, WriteOptions};
use ctm_codegen::EngineName;
use ctm_follow::Address;
use ctm_lane::budget::Halt;
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::run::RunStats;
use ctm_memory::{Arena, ArenaError, BASE_ALIGNMENT, Space};
use ctm_sm50::launch::{
    Environment, Grid, Invocations, Launch, LaunchConstants, Mode, Shader, StageRunner, Stop, WARP,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::text::print_instruction;
use ctm_sm50::{AttributeMap, Stage};
use serde_json::json;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs a kernel and writes what it leaves in global memory.
pub fn run(file: File, args: &RunArgs, sm50: &Sm50Args, console: &mut Console) -> Result<(), Failure> {
    let cancel = console.host.interrupt();
    let kernel = file.kernel.clone();
    let loaded = one(Loaded::all(file, console)?, kernel.as_deref(), |loaded| loaded)?;
    if let Some(header) = loaded.program.header {
        return Err(no_compute_code(header.stage, &loaded.name));
    }
    refuse_options(args)?;
    let grid = grid(sm50)?;
    let followed = args.execution.follow.map(|named| thread(named, &grid)).transpose()?;
    let memory = Memory::prepare(console.host, sm50, args.execution.budget.memory(console.host))?;
    let environment = Environment {
        constants: constants(console.host, &sm50.banks)?,
        memory: Some(&memory.space),
        mode: if console.strict { Mode::Strict } else { Mode::Lenient },
        ..Environment::default()
    };
    let shader = Shader { local_memory: sm50.local_memory.unwrap_or(0), ..(&loaded.program).into() };
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let launch =
        Launch { grid: Some(grid), ..Launch::new(shader, &environment, &invocations, AttributeMap::default()) };
    if let Some(conflict) = launch.constants().and_then(|own| own.fit(&environment.constants).err()) {
        let message = Message::error(format!("constant bank {}: {conflict}", LaunchConstants::BANK));
        return Err(Failure::Usage(message.help(
            "leave the dwords from 0x8 to 0x20 zero in the file: --block, --grid and --local-memory say what stands there",
        )));
    }
    if sm50.global_outputs.is_empty() && !args.execution.stats {
        console.report(&Message::note("results are not kept; add --global-output ADDR:COUNT=FILE"));
    }

    let progress = (console.interactive && followed.is_none()).then(|| Progress::start(1));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = options(&args.execution, console.host, &update, &cancel);
    let start = Instant::now();
    let mut follower = followed.map(|(at, name)| (at, Follower::new(guest(&loaded, name), &args.execution, console)));
    let outcome = match &mut follower {
        Some((invocation, follower)) => Reference.run_observed(&launch, &options, *invocation, follower),
        None => Reference.run(&launch, &options),
    };
    let idle = follower.map(|(_, follower)| follower.finish()).transpose()?.flatten();
    idle.iter().for_each(|message| console.report(message));
    let outcome = outcome.map_err(|error| match error {
        Stop::Halted(halt) => halt.into(),
        Stop::Trap(trap) => Failure::Trap(loaded.trap(&trap)),
    })?;
    let seconds = start.elapsed().as_secs_f64();
    progress.iter().for_each(Progress::finish);
    for (stage, pc, kind, warning) in outcome.warnings.iter() {
        console.report(&loaded.warning(stage, pc, kind, warning));
    }
    memory.write(&cancel, console)?;
    if args.execution.stats {
        report(args.execution.json, &outcome.stats, seconds, console)?;
    }
    Ok(())
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

/// Bytes that writing a result takes on the way, at most, for each of its own: its bytes, values, the file.
const WRITING: u64 = 3;

/// Why engines have no say.
const BY_REFERENCE: &str = "grids are executed by the reference";

/// Refuses the options of `ctm run` that mean nothing for compute code.
fn refuse_options(args: &RunArgs) -> Result<(), Failure> {
    let given = [
        ("--domain", args.domain.is_some(), "--grid and --block give the threads"),
        ("--input", !args.inputs.is_empty(), "--global ADDR=FILE fills memory"),
        (
            "--output",
            !args.outputs.is_empty() || args.output0.is_some(),
            "--global-output ADDR:COUNT=FILE keeps results",
        ),
        ("--output-format", !args.output_formats.is_empty(), "--global-output ADDR:COUNT=FILE keeps results"),
        ("--tonemap", args.tonemap.is_some(), "results are arrays"),
        ("--position", args.position.is_some(), "threads know their position by S2R"),
        ("--const", !args.floats.is_empty(), "--bank BANK=FILE gives constants"),
        ("--consts", args.consts.is_some(), "--bank BANK=FILE gives constants"),
        ("--group", args.execution.group.is_some(), "threads run in warps of 32"),
        ("--repeat", args.execution.repeat != 1, "it runs once"),
        ("--engine", args.execution.engine.is_some_and(|name| name != EngineName::Reference), BY_REFERENCE),
        ("--emit", args.execution.emit.is_some(), BY_REFERENCE),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, help)) => {
            let message = format!("{option} means nothing for SM50 compute code");
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

/// The invocation of the thread to follow, and how it is called.
fn thread(named: FollowedLane, grid: &Grid) -> Result<(u32, String), Failure> {
    let ((low, high), name) = follow::lane(named, Lanes::Line(grid.threads()), "thread")?;
    Ok((grid.invocation_of(high * AXIS + low), name))
}

/// How its steps are shown.
fn guest(loaded: &Loaded, lane: String) -> Guest<'_> {
    let code = &loaded.program.code;
    let text = |Address { pc, .. }: Address, _| {
        code.index_at(pc).map_or_else(String::new, |index| print_instruction(&code.instructions()[index], pc))
    };
    Guest { text: Box::new(text), address: |at| format!("{:04x}", at.pc), width: 50, lane }
}

fn report(json: bool, stats: &RunStats, seconds: f64, console: &mut Console) -> io::Result<()> {
    let &RunStats { lanes, instructions, groups, .. } = stats;
    let engine = EngineName::Reference.name();
    if json {
        return console.json(&json!({
            "engine": engine, "lanes": lanes, "warps": groups, "instructions": instructions, "run_seconds": seconds,
        }));
    }
    let ran = format!("{} in {}", number_of(lanes as usize, "thread"), number_of(groups as usize, "warp"));
    writeln!(console.out, "engine          {engine}")?;
    writeln!(console.out, "launch          {ran}")?;
    writeln!(console.out, "instructions    {instructions}, over all threads")?;
    writeln!(console.out, "run time        {:.3} ms", seconds * 1e3)
}

/// Global memory, and the files that receive parts of it.
struct Memory {
    space: Space,
    outputs: Vec<(Range<u64>, FileKind, Sink)>,
}

impl Memory {
    /// Maps what the options name, and fills it.
    fn prepare(host: &dyn Host, sm50: &Sm50Args, limit: u64) -> Result<Self, Failure> {
        let mut contents = Vec::new();
        for GlobalFile { address, path } in &sm50.globals {
            let words = files::read_dwords(host, path, None).map_err(Message::from)?;
            contents.push((*address, words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()));
        }
        let mut ranges: Vec<_> = contents.iter().map(|(address, bytes)| range(*address, bytes.len() as u64)).collect();
        ranges.sort_by_key(|range| range.start);
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
            let message = format!("global memory at {:#x} is filled by two files", pair[1].start);
            return Err(Failure::Usage(Message::error(message).help("give the files addresses that do not overlap")));
        }
        let filled = contents.iter().map(|(address, bytes)| range(*address, bytes.len() as u64));
        let kept = sm50.global_outputs.iter().map(|output| range(output.address, 4 * u64::from(output.count)));
        let mut memory = Memory { space: space(filled.chain(kept).collect(), limit)?, outputs: Vec::new() };
        for (address, bytes) in contents {
            let written = memory.space.write_bytes(address, &bytes);
            written.map_err(|error| Message::error(error.to_string()))?;
        }
        for GlobalOutput { address, count, path } in &sm50.global_outputs {
            let kind = array_kind(path)?;
            memory.outputs.push((range(*address, 4 * u64::from(*count)), kind, Sink::open(host, path, Form::Array)?));
        }
        Ok(memory)
    }

    /// Writes the files, which appear together unless `cancel` is raised by then.
    fn write(self, cancel: &AtomicBool, console: &Console) -> Result<(), Failure> {
        let mut sinks = Vec::new();
        for (range, kind, mut sink) in self.outputs {
            require_memory((range.end - range.start) * WRITING)?;
            let mut bytes = vec![0; (range.end - range.start) as usize];
            let read = self.space.read_bytes(range.start as u32, &mut bytes);
            read.map_err(|error| Message::error(error.to_string()))?;
            let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
            let array = Array { shape: Shape { width: words.len(), height: 1, channels: 1 }, data: Data::F32(words) };
            let bytes = ctm_array::encode(kind, &array, &WriteOptions::default());
            sink.write(&bytes.map_err(|error| Message::error(error.to_string()))?)?;
            sinks.push(sink);
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Sink::commit(sinks, console)
    }
}

fn range(address: u32, bytes: u64) -> Range<u64> {
    u64::from(address)..u64::from(address) + bytes
}

/// Memory that has at least these bytes, and takes at most `limit`; ranges that touch the same block of it share an arena.
fn space(mut ranges: Vec<Range<u64>>, limit: u64) -> Result<Space, Failure> {
    let block = u64::from(BASE_ALIGNMENT);
    ranges.sort_by_key(|range| range.start);
    let mut arenas: Vec<Range<u64>> = Vec::new();
    for Range { start, end } in ranges {
        let (start, end) = (start / block * block, end.next_multiple_of(block));
        match arenas.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => arenas.push(start..end),
        }
    }
    let wanted = arenas.iter().map(|range| range.end - range.start).sum();
    if wanted > limit {
        return Err(Halt::Memory { wanted, limit }.into());
    }
    let mut space = Space::default();
    for Range { start, end } in arenas {
        let unmapped = |cause: String| {
            Message::error(format!("no global memory at {start:#x}: {cause}"))
                .help("addresses are below 2^32, and not in the lowest 2 KiB")
        };
        let size = u32::try_from(end - start).map_err(|error| unmapped(error.to_string()))?;
        let arena = Arena::new(start as u32, size).map_err(|error| match error {
            ArenaError::NoMemory { size } => Halt::NoMemory { bytes: size.into() }.into(),
            ArenaError::Misaligned { .. } | ArenaError::OutsideAddressSpace { .. } => {
                Failure::from(unmapped(error.to_string()))
            }
        })?;
        space.map(arena).map_err(|error| unmapped(error.to_string()))?;
    }
    Ok(space)
}
