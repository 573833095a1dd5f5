//! What becomes of colours: blending, logic operations, and what is stored.

use super::target::TargetSurface;
use crate::format::{Numbers, SurfaceFormat};
use crate::methods::codes::{BlendEquation, BlendFactor, LogicOperation};
use crate::methods::{
    BlendColor, BlendEnable, BlendEnableCommon, BlendEquationAlpha, BlendEquationRgb, BlendFuncDstAlpha,
    BlendFuncDstRgb, BlendFuncSrcAlpha, BlendFuncSrcRgb, BlendIndependent, BlendSeparateAlpha, ColorMask,
    ColorMaskCommon, IblendEquationAlpha, IblendEquationRgb, IblendFuncDstAlpha, IblendFuncDstRgb, IblendFuncSrcAlpha,
    IblendFuncSrcRgb, IblendSeparateAlpha, LogicOp as LogicOpMethod, LogicOpEnable,
};
use crate::objects::Objects;
use crate::state::Methods;
use ctm_card::history::{Colour, WriteHistory, WriteOperation};
use ctm_pipeline::Colours;
use ctm_raster::blend as raster;
use ctm_raster::blend::{BlendFunction, BlendState, LogicOp, blend_numbers};
use ctm_raster::channel::Words;
use ctm_raster::float_bytes::FloatBytes;

/// The component that is alpha.
const ALPHA: usize = 3;

/// How source and destination become one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Equation {
    function: BlendFunction,
    source: BlendFactor,
    destination: BlendFactor,
}

impl Equation {
    fn formula(&self) -> String {
        self.function.formula(self.source.name(), self.destination.name())
    }
}

/// Blending of colours and of alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Blend {
    colour: Equation,
    alpha: Equation,
    constant: [f32; 4],
}

impl Blend {
    /// The equations, if they take no second colour.
    fn state(&self) -> Option<BlendState> {
        let equation = |Equation { function, source, destination }: Equation| {
            let (source, destination) = (plain_factor(source)?, plain_factor(destination)?);
            Some(raster::BlendEquation { function, source, destination, clamp: true })
        };
        Some(BlendState { colour: equation(self.colour)?, alpha: equation(self.alpha)? })
    }
}

/// A factor, if it is not of a second colour.
const fn plain_factor(factor: BlendFactor) -> Option<raster::BlendFactor> {
    Some(match factor {
        BlendFactor::Zero => raster::BlendFactor::Zero,
        BlendFactor::One => raster::BlendFactor::One,
        BlendFactor::SourceColour => raster::BlendFactor::SourceColour,
        BlendFactor::OneMinusSourceColour => raster::BlendFactor::OneMinusSourceColour,
        BlendFactor::SourceAlpha => raster::BlendFactor::SourceAlpha,
        BlendFactor::OneMinusSourceAlpha => raster::BlendFactor::OneMinusSourceAlpha,
        BlendFactor::DestinationAlpha => raster::BlendFactor::DestinationAlpha,
        BlendFactor::OneMinusDestinationAlpha => raster::BlendFactor::OneMinusDestinationAlpha,
        BlendFactor::DestinationColour => raster::BlendFactor::DestinationColour,
        BlendFactor::OneMinusDestinationColour => raster::BlendFactor::OneMinusDestinationColour,
        BlendFactor::SourceAlphaSaturate => raster::BlendFactor::SourceAlphaSaturate,
        BlendFactor::ConstantColour => raster::BlendFactor::ConstantColour,
        BlendFactor::OneMinusConstantColour => raster::BlendFactor::OneMinusConstantColour,
        BlendFactor::ConstantAlpha => raster::BlendFactor::ConstantAlpha,
        BlendFactor::OneMinusConstantAlpha => raster::BlendFactor::OneMinusConstantAlpha,
        BlendFactor::Source1Colour
        | BlendFactor::OneMinusSource1Colour
        | BlendFactor::Source1Alpha
        | BlendFactor::OneMinusSource1Alpha => return None,
    })
}

/// What is done with a colour.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Copy,
    Blend(Blend),
    Logic(LogicOp),
}

