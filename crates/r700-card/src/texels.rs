//! Texels: from what is stored to vectors of four numbers.
//!
//! Elements have the formats of vertex fetches; compressed blocks and sRGB are those of all cards.

use crate::resources::{NumberFormat, TextureResource};
use ctm_num::r700::unorm;
use ctm_r700::reference::ElementDecoder;
use ctm_r700::{ElementFormat, NumberFormat as ElementNumbers, TexelNumbers, VectorForm};
use ctm_raster::blocks::BlockFormat;
use ctm_raster::srgb::LINEAR;

/// Widest part of an element whose values are looked up.
const LOOKED_UP: u32 = 8;
/// The format whose components share an exponent.
const SHARED_EXPONENT: u8 = 0x2B;

/// Decodes the texels of a texture.
pub struct TexelDecoder {
    kind: Kind,
    /// Red, green and blue are sRGB.
    degamma: bool,
}

enum Kind {
    Elements(Box<Elements>),
    Blocks(BlockFormat),
}

/// Texels that stand by themselves.
struct Elements {
    decoder: ElementDecoder,
    /// The signed ones of components that may have a sign each, if some but not all have.
    signed: Option<(ElementDecoder, [bool; 4])>,
    channels: [Channel; 4],
    /// The bytes that are the same as channels, if there are such.
    bytes: Option<BytePlaces>,
    numbers: TexelNumbers,
}

/// How channels are obtained that are fractions of 255.
struct BytePlaces {
    channels: [ByteChannel; 4],
    /// They are all bytes of a word, in their order.
    all: bool,
}

impl BytePlaces {
    fn new(channels: [ByteChannel; 4]) -> Self {
        let is_kept = |(number, channel): (u32, &ByteChannel)| matches!(channel, ByteChannel::Part(shift) if *shift == 8 * number);
        BytePlaces { channels, all: (0..).zip(&channels).all(is_kept) }
    }
}

/// How a channel is obtained that is a fraction of 255.
#[derive(Clone, Copy)]
enum ByteChannel {
    /// It is the same for all texels.
    Constant(u8),
    /// It is a byte of the element's first word, from this bit on.
    Part(u32),
}

/// How a channel of texels is obtained.
enum Channel {
    /// It is the same for all of them.
    Constant(u32),
    /// It is a word of the element.
    Word(usize),
    /// It is a short part of a word: its number, its lowest bit, and what each of its values stands for.
    Part(usize, u32, Box<[u32; 1 << LOOKED_UP]>),
    /// It is a longer part of a word, as a fraction of the greatest one: its number, its lowest bit, and its width.
    Fraction(usize, u32, u32),
    /// The decoder calculates it.
    Calculated,
}

impl Channel {
    /// The same as a byte, if all its values are fractions of 255.
    fn byte(&self) -> Option<ByteChannel> {
        let fraction = |byte: u8| (f32::from(byte) / 255.0).to_bits();
        match self {
            Channel::Constant(value) => {
                [0, u8::MAX].into_iter().find(|&byte| fraction(byte) == *value).map(ByteChannel::Constant)
            }
            Channel::Part(0, shift, values) => {
                let are_fractions = (0..=u8::MAX).zip(values.iter()).all(|(byte, value)| *value == fraction(byte));
                are_fractions.then_some(ByteChannel::Part(*shift))
            }
            Channel::Part(..) | Channel::Word(_) | Channel::Fraction(..) | Channel::Calculated => None,
        }
    }
}

/// The greatest depth of 24 bits.
const DEPTH: u32 = 0xFF_FFFF;
/// Elements that are decoded together.
pub const RUN: usize = 8;

/// A texel as it is kept.
pub trait KeptTexel: Sized {
    /// Decodes texels of a row whose elements are words; false, and nothing done, if that is to be done by [`decode`](Self::decode).
    fn decode_words(decoder: &TexelDecoder, words: &[u32; RUN], texels: &mut [Self; RUN]) -> bool;

    /// Decodes texels of a row, from those in column `x` and row `y` on, which lie in these elements, samples of one texel one after the other.
    fn decode(decoder: &TexelDecoder, elements: &[[u32; 4]], x: u32, y: u32, texels: &mut [Self]);
}

/// [`VectorForm::Dwords`].
impl KeptTexel for [u32; 4] {
    #[inline(always)]
    fn decode_words(_: &TexelDecoder, _: &[u32; RUN], _: &mut [Self; RUN]) -> bool {
        false
    }

