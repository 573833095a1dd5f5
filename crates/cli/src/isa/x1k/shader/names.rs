//! The names of a shader's source: what the command line gives to them.

use crate::options::values::{Extent, InputSource, Name, Numbered};
use crate::options::{RunArgs, Uniform};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_compile::front::{Interface, UniformKind, UniformPlace};
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

/// Inputs that are called by the names of textures.
///
/// # Errors
/// There is no such texture.
pub fn inputs(interface: &Interface, args: &RunArgs) -> Result<Vec<Numbered<InputSource, 256>>, Failure> {
    let mut inputs = Vec::new();
    for input in &args.inputs {
        if let Name::Word(name) = &input.name {
            let textures = &interface.textures;
            let Some(texture) = textures.iter().find(|texture| texture.name == *name) else {
                return Err(unknown("texture", name, textures.iter().map(|texture| texture.name.as_str())));
            };
            inputs.push(Numbered { number: texture.unit, value: input.value.clone() });
        }
    }
    Ok(inputs)
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
    sizes: &[Option<[u32; 2]>; INPUTS],
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
            let sizes = sizes[..4].iter().map(|size| size.unwrap_or([0, 0]));
            let values: Vec<f32> = sizes.flat_map(|[width, height]| [width as f32, height as f32, 1.0]).collect();
            set(constants, uniform, &values);
            given.insert(uniform.name.as_str());
        }
    }
    for texture in &interface.textures {
        if let (Some((register, channel)), Some(size)) = (texture.size, sizes[usize::from(texture.unit)]) {
            for (i, side) in size.into_iter().enumerate() {
                constants.floats[usize::from(register)][usize::from(channel) + i] = (side as f32).to_bits();
            }
        }
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
