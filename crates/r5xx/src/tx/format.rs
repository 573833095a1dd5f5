//! Formats of texels, by the codes of `TX_FORMAT1`, and of border colours.

use super::ChannelSource;
use crate::registers::{TxFilter1, TxFormat1, TxFormat2};
use ctm_raster::blocks::BlockFormat;
use ctm_raster::channel::{Channel, ChannelKind, Words};
use ctm_raster::srgb;
use ctm_raster::texel::TexelFormat;

/// What a component of the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Select {
    /// A component of the texel.
    Component(usize),
    /// A constant: bits of binary32.
    Bits(u32),
}

impl Select {
    fn of(code: u8) -> Self {
        match code {
            0..=3 => Select::Component(code.into()),
            5 => Select::Bits(0x3F80_0000),
            _ => Select::Bits(0),
        }
    }

    #[inline]
    fn take(self, components: [u32; 4]) -> u32 {
        match self {
            Select::Component(number) => components[number & 3],
            Select::Bits(bits) => bits,
        }
    }
}

/// How texels are stored, and what is made of their components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// How they are stored.
    pub texel: TexelFormat,
    /// Red, green, blue and alpha.
    select: [Select; 4],
    gamma: bool,
    /// Of texels whose channels are all bytes, 0 or 1: the shift of each channel's byte in a word with [`CONSTANT_BYTES`].
    bytes: Option<[u32; 4]>,
}

/// What is joined to texels of bytes: 1 and 0 after their four bytes.
const CONSTANT_BYTES: u64 = 0xFF << ONE_SHIFT;
const ONE_SHIFT: u32 = 32;
const ZERO_SHIFT: u32 = 40;

/// The numbers that bytes stand for: code / 255.
static BYTES: [u32; 256] = {
    let mut numbers = [0; 256];
    let mut code = 0;
    while code < 256 {
        numbers[code] = (code as f32 / 255.0).to_bits();
        code += 1;
    }
    numbers
};

/// The format's code: five bits of `TX_FORMAT1`, and one of `TX_FORMAT2`.
fn code(format: &TxFormat1, more: &TxFormat2) -> u8 {
    format.format | u8::from(more.format_high) << 5
}

impl Format {
    /// As the registers say; `None` if there is no such format.
    pub fn of(format: &TxFormat1, more: &TxFormat2, filter: &TxFilter1) -> Option<Self> {
        let texel = texel_format(code(format, more), signs(format))?;
        let reversed = matches!(texel, TexelFormat::Blocks(block) if is_dxt(block)) && filter.blocks_bgr;
        let select = [format.red, format.green, format.blue, format.alpha].map(|code| {
            // Of reversed blocks component 0 is blue, and component 2 is red.
            Select::of(if reversed && matches!(code, 0 | 2) { 2 - code } else { code })
        });
        let mut format = Format { texel, select, gamma: format.gamma, bytes: None };
        format.bytes = format.bytes();
        Some(format)
    }

    /// The shifts of bytes, if all channels are some, 0 or 1.
    fn bytes(&self) -> Option<[u32; 4]> {
        let shift = |channel: usize| match self.stored(channel)? {
            ChannelSource::Bits(channel) => (channel.width() == 8).then(|| channel.shift()),
            ChannelSource::Zero => Some(ZERO_SHIFT),
            ChannelSource::One => Some(ONE_SHIFT),
        };
        match self.texel {
            TexelFormat::Plain { bytes: 1..=4, .. } => Some([shift(0)?, shift(1)?, shift(2)?, shift(3)?]),
            TexelFormat::Plain { .. }
            | TexelFormat::Normals { .. }
            | TexelFormat::Blocks(_)
            | TexelFormat::LumaPairs { .. } => None,
        }
    }

    /// What red, green, blue and alpha are.
    pub fn selects(&self) -> [Select; 4] {
        self.select
    }

    /// Whether red, green and blue are sRGB.
    pub fn has_gamma(&self) -> bool {
        self.gamma
    }

