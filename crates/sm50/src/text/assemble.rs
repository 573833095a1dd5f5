//! A whole text: labels, directives, instructions; then targets, control words and the header.

use super::Assembled;
use super::directives::Directives;
use super::fit::{Fitted, Label, fit, is_name, names, place_target};
use super::item::{adjacent, at_statement_end, read_guard, read_items};
use super::substitutes::SUBSTITUTES;
use crate::control::{Control, Latency, Reuse, latency};
use crate::instruction::Instruction;
use crate::program::{Code, MAX_INSTRUCTIONS, Program};
use ctm_text::{
    Cause, Cursor, Diagnostic, MOST_DIAGNOSTICS, Reported, Severity, Span, Token, TokenKind, excerpt, instead, nearest,
};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// An instruction with what is still open about it.
struct Pending {
    fitted: Fitted,
    control: Option<Control>,
    span: Span,
}

/// Reads a whole text.
pub(super) fn assemble(mut cursor: Cursor) -> Result<Assembled, Vec<Diagnostic>> {
    let mut pending: Vec<Pending> = Vec::new();
    let mut labels: BTreeMap<String, usize> = BTreeMap::new();
    let mut directives = Directives::default();
    while !cursor.at_end() && cursor.diagnostics.len() < MOST_DIAGNOSTICS {
        let first = cursor.peek();
        if cursor.accept_symbol(b';') {
            continue;
        }
        if cursor.is_symbol(b'.') && cursor.word_ahead(1).is_none_or(|word| !word.eq_ignore_ascii_case("raw")) {
            if directives.read(&mut cursor, pending.len()).is_err() {
                skip_statement(&mut cursor, first);
            }
            continue;
        }
        if cursor.look(1).kind == TokenKind::Symbol(b':') && first.kind == TokenKind::Word {
            read_label(&mut cursor, &mut labels, pending.len());
            continue;
        }
        if pending.len() == MAX_INSTRUCTIONS {
            let message = format!("a program has {MAX_INSTRUCTIONS} instructions at most");
            cursor.error(Cause::TooLong, first, message, "this is one more");
            break;
        }
        let read = read_instruction(&mut cursor, pending.len());
        let (fitted, control) = read.unwrap_or_else(|Reported| {
            skip_statement(&mut cursor, first);
            // Its place is kept, so that labels stay where they belong.
            (Fitted { instruction: Instruction::decode(0), reuse: Reuse::default(), label: None }, None)
        });
        pending.push(Pending { fitted, control, span: Span::from(first).to(cursor.last().into()) });
    }
    for (index, pending) in pending.iter_mut().enumerate() {
        if let Some(label) = pending.fitted.label.take().filter(|_| cursor.diagnostics.len() < MOST_DIAGNOSTICS) {
            set_target(&mut cursor, &labels, index, &mut pending.fitted.instruction, &label);
        }
    }
    let origins = pending.iter().map(|pending| cursor.origin(pending.span)).collect();
    let mut code = Code::new(with_controls(&pending));
    directives.set_controls(&mut cursor, &mut code);
    let header = directives.header(&mut cursor, code.instructions());
    if code.instructions().is_empty() {
        let end = cursor.peek();
        cursor.error(Cause::Syntax, end, "there is no instruction", "a program has one at least, such as `EXIT;`");
    }
    let diagnostics = cursor.diagnostics;
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let constants = directives.into_constants();
    Ok(Assembled { program: Program { header, code, constants }, origins, warnings: diagnostics })
}

fn read_label(cursor: &mut Cursor, labels: &mut BTreeMap<String, usize>, place: usize) {
    let token = cursor.take();
    cursor.take();
    let name = cursor.text(token).to_owned();
    if name.as_bytes()[0].is_ascii_digit() || is_name(&name) {
        let message = format!("`{}` cannot be a label", excerpt(&name));
        cursor.error(Cause::Label, token, message, "labels are neither numbers nor names of instructions");
        return;
    }
    match labels.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(place);
        }
        Entry::Occupied(entry) => {
            let message = format!("the label `{}` is already defined", excerpt(entry.key()));
            cursor.error(Cause::Duplicate, token, message, "each label has one place");
        }
    }
}

