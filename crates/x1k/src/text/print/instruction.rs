//! One instruction as text.

use super::super::arithmetic::UMRT_KINDS;
use super::super::condition;
use super::super::operand::spell_mask;
use crate::codes::*;
use crate::instruction::*;
use crate::program::WriteMode;

/// Instructions longer than this are broken into lines.
const LINE: usize = 110;

/// The parts of an instruction's text.
pub(super) struct Parts {
    /// Header items: a form's word, flags, fields by name.
    pub header: Vec<String>,
    body: Form,
}

enum Form {
    /// Sources and operations.
    Arithmetic { sources: Vec<String>, operations: Vec<String> },
    /// Anything else, on one line.
    Line(String),
}

impl Parts {
    /// The instruction as text. Lines after the first begin with two blanks.
    pub fn layout(&self) -> String {
        let mut head = self.header.join(" ");
        let (sources, operations) = match &self.body {
            Form::Line(line) => return format!("{head} {line} ;"),
            Form::Arithmetic { sources, operations } => (sources, operations),
        };
        if sources.is_empty() {
            let word = if head.is_empty() { "ALU" } else { "" };
            head.push_str(&format!("{word} :"));
        }
        for (number, source) in sources.iter().enumerate() {
            let line = head.rsplit('\n').next().unwrap_or_default().len();
            let between = match line + source.len() {
                _ if head.is_empty() => "",
                length if length > LINE => "\n  ",
                _ => " ",
            };
            let after = if number + 1 < sources.len() { "," } else { " :" };
            head.push_str(&format!("{between}{source}{after}"));
        }
        let length = head.len() + operations.iter().map(|operation| operation.len() + 2).sum::<usize>();
        let between = if length <= LINE { " " } else { "\n  " };
        for (number, operation) in operations.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            head.push_str(&format!("{comma}{between}{operation}"));
        }
        head + " ;"
    }
}

/// The parts of an instruction, without fields by name. A jump goes to `target`, or to its address.
pub(super) fn parts(instruction: &Instruction, write_mode: WriteMode, target: Option<&str>) -> Parts {
    let mut header = Vec::new();
    match &instruction.body {
        Body::Tex(_) => header.push("TEX".to_owned()),
        Body::Flow(_) => header.push("FC".to_owned()),
        Body::Out(_) => header.push("OUT".to_owned()),
        Body::Alu(_) => {}
    }
    // Whether the condition of a jump names the predicate, so that PRED need not.
    let mut predicate_named = false;
    let body = match &instruction.body {
        Body::Alu(alu) | Body::Out(alu) => {
            let targets = match (&instruction.body, write_mode) {
                (Body::Alu(_), _) => Targets::Predicates,
                (_, WriteMode::Cached) => Targets::Outputs,
                (_, WriteMode::Umrt) => Targets::Immediate,
            };
            Form::Arithmetic { sources: sources(alu), operations: both_units(&instruction.common, alu, targets) }
        }
        Body::Flow(flow) => {
            let items;
            (items, predicate_named) = flow_items(&instruction.common, flow, target);
            Form::Line(items)
        }
        Body::Tex(tex) => Form::Line(texture(&instruction.common, tex)),
    };
    flags(&mut header, instruction, predicate_named);
    Parts { header, body }
}

fn flags(header: &mut Vec<String>, instruction: &Instruction, predicate_named: bool) {
    let common = &instruction.common;
    let (mut sem_acquire, mut unscaled, mut ignore_uncovered) = (false, false, false);
    match &instruction.body {
        Body::Tex(tex) => {
            (sem_acquire, unscaled, ignore_uncovered) = (tex.sem_acquire, tex.unscaled, tex.ignore_uncovered)
        }
        Body::Flow(flow) => ignore_uncovered = flow.ignore_uncovered,
        Body::Alu(_) | Body::Out(_) => {}
    }
    for (set, name) in [
        (common.tex_sem_wait, "TEX_SEM_WAIT"),
        (sem_acquire, "TEX_SEM_ACQUIRE"),
        (common.alu_wait, "ALU_WAIT"),
        (common.nop, "NOP"),
        (common.last, "LAST"),
        (common.write_inactive, "WRITE_INACTIVE"),
        (unscaled, "UNSCALED"),
        (ignore_uncovered, "IGNORE_UNCOVERED"),
    ] {
        if set {
            header.push(name.to_owned());
        }
    }
    let spell = |control: &UnitControl| {
        let sign = if control.pred_inv { "!" } else { "" };
        format!("{sign}{}", control.pred_sel.name())
    };
    let none = spell(&UnitControl::default());
    let (rgb, alpha) = (if predicate_named { none.clone() } else { spell(&common.rgb) }, spell(&common.alpha));
    if rgb == alpha && rgb != none {
        header.push(format!("PRED({rgb})"));
    } else {
        let sides = [("rgb", rgb), ("a", alpha)].into_iter().filter(|(_, select)| *select != none);
        let sides: Vec<String> = sides.map(|(side, select)| format!("{side} = {select}")).collect();
        if !sides.is_empty() {
            header.push(format!("PRED({})", sides.join(", ")));
        }
    }
    if common.stat_we != 0 {
        header.push(format!("STAT_WE({})", common.stat_we));
    }
}

