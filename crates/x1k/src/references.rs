//! What the code of a program references and implies, for the notes of its image.

use crate::codes::{AddressOp, BranchOp, FlowOp};
use crate::effects::{Effects, temps_used};
use crate::instruction::{Body, Instruction, Operand};
use crate::program::{ConstantValues, FLOAT_CONSTANTS, Program, ProgramInfo, References, TEMPS, WriteMode};

impl Program {
    /// A program of just these instructions, with the program information and the references that they imply.
    pub fn from_code(code: Vec<Instruction>) -> Self {
        let info = ProgramInfo::implied(&code, 0, None);
        Program { references: References::of(&code, &info), info, code, constants: ConstantValues::default() }
    }
}

impl ProgramInfo {
    /// The program information that code implies, with this code offset and end address.
    ///
    /// The end, if none is given, is the last instruction. Flow control is full where there are loops, calls or more than
    /// six levels of branches (CTM Guide p.34). The conditional value comes from the program if an instruction writes it.
    /// There is an early exit if LAST stands before the end.
    pub fn implied(code: &[Instruction], code_offset: u16, end: Option<u16>) -> Self {
        let end = end.unwrap_or((code.len().max(1) - 1).saturating_sub(usize::from(code_offset)) as u16);
        let last = usize::from(end) + usize::from(code_offset);
        ProgramInfo {
            end,
            code_offset,
            full_flow_control: needs_full_flow_control(code),
            cond_value_from_program: code.iter().filter_map(Instruction::alu).any(|alu| alu.w_omask),
            temps: (temps_used(code) % TEMPS) as u8,
            early_exit: code.iter().take(last).any(|instruction| instruction.common.last),
            ..ProgramInfo::default()
        }
    }
}

fn needs_full_flow_control(code: &[Instruction]) -> bool {
    const PARTIAL_DEPTH: usize = 6;
    let mut depth: usize = 0;
    code.iter().any(|instruction| {
        let Body::Flow(flow) = &instruction.body else { return false };
        match flow.b_op0 {
            BranchOp::Incr => depth += 1,
            BranchOp::Decr => depth = depth.saturating_sub(usize::from(flow.b_pop_cnt)),
            BranchOp::None | BranchOp::Reserved3 => {}
        }
        flow.op != FlowOp::Jump || flow.a_op != AddressOp::None || depth > PARTIAL_DEPTH
    })
}

impl References {
    /// What this code references (CTM Guide p.46-49).
    ///
    /// - Inputs: of every instruction that fetches.
    /// - Outputs: of every OUT with a mask, of either unit; a program of immediate (UMRT) writes has output 0 only.
    /// - Float constants: those that an operand of an operation with an effect takes, directly or through the
    ///   presubtract operation. `const[n + aL]` references every constant from `n` up: how far aL goes depends on
    ///   integer constants that the code does not have, and in a loop that counts up from zero it reaches no lower one.
    /// - Integer constants: those that loop heads and loop ends name.
    /// - Boolean constants: those that a jump condition depends on.
    pub fn of(code: &[Instruction], info: &ProgramInfo) -> Self {
        let mut references = References::default();
        if info.write_mode == WriteMode::Umrt {
            references.outputs.insert(0);
        }
        for instruction in code {
            let effects = Effects::of(instruction, info.write_mode);
            references.inputs.extend(effects.input);
            references.int_constants.extend(effects.int_constant);
            references.bool_constants.extend(effects.bool_constant);
            references.cond_output |= effects.cond_value_written;
            for (output, channels) in (0..).zip(effects.outputs) {
                if channels != 0 {
                    references.outputs.insert(output);
                }
            }
            for read in effects.reads {
                match read.operand {
                    Operand::Const { index, relative: false } => {
                        references.float_constants.insert(index);
                    }
                    Operand::Const { index, relative: true } => {
                        references.float_constants.extend(index..=(FLOAT_CONSTANTS - 1) as u8);
                    }
                    Operand::Temp { .. } | Operand::Inline(_) => {}
                }
            }
        }
        references
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Words;

    fn of(words: &[Words], info: &ProgramInfo) -> References {
        References::of(&words.iter().map(Instruction::decode).collect::<Vec<_>>(), info)
    }

    const FETCH_3: Words = [0x7807, 0x0A43_0000, 0xE401_E400, 0, 0, 0];
    const KILL_5: Words = [0x7807, 0x0285_0000, 0x0000_E401, 0, 0, 0];
    const OUT_0: Words = [0x0007_8005, 0x0802_0000, 0x0802_0000, 0x0044_0220, 0x0060_C003, 0x0000_0005];
    const MAD_C4: Words = [0x7800, 0x0014_1000, 0x0014_1000, 0x0044_2220, 0x0068_C030, 0x1C22_2030];

    #[test]
    fn each_kind() {
        let found = of(&[FETCH_3, KILL_5, OUT_0, MAD_C4], &ProgramInfo::default());
        assert_eq!(found.inputs, [3].into());
        assert_eq!(found.outputs, [0].into());
        assert_eq!(found.float_constants, [4].into());
        assert!(!found.cond_output);
    }

    #[test]
    fn outputs_of_both_units() {
        let mut out = OUT_0;
        out[3] |= 2 << 29;
        out[4] |= 1 << 29 | 1 << 31;
        let found = of(&[out], &ProgramInfo::default());
        assert_eq!(found.outputs, [1, 2].into());
        assert!(found.cond_output);
        let umrt = ProgramInfo { write_mode: WriteMode::Umrt, ..ProgramInfo::default() };
        assert_eq!(of(&[out], &umrt).outputs, [0].into());
    }

    #[test]
    fn relative_constants() {
        let mut mad = MAD_C4;
        for word in &mut mad[1..3] {
            *word = *word & !(0xFF << 10) | 250 << 10 | 1 << 19;
        }
        assert_eq!(of(&[mad], &ProgramInfo::default()).float_constants, (250..=255).collect());
    }

    #[test]
    fn flow_control() {
        let end_rep = [0x402, 0, 0xFF24, 0x0010_0200, 0, 0];
        let if_b7 = [0x402, 0, 0x0200_5500, 0x0009_0007, 0, 0];
        let if_alu = [0x402, 0, 0x0200_0F00, 0x0009_0009, 0, 0];
        let found = of(&[end_rep, if_b7, if_alu], &ProgramInfo::default());
        assert_eq!(found.int_constants, [2].into());
        assert_eq!(found.bool_constants, [7].into());
    }
}
