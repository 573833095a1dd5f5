//! Instructions of macros: what their words mean, and their text.
//!
//! Sources: envytools' documentation of macro processors, and the macros of Mesa's nouveau driver (`mme/com9097.mme`).

use ctm_bits::{FieldValue, extract, field_table};
use std::fmt;

/// Registers of the macro processor; the first one is 0.
pub const REGISTERS: usize = 8;

/// What an instruction calculates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Of two registers.
    #[default]
    Alu,
    /// A register plus a constant.
    AddImmediate,
    /// A register with some of its bits replaced by those of another.
    Insert,
    /// Bits of a register, whose place another says.
    ExtractFrom,
    /// Bits of a register, moved to where another says.
    ExtractTo,
    /// What a method holds.
    Read,
    /// Goes somewhere else.
    Branch,
    /// None that there is.
    Unknown,
}

impl FieldValue for Operation {
    fn from_raw(raw: u32) -> Self {
        match raw {
            0 => Operation::Alu,
            1 => Operation::AddImmediate,
            2 => Operation::Insert,
            3 => Operation::ExtractFrom,
            4 => Operation::ExtractTo,
            5 => Operation::Read,
            7 => Operation::Branch,
            _ => Operation::Unknown,
        }
    }
    fn to_raw(self) -> u32 {
        match self {
            Operation::Alu => 0,
            Operation::AddImmediate => 1,
            Operation::Insert => 2,
            Operation::ExtractFrom => 3,
            Operation::ExtractTo => 4,
            Operation::Read => 5,
            Operation::Branch => 7,
            Operation::Unknown => 6,
        }
    }
}

/// What is calculated of two registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AluOperation {
    /// Their sum.
    #[default]
    Add,
    /// Their sum and the carry.
    AddWithCarry,
    /// Their difference.
    Subtract,
    /// Their difference, and what was borrowed.
    SubtractWithBorrow,
    /// Bits that one of them has alone.
    Xor,
    /// Bits that one of them has.
    Or,
    /// Bits that both have.
    And,
    /// Bits that the first has alone.
    AndNot,
    /// Bits that not both have.
    Nand,
    /// None that there is.
    Unknown(u8),
}

impl AluOperation {
    /// The sign between its operands.
    const fn sign(self) -> &'static str {
        match self {
            AluOperation::Add => "+",
            AluOperation::AddWithCarry => "+c",
            AluOperation::Subtract => "-",
            AluOperation::SubtractWithBorrow => "-b",
            AluOperation::Xor => "^",
            AluOperation::Or => "|",
            AluOperation::And => "&",
            AluOperation::AndNot => "&~",
            AluOperation::Nand => "~&",
            AluOperation::Unknown(_) => "?",
        }
    }
}

impl FieldValue for AluOperation {
    fn from_raw(raw: u32) -> Self {
        match raw {
            0 => AluOperation::Add,
            1 => AluOperation::AddWithCarry,
            2 => AluOperation::Subtract,
            3 => AluOperation::SubtractWithBorrow,
            8 => AluOperation::Xor,
            9 => AluOperation::Or,
            10 => AluOperation::And,
            11 => AluOperation::AndNot,
            12 => AluOperation::Nand,
            raw => AluOperation::Unknown(raw as u8),
        }
    }
    fn to_raw(self) -> u32 {
        match self {
            AluOperation::Add => 0,
            AluOperation::AddWithCarry => 1,
            AluOperation::Subtract => 2,
            AluOperation::SubtractWithBorrow => 3,
            AluOperation::Xor => 8,
            AluOperation::Or => 9,
            AluOperation::And => 10,
            AluOperation::AndNot => 11,
            AluOperation::Nand => 12,
            AluOperation::Unknown(raw) => raw.into(),
        }
    }
}

/// What becomes of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Assignment {
    /// Nothing; the register gets a parameter.
    #[default]
    Fetch,
    /// The register gets it.
    Move,
    /// The register and the address get it.
    MoveAndAddress,
    /// It is sent; the register gets a parameter.
    FetchAndSend,
    /// The register gets it, and it is sent.
    MoveAndSend,
    /// The address gets it; the register gets a parameter.
    FetchAndAddress,
    /// The register and the address get it; a parameter is sent.
    MoveAndAddressThenFetchAndSend,
    /// The register and the address get it; its bits 17 to 12 are sent.
    MoveAndAddressThenSendIncrement,
}

impl FieldValue for Assignment {
    fn from_raw(raw: u32) -> Self {
        match raw & 7 {
            0 => Assignment::Fetch,
            1 => Assignment::Move,
            2 => Assignment::MoveAndAddress,
            3 => Assignment::FetchAndSend,
            4 => Assignment::MoveAndSend,
            5 => Assignment::FetchAndAddress,
            6 => Assignment::MoveAndAddressThenFetchAndSend,
            _ => Assignment::MoveAndAddressThenSendIncrement,
        }
    }
    fn to_raw(self) -> u32 {
        self as u32
    }
}

/// An instruction, field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it calculates.
    pub operation: Operation,
    /// What becomes of the result, but for branches.
    pub assignment: Assignment,
    /// The macro ends after the next instruction.
    pub exit: bool,
    /// The register that is written.
    pub d: u8,
    /// The first operand.
    pub a: u8,
    /// The second operand.
    pub b: u8,
    /// What is calculated of two registers.
    pub alu: AluOperation,
    /// How many bits are moved.
    pub size: u8,
    /// Where they go.
    pub destination: u8,
}

