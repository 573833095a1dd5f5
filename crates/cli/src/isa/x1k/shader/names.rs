//! The names of a shader's source: what the command line gives to them.

use crate::options::values::{Extent, InputSource, Name, NamedValue, Numbered};
use crate::options::{RunArgs, Uniform};
use crate::report::Message;
use crate::run::TextureKind;
use crate::{Console, Failure};
use ctm_compile::front::{self, Interface, UniformKind, UniformPlace};
use ctm_raster::sampler::TextureShape;
use ctm_text::nearest;
use ctm_x1k::{Constants, INPUTS};
use std::collections::BTreeSet;

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

/// Refuses a run in which nothing is given for a texture.
///
/// # Errors
/// All such textures.
pub fn require_textures(interface: &Interface, given: &[Numbered<InputSource, 256>]) -> Result<(), Failure> {
    let is_missing = |unit: u8| !given.iter().any(|input| input.number == unit);
    let missing = interface.textures.iter().filter(|texture| is_missing(texture.unit)).map(|texture| {
        let message =
            Message::error(format!("the shader reads the texture '{}', but nothing is given for it", texture.name));
        message.help(format!("add --input {}=FILE", texture.name))
    });
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() { Ok(()) } else { Err(Failure::Input(missing)) }
}

/// Sets the constants of all uniforms: those of the command line, those that the source gives a value, sizes of textures,
/// Shadertoy's `iResolution`. The others are zero, unless their constant is among `numbered`, those that are given by their numbers. Also
/// gives the places of those that differ from frame to frame.
///
/// # Errors
/// A uniform of the command line is none of the shader, or its value is not of its type.
pub fn fill(
    interface: &Interface,
    constants: &mut Constants,
    args: &RunArgs,
    domain: Extent,
    sizes: &[Option<TextureShape>; INPUTS],
    numbered: &BTreeSet<u8>,
    console: &mut Console,
) -> Result<Vec<(usize, usize, Uniform)>, Failure> {
    let mut varying = Vec::new();
    let mut given = BTreeSet::new();
    for uniform in &interface.uniforms {
        let resolution = [domain.width as f32, domain.height as f32, 1.0];
        if !uniform.default.is_empty() {
            set(constants, uniform, &uniform.default);
        } else if uniform.name == "iResolution" && (uniform.columns, uniform.rows) == (1, 3) {
            set(constants, uniform, &resolution);
            given.insert(uniform.name.as_str());
        } else if uniform.name == "iChannelResolution" {
            let sizes = sizes[..4].iter().map(|shape| shape.map_or([0, 0, 1], |shape| shape.size));
            let values: Vec<f32> = sizes.flatten().map(|side| side as f32).collect();
            set(constants, uniform, &values);
            given.insert(uniform.name.as_str());
        }
    }
    for texture in &interface.textures {
        let Some(shape) = sizes[usize::from(texture.unit)] else { continue };
        let sides = if texture.kind == front::TextureKind::Volume { 3 } else { 2 };
        let mut set = |place: Option<(u8, u8)>, values: &[u32]| {
            let Some((register, channel)) = place else { return };
            for (i, &value) in values.iter().enumerate() {
                constants.floats[usize::from(register)][usize::from(channel) + i] = (value as f32).to_bits();
            }
        };
        set(texture.size, &shape.size[..sides]);
        set(texture.levels, &[shape.last_level + 1]);
    }
    for text in &args.frames.uniforms {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| name.parse::<u8>().is_err()) else {
            continue;
        };
        let uniforms = &interface.uniforms;
        let Some(uniform) = uniforms.iter().find(|uniform| uniform.name == name) else {
            return Err(unknown("uniform", name, uniforms.iter().map(|uniform| uniform.name.as_str())));
        };
        given.insert(uniform.name.as_str());
        let wrong = |message: String| Failure::Usage(Message::error(format!("--uniform {text}: {message}")));
        if let Ok(by_frame) = value.parse::<Uniform>() {
            let UniformPlace { register, channel } = uniform.place;
            for column in 0..usize::from(uniform.columns) * uniform.elements.unwrap_or(1) as usize {
                let channels = usize::from(channel)..usize::from(channel + uniform.rows);
                varying.extend(channels.map(|channel| (usize::from(register) + column, channel, by_frame)));
            }
            continue;
        }
        let count = usize::from(uniform.columns) * usize::from(uniform.rows) * uniform.elements.unwrap_or(1) as usize;
        let number = |word: &str| match word.trim() {
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            word => word.parse::<f32>().map_err(|_| wrong(format!("'{word}' is no number"))),
        };
        let mut values = value.split(',').map(number).collect::<Result<Vec<f32>, _>>()?;
        if let [single] = *values {
            values = vec![single; count];
        }
        if values.len() != count {
            return Err(wrong(format!("'{name}' takes {count} numbers with commas between, not {}", values.len())));
        }
        if uniform.kind != UniformKind::Float && values.iter().any(|value| value.fract() != 0.0) {
            return Err(wrong(format!("'{name}' takes whole numbers")));
        }
        set(constants, uniform, &values);
    }
    let missing = interface.uniforms.iter();
    let missing = missing.filter(|uniform| uniform.default.is_empty() && !numbered.contains(&uniform.place.register));
    let missing: Vec<_> = missing.map(|uniform| uniform.name.as_str()).filter(|name| !given.contains(name)).collect();
    if let Some(first) = missing.first() {
        let names = missing.join(", ");
        let message =
            Message::warning(format!("no value is given for the uniforms of the shader: {names}; they are 0"));
        console.report(&message.help(format!("add --uniform {first}=VALUE")));
    }
    Ok(varying)
}

/// Sets a uniform: one number for each channel, column and element.
fn set(constants: &mut Constants, uniform: &ctm_compile::front::Uniform, values: &[f32]) {
    let UniformPlace { register, channel } = uniform.place;
    for (i, column) in values.chunks(usize::from(uniform.rows)).enumerate() {
        for (k, value) in column.iter().enumerate() {
            constants.floats[usize::from(register) + i][usize::from(channel) + k] = value.to_bits();
        }
    }
}
