//! The numbers of the format: header fields, note types, the words of the program information.

use ctm_bits::field_table;
use ctm_x1k::{INPUTS, INTERPOLANTS, ProgramInfo, WriteMode};
use object::elf::{ET_EXEC, FileFlags, FileType, Machine, OsAbi};

/// `e_ident[EI_OSABI]`.
pub const OS_ABI: OsAbi = OsAbi(98);
/// `e_ident[EI_ABIVERSION]`.
pub const ABI_VERSION: u8 = 1;
/// `e_type`.
pub const FILE_TYPE: FileType = ET_EXEC;
/// `e_machine`: EM_ATI_R5XX.
pub const MACHINE: Machine = Machine(122);
/// `e_flags`: EF_ATI_DPP.
pub const FILE_FLAGS: FileFlags = FileFlags(1);

/// The name of the guide's notes, with its NUL.
pub const NOTE_NAME: &[u8] = b"ATI DPP\0";
/// The name of the project's own notes, with its NUL. Loaders skip names that they do not know.
pub const CTM_NOTE_NAME: &[u8] = b"ctm\0";

/// Types of the guide's notes (CTM Guide p.46-49).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NoteType {
    /// Program information.
    ProgramInfo = 1,
    /// Input numbers.
    Inputs = 2,
    /// Output numbers.
    Outputs = 3,
    /// Whether a conditional value is written.
    CondOut = 4,
    /// Float constant numbers.
    FloatConstants = 5,
    /// Integer constant numbers.
    IntConstants = 6,
    /// Whether LAST bits count.
    EarlyExit = 7,
}

impl NoteType {
    /// Every type, in order.
    pub const ALL: [Self; 7] = [
        Self::ProgramInfo,
        Self::Inputs,
        Self::Outputs,
        Self::CondOut,
        Self::FloatConstants,
        Self::IntConstants,
        Self::EarlyExit,
    ];

    /// The guide's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProgramInfo => "PROGINFO",
            Self::Inputs => "INPUTS",
            Self::Outputs => "OUTPUTS",
            Self::CondOut => "CONDOUT",
            Self::FloatConstants => "FLOAT32CONSTS",
            Self::IntConstants => "INT32CONSTS",
            Self::EarlyExit => "EARLYEXIT",
        }
    }
}

/// Types of the project's own notes: constants by value, and what the guide's program information has no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CtmNote {
    /// Records of number and four values.
    Floats = 1,
    /// Records of number and the constant's dword.
    Ints = 2,
    /// Records of number and 0 or 1.
    Bools = 3,
    /// Records of the number of an interpolated input and the temporary that receives it.
    Interpolants = 4,
    /// Records of the number of an input and the code of what it has to be sampled as.
    Textures = 5,
}

impl CtmNote {
    /// Every type, in order.
    pub const ALL: [Self; 5] = [Self::Floats, Self::Ints, Self::Bools, Self::Interpolants, Self::Textures];

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floats => "ctm float constant values",
            Self::Ints => "ctm integer constant values",
            Self::Bools => "ctm boolean constant values",
            Self::Interpolants => "ctm interpolated inputs",
            Self::Textures => "ctm kinds of textures",
        }
    }
}

/// Dwords of the program information in the project's layout.
pub const INFO_DWORDS: usize = 16;
/// What the first dword of any program information is.
pub const INFO_FIRST: u32 = 1;
/// `POS_REG` of a program that takes no position.
const NO_POSITION: u8 = 0xFF;

/// The dwords of the program information (CTM Guide p.46-47; names of registers as in the R5xx tables).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InfoWords {
    reserved0: u32,
    /// Also in programs of other tools.
    pub depth_from_program: bool,
    zero_times_anything: bool,
    temps: u8,
    full_flow_control: bool,
    start: u16,
    end: u16,
    code_offset: u16,
    range_start: u16,
    range_last: u16,
    umrt: bool,
    position: u8,
}

field_table! { InfoWords, words 16;
    RESERVED0,           0 [31:0],  {reserved0},           u32,  "1";
    FG_DEPTH_SRC,        1 [0:0],   {depth_from_program},  bool, "the conditional value comes from the program";
    ZERO_TIMES_ANYTHING, 2 [1:1],   {zero_times_anything}, bool, "US_CONFIG: zero times infinity or NaN is zero";
    US_PIXSIZE,          3 [6:0],   {temps},               u8,   "number of temporaries, 0 for 128";
    FULL_FC_EN,          4 [31:31], {full_flow_control},   bool, "US_FC_CTRL: full flow control";
    START_ADDR,          5 [8:0],   {start},               u16,  "US_CODE_ADDR: first instruction";
    END_ADDR,            5 [24:16], {end},                 u16,  "US_CODE_ADDR: last instruction";
    US_CODE_OFFSET,      6 [8:0],   {code_offset},         u16,  "added to start, end and jump targets";
    CODE_ADDR,           7 [8:0],   {range_start},         u16,  "US_CODE_RANGE: ignored by loaders";
    CODE_SIZE,           7 [24:16], {range_last},          u16,  "US_CODE_RANGE: ignored by loaders";
    UMRT,                9 [0:0],   {umrt},                bool, "WRITE_MODE: outputs are immediate writes";
    POS_REG,             10 [7:0],  {position},            u8,   "temporary that receives the position, 255 for none";
}

impl InfoWords {
    /// The words for a program of `instructions` instructions.
    pub fn new(info: &ProgramInfo, instructions: usize) -> Self {
        InfoWords {
            reserved0: INFO_FIRST,
            depth_from_program: info.cond_value_from_program,
            zero_times_anything: info.zero_times_anything,
            temps: info.temps,
            full_flow_control: info.full_flow_control,
            start: info.start,
            end: info.end,
            code_offset: info.code_offset,
            range_start: 0,
            range_last: instructions.saturating_sub(1) as u16,
            umrt: info.write_mode == WriteMode::Umrt,
            position: info.position.unwrap_or(NO_POSITION),
        }
    }

    /// The program information, or the position register that is not a register.
    pub fn info(&self) -> Result<ProgramInfo, u8> {
        Ok(ProgramInfo {
            start: self.start,
            end: self.end,
            code_offset: self.code_offset,
            full_flow_control: self.full_flow_control,
            zero_times_anything: self.zero_times_anything,
            cond_value_from_program: self.depth_from_program,
            write_mode: if self.umrt { WriteMode::Umrt } else { WriteMode::Cached },
            position: match self.position {
                NO_POSITION => None,
                register if usize::from(register) < ctm_x1k::TEMPS => Some(register),
                register => return Err(register),
            },
            interpolants: [None; INTERPOLANTS],
            textures: [None; INPUTS],
            temps: self.temps,
            early_exit: false,
        })
    }
}
