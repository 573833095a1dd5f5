//! What a text leaves to the program that runs it: uniforms and textures that it uses by the names that everybody gives them, and Shadertoy's
//! form of a shader, `mainImage`.

use super::declarations::{Declared, sampler_type};
use super::lex::{Kind, Token};
use super::names::Needs;
use crate::front::Role;
use crate::front::conventions::NAMES;

const CHANNELS: [&str; 4] = ["iChannel0", "iChannel1", "iChannel2", "iChannel3"];

/// Declares what a text uses of these names and does not declare, and adds the `main` of a text that has `mainImage` in its place.
pub(super) fn complete(declared: &mut Declared<'_>, needs: &mut Needs) {
    declare(declared, needs);
    if !declared.functions.contains("mainImage") || declared.functions.contains("main") {
        return;
    }
    declared.is_image = true;
    let at = declared.tokens.last().map_or(0, |token| token.at);
    let main = [
        "void",
        "main",
        "(",
        ")",
        "{",
        "mainImage",
        "(",
        "gl_FragColor",
        ",",
        "gl_FragCoord",
        ".",
        "xy",
        ")",
        ";",
        "}",
    ];
    declared.functions.insert("main".to_owned());
    for text in main {
        let kind = if text.as_bytes()[0].is_ascii_alphabetic() { Kind::Word } else { Kind::Mark };
        declared.tokens.push(Token::new(kind, text, at));
    }
}

/// Declares uniforms and channels. Where only a local variable has such a name, it hides the declaration, which nothing uses then.
fn declare(declared: &mut Declared<'_>, needs: &mut Needs) {
    let missing = |declared: &Declared<'_>, name: &str| {
        let is_free = !declared.globals.contains(name) && !declared.functions.contains(name);
        is_free && declared.uses(name)
    };
    for known in &NAMES {
        if missing(declared, known.name) {
            needs.globals.insert(known.declaration);
            declared.roles.set(known.name, Role::Uniform { given: false });
        }
    }
    let channels: Vec<_> = CHANNELS.into_iter().filter(|name| missing(declared, name)).collect();
    let body = std::mem::take(&mut declared.tokens);
    for name in channels {
        let samples_cube = |group: &[Token<'_>]| group[0].is("textureCube") && group[1].is("(") && group[2].is(name);
        let kind = if body.windows(3).any(samples_cube) { "samplerCube" } else { "sampler2D" };
        if let Some(pair) = sampler_type(kind) {
            declared.declare_sampler(name, pair, 0);
        }
    }
    let added = std::mem::replace(&mut declared.tokens, body);
    declared.insert(0, added);
}
