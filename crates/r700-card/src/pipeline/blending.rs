//! Blending: how colours of a target are combined with what is there.

use super::DrawError;
use crate::registers::{
    CbBlendAlpha, CbBlendBlue, CbBlendControl, CbBlendGreen, CbBlendRed, CbColorInfo, CbTargetBlendControl,
    RegisterFile, RegisterType, codes, codes::NumberType,
};
use ctm_raster::NAN;
use ctm_raster::blend::{
    BlendEquation, BlendFactor, BlendFunction, BlendInputs, BlendState, blend_each, blend_numbers, one_minus,
};

/// What a colour is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    /// Something of the source, the destination, or the constant colour.
    Of(BlendFactor),
    /// Of the second colour that the program exports: its channel, or its alpha; or one minus that.
    Second { alpha: bool, complement: bool },
}

impl Factor {
    /// The factor in words.
    fn name(self) -> &'static str {
        match self {
            Factor::Of(factor) => factor.name(),
            Factor::Second { alpha: false, complement: false } => "second source colour",
            Factor::Second { alpha: false, complement: true } => "(1 - second source colour)",
            Factor::Second { alpha: true, complement: false } => "second source alpha",
            Factor::Second { alpha: true, complement: true } => "(1 - second source alpha)",
        }
    }
}

/// Blending of some channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Equation {
    function: BlendFunction,
    source: Factor,
    destination: Factor,
}

/// How colours of a target are blended.
#[derive(Clone, Copy, Debug)]
pub struct Blending {
    colour: Equation,
    alpha: Equation,
    /// What all that takes part is clamped to.
    range: Option<[f32; 2]>,
    constant: [f32; 4],
}

impl Blending {
    /// That of target `number`.
    ///
    /// # Errors
    /// At functions and factors that there are not.
    pub fn of(
        registers: &RegisterFile,
        number: u32,
        each_its_own: bool,
        info: &CbColorInfo,
    ) -> Result<Self, DrawError> {
        // Both have the same fields.
        let control = match each_its_own {
            true => CbBlendControl::decode(registers.value(CbTargetBlendControl::ADDRESS + 4 * number)),
            false => registers.get::<CbBlendControl>(),
        };
        let equation = |code, source, destination| -> Result<Equation, DrawError> {
            Ok(Equation { function: function(code)?, source: factor(source)?, destination: factor(destination)? })
        };
        let colour = equation(control.color_comb_fcn, control.color_srcblend, control.color_destblend)?;
        let alpha = match control.separate_alpha_blend {
            true => equation(control.alpha_comb_fcn, control.alpha_srcblend, control.alpha_destblend)?,
            false => colour,
        };
        let least = if info.number_type == NumberType::Snorm { -1.0 } else { 0.0 };
        let range = info.blend_clamp.then_some([least, 1.0]);
        let constant = [
            registers.float::<CbBlendRed>(),
            registers.float::<CbBlendGreen>(),
            registers.float::<CbBlendBlue>(),
            registers.float::<CbBlendAlpha>(),
        ];
        let blending = Blending { colour, alpha, range, constant: [0.0; 4] };
        Ok(Blending { constant: constant.map(|value| blending.clamped(value)), ..blending })
    }

    /// Whether it takes the second colour that the program exports.
    pub fn takes_second(&self) -> bool {
        let factors = [self.colour, self.alpha].map(|equation| [equation.source, equation.destination]);
        factors.as_flattened().iter().any(|factor| matches!(factor, Factor::Second { .. }))
    }

    /// It as equations, with the constant colour, where all that takes part is clamped to [0, 1], and there is no second colour.
    pub fn of_fractions(&self) -> Option<(BlendState, [f32; 4])> {
        let equation = |equation: &Equation| match (equation.source, equation.destination) {
            (Factor::Of(source), Factor::Of(destination)) => {
                Some(BlendEquation { function: equation.function, source, destination, clamp: true })
            }
            (Factor::Second { .. }, _) | (_, Factor::Second { .. }) => None,
        };
        let state = BlendState { colour: equation(&self.colour)?, alpha: equation(&self.alpha)? };
        (self.range == Some([0.0, 1.0])).then_some((state, self.constant))
    }

