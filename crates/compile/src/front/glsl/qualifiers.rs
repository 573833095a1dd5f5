//! What naga's reader does not have: precisions and attributes such as `[[unroll]]`, which mean nothing here, and `precise` and `invariant`,
//! which say how numbers are calculated.

use super::lex::{Kind, Token};

/// Whether a word is a qualifier that asks for the order of operations, by what follows: older texts may have variables of these names.
fn asks(tokens: &[Token<'_>], at: usize) -> bool {
    let follows = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
    follows && matches!(&*tokens[at].text, "precise" | "invariant")
}

/// Whether results keep to the order of operations: where a variable is `precise`, or an output `invariant`. Inputs are calculated
/// elsewhere.
pub(super) fn is_exact(tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).filter(|&at| asks(tokens, at)).any(|at| {
        let mut words = tokens[at + 1..].iter().take_while(|token| token.kind == Kind::Word);
        tokens[at].is("precise") || !words.any(|token| token.is("in") || token.is("varying"))
    })
}

/// The tokens without such qualifiers: `precision highp float;`, `invariant gl_FragColor;` and the words in other declarations.
pub(super) fn without(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut skips = false;
    let mut attribute = 0;
    for (at, token) in tokens.iter().enumerate() {
        // Attributes are in two brackets, in front of which no index can stand.
        if attribute > 0 || token.is("[") && tokens.get(at + 1).is_some_and(|next| next.is("[")) {
            attribute += i32::from(token.is("[")) - i32::from(token.is("]"));
            continue;
        }
        match &*token.text {
            "precision" => skips = true,
            ";" if skips => skips = false,
            _ if skips => {}
            "lowp" | "mediump" | "highp" => {}
            // A list of variables that are declared elsewhere.
            _ if asks(&tokens, at) => {
                skips = tokens.get(at + 2).is_some_and(|behind| behind.is(",") || behind.is(";"));
            }
            _ => out.push(token.clone()),
        }
    }
    out
}
