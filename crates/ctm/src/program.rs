//! Programs of any machine.

use crate::{Error, Machine};
use ctm_sm50::launch::Shader;

/// A program of one of the machines.
#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    /// One of X1K.
    X1k(ctm_x1k::Program),
    /// One of R700.
    R700(ctm_r700::Program),
    /// One of SM50.
    Sm50(ctm_sm50::Program),
}

impl Program {
    /// Assembles a text. Texts that `#include` others are assembled by the machine's own `text::parse_with`.
    ///
    /// # Errors
    /// [`Error::Text`]: all that is wrong with it.
    pub fn assemble(machine: Machine, text: &str) -> Result<Self, Error> {
        Ok(match machine {
            Machine::X1k => Program::X1k(ctm_x1k::text::parse(text)?.program),
            Machine::R700 => Program::R700(ctm_r700::text::parse(text)?.program),
            Machine::Sm50 => Program::Sm50(ctm_sm50::text::parse(text)?.program),
        })
    }

    /// The machine that it is for.
    pub const fn machine(&self) -> Machine {
        match self {
            Program::X1k(_) => Machine::X1k,
            Program::R700(_) => Machine::R700,
            Program::Sm50(_) => Machine::Sm50,
        }
    }

    /// Its assembly text, which assembles to the same program.
    pub fn disassemble(&self) -> String {
        match self {
            Program::X1k(program) => ctm_x1k::text::print_program(program),
            Program::R700(program) => ctm_r700::text::print_program(program),
            Program::Sm50(program) => ctm_sm50::text::print_program(program),
        }
    }

    /// A stage of a pipeline, for [`Draw`](ctm_sm50::pipeline::Draw).
    ///
    /// # Errors
    /// It is a program of another machine than SM50.
    pub fn shader(&self) -> Result<Shader<'_>, Error> {
        match self {
            Program::Sm50(program) => Ok(program.into()),
            Program::X1k(_) | Program::R700(_) => {
                Err(Error::Machine { machine: self.machine(), wanted: "a stage of a pipeline is one of SM50" })
            }
        }
    }
}

impl From<ctm_x1k::Program> for Program {
    fn from(program: ctm_x1k::Program) -> Self {
        Program::X1k(program)
    }
}

impl From<ctm_r700::Program> for Program {
    fn from(program: ctm_r700::Program) -> Self {
        Program::R700(program)
    }
}

impl From<ctm_sm50::Program> for Program {
    fn from(program: ctm_sm50::Program) -> Self {
        Program::Sm50(program)
    }
}
