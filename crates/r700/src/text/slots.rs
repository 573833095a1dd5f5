//! ALU clauses: instructions, groups, literals.

use super::operand::{numbered, other_instruction, raw, register, register_word};
use crate::alu::*;
use crate::cf::Qword;
use crate::codes::*;
use crate::group::{GROUP_SLOTS, Unit, UnitError, assign_units, literal_qwords};
use crate::program::ProgramInfo;
use ctm_text::{Cause, Cursor, Kind, Reported, Span, Token, excerpt};

/// Names that other tools give operations (decaf-emu's assembler, AMD's listings).
const ALIASES: [(&str, AluOp); 15] = [
    ("MUL_e", AluOp::Op2(Op2::Mul)),
    ("MULADD_e", AluOp::Op3(Op3::MulAdd)),
    ("DOT4_e", AluOp::Op2(Op2::Dot4)),
    ("SQRT_e", AluOp::Op2(Op2::SqrtIeee)),
    ("EXP_e", AluOp::Op2(Op2::ExpIeee)),
    ("LOG_e", AluOp::Op2(Op2::LogIeee)),
    ("RSQ_e", AluOp::Op2(Op2::RecipSqrtIeee)),
    ("RCP_e", AluOp::Op2(Op2::RecipIeee)),
    ("LOG_sat", AluOp::Op2(Op2::LogClamped)),
    ("PREDGT", AluOp::Op2(Op2::PredSetGt)),
    ("ASHR", AluOp::Op2(Op2::AshrInt)),
    ("LSHR", AluOp::Op2(Op2::LshrInt)),
    ("LSHL", AluOp::Op2(Op2::LshlInt)),
    ("MULHI", AluOp::Op2(Op2::MulHiUint)),
    ("ALU_NOP", AluOp::Op2(Op2::Nop)),
];

/// What may follow the operands.
const PROPERTIES: [&str; 20] = [
    "CLAMP",
    "VEC_012",
    "VEC_021",
    "VEC_120",
    "VEC_102",
    "VEC_201",
    "VEC_210",
    "SCL_210",
    "SCL_122",
    "SCL_212",
    "SCL_221",
    "PRED_SEL_RESERVED",
    "PRED_SEL_ZERO",
    "PRED_SEL_ONE",
    "UPDATE_EXEC_MASK",
    "UPDATE_PRED",
    "FOG_MERGE",
    "DST",
    "LAST",
    "RAW",
];

/// The operation with this name.
fn operation(name: &str) -> Option<AluOp> {
    let reserved = |prefix: &str| {
        let digits =
            name.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix)).map(|_| &name[prefix.len()..]);
        digits.filter(|digits| digits.len() == 2).and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    let alias = || ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map(|&(_, op)| op);
    let reserved2 = || reserved("OP2_").filter(|&code| Op2::from_code(code).is_none()).map(AluOp::Reserved2);
    let reserved3 = || {
        let free = |code: &u8| (4..32).contains(code) && Op3::from_code(*code).is_none();
        reserved("OP3_").filter(free).map(AluOp::Reserved3)
    };
    let op2 = Op2::parse(name).map(AluOp::Op2);
    op2.or_else(|| Op3::parse(name).map(AluOp::Op3)).or_else(alias).or_else(reserved2).or_else(reserved3)
}

/// The spelling of an operation, reserved or not.
pub(super) fn spell_operation(op: AluOp) -> String {
    match op {
        AluOp::Op2(op) => op.name().to_owned(),
        AluOp::Op3(op) => op.name().to_owned(),
        AluOp::Reserved2(code) => format!("OP2_{code:02X}"),
        AluOp::Reserved3(code) => format!("OP3_{code:02X}"),
    }
}

/// A literal on its way to its place.
struct Literal {
    /// The source that takes it.
    source: usize,
    bits: u32,
    /// Its dword, if the text says so.
    chan: Option<Channel>,
    span: Span,
}

