//! Registers with their modifiers.

use super::Parser;
use crate::front::ps::ast::{Dest, File, Guard, Register, Source};
use crate::front::ps::version::Version;
use ctm_text::{Cause, Reported, Span, Token, excerpt};

/// The swizzle that changes nothing.
pub(super) const IDENTITY: [u8; 4] = [0, 1, 2, 3];

/// The channel that a letter names.
fn channel(letter: u8) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        b'x' | b'r' => Some(0),
        b'y' | b'g' => Some(1),
        b'z' | b'b' => Some(2),
        b'w' | b'a' => Some(3),
        _ => None,
    }
}

/// The kind of registers that a word names, and the rest of the word, which is the number.
fn file(word: &str) -> Option<(File, &str)> {
    let named = File::ALL.into_iter().find(|file| !file.is_numbered() && word.eq_ignore_ascii_case(file.letters()));
    if let Some(file) = named {
        return Some((file, ""));
    }
    File::ALL.into_iter().filter(|file| file.is_numbered()).find_map(|file| {
        let letters = file.letters();
        let (head, digits) = word.split_at_checked(letters.len())?;
        let fits = head.eq_ignore_ascii_case(letters) && digits.bytes().all(|digit| digit.is_ascii_digit());
        fits.then_some((file, digits))
    })
}

/// A register as it stands in the text.
pub(super) struct Spelled {
    pub register: Register,
    pub relative: bool,
    pub absolute: bool,
    pub span: Span,
}

