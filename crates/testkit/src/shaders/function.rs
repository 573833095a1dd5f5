//! What the functions that the compiler makes of shaders compute, by the evaluator.

use super::compiled::{Constants, texture_of};
use super::{BACKGROUND, Shader};
use ctm_compile::front::Interface;
use ctm_compile::ir::{self, Environment, Fetch, FetchKind, Function, Output, QUAD, Stop};

/// Instructions and passes that a quad may take.
const STEPS: u64 = 10_000_000;

struct ShaderEnvironment<'a> {
    shader: &'a Shader,
    interface: &'a Interface,
    constants: &'a Constants,
    texels: &'a [Vec<f32>],
    at: [u32; 2],
}

impl Environment for ShaderEnvironment<'_> {
    fn uniform(&self, register: u8, channel: u8) -> u32 {
        self.constants.0.get(&register).map_or(0, |values| values[usize::from(channel)].to_bits())
    }

    fn boolean(&self, _: u8) -> bool {
        unreachable!("the languages have no boolean constants")
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
        let surroundings = ShaderEnvironment { shader, interface, constants: &constants, texels: &texels, at: [i, j] };
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
