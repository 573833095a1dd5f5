//! Fragment shaders in GLSL and WGSL, which the `naga` library reads.
//!
//! - `read`: texts to modules, with the limits and places that naga leaves to its users;
//! - `wording`: naga's errors in the words of the languages;
//! - `lower`: modules to [`ir::Function`](crate::ir::Function)s, with their [interfaces](crate::front::Interface).

mod allotment;
mod contain;
mod error;
mod limits;
mod lower;
mod read;
mod slots;
mod types;
mod wording;

pub use error::LowerError;
pub use lower::Inlined;
pub use read::{ReadError, ReadFailure, ReadModule, Shader, read_glsl, read_glsl_sources, read_wgsl};
