//! Prepares the data of a run: lanes, inputs, resources, constants, export targets.

use super::{Programs, texture};
use crate::files;
use crate::host::Host;
use crate::isa::r700::options::{BufferFile, ItemsFile, R700Args, StreamFile, fetch_buffers};
use crate::options::values::{Extent, InputSource, Numbered, Position, VaryingSource};
use crate::options::{DEFAULT_DOMAIN, Generator, RunArgs};
use crate::report::Message;
use crate::run::{
    Memory, cut_output, float_constants, no_such_output, not_an_output, numbered_uniforms, once_each, output_files,
    unused,
};
use crate::{Console, Failure};
use ctm_array::FileSpec;
use ctm_lane::domain::{Domain, Lanes};
use ctm_memory::{Format, Surface};
use ctm_r700::{
    Bindings, COLOURS, ExportTarget, FLOW_CONSTANTS, Input, Items, Job, KCACHE_BANKS, LoopConstant, Memories,
    PARAMETERS, POSITIONS, Region, STREAMS, Stage, Targets, Texture, Uses, VECTOR_BYTES, VertexBuffer,
};
use std::collections::{BTreeMap, BTreeSet};

/// Constants of the constant file.
pub const CONSTANTS: usize = 256;
/// Vectors of a constant buffer that windows reach.
const BANK_VECTORS: usize = 4096;

/// The lanes of a run: a domain for pixels, a line for vertices.
pub fn lanes(args: &RunArgs, r700: &R700Args, stage: Stage, console: &mut Console) -> Result<Lanes, Failure> {
    let usage = |message: String, help: &str| Failure::Usage(Message::error(message).help(help));
    match (stage, r700.vertices) {
        (Stage::Pixel, None) => {
            let domain = args.domain.unwrap_or(DEFAULT_DOMAIN);
            if args.domain.is_none() {
                console.report(&Message::note(format!("the domain is {domain}; --domain WxH gives another")));
            }
            Ok(Domain::from(domain).into())
        }
        (Stage::Pixel, Some(_)) => Err(usage(
            "--vertices is given, but the program is a pixel shader".into(),
            "use --stage vs, or --domain WxH",
        )),
        (Stage::Vertex | Stage::Export | Stage::Geometry | Stage::Copy, Some(vertices)) => Ok(Lanes::Line(vertices)),
        (Stage::Vertex | Stage::Export | Stage::Copy, None) => {
            let message = format!("a {} runs for vertices", stage.properties());
            Err(usage(message, "use --vertices N, or --stage ps with --domain WxH"))
        }
        (Stage::Geometry, None) => Err(usage(
            "a geometry shader runs for primitives".into(),
            "use --vertices N for as many of them, or --stage ps with --domain WxH",
        )),
        (Stage::Fetch, _) => Err(usage(
            "the program is a fetch subroutine, which does not run by itself".into(),
            "give it to the program that calls it with --fetch-program FILE, or take it for another with --stage",
        )),
    }
}

/// What a job is made of, and the files that results go to.
pub struct Data {
    /// What all of it lies in.
    pub memory: Memory,
    lanes: Lanes,
    inputs: BTreeMap<u8, Input>,
    bindings: Bindings,
    targets: Targets,
    ring: Option<Items>,
    streams: [Option<Items>; STREAMS],
    strips: Option<Items>,
    bools: [bool; FLOW_CONSTANTS],
    loops: [LoopConstant; FLOW_CONSTANTS],
    quad_derivatives: bool,
    clamp_gpr: bool,
    kill_stops_pixel: bool,
}

