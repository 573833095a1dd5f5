//! Compressed blocks of 4 x 4 texels with modes of their own: BC7 (BPTC, fractions) and BC6H (BPTC, floats).
//!
//! Source: the Khronos Data Format Specification 1.3, chapter 20 (BPTC compressed texture image formats): tables of partitions, anchors, modes and weights.

use ctm_num::convert::{f16_to_f32, unorm8_to_f32};

/// How a block is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BptcFormat {
    /// BC7: four fractions of 8 bits.
    Unorm,
    /// BC6H: three binary16 numbers.
    Float {
        /// They have signs.
        signed: bool,
    },
}

const ONE: u32 = 0x3F80_0000;

impl BptcFormat {
    /// Red, green, blue and alpha (bits) of texel (`x`, `y`), modulo 4. Blocks of reserved modes are zeros; floats have alpha 1.
    pub fn texel(self, words: &[u32; 4], x: u32, y: u32) -> [u32; 4] {
        let block = words.iter().rev().fold(0, |block, &word| block << 32 | u128::from(word));
        let texel = (y & 3) * 4 + (x & 3);
        match self {
            BptcFormat::Unorm => unorm_texel(block, texel).map(unorm8_to_f32),
            BptcFormat::Float { signed } => {
                let [r, g, b] = float_texel(block, texel, signed).map(f16_to_f32);
                [r, g, b, ONE]
            }
        }
    }
}

/// The bits of a block, from the lowest on.
struct Bits {
    block: u128,
    at: u32,
}

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let bits = self.block.checked_shr(self.at).unwrap_or(0) as u32 & ((1 << count) - 1);
        self.at += count;
        bits
    }
}

/// Weights of indices of 2, 3 and 4 bits, in 1/64.
const WEIGHTS: [&[u32]; 3] =
    [&[0, 21, 43, 64], &[0, 9, 18, 27, 37, 46, 55, 64], &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64]];

fn weight(bits: u32, index: u32) -> u32 {
    WEIGHTS[(bits.clamp(2, 4) - 2) as usize].get(index as usize).copied().unwrap_or(0)
}

/// Which subset a texel is in, and the anchors of the others than the first.
struct Partition {
    subset: u32,
    anchors: [u32; 2],
}

impl Partition {
    fn of(subsets: u32, number: u32, texel: u32) -> Self {
        let number = (number & 63) as usize;
        match subsets {
            2 => {
                let anchor = u32::from(TWO_ANCHORS[number]);
                Partition { subset: u32::from(TWO_SUBSETS[number] >> texel & 1), anchors: [anchor; 2] }
            }
            3 => Partition {
                subset: THREE_SUBSETS[number] >> (2 * texel) & 3,
                anchors: THREE_ANCHORS[number].map(u32::from),
            },
            _ => Partition { subset: 0, anchors: [0; 2] },
        }
    }

    /// The index of a texel in a list of indices of so many bits each, but those of anchors.
    fn index(&self, bits: &Bits, texel: u32, width: u32) -> u32 {
        let [second, third] = self.anchors;
        let is_anchor = |at: u32| at == 0 || at == second || at == third;
        let shorter = (0..texel).filter(|&at| is_anchor(at)).count() as u32;
        let mut bits = Bits { block: bits.block, at: bits.at + texel * width - shorter };
        bits.take(if is_anchor(texel) { width - 1 } else { width })
    }

    /// Bits of a list of indices.
    fn bits(&self, width: u32) -> u32 {
        let [second, third] = self.anchors;
        16 * width - 1 - u32::from(second != 0) - u32::from(third != second)
    }
}

/// A mode of blocks of fractions.
struct UnormMode {
    subsets: u32,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    colour_bits: u32,
    alpha_bits: u32,
    /// A lowest bit for each end, or for both ends of each subset.
    parity: Parity,
    index_bits: u32,
    second_index_bits: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    None,
    OfEnds,
    OfSubsets,
}

