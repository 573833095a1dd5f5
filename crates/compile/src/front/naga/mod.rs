//! Fragment shaders in GLSL and WGSL, which the `naga` library reads.
//!
//! - `read`: texts to modules, with the limits and places that naga leaves to its users;
//! - `lower`: modules to [`ir::Function`](crate::ir::Function)s;
//! - [`Interface`]: where uniforms, textures, inputs and outputs are, by the names of the source.

mod error;
mod interface;
mod limits;
mod lower;
mod read;
mod types;

pub use error::LowerError;
pub use interface::{ColourOutput, Interface, Texture, TextureKind, Uniform, UniformKind, UniformPlace, Varying};
pub use read::{ReadError, ReadFailure, ReadModule, Shader, read_glsl, read_wgsl};