impl Data {
    /// Reads files, makes memory for results, and makes sure that their files can be written.
    pub fn prepare(
        args: &RunArgs,
        r700: &R700Args,
        programs: &Programs,
        lanes: Lanes,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let uses = Uses::of(&programs.main.program);
        let fetch_uses = programs.fetch.as_ref().map(|fetch| Uses::of(&fetch.program)).unwrap_or_default();
        report_differences(args, r700, [&uses, &fetch_uses], console)?;
        if programs.fetch.is_some() && !programs.main.calls_fetch_program() {
            let message = "a fetch program is given, but the program does not call one";
            console.report(&Message::warning(message).help("leave --fetch-program out"));
        }
        if programs.fetch.is_none() && programs.main.calls_fetch_program() {
            let message = "the program calls a fetch program, and there is none: registers keep what they hold";
            console
                .report(&Message::warning(message).help("give one with --fetch-program FILE, or values with --interp"));
        }
        let mut data = Data {
            memory: Memory::new(args, console.host),
            lanes,
            inputs: BTreeMap::new(),
            bindings: Bindings::default(),
            targets: Targets::default(),
            ring: None,
            streams: [None; STREAMS],
            strips: None,
            bools: [false; FLOW_CONSTANTS],
            loops: [LoopConstant::default(); FLOW_CONSTANTS],
            quad_derivatives: r700.quad_derivatives,
            clamp_gpr: r700.clamp_gpr,
            kill_stops_pixel: r700.kill_stops_pixel,
        };
        data.registers(args, r700, console)?;
        data.exports(console.host, args, r700, &uses)?;
        data.items(console.host, r700)?;
        data.resources(console.host, args, r700)?;
        for (&number, value) in &once_each("boolean constant", &r700.bool_constants, FLOW_CONSTANTS)? {
            data.bools[usize::from(number)] = value.0;
        }
        for (&number, value) in &once_each("loop constant", &r700.loop_constants, FLOW_CONSTANTS)? {
            data.loops[usize::from(number)] = value.0;
        }
        Ok(data)
    }

    /// The job.
    pub fn job<'a>(&'a self, programs: &'a Programs) -> Job<'a> {
        let job = Job::new(&programs.main.program, self.lanes, &self.memory.space);
        let Data { ring, streams, strips, .. } = *self;
        Job {
            fetch_program: programs.fetch.as_ref().map(|fetch| &fetch.program),
            inputs: self.inputs.clone(),
            bools: self.bools,
            loops: self.loops,
            bindings: self.bindings.clone(),
            targets: self.targets.clone(),
            memories: Memories { ring, streams, strips, ..job.memories.clone() },
            quad_derivatives: self.quad_derivatives,
            clamp_gpr: self.clamp_gpr,
            kill_stops_pixel: self.kill_stops_pixel,
            ..job
        }
    }

    /// What registers hold at the start.
    fn registers(&mut self, args: &RunArgs, r700: &R700Args, console: &mut Console) -> Result<(), Failure> {
        let interps = once_each("register", &r700.interps, ctm_r700::GPRS)?;
        let position = args.position.unwrap_or(Position(Some(0))).0;
        if let Some(register) = position.filter(|register| interps.contains_key(register))
            && args.position.is_some()
        {
            let message = format!("r{register} is to receive the position and the values of a file");
            return Err(Failure::Usage(Message::error(message).help("give another register with --position rN")));
        }
        if let Some(register) = position {
            let input = match self.lanes {
                Lanes::Area(_) => Input::Position,
                Lanes::Line(_) => Input::Vertex { first: 0, instance: 0 },
            };
            self.inputs.insert(register, input);
        }
        for (&register, source) in &interps {
            let input = match (self.lanes, source) {
                (Lanes::Area(_), VaryingSource::Made(generator)) => {
                    Input::Surface(self.memory.make(*generator, self.extent())?.0)
                }
                (Lanes::Area(_), VaryingSource::File(file)) => {
                    let (surface, shape) = self.memory.load(console.host, file)?;
                    let Extent { width, height } = self.extent();
                    if shape.width < width as usize || shape.height < height as usize {
                        let message =
                            format!("'{file}' is smaller than the domain; its edges continue for r{register}");
                        console.report(&Message::warning(message));
                    }
                    Input::Surface(surface)
                }
                (Lanes::Line(count), VaryingSource::Made(Generator::Constant(value))) => {
                    let base = self.memory.add_repeated(*value, count)?;
                    Input::Buffer(Region { base, length: count.saturating_mul(VECTOR_BYTES) })
                }
                (Lanes::Line(_), VaryingSource::Made(generator @ (Generator::Uv | Generator::Position))) => {
                    let message = format!("'{generator}' is of pixels, and the program runs for vertices");
                    let help = "give the values in a file, or constant:R,G,B,A for all vertices";
                    return Err(Failure::Usage(Message::error(message).help(help)));
                }
                (Lanes::Line(count), VaryingSource::File(file)) => {
                    let rows =
                        files::read_vectors(console.host, file.as_ref(), count as usize).map_err(Message::from)?;
                    if rows.len() < count as usize {
                        let message = format!("'{file}' has {} rows for {count} vertices", rows.len());
                        return Err(Message::error(message).help("give each vertex a row of 4 float32 values").into());
                    }
                    Input::Buffer(self.add_rows(&rows)?)
                }
            };
            self.inputs.insert(register, input);
        }
        Ok(())
    }

