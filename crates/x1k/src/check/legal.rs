//! The rules that the device checks when it loads a program.

use super::{Finding, FindingCode};
use crate::codes::*;
use crate::effects::Effects;
use crate::instruction::*;
use crate::program::*;
use std::collections::BTreeSet;

/// Checks the rules whose violation makes the device refuse a program. What passes can be executed: it may trap, but it
/// means something.
///
/// # Errors
/// Every violation.
pub fn legal(program: &Program) -> Result<(), Vec<Finding>> {
    let mut findings = Vec::new();
    addresses(program, &mut findings);
    numbers(program, &mut findings);
    for (pc, instruction) in program.code.iter().enumerate() {
        let mut report = |code, message: String, help: &str| {
            findings.push(Finding::new(code, Some(pc), message, help));
        };
        match &instruction.body {
            Body::Alu(alu) => operations(program, instruction, alu, &mut report),
            Body::Out(alu) => {
                operations(program, instruction, alu, &mut report);
                if program.info.write_mode == WriteMode::Umrt {
                    immediate_write(instruction, &mut report);
                }
            }
            Body::Flow(flow) => flow_control(program, instruction, flow, &mut report),
            Body::Tex(tex) => {
                if tex.op == TexOp::Reserved7 {
                    report(
                        FindingCode::ReservedOperation,
                        "INST is 7, which is reserved".into(),
                        "use one of NOP to DXDY",
                    );
                }
            }
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(findings) }
}

type Report<'a> = dyn FnMut(FindingCode, String, &str) + 'a;

/// How many instructions there are, where they begin and end.
fn addresses(program: &Program, findings: &mut Vec<Finding>) {
    let (count, info) = (program.code.len(), &program.info);
    if count == 0 || count > MAX_INSTRUCTIONS {
        findings.push(Finding::new(
            FindingCode::CodeSize,
            None,
            format!("the program has {count} instructions, it must have 1 to {MAX_INSTRUCTIONS}"),
            "split the work into several programs that hand over through outputs and inputs",
        ));
    }
    let (first, last) = (info.first_address(), info.last_address());
    if first > last || last >= count {
        let offset = match info.code_offset {
            0 => String::new(),
            offset => format!(" (with the code offset {offset})"),
        };
        findings.push(Finding::new(
            FindingCode::AddressRange,
            None,
            format!("the program runs from {first} to {last}{offset}, but has {count} instructions"),
            "start <= end, and end must be the address of an instruction",
        ));
    } else if !matches!(program.code[last].body, Body::Out(_)) {
        findings.push(Finding::new(
            FindingCode::EndNotOut,
            Some(last),
            format!("the last instruction is of type {}, it must be OUT", program.code[last].body.type_name()),
            "make it an OUT; one with an empty mask writes nothing",
        ));
    }
}

/// What the notes and the constants name.
fn numbers(program: &Program, findings: &mut Vec<Finding>) {
    let Program { references, constants, info, .. } = program;
    let ints: BTreeSet<u8> = constants.ints.keys().chain(&references.int_constants).copied().collect();
    let bools: BTreeSet<u8> = constants.bools.keys().chain(&references.bool_constants).copied().collect();
    for (what, numbers, limit) in [
        ("input", &references.inputs, INPUTS),
        ("output", &references.outputs, OUTPUTS),
        ("integer constant", &ints, INT_CONSTANTS),
        ("boolean constant", &bools, BOOL_CONSTANTS),
    ] {
        if let Some(number) = numbers.iter().find(|number| usize::from(**number) >= limit) {
            findings.push(Finding::new(
                FindingCode::NumberOutOfRange,
                None,
                format!("the program names {what} {number}, the machine has 0 to {}", limit - 1),
                format!("take numbers below {limit}"),
            ));
        }
    }
    if info.write_mode == WriteMode::Umrt && references.outputs != [0].into() {
        findings.push(Finding::new(
            FindingCode::UmrtOutputs,
            None,
            format!("the program makes immediate (UMRT) writes, but declares outputs {:?}", references.outputs),
            "immediate writes go to output 0: declare that one and no other",
        ));
    }
}

/// The operations of the two units and how they fit together.
fn operations(program: &Program, instruction: &Instruction, alu: &Alu, report: &mut Report) {
    let effects = Effects::of(instruction, program.info.write_mode);
    let (rgb, alpha) = (&alu.rgb, &alu.alpha);
    if rgb.op.is_reserved() {
        report(
            FindingCode::ReservedOperation,
            format!("RGB_OP is {}, which is reserved", rgb.op as u8),
            "use MAD to MDV",
        );
    }
    if alpha.op.is_reserved() {
        report(
            FindingCode::ReservedOperation,
            format!("ALPHA_OP is {}, which is reserved", alpha.op as u8),
            "use MAD to MDV",
        );
    }
    let (rgb_used, alpha_used) = (effects.rgb_used != 0, effects.alpha_used);
    if rgb_used && rgb.op == RgbOp::Sop && !alpha.op.is_transcendental() {
        report(
            FindingCode::SopWithoutTranscendental,
            format!("SOP takes the alpha unit's transcendental, but the alpha unit does {}", alpha.op.name()),
            "let the alpha unit do EX2, LN2, RCP, RSQ, SIN or COS",
        );
    }
    if alpha_used && alpha.op == AlphaOp::Dp && !rgb.op.is_dot_product() {
        report(
            FindingCode::DpWithoutDotProduct,
            format!("DP takes the RGB unit's dot product, but the RGB unit does {}", rgb.op.name()),
            "let the RGB unit do DP3, DP4 or D2A",
        );
    }
    for (used, omod, selects, unit, op) in [
        (rgb_used, rgb.omod, rgb.op.is_selection(), "RGB", rgb.op.name()),
        (alpha_used, alpha.omod, alpha.op.is_selection(), "alpha", alpha.op.name()),
    ] {
        if used && omod == OutputModifier::Disabled && !selects {
            report(
                FindingCode::ExactModifierMisused,
                format!("the {unit} unit leaves the result of {op} bit-exact (OMOD 7)"),
                "OMOD 7 goes with MIN, MAX, CND and CMP only: take another output modifier, x1 changes no number",
            );
        }
    }
}

/// An OUT of a program of immediate writes.
fn immediate_write(instruction: &Instruction, report: &mut Report) {
    let omask = instruction.common.rgb.omask | instruction.common.alpha.omask << 3;
    if omask != 0 && omask != 0xF {
        report(
            FindingCode::PartialUmrtMask,
            format!("an immediate (UMRT) write with output mask {}", channel_letters(omask)),
            "enable all four channels (red is the value, green and blue the place), or none for no write",
        );
    }
}

fn flow_control(program: &Program, instruction: &Instruction, flow: &Flow, report: &mut Report) {
    let info = &program.info;
    let (target, last) = (info.target_address(flow), info.last_address());
    if target > last {
        report(
            FindingCode::TargetPastEnd,
            format!("{} names address {target}, the program ends at {last}", flow.op.name()),
            "let it name an address up to the end, also where it never jumps",
        );
    }
    if instruction.common.rgb.pred_sel == PredicateSelect::PerChannel {
        report(
            FindingCode::PerChannelCondition,
            format!("{} depends on a predicate per channel", flow.op.name()),
            "select one predicate bit (rrrr, gggg, bbbb or aaaa), or none",
        );
    }
    if flow.a_op == AddressOp::Reserved3 {
        report(FindingCode::ReservedFlowField, "A_OP is 3, which is reserved".into(), "use none, pop or push");
    }
    for (name, op) in [("B_OP0", flow.b_op0), ("B_OP1", flow.b_op1)] {
        if op == BranchOp::Reserved3 {
            report(FindingCode::ReservedFlowField, format!("{name} is 3, which is reserved"), "use none, decr or incr");
        }
    }
    if !info.full_flow_control {
        let what = match (flow.op, flow.a_op) {
            (FlowOp::Jump, AddressOp::None) => return,
            (FlowOp::Jump, _) => "the address stack",
            (op, _) => op.name(),
        };
        report(
            FindingCode::NeedsFullFlowControl,
            format!("{what} in a program with partial flow control"),
            "declare full flow control: partial has neither loops nor calls",
        );
    }
}

/// The letters of a channel mask.
pub(super) fn channel_letters(channels: u8) -> String {
    "rgba".chars().enumerate().filter(|(channel, _)| channels >> channel & 1 == 1).map(|(_, letter)| letter).collect()
}
