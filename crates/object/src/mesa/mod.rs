//! Logs of Mesa's drivers: machine code that they compiled, as their debug switches print it.

mod r300;
mod r600;

use thiserror::Error;

/// The driver that wrote a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// r300, for R500 chips: programs of X1K.
    R300,
    /// r600, for R600 and R700 chips.
    R600,
}

/// Why a log is not a program. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MesaError {
    /// There is no machine code.
    #[error(
        "no line says `R500 Fragment Program:`, nor `... dw ... gprs ... stack`; run the program with RADEON_DEBUG=fp \
         (r300) or R600_DEBUG=ps,vs (r600) and keep what it prints"
    )]
    NoProgram,
    /// The wanted program is not there.
    #[error("the log has {count} programs, numbered from 0; there is no number {index}")]
    NoSuchProgram {
        /// The number that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A program has no instructions.
    #[error("line {line}: no instruction follows the heading")]
    Empty {
        /// Line of the heading.
        line: usize,
    },
    /// Something else stands where a dword should.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// Line number.
        line: usize,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A dword of an instruction is missing.
    #[error("line {line}: instruction {instruction} has no dword {dword} ({name}); is the log cut off?")]
    MissingDword {
        /// Line where the instruction begins.
        line: usize,
        /// Address of the instruction.
        instruction: usize,
        /// Number of the dword.
        dword: usize,
        /// Name of the dword in the log.
        name: &'static str,
    },
    /// A program for a chip of another family.
    #[error("line {line}: the program is for {chip}; only those for R600 and R700 can be read")]
    Chip {
        /// Line number.
        line: usize,
        /// The chip, as the log names it.
        chip: String,
    },
    /// A program ends before its length.
    #[error("line {line}: the heading says {expected} dwords, but the listing has {found}; is the log cut off?")]
    CutOff {
        /// Line of the heading.
        line: usize,
        /// Dwords that the program has.
        expected: usize,
        /// Dwords that the listing has.
        found: usize,
    },
    /// A dword has two values.
    #[error("line {line}: dword {index} has another value already")]
    Conflict {
        /// Line number.
        line: usize,
        /// Place of the dword in the program.
        index: usize,
    },
    /// More instructions than the machine holds.
    #[error("line {line}: more instructions than the machine holds")]
    TooLong {
        /// Line of the first one too many.
        line: usize,
    },
}

/// The programs of a log. If it has some for R500, others are not looked at.
enum Programs<'a> {
    R300(Vec<r300::Found<'a>>),
    R600(Vec<r600::Found>),
}

fn find(dump: &str) -> Programs<'_> {
    let r300 = r300::find(dump);
    if r300.is_empty() { Programs::R600(r600::find(dump)) } else { Programs::R300(r300) }
}

impl Programs<'_> {
    fn count(&self) -> usize {
        match self {
            Programs::R300(found) => found.len(),
            Programs::R600(found) => found.len(),
        }
    }

    fn import(&self, index: usize) -> Result<String, MesaError> {
        match self {
            Programs::R300(found) => r300::import(&found[index]),
            Programs::R600(found) => r600::import(&found[index]),
        }
    }
}

/// The driver that wrote a log, if there is a program in it.
pub fn driver(dump: &str) -> Option<Driver> {
    match find(dump) {
        Programs::R300(_) => Some(Driver::R300),
        Programs::R600(found) => (!found.is_empty()).then_some(Driver::R600),
    }
}

/// The number of programs in a log.
pub fn count(dump: &str) -> usize {
    find(dump).count()
}

/// Turns the last program of a log into assembly text, of X1K or R700 as [`driver`] says.
///
/// # Errors
/// The log has no program, or the program is damaged.
pub fn import(dump: &str) -> Result<String, MesaError> {
    let programs = find(dump);
    programs.import(programs.count().checked_sub(1).ok_or(MesaError::NoProgram)?)
}

/// Turns all programs of a log, in order, into assembly text; see [`import`].
pub fn import_all(dump: &str) -> impl ExactSizeIterator<Item = Result<String, MesaError>> {
    let programs = find(dump);
    (0..programs.count()).map(move |index| programs.import(index))
}

/// Turns the program with this number of a log, from 0, into assembly text; see [`import`].
///
/// # Errors
/// As [`import`], or there is no such program.
pub fn import_nth(dump: &str, index: usize) -> Result<String, MesaError> {
    let programs = find(dump);
    match programs.count() {
        0 => Err(MesaError::NoProgram),
        count if index >= count => Err(MesaError::NoSuchProgram { index, count }),
        _ => programs.import(index),
    }
}