/// A target, and how colours are written to it.
#[derive(Clone, Debug)]
pub struct ColourTarget<'a> {
    number: u32,
    surface: TargetSurface<'a>,
    format: &'static SurfaceFormat,
    operation: Operation,
    /// The stored bits that are written, and whether these are all that there are.
    written: Words,
    writes_all: bool,
}

impl<'a> ColourTarget<'a> {
    /// A target of the methods; none if there is none, or nothing is written to it.
    pub fn of(methods: &Methods, objects: &'a Objects, number: u32) -> Option<Self> {
        let (surface, format) = TargetSurface::colour(methods, objects, number)?;
        let of_mask = if methods.get::<ColorMaskCommon>().enable { 0 } else { number };
        let mask: ColorMask = methods.at(of_mask);
        let mask = [mask.r, mask.g, mask.b, mask.a];
        let mask = (0..4).filter(|&n| mask[n]).fold(0, |bits, n| bits | 1 << n);
        let written = format.pixel.stored_bits(mask);
        let all = format.pixel.stored_bits(0xF);
        let operation = operation(methods, number, format);
        (written != [0; 4]).then_some(ColourTarget {
            number,
            surface,
            format,
            operation,
            written,
            writes_all: written == all,
        })
    }

    /// Where its samples are.
    pub fn surface(&self) -> &TargetSurface<'a> {
        &self.surface
    }

    /// Whether its numbers are integers.
    pub fn is_integer(&self) -> bool {
        self.format.is_integer()
    }

    /// Writes a colour, as bits, to a sample of a layer. The second one is what blending may take besides.
    pub fn write(&self, place: [u32; 2], layer: u32, colour: [u32; 4], second: [u32; 4]) {
        let Some(offset) = self.surface.offset(place, layer) else { return };
        let is_plain = self.writes_all && self.operation == Operation::Copy;
        let memory = if is_plain { [0; 4] } else { self.surface.read(offset) };
        self.surface.write(offset, self.merged(memory, colour, second));
    }

    /// The same, and what there is to say about it, of what the program puts out under this number.
    pub fn write_noting(
        &self,
        output: usize,
        (place, layer): ([u32; 2], u32),
        colour: [u32; 4],
        second: [u32; 4],
    ) -> WriteHistory {
        let offset = self.surface.offset(place, layer);
        let stored = || self.shown(offset.map_or([0; 4], |offset| self.surface.read(offset)));
        let before = stored();
        self.write(place, layer, colour, second);
        WriteHistory {
            target: self.number,
            output,
            operation: match &self.operation {
                Operation::Copy => WriteOperation::Copy,
                Operation::Logic(operation) => WriteOperation::Logic(operation.0),
                Operation::Blend(blend) => WriteOperation::Blend {
                    colour: blend.colour.formula(),
                    alpha: blend.alpha.formula(),
                    source: colour,
                    second: self.takes_second().then_some(second),
                },
            },
            written: std::array::from_fn(|n| {
                let of_channel = self.format.pixel.stored_bits(1 << n);
                of_channel.iter().zip(self.written).any(|(bits, written)| bits & written != 0)
            }),
            before,
            result: self.shown(self.merged(before.words, colour, second)),
            after: stored(),
        }
    }

    fn shown(&self, words: Words) -> Colour {
        Colour { words, rgba: self.format.decode(&words), is_integer: self.is_integer() }
    }

    /// What is stored where a colour is written to what memory holds.
    fn merged(&self, memory: Words, colour: [u32; 4], second: [u32; 4]) -> Words {
        let new = match &self.operation {
            Operation::Copy => self.format.encode(colour),
            Operation::Logic(operation) => {
                let new = self.format.encode(colour);
                std::array::from_fn(|n| operation.apply(new[n], memory[n]))
            }
            Operation::Blend(blend) => {
                let destination = self.format.decode(&memory).map(f32::from_bits);
                let inputs = BlendInputs {
                    source: colour.map(|bits| self.blended(bits)),
                    second: second.map(|bits| self.blended(bits)),
                    destination,
                    constant: self.constant(blend),
                };
                self.format.encode(inputs.blend(blend).map(f32::to_bits))
            }
        };
        std::array::from_fn(|n| new[n] & self.written[n] | memory[n] & !self.written[n])
    }

    /// What is to be stored for many pixels, as [`write`](Self::write) does it for each.
    #[inline(always)]
    pub fn merged_each<const N: usize>(
        &self,
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
        memory: &Colours<N>,
    ) -> Colours<N> {
        let pixel = &self.format.pixel;
        let mut new = match &self.operation {
            Operation::Copy => pixel.encode_each(colours),
            Operation::Logic(operation) => {
                let mut new = pixel.encode_each(colours);
                let both = new.as_flattened_mut().iter_mut().zip(memory.as_flattened());
                both.for_each(|(new, memory)| *new = operation.apply(*new, *memory));
                new
            }
            Operation::Blend(blend) => {
                let mut destination = pixel.decode_each(memory);
                if self.format.opaque {
                    destination[ALPHA] = [1.0f32.to_bits(); N];
                }
                pixel.encode_each(&self.blend_each(blend, colours, second, &destination))
            }
        };
        if self.keeps() {
            for ((new, memory), written) in new.iter_mut().zip(memory).zip(self.written) {
                new.iter_mut().zip(memory).for_each(|(new, memory)| *new = *new & written | memory & !written);
            }
        }
        new
    }

    fn blend_each<const N: usize>(
        &self,
        blend: &Blend,
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
        destination: &Colours<N>,
    ) -> Colours<N> {
        let constant = self.constant(blend);
        let mut blended = [[0; N]; 4];
        for pixel in 0..N {
            let of = |colours: &Colours<N>| colours.each_ref().map(|component| component[pixel]);
            let inputs = BlendInputs {
                source: of(colours).map(|bits| self.blended(bits)),
                second: second.map_or([0; 4], of).map(|bits| self.blended(bits)),
                destination: of(destination).map(f32::from_bits),
                constant,
            };
            let result = inputs.blend(blend).map(f32::to_bits);
            blended.iter_mut().zip(result).for_each(|(component, bits)| component[pixel] = bits);
        }
        blended
    }

    /// Whether what is stored depends on what is there.
    pub fn keeps(&self) -> bool {
        !self.writes_all || self.operation != Operation::Copy
    }

    /// Whether colours are stored as they are, in vectors.
    pub fn stores_vectors(&self) -> bool {
        !self.keeps() && self.format.pixel.keeps_bits()
    }

    /// Whether blending takes a second colour.
    pub fn takes_second(&self) -> bool {
        match &self.operation {
            Operation::Blend(Blend { colour, alpha, .. }) => {
                let factors = [colour, alpha].map(|equation| [equation.source, equation.destination]);
                factors.as_flattened().iter().any(|factor| plain_factor(*factor).is_none())
            }
            Operation::Copy | Operation::Logic(_) => false,
        }
    }

    /// Whether numbers beyond 0 and 1 are stored as the nearest of both.
    pub fn clamps(&self) -> bool {
        match self.format.numbers {
            Numbers::Unorm | Numbers::Srgb => true,
            Numbers::Snorm | Numbers::Float | Numbers::Uint | Numbers::Sint => false,
        }
    }

    /// How colours are stored for eight pixels at a time, if pixels are bytes of a word.
    pub fn float_bytes(&self) -> Option<FloatBytes> {
        let blend = match &self.operation {
            Operation::Copy => None,
            Operation::Blend(blend) => Some((blend.state()?, self.constant(blend))),
            Operation::Logic(_) => return None,
        };
        let bytes = FloatBytes::of(&self.format.pixel, blend, self.written[0])?;
        Some(if self.format.opaque { bytes.with_opaque_alpha() } else { bytes })
    }

    fn constant(&self, blend: &Blend) -> [f32; 4] {
        blend.constant.map(|number| self.blended(number.to_bits()))
    }

    /// A number as it is blended: that of fractions is one.
    fn blended(&self, bits: u32) -> f32 {
        let number = f32::from_bits(bits);
        let least = match self.format.numbers {
            Numbers::Unorm | Numbers::Srgb => 0.0,
            Numbers::Snorm => -1.0,
            Numbers::Float | Numbers::Uint | Numbers::Sint => return number,
        };
        if number.is_nan() { 0.0 } else { number.clamp(least, 1.0) }
    }
}

