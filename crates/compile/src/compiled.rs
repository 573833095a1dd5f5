//! Programs of shaders, and what of a shader is compiled.

use crate::front::Interface;
use crate::ir::Function;
use ctm_x1k::Program;

/// A language that the `naga` library reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The OpenGL Shading Language, all versions, and Shadertoy's form of it.
    Glsl,
    /// The WebGPU Shading Language.
    Wgsl,
}

/// What of a text is compiled.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros without parameters that GLSL starts with: names and texts.
    pub defines: Vec<(String, String)>,
    /// The entry point of WGSL, if there are several for fragments.
    pub entry: Option<String>,
    /// Numbers are calculated in the order of the text, each rounded, as what GLSL calls `precise` and `invariant` always is.
    pub precise: bool,
}

/// Something that a language allows, and that is hardly meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Nothing is written.
    #[error("the shader writes no output, so colour 0 is 0 everywhere; write a colour")]
    NoOutput,
}

/// A compiled shader, with the forms that it went through.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The line of the text that each instruction comes from, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// Where uniforms, textures, inputs and outputs are.
    pub interface: Interface,
    /// What is hardly meant.
    pub warnings: Vec<Warning>,
    /// The function as it was read.
    pub read: Function,
    /// The function of which machine code was made.
    pub optimised: Function,
}
