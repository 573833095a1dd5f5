//! Colour buffers with four channels of a byte: what is stored of many pixels at a time, from colours that are rounded to bytes already.

use crate::blend::{ALPHA, BlendEquation, BlendFactor, BlendFunction, BlendState, LogicOp};
use crate::channel::{Channel, ChannelKind};
use crate::colour::{ColourOperation, ColourState};
use crate::float_bytes::WriteFloats;
use crate::simd::{LANES, LaneWords as Numbers, Simd};

/// 1, as a byte.
const ONE: u32 = 0xFF;

/// What becomes of a colour and the pixel in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Copy,
    /// What is most common: the colour by its alpha, and what is there by the rest.
    Over,
    Blend(BlendState),
    Logic(LogicOp),
}

/// How pixels are written whose four channels are the bytes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteColours {
    rule: Rule,
    /// The channel that is the destination's alpha; `None`: it is 1.
    destination_alpha: Option<usize>,
    constant: [u32; 4],
    /// The bits that are written.
    written: u32,
}

impl ByteColours {
    /// As this state says; `None` if pixels are not such, or blended in more bits.
    pub fn of(state: &ColourState) -> Option<Self> {
        let format = *state.format();
        let byte = |n: usize| Channel::new(8 * n as u32, 8, ChannelKind::Unorm);
        if format.bytes != 4 || (0..4).any(|n| format.channels[n] != Some(byte(n))) {
            return None;
        }
        let rule = match *state.operation() {
            ColourOperation::Copy => Rule::Copy,
            ColourOperation::BlendInteger { state, bits: 8 } => match [state.colour, state.alpha].iter().all(is_over) {
                true => Rule::Over,
                false => Rule::Blend(state),
            },
            ColourOperation::Logic { operation, bits: 8 } => Rule::Logic(operation),
            ColourOperation::BlendInteger { .. } | ColourOperation::Logic { .. } | ColourOperation::BlendFloat(_) => {
                return None;
            }
        };
        Some(ByteColours {
            rule,
            destination_alpha: state.destination_alpha(),
            constant: state.constant().map(|value| value.min(ONE)),
            written: state.written()[0],
        })
    }

    /// The same, if colours are stored as they are.
    pub fn copied(&self) -> Option<Copied> {
        (self.rule == Rule::Copy).then_some(Copied { written: self.written })
    }

    /// The same, if colours come by their alpha over what is there.
    pub fn over(&self) -> Option<Over> {
        (self.rule == Rule::Over).then_some(Over { written: self.written })
    }

    #[inline(always)]
    fn blended(&self, state: &BlendState, source: Numbers, memory: Numbers) -> Numbers {
        let (source, memory) = (channels(&source), channels(&memory));
        let destination_alpha = self.destination_alpha.map_or([ONE; LANES], |channel| memory[channel & 3]);
        let pixels = Pixels { source, memory, destination_alpha, constant: self.constant };
        // One by one: not every closure becomes a part of what calls it.
        let (first, second) = (pixels.blended(&state.colour, 0), pixels.blended(&state.colour, 1));
        let (third, alpha) = (pixels.blended(&state.colour, 2), pixels.blended(&state.alpha, ALPHA));
        packed([&first, &second, &third, &alpha])
    }
}

/// What writes rounded colours.
pub trait WriteBytes: Copy {
    /// Whether what is stored depends on what is there, but for bits that are not written.
    const READS: bool;
    /// The bits that are written.
    fn written(&self) -> u32;
    /// Pixels whose bits are stored, as far as they are written, for rounded colours and the pixels in memory: what [`ColourState::write`] gives.
    fn write<S: Simd>(self, simd: S, source: S::Words, memory: S::Words) -> S::Words;
}

impl WriteBytes for &ByteColours {
    const READS: bool = true;

    fn written(&self) -> u32 {
        self.written
    }

    #[inline(always)]
    fn write<S: Simd>(self, simd: S, source: S::Words, memory: S::Words) -> S::Words {
        match &self.rule {
            Rule::Copy => source,
            Rule::Over => over(simd, source, memory),
            Rule::Logic(operation) => {
                let new = |source, memory| operation.apply(source, memory);
                simd.words(&each(&simd.array(source), &simd.array(memory), new))
            }
            Rule::Blend(state) => simd.words(&self.blended(state, simd.array(source), simd.array(memory))),
        }
    }
}