fn operation(methods: &Methods, number: u32, format: &SurfaceFormat) -> Operation {
    let is_fixed = match format.numbers {
        Numbers::Unorm | Numbers::Snorm | Numbers::Uint | Numbers::Sint => true,
        Numbers::Float | Numbers::Srgb => false,
    };
    if methods.get::<LogicOpEnable>().enable {
        let operation = LogicOp(truth_table(methods.get::<LogicOpMethod>().operation));
        return if is_fixed { Operation::Logic(operation) } else { Operation::Copy };
    }
    let of_enable = if methods.get::<BlendEnableCommon>().enable { 0 } else { number };
    if format.is_integer() || !methods.at::<BlendEnable>(of_enable).enable {
        return Operation::Copy;
    }
    let constant = [0, 1, 2, 3].map(|n| f32::from_bits(methods.at::<BlendColor>(n).value));
    let (colour, alpha, is_separate) = if methods.get::<BlendIndependent>().enable {
        (
            Equation {
                function: function(methods.at::<IblendEquationRgb>(number).equation),
                source: methods.at::<IblendFuncSrcRgb>(number).factor,
                destination: methods.at::<IblendFuncDstRgb>(number).factor,
            },
            Equation {
                function: function(methods.at::<IblendEquationAlpha>(number).equation),
                source: methods.at::<IblendFuncSrcAlpha>(number).factor,
                destination: methods.at::<IblendFuncDstAlpha>(number).factor,
            },
            methods.at::<IblendSeparateAlpha>(number).enable || methods.get::<BlendSeparateAlpha>().enable,
        )
    } else {
        (
            Equation {
                function: function(methods.get::<BlendEquationRgb>().equation),
                source: methods.get::<BlendFuncSrcRgb>().factor,
                destination: methods.get::<BlendFuncDstRgb>().factor,
            },
            Equation {
                function: function(methods.get::<BlendEquationAlpha>().equation),
                source: methods.get::<BlendFuncSrcAlpha>().factor,
                destination: methods.get::<BlendFuncDstAlpha>().factor,
            },
            methods.get::<BlendSeparateAlpha>().enable,
        )
    };
    Operation::Blend(Blend { colour, alpha: if is_separate { alpha } else { colour }, constant })
}

