//! Fragment shaders in GLSL and WGSL, which the `naga` library reads.
//!
//! - `read`: texts to modules, with the limits and places that naga leaves to its users;
//! - `lower`: modules to [`ir::Function`](crate::ir::Function)s, with their [interfaces](crate::front::Interface).

mod allotment;
mod error;
mod limits;
mod lower;
mod read;
mod types;

pub use error::LowerError;
pub use read::{ReadError, ReadFailure, ReadModule, Shader, read_glsl, read_wgsl};
