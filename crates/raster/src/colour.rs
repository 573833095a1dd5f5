//! What is written to a colour buffer for a pixel.

use crate::blend::{BlendInputs, BlendState, LogicOp, blend_float, blend_integer};
use crate::channel::{Channel, Words};
use crate::target::TargetFormat;

/// What happens to a colour between the program and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColourOperation {
    /// It is stored.
    Copy,
    /// It is blended with what is there, in integers that have `bits` (at most 12) for each channel, whatever the format has: what is
    /// stored has more bits dropped or less bits expanded. For formats of unsigned fractions.
    BlendInteger {
        /// The equations.
        state: BlendState,
        /// Bits of a channel while blending.
        bits: u32,
    },
    /// It is rounded to the format, and blended with what is there in binary32. For float formats.
    BlendFloat(BlendState),
    /// Its bits are combined with those that are there. The colour is first rounded to `bits` for each channel, and what is stored has more
    /// bits dropped. For formats of unsigned fractions.
    Logic {
        /// The operation.
        operation: LogicOp,
        /// Bits of a channel before it is stored.
        bits: u32,
    },
}

/// How colours are written to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColourState {
    format: TargetFormat,
    operation: ColourOperation,
    destination_alpha: Option<usize>,
    constant: [u32; 4],
    written: Words,
    all: Words,
}

/// v of 0..=`from` as a fraction of `to`, rounded to nearest, halves up.
#[inline]
fn rescale(value: u32, from: u32, to: u32) -> u32 {
    if from == to { value } else { (2 * value * to + from) / (2 * from) }
}

/// A fraction of `bits` bits stored in a channel of `width`: its high bits, or expanded.
#[inline]
fn store(value: u32, bits: u32, width: u32) -> u32 {
    if width <= bits { value >> (bits - width) } else { rescale(value, (1 << bits) - 1, (1 << width) - 1) }
}

impl ColourState {
    /// `mask` names the channels that are written (bit n: channel n). `destination_alpha` is the channel that blending takes for the
    /// destination's alpha; `None`: it is 1. `constant` is the blend constant: fractions of the integers that are blended, or bits of
    /// binary32 numbers.
    pub fn new(
        format: TargetFormat,
        operation: ColourOperation,
        mask: u8,
        destination_alpha: Option<usize>,
        constant: [u32; 4],
    ) -> Self {
        let destination_alpha = destination_alpha.filter(|&n| format.channels.get(n).is_some_and(Option::is_some));
        let (written, all) = (format.stored_bits(mask), format.stored_bits(0xF));
        ColourState { format, operation, destination_alpha, constant, written, all }
    }

    /// The buffer's format.
    pub fn format(&self) -> &TargetFormat {
        &self.format
    }

    /// What happens to colours.
    pub fn operation(&self) -> &ColourOperation {
        &self.operation
    }

    /// The channels that are written (bit n: channel n), of those that the format has.
    pub fn mask(&self) -> u8 {
        let written = |channel: &Channel| channel.extract(&self.written) != 0;
        (0..4).fold(0, |mask, n| mask | u8::from(self.format.channels[n].as_ref().is_some_and(written)) << n)
    }

    /// The channel that is the destination's alpha; `None`: it is 1.
    pub fn destination_alpha(&self) -> Option<usize> {
        self.destination_alpha
    }

    /// The blend constant: fractions of the integers that are blended, or bits of binary32 numbers.
    pub fn constant(&self) -> [u32; 4] {
        self.constant
    }

    /// The stored bits that are written.
    pub fn written(&self) -> Words {
        self.written
    }

    /// Whether [`write`](Self::write) depends on what is in memory.
    pub fn reads_memory(&self) -> bool {
        self.written != self.all || self.operation != ColourOperation::Copy
    }

    /// Whether nothing is written at all.
    pub fn writes_nothing(&self) -> bool {
        self.written == [0; 4]
    }

