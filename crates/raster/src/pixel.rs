//! Pixels whose numbers may also be integers, sRGB or small floats.

use crate::channel::{Channel, ChannelKind, Words};
use crate::srgb;

/// What the bits of a part are, if not what its channel says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentNumbers {
    /// What the channel says.
    Plain,
    /// A fraction of 8 bits whose linear number is what counts.
    Srgb,
    /// An integer.
    Uint,
    /// A signed integer.
    Sint,
    /// A float without sign: five bits of exponent, the others of mantissa.
    Float,
}

/// A component of a stored pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelComponent {
    channel: Channel,
    numbers: ComponentNumbers,
}

impl PixelComponent {
    /// A component that is what a channel says.
    pub const fn plain(channel: Channel) -> PixelComponent {
        PixelComponent { channel, numbers: ComponentNumbers::Plain }
    }

    /// The component of `width` bits from bit `shift` on, of other numbers.
    ///
    /// # Panics
    ///
    /// If it is empty, has from 25 to 31 bits, or crosses a word's border, or if there are no such numbers with that many bits.
    pub const fn new(shift: u32, width: u32, numbers: ComponentNumbers) -> PixelComponent {
        let fits = match numbers {
            ComponentNumbers::Plain => false,
            ComponentNumbers::Srgb => width == 8,
            ComponentNumbers::Uint | ComponentNumbers::Sint => true,
            ComponentNumbers::Float => width == 10 || width == 11,
        };
        assert!(fits, "no number of this kind has that many bits");
        // Of channels of 32 bits the bits are kept by this kind alone.
        let kind = if width == 32 { ChannelKind::Float32 } else { ChannelKind::Unorm };
        PixelComponent { channel: Channel::new(shift, width, kind), numbers }
    }

    /// Its bits in a pixel.
    #[inline(always)]
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// What they are.
    #[inline(always)]
    pub const fn numbers(&self) -> ComponentNumbers {
        self.numbers
    }

    /// Whether it is an integer.
    pub const fn is_integer(&self) -> bool {
        matches!(self.numbers, ComponentNumbers::Uint | ComponentNumbers::Sint)
    }

    /// The number that bits stand for: bits of binary32, or of an integer.
    #[inline]
    pub fn decode(&self, bits: u32) -> u32 {
        let width = self.channel.width();
        match self.numbers {
            ComponentNumbers::Plain => self.channel.decode(bits),
            ComponentNumbers::Srgb => srgb::LINEAR[(bits & 0xFF) as usize],
            ComponentNumbers::Uint => bits,
            ComponentNumbers::Sint => ((bits << (32 - width)) as i32 >> (32 - width)) as u32,
            ComponentNumbers::Float => small_float(bits, width - 5),
        }
    }

    /// The bits for a number. Fractions are clamped and rounded; integers are clamped; small floats are cut off, and what is too large for them
    /// is their greatest number.
    #[inline]
    pub fn encode(&self, value: u32) -> u32 {
        let max = self.channel.max();
        match self.numbers {
            ComponentNumbers::Plain => self.channel.encode(value),
            ComponentNumbers::Srgb => srgb::from_linear(value).into(),
            ComponentNumbers::Uint => value.min(max),
            ComponentNumbers::Sint => {
                let greatest = (max >> 1) as i32;
                (value as i32).clamp(-greatest - 1, greatest) as u32 & max
            }
            ComponentNumbers::Float => to_small_float(value, self.channel.width() - 5),
        }
    }
}

impl PixelComponent {
    /// The numbers of many pixels, as [`decode`](Self::decode) gives them.
    #[inline(always)]
    fn decode_each<const N: usize>(&self, bits: &[u32; N]) -> [u32; N] {
        match self.numbers {
            ComponentNumbers::Plain => self.channel.decode_each(bits),
            ComponentNumbers::Srgb | ComponentNumbers::Uint | ComponentNumbers::Sint | ComponentNumbers::Float => {
                let mut values = *bits;
                values.iter_mut().for_each(|value| *value = self.decode(*value));
                values
            }
        }
    }

    /// The bits for the numbers of many pixels, as [`encode`](Self::encode) gives them.
    #[inline(always)]
    fn encode_each<const N: usize>(&self, values: &[u32; N]) -> [u32; N] {
        match self.numbers {
            ComponentNumbers::Plain => self.channel.encode_each(values),
            ComponentNumbers::Srgb | ComponentNumbers::Uint | ComponentNumbers::Sint | ComponentNumbers::Float => {
                let mut bits = *values;
                bits.iter_mut().for_each(|bits| *bits = self.encode(*bits));
                bits
            }
        }
    }
}

/// The number of a float with five bits of exponent and so many of mantissa.
fn small_float(bits: u32, mantissa_bits: u32) -> u32 {
    let (exponent, mantissa) = (bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1));
    match exponent {
        0 => (mantissa as f32 / (1u32 << (14 + mantissa_bits)) as f32).to_bits(),
        31 if mantissa == 0 => f32::INFINITY.to_bits(),
        31 => crate::NAN,
        _ => (exponent + 127 - 15) << 23 | mantissa << (23 - mantissa_bits),
    }
}

