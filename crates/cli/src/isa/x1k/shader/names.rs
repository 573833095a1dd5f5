//! The names of a shader's source: what the command line gives to them.

use crate::Failure;
use crate::options::values::{InputSource, Name, NamedValue, Numbered};
use crate::report::Message;
use crate::run::TextureKind;
use ctm_compile::front::{self, Interface};
use ctm_text::nearest;

/// A message about a name that a shader does not have.
pub fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Failure {
    let known: Vec<_> = known.collect();
    let message = Message::error(format!("the shader uses no {what} '{name}'"));
    Failure::Usage(match nearest(name, known.iter().copied()) {
        Some(near) => message.help(format!("it has '{near}'")),
        None if known.is_empty() => message.help(format!("it uses no {what} at all")),
        None => message.help(format!("it has {}", known.join(", "))),
    })
}

/// What is given for inputs that are called by the names of textures.
///
/// # Errors
/// There is no such texture.
pub fn numbered<T: Clone>(interface: &Interface, given: &[NamedValue<T>]) -> Result<Vec<Numbered<T, 256>>, Failure> {
    let mut numbered = Vec::new();
    for NamedValue { name, value } in given {
        if let Name::Word(name) = name {
            let textures = &interface.textures;
            let Some(texture) = textures.iter().find(|texture| texture.name == *name) else {
                return Err(unknown("texture", name, textures.iter().map(|texture| texture.name.as_str())));
            };
            numbered.push(Numbered { number: texture.unit, value: value.clone() });
        }
    }
    Ok(numbered)
}

/// Refuses what is given for a texture and is of another kind than the shader samples.
///
/// # Errors
/// With the texture's name.
pub fn require_kind(
    interface: Option<&Interface>,
    number: u8,
    given: &str,
    kind: TextureKind,
    rows: u32,
) -> Result<(), Failure> {
    let textures = interface.map_or(&[][..], |interface| &interface.textures);
    let Some(texture) = textures.iter().find(|texture| texture.unit == number) else { return Ok(()) };
    let (what, wanted, fits) = match texture.kind {
        front::TextureKind::Line => {
            let fits = kind == TextureKind::D1 || kind == TextureKind::D2 && rows == 1;
            ("has one direction", TextureKind::D1, fits)
        }
        front::TextureKind::Plane | front::TextureKind::Rectangle => {
            let fits = matches!(kind, TextureKind::D1 | TextureKind::D2);
            ("has two directions", TextureKind::D2, fits)
        }
        front::TextureKind::Volume => ("has three directions", TextureKind::D3, kind == TextureKind::D3),
        front::TextureKind::Cube => ("is a cube", TextureKind::Cube, kind == TextureKind::Cube),
    };
    if fits {
        return Ok(());
    }
    let (name, found, wanted) = (&texture.name, kind.name(), wanted.name());
    let message = format!("the texture '{name}' {what}, but '{given}' is given for it as {found}");
    Err(Failure::Usage(Message::error(message).help(format!("expected --input {name}=FILE:{wanted}"))))
}

/// Refuses a run in which nothing is given for a texture of a shader, which makes this buffer, if it makes one.
///
/// # Errors
/// All such textures.
pub fn require_textures(
    interface: &Interface,
    buffer: Option<&str>,
    given: &[Numbered<InputSource, 256>],
) -> Result<(), Failure> {
    let prefix = buffer.map_or_else(String::new, |buffer| format!("{buffer}."));
    let is_missing = |unit: u8| !given.iter().any(|input| input.number == unit);
    let missing = interface.textures.iter().filter(|texture| is_missing(texture.unit)).map(|texture| {
        let name = format!("{prefix}{}", texture.name);
        let message = Message::error(format!("the shader reads the texture '{name}', but nothing is given for it"));
        message.help(format!("add --input {name}=FILE"))
    });
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() { Ok(()) } else { Err(Failure::Input(missing)) }
}
