//! A program over the pixels of a picture: its memory, its runs, and what they left.

use crate::scene::{Pattern, Scene, set_uniforms};
use crate::source::ReadProgram;
use ctm_array::{Array, ContentError, Data};
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
use ctm_x1k::{InterpolantVertex, Interpolants, WriteMode};
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
    /// The program writes no output.
    #[error("the program writes no output, so there is nothing to see: write out[0] of X1K, or export PIX0 of R700")]
    NoOutput,
    /// The program has no intermediate form.
    #[error("the reference runs the program, which has no intermediate form: {0}")]
    NotLifted(String),
    /// An array fits no surface.
    #[error(transparent)]
    Array(#[from] ContentError),
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

/// The memory of a picture, with its inputs filled.
pub struct Canvas {
    domain: Domain,
    space: Space,
    inputs: BTreeMap<u8, Surface>,
    sizes: BTreeMap<u8, [u32; 2]>,
    outputs: BTreeMap<u8, Surface>,
    scene: Scene,
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
    /// Memory for a picture of this scene by this program. `pictures` are the inputs that somebody gave.
    ///
    /// # Errors
    /// The picture is empty or too large, or the program makes none.
    pub fn new(source: &ReadProgram, scene: Scene, pictures: &BTreeMap<u8, Array>) -> Result<Self, CanvasError> {
        let domain = Domain::of_size(scene.width, scene.height).ok_or(CanvasError::Empty)?;
        let format = match &source.program {
            Program::X1k(program) if program.info.write_mode == WriteMode::Umrt => Format::Float32_1,
            Program::X1k(_) | Program::R700(_) => Format::Float32_4,
            Program::Sm50(_) | Program::Pvs(_) => return Err(CanvasError::Machine),
        };
        let (inputs, sizes, outputs) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut canvas = Canvas { domain, space: Space::default(), inputs, sizes, outputs, scene };
        for number in source.program.inputs() {
            let pattern = canvas.scene.inputs.get(&number).copied().unwrap_or_default();
            let made = || pattern.array(canvas.scene.width, canvas.scene.height);
            let given = pictures.get(&number).filter(|_| pattern == Pattern::Picture).cloned();
            let mut array = given.unwrap_or_else(made);
            if source.interface.as_ref().is_some_and(|interface| interface.is_bottom_up) {
                array.flip_rows();
            }
            let surface = canvas.place(ctm_array::surface_for(&array, Tiling::Linear)?)?;
            ctm_array::upload(&array, &canvas.space, surface)?;
            canvas.inputs.insert(number, surface);
            canvas.sizes.insert(number, [array.shape.width as u32, array.shape.height as u32]);
        }
        for number in source.program.outputs() {
            let (width, height) = (canvas.scene.width as usize, canvas.scene.height as usize);
            let surface = canvas.place(ctm_array::surface(width, height, format, Tiling::Linear)?)?;
            canvas.outputs.insert(number, surface);
        }
        if canvas.outputs.is_empty() { Err(CanvasError::NoOutput) } else { Ok(canvas) }
    }

    fn place(&mut self, surface: Surface) -> Result<Surface, CanvasError> {
        Ok(Surface { base: self.space.append(surface.bytes())?, ..surface })
    }

    fn job<'a>(&'a self, source: &'a ReadProgram, domain: Domain) -> Result<Job<'a>, CanvasError> {
        match &source.program {
            Program::X1k(program) => {
                let mut job = ctm_x1k::Job::new(program, domain, &self.space);
                for (&number, &surface) in &self.inputs {
                    job.inputs[usize::from(number)] = Some(surface);
                }
                for (&number, &surface) in &self.outputs {
                    job.outputs[usize::from(number)] = Some(surface);
                }
                for (&number, value) in &self.scene.constants {
                    job.constants.floats[usize::from(number)] = value.map(f32::to_bits);
                }
                if let Some(interface) = &source.interface {
                    set_uniforms(interface, &self.scene, &self.sizes, &mut job.constants);
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
                for (&number, &surface) in &self.inputs {
                    let [width, height] = self.sizes[&number];
                    bindings.textures.insert(number, Texture::flat(width, height, surface));
                }
                if let Some((&last, _)) = self.scene.constants.last_key_value() {
                    bindings.constants.resize(usize::from(last) + 1, [0; 4]);
                }
                for (&number, value) in &self.scene.constants {
                    bindings.constants[usize::from(number)] = value.map(f32::to_bits);
                }
                job.bindings = bindings;
                for (&number, &surface) in &self.outputs {
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

    /// Runs the program for all pixels.
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
        self.execute(source, executor, &options, self.domain)
    }

    /// Runs the program for the pixels of some rows that are in the picture.
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
        self.execute(source, executor, &options, Domain { j0: rows.start, j1: rows.end - 1, ..self.domain })
    }

    fn execute(
        &self,
        source: &ReadProgram,
        executor: &Executor,
        options: &RunOptions<'_>,
        domain: Domain,
    ) -> Result<RunStats, CanvasError> {
        Ok(match self.job(source, domain)? {
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
        Ok(match self.job(source, self.tile(x, y))? {
            Job::X1k(job) => ctm_x1k::reference::run_observed(&job, &options, (x, y), observer)?,
            Job::R700(job) => ctm_r700::reference::run_observed(&job, &options, (x, y), observer)?,
        })
    }

    /// A debugger session over the same lanes, which are one group.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn session(&self, source: &ReadProgram, (x, y): (u32, u32)) -> Result<Session, CanvasError> {
        let options = RunOptions::default();
        Ok(match self.job(source, self.tile(x, y))? {
            Job::X1k(job) => ctm_x1k::debug::session(&job, &options, ctm_x1k::debug::listing(job.program), (x, y))?,
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
        let stages = match self.job(source, self.domain)? {
            Job::X1k(job) => {
                ctm_x1k::engine::stages(&job, &RunOptions::default(), &effort).map_err(|error| error.to_string())
            }
            Job::R700(job) => ctm_r700::engine::stages(&job, false, &effort).map_err(|error| error.to_string()),
        };
        stages.map_err(CanvasError::NotLifted)
    }

    /// The numbers of its outputs.
    pub fn outputs(&self) -> impl Iterator<Item = u8> {
        self.outputs.keys().copied()
    }

    /// What an output holds.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output(&self, number: u8) -> Result<Array, CanvasError> {
        let surface = self.outputs.get(&number).copied().ok_or(CanvasError::NoOutput)?;
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
