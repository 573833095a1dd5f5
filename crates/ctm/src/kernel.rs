//! Programs over rectangles of lanes: compiled, with their memory.

use crate::uniforms::Uniforms;
use crate::{Counts, Engine, Error, Mapped, Program, ProgramUse, listing};
use ctm_array::{Array, Shape};
use ctm_compile::{Variable, session_variables};
use ctm_debug::Session;
use ctm_engine::{Compiled, GuestJob};
use ctm_follow::Observer;
use ctm_lane::counts;
use ctm_lane::domain::Domain;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::{Space, Surface, Tiling};
use ctm_r700::{Input, Texture};
use ctm_x1k::sampler::TextureShape;
use ctm_x1k::{InputSampler, Interpolants};
use std::collections::BTreeMap;

/// A compiled program with its inputs and outputs, made by [`Pixels::compile`](crate::Pixels::compile). It runs as often as
/// wanted. Outputs are 0 at first, and keep what they hold from run to run.
pub struct Kernel {
    pub(crate) engine: Engine,
    pub(crate) parts: Parts,
    pub(crate) guest: Guest,
}

/// What a debugger knows of the source of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugSource {
    /// The line of each instruction, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// Where the variables are.
    pub variables: Vec<Variable>,
}

/// What a run depends on besides the program.
pub(crate) struct Parts {
    pub domain: Domain,
    pub origin: [u32; 2],
    pub space: Space,
    /// Surfaces, with the shapes of the arrays in them.
    pub inputs: BTreeMap<u8, (Surface, Shape)>,
    /// How inputs are sampled, of programs of X1K.
    pub samplers: BTreeMap<u8, InputSampler>,
    pub outputs: BTreeMap<u8, Surface>,
    /// Those that are given by their numbers.
    pub constants: BTreeMap<u8, [f32; 4]>,
    /// Those of a shader.
    pub uniforms: Option<Uniforms>,
    /// What a debugger knows of the source.
    pub source: DebugSource,
    /// What textures are, of a shader.
    pub textures: BTreeMap<u8, TextureShape>,
    /// Interpolated inputs, of programs of X1K.
    pub interpolants: Option<Interpolants>,
}

/// The compiled form of a job.
type Handle<J> = Compiled<<J as GuestJob>::Key, <J as GuestJob>::Kernels>;

/// A program as its machine runs it.
#[expect(clippy::large_enum_variant, reason = "a kernel has one, and is moved seldom")]
pub(crate) enum Guest {
    X1k(ctm_x1k::Program, Handle<ctm_x1k::Job<'static>>),
    R700(ctm_r700::Program, Handle<ctm_r700::Job<'static>>),
}

impl Guest {
    pub(crate) fn compile(program: Program, parts: &Parts, engine: &Engine) -> Result<Self, Error> {
        Ok(match program {
            Program::X1k(program) => {
                let handle = engine.executor().compile(&x1k_job(&program, parts))?;
                Guest::X1k(program, handle)
            }
            Program::R700(program) => {
                let handle = engine.executor().compile(&r700_job(&program, parts))?;
                Guest::R700(program, handle)
            }
            Program::Sm50(_) => {
                return Err(Error::Machine { machine: program.machine(), wanted: ProgramUse::Pixels });
            }
            Program::Pvs(_) => {
                return Err(Error::Machine { machine: program.machine(), wanted: ProgramUse::Pixels });
            }
        })
    }
}

impl Kernel {
    /// Runs the program for all lanes.
    ///
    /// # Errors
    /// A lane traps, or a limit of the engine is reached.
    pub fn run(&mut self) -> Result<RunStats, Error> {
        let options = self.engine.options();
        match &self.guest {
            Guest::X1k(program, handle) => Ok(handle.run(&x1k_job(program, &self.parts), &options)?),
            Guest::R700(program, handle) => Ok(handle.run(&r700_job(program, &self.parts), &options)?),
        }
    }

    /// Runs the program by the reference, to the same results, and reports on the lane at column i and row j.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn follow(&mut self, lane: (u32, u32), observer: &mut dyn Observer) -> Result<RunStats, Error> {
        let options = self.engine.options();
        match &self.guest {
            Guest::X1k(program, _) => {
                let job = x1k_job(program, &self.parts);
                Ok(ctm_x1k::reference::run_observed(&job, &options, lane, observer)?)
            }
            Guest::R700(program, _) => {
                let job = r700_job(program, &self.parts);
                Ok(ctm_r700::reference::run_observed(&job, &options, lane, observer)?)
            }
        }
    }

    /// A debugger's session over the group of the lane at column i and row j, on a copy of the kernel's memory: it goes in both directions, and has the
    /// variables of a shader that was compiled with [`ShaderOptions::variables`](crate::ShaderOptions::variables).
    ///
    /// # Errors
    /// There is no such lane, or no memory for the copy.
    pub fn debug(&self, lane: (u32, u32)) -> Result<Session, Error> {
        let options = self.engine.options();
        match &self.guest {
            Guest::X1k(program, _) => {
                let job = x1k_job(program, &self.parts);
                let mut listing = ctm_x1k::debug::listing(program);
                for (row, &line) in listing.rows.iter_mut().zip(&self.parts.source.lines) {
                    row.line = Some((0, line)).filter(|_| line > 0);
                }
                let mut session = ctm_x1k::debug::session(&job, &options, listing, lane)?;
                if let Some(uniforms) = &self.parts.uniforms {
                    let (variables, cells) = (&self.parts.source.variables, session.guest().cells());
                    let variables = session_variables(variables, uniforms.interface(), &job.constants, cells);
                    session.set_variables(variables);
                }
                Ok(session)
            }
            Guest::R700(program, _) => {
                let job = r700_job(program, &self.parts);
                let listing = ctm_r700::debug::listing(program, None);
                Ok(ctm_r700::debug::session(&job, &options, listing, lane)?)
            }
        }
    }

    /// Runs the program by the interpreter or the reference, to the same results, and counts how often each instruction executed.
    ///
    /// # Errors
    /// As [`run`](Self::run), or there is no memory for the counts of the lanes.
    pub fn count(&mut self) -> Result<(RunStats, Counts), Error> {
        let options = self.engine.options();
        let counts = counts::InstructionCounts::new(self.parts.domain.into(), &options.budget)?;
        let options = RunOptions { counts: Some(&counts), ..options };
        let (stats, listing) = match &self.guest {
            Guest::X1k(program, handle) => {
                (handle.run(&x1k_job(program, &self.parts), &options)?, listing::x1k(program))
            }
            Guest::R700(program, handle) => {
                (handle.run(&r700_job(program, &self.parts), &options)?, ctm_r700::text::steps(program))
            }
        };
        Ok((stats, Counts::new(listing, &counts)))
    }

    /// Puts another array of the same shape and type in the place of an input. One that is mapped is overwritten.
    ///
    /// # Errors
    /// There is no such input, or the array is another one.
    pub fn set_input(&mut self, number: u8, array: &Array) -> Result<(), Error> {
        let &(surface, expected) = self.parts.inputs.get(&number).ok_or_else(|| self.missing("input", number))?;
        let fits = ctm_array::surface_for(array, Tiling::Linear)?;
        if array.shape != expected || fits.format != surface.format {
            return Err(Error::Shape { input: number, expected, found: array.shape });
        }
        Ok(ctm_array::upload(array, &self.parts.space, surface)?)
    }

    /// Gives a float constant another value.
    pub fn set_constant(&mut self, number: u8, value: [f32; 4]) {
        self.parts.constants.insert(number, value);
    }

    /// Gives a uniform of a shader another value: a number for each channel, column and element, or one for all.
    ///
    /// # Errors
    /// There is no such uniform, or it has another number of numbers.
    pub fn set_uniform(&mut self, name: &str, values: &[f32]) -> Result<(), Error> {
        self.parts.uniforms.as_mut().ok_or(Error::NoNames)?.give(name, values)
    }

    /// Gives a shader another time, for uniforms that are called as a time or a frame is (60 frames in a second).
    ///
    /// # Errors
    /// The program was not compiled from a shader.
    pub fn set_time(&mut self, seconds: f32) -> Result<(), Error> {
        self.parts.uniforms.as_mut().ok_or(Error::NoNames)?.set_time(seconds);
        Ok(())
    }

    /// The numbers of its outputs, in order.
    pub fn outputs(&self) -> Vec<u8> {
        self.parts.outputs.keys().copied().collect()
    }

    /// What an output holds: an array of the domain's size.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output(&self, number: u8) -> Result<Array, Error> {
        let &surface = self.parts.outputs.get(&number).ok_or_else(|| self.missing("output", number))?;
        let Domain { i1, j1, .. } = self.parts.domain;
        Ok(ctm_array::download(&self.parts.space, surface, i1 as usize + 1, j1 as usize + 1)?)
    }

