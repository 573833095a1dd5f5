//! Runs native machine code of GPUs on CPUs: X1K (R5xx) fragment programs, R700 shaders, SM50 (Maxwell) compute code and
//! pipelines, PVS vertex programs. No card is needed, and every engine gives the same bits.
//!
//! ```
//! use ctm_gpu::{Array, Engine, Machine, Pixels, Program, Shape};
//!
//! // Twice what the input holds at each lane's own position.
//! let program = Program::assemble(
//!     Machine::X1k,
//!     "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
//!      OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
//!        out[0].rgb = 2.0 * MAX src0.rgb src0.rgb, out[0].a = 2.0 * MAX src0.a src0.a ;",
//! )?;
//! let shape = Shape { width: 8, height: 8, channels: 4 };
//! let ones = Array::from_floats(shape, &[1.0; 8 * 8 * 4])?;
//! let mut kernel = Pixels::new(program, 8, 8).input(0, ones).compile(&Engine::fastest())?;
//! kernel.run()?;
//! assert_eq!(kernel.output(0)?.to_floats(), [2.0; 8 * 8 * 4]);
//! # Ok::<(), ctm_gpu::Error>(())
//! ```
//!
//! - [`Program`]: assembled from text, or loaded from a container, bare words or a dump of a driver;
//! - [`Pixels`]: a program of X1K or R700 over a rectangle of lanes. [`Pixels::compile`] gives a [`Kernel`], which runs as
//!   often as wanted, with new data and constants;
//! - [`Texture`]: an input that an X1K program samples as a card does: a picture, volume or cube, with levels;
//! - [`Shader`]: GLSL, WGSL or Direct3D 9 text compiled to X1K, with the names of its uniforms and textures;
//! - [`Threads`]: compute code of SM50 over a grid of blocks;
//! - [`Vertices`]: vertex programs of PVS over arrays of vertices;
//! - [`Engine::draw`]: the programs of an SM50 pipeline over vertices, to captured records;
//! - [`card::Trace`]: what a driver submitted to a graphics card, executed again;
//! - [`Kernel::follow`], [`Threads::follow`]: what one lane goes through, step by step;
//! - [`Kernel::debug`]: a debugger's [session](debug::Session), with the variables of a shader;
//! - [`Kernel::count`], [`Threads::count`]: how often each instruction executed, and how many each lane;
//! - [`device`]: the CTM device, which command buffers drive.
//!
//! What a machine has beyond that is in its own module: [`x1k`], [`r700`], [`sm50`]. [`Engine::run`] runs what these
//! describe in full, such as a [`r700::Job`] of vertices. The examples of this crate show each machine:
//! `cargo run -p ctm-gpu --example tour`.
//!
//! Programs are not trusted: whatever they hold, a run ends with results or an [`Error`]. How long it may take, and how much
//! memory, [`Engine::with_limits`] says. If you run untrusted programs, also install the handler of
//! [`fault`].
#![forbid(unsafe_code)]

#[cfg(feature = "cards")]
pub mod card;
#[cfg(feature = "cards")]
mod card_error;
mod counts;
mod engine;
mod error;
mod explain;
mod finding;
mod instructions;
mod kernel;
mod listing;
mod load;
mod machine;
mod mapped;
mod pixels;
mod program;
mod save;
mod shader;
#[cfg(test)]
mod tests;
mod texture;
mod threads;
mod trail;
mod uniforms;
mod vertices;

pub use counts::{Counted, Counts};
pub use engine::Engine;
pub use error::{Error, ProgramUse};
pub use explain::explain;
pub use finding::Finding;
pub use instructions::{Instruction, Operation};
pub use kernel::Kernel;
pub use load::{Loaded, load, open};
pub use machine::Machine;
pub use mapped::Mapped;
pub use pixels::Pixels;
pub use program::Program;
pub use save::Kept;
pub use shader::{Shader, ShaderOptions};
pub use texture::Texture;
pub use threads::Threads;
pub use trail::Trail;
pub use vertices::{VertexOutputs, Vertices};

pub use ctm_array as array;
pub use ctm_array::{Array, Shape};
pub use ctm_codegen::{EngineName, fault};
pub use ctm_compile::front as shader_interface;
pub use ctm_debug as debug;
pub use ctm_device as device;
pub use ctm_follow as follow;
pub use ctm_lane::budget::{Cancel, Limits};
pub use ctm_lane::counts::InstructionCount;
pub use ctm_lane::run::RunStats;
pub use ctm_memory as memory;
pub use ctm_memory::Format;
pub use ctm_object as object;
pub use ctm_pvs as pvs;
pub use ctm_r700 as r700;
pub use ctm_sm50 as sm50;
pub use ctm_text as text;
pub use ctm_x1k as x1k;
pub use ctm_x1k::sampler;

/// The examples of the tour.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tour.md")]
struct Tour;
