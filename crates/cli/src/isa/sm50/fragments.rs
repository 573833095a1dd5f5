//! Runs fragment programs: every pixel of a domain, with the inputs of a primitive that covers it.

use super::Loaded;
use super::global::GlobalMemory;
use super::options::{AttributeSource, Sm50Args};
use super::run::{fallback, guest, note_fallbacks};
use super::setup::Setup;
use crate::files;
use crate::host::Host;
use crate::isa::finding::require_no_errors;
use crate::options::values::{Extent, VaryingSource, Vector};
use crate::options::{DEFAULT_DOMAIN, Generator, RunArgs};
use crate::report::{Location, Message};
use crate::run::follow::{self, Follower};
use crate::run::{Memory, engine, note_missing_code, once_each, options, output_files};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::FileSpec;
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::run::RunStats;
use ctm_memory::{Bounds, Format, Surface, View};
use ctm_sm50::attributes::{WORDS, name};
use ctm_sm50::launch::{
    Environment, FRONT_FACE, Invocations, LaunchReport, PixelInput, Pixels, Shader, StageLaunch, Stop,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::textures::HANDLE_BANK;
use ctm_sm50::{AttributeMap, Interpolation, PixelMaps};
use std::time::Instant;

/// Colours that a program can put out.
const COLOURS: usize = 8;

/// A fragment program with what it runs over.
pub struct Fragments {
    pub loaded: Loaded,
    maps: PixelMaps,
    size: (u32, u32),
    inputs: Vec<(u32, PixelInput)>,
    pub setup: Setup,
}

impl Fragments {
    /// Reads what it needs. Files of textures go through this memory.
    pub fn prepare(
        loaded: Loaded,
        args: &RunArgs,
        sm50: &Sm50Args,
        memory: &mut Memory,
        console: &Console,
    ) -> Result<(Self, GlobalMemory), Failure> {
        require_no_errors(&loaded)?;
        refuse_options(args, sm50)?;
        let maps = loaded.program.header.map(|header| header.pixel).unwrap_or_default();
        let Extent { width, height } = args.domain.unwrap_or(DEFAULT_DOMAIN);
        let size = (width, height);
        let inputs = inputs(console.host, &sm50.attributes, size)?;
        let (setup, globals) = Setup::prepare((args, sm50), HANDLE_BANK, memory, console)?;
        Ok((Fragments { loaded, maps, size, inputs, setup }, globals))
    }

    /// The pixels of the domain, as lanes.
    pub fn lanes(&self) -> Lanes {
        let (width, height) = self.size;
        Lanes::Area(Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 })
    }

    /// They, with their inputs.
    ///
    /// # Errors
    /// There is no memory for what fragments leave.
    pub fn pixels(&self) -> Result<Pixels, Failure> {
        let pixels = Pixels::new(self.size, &self.maps, self.inputs.iter().cloned());
        pixels.map_err(|error| Message::error(error.to_string()).into())
    }

    /// The launch.
    pub fn launch<'a>(
        &'a self,
        environment: &'a Environment<'a>,
        invocations: &'a Invocations,
        pixels: &'a Pixels,
    ) -> StageLaunch<'a> {
        let shader = Shader::from(&self.loaded.program);
        StageLaunch {
            pixels: Some(pixels),
            ..StageLaunch::new(shader, environment, invocations, AttributeMap::default())
        }
    }
}

/// The invocations of pixels.
pub fn invocations(pixels: &Pixels) -> Invocations {
    Invocations { count: pixels.invocations(), columns: None }
}

