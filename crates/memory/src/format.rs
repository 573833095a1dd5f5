//! Element formats and the conversion between memory and registers (CTM Guide p.13).

use ctm_num::convert::{f32_to_unorm8, f32_to_unorm16, unorm8_to_f32, unorm16_to_f32};
use std::fmt;

/// The bit pattern of 1.0, which stands for every channel that a format lacks.
pub const ONE: u32 = 0x3F80_0000;

/// What one element of a surface is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Format {
    /// One 16-bit unsigned fraction: 65535 stands for 1.
    Uint16_1 = 0,
    /// Four 8-bit unsigned fractions: 255 stands for 1.
    Uint8_4 = 1,
    /// One binary32 number.
    Float32_1 = 2,
    /// Two binary32 numbers.
    Float32_2 = 3,
    /// Four binary32 numbers.
    Float32_4 = 4,
}

impl Format {
    /// Every format, in order of code.
    pub const ALL: [Self; 5] = [Self::Uint16_1, Self::Uint8_4, Self::Float32_1, Self::Float32_2, Self::Float32_4];

    /// The code of the format in a format word.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The format with this code; codes from 5 on are reserved.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// The guide's name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uint16_1 => "UINT16_1",
            Self::Uint8_4 => "UINT8_4",
            Self::Float32_1 => "FLOAT32_1",
            Self::Float32_2 => "FLOAT32_2",
            Self::Float32_4 => "FLOAT32_4",
        }
    }

    /// The format with this name; case is not significant.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Channels of an element: 1, 2 or 4.
    pub const fn channels(self) -> usize {
        match self {
            Self::Uint16_1 | Self::Float32_1 => 1,
            Self::Float32_2 => 2,
            Self::Uint8_4 | Self::Float32_4 => 4,
        }
    }

    /// Bytes of an element: 2, 4, 8 or 16.
    pub const fn bytes_per_element(self) -> u32 {
        match self {
            Self::Uint16_1 => 2,
            Self::Uint8_4 | Self::Float32_1 => 4,
            Self::Float32_2 => 8,
            Self::Float32_4 => 16,
        }
    }

    /// Turns an element as it is stored (up to four little-endian words; UINT16_1 in the low half of the first) into
    /// four channels.
    ///
    /// Fractions become binary32 numbers, each quotient correctly rounded; floats keep their bits. Channels that the
    /// format lacks are 1.0, as in Direct3D 9.
    #[inline]
    pub fn unpack(self, raw: [u32; 4]) -> [u32; 4] {
        match self {
            Self::Uint16_1 => [unorm16_to_f32(raw[0] as u16), ONE, ONE, ONE],
            Self::Uint8_4 => raw[0].to_le_bytes().map(unorm8_to_f32),
            Self::Float32_1 => [raw[0], ONE, ONE, ONE],
            Self::Float32_2 => [raw[0], raw[1], ONE, ONE],
            Self::Float32_4 => raw,
        }
    }

    /// Turns four channels into an element as it is stored; the inverse of [`unpack`](Self::unpack).
    ///
    /// Fractions are clamped to 0..1 and rounded to nearest, NaN becomes 0; floats keep their bits. Channels that the
    /// format lacks are dropped.
    #[inline]
    pub fn pack(self, channels: [u32; 4]) -> [u32; 4] {
        match self {
            Self::Uint16_1 => [f32_to_unorm16(channels[0]).into(), 0, 0, 0],
            Self::Uint8_4 => [u32::from_le_bytes(channels.map(f32_to_unorm8)), 0, 0, 0],
            Self::Float32_1 => [channels[0], 0, 0, 0],
            Self::Float32_2 => [channels[0], channels[1], 0, 0],
            Self::Float32_4 => channels,
        }
    }

    /// The stored bits that the channels of a write mask (bit k: channel k) occupy, in the words of
    /// [`pack`](Self::pack).
    #[inline]
    pub fn stored_bits(self, mask: u8) -> [u32; 4] {
        let all_if = |channel: usize, bits: u32| if mask >> channel & 1 != 0 { bits } else { 0 };
        match self {
            Self::Uint16_1 => [all_if(0, 0xFFFF), 0, 0, 0],
            Self::Uint8_4 => [(0..4).map(|channel| all_if(channel, 0xFF << (8 * channel))).sum(), 0, 0, 0],
            _ => std::array::from_fn(|channel| if channel < self.channels() { all_if(channel, u32::MAX) } else { 0 }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_lead_back() {
        for (code, format) in Format::ALL.into_iter().enumerate() {
            assert_eq!(format.code(), code as u32);
            assert_eq!(Format::from_code(code as u32), Some(format));
            assert_eq!(Format::parse(&format.name().to_lowercase()), Some(format));
            assert_eq!(format.to_string(), format.name(), "as messages have it");
        }
        assert_eq!(Format::from_code(5), None);
        assert_eq!(Format::parse("FLOAT32_3"), None);
    }

    #[test]
    fn masks_are_of_stored_channels() {
        const ALL: u32 = u32::MAX;
        for (format, mask, bits) in [
            (Format::Uint16_1, 0b1111, [0xFFFF, 0, 0, 0]),
            (Format::Uint16_1, 0b1110, [0; 4]),
            (Format::Uint8_4, 0b1010, [0xFF00_FF00, 0, 0, 0]),
            (Format::Uint8_4, 0b0101, [0x00FF_00FF, 0, 0, 0]),
            (Format::Float32_1, 0b1111, [ALL, 0, 0, 0]),
            (Format::Float32_2, 0b1111, [ALL, ALL, 0, 0]),
            (Format::Float32_2, 0b1110, [0, ALL, 0, 0]),
            (Format::Float32_4, 0b1001, [ALL, 0, 0, ALL]),
        ] {
            assert_eq!(format.stored_bits(mask), bits, "{format} {mask:#b}");
        }
    }

    #[test]
    fn fractions_are_unsigned_and_normalized() {
        let f = |v: f32| v.to_bits();
        assert_eq!(Format::Uint16_1.unpack([0xFFFF, 7, 7, 7]), [ONE; 4]);
        assert_eq!(Format::Uint16_1.unpack([0xDEAD_3333, 0, 0, 0])[0], f(0x3333 as f32 / 65535.0));
        assert_eq!(Format::Uint8_4.unpack([0xFF80_0100, 0, 0, 0]), [f(0.0), f(1.0 / 255.0), f(128.0 / 255.0), ONE]);
        assert_eq!(Format::Uint8_4.pack([f(-1.0), f(f32::NAN), f(0.5), f(2.0)]), [0xFF80_0000, 0, 0, 0]);
        assert_eq!(Format::Uint16_1.pack([f(0.5), ONE, ONE, ONE]), [0x8000, 0, 0, 0]);
    }

    #[test]
    fn floats_keep_their_bits() {
        let odd = [0x7F80_0001, 0x8000_0001, 0xFFFF_FFFF, 0x0000_0001];
        assert_eq!(Format::Float32_4.unpack(Format::Float32_4.pack(odd)), odd);
        assert_eq!(Format::Float32_2.unpack(Format::Float32_2.pack(odd)), [odd[0], odd[1], ONE, ONE]);
        assert_eq!(Format::Float32_1.unpack(Format::Float32_1.pack(odd)), [odd[0], ONE, ONE, ONE]);
    }
}
