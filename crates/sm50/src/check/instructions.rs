//! Single instructions against the machine and the header.

use super::{FindingCode, Findings, Subject};
use crate::attributes::name;
use crate::codes::{AtomType, BarrierOp, BarrierRead, Cast, FunnelPart, IsbeMode, ShiftExtend, Test};
use crate::field::{FieldId, key};
use crate::header::{AttributeMap, Header, Stage};
use crate::instruction::Instruction;
use crate::operand::Reg;
use crate::refused::{Refusal, refusal};
use crate::table::{AtomicOp, AttributeOp, BitsOp, Class, FlowOp, FragmentOp, Op, OrderOp, SystemOp, TextureOp};

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    let header = subject.program.header.unwrap_or_default();
    let stage = subject.program.header.map_or(Stage::None, |header| header.stage);
    for (index, _, instruction) in subject.instructions() {
        match instruction.op().class() {
            Class::Raw => {
                let message = format!("{:#018x} is not an instruction", instruction.encode());
                findings.at(FindingCode::NoInstruction, index, message, "data must stand where control cannot get");
            }
            Class::Attribute(AttributeOp::Ast | AttributeOp::Ald) => {
                attributes(index, instruction, stage, &header, findings);
            }
            Class::Attribute(AttributeOp::Out) => {
                if stage != Stage::Geometry {
                    wrong_stage(index, "OUT", stage, "only geometry programs emit", findings);
                }
            }
            Class::Flow(FlowOp::Kil) => {
                if !header.kills_pixels {
                    let message = "KIL in a program whose header has KILLS_PIXELS = 0";
                    findings.at(FindingCode::NoKill, index, message, "use EXIT to end lanes");
                }
            }
            Class::Fragment(op @ (FragmentOp::Ipa | FragmentOp::Pixld)) => {
                if stage != Stage::Pixel {
                    let what = if op == FragmentOp::Ipa { "IPA" } else { "PIXLD" };
                    wrong_stage(index, what, stage, "only fragment programs have pixels", findings);
                }
            }
            Class::Local(_) => local_memory(index, instruction, &header, stage, findings),
            Class::Attribute(AttributeOp::Al2p | AttributeOp::Isberd)
            | Class::Special(_)
            | Class::Move(_)
            | Class::Constant(_)
            | Class::Global(_)
            | Class::Shared(_)
            | Class::Atomic(_)
            | Class::Surface(_)
            | Class::Cache(_)
            | Class::Fragment(FragmentOp::Fswzadd)
            | Class::Texture(_)
            | Class::Video(_)
            | Class::System(_)
            | Class::Float(_)
            | Class::Double(_)
            | Class::Compare(_)
            | Class::Integer(_)
            | Class::Bits(_)
            | Class::Convert(_)
            | Class::Flags(_)
            | Class::Exchange(_)
            | Class::Flow(_)
            | Class::Order(_) => {}
        }
        if let Some(Refusal { form, remedy }) = refusal(instruction) {
            findings.at(FindingCode::RefusedForm, index, format!("the machine does not execute {form}"), remedy);
        }
        if unsupported(instruction) {
            let message = format!("{} in this form is not executed here", instruction.row().name);
            findings.at(FindingCode::Unsupported, index, message, "a run that gets here ends with Unsupported");
        }
        registers(index, instruction, findings);
    }
    let writes_r0 = |instruction: &Instruction| instruction.dst() == Reg(0) && instruction.op() != Op::Ast;
    let emits = subject.instructions().find(|(_, _, instruction)| instruction.op() == Op::Out);
    if let (Some((index, ..)), Stage::Geometry) = (emits, stage)
        && !subject.instructions().any(|(_, _, instruction)| writes_r0(instruction))
    {
        let message = "nothing writes R0, which must hold the last OUT's result when a lane ends";
        findings.at(FindingCode::OutputLost, index, message, "let the last OUT write R0, or move its result there");
    }
}

fn wrong_stage(index: usize, what: &str, stage: Stage, why: &str, findings: &mut Findings) {
    let message = format!("{what} in a {} program", if stage == Stage::None { "compute" } else { stage.name() });
    findings.at(FindingCode::WrongStage, index, message, why);
}