/// An instruction on its way to its group.
pub(super) struct Slot {
    pub alu: Alu,
    /// The unit that the text names.
    unit: Unit,
    literals: Vec<Literal>,
    /// The bank swizzle that the text names is one of the trans unit.
    trans_swizzle: Option<(bool, Span)>,
    span: Span,
}

/// The unit that begins a slot here, after `skip` tokens.
fn unit_ahead(cursor: &Cursor, skip: usize) -> Option<Unit> {
    let word = cursor.word_ahead(skip)?;
    let unit = Unit::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(word))?;
    (cursor.look(skip + 1).kind == Kind::Symbol(b':')).then_some(unit)
}

/// The body of a clause.
#[derive(Default)]
pub(super) struct Body {
    /// Its qwords, each with its place in the text.
    pub qwords: Vec<(Qword, Span)>,
    /// Some line of it has no meaning, and was left out.
    pub damaged: bool,
}

/// Reads the body of an ALU clause.
pub(super) fn body(cursor: &mut Cursor, info: &ProgramInfo) -> Body {
    let mut body = Body::default();
    let mut group = Pending::default();
    let mut last_number = None;
    loop {
        let first = cursor.peek();
        if cursor.is_word("RAW") && cursor.look(1).kind == Kind::Symbol(b'(') {
            group.close(cursor, info, &mut body);
            cursor.take();
            match raw::<2>(cursor) {
                Ok(words) => body.qwords.push((words, Span::from(first).to(cursor.last().into()))),
                Err(Reported) => {
                    body.damaged = true;
                    skip_line(cursor, first);
                }
            }
            continue;
        }
        if unit_ahead(cursor, 1).is_some() && cursor.text(first).as_bytes()[0].is_ascii_digit() {
            group.close(cursor, info, &mut body);
            match cursor.number("the number of a group", u32::MAX) {
                Ok(value) if last_number.is_some_and(|last| value <= last) => {
                    let message = "the numbers of groups do not increase";
                    cursor.error(Cause::Address, first, message, "they can be left out");
                }
                Ok(value) => last_number = Some(value),
                // What follows is read as if there were no number.
                Err(Reported) => {
                    cursor.take();
                }
            }
        }
        let Some(unit) = unit_ahead(cursor, 0) else { break };
        match slot(cursor, unit, info.family) {
            Ok(slot) => {
                let last = slot.alu.fields.last;
                group.slots.push(slot);
                if last || group.slots.len() > GROUP_SLOTS {
                    group.close(cursor, info, &mut body);
                }
            }
            Err(Reported) => {
                group.damaged = true;
                skip_line(cursor, first);
            }
        }
    }
    group.close(cursor, info, &mut body);
    body
}

/// Goes to the next line after `first`, where a line began that has no meaning.
pub(super) fn skip_line(cursor: &mut Cursor, first: Token) {
    let here = cursor.peek();
    if (here.file, here.start) == (first.file, first.start) {
        cursor.take();
    }
    while !cursor.at_end() && !cursor.peek().first_of_line {
        cursor.take();
    }
}

/// A group on its way.
#[derive(Default)]
struct Pending {
    slots: Vec<Slot>,
    /// An instruction of it has no meaning.
    damaged: bool,
}

impl Pending {
    /// Ends the group: places its literals, checks its units, and adds its qwords.
    fn close(&mut self, cursor: &mut Cursor, info: &ProgramInfo, body: &mut Body) {
        let Pending { mut slots, damaged } = std::mem::take(self);
        body.damaged |= damaged;
        let Some(last) = slots.last_mut() else { return };
        last.alu.fields.last = true;
        let end = last.span;
        let literals = place_literals(cursor, &mut slots);
        let alus: Vec<Alu> = slots.iter().map(|slot| slot.alu).collect();
        if !damaged {
            check_units(cursor, info, &slots, &alus);
        }
        body.qwords.extend(slots.iter().map(|slot| (slot.alu.encode(info.family), slot.span)));
        let pairs = literals.chunks_exact(2).take(literal_qwords(&alus));
        body.qwords.extend(pairs.map(|pair| ([pair[0], pair[1]], end)));
    }
}

