//! Blending and logic operations.

/// What a colour is multiplied with. "One minus" means one minus the factor, per channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlendFactor {
    /// 0.
    Zero,
    /// 1.
    One,
    /// The source's channel.
    SourceColour,
    /// One minus the source's channel.
    OneMinusSourceColour,
    /// The destination's channel.
    DestinationColour,
    /// One minus the destination's channel.
    OneMinusDestinationColour,
    /// The source's alpha.
    SourceAlpha,
    /// One minus the source's alpha.
    OneMinusSourceAlpha,
    /// The destination's alpha.
    DestinationAlpha,
    /// One minus the destination's alpha.
    OneMinusDestinationAlpha,
    /// The lesser of the source's alpha and one minus the destination's alpha; 1 for alpha.
    SourceAlphaSaturate,
    /// The constant's channel.
    ConstantColour,
    /// One minus the constant's channel.
    OneMinusConstantColour,
    /// The constant's alpha.
    ConstantAlpha,
    /// One minus the constant's alpha.
    OneMinusConstantAlpha,
}

impl BlendFactor {
    /// The factor in words.
    pub const fn name(self) -> &'static str {
        match self {
            BlendFactor::Zero => "0",
            BlendFactor::One => "1",
            BlendFactor::SourceColour => "source colour",
            BlendFactor::OneMinusSourceColour => "(1 - source colour)",
            BlendFactor::DestinationColour => "destination colour",
            BlendFactor::OneMinusDestinationColour => "(1 - destination colour)",
            BlendFactor::SourceAlpha => "source alpha",
            BlendFactor::OneMinusSourceAlpha => "(1 - source alpha)",
            BlendFactor::DestinationAlpha => "destination alpha",
            BlendFactor::OneMinusDestinationAlpha => "(1 - destination alpha)",
            BlendFactor::SourceAlphaSaturate => "min(source alpha, 1 - destination alpha)",
            BlendFactor::ConstantColour => "constant colour",
            BlendFactor::OneMinusConstantColour => "(1 - constant colour)",
            BlendFactor::ConstantAlpha => "constant alpha",
            BlendFactor::OneMinusConstantAlpha => "(1 - constant alpha)",
        }
    }
}

/// How weighted source and destination become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlendFunction {
    /// source + destination.
    Add,
    /// source - destination.
    Subtract,
    /// destination - source.
    ReverseSubtract,
    /// The lesser one, without factors.
    Min,
    /// The greater one, without factors.
    Max,
}

impl BlendFunction {
    /// What it makes of source and destination with factors of these names.
    pub fn formula(self, source: &str, destination: &str) -> String {
        match self {
            BlendFunction::Add => format!("source * {source} + destination * {destination}"),
            BlendFunction::Subtract => format!("source * {source} - destination * {destination}"),
            BlendFunction::ReverseSubtract => format!("destination * {destination} - source * {source}"),
            BlendFunction::Min => "min(source, destination)".into(),
            BlendFunction::Max => "max(source, destination)".into(),
        }
    }
}

/// Blending of some channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendEquation {
    /// How both become one.
    pub function: BlendFunction,
    /// Factor of the source.
    pub source: BlendFactor,
    /// Factor of the destination.
    pub destination: BlendFactor,
    /// Whether results of float formats are clamped to [0, 1]. Those of integer formats always are.
    pub clamp: bool,
}

impl BlendEquation {
    /// The equation as a formula.
    pub fn formula(&self) -> String {
        self.function.formula(self.source.name(), self.destination.name())
    }
}

/// Blending of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendState {
    /// Of channels 0 to 2.
    pub colour: BlendEquation,
    /// Of channel 3, alpha.
    pub alpha: BlendEquation,
}

impl BlendState {
    /// How a channel is blended.
    #[inline]
    pub fn equation(&self, channel: usize) -> &BlendEquation {
        if channel == ALPHA { &self.alpha } else { &self.colour }
    }
}

/// The channel that is alpha.
pub(crate) const ALPHA: usize = 3;

/// What takes part in blending, with four channels each. All numbers are in the same units.
#[derive(Clone, Copy, Debug)]
pub struct BlendInputs<T> {
    /// What the program gave.
    pub source: [T; 4],
    /// What is in memory.
    pub destination: [T; 4],
    /// Alpha of what is in memory.
    pub destination_alpha: T,
    /// The constant.
    pub constant: [T; 4],
}

