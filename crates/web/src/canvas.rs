//! A program over the pixels of a picture: its memory, its runs, and what they left.

use crate::scene::{InputContent, Pattern, Scene, set_uniforms};
use crate::source::ReadProgram;
use ctm_array::{Array, ContentError, Data};
use ctm_compile::{Variable, session_variables};
use ctm_debug::Session;
use ctm_engine::{Executor, Stages};
use ctm_follow::Observer;
use ctm_gpu::Program;
use ctm_lane::budget::{Halt, Limits};
use ctm_lane::counts::InstructionCounts;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{AppendError, Format, RangeError, Space, Surface, Tiling};
use ctm_num::convert::f32_to_unorm8;
use ctm_r700::{Bindings, Input, Texture};
use ctm_x1k::{FrameBuffer, InterpolantVertex, Interpolants, WriteMode};
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

/// Columns and rows of the lanes that run together in a debugger.
pub const TILE: u32 = 8;
/// Bands of each part of a picture.
const BANDS: u64 = 4;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum CanvasError {
    /// The picture has no pixels.
    #[error("the picture has no pixels: give it a width and a height")]
    Empty,
    /// The program makes no picture.
    #[error("the program is one of SM50, which makes no picture")]
    Machine,
    /// A buffer is not a program of X1K.
    #[error("only shaders and programs of X1K have buffers")]
    BufferMachine,
    /// An input reads a buffer that there is not.
    #[error("input {input} reads the buffer '{name}', which does not exist: choose another one, or a pattern")]
    NoBuffer {
        /// The input.
        input: u8,
        /// The buffer.
        name: String,
    },
    /// The program writes no output.
    #[error("the program writes no output, so there is nothing to see: write out[0] of X1K, or export PIX0 of R700")]
    NoOutput,
    /// The program has no intermediate form.
    #[error("the reference runs the program, which has no intermediate form: {0}")]
    NotLifted(String),
    /// An array fits no surface.
    #[error(transparent)]
    Array(#[from] ContentError),
    /// The program of a buffer did not run.
    #[error("the buffer {name}: {error}")]
    Buffer {
        /// Its name.
        name: String,
        /// Why.
        error: Box<CanvasError>,
    },
    /// There is no memory.
    #[error(transparent)]
    Memory(#[from] AppendError),
    /// A surface is outside of memory.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A limit does not let the run begin.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// The run did not complete.
    #[error(transparent)]
    X1k(#[from] ctm_x1k::RunError),
    /// The lanes of a tile cannot be looked at.
    #[error(transparent)]
    DebugX1k(#[from] ctm_x1k::debug::DebugError),
    /// The lanes of a tile cannot be looked at.
    #[error(transparent)]
    DebugR700(#[from] ctm_r700::debug::DebugError),
    /// The run did not complete.
    #[error(transparent)]
    R700(#[from] ctm_r700::RunError),
}

/// A program that makes a buffer or the picture.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// The name of the buffer; none of the picture.
    pub buffer: Option<&'a str>,
    /// The program.
    pub source: &'a ReadProgram,
}

/// Pictures that users gave to inputs: of a buffer with this name, or of the picture.
pub type GivenPictures = BTreeMap<(Option<String>, u8), Array>;

/// The memory of a picture and of the buffers that are made before it.
pub struct Canvas {
    domain: Domain,
    space: Space,
    /// In the order in which they run: the buffers, then the picture.
    passes: Vec<PassMemory>,
    buffers: Vec<FrameBuffer>,
    /// The pass that is looked at.
    shown: usize,
    /// The frame that the buffers are at.
    frame: u32,
    scene: Scene,
}

/// What a pass reads and writes.
#[derive(Default)]
struct PassMemory {
    inputs: BTreeMap<u8, Surface>,
    /// Inputs that are buffers, by their places in the order in which they run.
    read: BTreeMap<u8, usize>,
    sizes: BTreeMap<u8, [u32; 2]>,
    /// Those of the picture; buffers have [`FrameBuffer`]s.
    outputs: BTreeMap<u8, Surface>,
}

/// What some rows of a picture show.
#[derive(Debug, PartialEq, Eq)]
pub struct CanvasPixels {
    /// Four bytes for each pixel.
    pub bytes: Vec<u8>,
    /// Whether alpha was 0 in all of them, or is not a channel, and is 255 here: it is that of a program that does not write it.
    pub is_opaque: bool,
}

/// A job of either machine.
enum Job<'a> {
    X1k(Box<ctm_x1k::Job<'a>>),
    R700(Box<ctm_r700::Job<'a>>),
}

impl Canvas {
    /// Memory for a picture of this scene by these programs, the last of which makes the picture and the others its buffers. The first frame is
    /// next.
    ///
    /// # Errors
    /// The picture is empty or too large, or a program makes none.
    pub fn new(passes: &[Pass<'_>], scene: Scene, pictures: &GivenPictures) -> Result<Self, CanvasError> {
        let domain = Domain::of_size(scene.width, scene.height).ok_or(CanvasError::Empty)?;
        let (space, memory, buffers, last) = (Space::default(), Vec::new(), Vec::new(), passes.len().saturating_sub(1));
        let mut canvas = Canvas { domain, space, passes: memory, buffers, shown: last, frame: 0, scene };
        for _ in 0..last {
            let pictures = [canvas.blank(Format::Float32_4)?, canvas.blank(Format::Float32_4)?];
            canvas.buffers.push(FrameBuffer(pictures));
        }
        for number in 0..passes.len() {
            let memory = canvas.memory_of(passes, number, pictures)?;
            canvas.passes.push(memory);
        }
        canvas.shown = canvas.shown_of(&canvas.scene);
        Ok(canvas)
    }

    /// Whether a picture of this scene can be the next frame.
    pub fn goes_on_with(&self, scene: &Scene) -> bool {
        !self.buffers.is_empty() && scene.follows(&self.scene)
    }

    /// Goes to the next frame.
    pub fn go_on_with(&mut self, scene: Scene) {
        self.frame = self.frame.wrapping_add(1);
        self.shown = self.shown_of(&scene);
        self.scene = scene;
    }

    fn shown_of(&self, scene: &Scene) -> usize {
        scene.shown.unwrap_or(usize::MAX).min(self.buffers.len())
    }

    /// The place of the pass that is looked at, in the order in which they run.
    pub fn shown_pass(&self) -> usize {
        self.shown
    }

    fn memory_of(
        &mut self,
        passes: &[Pass<'_>],
        number: usize,
        pictures: &GivenPictures,
    ) -> Result<PassMemory, CanvasError> {
        let Pass { buffer, source } = passes[number];
        let format = match &source.program {
            Program::X1k(program) if program.info.write_mode == WriteMode::Umrt => Format::Float32_1,
            Program::R700(_) if !self.buffers.is_empty() => return Err(CanvasError::BufferMachine),
            Program::X1k(_) | Program::R700(_) => Format::Float32_4,
            Program::Sm50(_) | Program::Pvs(_) => return Err(CanvasError::Machine),
        };
        if source.program.outputs().is_empty() {
            return Err(CanvasError::NoOutput);
        }
        let (width, height) = (self.scene.width, self.scene.height);
        let contents = self.scene.inputs_of(buffer.map(|_| number)).cloned().unwrap_or_default();
        let mut memory = PassMemory::default();
        for input in source.program.inputs() {
            match contents.get(&input).cloned().unwrap_or_default() {
                InputContent::Buffer { buffer: name } => {
                    let place = passes.iter().position(|pass| pass.buffer == Some(name.as_str()));
                    memory.read.insert(input, place.ok_or(CanvasError::NoBuffer { input, name })?);
                    memory.sizes.insert(input, [width, height]);
                }
                InputContent::Pattern(pattern) => {
                    let given = pictures.get(&(buffer.map(str::to_owned), input));
                    let given = given.filter(|_| pattern == Pattern::Picture).cloned();
                    let mut array = given.unwrap_or_else(|| pattern.array(width, height));
                    if source.interface.as_ref().is_some_and(|interface| interface.is_bottom_up) {
                        array.flip_rows();
                    }
                    let surface = self.place(ctm_array::surface_for(&array, Tiling::Linear)?)?;
                    ctm_array::upload(&array, &self.space, surface)?;
                    memory.inputs.insert(input, surface);
                    memory.sizes.insert(input, [array.shape.width as u32, array.shape.height as u32]);
                }
            }
        }
        if buffer.is_none() {
            for output in source.program.outputs() {
                memory.outputs.insert(output, self.blank(format)?);
            }
        }
        Ok(memory)
    }

    /// A surface of the size of the picture.
    fn blank(&mut self, format: Format) -> Result<Surface, CanvasError> {
        let (width, height) = (self.scene.width as usize, self.scene.height as usize);
        self.place(ctm_array::surface(width, height, format, Tiling::Linear)?)
    }

    fn place(&mut self, surface: Surface) -> Result<Surface, CanvasError> {
        Ok(Surface { base: self.space.append(surface.bytes())?, ..surface })
    }

    /// What a pass writes in this frame.
    fn outputs_of(&self, pass: usize) -> BTreeMap<u8, Surface> {
        match self.buffers.get(pass) {
            Some(buffer) => BTreeMap::from([(0, buffer.made(self.frame))]),
            None => self.passes[pass].outputs.clone(),
        }
    }

    fn job<'a>(&'a self, source: &'a ReadProgram, pass: usize, domain: Domain) -> Result<Job<'a>, CanvasError> {
        let memory = &self.passes[pass];
        match &source.program {
            Program::X1k(program) => {
                let mut job = ctm_x1k::Job::new(program, domain, &self.space);
                for (&number, &surface) in &memory.inputs {
                    job.inputs[usize::from(number)] = Some(surface);
                }
                for (&number, &buffer) in &memory.read {
                    job.inputs[usize::from(number)] = Some(self.buffers[buffer].read(self.frame, buffer < pass));
                }
                for (number, surface) in self.outputs_of(pass) {
                    job.outputs[usize::from(number)] = Some(surface);
                }
                for (&number, value) in &self.scene.constants {
                    job.constants.floats[usize::from(number)] = value.map(f32::to_bits);
                }
                if let Some(interface) = &source.interface {
                    let frame = (!self.buffers.is_empty()).then_some(self.frame);
                    set_uniforms(interface, &self.scene, frame, &memory.sizes, &mut job.constants);
                }
                if program.info.takes_interpolants() {
                    job.interpolants = self.interpolants();
                }
                Ok(Job::X1k(Box::new(job)))
            }
            Program::R700(program) => {
                let mut job = ctm_r700::Job::new(program, domain, &self.space);
                job.inputs.insert(0, Input::Position);
                let mut bindings = Bindings::default();
                for (&number, &surface) in &memory.inputs {
                    let [width, height] = memory.sizes[&number];
                    bindings.textures.insert(number, Texture::flat(width, height, surface));
                }
                if let Some((&last, _)) = self.scene.constants.last_key_value() {
                    bindings.constants.resize(usize::from(last) + 1, [0; 4]);
                }
                for (&number, value) in &self.scene.constants {
                    bindings.constants[usize::from(number)] = value.map(f32::to_bits);
                }
                job.bindings = bindings;
                for (number, surface) in self.outputs_of(pass) {
                    job.targets.colours[usize::from(number)] = Some(surface);
                }
                Ok(Job::R700(Box::new(job)))
            }
            Program::Sm50(_) | Program::Pvs(_) => Err(CanvasError::Machine),
        }
    }

    /// Interpolated inputs: where the pixel lies in the picture, from (0, 0) to (1, 1), with 0 and 1 after it.
    fn interpolants(&self) -> Option<Interpolants> {
        let (width, height) = (self.scene.width as f32, self.scene.height as f32);
        let vertex = |u: f32, v: f32| InterpolantVertex {
            position: [u * width, v * height],
            values: [[u, v, 0.0, 1.0]; ctm_x1k::INTERPOLANTS],
        };
        Interpolants::through(&[vertex(0.0, 0.0), vertex(1.0, 0.0), vertex(0.0, 1.0)]).ok()
    }

    /// Runs the programs of the buffers for all pixels, in their order.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_buffers(&self, passes: &[Pass<'_>], executor: &Executor, limits: &Limits) -> Result<(), CanvasError> {
        for (number, pass) in passes.iter().enumerate().take(self.buffers.len()) {
            let options = RunOptions { budget: limits.start(), threads: 1, ..RunOptions::default() };
            self.execute(pass.source, number, executor, &options, self.domain).map_err(|error| {
                let name = pass.buffer.unwrap_or_default().to_owned();
                CanvasError::Buffer { name, error: Box::new(error) }
            })?;
        }
        Ok(())
    }

    /// Runs the program that is looked at for all pixels.
    ///
    /// # Errors
    /// A lane traps, or a limit is reached.
    pub fn run(
        &self,
        source: &ReadProgram,
        executor: &Executor,
        limits: &Limits,
        counts: Option<&InstructionCounts>,
    ) -> Result<RunStats, CanvasError> {
        let options = RunOptions { budget: limits.start(), threads: 1, counts, ..RunOptions::default() };
        self.execute(source, self.shown, executor, &options, self.domain)
    }

    /// Runs the program that is looked at for the pixels of some rows that are in the picture.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_rows(
        &self,
        source: &ReadProgram,
        executor: &Executor,
        limits: &Limits,
        rows: Range<u32>,
    ) -> Result<RunStats, CanvasError> {
        let options = RunOptions { budget: limits.start(), threads: 1, ..RunOptions::default() };
        self.execute(source, self.shown, executor, &options, Domain { j0: rows.start, j1: rows.end - 1, ..self.domain })
    }

    fn execute(
        &self,
        source: &ReadProgram,
        pass: usize,
        executor: &Executor,
        options: &RunOptions<'_>,
        domain: Domain,
    ) -> Result<RunStats, CanvasError> {
        Ok(match self.job(source, pass, domain)? {
            Job::X1k(job) => executor.run(&*job, options)?,
            Job::R700(job) => executor.run(&*job, options)?,
        })
    }

    /// Counts of all pixels, for [`run`](Self::run).
    ///
    /// # Errors
    /// There is no memory.
    pub fn counts(&self, limits: &Limits) -> Result<InstructionCounts, CanvasError> {
        Ok(InstructionCounts::new(self.domain.into(), &limits.start())?)
    }

    /// Runs the tile of lanes around a pixel by the reference, and reports on the pixel's lane.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn follow(
        &self,
        source: &ReadProgram,
        (x, y): (u32, u32),
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Result<RunStats, CanvasError> {
        let options = RunOptions { budget: limits.start(), threads: 1, ..RunOptions::default() };
        Ok(match self.job(source, self.shown, self.tile(x, y))? {
            Job::X1k(job) => ctm_x1k::reference::run_observed(&job, &options, (x, y), observer)?,
            Job::R700(job) => ctm_r700::reference::run_observed(&job, &options, (x, y), observer)?,
        })
    }

    /// A debugger session over the same lanes, which are one group. `variables` are those of a shader.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn session(
        &self,
        source: &ReadProgram,
        variables: &[Variable],
        (x, y): (u32, u32),
    ) -> Result<Session, CanvasError> {
        let options = RunOptions::default();
        Ok(match self.job(source, self.shown, self.tile(x, y))? {
            Job::X1k(job) => {
                let mut listing = ctm_x1k::debug::listing(job.program);
                for (row, listed) in listing.rows.iter_mut().zip(&source.listing) {
                    row.line = Some((0, listed.line)).filter(|(_, line)| *line > 0);
                }
                let mut session = ctm_x1k::debug::session(&job, &options, listing, (x, y))?;
                if let Some(interface) = &source.interface {
                    let cells = session.guest().cells();
                    session.set_variables(session_variables(variables, interface, &job.constants, cells));
                }
                session
            }
            Job::R700(job) => {
                let listing = ctm_r700::debug::listing(job.program, None);
                ctm_r700::debug::session(&job, &options, listing, (x, y))?
            }
        })
    }

    /// The lanes that run together with that of a pixel.
    fn tile(&self, x: u32, y: u32) -> Domain {
        let (i0, j0) = (x / TILE * TILE, y / TILE * TILE);
        Domain { i0, j0, i1: (i0 + TILE - 1).min(self.domain.i1), j1: (j0 + TILE - 1).min(self.domain.j1) }
    }

    /// The forms of the program between text and machine code.
    ///
    /// # Errors
    /// It has none.
    pub fn stages(&self, source: &ReadProgram) -> Result<Stages, CanvasError> {
        let effort = Effort::default();
        let stages = match self.job(source, self.shown, self.domain)? {
            Job::X1k(job) => {
                ctm_x1k::engine::stages(&job, &RunOptions::default(), &effort).map_err(|error| error.to_string())
            }
            Job::R700(job) => ctm_r700::engine::stages(&job, false, &effort).map_err(|error| error.to_string()),
        };
        stages.map_err(CanvasError::NotLifted)
    }

    /// The numbers of the outputs of the program that is looked at.
    pub fn outputs(&self) -> impl Iterator<Item = u8> {
        self.outputs_of(self.shown).into_keys()
    }

    /// What an output holds.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output(&self, number: u8) -> Result<Array, CanvasError> {
        let surface = self.outputs_of(self.shown).get(&number).copied().ok_or(CanvasError::NoOutput)?;
        Ok(ctm_array::download(&self.space, surface, self.scene.width as usize, self.scene.height as usize)?)
    }

    /// What an output shows in some rows that are in the picture.
    ///
    /// # Errors
    /// There is no such output.
    pub fn shown(&self, number: u8, rows: &[Range<u32>]) -> Result<CanvasPixels, CanvasError> {
        let array = self.output(number)?;
        let (values, channels) = (array.data.to_f32(), array.shape.channels);
        let row = array.shape.width * channels;
        let values = rows.iter().flat_map(|rows| &values[rows.start as usize * row..rows.end as usize * row]);
        Ok(shown(&values.copied().collect::<Vec<_>>(), channels))
    }

    /// A number for the bits of all outputs: FNV-1a over their bytes, in the order of outputs, rows, columns and channels.
    ///
    /// # Errors
    /// There is no memory.
    pub fn hash(&self) -> Result<u64, CanvasError> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for number in self.outputs() {
            let array = self.output(number)?;
            let words: Vec<u32> = match &array.data {
                Data::F32(values) => values.clone(),
                Data::U8(values) => values.iter().map(|&value| value.into()).collect(),
                Data::U16(values) => values.iter().map(|&value| value.into()).collect(),
            };
            for byte in words.into_iter().flat_map(u32::to_le_bytes) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        Ok(hash)
    }
}

/// The rows of one of the parts in which several engines paint a picture of this height: bands of whole tiles of lanes, which parts take in
/// turns, so that they take about as long wherever most of the work is. Empty bands are left out.
pub fn bands(height: u32, part: u32, parts: u32) -> Vec<Range<u32>> {
    let parts = u64::from(parts);
    let turns = if parts == 1 { 1 } else { BANDS };
    let count = turns * parts;
    let edge = |band| if band == count { height } else { (u64::from(height) * band / count) as u32 / TILE * TILE };
    let bands = (0..turns).map(|turn| turn * parts + u64::from(part)).map(|band| edge(band)..edge(band + 1));
    bands.filter(|band| !band.is_empty()).collect()
}

/// What an array shows: four bytes for each element.
pub fn rgba(array: &Array) -> Vec<u8> {
    shown(&array.data.to_f32(), array.shape.channels).bytes
}

/// What values of so many channels show. One channel is gray.
fn shown(values: &[u32], channels: usize) -> CanvasPixels {
    let is_opaque = channels < 4 || values.chunks_exact(4).all(|pixel| pixel[3] == 0);
    let mut bytes = Vec::with_capacity(values.len() / channels * 4);
    for pixel in values.chunks_exact(channels) {
        let byte = |channel: usize| pixel.get(channel).map_or(0, |&bits| f32_to_unorm8(bits));
        let alpha = if is_opaque { u8::MAX } else { byte(3) };
        let gray = channels == 1;
        bytes.extend([byte(0), byte(if gray { 0 } else { 1 }), byte(if gray { 0 } else { 2 }), alpha]);
    }
    CanvasPixels { bytes, is_opaque }
}
