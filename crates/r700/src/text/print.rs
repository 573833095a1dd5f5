//! Programs and instructions to text that reads as the same program.

use super::operand::spell_raw;
use super::slots::{self, spell_operation};
use super::{control, fetch};
use crate::alu::{Alu, AluForm, Selector};
use crate::cf::{Cf, Qword};
use crate::codes::{Channel, Family, PredicateSelect};
use crate::fetch::Fetch;
use crate::group::{Group, Unit, assign_units, groups, literal_qwords};
use crate::outline::{Clause, ClauseKind, Outline, fetches};
use crate::ports::{check_constants, check_ports};
use crate::program::{Program, ProgramInfo};
use ctm_text::spell_float;
use std::fmt::Write;

/// What to add to a printed program, as comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintOptions {
    /// The qword address of each instruction.
    pub addresses: bool,
    /// The dwords of each instruction.
    pub words: bool,
}

/// Spells a control-flow instruction, in one line, without its clause.
///
/// ```
/// use ctm_r700::{Cf, Family, text::print_cf};
/// let words = [0x0000_0006, 0x8500_0001];
/// assert_eq!(print_cf(&Cf::decode(&words), Family::R700), "JUMP POP_CNT(1) ADDR(6)");
/// ```
pub fn print_cf(cf: &Cf, family: Family) -> String {
    spell_cf(cf, family, true)
}

/// Spells an instruction of a fetch clause, in one line.
pub fn print_fetch(instruction: &Fetch) -> String {
    let spelled = fetch::spell(instruction);
    match fetch::single(&spelled) == Some(*instruction) {
        true => spelled,
        false => format!("{spelled} {}", spell_raw(&instruction.encode())),
    }
}

/// Spells an ALU instruction, in one line. `literals` are those of its group.
///
/// ```
/// use ctm_r700::{Alu, Family, Unit, text::print_alu};
/// let add = Alu::decode(&[0x801F_A800, 0x2020_0091], Family::R700);
/// let text = print_alu(&add, Unit::Y, &[0x4050_0000, 0, 0, 0], Family::R700);
/// assert_eq!(text, "y: MUL              R1.y, |R0.z|, (0x40500000, 3.25).x LAST");
/// ```
pub fn print_alu(alu: &Alu, unit: Unit, literals: &[u32; 4], family: Family) -> String {
    let last = if alu.fields.last { " LAST" } else { "" };
    let slot = Slot { alu, unit, literals, group_before: None, names_swizzles: false };
    format!("{}{last}", slot.spell(family))
}

/// Spells a program: directives, control flow with the clauses under it, and the rest of the image.
pub fn print_program(program: &Program) -> String {
    print_program_with(program, &PrintOptions::default())
}

/// [`print_program`] with comments.
pub fn print_program_with(program: &Program, options: &PrintOptions) -> String {
    let code = &program.code;
    let mut printer =
        Printer { program, options, text: String::new(), group: 0, covered: vec![false; code.len()], end: 0 };
    printer.directives();
    let outline = Outline::of(code, program.info.family);
    let ends = outline.cf.last().is_some_and(Cf::ends_program);
    for (address, cf) in outline.cf.iter().enumerate() {
        let last = address + 1 == outline.cf.len();
        if matches!(cf, Cf::Reserved(_)) {
            printer.raw_qword(address);
            continue;
        }
        let spelled = format!("{address:02} {}", spell_cf(cf, program.info.family, !(last && ends)));
        printer.line(&spelled, address, 1);
        if let Some(clause) = cf.clause(program.info.family)
            && outline.clauses.get(&clause).is_some_and(|users| users[0] as usize == address)
        {
            printer.clause(&clause);
        }
    }
    if ends {
        printer.text.push_str("END_OF_PROGRAM\n");
    }
    for (address, qword) in code.iter().enumerate() {
        if !printer.covered[address] && *qword != [0; 2] {
            printer.raw_qword(address);
        }
    }
    if printer.end < code.len() {
        writeln!(printer.text, ".size {}", code.len()).expect("writing to a string");
    }
    printer.text
}

/// Spells an instruction, with the end of program if that is wanted; what the language has no words for is given as RAW.
fn spell_cf(cf: &Cf, family: Family, with_end: bool) -> String {
    let spelled = control::spell(cf, family);
    let with_eop = if cf.ends_program() { format!("{spelled} EOP") } else { spelled.clone() };
    if control::single(&with_eop, family) != Some(*cf) {
        let raw = spell_raw(&cf.encode());
        return if spelled.is_empty() { raw } else { format!("{spelled} {raw}") };
    }
    if with_end { with_eop } else { spelled }
}

