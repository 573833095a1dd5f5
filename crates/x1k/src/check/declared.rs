//! What the program says about itself against what its code does.

use super::{Finding, FindingCode, Subject};
use crate::codes::{AlphaOp, RgbOp};
use crate::effects::{Effects, temps_used};
use crate::instruction::{Instruction, Operand, inline_constant};
use crate::program::{References, TEMPS, WriteMode};
use std::collections::BTreeSet;

pub fn check(subject: &Subject, findings: &mut Vec<Finding>) {
    let program = subject.program;
    let (info, declared) = (&program.info, &program.references);
    let used = References::of(&program.code, info);

    for (what, used, declared) in [
        ("input", &used.inputs, &declared.inputs),
        ("output", &used.outputs, &declared.outputs),
        ("float constant", &used.float_constants, &declared.float_constants),
        ("integer constant", &used.int_constants, &declared.int_constants),
        ("boolean constant", &used.bool_constants, &declared.bool_constants),
    ] {
        let missing: BTreeSet<u8> = used.difference(declared).copied().collect();
        if !missing.is_empty() {
            findings.push(Finding::new(
                FindingCode::Undeclared,
                None,
                format!("the code uses {what} {}, which the program does not declare", spell_numbers(&missing)),
                "declare it: the device sets up, and writes, only what is declared",
            ));
        }
    }
    let unwritten: BTreeSet<u8> = declared.outputs.difference(&used.outputs).copied().collect();
    if !unwritten.is_empty() && info.write_mode == WriteMode::Cached {
        findings.push(Finding::new(
            FindingCode::UnwrittenOutput,
            None,
            format!("output {} is declared, but no instruction writes it", spell_numbers(&unwritten)),
            "write it, or remove the declaration: as it is, zeros are written",
        ));
    }

    let from_program = info.cond_value_from_program || declared.cond_output;
    if used.cond_output && !from_program {
        let first = subject.effects.iter().position(|effects| effects.cond_value_written);
        findings.push(Finding::new(
            FindingCode::CondValueLost,
            first,
            "writes the conditional value, but the program does not say that it has one",
            "declare that the conditional value comes from the program (FG_DEPTH_SRC)",
        ));
    } else if from_program && !used.cond_output {
        findings.push(Finding::new(
            FindingCode::CondValueMissing,
            None,
            "the conditional value is to come from the program, but no instruction writes it",
            "write it (W_OMASK), or remove the declaration: as it is, the value of the command stream is used",
        ));
    }

    let (temps, count) = (temps_used(&program.code), usize::from(info.temps));
    if count != 0 && temps > count {
        findings.push(Finding::new(
            FindingCode::TempBeyondCount,
            None,
            format!("the program declares {count} temporaries, its code uses {temps}"),
            format!("declare {temps}{}", if temps == TEMPS { " (as 0)" } else { "" }),
        ));
    }

    for (pc, instruction, effects) in subject.instructions() {
        instruction_notes(pc, instruction, effects, subject, findings);
    }
}

fn instruction_notes(
    pc: usize,
    instruction: &Instruction,
    effects: &Effects,
    subject: &Subject,
    findings: &mut Vec<Finding>,
) {
    let info = &subject.program.info;
    if instruction.common.last && pc != info.last_address() && !info.early_exit {
        findings.push(Finding::new(
            FindingCode::LastWithoutEarlyExit,
            Some(pc),
            "LAST is set before the end address, but the program declares no early exit: it is ignored",
            "declare the early exit, or remove LAST",
        ));
    }
    if let Some(alu) = instruction.alu()
        && (effects.rgb_used != 0 && matches!(alu.rgb.op, RgbOp::Mdh | RgbOp::Mdv)
            || effects.alpha_used && matches!(alu.alpha.op, AlphaOp::Mdh | AlphaOp::Mdv))
    {
        findings.push(Finding::new(
            FindingCode::QuadOperation,
            Some(pc),
            "MDH and MDV take values of neighbouring lanes; CTM 1.01 does not list them",
            "nothing to do here; a CTM driver may refuse the program",
        ));
    }
    let small: BTreeSet<u8> = effects
        .reads
        .iter()
        .filter_map(|read| match read.operand {
            Operand::Inline(code) if code < 8 => Some(code),
            Operand::Inline(_) | Operand::Temp { .. } | Operand::Const { .. } => None,
        })
        .collect();
    for code in small {
        let (here, mesa) = (inline_constant(code), inline_constant(code + 8) / 2.0);
        findings.push(Finding::new(
            FindingCode::SmallInlineConstant,
            Some(pc),
            format!("inline constant {code} is {here} here; Mesa's r300 compiler takes it for {mesa}"),
            "if Mesa made this code, it means the second value; swizzle 0 gives a zero that nobody disagrees on",
        ));
    }
}

fn spell_numbers(numbers: &BTreeSet<u8>) -> String {
    let mut spelled = String::new();
    let mut numbers = numbers.iter().copied().peekable();
    while let Some(first) = numbers.next() {
        let mut last = first;
        while let Some(next) = numbers.next_if(|next| Some(*next) == last.checked_add(1)) {
            last = next;
        }
        let comma = if spelled.is_empty() { "" } else { ", " };
        spelled += &match last - first {
            0 => format!("{comma}{first}"),
            _ => format!("{comma}{first} to {last}"),
        };
    }
    spelled
}
