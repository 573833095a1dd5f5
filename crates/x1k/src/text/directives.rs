//! Directives: constants, program information, and what a program says that it references.

use super::arithmetic::read_values;
use super::assemble::{Places, Target};
use super::flow::read_target;
use super::operand;
use crate::instruction::Instruction;
use crate::program::*;
use crate::sampled::TEXTURE_KINDS;
use ctm_raster::sampler::TextureKind;
use ctm_text::{Cause, Cursor, Reported, Token};
use std::collections::BTreeSet;

/// Every directive.
pub(super) const NAMES: [&str; 21] = [
    "const",
    "int",
    "bool",
    "start",
    "end",
    "code_offset",
    "flow",
    "zero_times_anything",
    "cond_value",
    "write_mode",
    "position",
    "interpolant",
    "texture",
    "temps",
    "early_exit",
    "inputs",
    "outputs",
    "float_constants",
    "int_constants",
    "bool_constants",
    "cond_output",
];

/// What the directives of a text say; what they leave open follows from the code.
#[derive(Default)]
pub(super) struct Directives {
    given: Vec<&'static str>,
    constants: ConstantValues,
    start: Option<Target>,
    end: Option<Target>,
    code_offset: u16,
    full_flow_control: Option<bool>,
    zero_times_anything: bool,
    cond_value_from_program: Option<bool>,
    write_mode: Option<WriteMode>,
    position: Option<Option<u8>>,
    interpolants: [Option<u8>; INTERPOLANTS],
    textures: [Option<TextureKind>; INPUTS],
    temps: Option<u8>,
    early_exit: Option<bool>,
    inputs: Option<BTreeSet<u8>>,
    outputs: Option<BTreeSet<u8>>,
    float_constants: Option<BTreeSet<u8>>,
    int_constants: Option<BTreeSet<u8>>,
    bool_constants: Option<BTreeSet<u8>>,
    cond_output: Option<bool>,
}

impl Directives {
    /// Reads one directive, from its point to the end of the line.
    pub fn read(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        cursor.take();
        let token = cursor.expect_word("the name of a directive after `.`", "such as `.const c0 = 1.0`")?;
        let Some(name) = NAMES.into_iter().find(|name| name.eq_ignore_ascii_case(cursor.text(token))) else {
            return Err(cursor.unknown_word(token, "a directive", &NAMES));
        };
        let repeats = matches!(name, "const" | "int" | "bool" | "interpolant" | "texture");
        if !repeats && self.given.contains(&name) {
            cursor.error(Cause::Duplicate, token, format!("`.{name}` is given twice"), "remove one of them");
        }
        self.given.push(name);
        self.read_value(cursor, name)?;
        if !cursor.peek().first_of_line {
            return Err(cursor.expected("the end of the line", "a directive stands on a line of its own"));
        }
        Ok(())
    }

    fn read_value(&mut self, cursor: &mut Cursor, name: &'static str) -> Result<(), Reported> {
        match name {
            "const" => {
                let (number, token) = read_constant(cursor, 'c', FLOAT_CONSTANTS)?;
                let values = read_values(cursor)?;
                let before = self.constants.floats.insert(number, values);
                once(cursor, token, before.is_some());
            }
            "int" => {
                let (number, token) = read_constant(cursor, 'i', INT_CONSTANTS)?;
                let value = read_int(cursor)?;
                let before = self.constants.ints.insert(number, value);
                once(cursor, token, before.is_some());
            }
            "bool" => {
                let (number, token) = read_constant(cursor, 'b', BOOL_CONSTANTS)?;
                let value = read_choice(cursor, ["false", "true"])?;
                let before = self.constants.bools.insert(number, value);
                once(cursor, token, before.is_some());
            }
            "start" => self.start = Some(read_place(cursor)?),
            "end" => self.end = Some(read_place(cursor)?),
            "code_offset" => self.code_offset = cursor.number("the code offset", 511)? as u16,
            "flow" => self.full_flow_control = Some(read_choice(cursor, ["partial", "full"])?),
            "zero_times_anything" => self.zero_times_anything = read_choice(cursor, ["no", "yes"])?,
            "cond_value" => self.cond_value_from_program = Some(read_choice(cursor, ["environment", "program"])?),
            "write_mode" => {
                let umrt = read_choice(cursor, ["cached", "umrt"])?;
                self.write_mode = Some(if umrt { WriteMode::Umrt } else { WriteMode::Cached });
            }
            "position" => {
                self.position = Some(if cursor.accept_word("none") { None } else { Some(operand::temp(cursor)?.0) });
            }
            "interpolant" => {
                let token = cursor.peek();
                let slot = cursor.number("an interpolated input", INTERPOLANTS as u32 - 1)? as usize;
                cursor.expect_symbol(b'=', "after the interpolated input")?;
                let register = operand::temp(cursor)?.0;
                if self.interpolants[slot].replace(register).is_some() {
                    let message = "this interpolated input has a temporary already";
                    cursor.error(Cause::Duplicate, token, message, "remove one of them");
                }
            }
            "texture" => {
                let token = cursor.peek();
                let input = cursor.number("an input", INPUTS as u32 - 1)? as usize;
                cursor.expect_symbol(b'=', "after the input")?;
                let kind =
                    TEXTURE_KINDS[cursor.expect_name("a kind of texture", &TEXTURE_KINDS.map(|(name, _)| name))?].1;
                if self.textures[input].replace(kind).is_some() {
                    cursor.error(Cause::Duplicate, token, "this input has a kind already", "remove one of them");
                }
            }
            "temps" => self.temps = Some((cursor.number("the number of temporaries", TEMPS as u32)? % 128) as u8),
            "early_exit" => self.early_exit = Some(read_choice(cursor, ["no", "yes"])?),
            "inputs" => self.inputs = Some(read_numbers(cursor, "an input", INPUTS)?),
            "outputs" => self.outputs = Some(read_numbers(cursor, "an output", OUTPUTS)?),
            "float_constants" => {
                self.float_constants = Some(read_numbers(cursor, "a float constant", FLOAT_CONSTANTS)?);
            }
            "int_constants" => self.int_constants = Some(read_numbers(cursor, "an integer constant", INT_CONSTANTS)?),
            "bool_constants" => self.bool_constants = Some(read_numbers(cursor, "a boolean constant", BOOL_CONSTANTS)?),
            _ => self.cond_output = Some(read_choice(cursor, ["no", "yes"])?),
        }
        Ok(())
    }

