//! Declarations and constants.

use super::Parser;
use crate::front::ps::ast::{Dimension, File, Input, OTHER_USAGES, Usage};
use crate::front::ps::version::Version;
use ctm_text::{Cause, Reported, Span, Token, excerpt};

/// The largest number of a usage.
const MOST_USAGES: u8 = 15;

enum Declared {
    Sampler(Dimension),
    Input(Option<Usage>),
}

impl Parser {
    /// `dcl...`
    pub(super) fn declaration(&mut self) -> Result<(), Reported> {
        let token = self.cursor.take();
        let declared = self.declared(token)?;
        let spelled = self.register("the register that is declared")?;
        let mask = self.mask()?;
        let span = Span::from(token).to(self.cursor.last().into());
        let register = spelled.register;
        if spelled.relative || spelled.absolute {
            let message = "a declared register has no modifiers";
            return Err(self.cursor.error(Cause::Misplaced, spelled.span, message, ""));
        }
        let is_new = match (declared, register.file) {
            (Declared::Sampler(dimension), File::Sampler) => {
                self.shader.samplers.insert(register.index, dimension).is_none()
            }
            (Declared::Sampler(_), _) => {
                let message = "samplers are registers `s`";
                return Err(self.cursor.error(Cause::Operand, spelled.span, message, "write `dcl_2d s0`"));
            }
            (Declared::Input(usage), file) => {
                let usage = self.usage(usage, file, register.index, span)?;
                if usage == Usage::Position && mask & 0b1100 != 0 && mask != 0xF {
                    let message = "vPos has the channels x and y only";
                    return Err(self.cursor.error(Cause::Operand, span, message, "write `dcl vPos.xy`"));
                }
                self.shader.inputs.insert(register, Input { register, usage, mask, span }).is_none()
            }
        };
        if is_new {
            return Ok(());
        }
        Err(self.cursor.error(Cause::Duplicate, span, format!("`{register}` is declared twice"), ""))
    }