fn place_literals(cursor: &mut Cursor, slots: &mut [Slot]) -> [u32; 4] {
    let mut placed: [Option<u32>; 4] = [None; 4];
    for literal in slots.iter().flat_map(|slot| &slot.literals) {
        let Some(chan) = literal.chan else { continue };
        let place = &mut placed[chan as usize];
        if place.replace(literal.bits).is_some_and(|before| before != literal.bits) {
            let message = format!("literal {} of the group has another value already", chan.name());
            cursor.error(Cause::Duplicate, literal.span, message, "leave the channel out, and it gets a free place");
        }
    }
    for slot in slots {
        for literal in &slot.literals {
            let place = literal.chan.map(|chan| chan as usize).or_else(|| {
                let same = placed.iter().position(|&value| value == Some(literal.bits));
                same.or_else(|| placed.iter().position(Option::is_none))
            });
            let Some(place) = place else {
                let message = "no literal of the group is left for this value";
                cursor.error(Cause::NoConstantLeft, literal.span, message, "a group has four literals");
                continue;
            };
            placed[place] = Some(literal.bits);
            slot.alu.source_mut(literal.source).chan = Channel::ALL[place];
        }
    }
    placed.map(Option::unwrap_or_default)
}

fn check_units(cursor: &mut Cursor, info: &ProgramInfo, slots: &[Slot], alus: &[Alu]) {
    match assign_units(alus, info.family, info.prefer_vector) {
        Ok(units) => {
            for (slot, unit) in slots.iter().zip(units) {
                if slot.unit != unit {
                    let message = format!("this instruction goes to unit {}, not {}", unit.name(), slot.unit.name());
                    let help = "vector units are those of the destination channel; what finds its own taken, and what only \
                                the trans unit can do, goes to `t`";
                    cursor.error(Cause::Unit, slot.span, message, help);
                }
                if let Some((trans, span)) = slot.trans_swizzle.filter(|&(trans, _)| trans != (unit == Unit::T)) {
                    let (has, wants) = if trans { ("the trans unit", "VEC_") } else { ("a vector unit", "SCL_") };
                    let message = format!("this bank swizzle is of {has}");
                    cursor.error(Cause::Unit, span, message, &format!("here it begins with `{wants}`"));
                }
            }
        }
        Err(error @ UnitError::Collision { second, .. }) => {
            cursor.error(
                Cause::Unit,
                slots[second].span,
                error.to_string(),
                "a number before the unit begins a new group",
            );
        }
        Err(error @ UnitError::TooMany(_)) => {
            let span = slots[slots.len() - 1].span;
            cursor.error(Cause::Unit, span, error.to_string(), "a number before the unit begins a new group");
        }
    }
}

/// Reads an instruction from its unit on.
fn slot(cursor: &mut Cursor, unit: Unit, family: Family) -> Result<Slot, Reported> {
    let first = cursor.take();
    cursor.take();
    let mut slot = operands(cursor, unit)?;
    properties(cursor, &mut slot, family)?;
    slot.span = Span::from(first).to(cursor.last().into());
    Ok(slot)
}

/// The instruction of one line that [`print`](super::print) made, without its neighbours.
pub(super) fn single(text: &str, family: Family) -> Option<Alu> {
    super::single(text, |cursor| {
        let unit = unit_ahead(cursor, 0).ok_or(Reported)?;
        Ok(slot(cursor, unit, family)?.alu)
    })
}