/// The number of the instruction in the program tells its address.
fn read_instruction(cursor: &mut Cursor, index: usize) -> Result<(Fitted, Option<Control>), Reported> {
    let control = if cursor.is_symbol(b'[') { Some(read_control(cursor)?) } else { None };
    if cursor.accept_symbol(b'.') {
        cursor.expect_name("an instruction", &["raw"])?;
        let word = read_word(cursor, "the word of an instruction")?;
        let fitted = Fitted { instruction: Instruction::decode(word), reuse: Reuse::default(), label: None };
        return end_statement(cursor).map(|()| (fitted, control));
    }
    let guard = read_guard(cursor)?;
    let (name, span) = read_name(cursor)?;
    if !is_name(&name) {
        let first = name.split('.').next().unwrap_or_default();
        let help = instead(first, SUBSTITUTES, names());
        return Err(cursor.error(Cause::UnknownWord, span, format!("unknown instruction `{}`", excerpt(&name)), &help));
    }
    let items = read_items(cursor)?;
    end_statement(cursor)?;
    match fit(&name, span, guard, &items, index) {
        Ok(fitted) => Ok((fitted, control)),
        Err(misfit) => Err(cursor.error(Cause::Operand, misfit.span, misfit.message, &misfit.help)),
    }
}

fn end_statement(cursor: &mut Cursor) -> Result<(), Reported> {
    if cursor.accept_symbol(b';') || at_statement_end(cursor) {
        return Ok(());
    }
    Err(cursor.expected("the end of the instruction", "instructions end with `;` or with their line"))
}

/// A name with all that it gets appended.
fn read_name(cursor: &mut Cursor) -> Result<(String, Span), Reported> {
    let token = cursor.expect_word("an instruction", "such as `AST.128 a[0x70], R4;`")?;
    let mut name = cursor.text(token).to_owned();
    while cursor.is_symbol(b'.') && adjacent(cursor) {
        cursor.take();
        let word = cursor.expect_word("a part of the name after `.`", "")?;
        name.push('.');
        name += cursor.text(word);
    }
    Ok((name, Span::from(token).to(cursor.last().into())))
}

/// A word of 64 bits in hexadecimal.
pub(super) fn read_word(cursor: &mut Cursor, what: &str) -> Result<u64, Reported> {
    let help = "64 bits in hexadecimal, such as `0x50b0000000070f00`";
    let token = cursor.expect_word(what, help)?;
    let text = cursor.text(token);
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or("");
    u64::from_str_radix(digits, 16).map_err(|_| {
        cursor.error(Cause::Syntax, token, format!("`{}` is not a word", excerpt(cursor.text(token))), help)
    })
}

/// Control bits in CuAssembler's notation: `[B0--3--:R1:W0:Y:S04]`.
fn read_control(cursor: &mut Cursor) -> Result<Control, Reported> {
    let open = Span::from(cursor.take());
    while !cursor.is_symbol(b']') {
        if cursor.at_end() || cursor.peek().first_of_line {
            return Err(cursor.expected("`]` after control bits", CONTROL_HELP));
        }
        cursor.take();
    }
    let span = open.to(cursor.take().into());
    let origin = cursor.origin(span);
    let text: String = origin.file.text[origin.span].chars().filter(|c| !c.is_whitespace()).collect();
    parse_control(&text[1..text.len() - 1])
        .ok_or_else(|| cursor.error(Cause::Syntax, span, "invalid control bits", CONTROL_HELP))
}

const CONTROL_HELP: &str = "such as `[B0--3--:R1:W0:Y:S04]`: wait for barriers 0 and 3, read barrier 1, write barrier 0, may yield, stall \
                            4 cycles";

