//! The preprocessor of GLSL: conditions and macros, with bounds on what they may expand to.
//!
//! The preprocessor below naga's reader keeps no such bounds (nested calls of a short macro can stand for more tokens
//! than memory holds) and gives tokens of macros the place of their definition, so this one runs in front of it, and
//! naga sees a text without directives.

pub(super) mod condition;

use super::lex::{self, Kind, Line, Token};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Most tokens that a text may have after its macros are expanded, and that may be written while expanding them.
pub(crate) const MAX_TOKENS: usize = 200_000;
/// Macros that a macro may stand for, one in the other: each is looked up among those before.
const MAX_CHAIN: usize = 1000;
/// Most parameters of a macro.
const MAX_PARAMETERS: usize = 256;
/// The pragma that makes all outputs invariant.
const INVARIANT: [&str; 5] = ["STDGL", "invariant", "(", "all", ")"];
/// Extensions of ES that texts look for, and that are there.
const EXTENSIONS: [&str; 3] = ["GL_OES_standard_derivatives", "GL_EXT_frag_depth", "GL_EXT_shader_texture_lod"];
/// How deep macros may be called in arguments of macros.
const MAX_DEPTH: u32 = 64;

/// Why a text cannot be preprocessed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreprocessError {
    /// A comment has no end.
    #[error("this comment has no end; close it with `*/`")]
    OpenComment,
    /// A character that GLSL does not have.
    #[error("unexpected character `{0}`: remove it")]
    Stray(char),
    /// A directive that there is not.
    #[error(
        "unknown directive `#{0}`; GLSL has define, undef, if, ifdef, ifndef, elif, else, endif, error, pragma, extension, version, line"
    )]
    Directive(String),
    /// `#include`.
    #[error("GLSL has no `#include`; insert the file's text")]
    Include,
    /// `#error`.
    #[error("#error: {0}")]
    Error(String),
    /// A directive lacks something, or has too much.
    #[error("`#{directive}` needs {needs}")]
    Form {
        /// The directive.
        directive: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// `#else`, `#elif` or `#endif` without its `#if`.
    #[error("`#{0}` has no `#if` before it")]
    NoCondition(&'static str),
    /// An `#if` without its end.
    #[error("this condition has no `#endif`")]
    OpenCondition,
    /// The expression of `#if` is not one.
    #[error("the condition cannot be read here: {0}")]
    Condition(&'static str),
    /// A macro is called with a wrong number of arguments.
    #[error("the macro `{name}` takes {takes} arguments, found {given}")]
    Arguments {
        /// The macro.
        name: String,
        /// How many parameters it has.
        takes: usize,
        /// How many arguments are given.
        given: usize,
    },
    /// A call of a macro has no end.
    #[error("the call of the macro `{0}` has no closing parenthesis")]
    OpenCall(String),
    /// Macros expand to too much.
    #[error("the text has more than {MAX_TOKENS} tokens after its macros are expanded; make it smaller")]
    TooMany,
    /// Calls of macros in arguments of macros are too deep.
    #[error("macros are called in arguments of macros more than {MAX_DEPTH} deep; use variables or functions")]
    TooDeep,
    /// Macros that stand for macros.
    #[error("macros stand for each other here more than {MAX_CHAIN} deep; write out some of them")]
    TooLong,
}

/// What remains of a text.
#[derive(Debug)]
pub(crate) struct Preprocessed<'a> {
    /// The tokens in order.
    pub(crate) tokens: Vec<Token<'a>>,
    /// Whether all outputs are `invariant`, by `#pragma STDGL invariant(all)`.
    pub(crate) is_invariant: bool,
    /// What it is written in.
    pub(crate) version: Version,
}

/// A version of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// Its number, such as 330.
    pub(crate) number: u32,
    /// Whether it is one of OpenGL ES.
    pub(crate) es: bool,
}

/// What a name is defined as.
struct Macro<'a> {
    /// Names of the parameters, if it is called with arguments.
    parameters: Option<Vec<Cow<'a, str>>>,
    /// What it stands for.
    body: Vec<Token<'a>>,
}

/// Names of macros that a token does not expand any more, as a list that tokens share.
struct Hidden {
    name: String,
    more: Hide,
    /// How many there are.
    length: usize,
}

type Hide = Option<Rc<Hidden>>;

fn hides(mut hide: &Hide, name: &str) -> bool {
    while let Some(entry) = hide {
        if entry.name == name {
            return true;
        }
        hide = &entry.more;
    }
    false
}

fn hiding(more: &Hide, name: &str) -> Hide {
    let length = 1 + more.as_ref().map_or(0, |hidden| hidden.length);
    Some(Rc::new(Hidden { name: name.to_owned(), more: more.clone(), length }))
}