impl<T: Copy + PartialOrd + std::ops::Sub<Output = T>> BlendInputs<T> {
    /// What a channel is multiplied with.
    #[inline]
    pub fn factor(&self, factor: BlendFactor, channel: usize, zero: T, one: T) -> T {
        match factor {
            BlendFactor::Zero => zero,
            BlendFactor::One => one,
            BlendFactor::SourceColour => self.source[channel],
            BlendFactor::OneMinusSourceColour => one - self.source[channel],
            BlendFactor::DestinationColour => self.destination[channel],
            BlendFactor::OneMinusDestinationColour => one - self.destination[channel],
            BlendFactor::SourceAlpha => self.source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => one - self.source[ALPHA],
            BlendFactor::DestinationAlpha => self.destination_alpha,
            BlendFactor::OneMinusDestinationAlpha => one - self.destination_alpha,
            BlendFactor::SourceAlphaSaturate if channel == ALPHA => one,
            BlendFactor::SourceAlphaSaturate => {
                let (source, uncovered) = (self.source[ALPHA], one - self.destination_alpha);
                if source < uncovered { source } else { uncovered }
            }
            BlendFactor::ConstantColour => self.constant[channel],
            BlendFactor::OneMinusConstantColour => one - self.constant[channel],
            BlendFactor::ConstantAlpha => self.constant[ALPHA],
            BlendFactor::OneMinusConstantAlpha => one - self.constant[ALPHA],
        }
    }
}

/// Blends fractions of `one`, which has at most 12 bits; inputs are from 0 to `one`. One rounding, to the nearest, halves up.
#[inline]
pub fn blend_integer(state: &BlendState, inputs: &BlendInputs<i32>, one: i32) -> [i32; 4] {
    std::array::from_fn(|channel| {
        let equation = state.equation(channel);
        let (source, destination) = (inputs.source[channel], inputs.destination[channel]);
        let weighted = |value: i32, factor| value * inputs.factor(factor, channel, 0, one);
        let (source_part, destination_part) =
            (weighted(source, equation.source), weighted(destination, equation.destination));
        let sum = match equation.function {
            BlendFunction::Min => return source.min(destination),
            BlendFunction::Max => return source.max(destination),
            BlendFunction::Add => source_part + destination_part,
            BlendFunction::Subtract => source_part - destination_part,
            BlendFunction::ReverseSubtract => destination_part - source_part,
        };
        // What is below a half of `one` clamps to 0 as well.
        ((2 * sum.max(0) + one) as u32 / (2 * one) as u32).min(one as u32) as i32
    })
}

/// Blends binary32 numbers, with one rounding per operation. A clamped NaN is 0.
#[inline]
pub fn blend_float(state: &BlendState, inputs: &BlendInputs<f32>) -> [f32; 4] {
    std::array::from_fn(|channel| {
        let equation = state.equation(channel);
        let factors = [equation.source, equation.destination].map(|factor| inputs.factor(factor, channel, 0.0, 1.0));
        let result = blend_numbers(equation.function, [inputs.source[channel], inputs.destination[channel]], factors);
        if !equation.clamp {
            result
        } else if result > 0.0 {
            result.min(1.0)
        } else {
            0.0
        }
    })
}

/// One number of source and destination, and the factors of both. One rounding per operation.
#[inline(always)]
pub fn blend_numbers(function: BlendFunction, [source, destination]: [f32; 2], factors: [f32; 2]) -> f32 {
    let (source_part, destination_part) = (source * factors[0], destination * factors[1]);
    match function {
        BlendFunction::Min => {
            if source < destination {
                source
            } else {
                destination
            }
        }
        BlendFunction::Max => {
            if source > destination {
                source
            } else {
                destination
            }
        }
        BlendFunction::Add => source_part + destination_part,
        BlendFunction::Subtract => source_part - destination_part,
        BlendFunction::ReverseSubtract => destination_part - source_part,
    }
}

impl<const N: usize> BlendInputs<[f32; N]> {
    /// What a channel of many pixels is multiplied with, as [`factor`](BlendInputs::factor) says it of one.
    #[inline(always)]
    pub fn factor_each(&self, factor: BlendFactor, channel: usize) -> [f32; N] {
        let BlendInputs { source, destination, destination_alpha, constant } = self;
        match factor {
            BlendFactor::Zero => [0.0; N],
            BlendFactor::One => [1.0; N],
            BlendFactor::SourceColour => source[channel],
            BlendFactor::OneMinusSourceColour => one_minus(&source[channel]),
            BlendFactor::DestinationColour => destination[channel],
            BlendFactor::OneMinusDestinationColour => one_minus(&destination[channel]),
            BlendFactor::SourceAlpha => source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => one_minus(&source[ALPHA]),
            BlendFactor::DestinationAlpha => *destination_alpha,
            BlendFactor::OneMinusDestinationAlpha => one_minus(destination_alpha),
            BlendFactor::SourceAlphaSaturate if channel == ALPHA => [1.0; N],
            BlendFactor::SourceAlphaSaturate => {
                let mut least = source[ALPHA];
                let uncovered = one_minus(destination_alpha);
                least
                    .iter_mut()
                    .zip(uncovered)
                    .for_each(|(least, uncovered)| *least = if *least < uncovered { *least } else { uncovered });
                least
            }
            BlendFactor::ConstantColour => constant[channel],
            BlendFactor::OneMinusConstantColour => one_minus(&constant[channel]),
            BlendFactor::ConstantAlpha => constant[ALPHA],
            BlendFactor::OneMinusConstantAlpha => one_minus(&constant[ALPHA]),
        }
    }
}