struct Printer<'p> {
    program: &'p Program,
    options: &'p PrintOptions,
    text: String,
    /// Number of the next group.
    group: usize,
    /// Which qwords of the image the text gives.
    covered: Vec<bool>,
    /// The place after the last of them.
    end: usize,
}

impl Printer<'_> {
    /// The directives: what is not as it is by default.
    fn directives(&mut self) {
        let (info, default) = (&self.program.info, ProgramInfo::default());
        let mut say = |said: bool, name: &str, value: &dyn std::fmt::Display| {
            if said {
                writeln!(self.text, ".{name} {value}").expect("writing to a string");
            }
        };
        say(info.family != default.family, "family", &info.family.name());
        say(info.stage != default.stage, "stage", &info.stage.name());
        say(info.num_gprs != default.num_gprs, "gprs", &info.num_gprs);
        say(info.stack_size.is_some(), "stack", &info.stack_size.unwrap_or_default());
        say(info.prefer_vector != default.prefer_vector, "prefer_vector", &u8::from(info.prefer_vector));
        say(info.dx10_clamp != default.dx10_clamp, "dx10_clamp", &u8::from(info.dx10_clamp));
        say(info.kill_enable != default.kill_enable, "kill_enable", &u8::from(info.kill_enable));
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// A line that gives these qwords of the image.
    fn line(&mut self, line: &str, address: usize, qwords: usize) {
        self.text.push_str(line);
        if self.options.addresses || self.options.words {
            self.text.push_str("  ;");
            if self.options.addresses {
                write!(self.text, " {address}").expect("writing to a string");
            }
            if self.options.words {
                let colon = if self.options.addresses { ":" } else { "" };
                let dwords = self.program.code[address..address + qwords].iter().flatten();
                let words: Vec<String> = dwords.map(|word| format!("{word:08X}")).collect();
                write!(self.text, "{colon} {}", words.join(" ")).expect("writing to a string");
            }
        }
        self.text.push('\n');
        self.covered[address..address + qwords].fill(true);
        self.end = self.end.max(address + qwords);
    }

    fn raw_qword(&mut self, address: usize) {
        let [low, high] = self.program.code[address];
        self.line(&format!(".qword {address}, 0x{high:08X}{low:08X}"), address, 1);
    }

    fn clause(&mut self, clause: &Clause) {
        let Some(range) = clause.range(self.program.code.len()) else { return };
        let start = range.start;
        match clause.kind {
            ClauseKind::Fetch => {
                let instructions: Vec<Fetch> = fetches(&self.program.code[range]).collect();
                for (place, instruction) in instructions.iter().enumerate() {
                    let line = format!("{:>7}  {}", self.group, print_fetch(instruction));
                    self.line(&line, start + place * 2, 2);
                    self.group += 1;
                }
            }
            ClauseKind::Alu => {
                let groups = groups(&self.program.code[range], self.program.info.family);
                for (place, group) in groups.iter().enumerate() {
                    self.group(group, start + group.start, place > 0);
                }
            }
        }
    }

    /// A group: its instructions, or, if its words are not those that the assembler would give it, its qwords.
    fn group(&mut self, group: &Group, address: usize, follows: bool) {
        let info = &self.program.info;
        let code = &self.program.code;
        let units = assign_units(&group.slots, info.family, info.prefer_vector).ok();
        let literals = &code[address + group.slots.len()..address + group.length()];
        let units = units.filter(|_| !group.cut_off && literals == canonical_literals(group));
        // What the text leaves out the assembler chooses, and it chooses the first codes only where they are legal.
        let names_swizzles = units.as_ref().is_some_and(|units| {
            let slots: Vec<(Unit, &Alu)> = units.iter().copied().zip(&group.slots).collect();
            check_ports(&slots).is_err() || check_constants(&group.slots, info.family).is_err()
        });
        let number = self.group;
        self.group += 1;
        for (place, alu) in group.slots.iter().enumerate() {
            let head = if place == 0 { format!("{number:>7}") } else { " ".repeat(7) };
            // Nothing is known of the group before the first of a clause.
            let group_before = follows.then(|| number - 1);
            let slot = |unit| Slot { alu, unit, literals: &group.literals, group_before, names_swizzles };
            let line = match &units {
                Some(units) => format!("{head}  {}", slot(units[place]).spell(info.family)),
                None => {
                    let unit = Unit::vector(alu.fields.dst.chan);
                    let raw = spell_raw(&code[address + place]);
                    format!("{}  {raw} ; {}", " ".repeat(7), slot(unit).spell(info.family))
                }
            };
            self.line(&line, address + place, 1);
        }
        let rest = group.slots.len()..group.length();
        match units {
            Some(_) => {
                let places = address + rest.start..address + rest.end;
                self.covered[places.clone()].fill(true);
                self.end = self.end.max(places.end);
            }
            None => {
                for place in rest {
                    let line = format!("{}  {}", " ".repeat(7), spell_raw(&code[address + place]));
                    self.line(&line, address + place, 1);
                }
            }
        }
    }
}

