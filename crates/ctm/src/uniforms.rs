//! The uniforms of a shader that runs: what is given for them, what their names mean, what the source says.

use crate::Error;
use ctm_compile::front::{Interface, Moment, TextureKind, Uniform, UniformKind};
use ctm_x1k::sampler::TextureShape;
use std::collections::BTreeMap;

/// Frames in a second, for uniforms that count them.
const RATE: f32 = 60.0;

/// The uniforms of a shader over a rectangle of pixels.
#[derive(Clone, Debug)]
pub(crate) struct Uniforms {
    interface: Interface,
    given: BTreeMap<String, Vec<f32>>,
    moment: Moment,
}

impl Uniforms {
    pub fn new(interface: Interface, size: [u32; 2]) -> Self {
        let (mouse, channels) = ([0.0; 4], Default::default());
        let moment = Moment { size, frame: 0, seconds: 0.0, rate: RATE, mouse, channels };
        Uniforms { interface, given: BTreeMap::new(), moment }
    }

    /// The shader's names.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Gives a uniform its value: a number for each channel, column and element, or one for all.
    ///
    /// # Errors
    /// There is no such uniform, or it has another number of numbers, or takes whole ones.
    pub fn give(&mut self, name: &str, values: &[f32]) -> Result<(), Error> {
        let uniforms = &self.interface.uniforms;
        let names = || uniforms.iter().map(|uniform| uniform.name.as_str());
        let found = uniforms.iter().find(|uniform| uniform.name == name);
        let uniform = found.ok_or_else(|| Error::unknown_name("uniform", name, names()))?;
        let expected = numbers(uniform);
        let values = match *values {
            [single] => vec![single; expected],
            _ if values.len() == expected => values.to_vec(),
            _ => return Err(Error::UniformSize { name: name.to_owned(), expected, found: values.len() }),
        };
        if uniform.kind != UniformKind::Float && values.iter().any(|value| value.fract() != 0.0) {
            return Err(Error::UniformWhole { name: name.to_owned() });
        }
        self.given.insert(name.to_owned(), values);
        Ok(())
    }

    /// The time of the picture, for uniforms that are called as a time or a frame is.
    pub fn set_time(&mut self, seconds: f32) {
        self.moment.seconds = seconds;
        self.moment.frame = (seconds * RATE) as u32;
    }

    /// Where the mouse is, and where its button was pressed, for uniforms that are called so.
    pub fn set_mouse(&mut self, mouse: [f32; 4]) {
        self.moment.mouse = mouse;
    }

    /// Sets the constants that are uniforms or hold what the program asks of its textures.
    pub fn fill(&self, sizes: &BTreeMap<u8, TextureShape>, constants: &mut BTreeMap<u8, [f32; 4]>) {
        let mut moment = self.moment;
        moment.set_channels(&self.interface, |unit| sizes.get(&unit).map(|shape| shape.size));
        for uniform in &self.interface.uniforms {
            let given = self.given.get(&uniform.name).cloned();
            let values = given.or_else(|| moment.value(uniform)).unwrap_or_else(|| uniform.default.clone());
            let (place, rows) = (uniform.place, usize::from(uniform.rows));
            let values = values.into_iter().chain(std::iter::repeat(0.0)).take(numbers(uniform));
            for (number, value) in values.enumerate() {
                let constant = constants.entry(place.register + (number / rows) as u8).or_default();
                constant[usize::from(place.channel) + number % rows] = value;
            }
        }
        for texture in &self.interface.textures {
            let Some(shape) = sizes.get(&texture.unit) else { continue };
            let sides = if texture.kind == TextureKind::Volume { 3 } else { 2 };
            let mut set = |place: Option<(u8, u8)>, values: &[u32]| {
                let Some((register, channel)) = place else { return };
                for (value, channel) in values.iter().zip(usize::from(channel)..) {
                    constants.entry(register).or_default()[channel] = *value as f32;
                }
            };
            set(texture.size, &shape.size[..sides]);
            set(texture.levels, &[shape.last_level + 1]);
        }
    }
}

/// How many numbers a uniform has.
fn numbers(uniform: &Uniform) -> usize {
    usize::from(uniform.columns) * usize::from(uniform.rows) * uniform.elements.unwrap_or(1) as usize
}
