//! Textures of several levels whose texels kernels read as words.

use super::area::{is_simple, surface_format};
use super::{Select, Texture};
use crate::layout::Layout;
use ctm_memory::{Buffer, Format, Space};
use ctm_raster::sampler::{Filter, MipFilter, Sampler, TextureKind, Wrap};

/// A texture of four bytes for each texel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MipTexture {
    /// Its levels, from the finest one that is used to the coarsest.
    pub levels: Vec<MipLevel>,
    /// The number of the first.
    pub finest: u32,
    /// Filter of levels of detail up to 0.
    pub magnification: Filter,
    /// Filter of the others.
    pub minification: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// What coordinates outside mean: [`Wrap::ClampToEdge`] or [`Wrap::Repeat`].
    pub wrap: [Wrap; 2],
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
    /// Texels across and down.
    pub size: [u32; 2],
}

impl Texture<'_> {
    /// The texture as one of these, if it can be one.
    pub fn mips(&self) -> Option<MipTexture> {
        let Sampler { wrap, magnification, minification, mip, finest, .. } = self.sampler;
        let is_plain = matches!(surface_format(&self.format.texel)?, (Format::Uint8_4, _));
        let wrap = [wrap[0], wrap[1]];
        if self.shape.kind != TextureKind::Flat || self.format.has_gamma() || !is_plain || !wrap.iter().all(is_simple) {
            return None;
        }
        let finest = finest.min(self.shape.last_level);
        let level = |number: u32| {
            let level = &self.levels[number as usize];
            let [width, height, _] = self.shape.level_size(number);
            let begin = u32::try_from(level.layer_offset(0)).ok()?;
            Some(MipLevel { begin, layout: *level.layout(), size: [width, height] })
        };
        let levels = (finest..=self.shape.last_level).map(level).collect::<Option<_>>()?;
        let selects = self.format.selects();
        Some(MipTexture { levels, finest, magnification, minification, mip, wrap, selects })
    }

    /// The words that it lies in, up to the end of its object.
    pub fn buffer<'s>(&self, space: &'s Space) -> Option<Buffer<'s>> {
        self.memory.buffer(space)
    }
}
