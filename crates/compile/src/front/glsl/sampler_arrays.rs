//! Arrays of samplers: each element is a sampler of its own. Where an index is calculated, the call that it is an argument of is written once
//! for each element, and the index, which may have no effects, chooses the one that takes place.

use super::brackets::partner;
use super::declarations::Declared;
use super::effects::has_effects;
use super::lex::{Kind, Token};
use super::preprocess::MAX_TOKENS;
use super::preprocess::condition::integer;
use super::{GlslError, LocatedResult};

/// Most elements of an array: inputs of a program.
pub(super) const MAX_ELEMENTS: usize = 16;

/// The name of an element.
pub(super) fn element(name: &str, index: usize) -> String {
    format!("ctm_element{index}_{name}")
}

/// The user's name for an element: `name[2]`.
pub(super) fn original(name: &str) -> Option<String> {
    let (index, name) = parts(name)?;
    Some(format!("{name}[{index}]"))
}

/// The index of an element, and the array's name.
pub(super) fn parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("ctm_element")?.split_once('_')
}

/// Writes elements in the place of arrays and indices.
///
/// # Errors
/// An array that is used as a whole, or an index that does not exist or cannot be calculated several times.
pub(super) fn expand(declared: &mut Declared<'_>) -> LocatedResult<()> {
    if declared.sampler_arrays.is_empty() {
        return Ok(());
    }
    declared.each_piece(|declared, mut tokens| {
        let expander = Expander { declared };
        expander.constants(&mut tokens)?;
        expander.choices(&mut tokens)?;
        Ok(tokens)
    })
}

struct Expander<'d, 'a> {
    declared: &'d Declared<'a>,
}

/// An element that is used: its array, the place of the name, and that of the bracket that closes the index.
struct Use {
    name: usize,
    close: usize,
}

impl<'a> Expander<'_, 'a> {
    /// The uses of arrays of samplers.
    fn uses(&self, tokens: &[Token<'a>]) -> LocatedResult<Vec<Use>> {
        let mut uses = Vec::new();
        for (name, token) in tokens.iter().enumerate() {
            let is_member = name > 0 && tokens[name - 1].is(".");
            if token.kind != Kind::Word || is_member || !self.declared.sampler_arrays.contains_key(&*token.text) {
                continue;
            }
            if !tokens.get(name + 1).is_some_and(|next| next.is("[")) {
                return Err((GlslError::SamplerArrayUse(token.text.to_string()), token.at));
            }
            let close = partner(tokens, name + 1).ok_or((GlslError::OpenBracket("[".into()), token.at))?;
            uses.push(Use { name, close });
        }
        Ok(uses)
    }

    /// Elements with constant indices.
    fn constants(&self, tokens: &mut Vec<Token<'a>>) -> LocatedResult<()> {
        for found in self.uses(tokens)?.into_iter().rev() {
            let [index] = &tokens[found.name + 2..found.close] else { continue };
            let constant = self.declared.sizes.get(&*index.text).map(|&size| size as i64);
            let Some(index) = constant.or_else(|| integer(&index.text).filter(|_| index.kind == Kind::Number)) else {
                continue;
            };
            let name = &tokens[found.name];
            let count = self.declared.sampler_arrays[&*name.text];
            let index = usize::try_from(index).ok().filter(|&index| index < count);
            let index = index.ok_or_else(|| (GlslError::SamplerIndex(name.text.to_string(), count), name.at))?;
            let word = Token::word(element(&name.text, index), name.at);
            tokens.splice(found.name..=found.close, [word]);
        }
        Ok(())
    }

    /// Calls with elements whose indices are calculated: the innermost first.
    fn choices(&self, tokens: &mut Vec<Token<'a>>) -> LocatedResult<()> {
        while let Some(found) = self.uses(tokens)?.pop() {
            let name = tokens[found.name].clone();
            let array = name.text.to_string();
            let index = tokens[found.name + 2..found.close].to_vec();
            let (begin, end) = call(tokens, found.name).ok_or((GlslError::SamplerUse(array.clone()), name.at))?;
            if has_effects(&index, &self.declared.functions) {
                return Err((GlslError::SamplerIndexEffects(array), name.at));
            }
            let count = self.declared.sampler_arrays[&array];
            let mark = |text| Token::mark(text, name.at);
            let mut choice = vec![mark("(")];
            for number in 0..count {
                if number + 1 < count {
                    choice.extend([Token::word("int", name.at), mark("(")]);
                    choice.extend_from_slice(&index);
                    choice.extend([mark(")"), mark("==")]);
                    choice.extend([Token::new(Kind::Number, number.to_string(), name.at), mark("?")]);
                }
                choice.extend_from_slice(&tokens[begin..found.name]);
                choice.push(Token::word(element(&array, number), name.at));
                choice.extend_from_slice(&tokens[found.close + 1..=end]);
                if number + 1 < count {
                    choice.push(mark(":"));
                }
            }
            choice.push(mark(")"));
            tokens.splice(begin..=end, choice);
            if tokens.len() > MAX_TOKENS {
                return Err((GlslError::Expanded, name.at));
            }
        }
        Ok(())
    }
}

/// The call around a place: its name and its closing parenthesis.
fn call(tokens: &[Token<'_>], place: usize) -> Option<(usize, usize)> {
    let mut depth = 0;
    for at in (0..place).rev() {
        match &*tokens[at].text {
            ")" | "]" => depth += 1,
            "(" | "[" if depth > 0 => depth -= 1,
            "(" if at > 0 && tokens[at - 1].kind == Kind::Word => return Some((at - 1, partner(tokens, at)?)),
            _ => {}
        }
    }
    None
}
