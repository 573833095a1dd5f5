//! A program: instructions, program information, and constants that travel with it.

use crate::instruction::{DWORDS, Instruction};
use ctm_raster::sampler::TextureKind;
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions that a program can have (CTM Guide p.23).
pub const MAX_INSTRUCTIONS: usize = 512;
/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: usize = DWORDS * 4;
/// Number of temporaries.
pub const TEMPS: usize = 128;
/// Number of float constants.
pub const FLOAT_CONSTANTS: usize = 256;
/// Number of integer constants.
pub const INT_CONSTANTS: usize = 32;
/// Number of boolean constants.
pub const BOOL_CONSTANTS: usize = 32;
/// Number of inputs.
pub const INPUTS: usize = 16;
/// Number of interpolated inputs.
pub const INTERPOLANTS: usize = 8;
/// Number of outputs.
pub const OUTPUTS: usize = 4;

/// An integer constant: what LOOP and REP count with (one dword in memory, bytes 0 to 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntConstant {
    /// Number of passes.
    pub count: u8,
    /// aL in the first pass of a LOOP.
    pub init: u8,
    /// What ENDLOOP adds to aL.
    pub step: i8,
}

impl IntConstant {
    /// Takes the constant from its dword; byte 3 is ignored.
    pub const fn from_dword(dword: u32) -> Self {
        let [count, init, step, _] = dword.to_le_bytes();
        IntConstant { count, init, step: step as i8 }
    }

    /// The dword that holds the constant; byte 3 is 0.
    pub const fn to_dword(self) -> u32 {
        u32::from_le_bytes([self.count, self.init, self.step as u8, 0])
    }
}

/// How outputs reach memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// Output registers are sent when a lane ends.
    #[default]
    Cached,
    /// Every OUT instruction is one immediate 32-bit write to output 0.
    Umrt,
}

/// Program information: what the PROGINFO note holds and how a program wants to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramInfo {
    /// First instruction.
    pub start: u16,
    /// Last instruction.
    pub end: u16,
    /// US_CODE_OFFSET: added to start, end and non-global jump targets.
    pub code_offset: u16,
    /// Full flow control (loops, calls, 32 branch levels); otherwise partial.
    pub full_flow_control: bool,
    /// US_CONFIG bit 1: a zero times an infinity or a NaN is zero.
    pub zero_times_anything: bool,
    /// FG_DEPTH_SRC: the conditional value comes from the program.
    pub cond_value_from_program: bool,
    /// How outputs reach memory.
    pub write_mode: WriteMode,
    /// Temporary that receives (i, j, 0, 0) at the start, if any.
    pub position: Option<u8>,
    /// Temporaries that receive the four channels of interpolated inputs at the start, by the number of the input.
    pub interpolants: [Option<u8>; INTERPOLANTS],
    /// What inputs have to be sampled as, by number; the others may be anything.
    pub textures: [Option<TextureKind>; INPUTS],
    /// US_PIXSIZE: number of temporaries in use (0 means 128); informational.
    pub temps: u8,
    /// The Early Exit note: LAST bits before the end address count.
    pub early_exit: bool,
}

impl Default for ProgramInfo {
    fn default() -> Self {
        ProgramInfo {
            start: 0,
            end: 0,
            code_offset: 0,
            full_flow_control: true,
            zero_times_anything: false,
            cond_value_from_program: false,
            write_mode: WriteMode::Cached,
            position: Some(0),
            interpolants: [None; INTERPOLANTS],
            textures: [None; INPUTS],
            temps: 0,
            early_exit: false,
        }
    }
}

impl ProgramInfo {
    /// Whether the program takes interpolated inputs.
    pub fn takes_interpolants(&self) -> bool {
        self.interpolants.iter().any(Option::is_some)
    }

    /// The interpolated inputs that it takes: number and temporary.
    pub fn interpolant_registers(&self) -> impl Iterator<Item = (usize, u8)> {
        self.interpolants.into_iter().enumerate().filter_map(|(slot, register)| Some((slot, register?)))
    }

    /// The inputs that have to be sampled as something: number and what.
    pub fn sampled_inputs(&self) -> impl Iterator<Item = (u8, TextureKind)> {
        (0..).zip(self.textures).filter_map(|(input, kind)| Some((input, kind?)))
    }
}

/// What a program references: the list notes of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct References {
    /// Inputs that are fetched from.
    pub inputs: BTreeSet<u8>,
    /// Outputs that are written.
    pub outputs: BTreeSet<u8>,
    /// Float constants that are read.
    pub float_constants: BTreeSet<u8>,
    /// Integer constants that are read.
    pub int_constants: BTreeSet<u8>,
    /// Boolean constants that are read (an image has no note for them).
    pub bool_constants: BTreeSet<u8>,
    /// A conditional value is written.
    pub cond_output: bool,
}

/// Constants by number, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantValues {
    /// Float constants, four channels each, as binary32 bits.
    pub floats: BTreeMap<u8, [u32; 4]>,
    /// Integer constants.
    pub ints: BTreeMap<u8, IntConstant>,
    /// Boolean constants.
    pub bools: BTreeMap<u8, bool>,
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The instructions of `.text`.
    pub code: Vec<Instruction>,
    /// Program information.
    pub info: ProgramInfo,
    /// What the program's notes say that it references.
    pub references: References,
    /// Values of constants that travel with the program.
    pub constants: ConstantValues,
}