fn operands(cursor: &mut Cursor, unit: Unit) -> Result<Slot, Reported> {
    let token = cursor.expect_word("an operation", "such as `MOV`")?;
    let Some(op) = operation(cursor.text(token)) else {
        let names: Vec<&str> = Op2::ALL.iter().map(|op| op.name()).chain(Op3::ALL.iter().map(|op| op.name())).collect();
        return Err(cursor.unknown_word(token, "an operation", &names));
    };
    let form = if op.is_op3() { AluForm::Op3(Op3Fields::default()) } else { AluForm::Op2(Op2Fields::default()) };
    let alu = Alu { op, fields: AluFields::default(), form };
    let mut slot = Slot { alu, unit, literals: Vec::new(), trans_swizzle: None, span: token.into() };
    output_modifier(cursor, &mut slot)?;
    let sources = usize::from(op.facts().sources);
    if unit != Unit::T {
        slot.alu.fields.dst.chan = Channel::ALL[unit as usize];
    }
    let destination_here = cursor.word_ahead(0).is_some_and(|word| word == "____" || register_word(word).is_some());
    if sources > 0 || destination_here {
        destination(cursor, &mut slot)?;
    }
    for number in 0..sources {
        let name = spell_operation(op);
        cursor.expect_symbol(b',', format_args!("before source {number} of `{name}`, which has {sources}"))?;
        source(cursor, &mut slot, number)?;
    }
    Ok(slot)
}

fn output_modifier(cursor: &mut Cursor, slot: &mut Slot) -> Result<(), Reported> {
    let first = cursor.peek();
    if !matches!(first.kind, Kind::Symbol(b'*' | b'/')) {
        return Ok(());
    }
    cursor.take();
    let number = cursor.take();
    let spelled = format!("{}{}", cursor.text(first), cursor.text(number));
    let span = Span::from(first).to(number.into());
    let factor = OutputModifier::parse(&spelled).filter(|&factor| factor != OutputModifier::None);
    match (factor, &mut slot.alu.form) {
        (Some(factor), AluForm::Op2(op2)) => op2.omod = factor,
        (Some(_), AluForm::Op3(_)) => {
            let message = format!("`{}` has no output modifier", spell_operation(slot.alu.op));
            cursor.error(Cause::Misplaced, span, message, "operations with three sources have none");
        }
        (None, _) => {
            let message = format!("`{}` is not an output modifier", excerpt(&spelled));
            return Err(cursor.error(Cause::Operand, span, message, "it can be `*2`, `*4` or `/2`"));
        }
    }
    Ok(())
}

fn destination(cursor: &mut Cursor, slot: &mut Slot) -> Result<(), Reported> {
    let token = cursor.peek();
    if cursor.accept_word("____") {
        if slot.alu.op.is_op3() {
            let message = format!("`{}` always writes its destination", spell_operation(slot.alu.op));
            cursor.error(Cause::Misplaced, token, message, "operations with three sources have no write mask");
        }
        if cursor.is_symbol(b'.') {
            slot.alu.fields.dst.chan = super::operand::channel(cursor)?;
        }
        return Ok(());
    }
    slot.alu.fields.dst.gpr = register(cursor)?;
    if let Some(mode) = relative(cursor)? {
        slot.alu.fields.dst.relative = true;
        set_index_mode(cursor, slot, mode);
    }
    slot.alu.fields.dst.chan = super::operand::channel(cursor)?;
    if let AluForm::Op2(op2) = &mut slot.alu.form {
        op2.write_mask = true;
    }
    Ok(())
}

/// Takes `[AR.x]` or `[AL]`, if one is here.
fn relative(cursor: &mut Cursor) -> Result<Option<(IndexMode, Span)>, Reported> {
    if !cursor.is_symbol(b'[') {
        return Ok(None);
    }
    let first = cursor.take();
    let token = cursor.expect_word("an index", "it can be `AR.x`, `AR.y`, `AR.z`, `AR.w` or `AL`")?;
    let mut name = cursor.text(token).to_owned();
    if cursor.accept_symbol(b'.') {
        let chan = cursor.take();
        name = format!("{name}.{}", cursor.text(chan));
    }
    let Some(mode) = IndexMode::parse(&name) else {
        return Err(cursor.unknown_word(token, "an index", &["AR.x", "AR.y", "AR.z", "AR.w", "AL"]));
    };
    cursor.expect_symbol(b']', "after the index")?;
    Ok(Some((mode, Span::from(first).to(cursor.last().into()))))
}

