//! Formats of surfaces: colour targets, and sources and destinations of blits. Depth buffers.
//!
//! Source: envytools' rnndb (`g80_defs.xml`, surface formats), Mesa nvc0_format.c.

use ctm_raster::channel::{Channel, ChannelKind, Words};
use ctm_raster::depth::DepthNumbers;
use ctm_raster::pixel::{ComponentNumbers, PixelComponent, PixelFormat};
use std::sync::LazyLock;

/// What the numbers of a format are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Floating-point numbers.
    Float,
    /// Fractions from 0 to 1.
    Unorm,
    /// Fractions from -1 to 1.
    Snorm,
    /// Integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Fractions from 0 to 1; colours are sRGB.
    Srgb,
}

/// A format of colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceFormat {
    /// Its name.
    pub name: &'static str,
    /// What its numbers are.
    pub numbers: Numbers,
    /// How pixels are stored.
    pub pixel: PixelFormat,
    /// Alpha reads as 1, whatever was stored.
    pub opaque: bool,
}

/// A row of the table: the code, the name, the numbers, the bits of components, the lowest in memory first, and which these are.
type Row = (u8, &'static str, Numbers, &'static [u32], &'static str);

use Numbers::{Float, Sint, Snorm, Srgb, Uint, Unorm};

const B32: &[u32] = &[32; 4];
const B16: &[u32] = &[16; 4];
const B8: &[u32] = &[8; 4];
const B10: &[u32] = &[10, 10, 10, 2];
const B5551: &[u32] = &[5, 5, 5, 1];

/// Every format of colours.
const ROWS: &[Row] = &[
    (0xC0, "RGBA32_FLOAT", Float, B32, "rgba"),
    (0xC1, "RGBA32_SINT", Sint, B32, "rgba"),
    (0xC2, "RGBA32_UINT", Uint, B32, "rgba"),
    (0xC3, "RGBX32_FLOAT", Float, B32, "rgbx"),
    (0xC4, "RGBX32_SINT", Sint, B32, "rgbx"),
    (0xC5, "RGBX32_UINT", Uint, B32, "rgbx"),
    (0xC6, "RGBA16_UNORM", Unorm, B16, "rgba"),
    (0xC7, "RGBA16_SNORM", Snorm, B16, "rgba"),
    (0xC8, "RGBA16_SINT", Sint, B16, "rgba"),
    (0xC9, "RGBA16_UINT", Uint, B16, "rgba"),
    (0xCA, "RGBA16_FLOAT", Float, B16, "rgba"),
    (0xCB, "RG32_FLOAT", Float, &[32, 32], "rg"),
    (0xCC, "RG32_SINT", Sint, &[32, 32], "rg"),
    (0xCD, "RG32_UINT", Uint, &[32, 32], "rg"),
    (0xCE, "RGBX16_FLOAT", Float, B16, "rgbx"),
    (0xCF, "BGRA8_UNORM", Unorm, B8, "bgra"),
    (0xD0, "BGRA8_SRGB", Srgb, B8, "bgra"),
    (0xD1, "RGB10_A2_UNORM", Unorm, B10, "rgba"),
    (0xD2, "RGB10_A2_UINT", Uint, B10, "rgba"),
    (0xD5, "RGBA8_UNORM", Unorm, B8, "rgba"),
    (0xD6, "RGBA8_SRGB", Srgb, B8, "rgba"),
    (0xD7, "RGBA8_SNORM", Snorm, B8, "rgba"),
    (0xD8, "RGBA8_SINT", Sint, B8, "rgba"),
    (0xD9, "RGBA8_UINT", Uint, B8, "rgba"),
    (0xDA, "RG16_UNORM", Unorm, &[16, 16], "rg"),
    (0xDB, "RG16_SNORM", Snorm, &[16, 16], "rg"),
    (0xDC, "RG16_SINT", Sint, &[16, 16], "rg"),
    (0xDD, "RG16_UINT", Uint, &[16, 16], "rg"),
    (0xDE, "RG16_FLOAT", Float, &[16, 16], "rg"),
    (0xDF, "BGR10_A2_UNORM", Unorm, B10, "bgra"),
    (0xE0, "R11G11B10_FLOAT", Float, &[11, 11, 10], "rgb"),
    (0xE3, "R32_SINT", Sint, &[32], "r"),
    (0xE4, "R32_UINT", Uint, &[32], "r"),
    (0xE5, "R32_FLOAT", Float, &[32], "r"),
    (0xE6, "BGRX8_UNORM", Unorm, B8, "bgrx"),
    (0xE7, "BGRX8_SRGB", Srgb, B8, "bgrx"),
    (0xE8, "B5G6R5_UNORM", Unorm, &[5, 6, 5], "bgr"),
    (0xE9, "BGR5_A1_UNORM", Unorm, B5551, "bgra"),
    (0xEA, "RG8_UNORM", Unorm, &[8, 8], "rg"),
    (0xEB, "RG8_SNORM", Snorm, &[8, 8], "rg"),
    (0xEC, "RG8_SINT", Sint, &[8, 8], "rg"),
    (0xED, "RG8_UINT", Uint, &[8, 8], "rg"),
    (0xEE, "R16_UNORM", Unorm, &[16], "r"),
    (0xEF, "R16_SNORM", Snorm, &[16], "r"),
    (0xF0, "R16_SINT", Sint, &[16], "r"),
    (0xF1, "R16_UINT", Uint, &[16], "r"),
    (0xF2, "R16_FLOAT", Float, &[16], "r"),
    (0xF3, "R8_UNORM", Unorm, &[8], "r"),
    (0xF4, "R8_SNORM", Snorm, &[8], "r"),
    (0xF5, "R8_SINT", Sint, &[8], "r"),
    (0xF6, "R8_UINT", Uint, &[8], "r"),
    (0xF7, "A8_UNORM", Unorm, &[8], "a"),
    (0xF8, "BGR5_X1_UNORM", Unorm, B5551, "bgrx"),
    (0xF9, "RGBX8_UNORM", Unorm, B8, "rgbx"),
    (0xFA, "RGBX8_SRGB", Srgb, B8, "rgbx"),
];

impl SurfaceFormat {
    /// The format with this code; `None` if there is none.
    pub fn of(code: u8) -> Option<&'static SurfaceFormat> {
        static FORMATS: LazyLock<Vec<Option<SurfaceFormat>>> = LazyLock::new(|| {
            let mut formats = vec![None; 256];
            ROWS.iter().for_each(|row| formats[usize::from(row.0)] = Some(SurfaceFormat::from_row(row)));
            formats
        });
        FORMATS.get(usize::from(code))?.as_ref()
    }

    /// Every code that there is a format for.
    pub fn codes() -> impl Iterator<Item = u8> {
        ROWS.iter().map(|row| row.0)
    }

    fn from_row(&(_, name, numbers, widths, order): &Row) -> Self {
        let mut pixel = PixelFormat { bytes: widths.iter().sum::<u32>() / 8, parts: [None; 4] };
        let mut shift = 0;
        for (letter, &width) in order.chars().zip(widths) {
            let colour = match letter {
                'r' => 0,
                'g' => 1,
                'b' => 2,
                // What has no meaning is stored as alpha is.
                _ => 3,
            };
            pixel.parts[colour] = Some(component(numbers, shift, width, colour == 3));
            shift += width;
        }
        SurfaceFormat { name, numbers, pixel, opaque: order.ends_with('x') }
    }

    /// Bytes of a pixel.
    pub fn bytes(&self) -> u32 {
        self.pixel.bytes
    }

    /// Whether its numbers are integers.
    pub fn is_integer(&self) -> bool {
        matches!(self.numbers, Numbers::Uint | Numbers::Sint)
    }

    /// A pixel with these numbers.
    #[inline]
    pub fn encode(&self, values: [u32; 4]) -> Words {
        self.pixel.encode(values)
    }

    /// The numbers of a pixel. Those that the format lacks are 0, alpha is 1.
    #[inline]
    pub fn decode(&self, words: &Words) -> [u32; 4] {
        let mut values = self.pixel.decode(words);
        if self.opaque || self.pixel.parts[3].is_none() {
            values[3] = if self.is_integer() { 1 } else { 1.0f32.to_bits() };
        }
        values
    }
}

