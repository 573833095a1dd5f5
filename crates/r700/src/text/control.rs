//! Control-flow instructions: one line each, without the clause.

use super::operand::*;
use crate::cf::*;
use crate::codes::*;
use crate::target::FIRST_POSITION;
use ctm_text::{Cause, Cursor, Reported, Span, Token, TokenKind};

/// Names that other tools give operations.
pub(super) const ALIASES: [(&str, &str); 7] = [
    ("EXPORT", "EXP"),
    ("EXPORT_DONE", "EXP_DONE"),
    ("END_LOOP", "LOOP_END"),
    ("BREAK", "LOOP_BREAK"),
    ("CONTINUE", "LOOP_CONTINUE"),
    ("RET", "RETURN"),
    ("MEM_REDUCT", "MEM_REDUCTION"),
];

/// What may follow the operands.
pub(super) const PROPERTIES: [&str; 22] = [
    "ADDR",
    "FAIL_JUMP_ADDR",
    "PASS_JUMP_ADDR",
    "CNT",
    "POP_CNT",
    "CF_CONST",
    "CND",
    "CALL_COUNT",
    "KCACHE0",
    "KCACHE1",
    "BURSTCNT",
    "ELEM_SIZE",
    "ARRAY_SIZE",
    "INDEX_GPR",
    "VALID_PIX",
    "WHOLE_QUAD",
    "WHOLE_QUAD_MODE",
    "NO_BARRIER",
    "ALT_CONST",
    "USES_WATERFALL",
    "EOP",
    "RAW",
];

/// A control-flow instruction as the text gives it.
pub(super) struct Line {
    pub cf: Cf,
    /// ADDR is the place of this label.
    pub label: Option<(String, Span)>,
    /// ADDR stands in the text.
    pub addressed: bool,
    /// CNT stands in the text.
    pub counted: bool,
    pub span: Span,
}

/// The instruction that a word begins, its fields being what they are by default.
pub(super) fn named(word: &str) -> Option<Cf> {
    let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(word));
    let word = alias.map_or(word, |&(_, name)| name);
    if let Some(op) = CfOp::parse(word) {
        return Some(Cf::Plain(CfPlain { op, fields: CfFields { barrier: true, ..CfFields::default() } }));
    }
    if let Some(op) = CfAluOp::parse(word) {
        return Some(Cf::Alu(CfAlu { op, fields: CfAluFields { barrier: true, ..CfAluFields::default() } }));
    }
    let op = CfExportOp::parse(word)?;
    let variant = match op.properties().exports {
        true => ExportVariant::Swizzle(ExportSwizzle::default()),
        false => ExportVariant::Buffer(ExportBuffer::default()),
    };
    Some(Cf::Export(CfExport { op, fields: CfExportFields { barrier: true, ..CfExportFields::default() }, variant }))
}

/// All names, for those who look for what a word was meant to be.
pub(super) fn names() -> Vec<&'static str> {
    let plain = CfOp::ALL.iter().map(|op| op.name());
    plain.chain(CfAluOp::ALL.iter().map(|op| op.name())).chain(CfExportOp::ALL.iter().map(|op| op.name())).collect()
}

/// The instruction of a line that [`print`](super::print) made.
pub(super) fn single(text: &str, family: Family) -> Option<Cf> {
    super::single(text, |cursor| Ok(read(cursor, family)?.cf))
}

