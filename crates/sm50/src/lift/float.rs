//! Float arithmetic, single and double.
//!
//! A flushed result is one that is a denormal once it has been rounded: operations keep denormals, and flushes stand before
//! and after them.

use super::machine::LiftState;
use super::operand::Pair;
use crate::codes::{Fmz, Rounding as Direction};
use crate::field::key;
use crate::instruction::Instruction;
use crate::operand::PredSource;
use crate::table::{DoubleOp, FloatOp};
use ctm_lane::{Bits, Denorm, FloatTest, Rounding, Value, Zero};
use ctm_num::ieee::power_of_two;
use ctm_num::sm50::{NAN, NAN_F64};

/// What an instruction does with denormals and with products of zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Denormals {
    Keep,
    Flush,
    /// Zero times anything is +0 besides.
    FlushZero,
}

impl Denormals {
    pub fn of(instruction: &Instruction) -> Denormals {
        match instruction.get(key::FMZ) {
            Fmz::Fmz => Denormals::FlushZero,
            Fmz::Ftz => Denormals::Flush,
            Fmz::None | Fmz::Invalid if instruction.get(key::FTZ) => Denormals::Flush,
            Fmz::None | Fmz::Invalid => Denormals::Keep,
        }
    }

    /// The rule of a comparison.
    pub fn rule(self) -> Denorm {
        if self == Denormals::Keep { Denorm::Keep } else { Denorm::Flush }
    }
}

/// The direction of rounding that an instruction names.
pub(super) fn rounding(direction: Direction) -> Rounding {
    match direction {
        Direction::Nearest => Rounding::Even,
        Direction::Minus => Rounding::Down,
        Direction::Plus => Rounding::Up,
        Direction::Zero => Rounding::Zero,
    }
}

