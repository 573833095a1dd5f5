//! Shader languages to X1K machine code.
//!
//! - [`ir`]: one invocation of a program, in scalars, with structured control flow; what front ends make and the back end takes.
//! - [`opt`]: passes over it.
//! - [`backend`]: machine code of it.
//! - [`front`]: what reads the languages;
//! - [`compile()`]: from GLSL or WGSL to a program.
#![forbid(unsafe_code)]

pub mod backend;
pub mod front;
pub mod ir;
pub mod opt;
mod shader;

pub use shader::{CompileError, Compiled, Language, Options, compile};
