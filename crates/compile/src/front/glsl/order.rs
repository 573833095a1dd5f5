//! Functions that are declared before they are written, in the order that naga's reader wants: each in front of those that call it.

use super::lex::{Kind, Token};
use std::collections::{BTreeMap, HashSet};

/// Puts functions after everything else and in order, without their declarations, if there are such declarations.
pub(super) fn ordered(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let parts = parts(&tokens);
    if !parts.iter().any(|part| matches!(part, Part::Declaration)) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut functions: BTreeMap<&str, Vec<&[Token<'_>]>> = BTreeMap::new();
    let mut names = Vec::new();
    for part in parts {
        match part {
            Part::Declaration => {}
            Part::Other(tokens) => out.extend_from_slice(tokens),
            Part::Function(name, tokens) => {
                names.push(name);
                functions.entry(name).or_default().push(tokens);
            }
        }
    }
    // What calls itself stays, and is refused by the reader.
    let (mut entered, mut written) = (HashSet::new(), Vec::new());
    for name in names {
        visit(name, &functions, &mut entered, &mut written);
    }
    for name in written {
        functions.remove(name).into_iter().flatten().for_each(|tokens| out.extend_from_slice(tokens));
    }
    out
}

/// Notes a function after all those that it calls.
fn visit<'t>(
    name: &'t str,
    functions: &BTreeMap<&'t str, Vec<&'t [Token<'_>]>>,
    entered: &mut HashSet<&'t str>,
    written: &mut Vec<&'t str>,
) {
    enum Step<'t> {
        Enter(&'t str),
        Leave(&'t str),
    }
    let mut open = vec![Step::Enter(name)];
    while let Some(step) = open.pop() {
        match step {
            Step::Leave(name) => written.push(name),
            Step::Enter(name) if !entered.insert(name) => {}
            Step::Enter(name) => {
                open.push(Step::Leave(name));
                let calls = functions[name].iter().flat_map(|body| body.windows(2)).filter(|pair| pair[1].is("("));
                let callees = calls.filter_map(|pair| functions.get_key_value(&*pair[0].text));
                open.extend(callees.map(|(callee, _)| Step::Enter(callee)));
            }
        }
    }
}

/// A part of a text outside of braces.
enum Part<'t, 'a> {
    /// A function with its body.
    Function(&'t str, &'t [Token<'a>]),
    /// A function without a body.
    Declaration,
    /// Anything else.
    Other(&'t [Token<'a>]),
}

/// The parts of a text: each ends with `;` or a body.
fn parts<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<Part<'t, 'a>> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0);
    // The name in front of the first parenthesis that may be a function's, and whether `=` stands in front of it.
    let (mut name, mut assigns) = (None, false);
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "{" | "[" => {
                if depth == 0 && token.is("(") && name.is_none() && !assigns && at >= start + 2 {
                    let before = &tokens[at - 1];
                    name = (before.kind == Kind::Word && !before.is("layout")).then_some(&*before.text);
                }
                depth += 1;
            }
            ")" | "}" | "]" => depth -= 1,
            "=" => assigns |= depth == 0,
            _ => {}
        }
        // Tokens of samplers are whole declarations.
        let is_end = depth == 0 && (token.text.ends_with(';') || token.is("}") && name.is_some());
        if is_end {
            let part = &tokens[start..=at];
            parts.push(match name {
                Some(name) if token.is("}") => Part::Function(name, part),
                Some(_) => Part::Declaration,
                None => Part::Other(part),
            });
            (start, name, assigns) = (at + 1, None, false);
        }
    }
    if start < tokens.len() {
        parts.push(Part::Other(&tokens[start..]));
    }
    parts
}