    /// A texel of a stored block.
    #[inline]
    pub fn decode(&self, words: &Words, x: u32, y: u32) -> [u32; 4] {
        if let Some(shifts) = self.bytes {
            let word = CONSTANT_BYTES | u64::from(words[0]);
            let value = |n: usize| BYTES[usize::from((word >> shifts[n]) as u8)];
            return [value(0), value(1), value(2), value(3)];
        }
        let [red, green, blue, alpha] = self.selected(self.texel.decode(words, x, y));
        if self.gamma {
            [srgb::to_linear(red), srgb::to_linear(green), srgb::to_linear(blue), alpha]
        } else {
            [red, green, blue, alpha]
        }
    }

    /// The colour of a border register: a texel of this format, or of one that fits in a dword. It is linear.
    pub fn border(&self, format: &TxFormat1, more: &TxFormat2, filter: &TxFilter1, dword: u32) -> [u32; 4] {
        let code = code(format, more);
        let bytes = |signs: [bool; 4]| plain(&[8; 4], signs).decode(&[dword, 0, 0, 0], 0, 0);
        self.selected(match code {
            CXV8U8 | W16Z16Y16X16 | ATI2N => bytes(signs(format)),
            F16X4 | F32X2 | F32X4 | VYUY422 | YVYU422 => bytes([false; 4]),
            DXT1 | DXT3 | DXT5 => {
                // Bytes are in the order of the components: selects are in that of decoded blocks.
                let [first, second, third, fourth] = bytes([false; 4]);
                if filter.blocks_bgr { [third, second, first, fourth] } else { [first, second, third, fourth] }
            }
            ATI1N => [Channel::new(4, 4, ChannelKind::Unorm).decode(dword >> 4 & 15), 0, 0, 0],
            _ => self.texel.decode(&[dword, 0, 0, 0], 0, 0),
        })
    }

    /// Where a channel (red, green, blue, alpha) is stored, if it is a fraction without a sign.
    pub fn stored(&self, channel: usize) -> Option<ChannelSource> {
        let TexelFormat::Plain { components, .. } = &self.texel else { return None };
        match self.select[channel & 3] {
            Select::Bits(0) => Some(ChannelSource::Zero),
            Select::Bits(_) => Some(ChannelSource::One),
            Select::Component(_) if self.gamma && channel < 3 => None,
            Select::Component(number) => match components[number] {
                None => Some(ChannelSource::Zero),
                Some(channel) => (channel.kind() == ChannelKind::Unorm).then_some(ChannelSource::Bits(channel)),
            },
        }
    }

    #[inline]
    fn selected(&self, components: [u32; 4]) -> [u32; 4] {
        let channel = |n: usize| self.select[n].take(components);
        [channel(0), channel(1), channel(2), channel(3)]
    }
}

fn signs(format: &TxFormat1) -> [bool; 4] {
    [format.signed_0, format.signed_1, format.signed_2, format.signed_3]
}

fn is_dxt(block: BlockFormat) -> bool {
    match block {
        BlockFormat::Dxt1 | BlockFormat::Dxt3 | BlockFormat::Dxt5 => true,
        BlockFormat::Rgtc1 { .. } | BlockFormat::Rgtc2 { .. } => false,
    }
}

const X8: u8 = 0x00;
const X16: u8 = 0x01;
const Y4X4: u8 = 0x02;
const Y8X8: u8 = 0x03;
const Y16X16: u8 = 0x04;
const Z3Y3X2: u8 = 0x05;
const Z5Y6X5: u8 = 0x06;
const Z6Y5X5: u8 = 0x07;
const Z11Y11X10: u8 = 0x08;
const Z10Y11X11: u8 = 0x09;
const W4Z4Y4X4: u8 = 0x0A;
const W1Z5Y5X5: u8 = 0x0B;
const W8Z8Y8X8: u8 = 0x0C;
const W2Z10Y10X10: u8 = 0x0D;
const W16Z16Y16X16: u8 = 0x0E;
const DXT1: u8 = 0x0F;
const DXT3: u8 = 0x10;
const DXT5: u8 = 0x11;
const CXV8U8: u8 = 0x12;
const VYUY422: u8 = 0x14;
const YVYU422: u8 = 0x15;
const F16: u8 = 0x18;
const F16X2: u8 = 0x19;
const F16X4: u8 = 0x1A;
const F32: u8 = 0x1B;
const F32X2: u8 = 0x1C;
const F32X4: u8 = 0x1D;
const ATI2N: u8 = 0x1F;
const ATI1N: u8 = 0x25;
const Y8X24: u8 = 0x26;

