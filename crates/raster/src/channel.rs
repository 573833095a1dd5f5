//! Channels: the numbers that a pixel in memory is made of.

use crate::plane::nearest;
use ctm_num::convert::{f16_to_f32, f32_to_f16, f32_to_snorm, f32_to_unorm};

/// From here on binary32 has integers alone: 2 to the 23rd.
const INTEGERS: f32 = 8_388_608.0;
/// Processors multiply and add in one instruction, as far as code is made for those of this kind that have it.
const FUSES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// A pixel or texel as it is stored: up to 16 bytes, little-endian.
pub type Words = [u32; 4];

/// What the bits of a channel stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// An unsigned fraction: v / (2^n - 1). At most 24 bits.
    Unorm,
    /// A signed fraction: v / (2^(n-1) - 1), at least -1. At most 24 bits.
    Snorm,
    /// A binary16 number; 16 bits.
    Float16,
    /// A binary32 number; 32 bits.
    Float32,
}

/// A run of bits inside of one of the four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    word: u8,
    shift: u8,
    width: u8,
    kind: ChannelKind,
}

impl Channel {
    /// The channel of `width` bits from bit `shift` of the stored pixel on.
    ///
    /// # Panics
    ///
    /// If it is empty, crosses a word's border or lies beyond the fourth word, or if the kind has another width.
    pub const fn new(shift: u32, width: u32, kind: ChannelKind) -> Channel {
        assert!(width > 0 && shift < 128 && shift % 32 + width <= 32, "a channel lies in one of four words");
        let fits = match kind {
            ChannelKind::Unorm => width <= 24,
            ChannelKind::Snorm => width >= 2 && width <= 24,
            ChannelKind::Float16 => width == 16,
            ChannelKind::Float32 => width == 32,
        };
        assert!(fits, "no number of this kind has that many bits");
        Channel { word: (shift / 32) as u8, shift: (shift % 32) as u8, width: width as u8, kind }
    }

    /// Bits of the channel.
    #[inline(always)]
    pub const fn width(self) -> u32 {
        self.width as u32
    }

    /// The place of its lowest bit in its word.
    #[inline(always)]
    pub const fn shift(self) -> u32 {
        self.shift as u32
    }

    /// The word that it lies in, from 0 on.
    #[inline(always)]
    pub const fn word(self) -> usize {
        self.word as usize
    }

    /// What the bits stand for.
    #[inline(always)]
    pub const fn kind(self) -> ChannelKind {
        self.kind
    }

    /// The greatest value of its bits.
    #[inline(always)]
    pub const fn max(self) -> u32 {
        u32::MAX >> (32 - self.width)
    }

    /// Its bits in a stored pixel.
    #[inline]
    pub fn extract(self, words: &Words) -> u32 {
        words[usize::from(self.word & 3)] >> self.shift & self.max()
    }

    /// Adds its bits to a stored pixel in which they are 0.
    #[inline]
    pub fn insert(self, words: &mut Words, bits: u32) {
        words[usize::from(self.word & 3)] |= self.shifted(bits);
    }

    /// Its bits at their place in their word.
    #[inline]
    pub(crate) fn shifted(self, bits: u32) -> u32 {
        (bits & self.max()) << self.shift
    }

    /// The number that the bits stand for: quotients are correctly rounded, floats keep their bits but for signalling binary16 NaNs.
    #[inline]
    pub fn decode(self, bits: u32) -> u32 {
        match self.kind {
            // Both are exact as binary32.
            ChannelKind::Unorm => (bits as f32 / self.max() as f32).to_bits(),
            ChannelKind::Snorm => {
                let unused = 32 - self.width;
                let value = ((bits << unused) as i32 >> unused) as f32;
                (value / (self.max() >> 1) as f32).max(-1.0).to_bits()
            }
            ChannelKind::Float16 => f16_to_f32(bits as u16),
            ChannelKind::Float32 => bits,
        }
    }

    /// The bits for a number. Fractions are clamped and rounded to nearest, NaN becomes 0; binary16 is rounded to nearest even.
    #[inline]
    pub fn encode(self, value: u32) -> u32 {
        match self.kind {
            ChannelKind::Unorm => f32_to_unorm(value, self.max()),
            ChannelKind::Snorm => f32_to_snorm(value, self.max() >> 1) as u32 & self.max(),
            ChannelKind::Float16 => u32::from(f32_to_f16(value)),
            ChannelKind::Float32 => value,
        }
    }

    /// The numbers of many pixels, as [`decode`](Self::decode) gives them.
    #[inline(always)]
    pub fn decode_each<const N: usize>(self, bits: &[u32; N]) -> [u32; N] {
        let mut values = *bits;
        match self.kind {
            ChannelKind::Unorm => {
                let max = self.max() as f32;
                // Of at most 24 bits: conversions of signed integers are done for many numbers at a time.
                values.iter_mut().for_each(|value| *value = (*value as i32 as f32 / max).to_bits());
            }
            ChannelKind::Snorm | ChannelKind::Float16 => {
                values.iter_mut().for_each(|value| *value = self.decode(*value))
            }
            ChannelKind::Float32 => {}
        }
        values
    }