/// One minus each of them.
#[inline(always)]
pub fn one_minus<const N: usize>(values: &[f32; N]) -> [f32; N] {
    let mut rest = *values;
    rest.iter_mut().for_each(|value| *value = 1.0 - *value);
    rest
}

/// One number of source and destination of many pixels, as [`blend_numbers`] gives that of one; and the factors of both.
#[inline(always)]
pub fn blend_each<const N: usize>(
    function: BlendFunction,
    [source, destination]: [&[f32; N]; 2],
    factors: [[f32; N]; 2],
) -> [f32; N] {
    let mut result = *source;
    let inputs = result.iter_mut().zip(destination).zip(factors[0].into_iter().zip(factors[1]));
    // Each loop has one function, so that it is done for many numbers at a time.
    macro_rules! each {
        ($function:ident) => {
            inputs.for_each(|((result, destination), (first, second))| {
                *result = blend_numbers(BlendFunction::$function, [*result, *destination], [first, second]);
            })
        };
    }
    match function {
        BlendFunction::Add => each!(Add),
        BlendFunction::Subtract => each!(Subtract),
        BlendFunction::ReverseSubtract => each!(ReverseSubtract),
        BlendFunction::Min => each!(Min),
        BlendFunction::Max => each!(Max),
    }
    result
}

/// A logic operation, by its truth table: the result of source bit s and destination bit d is bit 2 * s + d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogicOp(pub u8);

