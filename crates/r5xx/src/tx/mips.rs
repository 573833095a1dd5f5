//! Textures of several levels whose texels kernels read as words.

use super::kernel_texture::{is_simple, surface_format};
use super::{Select, Texture};
use crate::layout::Layout;
use ctm_memory::{Buffer, Format, Space};
use ctm_raster::sampler::{Sampler, TextureKind, TextureShape, Wrap};

/// A texture of four bytes for each texel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MipTexture {
    /// Its levels, from the finest one that is used to the coarsest.
    pub levels: Vec<MipLevel>,
    /// How it is sampled. Biases are those of levels of detail already.
    pub sampler: Sampler,
    /// Its sizes.
    pub shape: TextureShape,
    /// What red, green, blue and alpha are.
    pub selects: [Select; 4],
}

/// A level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MipLevel {
    /// Bytes from the texture's beginning.
    pub begin: u32,
    /// How texels lie in it.
    pub layout: Layout,
}

impl MipTexture {
    /// The number of the first of its levels.
    pub fn finest(&self) -> u32 {
        self.sampler.finest
    }
}

impl Texture<'_> {
    /// The texture as one of these, if it can be one.
    pub fn mips(&self) -> Option<MipTexture> {
        let is_plain = matches!(surface_format(&self.format.texel)?, (Format::Uint8_4, _));
        let is_known = self.sampler.wrap[..2].iter().all(is_simple);
        if self.shape.kind != TextureKind::Flat || self.format.has_gamma() || !is_plain || !is_known {
            return None;
        }
        let finest = self.sampler.finest.min(self.shape.last_level);
        let level = |number: u32| {
            let level = &self.levels[number as usize];
            Some(MipLevel { begin: u32::try_from(level.layer_offset(0)).ok()?, layout: *level.layout() })
        };
        let levels = (finest..=self.shape.last_level).map(level).collect::<Option<_>>()?;
        // What a kernel does not depend on is the same in all of its keys.
        let [wrap_s, wrap_t, _] = self.sampler.wrap;
        let wrap = [wrap_s, wrap_t, Wrap::ClampToEdge];
        let sampler = Sampler { wrap, finest, bias: 0, border: [0; 4], ..self.sampler };
        Some(MipTexture { levels, sampler, shape: self.shape, selects: self.format.selects() })
    }

    /// The words that it lies in, up to the end of its object.
    pub fn buffer<'s>(&self, space: &'s Space) -> Option<Buffer<'s>> {
        self.memory.buffer(space)
    }
}
