//! Programs of shaders, and what of a shader is compiled.

use crate::front::{Interface, SourcePart, Warning};
use crate::ir::{Function, Reading};
use ctm_x1k::Program;
use std::ops::Range;

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
    /// [`Compiled::variables`] is wanted. The program is the same.
    pub variables: bool,
    /// Where further sources of the shader begin in the text of GLSL: bytes, in order. They have macros of their own, and share functions and
    /// globals, as sources that OpenGL links.
    pub sources: Vec<usize>,
}

/// Where a part of a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The part.
    pub part: SourcePart,
    /// In front of which instructions it is where; nowhere in front of the others.
    pub places: Vec<(Range<u32>, Location)>,
}

/// What a part of a variable is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationSource {
    /// A channel of a temporary.
    Register {
        /// Its number.
        register: u8,
        /// 0 to 3.
        channel: u8,
    },
    /// A channel of a float constant.
    Constant {
        /// Its number.
        register: u8,
        /// 0 to 3.
        channel: u8,
    },
    /// A number, by its bits.
    Number(u32),
}

/// How the value of a part of a variable is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Where it is.
    pub source: LocationSource,
    /// The absolute value is taken.
    pub absolute: bool,
    /// The negative is taken, of the absolute value if that is.
    pub negative: bool,
    /// How a boolean is read.
    pub reading: Reading,
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
    /// Where the variables of the source are while the program runs, if [`Options::variables`] asked for it.
    pub variables: Vec<Variable>,
    /// What is hardly meant.
    pub warnings: Vec<Warning>,
    /// The function as it was read.
    pub read: Function,
    /// The function of which machine code was made.
    pub optimised: Function,
}
