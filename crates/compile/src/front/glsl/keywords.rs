//! Words that are names in a text and keywords for naga's reader: `sample`, `sampler`, `buffer` and others are keywords of later versions or of
//! another profile. They get names that no reader knows.

use super::lex::{Kind, Token};
use super::preprocess::Version;

/// Qualifiers of later versions. As such, another word follows them; a name is never followed by one.
const QUALIFIERS: [&str; 16] = [
    "sample",
    "buffer",
    "shared",
    "readonly",
    "writeonly",
    "restrict",
    "coherent",
    "volatile",
    "smooth",
    "flat",
    "centroid",
    "noperspective",
    "precise",
    "invariant",
    "subroutine",
    "patch",
];

/// Types of later versions, or of no version, as which a word or a constructor's parenthesis follows them.
const TYPES: [&str; 8] =
    ["double", "texture1D", "texture2D", "texture3D", "textureCube", "float16_t", "image2D", "image3D"];

/// Whole numbers without signs, which GLSL has from 1.30 and ES 3.00 on.
const UNSIGNED: [&str; 4] = ["uint", "uvec2", "uvec3", "uvec4"];

/// What stands in front of the renamed words.
const PREFIX: &str = "ctm_name_";

/// The user's words for names in the rewritten text, also for members.
pub(super) fn original(name: &str) -> String {
    name.replace(PREFIX, "")
}

/// Renames such words.
pub(super) fn renamed<'a>(mut tokens: Vec<Token<'a>>, version: Version) -> Vec<Token<'a>> {
    let has_unsigned = version.number >= if version.es { 300 } else { 130 };
    for at in 0..tokens.len() {
        let token = &tokens[at];
        if token.kind != Kind::Word {
            continue;
        }
        let follows = |text: &str| tokens.get(at + 1).is_some_and(|next| next.is(text));
        let is_typed = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Word);
        let is_member = at > 0 && tokens[at - 1].is(".");
        let is = |words: &[&str]| words.contains(&&*token.text);
        let is_name = match () {
            () if is(&QUALIFIERS) => !(is_typed || follows("{") && token.is("buffer")),
            () if token.is("layout") => !follows("(") || !begins(&tokens[..at]),
            // A sampler of its own is a type of Vulkan; in front of a parenthesis it is a function, as the others may be.
            () if is(&["sampler", "samplerShadow"]) => !is_typed,
            () if is(&TYPES) => !is_typed && (!follows("(") || is_member),
            () if is(&UNSIGNED) => !has_unsigned && !is_typed,
            () => false,
        };
        if is_name {
            tokens[at].text = format!("{PREFIX}{}", tokens[at].text).into();
        }
    }
    tokens
}

/// Whether a declaration can begin after these tokens.
fn begins(before: &[Token<'_>]) -> bool {
    let qualifies =
        |word: &str| QUALIFIERS.contains(&word) || matches!(word, "in" | "out" | "inout" | "uniform" | "const");
    before.last().is_none_or(|last| matches!(&*last.text, ";" | "{" | "}" | ")") || qualifies(&last.text))
}
