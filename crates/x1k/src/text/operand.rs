//! Registers, constants, masks and literal values: the parts that several instructions have.

use crate::instruction::inline_constant;
use ctm_text::{Cause, Cursor, Reported, Token, excerpt, spell_float};

/// `[n]`
pub(super) fn bracketed(cursor: &mut Cursor, what: &str, max: u32) -> Result<u8, Reported> {
    cursor.expect_symbol(b'[', format_args!("before the number of {what}"))?;
    let number = cursor.number(what, max)?;
    cursor.expect_symbol(b']', format_args!("after the number of {what}"))?;
    Ok(number as u8)
}

/// `n` or `n + aL`, and the closing bracket.
pub(super) fn index(cursor: &mut Cursor, what: &str, max: u32, close: u8) -> Result<(u8, bool), Reported> {
    let number = cursor.number(what, max)?;
    let relative = cursor.accept_symbol(b'+');
    if relative && !cursor.accept_word("aL") {
        return Err(cursor.expected("`aL` after `+`", "only the loop variable can be added, as in `temp[3 + aL]`"));
    }
    cursor.expect_symbol(close, format_args!("after the number of {what}"))?;
    Ok((number as u8, relative))
}

/// `temp[n]` or `temp[n + aL]`
pub(super) fn temp(cursor: &mut Cursor) -> Result<(u8, bool), Reported> {
    if !cursor.accept_word("temp") {
        return Err(cursor.expected("`temp[n]`", "only temporaries can be here"));
    }
    cursor.expect_symbol(b'[', "after `temp`")?;
    index(cursor, "a temporary", 127, b']')
}

/// A write mask: `none`, or channels in the order r, g, b, a. Bit 0 red, 1 green, 2 blue, 3 alpha.
pub(super) fn mask(cursor: &mut Cursor) -> Result<(u8, Token), Reported> {
    const HELP: &str = "a mask is `none`, or channels in the order `rgba`";
    cursor.expect_symbol(b'.', "before the write mask")?;
    let token = cursor.expect_word("a write mask", HELP)?;
    let text = cursor.text(token).to_ascii_lowercase();
    if text == "none" {
        return Ok((0, token));
    }
    let mut mask = 0u8;
    for letter in text.bytes() {
        let bit = b"rgba".iter().position(|&channel| channel == letter).map(|channel| 1u8 << channel);
        match bit {
            Some(bit) if mask < bit => mask |= bit,
            _ => {
                let message = format!("`{}` is not a write mask", excerpt(cursor.text(token)));
                return Err(cursor.error(Cause::Operand, token, message, HELP));
            }
        }
    }
    Ok((mask, token))
}

/// Spells a mask of these channels.
pub(super) fn spell_mask(bits: u8) -> String {
    if bits == 0 {
        return "none".into();
    }
    "rgba".chars().enumerate().filter(|(channel, _)| bits >> channel & 1 == 1).map(|(_, letter)| letter).collect()
}

/// The code of the inline constant with this value; or what to write instead.
pub(super) fn inline_code(value: f32) -> Result<u8, String> {
    if let Some(code) = (0..128).find(|&code| inline_constant(code).to_bits() == value.to_bits()) {
        return Ok(code);
    }
    let constant = format!("`const({})` takes a float constant", spell_float(value.to_bits()));
    if value.is_sign_negative() && (0..128).any(|code| inline_constant(code) == -value) {
        return Err(format!("inline constants have no sign: write {:?} and negate the operand", -value));
    }
    let below = (0..128).rev().find(|&code| inline_constant(code) < value);
    let above = (0..128).find(|&code| inline_constant(code) > value);
    let near: Vec<String> = [below, above]
        .into_iter()
        .flatten()
        .map(|code| format!("`float({code})` = {:?}", inline_constant(code)))
        .collect();
    match near.is_empty() {
        true => Err(constant),
        false => Err(format!("the nearest are {}; {constant}", near.join(" and "))),
    }
}