fn parse_control(text: &str) -> Option<Control> {
    let parts: Vec<&str> = text.split(':').collect();
    let [wait, read, write, may_yield, stall] = parts[..] else { return None };
    let wait = wait.strip_prefix('B').filter(|wait| wait.len() == 6)?;
    let mut mask = 0;
    for (n, found) in wait.bytes().enumerate() {
        match found {
            b'-' => {}
            _ if found == b'0' + n as u8 => mask |= 1 << n,
            _ => return None,
        }
    }
    let barrier = |text: &str, letter: char| match text.strip_prefix(letter)? {
        "-" => Some(Control::NO_BARRIER),
        digit => digit.parse().ok().filter(|&number: &u32| digit.len() == 1 && number <= 7),
    };
    let may_yield = match may_yield {
        "Y" => true,
        "-" => false,
        _ => return None,
    };
    let stall = stall.strip_prefix('S')?.parse().ok().filter(|&stall: &u32| stall <= 15)?;
    let control = Control::NEUTRAL.with_wait_mask(mask).with_stall(stall).with_yield(may_yield);
    Some(control.with_read_barrier(barrier(read, 'R')?).with_write_barrier(barrier(write, 'W')?))
}

/// Goes on after the statement that begins with `first`: after its `;`, or on the line after it.
fn skip_statement(cursor: &mut Cursor, first: Token) {
    loop {
        let next = cursor.peek();
        let begun = (next.file, next.start) != (first.file, first.start);
        let over = next.first_of_line || cursor.last().kind == TokenKind::Symbol(b';');
        if cursor.at_end() || (begun && over) {
            return;
        }
        cursor.take();
    }
}

fn set_target(
    cursor: &mut Cursor,
    labels: &BTreeMap<String, usize>,
    index: usize,
    instruction: &mut Instruction,
    label: &Label,
) {
    let Some(&place) = labels.get(&label.name) else {
        let message = format!("unknown label `{}`", excerpt(&label.name));
        let help = match nearest(&label.name, labels.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a label stands before an instruction, with a colon: `name:`".into(),
        };
        cursor.error(Cause::Label, label.span, message, &help);
        return;
    };
    let target = i64::from(Code::address(place)) + label.displacement;
    let placed =
        place_target(instruction.row(), instruction.shape(), instruction.encode(), Code::address(index), target);
    match placed {
        Ok(word) => *instruction = Instruction::decode(word),
        Err(message) => _ = cursor.error(Cause::Label, label.span, message, ""),
    }
}

/// Gives control bits to the instructions that have none of their own: those whose time is not known set scoreboard 0, and
/// the next instruction waits for it.
fn with_controls(pending: &[Pending]) -> Vec<(Instruction, Control)> {
    let mut must_wait = false;
    let slots = pending.iter().map(|pending| {
        let instruction = pending.fitted.instruction;
        let control = pending.control.unwrap_or_else(|| {
            let control = Control::CAREFUL.with_wait_mask(must_wait.into());
            match latency(instruction.op()) {
                Latency::Fixed => control,
                Latency::Result => control.with_write_barrier(0),
                Latency::Sources => control.with_read_barrier(0),
            }
        });
        must_wait = pending.control.is_none() && latency(instruction.op()) != Latency::Fixed;
        (instruction, control.with_reuse(pending.fitted.reuse.caches(instruction.op())))
    });
    slots.collect()
}

/// The instruction of a text without labels, at a place in a program, with what it reuses; none if the text has errors.
pub(super) fn single(text: &str, index: usize) -> Option<(Instruction, Reuse)> {
    let source = ctm_text::SourceFile { name: String::new(), text: text.to_owned() };
    let mut cursor = Cursor::new(ctm_text::lex(&super::DIALECT, source, &mut |_, _| Err(String::new())));
    let (fitted, _) = read_instruction(&mut cursor, index).ok()?;
    (cursor.at_end() && cursor.diagnostics.is_empty() && fitted.label.is_none())
        .then_some((fitted.instruction, fitted.reuse))
}
