//! Which expressions change something.

use super::lex::{Kind, Token};
use std::collections::HashSet;

/// The functions that a text declares: outside of braces, a name between a type and a parenthesis.
pub(super) fn functions(tokens: &[Token<'_>]) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "(" if depth == 0 && i >= 2 => {
                let (kind, name) = (&tokens[i - 2], &tokens[i - 1]);
                if name.kind == Kind::Word && (kind.kind == Kind::Word || kind.is("]")) {
                    names.insert(name.text.to_string());
                }
            }
            _ => {}
        }
    }
    names
}

/// Whether it is an assignment that calculates: `+=`.
pub(super) fn is_compound(token: &Token<'_>) -> bool {
    matches!(&*token.text, "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=")
}

/// Whether it is an assignment of any kind.
pub(super) fn is_assignment(token: &Token<'_>) -> bool {
    token.is("=") || is_compound(token)
}

/// Whether an expression assigns, counts, or calls one of these functions.
pub(super) fn has_effects(tokens: &[Token<'_>], functions: &HashSet<String>) -> bool {
    tokens.iter().enumerate().any(|(i, token)| {
        let calls = || tokens.get(i + 1).is_some_and(|next| next.is("(")) && functions.contains(&*token.text);
        is_assignment(token) || matches!(&*token.text, "++" | "--") || calls()
    })
}
