//! The uniforms of a shader: what the command line gives them, what the source does, and what those hold that have a meaning by their names.

use crate::options::values::Extent;
use crate::options::{RunArgs, Uniform as Course};
use crate::report::Message;
use crate::run::Frames;
use crate::{Console, Failure};
use ctm_compile::front::{self, Convention, Interface, Moment, Uniform, UniformKind, UniformPlace};
use ctm_raster::sampler::TextureShape;
use ctm_text::nearest;
use ctm_x1k::{Constants, INPUTS};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What differs from frame to frame.
pub struct MovingUniforms<'i> {
    /// Registers and channels with what the command line says that they hold.
    given: Vec<(usize, usize, Course)>,
    /// Uniforms with a meaning by their names.
    known: Vec<&'i Uniform>,
    moment: Moment,
}

impl MovingUniforms<'_> {
    /// Whether all frames have the same uniforms.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty() && self.known.is_empty()
    }

    /// Sets the constants of a frame.
    pub fn set(&self, frames: Frames, frame: u32, constants: &mut Constants) {
        let moment = Moment { frame, seconds: frames.seconds(frame), ..self.moment };
        for uniform in &self.known {
            if let Some(values) = moment.value(uniform) {
                set(constants, uniform, 0, &values);
            }
        }
        for &(register, channel, course) in &self.given {
            constants.floats[register][channel] = frames.bits(course, frame);
        }
    }
}

/// A shader among what is known before its uniforms are.
pub struct UniformContext<'i, 's> {
    /// What its names stand for.
    pub interface: &'i Interface,
    /// The sizes of its inputs.
    pub sizes: &'s [Option<TextureShape>; INPUTS],
    /// Constants that the command line gives by their numbers.
    pub numbered: &'s BTreeSet<u8>,
    /// Whether another shader of the run has a uniform of a name.
    pub is_others: &'s dyn Fn(&str) -> bool,
}

/// Sets the constants of all uniforms, for the first frame: those of the command line, those that have a meaning by their names, those that
/// the source gives a value, sizes of textures. The others are zero, unless they are given by their numbers.
///
/// # Errors
/// The value of a uniform of the command line is not of its type.
pub fn fill<'i>(
    surroundings: &UniformContext<'i, '_>,
    constants: &mut Constants,
    args: &RunArgs,
    domain: Extent,
    console: &mut Console,
) -> Result<MovingUniforms<'i>, Failure> {
    let UniformContext { interface, sizes, numbered, is_others } = *surroundings;
    let frames = Frames::of(&args.frames);
    let (size, rate) = ([domain.width, domain.height], f32::from(frames.rate));
    let mut moment = Moment { size, frame: 0, seconds: 0.0, rate, mouse: [0.0; 4], channels: Default::default() };
    moment.set_channels(interface, |unit| sizes[usize::from(unit)].map(|shape| shape.size));
    set_sizes(interface, constants, sizes);

    let mut moving = MovingUniforms { given: Vec::new(), known: Vec::new(), moment };
    let mut given: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for uniform in &interface.uniforms {
        let all = || (0..elements(uniform)).collect();
        if numbered.contains(&uniform.place.register) {
            given.insert(&uniform.name, all());
            continue;
        }
        let known = moment.value(uniform);
        let values = known.as_deref().unwrap_or(&uniform.default);
        set(constants, uniform, 0, values);
        if !values.is_empty() {
            given.insert(&uniform.name, all());
        }
        if Convention::of(uniform).is_some_and(Convention::moves) {
            moving.known.push(uniform);
        }
    }
    for text in &args.frames.uniforms {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| name.parse::<u8>().is_err()) else {
            continue;
        };
        let Some((uniform, of)) = find(interface, name)? else {
            if !is_others(name) {
                console.report(&unread(interface, name));
            }
            continue;
        };
        let wrong = |message: String| Failure::Usage(Message::error(format!("--uniform {text}: {message}")));
        let width = usize::from(uniform.columns) * usize::from(uniform.rows);
        moving.known.retain(|known| known.name != uniform.name || of.len() < elements(uniform));
        match Value::parse(value, name, uniform, of.len() * width).map_err(wrong)? {
            Value::Stays(values) => set(constants, uniform, of.start, &values),
            Value::Moves(courses) => {
                let places = (of.start * width..).zip(courses);
                moving.given.extend(places.map(|(number, course)| {
                    let (register, channel) = place(uniform, number);
                    (register, channel, course)
                }));
            }
        }
        given.entry(&uniform.name).or_default().extend(of);
    }
    report_missing(interface, &given, console);
    Ok(moving)
}

/// Whether a shader has a uniform of this name, or an array whose element it is.
pub fn has_uniform(interface: &Interface, name: &str) -> bool {
    find(interface, name).is_ok_and(|found| found.is_some())
}

/// How many elements a uniform has; 1 if it is not an array.
fn elements(uniform: &Uniform) -> usize {
    uniform.elements.unwrap_or(1) as usize
}

