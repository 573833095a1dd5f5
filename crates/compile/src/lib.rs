//! Shader languages to X1K machine code.
//!
//! - [`ir`]: one invocation of a program, in scalars, with structured control flow; what front ends make and the back end takes.
//! - [`opt`]: passes over it.
//! - [`backend`]: machine code of it.
//! - [`front`]: what reads the languages;
//! - [`compile()`], [`compile_within`]: from GLSL or WGSL to a program;
//! - [`compile_pixel_shader`]: from the text of a pixel shader to a program of the CTM device;
//! - [`session_variables`]: what the variables of the source are in a debugger's session.
//!
//! Without the feature `shading-languages`, which is on by default, GLSL and WGSL are left out, and `naga` is not built.
#![forbid(unsafe_code)]
// What only those languages use stays in the sources.
#![cfg_attr(not(feature = "shading-languages"), allow(dead_code))]

pub mod backend;
mod compiled;
pub mod front;
pub mod ir;
mod limits;
pub mod opt;
mod pixel_shader;
mod session;
#[cfg(feature = "shading-languages")]
mod shader;
mod sources;

pub use compiled::{Compiled, Language, Location, LocationSource, Options, Variable};
pub use front::Warning;
pub use pixel_shader::{PixelShader, compile_pixel_shader, compile_pixel_shader_within};
pub use session::session_variables;
#[cfg(feature = "shading-languages")]
pub use shader::{CompileError, compile, compile_within};
pub use sources::Sources;
