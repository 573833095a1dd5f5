//! A whole text: labels, directives, instructions; then targets, constants and program information.

use super::directives::Directives;
use super::header::{Header, flag_names};
use super::{Assembled, arithmetic, flow, statements, texture};
use crate::instruction::{Alu, Body, DWORDS, Flow, Instruction};
use crate::program::{ConstantValues, FLOAT_CONSTANTS, MAX_INSTRUCTIONS, Program, References};
use ctm_bits::Field;
use ctm_text::{Cause, Cursor, Diagnostic, MOST_DIAGNOSTICS, Reported, Severity, Span, TokenKind, excerpt, nearest};
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

/// One of the two units, and its side of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Rgb,
    Alpha,
}

impl Side {
    pub const fn other(self) -> Side {
        match self {
            Side::Rgb => Side::Alpha,
            Side::Alpha => Side::Rgb,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Side::Rgb => "RGB",
            Side::Alpha => "alpha",
        }
    }
}

/// Where a jump goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// An instruction's place in the code.
    Label(String, Span),
    /// The field's value.
    Address(u16),
}

/// A source that takes a float constant given by value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub side: Side,
    pub source: usize,
    pub values: [u32; 4],
    pub span: Span,
}

/// An instruction with what is still open about it.
pub(super) struct Pending {
    pub instruction: Instruction,
    pub span: Span,
    pub target: Option<Target>,
    pub statement: Option<statements::Statement>,
    pub literals: Vec<Literal>,
    /// Fields set by name; they have the last word.
    pub fields: Vec<(&'static Field, u32)>,
    /// It names an immediate write.
    pub umrt: bool,
    /// Place in the code that a statement jumps to.
    jump: Option<usize>,
}

impl Pending {
    pub fn of(instruction: Instruction) -> Self {
        let span = Span { file: 0, start: 0, end: 0 };
        Pending {
            instruction,
            span,
            target: None,
            statement: None,
            literals: Vec::new(),
            fields: Vec::new(),
            umrt: false,
            jump: None,
        }
    }

    /// The flow-control part of a statement.
    pub fn flow(&mut self) -> &mut Flow {
        match &mut self.instruction.body {
            Body::Flow(flow) => flow,
            _ => unreachable!("statements are flow control"),
        }
    }

    fn alu(&mut self) -> &mut Alu {
        match &mut self.instruction.body {
            Body::Alu(alu) | Body::Out(alu) => alu,
            _ => unreachable!("only arithmetic has sources"),
        }
    }