fn texel_format(code: u8, signs: [bool; 4]) -> Option<TexelFormat> {
    let fraction = |widths: &[u32]| plain(widths, signs);
    Some(match code {
        X8 => fraction(&[8]),
        X16 => fraction(&[16]),
        Y4X4 => fraction(&[4, 4]),
        Y8X8 => fraction(&[8, 8]),
        Y16X16 => fraction(&[16, 16]),
        Z3Y3X2 => fraction(&[2, 3, 3]),
        Z5Y6X5 => fraction(&[5, 6, 5]),
        Z6Y5X5 => fraction(&[5, 5, 6]),
        Z11Y11X10 => fraction(&[10, 11, 11]),
        Z10Y11X11 => fraction(&[11, 11, 10]),
        W4Z4Y4X4 => fraction(&[4; 4]),
        W1Z5Y5X5 => fraction(&[5, 5, 5, 1]),
        W8Z8Y8X8 => fraction(&[8; 4]),
        W2Z10Y10X10 => fraction(&[10, 10, 10, 2]),
        W16Z16Y16X16 => fraction(&[16; 4]),
        DXT1 => TexelFormat::Blocks(BlockFormat::Dxt1),
        DXT3 => TexelFormat::Blocks(BlockFormat::Dxt3),
        DXT5 => TexelFormat::Blocks(BlockFormat::Dxt5),
        CXV8U8 => TexelFormat::Normals {
            bytes: 2,
            components: [0, 8].map(|shift| Channel::new(shift, 8, ChannelKind::Snorm)),
        },
        VYUY422 => TexelFormat::LumaPairs { luma_first: true },
        YVYU422 => TexelFormat::LumaPairs { luma_first: false },
        F16 => floats(1, 16, ChannelKind::Float16),
        F16X2 => floats(2, 16, ChannelKind::Float16),
        F16X4 => floats(4, 16, ChannelKind::Float16),
        F32 => floats(1, 32, ChannelKind::Float32),
        F32X2 => floats(2, 32, ChannelKind::Float32),
        F32X4 => floats(4, 32, ChannelKind::Float32),
        ATI2N => TexelFormat::Blocks(BlockFormat::Rgtc2 { signed: [signs[0], signs[1]] }),
        ATI1N => TexelFormat::Blocks(BlockFormat::Rgtc1 { signed: signs[0] }),
        // Depth lies above stencil.
        Y8X24 => TexelFormat::Plain {
            bytes: 4,
            components: [
                Some(Channel::new(8, 24, ChannelKind::Unorm)),
                Some(Channel::new(0, 8, ChannelKind::Unorm)),
                None,
                None,
            ],
        },
        _ => return None,
    })
}

/// Fractions of these widths, from the low bits on.
fn plain(widths: &[u32], signs: [bool; 4]) -> TexelFormat {
    let mut components = [None; 4];
    let mut shift = 0;
    for ((component, &width), signed) in components.iter_mut().zip(widths).zip(signs) {
        // A single bit has no space for a sign.
        let kind = if signed && width > 1 { ChannelKind::Snorm } else { ChannelKind::Unorm };
        *component = Some(Channel::new(shift, width, kind));
        shift += width;
    }
    TexelFormat::Plain { bytes: shift / 8, components }
}

