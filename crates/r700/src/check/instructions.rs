//! Control-flow and fetch instructions, one by one.

use super::{FindingCode, Findings, Location, Subject};
use crate::cf::{AddressUse, Cf, CfExport, CfOp, CfPlain, ExportVariant, Qword};
use crate::codes::{Condition, ExportType, FetchOp, TextureClass};
use crate::fetch::{Fetch, FetchRegister};
use crate::outline::{ClauseKind, fetches};
use crate::program::{ProgramInfo, Stage};

pub(super) fn check(subject: &Subject, findings: &mut Findings) {
    for (pc, cf) in subject.instructions() {
        match cf {
            Cf::Reserved(_) => {
                findings.at(FindingCode::ReservedOpcode, pc, "the opcode is reserved", "remove the instruction")
            }
            Cf::Plain(plain) => control(subject, pc, plain, findings),
            Cf::Export(export) => memory(subject, pc, export, findings),
            Cf::Alu(_) => {}
        }
    }
    clauses(subject, findings);
    exports(subject, findings);
}

fn control(subject: &Subject, pc: u32, CfPlain { op, fields }: &CfPlain, findings: &mut Findings) {
    let (info, properties) = (&subject.program.info, op.properties());
    if !properties.families.has(info.family) {
        let message = format!("{} does not have {}", info.family.name(), op.name());
        findings.at(FindingCode::ReservedOpcode, pc, message, "choose the family that the program was made for");
    }
    modes(pc, fields.whole_quad_mode, fields.valid_pixel_mode, findings);
    reserved(pc, fields.reserved, findings);
    if fields.cond != Condition::Active && !properties.conditional {
        let message = format!("{} has the condition {}, expected ACTIVE", op.name(), fields.cond.name());
        findings.at(FindingCode::ClauseCondition, pc, message, "put a JUMP with the condition before it");
    }
    if properties.address == AddressUse::Call && fields.pop_count != 0 {
        findings.at(
            FindingCode::CallPops,
            pc,
            format!("CALL pops {} frames", fields.pop_count),
            "pop with POP before the call",
        );
    }
    match op {
        CfOp::EmitVertex | CfOp::EmitCutVertex | CfOp::CutVertex if info.stage != Stage::Geometry => {
            let message = format!("{} in a program of stage {}", op.name(), info.stage.name());
            findings.at(FindingCode::WrongStage, pc, message, "only geometry shaders emit");
        }
        CfOp::EndProgram => {
            let message = "END_PROGRAM is known from drivers and emulators only";
            findings.at(FindingCode::Undocumented, pc, message, "use NOP with EOP");
        }
        CfOp::Nop
        | CfOp::Tex
        | CfOp::Vtx
        | CfOp::VtxTc
        | CfOp::LoopStart
        | CfOp::LoopEnd
        | CfOp::LoopStartDx10
        | CfOp::LoopStartNoAl
        | CfOp::LoopContinue
        | CfOp::LoopBreak
        | CfOp::Jump
        | CfOp::Push
        | CfOp::PushElse
        | CfOp::Else
        | CfOp::Pop
        | CfOp::PopJump
        | CfOp::PopPush
        | CfOp::PopPushElse
        | CfOp::Call
        | CfOp::CallFs
        | CfOp::Return
        | CfOp::EmitVertex
        | CfOp::EmitCutVertex
        | CfOp::CutVertex
        | CfOp::Kill
        | CfOp::WaitAck
        | CfOp::TexAck
        | CfOp::VtxAck
        | CfOp::VtxTcAck => {}
    }
}

fn memory(subject: &Subject, pc: u32, export: &CfExport, findings: &mut Findings) {
    let info = &subject.program.info;
    if !export.op.properties().families.has(info.family) {
        let message = format!("{} does not have {}", info.family.name(), export.op.name());
        findings.at(FindingCode::ReservedOpcode, pc, message, "choose the family that the program was made for");
    }
    modes(pc, export.fields.whole_quad_mode, export.fields.valid_pixel_mode, findings);
    let bits = match &export.variant {
        ExportVariant::Swizzle(swizzle) => swizzle.reserved,
        ExportVariant::Buffer(buffer) => buffer.reserved,
    };
    reserved(pc, bits, findings);
    let last = u32::from(export.fields.gpr) + export.registers() - 1;
    let exists = u8::try_from(last).is_ok_and(|last| info.can_read(last));
    if !export.fields.relative && !exists {
        findings.at(FindingCode::RegisterBeyondCount, pc, beyond("read", last, info), RAISE_COUNT);
    }
}

const RAISE_COUNT: &str = "raise NUM_GPRS, or use a lower register";

fn beyond(access: &str, register: u32, info: &ProgramInfo) -> String {
    format!("R{register} is {access}, but NUM_GPRS is {}", info.num_gprs)
}

