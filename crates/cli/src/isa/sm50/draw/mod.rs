//! `ctm draw`: vertices through the programs of a pipeline.

mod debug;
mod engines;
mod options;
mod pixel_options;
mod pixels;
mod programs;
mod results;
mod svg;
mod values;

pub use options::DrawArgs;

use crate::failure::{no_engine, require_memory};
use crate::files::{FileError, read_dwords};
use crate::host::Host;
use crate::isa::sm50::data::constants;
use crate::isa::sm50::global::GlobalMemory;
use crate::isa::sm50::resources::Resources;
use crate::isa::sm50::run::note_fallbacks;
use crate::progress::Progress;
use crate::report::Message;
use crate::run::{Memory, ResultSettings, note_missing_code};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_codegen::EngineName;
use ctm_lane::budget::{Halt, Limits};
use ctm_lane::run::RunOptions;
use ctm_memory::Space;
use ctm_sm50::Stage;
use ctm_sm50::attributes::POSITION;
use ctm_sm50::launch::{Constants, Environment, Mode};
use ctm_sm50::pipeline::{Capture, Draw, FragmentStage, Primitive, Tessellation, VertexArray};
use ctm_sm50::textures::HANDLE_BANK;
use engines::Watched;
use pixels::Surfaces;
use programs::Programs;
use results::{Outcome, Results};
use std::collections::BTreeSet;
use std::time::Instant;
use values::{Attribute, CaptureRange};

/// What a draw is made of.
struct Source {
    programs: Programs,
    arrays: Vec<VertexArray>,
    constants: Constants,
    resources: Resources,
    /// Global memory.
    globals: GlobalMemory,
    /// What textures and the surfaces of pixels lie in.
    memory: Memory,
    mode: Mode,
}

impl Source {
    /// Reads files.
    fn read(args: &DrawArgs, console: &mut Console) -> Result<Self, Failure> {
        let mut programs = Programs::read(args, console)?;
        let arrays = arrays(console.host, args)?;
        let (host, limit) = (console.host, args.budget.memory(console.host));
        let settings =
            ResultSettings { tonemap: args.pixels.tonemap, clear: args.pixels.clear, ..ResultSettings::default() };
        let globals = GlobalMemory::prepare(host, &args.memory, settings.clone(), limit)?;
        let mut memory = Memory::with(settings, limit);
        let resources = Resources::read((&args.inputs, &args.mips), &args.memory, &mut memory, host)?;
        let banks = |stage: Option<Stage>| {
            let files = args.constants.iter().filter(move |bank| bank.stage == stage);
            constants(host, files.map(|bank| &bank.file))
        };
        let mut shared = banks(None)?;
        resources.bind(&mut shared, HANDLE_BANK);
        let stages: BTreeSet<u8> = args.constants.iter().filter_map(|bank| Some(bank.stage? as u8)).collect();
        for stage in stages.into_iter().map(|number| Stage::ALL[usize::from(number)]) {
            let mut own = banks(Some(stage))?;
            if own.bank(HANDLE_BANK).is_some() {
                resources.bind(&mut own, HANDLE_BANK);
            }
            programs.set_banks(stage, own)?;
        }
        let mode = if console.strict { Mode::Strict } else { Mode::Lenient };
        programs.report_idle_options(args, console);
        Ok(Source { programs, arrays, constants: shared, resources, globals, memory, mode })
    }

    /// What all programs share, over this global memory.
    fn environment<'a>(&self, space: &'a Space) -> Environment<'a> {
        let Resources { textures, images } = self.resources.clone();
        let (constants, mode) = (self.constants.clone(), self.mode);
        Environment { constants, memory: Some(space), textures, images, mode, ..Environment::default() }
    }

    /// The draw, of which this is captured.
    fn draw<'a>(&'a self, args: &DrawArgs, capture: &'a [Capture], environment: Environment<'a>) -> Draw<'a> {
        let Source { programs, arrays, .. } = self;
        Draw {
            tess_init: programs.tess_init(),
            tessellation: programs.tessellation(),
            geometry: programs.geometry(),
            primitive: args.primitive,
            patch_vertices: args.patch_vertices.unwrap_or(PATCH_VERTICES),
            first: args.first,
            instances: args.instances,
            tessellator: Tessellation {
                domain: args.tess_domain,
                spacing: args.tess_spacing,
                point_mode: args.point_mode,
                clockwise: args.cw,
            },
            levels: args.tess_levels.0,
            arrays,
            capture,
            stream: args.stream,
            environment,
            ..Draw::new(programs.vertex(), args.vertices)
        }
    }
}

/// What `--capture` lists, if it is wanted.
fn captured(args: &DrawArgs) -> Vec<Capture> {
    if args.fs.is_some() {
        return Vec::new();
    }
    args.capture.iter().map(|&CaptureRange(capture)| capture).collect()
}