    /// Where exports go: those that the program has, and those that files are to receive.
    fn exports(&mut self, host: &dyn Host, args: &RunArgs, r700: &R700Args, uses: &Uses) -> Result<(), Failure> {
        let outputs = output_files(args, COLOURS)?;
        let formats = once_each("output", &args.output_formats, COLOURS)?;
        let positions = once_each("position export", &r700.positions, POSITIONS)?;
        let parameters = once_each("parameter export", &r700.parameters, PARAMETERS)?;
        match self.lanes {
            Lanes::Area(_) => {
                if !positions.is_empty() || !parameters.is_empty() {
                    let message = "pixels have no positions and no parameters";
                    let help = "what they export goes to --output N=FILE and --depth-output FILE";
                    return Err(Failure::Usage(Message::error(message).help(help)));
                }
                let size = self.extent();
                for number in 0..COLOURS as u8 {
                    let file = outputs.get(&number).copied();
                    if file.is_some() || uses.exports.contains(&ExportTarget::Colour(number.into())) {
                        let format = formats.get(&number).map(|name| name.0);
                        let name = format!("output {number}");
                        let surface = self.memory.add_surface(host, name, file, size, format, Format::Float32_4)?;
                        self.targets.colours[usize::from(number)] = Some(surface);
                    }
                }
                if let Some(file) = &args.depth_output {
                    let name = "depth".into();
                    self.targets.depth =
                        Some(self.memory.add_surface(host, name, Some(file), size, None, Format::Float32_1)?);
                }
            }
            Lanes::Line(count) => {
                if !outputs.is_empty() || args.depth_output.is_some() {
                    let message = "vertices have no colours and no depth";
                    let help = "their exports go to --position-output N=FILE and --param-output N=FILE";
                    return Err(Failure::Usage(Message::error(message).help(help)));
                }
                for number in 0..POSITIONS {
                    let used = uses.exports.contains(&ExportTarget::Position(number));
                    let file = positions.get(&(number as u8)).copied();
                    let name = format!("position {number}");
                    self.targets.positions[number] = self.vectors(host, name, file, used, count)?;
                }
                for number in 0..PARAMETERS {
                    let used = uses.exports.contains(&ExportTarget::Parameter(number));
                    let file = parameters.get(&(number as u8)).copied();
                    let name = format!("parameter {number}");
                    self.targets.parameters[number] = self.vectors(host, name, file, used, count)?;
                }
            }
        }
        Ok(())
    }

    /// Memory for the vectors of an export.
    fn vectors(
        &mut self,
        host: &dyn Host,
        name: String,
        file: Option<&FileSpec>,
        used: bool,
        count: u32,
    ) -> Result<Option<Region>, Failure> {
        if file.is_none() && !used {
            return Ok(None);
        }
        let length = count.checked_mul(VECTOR_BYTES).ok_or_else(|| {
            Message::error(format!("{count} vertices export more than there is memory")).help("use fewer vertices")
        })?;
        Ok(Some(Region { base: self.memory.add_rows(host, name, file, count, VECTOR_BYTES / 4)?, length }))
    }

    /// Memory of which every lane has an item, and the files that are to receive it.
    fn items(&mut self, host: &dyn Host, r700: &R700Args) -> Result<(), Failure> {
        for StreamFile { number, items } in &r700.streams {
            let placed = self.place_items(host, format!("stream {number}"), items)?;
            if self.streams[usize::from(*number)].replace(placed).is_some() {
                return Err(Failure::Usage(Message::error(format!("stream {number} is given twice"))));
            }
        }
        self.ring = r700.ring.as_ref().map(|items| self.place_items(host, "ring".into(), items)).transpose()?;
        self.strips = r700.strips.as_ref().map(|items| self.place_items(host, "strips".into(), items)).transpose()?;
        Ok(())
    }

    fn place_items(&mut self, host: &dyn Host, name: String, items: &ItemsFile) -> Result<Items, Failure> {
        let Extent { width, height } = self.extent();
        let count = width * height;
        let length = u32::try_from(4 * u64::from(count) * u64::from(items.dwords)).map_err(|_| {
            let message = format!("{count} items of {} dwords are more than there is memory", items.dwords);
            Message::error(message).help("use smaller items, or fewer vertices")
        })?;
        let base = self.memory.add_rows(host, name, Some(&items.file), count, items.dwords)?;
        Ok(Items { region: Region { base, length }, item_dwords: items.dwords })
    }

