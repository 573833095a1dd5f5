//! Elements in memory: from words to the four channels of a register (R700 guide chapter 5).

use super::machine::LiftState;
use super::{NotLifted, Walked};
use crate::codes::{DataFormat, EndianSwap, NumberFormat};
use crate::fetch::ElementFormat;
use crate::reference::{ComponentEncoding, one, parts};
use ctm_lane::{Buffer, Denorm, IntTest, Rounding, Value, Zero};

/// Widest integer that a float holds exactly.
const FLOAT_BITS: u32 = 24;

/// The bytes of an element, as four little-endian words; those beyond it are 0.
pub(super) struct Words(pub [Value; 4]);

/// What is known of where a buffer ends.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Its bytes, if they are a dword at least.
    pub length: Option<Value>,
    /// Elements may have bytes after it, which are 0.
    pub is_exceeded: bool,
}

impl Words {
    pub fn zero(m: &mut LiftState) -> Self {
        Words([m.b.constant(0); 4])
    }

    /// Loads an element of so many bytes of a buffer.
    pub fn load(
        m: &mut LiftState,
        buffer: Buffer,
        start: Value,
        bytes: u32,
        extent: Extent,
        lanes: Value,
    ) -> Walked<Self> {
        let mut words = Words::zero(m);
        for (at, word) in words.0.iter_mut().enumerate().take(bytes.div_ceil(4) as usize) {
            let at = at as u32 * 4;
            let address = match at {
                0 => start,
                _ => {
                    let at = m.b.constant(at);
                    m.b.iadd(start, at)
                }
            };
            *word = if bytes - at >= 4 && !extent.is_exceeded {
                m.b.buffer_load(buffer, address, lanes)
            } else {
                partial_word(m, buffer, address, bytes - at, extent, lanes)?
            };
        }
        Ok(words)
    }

    /// Exchanges bytes of an element of so many as the instruction or resource says; what is not a whole unit stays.
    pub fn swap(&mut self, m: &mut LiftState, endian_swap: EndianSwap, bytes: u32) {
        let halves = match endian_swap {
            EndianSwap::None | EndianSwap::Reserved3 => return,
            EndianSwap::In16 => false,
            EndianSwap::In32 => true,
        };
        let unit = if halves { 4 } else { 2 };
        for (word, at) in self.0.iter_mut().zip((0..bytes).step_by(4)) {
            let old = *word;
            let kept = match (bytes - at).min(4) / unit * unit {
                0 => continue,
                4 => 0,
                swapped => u32::MAX << (swapped * 8),
            };
            let (eight, even) = (m.b.constant(8), m.b.constant(0x00FF_00FF));
            let low = m.b.and(old, even);
            let low = m.b.shl(low, eight);
            let high = m.b.shr(old, eight);
            let high = m.b.and(high, even);
            let mut swapped = m.b.or(low, high);
            if halves {
                let sixteen = m.b.constant(16);
                let (left, right) = (m.b.shl(swapped, sixteen), m.b.shr(swapped, sixteen));
                swapped = m.b.or(left, right);
            }
            if kept != 0 {
                let (kept, replaced) = (m.b.constant(kept), m.b.constant(!kept));
                let (old, new) = (m.b.and(old, kept), m.b.and(swapped, replaced));
                swapped = m.b.or(old, new);
            }
            *word = swapped;
        }
    }

    /// The `width` bits from bit `at` on. No field of a format has parts in two words.
    fn field(&self, m: &mut LiftState, at: u32, width: u32) -> Value {
        let word = self.0[(at / 32) as usize];
        let at = m.b.constant(at % 32);
        let word = m.b.shr(word, at);
        if width == 32 {
            return word;
        }
        let mask = m.b.constant((1 << width) - 1);
        m.b.and(word, mask)
    }

    /// The channels of an element. Missing ones are 0, but w, which is 1.
    pub fn channels(&self, m: &mut LiftState, format: &ElementFormat) -> [Value; 4] {
        let zero = m.b.constant(0);
        let mut channels = [zero, zero, zero, m.b.constant(one(format))];
        let Some(data_format) = format.format() else { return channels };
        if data_format == DataFormat::F5_9_9_9SharedExp {
            let exponent = self.field(m, 27, 5);
            let (bias, position) = (m.b.constant(127 - 24), m.b.constant(23));
            let biased = m.b.iadd(exponent, bias);
            let unit = m.b.shl(biased, position);
            for (k, channel) in channels[..3].iter_mut().enumerate() {
                let mantissa = self.field(m, 9 * k as u32, 9);
                let mantissa = m.b.utof(mantissa);
                let product = m.b.fmul(Denorm::Flush, Zero::Ieee, mantissa, unit);
                *channel = m.with_nan(product, &[]);
            }
            return channels;
        }
        let mut at = 0;
        for (part, channel) in parts(data_format).unwrap_or_default().into_iter().zip(&mut channels) {
            let width = u32::from(part.width());
            match part {
                ComponentEncoding::Integer(_) => {
                    let value = self.field(m, at, width);
                    *channel = integer(m, format, value, width);
                }
                ComponentEncoding::Float(_) => {
                    let value = self.field(m, at, width);
                    *channel = float(m, value, width);
                }
                ComponentEncoding::Unused(_) => {}
            }
            at += width;
        }
        channels
    }
}