/// How colours are written as they are.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    written: u32,
}

impl WriteBytes for Copied {
    const READS: bool = false;

    fn written(&self) -> u32 {
        self.written
    }

    #[inline(always)]
    fn write<S: Simd>(self, _: S, source: S::Words, _: S::Words) -> S::Words {
        source
    }
}

/// How colours are written by their alpha over what is there.
#[derive(Clone, Copy, Debug)]
pub struct Over {
    written: u32,
}

impl WriteBytes for Over {
    const READS: bool = true;

    fn written(&self) -> u32 {
        self.written
    }

    #[inline(always)]
    fn write<S: Simd>(self, simd: S, source: S::Words, memory: S::Words) -> S::Words {
        over(simd, source, memory)
    }
}

/// Colours that are rounded to bytes before they are written.
#[derive(Clone, Copy, Debug)]
pub struct Rounded<W> {
    /// The component of each byte, from the lowest one on.
    pub components: [usize; 4],
    /// What writes the bytes.
    pub bytes: W,
}

impl<W: WriteBytes> WriteFloats for Rounded<W> {
    const READS: bool = W::READS;

    fn components(&self) -> [usize; 4] {
        self.components
    }

    fn written(&self) -> u32 {
        self.bytes.written()
    }

    #[inline(always)]
    fn pixels<S: Simd>(&self, simd: S, components: [S::Words; 4], _: S::Words, memory: S::Words) -> S::Words {
        let [a, b, c, d] = components;
        let (a, b) = (simd.codes(simd.singles(a), ONE), simd.codes(simd.singles(b), ONE));
        let (c, d) = (simd.codes(simd.singles(c), ONE), simd.codes(simd.singles(d), ONE));
        let source = simd.or(simd.or(a, simd.up::<8>(b)), simd.or(simd.up::<16>(c), simd.up::<24>(d)));
        self.bytes.write(simd, source, memory)
    }
}

/// The bytes of words, channel by channel.
#[inline(always)]
fn channels(words: &Numbers) -> [Numbers; 4] {
    let [mut first, mut second, mut third, mut fourth] = [[0; LANES]; 4];
    for (n, word) in words.iter().enumerate() {
        (first[n], second[n], third[n], fourth[n]) = (word & ONE, word >> 8 & ONE, word >> 16 & ONE, word >> 24);
    }
    [first, second, third, fourth]
}

/// The words of these bytes.
#[inline(always)]
fn packed([first, second, third, fourth]: [&Numbers; 4]) -> Numbers {
    std::array::from_fn(|n| first[n] | second[n] << 8 | third[n] << 16 | fourth[n] << 24)
}

fn is_over(equation: &BlendEquation) -> bool {
    let BlendEquation { function, source, destination, .. } = equation;
    (*function, *source, *destination)
        == (BlendFunction::Add, BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha)
}

/// The colour by its alpha, and what is there by the rest. Two channels are computed in the halves of a word: sums of such products have no more
/// than 16 bits.
#[inline(always)]
fn over<S: Simd>(simd: S, source: S::Words, memory: S::Words) -> S::Words {
    /// A byte in each half.
    const BYTES: u32 = 0x00FF_00FF;
    let bytes = simd.splat(BYTES);
    let alpha = simd.down::<24>(source);
    let alpha = simd.or(alpha, simd.up::<16>(alpha));
    let rest = simd.xor(alpha, bytes);
    let both = |source, memory| {
        let sum = simd.add_halves(simd.mul_halves(source, alpha), simd.mul_halves(memory, rest));
        // The nearest integer to the quotient by 255, as `quotient` gives it.
        let raised = simd.add_halves(sum, simd.splat(0x0080_0080));
        simd.down_halves::<8>(simd.add_halves(raised, simd.down_halves::<8>(raised)))
    };
    let odd = |words| simd.down_halves::<8>(words);
    let even = both(simd.and(source, bytes), simd.and(memory, bytes));
    simd.or(even, simd.up::<8>(both(odd(source), odd(memory))))
}

/// The product of two bytes. That they are is known, but makes a product of 16 bits of it.
#[inline(always)]
fn product(a: u32, b: u32) -> u32 {
    (a & ONE) * (b & ONE)
}

#[inline(always)]
fn one_minus(factor: &Numbers) -> Numbers {
    factor.map(|factor| ONE - factor)
}

