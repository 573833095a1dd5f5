//! Values of globals that are not numbers alone: naga's reader drops them without a word, so a function in front of `main` gives them,
//! in the order of the text.

use super::declarations::Declared;
use super::lex::{Kind, Token};

/// The function.
const FUNCTION: &str = "ctm_initialise";
/// A variable of it that holds a value.
const VALUE: &str = "ctm_value";

/// A value of a global.
#[derive(Debug)]
pub(super) struct LateValue<'a> {
    name: Token<'a>,
    /// The declaration of a variable of the same type with the value.
    declaration: Vec<Token<'a>>,
}

impl<'a> LateValue<'a> {
    /// Of a declaration `type name[size] = value;` with its `=` at an index.
    pub(super) fn new(declaration: &[Token<'a>], equals: usize) -> Self {
        let name = declaration[1].clone();
        let mut declaration = declaration.to_vec();
        declaration[1] = Token::word(VALUE, declaration[equals].at);
        LateValue { name, declaration }
    }

    /// `{ type ctm_value = value; name = ctm_value; }`: a declaration takes braces and converts numbers, as an assignment does not.
    fn write(self, out: &mut Vec<Token<'a>>) {
        let at = self.name.at;
        let mark = |text| Token::mark(text, at);
        out.push(mark("{"));
        out.extend(self.declaration);
        out.extend([self.name, mark("="), Token::word(VALUE, at), mark(";"), mark("}")]);
    }
}

/// Lets `main` begin with what gives globals their values.
pub(super) fn complete(declared: &mut Declared<'_>) {
    let values = std::mem::take(&mut declared.late_values);
    let (Some((start, body)), Some(last)) = (main(&declared.tokens), values.last()) else { return };
    let at = last.name.at;
    let is_in_front = at <= declared.tokens[start].at;
    let head = |end| {
        let words = [Token::word("void", at), Token::word(FUNCTION, at)];
        words.into_iter().chain([Token::mark("(", at), Token::mark(")", at), Token::mark(end, at)])
    };
    let mut function: Vec<Token<'_>> = head("{").collect();
    values.into_iter().for_each(|value| value.write(&mut function));
    function.push(Token::mark("}", at));
    declared.functions.insert(FUNCTION.to_owned());
    declared.insert(body, head(";").skip(1).collect());
    if is_in_front {
        declared.insert(start, function);
    } else {
        // Some globals follow `main`: a function that is declared first is brought in order with all others.
        declared.insert(start, head(";").collect());
        declared.tokens.extend(function);
    }
}

/// Where `main` begins, and where its statements do.
fn main(tokens: &[Token<'_>]) -> Option<(usize, usize)> {
    let mut depth = 0;
    let mut found = None;
    for (index, token) in tokens.iter().enumerate() {
        match &*token.text {
            "{" if depth == 0 && found.is_some() => return found.map(|start| (start, index + 1)),
            ";" if depth == 0 => found = None,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "main" if depth == 0 && token.kind == Kind::Word => found = index.checked_sub(1),
            _ => {}
        }
    }
    None
}
