//! EX2, LN2, SIN and COS: the steps of `ctm_num::x1k`, in their order.

use super::Selector;
use super::arithmetic::{ONE, SIGN};
use crate::jit::mir::{Arg, Class, Kind, Reg};
use ctm_lane::{FloatTest, Value};
use ctm_num::x1k::{EX2_COEFFICIENTS, LN2_COEFFICIENTS, SIN_COEFFICIENTS, X1K_NAN};
use iced_x86::Code;

const ROUNDER: u32 = 0x4B40_0000;
const UNIT_SPACED: u32 = 0x4B00_0000;
const SQRT_HALF: u32 = 0x3F35_04F3;
const HALF: u32 = 0x3F00_0000;
const QUARTER: u32 = 0x3E80_0000;
const INFINITY: u32 = 0x7F80_0000;
const MINUS_INFINITY: u32 = 0xFF80_0000;
/// 200, far beyond overflow and underflow.
const FAR: u32 = 0x4348_0000;

const ADD: Code = Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er;
const SUB: Code = Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
const MUL: Code = Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
const INT_ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const INT_SUB: Code = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const SHIFT_LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_RIGHT: Code = Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8;

impl Selector<'_> {
    fn two(&mut self, code: Code, a: Reg, b: Reg) -> Reg {
        self.vector(code, &[Arg::Reg(a), Arg::Reg(b)])
    }

    fn with_constant(&mut self, code: Code, a: Reg, bits: u32) -> Reg {
        let bits = self.constant(bits);
        self.vector(code, &[Arg::Reg(a), bits])
    }

    fn shift(&mut self, code: Code, a: Reg, count: i32) -> Reg {
        self.vector(code, &[Arg::Reg(a), Arg::Imm(count)])
    }

    fn fused(&mut self, a: Reg, b: Reg, c: Arg) -> Reg {
        let kind = Kind::Fma { negate_product: false, negate_addend: false };
        self.define(Class::Vector, kind, &[Arg::Reg(a), Arg::Reg(b), c])
    }

    fn horner(&mut self, coefficients: &[u32], x: Reg) -> Reg {
        let (&last, others) = coefficients.split_last().unwrap_or((&0, &[]));
        let mut sum = self.constant_reg(last);
        for &coefficient in others.iter().rev() {
            let coefficient = self.constant(coefficient);
            sum = self.fused(sum, x, coefficient);
        }
        sum
    }

    /// The operand with denormals as zeros, where an integer operation reads it.
    fn flushed(&mut self, a: Value) -> Reg {
        let reg = self.reg(a);
        if self.ranges.get(a).denormal { self.with_constant(MUL, reg, ONE) } else { reg }
    }

    pub fn ex2(&mut self, a: Value) -> Reg {
        let x = self.reg(a);
        let far = self.constant(FAR);
        // Written the other way round, minimum and maximum give their second operand for a NaN.
        let limit = self.load_arg(far);
        let x = self.two(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, limit, x);
        let limit = self.constant_reg(FAR | SIGN);
        let x = self.two(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, limit, x);
        let shifted = self.with_constant(ADD, x, ROUNDER);
        let near = self.with_constant(SUB, shifted, ROUNDER);
        let f = self.two(SUB, x, near);
        let p = self.horner(&EX2_COEFFICIENTS, f);
        let one = self.constant(ONE);
        let p = self.fused(p, f, one);
        let n = self.with_constant(INT_SUB, shifted, ROUNDER);
        let half = self.shift(SHIFT_RIGHT, n, 1);
        let rest = self.two(INT_SUB, n, half);
        let first = self.shift(SHIFT_LEFT, half, 23);
        let first = self.with_constant(INT_ADD, first, ONE);
        let second = self.shift(SHIFT_LEFT, rest, 23);
        let second = self.with_constant(INT_ADD, second, ONE);
        let scaled = self.two(MUL, p, first);
        self.two(MUL, scaled, second)
    }

    pub fn ln2(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let k = self.with_constant(INT_SUB, x, SQRT_HALF);
        let k = self.shift(SHIFT_RIGHT, k, 23);
        let scale = self.shift(SHIFT_LEFT, k, 23);
        let m = self.two(INT_SUB, x, scale);
        let d = self.with_constant(SUB, m, ONE);
        let e = self.with_constant(INT_ADD, k, ROUNDER);
        let e = self.with_constant(SUB, e, ROUNDER);
        let q = self.horner(&LN2_COEFFICIENTS, d);
        let result = self.fused(q, d, Arg::Reg(e));
        let infinity = self.constant(INFINITY);
        let beyond = self.compare(FloatTest::Uge, x, infinity, None);
        let result = self.blend(beyond, infinity, result);
        let zero = self.constant(0);
        let not_positive = self.compare(FloatTest::Ule, x, zero, None);
        let nan = self.constant(X1K_NAN);
        let result = self.blend(not_positive, nan, result);
        let is_zero = self.compare(FloatTest::Oeq, x, zero, None);
        let minus_infinity = self.constant(MINUS_INFINITY);
        self.blend(is_zero, minus_infinity, result)
    }

    /// x minus the nearest integer.
    fn reduced_turns(&mut self, x: Reg) -> Reg {
        let sign = self.with_constant(AND, x, SIGN);
        let shift = self.with_constant(OR, sign, UNIT_SPACED);
        let near = self.two(ADD, x, shift);
        let near = self.two(SUB, near, shift);
        let magnitude = self.with_constant(AND, x, !SIGN);
        let spaced = self.constant(UNIT_SPACED);
        let is_small = self.compare(FloatTest::Olt, magnitude, spaced, None);
        let n = self.blend(is_small, Arg::Reg(near), x);
        self.two(SUB, x, n)
    }

    fn sine_of_quarter(&mut self, r: Reg) -> Reg {
        let square = self.two(MUL, r, r);
        let q = self.horner(&SIN_COEFFICIENTS, square);
        let q = self.two(MUL, q, r);
        let magnitude = self.with_constant(AND, q, !SIGN);
        let one = self.constant_reg(ONE);
        let magnitude = self.two(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, one, magnitude);
        let sign = self.with_constant(AND, r, SIGN);
        self.two(OR, magnitude, sign)
    }

    pub fn sin(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let r = self.reduced_turns(x);
        let sign = self.with_constant(AND, r, SIGN);
        let half = self.with_constant(OR, sign, HALF);
        let magnitude = self.with_constant(AND, r, !SIGN);
        let quarter = self.constant(QUARTER);
        let folds = self.compare(FloatTest::Ogt, magnitude, quarter, None);
        let folded = self.two(SUB, half, r);
        let r = self.blend(folds, Arg::Reg(folded), r);
        self.sine_of_quarter(r)
    }

    pub fn cos(&mut self, a: Value) -> Reg {
        let x = self.flushed(a);
        let r = self.reduced_turns(x);
        let magnitude = self.with_constant(AND, r, !SIGN);
        let quarter = self.constant_reg(QUARTER);
        let r = self.two(SUB, quarter, magnitude);
        self.sine_of_quarter(r)
    }
}
