//! Checks of a program: what cannot run, and likely mistakes.
//!
//! Every finding has a [`FindingCode`] that stays the same for ever: `PVS0..` for errors, `PVS1..` for warnings, `PVS2..` for
//! notes. [`FindingCode::explain`] has a page of text about each.

mod code;

pub use code::FindingCode;
pub use ctm_text::findings::Severity;

use crate::codes::{DestinationRegisters, SourceKind};
use crate::instruction::{AddressMode, Instruction, Source};
use crate::operation::{MathOp, Operation, VectorOp};
use crate::program::{ALTERNATES, FlowOp, INPUTS, MAX_INSTRUCTIONS, OUTPUTS, Program, TEMPORARIES};
use std::collections::BTreeSet;

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// Address of the instruction; none if the finding is about the program.
    pub pc: Option<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Checks a program: findings about the whole program first, then in the order of addresses.
pub fn check(program: &Program) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    addresses(program, &mut findings);
    flow(program, &mut findings);
    for (pc, instruction) in program.code.iter().enumerate() {
        words(pc, instruction, &mut findings);
        registers(pc, instruction, program, &mut findings);
    }
    values(program, &mut findings);
    let Findings(mut findings) = findings;
    findings.sort_by_key(|finding| (finding.pc, finding.code));
    findings
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, code: FindingCode, pc: Option<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(Finding { code, pc, message: message.into(), help: help.into() });
    }
}

fn addresses(program: &Program, findings: &mut Findings) {
    let count = program.code.len();
    if count == 0 || count > MAX_INSTRUCTIONS {
        let message = format!("the program has {count} instructions, it must have 1 to {MAX_INSTRUCTIONS}");
        findings.add(FindingCode::CodeSize, None, message, "leave out what nothing needs");
    }
    let (first, last) = (program.first, program.last);
    if first > last || usize::from(last) >= count {
        let message = format!("the program runs from {first} to {last}, but has {count} instructions");
        let help = "'.first' and '.last' name instructions, the first one before the last";
        findings.add(FindingCode::AddressRange, None, message, help);
    }
}

fn flow(program: &Program, findings: &mut Findings) {
    let count = program.code.len();
    for (number, entry) in program.flow.iter().enumerate().filter(|(_, entry)| entry.op != FlowOp::None) {
        let mut named = match entry.op {
            FlowOp::None => Vec::new(),
            FlowOp::Jump => vec![("target", entry.count_or_target)],
            FlowOp::Loop => vec![("resume", entry.resume), ("last", entry.last)],
            FlowOp::Call => {
                vec![("target", entry.count_or_target), ("last", entry.last), ("resume", entry.resume)]
            }
        };
        named.retain(|&(_, address)| usize::from(address) >= count);
        if let Some((name, address)) = named.first() {
            let message = format!(
                "entry {number} ({}) names instruction {address} as {name}, but there are {count}",
                entry.op.name()
            );
            findings.add(FindingCode::AddressRange, None, message, "name an instruction of the program, or a label");
        }
        if usize::from(entry.act) >= count || program.entry_at(entry.act).is_some_and(|(first, _)| first != number) {
            let message = format!("entry {number} ({}) never acts after instruction {}", entry.op.name(), entry.act);
            let help = "an entry acts after an instruction of the program; of several there only the lowest does";
            findings.add(FindingCode::NeverActs, None, message, help);
        }
        if entry.op == FlowOp::Loop && entry.count_or_target == 0 {
            let message = format!("entry {number} is a loop with a count of 0, which runs once");
            findings.add(FindingCode::EmptyLoop, None, message, "count the passes, 1 at least");
        }
    }
}

/// What no instruction may have.
fn words(pc: usize, instruction: &Instruction, findings: &mut Findings) {
    if instruction.operation() == Operation::Reserved {
        let engine = match (instruction.math, instruction.macro_op) {
            (false, false) => "the vector engine",
            (true, false) => "the math engine",
            (false, true) => "macro operations",
            (true, true) => "the math engine, of which there are no macro operations",
        };
        let message = format!("opcode {} is not an operation of {engine}", instruction.opcode);
        let help =
            "'ctm explain NAME' knows all operations; words of another program or byte order look like this, too";
        findings.add(FindingCode::ReservedOperation, Some(pc), message, help);
        return;
    }
    if instruction.dual_math {
        let message = "the last dword is a second operation (DUAL_MATH_OP), which is not supported";
        findings.add(FindingCode::DualMath, Some(pc), message, "make two instructions of it");
    }
    if instruction.writes() && instruction.destination.kind.written().is_none() {
        let message = format!("PVS_DST_REG_TYPE is {}, which is reserved", instruction.destination.kind as u8);
        findings.add(FindingCode::ReservedRegister, Some(pc), message, "write a temporary, an output or a0");
    }
    let modes = instruction.sources_read().map(|(_, source)| source.mode());
    let destination = instruction.writes().then(|| instruction.destination.mode());
    if modes.chain(destination).any(|mode| mode == AddressMode::Reserved) {
        let message = "an address mode is 3, which is reserved";
        findings.add(FindingCode::ReservedRegister, Some(pc), message, "add a component of a0, or aL, not both");
    }
}