    /// Makes a statement jump to a place in the code.
    pub fn jump(&mut self, place: usize) {
        self.jump = Some(place);
    }
}

/// Words that begin an instruction, besides flags, statements and sources.
pub(super) const FORMS: [&str; 3] = ["TEX", "FC", "RAW"];

/// A label is none of the words that begin an instruction.
fn begins_instruction(word: &str) -> bool {
    let same = |name: &str| name.eq_ignore_ascii_case(word);
    flag_names().chain(FORMS).chain(statements::WORDS).chain(arithmetic::SOURCE_WORDS).any(same)
}

/// Reads a whole text.
pub(super) fn assemble(mut cursor: Cursor) -> Result<Assembled, Vec<Diagnostic>> {
    let mut code: Vec<Pending> = Vec::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut directives = Directives::default();
    let mut complete = true;
    while !cursor.at_end() && cursor.diagnostics.len() < MOST_DIAGNOSTICS {
        let first = cursor.peek();
        if cursor.is_symbol(b'.') {
            if directives.read(&mut cursor).is_err() {
                skip_line(&mut cursor);
            }
            continue;
        }
        if let Some(label) = label_here(&cursor) {
            let token = cursor.take();
            cursor.take();
            match labels.entry(label) {
                Entry::Vacant(entry) => {
                    entry.insert(code.len());
                }
                Entry::Occupied(entry) => {
                    let message = format!("the label `{}` is already defined", excerpt(entry.key()));
                    cursor.error(Cause::Duplicate, token, message, "each label has one place");
                }
            }
            continue;
        }
        if code.len() == MAX_INSTRUCTIONS {
            let message = format!("a program has {MAX_INSTRUCTIONS} instructions at most");
            cursor.error(Cause::TooLong, first, message, "this is one more");
            complete = false;
            break;
        }
        match read_instruction(&mut cursor) {
            Ok(mut pending) => {
                pending.span = Span::from(first).to(cursor.last().into());
                code.push(pending);
            }
            Err(Reported) => {
                skip_instruction(&mut cursor, first.into());
                complete = false;
                // Its place is kept, so that labels stay where they belong.
                code.push(Pending::of(Instruction::decode(&[0; DWORDS])));
            }
        }
    }
    // An invalid statement would make those that belong to it look wrong as well.
    if complete {
        statements::resolve(&mut cursor, &mut code, &labels);
    }
    let places = Places { labels, code_offset: directives.code_offset() };
    for pending in &mut code {
        set_target(&mut cursor, &places, pending);
    }
    let mut constants = directives.constants();
    place_literals(&mut cursor, &mut code, &mut constants);
    for pending in &mut code {
        set_named_fields(pending);
    }

    let origins = code.iter().map(|pending| cursor.origin(pending.span)).collect();
    let umrt = code.iter().any(|pending| pending.umrt);
    let code: Vec<Instruction> = code.into_iter().map(|pending| pending.instruction).collect();
    let info = directives.info(&mut cursor, &code, umrt, &places);
    let mut references = References::of(&code, &info);
    directives.override_references(&mut references);
    let diagnostics = cursor.diagnostics;
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let program = Program { code, info, references, constants };
    Ok(Assembled { program, origins, warnings: diagnostics })
}

fn label_here(cursor: &Cursor) -> Option<String> {
    let word = cursor.word_ahead(0)?;
    let is_label = cursor.look(1).kind == TokenKind::Symbol(b':')
        && !word.as_bytes()[0].is_ascii_digit()
        && !begins_instruction(word);
    is_label.then(|| word.to_owned())
}

fn read_instruction(cursor: &mut Cursor) -> Result<Pending, Reported> {
    if cursor.accept_word("RAW") {
        return read_raw(cursor);
    }
    let (mut pending, header) = if cursor.accept_word("TEX") {
        texture::read(cursor)?
    } else if cursor.accept_word("FC") {
        flow::read(cursor)?
    } else {
        let header = Header::read(cursor, None)?;
        let statement = cursor
            .word_ahead(0)
            .is_some_and(|word| statements::WORDS.iter().any(|statement| statement.eq_ignore_ascii_case(word)));
        let pending = if statement { statements::read(cursor, &header)? } else { arithmetic::read(cursor, &header)? };
        (pending, header)
    };
    pending.fields = header.named_fields(cursor, &pending.instruction);
    Ok(pending)
}

fn read_raw(cursor: &mut Cursor) -> Result<Pending, Reported> {
    let mut words = [0; DWORDS];
    for word in &mut words {
        *word = cursor.number("a dword of the instruction", u32::MAX)?;
    }
    cursor.expect_symbol(b';', "after six dwords")?;
    Ok(Pending::of(Instruction::decode(&words)))
}

/// Goes on after the next `;`, or where something clearly begins on a new line.
fn skip_instruction(cursor: &mut Cursor, first: Span) {
    let mut begun = cursor.peek().start != first.start || cursor.peek().file != first.file;
    let begins = |cursor: &Cursor| {
        cursor.is_symbol(b'.')
            || label_here(cursor).is_some()
            || cursor.word_ahead(0).is_some_and(|word| {
                let names = FORMS.iter().chain(&statements::WORDS).chain(&["OUT"]);
                names.into_iter().any(|name| name.eq_ignore_ascii_case(word))
            })
    };
    while !cursor.at_end() {
        if begun && cursor.peek().first_of_line && begins(cursor) {
            return;
        }
        begun = true;
        if cursor.take().kind == TokenKind::Symbol(b';') {
            return;
        }
    }
}

fn skip_line(cursor: &mut Cursor) {
    while !cursor.at_end() && !cursor.peek().first_of_line {
        cursor.take();
    }
}

/// Where labels are.
pub(super) struct Places {
    labels: BTreeMap<String, usize>,
    code_offset: u16,
}

impl Places {
    /// The value of an address field that stands for a label.
    pub fn address(&self, cursor: &mut Cursor, label: &str, span: Span, global: bool) -> u16 {
        match self.labels.get(label) {
            Some(&place) => self.field(cursor, place, span, global),
            None => {
                let message = format!("unknown label `{}`", excerpt(label));
                let near = nearest(label, self.labels.keys().map(String::as_str));
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a label stands before an instruction, with a colon: `name:`".into(),
                };
                cursor.error(Cause::Label, span, message, &help);
                0
            }
        }
    }

