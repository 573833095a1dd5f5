//! Formats of texels: sizes of components, and what they stand for.
//!
//! Sources: envytools' rnndb `gm107_texture.xml` (component sizes); Mesa `nv50_formats.c`.

use super::header::{ComponentSource, ComponentType, TextureHeader};
use ctm_num::convert::f16_to_f32;
use ctm_raster::blocks::BlockFormat;
use ctm_raster::bptc::BptcFormat;
use ctm_raster::srgb;

/// A stored texel or block: up to 16 bytes.
pub type Stored = [u32; 4];

const ONE: u32 = 0x3F80_0000;

/// The layout of texels or blocks that a code of component sizes stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Components of so many bits from the lowest bit on, of which each lies in one word; and bytes of a texel.
    Plain([u8; 4], u8),
    /// Three numbers of 9 bits with an exponent of 5.
    SharedExponent,
    /// Two texels side by side with green of their own and common red and blue: bytes green, red, green, blue if true, else red, green, blue, green.
    Subsampled(bool),
    /// Blocks of 4 x 4 texels.
    Blocks(BlockFormat),
    /// Blocks of 4 x 4 texels.
    Bptc(BptcFormat),
}

/// A format of component sizes.
struct Sizes {
    code: u8,
    name: &'static str,
    layout: Layout,
    /// The component that is depth.
    depth: u8,
}

macro_rules! sizes {
    ($($code:literal $name:literal $layout:expr, $depth:literal;)*) => {
        const SIZES: &[Sizes] = &[$(Sizes { code: $code, name: $name, layout: $layout, depth: $depth }),*];
    };
}

use Layout::{Blocks, Bptc, Plain, SharedExponent, Subsampled};

sizes! {
    0x01 "R32_G32_B32_A32" Plain([32, 32, 32, 32], 16), 0;
    0x02 "R32_G32_B32" Plain([32, 32, 32, 0], 12), 0;
    0x03 "R16_G16_B16_A16" Plain([16, 16, 16, 16], 8), 0;
    0x04 "R32_G32" Plain([32, 32, 0, 0], 8), 0;
    0x05 "R32_B24G8" Plain([32, 8, 0, 0], 8), 0;
    0x07 "X8B8G8R8" Plain([8, 8, 8, 8], 4), 0;
    0x08 "A8B8G8R8" Plain([8, 8, 8, 8], 4), 0;
    0x09 "A2B10G10R10" Plain([10, 10, 10, 2], 4), 0;
    0x0C "R16_G16" Plain([16, 16, 0, 0], 4), 0;
    0x0D "G8R24" Plain([24, 8, 0, 0], 4), 0;
    0x0E "G24R8" Plain([8, 24, 0, 0], 4), 1;
    0x0F "R32" Plain([32, 0, 0, 0], 4), 0;
    0x10 "BC6H_SF16" Bptc(BptcFormat::Float { signed: true }), 0;
    0x11 "BC6H_UF16" Bptc(BptcFormat::Float { signed: false }), 0;
    0x12 "A4B4G4R4" Plain([4, 4, 4, 4], 2), 0;
    0x13 "A5B5G5R1" Plain([1, 5, 5, 5], 2), 0;
    0x14 "A1B5G5R5" Plain([5, 5, 5, 1], 2), 0;
    0x15 "B5G6R5" Plain([5, 6, 5, 0], 2), 0;
    0x16 "B6G5R5" Plain([5, 5, 6, 0], 2), 0;
    0x17 "BC7U" Bptc(BptcFormat::Unorm), 0;
    0x18 "G8R8" Plain([8, 8, 0, 0], 2), 0;
    0x1B "R16" Plain([16, 0, 0, 0], 2), 0;
    0x1D "R8" Plain([8, 0, 0, 0], 1), 0;
    0x1E "G4R4" Plain([4, 4, 0, 0], 1), 0;
    0x20 "E5B9G9R9_SHAREDEXP" SharedExponent, 0;
    0x21 "BF10GF11RF11" Plain([11, 11, 10, 0], 4), 0;
    0x22 "G8B8G8R8" Subsampled(true), 0;
    0x23 "B8G8R8G8" Subsampled(false), 0;
    0x24 "BC1" Blocks(BlockFormat::Dxt1), 0;
    0x25 "BC2" Blocks(BlockFormat::Dxt3), 0;
    0x26 "BC3" Blocks(BlockFormat::Dxt5), 0;
    0x27 "BC4" Blocks(BlockFormat::Rgtc1 { signed: false }), 0;
    0x28 "BC5" Blocks(BlockFormat::Rgtc2 { signed: [false; 2] }), 0;
    0x29 "S8Z24" Plain([8, 24, 0, 0], 4), 1;
    0x2A "X8Z24" Plain([24, 8, 0, 0], 4), 0;
    0x2B "Z24S8" Plain([24, 8, 0, 0], 4), 0;
    0x2F "ZF32" Plain([32, 0, 0, 0], 4), 0;
    0x30 "ZF32_X24S8" Plain([32, 8, 0, 0], 8), 0;
    0x3A "Z16" Plain([16, 0, 0, 0], 2), 0;
}