fn to_small_float(value: u32, mantissa_bits: u32) -> u32 {
    let infinity = 31 << mantissa_bits;
    match f32::from_bits(value) {
        number if number.is_nan() => infinity | 1,
        f32::INFINITY => infinity,
        number if number <= 0.0 => 0,
        // Multiples of the least number.
        number if number < 1.0 / 16384.0 => (number * (1u32 << (14 + mantissa_bits)) as f32) as u32,
        _ => ((value >> (23 - mantissa_bits)) - ((127 - 15) << mantissa_bits)).min(infinity - 1),
    }
}

/// What a pixel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelFormat {
    /// Bytes of a pixel: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Where red, green, blue and alpha lie; `None` where the format lacks one.
    pub parts: [Option<PixelComponent>; 4],
}

impl PixelFormat {
    /// A pixel with these numbers. What the format lacks is dropped.
    #[inline]
    pub fn encode(&self, values: [u32; 4]) -> Words {
        let mut words = [0; 4];
        for (part, value) in self.parts.iter().zip(values) {
            if let Some(part) = part {
                part.channel.insert(&mut words, part.encode(value));
            }
        }
        words
    }

    /// The numbers of a pixel. Those that the format lacks are 0, alpha is 1.0.
    #[inline]
    pub fn decode(&self, words: &Words) -> [u32; 4] {
        const ONE: u32 = 0x3F80_0000;
        let mut values = [0, 0, 0, ONE];
        for (value, part) in values.iter_mut().zip(&self.parts) {
            if let Some(part) = part {
                *value = part.decode(part.channel.extract(words));
            }
        }
        values
    }

    /// Many pixels with these numbers, of each component for all of them, as [`encode`](Self::encode) gives them: of each word for all of them.
    #[inline(always)]
    pub fn encode_each<const N: usize>(&self, values: &[[u32; N]; 4]) -> [[u32; N]; 4] {
        let mut words = [[0; N]; 4];
        for (part, values) in self.parts.iter().zip(values) {
            if let Some(part) = part {
                let (channel, bits) = (part.channel, part.encode_each(values));
                let words = &mut words[channel.word() & 3];
                words.iter_mut().zip(bits).for_each(|(word, bits)| *word |= (bits & channel.max()) << channel.shift());
            }
        }
        words
    }

    /// The numbers of many pixels, of each component for all of them, as [`decode`](Self::decode) gives them. `words` are those of each pixel
    /// with the same number.
    #[inline(always)]
    pub fn decode_each<const N: usize>(&self, words: &[[u32; N]; 4]) -> [[u32; N]; 4] {
        const ONE: u32 = 0x3F80_0000;
        let mut values = [[0; N], [0; N], [0; N], [ONE; N]];
        for (values, part) in values.iter_mut().zip(&self.parts) {
            if let Some(part) = part {
                let (channel, mut bits) = (part.channel, words[part.channel.word() & 3]);
                bits.iter_mut().for_each(|bits| *bits = *bits >> channel.shift() & channel.max());
                *values = part.decode_each(&bits);
            }
        }
        values
    }

    /// The stored bits of the components of a mask (bit n: component n).
    pub fn stored_bits(&self, mask: u8) -> Words {
        let mut words = [0; 4];
        for (n, part) in self.parts.iter().enumerate() {
            if let Some(part) = part.as_ref().filter(|_| mask >> n & 1 != 0) {
                part.channel.insert(&mut words, u32::MAX);
            }
        }
        words
    }

    /// Whether what is stored are the bits of the four numbers, one after the other.
    pub fn keeps_bits(&self) -> bool {
        let is_kept = |n: usize, part: &PixelComponent| {
            let (channel, numbers) = (part.channel, part.numbers);
            let is_whole = channel.word() == n && channel.shift() == 0 && channel.kind() == ChannelKind::Float32;
            is_whole && matches!(numbers, ComponentNumbers::Plain | ComponentNumbers::Uint | ComponentNumbers::Sint)
        };
        self.parts.iter().enumerate().all(|(n, part)| part.as_ref().is_some_and(|part| is_kept(n, part)))
    }