    fn decode(decoder: &TexelDecoder, elements: &[[u32; 4]], x: u32, y: u32, texels: &mut [Self]) {
        decoder.decode(elements, x, y, texels);
    }
}

/// [`VectorForm::Bytes`].
impl KeptTexel for u32 {
    #[inline(always)]
    fn decode_words(decoder: &TexelDecoder, words: &[u32; RUN], texels: &mut [Self; RUN]) -> bool {
        let Kind::Elements(format) = &decoder.kind else { return false };
        if let Some(BytePlaces { all: true, .. }) = &format.bytes {
            *texels = *words;
        }
        matches!(&format.bytes, Some(BytePlaces { all: true, .. }))
    }

    fn decode(decoder: &TexelDecoder, elements: &[[u32; 4]], _: u32, _: u32, texels: &mut [Self]) {
        let Kind::Elements(format) = &decoder.kind else { return };
        let Some(BytePlaces { channels, .. }) = &format.bytes else { return };
        for (texel, words) in texels.iter_mut().zip(elements) {
            *texel = u32::from_le_bytes(channels.map(|channel| match channel {
                ByteChannel::Constant(byte) => byte,
                ByteChannel::Part(shift) => (words[0] >> shift) as u8,
            }));
        }
    }
}

/// [`VectorForm::Scalar`].
impl KeptTexel for [u32; 1] {
    #[inline(always)]
    fn decode_words(decoder: &TexelDecoder, words: &[u32; RUN], texels: &mut [Self; RUN]) -> bool {
        let Kind::Elements(format) = &decoder.kind else { return false };
        match format.channels[0] {
            Channel::Word(0) => *texels = words.map(|word| [word]),
            // Depths: the product is so near to the quotient that it is rounded to the same number, for all of them.
            Channel::Fraction(0, shift, 24) => {
                for (texel, word) in texels.iter_mut().zip(words) {
                    let depth = f64::from((word >> shift & DEPTH).cast_signed());
                    *texel = [((depth * (1.0 / DEPTH as f64)) as f32).to_bits()];
                }
            }
            _ => return false,
        }
        true
    }

    fn decode(decoder: &TexelDecoder, elements: &[[u32; 4]], _: u32, _: u32, texels: &mut [Self]) {
        let Kind::Elements(format) = &decoder.kind else { return };
        format.channel_of(0, elements, texels.iter_mut().map(|[first]| first));
    }
}

impl TexelDecoder {
    /// For texels of this texture; `None` if its format is none of textures.
    pub fn new(texture: &TextureResource) -> Option<Self> {
        let signed = texture.signs.map(|sign| sign == 1);
        let kind = match texture.format {
            0x31 => Kind::Blocks(BlockFormat::Dxt1),
            0x32 => Kind::Blocks(BlockFormat::Dxt3),
            0x33 => Kind::Blocks(BlockFormat::Dxt5),
            0x34 => Kind::Blocks(BlockFormat::Rgtc1 { signed: signed[0] }),
            0x35 => Kind::Blocks(BlockFormat::Rgtc2 { signed: [signed[0], signed[1]] }),
            _ => Kind::Elements(Box::new(Elements::new(texture, signed)?)),
        };
        Some(TexelDecoder { kind, degamma: texture.degamma })
    }

    /// Width and height of what is stored together, in texels, and its bytes.
    pub fn block(&self) -> (u32, u32, u32) {
        match &self.kind {
            Kind::Elements(elements) => (1, 1, elements.decoder.bytes()),
            Kind::Blocks(format) => (4, 4, format.bytes()),
        }
    }

    /// What the numbers of texels are.
    pub fn numbers(&self) -> TexelNumbers {
        match &self.kind {
            Kind::Elements(elements) => elements.numbers,
            Kind::Blocks(_) => TexelNumbers::Float,
        }
    }

    /// Whether texels are vectors that are stored as they are.
    pub fn keeps_bits(&self) -> bool {
        let is_kept = |(number, channel): (usize, &Channel)| matches!(channel, Channel::Word(word) if *word == number);
        match &self.kind {
            Kind::Elements(elements) => elements.channels.iter().enumerate().all(is_kept),
            Kind::Blocks(_) => false,
        }
    }