/// a op b, number by number.
#[inline(always)]
fn each(a: &Numbers, b: &Numbers, op: impl Fn(u32, u32) -> u32) -> Numbers {
    std::array::from_fn(|n| op(a[n], b[n]))
}

/// What takes part in blending, channel by channel.
struct Pixels {
    source: [Numbers; 4],
    memory: [Numbers; 4],
    destination_alpha: Numbers,
    constant: [u32; 4],
}

impl Pixels {
    #[inline(always)]
    fn factor(&self, factor: BlendFactor, channel: usize) -> Numbers {
        let Pixels { source, memory, destination_alpha, constant } = self;
        match factor {
            BlendFactor::Zero => [0; LANES],
            BlendFactor::One => [ONE; LANES],
            BlendFactor::SourceColour => source[channel],
            BlendFactor::OneMinusSourceColour => one_minus(&source[channel]),
            BlendFactor::DestinationColour => memory[channel],
            BlendFactor::OneMinusDestinationColour => one_minus(&memory[channel]),
            BlendFactor::SourceAlpha => source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => one_minus(&source[ALPHA]),
            BlendFactor::DestinationAlpha => *destination_alpha,
            BlendFactor::OneMinusDestinationAlpha => one_minus(destination_alpha),
            BlendFactor::SourceAlphaSaturate if channel == ALPHA => [ONE; LANES],
            BlendFactor::SourceAlphaSaturate => each(&source[ALPHA], &one_minus(destination_alpha), u32::min),
            BlendFactor::ConstantColour => [constant[channel]; LANES],
            BlendFactor::OneMinusConstantColour => [ONE - constant[channel]; LANES],
            BlendFactor::ConstantAlpha => [constant[ALPHA]; LANES],
            BlendFactor::OneMinusConstantAlpha => [ONE - constant[ALPHA]; LANES],
        }
    }

    /// The bytes of a channel by an equation.
    #[inline(always)]
    fn blended(&self, equation: &BlendEquation, channel: usize) -> Numbers {
        let (source, memory) = (&self.source[channel], &self.memory[channel]);
        let (by_source, by_memory) =
            (self.factor(equation.source, channel), self.factor(equation.destination, channel));
        let (source_part, memory_part) = (each(source, &by_source, product), each(memory, &by_memory, product));
        let sum = match equation.function {
            BlendFunction::Min => return each(source, memory, u32::min),
            BlendFunction::Max => return each(source, memory, u32::max),
            BlendFunction::Add => each(&source_part, &memory_part, |source, memory| source + memory),
            BlendFunction::Subtract => each(&source_part, &memory_part, u32::saturating_sub),
            BlendFunction::ReverseSubtract => each(&memory_part, &source_part, u32::saturating_sub),
        };
        sum.map(quotient)
    }
}

