//! Registers, selectors and numbers in parentheses: the parts that several instructions have.

use crate::codes::{Channel, Select};
use crate::fetch::FetchRegister;
use ctm_text::{Cause, Cursor, Reported, Span, excerpt};

/// The number of a word such as `R12`.
pub(super) fn numbered(word: &str, prefix: &str) -> Option<u32> {
    let head = word.get(..prefix.len())?;
    let digits = &word[prefix.len()..];
    let decimal = head.eq_ignore_ascii_case(prefix) && digits.bytes().all(|digit| digit.is_ascii_digit());
    if decimal { digits.parse().ok() } else { None }
}

/// Takes a word such as `t3`, with a number up to `max`.
pub(super) fn expect_numbered(cursor: &mut Cursor, prefix: &str, what: &str, max: u32) -> Result<u32, Reported> {
    let Some(number) = cursor.word_ahead(0).and_then(|word| numbered(word, prefix)) else {
        return Err(cursor.expected(&format!("{what}, `{prefix}0` to `{prefix}{max}`"), ""));
    };
    let token = cursor.take();
    if number > max {
        let message = format!("`{prefix}{number}` is out of range (`{prefix}0` to `{prefix}{max}`)");
        cursor.error(Cause::Range, token, message, "");
        return Ok(0);
    }
    Ok(number)
}

/// The register of a word: `R0` to `R127`, or a clause temporary, `T0` to `T3`.
pub(super) fn register_word(word: &str) -> Option<u32> {
    numbered(word, "R").or_else(|| numbered(word, "T").filter(|&number| number < 4).map(|number| number + 124))
}

/// Takes a register.
pub(super) fn register(cursor: &mut Cursor) -> Result<u8, Reported> {
    let Some(number) = cursor.word_ahead(0).and_then(register_word) else {
        return Err(cursor.expected("a register, `R0` to `R127`", ""));
    };
    let token = cursor.take();
    match u8::try_from(number).ok().filter(|&number| number < 128) {
        Some(number) => Ok(number),
        None => {
            cursor.error(Cause::Range, token, format!("`R{number}` is out of range (`R0` to `R127`)"), "");
            Ok(0)
        }
    }
}

/// Takes a register of a fetch: `R1` or `R1[AL]`.
pub(super) fn fetch_register(cursor: &mut Cursor) -> Result<FetchRegister, Reported> {
    let gpr = register(cursor)?;
    let relative = cursor.accept_symbol(b'[');
    if relative {
        if !cursor.accept_word("AL") {
            return Err(cursor.expected("`AL`", "fetches add the loop index only"));
        }
        cursor.expect_symbol(b']', "after `AL`")?;
    }
    Ok(FetchRegister { gpr, relative })
}

pub(super) fn spell_fetch_register(register: FetchRegister) -> String {
    format!("R{}{}", register.gpr, if register.relative { "[AL]" } else { "" })
}

/// Whether a channel follows what was taken last; a dot that stands apart begins a directive.
pub(super) fn has_channel(cursor: &Cursor) -> bool {
    let (last, dot) = (cursor.last(), cursor.peek());
    cursor.is_symbol(b'.') && (last.file, last.end) == (dot.file, dot.start)
}

/// Takes `.x`.
pub(super) fn channel(cursor: &mut Cursor) -> Result<Channel, Reported> {
    cursor.expect_symbol(b'.', "before the channel")?;
    let token = cursor.expect_word("a channel", "it can be `x`, `y`, `z` or `w`")?;
    match Channel::parse(cursor.text(token)) {
        Some(chan) => Ok(chan),
        None => Err(cursor.unknown_word(token, "a channel", &["x", "y", "z", "w"])),
    }
}

/// Takes `.` and four letters, each of which `read` understands.
fn four<T: Copy>(cursor: &mut Cursor, help: &str, read: impl Fn(usize, &str) -> Option<T>) -> Result<[T; 4], Reported> {
    cursor.expect_symbol(b'.', "before the components")?;
    let token = cursor.expect_word("four components", help)?;
    let word = cursor.text(token).to_owned();
    let letters: Option<Vec<T>> = (0..word.len()).map(|at| word.get(at..=at).and_then(|one| read(at, one))).collect();
    match letters.and_then(|letters| <[T; 4]>::try_from(letters).ok()) {
        Some(letters) => Ok(letters),
        None => {
            let message = format!("`{}` are not four components", excerpt(&word));
            Err(cursor.error(Cause::Operand, token, message, help))
        }
    }
}

