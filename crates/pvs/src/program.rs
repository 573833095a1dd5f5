//! Programs: code, flow control, constants. All of these are registers of the card; source: R5xx register tables, `VAP_PVS_*`.

use crate::instruction::{DWORDS, Instruction, Words};
use std::collections::BTreeMap;
use thiserror::Error;

/// Most instructions.
pub const MAX_INSTRUCTIONS: usize = 1024;
/// Temporaries that numbers reach.
pub const TEMPORARIES: usize = 128;
/// Input vectors.
pub const INPUTS: usize = 32;
/// Output vectors.
pub const OUTPUTS: usize = 16;
/// Constants.
pub const CONSTANTS: usize = 256;
/// Alternate temporaries.
pub const ALTERNATES: usize = 4;
/// Flow-control entries.
pub const FLOW_ENTRIES: usize = 16;
/// Loops and calls in one another.
pub const MAX_DEPTH: usize = 4;

/// What a flow-control entry does (2 bits of `VAP_PVS_FLOW_CNTL_OPC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FlowOp {
    /// Nothing.
    #[default]
    None,
    /// Goes on elsewhere.
    Jump,
    /// Executes a range of instructions several times.
    Loop,
    /// Executes a range of instructions, and comes back.
    Call,
}

impl FlowOp {
    /// Every operation, by code.
    pub const ALL: [FlowOp; 4] = [FlowOp::None, FlowOp::Jump, FlowOp::Loop, FlowOp::Call];

    /// Its spelling in the assembly language.
    pub const fn name(self) -> &'static str {
        match self {
            FlowOp::None => "NONE",
            FlowOp::Jump => "JUMP",
            FlowOp::Loop => "LOOP",
            FlowOp::Call => "JSR",
        }
    }
}

/// A flow-control entry: `VAP_PVS_FLOW_CNTL_ADDRS_LW`, `_UW`, and `VAP_PVS_FLOW_CNTL_LOOP_INDEX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlowEntry {
    /// What it does.
    pub op: FlowOp,
    /// `ACT_ADRS`: it acts after this instruction.
    pub act: u16,
    /// `LOOP_CNT_JMP_INST`: passes of a loop, or where a jump or call goes.
    pub count_or_target: u16,
    /// `LAST_INST`: the last instruction of the loop or subroutine.
    pub last: u16,
    /// `RTN_INST`: the first instruction of the loop, or where a subroutine returns to.
    pub resume: u16,
    /// `LOOP_INIT`: the loop index in the first pass.
    pub index: u8,
    /// `LOOP_STEP`: what each pass adds to it.
    pub step: i8,
    /// `LOOP_REPEAT_NO_FLI`: the index of the loop around is kept.
    pub inherits: bool,
}

impl FlowEntry {
    /// What it does, in words: `8 passes of 1 to 4`. None if it does nothing.
    pub fn words(&self) -> Option<String> {
        let FlowEntry { count_or_target, last, resume, .. } = self;
        match self.op {
            FlowOp::None => None,
            FlowOp::Jump => Some(format!("to {count_or_target}")),
            FlowOp::Loop => Some(format!("{count_or_target} passes of {resume} to {last}")),
            FlowOp::Call => Some(format!("{count_or_target} to {last}, back to {resume}")),
        }
    }
}

/// A vertex program with the registers that belong to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The instructions, from address 0 on.
    pub code: Vec<Instruction>,
    /// `FIRST_INST`: where it begins.
    pub first: u16,
    /// `LAST_INST`: the last instruction.
    pub last: u16,
    /// Flow control.
    pub flow: [FlowEntry; FLOW_ENTRIES],
    /// `MAX_CONST_ADDR`: constants with a greater number read 0.
    pub max_constant: u8,
    /// Values of constants that travel with the program: bits of binary32, by number.
    pub constants: BTreeMap<u8, [u32; 4]>,
}

/// Words that are not code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CodeError {
    /// No whole instructions.
    #[error("{0} dwords are not a whole number of instructions of {DWORDS} dwords")]
    Length(usize),
    /// Too many instructions.
    #[error("{0} instructions; a program has {MAX_INSTRUCTIONS} at most")]
    TooLong(usize),
}

impl Program {
    /// The program of these instructions, from the first to the last, which may read every constant.
    pub fn new(code: Vec<Instruction>) -> Self {
        let last = code.len().saturating_sub(1) as u16;
        Program { code, last, max_constant: (CONSTANTS - 1) as u8, ..Program::default() }
    }

    /// The program that these dwords are, without flow control and constants, which words do not have.
    ///
    /// # Errors
    /// If they are not whole instructions, or too many.
    pub fn from_dwords(dwords: &[u32]) -> Result<Self, CodeError> {
        let (instructions, []) = dwords.as_chunks::<DWORDS>() else { return Err(CodeError::Length(dwords.len())) };
        if instructions.len() > MAX_INSTRUCTIONS {
            return Err(CodeError::TooLong(instructions.len()));
        }
        Ok(Self::new(instructions.iter().map(Instruction::decode).collect()))
    }

    /// The words of the instructions.
    pub fn words(&self) -> impl Iterator<Item = Words> {
        self.code.iter().map(Instruction::encode)
    }

    /// The entry that acts after this instruction: the lowest, if several do.
    pub fn entry_at(&self, address: u16) -> Option<(usize, &FlowEntry)> {
        self.flow.iter().enumerate().find(|(_, entry)| entry.op != FlowOp::None && entry.act == address)
    }
}
