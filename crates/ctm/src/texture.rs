//! Inputs that are sampled as the textures of a card are.

use crate::Error;
use ctm_array::{Array, Shape};
use ctm_memory::{Space, Surface, Tiling};
use ctm_x1k::InputSampler;
use ctm_x1k::sampler::{Sampler, TextureKind, TextureShape};

/// An input of an X1K program as a texture with a sampler. Without one, an input gives the nearest element.
#[derive(Clone, Debug)]
pub struct Texture {
    kind: TextureKind,
    layers: u32,
    sampler: Sampler,
    /// Finest first; slices or faces lie one below the other.
    levels: Vec<Array>,
}

impl Texture {
    /// A picture.
    pub fn flat(array: Array, sampler: Sampler) -> Self {
        Texture { kind: TextureKind::Flat, layers: 1, sampler, levels: vec![array] }
    }

    /// So many slices, which lie one below the other in the array.
    pub fn volume(array: Array, slices: u32, sampler: Sampler) -> Self {
        Texture { kind: TextureKind::Volume, layers: slices, sampler, levels: vec![array] }
    }

    /// Six square faces, which lie one below the other in the array: +x, -x, +y, -y, +z, -z.
    pub fn cube(array: Array, sampler: Sampler) -> Self {
        Texture { kind: TextureKind::Cube, layers: 6, sampler, levels: vec![array] }
    }

    /// The next level, with half the sides of the one before, rounded down. Levels count where the sampler has a filter between them.
    pub fn level(mut self, array: Array) -> Self {
        self.levels.push(array);
        self
    }

    /// Gives the levels memory: the surface of the finest, its shape, and how it is sampled.
    pub(crate) fn place(&self, input: u8, space: &mut Space) -> Result<(Surface, Shape, InputSampler), Error> {
        let first = self.levels[0].shape;
        let height = first.height as u32 / self.layers.max(1);
        let depth = if self.kind == TextureKind::Volume { self.layers } else { 1 };
        let last_level = self.levels.len() as u32 - 1;
        let shape = TextureShape { kind: self.kind, size: [first.width as u32, height, depth], last_level };
        let is_whole = height > 0 && first.height as u32 == height * self.layers;
        let refused = |level: u32, wanted: String| {
            let Shape { width, height, .. } = self.levels[level as usize].shape;
            Error::Texture { input, level, width, height, wanted }
        };
        match self.kind {
            TextureKind::Cube if !is_whole || shape.size[0] != height => {
                return Err(refused(0, "six square faces one below the other".to_owned()));
            }
            TextureKind::Volume if !is_whole => {
                return Err(refused(0, format!("{} slices of the same height one below the other", self.layers)));
            }
            TextureKind::Flat | TextureKind::Volume | TextureKind::Cube => {}
        }
        let mut surfaces = Vec::new();
        for (level, array) in (0..).zip(&self.levels) {
            let [width, height, _] = shape.level_size(level);
            let rows = height * shape.layers(level);
            if (array.shape.width as u32, array.shape.height as u32) != (width, rows) {
                return Err(refused(level, format!("{width}x{rows}")));
            }
            let surface = ctm_array::surface_for(array, Tiling::Linear)?;
            let surface = Surface { base: space.append(surface.bytes())?, ..surface };
            ctm_array::upload(array, space, surface)?;
            surfaces.push(surface);
        }
        let levels = surfaces.split_off(1);
        Ok((surfaces[0], first, InputSampler { sampler: self.sampler, shape, levels }))
    }
}