/// How the texels of a texture are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    layout: Layout,
    types: [ComponentType; 4],
    sources: [ComponentSource; 4],
    depth: u8,
    /// Colours are sRGB.
    srgb: bool,
}

impl Format {
    /// Of a header; `None` if its sizes are not known.
    pub fn of(header: &TextureHeader, srgb: bool) -> Option<Self> {
        let sizes = SIZES.iter().find(|sizes| sizes.code == header.sizes)?;
        let TextureHeader { types, sources, .. } = *header;
        let layout = match sizes.layout {
            Blocks(BlockFormat::Rgtc1 { .. }) => Blocks(BlockFormat::Rgtc1 { signed: is_signed(types[0]) }),
            Blocks(BlockFormat::Rgtc2 { .. }) => {
                Blocks(BlockFormat::Rgtc2 { signed: [is_signed(types[0]), is_signed(types[1])] })
            }
            layout => layout,
        };
        Some(Format { layout, types, sources, depth: sizes.depth, srgb: srgb && header.srgb })
    }

    /// The name of the component sizes with this code.
    pub fn name(code: u8) -> Option<&'static str> {
        SIZES.iter().find(|sizes| sizes.code == code).map(|sizes| sizes.name)
    }

    /// Columns and rows of texels that are stored together, and their bytes.
    pub fn block(&self) -> [u32; 3] {
        match self.layout {
            Plain(_, bytes) => [1, 1, bytes.into()],
            SharedExponent => [1, 1, 4],
            Subsampled(_) => [2, 1, 4],
            Blocks(format) => [4, 4, format.bytes()],
            Bptc(_) => [4, 4, 16],
        }
    }

    /// Bits of the components of texels that are not stored together with others; `None` of others.
    pub fn widths(&self) -> Option<[u8; 4]> {
        match self.layout {
            Plain(widths, bytes)
                if widths.iter().map(|&width| u32::from(width)).sum::<u32>() == 8 * u32::from(bytes) =>
            {
                Some(widths)
            }
            Plain(..) | SharedExponent | Subsampled(_) | Blocks(_) | Bptc(_) => None,
        }
    }

    /// What the components are.
    pub fn types(&self) -> [ComponentType; 4] {
        self.types
    }

    /// Whether texels are integers, which no filter mixes.
    pub fn is_integer(&self) -> bool {
        let used = self.sources.iter().filter_map(|&source| number(source));
        used.into_iter().any(|n| matches!(self.types[n], ComponentType::Sint | ComponentType::Uint))
    }

    /// The component that programs get that is depth, if one is; and whether it is a fraction.
    pub fn depth(&self) -> (Option<usize>, bool) {
        let depth = usize::from(self.depth);
        let at = self.sources.iter().position(|&source| number(source) == Some(depth));
        (at, self.types[depth] != ComponentType::Float)
    }

    /// The components (bits) that programs get of texel (`x`, `y`) of a stored block.
    pub fn decode(&self, stored: &Stored, x: u32, y: u32) -> [u32; 4] {
        let mut components = match self.layout {
            Plain(widths, _) => self.plain(widths, stored),
            SharedExponent => shared_exponent(stored[0]),
            Subsampled(green_first) => subsampled(stored[0], x, green_first),
            Blocks(format) => {
                let [r, g, b, a] = format.texel(stored, x, y);
                // Blocks without alpha are opaque.
                let has_alpha = matches!(format, BlockFormat::Dxt1 | BlockFormat::Dxt3 | BlockFormat::Dxt5);
                [r, g, b, if has_alpha { a } else { ONE }]
            }
            Bptc(format) => format.texel(stored, x, y),
        };
        if self.srgb {
            components[..3].iter_mut().for_each(|component| *component = srgb::to_linear(*component));
        }
        self.sources.map(|source| match source {
            ComponentSource::Zero | ComponentSource::Invalid1 => 0,
            ComponentSource::R => components[0],
            ComponentSource::G => components[1],
            ComponentSource::B => components[2],
            ComponentSource::A => components[3],
            ComponentSource::IntegerOne => 1,
            ComponentSource::FloatOne => ONE,
        })
    }

    /// How rows of texels are read; `None` if texels are stored together with others, or not in one, two, four, eight or sixteen bytes.
    pub fn rows(&self) -> Option<RowFormat> {
        let Plain(widths, bytes @ (1 | 2 | 4 | 8 | 16)) = self.layout else { return None };
        let mut shift = 0;
        let components = [0, 1, 2, 3].map(|n| {
            let width = u32::from(widths[n]);
            if width == 0 {
                return RowComponent::Constant(if n == 3 { ONE } else { 0 });
            }
            let at = shift;
            shift += width;
            let is_srgb = self.srgb && n < 3;
            let value = |bits| {
                let value = component(self.types[n], bits, width);
                if is_srgb { srgb::to_linear(value) } else { value }
            };
            let table = if width <= TABLE_BITS { (0..1 << width).map(value).collect() } else { Vec::new() };
            RowComponent::Bits { shift: at, width, of: self.types[n], is_srgb, table }
        });
        Some(RowFormat { bytes: bytes.into(), components, sources: self.sources })
    }

    fn plain(&self, widths: [u8; 4], stored: &Stored) -> [u32; 4] {
        let mut shift = 0;
        std::array::from_fn(|n| {
            let width = u32::from(widths[n]);
            if width == 0 {
                return if n == 3 { ONE } else { 0 };
            }
            let bits = stored[(shift / 32) as usize] >> (shift % 32) & u32::MAX >> (32 - width);
            shift += width;
            component(self.types[n], bits, width)
        })
    }
}