fn sources(alu: &Alu) -> Vec<String> {
    let mut items = Vec::new();
    for (side, sources) in [("rgb", &alu.rgb.src), ("a", &alu.alpha.src)] {
        for (number, source) in sources.iter().enumerate() {
            if *source != Source::UNUSED {
                items.push(format!("src{number}.{side} = {}", source_text(*source)));
            }
        }
    }
    let selected = presubtract_sides(alu);
    for (side, op, selected) in [("rgb", alu.rgb.srcp, selected.0), ("a", alu.alpha.srcp, selected.1)] {
        if selected || op != Presubtract::default() {
            items.push(format!("srcp.{side} = {}", op.name()));
        }
    }
    items
}

fn source_text(source: Source) -> String {
    match source.operand() {
        Operand::Temp { index, relative } => format!("temp[{}]", index_text(index, relative)),
        Operand::Const { index, relative } => format!("const[{}]", index_text(index, relative)),
        Operand::Inline(code) if source.relative => format!("float({})", index_text(code, true)),
        Operand::Inline(code) => format!("{:?}", inline_constant(code)),
    }
}

fn index_text(index: u8, relative: bool) -> String {
    format!("{index}{}", if relative { " + aL" } else { "" })
}

/// Whether operands take the RGB side and the alpha side of the presubtract result.
fn presubtract_sides(alu: &Alu) -> (bool, bool) {
    let rgb = alu.rgb.arg.iter().map(|arg| (arg.sel, &arg.swizzle[..]));
    let alpha = alu.alpha.arg.iter().map(|arg| (arg.sel, &arg.swizzle[..]));
    let (mut takes_rgb, mut takes_alpha) = (false, false);
    for (_, swizzle) in rgb.chain(alpha).filter(|(sel, _)| *sel == Select::Srcp) {
        takes_rgb |= swizzle.iter().any(|s| matches!(s, Swizzle::R | Swizzle::G | Swizzle::B));
        takes_alpha |= swizzle.contains(&Swizzle::A);
    }
    (takes_rgb, takes_alpha)
}

/// What TARGET and OMASK are.
#[derive(Clone, Copy)]
enum Targets {
    Outputs,
    Immediate,
    Predicates,
}

fn both_units(common: &Common, alu: &Alu, targets: Targets) -> Vec<String> {
    let (rgb, alpha) = (&alu.rgb, &alu.alpha);
    let result_said = alu.alu_wmask || common.result_op != ZeroTest::Equal || common.result_sel != ResultChannel::Red;
    let result = |channel| {
        let mask = if alu.alu_wmask { "" } else { ".none" };
        (result_said && common.result_sel == channel).then(|| format!("result[{}]{mask}", common.result_op.name()))
    };
    let mut operations = Vec::new();
    let special = result(ResultChannel::Red);
    operations.extend(unit(rgb, &common.rgb, 0, targets, special.as_slice(), rgb.op.name(), rgb.op.operands()));
    let mut special = Vec::from_iter(result(ResultChannel::Alpha));
    special.extend(alu.w_omask.then(|| "w".to_owned()));
    operations.extend(unit(alpha, &common.alpha, 3, targets, &special, alpha.op.name(), alpha.op.operands()));
    operations
}