    /// The bits for the numbers of many pixels, as [`encode`](Self::encode) gives them.
    #[inline(always)]
    pub fn encode_each<const N: usize>(self, values: &[u32; N]) -> [u32; N] {
        let mut bits = *values;
        match self.kind {
            // The product is exact, and rounded once, to an integer in the lowest bits. A half it is for 1/2 alone, whose code is even.
            ChannelKind::Unorm if FUSES && matches!(self.width, 2..=22) => {
                let max = self.max() as f32;
                bits.iter_mut().for_each(|bits| {
                    let sum = f32::from_bits(*bits).max(0.0).mul_add(max, INTEGERS).min(INTEGERS + max);
                    *bits = sum.to_bits() & 0x7F_FFFF;
                });
            }
            ChannelKind::Unorm => {
                let max = self.max();
                bits.iter_mut()
                    .for_each(|bits| *bits = nearest(f64::from(f32::from_bits(*bits)) * f64::from(max), max));
            }
            ChannelKind::Snorm | ChannelKind::Float16 => bits.iter_mut().for_each(|bits| *bits = self.encode(*bits)),
            ChannelKind::Float32 => {}
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_round_trip() {
        for width in 1..=16 {
            let channel = Channel::new(64, width, ChannelKind::Unorm);
            for bits in 0..=channel.max() {
                let value = f64::from(f32::from_bits(channel.decode(bits)));
                assert!((value - f64::from(bits) / (f64::from(channel.max()))).abs() < 3e-8);
                assert_eq!(channel.encode(channel.decode(bits)), bits);
            }
        }
        for width in 2..=16 {
            let channel = Channel::new(0, width, ChannelKind::Snorm);
            let least = 1 << (width - 1);
            for bits in 0..=channel.max() {
                let signed = if bits >= least { f64::from(bits) - f64::from(2 * least) } else { f64::from(bits) };
                let value = f64::from(f32::from_bits(channel.decode(bits)));
                assert!((value - (signed / f64::from(least - 1)).max(-1.0)).abs() < 3e-8);
                let expected = if bits == least { bits + 1 } else { bits };
                assert_eq!(channel.encode(channel.decode(bits)), expected, "-1 has one code of its own");
            }
        }
        let half = Channel::new(16, 16, ChannelKind::Float16);
        for bits in 0..=0xFFFF {
            let nan = bits & 0x7FFF > 0x7C00;
            assert_eq!(half.encode(half.decode(bits)), if nan { bits | 0x200 } else { bits });
        }
    }

    #[test]
    fn bits_stay_in_their_place() {
        let mut words = [0; 4];
        let parts = [(0, 5), (5, 6), (11, 5), (32, 32), (64, 1), (126, 2)];
        for (shift, width) in parts {
            let kind = if width == 32 { ChannelKind::Float32 } else { ChannelKind::Unorm };
            let channel = Channel::new(shift, width, kind);
            assert_eq!(channel.extract(&words), 0);
            channel.insert(&mut words, u32::MAX);
            assert_eq!(channel.extract(&words), channel.max());
        }
        assert_eq!(words, [0xFFFF, u32::MAX, 1, 0xC000_0000]);
    }

    #[test]
    fn numbers_of_many_pixels_are_those_of_each() {
        ctm_cases::check(20_000, |u| {
            let (kind, widths) = *u.choose(&[
                (ChannelKind::Unorm, (1, 24)),
                (ChannelKind::Snorm, (2, 24)),
                (ChannelKind::Float16, (16, 16)),
                (ChannelKind::Float32, (32, 32)),
            ])?;
            let width = u.int_in_range(widths.0..=widths.1)?;
            let channel = Channel::new(0, width, kind);
            let scale = *u.choose(&[0.0f32, 1e-3, 1.0, 2.0])?;
            let mut values = [0; 7];
            for value in &mut values {
                // Anything, or halves between two codes and their neighbours.
                let half = (f64::from(u.arbitrary::<u32>()? & channel.max()) + 0.5) / f64::from(channel.max());
                *value = match scale {
                    0.0 => u.arbitrary()?,
                    scale => (scale * half as f32).to_bits().wrapping_add_signed(u.int_in_range(-1..=1)?),
                };
            }
            let bits = values.map(|value| value & channel.max());
            assert_eq!(
                channel.encode_each(&values),
                values.map(|value| channel.encode(value)),
                "{channel:?} {values:x?}"
            );
            assert_eq!(channel.decode_each(&bits), bits.map(|bits| channel.decode(bits)), "{channel:?} {bits:x?}");
            Ok(())
        });
    }

    #[test]
    fn fractions_clamp_and_round() {
        let encode = |kind, value: f32| Channel::new(0, 8, kind).encode(value.to_bits());
        let unorm = [(-1.0, 0), (0.5, 128), (f32::NAN, 0), (2.0, 255), (f32::INFINITY, 255), (0.6 / 255.0, 1)];
        for (value, bits) in unorm {
            assert_eq!(encode(ChannelKind::Unorm, value), bits, "{value}");
        }
        let snorm = [(-1.0, 0x81), (-2.0, 0x81), (0.5, 64), (-0.5, 0xC0), (f32::NAN, 0), (9.0, 127)];
        for (value, bits) in snorm {
            assert_eq!(encode(ChannelKind::Snorm, value), bits, "{value}");
        }
    }
}
