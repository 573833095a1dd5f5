//! Which functions of a text call which, by their names.

use super::lex::{Kind, Token, lines};
use std::collections::{BTreeMap, BTreeSet};

/// A call.
struct Call {
    caller: String,
    callee: String,
    at: u32,
}

/// The functions of a text and their calls.
pub(crate) struct Calls {
    functions: BTreeSet<String>,
    calls: Vec<Call>,
}

impl Calls {
    /// Those of a text; none if it cannot be cut into tokens.
    pub(crate) fn of(text: &str) -> Calls {
        let tokens: Vec<Token<'_>> = lines(text).unwrap_or_default().into_iter().flat_map(|line| line.tokens).collect();
        let mut functions = BTreeSet::new();
        let mut calls = Vec::new();
        let mut depth = 0;
        let mut caller = String::new();
        for (i, token) in tokens.iter().enumerate() {
            match &*token.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "(" if i > 0 && tokens[i - 1].kind == Kind::Word => {
                    let name = &tokens[i - 1];
                    if depth == 0 {
                        caller = name.text.to_string();
                        functions.insert(caller.clone());
                    } else {
                        calls.push(Call { caller: caller.clone(), callee: name.text.to_string(), at: name.at });
                    }
                }
                _ => {}
            }
        }
        Calls { functions, calls }
    }

    /// Whether the text declares a function of this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// A call by which a function comes to call itself: the name of what it calls, and its place. With `at`, only the call there
    /// counts.
    pub(crate) fn recursion(&self, at: Option<u32>) -> Option<(&str, u32)> {
        let mut by_caller: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
        for call in self.calls.iter().filter(|call| self.declares(&call.callee)) {
            by_caller.entry(&call.caller).or_default().push(call);
        }
        let from: Vec<&str> = match at {
            None => self.functions.iter().map(String::as_str).collect(),
            Some(at) => self.calls.iter().filter(|call| call.at == at).map(|call| &*call.callee).collect(),
        };
        // What is being looked into, outermost first, each with its number of calls that were looked at.
        let mut open: Vec<(&str, usize)> = Vec::new();
        let mut seen = BTreeSet::new();
        for start in from {
            open.extend(seen.insert(start).then_some((start, 0)));
            while let Some((name, next)) = open.last_mut() {
                let Some(&call) = by_caller.get(*name).and_then(|calls| calls.get(*next)) else {
                    open.pop();
                    continue;
                };
                *next += 1;
                let callee = &*call.callee;
                let closes = match at {
                    None => open.iter().any(|(name, _)| *name == callee),
                    Some(at) => call.at == at,
                };
                if closes {
                    return Some((callee, call.at));
                }
                open.extend(seen.insert(callee).then_some((callee, 0)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_of_calls_are_found() {
        let text = "float a(float x) { return b(x) + sin(x); } float b(float x) { return c(x); } float c(float x) { return a(x); }
            float d(float x) { return b(x) + e(x); } float e(float x) { return 1.0; }";
        let calls = Calls::of(text);
        let at = |call: &str| text.find(call).map(|at| at as u32);
        assert_eq!(calls.recursion(None), at("a(x); }").map(|at| ("a", at)));
        assert_eq!(calls.recursion(at("c(x); }")), at("c(x); }").map(|at| ("c", at)));
        assert_eq!(calls.recursion(at("b(x) + e")), None, "it leads to a circle, but is in none");
        assert_eq!(calls.recursion(at("e(x); }")), None);
        assert!(calls.declares("e") && !calls.declares("sin"));
    }
}