const fn function(code: BlendEquation) -> BlendFunction {
    match code {
        BlendEquation::Add => BlendFunction::Add,
        BlendEquation::Minimum => BlendFunction::Min,
        BlendEquation::Maximum => BlendFunction::Max,
        BlendEquation::Subtract => BlendFunction::Subtract,
        BlendEquation::ReverseSubtract => BlendFunction::ReverseSubtract,
    }
}

/// Bit 2 s + d: the result of source bit s and destination bit d.
const fn truth_table(operation: LogicOperation) -> u8 {
    match operation {
        LogicOperation::Clear => 0b0000,
        LogicOperation::And => 0b1000,
        LogicOperation::AndReverse => 0b0100,
        LogicOperation::Copy => 0b1100,
        LogicOperation::AndInverted => 0b0010,
        LogicOperation::Nothing => 0b1010,
        LogicOperation::Xor => 0b0110,
        LogicOperation::Or => 0b1110,
        LogicOperation::Nor => 0b0001,
        LogicOperation::Equivalent => 0b1001,
        LogicOperation::Invert => 0b0101,
        LogicOperation::OrReverse => 0b1101,
        LogicOperation::CopyInverted => 0b0011,
        LogicOperation::OrInverted => 0b1011,
        LogicOperation::Nand => 0b0111,
        LogicOperation::Set => 0b1111,
    }
}

