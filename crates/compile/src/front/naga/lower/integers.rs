//! Whole numbers: floats that stay whole. Exact up to 2^24.

use super::{LowerError, Lowering, Result};
use crate::ir::Value;
use naga::BinaryOperator;

impl Lowering<'_> {
    pub(super) fn binary_whole(&mut self, op: BinaryOperator, unsigned: bool, a: Value, b: Value) -> Result<Value> {
        match op {
            BinaryOperator::Add => Ok(self.builder.add(a, b)),
            BinaryOperator::Subtract => Ok(self.builder.sub(a, b)),
            BinaryOperator::Multiply => Ok(self.builder.mul(a, b)),
            BinaryOperator::Divide => Ok(self.quotient(unsigned, a, b).0),
            BinaryOperator::Modulo => Ok(self.quotient(unsigned, a, b).1),
            BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => Ok(self.compare(op, a, b)),
            BinaryOperator::ShiftLeft => {
                let factor = self.power("`<<` by what is not constant", b)?;
                let factor = self.builder.float(factor);
                Ok(self.builder.mul(a, factor))
            }
            BinaryOperator::ShiftRight => {
                let factor = self.power("`>>` by what is not constant", b)?;
                let factor = self.builder.float(1.0 / factor);
                let scaled = self.builder.mul(a, factor);
                Ok(self.builder.floor(scaled))
            }
            BinaryOperator::And => match self.either_known(a, b) {
                Some((value, mask)) => Ok(self.masked(value, mask)),
                None => Err(LowerError::Bits("`&` of two numbers that are not constant")),
            },
            // What both have is counted twice by the sum.
            BinaryOperator::InclusiveOr | BinaryOperator::ExclusiveOr => match self.either_known(a, b) {
                Some((value, -1)) if op == BinaryOperator::ExclusiveOr && !unsigned => {
                    let minus = self.builder.float(-1.0);
                    Ok(self.builder.sub(minus, value))
                }
                Some((value, mask)) => {
                    let both = self.masked(value, mask);
                    let sum = self.builder.add(a, b);
                    let times = self.builder.float(if op == BinaryOperator::InclusiveOr { -1.0 } else { -2.0 });
                    Ok(self.builder.mad(both, times, sum))
                }
                None => Err(LowerError::Bits("`|` or `^` of two numbers that are not constant")),
            },
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => Err(LowerError::Malformed("logic on numbers")),
        }
    }

    /// Quotient toward zero and remainder with the sign of the dividend.
    fn quotient(&mut self, unsigned: bool, a: Value, b: Value) -> (Value, Value) {
        if unsigned {
            return self.quotient_of_sizes(a, b);
        }
        let (size_a, size_b) = (self.builder.abs(a), self.builder.abs(b));
        let (quotient, rest) = self.quotient_of_sizes(size_a, size_b);
        let (minus, minus_rest) = (self.builder.neg(quotient), self.builder.neg(rest));
        let number = |value| self.builder.known(value).map(f32::from_bits);
        let (known, other) = number(b).map_or((number(a), b), |known| (Some(known), a));
        let sign = match known {
            Some(known) if known < 0.0 => self.builder.neg(other),
            Some(_) => other,
            None => self.builder.mul(a, b),
        };
        (self.builder.cmp(sign, quotient, minus), self.builder.cmp(a, rest, minus_rest))
    }

    /// Quotient and remainder of numbers that are not negative. The product with a rounded inverse is off by one at most.
    fn quotient_of_sizes(&mut self, a: Value, b: Value) -> (Value, Value) {
        let inverse = self.builder.rcp(b);
        let ratio = self.builder.mul(a, inverse);
        let guess = self.builder.floor(ratio);
        let minus = self.builder.neg(guess);
        let rest = self.builder.mad(minus, b, a);
        if self.builder.known(b).is_some_and(|bits| bits & 0x007F_FFFF == 0) {
            return (guess, rest);
        }
        let (one, minus_one) = (self.builder.float(1.0), self.builder.float(-1.0));
        // Too large a guess leaves a negative rest, too small a one leaves as much as the divisor or more.
        let (less, more) = (self.builder.add(guess, minus_one), self.builder.add(guess, one));
        let (rest_of_less, rest_of_more) = (self.builder.add(rest, b), self.builder.sub(rest, b));
        let guess = self.builder.cmp(rest, guess, less);
        let corrected = self.builder.cmp(rest, rest, rest_of_less);
        let guess = self.builder.cmp(rest_of_more, more, guess);
        (guess, self.builder.cmp(rest_of_more, rest_of_more, corrected))
    }

    /// The power of two that a shift by a known number means.
    fn power(&mut self, what: &'static str, by: Value) -> Result<f32> {
        match self.builder.known(by).map(f32::from_bits) {
            Some(by) if (0.0..32.0).contains(&by) => Ok(by.exp2()),
            _ => Err(LowerError::Bits(what)),
        }
    }

    /// The operand that is not known and the one that is.
    fn either_known(&self, a: Value, b: Value) -> Option<(Value, i64)> {
        let known = |value| self.builder.known(value).map(|bits| f32::from_bits(bits) as i64);
        known(b).map(|mask| (a, mask)).or_else(|| known(a).map(|mask| (b, mask)))
    }

    /// The bits of a number that a mask keeps.
    fn masked(&mut self, value: Value, mask: i64) -> Value {
        let mut mask = (mask & 0xFFFF_FFFF) as u64;
        let mut sum = None;
        while mask != 0 {
            let low = mask.trailing_zeros();
            let count = (!(mask >> low)).trailing_zeros();
            mask &= !(((1 << count) - 1) << low);
            let bits = self.field(value, low, count);
            sum = Some(sum.map_or(bits, |sum| self.builder.add(sum, bits)));
        }
        sum.unwrap_or_else(|| self.builder.float(0.0))
    }

    /// So many bits of a number from one on, where they are.
    fn field(&mut self, value: Value, low: u32, count: u32) -> Value {
        let (unit, size) = ((low as f32).exp2(), (count as f32).exp2());
        let mut bits = value;
        if low > 0 {
            let scale = self.builder.float(1.0 / unit);
            let scaled = self.builder.mul(bits, scale);
            bits = self.builder.floor(scaled);
        }
        if low + count < 32 {
            let inverse = self.builder.float(1.0 / size);
            let scaled = self.builder.mul(bits, inverse);
            let fraction = self.builder.frc(scaled);
            let size = self.builder.float(size);
            bits = self.builder.mul(fraction, size);
        }
        if low > 0 {
            let unit = self.builder.float(unit);
            bits = self.builder.mul(bits, unit);
        }
        bits
    }
}