    /// The pixel to be stored, for the colour that a program gave and the pixel in memory.
    #[inline]
    pub fn write(&self, source: [u32; 4], memory: Words) -> Words {
        let new = match &self.operation {
            ColourOperation::Copy => self.format.encode(source),
            ColourOperation::BlendInteger { state, bits } => self.blend_integer(state, *bits, source, &memory),
            ColourOperation::BlendFloat(state) => self.blend_float(state, source, &memory),
            ColourOperation::Logic { operation, bits } => {
                let max = (1 << bits) - 1;
                let words = self
                    .format
                    .pack(|n, channel| store(ctm_num::convert::f32_to_unorm(source[n], max), *bits, channel.width()));
                std::array::from_fn(|n| operation.apply(words[n], memory[n]))
            }
        };
        std::array::from_fn(|n| new[n] & self.written[n] | memory[n] & !self.written[n])
    }

    #[inline]
    fn blend_integer(&self, state: &BlendState, bits: u32, source: [u32; 4], memory: &Words) -> Words {
        let one = (1u32 << bits) - 1;
        let destination = self
            .format
            .channels
            .map(|channel| channel.map_or(0, |channel| rescale(channel.extract(memory), channel.max(), one) as i32));
        let inputs = BlendInputs {
            source: source.map(|value| ctm_num::convert::f32_to_unorm(value, one) as i32),
            destination,
            destination_alpha: self.destination_alpha.map_or(one as i32, |n| destination[n]),
            constant: self.constant.map(|value| value.min(one) as i32),
        };
        let result = blend_integer(state, &inputs, one as i32);
        self.format.pack(|n, channel| store(result[n] as u32, bits, channel.width()))
    }

