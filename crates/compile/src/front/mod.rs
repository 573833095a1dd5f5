//! The languages: each front end makes an [`ir::Function`](crate::ir::Function) of a text.
//!
//! - [`ps`]: Direct3D 9 pixel shaders;
//! - [`glsl`]: GLSL of all versions as naga's reader takes it;
//! - [`naga`]: GLSL and WGSL through the `naga` library;
//! - [`Interface`]: what surrounds the function, by the names of the text;
//! - [`Convention`] and [`Moment`]: uniforms that have a meaning by their names.

mod conventions;
#[cfg(feature = "shading-languages")]
pub mod glsl;
mod interface;
#[cfg(feature = "shading-languages")]
pub mod naga;
pub mod ps;
#[cfg(feature = "shading-languages")]
mod roles;

pub use conventions::{CHANNELS, Convention, Moment};
pub use interface::{
    ColourOutput, Interface, SourcePart, Texture, TextureKind, Uniform, UniformKind, UniformPlace, Varying, Warning,
};
#[cfg(feature = "shading-languages")]
pub use roles::{Role, Roles};
