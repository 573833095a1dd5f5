//! Sources of ALU instructions.

use super::operand::{channel, has_channel, numbered, register_word};
use super::slots::{Literal, Slot, relative, set_index_mode, spell_operation};
use crate::alu::{AluForm, LITERAL, Selector, Source, Special};
use crate::codes::{Channel, IndexMode};
use ctm_text::{Cause, Cursor, Reported, Span, TokenKind, excerpt};

/// Takes `-1`, the integer constant: a sign and the digit, and nothing that would make it a float.
fn accept_minus_one(cursor: &mut Cursor) -> bool {
    let is_float = cursor.look(2).kind == TokenKind::Symbol(b'.')
        && cursor.word_ahead(3).is_some_and(|w| w.as_bytes()[0].is_ascii_digit());
    let here = cursor.is_symbol(b'-') && cursor.word_ahead(1) == Some("1") && !is_float;
    if here {
        cursor.take();
        cursor.take();
    }
    here
}

/// Takes source `number` of an instruction.
pub(super) fn source(cursor: &mut Cursor, slot: &mut Slot, number: usize) -> Result<(), Reported> {
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
    let chan = if has_channel(cursor) { channel(cursor)? } else { Channel::X };
    Ok(Source { sel: selector.encode(), chan, ..Source::default() })
}

/// A source that may have an index and must have a channel.
fn indexed(cursor: &mut Cursor, selector: Selector) -> Result<(Source, Option<(IndexMode, Span)>), Reported> {
    let index = relative(cursor)?;
    let chan = channel(cursor)?;
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
        let chan = channel(cursor)?;
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
    let message = format!("unknown source `{}`", excerpt(&word));
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
    let chan = if has_channel(cursor) { Some(channel(cursor)?) } else { None };
    slot.literals.push(Literal { source, bits, chan, span });
    Ok(Source { sel: LITERAL, chan: chan.unwrap_or_default(), ..Source::default() })
}
