//! Compressed blocks of 4 x 4 texels.

/// How a block is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockFormat {
    /// DXT1 (BC1): two colours of 16 bits, 2 bits per texel; texels may be transparent.
    Dxt1,
    /// DXT3 (BC2): 4 bits of alpha per texel, then as DXT1, opaque.
    Dxt3,
    /// DXT5 (BC3): alpha as in RGTC, then as DXT1, opaque.
    Dxt5,
    /// RGTC1 (BC4): one component from two ends of 8 bits, 3 bits per texel.
    Rgtc1 {
        /// Ends are signed fractions.
        signed: bool,
    },
    /// RGTC2 (BC5): two such components.
    Rgtc2 {
        /// Ends of each component are signed fractions.
        signed: [bool; 2],
    },
}

impl BlockFormat {
    /// Bytes of a block.
    pub const fn bytes(self) -> u32 {
        match self {
            BlockFormat::Dxt1 | BlockFormat::Rgtc1 { .. } => 8,
            BlockFormat::Dxt3 | BlockFormat::Dxt5 | BlockFormat::Rgtc2 { .. } => 16,
        }
    }

    /// Red, green, blue and alpha (bits) of texel (`x`, `y`), modulo 4. Components that the format lacks are 0, alpha of RGTC too.
    #[inline]
    pub fn texel(self, words: &[u32; 4], x: u32, y: u32) -> [u32; 4] {
        let texel = (y & 3) * 4 + (x & 3);
        let low = u64::from(words[1]) << 32 | u64::from(words[0]);
        let high = u64::from(words[3]) << 32 | u64::from(words[2]);
        let bytes = |[r, g, b]: [u32; 3], a: u32| [r, g, b, a].map(|v| ctm_num::convert::unorm8_to_f32(v as u8));
        match self {
            BlockFormat::Dxt1 => match colour(low, texel, false) {
                Some(colour) => bytes(colour, 255),
                None => [0; 4],
            },
            BlockFormat::Dxt3 => {
                let alpha = (low >> (4 * texel)) as u32 & 15;
                bytes(opaque(high, texel), alpha * 17)
            }
            BlockFormat::Dxt5 => {
                let (weighted, of) = between(low, texel, i32::from, (0, 255));
                bytes(opaque(high, texel), (weighted / of) as u32)
            }
            BlockFormat::Rgtc1 { signed } => [component(low, texel, signed), 0, 0, 0],
            BlockFormat::Rgtc2 { signed } => {
                [component(low, texel, signed[0]), component(high, texel, signed[1]), 0, 0]
            }
        }
    }
}

/// A colour of 5, 6 and 5 bits, blue lowest, expanded to bytes.
fn expand(bits: u64) -> [u32; 3] {
    let part = |shift: u32, width: u32| {
        let value = (bits >> shift) as u32 & ((1 << width) - 1);
        value << (8 - width) | value >> (2 * width - 8)
    };
    [part(11, 5), part(5, 6), part(0, 5)]
}

/// Red, green and blue of a texel as bytes; those between the ends are cut off to integers. `None`: transparent.
#[inline]
fn colour(block: u64, texel: u32, opaque: bool) -> Option<[u32; 3]> {
    let (first, second) = (expand(block), expand(block >> 16));
    let mix = |a: u32, b: u32| std::array::from_fn(|n| (a * first[n] + b * second[n]) / (a + b));
    let three = !opaque && block as u16 <= (block >> 16) as u16;
    Some(match (block >> (32 + 2 * texel)) & 3 {
        0 => first,
        1 => second,
        2 if three => mix(1, 1),
        2 => mix(2, 1),
        _ if three => return None,
        _ => mix(1, 2),
    })
}

#[inline]
fn opaque(block: u64, texel: u32) -> [u32; 3] {
    colour(block, texel, true).unwrap_or_default()
}

/// A component between two ends: a weighted sum, and the sum of the weights. `limits` are the values of the two codes that stand for them
/// if the first end is not greater.
#[inline]
fn between(block: u64, texel: u32, end: impl Fn(u8) -> i32, limits: (i32, i32)) -> (i32, i32) {
    let (first, second) = (end(block as u8), end((block >> 8) as u8));
    let code = (block >> (16 + 3 * texel)) as i32 & 7;
    match code {
        0 => (first, 1),
        1 => (second, 1),
        _ if first > second => ((8 - code) * first + (code - 1) * second, 7),
        6 => (limits.0, 1),
        7 => (limits.1, 1),
        _ => ((6 - code) * first + (code - 1) * second, 5),
    }
}