fn floats(count: u32, width: u32, kind: ChannelKind) -> TexelFormat {
    let channel = |number: u32| (number < count).then(|| Channel::new(number * width, width, kind));
    TexelFormat::Plain { bytes: count * width / 8, components: [0, 1, 2, 3].map(channel) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterType;

    /// The format of these registers' values.
    fn format(format1: u32, format2: u32, filter1: u32) -> Option<Format> {
        Format::of(&TxFormat1::decode(format1), &TxFormat2::decode(format2), &TxFilter1::decode(filter1))
    }

    fn texel(format1: u32, format2: u32, words: Words) -> [f32; 4] {
        format(format1, format2, 0).unwrap().decode(&words, 0, 0).map(f32::from_bits)
    }

    /// Values of `TX_FORMAT1` that Mesa's driver writes, each with a texel.
    #[test]
    fn formats_of_the_driver() {
        let byte = |value: u32| value as f32 / 255.0;
        assert_eq!(texel(0x0008_860C, 0, [0xFF33_0001, 0, 0, 0]), [byte(1), 0.0, byte(0x33), 1.0], "RGBA8");
        assert_eq!(texel(0x0012_0A00, 0, [0x33, 0, 0, 0]), [byte(0x33), 0.0, 0.0, 1.0], "R8");
        assert_eq!(texel(0x0012_4000, 0, [0x33, 0, 0, 0]), [0.0, 0.0, 0.0, byte(0x33)], "A8");
        assert_eq!(texel(0x0010_8A03, 0, [0x33FF, 0, 0, 0]), [1.0, byte(0x33), 0.0, 1.0], "RG8");
        let floats = [1.5f32, -2.0, 1e9, 0.25];
        assert_eq!(texel(0x0008_861D, 0, floats.map(f32::to_bits)), floats, "RGBA32F");
        assert_eq!(texel(0x0012_0A1B, 0, [1.5f32.to_bits(), 0, 0, 0]), [1.5, 0.0, 0.0, 1.0], "R32F");
        assert_eq!(texel(0x0008_860D, 0, [0xC000_03FF, 0, 0, 0]), [1.0, 0.0, 0.0, 1.0], "RGB10_A2");
        assert_eq!(texel(0x0000_A60A, 0, [0x0F30, 0, 0, 0]), [1.0, 0.2, 0.0, 0.0], "RGBA4, BGRA order");
        assert_eq!(texel(6, 1 << 14, [0xFFFF_FF00, 0, 0, 0]), [1.0; 4], "depth");
        assert_eq!(texel(0x0008_860C | 0xF << 5, 0, [0x7F81_80FF, 0, 0, 0]), [-1.0 / 127.0, -1.0, -1.0, 1.0], "snorm");
        assert_eq!(
            texel(0x0008_860C | 1 << 21, 0, [0x8080_8080, 0, 0, 0])[2..],
            [f32::from_bits(srgb::LINEAR[128]), byte(128)],
            "sRGB"
        );
        assert_eq!(format(0x13, 0, 0), None);
    }

    #[test]
    fn blocks_may_be_reversed() {
        let red = [0x0000_F800, 0, 0, 0];
        // DXT1 with red, green, blue = components 2, 1, 0.
        let select = 2 << 12 | 1 << 15 | 5 << 9;
        let found = |filter| format(0x0F | select, 0, filter).unwrap().decode(&red, 0, 0).map(f32::from_bits);
        assert_eq!(found(1 << 21), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(found(0), [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn borders_fit_in_a_dword() {
        let border = |format1: u32, format2: u32, dword: u32| {
            let filter = TxFilter1::decode(1 << 21);
            let (format1, format2) = (TxFormat1::decode(format1), TxFormat2::decode(format2));
            let format = Format::of(&format1, &format2, &filter).unwrap();
            format.border(&format1, &format2, &filter, dword).map(f32::from_bits)
        };
        let byte = |value: u32| value as f32 / 255.0;
        let rgba = [byte(1), byte(2), byte(3), byte(4)];
        assert_eq!(border(0x0008_860C, 0, 0x0403_0201), rgba);
        assert_eq!(border(0x0008_860C | 1 << 21, 0, 0x0403_0201), rgba, "sRGB borders are linear");
        assert_eq!(border(0x0008_861D, 0, 0x0403_0201), rgba, "RGBA32F");
        assert_eq!(border(0x0008_860E, 0, 0x0403_0201), rgba, "RGBA16");
        assert_eq!(border(0x0000_A611, 0, 0x0403_0201), [byte(3), byte(2), byte(1), byte(4)], "DXT5");
        assert_eq!(border(0x0012_0A1B, 0, 1.5f32.to_bits()), [1.5, 0.0, 0.0, 1.0], "R32F");
        assert_eq!(border(0x0010_8A04, 0, 0xFFFF_3333)[..2], [0.2, 1.0], "RG16");
        assert_eq!(border(6, 1 << 14, 0xFFFF_FF00)[0], 1.0, "depth");
        assert_eq!(border(0x0012_0A05, 1 << 14, 0x0000_0030), [0.2, 0.0, 0.0, 1.0], "ATI1N");
    }
}
