//! The interpolated inputs of a run: what `--varying` says of them.

use crate::isa::x1k::shader;
use crate::options::Generator;
use crate::options::values::{Extent, Name, NamedValue, Vector};
use crate::report::Message;
use crate::run::unused;
use crate::{Console, Failure};
use ctm_compile::front::{Interface, Varying};
use ctm_x1k::{INTERPOLANTS, InterpolantVertex, Program};
use std::ops::Range;
use std::str::FromStr;

/// The values of an interpolated input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VaryingValue {
    /// Those of a generator.
    Made(Generator),
    /// Those at three corners of the domain: top left, top right, bottom left.
    Corners([[f32; 4]; 3]),
}

impl FromStr for VaryingValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(generator) = Generator::parse(text)? {
            return Ok(VaryingValue::Made(generator));
        }
        let corners = text.split(':').map(corner).collect::<Result<Vec<_>, _>>()?;
        Ok(VaryingValue::Corners(match *corners {
            [all] => [all; 3],
            [above, below] => {
                if above[2..] != below[2..] {
                    return Err("with two corners, the third and fourth number stay as they are: give three corners, \
                                top left, top right and bottom left"
                        .into());
                }
                let [left, top, z, w] = above;
                [above, [below[0], top, z, w], [left, below[1], z, w]]
            }
            [left_above, right_above, left_below] => [left_above, right_above, left_below],
            _ => return Err(format!("{} corners are too many: three say it all", corners.len())),
        }))
    }
}

/// One to four numbers; those that are left out are 0, 0, 0 and 1.
fn corner(text: &str) -> Result<[f32; 4], String> {
    let mut corner = [0.0, 0.0, 0.0, 1.0];
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > corner.len() {
        return Err(format!("an interpolated input has 4 numbers, not {}", words.len()));
    }
    for (number, word) in corner.iter_mut().zip(words) {
        *number = word.trim().parse().ok().filter(|number: &f32| number.is_finite()).ok_or_else(|| {
            format!(
                "'{word}' is not a number: expected uv, position, constant:R,G,B,A, or numbers at corners, like 0,0:1,1"
            )
        })?;
    }
    Ok(corner)
}

impl VaryingValue {
    /// The values at the corners of a domain.
    fn corners(self, domain: Extent) -> [[f32; 4]; 3] {
        let [width, height] = [domain.width as f32, domain.height as f32];
        match self {
            VaryingValue::Corners(corners) => corners,
            VaryingValue::Made(Generator::Uv) => rectangle(1.0, 1.0),
            VaryingValue::Made(Generator::Position) => rectangle(width, height),
            VaryingValue::Made(Generator::Constant(Vector(bits))) => [bits.map(f32::from_bits); 3],
        }
    }
}

fn rectangle(width: f32, height: f32) -> [[f32; 4]; 3] {
    [[0.0, 0.0, 0.0, 1.0], [width, 0.0, 0.0, 1.0], [0.0, height, 0.0, 1.0]]
}

/// The vertices that the interpolated inputs of a program are given at, if it takes some: corners of the domain. Inputs that nobody
/// gives go from 0 to 1.
///
/// # Errors
/// An input of the command line is none of the program, or given twice.
pub fn vertices(
    given: &[NamedValue<VaryingValue>],
    program: &Program,
    interface: Option<&Interface>,
    domain: Extent,
    console: &mut Console,
) -> Result<Option<[InterpolantVertex; 3]>, Failure> {
    let mut values: Values = [[None; 4]; INTERPOLANTS];
    for NamedValue { name, value } in given {
        for Slot { number, channels } in slots(name, interface)? {
            for (component, channel) in channels.enumerate() {
                if values[number][channel].replace((*value, component)).is_some() {
                    let message = format!("interpolated input {name} is given twice");
                    return Err(Failure::Usage(Message::error(message).help("leave one --varying out")));
                }
            }
        }
    }
    let numbers = given.iter().filter_map(|given| match &given.name {
        Name::Number(number) => Some(number),
        Name::Word(_) => None,
    });
    let takes = |slot: u8| program.info.interpolants[usize::from(slot)].is_some();
    unused("interpolated input", "read", numbers, takes, console);
    if !program.info.takes_interpolants() {
        return Ok(None);
    }
    report_defaults(&values, program, interface, console);
    let [width, height] = [domain.width as f32, domain.height as f32];
    let mut vertices = [[0.0, 0.0], [width, 0.0], [0.0, height]]
        .map(|position| InterpolantVertex { position, values: [[0.0; 4]; INTERPOLANTS] });
    let shared = interface.map_or(&[][..], |interface| &interface.varyings);
    for (slot, channels) in values.into_iter().enumerate() {
        for (channel, value) in channels.into_iter().enumerate() {
            let (value, component) =
                value.unwrap_or((VaryingValue::Made(Generator::Uv), component(shared, slot, channel)));
            for (vertex, corner) in vertices.iter_mut().zip(value.corners(domain)) {
                vertex.values[slot][channel] = corner[component];
            }
        }
    }
    Ok(Some(vertices))
}

