//! Programs of any machine.

use crate::{Error, Finding, Machine, ProgramUse};
use ctm_pvs::lift::Layout;
use ctm_r700::{ExportTarget, Uses, Wavefront};
use ctm_sm50::launch::Shader;
use ctm_text::Loader;
use ctm_text::findings::Severity;
use std::collections::BTreeSet;

/// A program of one of the machines.
#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    /// One of X1K.
    X1k(ctm_x1k::Program),
    /// One of R700.
    R700(ctm_r700::Program),
    /// One of SM50.
    Sm50(ctm_sm50::Program),
    /// A vertex program of R3xx to R5xx cards.
    Pvs(ctm_pvs::Program),
}

impl Program {
    /// Assembles a text that includes no others.
    ///
    /// # Errors
    /// [`Error::Text`]: all that is wrong with it.
    pub fn assemble(machine: Machine, text: &str) -> Result<Self, Error> {
        Ok(match machine {
            Machine::X1k => Program::X1k(ctm_x1k::text::parse(text)?.program),
            Machine::R700 => Program::R700(ctm_r700::text::parse(text)?.program),
            Machine::Sm50 => Program::Sm50(ctm_sm50::text::parse(text)?.program),
            Machine::Pvs => Program::Pvs(ctm_pvs::text::parse(text)?.program),
        })
    }

    /// Assembles a text that messages call by this name, and that may `#include` others, which the loader gives.
    ///
    /// # Errors
    /// [`Error::Text`]: all that is wrong with it.
    pub fn assemble_with(machine: Machine, name: &str, text: &str, loader: &mut Loader<'_>) -> Result<Self, Error> {
        Ok(match machine {
            Machine::X1k => Program::X1k(ctm_x1k::text::parse_with(name, text, loader)?.program),
            Machine::R700 => Program::R700(ctm_r700::text::parse_with(name, text, loader)?.program),
            Machine::Sm50 => Program::Sm50(ctm_sm50::text::parse_with(name, text, loader)?.program),
            Machine::Pvs => Program::Pvs(ctm_pvs::text::parse_with(name, text, loader)?.program),
        })
    }

    /// The machine that it is for.
    pub const fn machine(&self) -> Machine {
        match self {
            Program::X1k(_) => Machine::X1k,
            Program::R700(_) => Machine::R700,
            Program::Sm50(_) => Machine::Sm50,
            Program::Pvs(_) => Machine::Pvs,
        }
    }

    /// Its assembly text, which assembles to the same program.
    pub fn disassemble(&self) -> String {
        match self {
            Program::X1k(program) => ctm_x1k::text::print_program(program),
            Program::R700(program) => ctm_r700::text::print_program(program),
            Program::Sm50(program) => ctm_sm50::text::print_program(program),
            Program::Pvs(program) => ctm_pvs::text::print_program(program),
        }
    }

    /// What part of a pipeline it is, in a word: "pixel", "vertex", "compute".
    pub fn stage(&self) -> &'static str {
        match self {
            Program::X1k(_) => "pixel",
            Program::R700(program) => program.info.stage.name(),
            Program::Sm50(program) => program.header.as_ref().map_or("compute", |header| header.stage.name()),
            Program::Pvs(_) => "vertex",
        }
    }

    /// The numbers of the inputs that it reads, of textures where it is one of R700, of vectors of a vertex where it is one of PVS, in
    /// order. Programs of SM50 have none.
    pub fn inputs(&self) -> Vec<u8> {
        match self {
            Program::X1k(program) => program.references.inputs.iter().copied().collect(),
            Program::R700(program) => Uses::of(program).of_stage.textures.into_iter().collect(),
            Program::Sm50(_) => Vec::new(),
            Program::Pvs(program) => Layout::of(program).inputs,
        }
    }

    /// The numbers of the outputs that it writes, of colours where it is one of R700, of vectors of a vertex where it is one of
    /// PVS, in order. Programs of SM50 have none.
    pub fn outputs(&self) -> Vec<u8> {
        match self {
            Program::X1k(program) => program.references.outputs.iter().copied().collect(),
            Program::R700(program) => {
                let colour = |target: &ExportTarget| match target {
                    ExportTarget::Colour(number) => u8::try_from(*number).ok(),
                    _ => None,
                };
                let numbers: BTreeSet<u8> = Uses::of(program).exports.iter().filter_map(colour).collect();
                numbers.into_iter().collect()
            }
            Program::Sm50(_) => Vec::new(),
            Program::Pvs(program) => Layout::of(program).outputs,
        }
    }

    /// A stage of a pipeline, for [`Draw`](ctm_sm50::pipeline::Draw).
    ///
    /// # Errors
    /// It is a program of another machine than SM50, or its check finds errors.
    pub fn shader(&self) -> Result<Shader<'_>, Error> {
        match self {
            Program::Sm50(program) => {
                self.require_no_errors()?;
                Ok(program.into())
            }
            Program::X1k(_) | Program::R700(_) | Program::Pvs(_) => {
                Err(Error::Machine { machine: self.machine(), wanted: ProgramUse::Stage })
            }
        }
    }
}

impl Program {
    /// Refuses to execute a program in which its check finds errors.
    pub(crate) fn require_no_errors(&self) -> Result<(), Error> {
        let errors: Vec<Finding> =
            self.check().into_iter().filter(|finding| finding.severity == Severity::Error).collect();
        if errors.is_empty() { Ok(()) } else { Err(Error::Illegal(errors)) }
    }

    /// Checks the program: findings about the whole program first, then in the order of addresses.
    pub fn check(&self) -> Vec<Finding> {
        match self {
            Program::X1k(program) => {
                let finding = |ctm_x1k::check::Finding { code, severity, pc, message, help }| Finding {
                    code: code.as_str(),
                    severity,
                    address: pc.map(|pc| pc as u32),
                    message,
                    help,
                };
                ctm_x1k::check::check(program).into_iter().map(finding).collect()
            }
            Program::R700(program) => {
                let finding = |ctm_r700::check::Finding { code, severity, pc, slot, message, help }| Finding {
                    code: code.as_str(),
                    severity,
                    address: slot.or(pc),
                    message,
                    help,
                };
                ctm_r700::check::check(program, Wavefront::default()).into_iter().map(finding).collect()
            }
            Program::Sm50(program) => {
                let finding = |ctm_sm50::check::Finding { code, severity, index, message, help }| Finding {
                    code: code.as_str(),
                    severity,
                    address: index.map(|index| index as u32),
                    message,
                    help,
                };
                ctm_sm50::check::check(program).into_iter().map(finding).collect()
            }
            Program::Pvs(program) => {
                let finding = |ctm_pvs::check::Finding { code, pc, message, help }| Finding {
                    code: code.as_str(),
                    severity: code.severity(),
                    address: pc.map(|pc| pc as u32),
                    message,
                    help,
                };
                ctm_pvs::check::check(program).into_iter().map(finding).collect()
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

impl From<ctm_pvs::Program> for Program {
    fn from(program: ctm_pvs::Program) -> Self {
        Program::Pvs(program)
    }
}