impl LogicOp {
    /// The operation on all bits of two words.
    #[inline]
    pub fn apply(self, source: u32, destination: u32) -> u32 {
        let rows = [!source & !destination, !source & destination, source & !destination, source & destination];
        let chosen = |row: usize| if self.0 >> row & 1 != 0 { rows[row] } else { 0 };
        chosen(0) | chosen(1) | chosen(2) | chosen(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    const FUNCTIONS: [BlendFunction; 5] = [
        BlendFunction::Add,
        BlendFunction::Subtract,
        BlendFunction::ReverseSubtract,
        BlendFunction::Min,
        BlendFunction::Max,
    ];

    /// The factors of GL's table, in order of [`FACTORS`]: s, d, c of the channel, then alphas.
    fn factors(s: f64, d: f64, c: f64, sa: f64, da: f64, ca: f64, is_alpha: bool) -> [f64; 15] {
        let saturate = if is_alpha { 1.0 } else { sa.min(1.0 - da) };
        let colour = [0.0, 1.0, s, 1.0 - s, d, 1.0 - d, sa, 1.0 - sa, da, 1.0 - da, saturate];
        let constant = [c, 1.0 - c, ca, 1.0 - ca];
        std::array::from_fn(|n| if n < 11 { colour[n] } else { constant[n - 11] })
    }

    #[test]
    fn blending_is_that_of_the_formulas() {
        ctm_cases::check(4000, |u| {
            let one = *u.choose(&[255, 1023])?;
            let mut four = || Ok::<_, ctm_cases::Error>([0; 4].map(|_| u.int_in_range(0..=one).unwrap_or(0)));
            let (source, destination, constant) = (four()?, four()?, four()?);
            let destination_alpha = if u.arbitrary()? { destination[3] } else { one };
            let mut equation = || {
                Ok::<_, ctm_cases::Error>(BlendEquation {
                    function: *u.choose(&FUNCTIONS)?,
                    source: *u.choose(&FACTORS)?,
                    destination: *u.choose(&FACTORS)?,
                    clamp: u.arbitrary()?,
                })
            };
            let state = BlendState { colour: equation()?, alpha: equation()? };
            let found = blend_integer(&state, &BlendInputs { source, destination, destination_alpha, constant }, one);
            let part = |v: i32| f64::from(v) / f64::from(one);
            let floats = BlendInputs {
                source: source.map(|v| part(v) as f32),
                destination: destination.map(|v| part(v) as f32),
                destination_alpha: part(destination_alpha) as f32,
                constant: constant.map(|v| part(v) as f32),
            };
            let found_floats = blend_float(&state, &floats);
            for n in 0..4 {
                let equation = if n == 3 { state.alpha } else { state.colour };
                let (s, d) = (part(source[n]), part(destination[n]));
                let [sa, da, ca] = [part(source[3]), part(destination_alpha), part(constant[3])];
                let table = factors(s, d, part(constant[n]), sa, da, ca, n == 3);
                let at = |factor| table[FACTORS.iter().position(|&f| f == factor).unwrap()];
                let (ws, wd) = (s * at(equation.source), d * at(equation.destination));
                let exact = match equation.function {
                    BlendFunction::Add => ws + wd,
                    BlendFunction::Subtract => ws - wd,
                    BlendFunction::ReverseSubtract => wd - ws,
                    BlendFunction::Min => s.min(d),
                    BlendFunction::Max => s.max(d),
                };
                let scaled = exact.clamp(0.0, 1.0) * f64::from(one);
                assert!((f64::from(found[n]) - scaled).abs() <= 0.5 + 1e-9, "{scaled} became {}", found[n]);
                let clamped = if equation.clamp { exact.clamp(0.0, 1.0) } else { exact };
                assert!((f64::from(found_floats[n]) - clamped).abs() < 1e-6, "{clamped} became {}", found_floats[n]);
            }
            Ok(())
        });
    }

    #[test]
    fn many_pixels_are_blended_as_each() {
        ctm_cases::check(4000, |u| {
            let mut four =
                || Ok::<_, ctm_cases::Error>([0.0; 4].map(|_| u.int_in_range(-9..=99).unwrap_or(0) as f32 / 64.0));
            let pixels = [(four()?, four()?), (four()?, four()?), (four()?, four()?)];
            let (constant, alpha) = (four()?, four()?);
            let apart = |colours: [[f32; 4]; 3]| [0, 1, 2, 3].map(|n| colours.map(|colour| colour[n]));
            let inputs = BlendInputs {
                source: apart(pixels.map(|pixel| pixel.0)),
                destination: apart(pixels.map(|pixel| pixel.1)),
                destination_alpha: [alpha[0], alpha[1], alpha[2]],
                constant: constant.map(|value| [value; 3]),
            };
            let (function, factors) = (*u.choose(&FUNCTIONS)?, [*u.choose(&FACTORS)?, *u.choose(&FACTORS)?]);
            for channel in 0..4 {
                let together = factors.map(|factor| inputs.factor_each(factor, channel));
                let (source, destination) = (&inputs.source[channel], &inputs.destination[channel]);
                let blended = blend_each(function, [source, destination], together);
                for (n, (source, destination)) in pixels.into_iter().enumerate() {
                    let inputs = BlendInputs { source, destination, destination_alpha: alpha[n], constant };
                    let factors = factors.map(|factor| inputs.factor(factor, channel, 0.0, 1.0));
                    assert_eq!(together.map(|factor| factor[n]), factors);
                    assert_eq!(blended[n], blend_numbers(function, [source[channel], destination[channel]], factors));
                }
            }
            Ok(())
        });
    }

    #[test]
    fn halves_are_rounded_up() {
        let half = |function| BlendEquation { function, source: SourceAlpha, destination: One, clamp: true };
        let state = BlendState { colour: half(BlendFunction::Add), alpha: half(BlendFunction::Add) };
        // 17 * 15 / 30 = 8.5.
        let inputs = BlendInputs {
            source: [17, 1, 30, 15],
            destination: [0, 0, 29, 0],
            destination_alpha: 30,
            constant: [0; 4],
        };
        assert_eq!(blend_integer(&state, &inputs, 30), [9, 1, 30, 8]);
        let state = BlendState { colour: half(BlendFunction::Subtract), ..state };
        let inputs = BlendInputs { destination: [9, 1, 15, 0], ..inputs };
        assert_eq!(blend_integer(&state, &inputs, 30), [0, 0, 0, 8]);
    }

    #[test]
    fn floats_may_leave_the_unit_interval() {
        let plus = BlendEquation { function: BlendFunction::Add, source: One, destination: One, clamp: false };
        let clamped = BlendEquation { clamp: true, ..plus };
        let inputs = BlendInputs {
            source: [1.0, -3.0, f32::NAN, 2.0],
            destination: [1.5, 1.0, 1.0, f32::NAN],
            destination_alpha: 1.0,
            constant: [0.0; 4],
        };
        let free = blend_float(&BlendState { colour: plus, alpha: clamped }, &inputs);
        assert_eq!((free[0], free[1], free[3]), (2.5, -2.0, 0.0));
        assert!(free[2].is_nan());
        assert_eq!(blend_float(&BlendState { colour: clamped, alpha: clamped }, &inputs), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn logic_operations_are_truth_tables() {
        let (source, destination) = (0b1100, 0b1010);
        for table in 0..16 {
            assert_eq!(LogicOp(table as u8).apply(source, destination) & 0xF, table);
        }
        assert_eq!(LogicOp(6).apply(0xFFFF_0000, 0xFF00_FF00), 0x00FF_FF00);
    }
}