/// Draws, and writes what comes out.
fn draw(args: &DrawArgs, console: &mut Console) -> Result<(), Failure> {
    let (cancel, host) = (console.host.interrupt(), console.host);
    let mut source = Source::read(args, console)?;
    let results = Results::open(host, args)?;
    let surfaces = match source.programs.fragment() {
        None => None,
        Some(shader) => Some(Surfaces::prepare(args, &shader.header.unwrap_or_default(), &mut source.memory, host)?),
    };
    let mut pictures = source.memory.take_results();
    // Where something is to be seen, the position is captured after what is asked for.
    let mut capture = captured(args);
    if results.need_positions() {
        capture.push(Capture { address: POSITION, words: 4 });
    }
    let space = source.globals.space()?;
    let environment = source.environment(&space);
    let draw = source.draw(args, &capture, environment.clone());
    let limits = args.budget.limits(host);
    require_memory_of_records(args, &capture, &limits)?;
    let progress = console.interactive.then(|| Progress::start(1));
    let update = |done, total| progress.iter().for_each(|progress| progress.update(done, total));
    let options = RunOptions {
        threads: args.threads.map_or(0, usize::from),
        budget: limits.start(),
        progress: Some(&update),
        cancel: Some(&*cancel),
        ..Draw::options()
    };
    let engine = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
    let watched = Watched::new(&engine);
    let start = Instant::now();
    let (drawn, fragments) = match source.programs.fragment().zip(surfaces) {
        None => (draw.run(&watched, &options), None),
        Some((shader, surfaces)) => {
            let targets_space = &source.memory.space;
            pictures.clear(targets_space);
            surfaces.clear_depth(args, targets_space);
            let mut targets = surfaces.targets(args, targets_space);
            let stage = FragmentStage { shader, environment: &environment, state: pixels::state(args) };
            let drawn = draw.rasterise(&stage, &mut targets, &watched, &options);
            (drawn, Some(targets.counts))
        }
    };
    let drawn = drawn.map_err(|error| source.programs.failure(error))?;
    let seconds = start.elapsed().as_secs_f64();
    progress.iter().for_each(Progress::finish);
    note_fallbacks(watched.fallbacks(), console);
    note_missing_code(&engine, console);
    source.programs.report_warnings(&drawn.report.warnings, console);
    pictures.keep(host, &source.memory.space, 0)?;
    source.globals.keep(host, &space, 0)?;
    let mut complete = pictures.finish(console)?;
    complete.extend(source.globals.finish(console)?);
    let outcome = Outcome { engine: engine.name(), drawn, fragments, seconds, complete };
    results.write(args, outcome, &cancel, console)
}

/// Vertices of a patch when nothing says otherwise.
const PATCH_VERTICES: u32 = 3;

/// Bytes that recording takes on the way, at most, for each of the records: they move as they become more, and are written.
const RECORDING: u64 = 4;

/// Refuses a draw whose records are known to be more than there is memory, before it begins.
fn require_memory_of_records(args: &DrawArgs, capture: &[Capture], limits: &Limits) -> Result<(), Failure> {
    // How many primitives come from other stages shows only then.
    if args.tes.is_some() || args.gs.is_some() {
        return Ok(());
    }
    let vertices = match args.primitive {
        Primitive::Points => args.vertices,
        // Half of the vertices may be neighbours, and those of the last primitive too few.
        _ => (args.vertices / 2).saturating_sub(3),
    };
    let words: u64 = capture.iter().map(|capture| u64::from(capture.words)).sum();
    let records = u64::from(vertices).saturating_mul(args.instances.into());
    let wanted = records.saturating_mul(4 * words);
    if wanted > limits.memory {
        return Err(Halt::Memory { wanted, limit: limits.memory }.into());
    }
    require_memory(wanted.saturating_mul(RECORDING))
}

/// The values of vertex attributes; no dword may have two, and every vertex has values.
fn arrays(host: &dyn Host, args: &DrawArgs) -> Result<Vec<VertexArray>, Failure> {
    let attributes = &args.attributes;
    let mut given = BTreeSet::new();
    for Attribute { address, components, .. } in attributes {
        if let Some(word) = (0..*components).map(|word| address + 4 * word).find(|&word| !given.insert(word)) {
            let message = format!("attribute {word:#x} is given twice");
            return Err(Failure::Usage(Message::error(message).help("each --attribute has addresses of its own")));
        }
    }
    let array = |attribute: &Attribute| {
        let &Attribute { address, components, ref path } = attribute;
        Ok(VertexArray { address, components, values: read_dwords(host, path, Some(components as usize))? })
    };
    let arrays: Vec<_> = attributes.iter().map(array).collect::<Result<_, FileError>>().map_err(Message::from)?;
    let wanted = u64::from(args.first) + u64::from(args.vertices);
    for (VertexArray { components, values, .. }, Attribute { path, .. }) in arrays.iter().zip(attributes) {
        let rows = values.len() as u64 / u64::from(*components);
        if rows < wanted {
            let message = format!(
                "'{}' has {}, but vertices 0 to {} are drawn",
                path.display(),
                number_of(rows as usize, "row"),
                wanted - 1
            );
            return Err(Message::error(message).help("give each vertex a row, or draw fewer with --vertices").into());
        }
    }
    Ok(arrays)
}
