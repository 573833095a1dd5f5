//! Buffers: pictures of the size of the domain that shaders make before each frame, as Shadertoy has them. They run in the order of the command
//! line. A buffer that stands before its reader is read as this frame made it, one that comes after it, or is the reader itself, as the
//! frame before left it.

use super::inputs::{Inputs, Reader};
use super::varyings;
use crate::isa::language_of;
use crate::isa::x1k::options::X1kArgs;
use crate::isa::x1k::shader::{self, MovingUniforms, UniformContext};
use crate::options::RunArgs;
use crate::options::values::{Extent, Name};
use crate::report::Message;
use crate::run::{Frames, Memory};
use crate::{Console, Failure, source};
use ctm_compile::front::Interface;
use ctm_engine::Executor;
use ctm_memory::Format;
use ctm_object::probe;
use ctm_x1k::{Constants, FrameBuffer, Interpolants, Job, Program, RunError, RunOptions};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Most buffers of a run.
const MAX_BUFFERS: usize = 16;

/// A shader that makes a buffer.
pub struct Buffer {
    /// The name that readers use.
    pub name: String,
    program: Program,
    /// What its names stand for.
    pub interface: Interface,
}

impl Buffer {
    /// Compiles those of the command line.
    ///
    /// # Errors
    /// One is not a shader, is wrong, or has a name that another one has.
    pub fn load_all(args: &RunArgs, x1k: &X1kArgs, console: &mut Console) -> Result<Vec<Self>, Failure> {
        let mut buffers: Vec<Buffer> = Vec::new();
        for given in &args.buffers {
            let wrong = |message: String, help: &str| Err(Failure::Usage(Message::error(message).help(help)));
            let (name, path) = match &given.name {
                Name::Word(name) => (name.clone(), PathBuf::from(&given.value)),
                Name::Number(number) => {
                    return wrong(
                        format!("--buffer {number}: buffers of X1K programs are shaders, and have names"),
                        "write --buffer A=SHADER.frag and --input iChannel0=A",
                    );
                }
            };
            if name.contains(['.', '[']) || buffers.iter().any(|buffer| buffer.name == name) {
                return wrong(
                    format!("--buffer {name}: a buffer has a name of its own, made of letters and digits"),
                    "names are like A and B",
                );
            }
            if buffers.len() == MAX_BUFFERS {
                return wrong(format!("a run has at most {MAX_BUFFERS} buffers"), "put several into one shader");
            }
            let text = source::text_file(console.host, &path)?;
            let language = language_of(&path, probe(text.text.as_bytes()), None);
            let Some(language) = language.filter(|language| language.is_compiled()) else {
                return wrong(
                    format!("--buffer {name}: '{}' is not a shader", path.display()),
                    "shaders have names that end in .frag, .glsl, .fs, .wgsl or .ps",
                );
            };
            let options = shader::Options { linked: Vec::new(), ..x1k.compiling(args, console)? };
            let (compiled, _) = shader::compile(text, language, &options, console)?;
            buffers.push(Buffer { name, program: compiled.program, interface: compiled.interface });
        }
        Ok(buffers)
    }
}

/// The memory of the buffers of a run.
pub struct Surfaces(Vec<FrameBuffer>);

impl Surfaces {
    /// Memory for the pictures of each buffer.
    ///
    /// # Errors
    /// There is not as much.
    pub fn new(buffers: &[Buffer], domain: Extent, memory: &mut Memory) -> Result<Self, Failure> {
        let mut surface = || memory.add_hidden(domain, Format::Float32_4);
        buffers.iter().map(|_| Ok(FrameBuffer([surface()?, surface()?]))).collect::<Result<_, Failure>>().map(Surfaces)
    }

    /// Puts the buffers that a job reads in a frame among its inputs. The readers are the buffers in order, and what follows them.
    pub fn bind(&self, job: &mut Job<'_>, inputs: &Inputs, reader: usize, frame: u32) {
        for (unit, buffer) in inputs.buffers.iter().enumerate() {
            if let Some(buffer) = *buffer {
                job.inputs[unit] = Some(self.0[buffer].read(frame, buffer < reader));
            }
        }
    }
}

/// A buffer with everything that it depends on, except its memory.
pub struct Pass<'b> {
    buffer: &'b Buffer,
    inputs: Inputs,
    constants: Constants,
    moving: MovingUniforms<'b>,
    interpolants: Option<Interpolants>,
}

impl<'b> Pass<'b> {
    /// Reads the inputs of all buffers and sets their uniforms.
    ///
    /// # Errors
    /// An input is missing or cannot be read, or a value is not of its uniform's type.
    pub fn prepare_all(
        buffers: &'b [Buffer],
        args: &RunArgs,
        domain: Extent,
        memory: &mut Memory,
        console: &mut Console,
    ) -> Result<Vec<Self>, Failure> {
        let prepare = |buffer: &'b Buffer| {
            let (program, interface) = (&buffer.program, &buffer.interface);
            let reader = Reader { program, interface: Some(interface), buffer: Some(&buffer.name) };
            let inputs = Inputs::load(args, &reader, buffers, domain, memory, console)?;
            let mut constants = Constants::from(&program.constants);
            let surroundings =
                UniformContext { interface, sizes: &inputs.sizes, numbered: &BTreeSet::new(), is_others: &|_| true };
            let moving = shader::fill(&surroundings, &mut constants, args, domain, console)?;
            let vertices = varyings::vertices(&[], program, Some(interface), domain, console)?;
            let interpolants = vertices.as_ref().map(Interpolants::through).transpose();
            let interpolants = interpolants.map_err(|error| Message::error(error.to_string()))?;
            Ok(Pass { buffer, inputs, constants, moving, interpolants })
        };
        buffers.iter().map(prepare).collect()
    }

    /// Makes the pictures of a frame.
    ///
    /// # Errors
    /// A shader traps, or a limit is reached: which one, and why.
    pub fn run_all<'m>(
        passes: &'m [Self],
        surfaces: &Surfaces,
        like: &Job<'m>,
        frames: Frames,
        frame: u32,
        executor: &Executor,
        options: &RunOptions<'_>,
    ) -> Result<(), (&'m str, RunError)> {
        for (reader, pass) in passes.iter().enumerate() {
            let mut job = Job {
                constants: pass.constants.clone(),
                interpolants: pass.interpolants.clone(),
                inputs: pass.inputs.surfaces,
                samplers: pass.inputs.samplers.clone(),
                unfused: like.unfused,
                ..Job::new(&pass.buffer.program, like.domain, like.memory)
            };
            job.outputs[0] = Some(surfaces.0[reader].made(frame));
            pass.moving.set(frames, frame, &mut job.constants);
            surfaces.bind(&mut job, &pass.inputs, reader, frame);
            executor.run(&job, options).map_err(|error| (pass.buffer.name.as_str(), error))?;
        }
        Ok(())
    }
}