/// Bits of components whose numbers are looked up.
const TABLE_BITS: u32 = 8;

/// How rows of texels are read.
pub struct RowFormat {
    bytes: usize,
    components: [RowComponent; 4],
    sources: [ComponentSource; 4],
}

/// A component of the texels of a row.
enum RowComponent {
    Constant(u32),
    Bits {
        shift: u32,
        width: u32,
        of: ComponentType,
        is_srgb: bool,
        /// The numbers that bits stand for, if there are few.
        table: Vec<u32>,
    },
}

impl RowFormat {
    /// Bytes of a texel.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends the components of the texels of a row, as [`Format::decode`] gives them. `values` is memory for some.
    pub fn decode(&self, row: &[u8], values: &mut Vec<u32>, words: &mut Vec<u32>) {
        let first = words.len();
        words.resize(first + 4 * (row.len() / self.bytes), 0);
        let mut decoded = None;
        for (channel, source) in self.sources.iter().enumerate() {
            let number = match (source, number(*source)) {
                (_, Some(number)) => number,
                (ComponentSource::IntegerOne, None) => {
                    words[first..].iter_mut().skip(channel).step_by(4).for_each(|word| *word = 1);
                    continue;
                }
                (ComponentSource::FloatOne, None) => {
                    words[first..].iter_mut().skip(channel).step_by(4).for_each(|word| *word = ONE);
                    continue;
                }
                (_, None) => continue,
            };
            if decoded != Some(number) {
                self.components[number].decode(row, self.bytes, values);
                decoded = Some(number);
            }
            let both = words[first..].iter_mut().skip(channel).step_by(4).zip(values.iter());
            both.for_each(|(word, value)| *word = *value);
        }
    }
}

