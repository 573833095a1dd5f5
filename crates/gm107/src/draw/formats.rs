//! Formats of vertex attributes: how many bits components have, and what these are (envytools' rnndb `gf100_3d.xml`,
//! `VERTEX_ATTRIB_FORMAT`).

use ctm_num::convert::f16_to_f32;

/// 1.0 as binary32.
const ONE: u32 = 0x3F80_0000;

/// What components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Snorm,
    Unorm,
    Sint,
    Uint,
    Uscaled,
    Sscaled,
    Float,
}

/// A format of vertex attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// Bits of each component, from the lowest bit on; 0 for those that it lacks.
    widths: [u8; 4],
    kind: Kind,
    /// The first and the third component change places.
    is_swapped: bool,
}

impl VertexFormat {
    /// The format with these codes; `None` if there is none.
    pub fn of(size: u8, kind: u8, is_swapped: bool) -> Option<Self> {
        let widths = match size {
            0x01 => [32; 4],
            0x02 => [32, 32, 32, 0],
            0x03 => [16; 4],
            0x04 => [32, 32, 0, 0],
            0x05 => [16, 16, 16, 0],
            0x0A => [8; 4],
            0x0F => [16, 16, 0, 0],
            0x12 => [32, 0, 0, 0],
            0x13 => [8, 8, 8, 0],
            0x18 => [8, 8, 0, 0],
            0x1B => [16, 0, 0, 0],
            0x1D => [8, 0, 0, 0],
            0x30 => [10, 10, 10, 2],
            0x31 => [11, 11, 10, 0],
            _ => return None,
        };
        let kind = match kind {
            1 => Kind::Snorm,
            2 => Kind::Unorm,
            3 => Kind::Sint,
            4 => Kind::Uint,
            5 => Kind::Uscaled,
            6 => Kind::Sscaled,
            7 => Kind::Float,
            _ => return None,
        };
        Some(VertexFormat { widths, kind, is_swapped })
    }

    /// Bytes of an attribute.
    pub fn bytes(self) -> u32 {
        self.widths.iter().map(|&width| u32::from(width)).sum::<u32>() / 8
    }

    /// How many words a component is of, if components are words as they are; they follow each other.
    pub fn plain_words(self) -> Option<u32> {
        let is_plain = matches!(self.kind, Kind::Float | Kind::Sint | Kind::Uint) && !self.is_swapped;
        let is_words = self.widths.iter().all(|&width| width == 0 || width == 32);
        (is_plain && is_words).then(|| self.widths.iter().filter(|&&width| width > 0).count() as u32)
    }

    /// The word of a component that the format lacks.
    pub fn missing(self, component: u32) -> u32 {
        match (component, self.kind) {
            (3, Kind::Sint | Kind::Uint) => 1,
            (3, Kind::Snorm | Kind::Unorm | Kind::Uscaled | Kind::Sscaled | Kind::Float) => ONE,
            _ => 0,
        }
    }

    /// The components of an attribute of which `word` gives the words: numbers of binary32, or integers.
    pub fn decode(self, word: impl Fn(u32) -> u32) -> [u32; 4] {
        let mut place = 0;
        let mut components: [u32; 4] = std::array::from_fn(|n| {
            let width = u32::from(self.widths[n]);
            if width == 0 {
                return self.missing(n as u32);
            }
            // No component is in two words.
            let bits = word(place / 32) >> (place % 32) & u32::MAX >> (32 - width);
            place += width;
            self.kind.decode(bits, width)
        });
        if self.is_swapped {
            components.swap(0, 2);
        }
        components
    }
}

impl Kind {
    fn decode(self, bits: u32, width: u32) -> u32 {
        let signed = (bits << (32 - width)).cast_signed() >> (32 - width);
        let greatest = u32::MAX >> (32 - width);
        // Quotients of words are rounded once.
        let number = |value: f64| (value as f32).to_bits();
        match self {
            Kind::Snorm => number((f64::from(signed) / f64::from(greatest >> 1)).max(-1.0)),
            Kind::Unorm => number(f64::from(bits) / f64::from(greatest)),
            Kind::Sint => signed.cast_unsigned(),
            Kind::Uint => bits,
            Kind::Uscaled => number(f64::from(bits)),
            Kind::Sscaled => number(f64::from(signed)),
            Kind::Float => match width {
                32 => bits,
                16 => f16_to_f32(bits as u16),
                // Binary16 without its sign, and with fewer bits of the significand.
                10 | 11 => f16_to_f32((bits << (15 - width)) as u16),
                _ => 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(size: u8, kind: u8, is_swapped: bool, words: &[u32]) -> [u32; 4] {
        VertexFormat::of(size, kind, is_swapped).unwrap().decode(|n| words[n as usize])
    }

    fn floats(size: u8, kind: u8, words: &[u32]) -> [f32; 4] {
        decode(size, kind, false, words).map(f32::from_bits)
    }

    #[test]
    fn normalised_and_scaled_numbers() {
        assert_eq!(floats(0x0A, 2, &[0x80FF_0033]), [0.2, 0.0, 1.0, 128.0 / 255.0]);
        assert_eq!(floats(0x0A, 1, &[0x8081_7F00]), [0.0, 1.0, -1.0, -1.0]);
        assert_eq!(floats(0x30, 1, &[0x8000_01FF]), [1.0, 0.0, 0.0, -1.0]);
        assert_eq!(floats(0x30, 2, &[0xFFF0_0000 | 0x3FF]), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(floats(0x12, 2, &[u32::MAX]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats(0x1B, 5, &[0xFFFF_FFFE]), [65534.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats(0x0F, 6, &[0x0002_FFFF]), [-1.0, 2.0, 0.0, 1.0]);
    }

    #[test]
    fn integers_and_floats() {
        assert_eq!(decode(0x1D, 3, false, &[0x80]), [0xFFFF_FF80, 0, 0, 1]);
        assert_eq!(decode(0x18, 4, false, &[0x80FF]), [0xFF, 0x80, 0, 1]);
        assert_eq!(decode(0x04, 4, false, &[7, 8]), [7, 8, 0, 1]);
        assert_eq!(floats(0x05, 7, &[0xC000_3C00, 0x3800]), [1.0, -2.0, 0.5, 1.0]);
        assert_eq!(floats(0x31, 7, &[0x3C0 | 0x400 << 11 | 0x1C0 << 22]), [1.0, 2.0, 0.5, 1.0]);
    }

    #[test]
    fn the_first_component_can_be_the_third() {
        assert_eq!(decode(0x0A, 4, true, &[0x0403_0201]), [3, 2, 1, 4]);
    }

    #[test]
    fn codes_that_are_none() {
        assert!(VertexFormat::of(0, 7, false).is_none() && VertexFormat::of(1, 0, false).is_none());
        let sizes = (0..64).filter_map(|size| Some((size, VertexFormat::of(size, 7, false)?.bytes())));
        let expected = [(1, 16), (2, 12), (3, 8), (4, 8), (5, 6), (10, 4), (15, 4), (18, 4), (19, 3), (24, 2)];
        assert_eq!(sizes.take(10).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_are_found() {
        let words = |size, kind, is_swapped| VertexFormat::of(size, kind, is_swapped).unwrap().plain_words();
        assert_eq!([words(1, 7, false), words(4, 4, false), words(0x12, 3, false)], [Some(4), Some(2), Some(1)]);
        assert_eq!([words(1, 7, true), words(1, 2, false), words(3, 7, false)], [None; 3]);
    }
}