fn set_index_mode(cursor: &mut Cursor, slot: &mut Slot, (mode, span): (IndexMode, Span)) {
    let destination = slot.alu.fields.dst.relative;
    let others = slot.alu.encoded_operands().filter(|operand| operand.relative).count() + usize::from(destination);
    // The operand at hand is counted already.
    if others > 1 && slot.alu.fields.index_mode != mode {
        let message = "the operands of one instruction add different indices";
        cursor.error(Cause::Operand, span, message, "an instruction has one index mode for all its operands");
    }
    slot.alu.fields.index_mode = mode;
}

/// Takes `-1`, the integer constant: a sign and the digit, and nothing that would make it a float.
fn accept_minus_one(cursor: &mut Cursor) -> bool {
    let is_float = cursor.look(2).kind == Kind::Symbol(b'.')
        && cursor.word_ahead(3).is_some_and(|w| w.as_bytes()[0].is_ascii_digit());
    let here = cursor.is_symbol(b'-') && cursor.word_ahead(1) == Some("1") && !is_float;
    if here {
        cursor.take();
        cursor.take();
    }
    here
}

fn source(cursor: &mut Cursor, slot: &mut Slot, number: usize) -> Result<(), Reported> {
    if accept_minus_one(cursor) {
        *slot.alu.source_mut(number) = minus_one(cursor)?;
        return Ok(());
    }
    let negate = cursor.accept_symbol(b'-');
    let bar = cursor.peek();
    let abs = cursor.accept_symbol(b'|');
    let (source, index) =
        if accept_minus_one(cursor) { (minus_one(cursor)?, None) } else { value(cursor, slot, number)? };
    *slot.alu.source_mut(number) = Source { negate, relative: index.is_some(), ..source };
    if let Some(index) = index {
        set_index_mode(cursor, slot, index);
    }
    if abs {
        cursor.expect_symbol(b'|', "after an absolute value")?;
        match &mut slot.alu.form {
            AluForm::Op2(op2) => op2.abs[number] = true,
            AluForm::Op3(_) => {
                let message = format!("`{}` takes no absolute values", spell_operation(slot.alu.op));
                cursor.error(Cause::Misplaced, bar, message, "operations with three sources have no such modifier");
            }
        }
    }
    Ok(())
}

/// The rest of `-1`.
fn minus_one(cursor: &mut Cursor) -> Result<Source, Reported> {
    special(cursor, Special::MinusOneInt)
}

/// The rest of a constant of the machine: the channel, which it has no need of.
fn special(cursor: &mut Cursor, special: Special) -> Result<Source, Reported> {
    plain(cursor, Selector::Special(special))
}

/// A source that may have a channel.
fn plain(cursor: &mut Cursor, selector: Selector) -> Result<Source, Reported> {
    let chan = if cursor.is_symbol(b'.') { super::operand::channel(cursor)? } else { Channel::X };
    Ok(Source { sel: selector.encode(), chan, ..Source::default() })
}

/// A source that may have an index and must have a channel.
fn indexed(cursor: &mut Cursor, selector: Selector) -> Result<(Source, Option<(IndexMode, Span)>), Reported> {
    let index = relative(cursor)?;
    let chan = super::operand::channel(cursor)?;
    Ok((Source { sel: selector.encode(), chan, ..Source::default() }, index))
}

