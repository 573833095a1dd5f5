//! Shadertoy's form of a shader: `mainImage` and the uniforms that the site gives.

use super::declarations::{Declared, sampler_type};
use super::lex::{Kind, Token};
use super::names::Needs;
use crate::front::Role;

const UNIFORMS: [(&str, &str); 10] = [
    ("iResolution", "vec3 iResolution;"),
    ("iTime", "float iTime;"),
    ("iGlobalTime", "float iGlobalTime;"),
    ("iTimeDelta", "float iTimeDelta;"),
    ("iFrameRate", "float iFrameRate;"),
    ("iFrame", "int iFrame;"),
    ("iMouse", "vec4 iMouse;"),
    ("iDate", "vec4 iDate;"),
    ("iChannelTime", "float iChannelTime[4];"),
    ("iChannelResolution", "vec3 iChannelResolution[4];"),
];
const CHANNELS: [&str; 4] = ["iChannel0", "iChannel1", "iChannel2", "iChannel3"];

/// Adds what a text with `mainImage` and without `main` leaves to the site.
pub(super) fn complete(declared: &mut Declared<'_>, needs: &mut Needs) {
    if !declared.functions.contains("mainImage") || declared.functions.contains("main") {
        return;
    }
    let uses = |name: &str| declared.tokens.iter().any(|token| token.kind == Kind::Word && token.text == name);
    for (name, declaration) in UNIFORMS {
        if uses(name) && !declared.globals.contains(name) {
            needs.globals.insert(declaration);
            declared.roles.set(name, Role::Uniform { given: false });
        }
    }
    let channels: Vec<_> =
        CHANNELS.into_iter().filter(|name| uses(name) && !declared.globals.contains(*name)).collect();
    let body = std::mem::take(&mut declared.tokens);
    for name in channels {
        if let Some(pair) = sampler_type("sampler2D") {
            declared.declare_sampler(name, pair, 0);
        }
    }
    let added = std::mem::replace(&mut declared.tokens, body);
    declared.insert(0, added);
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