/// What each channel of each slot gets: a value, and which of its components.
type Values = [[Option<(VaryingValue, usize)>; 4]; INTERPOLANTS];

/// The slot of an input, or of one of its columns or elements, and its channels there.
struct Slot {
    number: usize,
    channels: Range<usize>,
}

impl Slot {
    fn of(varying: &Varying, number: u8) -> Slot {
        let first = usize::from(varying.channel);
        Slot { number: number.into(), channels: first..first + usize::from(varying.channels) }
    }
}

/// Which component of its input a channel of a slot is.
fn component(varyings: &[Varying], slot: usize, channel: usize) -> usize {
    let mut inputs = varyings.iter().filter(|varying| slots_of(varying).contains(&(slot as u8)));
    let input = inputs.find(|varying| Slot::of(varying, slot as u8).channels.contains(&channel));
    channel - input.map_or(0, |varying| usize::from(varying.channel))
}

fn slots_of(varying: &Varying) -> Range<u8> {
    varying.slot..varying.slot + varying.slots
}

/// The slots of a number or a name: `uv`, or `uvs[1]` of an array.
fn slots(name: &Name, interface: Option<&Interface>) -> Result<Vec<Slot>, Failure> {
    let name = match name {
        Name::Number(number) if usize::from(*number) < INTERPOLANTS => {
            return Ok(vec![Slot { number: usize::from(*number), channels: 0..4 }]);
        }
        Name::Number(number) => {
            let message = format!("interpolated input {number} is out of range (0 to {})", INTERPOLANTS - 1);
            return Err(Failure::Usage(Message::error(message)));
        }
        Name::Word(name) => name,
    };
    let Some(Interface { varyings, .. }) = interface else {
        let message = format!("--varying {name}: interpolated inputs of this program have numbers, and no names");
        return Err(Failure::Usage(
            Message::error(message).help("shaders in source (.frag, .glsl, .wgsl, .ps) have names"),
        ));
    };
    let found = varyings.iter().find_map(|varying| {
        let slot = |number| Slot::of(varying, number);
        if varying.name == *name {
            return Some(slots_of(varying).map(slot).collect());
        }
        let index = name.strip_prefix(&varying.name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some(vec![slot(slots_of(varying).nth(index.parse().ok()?)?)])
    });
    found.ok_or_else(|| {
        shader::unknown("interpolated input", name, varyings.iter().map(|varying| varying.name.as_str()))
    })
}

fn report_defaults(values: &Values, program: &Program, interface: Option<&Interface>, console: &mut Console) {
    let is_missing = |slot: &Slot| {
        program.info.interpolants[slot.number].is_some() && values[slot.number][slot.channels.clone()].contains(&None)
    };
    let names: Vec<String> = match interface {
        Some(interface) => {
            let varyings = interface.varyings.iter();
            let missing =
                varyings.filter(|varying| slots_of(varying).any(|number| is_missing(&Slot::of(varying, number))));
            missing.map(|varying| varying.name.clone()).collect()
        }
        None => (0..INTERPOLANTS)
            .filter(|&number| is_missing(&Slot { number, channels: 0..4 }))
            .map(|slot| slot.to_string())
            .collect(),
    };
    if let Some(first) = names.first() {
        let message = format!("interpolated inputs go from 0 to 1 over the domain: {}", names.join(", "));
        console.report(
            &Message::note(message).help(format!("--varying {first}=LEFT,TOP:RIGHT,BOTTOM gives other values")),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_left_above_right_above_left_below() {
        let corners =
            |text: &str| text.parse::<VaryingValue>().map(|value| value.corners(Extent { width: 8, height: 4 }));
        let uv = Ok([[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]);
        assert_eq!((corners("uv"), corners("0,0:1,1"), corners("0:1:0,1")), (uv.clone(), uv.clone(), uv));
        assert_eq!(corners("position"), corners("0,0:8,4"));
        assert_eq!(corners("2,3,4"), Ok([[2.0, 3.0, 4.0, 1.0]; 3]));
        assert_eq!(corners("constant:0.5"), Ok([[0.5; 4]; 3]));
        let third = corners("0,0,1:1,1,1:2,2,2,2");
        assert_eq!(third, Ok([[0.0, 0.0, 1.0, 1.0], [1.0; 4], [2.0; 4]]));
        for text in ["", "a", "0,0,1:1,1,0", "1:2:3:4", "1,2,3,4,5", "inf"] {
            assert!(corners(text).is_err(), "{text}");
        }
    }
}
