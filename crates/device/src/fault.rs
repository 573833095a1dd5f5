//! Errors of the device, and the code and detail that its sticky error reports.

use crate::command::{DecodeError, FormatCode};
use ctm_lane::budget::Halt;
use ctm_object::elf::LoadError;
use ctm_x1k::{NoPlane, Trap};
use std::fmt;
use thiserror::Error;

/// The device's error codes. The guide leaves errors open; the codes are this device's (decision C14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ErrorCode {
    /// A dword is not an opcode, or the buffer ends inside a command. The rest of the buffer was dropped.
    Opcode = 1,
    /// Something reaches outside the mapped memory: reads gave 0, writes were dropped.
    Address = 2,
    /// There is no program, or an ill-formed one.
    Program = 3,
    /// A program needs state that is not set, or is set to what it cannot use.
    State = 4,
    /// A lane did what the machine cannot do.
    Trap = 5,
    /// The device itself is broken, by a bug. Nothing that was submitted from then on is executed.
    Internal = 6,
    /// A program would use more than the limits of the options allow: time, instructions or memory. What it wrote up to then
    /// is there.
    Limit = 7,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 7] = [
        ErrorCode::Opcode,
        ErrorCode::Address,
        ErrorCode::Program,
        ErrorCode::State,
        ErrorCode::Trap,
        ErrorCode::Internal,
        ErrorCode::Limit,
    ];

    /// The short name.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCode::Opcode => "E_OPCODE",
            ErrorCode::Address => "E_ADDR",
            ErrorCode::Program => "E_PROGRAM",
            ErrorCode::State => "E_STATE",
            ErrorCode::Trap => "E_TRAP",
            ErrorCode::Internal => "E_INTERNAL",
            ErrorCode::Limit => "E_LIMIT",
        }
    }
}

/// A client of the memory controller (CTM Guide p.5-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryClient {
    /// Instruction fetches.
    Inst,
    /// An input, 0 to 15.
    Input(u8),
    /// An output, 0 to 3.
    Output(u8),
    /// The conditional output buffer.
    CondOut,
    /// Float constants.
    ConstF,
    /// Integer constants.
    ConstI,
    /// Boolean constants.
    ConstB,
    /// The vertices of `set_params`.
    Params,
    /// The performance counters' dwords.
    Counters,
}

impl fmt::Display for MemoryClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryClient::Inst => f.write_str("the program image"),
            MemoryClient::Input(n) => write!(f, "input {n}"),
            MemoryClient::Output(n) => write!(f, "output {n}"),
            MemoryClient::CondOut => f.write_str("the conditional output buffer"),
            MemoryClient::ConstF => f.write_str("the float constants"),
            MemoryClient::ConstI => f.write_str("the integer constants"),
            MemoryClient::ConstB => f.write_str("the boolean constants"),
            MemoryClient::Params => f.write_str("the params block"),
            MemoryClient::Counters => f.write_str("the performance counters"),
        }
    }
}

/// Why a program did not start for want of state (E_STATE).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// A client that the program uses has a reserved format code.
    #[error("{client} has the reserved format {}: set one of the formats 0 to 4", .format.name())]
    ReservedFormat {
        /// The client.
        client: MemoryClient,
        /// Its format.
        format: FormatCode,
    },
    /// The program reads constants whose address is not set.
    #[error("the program reads {0}, but their address is not set: issue {command} first", command = set_command(*.0))]
    NoConstants(MemoryClient),
    /// The program takes interpolated inputs, and nothing says what they are.
    #[error("the program takes interpolated inputs, but no params block is set: issue set_params first")]
    NoParams,
    /// The params block cannot be used.
    #[error("the params block at {base:#010x} is refused: {error}")]
    Params {
        /// Its address.
        base: u32,
        /// Why.
        error: ParamsError,
    },
    /// The rest of the environment does not fit the program.
    #[error(transparent)]
    Environment(#[from] ctm_x1k::StateError),
}

