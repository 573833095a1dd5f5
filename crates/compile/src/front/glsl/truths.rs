//! Numbers made of booleans: constructors such as `vec3(a > b)`, whose arguments naga's reader takes for numbers of their own shape. The
//! arguments that may be booleans become calls of a function that has a form for each type.

use super::brackets::partners;
use super::declarations::{Declared, is_basic_type};
use super::lex::{Kind, Token};
use super::names::Needs;
use super::reader::split;
use std::collections::HashSet;

/// The function.
const NUMBER: &str = "ctm_number";

/// Functions of the language that give booleans.
const FUNCTIONS: [&str; 14] = [
    "any",
    "all",
    "not",
    "isnan",
    "isinf",
    "equal",
    "notEqual",
    "lessThan",
    "lessThanEqual",
    "greaterThan",
    "greaterThanEqual",
    "true",
    "false",
    "bool",
];

/// Makes numbers of the arguments of constructors that may be booleans.
pub(super) fn numbers(declared: &mut Declared<'_>, needs: &mut Needs) {
    let tokens = std::mem::take(&mut declared.tokens);
    let truths = truths(&tokens);
    let partners = partners(&tokens);
    let (mut opens, mut closes) = (vec![0usize; tokens.len()], vec![0usize; tokens.len()]);
    let mut braces = 0;
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" => braces += 1,
            "}" => braces -= 1,
            _ => {}
        }
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is("("));
        // Constants outside of functions cannot call one.
        if braces == 0 || !is_call || !is_number_type(token) {
            continue;
        }
        let Some(end) = partners[at + 1] else { continue };
        let mut begin = at + 2;
        for argument in split(&tokens[begin..end]) {
            if argument.iter().any(|token| is_true(token, &truths)) {
                opens[begin] += 1;
                closes[begin + argument.len() - 1] += 1;
            }
            begin += argument.len() + 1;
        }
    }
    if opens.iter().all(|&count| count == 0) {
        declared.tokens = tokens;
        return;
    }
    needs.functions.insert(NUMBER);
    let mut moved = Vec::with_capacity(tokens.len());
    let mut out = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.into_iter().enumerate() {
        let place = token.at;
        for _ in 0..opens[at] {
            out.extend([Token::word(NUMBER, place), Token::mark("(", place)]);
        }
        moved.push(out.len());
        out.push(token);
        out.extend((0..closes[at]).map(|_| Token::mark(")", place)));
    }
    declared.tokens = out;
    declared.functions.insert(NUMBER.to_owned());
    let parameters = std::mem::take(&mut declared.parameters);
    declared.parameters = parameters.into_iter().map(|(at, names)| (moved[at], names)).collect();
}

/// Whether a constructor of this name makes vectors or matrices of numbers.
fn is_number_type(token: &Token<'_>) -> bool {
    let is_vector = ["vec", "ivec", "uvec", "mat"].iter().any(|prefix| token.text.starts_with(prefix));
    token.kind == Kind::Word && is_vector && is_basic_type(&token.text)
}

/// Names that are declared as booleans somewhere.
fn truths<'t>(tokens: &'t [Token<'_>]) -> HashSet<&'t str> {
    let declares = |pair: &&[Token<'_>]| matches!(&*pair[0].text, "bool" | "bvec2" | "bvec3" | "bvec4");
    let names = tokens.windows(2).filter(declares).filter(|pair| pair[1].kind == Kind::Word);
    names.map(|pair| &*pair[1].text).collect()
}

/// Whether an expression with this token may be a boolean.
fn is_true(token: &Token<'_>, truths: &HashSet<&str>) -> bool {
    match token.kind {
        Kind::Mark => matches!(&*token.text, "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" | "^^" | "!"),
        Kind::Word => {
            FUNCTIONS.contains(&&*token.text) || token.text.starts_with("bvec") || truths.contains(&*token.text)
        }
        Kind::Number => false,
    }
}
