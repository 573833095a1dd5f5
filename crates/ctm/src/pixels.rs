//! Programs over rectangles of lanes: what is to run.

use crate::kernel::{Guest, Kernel, Parts};
use crate::{Engine, Error, Machine, Mapped, Program, Texture};
use ctm_array::Array;
use ctm_lane::domain::Domain;
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_r700::{COLOURS, Stage};
use ctm_x1k::WriteMode;
use std::collections::{BTreeMap, BTreeSet};

/// A program of X1K or R700, to be run for every position (i, j) of a rectangle, with its inputs, outputs and constants.
///
/// The position is where the program wants it: in the register that an X1K program names, in R0.xy of an R700 pixel shader.
/// Inputs are read by lookups; of R700 they are textures, with samplers that take the nearest texel and continue the edge.
#[derive(Clone, Debug)]
pub struct Pixels {
    program: Program,
    size: (u32, u32),
    origin: [u32; 2],
    inputs: BTreeMap<u8, Source>,
    outputs: BTreeMap<u8, Format>,
    constants: BTreeMap<u8, [f32; 4]>,
}

/// Where an input comes from.
#[derive(Clone, Debug)]
enum Source {
    Array(Array),
    Mapped(Mapped),
    Texture(Texture),
}

impl Pixels {
    /// A run over `width` x `height` positions from (0, 0).
    pub fn new(program: Program, width: u32, height: u32) -> Self {
        let (inputs, outputs, constants) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Pixels { program, size: (width, height), origin: [0; 2], inputs, outputs, constants }
    }

    /// The position of the first lane, instead of (0, 0): the run is a part of a larger one. Arrays have the size of the part all the same,
    /// and lookups that the program makes at its position are beside them.
    pub fn origin(mut self, x: u32, y: u32) -> Self {
        self.origin = [x, y];
        self
    }

    /// The array that the program reads as this input.
    pub fn input(mut self, number: u8, array: Array) -> Self {
        self.inputs.insert(number, Source::Array(array));
        self
    }

    /// An array that the program reads as this input where it lies. One whose rows do not follow each other is copied, so that lookups right
    /// of it find its edge.
    pub fn mapped(mut self, number: u8, array: Mapped) -> Self {
        self.inputs.insert(number, Source::Mapped(array));
        self
    }

    /// What the program, one of X1K, samples as this input.
    pub fn texture(mut self, number: u8, texture: Texture) -> Self {
        self.inputs.insert(number, Source::Texture(texture));
        self
    }

    /// The format of an output. Outputs that the program writes and that are not named here are FLOAT32_4; those of X1K
    /// programs with uncached writes (UMRT) are FLOAT32_1. All have the size of the domain.
    pub fn output(mut self, number: u8, format: Format) -> Self {
        self.outputs.insert(number, format);
        self
    }

    /// The value of a float constant, instead of the one that the program carries. Constants without a value are 0.
    pub fn constant(mut self, number: u8, value: [f32; 4]) -> Self {
        self.constants.insert(number, value);
        self
    }

    /// Compiles the program for these inputs and outputs, and fills the inputs.
    ///
    /// # Errors
    /// The program does not run so: it is one of SM50 or no pixel shader, the machine refuses it, an input is missing, or
    /// there is no memory.
    pub fn compile(self, engine: &Engine) -> Result<Kernel, Error> {
        let (inputs, outputs) = self.limits()?;
        numbers("input", self.inputs.keys(), inputs)?;
        numbers("output", self.outputs.keys(), outputs)?;
        let (width, height) = self.size;
        let domain = Domain::of_size(width, height).ok_or(ctm_array::ContentError::Empty)?;
        let mut parts = Parts {
            domain,
            origin: self.origin,
            space: Space::default(),
            inputs: BTreeMap::new(),
            samplers: BTreeMap::new(),
            outputs: BTreeMap::new(),
            constants: self.constants,
        };
        for (number, source) in self.inputs {
            let array = match source {
                Source::Mapped(array) if array.pitch() == array.shape().width => {
                    parts.inputs.insert(number, (array.place(&mut parts.space)?, array.shape()));
                    continue;
                }
                Source::Texture(texture) => {
                    if self.program.machine() != Machine::X1k {
                        let wanted =
                            "`Texture` is one of X1K; `Engine::run` runs an `r700::Job`, which has textures of its own";
                        return Err(Error::Machine { machine: self.program.machine(), wanted });
                    }
                    let (surface, shape, sampler) = texture.place(number, &mut parts.space)?;
                    parts.inputs.insert(number, (surface, shape));
                    parts.samplers.insert(number, sampler);
                    continue;
                }
                Source::Mapped(array) => array.to_array()?,
                Source::Array(array) => array,
            };
            let surface = place(&mut parts.space, ctm_array::surface_for(&array, Tiling::Linear)?)?;
            ctm_array::upload(&array, &parts.space, surface)?;
            parts.inputs.insert(number, (surface, array.shape));
        }
        let default = default_format(&self.program);
        for number in self.program.outputs().into_iter().chain(self.outputs.keys().copied()).collect::<BTreeSet<u8>>() {
            let format = self.outputs.get(&number).copied().unwrap_or(default);
            let surface = ctm_array::surface(width as usize, height as usize, format, Tiling::Linear)?;
            parts.outputs.insert(number, place(&mut parts.space, surface)?);
        }
        Ok(Kernel { guest: Guest::compile(self.program, &parts, engine)?, parts, engine: engine.clone() })
    }

    /// How many inputs and outputs there can be, if the program runs over rectangles at all.
    fn limits(&self) -> Result<(usize, usize), Error> {
        self.program.require_no_errors()?;
        match &self.program {
            Program::X1k(_) => Ok((ctm_x1k::INPUTS, ctm_x1k::OUTPUTS)),
            Program::R700(program) if program.info.stage != Stage::Pixel => Err(Error::Stage(program.info.stage)),
            Program::R700(_) => Ok((usize::from(u8::MAX) + 1, COLOURS)),
            Program::Sm50(_) => {
                let wanted = "compute code runs in `Threads`, the stages of a pipeline in `Engine::draw`";
                Err(Error::Machine { machine: self.program.machine(), wanted })
            }
        }
    }
}

fn numbers<'n>(what: &'static str, given: impl Iterator<Item = &'n u8>, limit: usize) -> Result<(), Error> {
    match given.copied().find(|&number| usize::from(number) >= limit) {
        Some(number) => Err(Error::Number { what, number, limit }),
        None => Ok(()),
    }
}

/// Gives a surface memory of its own.
fn place(space: &mut Space, surface: Surface) -> Result<Surface, Error> {
    Ok(Surface { base: space.append(surface.bytes())?, ..surface })
}

/// The format of the outputs that a program writes, unless another is given.
fn default_format(program: &Program) -> Format {
    match program {
        Program::X1k(program) if program.info.write_mode == WriteMode::Umrt => Format::Float32_1,
        Program::X1k(_) | Program::R700(_) | Program::Sm50(_) => Format::Float32_4,
    }
}