/// A component of so many bits from this one on.
fn component(numbers: Numbers, shift: u32, width: u32, is_alpha: bool) -> PixelComponent {
    let plain = |kind| PixelComponent::plain(Channel::new(shift, width, kind));
    match numbers {
        Numbers::Float if width == 32 => plain(ChannelKind::Float32),
        Numbers::Float if width == 16 => plain(ChannelKind::Float16),
        Numbers::Float => PixelComponent::new(shift, width, ComponentNumbers::Float),
        Numbers::Srgb if !is_alpha => PixelComponent::new(shift, width, ComponentNumbers::Srgb),
        Numbers::Unorm | Numbers::Srgb => plain(ChannelKind::Unorm),
        Numbers::Snorm => plain(ChannelKind::Snorm),
        Numbers::Uint => PixelComponent::new(shift, width, ComponentNumbers::Uint),
        Numbers::Sint => PixelComponent::new(shift, width, ComponentNumbers::Sint),
    }
}

/// A format of depth buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthFormat {
    /// Its name.
    pub name: &'static str,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// What depths are.
    pub numbers: DepthNumbers,
    /// The place of a depth's lowest bit in the first word.
    pub depth_shift: u32,
    /// The word of the stencil value and the place of its lowest bit there, if there is one.
    pub stencil: Option<(usize, u32)>,
}

