//! Where control goes.

use super::{FindingCode, Findings, Subject};
use crate::codes::Test;
use crate::instruction::Instruction;
use crate::operand::PredSource;
use crate::program::Code;
use crate::table::{Class, FlowOp, Op};
use std::collections::HashSet;

/// Whether the instruction executes in every active lane.
fn unconditional(instruction: &Instruction) -> bool {
    instruction.guard() == PredSource::TRUE && instruction.test() == Test::T
}

/// Whether control can get from an instruction to the next one.
fn falls_through(instruction: &Instruction) -> bool {
    use FlowOp::*;
    let Class::Flow(op) = instruction.op().class() else { return true };
    let leaves = match op {
        Bra | Brx | Jmp | Jmx | Sync | Brk | Cont | Ret | Longjmp | Exit => true,
        // Calls come back; KIL ends no lane of a program whose header does not announce it.
        Ssy | Pbk | Pcnt | Pret | Plongjmp | Pexit | Cal | Jcal | Kil | Sam | Ram => false,
    };
    !(leaves && unconditional(instruction))
}

/// The instructions that control can reach. A branch to a register can reach any.
pub(super) fn reachable(code: &Code) -> Vec<bool> {
    let instructions = code.instructions();
    let mut reachable = vec![false; instructions.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let Some(reached) = reachable.get_mut(index) else { continue };
        if std::mem::replace(reached, true) {
            continue;
        }
        let instruction = &instructions[index];
        if matches!(instruction.op(), Op::Brx | Op::Jmx) {
            return vec![true; instructions.len()];
        }
        if falls_through(instruction) {
            open.push(index + 1);
        }
        open.extend(instruction.target(Code::address(index)).and_then(|target| code.index_at(target)));
    }
    reachable
}

/// What makes the token that an instruction needs.
fn makers(op: Op) -> Option<(&'static [Op], &'static str)> {
    use FlowOp::*;
    let Class::Flow(op) = op.class() else { return None };
    match op {
        Sync => Some((&[Op::Ssy], "an SSY")),
        Brk => Some((&[Op::Pbk], "a PBK")),
        Cont => Some((&[Op::Pcnt], "a PCNT")),
        Ret => Some((&[Op::Cal, Op::Jcal, Op::Pret], "a call")),
        Longjmp => Some((&[Op::Plongjmp], "a PLONGJMP")),
        Ram => Some((&[Op::Sam], "a SAM")),
        Bra | Brx | Jmp | Jmx | Ssy | Pbk | Pcnt | Pret | Cal | Jcal | Pexit | Plongjmp | Exit | Kil | Sam => None,
    }
}

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    let code = &subject.program.code;
    let there: HashSet<Op> = subject.instructions().map(|(_, _, instruction)| instruction.op()).collect();
    for (index, at, instruction) in subject.instructions() {
        let name = instruction.row().name;
        let indexed = matches!(instruction.op(), Op::Brx | Op::Jmx);
        if let Some(target) = instruction.target(at)
            && code.index_at(target).is_none()
            && !indexed
        {
            let message = format!("{name} goes to {target:#x}, where no instruction is");
            let help = "targets are byte addresses of instructions, or of the control words before them";
            findings.at(FindingCode::TargetOutside, index, message, help);
        }
        if index + 1 == code.instructions().len() && falls_through(instruction) {
            let message = "control goes past the last instruction";
            findings.at(FindingCode::RunsOff, index, message, "end the program with EXIT");
        }
        if let Some((makers, what)) = makers(instruction.op())
            && !makers.iter().any(|maker| there.contains(maker))
        {
            let message = format!("{name} without {what} anywhere before it");
            findings.at(FindingCode::NoToken, index, message, format!("put {what} where the region begins"));
        }
    }
    let mut index = 0;
    while index < subject.reachable.len() {
        let run = subject.reachable[index..].iter().take_while(|reached| !**reached).count();
        let instructions = &code.instructions()[index..index + run];
        // Compilers fill bundles up, and put a branch to itself after the end.
        if instructions.iter().any(|instruction| !matches!(instruction.op(), Op::Nop | Op::Bra)) {
            let message = match run {
                1 => "nothing reaches this instruction".to_owned(),
                _ => format!("nothing reaches this instruction and the {} after it", run - 1),
            };
            findings.at(
                FindingCode::Unreachable,
                index,
                message,
                "remove it, or correct the branch that should lead here",
            );
        }
        index += run.max(1);
    }
}