    /// The shortest form that keeps texels, or of those of which nothing but the `first` number is read that.
    pub fn form(&self, first: bool) -> VectorForm {
        match &self.kind {
            Kind::Elements(elements) if elements.bytes.is_some() => VectorForm::Bytes,
            Kind::Elements(_) if first => VectorForm::Scalar,
            Kind::Elements(_) | Kind::Blocks(_) => VectorForm::Dwords,
        }
    }

    /// Decodes texels of a row, as [`KeptTexel::decode`] says.
    fn decode(&self, elements: &[[u32; 4]], x: u32, y: u32, texels: &mut [[u32; 4]]) {
        match &self.kind {
            Kind::Elements(format) => format.decode(elements, texels),
            Kind::Blocks(format) => {
                let first = x;
                for (x, texel) in (x..).zip(texels) {
                    let block = elements.get((x / 4 - first / 4) as usize).unwrap_or(&[0; 4]);
                    let [r, g, b, a] = format.texel(block, x, y);
                    *texel = match self.degamma {
                        true => [linear(r), linear(g), linear(b), a],
                        false => [r, g, b, a],
                    };
                }
            }
        }
    }
}

impl Elements {
    fn new(texture: &TextureResource, signs: [bool; 4]) -> Option<Self> {
        let number = match texture.numbers {
            NumberFormat::Norm | NumberFormat::Reserved3 => ElementNumbers::Norm,
            NumberFormat::Int => ElementNumbers::Int,
            NumberFormat::Scaled => ElementNumbers::Scaled,
        };
        let decoder = |signed: bool| {
            let format = ElementFormat { data_format: texture.format, number, signed, no_zero: texture.surface_mode };
            ElementDecoder::new(format).ok().filter(|decoder| matches!(decoder.bytes(), 1 | 2 | 4 | 8 | 16))
        };
        let all = signs.iter().all(|&sign| sign);
        let some = signs.contains(&true) && !all;
        let mut elements = Elements {
            decoder: decoder(all)?,
            signed: if some { Some((decoder(true)?, signs)) } else { None },
            channels: [const { Channel::Calculated }; 4],
            bytes: None,
            numbers: match texture.numbers {
                NumberFormat::Int => TexelNumbers::Integer,
                NumberFormat::Norm if !signs[0] && !is_float(texture.format) => TexelNumbers::Fraction,
                NumberFormat::Norm | NumberFormat::Scaled | NumberFormat::Reserved3 => TexelNumbers::Float,
            },
        };
        for channel in 0..4 {
            let found = elements.channel(channel, texture);
            elements.channels[channel] = found;
        }
        if let [Some(x), Some(y), Some(z), Some(w)] = elements.channels.each_ref().map(Channel::byte) {
            elements.bytes = Some(BytePlaces::new([x, y, z, w]));
        }
        Some(elements)
    }

    fn channel(&self, channel: usize, texture: &TextureResource) -> Channel {
        let value = |words: &[u32; 4]| {
            let value = self.calculated(channel, words);
            if texture.degamma && channel < 3 { linear(value) } else { value }
        };
        match self.decoder.field(channel) {
            Some((at, width)) if width <= LOOKED_UP => {
                let (word, shift) = ((at / 32) as usize, at % 32);
                let of_bits = |bits: usize| {
                    let mut words = [0; 4];
                    words[word] = (bits as u32) << shift;
                    value(&words)
                };
                Channel::Part(word, shift, Box::new(std::array::from_fn(|bits| of_bits(bits % (1 << width)))))
            }
            Some((at, width)) if self.is_fraction(channel) && !(texture.degamma && channel < 3) => {
                Channel::Fraction((at / 32) as usize, at % 32, width)
            }
            // A word with a sign is the same as one without.
            Some(_) => self.decoder.word(channel).map_or(Channel::Calculated, Channel::Word),
            // What the format lacks is always the same.
            None if texture.format != SHARED_EXPONENT || channel == 3 => Channel::Constant(value(&[0; 4])),
            None => Channel::Calculated,
        }
    }

    /// Whether a channel is a fraction without a sign.
    fn is_fraction(&self, channel: usize) -> bool {
        let has_sign = self.signed.as_ref().is_some_and(|(_, signs)| signs[channel]);
        !has_sign && self.decoder.is_fraction(channel)
    }

    fn calculated(&self, channel: usize, words: &[u32; 4]) -> u32 {
        match &self.signed {
            Some((decoder, signs)) if signs[channel] => decoder.channel(channel, words),
            Some(_) | None => self.decoder.channel(channel, words),
        }
    }