    /// Whether its numbers are integers.
    pub fn is_integer(&self) -> bool {
        self.parts.iter().flatten().any(PixelComponent::is_integer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(width: u32, numbers: ComponentNumbers) -> PixelComponent {
        PixelComponent::new(0, width, numbers)
    }

    #[test]
    fn integers_are_clamped() {
        let unsigned = [0, 255, 256, u32::MAX].map(|value| part(8, ComponentNumbers::Uint).encode(value));
        assert_eq!(unsigned, [0, 255, 255, 255]);
        let signed =
            [-1i32, 127, 128, -129, i32::MIN].map(|value| part(8, ComponentNumbers::Sint).encode(value as u32));
        assert_eq!(signed, [0xFF, 127, 127, 0x80, 0x80]);
        assert_eq!(part(10, ComponentNumbers::Sint).decode(0x200) as i32, -512);
        let wide = [ComponentNumbers::Uint, ComponentNumbers::Sint].map(|numbers| part(32, numbers));
        for value in [0, 1, 0x7F80_0001, u32::MAX] {
            assert_eq!(wide.map(|part| (part.encode(value), part.decode(value))), [(value, value); 2]);
        }
    }

    #[test]
    fn small_floats_are_cut_off() {
        let eleven = part(11, ComponentNumbers::Float);
        for (value, bits) in [
            (1.0f32, 15 << 6),
            (1.99, 15 << 6 | 63),
            (-1.0, 0),
            (65024.0, 30 << 6 | 63),
            (1e9, 30 << 6 | 63),
            (f32::INFINITY, 31 << 6),
            (0.5 / 16384.0, 32),
            (1.0 / 16384.0, 1 << 6),
            (1e-9, 0),
        ] {
            assert_eq!(eleven.encode(value.to_bits()), bits, "{value}");
        }
        for width in [10, 11] {
            let part = part(width, ComponentNumbers::Float);
            for bits in 0..31 << (width - 5) {
                assert_eq!(part.encode(part.decode(bits)), bits);
            }
            assert!(f32::from_bits(part.decode(part.encode(f32::NAN.to_bits()))).is_nan());
        }
        assert_eq!(f32::from_bits(part(10, ComponentNumbers::Float).decode(16 << 5 | 16)), 3.0);
    }

    #[test]
    fn many_pixels_are_as_each() {
        let plain = |shift, width, kind| Some(PixelComponent::plain(Channel::new(shift, width, kind)));
        let of = |shift, width, numbers| Some(PixelComponent::new(shift, width, numbers));
        let formats = [
            [
                plain(0, 8, ChannelKind::Unorm),
                plain(8, 8, ChannelKind::Unorm),
                plain(16, 8, ChannelKind::Unorm),
                plain(24, 8, ChannelKind::Unorm),
            ],
            [
                of(16, 8, ComponentNumbers::Srgb),
                of(8, 8, ComponentNumbers::Srgb),
                of(0, 8, ComponentNumbers::Srgb),
                plain(24, 8, ChannelKind::Unorm),
            ],
            [plain(11, 5, ChannelKind::Unorm), plain(5, 6, ChannelKind::Unorm), plain(0, 5, ChannelKind::Unorm), None],
            [
                of(0, 11, ComponentNumbers::Float),
                of(11, 11, ComponentNumbers::Float),
                of(22, 10, ComponentNumbers::Float),
                None,
            ],
            [0, 1, 2, 3].map(|n| plain(32 * n, 32, ChannelKind::Float32)),
            [0, 1, 2, 3].map(|n| plain(16 * n, 16, ChannelKind::Float16)),
            [None, of(0, 8, ComponentNumbers::Sint), None, of(8, 8, ComponentNumbers::Uint)],
            [
                of(32, 32, ComponentNumbers::Uint),
                plain(0, 24, ChannelKind::Unorm),
                None,
                plain(24, 8, ChannelKind::Snorm),
            ],
        ];
        ctm_cases::check(20_000, |u| {
            let format = PixelFormat { bytes: 16, parts: *u.choose(&formats)? };
            let mut pixels = [[0; 4]; 5];
            for value in pixels.as_flattened_mut() {
                *value =
                    if u.arbitrary()? { u.arbitrary()? } else { (u.int_in_range(-9..=99)? as f32 / 80.0).to_bits() };
            }
            let apart = |pixels: [[u32; 4]; 5]| [0, 1, 2, 3].map(|n| pixels.map(|pixel| pixel[n]));
            assert_eq!(format.encode_each(&apart(pixels)), apart(pixels.map(|pixel| format.encode(pixel))));
            assert_eq!(format.decode_each(&apart(pixels)), apart(pixels.map(|pixel| format.decode(&pixel))));
            Ok(())
        });
    }

    #[test]
    fn pixels_keep_what_they_have() {
        let srgb = |shift| Some(PixelComponent::new(shift, 8, ComponentNumbers::Srgb));
        let alpha = Some(PixelComponent::plain(Channel::new(24, 8, ChannelKind::Unorm)));
        let format = PixelFormat { bytes: 4, parts: [srgb(16), srgb(8), srgb(0), alpha] };
        let stored = format.encode([1.0f32, 0.5, 0.0, 0.5].map(f32::to_bits));
        assert_eq!(stored, [0x80FF_BC00, 0, 0, 0], "0.5 is 188 in sRGB");
        assert_eq!(format.encode(format.decode(&stored)), stored);
        assert_eq!(format.stored_bits(0b0101), [0x00FF_00FF, 0, 0, 0]);
        let one = PixelFormat { bytes: 1, parts: [None, Some(part(8, ComponentNumbers::Uint)), None, None] };
        assert_eq!(one.decode(&[7, 0, 0, 0]), [0, 7, 0, 0x3F80_0000]);
        assert!(one.is_integer() && !format.is_integer());
    }
}