/// What is read, without sign and absolute value.
fn value(cursor: &mut Cursor, slot: &mut Slot, number: usize) -> Result<(Source, Option<(IndexMode, Span)>), Reported> {
    let first = cursor.peek();
    if cursor.is_symbol(b'(') {
        let bits = spelled_literal(cursor)?;
        return Ok((literal(cursor, slot, number, bits, first.into())?, None));
    }
    if let Some((spelled, span)) = cursor.numeral() {
        if let Some(constant) = Special::parse(&spelled) {
            return Ok((special(cursor, constant)?, None));
        }
        let bits = literal_bits(cursor, &spelled, span)?;
        return Ok((literal(cursor, slot, number, bits, span)?, None));
    }
    const HELP: &str = "such as `R1.x`, `KC0[5].y`, `C3.z`, `PV.w`, `PS`, `1.0f` or `(0x40500000, 3.25)`";
    let token = cursor.expect_word("a source", HELP)?;
    let word = cursor.text(token).to_owned();
    let named = |prefix: &str, max: u32| numbered(&word, prefix).filter(|&number| number <= max);
    if let Some(register) = register_word(&word).filter(|&number| number < 128) {
        return indexed(cursor, Selector::Gpr(register as u8));
    }
    if let Some(constant) = named("C", 255) {
        return indexed(cursor, Selector::Constant(constant as u8));
    }
    if let Some(window) = named("KC", 1).filter(|_| word.len() == 3) {
        cursor.expect_symbol(b'[', "before the entry of the window")?;
        let entry = cursor.number("an entry of a constant-cache window", 31)? as u8;
        cursor.expect_symbol(b']', "after the entry of the window")?;
        return indexed(cursor, Selector::Kcache { window: window as u8, entry });
    }
    if word.eq_ignore_ascii_case("PV") || named("PV", u32::MAX).is_some() {
        let chan = super::operand::channel(cursor)?;
        return Ok((Source { sel: Selector::PreviousVector.encode(), chan, ..Source::default() }, None));
    }
    if word.eq_ignore_ascii_case("PS") || named("PS", u32::MAX).is_some() {
        return Ok((plain(cursor, Selector::PreviousScalar)?, None));
    }
    if let Some(constant) = Special::parse(&word) {
        return Ok((special(cursor, constant)?, None));
    }
    if let Some(sel @ Selector::Reserved(_)) = named("SEL_", 511).map(|sel| Selector::decode(sel as u16)) {
        return Ok((plain(cursor, sel)?, None));
    }
    let message = format!("`{}` is not a source", excerpt(&word));
    Err(cursor.error(Cause::UnknownWord, token, message, HELP))
}

/// `(0x40500000, 3.25)`; the bits count.
fn spelled_literal(cursor: &mut Cursor) -> Result<u32, Reported> {
    cursor.take();
    let bits = cursor.number("the bits of a literal", u32::MAX)?;
    if cursor.accept_symbol(b',') {
        let negative = cursor.accept_symbol(b'-');
        let token = float_word(cursor)?;
        let value = token.0.parse::<f32>().ok().map(|value| if negative { -value } else { value });
        let same =
            value.is_some_and(|value| value.to_bits() == bits || (value.is_nan() && f32::from_bits(bits).is_nan()));
        if !same {
            let message = format!("the bits of this literal are those of {:?}", f32::from_bits(bits));
            cursor.warning(Cause::Operand, token.1, message, "the bits count; the float is for people");
        }
    }
    cursor.expect_symbol(b')', "after a literal")?;
    Ok(bits)
}

/// A float as people read it: a numeral, `inf` or `NaN`.
fn float_word(cursor: &mut Cursor) -> Result<(String, Span), Reported> {
    if let Some(numeral) = cursor.numeral() {
        return Ok(numeral);
    }
    let token = cursor.expect_word("the literal as a float", "such as `3.25`")?;
    Ok((cursor.text(token).to_owned(), token.into()))
}

/// `0x40500000` or `3.25f`.
fn literal_bits(cursor: &mut Cursor, spelled: &str, span: Span) -> Result<u32, Reported> {
    let hexadecimal = spelled.strip_prefix("0x").or_else(|| spelled.strip_prefix("0X"));
    let bits = match hexadecimal {
        Some(digits) if digits.len() <= 8 => u32::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => spelled.strip_suffix(['f', 'F']).and_then(|float| float.parse::<f32>().ok()).map(f32::to_bits),
    };
    bits.ok_or(()).map_err(|()| {
        let message = format!("`{}` is not a literal", excerpt(spelled));
        let help = "write a float with `f`, such as `3.25f`, or bits, such as `0x40500000`";
        cursor.error(Cause::Operand, span, message, help)
    })
}