    /// What the word says, which begins with `dcl`.
    fn declared(&mut self, token: Token) -> Result<Declared, Reported> {
        let word = self.cursor.text(token).to_ascii_lowercase();
        let parts: Vec<&str> = word.split('_').skip(1).filter(|part| !matches!(*part, "pp" | "centroid")).collect();
        let name = match parts.as_slice() {
            [] => return Ok(Declared::Input(None)),
            [name] => *name,
            _ => "",
        };
        match name {
            "2d" => return Ok(Declared::Sampler(Dimension::Plane)),
            "cube" => return Ok(Declared::Sampler(Dimension::Cube)),
            "volume" => return Ok(Declared::Sampler(Dimension::Volume)),
            _ => {}
        }
        let letters = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let digits = &name[letters.len()..];
        let index: u32 = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u32::MAX) };
        let usage = |index: u8| match letters {
            "texcoord" => Some(Usage::TexCoord(index)),
            "color" => Some(Usage::Colour(index)),
            _ => {
                let place = OTHER_USAGES.iter().position(|usage| *usage == letters)?;
                Some(Usage::Other(place as u8, index))
            }
        };
        match u8::try_from(index).ok().filter(|&index| index <= MOST_USAGES).map(usage) {
            Some(Some(usage)) => Ok(Declared::Input(Some(usage))),
            Some(None) => {
                let message = format!("`{}` declares nothing", excerpt(&word));
                let help = "declarations are `dcl_2d s0`, `dcl_texcoord0 v0`, `dcl_color0 v0`, `dcl vPos.xy`";
                Err(self.cursor.error(Cause::UnknownWord, token, message, help))
            }
            None => {
                let message = format!("the number in `{}` is out of range (0 to {MOST_USAGES})", excerpt(&word));
                Err(self.cursor.error(Cause::Range, token, message, ""))
            }
        }
    }

    /// What an input of this register means.
    fn usage(&mut self, usage: Option<Usage>, file: File, index: u16, span: Span) -> Result<Usage, Reported> {
        let index = index as u8;
        match (file, usage) {
            // Some compilers list the usage.
            (File::Position, None | Some(Usage::Other(0, 0))) => Ok(Usage::Position),
            (File::Face, None) => Ok(Usage::Face),
            (File::Texture, None) => Ok(Usage::TexCoord(index)),
            (File::Input, None) if self.shader.version < Version::Ps30 => Ok(Usage::Colour(index)),
            (File::Input, Some(usage)) if self.shader.version == Version::Ps30 => Ok(usage),
            (File::Input, None) => {
                let message = "this declaration does not say what the input means";
                Err(self.cursor.error(Cause::Syntax, span, message, "write `dcl_texcoord0 v0`"))
            }
            (File::Position | File::Face | File::Texture | File::Input, Some(_)) => {
                let message = "this register is declared without a usage";
                Err(self.cursor.error(Cause::Misplaced, span, message, "write `dcl` and the register"))
            }
            _ => {
                let message = "this register is not declared";
                Err(self.cursor.error(Cause::Misplaced, span, message, "inputs and samplers are"))
            }
        }
    }

    /// `def`, `defi`, `defb`
    pub(super) fn constant(&mut self, word: &str) -> Result<(), Reported> {
        let first = self.cursor.take();
        let file = match word {
            "def" => File::Constant,
            "defi" => File::Integer,
            _ => File::Boolean,
        };
        let spelled = self.register("the constant that is defined")?;
        let register = spelled.register;
        if register.file != file || spelled.relative || spelled.absolute {
            let message = format!("`{word}` defines constants `{}`", file.letters());
            return Err(self.cursor.error(Cause::Operand, spelled.span, message, ""));
        }
        let index = register.index;
        let is_new = match file {
            File::Constant => {
                let mut values = [0; 4];
                for (place, value) in values.iter_mut().enumerate() {
                    self.value_follows(place == 0)?;
                    *value = self.cursor.float("a number")?.0;
                }
                self.shader.floats.insert(index, values).is_none()
            }
            File::Integer => {
                let mut values = [0; 4];
                for (place, value) in values.iter_mut().enumerate() {
                    self.value_follows(place == 0)?;
                    *value = self.integer(place)?;
                }
                self.shader.integers.insert(index, values).is_none()
            }
            _ => {
                self.value_follows(true)?;
                let names = ["true", "false", "1", "0"];
                let place = self.cursor.expect_name("a boolean", &names)?;
                self.shader.booleans.insert(index, place % 2 == 0).is_none()
            }
        };
        if is_new {
            return Ok(());
        }
        let span = Span::from(first).to(self.cursor.last().into());
        Err(self.cursor.error(Cause::Duplicate, span, format!("`{register}` is defined twice"), ""))
    }

    /// The comma in front of a value. Some compilers list `=` in front of the first one.
    fn value_follows(&mut self, first: bool) -> Result<(), Reported> {
        if first && self.cursor.accept_symbol(b'=') {
            return Ok(());
        }
        self.cursor.expect_symbol(b',', "in front of a value")
    }

    /// A whole number of an integer constant: passes, first value, step, and one that is not used.
    fn integer(&mut self, place: usize) -> Result<i32, Reported> {
        let first = self.cursor.peek();
        let negative = self.cursor.accept_symbol(b'-');
        let number = self.cursor.number("a whole number", i32::MAX as u32)? as i32;
        let value = if negative { -number } else { number };
        let (range, what) = match place {
            0 => (0..=255, "passes"),
            1 => (0..=255, "the first value of aL"),
            2 => (-128..=127, "the step of aL"),
            _ => return Ok(value),
        };
        if range.contains(&value) {
            return Ok(value);
        }
        let message = format!("{value} is outside of what {what} can be");
        let help = format!("it is {} to {}", range.start(), range.end());
        let span = Span::from(first).to(self.cursor.last().into());
        Err(self.cursor.error(Cause::Range, span, message, &help))
    }
}