/// Runs a fragment program and writes its outputs.
pub fn run(loaded: Loaded, args: &RunArgs, sm50: &Sm50Args, console: &mut Console) -> Result<(), Failure> {
    let host = console.host;
    let mut memory = Memory::new(args, host);
    let (run, mut globals) = Fragments::prepare(loaded, args, sm50, &mut memory, console)?;
    let Fragments { ref loaded, maps, size, setup: Setup { frames, .. }, .. } = run;
    let targets = Targets::prepare(args, sm50, &maps, &mut memory, host)?;
    let mut results = memory.take_results();
    let cancel = host.interrupt();
    let options = options(&args.execution, host, &|_, _| (), &cancel);
    let (name, engine) = engine(&args.execution)?;
    let followed = args.execution.follow.map(|named| follow::lane(named, run.lanes(), "pixel")).transpose()?;
    let mut follower = followed.map(|(at, lane)| (at, Follower::new(guest(loaded, lane), &args.execution, console)));
    let start = Instant::now();
    let mut report = LaunchReport::default();
    let mut slower = None;
    for frame in frames.numbers() {
        let space = globals.space()?;
        let environment = run.setup.environment(frame, &space);
        let pixels = run.pixels()?;
        let invocations = invocations(&pixels);
        let launch = run.launch(&environment, &invocations, &pixels);
        let ran = match &mut follower {
            Some((at, follower)) => {
                let invocation = pixels.invocation(*at).unwrap_or_default();
                Reference.run_observed(&launch, &options, invocation, follower)
            }
            None => {
                slower = fallback(&engine, &launch, &options);
                engine.run(&launch, &options)
            }
        };
        report.merge(&ran.map_err(|error| match error {
            Stop::Halted(halt) => halt.into(),
            Stop::Trap(trap) => Failure::Trap(loaded.trap(&trap)),
        })?);
        results.clear(&memory.space);
        targets.put_out(&pixels, &maps, size, &memory);
        results.keep(host, &memory.space, frame)?;
        globals.keep(host, &space, frame)?;
    }
    let idle = follower.map(|(_, follower)| follower.finish()).transpose()?.flatten();
    idle.iter().for_each(|message| console.report(message));
    note_missing_code(&engine, console);
    note_fallbacks(slower, console);
    report_idle_attributes(loaded, &maps, &sm50.attributes, console);
    for (stage, pc, kind, warning) in report.warnings.iter() {
        console.report(&loaded.warning(stage, pc, kind, warning));
    }
    results.commit(&cancel, console)?;
    globals.commit(&cancel, console)?;
    if args.execution.stats {
        let RunStats { instructions, groups, .. } = report.stats;
        let pixels = number_of(size.0 as usize * size.1 as usize, "pixel");
        writeln!(console.out, "engine          {}", name.name())?;
        writeln!(console.out, "launch          {pixels} in {}", number_of(groups as usize, "warp"))?;
        writeln!(console.out, "instructions    {instructions}, over all lanes")?;
        writeln!(console.out, "run time        {:.3} ms", start.elapsed().as_secs_f64() * 1e3)?;
    }
    Ok(())
}

/// Warns of inputs that are given and that the program does not read.
fn report_idle_attributes(loaded: &Loaded, maps: &PixelMaps, given: &[AttributeSource], console: &mut Console) {
    let is_read = |address: u32| address == FRONT_FACE || maps.interpolation(address) != Interpolation::Unused;
    let is_idle = |given: &&AttributeSource| !(given.address..4 * WORDS as u32).step_by(4).take(4).any(is_read);
    for AttributeSource { address, .. } in given.iter().filter(is_idle) {
        let message = format!("attribute {address:#x} ({}) is given, but the program does not read it", name(*address));
        let message = Message::warning(message).at(Location::File(loaded.name.clone()));
        console.report(&message.help("'ctm info' lists the attributes that it reads"));
    }
}

/// What the inputs are over the domain.
fn inputs(
    host: &dyn Host,
    given: &[AttributeSource],
    (width, height): (u32, u32),
) -> Result<Vec<(u32, PixelInput)>, Failure> {
    let mut inputs = Vec::new();
    for AttributeSource { address, source } in given {
        let addresses = (*address..).step_by(4);
        let array = match source {
            VaryingSource::Made(Generator::Constant(Vector(values))) => {
                inputs.extend(addresses.zip(values.map(PixelInput::Constant)));
                continue;
            }
            VaryingSource::Made(generator @ (Generator::Uv | Generator::Position)) => generator.array(width, height),
            VaryingSource::File(file) => {
                let spec = FileSpec::parse(file).map_err(|error| Message::error(error.to_string()))?;
                files::read(host, &spec).map_err(Message::from)?
            }
        };
        let shape = array.shape;
        if shape.width < width as usize || shape.height < height as usize {
            let (columns, rows) = (shape.width, shape.height);
            let message =
                format!("attribute {address:#x} has {columns}x{rows} values for a domain of {width}x{height}");
            return Err(Message::error(message).help("--domain WxH gives the domain another size").into());
        }
        let words = array.data.to_f32();
        for (address, channel) in addresses.zip(0..shape.channels) {
            let at = |x: usize, y: usize| words[(y * shape.width + x) * shape.channels + channel];
            let values = (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (x, y)));
            inputs.push((address, PixelInput::Values(values.map(|(x, y)| at(x, y)).collect())));
        }
    }
    Ok(inputs)
}