/// The rest of a literal: its channel, if the text gives it one.
fn literal(cursor: &mut Cursor, slot: &mut Slot, source: usize, bits: u32, span: Span) -> Result<Source, Reported> {
    let chan = if cursor.is_symbol(b'.') { Some(super::operand::channel(cursor)?) } else { None };
    slot.literals.push(Literal { source, bits, chan, span });
    Ok(Source { sel: LITERAL, chan: chan.unwrap_or_default(), ..Source::default() })
}

fn properties(cursor: &mut Cursor, slot: &mut Slot, family: Family) -> Result<(), Reported> {
    while cursor.peek().kind == Kind::Word {
        let token = cursor.peek();
        let word = cursor.text(token).to_ascii_uppercase();
        if cursor.look(1).kind == Kind::Symbol(b':') || !PROPERTIES.contains(&word.as_str()) {
            if token.first_of_line || cursor.look(1).kind == Kind::Symbol(b':') || word.as_bytes()[0].is_ascii_digit() {
                break;
            }
            cursor.take();
            return Err(cursor.unknown_word(token, "a property of an ALU instruction", &PROPERTIES));
        }
        if word == "RAW" && token.first_of_line {
            break;
        }
        cursor.take();
        if property(cursor, slot, &word, token.into(), family)? {
            break;
        }
    }
    Ok(())
}

/// Takes the rest of a property; true if nothing can follow.
fn property(cursor: &mut Cursor, slot: &mut Slot, word: &str, span: Span, family: Family) -> Result<bool, Reported> {
    let name = spell_operation(slot.alu.op);
    let fields = &mut slot.alu.fields;
    match word {
        "CLAMP" => fields.clamp = true,
        "LAST" => fields.last = true,
        "PRED_SEL_RESERVED" => fields.pred_sel = PredicateSelect::Reserved1,
        "PRED_SEL_ZERO" => fields.pred_sel = PredicateSelect::Zero,
        "PRED_SEL_ONE" => fields.pred_sel = PredicateSelect::One,
        "DST" => {
            cursor.expect_symbol(b'(', "after `DST`")?;
            fields.dst.gpr = register(cursor)?;
            cursor.expect_symbol(b')', "after the register")?;
        }
        "RAW" => {
            let words = raw::<2>(cursor)?;
            let found = Alu::decode(&words, family);
            if found.op != slot.alu.op {
                other_instruction(cursor, span, &name, Some(&spell_operation(found.op)));
            }
            slot.literals.retain(|literal| found.source(literal.source).is_some_and(|source| source.sel == LITERAL));
            for literal in &mut slot.literals {
                literal.chan = found.source(literal.source).map(|source| source.chan);
            }
            slot.alu = found;
            return Ok(true);
        }
        "UPDATE_EXEC_MASK" | "UPDATE_PRED" | "FOG_MERGE" => match &mut slot.alu.form {
            AluForm::Op2(op2) => match word {
                "UPDATE_EXEC_MASK" => op2.update_execute_mask = true,
                "UPDATE_PRED" => op2.update_pred = true,
                _ if family == Family::R600 => op2.fog_merge = true,
                _ => {
                    cursor.error(Cause::Misplaced, span, "`FOG_MERGE` is of R600", "write `.family r600`");
                }
            },
            AluForm::Op3(_) => {
                let message = format!("`{name}` has no `{word}`");
                cursor.error(Cause::Misplaced, span, message, "operations with three sources have none");
            }
        },
        _ => {
            let (swizzle, trans) = BankSwizzle::parse(word).expect("the other properties are bank swizzles");
            fields.bank_swizzle = swizzle;
            slot.trans_swizzle = Some((trans, span));
        }
    }
    Ok(false)
}