    fn decode(&self, elements: &[[u32; 4]], texels: &mut [[u32; 4]]) {
        for number in 0..self.channels.len() {
            self.channel_of(number, elements, texels.iter_mut().map(|texel| &mut texel[number]));
        }
    }

    /// A channel of texels.
    #[inline(always)]
    fn channel_of<'t>(&self, number: usize, elements: &[[u32; 4]], texels: impl Iterator<Item = &'t mut u32>) {
        let of_texels = texels.zip(elements);
        match &self.channels[number] {
            Channel::Constant(value) => of_texels.for_each(|(component, _)| *component = *value),
            Channel::Word(word) => of_texels.for_each(|(component, words)| *component = words[word & 3]),
            Channel::Part(word, shift, values) => {
                of_texels
                    .for_each(|(component, words)| *component = values[(words[word & 3] >> shift & 0xFF) as usize]);
            }
            Channel::Fraction(word, shift, width) => {
                of_texels.for_each(|(component, words)| {
                    *component = unorm(words[word & 3] >> shift & (u32::MAX >> (32 - width)), *width);
                });
            }
            Channel::Calculated => {
                of_texels.for_each(|(component, words)| *component = self.calculated(number, words));
            }
        }
    }
}

/// True of formats whose texels may be stored as they are: four components of 32 bits.
pub fn is_vector(format: u8) -> bool {
    matches!(format, 0x22 | 0x23)
}

/// True of formats of floats.
fn is_float(format: u8) -> bool {
    matches!(format, 0x06 | 0x0E | 0x10 | 0x12 | 0x14 | 0x16 | 0x18 | 0x1C | 0x1E | 0x20 | 0x23 | 0x2B | 0x2E | 0x30)
}

