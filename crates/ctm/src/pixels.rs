//! Programs over rectangles of lanes: what is to run.

use crate::kernel::{DebugSource, Guest, Kernel, Parts};
use crate::uniforms::Uniforms;
use crate::{Engine, Error, Machine, Mapped, Program, ProgramUse, Texture};
use ctm_array::{Array, Shape};
use ctm_lane::domain::Domain;
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_r700::{COLOURS, Stage};
use ctm_x1k::sampler::{TextureKind, TextureShape};
use ctm_x1k::{INTERPOLANTS, InterpolantVertex, Interpolants, WriteMode};
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
    uniforms: Option<Uniforms>,
    varyings: BTreeMap<u8, Corners>,
    source: DebugSource,
}

/// The values of an interpolated input at three corners of the domain: top left, top right and bottom left.
type Corners = [[f32; 4]; 3];

/// What interpolated inputs are that nobody gives: from 0 to 1.
const UV: Corners = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];

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
        let (size, origin, varyings) = ((width, height), [0; 2], BTreeMap::new());
        let source = DebugSource::default();
        Pixels { program, size, origin, inputs, outputs, constants, uniforms: None, varyings, source }
    }

    /// The same with the uniforms of the shader that the program was compiled from.
    pub(crate) fn with_uniforms(self, uniforms: Uniforms) -> Self {
        Pixels { uniforms: Some(uniforms), ..self }
    }

    /// The same with what a debugger knows of the source.
    pub(crate) fn with_source(self, source: DebugSource) -> Self {
        Pixels { source, ..self }
    }

    /// The value of a uniform of a shader, by its name: a number for each channel, column and element, or one for all.
    ///
    /// # Errors
    /// There is no such uniform, or it has another number of numbers, or the program was not compiled from a shader.
    pub fn uniform(mut self, name: &str, values: &[f32]) -> Result<Self, Error> {
        self.uniforms.as_mut().ok_or(Error::NoNames)?.give(name, values)?;
        Ok(self)
    }

    /// The time of the picture in seconds, for uniforms of a shader that are called as a time or a frame is (60 frames in a second).
    pub fn time(mut self, seconds: f32) -> Self {
        self.uniforms.iter_mut().for_each(|uniforms| uniforms.set_time(seconds));
        self
    }

    /// Column and row of the mouse, and of the last press of its button, for uniforms of a shader that are called so.
    pub fn mouse(mut self, mouse: [f32; 4]) -> Self {
        self.uniforms.iter_mut().for_each(|uniforms| uniforms.set_mouse(mouse));
        self
    }

    /// The values of an interpolated input at three corners of the domain: top left, top right and bottom left. Inputs that nobody gives go
    /// from 0 to 1: (0, 0, 0, 1), (1, 0, 0, 1) and (0, 1, 0, 1).
    pub fn varying(mut self, slot: u8, corners: [[f32; 4]; 3]) -> Self {
        self.varyings.insert(slot, corners);
        self
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
        let interpolants = self.interpolants()?;
        let mut parts = Parts {
            uniforms: self.uniforms,
            source: self.source,
            textures: BTreeMap::new(),
            interpolants,
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
                    parts.textures.insert(number, flat(array.shape()));
                    continue;
                }
                Source::Texture(texture) => {
                    if self.program.machine() != Machine::X1k {
                        let wanted = ProgramUse::Texture;
                        return Err(Error::Machine { machine: self.program.machine(), wanted });
                    }
                    let (surface, shape, sampler) = texture.place(number, &mut parts.space)?;
                    parts.inputs.insert(number, (surface, shape));
                    parts.textures.insert(number, sampler.shape);
                    parts.samplers.insert(number, sampler);
                    continue;
                }
                Source::Mapped(array) => array.to_array()?,
                Source::Array(array) => array,
            };
            let surface = place(&mut parts.space, ctm_array::surface_for(&array, Tiling::Linear)?)?;
            ctm_array::upload(&array, &parts.space, surface)?;
            parts.inputs.insert(number, (surface, array.shape));
            parts.textures.insert(number, flat(array.shape));
        }
        let default = default_format(&self.program);
        for number in self.program.outputs().into_iter().chain(self.outputs.keys().copied()).collect::<BTreeSet<u8>>() {
            let format = self.outputs.get(&number).copied().unwrap_or(default);
            let surface = ctm_array::surface(width as usize, height as usize, format, Tiling::Linear)?;
            parts.outputs.insert(number, place(&mut parts.space, surface)?);
        }
        Ok(Kernel { guest: Guest::compile(self.program, &parts, engine)?, parts, engine: engine.clone() })
    }

    /// The interpolated inputs of a program that takes some.
    fn interpolants(&self) -> Result<Option<Interpolants>, Error> {
        let takes = match &self.program {
            Program::X1k(program) => program.info.takes_interpolants(),
            Program::R700(_) | Program::Sm50(_) | Program::Pvs(_) => false,
        };
        numbers("interpolated input", self.varyings.keys(), if takes { INTERPOLANTS } else { 0 })?;
        let (width, height) = (self.size.0 as f32, self.size.1 as f32);
        let places = [[0.0, 0.0], [width, 0.0], [0.0, height]];
        let value = |slot: usize| self.varyings.get(&(slot as u8)).copied().unwrap_or(UV);
        let vertices = std::array::from_fn(|corner| InterpolantVertex {
            position: places[corner],
            values: std::array::from_fn(|slot| value(slot)[corner]),
        });
        Ok(takes.then(|| Interpolants::through(&vertices)).transpose()?)
    }

    /// How many inputs and outputs there can be, if the program runs over rectangles at all.
    fn limits(&self) -> Result<(usize, usize), Error> {
        self.program.require_no_errors()?;
        match &self.program {
            Program::X1k(_) => Ok((ctm_x1k::INPUTS, ctm_x1k::OUTPUTS)),
            Program::R700(program) if program.info.stage != Stage::Pixel => Err(Error::Stage(program.info.stage)),
            Program::R700(_) => Ok((usize::from(u8::MAX) + 1, COLOURS)),
            Program::Sm50(_) => {
                let wanted = ProgramUse::Pixels;
                Err(Error::Machine { machine: self.program.machine(), wanted })
            }
            Program::Pvs(_) => Err(Error::Machine { machine: self.program.machine(), wanted: ProgramUse::Pixels }),
        }
    }
}

/// A picture without levels.
fn flat(shape: Shape) -> TextureShape {
    TextureShape { kind: TextureKind::Flat, size: [shape.width as u32, shape.height as u32, 1], last_level: 0 }
}

fn numbers<'n>(what: &'static str, given: impl Iterator<Item = &'n u8>, limit: usize) -> Result<(), Error> {
    match given.copied().find(|&number| usize::from(number) >= limit) {
        Some(number) if limit == 0 => Err(Error::TakesNone { what, number }),
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
        Program::X1k(_) | Program::R700(_) | Program::Sm50(_) | Program::Pvs(_) => Format::Float32_4,
    }
}
