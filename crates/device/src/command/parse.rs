//! Text to words. The language is described in `docs/ctmcb.md`.

use super::{COMMANDS, Command, CommandInfo, Notation, Packet, Parameter, Parameters};
use ctm_text::{Cause, Diagnostic, MAX_TEXT, MOST_DIAGNOSTICS, Severity, SourceFile, excerpt};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A command buffer that was parsed from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The buffer.
    pub words: Vec<u32>,
    /// Where each command and raw dword came from, in order.
    pub locations: Vec<Location>,
}

/// The line of text that a command came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Index of the command's first dword in the buffer.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
}

/// Parses the text of a command buffer. Problems do not stop it, so that all are found in one go.
///
/// ```
/// use ctm_device::command::parse;
/// let buffer = parse("set_out_mask mask=0x3   -- red and green\nstart_program\n").unwrap();
/// assert_eq!(buffer.words, [0xC000_1900, 0x3, 0xC000_0800, 0]);
/// assert_eq!(buffer.locations[1].line, 2);
///
/// let problems = parse("set_domain i0=0 j0=0 i1=5000 j1=63\nstrat_program").unwrap_err();
/// assert_eq!(problems[0].message, "`i1` is 5000, but goes to 4095");
/// assert_eq!(problems[1].message, "there is no command `strat_program`");
/// ```
///
/// # Errors
/// What is wrong with the text, in its order; at most 256 diagnostics.
pub fn parse(text: &str) -> Result<Assembled, Vec<Diagnostic>> {
    parse_file("<text>", text)
}

/// Parses a text with this name (for diagnostics).
///
/// # Errors
/// As [`parse`].
pub fn parse_file(name: &str, text: &str) -> Result<Assembled, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT {
        let file = Arc::new(SourceFile { name: name.to_owned(), text: String::new() });
        let message = format!("more than {} MiB of text", MAX_TEXT >> 20);
        let (cause, severity) = (Cause::TooLong, Severity::Error);
        return Err(vec![Diagnostic { cause, severity, file, span: 0..0, message, help: None }]);
    }
    let file = Arc::new(SourceFile { name: name.to_owned(), text: text.to_owned() });
    let mut buffer = Assembled::default();
    let mut diagnostics = Vec::new();
    let mut start = 0;
    for (line, content) in text.split_inclusive('\n').enumerate() {
        let code = content.split("--").next().unwrap_or_default();
        let words = Line { code, start, file: &file, diagnostics: &mut diagnostics }.parse();
        if !words.is_empty() {
            buffer.locations.push(Location { offset: buffer.words.len(), line: line + 1 });
            buffer.words.extend(words);
        }
        if diagnostics.len() >= MOST_DIAGNOSTICS {
            break;
        }
        start += content.len();
    }
    if diagnostics.is_empty() { Ok(buffer) } else { Err(diagnostics) }
}

