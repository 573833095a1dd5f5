//! EX2, LN2, SIN and COS: the results of `ctm_num::transcendental`, by its steps or by fewer that give the same bits. AVX-512 has
//! instructions for several of the steps together. `tests/transcendentals.rs` compares all arguments.

use super::Selector;
use super::arithmetic::{HALF, ONE, SIGN};
use crate::mir::{Arg, Class, Reg};
use crate::x64::InstKind;
use crate::x64::isa::{VectorIsa, Vop};
use ctm_lane::{FloatTest, Op, Round, Value, ValueRange};
use ctm_num::transcendental::{EX2_COEFFICIENTS, LN2_COEFFICIENTS, NAN, SIN_COEFFICIENTS};
use iced_x86::Code;

const ROUNDER: u32 = 0x4B40_0000;
const SQRT_HALF: u32 = 0x3F35_04F3;
const QUARTER: u32 = 0x3E80_0000;
const INFINITY: u32 = 0x7F80_0000;
const MINUS_INFINITY: u32 = 0xFF80_0000;
/// 200, far beyond overflow and underflow.
const FAR: u32 = 0x4348_0000;
/// The greatest exponent of a float, and the number whose power underflows and whose exponent field is 0.
const EXPONENT: f32 = 127.0;
/// What `vfixupimmps` makes of LN2's result by the argument's class, four bits for each from the lowest on: quiet and signalling
/// NaN, zero, one, infinity below and above, number below and above zero. 0 keeps the result, 3 is a NaN, 4 and 5 are infinities.
const LN2_SPECIALS: u32 = 0x0353_0433;
/// The operand of `vrangeps` with the smaller magnitude, as it is.
const LEAST_MAGNITUDE: i32 = 0b0110;
/// Bits that the first operand of `vpternlogd` has, or the other two both have.
const FIRST_OR_BOTH: i32 = 0b1111_1000;

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
        match self.isa {
            VectorIsa::Avx512 => {
                let f = self.rest_of_turns(x);
                let near = self.round(Round::Even, Arg::Reg(x));
                let p = self.ex2_of_rest(f);
                self.vector(Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er, &[Arg::Reg(p), Arg::Reg(near)])
            }
            VectorIsa::Avx2 if self.ranges.get(a).hi <= EXPONENT => self.ex2_below_overflow(x, self.ranges.get(a).lo),
            VectorIsa::Avx2 => self.ex2_by_integers(x),
        }
    }

    fn ex2_of_rest(&mut self, f: Reg) -> Reg {
        let p = self.horner(&EX2_COEFFICIENTS, f);
        let one = self.constant(ONE);
        self.fused(p, Arg::Reg(f), one)
    }

    /// Of at most 127: the power of two is one float, or 0 where the result underflows.
    fn ex2_below_overflow(&mut self, mut x: Reg, least: f32) -> Reg {
        if least < -EXPONENT {
            // Written this way round, the maximum is a NaN for a NaN.
            let limit = self.constant_reg((-EXPONENT).to_bits());
            x = self.two(Vop::Max, limit, x);
        }
        let shifted = self.with_constant(Vop::Add, x, ROUNDER);
        let near = self.with_constant(Vop::Sub, shifted, ROUNDER);
        let f = self.two(Vop::Sub, x, near);
        let p = self.ex2_of_rest(f);
        let power = self.shifted(Vop::ShiftLeft, shifted, 23);
        let power = self.with_constant(Vop::IntAdd, power, ONE);
        self.two(Vop::Mul, p, power)
    }

    /// The powers of two are made of their exponents.
    fn ex2_by_integers(&mut self, x: Reg) -> Reg {
        let far = self.constant(FAR);
        // Written the other way round, minimum and maximum give their second operand for a NaN.
        let limit = self.load_arg(far);
        let x = self.two(Vop::Min, limit, x);
        let limit = self.constant_reg(FAR | SIGN);
        let x = self.two(Vop::Max, limit, x);
        let shifted = self.with_constant(Vop::Add, x, ROUNDER);
        let near = self.with_constant(Vop::Sub, shifted, ROUNDER);
        let f = self.two(Vop::Sub, x, near);
        let p = self.ex2_of_rest(f);
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
        let e = self.vector_op(Vop::FromInt, &[Arg::Reg(k)]);
        let q = self.horner(&LN2_COEFFICIENTS, d);
        let result = self.fused(q, Arg::Reg(d), Arg::Reg(e));
        match self.isa {
            VectorIsa::Avx512 => {
                let specials = self.constant(LN2_SPECIALS);
                let kind = InstKind::Tied(Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae);
                self.define(Class::Vector, kind, &[Arg::Reg(result), Arg::Reg(x), specials, Arg::Imm(0)])
            }
            VectorIsa::Avx2 => self.ln2_of_specials(x, self.ranges.get(a), result),
        }
    }

    fn ln2_of_specials(&mut self, x: Reg, range: ValueRange, mut result: Reg) -> Reg {
        // In code that speculates there may be a NaN, whatever the range says.
        let is_positive = range.lo >= f32::MIN_POSITIVE;
        if is_positive || range.hi == f32::INFINITY {
            let infinity = self.constant(INFINITY);
            let beyond = self.compare(FloatTest::Uge, x, infinity, None);
            result = self.blend(beyond, Arg::Reg(x), result);
        }
        if is_positive {
            return result;
        }
        let zero = self.constant(0);
        let not_positive = self.compare(FloatTest::Ule, x, zero, None);
        let nan = self.constant(NAN);
        result = self.blend(not_positive, nan, result);
        let is_zero = self.compare(FloatTest::Oeq, x, zero, None);
        let minus_infinity = self.constant(MINUS_INFINITY);
        self.blend(is_zero, minus_infinity, result)
    }

    /// x minus the nearest integer, +0 for infinities and zeros: the instruction of AVX-512.
    fn rest_of_turns(&mut self, x: Reg) -> Reg {
        self.vector(Code::EVEX_Vreduceps_zmm_k1z_zmmm512b32_imm8_sae, &[Arg::Reg(x), Arg::Imm(8)])
    }

    fn is_fraction(&self, a: Value) -> bool {
        matches!(self.function.defining_op(a), Some((Op::Frc {}, _)))
    }

    /// x minus the nearest integer; a NaN for infinities.
    fn reduced_turns(&mut self, a: Value, keeps_zeros: bool) -> Reg {
        let x = self.reg(a);
        let range = self.ranges.get(a);
        // Up to a half the nearest integer is 0.
        if range.lo >= -0.5 && range.hi <= 0.5 && !range.denormal {
            return x;
        }
        let is_finite = range.lo > f32::NEG_INFINITY && range.hi < f32::INFINITY;
        // A fraction is no -0.
        let is_fraction = self.is_fraction(a);
        if self.isa == VectorIsa::Avx512 && is_finite && (is_fraction || !keeps_zeros) {
            return self.rest_of_turns(x);
        }
        let mut near = self.round(Round::Even, Arg::Reg(x));
        if keeps_zeros && !is_fraction {
            // The steps have 0 for what rounds to -0.
            near = self.with_constant(Vop::Add, near, 0);
        }
        self.two(Vop::Sub, x, near)
    }

    /// The sine of up to a quarter turn to either side.
    fn sine_of_quarter(&mut self, r: Reg) -> Reg {
        let q = self.sine_below_one(r);
        let minus_one = self.constant_reg(ONE | SIGN);
        self.two(Vop::Max, minus_one, q)
    }

    /// The same, but for what is less than -1.
    fn sine_below_one(&mut self, r: Reg) -> Reg {
        let square = self.two(Vop::Mul, r, r);
        let q = self.horner(&SIN_COEFFICIENTS, square);
        let q = self.two(Vop::Mul, q, r);
        // The second operand is the result for a NaN.
        let one = self.constant_reg(ONE);
        self.two(Vop::Min, one, q)
    }

    pub fn sin(&mut self, a: Value) -> Reg {
        let r = self.reduced_turns(a, true);
        if self.isa == VectorIsa::Avx2 && self.is_fraction(a) {
            return self.sine_of_magnitude(r);
        }
        let half = self.signed_half(r);
        let folded = self.two(Vop::Sub, half, r);
        let r = match self.isa {
            VectorIsa::Avx512 => {
                let code = Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
                self.vector(code, &[Arg::Reg(r), Arg::Reg(folded), Arg::Imm(LEAST_MAGNITUDE)])
            }
            VectorIsa::Avx2 => {
                let magnitude = self.with_constant(Vop::And, r, !SIGN);
                let quarter = self.constant(QUARTER);
                let folds = self.compare(FloatTest::Ogt, magnitude, quarter, None);
                self.blend(folds, Arg::Reg(folded), r)
            }
        };
        self.sine_of_quarter(r)
    }

    /// The sine of what a fraction is from the nearest integer: that of the magnitude, with the sign, as all steps are odd. The half turn
    /// that is negative, whose sine is +0, is not among these.
    fn sine_of_magnitude(&mut self, r: Reg) -> Reg {
        let sign = self.with_constant(Vop::And, r, SIGN);
        let magnitude = self.with_constant(Vop::And, r, !SIGN);
        let half = self.constant_reg(HALF);
        let folded = self.two(Vop::Sub, half, magnitude);
        // Where the magnitude is beyond a quarter, the difference is exact, and less.
        let quarter = self.two(Vop::Min, folded, magnitude);
        let sine = self.sine_below_one(quarter);
        self.two(Vop::Or, sine, sign)
    }

    /// 1/2 with the sign of r.
    fn signed_half(&mut self, r: Reg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => {
                let (half, sign) = (self.constant_reg(HALF), self.constant(SIGN));
                let kind = InstKind::Tied(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8);
                self.define(Class::Vector, kind, &[Arg::Reg(half), Arg::Reg(r), sign, Arg::Imm(FIRST_OR_BOTH)])
            }
            VectorIsa::Avx2 => {
                let sign = self.with_constant(Vop::And, r, SIGN);
                self.with_constant(Vop::Or, sign, HALF)
            }
        }
    }

    pub fn cos(&mut self, a: Value) -> Reg {
        let r = self.reduced_turns(a, false);
        let magnitude = self.with_constant(Vop::And, r, !SIGN);
        let quarter = self.constant_reg(QUARTER);
        let r = self.two(Vop::Sub, quarter, magnitude);
        self.sine_of_quarter(r)
    }
}
