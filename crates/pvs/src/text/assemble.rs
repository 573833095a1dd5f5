//! A whole text: labels, directives, instructions.

use super::directives::Directives;
use super::{Assembled, instruction};
use crate::instruction::Instruction;
use crate::program::{MAX_INSTRUCTIONS, Program};
use ctm_text::{Cause, Cursor, Diagnostic, MOST_DIAGNOSTICS, Severity, Span, TokenKind, excerpt};
use std::collections::BTreeMap;

/// Reads a whole text.
pub(super) fn assemble(mut cursor: Cursor) -> Result<Assembled, Vec<Diagnostic>> {
    let (mut code, mut spans) = (Vec::new(), Vec::new());
    let mut labels = BTreeMap::new();
    let mut directives = Directives::default();
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
            if labels.insert(label, code.len()).is_some() {
                let message = format!("the label `{}` is already defined", excerpt(cursor.text(token)));
                cursor.error(Cause::Duplicate, token, message, "each label stands for one instruction");
            }
            continue;
        }
        if code.len() == MAX_INSTRUCTIONS {
            let message = format!("a program has {MAX_INSTRUCTIONS} instructions at most");
            cursor.error(Cause::TooLong, first, message, "this is one more");
            break;
        }
        // The place of an instruction that is wrong is kept, so that labels stay where they belong.
        code.push(instruction::read(&mut cursor).unwrap_or_else(|_| {
            skip_instruction(&mut cursor);
            Instruction::default()
        }));
        spans.push(Span::from(first).to(cursor.last().into()));
    }
    let mut program = Program::new(code);
    directives.apply(&mut cursor, &labels, &mut program);
    let origins = spans.into_iter().map(|span| cursor.origin(span)).collect();
    let diagnostics = cursor.diagnostics;
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    Ok(Assembled { program, origins, warnings: diagnostics })
}

fn label_here(cursor: &Cursor) -> Option<String> {
    let word = cursor.word_ahead(0)?;
    let is_label = cursor.look(1).kind == TokenKind::Symbol(b':')
        && !word.as_bytes()[0].is_ascii_digit()
        && !instruction::begins(word);
    is_label.then(|| word.to_owned())
}

/// Goes on after the next `;`, or where something begins on a new line. Something is taken at least.
fn skip_instruction(cursor: &mut Cursor) {
    while !cursor.at_end() {
        if cursor.take().kind == TokenKind::Symbol(b';') {
            return;
        }
        let begins = cursor.is_symbol(b'.')
            || label_here(cursor).is_some()
            || cursor.word_ahead(0).is_some_and(instruction::begins);
        if cursor.peek().first_of_line && begins {
            return;
        }
    }
}

fn skip_line(cursor: &mut Cursor) {
    while !cursor.at_end() && !cursor.peek().first_of_line {
        cursor.take();
    }
}