fn attributes(index: usize, instruction: &Instruction, stage: Stage, header: &Header, findings: &mut Findings) {
    let (store, patch, output) = (instruction.op() == Op::Ast, instruction.get(key::PATCH), instruction.get(key::O));
    let what = if store { "attribute store" } else { "attribute load" };
    let misplaced = match (store, patch, output) {
        _ if matches!(stage, Stage::None | Stage::Pixel) => {
            Some("only vertex, tessellation and geometry programs have it")
        }
        (true, true, _) | (false, true, true) => (stage != Stage::TessellationInit)
            .then_some("patches are stored, and read back, by tessellation initialisation"),
        (false, true, false) => (stage != Stage::Tessellation).then_some("patches are read by tessellation programs"),
        (false, false, true) => (stage == Stage::Geometry).then_some("geometry programs cannot read their outputs"),
        _ => None,
    };
    if let Some(why) = misplaced {
        return wrong_stage(index, what, stage, why, findings);
    }
    let size = instruction.get(key::ATTRIBUTE_SIZE);
    let immediate = instruction.reg(key::RA).is_zero();
    let address = instruction.value(FieldId::OFFSET) & 0x3FF;
    if immediate && !address.is_multiple_of(size.alignment()) {
        let used = address & !(size.alignment() - 1);
        let message = format!("a[{address:#x}] with {} words means a[{used:#x}]", size.words());
        findings.at(FindingCode::UnalignedAddress, index, message, format!("write a[{used:#x}]"));
    }
    let addresses: Vec<u32> = instruction.fixed_attributes().collect();
    if patch {
        let words = u32::from(header.per_patch_attribute_count);
        if store && addresses.iter().any(|address| address / 4 >= words) {
            let message = format!("a store beyond the {words} patch words of the header");
            findings.at(
                FindingCode::PatchWords,
                index,
                message,
                "raise PER_PATCH_ATTRIBUTE_COUNT (the store is kept here)",
            );
        }
        return;
    }
    let declared = if store || output { &header.omap } else { &header.imap };
    let coordinates = |address: u32| stage == Stage::Tessellation && matches!(address, 0x2F0 | 0x2F4);
    let missing: Vec<u32> =
        addresses.into_iter().filter(|&address| !declared.contains(address) && !coordinates(address)).collect();
    let Some(&first) = missing.first() else { return };
    if first / 4 >= AttributeMap::LEN {
        let message = format!("{} ({first:#05x}) has no bit in any header", name(first));
        return findings.at(FindingCode::NoMapBit, index, message, "stores there vanish, loads give 0");
    }
    let list =
        missing.iter().map(|&address| format!("{} ({address:#05x})", name(address))).collect::<Vec<_>>().join(", ");
    match (store, output) {
        (true, _) => {
            let message = format!("the header does not declare {list} as output: the store vanishes");
            findings.at(FindingCode::StoreNotDeclared, index, message, "set the bits in OMAP");
        }
        // What is not declared as output reads as 0, but that is not a mistake of the load.
        (false, true) => {}
        (false, false) => {
            let message = format!("the header does not declare {list} as input: the load gives 0");
            findings.at(FindingCode::LoadNotDeclared, index, message, "set the bits in IMAP");
        }
    }
}

fn local_memory(index: usize, instruction: &Instruction, header: &Header, stage: Stage, findings: &mut Findings) {
    let offset = i64::from(instruction.signed(FieldId::OFFSET));
    let end = offset + i64::from(instruction.get(key::MEMORY_SIZE).bytes());
    let size = header.local_memory_low_size;
    // Compute code has no header that would say how much there is.
    if stage != Stage::None && instruction.reg(key::RA).is_zero() && (offset < 0 || end > size.into()) {
        let message = format!("an access at {offset:#x} in local memory of {size} bytes");
        findings.at(FindingCode::LocalMemory, index, message, "raise LOCAL_MEMORY_LOW_SIZE");
    }
}