    /// The equations of colour and alpha, as formulas.
    pub fn formulas(&self) -> [String; 2] {
        [self.colour, self.alpha]
            .map(|equation| equation.function.formula(equation.source.name(), equation.destination.name()))
    }

    #[inline(always)]
    fn clamped(&self, value: f32) -> f32 {
        match self.range {
            // NaN becomes the least number.
            Some([least, most]) => value.max(least).min(most),
            None => value,
        }
    }

    /// The blended colours of many pixels, of each component for all of them, as [`apply`](Self::apply) gives them.
    #[inline(always)]
    pub fn apply_each<const N: usize>(
        &self,
        source: &[[u32; N]; 4],
        second: Option<&[[u32; N]; 4]>,
        destination: &[[u32; N]; 4],
    ) -> [[u32; N]; 4] {
        let (source, second, destination) =
            (self.numbers(source), second.map(|second| self.numbers(second)), self.numbers(destination));
        let constant = self.constant.map(|value| [value; N]);
        let inputs = BlendInputs { source, destination, destination_alpha: destination[3], constant };
        let mut blended = [[0; N]; 4];
        for (channel, blended) in blended.iter_mut().enumerate() {
            let equation = if channel == 3 { &self.alpha } else { &self.colour };
            let factors = [equation.source, equation.destination].map(|factor| match factor {
                Factor::Of(factor) => inputs.factor_each(factor, channel),
                Factor::Second { alpha, complement } => {
                    let value = second.map_or([0.0; N], |second| second[if alpha { 3 } else { channel }]);
                    if complement { one_minus(&value) } else { value }
                }
            });
            let result = blend_each(equation.function, [&source[channel], &destination[channel]], factors);
            let bits = |result: f32| if result.is_nan() { NAN } else { result.to_bits() };
            blended.iter_mut().zip(result).for_each(|(blended, result)| *blended = bits(result));
        }
        blended
    }

    /// The numbers of these bits, clamped.
    #[inline(always)]
    fn numbers<const N: usize>(&self, bits: &[[u32; N]; 4]) -> [[f32; N]; 4] {
        let mut numbers = [[0.0; N]; 4];
        let both = numbers.as_flattened_mut().iter_mut().zip(bits.as_flattened());
        both.for_each(|(number, bits)| *number = self.clamped(f32::from_bits(*bits)));
        numbers
    }

    /// The blended colour. All are bits of binary32 numbers.
    pub fn apply(&self, source: [u32; 4], second: [u32; 4], destination: [u32; 4]) -> [u32; 4] {
        let numbers = |colour: [u32; 4]| colour.map(|bits| self.clamped(f32::from_bits(bits)));
        let (source, second, destination) = (numbers(source), numbers(second), numbers(destination));
        let inputs = BlendInputs { source, destination, destination_alpha: destination[3], constant: self.constant };
        std::array::from_fn(|channel| {
            let equation = if channel == 3 { &self.alpha } else { &self.colour };
            let factor = |factor| match factor {
                Factor::Of(factor) => inputs.factor(factor, channel, 0.0, 1.0),
                Factor::Second { alpha, complement } => {
                    let value = second[if alpha { 3 } else { channel }];
                    if complement { 1.0 - value } else { value }
                }
            };
            let factors = [equation.source, equation.destination].map(factor);
            let result = blend_numbers(equation.function, [source[channel], destination[channel]], factors);
            if result.is_nan() { NAN } else { result.to_bits() }
        })
    }
}

