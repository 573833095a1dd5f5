//! The texts of instructions by their places.

use crate::Program;
use ctm_follow::InstructionPlace;
use ctm_sm50::Code;

impl Program {
    /// All instructions, in the order of a listing, with their texts. Clauses of R700 come after the instruction that is the first
    /// to run them; the text of a group has a line for each of its slots.
    pub fn listing(&self) -> Vec<(InstructionPlace, String)> {
        match self {
            Program::X1k(program) => x1k(program),
            Program::R700(program) => ctm_r700::text::steps(program),
            Program::Sm50(program) => sm50(&program.code),
            Program::Pvs(program) => pvs(program),
        }
    }

    /// The text of an instruction, if there is one at this place. Whoever wants many takes them from [`listing`](Self::listing).
    pub fn instruction(&self, place: impl Into<InstructionPlace>) -> Option<String> {
        let place = place.into();
        self.listing().into_iter().find_map(|(at, text)| (at == place).then_some(text))
    }
}

pub(crate) fn x1k(program: &ctm_x1k::Program) -> Vec<(InstructionPlace, String)> {
    let instruction = |at| (InstructionPlace::from(at as u32), ctm_x1k::text::print_instruction_at(program, at));
    (0..program.code.len()).map(instruction).collect()
}

pub(crate) fn sm50(code: &Code) -> Vec<(InstructionPlace, String)> {
    let instruction = |(index, instruction)| {
        let at = Code::address(index);
        (InstructionPlace::from(at), ctm_sm50::text::print_instruction(instruction, at))
    };
    code.instructions().iter().enumerate().map(instruction).collect()
}

pub(crate) fn pvs(program: &ctm_pvs::Program) -> Vec<(InstructionPlace, String)> {
    let text = |(at, instruction)| (InstructionPlace::from(at as u32), ctm_pvs::text::print_instruction(instruction));
    program.code.iter().enumerate().map(text).collect()
}