/// Whether executing the instruction ends the run, although it is one.
fn unsupported(instruction: &Instruction) -> bool {
    use Test::{CsmMx, CsmTa, CsmTr, FcsmMx, FcsmTa, FcsmTr};
    let odd_test = [CsmTa, CsmTr, CsmMx, FcsmTa, FcsmTr, FcsmMx].contains(&instruction.test());
    match instruction.op().class() {
        Class::Bits(op) => match op {
            BitsOp::Shl | BitsOp::Lop | BitsOp::Lop32i | BitsOp::Lop3 => instruction.get(key::X),
            BitsOp::Shr => instruction.get(key::SHIFT_EXTEND) != ShiftExtend::None,
            BitsOp::ShfL | BitsOp::ShfR => {
                matches!(instruction.get(key::FUNNEL_PART), FunnelPart::X | FunnelPart::Xhi)
            }
            BitsOp::Bfe | BitsOp::Bfi | BitsOp::Flo | BitsOp::Popc | BitsOp::Prmt => false,
        },
        Class::Attribute(op) => match op {
            AttributeOp::Isberd => {
                instruction.get(key::ISBE_MODE) != IsbeMode::Map
                    || instruction.get(key::O)
                    || instruction.get(key::SKEW)
                    || instruction.value(FieldId::ISBE_SIZE) != 0
            }
            AttributeOp::Ast | AttributeOp::Ald | AttributeOp::Al2p | AttributeOp::Out => false,
        },
        Class::Order(op) => match op {
            OrderOp::Bar => instruction.get(key::BARRIER_OP) == BarrierOp::Scan,
            // A NOP does nothing whatever its test says.
            OrderOp::Nop | OrderOp::VoteVtg | OrderOp::Depbar | OrderOp::Membar => false,
        },
        Class::System(op) => match op {
            SystemOp::Ide | SystemOp::Stp | SystemOp::Lepc => false,
            SystemOp::B2r => instruction.get(key::B2R_MODE) != BarrierRead::Result,
            SystemOp::R2b
            | SystemOp::Getcrsptr
            | SystemOp::Getlmembase
            | SystemOp::Setcrsptr
            | SystemOp::Setlmembase
            | SystemOp::Rtt
            | SystemOp::Bpt => true,
        },
        Class::Atomic(op) => match op {
            AtomicOp::Atom | AtomicOp::Red => instruction.get(key::ATOM_TYPE) == AtomType::U128,
            AtomicOp::AtomsCas => instruction.get(key::CAST) != Cast::Cas,
            AtomicOp::Atoms | AtomicOp::AtomCas => false,
        },
        Class::Surface(_) => true,
        Class::Texture(op) => op == TextureOp::Txa,
        Class::Flow(FlowOp::Pexit) => true,
        Class::Flow(_) => instruction.get(key::TARGET_CONST) || odd_test,
        Class::Compare(_) => odd_test,
        Class::Raw
        | Class::Fragment(_)
        | Class::Shared(_)
        | Class::Video(_)
        | Class::Special(_)
        | Class::Move(_)
        | Class::Constant(_)
        | Class::Local(_)
        | Class::Global(_)
        | Class::Cache(_)
        | Class::Float(_)
        | Class::Double(_)
        | Class::Integer(_)
        | Class::Convert(_)
        | Class::Flags(_)
        | Class::Exchange(_) => false,
    }
}

fn registers(index: usize, instruction: &Instruction, findings: &mut Findings) {
    for (reg, words) in instruction.wide_operands().into_iter().filter(|(reg, _)| !reg.is_zero()) {
        let alignment = words.next_power_of_two();
        if !reg.0.is_multiple_of(alignment) {
            let message = format!("{reg} begins an operand of {words} registers");
            let help = format!("take a register whose number is a multiple of {alignment}");
            findings.at(FindingCode::MisalignedRegister, index, message, help);
        } else if u32::from(reg.0) + u32::from(words) > 255 {
            let message = format!("{words} registers from {reg} on: the last register is R254");
            findings.at(FindingCode::RegisterPastEnd, index, message, "missing registers read 0 and keep nothing");
        }
    }
}