impl RowComponent {
    /// The numbers of all texels of a row.
    fn decode(&self, row: &[u8], bytes: usize, values: &mut Vec<u32>) {
        values.clear();
        let texels = row.chunks_exact(bytes);
        match self {
            RowComponent::Constant(value) => values.resize(row.len() / bytes, *value),
            RowComponent::Bits { shift, width, of, is_srgb, table } => {
                let (word, shift, mask) = ((shift / 32) as usize, shift % 32, u32::MAX >> (32 - width));
                let bits = |texel: &[u8]| {
                    let mut stored = [0; 4];
                    let own = &texel[4 * word..texel.len().min(4 * word + 4)];
                    stored[..own.len()].copy_from_slice(own);
                    u32::from_le_bytes(stored) >> shift & mask
                };
                if !table.is_empty() {
                    values.extend(texels.map(|texel| table.get(bits(texel) as usize).copied().unwrap_or(0)));
                } else {
                    let number = |texel| component(*of, bits(texel), *width);
                    values.extend(
                        texels.map(|texel| if *is_srgb { srgb::to_linear(number(texel)) } else { number(texel) }),
                    );
                }
            }
        }
    }
}

/// The number of the component that a source is, if it is one.
pub fn number(source: ComponentSource) -> Option<usize> {
    match source {
        ComponentSource::R => Some(0),
        ComponentSource::G => Some(1),
        ComponentSource::B => Some(2),
        ComponentSource::A => Some(3),
        ComponentSource::Zero | ComponentSource::Invalid1 | ComponentSource::IntegerOne | ComponentSource::FloatOne => {
            None
        }
    }
}

const fn is_signed(of: ComponentType) -> bool {
    matches!(of, ComponentType::Snorm | ComponentType::SnormForced)
}

/// The number (bits) that so many bits stand for.
fn component(of: ComponentType, bits: u32, width: u32) -> u32 {
    let max = u32::MAX >> (32 - width);
    let signed = (bits << (32 - width)).cast_signed() >> (32 - width);
    match of {
        ComponentType::Unorm | ComponentType::UnormForced => ((f64::from(bits) / f64::from(max)) as f32).to_bits(),
        ComponentType::Snorm | ComponentType::SnormForced => {
            ((f64::from(signed) / f64::from((max >> 1).max(1))).max(-1.0) as f32).to_bits()
        }
        ComponentType::Sint => signed.cast_unsigned(),
        ComponentType::Uint => bits,
        ComponentType::Float => match width {
            32 => bits,
            16 => f16_to_f32(bits as u16),
            // Binary16 without its sign, and with fewer bits of the significand.
            10 | 11 => f16_to_f32((bits << (15 - width)) as u16),
            _ => ((f64::from(bits) / f64::from(max)) as f32).to_bits(),
        },
        ComponentType::Invalid0 => 0,
    }
}

/// Three numbers of 9 bits times a power of two (EXT_texture_shared_exponent).
fn shared_exponent(word: u32) -> [u32; 4] {
    let scale = f64::from((word >> 27) as i32 - 24).exp2();
    let part = |shift: u32| ((f64::from(word >> shift & 0x1FF) * scale) as f32).to_bits();
    [part(0), part(9), part(18), ONE]
}

