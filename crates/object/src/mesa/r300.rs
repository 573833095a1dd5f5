//! The log of Mesa's r300 driver: programs that it compiled for R500 chips, as `RADEON_DEBUG=fp` prints them.
//!
//! A log has, for every program, a listing of the compiler's own form ("after register allocation") and the machine code
//! with every dword that the chip gets. The machine code is what counts; the listing goes along as a comment. Anything
//! else in the log is skipped.

use super::{Driver, Entry, MesaError};
use ctm_text::excerpt;
use ctm_x1k::{Instruction, IntConstant, MAX_INSTRUCTIONS, Program, Words, text};
use std::fmt::Write;

/// The heading of a program's machine code.
const HEADING: &str = "R500 Fragment Program:";
/// The heading of the listing of the compiler's last form.
const LISTING: &str = "# Radeon Compiler Program";
/// Names of the dwords of ALU and OUT instructions.
const ALU_DWORDS: [&str; 6] = ["CMN_INST", "RGB_ADDR", "ALPHA_ADDR", "RGB_INST", "ALPHA_INST", "RGBA_INST"];
/// Names of the dwords of FC instructions; the log leaves out those that are always zero.
const FLOW_DWORDS: [&str; 6] = ["CMN_INST", "", "FC_INST", "FC_ADDR", "", ""];
/// Names of the dwords of TEX instructions.
const TEX_DWORDS: [&str; 6] = ["CMN_INST", "TEX_INST", "TEX_ADDR", "TEX_DXDY", "", ""];

/// Most lines of a program that are kept: far more than the machine has instructions.
const MOST_LINES: usize = 16 * MAX_INSTRUCTIONS;

/// A program in a log.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Line of the heading.
    line: usize,
    /// The lines of the machine code, with their numbers.
    code: Vec<(usize, String)>,
    /// The last listing before it.
    listing: Vec<String>,
    /// Constants, as the log has them.
    constants: Vec<String>,
}

impl Found {
    /// What is known of it.
    pub fn entry(&self) -> Entry {
        let has_address = |line: &str| line.split_once('\t').is_some_and(|(number, _)| !number.trim().is_empty());
        let size = self.code.iter().filter(|(_, line)| has_address(line)).count();
        Entry { driver: Driver::R300, stage: Some("fragment"), name: None, size, unit: "instructions", line: self.line }
    }
}

/// Finds the programs of a log, line by line.
#[derive(Default)]
pub(super) struct Finder {
    /// What stands before the code of the next program.
    next: Found,
    /// The program whose code is being read.
    current: Option<Found>,
    in_listing: bool,
}

impl Finder {
    /// Takes a line, and gives the program that ends before it.
    pub fn line(&mut self, number: usize, line: &str) -> Option<Found> {
        let push = |lines: &mut Vec<String>, line: &str| {
            if lines.len() < MOST_LINES {
                lines.push(line.to_owned());
            }
        };
        let trimmed = line.trim();
        if trimmed == HEADING {
            self.in_listing = false;
            return self.current.replace(Found { line: number, ..std::mem::take(&mut self.next) });
        }
        if trimmed == LISTING {
            self.next.listing.clear();
            self.in_listing = true;
            return self.current.take();
        }
        if trimmed.starts_with("CONST[") {
            push(&mut self.next.constants, trimmed);
        } else if self.in_listing && is_listed(line) {
            push(&mut self.next.listing, line.trim_end());
        } else if let Some(current) = &mut self.current {
            if is_code(line) {
                if current.code.len() < MOST_LINES {
                    current.code.push((number, line.to_owned()));
                }
            } else if !trimmed.chars().all(|c| c == '-') {
                return self.current.take();
            }
        } else {
            self.in_listing = false;
        }
        None
    }

    /// The program that was not complete.
    pub fn finish(self) -> Option<Found> {
        self.current
    }
}

/// A line of a listing: numbered, or indented below a numbered one.
fn is_listed(line: &str) -> bool {
    let numbered = line.trim_start().split_once(':').is_some_and(|(number, _)| number.parse::<usize>().is_ok());
    numbered || line.starts_with("   ")
}

/// A line of machine code: `number TAB word`, or `TAB word`.
fn is_code(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| number.trim().bytes().all(|digit| digit.is_ascii_digit()))
}