    /// Textures, samplers, buffers and constants.
    fn resources(&mut self, host: &dyn Host, args: &RunArgs, r700: &R700Args) -> Result<(), Failure> {
        let inputs = args.numbered_inputs();
        for (&number, source) in &once_each("input", &inputs, usize::from(u8::MAX) + 1)? {
            let texture = match source {
                InputSource::File(file) => texture::load(host, &mut self.memory, file)?,
                InputSource::Made(generator) => {
                    let size @ Extent { width, height } = self.extent();
                    Texture::flat(width, height, self.memory.make(*generator, size)?.0)
                }
                InputSource::Output(output) => {
                    let colour = self.targets.colours.get(usize::from(*output));
                    let colour = colour.ok_or_else(|| not_an_output(*output, COLOURS))?;
                    let surface: Surface = colour.ok_or_else(|| no_such_output(number, *output))?;
                    let Extent { width, height } = self.extent();
                    Texture::flat(width.min(surface.pitch), height.min(surface.height), surface)
                }
            };
            self.bindings.textures.insert(number, texture);
        }
        for Numbered { number, value } in &args.numbered_mips() {
            let Some(texture) = self.bindings.textures.get_mut(number) else {
                let message = format!("texture {number} has a further level, but no first one");
                return Err(Failure::Usage(
                    Message::error(message).help(format!("give it with --input {number}=FILE")),
                ));
            };
            texture::load_level(host, &mut self.memory, *number, texture, value)?;
        }
        for (&number, value) in &once_each("sampler", &r700.samplers, usize::from(u8::MAX) + 1)? {
            self.bindings.samplers.insert(number, value.0);
        }
        for (&number, BufferFile { path, stride, format }) in &once_each("buffer", &fetch_buffers(args)?, 256)? {
            let (bytes, row) = files::read_buffer(host, path).map_err(Message::from)?;
            let row = row.and_then(|row| u32::try_from(row).ok()).unwrap_or(VECTOR_BYTES);
            let region = Region { base: self.memory.add_bytes(&bytes)?, length: bytes.len() as u32 };
            let buffer = VertexBuffer { region, stride: stride.unwrap_or(row), format: *format, ..Default::default() };
            self.bindings.buffers.insert(number, buffer);
        }
        for (&bank, path) in &once_each("constant buffer", &r700.kcaches, KCACHE_BANKS)? {
            let rows = files::read_vectors(host, path, BANK_VECTORS).map_err(Message::from)?;
            self.bindings.kcache[usize::from(bank)] = Some(self.add_rows(&rows)?);
        }
        let constants = float_constants(host, args, CONSTANTS)?;
        let count = constants.last_key_value().map_or(0, |(&last, _)| usize::from(last) + 1);
        self.bindings.constants = vec![[0; 4]; count];
        for (number, value) in constants {
            self.bindings.constants[usize::from(number)] = value;
        }
        Ok(())
    }

    /// Width and height of the domain; vertices lie in one row.
    fn extent(&self) -> Extent {
        match self.lanes {
            Lanes::Area(domain) => Extent { width: domain.i1 + 1, height: domain.j1 + 1 },
            Lanes::Line(count) => Extent { width: count, height: 1 },
        }
    }

    fn add_rows(&mut self, rows: &[[u32; 4]]) -> Result<Region, Failure> {
        let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Region { base: self.memory.add_bytes(&bytes)?, length: bytes.len() as u32 })
    }
}