/// The linear number of a fraction of 255.
fn linear(value: u32) -> u32 {
    let code = (f32::from_bits(value) * 255.0).round();
    LINEAR[code as usize & 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder(format: u8, numbers: NumberFormat, signs: [u8; 4], degamma: bool) -> TexelDecoder {
        TexelDecoder::new(&TextureResource { format, numbers, signs, degamma, ..TextureResource::default() }).unwrap()
    }

    fn decoded(decoder: &TexelDecoder, words: [u32; 4], x: u32, y: u32) -> [u32; 4] {
        let mut texel = [[7; 4]];
        decoder.decode(&[words], x, y, &mut texel);
        texel[0]
    }

    fn floats(texel: [u32; 4]) -> [f32; 4] {
        texel.map(f32::from_bits)
    }

    #[test]
    fn components_begin_at_the_low_end() {
        let norm = NumberFormat::Norm;
        let bytes = decoder(0x1A, norm, [0; 4], false);
        assert_eq!(floats(decoded(&bytes, [0xFF00_3380, 0, 0, 0], 0, 0)), [128.0 / 255.0, 0.2, 0.0, 1.0]);
        assert_eq!((bytes.block(), bytes.numbers()), ((1, 1, 4), TexelNumbers::Fraction));
        let wide = decoder(0x19, norm, [0; 4], false);
        let expected = [1.0, 0.0, 341.0 / 1023.0, 2.0 / 3.0];
        assert_eq!(floats(decoded(&wide, [0x3FF | 341 << 20 | 2 << 30, 0, 0, 0], 0, 0)), expected);
        let depth = decoder(0x11, norm, [0; 4], false);
        assert_eq!(floats(decoded(&depth, [0xFFFF_FFFF, 0, 0, 0], 0, 0))[0], 1.0);
        let stencil = decoder(0x11, NumberFormat::Int, [0; 4], false);
        assert_eq!(decoded(&stencil, [0x5A12_3456, 0, 0, 0], 0, 0)[..2], [0x12_3456, 0x5A]);
        assert_eq!(stencil.numbers(), TexelNumbers::Integer);
        let float = decoder(0x1C, norm, [0; 4], false);
        assert_eq!(decoded(&float, [0x3F00_0000, 0xABCD_EF7F, 0, 0], 0, 0)[0], 0x3F00_0000);
        assert_eq!(float.block(), (1, 1, 8));
    }

    #[test]
    fn signs_belong_to_components() {
        let mixed = decoder(0x1A, NumberFormat::Norm, [1, 1, 0, 0], false);
        let expected = [-1.0, 1.0, 128.0 / 255.0, 1.0];
        assert_eq!(floats(decoded(&mixed, [0xFF80_7F80, 0, 0, 0], 0, 0)), expected);
        let integers = decoder(0x1F, NumberFormat::Int, [1; 4], false);
        assert_eq!(
            decoded(&integers, [0xFFFF_7FFF, 0x8000_0001, 0, 0], 0, 0).map(u32::cast_signed),
            [32767, -1, 1, -32768]
        );
    }

    #[test]
    fn srgb_leaves_alpha_alone() {
        let srgb = decoder(0x1A, NumberFormat::Norm, [0; 4], true);
        let texel = decoded(&srgb, [0x8000_FF80, 0, 0, 0], 0, 0);
        assert_eq!(texel, [LINEAR[128], LINEAR[255], 0, (128.0f32 / 255.0).to_bits()]);
        let blocks = decoder(0x31, NumberFormat::Norm, [0; 4], true);
        // Both ends are 5-bit red 16, which is 132 of 255.
        let texel = decoded(&blocks, [0x8000_8000, 0, 0, 0], 3, 3);
        assert_eq!(texel, [LINEAR[132], 0, 0, 0x3F80_0000]);
        assert_eq!(blocks.block(), (4, 4, 8));
    }

    /// Texels are kept as bytes where that says the same.
    #[test]
    fn fractions_of_255_are_bytes() {
        let norm = NumberFormat::Norm;
        let kept = |decoder: &TexelDecoder, words: [u32; 4]| {
            let mut texel = [7];
            u32::decode(decoder, &[words], 0, 0, &mut texel);
            texel[0]
        };
        // Of one, two and four bytes.
        for format in [0x01, 0x07, 0x1A] {
            let decoder = decoder(format, norm, [0; 4], false);
            assert_eq!(decoder.form(format == 0x01), VectorForm::Bytes, "{format:#x}");
            for byte in 0..=u8::MAX {
                let words = [u32::from_le_bytes([byte, !byte, byte ^ 0x5A, byte.wrapping_mul(3)]), 0, 0, 0];
                let bytes = kept(&decoder, words).to_le_bytes();
                assert_eq!(bytes.map(|byte| (f32::from(byte) / 255.0).to_bits()), decoded(&decoder, words, 0, 0));
            }
        }
        // Signs, sRGB, integers, other sizes, blocks.
        for (format, numbers, signs, degamma) in [
            (0x1A, norm, [1; 4], false),
            (0x1A, norm, [0, 1, 0, 0], false),
            (0x1A, norm, [0; 4], true),
            (0x1A, NumberFormat::Int, [0; 4], false),
            (0x08, norm, [0; 4], false),
            (0x05, norm, [0; 4], false),
            (0x31, norm, [0; 4], false),
        ] {
            assert_eq!(decoder(format, numbers, signs, degamma).form(false), VectorForm::Dwords, "{format:#x}");
        }
    }

    /// Of texels of which nothing but the first number is read, that is kept.
    #[test]
    fn first_numbers_are_kept_alone() {
        let norm = NumberFormat::Norm;
        for (format, words) in [(0x11, [0x5A12_3456, 0, 0, 0]), (0x05, [0xABCD; 4]), (0x1A, [0x8180_7F01; 4])] {
            let decoder = decoder(format, norm, [u8::from(format == 0x1A); 4], false);
            assert_eq!(decoder.form(true), VectorForm::Scalar, "{format:#x}");
            let mut texel = [[7]];
            <[u32; 1]>::decode(&decoder, &[words], 0, 0, &mut texel);
            assert_eq!(texel[0][0], decoded(&decoder, words, 0, 0)[0], "{format:#x}");
        }
        let depth = decoder(0x11, norm, [0; 4], false);
        for first in (0..=DEPTH).step_by(RUN) {
            let words = std::array::from_fn(|n| (first + n as u32) | 0x5A00_0000);
            let mut texels = [[7]; RUN];
            assert!(<[u32; 1]>::decode_words(&depth, &words, &mut texels));
            assert_eq!(texels, words.map(|word| [unorm(word & DEPTH, 24)]));
        }
        assert_eq!(decoder(0x31, norm, [0; 4], false).form(true), VectorForm::Dwords);
    }

    #[test]
    fn other_formats_are_none_of_textures() {
        for format in [0, 0x04, 0x25, 0x2C, 0x30, 0x3F] {
            let resource = TextureResource { format, ..TextureResource::default() };
            assert!(TexelDecoder::new(&resource).is_none(), "{format:#x}");
        }
    }
}
