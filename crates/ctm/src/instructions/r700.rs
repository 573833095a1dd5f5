//! Instructions of R700.

use super::registers::Registers;
use super::spelled::between_commas;
use super::{Instruction, Operation};
use ctm_r700::text::{self, Listed};
use ctm_r700::{
    Alu, AluForm, Cf, CfExport, CfExportOp, Channel, Condition, Effect, ExportTarget, ExportVariant, Fetch, FetchOp,
    FetchRegister, IndexMode, PredicateSelect, Program, Select, Selector,
};

const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];
const ALL: u8 = 0xF;

pub fn instructions(program: &Program) -> Vec<Instruction> {
    let family = program.info.family;
    let instruction = |Listed { address, form, text, words, .. }: Listed| {
        let (reads, writes) = match (form, words.as_slice()) {
            ("alu", &[low, high]) => slot(&Alu::decode(&[low, high], family), &text),
            ("fetch", words) => words.first_chunk().map_or_else(Default::default, |words| fetch(&Fetch::decode(words))),
            (_, &[low, high]) => control(&Cf::decode(&[low, high])),
            _ => Default::default(),
        };
        let operations = vec![operation(form, &text)];
        Instruction { address: address as u32, words, operations, text, reads: reads.0, writes: writes.0 }
    };
    text::instructions(program).into_iter().map(instruction).collect()
}

type Both = (Registers, Registers);

/// The operation of a text: `x: MUL*2 R1.y, R0.z LAST`, `SAMPLE R1, R0.xyxx, RID:0`, `EXP_DONE: PIX0, R1`, `JUMP ADDR(6)`.
fn operation(form: &str, text: &str) -> Operation {
    let text = match (form, text.split_once(':')) {
        ("alu", Some((_, operation))) => operation.trim(),
        _ => text.trim(),
    };
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (name, rest) = text.split_at(text.find(|letter| !is_of_name(letter)).unwrap_or(text.len()));
    let rest = rest.split_once(char::is_whitespace).map_or("", |(_, operands)| operands);
    let operands = match form {
        // What jumps and clauses have are arguments by name.
        "cf" => rest.split_whitespace().map(str::to_owned).collect(),
        _ => between_commas(rest),
    };
    Operation { name: name.to_owned(), operands }
}

fn gpr(number: u8, index: Option<&str>) -> String {
    index.map_or_else(|| format!("R{number}"), |index| format!("R[{index} + {number}]"))
}

/// An instruction of a group; the unit stands in front of its text.
fn slot(alu: &Alu, text: &str) -> Both {
    let (mut reads, mut writes) = Both::default();
    let fields = &alu.fields;
    let mode = fields.index_mode;
    let of_register = if mode == IndexMode::Loop { "aL" } else { "AR.x" };
    let of_constant = if mode == IndexMode::Loop { "aL" } else { mode.name() };
    for operand in alu.operands() {
        let channel = operand.chan.name();
        let index = |name| operand.relative.then_some(name);
        match operand.selector {
            Selector::Gpr(number) => reads.add(format!("{}.{channel}", gpr(number, index(of_register)))),
            Selector::Kcache { window, entry } => match index(of_register) {
                Some(index) => reads.add(format!("KC{window}[{index} + {entry}].{channel}")),
                None => reads.add(format!("KC{window}[{entry}].{channel}")),
            },
            Selector::Constant(number) => match index(of_constant) {
                Some(index) => reads.add(format!("C[{index} + {number}].{channel}")),
                None => reads.add(format!("C{number}.{channel}")),
            },
            Selector::PreviousVector => reads.add(format!("PV.{channel}")),
            Selector::PreviousScalar => reads.add("PS"),
            Selector::Special(_) | Selector::Literal | Selector::Reserved(_) => {}
        }
        if operand.relative {
            reads.add(if matches!(operand.selector, Selector::Constant(_)) { of_constant } else { of_register });
        }
    }
    if matches!(fields.pred_sel, PredicateSelect::Zero | PredicateSelect::One) {
        reads.add("predicate");
    }
    let channel = fields.dst.chan.name();
    let effect = alu.op.properties().effect;
    if effect == Effect::Address {
        writes.add(format!("AR.{channel}"));
    } else {
        if alu.writes() {
            writes.add(format!("{}.{channel}", gpr(fields.dst.gpr, fields.dst.relative.then_some(of_register))));
        }
        writes.add(if text.starts_with("t:") { "PS".to_owned() } else { format!("PV.{channel}") });
    }
    let sets_predicate = match &alu.form {
        AluForm::Op2(op2) => effect == Effect::Predicate && op2.update_pred,
        AluForm::Op3(_) => false,
    };
    if sets_predicate {
        writes.add("predicate");
    }
    if effect == Effect::Kill {
        writes.add("valid");
    }
    (reads, writes)
}