    #[inline]
    fn blend_float(&self, state: &BlendState, source: [u32; 4], memory: &Words) -> Words {
        let number = |values: [u32; 4]| values.map(f32::from_bits);
        let destination = number(self.format.decode(memory));
        let inputs = BlendInputs {
            source: std::array::from_fn(|n| {
                f32::from_bits(match self.format.channels[n] {
                    Some(channel) => channel.decode(channel.encode(source[n])),
                    None => source[n],
                })
            }),
            destination,
            destination_alpha: self.destination_alpha.map_or(1.0, |n| destination[n]),
            constant: number(self.constant),
        };
        self.format.encode(blend_float(state, &inputs).map(crate::bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend::{BlendEquation, BlendFactor, BlendFunction};
    use crate::channel::ChannelKind;

    fn unorm(bytes: u32, parts: [Option<(u32, u32)>; 4]) -> TargetFormat {
        let channel = |part: (u32, u32)| Channel::new(part.0, part.1, ChannelKind::Unorm);
        TargetFormat { bytes, channels: parts.map(|part| part.map(channel)) }
    }

    fn rgba8() -> TargetFormat {
        unorm(4, [Some((0, 8)), Some((8, 8)), Some((16, 8)), Some((24, 8))])
    }

    fn rgb565() -> TargetFormat {
        unorm(2, [Some((0, 5)), Some((5, 6)), Some((11, 5)), None])
    }

    const OVER: BlendEquation = BlendEquation {
        function: BlendFunction::Add,
        source: BlendFactor::SourceAlpha,
        destination: BlendFactor::OneMinusSourceAlpha,
        clamp: true,
    };

    fn colour(values: [f32; 4]) -> [u32; 4] {
        values.map(f32::to_bits)
    }

    #[test]
    fn copies_round_and_keep_masked_bits() {
        let all = ColourState::new(rgb565(), ColourOperation::Copy, 0xF, None, [0; 4]);
        assert!(!all.reads_memory());
        assert_eq!(all.write(colour([0.49, 1.0, 0.0, 0.0]), [0xFFFF_FFFF; 4]), [0xFFFF_07EF, !0, !0, !0]);
        let green = ColourState::new(rgb565(), ColourOperation::Copy, 0b1010, None, [0; 4]);
        assert!(green.reads_memory() && !green.writes_nothing());
        assert_eq!((all.mask(), green.mask()), (0b0111, 0b0010), "there is no alpha");
        assert_eq!(green.write(colour([1.0; 4]), [0x0801, 0, 0, 0])[0], 0x0FE1);
        assert!(ColourState::new(rgb565(), ColourOperation::Copy, 0b1000, None, [0; 4]).writes_nothing());
    }

    #[test]
    fn integers_blend_in_their_own_precision() {
        let state = BlendState { colour: OVER, alpha: OVER };
        let over = ColourState::new(rgba8(), ColourOperation::BlendInteger { state, bits: 8 }, 0xF, Some(3), [0; 4]);
        // Half of alpha is 128: (255 * 128 + 0 * 127) / 255, (0 * 128 + 200 * 127) / 255.
        assert_eq!(over.write(colour([1.0, 0.0, 0.0, 0.5]), [0x0000_C800, 0, 0, 0])[0], 0x4000_6480);
        // Five bits are expanded to eight (9 * 255 / 31 = 74.03), and lose the low bits again, without rounding.
        let one = BlendEquation { source: BlendFactor::One, destination: BlendFactor::One, ..OVER };
        let sum = BlendState { colour: one, alpha: one };
        let packed =
            ColourState::new(rgb565(), ColourOperation::BlendInteger { state: sum, bits: 8 }, 0xF, None, [0; 4]);
        let write = |red: f32| packed.write(colour([red, 0.0, 0.0, 0.0]), [9, 0, 0, 0])[0];
        assert_eq!([0.0, 5.0 / 255.0, 6.0 / 255.0, 1.0].map(write), [9, 9, 10, 31]);
    }

    #[test]
    fn destination_alpha_and_constants_are_given() {
        let by = |source| BlendEquation { source, destination: BlendFactor::Zero, ..OVER };
        let blend = |factor, alpha, constant| {
            let state = BlendState { colour: by(factor), alpha: by(factor) };
            let operation = ColourOperation::BlendInteger { state, bits: 8 };
            ColourState::new(rgba8(), operation, 0xF, alpha, constant).write(colour([1.0; 4]), [0x4000_0020, 0, 0, 0])
                [0]
        };
        assert_eq!(blend(BlendFactor::DestinationAlpha, Some(3), [0; 4]), 0x4040_4040);
        assert_eq!(blend(BlendFactor::DestinationAlpha, Some(0), [0; 4]), 0x2020_2020);
        assert_eq!(blend(BlendFactor::DestinationAlpha, None, [0; 4]), 0xFFFF_FFFF);
        assert_eq!(blend(BlendFactor::ConstantColour, None, [1, 2, 3, 4]), 0x0403_0201);
        assert_eq!(blend(BlendFactor::OneMinusConstantAlpha, None, [1, 2, 3, 4]), 0xFBFB_FBFB);
    }

    #[test]
    fn halves_are_blended_as_floats() {
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(16 * n, 16, ChannelKind::Float16)));
        let format = TargetFormat { bytes: 8, channels };
        let plus = BlendEquation { source: BlendFactor::One, destination: BlendFactor::One, clamp: false, ..OVER };
        let operation = ColourOperation::BlendFloat(BlendState { colour: plus, alpha: plus });
        let state = ColourState::new(format, operation, 0xF, Some(3), [0; 4]);
        // 2049 is not a binary16 number: the source becomes 2048 before 1 is added; 2049 becomes 2048 again.
        let found = state.write(colour([2049.0, 1.5, f32::NAN, -1.0]), [0x3C00_3C00, 0x0000_3C00, 0, 0]);
        assert_eq!(found, [0x4100_6800, 0xBC00_7FFF, 0, 0]);
    }

    #[test]
    fn logic_operations_work_on_stored_bits() {
        let xor =
            ColourState::new(rgb565(), ColourOperation::Logic { operation: LogicOp(6), bits: 8 }, 0xF, None, [0; 4]);
        // 127 of 255 has the high bits 01111.
        assert_eq!(xor.write(colour([127.0 / 255.0, 1.0, 0.0, 0.0]), [0xFFFF, 0, 0, 0])[0], 0xF810);
        let copy =
            ColourState::new(rgba8(), ColourOperation::Logic { operation: LogicOp(12), bits: 8 }, 0b0111, None, [0; 4]);
        assert_eq!(copy.write(colour([1.0, 0.0, 1.0, 1.0]), [0x1234_5678, 0, 0, 0])[0], 0x12FF_00FF);
    }
}