/// Reads an instruction from its name on.
pub(super) fn read(cursor: &mut Cursor, family: Family) -> Result<Line, Reported> {
    let token = cursor.expect_word("a control-flow instruction", "such as `ALU:` or `JUMP`")?;
    let Some(cf) = named(cursor.text(token)) else {
        return Err(cursor.unknown_word(token, "a control-flow instruction", &names()));
    };
    let mut line = Line { cf, label: None, addressed: false, counted: false, span: token.into() };
    match &mut line.cf {
        Cf::Plain(plain) if !plain.op.is_fetch() => {
            cursor.accept_symbol(b':');
        }
        Cf::Plain(CfPlain { op, .. }) => cursor.expect_symbol(b':', format_args!("after `{}`", op.name()))?,
        Cf::Alu(alu) => cursor.expect_symbol(b':', format_args!("after `{}`", alu.op.name()))?,
        Cf::Export(export) => {
            cursor.expect_symbol(b':', format_args!("after `{}`", export.op.name()))?;
            export_operands(cursor, export, family)?;
        }
        Cf::Reserved(_) => unreachable!("reserved opcodes have no names"),
    }
    let is_property = |cursor: &Cursor| {
        let (word, next) = (cursor.peek(), cursor.look(1));
        word.kind == TokenKind::Word && !word.first_of_line && next.kind != TokenKind::Symbol(b':')
    };
    while is_property(cursor) {
        let token = cursor.take();
        let word = cursor.text(token).to_ascii_uppercase();
        if !PROPERTIES.contains(&word.as_str()) {
            return Err(cursor.unknown_word(token, "a property of a control-flow instruction", &PROPERTIES));
        }
        let known = match word.as_str() {
            "ADDR" | "FAIL_JUMP_ADDR" | "PASS_JUMP_ADDR" => address(cursor, &mut line)?,
            "RAW" => {
                raw_words(cursor, &mut line, token)?;
                true
            }
            "CNT" => count(cursor, &mut line, family)?,
            _ => match &mut line.cf {
                Cf::Plain(plain) => plain_property(cursor, &mut plain.fields, &word)?,
                Cf::Alu(alu) => alu_property(cursor, &mut alu.fields, &word)?,
                Cf::Export(export) => export_property(cursor, export, &word)?,
                Cf::Reserved(_) => false,
            },
        };
        if !known {
            let message = format!("`{}` has no `{word}`", line.cf.name().unwrap_or_default());
            return Err(cursor.error(Cause::Misplaced, token, message, ""));
        }
    }
    line.span = Span::from(token).to(cursor.last().into());
    Ok(line)
}

fn raw_words(cursor: &mut Cursor, line: &mut Line, token: Token) -> Result<(), Reported> {
    let found = Cf::decode(&raw::<2>(cursor)?);
    if found.name() != line.cf.name() {
        other_instruction(cursor, token.into(), line.cf.name().unwrap_or_default(), found.name());
    }
    (line.cf, line.label, line.addressed, line.counted) = (found, None, true, true);
    Ok(())
}

/// `(n)` or `(label)`.
fn address(cursor: &mut Cursor, line: &mut Line) -> Result<bool, Reported> {
    let (place, max) = match &mut line.cf {
        Cf::Plain(plain) => (&mut plain.fields.addr, u32::MAX),
        Cf::Alu(alu) => (&mut alu.fields.addr, (1 << 22) - 1),
        Cf::Export(_) | Cf::Reserved(_) => return Ok(false),
    };
    line.addressed = true;
    let label = cursor.look(1);
    if cursor.is_symbol(b'(') && label.kind == TokenKind::Word && !cursor.text(label).as_bytes()[0].is_ascii_digit() {
        cursor.take();
        cursor.take();
        line.label = Some((cursor.text(label).to_owned(), label.into()));
        cursor.expect_symbol(b')', "after the label")?;
    } else {
        *place = argument(cursor, "an address in qwords", max)?;
    }
    Ok(true)
}

fn count(cursor: &mut Cursor, line: &mut Line, family: Family) -> Result<bool, Reported> {
    let token = cursor.peek();
    let most = match &line.cf {
        Cf::Alu(_) => 128,
        Cf::Plain(_) if family == Family::R600 => 8,
        Cf::Plain(_) => 16,
        Cf::Export(_) | Cf::Reserved(_) => return Ok(false),
    };
    let count = argument(cursor, "the length of the clause", most)?;
    if count == 0 {
        cursor.error(Cause::Range, token, "a clause has one instruction at least", "the length goes from 1");
    }
    set_count(&mut line.cf, count);
    line.counted = true;
    Ok(true)
}

/// Sets the length of a clause: qwords of an ALU clause, instructions of a fetch clause.
pub(super) fn set_count(cf: &mut Cf, count: u32) {
    match cf {
        Cf::Alu(alu) => alu.fields.count = count.wrapping_sub(1) as u8 & 0x7F,
        Cf::Plain(plain) => plain.fields.set_fetch_count(count),
        Cf::Export(_) | Cf::Reserved(_) => {}
    }
}

/// Sets `ADDR`.
pub(super) fn set_address(cf: &mut Cf, address: u32) {
    match cf {
        Cf::Alu(alu) => alu.fields.addr = address,
        Cf::Plain(plain) => plain.fields.addr = address,
        Cf::Export(_) | Cf::Reserved(_) => {}
    }
}