/// Takes `.` and four of `x`, `y`, `z`, `w`, `0`, `1`, `_`; without them, all components are in their places.
pub(super) fn selects(cursor: &mut Cursor) -> Result<[Select; 4], Reported> {
    if !has_channel(cursor) {
        return Ok([Select::X, Select::Y, Select::Z, Select::W]);
    }
    four(cursor, "each is `x`, `y`, `z`, `w`, `0`, `1` or `_`", |_, letter| Select::parse(letter))
}

pub(super) fn spell_selects(selects: [Select; 4]) -> String {
    selects.map(Select::name).concat()
}

/// Takes `.` and a mask: each letter at its place, or `_`. Bit 0 is x.
pub(super) fn mask(cursor: &mut Cursor) -> Result<u8, Reported> {
    let bits =
        four(
            cursor,
            "write each of `xyzw` at its place, and `_` for what is left out",
            |at, letter| match Channel::ALL[at & 3].name().eq_ignore_ascii_case(letter) {
                true => Some(1u8 << at),
                false => (letter == "_").then_some(0),
            },
        )?;
    Ok(bits.into_iter().sum())
}

pub(super) fn spell_mask(mask: u8) -> String {
    let letter = |chan: Channel| if mask >> chan as u8 & 1 == 1 { chan.name() } else { "_" };
    Channel::ALL.map(letter).concat()
}

/// Takes `(n)`.
pub(super) fn argument(cursor: &mut Cursor, what: &str, max: u32) -> Result<u32, Reported> {
    cursor.expect_symbol(b'(', format_args!("before {what}"))?;
    let number = cursor.number(what, max)?;
    cursor.expect_symbol(b')', format_args!("after {what}"))?;
    Ok(number)
}

/// Takes `(n)` with a float, and gives it in units of `1 / scale`: a whole number from `min` to `max`.
pub(super) fn fraction(cursor: &mut Cursor, what: &str, scale: f32, min: i8, max: i8) -> Result<i8, Reported> {
    cursor.expect_symbol(b'(', format_args!("before {what}"))?;
    let (bits, span) = cursor.float(what)?;
    cursor.expect_symbol(b')', format_args!("after {what}"))?;
    let scaled = f32::from_bits(bits) * scale;
    if scaled.fract() == 0.0 && (f32::from(min)..=f32::from(max)).contains(&scaled) {
        return Ok(scaled as i8);
    }
    let message = format!("{what} of {} cannot be encoded", scaled / scale);
    let help =
        format!("it goes from {} to {} in steps of {}", f32::from(min) / scale, f32::from(max) / scale, 1.0 / scale);
    cursor.error(Cause::Range, span, message, &help);
    Ok(0)
}

/// Takes `(w, w, ...)` after `RAW`.
pub(super) fn raw<const N: usize>(cursor: &mut Cursor) -> Result<[u32; N], Reported> {
    let mut words = [0; N];
    cursor.expect_symbol(b'(', "after `RAW`")?;
    for (place, word) in words.iter_mut().enumerate() {
        if place > 0 {
            cursor.expect_symbol(b',', format_args!("between the {N} words of the instruction"))?;
        }
        *word = cursor.number("a word", u32::MAX)?;
    }
    cursor.expect_symbol(b')', format_args!("after the {N} words of the instruction"))?;
    Ok(words)
}

pub(super) fn spell_raw(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("0x{word:08X}")).collect();
    format!("RAW({})", words.join(", "))
}

/// Complains about RAW words that are of another instruction than the one that is spelled.
pub(super) fn other_instruction(cursor: &mut Cursor, span: Span, spelled: &str, found: Option<&str>) {
    let message = format!("these words are of `{}`, not of `{spelled}`", found.unwrap_or("a reserved opcode"));
    cursor.error(Cause::Raw, span, message, "RAW gives the words of the instruction before it");
}