/// Where outputs go: those that the program has.
struct Targets {
    /// Each has four registers.
    colours: Vec<Surface>,
    mask: Option<Surface>,
    depth: Option<Surface>,
}

impl Targets {
    /// Allocates them, and opens the files that receive them.
    fn prepare(
        args: &RunArgs,
        sm50: &Sm50Args,
        maps: &PixelMaps,
        memory: &mut Memory,
        host: &dyn Host,
    ) -> Result<Self, Failure> {
        let mut files = output_files(args, COLOURS)?;
        let formats = once_each("output", &args.output_formats, COLOURS)?;
        let size = args.domain.unwrap_or(DEFAULT_DOMAIN);
        let mut colours = Vec::new();
        for number in maps.colours().map(|number| number as u8) {
            let (file, format) = (files.remove(&number), formats.get(&number).map(|name| name.0));
            let name = format!("output {number}");
            colours.push(memory.add_surface(host, name, file, size, format, Format::Float32_4)?);
        }
        let absent = |what: &str| {
            let message = format!("the program does not put out {what}");
            Failure::Usage(Message::error(message).help("'ctm info' says what it puts out"))
        };
        if let Some(number) = files.into_keys().next() {
            return Err(absent(&format!("colour {number}")));
        }
        let mut number = |file: &Option<FileSpec>, name: &str, what: &str, is_there: bool| match file {
            Some(_) if !is_there => Err(absent(what)),
            None => Ok(None),
            Some(file) => memory.add_surface(host, name.into(), Some(file), size, None, Format::Float32_1).map(Some),
        };
        let mask = number(&sm50.mask_output, "mask", "a sample mask", maps.sample_mask)?;
        let depth = number(&args.depth_output, "depth", "a depth", maps.depth)?;
        Ok(Targets { colours, mask, depth })
    }

    /// Writes what fragments leave.
    fn put_out(&self, pixels: &Pixels, maps: &PixelMaps, (width, height): (u32, u32), memory: &Memory) {
        let view = |surface: Surface| View::new(&memory.space, surface, Bounds::Drop);
        let colours: Vec<View> = self.colours.iter().copied().map(view).collect();
        let (mask, depth) = (self.mask.map(view), self.depth.map(view));
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let Some(registers) = pixels.result((x, y)) else { continue };
            let place = (i64::from(x), i64::from(y));
            for (view, &colour) in colours.iter().zip(registers.as_chunks::<4>().0) {
                view.store(place.0, place.1, colour, 0xf);
            }
            if let Some((view, n)) = mask.as_ref().zip(maps.sample_mask_register()) {
                view.store(place.0, place.1, [(registers[n as usize] as f32).to_bits(); 4], 1);
            }
            if let Some((view, n)) = depth.as_ref().zip(maps.depth_register()) {
                view.store(place.0, place.1, [registers[n as usize]; 4], 1);
            }
        }
    }
}

/// Refuses the options of `ctm run` that mean nothing for fragment programs, or are not there for them.
fn refuse_options(args: &RunArgs, sm50: &Sm50Args) -> Result<(), Failure> {
    let execution = &args.execution;
    let given = [
        ("--grid", sm50.grid.is_some(), "--domain WxH gives the pixels"),
        ("--block", sm50.block.is_some(), "--domain WxH gives the pixels"),
        ("--local-memory", sm50.local_memory.is_some(), "the program's header says how much there is"),
        ("--shared-memory", sm50.shared_memory.is_some(), "fragments have none"),
        ("--buffer", !args.buffers.is_empty(), "--global ADDR=FILE fills memory"),
        ("--bottom-up", args.bottom_up.is_some(), "row 0 is the first one"),
        ("--position", args.position.is_some(), "fragments read their position at a[0x70]"),
        ("--const", !args.floats.is_empty(), "--bank BANK=FILE gives constants"),
        ("--consts", args.consts.is_some(), "--bank BANK=FILE gives constants"),
        ("--group", execution.group.is_some(), "fragments run in warps of 32"),
        ("--repeat", execution.repeat != 1, "it runs once"),
        ("--emit", execution.emit.is_some(), "it shows what is made of compute code"),
        ("--counts", execution.counts, "fragments are not counted"),
        ("--heat", execution.heat.is_some(), "fragments are not counted"),
        ("--utilisation", execution.utilisation, "fragments are not counted"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, help)) => {
            let message = format!("{option} does not apply to SM50 fragment programs");
            Err(Failure::Usage(Message::error(message).help(help)))
        }
        None => Ok(()),
    }
}