/// The number of a component of RGTC; the quotient is rounded once.
#[inline]
fn component(block: u64, texel: u32, signed: bool) -> u32 {
    let (weighted, of, one) = if signed {
        // -128 and -127 are the same.
        let (weighted, of) = between(block, texel, |end| i32::from(end as i8).max(-127), (-127, 127));
        (weighted, of, 127)
    } else {
        let (weighted, of) = between(block, texel, i32::from, (0, 255));
        (weighted, of, 255)
    };
    (weighted as f32 / (of * one) as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(texel: [u32; 4]) -> [f32; 4] {
        texel.map(|bits| f32::from_bits(bits) * 255.0)
    }

    #[test]
    fn dxt1_has_four_colours_or_three() {
        // White 0xFFFF and pure red 0xF800; codes of the first row 0, 1, 2, 3.
        let four = [0xF800_FFFF, 0b1110_0100, 0, 0];
        let row = |words: &[u32; 4], format: BlockFormat| [0, 1, 2, 3].map(|x| bytes(format.texel(words, x, 0)));
        let opaque = [
            [255.0, 255.0, 255.0, 255.0],
            [255.0, 0.0, 0.0, 255.0],
            [255.0, 170.0, 170.0, 255.0],
            [255.0, 85.0, 85.0, 255.0],
        ];
        assert_eq!(row(&four, BlockFormat::Dxt1), opaque);
        let three = [0xFFFF_F800, 0b1110_0100 << 24, 0, 0];
        let last_row = [0, 1, 2, 3].map(|x| bytes(BlockFormat::Dxt1.texel(&three, x, 3)));
        assert_eq!(last_row, [[255.0, 0.0, 0.0, 255.0], [255.0; 4], [255.0, 127.0, 127.0, 255.0], [0.0; 4]]);
        // 5 and 6 bits are expanded by repeating the high ones.
        assert_eq!(bytes(BlockFormat::Dxt1.texel(&[0x0000_0841, 0, 0, 0], 0, 0)), [8.0, 8.0, 8.0, 255.0]);
    }

    #[test]
    fn dxt3_and_dxt5_have_alpha_in_front() {
        // Ends in the order that would mean three colours in DXT1.
        let colour = [0xFFFF_F800, 0b1110_0100];
        let dxt3 = [0x0000_F870, 0x9000_0000, colour[0], colour[1]];
        let texels = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 3)].map(|(x, y)| bytes(BlockFormat::Dxt3.texel(&dxt3, x, y)));
        assert_eq!(texels.map(|texel| texel[3]), [0.0, 119.0, 136.0, 255.0, 153.0]);
        assert_eq!(texels[3][..3], [255.0, 170.0, 170.0]);
        // Alpha from 255 to 3; codes 0, 1, 2, 7 of the first texels: 16 bits of ends, then 3 bits each.
        let codes: u64 = 1 << 3 | 2 << 6 | 7 << 9;
        let alpha = 0x03FFu64 | codes << 16;
        let dxt5 = [alpha as u32, (alpha >> 32) as u32, colour[0], colour[1]];
        let texels = [0, 1, 2, 3].map(|x| bytes(BlockFormat::Dxt5.texel(&dxt5, x, 0)));
        assert_eq!(texels.map(|texel| texel[3]), [255.0, 3.0, 219.0, 39.0]);
        assert_eq!(texels[1][..3], [255.0; 3]);
    }

    #[test]
    fn rgtc_has_six_or_eight_steps() {
        let block = |first: u8, second: u8, codes: [u64; 16]| {
            let codes: u64 = codes.iter().enumerate().map(|(n, code)| code << (3 * n)).sum();
            u64::from(first) | u64::from(second) << 8 | codes << 16
        };
        let codes: [u64; 16] = std::array::from_fn(|n| n as u64 % 8);
        let words = |low: u64, high: u64| [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
        let all = |words: [u32; 4], format: BlockFormat, component: usize| -> [f32; 16] {
            std::array::from_fn(|n| f32::from_bits(format.texel(&words, n as u32 % 4, n as u32 / 4)[component]))
        };
        let red = all(words(block(210, 0, codes), 0), BlockFormat::Rgtc1 { signed: false }, 0);
        for (code, sevenths) in [7, 0, 6, 5, 4, 3, 2, 1].into_iter().enumerate() {
            assert_eq!(red[code], (f64::from(sevenths) * 30.0 / 255.0) as f32);
            assert_eq!(red[code + 8], red[code]);
        }
        // -128 counts as -127; from the lower to the higher end there are six steps and the limits.
        let signed = BlockFormat::Rgtc2 { signed: [false, true] };
        let green = all(words(block(210, 0, codes), block(0x80, 123, codes)), signed, 1);
        for (code, value) in [-127, 123, -77, -27, 23, 73, -127, 127].into_iter().enumerate() {
            assert_eq!(green[code], (f64::from(value) / 127.0) as f32);
        }
        assert_eq!(all(words(block(210, 0, codes), 0), signed, 0), red);
        assert_eq!(all(words(block(0, 210, codes), 0), BlockFormat::Rgtc1 { signed: false }, 0)[2], 42.0 / 255.0);
    }
}