/// An instruction reads the register.
pub(super) fn source(location: Location, register: u8, info: &ProgramInfo, findings: &mut Findings) {
    if !info.can_read(register) {
        let message = beyond("read", register.into(), info);
        findings.inside(FindingCode::RegisterBeyondCount, location, message, RAISE_COUNT);
    }
}

/// An instruction writes the register.
pub(super) fn destination(location: Location, register: u8, info: &ProgramInfo, findings: &mut Findings) {
    if !info.can_write(register) {
        let message = beyond("written", register.into(), info);
        findings.inside(FindingCode::RegisterBeyondCount, location, message, RAISE_COUNT);
    }
}

fn modes(pc: u32, whole_quad: bool, valid_only: bool, findings: &mut Findings) {
    if whole_quad && valid_only {
        let message = "WHOLE_QUAD_MODE and VALID_PIXEL_MODE are both set";
        findings.at(FindingCode::BothModes, pc, message, "choose one: all pixels of a quad, or valid pixels only");
    }
}

fn reserved(pc: u32, bits: Qword, findings: &mut Findings) {
    if bits != [0; 2] {
        let message = format!("reserved bits are set: {:08x} {:08x}", bits[0], bits[1]);
        findings.at(FindingCode::ReservedBits, pc, message, "clear them");
    }
}

/// Clauses lie in the image; what fetch clauses hold.
fn clauses(subject: &Subject, findings: &mut Findings) {
    let code = &subject.program.code;
    for (pc, _, clause) in subject.clauses() {
        let Some(range) = clause.range(code.len()) else {
            let message = format!(
                "the clause of {} qwords at address {} is not in the code of {} qwords, or a fetch clause at an odd address",
                clause.length,
                clause.address,
                code.len()
            );
            findings.at(
                FindingCode::ClauseOutside,
                pc,
                message,
                "put the clause inside, fetch clauses at even addresses",
            );
            continue;
        };
        if clause.kind == ClauseKind::Fetch {
            for (k, instruction) in (0..).zip(fetches(&code[range])) {
                fetch(subject, Location { pc, slot: clause.address + 2 * k }, &instruction, findings);
            }
        }
    }
}

fn fetch(subject: &Subject, location: Location, fetch: &Fetch, findings: &mut Findings) {
    let named: Option<(FetchRegister, Option<FetchRegister>)> = match fetch {
        Fetch::Vtx(vtx) => Some((vtx.src, (!vtx.semantic).then_some(vtx.dst))),
        Fetch::Tex(tex) => Some((tex.fields.src, Some(tex.fields.dst))),
        Fetch::Mem(read) => Some((read.src, Some(read.dst))),
        Fetch::MemRaw(..) => None,
    };
    if let Some((read, written)) = named {
        let info = &subject.program.info;
        if !read.relative {
            source(location, read.gpr, info, findings);
        }
        if let Some(written) = written.filter(|written| !written.relative) {
            destination(location, written.gpr, info, findings);
        }
    }
    if matches!(fetch.op(), FetchOp::GetGradientsH | FetchOp::GetGradientsV) {
        let message = format!("{} reads registers of neighbouring pixels", fetch.name());
        findings.inside(FindingCode::Gradients, location, message, "let whole quads compute its source (WHOLE_QUAD)");
    }
    if !is_executed(fetch) {
        let message = format!("{} is decoded, but traps when it is executed", fetch.name());
        findings.inside(FindingCode::Unsupported, location, message, "use a sample with a level, or a plain fetch");
    }
}

/// True if the reference and the engines execute the instruction.
fn is_executed(fetch: &Fetch) -> bool {
    match fetch {
        Fetch::Vtx(_) | Fetch::Mem(_) => true,
        Fetch::MemRaw(..) => false,
        Fetch::Tex(tex) => tex.op.texture_class() != TextureClass::Unsupported,
    }
}

/// Each kind of export that a program uses has one that is the last.
fn exports(subject: &Subject, findings: &mut Findings) {
    for kind in [ExportType::Pixel, ExportType::Position, ExportType::Parameter] {
        let of_kind = subject.instructions().filter_map(|(_, cf)| match cf {
            Cf::Export(export) if export.op.properties().exports && export.export_type() == kind => Some(export.op),
            Cf::Plain(_) | Cf::Alu(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        });
        let ops: Vec<_> = of_kind.collect();
        if !ops.is_empty() && !ops.contains(&crate::cf::CfExportOp::ExportDone) {
            let message = format!("the program exports {}, but has no EXP_DONE for it", kind.name());
            findings.program(FindingCode::ExportsNotDone, message, "make the last export of each kind an EXP_DONE");
        }
    }
}
