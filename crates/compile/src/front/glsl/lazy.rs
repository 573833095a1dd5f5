//! `&&` and `||` whose right side has effects, as choices: naga's reader calculates both sides of these operators, and one
//! side of a choice.

use super::brackets::partner;
use super::effects::{functions, has_effects, is_assignment};
use super::lex::Token;
use std::collections::HashSet;

/// How deep brackets are looked into. Texts with deeper ones are refused later.
const MAX_DEPTH: usize = 200;

/// Rewrites `a && b` to `(a ? b : false)` and `a || b` to `(a ? true : b)` where b calls functions of the text or assigns.
pub(super) fn lazy(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    if !tokens.iter().any(is_lazy) {
        return tokens;
    }
    Lazy { functions: functions(&tokens) }.sequence(&tokens, 0)
}

fn is_lazy(token: &Token<'_>) -> bool {
    token.is("&&") || token.is("||")
}

/// Whether an operand of a logical operator cannot reach beyond a token.
fn separates(token: &Token<'_>) -> bool {
    is_assignment(token) || matches!(&*token.text, "," | ";" | "?" | ":" | "return" | "else" | "do" | "{" | "}")
}

/// An expression of operators that bind as `||` and tighter: its tokens, and which of them are logical operators outside of
/// brackets.
#[derive(Default)]
struct Expression<'a> {
    tokens: Vec<Token<'a>>,
    operators: Vec<usize>,
}

struct Lazy {
    functions: HashSet<String>,
}

impl Lazy {
    /// Rewrites what stands inside of brackets, or a whole text.
    fn sequence<'a>(&self, tokens: &[Token<'a>], depth: usize) -> Vec<Token<'a>> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut expression = Expression::default();
        let mut next = 0;
        while let Some(token) = tokens.get(next) {
            let heads = matches!(&*token.text, "if" | "while" | "for" | "switch");
            if matches!(&*token.text, "(" | "[" | "{") {
                let end = partner(tokens, next).unwrap_or(tokens.len());
                if token.is("{") {
                    self.finish(&mut expression, &mut out);
                }
                expression.tokens.push(token.clone());
                if depth < MAX_DEPTH {
                    expression.tokens.extend(self.sequence(&tokens[next + 1..end], depth + 1));
                } else {
                    expression.tokens.extend_from_slice(&tokens[next + 1..end]);
                }
                // The condition of a statement is not part of what follows it.
                let is_head = next > 0 && matches!(&*tokens[next - 1].text, "if" | "while" | "for" | "switch");
                next = end;
                if let Some(close) = tokens.get(end) {
                    expression.tokens.push(close.clone());
                    next += 1;
                }
                if is_head || token.is("{") {
                    out.append(&mut expression.tokens);
                    expression.operators.clear();
                }
                continue;
            }
            next += 1;
            if separates(token) || heads {
                self.finish(&mut expression, &mut out);
                if heads {
                    expression.tokens.push(token.clone());
                } else {
                    out.push(token.clone());
                }
                continue;
            }
            if is_lazy(token) || token.is("^^") {
                expression.operators.push(expression.tokens.len());
            }
            expression.tokens.push(token.clone());
        }
        self.finish(&mut expression, &mut out);
        out
    }

    fn finish<'a>(&self, expression: &mut Expression<'a>, out: &mut Vec<Token<'a>>) {
        let Expression { tokens, operators } = std::mem::take(expression);
        out.extend(self.operators(&tokens, 0, &operators, &["||", "^^", "&&"]));
    }

    /// Tokens, which begin at `start` of the expression, with the choices for the operators of the first kind and those below.
    fn operators<'a>(&self, tokens: &[Token<'a>], start: usize, all: &[usize], kinds: &[&str]) -> Vec<Token<'a>> {
        let Some((&kind, kinds)) = kinds.split_first().filter(|_| !all.is_empty()) else { return tokens.to_vec() };
        let of_kind: Vec<usize> = (0..all.len()).filter(|&i| tokens[all[i] - start].is(kind)).collect();
        let mut out: Vec<Token<'a>> = Vec::new();
        let mut opened: Vec<Token<'a>> = Vec::new();
        let (mut from, mut first) = (start, 0);
        for end in of_kind.iter().copied().map(Some).chain([None]) {
            let (to, last) = end.map_or((start + tokens.len(), all.len()), |end| (all[end], end));
            let side = self.operators(&tokens[from - start..to - start], from, &all[first..last], kinds);
            let operator = from.checked_sub(start + 1).map(|at| &tokens[at]);
            match operator {
                None => out = side,
                Some(operator) if kind != "^^" && !out.is_empty() && has_effects(&side, &self.functions) => {
                    let mark = |text| Token::mark(text, operator.at);
                    opened.push(mark("("));
                    out.push(mark("?"));
                    if kind == "||" {
                        out.extend([Token::word("true", operator.at), mark(":")]);
                        out.extend(side);
                    } else {
                        out.extend(side);
                        out.extend([mark(":"), Token::word("false", operator.at)]);
                    }
                    out.push(mark(")"));
                }
                Some(operator) => {
                    out.push(operator.clone());
                    out.extend(side);
                }
            }
            (from, first) = (to + 1, last + 1);
        }
        opened.append(&mut out);
        opened
    }
}
