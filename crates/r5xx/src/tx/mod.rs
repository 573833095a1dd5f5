//! The texture unit: textures as the registers describe them, and what programs fetch from them.

mod buffer_texture;
mod format;
mod kernel_texture;
mod levels;

pub use buffer_texture::BufferTexture;
pub use format::Select;
pub use kernel_texture::KernelTexture;

use crate::registers::{
    RegisterFile, RegisterType, TxBorderColor, TxEnable, TxFilter0, TxFilter1, TxFormat0, TxFormat1, TxFormat2,
    TxOffset,
};
use ctm_card::ObjectBytes;
use ctm_memory::Arena;
use ctm_raster::channel::{Channel, Words};
use ctm_raster::sampler::{DetailRange, Filter, MipFilter, Sampler, Texels, TextureKind, TextureShape, Wrap};
use ctm_x1k::fragments::{Fetch, QuadVector, TextureUnit};
use format::Format;
use levels::Level;

/// Units that there are.
const UNITS: usize = TxFilter0::COUNT as usize;
/// The bits of `TX_OFFSET` that are flags.
const OFFSET_FLAGS: u32 = 0x1F;

/// The textures that fragment programs fetch from.
pub struct Textures<'a> {
    units: [Option<Texture<'a>>; UNITS],
}

impl<'a> Textures<'a> {
    /// As the registers say. Units that are not enabled, have no object or an unknown format give zeros.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Self {
        let enabled = registers.get::<TxEnable>().units;
        let texture =
            |unit| if enabled >> unit & 1 != 0 { Texture::from_registers(registers, unit, memory) } else { None };
        Textures { units: std::array::from_fn(|unit| texture(unit as u32)) }
    }
}

impl Textures<'_> {
    /// The texture of a unit.
    pub fn unit(&self, unit: u8) -> Option<&Texture<'_>> {
        self.units.get(usize::from(unit))?.as_ref()
    }
}

impl TextureUnit for Textures<'_> {
    fn fetch(&self, fetch: &Fetch) -> QuadVector {
        self.unit(fetch.unit).map_or([[0; 4]; 4], |texture| texture.sample(fetch))
    }
}

/// What a channel of texels comes to that holds fractions without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelSource {
    /// A part of the stored texel.
    Bits(Channel),
    /// 0.
    Zero,
    /// 1.
    One,
}

/// A texture and how it is sampled.
pub struct Texture<'a> {
    memory: ObjectBytes<'a>,
    format: Format,
    /// Columns and rows of a block of texels, as binary logarithms, and its bytes.
    block: (u32, u32, u32),
    shape: TextureShape,
    levels: Vec<Level>,
    sampler: Sampler,
}

impl<'a> Texture<'a> {
    /// The texture of a unit; `None` if it has no object, or a format that there is not.
    pub fn from_registers(registers: &RegisterFile, unit: u32, memory: &'a Arena) -> Option<Self> {
        let binding = registers.binding::<TxOffset>(unit)?;
        let (format0, format2) = (registers.at::<TxFormat0>(unit), registers.at::<TxFormat2>(unit));
        let (format1, filter1) = (registers.at::<TxFormat1>(unit), registers.at::<TxFilter1>(unit));
        let format = Format::of(&format1, &format2, &filter1)?;
        let kind = match format1.kind {
            1 => TextureKind::Volume,
            2 => TextureKind::Cube,
            _ => TextureKind::Flat,
        };
        let extent = |low: u16, high: bool| (u32::from(low) | u32::from(high) << 11) + 1;
        let depth = if kind == TextureKind::Volume { 1 << format0.depth } else { 1 };
        let shape = TextureShape {
            kind,
            size: [extent(format0.width, format2.width_high), extent(format0.height, format2.height_high), depth],
            last_level: format0.last_level.into(),
        };
        let levels = levels::levels(&format.texel, &shape, &format0, &format2, &TxOffset::decode(binding.value));
        let border = registers.at::<TxBorderColor>(unit).value;
        let border = format.border(&format1, &format2, &filter1, border);
        let sampler = sampler(&registers.at::<TxFilter0>(unit), &filter1, border);
        let memory = ObjectBytes::new(memory, binding.object, binding.value & !OFFSET_FLAGS);
        let (width, height, bytes) = format.texel.block();
        let block = (width.trailing_zeros(), height.trailing_zeros(), bytes);
        Some(Texture { memory, format, block, shape, levels, sampler })
    }

    /// The bytes that it lies in.
    pub fn bytes(&self) -> &ObjectBytes<'a> {
        &self.memory
    }

    /// A level, and bytes of a block of texels.
    pub fn level(&self, level: u32) -> (&Level, u32) {
        (&self.levels[level as usize], self.block.2)
    }

    /// How it is sampled.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Its sizes.
    pub fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// Where a channel (red, green, blue, alpha) is stored, if it is a fraction without a sign.
    pub fn stored(&self, channel: usize) -> Option<ChannelSource> {
        self.format.stored(channel)
    }

    /// The block that a texel is stored in.
    #[inline]
    pub fn words(&self, level: u32, layer: u32, x: u32, y: u32) -> Words {
        let (width_log2, height_log2, bytes) = self.block;
        self.memory.read(self.levels[level as usize].offset(layer, x >> width_log2, y >> height_log2), bytes)
    }

    /// The levels of detail (bits) with which the program fetches.
    pub fn levels_of_detail(&self, fetch: &Fetch) -> [u32; 4] {
        fetch.levels_of_detail(&self.sampler, &self.shape)
    }

    /// What the program fetches.
    pub fn sample(&self, fetch: &Fetch) -> QuadVector {
        fetch.sample(&self.sampler, &self.shape, self)
    }
}

impl Texels for Texture<'_> {
    #[inline]
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        self.format.decode(&self.words(level, layer, x, y), x, y)
    }
}

fn sampler(filter0: &TxFilter0, filter1: &TxFilter1, border: [u32; 4]) -> Sampler {
    // Anisotropic filters are linear ones.
    let filter = |code: u8| if code == 1 { Filter::Point } else { Filter::Linear };
    // Ten bits with a sign. The driver adds one step to every bias.
    let steps = ((filter1.bias << 6).cast_signed() >> 6) - 1;
    Sampler {
        wrap: [filter0.wrap_s, filter0.wrap_t, filter0.wrap_r].map(wrap),
        magnification: filter(filter0.magnification),
        minification: filter(filter0.minification),
        mip: match filter0.mip {
            0 => MipFilter::None,
            1 => MipFilter::Point,
            _ => MipFilter::Linear,
        },
        finest: filter0.finest.into(),
        bias: (f32::from(steps) / 32.0).to_bits(),
        border,
        detail: DetailRange::UNBOUNDED,
        seamless: false,
    }
}

fn wrap(code: u8) -> Wrap {
    match code & 7 {
        0 => Wrap::Repeat,
        1 => Wrap::Mirror,
        2 => Wrap::ClampToEdge,
        3 => Wrap::MirrorOnceToEdge,
        4 => Wrap::Clamp,
        5 => Wrap::MirrorOnceClamp,
        6 => Wrap::ClampToBorder,
        _ => Wrap::MirrorOnceToBorder,
    }
}

#[cfg(test)]
mod tests;