fn plain_property(cursor: &mut Cursor, fields: &mut CfFields, word: &str) -> Result<bool, Reported> {
    match word {
        "POP_CNT" => fields.pop_count = argument(cursor, "the pop count", 7)? as u8,
        "CF_CONST" => fields.cf_const = argument(cursor, "a constant", 31)? as u8,
        "CALL_COUNT" => fields.call_count = argument(cursor, "the call count", 63)? as u8,
        "CND" => {
            cursor.expect_symbol(b'(', "after `CND`")?;
            let token = cursor.expect_word("a condition", "")?;
            let Some(cond) = Condition::parse(cursor.text(token)) else {
                return Err(cursor.unknown_word(token, "a condition", &Condition::ALL.map(Condition::name)));
            };
            fields.cond = cond;
            cursor.expect_symbol(b')', "after the condition")?;
        }
        "VALID_PIX" => fields.valid_pixel_mode = true,
        "WHOLE_QUAD" | "WHOLE_QUAD_MODE" => fields.whole_quad_mode = true,
        "NO_BARRIER" => fields.barrier = false,
        "EOP" => fields.end_of_program = true,
        _ => return Ok(false),
    }
    Ok(true)
}

fn alu_property(cursor: &mut Cursor, fields: &mut CfAluFields, word: &str) -> Result<bool, Reported> {
    match word {
        "KCACHE0" => fields.kcache[0] = kcache(cursor)?,
        "KCACHE1" => fields.kcache[1] = kcache(cursor)?,
        "ALT_CONST" | "USES_WATERFALL" => fields.alt_const = true,
        "WHOLE_QUAD" | "WHOLE_QUAD_MODE" => fields.whole_quad_mode = true,
        "NO_BARRIER" => fields.barrier = false,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `(CB0:0-15)`, `(CB0:16-47)`, `(CB0:AL+0-AL+31)`
fn kcache(cursor: &mut Cursor) -> Result<Kcache, Reported> {
    cursor.expect_symbol(b'(', "after the window")?;
    let first = cursor.peek();
    let bank = expect_numbered(cursor, "CB", "a constant buffer", 15)? as u8;
    cursor.expect_symbol(b':', "after the constant buffer")?;
    let from = bound(cursor)?;
    cursor.expect_symbol(b'-', "between the first and the last constant")?;
    let to = bound(cursor)?;
    let span = Span::from(first).to(cursor.last().into());
    cursor.expect_symbol(b')', "after the window")?;
    let mode = match (from.0, to.0, to.1.wrapping_sub(from.1)) {
        (false, false, 15) => Some(KcacheMode::Lock1),
        (false, false, 31) => Some(KcacheMode::Lock2),
        (true, true, 31) => Some(KcacheMode::LockLoopIndex),
        _ => None,
    };
    let addr = u8::try_from(from.1 / 16).ok().filter(|_| from.1.is_multiple_of(16));
    match (mode, addr) {
        (Some(mode), Some(addr)) => Ok(Kcache { bank, mode, addr }),
        _ => {
            let message = "no window holds these constants";
            let help = "a window begins at a multiple of 16 and holds 16 or 32 constants, with `AL+` on both bounds 32";
            cursor.error(Cause::Range, span, message, help);
            Ok(Kcache::default())
        }
    }
}

/// A bound of a window: whether the loop index is added, and a constant.
fn bound(cursor: &mut Cursor) -> Result<(bool, u32), Reported> {
    let relative = cursor.accept_word("AL");
    if relative {
        cursor.expect_symbol(b'+', "after `AL`")?;
    }
    Ok((relative, cursor.number("a constant", 255 * 16 + 31)?))
}

fn spell_kcache(kcache: Kcache) -> Option<String> {
    let from = u32::from(kcache.addr) * 16;
    let to = from + u32::from(kcache.mode.constants()).checked_sub(1)?;
    let index = if kcache.mode == KcacheMode::LockLoopIndex { "AL+" } else { "" };
    Some(format!("CB{}:{index}{from}-{index}{to}", kcache.bank))
}

fn export_operands(cursor: &mut Cursor, export: &mut CfExport, family: Family) -> Result<(), Reported> {
    let fields = &mut export.fields;
    match &mut export.variant {
        ExportVariant::Swizzle(_) => {
            const HELP: &str = "a colour is `PIX0`, a position `POS0`, a parameter `PARAM0`";
            let token = cursor.expect_word("an export target", HELP)?;
            let word = cursor.text(token);
            let target =
                [ExportType::Pixel, ExportType::Position, ExportType::Parameter].into_iter().find_map(|kind| {
                    let first = if kind == ExportType::Position { FIRST_POSITION } else { 0 };
                    let base =
                        numbered(word, kind.name()).filter(|_| word.len() > kind.name().len())? + u32::from(first);
                    Some((kind, u16::try_from(base).ok().filter(|&base| base < 1 << 13)?))
                });
            let Some((kind, base)) = target else {
                return Err(cursor.unknown_word(token, "an export target", &["PIX0", "POS0", "PARAM0"]));
            };
            (fields.kind, fields.array_base) = (kind as u8, base);
        }
        ExportVariant::Buffer(_) => memory_operands(cursor, fields, family)?,
    }
    cursor.expect_symbol(b',', "before the register")?;
    if cursor.word_ahead(0).is_some_and(|word| word.eq_ignore_ascii_case("R")) {
        cursor.take();
        cursor.expect_symbol(b'[', "after `R`")?;
        if !cursor.accept_word("AL") {
            return Err(cursor.expected("`AL`", "exports add the loop index only, as in `R[AL+1]`"));
        }
        cursor.expect_symbol(b'+', "after `AL`")?;
        fields.gpr = cursor.number("a register", 127)? as u8;
        fields.relative = true;
        cursor.expect_symbol(b']', "after the register")?;
    } else {
        fields.gpr = register(cursor)?;
    }
    match &mut export.variant {
        ExportVariant::Swizzle(swizzle) => swizzle.sel = selects(cursor)?,
        ExportVariant::Buffer(buffer) => buffer.comp_mask = mask(cursor)?,
    }
    Ok(())
}

/// What memory instructions do, by `TYPE` without its index bit.
pub(super) const fn directions(family: Family) -> [&'static str; 2] {
    match family {
        Family::R600 => ["WRITE", "READ"],
        Family::R700 => ["WRITE", "WRITE_ACK"],
    }
}

/// `WRITE(1)`, `WRITE(1 + R3)`
fn memory_operands(cursor: &mut Cursor, fields: &mut CfExportFields, family: Family) -> Result<(), Reported> {
    let direction = cursor.expect_name("a memory access", &directions(family))?;
    cursor.expect_symbol(b'(', "before the array base")?;
    fields.array_base = cursor.number("the array base", (1 << 13) - 1)? as u16;
    let indexed = cursor.accept_symbol(b'+');
    if indexed {
        fields.index_gpr = register(cursor)?;
    }
    fields.kind = (direction * 2) as u8 + u8::from(indexed);
    cursor.expect_symbol(b')', "after the array base")
}

fn export_property(cursor: &mut Cursor, export: &mut CfExport, word: &str) -> Result<bool, Reported> {
    let fields = &mut export.fields;
    match (word, &mut export.variant) {
        ("BURSTCNT", _) => fields.burst_count = argument(cursor, "the burst count", 15)? as u8,
        ("ELEM_SIZE", _) => fields.elem_size = argument(cursor, "the element size", 3)? as u8,
        ("INDEX_GPR", _) => fields.index_gpr = argument(cursor, "a register", 127)? as u8,
        ("ARRAY_SIZE", ExportVariant::Buffer(buffer)) => {
            buffer.array_size = argument(cursor, "the array size", 0xFFF)? as u16;
        }
        ("VALID_PIX", _) => fields.valid_pixel_mode = true,
        ("WHOLE_QUAD" | "WHOLE_QUAD_MODE", _) => fields.whole_quad_mode = true,
        ("NO_BARRIER", _) => fields.barrier = false,
        ("EOP", _) => fields.end_of_program = true,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Spells an instruction, without its end of program and without what the language has no words for.
pub(super) fn spell(cf: &Cf, family: Family) -> String {
    match cf {
        Cf::Plain(plain) => spell_plain(plain, family),
        Cf::Alu(alu) => spell_alu(alu, family),
        Cf::Export(export) => spell_export(export, family),
        Cf::Reserved(_) => String::new(),
    }
}

/// Words that are said if something holds.
struct Parts(Vec<String>);

impl Parts {
    fn say(&mut self, said: bool, part: impl Into<String>) {
        if said {
            self.0.push(part.into());
        }
    }
}

fn spell_plain(CfPlain { op, fields }: &CfPlain, family: Family) -> String {
    let properties = op.properties();
    let fetch = op.is_fetch();
    let mut parts = Parts(vec![format!("{}{}", op.name(), if fetch { ":" } else { "" })]);
    let conditional = fields.cond != Condition::Active;
    parts.say(fields.pop_count != 0, format!("POP_CNT({})", fields.pop_count));
    parts.say(conditional, format!("CND({})", fields.cond.name()));
    let constant = properties.loop_constant || conditional || fields.cf_const != 0;
    parts.say(constant, format!("CF_CONST({})", fields.cf_const));
    let address = match op {
        CfOp::LoopEnd => "PASS_JUMP_ADDR",
        op if op.is_loop_start() => "FAIL_JUMP_ADDR",
        _ => "ADDR",
    };
    parts.say(properties.address != AddressUse::None || fields.addr != 0, format!("{address}({})", fields.addr));
    let count = fields.fetch_count(family);
    parts.say(fetch || count != 1, format!("CNT({count})"));
    parts.say(fields.call_count != 0, format!("CALL_COUNT({})", fields.call_count));
    parts.say(fields.valid_pixel_mode, "VALID_PIX");
    parts.say(fields.whole_quad_mode, "WHOLE_QUAD");
    parts.say(!fields.barrier, "NO_BARRIER");
    parts.0.join(" ")
}

fn spell_alu(CfAlu { op, fields }: &CfAlu, family: Family) -> String {
    let mut parts = Parts(vec![format!("{}: ADDR({}) CNT({})", op.name(), fields.addr, fields.length())]);
    for (window, &kcache) in fields.kcache.iter().enumerate() {
        let spelled = spell_kcache(kcache);
        parts.say(spelled.is_some(), format!("KCACHE{window}({})", spelled.unwrap_or_default()));
    }
    parts.say(fields.alt_const, if family == Family::R700 { "ALT_CONST" } else { "USES_WATERFALL" });
    parts.say(fields.whole_quad_mode, "WHOLE_QUAD");
    parts.say(!fields.barrier, "NO_BARRIER");
    parts.0.join(" ")
}

fn spell_export(export: &CfExport, family: Family) -> String {
    let CfExport { op, fields, variant } = export;
    let register = match fields.relative {
        true => format!("R[AL+{}]", fields.gpr),
        false => format!("R{}", fields.gpr),
    };
    let indexed = variant_is_buffer(variant) && export.memory_type().is_indexed();
    let operands = match variant {
        ExportVariant::Swizzle(swizzle) => {
            let target = match (export.export_type(), fields.array_base.checked_sub(FIRST_POSITION)) {
                (ExportType::Position, Some(number)) => format!("POS{number}"),
                (ExportType::Parameter, _) => format!("PARAM{}", fields.array_base),
                _ => format!("PIX{}", fields.array_base),
            };
            format!("{target}, {register}.{}", spell_selects(swizzle.sel))
        }
        ExportVariant::Buffer(buffer) => {
            let direction = directions(family)[usize::from(fields.kind >> 1 & 1)];
            let index = if indexed { format!(" + R{}", fields.index_gpr) } else { String::new() };
            format!("{direction}({}{index}), {register}.{}", fields.array_base, spell_mask(buffer.comp_mask))
        }
    };
    let mut parts = Parts(vec![format!("{}: {operands}", op.name())]);
    if let ExportVariant::Buffer(buffer) = variant {
        parts.say(buffer.array_size != 0, format!("ARRAY_SIZE({})", buffer.array_size));
    }
    parts.say(!indexed && fields.index_gpr != 0, format!("INDEX_GPR({})", fields.index_gpr));
    parts.say(fields.burst_count != 0, format!("BURSTCNT({})", fields.burst_count));
    parts.say(fields.elem_size != 0, format!("ELEM_SIZE({})", fields.elem_size));
    parts.say(fields.valid_pixel_mode, "VALID_PIX");
    parts.say(fields.whole_quad_mode, "WHOLE_QUAD");
    parts.say(!fields.barrier, "NO_BARRIER");
    parts.0.join(" ")
}

const fn variant_is_buffer(variant: &ExportVariant) -> bool {
    matches!(variant, ExportVariant::Buffer(_))
}