impl Drop for Hidden {
    /// A list that nobody shares is dropped from its front on, as each entry would else be dropped inside of the one before.
    fn drop(&mut self) {
        let mut next = self.more.take();
        while let Some(mut hidden) = next.and_then(Rc::into_inner) {
            next = hidden.more.take();
        }
    }
}

/// One `#if` with its parts.
struct Block {
    at: u32,
    /// Whether the text around it is skipped.
    outside: bool,
    /// Whether a part of it was taken.
    taken: bool,
    had_else: bool,
}

struct State<'a> {
    macros: HashMap<Cow<'a, str>, Rc<Macro<'a>>>,
    blocks: Vec<Block>,
    skipping: bool,
    /// Tokens of text since the last directive.
    pending: Vec<Token<'a>>,
    tokens: Vec<Token<'a>>,
    is_invariant: bool,
    budget: usize,
}

type LocatedResult<T> = Result<T, (PreprocessError, u32)>;

/// Expands a text; `defines` are macros without parameters that it starts with.
///
/// # Errors
///
/// What is wrong, with the byte offset where.
pub(crate) fn preprocess<'a>(text: &'a str, defines: &[(String, String)]) -> LocatedResult<Preprocessed<'a>> {
    let lines = lex::lines(text).map_err(|at| (PreprocessError::OpenComment, at))?;
    let mut state = State {
        macros: HashMap::new(),
        blocks: Vec::new(),
        skipping: false,
        pending: Vec::new(),
        tokens: Vec::new(),
        is_invariant: false,
        budget: MAX_TOKENS,
    };
    let version = version(&lines);
    state.define("__VERSION__", &version.number.to_string());
    state.define("__FILE__", "0");
    if version.es {
        state.define("GL_ES", "1");
        state.define("GL_FRAGMENT_PRECISION_HIGH", "1");
        EXTENSIONS.into_iter().for_each(|name| state.define(name, "1"));
    }
    for (name, value) in defines {
        state.define(name, value);
    }
    for line in lines {
        state.line(line)?;
    }
    state.flush()?;
    match state.blocks.pop() {
        Some(block) => Err((PreprocessError::OpenCondition, block.at)),
        None => Ok(Preprocessed { tokens: state.tokens, is_invariant: state.is_invariant, version }),
    }
}

