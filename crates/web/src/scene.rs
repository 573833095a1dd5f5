//! What a picture is made with: size, constants, uniforms, inputs.

use ctm_array::{Array, Data, Shape};
use ctm_compile::front::{Interface, Moment, UniformPlace};
use ctm_x1k::Constants;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Frames in a second, for uniforms that count them.
const RATE: f32 = 60.0;

/// Everything that a picture depends on beside its program.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Scene {
    /// Columns of the picture.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Float constants by number, in place of those of the text.
    pub constants: BTreeMap<u8, [f32; 4]>,
    /// Uniforms by name: a number for each channel, column and element.
    pub uniforms: BTreeMap<String, Vec<f32>>,
    /// Seconds, for uniforms that are called as a time is.
    pub seconds: f32,
    /// Column and row of the mouse, and of the last press of its button, for uniforms that are called so.
    pub mouse: [f32; 4],
    /// What the inputs of the picture's program hold, by number.
    pub inputs: BTreeMap<u8, InputContent>,
    /// The same of the buffers, in the order in which they run.
    pub buffers: Vec<BTreeMap<u8, InputContent>>,
    /// The buffer that is shown in place of the picture.
    pub shown: Option<usize>,
}

impl Default for Scene {
    fn default() -> Self {
        Scene {
            width: 256,
            height: 256,
            constants: BTreeMap::new(),
            uniforms: BTreeMap::new(),
            seconds: 0.0,
            mouse: [0.0; 4],
            inputs: BTreeMap::new(),
            buffers: Vec::new(),
            shown: None,
        }
    }
}

impl Scene {
    /// What the inputs of a program hold: that of a buffer, by its place in the order in which they run, or that of the picture.
    pub fn inputs_of(&self, buffer: Option<usize>) -> Option<&BTreeMap<u8, InputContent>> {
        buffer.map_or(Some(&self.inputs), |buffer| self.buffers.get(buffer))
    }

    /// Whether pictures of this scene can follow those of another one as frames of the same buffers.
    pub fn follows(&self, other: &Scene) -> bool {
        let shape = |scene: &Scene| (scene.width, scene.height, scene.inputs.clone(), scene.buffers.clone());
        self.seconds >= other.seconds && shape(self) == shape(other)
    }
}

/// What an input holds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum InputContent {
    /// Something that does not change.
    Pattern(Pattern),
    /// The picture of a buffer.
    Buffer {
        /// Its name.
        buffer: String,
    },
}

impl Default for InputContent {
    fn default() -> Self {
        InputContent::Pattern(Pattern::default())
    }
}

/// What an input holds that reads no buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Red from left to right, green from top to bottom.
    Gradient,
    /// Squares.
    #[default]
    Checker,
    /// Random gray values.
    Noise,
    /// Black and white cells, a third of them white.
    Cells,
    /// The picture that was given for this input; squares without one.
    Picture,
}

impl Pattern {
    /// Its values, as bytes.
    pub fn array(self, width: u32, height: u32) -> Array {
        let texel = |x: u32, y: u32| match self {
            Pattern::Gradient => [255 * x / (width - 1).max(1), 255 * y / (height - 1).max(1), 128, 255],
            Pattern::Checker | Pattern::Picture => match (x / 16 + y / 16) % 2 {
                0 => [48, 56, 72, 255],
                _ => [224, 216, 200, 255],
            },
            Pattern::Noise => [noise(x, y), noise(x, y), noise(x, y), 255],
            Pattern::Cells => [255 * u32::from(noise(x, y) < 85); 4],
        };
        let bytes = (0..height).flat_map(|y| (0..width).flat_map(move |x| texel(x, y).map(|value| value as u8)));
        Array {
            shape: Shape { width: width as usize, height: height as usize, channels: 4 },
            data: Data::U8(bytes.collect()),
        }
    }
}

/// A number from 0 to 255 that looks random: some rounds of multiplication and shifts over the position.
fn noise(x: u32, y: u32) -> u32 {
    let mut state = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    for _ in 0..2 {
        state = (state ^ state >> 15).wrapping_mul(0x2C1B_3C6D);
        state = (state ^ state >> 12).wrapping_mul(0x297A_2D39);
    }
    state >> 24
}

/// Sets the constants of a shader's uniforms: those that the scene gives, else those that have a meaning by their names, else those of the
/// source; sizes of textures by themselves.
///
/// `frame` is the number of the frame; `None` is that of the seconds.
pub fn set_uniforms(
    interface: &Interface,
    scene: &Scene,
    frame: Option<u32>,
    sizes: &BTreeMap<u8, [u32; 2]>,
    constants: &mut Constants,
) {
    let mut moment = Moment {
        size: [scene.width, scene.height],
        frame: frame.unwrap_or((scene.seconds * RATE) as u32),
        seconds: scene.seconds,
        rate: RATE,
        mouse: scene.mouse,
        channels: Default::default(),
    };
    moment.set_channels(interface, |unit| sizes.get(&unit).map(|&[width, height]| [width, height, 1]));
    for uniform in &interface.uniforms {
        let given = scene.uniforms.get(&uniform.name).cloned();
        let values = given.or_else(|| moment.value(uniform)).unwrap_or_else(|| uniform.default.clone());
        let UniformPlace { register, channel } = uniform.place;
        let columns = usize::from(uniform.columns) * uniform.elements.unwrap_or(1) as usize;
        for (i, column) in values.chunks(usize::from(uniform.rows)).take(columns).enumerate() {
            for (k, value) in column.iter().enumerate() {
                constants.floats[usize::from(register) + i][usize::from(channel) + k] = value.to_bits();
            }
        }
    }
    for texture in &interface.textures {
        if let (Some((register, channel)), Some(size)) = (texture.size, sizes.get(&texture.unit)) {
            for (i, side) in size.iter().enumerate() {
                constants.floats[usize::from(register)][usize::from(channel) + i] = (*side as f32).to_bits();
            }
        }
        if let Some((register, channel)) = texture.levels {
            constants.floats[usize::from(register)][usize::from(channel)] = 1f32.to_bits();
        }
    }
}