/// The last bytes of an element, or a word of it. One that the buffer's end cuts is read from where it still is whole.
fn partial_word(
    m: &mut LiftState,
    buffer: Buffer,
    address: Value,
    bytes: u32,
    extent: Extent,
    lanes: Value,
) -> Walked<Value> {
    // What is shorter than a word has no whole word to read its bytes from.
    let (length, dword) = (extent.length.ok_or(NotLifted::ShortBuffer)?, m.b.constant(4));
    let last = m.b.isub(length, dword);
    let whole = m.b.umin(address, last);
    let word = m.b.buffer_load(buffer, whole, lanes);
    let (skipped, three) = (m.b.isub(address, whole), m.b.constant(3));
    let bits = m.b.shl(skipped, three);
    let word = m.b.shr(word, bits);
    if bytes >= 4 {
        return Ok(word);
    }
    let mask = m.b.constant((1 << (bytes * 8)) - 1);
    Ok(m.b.and(word, mask))
}

fn integer(m: &mut LiftState, format: &ElementFormat, value: Value, width: u32) -> Value {
    let unused = m.b.constant(32 - width);
    let extended = |m: &mut LiftState| {
        let high = m.b.shl(value, unused);
        m.b.sar(high, unused)
    };
    match (format.number, format.signed) {
        (NumberFormat::Norm, false) => fraction(m, value, u64::from(u32::MAX >> (32 - width)) as f64, width, false),
        (NumberFormat::Norm, true) => {
            let value = extended(m);
            if format.no_zero {
                // (2v + 1) / (2^width - 1)
                let (one, largest) = (m.b.constant(1), u64::from(u32::MAX >> (32 - width)) as f64);
                return match width {
                    32 => {
                        let [low, high] = m.b.itod(value);
                        let [two, half] = [2.0, 1.0].map(|value| double(m, value));
                        let [low, high] = m.b.dfma(Rounding::Even, low, high, two[0], two[1], half[0], half[1]);
                        quotient(m, [low, high], largest)
                    }
                    _ => {
                        let twice = m.b.shl(value, one);
                        let odd = m.b.or(twice, one);
                        fraction(m, odd, largest, width + 1, true)
                    }
                };
            }
            let largest = ((1i64 << (width - 1)) - 1).max(1);
            let least = m.b.constant((-largest) as u32);
            let value = m.b.smax(value, least);
            fraction(m, value, largest as f64, width, true)
        }
        (NumberFormat::Scaled, false) => m.b.utof(value),
        (NumberFormat::Scaled, true) => {
            let value = extended(m);
            m.b.itof(value)
        }
        (NumberFormat::Int | NumberFormat::Reserved3, false) => value,
        (NumberFormat::Int | NumberFormat::Reserved3, true) => extended(m),
    }
}

/// An integer of so many bits divided by the largest, rounded once.
fn fraction(m: &mut LiftState, value: Value, largest: f64, width: u32, signed: bool) -> Value {
    if width <= FLOAT_BITS {
        let value = if signed { m.b.itof(value) } else { m.b.utof(value) };
        let largest = m.b.float_constant(largest as f32);
        return m.b.fdiv(Denorm::Flush, value, largest);
    }
    let value = if signed { m.b.itod(value) } else { m.b.utod(value) };
    quotient(m, value, largest)
}

fn double(m: &mut LiftState, value: f64) -> [Value; 2] {
    let bits = value.to_bits();
    [m.b.constant(bits as u32), m.b.constant((bits >> 32) as u32)]
}

/// The quotient in binary64, as a float.
fn quotient(m: &mut LiftState, [low, high]: [Value; 2], divisor: f64) -> Value {
    let divisor = double(m, divisor);
    let [low, high] = m.b.ddiv(low, high, divisor[0], divisor[1]);
    m.b.dtof(Rounding::Even, low, high)
}

fn float(m: &mut LiftState, value: Value, width: u32) -> Value {
    match width {
        10 => small_float(m, value, 5, 5, true),
        11 => small_float(m, value, 6, 5, true),
        16 => {
            let (sign, rest, sixteen) = (m.b.constant(0x8000), m.b.constant(0x7FFF), m.b.constant(16));
            let (sign, rest) = (m.b.and(value, sign), m.b.and(value, rest));
            let magnitude = small_float(m, rest, 10, 5, true);
            let sign = m.b.shl(sign, sixteen);
            m.b.or(sign, magnitude)
        }
        24 => small_float(m, value, 20, 4, false),
        _ => value,
    }
}

/// A small float without sign: see `ctm_num::r700::float_16` and its like.
fn small_float(m: &mut LiftState, value: Value, mantissa: u32, exponent_bits: u32, special: bool) -> Value {
    const BIAS: u32 = 15;
    let (zero, position, shift) = (m.b.constant(0), m.b.constant(mantissa), m.b.constant(23 - mantissa));
    let most = m.b.constant((1 << exponent_bits) - 1);
    let fraction_mask = m.b.constant((1 << mantissa) - 1);
    let fraction = m.b.and(value, fraction_mask);
    let exponent = m.b.shr(value, position);
    let exponent = m.b.and(exponent, most);
    let bits = m.b.shl(fraction, shift);
    let (bias, place) = (m.b.constant(127 - BIAS), m.b.constant(23));
    let biased = m.b.iadd(exponent, bias);
    let biased = m.b.shl(biased, place);
    let normal = m.b.or(biased, bits);
    let unit = m.b.constant((127 + 1 - BIAS - mantissa) << 23);
    let count = m.b.utof(fraction);
    let denormal = m.b.fmul(Denorm::Flush, Zero::Ieee, count, unit);
    let is_denormal = m.b.icmp(IntTest::Eq, exponent, zero);
    let number = m.b.select(is_denormal, denormal, normal);
    if !special {
        return number;
    }
    let infinity = m.b.constant(0xFF << 23);
    let special = m.b.or(infinity, bits);
    let is_special = m.b.icmp(IntTest::Eq, exponent, most);
    m.b.select(is_special, special, number)
}