/// The version that the first directive asks for, and whether it is one of OpenGL ES. Texts without one that set a
/// default precision are of ES 1.00, as WebGL has it.
fn version(lines: &[Line<'_>]) -> Version {
    for line in lines {
        if line.directive.is_some() && line.tokens.first().is_some_and(|token| token.is("version")) {
            let number = line.tokens.get(1).and_then(|token| token.text.parse().ok()).unwrap_or(110);
            let es = number == 100 || line.tokens.get(2).is_some_and(|token| token.is("es"));
            return Version { number, es };
        }
    }
    let es = lines.iter().any(|line| line.tokens.iter().any(|token| token.is("precision")));
    Version { number: if es { 100 } else { 110 }, es }
}

impl<'a> State<'a> {
    /// Defines a macro whose text is not the user's.
    fn define(&mut self, name: &str, value: &str) {
        let body = lex::lines(value).map(|lines| {
            let tokens = lines.into_iter().flat_map(|line| line.tokens);
            tokens
                .map(|token| Token { text: Cow::Owned(token.text.into_owned()), ..Token::word("", 0) }.of(token.kind))
                .collect()
        });
        let value = Macro { parameters: None, body: body.unwrap_or_default() };
        self.macros.insert(Cow::Owned(name.to_owned()), Rc::new(value));
    }

    fn line(&mut self, mut line: Line<'a>) -> LocatedResult<()> {
        if let Some(at) = line.directive {
            self.flush()?;
            return self.directive(&mut line, at);
        }
        if self.skipping {
            return Ok(());
        }
        if let Some((stray, at)) = line.stray {
            return Err((PreprocessError::Stray(stray), at));
        }
        for token in &mut line.tokens {
            if token.is("__LINE__") {
                token.kind = Kind::Number;
                token.text = Cow::Owned(line.number.to_string());
            }
        }
        self.pending.append(&mut line.tokens);
        Ok(())
    }

    /// Expands the text that was read since the last directive.
    fn flush(&mut self) -> LocatedResult<()> {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() {
            let mut tokens = expand(&self.macros, pending, &mut self.budget, 0)?;
            self.tokens.append(&mut tokens);
        }
        Ok(())
    }

    fn directive(&mut self, line: &mut Line<'a>, at: u32) -> LocatedResult<()> {
        if line.tokens.is_empty() {
            return Ok(());
        }
        let tokens = std::mem::take(&mut line.tokens);
        let name = tokens[0].text.clone();
        let rest = &tokens[1..];
        let form = |directive, needs| Err((PreprocessError::Form { directive, needs }, at));
        if !matches!(&*name, "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif") {
            if self.skipping {
                return Ok(());
            }
            if let Some((stray, at)) = line.stray
                && name == "define"
            {
                return Err((PreprocessError::Stray(stray), at));
            }
        }
        match &*name {
            "define" => self.define_directive(rest, at)?,
            "undef" => match rest {
                [name] if name.kind == Kind::Word => {
                    self.macros.remove(&name.text);
                }
                _ => return form("undef", "one name"),
            },
            "if" => {
                let value = !self.skipping && self.condition(rest, at)?;
                self.open(at, value);
            }
            "ifdef" | "ifndef" => match rest {
                [name] if name.kind == Kind::Word => {
                    let defined = self.macros.contains_key(&name.text);
                    self.open(at, defined == (tokens[0].is("ifdef")));
                }
                _ if self.skipping => self.open(at, false),
                _ => return form("ifdef", "one name"),
            },
            "elif" => {
                let Some(block) = self.blocks.last() else { return Err((PreprocessError::NoCondition("elif"), at)) };
                if block.had_else {
                    return Err((PreprocessError::NoCondition("elif"), at));
                }
                let value = !block.outside && !block.taken && self.condition(rest, at)?;
                self.skipping = !value;
                if let Some(block) = self.blocks.last_mut() {
                    block.taken |= value;
                }
            }
            "else" => match self.blocks.last_mut() {
                Some(block) if !block.had_else => {
                    self.skipping = block.outside || block.taken;
                    block.had_else = true;
                }
                _ => return Err((PreprocessError::NoCondition("else"), at)),
            },
            "endif" => match self.blocks.pop() {
                Some(block) => self.skipping = block.outside,
                None => return Err((PreprocessError::NoCondition("endif"), at)),
            },
            "error" => {
                let text = line.text.trim_start().strip_prefix("error").unwrap_or(line.text);
                return Err((PreprocessError::Error(text.trim().to_owned()), at));
            }
            "include" => return Err((PreprocessError::Include, at)),
            "pragma" => self.is_invariant |= rest.iter().map(|token| &*token.text).eq(INVARIANT),
            "version" | "extension" | "line" => {}
            _ => return Err((PreprocessError::Directive(name.into_owned()), at)),
        }
        Ok(())
    }

    fn open(&mut self, at: u32, value: bool) {
        self.blocks.push(Block { at, outside: self.skipping, taken: value, had_else: false });
        self.skipping |= !value;
    }

    fn define_directive(&mut self, rest: &[Token<'a>], at: u32) -> LocatedResult<()> {
        let form = |needs| Err((PreprocessError::Form { directive: "define", needs }, at));
        let Some(name) = rest.first().filter(|token| token.kind == Kind::Word) else { return form("a name") };
        let mut body = &rest[1..];
        let mut parameters = None;
        if body.first().is_some_and(|token| token.is("(") && !token.spaced) {
            let Some(end) = body.iter().position(|token| token.is(")")) else {
                return form("a `)` after its parameters");
            };
            let mut names = Vec::new();
            for (i, token) in body[1..end].iter().enumerate() {
                match (i % 2, token.kind) {
                    (0, Kind::Word) => names.push(token.text.clone()),
                    (1, _) if token.is(",") => {}
                    _ => return form("parameters as names with commas between them"),
                }
            }
            if names.len() > MAX_PARAMETERS {
                return form("at most 256 parameters");
            }
            parameters = Some(names);
            body = &body[end + 1..];
        }
        self.macros.insert(name.text.clone(), Rc::new(Macro { parameters, body: body.to_vec() }));
        Ok(())
    }

    /// The value of a condition.
    fn condition(&mut self, tokens: &[Token<'a>], at: u32) -> LocatedResult<bool> {
        let mut known = Vec::new();
        let mut i = 0;
        while i < tokens.len() {
            let token = &tokens[i];
            if token.is("defined") {
                let (name, more) = match (tokens.get(i + 1), tokens.get(i + 2), tokens.get(i + 3)) {
                    (Some(open), Some(name), Some(close)) if open.is("(") && close.is(")") => (name, 4),
                    (Some(name), ..) if name.kind == Kind::Word => (name, 2),
                    _ => return Err((PreprocessError::Condition("`defined` needs a name"), token.at)),
                };
                let value = if self.macros.contains_key(&name.text) { "1" } else { "0" };
                known.push(Token::new(Kind::Number, value, token.at));
                i += more;
            } else {
                known.push(token.clone());
                i += 1;
            }
        }
        let tokens = expand(&self.macros, known, &mut self.budget, 0)?;
        condition::value(&tokens, at).map(|value| value != 0)
    }
}

impl Token<'_> {
    fn of(self, kind: Kind) -> Self {
        Token { kind, ..self }
    }
}

/// Expands all macros of a list of tokens.
fn expand<'a>(
    macros: &HashMap<Cow<'a, str>, Rc<Macro<'a>>>,
    tokens: Vec<Token<'a>>,
    budget: &mut usize,
    depth: u32,
) -> LocatedResult<Vec<Token<'a>>> {
    let mut out = Vec::with_capacity(tokens.len());
    // What is still to be read, last first.
    let mut stack: Vec<(Token<'a>, Hide)> = tokens.into_iter().rev().map(|token| (token, None)).collect();
    while let Some((token, hide)) = stack.pop() {
        *budget = budget.checked_sub(1).ok_or((PreprocessError::TooMany, token.at))?;
        let value = match token.kind {
            Kind::Word if !hides(&hide, &token.text) => macros.get(&token.text),
            _ => None,
        };
        let Some(value) = value else {
            out.push(token);
            continue;
        };
        let (mut arguments, mut more) = (Vec::new(), hide);
        if let Some(parameters) = &value.parameters {
            if !stack.last().is_some_and(|(next, _)| next.is("(")) {
                out.push(token);
                continue;
            }
            more = call(&mut stack, &mut arguments, &token)?;
            if parameters.is_empty() && arguments.len() == 1 && arguments[0].is_empty() {
                arguments.clear();
            }
            if arguments.len() != parameters.len() {
                let error = PreprocessError::Arguments {
                    name: token.text.to_string(),
                    takes: parameters.len(),
                    given: arguments.len(),
                };
                return Err((error, token.at));
            }
        }
        if depth >= MAX_DEPTH {
            return Err((PreprocessError::TooDeep, token.at));
        }
        let body = substitute(macros, value, &arguments, token.at, budget, depth)?;
        let hide = hiding(&more, &token.text);
        if hide.as_ref().is_some_and(|hidden| hidden.length > MAX_CHAIN) {
            return Err((PreprocessError::TooLong, token.at));
        }
        stack.extend(body.into_iter().rev().map(|token| (token, hide.clone())));
    }
    Ok(out)
}

/// Reads the arguments of a call up to its closing parenthesis; what that hides.
fn call<'a>(
    stack: &mut Vec<(Token<'a>, Hide)>,
    arguments: &mut Vec<Vec<Token<'a>>>,
    name: &Token<'a>,
) -> LocatedResult<Hide> {
    stack.pop();
    arguments.push(Vec::new());
    let mut nested = 0;
    while let Some((token, hide)) = stack.pop() {
        match &*token.text {
            ")" if nested == 0 => return Ok(hide),
            "," if nested == 0 => {
                arguments.push(Vec::new());
                continue;
            }
            "(" => nested += 1,
            ")" => nested -= 1,
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(token);
        }
    }
    Err((PreprocessError::OpenCall(name.text.to_string()), name.at))
}

/// The body of a macro with its arguments in place, `##` pasted.
fn substitute<'a>(
    macros: &HashMap<Cow<'a, str>, Rc<Macro<'a>>>,
    value: &Macro<'a>,
    arguments: &[Vec<Token<'a>>],
    at: u32,
    budget: &mut usize,
    depth: u32,
) -> LocatedResult<Vec<Token<'a>>> {
    let parameter = |token: &Token<'a>| {
        let names = value.parameters.as_ref()?;
        names.iter().position(|name| *name == token.text)
    };
    let mut expanded: Vec<Option<Vec<Token<'a>>>> = vec![None; arguments.len()];
    let mut out: Vec<Token<'a>> = Vec::new();
    let mut paste = false;
    for (i, token) in value.body.iter().enumerate() {
        if token.is("##") {
            paste = true;
            continue;
        }
        let pasted = paste || value.body.get(i + 1).is_some_and(|next| next.is("##"));
        let mut tokens = match parameter(token) {
            Some(index) if pasted => arguments[index].clone(),
            Some(index) => match &expanded[index] {
                Some(tokens) => tokens.clone(),
                None => {
                    let tokens = expand(macros, arguments[index].clone(), budget, depth + 1)?;
                    expanded[index].insert(tokens).clone()
                }
            },
            None => vec![Token { at, ..token.clone() }],
        };
        *budget = budget.checked_sub(tokens.len()).ok_or((PreprocessError::TooMany, at))?;
        if std::mem::take(&mut paste)
            && let (Some(left), false) = (out.last_mut(), tokens.is_empty())
        {
            left.text = Cow::Owned(format!("{}{}", left.text, tokens.remove(0).text));
        }
        out.append(&mut tokens);
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
