//! Colour buffers with four channels of a byte, for colours that are binary32 numbers and blended as such: what is stored of eight pixels at a time.

use crate::blend::{ALPHA, BlendEquation, BlendFactor, BlendFunction, BlendState};
use crate::channel::ChannelKind;
use crate::pixel::{ComponentNumbers, PixelComponent, PixelFormat};
use crate::simd::Simd;

/// 1, as a byte.
const ONE: u32 = 0xFF;

/// How pixels are written whose channels are bytes of a word: all are fractions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatBytes {
    /// The lowest bits of red, green, blue and alpha; `None` where the format lacks one.
    shifts: [Option<u32>; 4],
    /// How colours from 0 to 1 are blended, and the constant one.
    blend: Option<(BlendState, [f32; 4])>,
    /// The bits that are written.
    written: u32,
    /// Bits that count as set, whatever is there.
    opaque: u32,
}

impl FloatBytes {
    /// For this format, of which these bits are written; `None` if pixels are not such. What takes part in blending is clamped to [0, 1], as the
    /// constant colour is already.
    pub fn of(format: &PixelFormat, blend: Option<(BlendState, [f32; 4])>, written: u32) -> Option<Self> {
        let is_byte = |part: &PixelComponent| {
            let channel = part.channel();
            let is_whole = channel.word() == 0 && channel.width() == 8 && channel.shift().is_multiple_of(8);
            is_whole && channel.kind() == ChannelKind::Unorm && part.numbers() == ComponentNumbers::Plain
        };
        let are_bytes = format.bytes == 4 && format.parts.iter().flatten().all(is_byte);
        let shifts = format.parts.map(|part| part.map(|part| part.channel().shift()));
        are_bytes.then_some(FloatBytes { shifts, blend, written, opaque: 0 })
    }

    /// The same, where alpha counts as 1, whatever is there.
    pub fn with_opaque_alpha(self) -> Self {
        FloatBytes { opaque: self.shifts[ALPHA].map_or(0, |shift| ONE << shift), ..self }
    }

    /// The pixels to be stored, for bits of colours by component, and the pixels in memory. Only the bits that are set in `chosen` change.
    #[inline(always)]
    pub fn write<S: Simd>(&self, simd: S, colours: [S::Words; 4], memory: S::Words, chosen: S::Words) -> S::Words {
        let [red, green, blue, alpha] = colours;
        let (red, green) = (simd.singles(red), simd.singles(green));
        let (blue, alpha) = (simd.singles(blue), simd.singles(alpha));
        let seen = simd.or(memory, simd.splat(self.opaque));
        let new = match &self.blend {
            None => [red, green, blue, alpha],
            Some((state, constant)) => {
                let [r, g, b, a] = self.shifts;
                let (source_alpha, one) = (clamped(simd, alpha), simd.single(1.0));
                let is_over = is_over(&state.colour) && is_over(&state.alpha);
                if is_over {
                    let weights = [source_alpha, simd.sub_singles(one, source_alpha)];
                    [
                        over(simd, weights, clamped(simd, red), part(simd, seen, r)),
                        over(simd, weights, clamped(simd, green), part(simd, seen, g)),
                        over(simd, weights, clamped(simd, blue), part(simd, seen, b)),
                        over(simd, weights, source_alpha, alpha_of(simd, seen, a)),
                    ]
                } else {
                    let pixels = Pixels {
                        simd,
                        source: [clamped(simd, red), clamped(simd, green), clamped(simd, blue), source_alpha],
                        memory: [
                            part(simd, seen, r),
                            part(simd, seen, g),
                            part(simd, seen, b),
                            alpha_of(simd, seen, a),
                        ],
                        constant: *constant,
                    };
                    [
                        pixels.blended(&state.colour, 0),
                        pixels.blended(&state.colour, 1),
                        pixels.blended(&state.colour, 2),
                        pixels.blended(&state.alpha, ALPHA),
                    ]
                }
            }
        };
        let mut words = simd.splat(0);
        for (new, shift) in new.into_iter().zip(self.shifts) {
            if let Some(shift) = shift {
                words = simd.or(words, up(simd, simd.codes(new, ONE), shift));
            }
        }
        let changed = simd.and(simd.and(simd.xor(memory, words), simd.splat(self.written)), chosen);
        simd.xor(memory, changed)
    }
}