/// The nearest integer to a quotient by 255, at most 255.
#[inline(always)]
fn quotient(sum: u32) -> u32 {
    let raised = sum.min(ONE * ONE) + 0x80;
    // Of all such numbers that is the quotient by 255, rounded down.
    (raised + (raised >> 8)) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{SimdTask, dispatch};
    use crate::target::TargetFormat;
    use ctm_cases::{Result, Unstructured};

    #[test]
    fn quotients_are_the_nearest_integers() {
        for sum in 0..=2 * ONE * ONE {
            assert_eq!(quotient(sum), ((2 * sum + 255) / 510).min(255), "{sum}");
        }
    }

    fn equation(u: &mut Unstructured) -> Result<BlendEquation> {
        use BlendFactor::*;
        const FACTORS: [BlendFactor; 15] = [
            Zero,
            One,
            SourceColour,
            OneMinusSourceColour,
            DestinationColour,
            OneMinusDestinationColour,
            SourceAlpha,
            OneMinusSourceAlpha,
            DestinationAlpha,
            OneMinusDestinationAlpha,
            SourceAlphaSaturate,
            ConstantColour,
            OneMinusConstantColour,
            ConstantAlpha,
            OneMinusConstantAlpha,
        ];
        use BlendFunction::{Add, Max, Min, ReverseSubtract, Subtract};
        Ok(BlendEquation {
            function: *u.choose(&[Add, Subtract, ReverseSubtract, Min, Max])?,
            source: *u.choose(&FACTORS)?,
            destination: *u.choose(&FACTORS)?,
            clamp: true,
        })
    }

    const OVER: BlendEquation = BlendEquation {
        function: BlendFunction::Add,
        source: BlendFactor::SourceAlpha,
        destination: BlendFactor::OneMinusSourceAlpha,
        clamp: true,
    };

    struct Write {
        colours: ByteColours,
        components: [usize; 4],
        source: [Numbers; 4],
        memory: Numbers,
    }

    impl SimdTask for Write {
        type Output = Numbers;

        fn run(self, simd: impl Simd) -> Numbers {
            let Write { colours, components, source, memory } = self;
            let pixels = |bytes: &dyn Fn([Numbers; 4]) -> Numbers| bytes(components.map(|component| source[component]));
            let words = |words: &[Numbers; 4]| words.each_ref().map(|words| simd.words(words));
            let (zero, memory) = (simd.splat(0), simd.words(&memory));
            let all = pixels(&|source| {
                simd.array(Rounded { components, bytes: &colours }.pixels(simd, words(&source), zero, memory))
            });
            if let Some(bytes) = colours.copied() {
                let copied =
                    |source| simd.array(Rounded { components, bytes }.pixels(simd, words(&source), zero, memory));
                assert_eq!(pixels(&copied), all);
            }
            if let Some(bytes) = colours.over() {
                let over =
                    |source| simd.array(Rounded { components, bytes }.pixels(simd, words(&source), zero, memory));
                assert_eq!(pixels(&over), all);
            }
            all
        }
    }

    #[test]
    fn pixels_are_those_of_the_state() {
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(8 * n, 8, ChannelKind::Unorm)));
        let format = TargetFormat { bytes: 4, channels };
        ctm_cases::check(20_000, |u| {
            let operation = match u.int_in_range(0..=4)? {
                0 => ColourOperation::Copy,
                1 => ColourOperation::Logic { operation: LogicOp(u.int_in_range(0..=15)?), bits: 8 },
                _ => {
                    let colour = if u.ratio(1, 4)? { OVER } else { equation(u)? };
                    let other = equation(u)?;
                    let alpha = if u.arbitrary()? { colour } else { other };
                    ColourOperation::BlendInteger { state: BlendState { colour, alpha }, bits: 8 }
                }
            };
            let mask = if u.arbitrary()? { 0xF } else { u.int_in_range(0..=15)? };
            let destination_alpha = if u.arbitrary()? { Some(u.int_in_range(0..=3)?) } else { None };
            let constant: [u8; 4] = u.arbitrary()?;
            let state = ColourState::new(format, operation, mask, destination_alpha, constant.map(u32::from));
            let colours = ByteColours::of(&state).expect("bytes");
            let components = *u.choose(&[[0, 1, 2, 3], [2, 1, 0, 3], [3, 0, 0, 1]])?;
            let (mut source, mut memory, mut expected) = ([[0; LANES]; 4], [0; LANES], [0; LANES]);
            for n in 0..LANES {
                let mut value = || Ok(u.int_in_range(-20..=280)? as f32 / 260.0);
                let colour = [value()?, value()?, value()?, value()?].map(f32::to_bits);
                memory[n] = u.arbitrary()?;
                source.iter_mut().zip(colour).for_each(|(source, value)| source[n] = value);
                expected[n] = state.write(components.map(|component| colour[component]), [memory[n], 0, 0, 0])[0];
            }
            let written = (&colours).written();
            let new = dispatch(Write { colours, components, source, memory });
            let found: Numbers = std::array::from_fn(|n| memory[n] & !written | new[n] & written);
            assert_eq!(found, expected, "{state:?}");
            Ok(())
        });
    }

    #[test]
    fn other_pixels_are_not_bytes() {
        let channels = [0, 1, 2].map(|n| Some(Channel::new(8 * n, 8, ChannelKind::Unorm)));
        let format = TargetFormat { bytes: 4, channels: [channels[0], channels[1], channels[2], None] };
        assert_eq!(ByteColours::of(&ColourState::new(format, ColourOperation::Copy, 0xF, None, [0; 4])), None);
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(8 * n, 8, ChannelKind::Snorm)));
        let format = TargetFormat { bytes: 4, channels };
        assert_eq!(ByteColours::of(&ColourState::new(format, ColourOperation::Copy, 0xF, None, [0; 4])), None);
    }
}
