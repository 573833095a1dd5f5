//! GLSL as people have it - 1.10 to 4.60, ES 1.00 to 3.20, and Shadertoy's `mainImage` - in the dialect that naga's
//! reader takes.
//!
//! The text is cut into tokens, its macros are expanded, declarations and names are rewritten, and the tokens are
//! written out again with a map of places, so that errors name the user's own line.

mod brackets;
mod calls;
mod chains;
mod composites;
mod conditions;
mod declarations;
mod effects;
mod forms;
mod initialisers;
mod keywords;
mod lazy;
mod lex;
mod loops;
mod matrices;
mod mixtures;
mod names;
mod numbers;
mod order;
mod preprocess;
mod qualifiers;
mod reader;
mod sampler_arrays;
mod sampler_members;
mod shadertoy;
mod supplement;
mod targets;
mod truths;

use crate::front::Roles;
pub(crate) use calls::Calls;
use lex::Token;
pub(crate) use names::user_name;
pub use preprocess::PreprocessError;

/// How deep brackets may be nested.
const MAX_BRACKETS: usize = 100;

/// Why a text is not GLSL that can be read here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlslError {
    /// The preprocessor's errors.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    /// A bracket is never closed.
    #[error("this `{0}` is never closed")]
    OpenBracket(String),
    /// Too many brackets inside of each other.
    #[error("brackets are more than {MAX_BRACKETS} deep here; use variables or functions")]
    Brackets,
    /// Something is missing here.
    #[error("expected `{0}` here")]
    Missing(String),
    /// A token that cannot stand here.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    /// A declaration without a name.
    #[error("a declaration needs a name here")]
    Name,
    /// The size of an array is left out and cannot be counted.
    #[error("this array needs a size; only one that has values or constant indices may go without")]
    ArraySize,
    /// A number in brackets that is too large, or no whole number.
    #[error("`{0}` is not a number of elements that fits the machine (1 to {most})", most = composites::MAX_NUMBERS)]
    Elements(String),
    /// What begins as a number and is not one.
    #[error("`{text}` {reason}")]
    Number {
        /// How it is spelled.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A structure or variable that is too large.
    #[error("`{0}` holds more than {most} numbers, which no variable of the machine does; make it smaller", most = composites::MAX_NUMBERS)]
    Numbers(String),
    /// `attribute`.
    #[error("a fragment shader has no attributes; declare it `varying` or `uniform`")]
    Attribute,
    /// `buffer` and `shared`.
    #[error("there is no `{0}` memory on this hardware; use textures and uniforms")]
    Storage(String),
    /// An input with a value.
    #[error("the input `{0}` gets its values from vertices, so it has no initial value")]
    InputValue(String),
    /// A layout that says how something is calculated.
    #[error("the layout `{0}` is not supported: positions are those of pixel centres; subtract 0.5")]
    Layout(String),
    /// A kind of sampler or image that the hardware lacks.
    #[error("the hardware has no `{0}`; it has sampler1D, sampler2D, sampler2DRect, sampler3D and samplerCube")]
    SamplerType(String),
    /// A sampler that is not a uniform.
    #[error("a sampler must be a uniform or a parameter of a function")]
    SamplerStorage,
    /// An array of samplers that is too large or has several sizes, or a sampler with a value.
    #[error(
        "samplers have no initial values, and arrays of them have one size, from 1 to {most}",
        most = sampler_arrays::MAX_ELEMENTS
    )]
    SamplerArray,
    /// A sampler of a structure that is more than once in an array.
    #[error(
        "the sampler `{0}` is in an array of arrays; at most one of a structure, its uniform and its sampler may be an array"
    )]
    SamplerDepth(String),
    /// A sampler of a structure that is not a uniform.
    #[error(
        "the sampler `{0}` of a structure is used here without the uniform that holds it; give it to functions as a parameter of its own"
    )]
    SamplerMember(String),
    /// An array of samplers without an index.
    #[error("the array of samplers `{0}` needs an index here, as in `{0}[0]`; functions take one sampler")]
    SamplerArrayUse(String),
    /// An index that does not exist.
    #[error("the array of samplers `{0}` has {1} elements, which are counted from 0")]
    SamplerIndex(String, usize),
    /// An index that is calculated with effects.
    #[error("an index of the array of samplers `{0}` cannot assign or call a function; put it into a variable")]
    SamplerIndexEffects(String),
    /// Too much text for calls with calculated indices.
    #[error("there are too many calculated indices of arrays of samplers here; use constant indices")]
    Expanded,
    /// A part of a matrix in a structure that is written by a calculated index.
    #[error("a part of the matrix `{0}` of a structure is written here; copy it to a variable, and assign all of it")]
    MatrixMember(String),
    /// A member that is a matrix of two columns and rows in one structure, and something else in another one.
    #[error(
        "`{0}` is a matrix of two columns and rows in one structure and something else in another; give one another name"
    )]
    MatrixName(String),
    /// A sampler outside of calls.
    #[error("the sampler `{0}` can only be an argument of texture functions and of functions of the text")]
    SamplerUse(String),
    /// No function to begin with.
    #[error(
        "the text has no `main`, with which a shader begins: add `void main() {{ ... }}`, or Shadertoy's `mainImage`"
    )]
    Main,
    /// A function that calls itself, or another one that does.
    #[error(
        "`{0}` calls itself, directly or indirectly, through this call; the language has no recursion: write a loop"
    )]
    Recursion(String),
    /// Two sources of one shader do not agree.
    #[error(
        "`{0}` is declared in another way in another source of this shader: what sources declare outside of functions, they share"
    )]
    OtherSource(String),
    /// Numbers of double precision.
    #[error("the hardware has no `{0}`; its numbers are floats of 32 bits: use `float`, `vec2` and so on")]
    Double(String),
    /// What another stage has.
    #[error("`{name}` belongs to {stage} shaders, and only fragment shaders run here")]
    Stage {
        /// What it is called.
        name: String,
        /// The stage.
        stage: &'static str,
    },
}

