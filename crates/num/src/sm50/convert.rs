//! Conversions between integers and floats of all sizes. Values travel in the low bits of a `u64`.

use super::{NAN, NAN_F16, NAN_F64};
use crate::ieee::{BINARY16, BINARY32, BINARY64, Exact, Format, Number, Rounding};

/// An integer type: 8, 16, 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// Number of bits.
    pub bits: u32,
    /// Whether values have a sign.
    pub signed: bool,
}

impl IntegerType {
    /// The number that the low bits stand for.
    fn read(self, bits: u64) -> i128 {
        let unused = 128 - self.bits;
        let top = i128::from(bits) << unused;
        if self.signed { top >> unused } else { (top.cast_unsigned() >> unused).cast_signed() }
    }

    fn range(self) -> (i128, i128) {
        if self.signed { (-1 << (self.bits - 1), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }

    /// The register bits of a number in this type's range: with a sign, types below 32 bits are extended to 32.
    fn write(self, value: i128) -> u64 {
        if self.bits == 64 { value as u64 } else { u64::from(value as u32) }
    }

    /// The low bits of a number, with zeros above.
    fn cut(self, value: i128) -> u64 {
        value as u64 & u64::MAX >> (64 - self.bits)
    }
}

/// The operand: read, then its sign removed, then negated. What this makes of a signed number stays in its type, so the
/// least one is its own negative (hardware, second hand, of I2F; decision S50 of I2I); unsigned numbers have negatives.
fn operand(from: IntegerType, bits: u64, [abs, neg]: [bool; 2]) -> i128 {
    let within = |value: i128| if from.signed { from.read(value as u64) } else { value };
    let value = from.read(bits);
    let value = if abs { within(value.abs()) } else { value };
    if neg { within(-value) } else { value }
}

fn canonical_nan(format: Format) -> u64 {
    match format {
        BINARY16 => NAN_F16.into(),
        BINARY32 => NAN.into(),
        _ => NAN_F64,
    }
}

fn flushed(ftz: bool, format: Format, bits: u64) -> u64 {
    if ftz && format == BINARY32 { format.flush(bits) } else { bits }
}

/// I2F: the integer with the modifiers applied, rounded once.
pub fn integer_to_float(from: IntegerType, bits: u64, modifiers: [bool; 2], to: Format, rounding: Rounding) -> u64 {
    to.round(Exact::integer(operand(from, bits, modifiers)), rounding)
}

/// F2I: rounded to an integer, then brought into the type's range. NaN gives 0, or the bits of the smallest signed number where
/// the integer has 64 bits, or 32 that come from a double (hardware, second hand).
pub fn float_to_integer(from: Format, bits: u64, ftz: bool, rounding: Rounding, to: IntegerType) -> u64 {
    let (least, greatest) = to.range();
    let beyond = |negative| if negative { least } else { greatest };
    let value = match from.unpack(flushed(ftz, from, bits)) {
        Number::Nan if to.bits == 64 || to.bits == 32 && from == BINARY64 => return 1 << (to.bits - 1),
        Number::Nan => 0,
        Number::Infinite { negative } => beyond(negative),
        Number::Finite(exact) => exact.to_integer(rounding).unwrap_or(beyond(exact.negative)),
    };
    to.write(value.clamp(least, greatest))
}

/// How F2F rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatRounding {
    /// To the precision of the result.
    Precision(Rounding),
    /// To an integral value, then (exactly or to nearest) to the precision of the result.
    Integral(Rounding),
}

/// F2F: another format, or an integral value, or just the modifiers. `ftz` concerns f32 only. Where one of the two is a double,
/// neither it nor `saturate` does anything (hardware, second hand).
pub fn float_to_float(from: Format, to: Format, bits: u64, rounding: FloatRounding, ftz: bool, saturate: bool) -> u64 {
    let has_double = from == BINARY64 || to == BINARY64;
    let (ftz, saturate) = (ftz && !has_double, saturate && !has_double);
    let bits = flushed(ftz, from, bits);
    let result = match rounding {
        FloatRounding::Precision(direction) => from.convert(direction, bits, to),
        FloatRounding::Integral(direction) => from
            .round_to_integral(direction, bits)
            .and_then(|integral| from.convert(Rounding::NearestEven, integral, to)),
    };
    match (result, saturate) {
        (Some(result), false) => flushed(ftz, to, result),
        (None, false) => canonical_nan(to),
        (result, true) => clamp(to, result.map(|result| flushed(ftz, to, result))),
    }
}

/// To 0..=1; NaN gives +0.
fn clamp(format: Format, bits: Option<u64>) -> u64 {
    let one = format.round(Exact::integer(1), Rounding::NearestEven);
    match bits {
        Some(bits) if bits >> (format.width() - 1) & 1 == 0 => bits.min(one),
        _ => 0,
    }
}

/// I2I: the integer with the modifiers applied, brought into the type's range, or cut to its bits. Only what is in the range
/// keeps its sign above them (hardware, second hand).
pub fn integer_to_integer(from: IntegerType, bits: u64, modifiers: [bool; 2], to: IntegerType, saturate: bool) -> u64 {
    let value = operand(from, bits, modifiers);
    let (least, greatest) = to.range();
    if saturate { to.write(value.clamp(least, greatest)) } else { to.cut(value) }
}