/// What is wrong with the block of `set_params`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParamsError {
    /// The three vertices are not corners of a rectangle.
    #[error(
        "its three vertices, of 32 or 36 floats, have to be a corner, the next one in its row and the next one in its column, each with w = 1: \
         write (x0, y0, 0, 1), (x1, y0, 0, 1), (x0, y1, 0, 1) in front of the values"
    )]
    NoRectangle,
    /// The program takes an input that the vertices do not have.
    #[error("the program takes interpolated input {slot}, but its vertices have {there}: write vertices of 36 floats")]
    TooFew {
        /// The input.
        slot: usize,
        /// How many there are.
        there: usize,
    },
    /// The positions give no plane.
    #[error(transparent)]
    NoPlane(#[from] NoPlane),
}

fn set_command(client: MemoryClient) -> &'static str {
    match client {
        MemoryClient::ConstF => "set_constf_fmt",
        MemoryClient::ConstI => "set_consti_fmt",
        _ => "set_constb_fmt",
    }
}

/// Why there is no program to start (E_PROGRAM).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// No `set_inst_fmt` was issued.
    #[error("no program is set: issue set_inst_fmt first")]
    NoneSet,
    /// The image is refused.
    #[error("the program image at {address:#010x} is refused: {error}")]
    Refused {
        /// Where the image is.
        address: u32,
        /// What is wrong with it.
        error: LoadError,
    },
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// See [`ErrorCode::Opcode`].
    #[error(transparent)]
    Opcode(#[from] DecodeError),
    /// See [`ErrorCode::Address`].
    #[error("{client}, based at {base:#010x}, leaves the mapped memory: check base, pitch and height")]
    Address {
        /// Whose access it was; if a run had several clients, the one that leaves the memory by its layout.
        client: MemoryClient,
        /// Its base address.
        base: u32,
    },
    /// See [`ErrorCode::Address`].
    #[error("{field} is {value:#010x}, which is not a multiple of {multiple}: align it")]
    Misaligned {
        /// The field of the command.
        field: &'static str,
        /// What it was to hold.
        value: u32,
        /// What it can hold multiples of.
        multiple: u32,
    },
    /// See [`ErrorCode::Program`].
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// See [`ErrorCode::State`].
    #[error(transparent)]
    State(#[from] StateError),
    /// See [`ErrorCode::Trap`].
    #[error("the program trapped: {0}")]
    Trap(#[from] Trap),
    /// See [`ErrorCode::Limit`].
    #[error("the program was ended: {0}")]
    Limit(Halt),
    /// See [`ErrorCode::Internal`].
    #[error("a bug in the device, which executes nothing more: {0}")]
    Internal(String),
}

impl Cause {
    /// The text, after the dword of the command; what is not a command names it itself.
    fn at(&self, offset: usize) -> String {
        match self {
            Cause::Opcode(error) => error.to_string(),
            cause => format!("dword {offset}: {cause}"),
        }
    }

    /// The error code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Cause::Opcode(_) => ErrorCode::Opcode,
            Cause::Address { .. } | Cause::Misaligned { .. } => ErrorCode::Address,
            Cause::Program(_) => ErrorCode::Program,
            Cause::State(_) => ErrorCode::State,
            Cause::Trap(_) => ErrorCode::Trap,
            Cause::Limit(_) => ErrorCode::Limit,
            Cause::Internal(_) => ErrorCode::Internal,
        }
    }
}

/// An error of the device, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: buffer {buffer}, {}", .cause.code().name(), .cause.at(*.offset))]
pub struct Fault {
    /// Id of the submission.
    pub buffer: u32,
    /// Index of the offending command's first dword in its buffer.
    pub offset: usize,
    /// What went wrong.
    pub cause: Cause,
}

impl Fault {
    /// The error code.
    pub const fn code(&self) -> ErrorCode {
        self.cause.code()
    }

    /// The one number that the C interface reports beside the code: the program counter for E_TRAP, else the offset.
    pub const fn detail(&self) -> u32 {
        match &self.cause {
            Cause::Trap(trap) => trap.pc as u32,
            _ => self.offset as u32,
        }
    }
}
