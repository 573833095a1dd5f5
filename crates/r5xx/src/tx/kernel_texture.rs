//! Textures as surfaces that kernels load from: one level in two dimensions, of formats and layouts that surfaces have.

use super::{Select, Texture};
use crate::surface::surface_of;
use ctm_memory::{Bounds, Format, Space, Surface};
use ctm_raster::channel::{Channel, ChannelKind};
use ctm_raster::sampler::{Filter, MipFilter, Sampler, TextureKind, Wrap};
use ctm_raster::texel::TexelFormat;

/// A texture of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelTexture {
    /// Its texels.
    pub surface: Surface,
    /// Texels across.
    pub width: u32,
    /// Nearest texels, or four of them. The latter are fractions of 8 bits.
    pub filter: Filter,
    /// What coordinates outside mean: [`Wrap::ClampToEdge`] or [`Wrap::Repeat`].
    pub wrap: [Wrap; 2],
    /// What red, green, blue and alpha are.
    pub selects: [Select; 4],
}

impl KernelTexture {
    /// The same texture at base 0.
    pub fn at_base_0(self) -> Self {
        KernelTexture { surface: Surface { base: 0, ..self.surface }, ..self }
    }
}

impl Texture<'_> {
    /// The texture as a surface of this memory, if it can be one.
    pub fn area(&self, space: &Space) -> Option<KernelTexture> {
        let Sampler { wrap, magnification, minification, mip, finest, .. } = self.sampler;
        let level = finest.min(self.shape.last_level);
        let one_level = mip == MipFilter::None || level == self.shape.last_level;
        let one_filter = magnification == minification;
        if self.shape.kind != TextureKind::Flat || !one_level || !one_filter || self.format.has_gamma() {
            return None;
        }
        let (format, components) = surface_format(&self.format.texel)?;
        if magnification == Filter::Linear && format != Format::Uint8_4 {
            return None;
        }
        let selects = self.format.selects();
        let is_stored = |select: &Select| !matches!(select, Select::Component(number) if *number >= components);
        let wrap = [wrap[0], wrap[1]];
        if !selects.iter().all(is_stored) || !wrap.iter().all(is_simple) {
            return None;
        }
        let [width, height, _] = self.shape.level_size(level);
        let (tiling, pitch) = self.levels[level as usize].surface()?;
        let begin = self.levels[level as usize].offset(0, 0, 0);
        let surface = surface_of(
            &self.memory,
            space,
            begin,
            Surface { base: 0, pitch, height, tiling, superfine: false, format },
            Bounds::Clamp,
        )?;
        Some(KernelTexture { surface, width, filter: magnification, wrap, selects })
    }
}

/// Whether kernels know a wrap.
fn is_simple(wrap: &Wrap) -> bool {
    matches!(wrap, Wrap::ClampToEdge | Wrap::Repeat)
}

/// The surface format with these components, and how many it has.
fn surface_format(texel: &TexelFormat) -> Option<(Format, usize)> {
    let TexelFormat::Plain { components, .. } = texel else { return None };
    let is = |width: u32, kind: ChannelKind, count: usize| {
        (0..4).all(|n| {
            let expected = (n < count).then(|| Channel::new(n as u32 * width, width, kind));
            components[n] == expected
        })
    };
    [
        (Format::Uint8_4, 8, ChannelKind::Unorm, 4),
        (Format::Float32_1, 32, ChannelKind::Float32, 1),
        (Format::Float32_2, 32, ChannelKind::Float32, 2),
        (Format::Float32_4, 32, ChannelKind::Float32, 4),
    ]
    .into_iter()
    .find(|&(_, width, kind, count)| is(width, kind, count))
    .map(|(format, _, _, count)| (format, count))
}