fn subsampled(word: u32, x: u32, green_first: bool) -> [u32; 4] {
    let bytes = word.to_le_bytes();
    let (green, others) = if green_first { (0, 1) } else { (1, 0) };
    let fraction = |n: usize| (f32::from(bytes[n & 3]) / 255.0).to_bits();
    [fraction(others), fraction(green + 2 * (x as usize & 1)), fraction(others + 2), ONE]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ComponentSource::{A, B, FloatOne, G, R, Zero};

    fn format(sizes: u8, types: [ComponentType; 4], sources: [ComponentSource; 4], srgb: bool) -> Format {
        Format::of(&TextureHeader { sizes, types, sources, srgb, ..TextureHeader::default() }, true).unwrap()
    }

    fn floats(texel: [u32; 4]) -> [f32; 4] {
        texel.map(f32::from_bits)
    }

    #[test]
    fn components_come_from_their_sources() {
        let unorm = [ComponentType::Unorm; 4];
        let bgra = format(0x08, unorm, [B, G, R, A], false);
        assert_eq!(floats(bgra.decode(&[0xFF00_3380, 0, 0, 0], 0, 0)), [0.0, 0.2, 128.0 / 255.0, 1.0]);
        let red = format(0x1D, unorm, [R, Zero, Zero, FloatOne], false);
        assert_eq!(floats(red.decode(&[0xFF, 0, 0, 0], 0, 0)), [1.0, 0.0, 0.0, 1.0]);
        let five = format(0x15, unorm, [B, G, R, FloatOne], false);
        assert_eq!(floats(five.decode(&[0x001F, 0, 0, 0], 0, 0)), [0.0, 0.0, 1.0, 1.0]);
        let srgb = format(0x08, unorm, [R, G, B, A], true);
        assert_eq!(srgb.decode(&[0x8080_8080, 0, 0, 0], 0, 0)[0], srgb::LINEAR[128]);
        assert_eq!(floats(srgb.decode(&[0x8080_8080, 0, 0, 0], 0, 0))[3], 128.0 / 255.0);
    }

    #[test]
    fn numbers_of_all_types() {
        let of = |sizes, types| format(sizes, [types; 4], [R, G, B, A], false);
        let signed = of(0x0C, ComponentType::Sint).decode(&[0x7FFF_8000, 0, 0, 0], 0, 0);
        assert_eq!([signed[0].cast_signed(), signed[1].cast_signed()], [-0x8000, 0x7FFF]);
        assert_eq!(floats(of(0x0F, ComponentType::Unorm).decode(&[u32::MAX, 0, 0, 0], 0, 0))[0], 1.0);
        assert_eq!(floats(of(0x0F, ComponentType::Snorm).decode(&[1 << 31, 0, 0, 0], 0, 0))[0], -1.0);
        assert_eq!(
            floats(of(0x21, ComponentType::Float).decode(&[15 << 27 | 0x7C0, 0, 0, 0], 0, 0)),
            [f32::INFINITY, 0.0, 1.0, 1.0]
        );
        assert_eq!(
            floats(of(0x20, ComponentType::Float).decode(&[24 << 27 | 3 << 18 | 2 << 9 | 1, 0, 0, 0], 0, 0)),
            [1.0, 2.0, 3.0, 1.0]
        );
        let wide = of(0x02, ComponentType::Float);
        assert_eq!((wide.block(), wide.decode(&[1, 2, 3, 4], 0, 0)), ([1, 1, 12], [1, 2, 3, ONE]));
        assert_eq!(Format::of(&TextureHeader { sizes: 0x40, ..TextureHeader::default() }, true), None);
    }

    #[test]
    fn depth_has_a_component() {
        let types = [ComponentType::Uint, ComponentType::Unorm, ComponentType::Uint, ComponentType::Uint];
        let depth = format(0x29, types, [G, G, G, FloatOne], false);
        assert_eq!(depth.depth(), (Some(0), true));
        assert!(!depth.is_integer());
        assert_eq!(floats(depth.decode(&[0xFFFF_FF07, 0, 0, 0], 0, 0))[0], 1.0);
        let stencil = format(0x29, types, [R, Zero, Zero, Zero], false);
        assert_eq!((stencil.depth(), stencil.is_integer()), ((None, true), true));
        assert_eq!(stencil.decode(&[0xFFFF_FF07, 0, 0, 0], 0, 0)[0], 7);
    }
}