    /// The value of an address field that stands for a place in the code.
    fn field(&self, cursor: &mut Cursor, place: usize, span: Span, global: bool) -> u16 {
        let offset = if global { 0 } else { usize::from(self.code_offset) };
        match place.checked_sub(offset).filter(|&address| address < MAX_INSTRUCTIONS) {
            Some(address) => address as u16,
            None => {
                let message = format!("instruction {place} is out of reach");
                let help = format!("addresses go from {offset} to {}", offset + MAX_INSTRUCTIONS - 1);
                cursor.error(Cause::Label, span, message, &help);
                0
            }
        }
    }
}

fn set_target(cursor: &mut Cursor, places: &Places, pending: &mut Pending) {
    let Body::Flow(flow) = &mut pending.instruction.body else { return };
    let global = flow.jump_global;
    if let Some(place) = pending.jump {
        flow.jump_addr = places.field(cursor, place, pending.span, global);
    }
    match &pending.target {
        Some(Target::Label(label, span)) => flow.jump_addr = places.address(cursor, label, *span, global),
        Some(Target::Address(address)) => flow.jump_addr = *address,
        None => {}
    }
}

/// Finds a float constant for each value in the text: one that has the value already, else the lowest above all that the
/// text names, else the lowest free one.
fn place_literals(cursor: &mut Cursor, code: &mut [Pending], constants: &mut ConstantValues) {
    let mut named: BTreeSet<u8> = constants.floats.keys().copied().collect();
    for pending in code.iter() {
        if let Body::Alu(alu) | Body::Out(alu) = &pending.instruction.body {
            let sources = alu.rgb.src.iter().chain(&alu.alpha.src);
            named.extend(sources.filter(|source| source.constant).map(|source| source.addr));
        }
    }
    let above = named.last().map_or(0, |&last| usize::from(last) + 1);
    let free: Vec<u8> =
        (above..FLOAT_CONSTANTS).chain(0..above).map(|n| n as u8).filter(|n| !named.contains(n)).collect();
    let mut free = free.into_iter();
    for pending in code {
        for literal in std::mem::take(&mut pending.literals) {
            let known =
                constants.floats.iter().find(|(_, values)| **values == literal.values).map(|(&number, _)| number);
            let Some(number) = known.or_else(|| free.next()) else {
                let message = "no float constant is left for this value";
                let help = format!("a program has {FLOAT_CONSTANTS} float constants");
                cursor.error(Cause::NoConstantLeft, literal.span, message, &help);
                continue;
            };
            constants.floats.insert(number, literal.values);
            let alu = pending.alu();
            let sources = match literal.side {
                Side::Rgb => &mut alu.rgb.src,
                Side::Alpha => &mut alu.alpha.src,
            };
            let source = &mut sources[literal.source];
            (source.addr, source.constant) = (number, true);
        }
    }
}

fn set_named_fields(pending: &mut Pending) {
    if pending.fields.is_empty() {
        return;
    }
    let mut words = pending.instruction.encode();
    for (field, value) in &pending.fields {
        field.set(&mut words, *value);
    }
    pending.instruction = Instruction::decode(&words);
}

/// The first instruction of a text that has no labels, directives or literal constants; none if the text has errors.
pub(super) fn single(text: &str) -> Option<Instruction> {
    let source = super::SourceFile { name: String::new(), text: text.to_owned() };
    let mut cursor = Cursor::new(ctm_text::lex(&super::DIALECT, source, &mut |_, _| Err(String::new())));
    let mut pending = read_instruction(&mut cursor).ok()?;
    if let (Body::Flow(flow), Some(Target::Address(address))) = (&mut pending.instruction.body, &pending.target) {
        flow.jump_addr = *address;
    }
    let errors = cursor.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    (cursor.at_end() && !errors).then_some(pending.instruction)
}
