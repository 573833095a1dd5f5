//! What each ALU operation computes from the operands of one unit (R700 guide chapter 4).

use super::machine::LiftState;
use crate::alu::{AluOp, Op2, Op3, Reduction};
use crate::codes::{Family, OutputModifier};
use crate::job::TrapKind;
use ctm_lane::{Bits, Denorm, FloatTest, IntTest, Round, Value, Zero};
use ctm_num::r700::{MAXF, R700_NAN};

const FTZ: Denorm = Denorm::Flush;
const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
/// 256.0, the largest magnitude that SIN and COS of R700 take.
const TRIG_LIMIT: u32 = 0x4380_0000;
/// 1 / (2 pi).
const TURNS_PER_RADIAN: u32 = 0x3E22_F983;

/// What an operation gives.
pub(super) enum OpResult {
    /// A result.
    Value(Value),
    /// A component of the address register.
    Address(Value),
    /// The lanes that pass, and a result.
    Predicate { pass: Value, value: Value },
    /// The lanes that are killed.
    Kill(Value),
}

impl LiftState<'_> {
    /// Computes an operation that works on the operands of one unit.
    ///
    /// # Errors
    /// The trap of operations that are not executed.
    pub fn operation(&mut self, op: AluOp, family: Family, args: [Value; 3]) -> Result<OpResult, TrapKind> {
        match op {
            AluOp::Op2(op) if op.properties().families.has(family) => self.op2(op, family, args[0], args[1]),
            AluOp::Op3(op) => self.op3(op, args).map(OpResult::Value),
            AluOp::Op2(_) | AluOp::Reserved2(_) | AluOp::Reserved3(_) => Err(TrapKind::BadOpcode),
        }
    }

    fn op2(&mut self, op: Op2, family: Family, a: Value, b: Value) -> Result<OpResult, TrapKind> {
        use FloatTest::{Oeq, Oge, Ogt, Une};
        use IntTest::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt};
        use OpResult::{Address, Kill, Value};
        Ok(match op {
            Op2::Add => Value(self.add_floats(a, b)),
            Op2::Mul => Value(self.mul(a, b)),
            Op2::MulIeee => Value(self.mul_ieee(a, b)),
            Op2::Max => Value(self.max(a, b)),
            Op2::Min => Value(self.b.fmin(FTZ, a, b)),
            Op2::MaxDx10 => {
                let value = self.max(a, b);
                Value(self.unless_nan(b, value, a))
            }
            Op2::MinDx10 => {
                let value = self.b.fmin(FTZ, a, b);
                Value(self.unless_nan(b, value, a))
            }
            Op2::SetE => Value(self.set_float(Oeq, a, b)),
            Op2::SetGt => Value(self.set_float(Ogt, a, b)),
            Op2::SetGe => Value(self.set_float(Oge, a, b)),
            Op2::SetNe => Value(self.set_float(Une, a, b)),
            Op2::SetEDx10 => Value(self.set_mask(Oeq, a, b)),
            Op2::SetGtDx10 => Value(self.set_mask(Ogt, a, b)),
            Op2::SetGeDx10 => Value(self.set_mask(Oge, a, b)),
            Op2::SetNeDx10 => Value(self.set_mask(Une, a, b)),
            Op2::Fract => Value(self.fract(a)),
            Op2::Trunc => Value(self.round(Round::Trunc, a)),
            Op2::Ceil => Value(self.round(Round::Ceil, a)),
            Op2::RndNe => Value(self.round(Round::Even, a)),
            Op2::Floor => Value(self.round(Round::Floor, a)),
            Op2::MovA => {
                let half = self.b.constant(HALF);
                let sum = self.b.fadd(FTZ, a, half);
                Address(self.address_of_float(sum))
            }
            Op2::MovAFloor => Address(self.address_of_float(a)),
            Op2::MovAInt => Address(self.address(a)),
            Op2::Mov => Value(a),
            Op2::Nop => Value(self.b.constant(0)),
            Op2::PredSetGtUint => self.predicate_int(Ugt, a, b),
            Op2::PredSetGeUint => self.predicate_int(Uge, a, b),
            Op2::PredSetE => self.predicate_float(Oeq, a, b),
            Op2::PredSetGt => self.predicate_float(Ogt, a, b),
            Op2::PredSetGe => self.predicate_float(Oge, a, b),
            Op2::PredSetNe => self.predicate_float(Une, a, b),
            Op2::PredSetInv => {
                let (zero, one) = (self.b.constant(0), self.b.constant(ONE));
                let pass = self.b.fcmp(Oeq, FTZ, a, one);
                let is_zero = self.b.fcmp(Oeq, FTZ, a, zero);
                let otherwise = self.b.select(is_zero, one, a);
                OpResult::Predicate { pass, value: self.b.select(pass, zero, otherwise) }
            }
            Op2::PredSetPop => {
                let pass = self.b.fcmp(Oge, FTZ, b, a);
                let difference = self.b.fsub(FTZ, a, b);
                let difference = self.with_nan(difference, &[a, b]);
                let zero = self.b.constant(0);
                OpResult::Predicate { pass, value: self.b.select(pass, zero, difference) }
            }
            Op2::PredSetClr => OpResult::Predicate { pass: self.b.mask_constant(false), value: self.b.constant(MAXF) },
            Op2::PredSetRestore => {
                let zero = self.b.constant(0);
                OpResult::Predicate { pass: self.b.fcmp(Oeq, FTZ, a, zero), value: a }
            }
            Op2::PredSetEPush => self.predicate_push_float(Oeq, a, b),
            Op2::PredSetGtPush => self.predicate_push_float(Ogt, a, b),
            Op2::PredSetGePush => self.predicate_push_float(Oge, a, b),
            Op2::PredSetNePush => self.predicate_push_float(Une, a, b),
            Op2::KillE => Kill(self.b.fcmp(Oeq, FTZ, a, b)),
            Op2::KillGt => Kill(self.b.fcmp(Ogt, FTZ, a, b)),
            Op2::KillGe => Kill(self.b.fcmp(Oge, FTZ, a, b)),
            Op2::KillNe => Kill(self.b.fcmp(Une, FTZ, a, b)),
            Op2::AndInt => Value(self.b.and(a, b)),
            Op2::OrInt => Value(self.b.or(a, b)),
            Op2::XorInt => Value(self.b.xor(a, b)),
            Op2::NotInt => {
                let ones = self.b.constant(u32::MAX);
                Value(self.b.xor(a, ones))
            }
            Op2::AddInt => Value(self.b.iadd(a, b)),
            Op2::SubInt => Value(self.b.isub(a, b)),
            Op2::MaxInt => Value(self.b.smax(a, b)),
            Op2::MinInt => Value(self.b.smin(a, b)),
            Op2::MaxUint => Value(self.b.umax(a, b)),
            Op2::MinUint => Value(self.b.umin(a, b)),
            Op2::SetEInt => Value(self.set_int(Eq, a, b)),
            Op2::SetGtInt => Value(self.set_int(Sgt, a, b)),
            Op2::SetGeInt => Value(self.set_int(Sge, a, b)),
            Op2::SetNeInt => Value(self.set_int(Ne, a, b)),
            Op2::SetGtUint => Value(self.set_int(Ugt, a, b)),
            Op2::SetGeUint => Value(self.set_int(Uge, a, b)),
            Op2::KillGtUint => Kill(self.b.icmp(Ugt, a, b)),
            Op2::KillGeUint => Kill(self.b.icmp(Uge, a, b)),
            Op2::PredSetEInt => self.predicate_int(Eq, a, b),
            Op2::PredSetGtInt => self.predicate_int(Sgt, a, b),
            Op2::PredSetGeInt => self.predicate_int(Sge, a, b),
            Op2::PredSetNeInt => self.predicate_int(Ne, a, b),
            Op2::KillEInt => Kill(self.b.icmp(Eq, a, b)),
            Op2::KillGtInt => Kill(self.b.icmp(Sgt, a, b)),
            Op2::KillGeInt => Kill(self.b.icmp(Sge, a, b)),
            Op2::KillNeInt => Kill(self.b.icmp(Ne, a, b)),
            Op2::PredSetEPushInt => self.predicate_push_int(Eq, a, b),
            Op2::PredSetGtPushInt => self.predicate_push_int(Sgt, a, b),
            Op2::PredSetGePushInt => self.predicate_push_int(Sge, a, b),
            Op2::PredSetNePushInt => self.predicate_push_int(Ne, a, b),
            Op2::PredSetLtPushInt => self.predicate_push_int(Slt, a, b),
            Op2::PredSetLePushInt => self.predicate_push_int(Sle, a, b),
            Op2::ExpIeee => {
                let value = self.b.ex2(a);
                Value(self.with_nan(value, &[a]))
            }
            Op2::LogIeee => Value(self.log(a)),
            Op2::LogClamped => {
                let value = self.log(a);
                let (infinity, least) = (self.b.constant(INFINITY | SIGN), self.b.constant(MAXF | SIGN));
                let is_infinite = self.b.icmp(Eq, value, infinity);
                Value(self.b.select(is_infinite, least, value))
            }
            Op2::RecipIeee => Value(self.recip(a)),
            Op2::RecipClamped => {
                let value = self.recip(a);
                Value(self.replace_infinity(value, MAXF))
            }
            Op2::RecipFf => {
                let value = self.recip(a);
                Value(self.replace_infinity(value, 0))
            }
            Op2::RecipSqrtIeee => Value(self.recipsqrt(a)),
            Op2::RecipSqrtClamped => {
                let value = self.recipsqrt(a);
                Value(self.replace_infinity(value, MAXF))
            }
            Op2::RecipSqrtFf => {
                let value = self.recipsqrt(a);
                Value(self.replace_infinity(value, 0))
            }
            Op2::SqrtIeee => {
                let value = self.b.fsqrt(FTZ, a);
                Value(self.with_nan(value, &[a]))
            }
            Op2::FltToInt => Value(self.b.ftoi(a)),
            Op2::FltToUint => Value(self.b.ftou(a)),
            Op2::IntToFlt => Value(self.b.itof(a)),
            Op2::UintToFlt => Value(self.b.utof(a)),
            Op2::Sin => {
                let turns = self.turns(family, a);
                let value = self.b.sin(turns);
                Value(self.trigonometric(family, a, value, 0))
            }
            Op2::Cos => {
                let turns = self.turns(family, a);
                let value = self.b.cos(turns);
                Value(self.trigonometric(family, a, value, ONE))
            }
            Op2::AshrInt => {
                let count = self.shift_count(b);
                Value(self.b.sar(a, count))
            }
            Op2::LshrInt => {
                let count = self.shift_count(b);
                Value(self.b.shr(a, count))
            }
            Op2::LshlInt => {
                let count = self.shift_count(b);
                Value(self.b.shl(a, count))
            }
            Op2::MulLoInt | Op2::MulLoUint => Value(self.b.imul(a, b)),
            Op2::MulHiInt => Value(self.b.smul_high(a, b)),
            Op2::MulHiUint => Value(self.b.umul_high(a, b)),
            Op2::RecipInt => Value(self.recip_int(a)),
            Op2::RecipUint => Value(self.recip_uint(a)),
            Op2::Dot4 | Op2::Dot4Ieee | Op2::Cube | Op2::Max4 => return Err(TrapKind::BadOpcode),
            Op2::MovAGprInt
            | Op2::Frexp64
            | Op2::Add64
            | Op2::Mul64
            | Op2::Flt64ToFlt32
            | Op2::Flt32ToFlt64
            | Op2::Ldexp64
            | Op2::Fract64
            | Op2::PredSetGt64
            | Op2::PredSetE64
            | Op2::PredSetGe64 => return Err(TrapKind::Unsupported(op.name())),
        })
    }

    fn op3(&mut self, op: Op3, [a, b, c]: [Value; 3]) -> Result<Value, TrapKind> {
        Ok(match op {
            Op3::MulLit => self.mul_lit(a, b, c),
            Op3::MulLitM2 => {
                let value = self.mul_lit(a, b, c);
                self.scale(1, value)
            }
            Op3::MulLitM4 => {
                let value = self.mul_lit(a, b, c);
                self.scale(2, value)
            }
            Op3::MulLitD2 => {
                let value = self.mul_lit(a, b, c);
                self.scale(-1, value)
            }
            Op3::MulAdd => self.multiply_add([a, b, c]),
            Op3::MulAddM2 => {
                let value = self.multiply_add([a, b, c]);
                self.scale(1, value)
            }
            Op3::MulAddM4 => {
                let value = self.multiply_add([a, b, c]);
                self.scale(2, value)
            }
            Op3::MulAddD2 => {
                let value = self.multiply_add([a, b, c]);
                self.scale(-1, value)
            }
            Op3::MulAddIeee => self.multiply_add_ieee([a, b, c]),
            Op3::MulAddIeeeM2 => {
                let value = self.multiply_add_ieee([a, b, c]);
                self.scale(1, value)
            }
            Op3::MulAddIeeeM4 => {
                let value = self.multiply_add_ieee([a, b, c]);
                self.scale(2, value)
            }
            Op3::MulAddIeeeD2 => {
                let value = self.multiply_add_ieee([a, b, c]);
                self.scale(-1, value)
            }
            Op3::CndE => self.choose_float(FloatTest::Oeq, [a, b, c]),
            Op3::CndGt => self.choose_float(FloatTest::Ogt, [a, b, c]),
            Op3::CndGe => self.choose_float(FloatTest::Oge, [a, b, c]),
            Op3::CndEInt => self.choose_int(IntTest::Eq, [a, b, c]),
            Op3::CndGtInt => self.choose_int(IntTest::Sgt, [a, b, c]),
            Op3::CndGeInt => self.choose_int(IntTest::Sge, [a, b, c]),
            Op3::MulAdd64 | Op3::MulAdd64M2 | Op3::MulAdd64M4 | Op3::MulAdd64D2 => {
                return Err(TrapKind::Unsupported(op.name()));
            }
        })
    }

    fn multiply_add(&mut self, [a, b, c]: [Value; 3]) -> Value {
        let product = self.mul(a, b);
        self.add_floats(product, c)
    }

    fn multiply_add_ieee(&mut self, [a, b, c]: [Value; 3]) -> Value {
        let product = self.mul_ieee(a, b);
        self.add_floats(product, c)
    }

    /// b where a compares so with 0, else c.
    fn choose_float(&mut self, test: FloatTest, [a, b, c]: [Value; 3]) -> Value {
        let zero = self.b.constant(0);
        let lanes = self.b.fcmp(test, FTZ, a, zero);
        self.b.select(lanes, b, c)
    }

    /// b where a compares so with 0, else c.
    fn choose_int(&mut self, test: IntTest, [a, b, c]: [Value; 3]) -> Value {
        let zero = self.b.constant(0);
        let lanes = self.b.icmp(test, a, zero);
        self.b.select(lanes, b, c)
    }

    /// Computes a reduction from the operands of units x, y, z, w: what each of them gives.
    pub fn reduction(&mut self, op: Reduction, a: [Value; 4], b: [Value; 4]) -> [Value; 4] {
        match op {
            Reduction::Dot4 => {
                let products = std::array::from_fn(|k| self.mul(a[k], b[k]));
                [self.sum(products); 4]
            }
            Reduction::Dot4Ieee => {
                let products = std::array::from_fn(|k| self.mul_ieee(a[k], b[k]));
                [self.sum(products); 4]
            }
            Reduction::Cube => self.cube([a[2], a[3], a[0]]),
            Reduction::Max4 => {
                let (left, right) = (self.max(a[0], a[1]), self.max(a[2], a[3]));
                [self.max(left, right); 4]
            }
        }
    }

    fn sum(&mut self, products: [Value; 4]) -> Value {
        products[1..].iter().fold(products[0], |sum, &product| self.add_floats(sum, product))
    }

    fn cube(&mut self, [x, y, z]: [Value; 3]) -> [Value; 4] {
        let zero = self.b.constant(0);
        let [size_x, size_y, size_z] = [x, y, z].map(|axis| self.b.abs(axis));
        let [minus_x, minus_y, minus_z] = [x, y, z].map(|axis| self.b.neg(axis));
        let [x_is_low, y_is_low, z_is_low] = [x, y, z].map(|axis| self.b.fcmp(FloatTest::Olt, FTZ, axis, zero));
        let z_over_x = self.b.fcmp(FloatTest::Oge, FTZ, size_z, size_x);
        let z_over_y = self.b.fcmp(FloatTest::Oge, FTZ, size_z, size_y);
        let on_z = self.b.mask_and(z_over_x, z_over_y);
        let on_y = self.b.fcmp(FloatTest::Oge, FTZ, size_y, size_x);
        let face = |machine: &mut Self, low: Value, positive: f32| {
            let (negative, positive) = (machine.b.float_constant(positive + 1.0), machine.b.float_constant(positive));
            machine.b.select(low, negative, positive)
        };
        let faces = [face(self, x_is_low, 0.0), face(self, y_is_low, 2.0), face(self, z_is_low, 4.0)];
        let s_x = self.b.select(x_is_low, z, minus_z);
        let t_y = self.b.select(y_is_low, minus_z, z);
        let s_z = self.b.select(z_is_low, minus_x, x);
        let t = [minus_y, t_y, minus_y];
        let s = [s_x, x, s_z];
        let mut choose = |[of_x, of_y, of_z]: [Value; 3]| {
            let value = self.b.select(on_y, of_y, of_x);
            self.b.select(on_z, of_z, value)
        };
        let [t, s, axis, face] = [t, s, [x, y, z], faces].map(&mut choose);
        [t, s, self.scale(1, axis), face]
    }

    /// The output modifier, then the clamp. A result without either keeps its bits.
    pub fn modify(&mut self, value: Value, omod: OutputModifier, clamp: bool, dx10_clamp: bool) -> Value {
        let scaled = match omod {
            OutputModifier::None => value,
            OutputModifier::Mul2 => self.scale(1, value),
            OutputModifier::Mul4 => self.scale(2, value),
            OutputModifier::Div2 => self.scale(-1, value),
        };
        if !clamp {
            return scaled;
        }
        let clamped = self.b.clamp01(FTZ, scaled);
        if dx10_clamp { clamped } else { self.unless_nan(scaled, clamped, scaled) }
    }

    /// 1.0 in the lanes, 0.0 in the others.
    pub fn float_of_mask(&mut self, lanes: Value) -> Value {
        let (one, zero) = (self.b.constant(ONE), self.b.constant(0));
        self.b.select(lanes, one, zero)
    }

    /// The result of an operation with these operands: a NaN becomes the first operand's, quieted, or the machine's own.
    pub fn with_nan(&mut self, result: Value, operands: &[Value]) -> Value {
        let mut result = self.b.canon_nan(Bits(R700_NAN), result);
        for (at, &operand) in operands.iter().enumerate().rev() {
            let constant = self.b.function.lane_constant(operand);
            let is_number = constant.is_some_and(|bits| !f32::from_bits(bits).is_nan());
            if !is_number && !operands[..at].contains(&operand) {
                result = self.b.pass_nan(result, operand);
            }
        }
        result
    }

    /// `value`, but `otherwise` where `tested` is a NaN.
    fn unless_nan(&mut self, tested: Value, value: Value, otherwise: Value) -> Value {
        let is_nan = self.b.fcmp(FloatTest::Uno, FTZ, tested, tested);
        self.b.select(is_nan, otherwise, value)
    }

    pub fn add_floats(&mut self, a: Value, b: Value) -> Value {
        let sum = self.b.fadd(FTZ, a, b);
        self.with_nan(sum, &[a, b])
    }

    pub fn sub_floats(&mut self, a: Value, b: Value) -> Value {
        let difference = self.b.fsub(FTZ, a, b);
        self.with_nan(difference, &[a, b])
    }

    pub fn mul_ieee(&mut self, a: Value, b: Value) -> Value {
        let product = self.b.fmul(FTZ, Zero::Ieee, a, b);
        self.with_nan(product, &[a, b])
    }

    /// A product that is +0 where a factor is a zero.
    fn mul(&mut self, a: Value, b: Value) -> Value {
        let product = self.b.fmul(FTZ, Zero::Always, a, b);
        self.with_nan(product, &[a, b])
    }

    pub fn scale(&mut self, exponent: i32, value: Value) -> Value {
        let scaled = self.b.scale(exponent, value);
        self.with_nan(scaled, &[value])
    }

    pub fn max(&mut self, a: Value, b: Value) -> Value {
        let lanes = self.b.fcmp(FloatTest::Oge, FTZ, a, b);
        self.b.select(lanes, a, b)
    }

    pub fn round(&mut self, round: Round, a: Value) -> Value {
        let rounded = self.b.fround(round, FTZ, a);
        self.with_nan(rounded, &[a])
    }

    pub fn fract(&mut self, a: Value) -> Value {
        let floor = self.b.fround(Round::Floor, FTZ, a);
        let difference = self.b.fsub(FTZ, a, floor);
        self.with_nan(difference, &[a])
    }

    fn mul_lit(&mut self, a: Value, b: Value, c: Value) -> Value {
        let (least, infinity, zero) =
            (self.b.constant(MAXF | SIGN), self.b.constant(INFINITY | SIGN), self.b.constant(0));
        let product = self.mul_ieee(a, b);
        let mut lit = self.b.fcmp(FloatTest::Olt, FTZ, zero, c);
        for limit in [least, infinity] {
            let above = self.b.icmp(IntTest::Ne, b, limit);
            lit = self.b.mask_and(lit, above);
        }
        let is_number = self.b.fcmp(FloatTest::Ord, FTZ, b, b);
        let lit = self.b.mask_and(lit, is_number);
        self.b.select(lit, product, least)
    }

    pub fn log(&mut self, a: Value) -> Value {
        let value = self.b.ln2(a);
        self.with_nan(value, &[a])
    }

    fn recip(&mut self, a: Value) -> Value {
        let value = self.b.rcp(FTZ, a);
        self.with_nan(value, &[a])
    }

    fn recipsqrt(&mut self, a: Value) -> Value {
        let value = self.b.rsq(FTZ, a);
        self.with_nan(value, &[a])
    }

    /// `value`, but the given magnitude for infinities.
    fn replace_infinity(&mut self, value: Value, magnitude: u32) -> Value {
        let (sign, infinity, magnitude) =
            (self.b.constant(SIGN), self.b.constant(INFINITY), self.b.constant(magnitude));
        let size = self.b.abs(value);
        let is_infinite = self.b.icmp(IntTest::Eq, size, infinity);
        let sign = self.b.and(value, sign);
        let replaced = self.b.or(sign, magnitude);
        self.b.select(is_infinite, replaced, value)
    }

    /// What SIN and COS of a are taken of.
    fn turns(&mut self, family: Family, a: Value) -> Value {
        match family {
            Family::R700 => a,
            Family::R600 => {
                let factor = self.b.constant(TURNS_PER_RADIAN);
                self.mul_ieee(a, factor)
            }
        }
    }

    /// SIN or COS of a, given for arguments of any size: on R700 it is `outside` beyond 256 turns.
    fn trigonometric(&mut self, family: Family, a: Value, value: Value, outside: u32) -> Value {
        let value = self.with_nan(value, &[a]);
        if family == Family::R600 {
            return value;
        }
        let (limit, infinity, outside) =
            (self.b.constant(TRIG_LIMIT), self.b.constant(INFINITY), self.b.constant(outside));
        let size = self.b.abs(a);
        let over = self.b.fcmp(FloatTest::Ogt, Denorm::Flush, size, limit);
        let finite = self.b.fcmp(FloatTest::Olt, Denorm::Flush, size, infinity);
        let is_outside = self.b.mask_and(over, finite);
        self.b.select(is_outside, outside, value)
    }

    /// floor(2^32 / a), saturated.
    fn recip_uint(&mut self, a: Value) -> Value {
        let (ones, one) = (self.b.constant(u32::MAX), self.b.constant(1));
        // Of 2^32 - 1 the quotient is the same, but where a divides 2^32: there the remainder is a - 1.
        let quotient = self.b.udiv(ones, a);
        let product = self.b.imul(quotient, a);
        let (remainder, most) = (self.b.isub(ones, product), self.b.isub(a, one));
        let divides = self.b.icmp(IntTest::Eq, remainder, most);
        let next = self.b.iadd(quotient, one);
        let value = self.b.select(divides, next, quotient);
        let saturates = self.b.icmp(IntTest::Ule, a, one);
        self.b.select(saturates, ones, value)
    }

    /// The sign of a times floor(2^31 / |a|), saturated.
    fn recip_int(&mut self, a: Value) -> Value {
        let (zero, dividend, most) = (self.b.constant(0), self.b.constant(1 << 31), self.b.constant(i32::MAX as u32));
        let minus = self.b.isub(zero, a);
        let size = self.b.smax(a, minus);
        let quotient = self.b.udiv(dividend, size);
        let magnitude = self.b.umin(quotient, most);
        let negative = self.b.isub(zero, magnitude);
        let is_negative = self.b.icmp(IntTest::Slt, a, zero);
        self.b.select(is_negative, negative, magnitude)
    }

    /// The machine looks at five bits of a count, the lane operations at all.
    fn shift_count(&mut self, count: Value) -> Value {
        let bits = self.b.constant(31);
        self.b.and(count, bits)
    }

    fn address_of_float(&mut self, a: Value) -> Value {
        let floor = self.b.fround(Round::Floor, FTZ, a);
        let integer = self.b.ftoi(floor);
        self.address(integer)
    }

    fn address(&mut self, a: Value) -> Value {
        let (least, most) = (self.b.constant((-256i32).cast_unsigned()), self.b.constant(255));
        let value = self.b.smax(a, least);
        self.b.smin(value, most)
    }

    fn set_float(&mut self, test: FloatTest, a: Value, b: Value) -> Value {
        let lanes = self.b.fcmp(test, FTZ, a, b);
        self.float_of_mask(lanes)
    }

    fn ones_of_mask(&mut self, lanes: Value) -> Value {
        let (ones, zero) = (self.b.constant(u32::MAX), self.b.constant(0));
        self.b.select(lanes, ones, zero)
    }

    fn set_mask(&mut self, test: FloatTest, a: Value, b: Value) -> Value {
        let lanes = self.b.fcmp(test, FTZ, a, b);
        self.ones_of_mask(lanes)
    }

    fn set_int(&mut self, test: IntTest, a: Value, b: Value) -> Value {
        let lanes = self.b.icmp(test, a, b);
        self.ones_of_mask(lanes)
    }

    fn predicate(&mut self, pass: Value) -> OpResult {
        let (zero, one) = (self.b.constant(0), self.b.constant(ONE));
        OpResult::Predicate { pass, value: self.b.select(pass, zero, one) }
    }

    fn predicate_float(&mut self, test: FloatTest, a: Value, b: Value) -> OpResult {
        let pass = self.b.fcmp(test, FTZ, a, b);
        self.predicate(pass)
    }

    fn predicate_int(&mut self, test: IntTest, a: Value, b: Value) -> OpResult {
        let pass = self.b.icmp(test, a, b);
        self.predicate(pass)
    }

    fn predicate_push_float(&mut self, test: FloatTest, a: Value, b: Value) -> OpResult {
        let zero = self.b.constant(0);
        let holds = self.b.fcmp(test, FTZ, b, zero);
        self.predicate_push(a, holds)
    }

    fn predicate_push_int(&mut self, test: IntTest, a: Value, b: Value) -> OpResult {
        let zero = self.b.constant(0);
        let holds = self.b.icmp(test, b, zero);
        self.predicate_push(a, holds)
    }

    fn predicate_push(&mut self, a: Value, holds: Value) -> OpResult {
        let (zero, one) = (self.b.constant(0), self.b.constant(ONE));
        let is_zero = self.b.fcmp(FloatTest::Oeq, FTZ, a, zero);
        let pass = self.b.mask_and(holds, is_zero);
        let next = self.add_floats(a, one);
        OpResult::Predicate { pass, value: self.b.select(pass, zero, next) }
    }
}