/// Pixels for colours, whatever is drawn of them.
pub trait WriteFloats: Copy {
    /// Whether what is stored depends on what is there.
    const READS: bool;
    /// The components of colours that [`pixels`](Self::pixels) takes, before alpha.
    fn components(&self) -> [usize; 4];
    /// The bits that are written.
    fn written(&self) -> u32;
    /// Pixels whose bits are stored, as far as they are written: for bits of these components, and of alpha, and for the pixels in memory, if they
    /// matter.
    fn pixels<S: Simd>(&self, simd: S, components: [S::Words; 4], alpha: S::Words, memory: S::Words) -> S::Words;
}

/// Any.
impl WriteFloats for &FloatBytes {
    const READS: bool = true;

    fn components(&self) -> [usize; 4] {
        [0, 1, 2, ALPHA]
    }

    fn written(&self) -> u32 {
        self.written
    }

    #[inline(always)]
    fn pixels<S: Simd>(&self, simd: S, components: [S::Words; 4], _: S::Words, memory: S::Words) -> S::Words {
        self.write(simd, components, memory, simd.splat(u32::MAX))
    }
}

/// The bytes of pixels from the lowest one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByteOrder {
    /// The component of each; any for those that have none.
    components: [usize; 4],
    /// The bits that have one.
    present: u32,
    /// The bits that are written.
    written: u32,
    /// Bits that count as set, whatever is there.
    opaque: u32,
}

impl ByteOrder {
    fn of(FloatBytes { shifts, written, opaque, .. }: &FloatBytes) -> Self {
        let (mut components, mut present) = ([ALPHA; 4], 0);
        for (component, shift) in shifts.iter().enumerate() {
            if let Some(shift) = shift {
                components[*shift as usize / 8 % 4] = component;
                present |= ONE << shift;
            }
        }
        ByteOrder { components, present, written: *written, opaque: *opaque }
    }

    /// Pixels of these bytes.
    #[inline(always)]
    fn join<S: Simd>(&self, simd: S, [a, b, c, d]: [S::Words; 4]) -> S::Words {
        let words = simd.or(simd.or(a, simd.up::<8>(b)), simd.or(simd.up::<16>(c), simd.up::<24>(d)));
        simd.and(words, simd.splat(self.present))
    }
}

/// Colours that are stored as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied(ByteOrder);

impl WriteFloats for Copied {
    const READS: bool = false;

    fn components(&self) -> [usize; 4] {
        self.0.components
    }

    fn written(&self) -> u32 {
        self.0.written
    }

    #[inline(always)]
    fn pixels<S: Simd>(&self, simd: S, components: [S::Words; 4], _: S::Words, _: S::Words) -> S::Words {
        let [a, b, c, d] = components;
        let (a, b) = (simd.codes(simd.singles(a), ONE), simd.codes(simd.singles(b), ONE));
        let (c, d) = (simd.codes(simd.singles(c), ONE), simd.codes(simd.singles(d), ONE));
        self.0.join(simd, [a, b, c, d])
    }
}

/// Colours that are blended by their alpha over what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over(ByteOrder);

impl WriteFloats for Over {
    const READS: bool = true;

    fn components(&self) -> [usize; 4] {
        self.0.components
    }

    fn written(&self) -> u32 {
        self.0.written
    }

    #[inline(always)]
    fn pixels<S: Simd>(&self, simd: S, components: [S::Words; 4], alpha: S::Words, memory: S::Words) -> S::Words {
        let [a, b, c, d] = components;
        let alpha = clamped(simd, simd.singles(alpha));
        let weights = [alpha, simd.sub_singles(simd.single(1.0), alpha)];
        let (low, memory) = (simd.splat(ONE), simd.or(memory, simd.splat(self.0.opaque)));
        let new = [
            over_byte(simd, weights, a, simd.and(memory, low)),
            over_byte(simd, weights, b, simd.and(simd.down::<8>(memory), low)),
            over_byte(simd, weights, c, simd.and(simd.down::<16>(memory), low)),
            over_byte(simd, weights, d, simd.down::<24>(memory)),
        ];
        self.0.join(simd, new)
    }
}