impl Parser {
    /// A register, with its index in brackets and `_abs`, if they are there.
    pub(super) fn register(&mut self, what: &str) -> Result<Spelled, Reported> {
        let token = self.cursor.expect_word(what, "registers are `r0`, `v0`, `c0`, `s0`, `oC0` and so on")?;
        let word = self.cursor.text(token).to_owned();
        let (base, mut absolute) = match word.split_once('_') {
            Some((base, "abs")) => (base, true),
            Some(_) | None => (word.as_str(), false),
        };
        let Some((file, digits)) = file(base) else {
            let message = format!("`{}` is not {what}", excerpt(&word));
            let help = "registers are `r0`, `v0`, `c0`, `s0`, `oC0` and so on";
            return Err(self.cursor.error(Cause::UnknownWord, token, message, help));
        };
        let (offset, relative) = if self.cursor.is_symbol(b'[') { self.index(file, token)? } else { (0, false) };
        if self.cursor.is_word("_abs") && !self.cursor.peek().first_of_line {
            self.cursor.take();
            absolute = true;
        }
        let span = Span::from(token).to(self.cursor.last().into());
        if file.is_numbered() && digits.is_empty() && self.cursor.last().start == token.start {
            let message = format!("the register `{}` has no number", excerpt(base));
            return Err(self.cursor.error(Cause::Syntax, span, message, "write `r0`, `c[3]` or `v[aL + 1]`"));
        }
        let base: u32 = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u32::MAX) };
        let register = self.numbered(file, base.saturating_add(offset), span)?;
        Ok(Spelled { register, relative, absolute, span })
    }

    /// Checks that the version has this register.
    fn numbered(&mut self, file: File, index: u32, span: Span) -> Result<Register, Reported> {
        let version = self.shader.version;
        let count = version.registers(file);
        if index < u32::from(count) {
            return Ok(Register { file, index: index as u16 });
        }
        let (letters, name) = (file.letters(), version.name());
        let (message, help) = match count {
            0 => {
                let help = match (file, version) {
                    (File::Texture, Version::Ps30) => "declare inputs as `dcl_texcoord0 v0`".to_owned(),
                    (File::Integer | File::Boolean | File::Predicate | File::Label, _) => {
                        "use `ps_2_x` or `ps_3_0`".to_owned()
                    }
                    _ => "use `ps_3_0`".to_owned(),
                };
                (format!("{name} has no registers `{letters}`"), help)
            }
            1 => (format!("{name} has no register `{letters}{index}`"), format!("there is `{letters}0` only")),
            _ => {
                let last = count - 1;
                (
                    format!("{name} has no register `{letters}{index}`"),
                    format!("there are `{letters}0` to `{letters}{last}`"),
                )
            }
        };
        Err(self.cursor.error(Cause::Range, span, message, &help))
    }

    /// What stands in brackets: a number, aL, or the sum of both.
    fn index(&mut self, file: File, register: Token) -> Result<(u32, bool), Reported> {
        self.cursor.take();
        let (mut offset, mut relative) = (0u32, false);
        loop {
            if self.cursor.is_word("aL") {
                let token = self.cursor.take();
                if relative {
                    return Err(self.cursor.error(Cause::Duplicate, token, "aL is added once only", ""));
                }
                relative = true;
            } else {
                let number = self.cursor.number("an index", 4095)?;
                offset = offset.saturating_add(number);
            }
            if !self.cursor.accept_symbol(b'+') {
                break;
            }
        }
        self.cursor.expect_symbol(b']', "after an index")?;
        if relative && !(file == File::Input && self.shader.version == Version::Ps30) {
            let span = Span::from(register).to(self.cursor.last().into());
            let message = format!("registers `{}` are not indexed by aL", file.letters());
            let help = "inputs `v` of ps_3_0 are the only ones";
            return Err(self.cursor.error(Cause::Misplaced, span, message, help));
        }
        Ok((offset, relative))
    }

    /// Up to four letters after a point; `None` if there is no point. Gives the channels, and whether `_abs` follows.
    fn letters(&mut self) -> Result<Option<(Vec<u8>, bool, Token)>, Reported> {
        if !self.cursor.is_symbol(b'.') || self.cursor.peek().first_of_line {
            return Ok(None);
        }
        self.cursor.take();
        let token = self.cursor.expect_word("channels", "channels are letters out of `xyzw` or `rgba`")?;
        let word = self.cursor.text(token).to_owned();
        let (letters, absolute) = match word.split_once('_') {
            Some((letters, "abs")) => (letters, true),
            Some(_) | None => (word.as_str(), false),
        };
        let channels: Option<Vec<u8>> = letters.bytes().map(channel).collect();
        match channels {
            Some(channels) if (1..=4).contains(&channels.len()) => Ok(Some((channels, absolute, token))),
            Some(_) | None => {
                let message = format!("`{}` names no channels", excerpt(&word));
                Err(self.cursor.error(
                    Cause::Operand,
                    token,
                    message,
                    "write one to four letters out of `xyzw` or `rgba`",
                ))
            }
        }
    }

    /// Channels that are written: in order, each once. All if nothing says so.
    pub(super) fn mask(&mut self) -> Result<u8, Reported> {
        let Some((channels, absolute, token)) = self.letters()? else { return Ok(0xF) };
        if absolute || !channels.is_sorted_by(|a, b| a < b) {
            let message = "a mask names its channels once, in the order `xyzw`";
            return Err(self.cursor.error(Cause::Operand, token, message, ""));
        }
        Ok(channels.iter().fold(0, |mask, channel| mask | 1 << channel))
    }

    /// Channels that are read. The last one stands for those that are missing.
    fn swizzle(&mut self) -> Result<(Option<[u8; 4]>, bool), Reported> {
        let Some((channels, absolute, _)) = self.letters()? else { return Ok((None, false)) };
        let swizzle = std::array::from_fn(|at| channels[at.min(channels.len() - 1)]);
        Ok((Some(swizzle), absolute))
    }

    /// A register that gets a result.
    pub(super) fn dest(&mut self) -> Result<Dest, Reported> {
        let spelled = self.register("a register for the result")?;
        if spelled.relative || spelled.absolute {
            let message = "a result's register has no modifiers";
            return Err(self.cursor.error(Cause::Misplaced, spelled.span, message, "write it like `r0.xyz`"));
        }
        let mask = self.mask()?;
        let span = spelled.span.to(self.cursor.last().into());
        Ok(Dest { register: spelled.register, mask, span })
    }

    /// A register that is read, with all its modifiers.
    pub(super) fn source(&mut self) -> Result<Source, Reported> {
        let first = self.cursor.peek();
        let invert = self.cursor.accept_symbol(b'!');
        let negate = self.cursor.accept_symbol(b'-');
        let complement =
            self.cursor.word_ahead(0) == Some("1") && self.cursor.look(1).kind == ctm_text::TokenKind::Symbol(b'-');
        if complement {
            let message = "the modifier `1-` is of version 1";
            return Err(self.cursor.error(Cause::Misplaced, first, message, "subtract from a constant 1 with `sub`"));
        }
        let spelled = self.register("a register")?;
        let (swizzle, absolute_behind) = self.swizzle()?;
        let absolute = spelled.absolute || absolute_behind;
        let span = Span::from(first).to(self.cursor.last().into());
        let (register, relative) = (spelled.register, spelled.relative);
        if absolute && self.shader.version < Version::Ps30 {
            let message = format!("{} has no modifier `_abs`", self.shader.version.name());
            return Err(self.cursor.error(Cause::Misplaced, span, message, "use the instruction `abs`, or ps_3_0"));
        }
        if relative && !self.nesting.is_in_counting_loop() && !self.nesting.is_in_subroutine() {
            let message = "aL has a value in a `loop` only";
            return Err(self.cursor.error(Cause::Misplaced, span, message, "give the input's number"));
        }
        if invert && !matches!(register.file, File::Boolean | File::Predicate) {
            let message = "`!` inverts booleans and predicates only";
            return Err(self.cursor.error(Cause::Misplaced, span, message, "numbers are negated with `-`"));
        }
        let has_swizzle = swizzle.is_some();
        let swizzle = swizzle.unwrap_or(IDENTITY);
        Ok(Source { register, relative, swizzle, has_swizzle, absolute, negate, invert, span })
    }

    /// The predicate in parentheses in front of an instruction.
    pub(super) fn guard(&mut self) -> Result<Option<Guard>, Reported> {
        if !self.cursor.accept_symbol(b'(') {
            return Ok(None);
        }
        let source = self.source()?;
        self.cursor.expect_symbol(b')', "after a predicate")?;
        if source.register.file != File::Predicate || source.negate || source.absolute {
            let message = "a predicate stands here, such as `p0`, `p0.x` or `!p0`";
            return Err(self.cursor.error(Cause::Operand, source.span, message, ""));
        }
        Ok(Some(Guard { swizzle: source.swizzle, invert: source.invert }))
    }
}
