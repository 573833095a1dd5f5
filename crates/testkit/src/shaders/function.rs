//! What the functions that front ends make of shaders compute, by the evaluator.

use super::{BACKGROUND, Language, Shader};
use ctm_compile::front::naga::{Interface, ReadFailure, UniformKind, UniformPlace, read_glsl, read_wgsl};
use ctm_compile::ir::{self, Environment, Fetch, FetchKind, Function, Output, QUAD, Stop};
use std::collections::BTreeMap;

/// Instructions and passes that a quad may take.
const STEPS: u64 = 10_000_000;

/// The macro that the sources have for the position of the pixel.
pub const MACROS: [(&str, &str); 1] = [("IJ", "vec2(ctm_Pixel)")];

/// Reads a shader.
///
/// # Errors
/// What is wrong with it.
pub fn read(shader: &Shader) -> Result<ctm_compile::front::naga::Shader, ReadFailure> {
    let macros = MACROS.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let module = match shader.language {
        Language::Glsl => read_glsl(&shader.text, &macros)?,
        Language::Wgsl => read_wgsl(&shader.text)?,
    };
    module.lower(None)
}

/// The values of a shader's uniforms in constants.
#[derive(Debug, Default)]
pub struct Constants {
    /// Float constants by register.
    pub floats: BTreeMap<u8, [f32; 4]>,
    /// Boolean constants by number.
    pub booleans: BTreeMap<u8, bool>,
}

impl Constants {
    /// Puts them where a program expects them.
    ///
    /// # Errors
    /// The name of one that the shader's file has no values for, or not the right number.
    pub fn of(shader: &Shader, interface: &Interface) -> Result<Self, String> {
        let mut constants = Constants::default();
        for uniform in &interface.uniforms {
            let values = shader.uniforms.iter().find(|(name, _)| *name == uniform.name).map(|(_, values)| values);
            let values = values.ok_or_else(|| format!("no values for the uniform {}", uniform.name))?;
            match uniform.place {
                UniformPlace::Boolean(index) => {
                    constants.booleans.insert(index, values[0] != 0.0);
                }
                UniformPlace::Constants { register, channel } => {
                    let rows = usize::from(uniform.rows);
                    for (number, column) in values.chunks(rows).enumerate() {
                        let register = constants.floats.entry(register + number as u8).or_default();
                        for (row, &value) in column.iter().enumerate() {
                            let is_true = uniform.kind == UniformKind::Bool && value != 0.0;
                            register[usize::from(channel) + row] = if is_true { 1.0 } else { value };
                        }
                    }
                }
            }
        }
        for texture in &interface.textures {
            let Some((register, channel)) = texture.size else { continue };
            let found = shader.textures.iter().find(|known| known.name == texture.name);
            let found = found.ok_or_else(|| format!("no texture {}", texture.name))?;
            let register = constants.floats.entry(register).or_default();
            for (place, side) in register[usize::from(channel)..].iter_mut().zip([found.width, found.height]) {
                *place = side as f32;
            }
        }
        Ok(constants)
    }
}

/// The place among a shader's textures of what a program reads as input `unit`.
pub fn texture_of(shader: &Shader, interface: &Interface, unit: usize) -> Option<usize> {
    let texture = interface.textures.iter().find(|texture| usize::from(texture.unit) == unit)?;
    shader.textures.iter().position(|known| known.name == texture.name)
}

struct Surroundings<'a> {
    shader: &'a Shader,
    interface: &'a Interface,
    constants: &'a Constants,
    texels: &'a [Vec<f32>],
    at: [u32; 2],
}

impl Environment for Surroundings<'_> {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        self.constants.floats.get(&register).map_or(0, |values| values[usize::from(channel)].to_bits())
    }

    fn boolean(&self, index: u8) -> bool {
        self.constants.booleans.get(&index).copied().unwrap_or_default()
    }

    fn passes(&self, _: u8) -> u32 {
        unreachable!("the languages have no integer constants")
    }

    fn position(&self) -> [u32; 2] {
        self.at
    }

    fn varying(&self, _: u8, _: u8) -> [u32; QUAD] {
        unreachable!("the shaders have no varyings")
    }

    fn fetch(&self, fetch: &Fetch, args: &[[u32; QUAD]]) -> [[u32; QUAD]; 4] {
        let place = texture_of(self.shader, self.interface, fetch.unit.into()).expect("the texture is there");
        let (texture, texels) = (&self.shader.textures[place], &self.texels[place]);
        let mut channels = [[0; QUAD]; 4];
        for lane in 0..QUAD {
            let side = |axis: usize, side: u32| {
                let mut at = f32::from_bits(args[axis][lane]);
                if fetch.kind == FetchKind::Project {
                    at /= f32::from_bits(args[usize::from(fetch.coordinates)][lane]);
                }
                at *= if fetch.scaled { side as f32 } else { 1.0 };
                (at.floor() as i64).clamp(0, i64::from(side) - 1) as usize
            };
            let (x, y) = (side(0, texture.width), side(1, texture.height));
            let texel = &texels[(y * texture.width as usize + x) * 4..][..4];
            for (channel, value) in channels.iter_mut().zip(texel) {
                channel[lane] = value.to_bits();
            }
        }
        channels
    }
}

/// The pictures of a function, one for each output, where pixels are kept; other pixels are the background.
///
/// # Errors
/// If it takes too long, or has a uniform without values.
pub fn pictures(shader: &Shader, interface: &Interface, function: &Function) -> Result<Vec<Vec<[f32; 4]>>, String> {
    let constants = Constants::of(shader, interface)?;
    let texels: Vec<_> = shader.textures.iter().map(super::Texture::texels).collect();
    let (width, height) = shader.size;
    let mut pictures = vec![vec![[BACKGROUND; 4]; (width * height) as usize]; shader.outputs as usize];
    let mut quads: Vec<_> = shader.places().iter().map(|&(i, j)| (i & !1, j & !1)).collect();
    quads.sort_unstable();
    quads.dedup();
    for (i, j) in quads {
        let surroundings = Surroundings { shader, interface, constants: &constants, texels: &texels, at: [i, j] };
        let outcome = ir::eval(function, &surroundings, STEPS).map_err(|stop: Stop| stop.to_string())?;
        for lane in (0..QUAD).filter(|&lane| !outcome.killed[lane]) {
            let pixel = ((j + lane as u32 / 2) * width + i + lane as u32 % 2) as usize;
            for (output, bits) in function.outputs.iter().zip(&outcome.outputs) {
                let Output::Colour { slot, channel } = *output else { continue };
                if let Some(picture) = pictures.get_mut(usize::from(slot)) {
                    picture[pixel][usize::from(channel)] = f32::from_bits(bits[lane]);
                }
            }
        }
    }
    Ok(pictures)
}