    /// US_CODE_OFFSET.
    pub fn code_offset(&self) -> u16 {
        self.code_offset
    }

    /// The constants with values.
    pub fn constants(&mut self) -> ConstantValues {
        std::mem::take(&mut self.constants)
    }

    /// The program information: what the directives say, and else what the code implies.
    pub fn info(&self, cursor: &mut Cursor, code: &[Instruction], umrt: bool, places: &Places) -> ProgramInfo {
        let implied_mode = if umrt { WriteMode::Umrt } else { WriteMode::Cached };
        let mut address = |target: &Option<Target>| {
            target.as_ref().map(|target| match target {
                Target::Label(label, span) => places.address(cursor, label, *span, false),
                Target::Address(address) => *address,
            })
        };
        let (start, end) = (address(&self.start), address(&self.end));
        let implied = ProgramInfo::implied(code, self.code_offset, end);
        ProgramInfo {
            start: start.unwrap_or(implied.start),
            zero_times_anything: self.zero_times_anything,
            full_flow_control: self.full_flow_control.unwrap_or(implied.full_flow_control),
            cond_value_from_program: self.cond_value_from_program.unwrap_or(implied.cond_value_from_program),
            write_mode: self.write_mode.unwrap_or(implied_mode),
            position: self.position.unwrap_or(implied.position),
            interpolants: self.interpolants,
            textures: self.textures,
            temps: self.temps.unwrap_or(implied.temps),
            early_exit: self.early_exit.unwrap_or(implied.early_exit),
            ..implied
        }
    }

    /// Puts the lists that directives give in place of those that the code implies.
    pub fn override_references(self, references: &mut References) {
        let lists = [
            (self.inputs, &mut references.inputs),
            (self.outputs, &mut references.outputs),
            (self.float_constants, &mut references.float_constants),
            (self.int_constants, &mut references.int_constants),
            (self.bool_constants, &mut references.bool_constants),
        ];
        for (given, list) in lists {
            if let Some(given) = given {
                *list = given;
            }
        }
        references.cond_output = self.cond_output.unwrap_or(references.cond_output);
    }
}

/// `c4 =`, with this letter: the number.
fn read_constant(cursor: &mut Cursor, letter: char, count: usize) -> Result<(u8, Token), Reported> {
    let what = format!("a constant from `{letter}0` to `{letter}{}`", count - 1);
    let token = cursor.expect_word(&what, "")?;
    let digits = cursor.text(token).to_ascii_lowercase();
    let digits = digits.strip_prefix(letter).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    let Some(number) = digits.and_then(|digits| digits.parse().ok()).filter(|&number: &usize| number < count) else {
        let message = format!("`{}` is not {what}", ctm_text::excerpt(cursor.text(token)));
        return Err(cursor.error(Cause::Range, token, message, ""));
    };
    cursor.expect_symbol(b'=', "after the constant")?;
    Ok((number as u8, token))
}

fn once(cursor: &mut Cursor, token: Token, before: bool) {
    if before {
        cursor.error(Cause::Duplicate, token, "this constant has a value already", "remove one of them");
    }
}

/// `count` or `count, init, step`
fn read_int(cursor: &mut Cursor) -> Result<IntConstant, Reported> {
    let count = cursor.number("the number of passes", 255)? as u8;
    let (mut init, mut step) = (0, 0);
    if cursor.accept_symbol(b',') {
        init = cursor.number("the first value of aL", 255)? as u8;
        cursor.expect_symbol(b',', "before the step of aL")?;
        let negative = cursor.accept_symbol(b'-');
        let size = cursor.number("the step of aL", if negative { 128 } else { 127 })? as i16;
        step = (if negative { -size } else { size }) as i8;
    }
    Ok(IntConstant { count, init, step })
}

/// One of two words; true for the second.
fn read_choice(cursor: &mut Cursor, words: [&str; 2]) -> Result<bool, Reported> {
    Ok(cursor.expect_name("a value of this directive", &words)? == 1)
}

fn read_place(cursor: &mut Cursor) -> Result<Target, Reported> {
    if !cursor.peek().first_of_line
        && let Some(target) = read_target(cursor)?
    {
        return Ok(target);
    }
    Err(cursor.expected("a label or the address of an instruction", ""))
}

/// Numbers with commas between them, or `none`.
fn read_numbers(cursor: &mut Cursor, what: &str, count: usize) -> Result<BTreeSet<u8>, Reported> {
    let mut numbers = BTreeSet::new();
    if cursor.accept_word("none") {
        return Ok(numbers);
    }
    loop {
        numbers.insert(cursor.number(what, count as u32 - 1)? as u8);
        if !cursor.accept_symbol(b',') {
            return Ok(numbers);
        }
    }
}