/// The operation of a unit, if a field of the unit says anything. `shift` is the unit's first channel.
fn unit<Op: Copy + Default + PartialEq, const N: usize>(
    unit: &Unit<Op, N>,
    control: &UnitControl,
    shift: u32,
    targets: Targets,
    special: &[String],
    name: &str,
    operands: usize,
) -> Option<String> {
    let mut text = String::new();
    if control.wmask != 0 || unit.dest != 0 || unit.dest_relative {
        let (index, mask) = (index_text(unit.dest, unit.dest_relative), spell_mask(control.wmask << shift));
        text.push_str(&format!("temp[{index}].{mask} = "));
    }
    if control.omask != 0 || unit.target != 0 {
        let mask = spell_mask(control.omask << shift);
        let target = usize::from(unit.target & 3);
        text.push_str(&match targets {
            Targets::Outputs => format!("out[{target}].{mask} = "),
            Targets::Immediate => format!("umrt[{}].{mask} = ", UMRT_KINDS[target]),
            Targets::Predicates => format!("pred[{}].{mask} = ", ZeroTest::ALL[target].name()),
        });
    }
    for dest in special {
        text.push_str(&format!("{dest} = "));
    }
    if control.clamp {
        text.push_str("clamp ");
    }
    if unit.omod != OutputModifier::X1 {
        text.push_str(&format!("{} * ", unit.omod.name()));
    }
    let last_said = unit.arg.iter().rposition(|arg| *arg != Arg::default()).map_or(0, |last| last + 1);
    if text.is_empty() && last_said == 0 && unit.op == Op::default() {
        return None;
    }
    text.push_str(name);
    for arg in &unit.arg[..operands.max(last_said)] {
        let swizzle: String = arg.swizzle.iter().map(|swizzle| swizzle.name()).collect();
        let (before, after) = match arg.modifier {
            InputModifier::None => ("", ""),
            InputModifier::Negate => ("-", ""),
            InputModifier::Absolute => ("|", "|"),
            InputModifier::NegateAbsolute => ("-|", "|"),
        };
        text.push_str(&format!(" {before}{}.{swizzle}{after}", arg.sel.name()));
    }
    Some(text)
}

fn texture(common: &Common, tex: &Tex) -> String {
    let swizzle = |swizzle: &[TexSwizzle; 4]| -> String { swizzle.iter().map(|channel| channel.name()).collect() };
    let register = |register: &TexRegister| {
        format!(" temp[{}].{}", index_text(register.addr, register.relative), swizzle(&register.swizzle))
    };
    let mask = spell_mask(common.rgb.wmask & 7 | common.alpha.wmask << 3);
    let dest = index_text(tex.dst.addr, tex.dst.relative);
    let (op, input, fetched) = (tex.op.name(), tex.id, swizzle(&tex.dst.swizzle));
    let mut text = format!("temp[{dest}].{mask} = {op} tex[{input}].{fetched}{}", register(&tex.src));
    if tex.op == TexOp::Dxdy || tex.dx != TexRegister::default() || tex.dy != TexRegister::default() {
        text.push_str(&register(&tex.dx));
        text.push_str(&register(&tex.dy));
    }
    text
}

/// The items of a flow-control instruction, and whether its condition names the predicate.
fn flow_items(common: &Common, flow: &Flow, target: Option<&str>) -> (String, bool) {
    let (predicate, named) = predicate_text(common);
    let boolean = format!("b[{}]", flow.bool_addr);
    let condition = condition::spell(flow.jump_func, &predicate, &boolean);
    let mut items = vec![match target {
        Some(label) => format!("{} {label}", flow.op.name()),
        None => format!("{} {}", flow.op.name(), flow.jump_addr),
    }];
    let mut say = |said: bool, item: String| {
        if said {
            items.push(item);
        }
    };
    let predicate_named = named && condition.contains(&predicate);
    let boolean_named = condition.contains(&boolean);
    say(flow.int_addr != 0 || counts(flow.op), format!("i[{}]", flow.int_addr));
    say(flow.b_else, "else".into());
    say(flow.jump_any, "any".into());
    say(flow.jump_func != 0, format!("when = {condition}"));
    say(flow.bool_addr != 0 && !boolean_named, boolean);
    say(flow.a_op != AddressOp::None, format!("address = {}", flow.a_op.name()));
    say(flow.b_op0 != BranchOp::None, format!("stay = {}", flow.b_op0.name()));
    say(flow.b_op1 != BranchOp::None, format!("jump = {}", flow.b_op1.name()));
    say(flow.b_pop_cnt != 0, format!("pop_count = {}", flow.b_pop_cnt));
    say(flow.jump_global, "global".into());
    (items.join(", "), predicate_named)
}

/// How conditions call the predicate bit, and whether that name says which one it is.
pub(super) fn predicate_text(common: &Common) -> (String, bool) {
    let channel = match common.rgb.pred_sel {
        PredicateSelect::Red => "r",
        PredicateSelect::Green => "g",
        PredicateSelect::Blue => "b",
        PredicateSelect::Alpha => "a",
        _ => return ("pred".into(), false),
    };
    if common.rgb.pred_inv { ("pred".into(), false) } else { (format!("pred.{channel}"), true) }
}

fn counts(op: FlowOp) -> bool {
    matches!(op, FlowOp::Loop | FlowOp::EndLoop | FlowOp::Rep | FlowOp::EndRep)
}
