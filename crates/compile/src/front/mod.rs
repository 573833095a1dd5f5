//! The languages: each front end makes an [`ir::Function`](crate::ir::Function) of a text.
//!
//! - [`ps`]: Direct3D 9 pixel shaders;
//! - [`glsl`]: GLSL of all versions as naga's reader takes it;
//! - [`naga`]: GLSL and WGSL through the `naga` library.

pub mod glsl;
pub mod naga;
pub mod ps;
mod roles;

pub use roles::{Role, Roles};