const fn mode(
    [subsets, partition_bits, rotation_bits, selection_bits]: [u32; 4],
    [colour_bits, alpha_bits]: [u32; 2],
    parity: Parity,
    [index_bits, second_index_bits]: [u32; 2],
) -> UnormMode {
    UnormMode {
        subsets,
        partition_bits,
        rotation_bits,
        selection_bits,
        colour_bits,
        alpha_bits,
        parity,
        index_bits,
        second_index_bits,
    }
}

const UNORM_MODES: [UnormMode; 8] = [
    mode([3, 4, 0, 0], [4, 0], Parity::OfEnds, [3, 0]),
    mode([2, 6, 0, 0], [6, 0], Parity::OfSubsets, [3, 0]),
    mode([3, 6, 0, 0], [5, 0], Parity::None, [2, 0]),
    mode([2, 6, 0, 0], [7, 0], Parity::OfEnds, [2, 0]),
    mode([1, 0, 2, 1], [5, 6], Parity::None, [2, 3]),
    mode([1, 0, 2, 0], [7, 8], Parity::None, [2, 2]),
    mode([1, 0, 0, 0], [7, 7], Parity::OfEnds, [4, 0]),
    mode([2, 6, 0, 0], [5, 5], Parity::OfEnds, [2, 0]),
];

/// A fraction of so many bits expanded to 8.
fn expanded(value: u32, bits: u32) -> u32 {
    if bits == 0 {
        return 255;
    }
    let high = value << (8 - bits);
    high | high >> bits
}

fn unorm_texel(block: u128, texel: u32) -> [u8; 4] {
    let number = block.trailing_zeros();
    let Some(mode) = UNORM_MODES.get(number as usize) else { return [0; 4] };
    let mut bits = Bits { block, at: number + 1 };
    let partition = Partition::of(mode.subsets, bits.take(mode.partition_bits), texel);
    let (rotation, selection) = (bits.take(mode.rotation_bits), bits.take(mode.selection_bits));
    // The ends of the texel's subset; those of all subsets follow each other, component by component.
    let ends = 2 * mode.subsets;
    let own = 2 * partition.subset;
    let mut found = [[0; 2]; 4];
    for (component, found) in found.iter_mut().enumerate() {
        let width = if component == 3 { mode.alpha_bits } else { mode.colour_bits };
        for end in 0..ends {
            let value = bits.take(width);
            if end == own || end == own + 1 {
                found[(end - own) as usize] = value;
            }
        }
    }
    let parities = match mode.parity {
        Parity::None => None,
        Parity::OfEnds => {
            let all = bits.take(ends);
            Some([all >> own & 1, all >> (own + 1) & 1])
        }
        Parity::OfSubsets => {
            let all = bits.take(mode.subsets);
            Some([all >> partition.subset & 1; 2])
        }
    };
    let mut index = (mode.index_bits, partition.index(&bits, texel, mode.index_bits));
    let mut alpha_index = index;
    if mode.second_index_bits > 0 {
        bits.at += partition.bits(mode.index_bits);
        alpha_index = (mode.second_index_bits, partition.index(&bits, texel, mode.second_index_bits));
    }
    if selection == 1 {
        std::mem::swap(&mut index, &mut alpha_index);
    }
    let mut result = [0, 1, 2, 3].map(|component| {
        let width = if component == 3 { mode.alpha_bits } else { mode.colour_bits };
        let end = |n: usize| match parities {
            Some(parities) if width > 0 => expanded(found[component][n] << 1 | parities[n], width + 1),
            _ => expanded(found[component][n], width),
        };
        let (bits, index) = if component == 3 { alpha_index } else { index };
        let weight = weight(bits, index);
        ((end(0) * (64 - weight) + end(1) * weight + 32) >> 6) as u8
    });
    if rotation > 0 {
        result.swap(rotation as usize - 1, 3);
    }
    result
}

/// A mode of blocks of floats.
struct FloatMode {
    /// Its first bits: two, or five if the second one is set.
    code: u32,
    /// Bits of the first end.
    precision: u32,
    /// Bits of the other ends, of red, green and blue.
    deltas: [u32; 3],
    has_two_subsets: bool,
    /// The other ends are differences from the first.
    is_transformed: bool,
    /// Where the bits of ends are.
    fields: &'static str,
}

