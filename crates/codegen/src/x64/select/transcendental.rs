//! EX2, LN2, SIN and COS: the steps of `ctm_num::transcendental`, in their order.

use super::Selector;
use super::arithmetic::{HALF, ONE, SIGN};
use crate::mir::{Arg, Reg};
use crate::x64::form::Vop;
use ctm_lane::{FloatTest, Round, Value};
use ctm_num::transcendental::{EX2_COEFFICIENTS, LN2_COEFFICIENTS, NAN, SIN_COEFFICIENTS};

const ROUNDER: u32 = 0x4B40_0000;
const SQRT_HALF: u32 = 0x3F35_04F3;
const QUARTER: u32 = 0x3E80_0000;
const INFINITY: u32 = 0x7F80_0000;
const MINUS_INFINITY: u32 = 0xFF80_0000;
/// 200, far beyond overflow and underflow.
const FAR: u32 = 0x4348_0000;

impl Selector<'_> {
    fn horner(&mut self, coefficients: &[u32], x: Reg) -> Reg {
        let (&last, others) = coefficients.split_last().unwrap_or((&0, &[]));
        let mut sum = self.constant_reg(last);
        for &coefficient in others.iter().rev() {
            let coefficient = self.constant(coefficient);
            sum = self.fused(sum, Arg::Reg(x), coefficient);
        }
        sum
    }

    /// The operand with denormals as zeros, where an integer operation reads it.
    fn flushed(&mut self, a: Value) -> Reg {
        let reg = self.reg(a);
        if self.ranges.get(a).denormal { self.with_constant(Vop::Mul, reg, ONE) } else { reg }
    }

    pub fn ex2(&mut self, a: Value) -> Reg {
        let x = self.reg(a);
        let far = self.constant(FAR);
        // Written the other way round, minimum and maximum give their second operand for a NaN.
        let limit = self.load_arg(far);
        let x = self.two(Vop::Min, limit, x);
        let limit = self.constant_reg(FAR | SIGN);
        let x = self.two(Vop::Max, limit, x);
        let shifted = self.with_constant(Vop::Add, x, ROUNDER);
        let near = self.with_constant(Vop::Sub, shifted, ROUNDER);
        let f = self.two(Vop::Sub, x, near);
        let p = self.horner(&EX2_COEFFICIENTS, f);
        let one = self.constant(ONE);
        let p = self.fused(p, Arg::Reg(f), one);
        let n = self.with_constant(Vop::IntSub, shifted, ROUNDER);
        let half = self.shifted(Vop::ShiftRightSigned, n, 1);
        let rest = self.two(Vop::IntSub, n, half);
        let first = self.shifted(Vop::ShiftLeft, half, 23);
        let first = self.with_constant(Vop::IntAdd, first, ONE);
        let second = self.shifted(Vop::ShiftLeft, rest, 23);
        let second = self.with_constant(Vop::IntAdd, second, ONE);
        let scaled = self.two(Vop::Mul, p, first);
        self.two(Vop::Mul, scaled, second)
    }

    pub fn ln2(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let k = self.with_constant(Vop::IntSub, x, SQRT_HALF);
        let k = self.shifted(Vop::ShiftRightSigned, k, 23);
        let scale = self.shifted(Vop::ShiftLeft, k, 23);
        let m = self.two(Vop::IntSub, x, scale);
        let d = self.with_constant(Vop::Sub, m, ONE);
        let e = self.with_constant(Vop::IntAdd, k, ROUNDER);
        let e = self.with_constant(Vop::Sub, e, ROUNDER);
        let q = self.horner(&LN2_COEFFICIENTS, d);
        let result = self.fused(q, Arg::Reg(d), Arg::Reg(e));
        let infinity = self.constant(INFINITY);
        let beyond = self.compare(FloatTest::Uge, x, infinity, None);
        let result = self.blend(beyond, infinity, result);
        let zero = self.constant(0);
        let not_positive = self.compare(FloatTest::Ule, x, zero, None);
        let nan = self.constant(NAN);
        let result = self.blend(not_positive, nan, result);
        let is_zero = self.compare(FloatTest::Oeq, x, zero, None);
        let minus_infinity = self.constant(MINUS_INFINITY);
        self.blend(is_zero, minus_infinity, result)
    }

    /// x minus the nearest integer.
    fn reduced_turns(&mut self, x: Reg) -> Reg {
        let near = self.round(Round::Even, Arg::Reg(x));
        // The steps have 0 for what rounds to -0.
        let near = self.with_constant(Vop::Add, near, 0);
        self.two(Vop::Sub, x, near)
    }

    fn sine_of_quarter(&mut self, r: Reg) -> Reg {
        let square = self.two(Vop::Mul, r, r);
        let q = self.horner(&SIN_COEFFICIENTS, square);
        let q = self.two(Vop::Mul, q, r);
        let magnitude = self.with_constant(Vop::And, q, !SIGN);
        let one = self.constant_reg(ONE);
        let magnitude = self.two(Vop::Min, one, magnitude);
        let sign = self.with_constant(Vop::And, r, SIGN);
        self.two(Vop::Or, magnitude, sign)
    }

    pub fn sin(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let r = self.reduced_turns(x);
        let sign = self.with_constant(Vop::And, r, SIGN);
        let half = self.with_constant(Vop::Or, sign, HALF);
        let magnitude = self.with_constant(Vop::And, r, !SIGN);
        let quarter = self.constant(QUARTER);
        let folds = self.compare(FloatTest::Ogt, magnitude, quarter, None);
        let folded = self.two(Vop::Sub, half, r);
        let r = self.blend(folds, Arg::Reg(folded), r);
        self.sine_of_quarter(r)
    }

    pub fn cos(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let r = self.reduced_turns(x);
        let magnitude = self.with_constant(Vop::And, r, !SIGN);
        let quarter = self.constant_reg(QUARTER);
        let r = self.two(Vop::Sub, quarter, magnitude);
        self.sine_of_quarter(r)
    }
}