type LocatedResult<T> = Result<T, (GlslError, u32)>;

impl From<(PreprocessError, u32)> for Located {
    fn from((error, at): (PreprocessError, u32)) -> Self {
        Located { error: error.into(), at }
    }
}

impl From<(GlslError, u32)> for Located {
    fn from((error, at): (GlslError, u32)) -> Self {
        Located { error, at }
    }
}

/// An error and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// What is wrong.
    pub(crate) error: GlslError,
    /// Byte offset into the user's text.
    pub(crate) at: u32,
}

/// A text in naga's dialect.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    /// The text.
    pub(crate) text: String,
    /// What its globals stand for.
    pub(crate) roles: Roles,
    /// Whether some of its results are to keep to the order of operations: all of them do then.
    pub(crate) is_exact: bool,
    /// Whether it is Shadertoy's form of a shader.
    pub(crate) is_image: bool,
    /// Offsets of tokens in `text`, and of what they come from in the user's.
    places: Vec<(u32, u32)>,
}

impl Dialect {
    /// The beginning of it, with this text.
    pub(crate) fn part(&self, text: &str) -> Dialect {
        Dialect {
            text: text.to_owned(),
            roles: Roles::default(),
            is_exact: false,
            is_image: false,
            places: self.places.clone(),
        }
    }

    /// The place in the user's text for one in `text`.
    pub(crate) fn place(&self, offset: u32) -> u32 {
        let index = self.places.partition_point(|place| place.0 <= offset);
        index.checked_sub(1).map_or(0, |index| self.places[index].1)
    }
}

/// Brings a text into naga's dialect; `defines` are macros that it starts with, beside those of its version. Further sources of the
/// same shader begin at `starts`.
///
/// # Errors
///
/// What is wrong, and where.
pub(crate) fn dialect(text: &str, starts: &[usize], defines: &[(String, String)]) -> Result<Dialect, Located> {
    let (tokens, is_invariant) = sources(text, starts, defines)?;
    shallow(&tokens)?;
    numbers::require_numbers(&tokens)?;
    let tokens = lazy::lazy(targets::targets(chains::chains(conditions::plain(tokens))));
    let mut declared = declarations::declarations(tokens, starts)?;
    let mut needs = names::Needs::default();
    shadertoy::complete(&mut declared, &mut needs);
    initialisers::complete(&mut declared);
    truths::numbers(&mut declared, &mut needs);
    let end = declared.tokens.last().map_or(0, |token| token.at);
    matrices::members(&mut declared, &mut needs)?;
    mixtures::calls(&mut declared, &mut needs)?;
    sampler_members::expand(&mut declared)?;
    sampler_arrays::expand(&mut declared)?;
    let tokens = names::names(&mut declared, &mut needs)?;
    if !declared.functions.contains("main") {
        return Err((GlslError::Main, end).into());
    }
    let is_exact = declared.is_exact || is_invariant;
    let mut dialect = Dialect {
        text: String::from("#version 450\n"),
        roles: declared.roles,
        is_exact,
        is_image: declared.is_image,
        places: vec![(0, 0)],
    };
    for declaration in needs.globals {
        dialect.text += declaration;
        dialect.text.push('\n');
    }
    for function in needs.functions {
        dialect.text += &supplement::text(function);
        dialect.text.push('\n');
    }
    for token in &order::ordered(tokens) {
        write(&mut dialect, token);
    }
    Ok(dialect)
}

/// The tokens of all sources, each preprocessed by itself, and whether outputs of one are invariant.
fn sources<'t>(
    text: &'t str,
    starts: &[usize],
    defines: &[(String, String)],
) -> Result<(Vec<Token<'t>>, bool), Located> {
    let (mut all, mut is_any_invariant) = (Vec::new(), false);
    let begins = std::iter::once(0).chain(starts.iter().copied());
    let ends = starts.iter().copied().chain([text.len()]);
    for (begin, end) in begins.zip(ends) {
        let source = text.get(begin..end).unwrap_or_default();
        let moved = |(error, at): (PreprocessError, u32)| Located::from((error, at + begin as u32));
        let preprocess::Preprocessed { tokens, is_invariant, version } =
            preprocess::preprocess(source, defines).map_err(moved)?;
        is_any_invariant |= is_invariant;
        let tokens = keywords::renamed(tokens, version).into_iter();
        all.extend(tokens.map(|token| Token { at: token.at + begin as u32, ..token }));
    }
    Ok((all, is_any_invariant))
}

/// Refuses brackets that macros nest deeper than texts may: what rewrites tokens looks for their partners.
fn shallow(tokens: &[Token<'_>]) -> LocatedResult<()> {
    let mut depth = 0usize;
    for token in tokens {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_BRACKETS {
            return Err((GlslError::Brackets, token.at));
        }
    }
    Ok(())
}

/// Writes a token; statements get lines of their own, so that the text can be looked at.
fn write(dialect: &mut Dialect, token: &Token<'_>) {
    dialect.places.push((dialect.text.len() as u32, token.at));
    dialect.text += &token.text;
    dialect.text.push(if matches!(&*token.text, ";" | "{" | "}") { '\n' } else { ' ' });
}

#[cfg(test)]
mod tests;