/// The bytes of components, clamped, by the first weight, and bytes that are there by the second one: both weights are 1 together, so no sum is more.
#[inline(always)]
fn over_byte<S: Simd>(simd: S, weights: [S::Singles; 2], words: S::Words, bytes: S::Words) -> S::Words {
    let source = clamped(simd, simd.singles(words));
    simd.codes_of_fractions(over(simd, weights, source, simd.fractions_of_codes(bytes, ONE)), ONE)
}

impl FloatBytes {
    /// The same, if colours are stored as they are.
    pub fn copied(&self) -> Option<Copied> {
        self.blend.is_none().then(|| Copied(ByteOrder::of(self)))
    }

    /// The same, if colours are blended by their alpha over what is there.
    pub fn over(&self) -> Option<Over> {
        let (state, _) = self.blend.as_ref()?;
        (is_over(&state.colour) && is_over(&state.alpha)).then(|| Over(ByteOrder::of(self)))
    }
}

/// Whether an equation is what is most common: the colour by its alpha, and what is there by the rest.
#[inline(always)]
fn is_over(equation: &BlendEquation) -> bool {
    let BlendEquation { function, source, destination, .. } = equation;
    *function == BlendFunction::Add
        && *source == BlendFactor::SourceAlpha
        && *destination == BlendFactor::OneMinusSourceAlpha
}

#[inline(always)]
fn over<S: Simd>(simd: S, weights: [S::Singles; 2], source: S::Singles, memory: S::Singles) -> S::Singles {
    simd.add_singles(simd.mul_singles(source, weights[0]), simd.mul_singles(memory, weights[1]))
}

/// Numbers clamped to [0, 1]; NaN becomes 0.
#[inline(always)]
fn clamped<S: Simd>(simd: S, numbers: S::Singles) -> S::Singles {
    simd.least(simd.greatest(numbers, simd.single(0.0)), simd.single(1.0))
}

/// Bytes moved up by so many bits.
#[inline(always)]
fn up<S: Simd>(simd: S, bytes: S::Words, shift: u32) -> S::Words {
    match shift {
        0 => bytes,
        8 => simd.up::<8>(bytes),
        16 => simd.up::<16>(bytes),
        _ => simd.up::<24>(bytes),
    }
}

/// The fraction in the byte from this bit on; 0 without it.
#[inline(always)]
fn part<S: Simd>(simd: S, words: S::Words, shift: Option<u32>) -> S::Singles {
    let low = match shift {
        None => return simd.single(0.0),
        Some(0) => words,
        Some(8) => simd.down::<8>(words),
        Some(16) => simd.down::<16>(words),
        Some(_) => simd.down::<24>(words),
    };
    simd.fractions_of_codes(simd.and(low, simd.splat(ONE)), ONE)
}

/// The same of alpha, which is 1 without it.
#[inline(always)]
fn alpha_of<S: Simd>(simd: S, words: S::Words, shift: Option<u32>) -> S::Singles {
    match shift {
        Some(_) => part(simd, words, shift),
        None => simd.single(1.0),
    }
}

/// What takes part in blending, channel by channel.
struct Pixels<S: Simd> {
    simd: S,
    source: [S::Singles; 4],
    memory: [S::Singles; 4],
    constant: [f32; 4],
}

impl<S: Simd> Pixels<S> {
    #[inline(always)]
    fn factor(&self, factor: BlendFactor, channel: usize) -> S::Singles {
        let Pixels { simd, source, memory, constant } = self;
        let rest = |numbers| simd.sub_singles(simd.single(1.0), numbers);
        match factor {
            BlendFactor::Zero => simd.single(0.0),
            BlendFactor::One => simd.single(1.0),
            BlendFactor::SourceColour => source[channel],
            BlendFactor::OneMinusSourceColour => rest(source[channel]),
            BlendFactor::DestinationColour => memory[channel],
            BlendFactor::OneMinusDestinationColour => rest(memory[channel]),
            BlendFactor::SourceAlpha => source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => rest(source[ALPHA]),
            BlendFactor::DestinationAlpha => memory[ALPHA],
            BlendFactor::OneMinusDestinationAlpha => rest(memory[ALPHA]),
            BlendFactor::SourceAlphaSaturate if channel == ALPHA => simd.single(1.0),
            BlendFactor::SourceAlphaSaturate => simd.least(source[ALPHA], rest(memory[ALPHA])),
            BlendFactor::ConstantColour => simd.single(constant[channel]),
            BlendFactor::OneMinusConstantColour => simd.single(1.0 - constant[channel]),
            BlendFactor::ConstantAlpha => simd.single(constant[ALPHA]),
            BlendFactor::OneMinusConstantAlpha => simd.single(1.0 - constant[ALPHA]),
        }
    }