/// The register and channel of a uniform's number, counted over channels, columns and elements.
fn place(uniform: &Uniform, number: usize) -> (usize, usize) {
    let UniformPlace { register, channel } = uniform.place;
    let rows = usize::from(uniform.rows);
    (usize::from(register) + number / rows, usize::from(channel) + number % rows)
}

/// Sets a uniform from one of its elements on: one number for each channel, column and element.
fn set(constants: &mut Constants, uniform: &Uniform, element: usize, values: &[f32]) {
    let first = element * usize::from(uniform.columns) * usize::from(uniform.rows);
    for (number, value) in (first..).zip(values) {
        let (register, channel) = place(uniform, number);
        constants.floats[register][channel] = value.to_bits();
    }
}

/// Sets what a program asks of its textures.
fn set_sizes(interface: &Interface, constants: &mut Constants, sizes: &[Option<TextureShape>; INPUTS]) {
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
}

/// The uniform of a name with all of its elements, or with the one that is named: `weights`, `weights[2]`.
///
/// # Errors
/// It has no such element.
fn find<'i>(interface: &'i Interface, name: &str) -> Result<Option<(&'i Uniform, Range<usize>)>, Failure> {
    let named = |name: &str| interface.uniforms.iter().find(|uniform| uniform.name == name);
    if let Some(uniform) = named(name) {
        return Ok(Some((uniform, 0..elements(uniform))));
    }
    let element = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let Some((uniform, index)) = element.and_then(|(base, index)| Some((named(base)?, index))) else {
        return Ok(None);
    };
    let count = uniform.elements.map_or(0, |count| count as usize);
    match index.parse().ok().filter(|&index: &usize| index < count) {
        Some(index) => Ok(Some((uniform, index..index + 1))),
        None => {
            let message = Message::error(format!("the uniform '{}' has no element [{index}]", uniform.name));
            Err(Failure::Usage(match count {
                0 => message.help("it is not an array"),
                _ => message.help(format!("its elements are [0] to [{}]", count - 1)),
            }))
        }
    }
}

/// Warns of a uniform that a shader does not use.
fn unread(interface: &Interface, name: &str) -> Message {
    let known: Vec<&str> = interface.uniforms.iter().map(|uniform| uniform.name.as_str()).collect();
    let message = Message::warning(format!("uniform '{name}' is given, but the shader does not use it"));
    match nearest(name, known.iter().copied()) {
        Some(near) => message.help(format!("it has '{near}'")),
        None if known.is_empty() => message.help("it uses no uniform at all"),
        None => message.help(format!("it has {}", known.join(", "))),
    }
}

fn report_missing(interface: &Interface, given: &BTreeMap<&str, BTreeSet<usize>>, console: &mut Console) {
    let mut missing = Vec::new();
    for uniform in &interface.uniforms {
        match given.get(uniform.name.as_str()) {
            None => missing.push(uniform.name.clone()),
            Some(given) => {
                let others = (0..elements(uniform)).filter(|element| !given.contains(element));
                missing.extend(others.map(|element| format!("{}[{element}]", uniform.name)));
            }
        }
    }
    if let Some(first) = missing.first() {
        let names = missing.join(", ");
        let message =
            Message::warning(format!("no value is given for the uniforms of the shader: {names}; they are 0"));
        console.report(&message.help(format!("add --uniform {first}=VALUE")));
    }
}

/// What the command line says of a uniform.
enum Value {
    /// Numbers.
    Stays(Vec<f32>),
    /// What each number is, frame by frame.
    Moves(Vec<Course>),
}

impl Value {
    /// The value of `count` numbers of a uniform, which is called `name`.
    fn parse(text: &str, name: &str, uniform: &Uniform, count: usize) -> Result<Self, String> {
        if let Ok(course @ (Course::Time | Course::Frame)) = text.parse() {
            return Ok(Value::Moves(vec![course; count]));
        }
        let whole = |values: &[f32]| {
            let is_whole = uniform.kind == UniformKind::Float || values.iter().all(|value| value.fract() == 0.0);
            if is_whole { Ok(()) } else { Err(format!("'{name}' takes whole numbers")) }
        };
        if let Some((from, to)) = text.split_once(':') {
            let (from, to) = (numbers(from, name, count)?, numbers(to, name, count)?);
            whole(&[&from[..], &to].concat())?;
            return Ok(Value::Moves(from.into_iter().zip(to).map(|(from, to)| Course::Range(from, to)).collect()));
        }
        let values = numbers(text, name, count)?;
        whole(&values)?;
        Ok(Value::Stays(values))
    }
}

/// So many numbers with commas between them, or one for all.
fn numbers(text: &str, name: &str, count: usize) -> Result<Vec<f32>, String> {
    let number = |word: &str| match word.trim() {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        word => word.parse::<f32>().map_err(|_| format!("'{word}' is not a number, 'time' or 'frame'")),
    };
    let values = text.split(',').map(number).collect::<Result<Vec<f32>, _>>()?;
    match *values {
        [single] => Ok(vec![single; count]),
        _ if values.len() == count => Ok(values),
        _ => Err(format!("'{name}' takes {count} numbers with commas between, not {}", values.len())),
    }
}