struct Line<'a> {
    /// The line without its comment.
    code: &'a str,
    /// Where the line is in the text.
    start: usize,
    file: &'a Arc<SourceFile>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Line<'a> {
    /// The line's dwords; nothing if it is empty or wrong.
    fn parse(mut self) -> Vec<u32> {
        let mut tokens = self.code.split_whitespace();
        let Some(name) = tokens.next() else { return Vec::new() };
        let items: Vec<&str> = tokens.collect();
        if name.eq_ignore_ascii_case(".dword") {
            return self.dwords(name, &items);
        }
        let Some(row) = COMMANDS.iter().position(|info| info.name.eq_ignore_ascii_case(name)) else {
            let near = nearest(name);
            self.report(
                name,
                Cause::UnknownWord,
                format!("there is no command `{}`", excerpt(name)),
                Some(format!("did you mean `{near}`?")),
            );
            return Vec::new();
        };
        self.command(row, name, &items).map_or(Vec::new(), |packet| packet.words())
    }

    fn dwords(&mut self, name: &str, items: &[&str]) -> Vec<u32> {
        if items.is_empty() {
            self.report(name, Cause::Syntax, "`.dword` needs a number".to_string(), None);
        }
        let mut dwords = Vec::new();
        for item in items {
            dwords.extend(self.number(item, item));
            if self.diagnostics.len() >= MOST_DIAGNOSTICS {
                break;
            }
        }
        dwords
    }

    fn command(&mut self, row: usize, name: &str, items: &[&str]) -> Option<Packet> {
        let info = &COMMANDS[row];
        let problems = self.diagnostics.len();
        let (mut words, mut reserved): (Parameters, Parameters) = Default::default();
        let (mut consistent_opcode, mut extra) = (false, None);
        let mut seen: Vec<&str> = Vec::new();
        for &item in items {
            if self.diagnostics.len() >= MOST_DIAGNOSTICS {
                return None;
            }
            let Some((key, value)) = item.split_once('=') else {
                let help = format!("write it as name=value; {}", names_of(info));
                self.report(item, Cause::Syntax, format!("unknown parameter `{}`", excerpt(item)), Some(help));
                continue;
            };
            if seen.iter().any(|other| other.eq_ignore_ascii_case(key)) {
                self.report(item, Cause::Duplicate, format!("`{key}` is given twice"), None);
                continue;
            }
            seen.push(key);
            let field = info.fields.iter().find(|field| field.field.name.eq_ignore_ascii_case(key));
            let reserved_word = key.strip_prefix("reserved").and_then(|word| word.parse::<usize>().ok());
            match (field, reserved_word, key) {
                (Some(field), ..) => {
                    if let Some(value) = self.value(field, item, value) {
                        field.set(&mut words, value);
                    }
                }
                (_, Some(word), _) if word < info.parameters => {
                    if let Some(bits) = self.number(item, value) {
                        self.check_reserved(info, word, bits, item);
                        reserved[word] = bits;
                    }
                }
                (_, _, "opcode") if info.consistent_opcode.is_some() => {
                    if let Some(opcode) = self.number(item, value) {
                        consistent_opcode = Some(opcode) == info.consistent_opcode;
                        if !consistent_opcode && opcode != info.opcode {
                            self.report(
                                item,
                                Cause::Range,
                                format!("{opcode:#010X} is not an opcode of `{}`", info.name),
                                None,
                            );
                        }
                    }
                }
                (_, _, "extra") if info.consistent_opcode.is_some() => extra = self.number(item, value),
                _ => self.report(
                    item,
                    Cause::Misplaced,
                    format!("`{}` has no parameter `{}`", info.name, excerpt(key)),
                    Some(names_of(info)),
                ),
            }
        }
        let missing = info.fields.iter().filter(|field| !field.optional).map(|field| field.field.name);
        let missing: Vec<_> = missing.filter(|field| !seen.iter().any(|key| key.eq_ignore_ascii_case(field))).collect();
        if !missing.is_empty() {
            self.report(
                name,
                Cause::Syntax,
                format!("`{}` needs {}", info.name, missing.join(", ")),
                Some(names_of(info)),
            );
        }
        if consistent_opcode && extra.is_some() {
            self.report(name, Cause::Misplaced, "only the guide's opcode takes an extra dword along".to_string(), None);
        }
        let command = Command::read(row, &words).filter(|_| self.diagnostics.len() == problems)?;
        Some(Packet { command, reserved, consistent_opcode, extra })
    }

    fn check_reserved(&mut self, info: &CommandInfo, word: usize, bits: u32, item: &str) {
        if bits & !info.reserved[word] != 0 {
            let message =
                format!("parameter {word} of `{}` has the reserved bits {:#X}", info.name, info.reserved[word]);
            self.report(
                item,
                Cause::Range,
                message,
                Some("give the other bits through the named parameters".to_string()),
            );
        }
    }

    /// The value of a field, which `text` spells.
    fn value(&mut self, field: &Parameter, item: &str, text: &str) -> Option<u32> {
        let name = field.field.name;
        let spellings = || (0..=field.field.max().min(0xFF)).filter_map(|raw| Some((raw, (field.field.spell)(raw)?)));
        if let Some((raw, _)) = spellings().find(|(_, spelling)| spelling.eq_ignore_ascii_case(text)) {
            return Some(raw << field.shift);
        }
        if let Some((_, first)) = spellings().next()
            && !text.starts_with(|c: char| c.is_ascii_digit())
        {
            let all: Vec<_> = spellings().map(|(_, spelling)| spelling).collect();
            let help = format!("{name} is one of {}", all.join(", "));
            self.report(
                item,
                Cause::UnknownWord,
                format!("unknown {name} `{}` (such as {first})", excerpt(text)),
                Some(help),
            );
            return None;
        }
        if field.notation == Notation::Float
            && !is_hex(text)
            && let Ok(value) = text.parse::<f32>()
            && value.is_finite()
        {
            return Some(value.to_bits());
        }
        let value = self.number(item, text)?;
        if field.holds(value) {
            return Some(value);
        }
        let (largest, step) = (field.field.max() << field.shift, 1u32 << field.shift);
        let message = match (value.is_multiple_of(step), field.notation) {
            (false, _) => format!("`{name}` is {text}, but must be a multiple of {step}"),
            (true, Notation::Hex) => format!("`{name}` is {text}, but goes to {largest:#X}"),
            (true, _) => format!("`{name}` is {text}, but goes to {largest}"),
        };
        self.report(item, Cause::Range, message, None);
        None
    }

    fn number(&mut self, item: &str, text: &str) -> Option<u32> {
        let digits = text.replace('_', "");
        let number = match is_hex(&digits) {
            true => u32::from_str_radix(&digits[2..], 16),
            false => digits.parse(),
        };
        if number.is_err() {
            let help = "numbers are decimal (64) or hexadecimal (0x40), at most 0xFFFFFFFF".to_string();
            self.report(item, Cause::Range, format!("`{}` is not a 32-bit number", excerpt(text)), Some(help));
        }
        number.ok()
    }

    /// Reports a problem with `part`, which is a piece of the line.
    fn report(&mut self, part: &str, cause: Cause, message: String, help: Option<String>) {
        if self.diagnostics.len() >= MOST_DIAGNOSTICS {
            return;
        }
        let start = self.start + (part.as_ptr() as usize - self.code.as_ptr() as usize);
        let (file, span) = (self.file.clone(), start..start + part.len());
        self.diagnostics.push(Diagnostic { cause, severity: Severity::Error, file, span, message, help });
    }
}

/// The command whose name shares the most pairs of neighbouring letters with `name`.
fn nearest(name: &str) -> &'static str {
    let pairs = |text: &str| text.to_ascii_lowercase().into_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect();
    let wanted: BTreeSet<[u8; 2]> = pairs(name);
    let likeness = |other: &str| -> (usize, Reverse<usize>) {
        let other: BTreeSet<[u8; 2]> = pairs(other);
        (wanted.intersection(&other).count(), Reverse(other.len()))
    };
    COMMANDS.iter().map(|info| info.name).max_by_key(|other| likeness(other)).unwrap_or_default()
}

fn is_hex(text: &str) -> bool {
    text.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x"))
}

fn names_of(info: &CommandInfo) -> String {
    let names: Vec<_> = info.fields.iter().map(|field| field.field.name).collect();
    match names.is_empty() {
        true => format!("`{}` has no parameters", info.name),
        false => format!("`{}` has the parameters {}", info.name, names.join(", ")),
    }
}