/// Turns a program into assembly text.
///
/// The text assembles to the words of the log, with the program information that all programs of this compiler have: the
/// end is the last instruction, flow control is full if the code needs it, zero times anything is zero, the position is
/// in register 0, loops have 255 passes. Float constants are not in the log, or only with four decimals: such lines
/// become comments.
pub(super) fn import(found: &Found) -> Result<String, MesaError> {
    let code = instructions(found)?;
    if code.is_empty() {
        return Err(MesaError::Empty { line: found.line });
    }
    let mut program = Program::from_code(code);
    program.info.zero_times_anything = true;
    // All loops of this compiler end by themselves after 255 passes; the log does not say so.
    let passes = IntConstant { count: 255, init: 0, step: 0 };
    program.constants.ints = program.references.int_constants.iter().map(|number| (*number, passes)).collect();

    let mut text = String::from("-- Compiled by Mesa's r300 driver for R500.\n");
    if !found.constants.is_empty() {
        text.push_str("-- Constants, in the log rounded to four decimals; give the exact values to the run:\n");
        for line in &found.constants {
            writeln!(text, "--   {line}").expect("writing to a string");
        }
    }
    if !found.listing.is_empty() {
        text.push_str("--\n-- The compiler's own form:\n");
        for line in &found.listing {
            writeln!(text, "-- {line}").expect("writing to a string");
        }
    }
    text.push('\n');
    text.push_str(&text::print_program(&program));
    Ok(text)
}

/// One dword of the machine code.
struct Dword<'a> {
    line: usize,
    /// Address, on the first dword of an instruction.
    address: Option<&'a str>,
    name: &'a str,
    value: u32,
}

/// Takes `0\t0:CMN_INST   0x00001800:ALU wmask: RG` apart.
fn dword(line: usize, text: &str) -> Result<Dword<'_>, MesaError> {
    let unexpected =
        |expected: &str| MesaError::Unexpected { line, expected: expected.to_owned(), found: excerpt(text.trim()) };
    let (address, rest) = text.split_once('\t').ok_or_else(|| unexpected("a tab"))?;
    let address = Some(address.trim()).filter(|address| !address.is_empty());
    // The number of the dword is followed by a colon or a blank; so is the name.
    let rest = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches([':', ' ']);
    let end = rest.find([':', ' ']).ok_or_else(|| unexpected("the name of a dword"))?;
    let (name, rest) = rest.split_at(end);
    let digits = rest.trim_start_matches([':', ' ']).strip_prefix("0x").and_then(|digits| digits.get(..8));
    let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let value = value.ok_or_else(|| unexpected("a dword of eight hexadecimal digits"))?;
    Ok(Dword { line, address, name, value })
}

/// An instruction on its way: its words, and which of them were there.
struct Partial {
    line: usize,
    words: Words,
    seen: [bool; 6],
}

impl Partial {
    /// The names of the dwords that an instruction of this type has in the log.
    fn names(&self) -> [&'static str; 6] {
        match self.words[0] & 3 {
            0 | 1 => ALU_DWORDS,
            2 => FLOW_DWORDS,
            _ => TEX_DWORDS,
        }
    }

    fn finish(self, instruction: usize) -> Result<Instruction, MesaError> {
        for (dword, name) in self.names().into_iter().enumerate() {
            if !name.is_empty() && !self.seen[dword] {
                return Err(MesaError::MissingDword { line: self.line, instruction, dword, name });
            }
        }
        Ok(Instruction::decode(&self.words))
    }
}

fn instructions(found: &Found) -> Result<Vec<Instruction>, MesaError> {
    let mut code = Vec::new();
    let mut partial: Option<Partial> = None;
    for &(line, ref text) in &found.code {
        let dword = dword(line, text)?;
        let unexpected = |expected: String| MesaError::Unexpected { line, expected, found: excerpt(text.trim()) };
        if let Some(address) = dword.address {
            if let Some(done) = partial.take() {
                code.push(done.finish(code.len())?);
            }
            if address.parse() != Ok(code.len()) || dword.name != ALU_DWORDS[0] {
                return Err(unexpected(format!("CMN_INST of instruction {}", code.len())));
            }
            if code.len() == MAX_INSTRUCTIONS {
                return Err(MesaError::TooLong { line });
            }
            let first = [true, false, false, false, false, false];
            partial = Some(Partial { line: dword.line, words: [dword.value, 0, 0, 0, 0, 0], seen: first });
            continue;
        }
        let Some(partial) = &mut partial else { return Err(unexpected("the first dword of instruction 0".into())) };
        let place = partial.names().into_iter().position(|name| name == dword.name && !name.is_empty());
        match place {
            Some(place) if !partial.seen[place] => {
                partial.words[place] = dword.value;
                partial.seen[place] = true;
            }
            _ => {
                let names: Vec<&str> = partial.names().into_iter().filter(|name| !name.is_empty()).collect();
                return Err(unexpected(format!("one each of {}", names.join(", "))));
            }
        }
    }
    if let Some(done) = partial {
        code.push(done.finish(code.len())?);
    }
    Ok(code)
}