/// What takes part in blending.
struct BlendInputs {
    source: [f32; 4],
    second: [f32; 4],
    destination: [f32; 4],
    constant: [f32; 4],
}

impl BlendInputs {
    fn blend(&self, blend: &Blend) -> [f32; 4] {
        std::array::from_fn(|n| {
            let Equation { function, source, destination } = if n == ALPHA { blend.alpha } else { blend.colour };
            let factors = [self.factor(source, n), self.factor(destination, n)];
            blend_numbers(function, [self.source[n], self.destination[n]], factors)
        })
    }

    fn factor(&self, factor: BlendFactor, n: usize) -> f32 {
        let BlendInputs { source, second, destination, constant } = self;
        match factor {
            BlendFactor::Zero => 0.0,
            BlendFactor::One => 1.0,
            BlendFactor::SourceColour => source[n],
            BlendFactor::OneMinusSourceColour => 1.0 - source[n],
            BlendFactor::SourceAlpha => source[ALPHA],
            BlendFactor::OneMinusSourceAlpha => 1.0 - source[ALPHA],
            BlendFactor::DestinationAlpha => destination[ALPHA],
            BlendFactor::OneMinusDestinationAlpha => 1.0 - destination[ALPHA],
            BlendFactor::DestinationColour => destination[n],
            BlendFactor::OneMinusDestinationColour => 1.0 - destination[n],
            BlendFactor::SourceAlphaSaturate if n == ALPHA => 1.0,
            BlendFactor::SourceAlphaSaturate => source[ALPHA].min(1.0 - destination[ALPHA]),
            BlendFactor::ConstantColour => constant[n],
            BlendFactor::OneMinusConstantColour => 1.0 - constant[n],
            BlendFactor::ConstantAlpha => constant[ALPHA],
            BlendFactor::OneMinusConstantAlpha => 1.0 - constant[ALPHA],
            BlendFactor::Source1Colour => second[n],
            BlendFactor::OneMinusSource1Colour => 1.0 - second[n],
            BlendFactor::Source1Alpha => second[ALPHA],
            BlendFactor::OneMinusSource1Alpha => 1.0 - second[ALPHA],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logic_operations_are_those_of_opengl() {
        let (source, destination) = (0b1100u32, 0b1010u32);
        let rows = [
            (LogicOperation::And, source & destination),
            (LogicOperation::AndReverse, source & !destination),
            (LogicOperation::AndInverted, !source & destination),
            (LogicOperation::Copy, source),
            (LogicOperation::CopyInverted, !source),
            (LogicOperation::Nothing, destination),
            (LogicOperation::Invert, !destination),
            (LogicOperation::Xor, source ^ destination),
            (LogicOperation::Equivalent, !(source ^ destination)),
            (LogicOperation::Or, source | destination),
            (LogicOperation::OrReverse, source | !destination),
            (LogicOperation::OrInverted, !source | destination),
            (LogicOperation::Nor, !(source | destination)),
            (LogicOperation::Nand, !(source & destination)),
            (LogicOperation::Clear, 0),
            (LogicOperation::Set, u32::MAX),
        ];
        for (operation, expected) in rows {
            assert_eq!(LogicOp(truth_table(operation)).apply(source, destination), expected, "{operation:?}");
        }
    }

    #[test]
    fn second_sources_are_factors() {
        let equation = |source, destination| Equation { function: BlendFunction::Add, source, destination };
        let colour = equation(BlendFactor::Source1Colour, BlendFactor::OneMinusSource1Alpha);
        let alpha = equation(BlendFactor::One, BlendFactor::Zero);
        let inputs = BlendInputs {
            source: [1.0, 0.5, 0.25, 0.125],
            second: [0.5, 0.5, 1.0, 0.75],
            destination: [0.0, 1.0, 0.5, 1.0],
            constant: [0.0; 4],
        };
        let blend = Blend { colour, alpha, constant: [0.0; 4] };
        assert_eq!(inputs.blend(&blend), [0.5, 0.5, 0.375, 0.125]);
    }
}
