//! Operations on values of different forms that naga's reader lacks: remainders of a vector and a number, and numbers and vectors that are made of a
//! matrix. They become calls of functions that have a form for each type.

use super::LocatedResult;
use super::declarations::Declared;
use super::effects::{functions, has_effects};
use super::forms::{Form, Forms, MODULO};
use super::lex::{Kind, Token};
use super::matrices::{start, value_end};
use super::names::Needs;
use super::reader::{Reader, split};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The first numbers of a matrix, as a number or a vector of so many.
const FIRST: [&str; 4] = ["ctm_first1", "ctm_first2", "ctm_first3", "ctm_first4"];

/// Writes such operations as calls.
///
/// # Errors
/// The text becomes too long.
pub(super) fn calls(declared: &mut Declared<'_>, needs: &mut Needs) -> LocatedResult<()> {
    let is_one = |token: &Token<'_>| token.text.starts_with('%') || token.text.starts_with("mat");
    if !declared.tokens.iter().any(is_one) {
        return Ok(());
    }
    let (forms, functions) = (Forms::new(&declared.tokens), functions(&declared.tokens));
    let needed: RefCell<BTreeSet<&'static str>> = RefCell::default();
    declared.each_piece(|_, mut tokens| {
        if let Some(operator) = tokens.iter().position(|token| token.is("%="))
            && !has_effects(&tokens[..operator], &functions)
        {
            assigned(&forms, &mut tokens, operator);
        }
        let mut at = 0;
        while at < tokens.len() {
            let call =
                if tokens[at].is("%") { modulo(&forms, &mut tokens, at) } else { first(&forms, &mut tokens, at) };
            needed.borrow_mut().extend(call);
            at += 1;
        }
        Ok(tokens)
    })?;
    let needed = needed.into_inner();
    declared.functions.extend(needed.iter().map(|name| (*name).to_owned()));
    needs.functions.extend(needed);
    Ok(())
}

/// `v %= n` as `v = v % (n)`.
fn assigned(forms: &Forms, tokens: &mut Vec<Token<'_>>, operator: usize) {
    let (begin, end) = (start(tokens, operator), value_end(tokens, operator + 1));
    let place = tokens[begin..operator].to_vec();
    if forms.of(&place) != Some(Form::Vector) || forms.of(&tokens[operator + 1..end]) != Some(Form::Scalar) {
        return;
    }
    let mark = |text| Token::mark(text, tokens[operator].at);
    let (equals, sign, open, close) = (mark("="), mark("%"), mark("("), mark(")"));
    tokens.insert(end, close);
    tokens.splice(operator..=operator, std::iter::once(equals).chain(place).chain([sign, open]));
}

/// `a % b` as a call, if one of them is a vector and the other one a number.
fn modulo(forms: &Forms, tokens: &mut Vec<Token<'_>>, operator: usize) -> Option<&'static str> {
    let (begin, end) = (product_start(tokens, operator)?, operand_end(tokens, operator + 1)?);
    let sides = (forms.of(&tokens[begin..operator])?, forms.of(&tokens[operator + 1..end])?);
    if !matches!(sides, (Form::Vector, Form::Scalar) | (Form::Scalar, Form::Vector)) {
        return None;
    }
    let place = tokens[operator].at;
    tokens.insert(end, Token::mark(")", place));
    tokens[operator] = Token::mark(",", place);
    tokens.splice(begin..begin, [Token::word(MODULO, place), Token::mark("(", place)]);
    Some(MODULO)
}

/// The constructor of a number or vector of one matrix, with the numbers that it takes of it.
fn first(forms: &Forms, tokens: &mut Vec<Token<'_>>, at: usize) -> Option<&'static str> {
    let name = &tokens[at];
    let is_made = matches!(Form::of_type(&name.text)?, Form::Scalar | Form::Vector);
    if !is_made || !tokens.get(at + 1)?.is("(") {
        return None;
    }
    let count = name.text.bytes().last().filter(u8::is_ascii_digit).map_or(1, |digit| usize::from(digit - b'0'));
    let group = Reader { tokens: &tokens[..], next: at + 1 }.group().ok()?;
    let argument = &group[1..group.len() - 1];
    if split(argument).len() != 1 || forms.of(argument)? != Form::Matrix {
        return None;
    }
    let (function, place, close) = (*FIRST.get(count - 1)?, name.at, at + group.len());
    tokens.insert(close, Token::mark(")", place));
    tokens.splice(at + 2..at + 2, [Token::word(function, place), Token::mark("(", place)]);
    Some(function)
}

/// Where the product begins that is the left side of an operator which binds as it does.
fn product_start(tokens: &[Token<'_>], operator: usize) -> Option<usize> {
    let mut at = operator;
    loop {
        let end = at;
        at = match tokens[..end].last()?.kind {
            Kind::Number => end - 1,
            Kind::Word | Kind::Mark => start(tokens, end),
        };
        if at == end {
            return None;
        }
        while at > 0 && matches!(&*tokens[at - 1].text, "+" | "-" | "~") && !ends_operand(tokens, at - 1) {
            at -= 1;
        }
        if at == 0 || !matches!(&*tokens[at - 1].text, "*" | "/" | "%") {
            return Some(at);
        }
        at -= 1;
    }
}

/// Whether an operand ends in front of an index, so that what stands there is an operator and not a sign.
fn ends_operand(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    before.is_some_and(|before| match before.kind {
        Kind::Word => !before.is("return"),
        Kind::Number => true,
        Kind::Mark => matches!(&*before.text, ")" | "]"),
    })
}

/// Where the value ends that begins at an index, with its signs, members and indices.
fn operand_end(tokens: &[Token<'_>], begin: usize) -> Option<usize> {
    let signs = tokens[begin..].iter().take_while(|token| matches!(&*token.text, "+" | "-" | "~")).count();
    let mut reader = Reader { tokens, next: begin + signs };
    match reader.peek()?.kind {
        Kind::Word | Kind::Number => reader.next += 1,
        Kind::Mark if reader.is("(") => {}
        Kind::Mark => return None,
    }
    while reader.is("(") || reader.is("[") || reader.is(".") {
        if reader.is(".") {
            reader.next += 2;
        } else {
            reader.group().ok()?;
        }
    }
    Some(reader.next)
}