fn function(code: codes::BlendFunction) -> Result<BlendFunction, DrawError> {
    Ok(match code {
        codes::BlendFunction::Add => BlendFunction::Add,
        codes::BlendFunction::Subtract => BlendFunction::Subtract,
        codes::BlendFunction::Min => BlendFunction::Min,
        codes::BlendFunction::Max => BlendFunction::Max,
        codes::BlendFunction::ReverseSubtract => BlendFunction::ReverseSubtract,
        codes::BlendFunction::Reserved5 | codes::BlendFunction::Reserved6 | codes::BlendFunction::Reserved7 => {
            return Err(DrawError::NotYet { what: "a reserved function of blending" });
        }
    })
}

fn factor(code: u8) -> Result<Factor, DrawError> {
    Ok(Factor::Of(match code {
        0 => BlendFactor::Zero,
        1 => BlendFactor::One,
        2 => BlendFactor::SourceColour,
        3 => BlendFactor::OneMinusSourceColour,
        4 => BlendFactor::SourceAlpha,
        5 => BlendFactor::OneMinusSourceAlpha,
        6 => BlendFactor::DestinationAlpha,
        7 => BlendFactor::OneMinusDestinationAlpha,
        8 => BlendFactor::DestinationColour,
        9 => BlendFactor::OneMinusDestinationColour,
        10 => BlendFactor::SourceAlphaSaturate,
        13 => BlendFactor::ConstantColour,
        14 => BlendFactor::OneMinusConstantColour,
        15..=18 => return Ok(Factor::Second { alpha: code >= 17, complement: code.is_multiple_of(2) }),
        19 => BlendFactor::ConstantAlpha,
        20 => BlendFactor::OneMinusConstantAlpha,
        _ => return Err(DrawError::NotYet { what: "a reserved factor of blending" }),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::after_reset;

    /// Blends red 0.75 and alpha 0.5 with a second colour and alpha onto red 0.5, alpha 0.25.
    fn blended(control: u32, clamp: bool, second: f32) -> [f32; 4] {
        let mut registers = after_reset();
        registers.write(CbTargetBlendControl::ADDRESS + 4, control);
        registers.write(CbBlendRed::ADDRESS, 3.0f32.to_bits());
        let info = CbColorInfo { blend_clamp: clamp, ..CbColorInfo::default() };
        let blending = Blending::of(&registers, 1, true, &info).unwrap();
        let bits = |colour: [f32; 4]| colour.map(f32::to_bits);
        let second = bits([second, 0.0, 0.0, 0.25]);
        let result = blending.apply(bits([0.75, 0.0, 2.0, 0.5]), second, bits([0.5, 1.0, 0.0, 0.25]));
        result.map(f32::from_bits)
    }

    #[test]
    fn factors_and_functions() {
        // Source alpha, one minus source alpha.
        assert_eq!(blended(5 << 8 | 4, true, 0.0), [0.625, 0.5, 0.5, 0.375]);
        // The second colour, one minus its alpha.
        assert_eq!(blended(18 << 8 | 15, true, 0.5)[0], 0.75 * 0.5 + 0.5 * 0.75);
        assert_eq!(blended(17 << 8 | 16, false, 3.0)[0], 0.75 * -2.0 + 0.5 * 0.25);
        // The constant is clamped, too.
        assert_eq!((blended(13, true, 0.0)[0], blended(13, false, 0.0)[0]), (0.75, 2.25));
        // Destination - source, and for alpha the greater one.
        assert_eq!(blended(1 << 29 | 3 << 21 | 1 << 8 | 4 << 5 | 1, true, 0.0), [-0.25, 1.0, -1.0, 0.5]);
    }

    #[test]
    fn what_there_is_not_is_refused() {
        let mut registers = after_reset();
        let info = CbColorInfo::default();
        for control in [21, 11 << 8, 5 << 5] {
            registers.write(CbBlendControl::ADDRESS, control);
            assert!(Blending::of(&registers, 0, false, &info).is_err());
        }
        registers.write(CbBlendControl::ADDRESS, 15);
        assert!(Blending::of(&registers, 0, false, &info).is_ok_and(|blending| blending.takes_second()));
    }
}
