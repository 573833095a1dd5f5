//! What shaders depend on: uniforms, inputs and textures by their names.

use ctm_compile::front::{Interface, UniformKind, UniformPlace};
use ctm_compile::ir::{Environment, Fetch, FetchKind};
use naga::ScalarKind;

pub const QUAD: usize = 4;
/// A value of each invocation.
pub type Lanes = [f64; QUAD];

/// What kind of numbers a uniform has.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Float,
    Whole,
    Bool,
}

impl Kind {
    pub fn of(kind: ScalarKind) -> Kind {
        match kind {
            ScalarKind::Bool => Kind::Bool,
            ScalarKind::Sint | ScalarKind::Uint => Kind::Whole,
            _ => Kind::Float,
        }
    }
}

/// Column and row of an invocation.
pub fn position(lane: usize) -> [u32; 2] {
    [4 + lane as u32 % 2, 6 + lane as u32 / 2]
}

fn hash(name: &str, number: usize) -> u32 {
    let text = name.bytes().fold(2_166_136_261u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    (text ^ (number as u32).wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B) >> 16
}

/// A number of a uniform: floats are eighths from -2 to 2, whole numbers lie from 0 to 5.
pub fn uniform(name: &str, number: usize, kind: Kind) -> f64 {
    let hash = hash(name, number);
    match kind {
        Kind::Float => f64::from(hash % 33) / 8.0 - 2.0,
        Kind::Whole => f64::from(hash % 6),
        Kind::Bool => f64::from(hash % 2),
    }
}

/// A number of an interpolated input; it differs by eighths between invocations.
pub fn varying(name: &str, number: usize, lane: usize) -> f64 {
    uniform(name, number, Kind::Float) + 0.125 * f64::from(position(lane)[0] % 4)
        - 0.25 * f64::from(position(lane)[1] % 4)
}

/// A texture is smooth, so that rounding of coordinates matters little.
pub fn texel(name: &str, coordinates: &[f64], level: f64, texels: bool) -> [f64; 4] {
    let scale = if texels { 0.1 } else { 1.0 };
    std::array::from_fn(|channel| {
        let phase = uniform(name, channel, Kind::Float);
        let along: f64 =
            coordinates.iter().enumerate().map(|(i, coordinate)| coordinate * scale * (1.0 + i as f64 * 0.5)).sum();
        0.5 + 0.5 * (along + phase + 0.25 * level).sin()
    })
}

/// The same, for a function with its interface.
pub struct World {
    constants: Vec<[f64; 4]>,
    varyings: Vec<(String, usize)>,
    /// Names, by unit.
    textures: Vec<String>,
}

impl World {
    pub fn new(interface: &Interface) -> World {
        let mut world = World { constants: vec![[0.0; 4]; 256], varyings: Vec::new(), textures: Vec::new() };
        for entry in &interface.uniforms {
            let kind = match entry.kind {
                UniformKind::Float => Kind::Float,
                UniformKind::Int | UniformKind::Uint => Kind::Whole,
                UniformKind::Bool => Kind::Bool,
            };
            let (columns, rows) = (usize::from(entry.columns), usize::from(entry.rows));
            let UniformPlace { register, channel } = entry.place;
            for column in 0..columns * entry.elements.unwrap_or(1) as usize {
                for row in 0..rows {
                    let value = uniform(&entry.name, column * rows + row, kind);
                    world.constants[usize::from(register) + column][usize::from(channel) + row] = value;
                }
            }
        }
        for varying in &interface.varyings {
            let end = usize::from(varying.slot + varying.slots);
            world.varyings.resize(world.varyings.len().max(end), (String::new(), 0));
            for slot in 0..usize::from(varying.slots) {
                world.varyings[usize::from(varying.slot) + slot] =
                    (varying.name.clone(), slot * usize::from(varying.channels));
            }
        }
        world.textures = interface.textures.iter().map(|texture| texture.name.clone()).collect();
        world
    }

    /// The name of a texture by its unit.
    pub fn texture(&self, unit: u8) -> &str {
        &self.textures[usize::from(unit)]
    }
}

impl Environment for World {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        (self.constants[usize::from(register)][usize::from(channel)] as f32).to_bits()
    }
    fn boolean(&self, _: u8) -> bool {
        unreachable!("the languages have no boolean constants")
    }
    fn passes(&self, _: u8) -> u32 {
        0
    }
    fn position(&self) -> [u32; 2] {
        position(0)
    }
    fn varying(&self, slot: u8, channel: u8) -> [u32; QUAD] {
        let (name, number) = &self.varyings[usize::from(slot)];
        std::array::from_fn(|lane| (varying(name, number + usize::from(channel), lane) as f32).to_bits())
    }
    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        let name = self.texture(fetch.unit);
        let lanes: [[f64; 4]; QUAD] = std::array::from_fn(|lane| {
            let arg = |i: usize| f64::from(f32::from_bits(args[i][lane]));
            let count = usize::from(fetch.coordinates);
            let divisor = if fetch.kind == FetchKind::Project { arg(count) } else { 1.0 };
            let level = if matches!(fetch.kind, FetchKind::Level | FetchKind::Bias) { arg(count) } else { 0.0 };
            let coordinates: Vec<_> = (0..count).map(|i| arg(i) / divisor).collect();
            texel(name, &coordinates, level, !fetch.scaled)
        });
        std::array::from_fn(|channel| std::array::from_fn(|lane| (lanes[lane][channel] as f32).to_bits()))
    }
}