impl DepthFormat {
    /// The format with this code; `None` if there is none.
    pub fn of(code: u8) -> Option<DepthFormat> {
        let (name, bytes, numbers, depth_shift, stencil) = match code {
            0x0A => ("Z32_FLOAT", 4, DepthNumbers::OrderedFloat, 0, None),
            0x13 => ("Z16_UNORM", 2, DepthNumbers::Fraction(16), 0, None),
            0x14 => ("S8_Z24_UNORM", 4, DepthNumbers::Fraction(24), 8, Some((0, 0))),
            0x15 => ("Z24_X8_UNORM", 4, DepthNumbers::Fraction(24), 0, None),
            0x16 => ("Z24_S8_UNORM", 4, DepthNumbers::Fraction(24), 0, Some((0, 24))),
            0x19 => ("Z32_S8_X24_FLOAT", 8, DepthNumbers::OrderedFloat, 0, Some((1, 0))),
            _ => return None,
        };
        Some(DepthFormat { name, bytes, numbers, depth_shift, stencil })
    }

    /// The bits that stand for a depth, as they are stored: fractions are rounded, floats are as they are.
    pub fn encode(&self, depth: f32) -> u32 {
        match self.numbers {
            DepthNumbers::Fraction(bits) => ctm_num::convert::f32_to_unorm(depth.to_bits(), u32::MAX >> (32 - bits)),
            DepthNumbers::OrderedFloat => depth.to_bits(),
        }
    }

    /// The bits of a depth in the words of a pixel.
    pub fn depth(&self, words: &Words) -> u32 {
        words[0] >> self.depth_shift & (u32::MAX >> (32 - self.numbers.bits()))
    }

    /// The words of a pixel with this depth and stencil value.
    pub fn words(&self, depth: u32, stencil: u8) -> Words {
        let mut words = [depth << self.depth_shift, 0, 0, 0];
        if let Some((word, shift)) = self.stencil {
            words[word] |= u32::from(stencil) << shift;
        }
        words
    }

    /// The bits of depth, and those of stencil values, in the words of a pixel.
    pub fn stored_bits(&self, depth: bool, stencil: bool) -> Words {
        let all = u32::MAX >> (32 - self.numbers.bits());
        let mut bits = self.words(0, if stencil { 0xFF } else { 0 });
        if depth {
            bits[0] |= all << self.depth_shift;
        }
        bits
    }

