//! Texels: from what is stored to vectors of four numbers.
//!
//! Elements have the formats of vertex fetches; compressed blocks and sRGB are those of all cards.

use crate::resources::{NumberFormat, TextureResource};
use ctm_r700::reference::ElementDecoder;
use ctm_r700::{ElementFormat, NumberFormat as ElementNumbers, TexelNumbers};
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
    /// For each channel that is a short part of the element: its place and its values.
    values: [Option<(u32, Vec<u32>)>; 4],
    numbers: TexelNumbers,
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

    /// The components of texel (x, y) of a block, with coordinates modulo its sides.
    pub fn decode(&self, words: &[u32; 4], x: u32, y: u32) -> [u32; 4] {
        match &self.kind {
            Kind::Elements(elements) => elements.decode(words),
            Kind::Blocks(format) => {
                let [r, g, b, a] = format.texel(words, x, y);
                match self.degamma {
                    true => [linear(r), linear(g), linear(b), a],
                    false => [r, g, b, a],
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
            values: [None, None, None, None],
            numbers: match texture.numbers {
                NumberFormat::Int => TexelNumbers::Integer,
                NumberFormat::Norm if !signs[0] && !is_float(texture.format) => TexelNumbers::Fraction,
                NumberFormat::Norm | NumberFormat::Scaled | NumberFormat::Reserved3 => TexelNumbers::Float,
            },
        };
        for channel in 0..4 {
            let (at, width) = match elements.decoder.field(channel) {
                Some((at, width)) if width <= LOOKED_UP => (at, width),
                // What the format lacks is always the same.
                None if texture.format != SHARED_EXPONENT || channel == 3 => (0, 0),
                Some(_) | None => continue,
            };
            let value = |bits: u32| {
                let value = elements.element(u128::from(bits) << at)[channel];
                if texture.degamma && channel < 3 { linear(value) } else { value }
            };
            let values = (0..1 << width).map(value).collect();
            elements.values[channel] = Some((at, values));
        }
        Some(elements)
    }

    fn element(&self, bits: u128) -> [u32; 4] {
        let values = self.decoder.decode(bits);
        match &self.signed {
            None => values,
            Some((decoder, signs)) => {
                let signed = decoder.decode(bits);
                std::array::from_fn(|channel| if signs[channel] { signed[channel] } else { values[channel] })
            }
        }
    }

    fn decode(&self, words: &[u32; 4]) -> [u32; 4] {
        let mut texel = [0; 4];
        let mut complete = true;
        for (value, values) in texel.iter_mut().zip(&self.values) {
            match values {
                Some((at, values)) => {
                    let bits = words[(at / 32) as usize] >> (at % 32);
                    *value = values[bits as usize & (values.len() - 1)];
                }
                None => complete = false,
            }
        }
        if complete {
            return texel;
        }
        let bits = words.iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        let all = self.element(bits);
        std::array::from_fn(|channel| if self.values[channel].is_some() { texel[channel] } else { all[channel] })
    }
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

    fn floats(texel: [u32; 4]) -> [f32; 4] {
        texel.map(f32::from_bits)
    }

    #[test]
    fn components_begin_at_the_low_end() {
        let norm = NumberFormat::Norm;
        let bytes = decoder(0x1A, norm, [0; 4], false);
        assert_eq!(floats(bytes.decode(&[0xFF00_3380, 0, 0, 0], 0, 0)), [128.0 / 255.0, 0.2, 0.0, 1.0]);
        assert_eq!((bytes.block(), bytes.numbers()), ((1, 1, 4), TexelNumbers::Fraction));
        let wide = decoder(0x19, norm, [0; 4], false);
        let expected = [1.0, 0.0, 341.0 / 1023.0, 2.0 / 3.0];
        assert_eq!(floats(wide.decode(&[0x3FF | 341 << 20 | 2 << 30, 0, 0, 0], 0, 0)), expected);
        let depth = decoder(0x11, norm, [0; 4], false);
        assert_eq!(floats(depth.decode(&[0xFFFF_FFFF, 0, 0, 0], 0, 0))[0], 1.0);
        let stencil = decoder(0x11, NumberFormat::Int, [0; 4], false);
        assert_eq!(stencil.decode(&[0x5A12_3456, 0, 0, 0], 0, 0)[..2], [0x12_3456, 0x5A]);
        assert_eq!(stencil.numbers(), TexelNumbers::Integer);
        let float = decoder(0x1C, norm, [0; 4], false);
        assert_eq!(float.decode(&[0x3F00_0000, 0xABCD_EF7F, 0, 0], 0, 0)[0], 0x3F00_0000);
        assert_eq!(float.block(), (1, 1, 8));
    }

    #[test]
    fn signs_belong_to_components() {
        let mixed = decoder(0x1A, NumberFormat::Norm, [1, 1, 0, 0], false);
        let expected = [-1.0, 1.0, 128.0 / 255.0, 1.0];
        assert_eq!(floats(mixed.decode(&[0xFF80_7F80, 0, 0, 0], 0, 0)), expected);
        let integers = decoder(0x1F, NumberFormat::Int, [1; 4], false);
        assert_eq!(
            integers.decode(&[0xFFFF_7FFF, 0x8000_0001, 0, 0], 0, 0).map(u32::cast_signed),
            [32767, -1, 1, -32768]
        );
    }

    #[test]
    fn srgb_leaves_alpha_alone() {
        let srgb = decoder(0x1A, NumberFormat::Norm, [0; 4], true);
        let texel = srgb.decode(&[0x8000_FF80, 0, 0, 0], 0, 0);
        assert_eq!(texel, [LINEAR[128], LINEAR[255], 0, (128.0f32 / 255.0).to_bits()]);
        let blocks = decoder(0x31, NumberFormat::Norm, [0; 4], true);
        // Both ends are 5-bit red 16, which is 132 of 255.
        let texel = blocks.decode(&[0x8000_8000, 0, 0, 0], 3, 3);
        assert_eq!(texel, [LINEAR[132], 0, 0, 0x3F80_0000]);
        assert_eq!(blocks.block(), (4, 4, 8));
    }

    #[test]
    fn other_formats_are_none_of_textures() {
        for format in [0, 0x04, 0x25, 0x2C, 0x30, 0x3F] {
            let resource = TextureResource { format, ..TextureResource::default() };
            assert!(TexelDecoder::new(&resource).is_none(), "{format:#x}");
        }
    }
}