/// The ends of a block: of each component the four of two subsets.
fn ends(mode: &FloatMode, bits: &mut Bits) -> [[i32; 4]; 3] {
    let mut ends = [[0; 4]; 3];
    for field in mode.fields.split(' ') {
        let &[component, end, ref place @ ..] = field.as_bytes() else { continue };
        let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
        let (low, count) = match place.iter().position(|&byte| byte == b'+') {
            Some(plus) => (number(&place[..plus]), number(&place[plus + 1..])),
            None => (number(place), 1),
        };
        let component = match component {
            b'r' => 0,
            b'g' => 1,
            _ => 2,
        };
        ends[component][usize::from((end - b'w') & 3)] |= (bits.take(count) << low).cast_signed();
    }
    ends
}

fn extended(value: i32, bits: u32) -> i32 {
    value << (32 - bits) >> (32 - bits)
}

/// An end in 16 bits, with a sign or without.
fn unquantised(value: i32, bits: u32, signed: bool) -> i32 {
    if !signed {
        return match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xFFFF,
            _ => ((value << 16) + 0x8000) >> bits,
        };
    }
    let magnitude = match value.abs() {
        _ if bits >= 16 => return value,
        0 => 0,
        magnitude if magnitude >= (1 << (bits - 1)) - 1 => 0x7FFF,
        magnitude => ((magnitude << 15) + 0x4000) >> (bits - 1),
    };
    if value < 0 { -magnitude } else { magnitude }
}

/// The bits of binary16 of a number between ends.
fn to_half(value: i32, signed: bool) -> u16 {
    match (signed, value < 0) {
        (false, _) => ((value * 31) >> 6) as u16,
        (true, false) => ((value * 31) >> 5) as u16,
        (true, true) => 0x8000 | ((-value * 31) >> 5) as u16,
    }
}

fn float_texel(block: u128, texel: u32, signed: bool) -> [u16; 3] {
    let mut bits = Bits { block, at: 0 };
    let mut code = bits.take(2);
    if code > 1 {
        code |= bits.take(3) << 2;
    }
    let Some(mode) = FLOAT_MODES.iter().find(|mode| mode.code == code) else { return [0; 3] };
    let ends = ends(mode, &mut bits);
    let subsets = if mode.has_two_subsets { 2 } else { 1 };
    let number = if mode.has_two_subsets { bits.take(5) } else { 0 };
    let partition = Partition::of(subsets, number, texel);
    let width = if mode.has_two_subsets { 3 } else { 4 };
    let weight = weight(width, partition.index(&bits, texel, width)).cast_signed();
    let own = 2 * partition.subset as usize;
    std::array::from_fn(|component| {
        let delta = mode.deltas[component];
        let base = ends[component][0];
        let base = if signed { extended(base, mode.precision) } else { base };
        let end = |number: usize| {
            let value = match number {
                0 => base,
                _ if !mode.is_transformed && !signed => ends[component][number],
                _ => extended(ends[component][number], delta),
            };
            let value = match number {
                0 => value,
                _ if mode.is_transformed => {
                    let sum = value.wrapping_add(base) & ((1 << mode.precision) - 1);
                    if signed { extended(sum, mode.precision) } else { sum }
                }
                _ => value,
            };
            unquantised(value, mode.precision, signed)
        };
        to_half((end(own) * (64 - weight) + end(own + 1) * weight + 32) >> 6, signed)
    })
}