    /// The memory of an output, which further runs of the kernel write as well.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output_mapped(&self, number: u8) -> Result<Mapped, Error> {
        let &surface = self.parts.outputs.get(&number).ok_or_else(|| self.missing("output", number))?;
        let width = self.parts.domain.i1 as usize + 1;
        Mapped::of(&self.parts.space, surface, width).ok_or_else(|| self.missing("output", number))
    }

    fn missing(&self, what: &'static str, number: u8) -> Error {
        Error::Missing { what, number }
    }
}

fn x1k_job<'a>(program: &'a ctm_x1k::Program, parts: &'a Parts) -> ctm_x1k::Job<'a> {
    let mut job = ctm_x1k::Job::new(program, parts.domain, &parts.space);
    job.origin = parts.origin;
    for (&number, (surface, _)) in &parts.inputs {
        job.inputs[usize::from(number)] = Some(*surface);
    }
    for (&number, sampler) in &parts.samplers {
        job.samplers[usize::from(number)] = Some(sampler.clone());
    }
    for (&number, surface) in &parts.outputs {
        job.outputs[usize::from(number)] = Some(*surface);
    }
    job.interpolants.clone_from(&parts.interpolants);
    let mut constants = BTreeMap::new();
    parts.uniforms.iter().for_each(|uniforms| uniforms.fill(&parts.textures, &mut constants));
    constants.extend(&parts.constants);
    for (number, value) in constants {
        job.constants.floats[usize::from(number)] = value.map(f32::to_bits);
    }
    job
}

fn r700_job<'a>(program: &'a ctm_r700::Program, parts: &'a Parts) -> ctm_r700::Job<'a> {
    let mut job = ctm_r700::Job::new(program, parts.domain, &parts.space);
    job.inputs.insert(0, if parts.origin == [0; 2] { Input::Position } else { Input::PositionFrom(parts.origin) });
    for (&number, &(surface, Shape { width, height, .. })) in &parts.inputs {
        job.bindings.textures.insert(number, Texture::flat(width as u32, height as u32, surface));
    }
    for (&number, surface) in &parts.outputs {
        job.targets.colours[usize::from(number)] = Some(*surface);
    }
    if let Some((&last, _)) = parts.constants.last_key_value() {
        job.bindings.constants.resize(usize::from(last) + 1, [0; 4]);
    }
    for (&number, value) in &parts.constants {
        job.bindings.constants[usize::from(number)] = value.map(f32::to_bits);
    }
    job
}