impl LiftState<'_> {
    pub fn float(&mut self, op: FloatOp, instruction: &Instruction) {
        use FloatOp::*;
        let denormals = Denormals::of(instruction);
        let rounding = rounding(instruction.get(key::ROUND));
        let result = match op {
            Fadd | Fadd32i => {
                let [a, b] = self.operands(denormals, instruction);
                let sum = self.b.fadd_rounded(rounding, a, b);
                self.finished(denormals, instruction, sum)
            }
            Fmul | Fmul32i => {
                let [a, b] = self.operands(denormals, instruction);
                let product = self.product(denormals, rounding, a, b, instruction.get(key::SCALE).exponent());
                self.finished(denormals, instruction, product)
            }
            Ffma | Ffma32i => {
                let [a, b] = self.operands(denormals, instruction);
                let c = self.single(instruction.c());
                let c = self.flushed(denormals, c);
                let sum = self.product_sum(denormals, rounding, [a, b, c]);
                self.finished(denormals, instruction, sum)
            }
            Fmnmx => self.float_extreme(instruction),
            Mufu => self.function(instruction),
            // MUFU reduces the range itself.
            Rro => self.single(instruction.b()),
        };
        self.set_flags(instruction, |m| m.float_flags(result));
        self.set_reg(instruction.dst(), result);
    }

    /// Operands A and B of binary32, flushed as the instruction says.
    fn operands(&mut self, denormals: Denormals, instruction: &Instruction) -> [Value; 2] {
        let operands = [instruction.a(), instruction.b()].map(|source| self.single(source));
        operands.map(|bits| self.flushed(denormals, bits))
    }

    /// A rounded result with the machine's NaN, flushed and saturated as the instruction says.
    fn finished(&mut self, denormals: Denormals, instruction: &Instruction, result: Value) -> Value {
        let result = self.settled(denormals, result);
        self.saturated(instruction, result)
    }

    /// Denormals as zeros of their sign, if that is the rule; then NaNs are the machine's.
    pub fn flushed(&mut self, denormals: Denormals, bits: Value) -> Value {
        if denormals == Denormals::Keep { bits } else { self.settled(denormals, bits) }
    }

    /// A result: flushed if that is the rule, and with the machine's NaN.
    pub fn settled(&mut self, denormals: Denormals, result: Value) -> Value {
        let result = if denormals == Denormals::Keep { result } else { self.b.scale(0, result) };
        self.b.canon_nan(Bits(NAN), result)
    }

    /// The result, in 0..=1 if the instruction says so.
    pub fn saturated(&mut self, instruction: &Instruction, result: Value) -> Value {
        if instruction.get(key::SAT) { self.b.clamp01(Denorm::Keep, result) } else { result }
    }

    /// a * b * 2^scale, rounded once.
    fn product(&mut self, denormals: Denormals, rounding: Rounding, a: Value, b: Value, scale: i32) -> Value {
        let product = match (scale, rounding) {
            (0, Rounding::Even) if denormals == Denormals::FlushZero => {
                return self.b.fmul(Denorm::Keep, Zero::Always, a, b);
            }
            (0, _) => self.b.fmul_rounded(rounding, a, b),
            _ => {
                // Neither product loses a bit.
                let ([a_low, a_high], [b_low, b_high]) = (self.b.ftod(a), self.b.ftod(b));
                let [low, high] = self.b.dmul(Rounding::Even, a_low, a_high, b_low, b_high);
                let factor = power_of_two(scale).to_bits();
                let (zero, factor) = (self.b.constant(0), self.b.constant((factor >> 32) as u32));
                let [low, high] = self.b.dmul(Rounding::Even, low, high, zero, factor);
                self.b.dtof(rounding, low, high)
            }
        };
        if denormals != Denormals::FlushZero {
            return product;
        }
        let (is_zero, zero) = (self.has_zero(a, b), self.b.constant(0));
        self.b.select(is_zero, zero, product)
    }

    /// a * b + c, rounded once.
    fn product_sum(&mut self, denormals: Denormals, rounding: Rounding, [a, b, c]: [Value; 3]) -> Value {
        if denormals == Denormals::FlushZero && rounding == Rounding::Even {
            return self.b.fma(Denorm::Keep, Zero::Always, a, b, c);
        }
        let sum = self.b.fma_rounded(rounding, a, b, c);
        if denormals != Denormals::FlushZero {
            return sum;
        }
        let (is_zero, zero) = (self.has_zero(a, b), self.b.constant(0));
        let only_c = self.b.fadd_rounded(rounding, zero, c);
        self.b.select(is_zero, only_c, sum)
    }

    fn has_zero(&mut self, a: Value, b: Value) -> Value {
        let zero = self.b.constant(0);
        let [a, b] = [a, b].map(|factor| self.b.fcmp(FloatTest::Oeq, Denorm::Keep, factor, zero));
        self.b.mask_or(a, b)
    }

    /// The flags of a float: a NaN is zero and negative.
    pub fn float_flags(&mut self, result: Value) -> [Value; 4] {
        let (zero, none) = (self.b.constant(0), self.b.mask_constant(false));
        let [is_zero, is_negative] =
            [FloatTest::Ueq, FloatTest::Ult].map(|test| self.b.fcmp(test, Denorm::Keep, result, zero));
        [is_zero, is_negative, none, none]
    }

    /// As [`float_flags`](Self::float_flags), of a double.
    pub fn double_flags(&mut self, [low, high]: Pair) -> [Value; 4] {
        let (zero, none) = (self.b.constant(0), self.b.mask_constant(false));
        let [is_zero, is_negative] =
            [FloatTest::Ueq, FloatTest::Ult].map(|test| self.b.dcmp(test, low, high, zero, zero));
        [is_zero, is_negative, none, none]
    }

    /// The values of the two ways of an instruction, one of them where the predicate holds; no more than one of them if
    /// that is known.
    pub fn either(&mut self, choice: PredSource, mut way: impl FnMut(&mut Self, bool) -> Value) -> Value {
        if choice.pred.is_true() {
            return way(self, !choice.not);
        }
        let mask = self.pred(choice);
        let (first, second) = (way(self, true), way(self, false));
        self.b.select(mask, first, second)
    }

    /// FMNMX. -0 is below +0; of a NaN and a number it is the number.
    fn float_extreme(&mut self, instruction: &Instruction) -> Value {
        let denormals = Denormals::of(instruction);
        let operands = [instruction.a(), instruction.b()].map(|source| self.single(source));
        let [a, b] = operands.map(|bits| self.flushed(denormals, bits));
        let equal = self.b.fcmp(FloatTest::Oeq, Denorm::Keep, a, b);
        let no_number = self.b.fcmp(FloatTest::Uno, Denorm::Keep, b, b);
        self.either(instruction.pred_c(), |m, min| {
            // Equal numbers differ in the sign of a zero at most.
            let (extreme, same) = if min {
                (m.b.fmin(Denorm::Keep, a, b), m.b.or(a, b))
            } else {
                (m.b.fmax(Denorm::Keep, a, b), m.b.and(a, b))
            };
            let extreme = m.b.select(equal, same, extreme);
            let extreme = m.b.select(no_number, a, extreme);
            m.b.canon_nan(Bits(NAN), extreme)
        })
    }

    /// A 64-bit result with the machine's NaN.
    pub fn fixed_nan(&mut self, [low, high]: Pair) -> Pair {
        let is_nan = self.b.dcmp(FloatTest::Uno, low, high, low, high);
        let [nan_low, nan_high] = self.long_constant(NAN_F64);
        [self.b.select(is_nan, nan_low, low), self.b.select(is_nan, nan_high, high)]
    }

    pub fn long_constant(&mut self, bits: u64) -> Pair {
        [self.b.constant(bits as u32), self.b.constant((bits >> 32) as u32)]
    }

    pub fn double(&mut self, op: DoubleOp, instruction: &Instruction) {
        let rounding = rounding(instruction.get(key::ROUND));
        let [[a0, a1], [b0, b1]] = [instruction.a(), instruction.b()].map(|source| self.long(source));
        let result = match op {
            DoubleOp::Dadd => self.b.dadd(rounding, a0, a1, b0, b1),
            DoubleOp::Dmul => self.b.dmul(rounding, a0, a1, b0, b1),
            DoubleOp::Dmnmx => self.double_extreme(instruction, [a0, a1], [b0, b1]),
            DoubleOp::Dfma => {
                let [c0, c1] = self.long(instruction.c());
                self.b.dfma(rounding, a0, a1, b0, b1, c0, c1)
            }
        };
        let [low, high] = self.fixed_nan(result);
        self.set_pair(instruction.dst(), [low, high]);
        self.set_flags(instruction, |m| m.double_flags([low, high]));
    }

    fn double_extreme(&mut self, instruction: &Instruction, [a0, a1]: Pair, [b0, b1]: Pair) -> Pair {
        let less = self.b.dcmp(FloatTest::Olt, a0, a1, b0, b1);
        let greater = self.b.dcmp(FloatTest::Ogt, a0, a1, b0, b1);
        let equal = self.b.dcmp(FloatTest::Oeq, a0, a1, b0, b1);
        let no_number = self.b.dcmp(FloatTest::Uno, b0, b1, b0, b1);
        // Of equal numbers it is the one with the sign that is wanted; the lower words are the same.
        let a_sign = self.is_negative(a1);
        let min = self.pred(instruction.pred_c());
        let ordered = self.b.mask_select(min, less, greater);
        let negative = self.b.mask_and(equal, a_sign);
        let positive = self.b.mask_andnot(equal, a_sign);
        let tied = self.b.mask_select(min, negative, positive);
        let first = self.b.mask_or(ordered, tied);
        let first = self.b.mask_or(first, no_number);
        [self.b.select(first, a0, b0), self.b.select(first, a1, b1)]
    }
}