/// The subset of each texel of a block of two subsets: bit n for texel n.
const TWO_SUBSETS: [u16; 64] = [
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00,
    0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C,
    0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A, 0x73CE, 0x13C8,
    0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C,
    0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
];
/// The texel of the second subset whose index has one bit less.
const TWO_ANCHORS: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
];
/// The subset of each texel of a block of three subsets: two bits each.
const THREE_SUBSETS: [u32; 64] = [
    0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0, 0x5A5A5050, 0xAA550000,
    0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4, 0xA9A59450, 0x2A0A4250, 0xA5945040, 0x0A425054,
    0xA5A5A500, 0x55A0A0A0, 0xA8A85454, 0x6A6A4040, 0xA4A45000, 0x1A1A0500, 0x0050A4A4, 0xAAA59090, 0x14696914,
    0x69691400, 0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200, 0xA9A58000, 0x5090A0A8, 0xA8A09050, 0x24242424,
    0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50, 0x500AA550, 0xAAAA4444, 0x66660000, 0xA5A0A5A0, 0x50A050A0,
    0x69286928, 0x44AAAA44, 0x66666600, 0xAA444444, 0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580,
    0xAA141414, 0x96960000, 0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44,
    0x2A4A5254,
];
/// The texels of the second and the third subset whose indices have one bit less.
const THREE_ANCHORS: [[u8; 2]; 64] = [
    [3, 15],
    [3, 8],
    [15, 8],
    [15, 3],
    [8, 15],
    [3, 15],
    [15, 3],
    [15, 8],
    [8, 15],
    [8, 15],
    [6, 15],
    [6, 15],
    [6, 15],
    [5, 15],
    [3, 15],
    [3, 8],
    [3, 15],
    [3, 8],
    [8, 15],
    [15, 3],
    [3, 15],
    [3, 8],
    [6, 15],
    [10, 8],
    [5, 3],
    [8, 15],
    [8, 6],
    [6, 10],
    [8, 15],
    [5, 15],
    [15, 10],
    [15, 8],
    [8, 15],
    [15, 3],
    [3, 15],
    [5, 10],
    [6, 10],
    [10, 8],
    [8, 9],
    [15, 10],
    [15, 6],
    [3, 15],
    [15, 8],
    [5, 15],
    [15, 3],
    [15, 6],
    [15, 6],
    [15, 8],
    [3, 15],
    [15, 3],
    [5, 15],
    [5, 15],
    [5, 15],
    [8, 15],
    [5, 15],
    [10, 15],
    [5, 15],
    [10, 15],
    [8, 15],
    [13, 15],
    [15, 3],
    [12, 15],
    [3, 15],
    [3, 8],
];