field_table! { Instruction, words 1;
    OP,     0 [2:0], {operation}, Operation, "operation";
    ASSIGN, 0 [6:4], {assignment}, Assignment, "what becomes of the result";
    EXIT,   0 [7:7], {exit}, bool, "the macro ends after the next instruction";
    D,      0 [10:8], {d}, u8, "the register that is written";
    A,      0 [13:11], {a}, u8, "the first operand";
    B,      0 [16:14], {b}, u8, "the second operand";
    ALU,    0 [21:17], {alu}, AluOperation, "what is calculated of two registers; where bits come from";
    SIZE,   0 [26:22], {size}, u8, "how many bits are moved";
    DST,    0 [31:27], {destination}, u8, "where they go";
}

/// The constant of an instruction that has one.
pub fn immediate(word: u32) -> i32 {
    word.cast_signed() >> 14
}

/// Bits that instructions on bits have instead of an operation of two registers: where they come from.
pub fn source(word: u32) -> u32 {
    extract(word, 21, 17)
}

/// A branch: whether it is taken if its register is not 0, and whether the next instruction is left out then.
pub fn branch(word: u32) -> (bool, bool) {
    (extract(word, 4, 4) != 0, extract(word, 5, 5) != 0)
}

/// An instruction at its place, as text.
pub struct Text {
    /// Its place.
    pub at: u32,
    /// Its word.
    pub word: u32,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Instruction { operation, assignment, exit, d, a, b, alu, size, destination } =
            Instruction::read(&[self.word]);
        let (word, source) = (self.word, source(self.word));
        let result = match operation {
            Operation::Alu => format!("r{a} {} r{b}", alu.sign()),
            Operation::AddImmediate => match (a, immediate(word)) {
                (0, value) => format!("{:#x}", value.cast_unsigned()),
                (a, value) if value < 0 => format!("r{a} - {:#x}", value.unsigned_abs()),
                (a, value) => format!("r{a} + {value:#x}"),
            },
            Operation::Insert => format!("insert(r{a}, r{b} >> {source}, {size} bits at {destination})"),
            Operation::ExtractFrom => format!("extract(r{b} >> r{a}, {size} bits) << {destination}"),
            Operation::ExtractTo => format!("extract(r{b} >> {source}, {size} bits) << r{a}"),
            Operation::Read => match a {
                0 => format!("method[{:#06x}]", 4 * (immediate(word).cast_unsigned() & 0xFFF)),
                a => format!("method[4 * r{a} + {:#06x}]", 4 * (immediate(word).cast_unsigned() & 0xFFF)),
            },
            Operation::Branch => {
                let (if_set, annul) = branch(word);
                let target = self.at.wrapping_add_signed(immediate(word));
                let condition = if if_set { "!=" } else { "==" };
                let slot = if annul { "" } else { " after the next" };
                write!(f, "if r{a} {condition} 0 goto {target}{slot}")?;
                return f.write_str(end(exit));
            }
            Operation::Unknown => return write!(f, "unknown {word:#010x}"),
        };
        match assignment {
            Assignment::Fetch => write!(f, "r{d} = parameter"),
            Assignment::Move => write!(f, "r{d} = {result}"),
            Assignment::MoveAndAddress => write!(f, "r{d} = address = {result}"),
            Assignment::FetchAndSend => write!(f, "r{d} = parameter; send {result}"),
            Assignment::MoveAndSend => write!(f, "r{d} = send {result}"),
            Assignment::FetchAndAddress => write!(f, "r{d} = parameter; address = {result}"),
            Assignment::MoveAndAddressThenFetchAndSend => write!(f, "r{d} = address = {result}; send parameter"),
            Assignment::MoveAndAddressThenSendIncrement => write!(f, "r{d} = address = {result}; send its increment"),
        }?;
        f.write_str(end(exit))
    }
}

/// What is said of an instruction that ends its macro.
fn end(exit: bool) -> &'static str {
    if exit { "; exit after the next" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_texts() {
        let text = |at, word| Text { at, word }.to_string();
        assert_eq!(text(0, 0x0000_0200), "r2 = parameter");
        assert_eq!(text(0, 0x0740_0021), "r0 = address = 0x1d00");
        assert_eq!(text(0, 0x0000_CD40), "r5 = send r1 + r3");
        assert_eq!(text(0, 0x0003_16C0), "r6 = send r2 +c r4; exit after the next");
        assert_eq!(text(4, 0xFFFF_8817), "if r1 != 0 goto 2 after the next");
        assert_eq!(text(1, 0x0000_C8A7), "if r1 == 0 goto 4; exit after the next");
        assert_eq!(text(0, 0x0342_0245), "r2 = send method[0x3420]");
        assert_eq!(text(0, 0x8208_8B42), "r3 = send insert(r1, r2 >> 4, 8 bits at 16)");
        assert_eq!(text(0, 0x0000_0006), "unknown 0x00000006");
    }

    #[test]
    fn every_word_is_read_and_written_back() {
        for word in (0..u32::MAX - 0x0100_0193).step_by(0x0100_0193) {
            let mut written = [word & !0x8];
            Instruction::read(&[word]).write(&mut written);
            assert_eq!(written[0], word & !0x8);
        }
    }
}