/// Whether an operation sets the predicate.
pub fn sets_predicate(operation: Operation) -> bool {
    match operation {
        Operation::Vector(op) => matches!(
            op,
            VectorOp::PredSetEqPush | VectorOp::PredSetGtPush | VectorOp::PredSetGtePush | VectorOp::PredSetNeqPush
        ),
        Operation::Math(op) => matches!(
            op,
            MathOp::PredSetEq
                | MathOp::PredSetGt
                | MathOp::PredSetGte
                | MathOp::PredSetNeq
                | MathOp::PredSetClr
                | MathOp::PredSetInv
                | MathOp::PredSetPop
                | MathOp::PredSetRestore
        ),
        Operation::Macro(_) | Operation::Reserved => false,
    }
}

/// The registers of an instruction.
fn registers(pc: usize, instruction: &Instruction, program: &Program, findings: &mut Findings) {
    let operation = instruction.operation();
    if !operation.does_nothing() && instruction.destination.mask == 0 && !sets_predicate(operation) {
        let name = operation.name().unwrap_or_default();
        let message = format!("{name} writes no component of its destination");
        findings.add(FindingCode::NoEffect, Some(pc), message, "write some of `.xyzw`, or leave the instruction out");
    }
    let read: Vec<&Source> =
        instruction.sources_read().map(|(_, source)| source).filter(|source| source.reads_register()).collect();
    for kind in [SourceKind::Constant, SourceKind::Input] {
        let addresses = read.iter().filter(|source| source.kind == kind).map(|source| (source.offset, source.mode()));
        let different: Vec<_> = addresses.collect();
        if different.iter().any(|address| address != &different[0]) {
            let name = kind.name();
            let message = format!("the instruction reads `{name}` at two addresses");
            let help = "the machine reads one in an instruction: move one to a temporary before";
            findings.add(FindingCode::TwoAddresses, Some(pc), message, help);
        }
    }
    let absolute = |mode: AddressMode| mode == AddressMode::Absolute;
    for source in read.iter().filter(|source| absolute(source.mode())) {
        let count = match source.kind {
            SourceKind::Temporary => TEMPORARIES,
            SourceKind::Input => INPUTS,
            SourceKind::Alternate => ALTERNATES,
            SourceKind::Constant => usize::from(program.max_constant) + 1,
        };
        if usize::from(source.offset) >= count {
            let message = format!("`{}[{}]` reads 0, as there are {count}", source.kind.name(), source.offset);
            findings.add(FindingCode::RegisterRange, Some(pc), message, "use a smaller number");
        }
    }
    let destination = &instruction.destination;
    if instruction.writes() && absolute(destination.mode()) {
        let count = match destination.kind.written() {
            Some(DestinationRegisters::Temporaries) => TEMPORARIES,
            Some(DestinationRegisters::Outputs { .. }) => OUTPUTS,
            Some(DestinationRegisters::Alternates) => ALTERNATES,
            Some(DestinationRegisters::Inputs) => INPUTS,
            // There is one, and its number does not count.
            Some(DestinationRegisters::Address) | None => usize::MAX,
        };
        if usize::from(destination.offset) >= count {
            let message =
                format!("`{}[{}]` is not written, as there are {count}", destination.kind.name(), destination.offset);
            findings.add(FindingCode::RegisterRange, Some(pc), message, "use a smaller number");
        }
    }
}

/// What instructions read that no instruction writes.
fn values(program: &Program, findings: &mut Findings) {
    let all = |select: fn(&&Instruction) -> bool| program.code.iter().filter(select);
    let written: BTreeSet<u8> =
        all(|at| at.writes() && at.destination.kind.written() == Some(DestinationRegisters::Temporaries))
            .map(|at| at.destination.offset)
            .collect();
    let is_relative = all(|at| at.writes() && at.destination.kind.written() == Some(DestinationRegisters::Temporaries))
        .any(|at| at.destination.mode() != AddressMode::Absolute);
    let sets = all(|at| sets_predicate(at.operation())).next().is_some();
    let mut known = BTreeSet::new();
    for (pc, instruction) in program.code.iter().enumerate() {
        for (_, source) in instruction.sources_read() {
            let is_temporary = source.kind == SourceKind::Temporary && source.mode() == AddressMode::Absolute;
            if is_temporary
                && source.reads_register()
                && !is_relative
                && !written.contains(&source.offset)
                && known.insert(source.offset)
            {
                let message = format!("nothing writes `temp[{}]`, which is 0", source.offset);
                findings.add(FindingCode::NeverWritten, Some(pc), message, "write it before, or read `.0000`");
            }
        }
        if instruction.destination.predicated && !sets {
            let message = "the instruction depends on the predicate, which nothing sets";
            let help = "set it by one of the PRED_SET operations, or leave out `(p)`";
            findings.add(FindingCode::NoPredicate, Some(pc), message, help);
        }
    }
    let is_output =
        |at: &&Instruction| matches!(at.destination.kind.written(), Some(DestinationRegisters::Outputs { .. }));
    let position = program
        .code
        .iter()
        .filter(is_output)
        .any(|at| at.writes() && (at.destination.offset == 0 || at.destination.mode() != AddressMode::Absolute));
    if !position {
        let message = "no instruction writes out[0], which is the position";
        findings.add(FindingCode::Position, None, message, "write the position in clip space to out[0]");
    }
}
