//! Formats of textures.

use crate::blocks::BlockFormat;
use crate::channel::{Channel, Words};

/// What a texture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexelFormat {
    /// Texels with components of their own.
    Plain {
        /// Bytes of a texel: 1, 2, 4, 8 or 16.
        bytes: u32,
        /// Where components 0 to 3 lie; `None` where the format lacks one.
        components: [Option<Channel>; 4],
    },
    /// Two signed components of a unit vector, and a third one that follows from them: sqrt(1 - x^2 - y^2), 0 if that is not a number.
    Normals {
        /// Bytes of a texel.
        bytes: u32,
        /// Where both lie.
        components: [Channel; 2],
    },
    /// Compressed blocks of 4 x 4 texels.
    Blocks(BlockFormat),
    /// Two texels side by side with luma of their own and the same chroma (BT.601, luma from 16 to 235), in 4 bytes.
    LumaPairs {
        /// Bytes 0 and 2 are luma, else bytes 1 and 3. U comes before V.
        luma_first: bool,
    },
}

impl TexelFormat {
    /// Width and height of the block of texels that is stored together (powers of two), and its bytes.
    pub const fn block(self) -> (u32, u32, u32) {
        match self {
            TexelFormat::Plain { bytes, .. } | TexelFormat::Normals { bytes, .. } => (1, 1, bytes),
            TexelFormat::Blocks(format) => (4, 4, format.bytes()),
            TexelFormat::LumaPairs { .. } => (2, 1, 4),
        }
    }

    /// The components (bits) of texel (`x`, `y`) of a stored block; coordinates of the whole texture will do. Those that the format lacks
    /// are 0.
    #[inline]
    pub fn decode(&self, words: &Words, x: u32, y: u32) -> [u32; 4] {
        match self {
            TexelFormat::Plain { components, .. } => {
                let value = |n: usize| components[n].map_or(0, |channel| channel.decode(channel.extract(words)));
                [value(0), value(1), value(2), value(3)]
            }
            TexelFormat::Normals { components, .. } => {
                let [x, y] = components.map(|channel| channel.decode(channel.extract(words)));
                [x, y, third_of_unit_vector(x, y), 0]
            }
            TexelFormat::Blocks(format) => format.texel(words, x, y),
            TexelFormat::LumaPairs { luma_first } => {
                let byte = |n: u32| (words[0] >> (8 * n)) as u8;
                let (luma, chroma) = if *luma_first { (0, 1) } else { (1, 0) };
                rgb(byte(luma + 2 * (x & 1)), byte(chroma), byte(chroma + 2))
            }
        }
    }
}

/// sqrt(1 - x^2 - y^2), rounded once; 0 outside of the unit circle.
fn third_of_unit_vector(x: u32, y: u32) -> u32 {
    let [x, y] = [x, y].map(|bits| f64::from(f32::from_bits(bits)));
    ((1.0 - x * x - y * y).max(0.0).sqrt() as f32).to_bits()
}

/// Red, green, blue of BT.601 with studio range, clamped, and alpha 1.
fn rgb(luma: u8, u: u8, v: u8) -> [u32; 4] {
    let y = (f64::from(luma) - 16.0) / 219.0;
    let [u, v] = [u, v].map(|chroma| (f64::from(chroma) - 128.0) / 224.0);
    // The weights of red and blue in luma are 0.299 and 0.114.
    let (red, blue) = (y + 1.402 * v, y + 1.772 * u);
    let green = (y - 0.299 * red - 0.114 * blue) / 0.587;
    [red, green, blue, 1.0].map(|value| (value.clamp(0.0, 1.0) as f32).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::ChannelKind;

    fn floats(values: [u32; 4]) -> [f32; 4] {
        values.map(f32::from_bits)
    }

    #[test]
    fn plain_texels_have_components_from_the_low_bits_on() {
        let channel = |shift, width, kind| Some(Channel::new(shift, width, kind));
        let z6y5x5 = TexelFormat::Plain {
            bytes: 2,
            components: [
                channel(0, 5, ChannelKind::Unorm),
                channel(5, 5, ChannelKind::Snorm),
                channel(10, 6, ChannelKind::Unorm),
                None,
            ],
        };
        assert_eq!(z6y5x5.block(), (1, 1, 2));
        let texel = floats(z6y5x5.decode(&[63 << 10 | 0x11 << 5 | 1, 0, 0, 0], 0, 0));
        assert_eq!(texel, [1.0 / 31.0, -1.0, 1.0, 0.0]);
    }

    #[test]
    fn normals_have_length_one() {
        let components = [Channel::new(0, 8, ChannelKind::Snorm), Channel::new(8, 8, ChannelKind::Snorm)];
        let format = TexelFormat::Normals { bytes: 2, components };
        assert_eq!(floats(format.decode(&[0, 0, 0, 0], 0, 0)), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(floats(format.decode(&[0x8181, 0, 0, 0], 0, 0)), [-1.0, -1.0, 0.0, 0.0]);
        for words in [[0x2040, 0, 0, 0], [0xC0E0, 0, 0, 0], [0x0175, 0, 0, 0]] {
            let [x, y, z, _] = floats(format.decode(&words, 0, 0)).map(f64::from);
            assert!((x * x + y * y + z * z - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn pairs_share_chroma() {
        let format = TexelFormat::LumaPairs { luma_first: false };
        assert_eq!(format.block(), (2, 1, 4));
        // U, Y0, V, Y1: black and white.
        let words = [0xEB80_1080, 0, 0, 0];
        assert_eq!(floats(format.decode(&words, 0, 0)), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats(format.decode(&words, 1, 0)), [1.0; 4]);
        // Pure red of BT.601: 81, 90, 240; the weights 1.164 and 1.596, 0.392 and 0.813, 2.017.
        let red = floats(TexelFormat::LumaPairs { luma_first: true }.decode(&[0xF051_5A51, 0, 0, 0], 1, 0));
        let expected =
            [1.164 * 65.0 + 1.596 * 112.0, 1.164 * 65.0 + 0.392 * 38.0 - 0.813 * 112.0, 1.164 * 65.0 - 2.017 * 38.0];
        for (found, expected) in red.into_iter().zip(expected) {
            assert!((found - (expected / 255.0f32).clamp(0.0, 1.0)).abs() < 2e-3, "{found} instead of {expected}/255");
        }
    }

    #[test]
    fn blocks_are_decoded_by_place() {
        let format = TexelFormat::Blocks(BlockFormat::Rgtc1 { signed: false });
        assert_eq!(format.block(), (4, 4, 8));
        assert_eq!(floats(format.decode(&[0x0008_00FF, 0, 0, 0], 0, 0))[0], 1.0);
        assert_eq!(floats(format.decode(&[0x0008_00FF, 0, 0, 0], 1, 0))[0], 0.0);
    }
}