/// The literals that the assembler gives a group whose sources name them: what no source names is zero.
fn canonical_literals(group: &Group) -> Vec<Qword> {
    let mut values = [0; 4];
    for slot in &group.slots {
        for operand in slot.operands() {
            if operand.selector == Selector::Literal {
                values[operand.chan as usize] = group.literals[operand.chan as usize];
            }
        }
    }
    let pairs = values.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    pairs.take(literal_qwords(&group.slots)).collect()
}

/// An ALU instruction with what its text depends on.
struct Slot<'g> {
    alu: &'g Alu,
    unit: Unit,
    literals: &'g [u32; 4],
    /// Number of the group before, in the same clause.
    group_before: Option<usize>,
    /// The bank swizzle is named even if it is the first.
    names_swizzles: bool,
}

/// Columns of operations in a listing.
const OPERATION_WIDTH: usize = 16;

impl Slot<'_> {
    /// The line of the instruction, without LAST; what the language has no words for is given as RAW.
    fn spell(&self, family: Family) -> String {
        let spelled = self.words(family);
        let fields = crate::alu::AluFields { last: false, ..self.alu.fields };
        if slots::single(&spelled, family) == Some(Alu { fields, ..*self.alu }) {
            return spelled;
        }
        format!("{spelled} {}", spell_raw(&self.alu.encode(family)))
    }

    fn words(&self, family: Family) -> String {
        let Alu { op, fields, form } = self.alu;
        let (dst, omod) = (&fields.dst, self.alu.omod());
        let mut parts = Vec::new();
        let index = |relative: bool| if relative { format!("[{}]", fields.index_mode.name()) } else { String::new() };
        let mut operands = vec![match self.alu.writes() {
            true => format!("R{}{}.{}", dst.gpr, index(dst.relative), dst.chan.name()),
            false => format!("____.{}", dst.chan.name()),
        }];
        let sources = self.alu.operands().map(|operand| {
            let index = index(operand.relative);
            let chan = operand.chan.name();
            let shown = if operand.chan == Channel::X { String::new() } else { format!(".{chan}") };
            let producer = self.group_before.map(|group| group.to_string()).unwrap_or_default();
            let value = match operand.selector {
                Selector::Gpr(register) => format!("R{register}{index}.{chan}"),
                Selector::Kcache { window, entry } => format!("KC{window}[{entry}]{index}.{chan}"),
                Selector::Constant(number) => format!("C{number}{index}.{chan}"),
                Selector::PreviousVector => format!("PV{producer}.{chan}"),
                Selector::PreviousScalar => format!("PS{producer}{shown}"),
                Selector::Special(special) => format!("{}{shown}", special.name()),
                Selector::Reserved(sel) => format!("SEL_{sel}{shown}"),
                Selector::Literal => {
                    let bits = self.literals[operand.chan as usize];
                    let value = f32::from_bits(bits);
                    let float = if value.is_nan() { "NaN".to_owned() } else { spell_float(bits) };
                    format!("(0x{bits:08X}, {float}).{chan}")
                }
            };
            let value = if operand.abs { format!("|{value}|") } else { value };
            if operand.negate { format!("-{value}") } else { value }
        });
        operands.extend(sources);
        let name = format!("{}{}", spell_operation(*op), omod.name());
        parts.push(operands.join(", "));
        let mut say = |said: bool, part: String| {
            if said {
                parts.push(part);
            }
        };
        let trans = self.unit == Unit::T;
        let swizzle = fields.bank_swizzle.name(trans).filter(|_| fields.bank_swizzle.0 != 0 || self.names_swizzles);
        say(swizzle.is_some(), swizzle.unwrap_or_default().to_owned());
        if let AluForm::Op2(op2) = form {
            say(!op2.write_mask && dst.gpr != 0, format!("DST(R{})", dst.gpr));
            say(op2.update_execute_mask, "UPDATE_EXEC_MASK".into());
            say(op2.update_pred, "UPDATE_PRED".into());
            say(op2.fog_merge && family == Family::R600, "FOG_MERGE".into());
        }
        say(fields.pred_sel != PredicateSelect::Off, fields.pred_sel.name().to_owned());
        say(fields.clamp, "CLAMP".into());
        format!("{}: {name:<OPERATION_WIDTH$} {}", self.unit.name(), parts.join(" "))
    }
}