/// Compares what the programs read and write with what the command line gives. A missing resource is an error.
fn report_differences(args: &RunArgs, r700: &R700Args, uses: [&Uses; 2], console: &mut Console) -> Result<(), Failure> {
    if uses.iter().any(|uses| uses.of_other_stage != Default::default()) {
        let message = "the program uses resources of the other stage (ALT_CONST), which 'ctm run' does not give";
        return Err(Message::error(message).help("run it from a program with the library").into());
    }
    let named =
        |of: fn(&Uses) -> &BTreeSet<u8>| -> BTreeSet<u8> { uses.iter().flat_map(|uses| of(uses)).copied().collect() };
    let textures = named(|uses| &uses.of_stage.textures);
    let buffers = named(|uses| &uses.of_stage.buffers);
    let banks = named(|uses| &uses.of_stage.banks);
    let given = |numbers: Vec<u8>| numbers.into_iter().collect::<BTreeSet<u8>>();
    let given_textures = given(args.numbered_inputs().iter().map(|input| input.number).collect());
    let given_buffers = given(fetch_buffers(args)?.iter().map(|buffer| buffer.number).collect());
    let given_banks = given(r700.kcaches.iter().map(|bank| bank.number).collect());
    let mut missing = Vec::new();
    for (what, option, wanted, given) in [
        ("texture resource", "--input", &textures, &given_textures),
        ("fetch buffer", "--buffer", &buffers, &given_buffers),
        ("constant buffer", "--kcache", &banks, &given_banks),
    ] {
        missing.extend(wanted.difference(given).map(|number| {
            Message::error(format!("the program reads {what} {number}, but nothing is given for it"))
                .help(format!("add {option} {number}=FILE"))
        }));
        unused(what, "read", given, |number| wanted.contains(&number), console);
    }
    let samplers = named(|uses| &uses.of_stage.samplers);
    let given = r700.samplers.iter().map(|sampler| &sampler.number);
    unused("sampler", "use", given, |number| samplers.contains(&number), console);
    let is_output = |number: u8| {
        let has_file =
            args.outputs.iter().any(|output| output.number == number) || number == 0 && args.output0.is_some();
        has_file || uses[0].exports.contains(&ExportTarget::Colour(number.into()))
    };
    unused(
        "the format of output",
        "write",
        args.output_formats.iter().map(|format| &format.number),
        is_output,
        console,
    );
    let reads_flow_constants = uses.iter().any(|uses| uses.flow_constants);
    let loops = r700.loop_constants.iter().map(|constant| &constant.number);
    unused("loop constant", "read", loops, |_| reads_flow_constants, console);
    let counts: BTreeSet<u8> = uses.iter().flat_map(|uses| &uses.loop_constants).copied().collect();
    let without: Vec<String> = (counts.iter())
        .filter(|&&number| !r700.loop_constants.iter().any(|given| given.number == number))
        .map(u8::to_string)
        .collect();
    if let Some(first) = without.first() {
        let message = format!(
            "loops count with loop constant {}, which has no value and is taken as 4095 passes",
            without.join(", ")
        );
        let help = format!("give the value with --loop-const {first}=COUNT,INIT,STEP");
        console.report(&Message::warning(message).help(help));
    }
    let bools = r700.bool_constants.iter().map(|constant| &constant.number);
    unused("boolean constant", "read", bools, |_| reads_flow_constants, console);
    let reads_constants = uses.iter().any(|uses| uses.constant_file);
    let uniforms: Vec<u8> = numbered_uniforms(&args.frames, CONSTANTS)?.into_keys().collect();
    let given = args.floats.iter().map(|constant| &constant.number).chain(&uniforms);
    unused("constant", "read", given, |_| reads_constants, console);
    if !missing.is_empty() {
        return Err(Failure::Input(missing));
    }
    let has_constants = args.consts.is_some() || !args.floats.is_empty() || !args.frames.uniforms.is_empty();
    if uses[0].constant_file && !has_constants {
        let message = "the program reads the constant file, which has no values and is taken as 0";
        console.report(&Message::warning(message).help("give values with --const N=R,G,B,A or --consts FILE"));
    }
    let pixels = args.outputs.iter().map(|output| (ExportTarget::Colour(output.number.into()), &output.value));
    let pixels = pixels
        .chain(args.output0.iter().map(|file| (ExportTarget::Colour(0), file)))
        .chain(args.depth_output.iter().map(|file| (ExportTarget::Depth, file)));
    let positions = r700.positions.iter().map(|out| (ExportTarget::Position(out.number.into()), &out.value));
    let parameters = r700.parameters.iter().map(|out| (ExportTarget::Parameter(out.number.into()), &out.value));
    let files: Vec<_> = pixels.chain(positions).chain(parameters).collect();
    for (target, file) in &files {
        if !uses[0].exports.contains(target) {
            let message =
                format!("nothing is exported to '{}'; it receives what was there before", file.path.display());
            console.report(&Message::warning(message));
        }
    }
    let domain = args.domain.unwrap_or(DEFAULT_DOMAIN);
    for (target, file) in &files {
        if let ExportTarget::Colour(number) = target
            && let Some(message) = cut_output(*number as u8, file, domain)
        {
            console.report(&message);
        }
    }
    Ok(())
}
