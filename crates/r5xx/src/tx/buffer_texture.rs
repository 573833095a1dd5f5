//! Textures whose texels kernels read as words of a buffer: of any number of levels, faces and slices.

use super::{ChannelSource, Texture};
use crate::layout::Layout;
use ctm_memory::{Buffer, Space};
use ctm_raster::sampler::{Sampler, TextureKind, TextureShape, Wrap};
use ctm_raster::texel::TexelFormat;

/// A texture of fractions without a sign, of at most four bytes for each texel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferTexture {
    /// Its levels, from the finest one that is used to the coarsest.
    pub levels: Vec<BufferLevel>,
    /// How it is sampled.
    pub sampler: Sampler,
    /// Its sizes.
    pub shape: TextureShape,
    /// Bytes of a texel: 1, 2 or 4.
    pub bytes: u32,
    /// What red, green, blue and alpha are.
    pub channels: [ChannelSource; 4],
}

/// A level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferLevel {
    /// Bytes from the texture's beginning.
    pub begin: u32,
    /// Bytes of a face or slice.
    pub layer: u32,
    /// How texels lie in it.
    pub layout: Layout,
}

impl BufferTexture {
    /// A level that is used.
    pub fn level(&self, number: u32) -> &BufferLevel {
        &self.levels[(number - self.sampler.finest) as usize]
    }
}

impl Texture<'_> {
    /// The texture as one of these, if it can be one.
    pub fn in_buffer(&self) -> Option<BufferTexture> {
        let TexelFormat::Plain { bytes: bytes @ (1 | 2 | 4), .. } = self.format.texel else { return None };
        // Kernels read whole words.
        if !self.memory.size().is_multiple_of(4) {
            return None;
        }
        let [red, green, blue, alpha] = [0, 1, 2, 3].map(|channel| self.stored(channel));
        let finest = self.sampler.finest.min(self.shape.last_level);
        let level = |number: u32| {
            let level = &self.levels[number as usize];
            let end = level.layer_offset(self.shape.layers(number));
            let begin = level.layer_offset(0);
            let layer = level.layer_offset(1) - begin;
            u32::try_from(end).ok()?;
            Some(BufferLevel { begin: begin as u32, layer: layer as u32, layout: *level.layout() })
        };
        let levels = (finest..=self.shape.last_level).map(level).collect::<Option<_>>()?;
        // What a kernel does not depend on is the same in all of its keys.
        let mut wrap = self.sampler.wrap;
        if self.shape.kind != TextureKind::Volume {
            wrap[2] = Wrap::ClampToEdge;
        }
        let border = if wrap.into_iter().any(has_border) { self.sampler.border } else { [0; 4] };
        let sampler = Sampler { wrap, finest, border, ..self.sampler };
        Some(BufferTexture { levels, sampler, shape: self.shape, bytes, channels: [red?, green?, blue?, alpha?] })
    }

    /// The words that it lies in, up to the end of its object.
    pub fn buffer<'s>(&self, space: &'s Space) -> Option<Buffer<'s>> {
        self.memory.buffer(space)
    }
}

/// Whether what lies outside of a texture may be its border.
fn has_border(wrap: Wrap) -> bool {
    match wrap {
        Wrap::Repeat | Wrap::Mirror | Wrap::ClampToEdge | Wrap::MirrorOnceToEdge => false,
        Wrap::Clamp | Wrap::ClampToBorder | Wrap::MirrorOnceClamp | Wrap::MirrorOnceToBorder => true,
    }
}