/// The bits of the channels that selects take.
fn taken(selects: &[Select; 4]) -> u8 {
    selects.iter().fold(0, |taken, &select| taken | channel_of(select).map_or(0, |channel| 1 << channel as u8))
}

/// The bits of the channels that are not masked.
fn kept(selects: &[Select; 4]) -> u8 {
    (0..4).filter(|&channel| selects[channel] != Select::Mask).fold(0, |kept, channel| kept | 1 << channel)
}

const fn channel_of(select: Select) -> Option<Channel> {
    match select {
        Select::X => Some(Channel::X),
        Select::Y => Some(Channel::Y),
        Select::Z => Some(Channel::Z),
        Select::W => Some(Channel::W),
        Select::Zero | Select::One | Select::Reserved6 | Select::Mask => None,
    }
}

fn register(register: FetchRegister) -> String {
    gpr(register.gpr, register.relative.then_some("aL"))
}

fn fetch(fetch: &Fetch) -> Both {
    let (mut reads, mut writes) = Both::default();
    match fetch {
        Fetch::Vtx(vtx) => {
            reads.add(format!("{}.{}", register(vtx.src), vtx.src_sel.name()));
            reads.add(format!("buffer {}", vtx.buffer_id));
            // The register of a semantic is known only when the program runs.
            let name = if vtx.semantic { format!("semantic {}", vtx.dst.gpr) } else { register(vtx.dst) };
            writes.add_channels(&name, kept(&vtx.dst_sel), CHANNELS);
        }
        Fetch::Tex(tex) => {
            let fields = &tex.fields;
            reads.add_channels(&register(fields.src), taken(&fields.src_sel), CHANNELS);
            reads.add(format!("texture {}", fields.resource_id));
            let sets_gradients = matches!(
                tex.op,
                FetchOp::SetGradientsH | FetchOp::SetGradientsV | FetchOp::SetCubemapIndex | FetchOp::Pass
            );
            if !sets_gradients {
                writes.add_channels(&register(fields.dst), kept(&fields.dst_sel), CHANNELS);
            }
        }
        Fetch::Mem(read) => {
            if read.indexed {
                reads.add(format!("{}.{}", register(read.src), read.src_sel_x.name()));
            }
            reads.add("memory");
            writes.add_channels(&register(read.dst), kept(&read.dst_sel), CHANNELS);
        }
        Fetch::MemRaw(..) => {}
    }
    (reads, writes)
}

fn control(cf: &Cf) -> Both {
    let (mut reads, mut writes) = Both::default();
    match cf {
        Cf::Export(export) => exported(export, &mut reads, &mut writes),
        Cf::Plain(plain) => {
            let number = plain.fields.cf_const;
            if plain.op.properties().loop_constant {
                reads.add(format!("i[{number}]"));
            }
            if plain.op.properties().conditional && matches!(plain.fields.cond, Condition::Bool | Condition::NotBool) {
                reads.add(format!("b[{number}]"));
            }
        }
        Cf::Alu(_) | Cf::Reserved(_) => {}
    }
    (reads, writes)
}

fn exported(export: &CfExport, reads: &mut Registers, writes: &mut Registers) {
    let fields = &export.fields;
    let channels = match &export.variant {
        ExportVariant::Swizzle(swizzle) => taken(&swizzle.sel),
        ExportVariant::Buffer(_) => ALL,
    };
    for number in 0..export.registers() as u8 {
        let register = gpr(fields.gpr.saturating_add(number), fields.relative.then_some("aL"));
        reads.add_channels(&register, channels, CHANNELS);
        if matches!(export.op, CfExportOp::Export | CfExportOp::ExportDone) {
            let target = ExportTarget::new(export.export_type(), fields.array_base + u16::from(number));
            target.iter().for_each(|target| writes.add(target.to_string()));
        }
    }
    if !matches!(export.op, CfExportOp::Export | CfExportOp::ExportDone) {
        writes.add("memory");
    }
}