    /// A channel by an equation, as [`blend_numbers`](crate::blend::blend_numbers) gives it pixel by pixel.
    #[inline(always)]
    fn blended(&self, equation: &BlendEquation, channel: usize) -> S::Singles {
        let simd = self.simd;
        let (source, memory) = (self.source[channel], self.memory[channel]);
        let by_source = simd.mul_singles(source, self.factor(equation.source, channel));
        let by_memory = simd.mul_singles(memory, self.factor(equation.destination, channel));
        match equation.function {
            BlendFunction::Min => simd.least(source, memory),
            BlendFunction::Max => simd.greatest(source, memory),
            BlendFunction::Add => simd.add_singles(by_source, by_memory),
            BlendFunction::Subtract => simd.sub_singles(by_source, by_memory),
            BlendFunction::ReverseSubtract => simd.sub_singles(by_memory, by_source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blend::{BlendInputs, blend_numbers};
    use crate::channel::Channel;
    use crate::simd::{LANES, LaneWords, SimdTask, dispatch};
    use ctm_cases::{Result, Unstructured};

    struct Write {
        bytes: FloatBytes,
        colours: [[u32; 4]; LANES],
        memory: LaneWords,
        chosen: u8,
    }

    impl SimdTask for Write {
        type Output = LaneWords;

        fn run(self, simd: impl Simd) -> LaneWords {
            let colours = simd.components(&self.colours);
            simd.array(self.bytes.write(simd, colours, simd.words(&self.memory), simd.chosen(self.chosen)))
        }
    }

    /// The same by pixels of which it is not known what is drawn.
    struct ByPixels<W> {
        writes: W,
        colours: [[u32; 4]; LANES],
        memory: LaneWords,
        chosen: u8,
    }

    impl<W: WriteFloats> SimdTask for ByPixels<W> {
        type Output = LaneWords;

        fn run(self, simd: impl Simd) -> LaneWords {
            let colours = simd.components(&self.colours);
            let components = self.writes.components().map(|component| colours[component]);
            let memory = simd.words(&self.memory);
            let read = if W::READS { memory } else { simd.splat(u32::MAX) };
            let pixels = self.writes.pixels(simd, components, colours[ALPHA], read);
            let written = simd.and(simd.splat(self.writes.written()), simd.chosen(self.chosen));
            simd.array(simd.xor(memory, simd.and(simd.xor(memory, pixels), written)))
        }
    }

    fn equation(u: &mut Unstructured) -> Result<BlendEquation> {
        use BlendFactor::*;
        use BlendFunction::{Add, Max, Min, ReverseSubtract, Subtract};
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
        Ok(BlendEquation {
            function: *u.choose(&[Add, Add, Subtract, ReverseSubtract, Min, Max])?,
            source: *u.choose(&FACTORS)?,
            destination: *u.choose(&FACTORS)?,
            clamp: true,
        })
    }

    fn format(shifts: [Option<u32>; 4]) -> PixelFormat {
        let byte = |shift| PixelComponent::plain(Channel::new(shift, 8, ChannelKind::Unorm));
        PixelFormat { bytes: 4, parts: shifts.map(|shift| shift.map(byte)) }
    }

    /// What is stored of a pixel.
    fn written(format: &PixelFormat, blend: Option<(BlendState, [f32; 4])>, colour: [u32; 4], memory: u32) -> u32 {
        let new = match blend {
            None => colour,
            Some((state, constant)) => {
                let clamped = |bits: u32| if f32::from_bits(bits) > 0.0 { f32::from_bits(bits).min(1.0) } else { 0.0 };
                let source = colour.map(clamped);
                let destination = format.decode(&[memory, 0, 0, 0]).map(f32::from_bits);
                let inputs = BlendInputs { source, destination, destination_alpha: destination[3], constant };
                std::array::from_fn(|channel| {
                    let BlendEquation { function, source, destination, .. } =
                        if channel == ALPHA { state.alpha } else { state.colour };
                    let factors = [source, destination].map(|factor| inputs.factor(factor, channel, 0.0, 1.0));
                    let both = [inputs.source[channel], inputs.destination[channel]];
                    blend_numbers(function, both, factors).to_bits()
                })
            }
        };
        format.encode(new)[0]
    }

    #[test]
    fn pixels_are_those_one_by_one() {
        let orders = [
            [Some(0), Some(8), Some(16), Some(24)],
            [Some(16), Some(8), Some(0), Some(24)],
            [Some(8), Some(16), Some(24), Some(0)],
            [Some(16), Some(8), Some(0), None],
        ];
        ctm_cases::check(15_000, |u| {
            let format = format(*u.choose(&orders)?);
            let constant = [0.25, 0.5, 1.0, u.int_in_range(0..=9)? as f32 / 9.0];
            let mut state = BlendState { colour: equation(u)?, alpha: equation(u)? };
            if u.ratio(1, 4)? {
                let (source, destination) = (BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha);
                let over = BlendEquation { function: BlendFunction::Add, source, destination, clamp: true };
                state = BlendState { colour: over, alpha: over };
            }
            let blend = if u.ratio(3, 4)? { Some((state, constant)) } else { None };
            let mask = if u.arbitrary()? { u32::MAX } else { format.stored_bits(u.int_in_range(0..=15)?)[0] };
            let bytes = FloatBytes::of(&format, blend, mask).expect("bytes");
            let (mut colours, memory, chosen): (_, LaneWords, u8) = ([[0; 4]; LANES], u.arbitrary()?, u.arbitrary()?);
            for value in colours.as_flattened_mut() {
                *value = match u.int_in_range(0..=7)? {
                    0 => u.arbitrary()?,
                    1 => (u.int_in_range(0..=255)? as f32 / 255.0).to_bits(),
                    2 => ((u.int_in_range(0..=255)? as f32 + 0.5) / 255.0).to_bits(),
                    _ => (u.int_in_range(-20..=280)? as f32 / 260.0).to_bits(),
                };
            }
            let found = dispatch(Write { bytes, colours, memory, chosen });
            for n in 0..LANES {
                let new = written(&format, blend, colours[n], memory[n]);
                let expected = memory[n] & !mask | new & mask;
                assert_eq!(found[n], if chosen >> n & 1 != 0 { expected } else { memory[n] }, "{n} {blend:?}");
            }
            let by_pixels = [
                bytes.copied().map(|writes| dispatch(ByPixels { writes, colours, memory, chosen })),
                bytes.over().map(|writes| dispatch(ByPixels { writes, colours, memory, chosen })),
                Some(dispatch(ByPixels { writes: &bytes, colours, memory, chosen })),
            ];
            assert!(by_pixels.iter().flatten().all(|words| *words == found), "{by_pixels:?} {found:?} {bytes:?}");
            assert_eq!(bytes.copied().is_some(), blend.is_none());
            Ok(())
        });
    }

    #[test]
    fn other_pixels_are_not_bytes() {
        let part = |shift, width, kind| Some(PixelComponent::plain(Channel::new(shift, width, kind)));
        let signed = PixelFormat { bytes: 4, parts: [0, 8, 16, 24].map(|shift| part(shift, 8, ChannelKind::Snorm)) };
        let [ten, two] = [part(0, 10, ChannelKind::Unorm), part(30, 2, ChannelKind::Unorm)];
        let parts = [0, 8, 16].map(|shift| Some(PixelComponent::new(shift, 8, ComponentNumbers::Srgb)));
        let srgb = PixelFormat { bytes: 4, parts: [parts[0], parts[1], parts[2], None] };
        let one = PixelFormat { bytes: 1, parts: [part(0, 8, ChannelKind::Unorm), None, None, None] };
        for format in [signed, PixelFormat { bytes: 4, parts: [ten, None, None, two] }, srgb, one] {
            assert_eq!(FloatBytes::of(&format, None, u32::MAX), None, "{format:?}");
        }
    }
}
