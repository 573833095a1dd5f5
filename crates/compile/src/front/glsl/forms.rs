//! What expressions are, as far as the names in them say it: numbers, vectors or matrices. naga's reader refuses a few operations on some of them,
//! which are written in another way only where the text leaves no doubt.

use super::declarations::is_basic_type;
use super::lex::{Kind, Token};
use super::reader::split;
use std::collections::HashMap;

/// The function for remainders of a vector and a number.
pub(super) const MODULO: &str = "ctm_modulo";

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Scalar,
    Vector,
    Matrix,
}

impl Form {
    /// Of a value of a type.
    pub(super) fn of_type(name: &str) -> Option<Form> {
        match name {
            "float" | "int" | "uint" | "bool" => Some(Form::Scalar),
            "void" => None,
            _ if !is_basic_type(name) => None,
            _ if name.starts_with("mat") => Some(Form::Matrix),
            _ => Some(Form::Vector),
        }
    }

    /// Of an element.
    fn element(self) -> Option<Form> {
        match self {
            Form::Scalar => None,
            Form::Vector => Some(Form::Scalar),
            Form::Matrix => Some(Form::Vector),
        }
    }
}

/// How a name is declared: what its values are, and how many indices choose one of an array.
type Declaration = (Form, usize);

/// The forms of all names that have one meaning in a text, in naga's form: each declaration has one name.
pub(super) struct Forms(HashMap<String, Option<Declaration>>);

impl Forms {
    pub(super) fn new(tokens: &[Token<'_>]) -> Forms {
        let mut forms: HashMap<String, Option<Declaration>> = HashMap::new();
        for (at, pair) in tokens.windows(2).enumerate() {
            let [kind, name] = pair else { continue };
            let is_declaration = kind.kind == Kind::Word && name.kind == Kind::Word && !KEYWORDS.contains(&&*kind.text);
            if !is_declaration {
                continue;
            }
            let indices =
                tokens[at + 2..].iter().take_while(|token| !matches!(&*token.text, ";" | "=" | "," | ")" | "("));
            let found = Form::of_type(&kind.text).map(|form| (form, indices.filter(|token| token.is("[")).count()));
            let known = forms.entry(name.text.to_string()).or_insert(found);
            if *known != found {
                *known = None;
            }
        }
        Forms(forms)
    }

    fn named(&self, name: &str) -> Option<Declaration> {
        self.0.get(name).copied().flatten()
    }

    /// What an expression is, if that is certain.
    pub(super) fn of(&self, tokens: &[Token<'_>]) -> Option<Form> {
        let operands = operands(tokens)?;
        let mut forms = operands.into_iter().map(|operand| self.of_operand(operand));
        let first = forms.next()??;
        // Numbers go with everything; a product of a matrix and a vector is a vector.
        forms.try_fold(first, |so_far, form| {
            Some(match (so_far, form?) {
                (form, Form::Scalar) | (Form::Scalar, form) => form,
                (Form::Matrix, Form::Matrix) => Form::Matrix,
                (Form::Vector, _) | (_, Form::Vector) => Form::Vector,
            })
        })
    }

    /// What a value with its signs in front of it, and its members, channels and indices after it, is.
    fn of_operand(&self, tokens: &[Token<'_>]) -> Option<Form> {
        let signs = tokens.iter().take_while(|token| matches!(&*token.text, "+" | "-" | "~" | "++" | "--")).count();
        let tokens = &tokens[signs..];
        let first = tokens.first()?;
        let (mut now, mut at) = match first.kind {
            Kind::Number => (Some((Form::Scalar, 0)), 1),
            Kind::Mark if first.is("(") => {
                let end = group_end(tokens, 0)?;
                (Some((self.of(&tokens[1..end - 1])?, 0)), end)
            }
            Kind::Mark => return None,
            Kind::Word if tokens.get(1).is_some_and(|next| next.is("(")) => {
                let end = group_end(tokens, 1)?;
                (Some((self.of_call(&first.text, &tokens[2..end - 1])?, 0)), end)
            }
            // What is no value of a basic type may have members that are.
            Kind::Word => (self.named(&first.text), 1),
        };
        while let Some(token) = tokens.get(at) {
            match &*token.text {
                "[" => {
                    now = match now {
                        Some((form, 0)) => Some((form.element()?, 0)),
                        Some((form, indices)) => Some((form, indices - 1)),
                        None => None,
                    };
                    at = group_end(tokens, at)?;
                }
                "." => {
                    let name = &*tokens.get(at + 1)?.text;
                    now = match now {
                        Some((Form::Vector, 0)) if name.len() == 1 => Some((Form::Scalar, 0)),
                        Some((Form::Vector, 0)) => Some((Form::Vector, 0)),
                        Some(_) | None => self.named(name),
                    };
                    at += 2;
                }
                "++" | "--" => at += 1,
                _ => return None,
            }
        }
        now.filter(|&(_, indices)| indices == 0).map(|(form, _)| form)
    }

    fn of_call(&self, name: &str, arguments: &[Token<'_>]) -> Option<Form> {
        if let Some((form, _)) = self.named(name) {
            return Some(form);
        }
        if let Some(form) = Form::of_type(name) {
            return Some(form);
        }
        match name {
            "transpose" | "inverse" | "outerProduct" | "matrixCompMult" => Some(Form::Matrix),
            MODULO => Some(Form::Vector),
            "dot" | "length" | "distance" | "determinant" => Some(Form::Scalar),
            "abs" | "sign" | "min" | "max" | "clamp" => self.of(split(arguments).first()?),
            _ => None,
        }
    }
}

/// Words that are no types although a name may follow them.
const KEYWORDS: [&str; 5] = ["return", "else", "do", "case", "struct"];

/// The operands of a sum or product: an expression without comparisons, choices and assignments.
fn operands<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let (mut operands, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(token) = tokens.get(at) {
        match &*token.text {
            "(" | "[" => {
                at = group_end(tokens, at)?;
                continue;
            }
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" if at > start && !is_sign(&tokens[at - 1]) => {
                operands.push(&tokens[start..at]);
                start = at + 1;
            }
            "+" | "-" | "~" | "." | "++" | "--" => {}
            _ if token.kind == Kind::Mark => return None,
            _ => {}
        }
        at += 1;
    }
    operands.push(&tokens[start..]);
    Some(operands)
}

/// Whether what follows a token is one sign more of the same operand.
fn is_sign(token: &Token<'_>) -> bool {
    matches!(&*token.text, "+" | "-" | "~")
}

/// The place after the partner of a bracket.
fn group_end(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    super::brackets::partner(tokens, open).map(|close| close + 1)
}
