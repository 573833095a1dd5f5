//! The fragment program that the registers hold (US), and the test after it (FG).

use super::known::{KnownProgram, ProgramCache};
use crate::registers::codes::AlphaFunction;
use crate::registers::{
    FgAlphaFunc, FgAlphaValue, FgDepthSrc, RegisterFile, UsCodeAddr, UsCodeOffset, UsCodeRange, UsConfig,
    UsFcBoolConst, UsFcCtrl, UsFcIntConst,
};
use crate::state::State;
use ctm_card::history::AlphaHistory;
use ctm_num::convert::f16_to_f32;
use ctm_pipeline::AlphaTest;
use ctm_raster::depth::CompareFunction;
use ctm_x1k::{Body, Constants, Instruction, IntConstant, Program, ProgramInfo, References, TexOp};
use std::cell::RefCell;
use std::sync::Arc;

/// The program.
pub fn fragment_program(state: &State) -> Program {
    let (words, info) = fragment_words(state);
    decoded(words, info)
}

/// Programs that draws have had.
pub type FragmentPrograms = ProgramCache<6, ProgramInfo, Program>;

/// The program, from among those that draws have had if there are such.
pub fn known_program(state: &State, known: Option<&RefCell<FragmentPrograms>>) -> Arc<KnownProgram<Program>> {
    let (words, info) = fragment_words(state);
    match known.and_then(|known| known.try_borrow_mut().ok()) {
        Some(mut known) => known.get(words, info, |info| decoded(words, *info)),
        None => Arc::new(KnownProgram::new(decoded(words, info), &words)),
    }
}

/// The words of the program, and what registers say of it.
fn fragment_words(state: &State) -> (&[[u32; 6]], ProgramInfo) {
    let registers = &state.registers;
    let (address, range) = (registers.get::<UsCodeAddr>(), registers.get::<UsCodeRange>());
    let offset = registers.get::<UsCodeOffset>().offset;
    let last = offset + address.end.max(range.start + range.size);
    let words = state.fragment_code.elements();
    let end = (usize::from(last) + 1).min(words.len());
    let info = ProgramInfo {
        start: address.start,
        end: address.end,
        code_offset: offset,
        full_flow_control: registers.get::<UsFcCtrl>().full,
        zero_times_anything: registers.get::<UsConfig>().zero_times_anything,
        position: None,
        ..ProgramInfo::default()
    };
    (&words[..end], info)
}

fn decoded(words: &[[u32; 6]], info: ProgramInfo) -> Program {
    Program {
        code: words.iter().map(Instruction::decode).collect(),
        info,
        references: References { outputs: (0..4).collect(), ..References::default() },
        ..Program::default()
    }
}

/// Its constants.
pub fn fragment_constants(state: &State) -> Constants {
    let mut constants = Constants::default();
    constants.floats.copy_from_slice(state.fragment_constants.elements());
    for (number, constant) in (0..).zip(&mut constants.ints) {
        let register = state.registers.at::<UsFcIntConst>(number);
        *constant = IntConstant { count: register.count, init: register.start, step: register.step.cast_signed() };
    }
    let bools = state.registers.get::<UsFcBoolConst>().value;
    for (number, constant) in constants.bools.iter_mut().enumerate() {
        *constant = bools >> number & 1 != 0;
    }
    constants
}

/// Whether a program can kill fragments.
pub fn kills(program: &Program) -> bool {
    program.code.iter().any(|instruction| matches!(&instruction.body, Body::Tex(tex) if tex.op == TexOp::Texkill))
}

/// What is done with a fragment after the program.
#[derive(Clone, Copy, Debug)]
pub struct AlphaUnit {
    control: FgAlphaFunc,
    reference: f32,
    /// Depth is the program's W.
    pub depth_from_program: bool,
}

impl AlphaUnit {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        AlphaUnit {
            control: registers.get::<FgAlphaFunc>(),
            reference: f32::from_bits(f16_to_f32(registers.get::<FgAlphaValue>().reference)),
            depth_from_program: registers.get::<FgDepthSrc>().program,
        }
    }

    /// Whether it can drop fragments or samples.
    pub fn drops(&self) -> bool {
        self.control.enable || self.control.to_mask
    }

    /// Whether alpha says how many samples stay of a fragment.
    pub fn chooses_samples(&self) -> bool {
        self.control.to_mask
    }

    /// The samples, of so many, that stay of a fragment with this alpha.
    pub fn samples(&self, alpha: u32, samples: u32) -> u8 {
        if self.test().is_some_and(|test| !test.passes(alpha)) {
            return 0;
        }
        let all = ((1u32 << samples) - 1) as u8;
        if !self.control.to_mask || samples == 1 {
            return all;
        }
        let kept = (f32::from_bits(alpha).clamp(0.0, 1.0) * samples as f32 + 0.5).floor() as u32;
        all & ((1u32 << kept) - 1) as u8
    }

    /// What it would do, if it does anything.
    pub fn examine(&self, alpha: u32, samples: u32) -> Option<AlphaHistory> {
        let test = self.test().map(|test| {
            let (alpha, reference) = test.compared(alpha);
            (self.control.function.name(), alpha, reference)
        });
        self.drops().then(|| AlphaHistory { test, passed: self.samples(alpha, samples) })
    }

    /// The test, if there is one.
    pub fn test(&self) -> Option<AlphaTest> {
        let function = match self.control.function {
            AlphaFunction::Never => CompareFunction::Never,
            AlphaFunction::Less => CompareFunction::Less,
            AlphaFunction::Equal => CompareFunction::Equal,
            AlphaFunction::LessEqual => CompareFunction::LessOrEqual,
            AlphaFunction::Greater => CompareFunction::Greater,
            AlphaFunction::NotEqual => CompareFunction::NotEqual,
            AlphaFunction::GreaterEqual => CompareFunction::GreaterOrEqual,
            AlphaFunction::Always => CompareFunction::Always,
        };
        let reference = u32::from(self.control.reference);
        self.control.enable.then(|| match (self.control.float16, self.control.eight_bits) {
            (true, _) => AlphaTest::Half { function, reference: self.reference.to_bits() },
            (false, true) => AlphaTest::Code { function, max: 255, reference },
            // The nearest code.
            (false, false) => AlphaTest::Code { function, max: 1023, reference: (2 * reference * 1023 + 255) / 510 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(control: u32, value: u32) -> AlphaUnit {
        let mut registers = crate::registers::after_reset();
        registers.write(0x4BD4, control);
        registers.write(0x4BE0, value);
        AlphaUnit::of(&registers)
    }

    #[test]
    fn alpha_is_compared_as_the_mode_says() {
        let passes = |unit: AlphaUnit, alpha: f32| unit.samples(alpha.to_bits(), 1) != 0;
        // Greater than 127 of 255.
        let eight = unit(127 | 4 << 8 | 1 << 11 | 1 << 12, 0);
        assert!(passes(eight, 0.5) && !passes(eight, 0.498));
        // Less than 0.5 as binary16.
        let half = unit(1 << 8 | 1 << 11 | 1 << 28, 0x3800);
        assert!(passes(half, 0.4997) && !passes(half, 0.49999));
        assert!(passes(unit(0, 0), 0.0), "no test");
    }

    #[test]
    fn alpha_makes_a_mask_of_samples() {
        let unit = unit(1 << 16, 0);
        let masks = [0.0f32, 0.1, 0.5, 0.9, 1.0].map(|alpha| unit.samples(alpha.to_bits(), 4));
        assert_eq!(masks, [0, 0, 3, 15, 15]);
        assert_eq!(unit.samples(0, 1), 1, "without multisampling there is no mask");
    }
}