/// The modes of blocks of floats. Fields are in the order of the block: a component (r, g, b), an end (w, x, y, z), the lowest bit, and how many bits
/// if there are several.
const FLOAT_MODES: [FloatMode; 14] = [
    FloatMode {
        code: 0b00,
        precision: 10,
        deltas: [5, 5, 5],
        has_two_subsets: true,
        is_transformed: true,
        fields: "gy4 by4 bz4 rw0+10 gw0+10 bw0+10 rx0+5 gz4 gy0+4 gx0+5 bz0 gz0+4 bx0+5 bz1 by0+4 ry0+5 bz2 rz0+5 bz3",
    },
    FloatMode {
        code: 0b01,
        precision: 7,
        deltas: [6, 6, 6],
        has_two_subsets: true,
        is_transformed: true,
        fields: "gy5 gz4 gz5 rw0+7 bz0 bz1 by4 gw0+7 by5 bz2 gy4 bw0+7 bz3 bz5 bz4 rx0+6 gy0+4 gx0+6 gz0+4 bx0+6 by0+4 ry0+6 rz0+6",
    },
    FloatMode {
        code: 0b00010,
        precision: 11,
        deltas: [5, 4, 4],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+5 rw10 gy0+4 gx0+4 gw10 bz0 gz0+4 bx0+4 bw10 bz1 by0+4 ry0+5 bz2 rz0+5 bz3",
    },
    FloatMode {
        code: 0b00110,
        precision: 11,
        deltas: [4, 5, 4],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+4 rw10 gz4 gy0+4 gx0+5 gw10 gz0+4 bx0+4 bw10 bz1 by0+4 ry0+4 bz0 bz2 rz0+4 gy4 bz3",
    },
    FloatMode {
        code: 0b01010,
        precision: 11,
        deltas: [4, 4, 5],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+4 rw10 by4 gy0+4 gx0+4 gw10 bz0 gz0+4 bx0+5 bw10 by0+4 ry0+4 bz1 bz2 rz0+4 bz4 bz3",
    },
    FloatMode {
        code: 0b01110,
        precision: 9,
        deltas: [5, 5, 5],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+9 by4 gw0+9 gy4 bw0+9 bz4 rx0+5 gz4 gy0+4 gx0+5 bz0 gz0+4 bx0+5 bz1 by0+4 ry0+5 bz2 rz0+5 bz3",
    },
    FloatMode {
        code: 0b10010,
        precision: 8,
        deltas: [6, 5, 5],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+8 gz4 by4 gw0+8 bz2 gy4 bw0+8 bz3 bz4 rx0+6 gy0+4 gx0+5 bz0 gz0+4 bx0+5 bz1 by0+4 ry0+6 rz0+6",
    },
    FloatMode {
        code: 0b10110,
        precision: 8,
        deltas: [5, 6, 5],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+8 bz0 by4 gw0+8 gy5 gy4 bw0+8 gz5 bz4 rx0+5 gz4 gy0+4 gx0+6 gz0+4 bx0+5 bz1 by0+4 ry0+5 bz2 rz0+5 bz3",
    },
    FloatMode {
        code: 0b11010,
        precision: 8,
        deltas: [5, 5, 6],
        has_two_subsets: true,
        is_transformed: true,
        fields: "rw0+8 bz1 by4 gw0+8 by5 gy4 bw0+8 bz5 bz4 rx0+5 gz4 gy0+4 gx0+5 bz0 gz0+4 bx0+6 by0+4 ry0+5 bz2 rz0+5 bz3",
    },
    FloatMode {
        code: 0b11110,
        precision: 6,
        deltas: [6, 6, 6],
        has_two_subsets: true,
        is_transformed: false,
        fields: "rw0+6 gz4 bz0 bz1 by4 gw0+6 gy5 by5 bz2 gy4 bw0+6 gz5 bz3 bz5 bz4 rx0+6 gy0+4 gx0+6 gz0+4 bx0+6 by0+4 ry0+6 rz0+6",
    },
    FloatMode {
        code: 0b00011,
        precision: 10,
        deltas: [10, 10, 10],
        has_two_subsets: false,
        is_transformed: false,
        fields: "rw0+10 gw0+10 bw0+10 rx0+10 gx0+10 bx0+10",
    },
    FloatMode {
        code: 0b00111,
        precision: 11,
        deltas: [9, 9, 9],
        has_two_subsets: false,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+9 rw10 gx0+9 gw10 bx0+9 bw10",
    },
    FloatMode {
        code: 0b01011,
        precision: 12,
        deltas: [8, 8, 8],
        has_two_subsets: false,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+8 rw11 rw10 gx0+8 gw11 gw10 bx0+8 bw11 bw10",
    },
    FloatMode {
        code: 0b01111,
        precision: 16,
        deltas: [4, 4, 4],
        has_two_subsets: false,
        is_transformed: true,
        fields: "rw0+10 gw0+10 bw0+10 rx0+4 rw15 rw14 rw13 rw12 rw11 rw10 gx0+4 gw15 gw14 gw13 gw12 gw11 gw10 bx0+4 bw15 bw14 bw13 bw12 bw11 bw10",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of these fields, from the lowest bit on.
    fn block(fields: &[(u32, u32)]) -> [u32; 4] {
        let (mut block, mut at) = (0u128, 0);
        for &(value, bits) in fields {
            block |= u128::from(value) << at;
            at += bits;
        }
        [0, 32, 64, 96].map(|shift| (block >> shift) as u32)
    }

    fn bytes(words: &[u32; 4], x: u32, y: u32) -> [f32; 4] {
        BptcFormat::Unorm.texel(words, x, y).map(|bits| f32::from_bits(bits) * 255.0)
    }

    #[test]
    fn fractions_lie_between_their_ends() {
        // Mode 6: ends of 7 bits and a lowest one, indices of 4 bits.
        let words = block(&[
            (1 << 6, 7),
            (0, 7),
            (127, 7),
            (127, 7),
            (127, 7),
            (0, 7),
            (0, 7),
            (127, 7),
            (127, 7),
            (0b10, 2),
            (0, 3),
            (15, 4),
            (8, 4),
        ]);
        assert_eq!(bytes(&words, 0, 0), [0.0, 254.0, 0.0, 254.0]);
        assert_eq!(bytes(&words, 1, 0), [255.0, 255.0, 1.0, 255.0]);
        // 34/64 of the way.
        assert_eq!(bytes(&words, 2, 0), [135.0, 255.0, 1.0, 255.0]);
    }

    #[test]
    fn components_are_rotated() {
        // Mode 5: red and alpha change places; ends of 7 and 8 bits, two lists of indices of 2 bits.
        let ends = [(127, 7), (127, 7), (0, 7), (0, 7), (64, 7), (64, 7), (10, 8), (20, 8)];
        let fields = [(1 << 5, 6), (1, 2)].into_iter().chain(ends).chain([(0, 31), (0, 1), (3, 2)]);
        let words = block(&fields.collect::<Vec<_>>());
        assert_eq!(bytes(&words, 0, 0), [10.0, 0.0, 129.0, 255.0]);
        assert_eq!(bytes(&words, 1, 0), [20.0, 0.0, 129.0, 255.0]);
    }

    #[test]
    fn partitions_have_their_subsets() {
        // Mode 3, partition 0: the right half is the second subset.
        let ends = [0, 0, 127, 127].map(|value| (value, 7));
        let fields = [(1 << 3, 4), (0, 6)].into_iter().chain(ends).chain([(0, 28), (0, 28), (0, 4)]);
        let words = block(&fields.collect::<Vec<_>>());
        assert_eq!(bytes(&words, 1, 2), [0.0, 0.0, 0.0, 255.0]);
        assert_eq!(bytes(&words, 2, 2), [254.0, 0.0, 0.0, 255.0]);
        assert_eq!(bytes(&[0; 4], 0, 0), [0.0; 4], "a reserved mode");
    }

    #[test]
    fn anchors_lie_in_their_subsets() {
        for number in 0..64 {
            assert_eq!(TWO_SUBSETS[number] >> TWO_ANCHORS[number] & 1, 1);
            assert_eq!(TWO_SUBSETS[number] & 1, 0);
            for (subset, anchor) in [(1, 0), (2, 1)] {
                assert_eq!(THREE_SUBSETS[number] >> (2 * THREE_ANCHORS[number][anchor]) & 3, subset);
            }
        }
    }

    #[test]
    fn floats_lie_between_their_ends() {
        // Mode 11: one subset, ends of 10 bits.
        let ends = [(0, 10), (1023, 10), (512, 10), (1023, 10), (1023, 10), (512, 10)];
        let fields = [(0b00011, 5)].into_iter().chain(ends).chain([(0, 3), (15, 4)]);
        let words = block(&fields.collect::<Vec<_>>());
        let half = |bits: u16| f32::from_bits(f16_to_f32(bits));
        let texel = |x| BptcFormat::Float { signed: false }.texel(&words, x, 0).map(f32::from_bits);
        assert_eq!(texel(0), [0.0, half(0x7BFF), half(((32800u32 * 31) >> 6) as u16), 1.0]);
        assert_eq!(texel(1)[0], half(0x7BFF));
        let signed = BptcFormat::Float { signed: true }.texel(&words, 1, 0).map(f32::from_bits);
        assert_eq!(signed[0], -half(((1 << 15 | 0x4000) >> 9) * 31 / 32), "-1 of 10 bits");
        assert_eq!(BptcFormat::Float { signed: false }.texel(&[0b10011, 1, 2, 3], 0, 0), [0, 0, 0, ONE]);
    }

    #[test]
    fn every_field_of_floats_is_there_once() {
        for mode in &FLOAT_MODES {
            let all = ends(mode, &mut Bits { block: u128::MAX, at: 0 });
            for (component, ends) in all.iter().enumerate() {
                let last = if mode.has_two_subsets { 4 } else { 2 };
                assert_eq!(ends[0], (1 << mode.precision) - 1, "{:05b}", mode.code);
                assert!(ends[1..last].iter().all(|&end| end == (1 << mode.deltas[component]) - 1), "{:05b}", mode.code);
            }
            let mut bits = Bits { block: 0, at: 0 };
            ends(mode, &mut bits);
            let first = if mode.code > 1 { 5 } else { 2 };
            assert_eq!(first + bits.at, if mode.has_two_subsets { 77 } else { 65 });
        }
    }
}