    /// The stencil value in the words of a pixel.
    pub fn stencil(&self, words: &Words) -> Option<u8> {
        self.stencil.map(|(word, shift)| (words[word] >> shift) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_survive_the_round_trip() {
        ctm_cases::check(5_000, |u| {
            let codes: Vec<u8> = SurfaceFormat::codes().collect();
            let format = SurfaceFormat::of(*u.choose(&codes)?).unwrap();
            let words = format.encode(u.arbitrary::<[u32; 4]>()?);
            let again = format.encode(format.decode(&words));
            let read = format.decode(&words);
            assert_eq!(format.decode(&again), read, "{}", format.name);
            if !format.opaque {
                assert_eq!(again, words, "{}", format.name);
            }
            assert_eq!(words.iter().skip(format.bytes().div_ceil(4) as usize).max().copied().unwrap_or_default(), 0);
            Ok(())
        });
    }

    #[test]
    fn components_have_their_order_and_numbers() {
        let colour = [1.0f32, 0.5, 0.25, 0.0].map(f32::to_bits);
        let stored = |code| SurfaceFormat::of(code).unwrap().encode(colour);
        assert_eq!([0xD5, 0xCF, 0xD0].map(|code| stored(code)[0]), [0x0040_80FF, 0x00FF_8040, 0x00FF_BC89]);
        assert_eq!([0xE8, 0xF7, 0xF3].map(|code| stored(code)[0]), [31 << 11 | 32 << 5 | 8, 0, 0xFF]);
        assert_eq!(stored(0xDF)[0], 1023 << 20 | 512 << 10 | 256);
        assert_eq!(stored(0xCA), [0x3800_3C00, 0x0000_3400, 0, 0]);
        let integers = SurfaceFormat::of(0xDC).unwrap();
        assert_eq!(integers.encode([40_000, (-5i32).cast_unsigned(), 9, 9])[0], 0xFFFB_7FFF);
        assert_eq!(integers.decode(&[0xFFFB_7FFF, 0, 0, 0]), [32_767, (-5i32).cast_unsigned(), 0, 1]);
        let opaque = SurfaceFormat::of(0xF9).unwrap();
        assert_eq!((opaque.encode(colour)[0], opaque.decode(&[0, 0, 0, 0])[3]), (0x0040_80FF, 1.0f32.to_bits()));
        assert!([0, 0xD3, 0xE1, 0xFB].into_iter().all(|code| SurfaceFormat::of(code).is_none()));
    }

    #[test]
    fn elements_have_whole_bytes() {
        for code in SurfaceFormat::codes() {
            let format = SurfaceFormat::of(code).unwrap();
            assert!(matches!(format.bytes(), 1 | 2 | 4 | 8 | 16), "{}", format.name);
        }
        assert_eq!(SurfaceFormat::codes().count(), 55);
    }

    #[test]
    fn depth_and_stencil_have_their_bits() {
        let format = DepthFormat::of(0x14).unwrap();
        let words = format.words(format.encode(1.0), 0x5A);
        assert_eq!((words[0], format.depth(&words), format.stencil(&words)), (0xFFFF_FF5A, 0xFF_FFFF, Some(0x5A)));
        assert_eq!((format.stored_bits(true, false)[0], format.stored_bits(false, true)[0]), (0xFFFF_FF00, 0xFF));
        let format = DepthFormat::of(0x16).unwrap();
        assert_eq!(format.words(format.encode(0.5), 1)[0], 0x0180_0000);
        let format = DepthFormat::of(0x19).unwrap();
        assert_eq!(format.words(format.encode(0.5), 7), [0x3F00_0000, 7, 0, 0]);
        assert_eq!(format.stored_bits(false, true), [0, 0xFF, 0, 0]);
        assert_eq!(DepthFormat::of(0x13).map(|format| (format.encode(2.0), format.stencil)), Some((0xFFFF, None)));
        assert_eq!(DepthFormat::of(0xD5), None);
    }
}
