//! The functions of MUFU, in operations on words. The steps are those of [`ctm_num::sm50::mufu`], with the units of a value
//! in two words: what is in units of 2^-31, and the [`BELOW_CONSTANT`] bits below.

use super::machine::LiftState;
use super::operand::{Pair, SIGN};
use super::specialisation::TableBinding;
use crate::codes::MufuOp;
use crate::field::key;
use crate::instruction::Instruction;
use ctm_lane::{IntTest, Value};
use ctm_num::sm50::NAN;
use ctm_num::sm50::mufu::{
    BELOW_CONSTANT, BELOW_LOGARITHM, COEFFICIENT_ROWS, EX2, Interpolator, LAST_WHOLE_ANGLE, LG2, QUADRANTS_PER_RADIAN,
    RCP, REST_BITS, RSQ, SIN,
};

const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
const MANTISSA: u32 = 0x007F_FFFF;

/// The parts of a float.
struct Parts {
    sign: Value,
    magnitude: Value,
    mantissa: Value,
    /// The power of two.
    power: Value,
}

impl LiftState<'_> {
    /// MUFU.
    pub fn function(&mut self, instruction: &Instruction) -> Value {
        let a = self.single(instruction.a());
        let result = match instruction.get(key::MUFU_OP) {
            MufuOp::Cos => {
                let plus = self.b.constant(0);
                self.sine(a, plus, MIN_NORMAL)
            }
            MufuOp::Sin => {
                let sign = self.only(a, SIGN);
                self.sine(a, sign, 0)
            }
            MufuOp::Ex2 => self.power_of_two(a),
            MufuOp::Lg2 => self.logarithm(a),
            MufuOp::Rcp => self.reciprocal(a),
            MufuOp::Rsq => self.reciprocal_root(a),
            MufuOp::Rcp64h => {
                let zero = self.b.constant(0);
                self.upper_reciprocal([zero, a])
            }
            MufuOp::Rsq64h => {
                let zero = self.b.constant(0);
                let root = self.b.dsqrt(zero, a);
                self.upper_reciprocal(root)
            }
            MufuOp::Invalid8
            | MufuOp::Invalid9
            | MufuOp::Invalid10
            | MufuOp::Invalid11
            | MufuOp::Invalid12
            | MufuOp::Invalid13
            | MufuOp::Invalid14
            | MufuOp::Invalid15 => {
                self.trap();
                a
            }
        };
        self.saturated(instruction, result)
    }

    /// The upper word of 1/d.
    fn upper_reciprocal(&mut self, [low, high]: Pair) -> Value {
        let one = self.long_constant(1f64.to_bits());
        let result = self.b.ddiv(one[0], one[1], low, high);
        self.fixed_nan(result)[1]
    }

    fn parts(&mut self, a: Value) -> Parts {
        let magnitude = self.only(a, !SIGN);
        let biased = self.shifted_right(magnitude, 23);
        Parts {
            sign: self.only(a, SIGN),
            magnitude,
            mantissa: self.only(a, MANTISSA),
            power: self.plus(biased, 127u32.wrapping_neg()),
        }
    }

    /// Where the test holds for a and a constant, another constant; else the result.
    fn except(&mut self, a: Value, test: IntTest, constant: u32, special: u32, result: Value) -> Value {
        let constant = self.b.constant(constant);
        let (applies, special) = (self.b.icmp(test, a, constant), self.b.constant(special));
        self.b.select(applies, special, result)
    }

    /// `sum` + `term` * `weight`, which is a power of two with a sign.
    fn weighted(&mut self, sum: Value, term: Value, weight: i32) -> Value {
        let term = self.shifted_left(term, weight.unsigned_abs().ilog2());
        if weight < 0 { self.b.isub(sum, term) } else { self.b.iadd(sum, term) }
    }

    /// The value of a function, in units of 2^-31, and its lower bits, at an argument that consists of the number of an
    /// interval and the rest.
    fn interpolated(&mut self, function: Interpolator, argument: Value) -> [Value; 2] {
        let table = self.table(TableBinding::Coefficients, 2 * COEFFICIENT_ROWS);
        let interval = self.shifted_right(argument, REST_BITS);
        let row = self.plus(interval, function.first);
        let constant = self.b.table_gather(table, row);
        let row = self.plus(row, COEFFICIENT_ROWS);
        let others = self.b.table_gather(table, row);
        let linear = self.only(others, (1 << REST_BITS) - 1);
        let quadratic = self.shifted_right(others, REST_BITS);

        // The product of the linear coefficient and the rest has too many bits for a word.
        let rest = self.only(argument, (1 << REST_BITS) - 1);
        let [upper, lower] = [self.shifted_right(rest, BELOW_CONSTANT), self.only(rest, (1 << BELOW_CONSTANT) - 1)];
        let [upper, lower] = [upper, lower].map(|part| self.b.imul(linear, part));
        let square = self.square(rest);
        let squared = self.b.imul(quadratic, square);
        let below = self.b.constant(function.rounding.cast_unsigned());
        let below = self.weighted(below, lower, function.linear);
        let below = self.weighted(below, squared, function.quadratic);
        let sum = self.weighted(constant, upper, function.linear);
        let nine = self.b.constant(BELOW_CONSTANT);
        let carried = self.b.sar(below, nine);
        [self.b.iadd(sum, carried), self.only(below, (1 << BELOW_CONSTANT) - 1)]
    }

    /// [`ctm_num::sm50::mufu::square`].
    fn square(&mut self, x: Value) -> Value {
        let high = self.shifted_right(x, 9);
        let high = self.b.imul(high, high);
        let mut sum = self.shifted_right(high, 1);
        for bit in 2..9 {
            let is_set = self.shifted_left(x, 31 - bit);
            let sign_bit = self.b.constant(31);
            let is_set = self.b.sar(is_set, sign_bit);
            let row = self.shifted_right(x, 18 - bit);
            let row = self.b.and(row, is_set);
            sum = self.b.iadd(sum, row);
        }
        sum
    }

    /// `value` * 2^`power`, which is not below 2^-126, cut to the precision of a float. The upper word of the value, not 0,
    /// is in units of 2^-31.
    fn normal(&mut self, power: Value, [upper, lower]: Pair) -> Value {
        let zeros = self.b.clz(upper);
        let word = self.b.constant(32);
        let rest = self.b.isub(word, zeros);
        let [upper, lower] = [self.b.shl(upper, zeros), self.b.shr(lower, rest)];
        let bits = self.b.or(upper, lower);
        let mantissa = self.shifted_right(bits, 8);
        // The first bit of the mantissa counts as one in the exponent.
        let power = self.b.isub(power, zeros);
        let power = self.plus(power, 126);
        let power = self.shifted_left(power, 23);
        self.b.iadd(power, mantissa)
    }

    /// 0 where the power of two of a float, which is in its bits, is too small.
    fn not_tiny(&mut self, result: Value) -> Value {
        let least = self.b.constant(MIN_NORMAL);
        let (tiny, zero) = (self.b.icmp(IntTest::Slt, result, least), self.b.constant(0));
        self.b.select(tiny, zero, result)
    }

    fn reciprocal(&mut self, a: Value) -> Value {
        let Parts { sign, magnitude, mantissa, power } = self.parts(a);
        // The intervals are half as large as those of the other functions.
        let argument = self.shifted_left(mantissa, 1);
        let [value, _] = self.interpolated(RCP, argument);
        let zero = self.b.constant(0);
        let power = self.b.isub(zero, power);
        let result = self.normal(power, [value, zero]);
        let result = self.not_tiny(result);
        let result = self.except(magnitude, IntTest::Ult, MIN_NORMAL, INFINITY, result);
        let result = self.except(magnitude, IntTest::Eq, INFINITY, 0, result);
        let result = self.b.or(result, sign);
        self.except(magnitude, IntTest::Ugt, INFINITY, NAN, result)
    }

    fn reciprocal_root(&mut self, a: Value) -> Value {
        let Parts { sign, magnitude, mantissa, power } = self.parts(a);
        let one = self.b.constant(1);
        let odd = self.only(power, 1);
        let odd = self.shifted_left(odd, 23);
        let argument = self.b.or(odd, mantissa);
        let [value, _] = self.interpolated(RSQ, argument);
        let value = self.except(argument, IntTest::Eq, 0, 1 << 31, value);
        let (half, zero) = (self.b.sar(power, one), self.b.constant(0));
        let half = self.b.isub(zero, half);
        let result = self.normal(half, [value, zero]);
        let result = self.except(a, IntTest::Eq, INFINITY, 0, result);
        let result = self.except(a, IntTest::Ugt, INFINITY, NAN, result);
        let result = self.except(magnitude, IntTest::Ult, MIN_NORMAL, INFINITY, result);
        // Only an infinity gets a sign: what is below zero has become a NaN.
        let (least, infinite) = (self.b.constant(MIN_NORMAL), self.b.or(result, sign));
        let is_zero = self.b.icmp(IntTest::Ult, magnitude, least);
        self.b.select(is_zero, infinite, result)
    }

    fn power_of_two(&mut self, a: Value) -> Value {
        let Parts { magnitude, mantissa, power, .. } = self.parts(a);
        let (implicit, seven) = (self.b.constant(MIN_NORMAL), self.b.constant(7));
        let integer = self.b.or(mantissa, implicit);
        let integer = self.shifted_left(integer, 7);
        let by = self.b.isub(seven, power);
        let cut = self.b.shr(integer, by);
        let (fraction, zero) = (self.only(cut, MANTISSA), self.b.constant(0));
        let (whole, less) = (self.b.isub(zero, cut), self.not(cut));
        let is_whole = self.is_zero(fraction);
        let below_zero = self.b.select(is_whole, whole, less);
        let negative = self.is_negative(a);
        let argument = self.b.select(negative, below_zero, cut);
        let fraction = self.only(argument, MANTISSA);
        let [value, _] = self.interpolated(EX2, fraction);
        let digits = self.b.constant(23);
        let power = self.b.sar(argument, digits);
        let result = self.normal(power, [value, zero]);
        let result = self.not_tiny(result);
        let infinity = self.b.constant(INFINITY);
        let far = self.b.select(negative, zero, infinity);
        let limit = self.b.constant(128f32.to_bits());
        let is_far = self.b.icmp(IntTest::Uge, magnitude, limit);
        let result = self.b.select(is_far, far, result);
        self.except(magnitude, IntTest::Ugt, INFINITY, NAN, result)
    }

    fn logarithm(&mut self, a: Value) -> Value {
        let Parts { magnitude, mantissa, power, .. } = self.parts(a);
        let [value, below] = self.interpolated(LG2, mantissa);
        // The sum with the power: a word in units of 2^-24, and 16 bits.
        let power = self.shifted_left(power, 24);
        let upper = self.shifted_right(value, 7);
        let upper = self.b.iadd(power, upper);
        let lower = self.only(value, 0x7F);
        let lower = self.shifted_left(lower, BELOW_CONSTANT);
        let lower = self.b.or(lower, below);
        let negative = self.is_negative(upper);
        // Its magnitude.
        let (zero, no_carry) = (self.b.constant(0), self.not(upper));
        let carry = self.b.isub(zero, upper);
        let is_zero = self.is_zero(lower);
        let negated = self.b.select(is_zero, carry, no_carry);
        let upper = self.b.select(negative, negated, upper);
        let negated = self.b.isub(zero, lower);
        let lower = self.b.select(negative, negated, lower);
        let lower = self.only(lower, 0xFFFF & !BELOW_LOGARITHM);
        let lower = self.shifted_left(lower, 16);
        // Of the logarithm of a number next to 1 that may be all.
        let is_zero = self.is_zero(upper);
        let (power, power_below) = (self.b.constant(7), self.b.constant(7u32.wrapping_sub(32)));
        let power = self.b.select(is_zero, power_below, power);
        let upper = self.b.select(is_zero, lower, upper);
        let lower = self.b.select(is_zero, zero, lower);
        let result = self.normal(power, [upper, lower]);
        let sign = self.b.constant(SIGN);
        let below_one = self.b.or(result, sign);
        let result = self.b.select(negative, below_one, result);
        let result = self.except(a, IntTest::Eq, ONE, 0, result);
        let result = self.except(a, IntTest::Eq, INFINITY, INFINITY, result);
        let result = self.except(a, IntTest::Ugt, INFINITY, NAN, result);
        self.except(magnitude, IntTest::Ult, MIN_NORMAL, SIGN | INFINITY, result)
    }

    /// The magnitude of a, radians, as quadrants in units of 2^-23.
    fn angle(&mut self, Parts { mantissa, power, .. }: &Parts) -> Value {
        let implicit = self.b.constant(MIN_NORMAL);
        let integer = self.b.or(*mantissa, implicit);
        let integer = self.shifted_left(integer, 8);
        let factor = self.b.constant(QUADRANTS_PER_RADIAN);
        let [low, high] = [self.b.imul(integer, factor), self.b.umul_high(integer, factor)];
        // One of the shifts of the upper word has a negative count, that is, one beyond 31, or both are none.
        let (zero, word) = (self.b.constant(0), self.b.constant(32));
        let [to_right, across] = [zero, word].map(|from| self.b.isub(from, *power));
        let parts = [self.b.shl(high, *power), self.b.shr(high, to_right), self.b.shr(low, across)];
        let angle = self.b.or(parts[0], parts[1]);
        let angle = self.b.or(angle, parts[2]);
        let lost = self.plus(*power, LAST_WHOLE_ANGLE.unsigned_abs().wrapping_neg());
        let lost = self.b.smax(lost, zero);
        let all = self.b.constant(u32::MAX);
        let kept = self.b.shl(all, lost);
        self.b.and(angle, kept)
    }

    /// The sine of a, radians, plus `turned` * 2^-23 quadrants; `sign` is that of the angle.
    fn sine(&mut self, a: Value, sign: Value, turned: u32) -> Value {
        let parts = self.parts(a);
        let angle = self.angle(&parts);
        let angle = self.plus(angle, turned);
        let negated = self.shifted_left(angle, 7);
        let negated = self.only(negated, SIGN);
        let sign = self.b.xor(sign, negated);
        let odd = self.shifted_left(angle, 8);
        let folds = self.is_negative(odd);
        let back = self.not(angle);
        let folded = self.b.select(folds, back, angle);
        let argument = self.only(folded, MANTISSA);
        let [value, below] = self.interpolated(SIN, argument);
        let below = self.shifted_left(below, 32 - BELOW_CONSTANT);
        let zero = self.b.constant(0);
        let result = self.normal(zero, [value, below]);
        let result = self.except(value, IntTest::Eq, 0, 0, result);
        let result = self.b.or(result, sign);
        self.except(parts.magnitude, IntTest::Uge, INFINITY, NAN, result)
    }
}
