//! What operations calculate, as lane IR: the same steps as the reference's, in the same order.

use crate::operation::{MacroOp, MathOp, VectorOp};
use ctm_lane::{Bits, Builder, Denorm, FloatTest, IntTest, Round, Value, Zero};
use ctm_num::x1k::X1K_NAN;

/// A vector, or an operand.
pub type Vector = [Value; 4];

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const GREATEST: u32 = 0x7F7F_FFFF;
const LOG2_E: u32 = 0x3FB8_AA3B;
const TURNS: u32 = 0x3E22_F983;
const LARGEST_POWER: f32 = 128.0;

/// What an operation gives.
pub struct Results {
    /// What is written.
    pub values: Vector,
    /// The lanes in which each component is written, if not in all.
    pub writes: [Option<Value>; 4],
    /// What becomes of the predicate.
    pub predicate: Option<Value>,
}

/// A test of a number against 0.
#[derive(Clone, Copy)]
enum Test {
    Equal,
    Greater,
    GreaterEqual,
    NotEqual,
}

impl Test {
    fn float(self) -> FloatTest {
        match self {
            Test::Equal => FloatTest::Oeq,
            Test::Greater => FloatTest::Ogt,
            Test::GreaterEqual => FloatTest::Oge,
            Test::NotEqual => FloatTest::Une,
        }
    }
}

/// Operations on a function that is built.
pub struct Arithmetic<'b>(pub &'b mut Builder);

impl Arithmetic<'_> {
    /// The results of an operation of the vector engine; `None` if there are none.
    pub fn vector(&mut self, op: VectorOp, [a, b, c]: [Vector; 3]) -> Option<Results> {
        Some(match op {
            VectorOp::NoOp => return None,
            VectorOp::DotProduct => {
                let mut sum = self.product(a[0], b[0]);
                for k in 1..4 {
                    let product = self.product(a[k], b[k]);
                    sum = self.add(sum, product);
                }
                self.all(sum)
            }
            VectorOp::Multiply => self.each(|m, k| m.product(a[k], b[k])),
            VectorOp::Add => self.each(|m, k| m.add(a[k], b[k])),
            VectorOp::MultiplyAdd => self.each(|m, k| m.multiply_add(a[k], b[k], c[k])),
            VectorOp::DistanceVector => {
                let (one, product) = (self.number(1.0), self.product(a[1], b[1]));
                self.canonical_results([one, product, a[2], b[3]])
            }
            VectorOp::Fraction => self.each(|m, k| m.0.frc(a[k])),
            VectorOp::Maximum => self.each(|m, k| m.maximum(a[k], b[k])),
            VectorOp::Minimum => self.each(|m, k| m.0.fmin(Denorm::Flush, a[k], b[k])),
            VectorOp::SetGreaterThanEqual => self.compare(FloatTest::Oge, a, b),
            VectorOp::SetLessThan => self.compare(FloatTest::Olt, a, b),
            VectorOp::MultiplyX2Add => self.each(|m, k| m.twice_and_add(a[k], b[k], c[k])),
            VectorOp::MultiplyClamp => self.each(|m, k| {
                let (product, zero) = (m.product(a[k], b[k]), m.number(0.0));
                let positive = m.maximum(product, zero);
                m.0.fmin(Denorm::Flush, positive, c[k])
            }),
            VectorOp::FloatToFixed => self.each(|m, k| m.floor(a[k])),
            VectorOp::FloatToFixedRound => self.each(|m, k| {
                let half = m.number(0.5);
                let sum = m.add(a[k], half);
                m.floor(sum)
            }),
            VectorOp::PredSetEqPush => self.push(Test::Equal, a[3], b[3]),
            VectorOp::PredSetGtPush => self.push(Test::Greater, a[3], b[3]),
            VectorOp::PredSetGtePush => self.push(Test::GreaterEqual, a[3], b[3]),
            VectorOp::PredSetNeqPush => self.push(Test::NotEqual, a[3], b[3]),
            VectorOp::CondWriteEq => self.conditional(Test::Equal, a, b),
            VectorOp::CondWriteGt => self.conditional(Test::Greater, a, b),
            VectorOp::CondWriteGte => self.conditional(Test::GreaterEqual, a, b),
            VectorOp::CondWriteNeq => self.conditional(Test::NotEqual, a, b),
            VectorOp::CondMuxEq => self.choose(Test::Equal, [a, b, c]),
            VectorOp::CondMuxGt => self.choose(Test::Greater, [a, b, c]),
            VectorOp::CondMuxGte => self.choose(Test::GreaterEqual, [a, b, c]),
            VectorOp::SetGreaterThan => self.compare(FloatTest::Ogt, a, b),
            VectorOp::SetEqual => self.compare(FloatTest::Oeq, a, b),
            VectorOp::SetNotEqual => self.compare(FloatTest::Une, a, b),
        })
    }

    /// The results of an operation in two cycles.
    pub fn macro_op(&mut self, op: MacroOp, [a, b, c]: [Vector; 3]) -> Results {
        match op {
            MacroOp::MultiplyAdd => self.each(|m, k| m.multiply_add(a[k], b[k], c[k])),
            MacroOp::MultiplyX2Add => self.each(|m, k| m.twice_and_add(a[k], b[k], c[k])),
        }
    }

    /// The results of an operation of the math engine; `None` if there are none.
    pub fn math(&mut self, op: MathOp, [a, b, c]: [Vector; 3]) -> Option<Results> {
        let s = a[3];
        let value = match op {
            MathOp::NoOp => return None,
            MathOp::ExpBase2Dx => {
                let floor = self.floor(s);
                let values = [self.0.ex2(floor), self.0.frc(s), self.0.ex2(s), self.number(1.0)];
                return Some(self.canonical_results(values));
            }
            MathOp::LogBase2Dx => {
                let values = self.log_parts(s);
                return Some(self.canonical_results(values));
            }
            MathOp::LightCoeffDx => {
                let values = self.lighting(a[0], a[3], a[1]);
                return Some(self.canonical_results(values));
            }
            MathOp::ExpBaseEFf => {
                let power = self.times(s, LOG2_E);
                self.0.ex2(power)
            }
            MathOp::PowerFuncFf => self.power(s, c[3]),
            MathOp::RecipDx => self.reciprocal(s, GREATEST),
            MathOp::RecipFf => self.reciprocal(s, 0),
            MathOp::RecipIeee => self.reciprocal(s, INFINITY),
            MathOp::RecipSqrtDx => {
                let magnitude = self.0.abs(s);
                self.reciprocal_root(magnitude, GREATEST)
            }
            MathOp::RecipSqrtFf => {
                let magnitude = self.0.abs(s);
                self.reciprocal_root(magnitude, 0)
            }
            MathOp::RecipSqrtIeee => self.reciprocal_root(s, INFINITY),
            MathOp::Multiply => self.product(s, b[3]),
            MathOp::ExpBase2FullDx => self.0.ex2(s),
            MathOp::LogBase2FullDx => {
                let magnitude = self.0.abs(s);
                self.finite_log(magnitude)
            }
            MathOp::LogBase2Ieee => self.0.ln2(s),
            MathOp::PowerFuncFfClampB => {
                let zero = self.number(0.0);
                let base = self.maximum(s, zero);
                self.power(base, c[3])
            }
            MathOp::PowerFuncFfClampB1 => {
                let base = self.0.clamp01(Denorm::Flush, s);
                self.power(base, c[3])
            }
            MathOp::PowerFuncFfClamp01 => {
                let power = self.power(s, c[3]);
                self.0.clamp01(Denorm::Flush, power)
            }
            MathOp::Sin => {
                let turns = self.times(s, TURNS);
                self.0.sin(turns)
            }
            MathOp::Cos => {
                let turns = self.times(s, TURNS);
                self.0.cos(turns)
            }
            MathOp::PredSetEq => return Some(self.set(Test::Equal, s)),
            MathOp::PredSetGt => return Some(self.set(Test::Greater, s)),
            MathOp::PredSetGte => return Some(self.set(Test::GreaterEqual, s)),
            MathOp::PredSetNeq => return Some(self.set(Test::NotEqual, s)),
            MathOp::PredSetClr => {
                let (never, greatest) = (self.0.mask_constant(false), self.0.constant(GREATEST));
                return Some(self.predicate(never, greatest));
            }
            MathOp::PredSetInv => {
                let (zero, one) = (self.number(0.0), self.number(1.0));
                let (is_one, is_zero) = (self.test_with(FloatTest::Oeq, s, one), self.test(Test::Equal, s));
                let other = self.0.select(is_zero, one, s);
                let value = self.0.select(is_one, zero, other);
                return Some(self.predicate(is_one, value));
            }
            MathOp::PredSetPop => {
                let (zero, one) = (self.number(0.0), self.number(1.0));
                let holds = self.test_with(FloatTest::Oge, one, s);
                let less = self.0.fsub(Denorm::Flush, s, one);
                let value = self.0.select(holds, zero, less);
                return Some(self.predicate(holds, value));
            }
            MathOp::PredSetRestore => {
                let (zero, holds) = (self.number(0.0), self.test(Test::Equal, s));
                let value = self.0.select(holds, zero, s);
                return Some(self.predicate(holds, value));
            }
        };
        Some(self.all(value))
    }

    /// Clamps results to [0, 1].
    pub fn saturate(&mut self, values: Vector) -> Vector {
        values.map(|value| self.0.clamp01(Denorm::Flush, value))
    }

    /// floor(a); infinities stay.
    pub fn floor(&mut self, a: Value) -> Value {
        self.0.fround(Round::Floor, Denorm::Flush, a)
    }

    fn number(&mut self, value: f32) -> Value {
        self.0.float_constant(value)
    }

    /// The one NaN, and no denormals.
    fn canonical(&mut self, value: Value) -> Value {
        let one = self.number(1.0);
        let flushed = self.0.fmul(Denorm::Flush, Zero::Ieee, value, one);
        self.0.canon_nan(Bits(X1K_NAN), flushed)
    }

    fn canonical_results(&mut self, values: Vector) -> Results {
        Results { values: values.map(|value| self.canonical(value)), writes: [None; 4], predicate: None }
    }

    fn each(&mut self, mut component: impl FnMut(&mut Self, usize) -> Value) -> Results {
        let values = [0, 1, 2, 3].map(|k| component(self, k));
        self.canonical_results(values)
    }

    fn all(&mut self, value: Value) -> Results {
        let value = self.canonical(value);
        Results { values: [value; 4], writes: [None; 4], predicate: None }
    }

    fn predicate(&mut self, predicate: Value, value: Value) -> Results {
        Results { predicate: Some(predicate), ..self.all(value) }
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.0.fmul(Denorm::Flush, Zero::Special, a, b);
        self.0.canon_nan(Bits(X1K_NAN), product)
    }

    fn times(&mut self, a: Value, bits: u32) -> Value {
        let factor = self.0.constant(bits);
        self.0.fmul(Denorm::Flush, Zero::Ieee, a, factor)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.0.fadd(Denorm::Flush, a, b)
    }

    fn multiply_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.product(a, b);
        self.add(product, c)
    }

    fn twice_and_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.product(a, b);
        let twice = self.add(product, product);
        self.add(twice, c)
    }

    /// a >= b ? a : b.
    fn maximum(&mut self, a: Value, b: Value) -> Value {
        let first = self.test_with(FloatTest::Oge, a, b);
        self.0.select(first, a, b)
    }

    fn test_with(&mut self, test: FloatTest, a: Value, b: Value) -> Value {
        self.0.fcmp(test, Denorm::Flush, a, b)
    }

    fn test(&mut self, test: Test, value: Value) -> Value {
        let zero = self.number(0.0);
        self.test_with(test.float(), value, zero)
    }

    fn boolean(&mut self, holds: Value) -> Value {
        let (one, zero) = (self.number(1.0), self.number(0.0));
        self.0.select(holds, one, zero)
    }

    fn compare(&mut self, test: FloatTest, a: Vector, b: Vector) -> Results {
        self.each(|m, k| {
            let holds = m.test_with(test, a[k], b[k]);
            m.boolean(holds)
        })
    }

    fn conditional(&mut self, test: Test, a: Vector, b: Vector) -> Results {
        let writes = a.map(|a| Some(self.test(test, a)));
        Results { writes, ..self.canonical_results(b) }
    }

    fn choose(&mut self, test: Test, [a, b, c]: [Vector; 3]) -> Results {
        self.each(|m, k| {
            let holds = m.test(test, a[k]);
            m.0.select(holds, b[k], c[k])
        })
    }

    /// Opens a level of conditions: where the outer ones hold, a is 0.
    fn push(&mut self, test: Test, a: Value, b: Value) -> Results {
        let (outer, inner) = (self.test(Test::Equal, a), self.test(test, b));
        let holds = self.0.mask_and(outer, inner);
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let more = self.add(a, one);
        let value = self.0.select(holds, zero, more);
        self.predicate(holds, value)
    }

    fn set(&mut self, test: Test, s: Value) -> Results {
        let holds = self.test(test, s);
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let value = self.0.select(holds, zero, one);
        self.predicate(holds, value)
    }

    fn reciprocal(&mut self, s: Value, of_zero: u32) -> Value {
        let reciprocal = self.0.rcp(Denorm::Flush, s);
        self.unless_zero(s, of_zero, reciprocal)
    }

    fn reciprocal_root(&mut self, s: Value, of_zero: u32) -> Value {
        let root = self.0.rsq(Denorm::Flush, s);
        self.unless_zero(s, of_zero, root)
    }

    fn unless_zero(&mut self, s: Value, of_zero: u32, otherwise: Value) -> Value {
        let (is_zero, of_zero) = (self.test(Test::Equal, s), self.0.constant(of_zero));
        self.0.select(is_zero, of_zero, otherwise)
    }

    /// log2 of a magnitude; of 0 the lowest finite number.
    fn finite_log(&mut self, magnitude: Value) -> Value {
        let log = self.0.ln2(magnitude);
        self.unless_zero(magnitude, GREATEST | SIGN, log)
    }

    /// base ^ exponent.
    fn power(&mut self, base: Value, exponent: Value) -> Value {
        let log = self.0.ln2(base);
        let product = self.product(exponent, log);
        self.0.ex2(product)
    }

    /// (floor(log2 a), a / 2^floor(log2 a), log2 a, 1) of the magnitude of a.
    fn log_parts(&mut self, a: Value) -> Vector {
        let magnitude = self.0.abs(a);
        let one = self.number(1.0);
        let magnitude = self.0.fmul(Denorm::Flush, Zero::Ieee, magnitude, one);
        let magnitude = self.0.canon_nan(Bits(X1K_NAN), magnitude);
        let log = self.finite_log(magnitude);
        let (shift, bias, fraction) = (self.0.constant(23), self.0.constant(127), self.0.constant(0x007F_FFFF));
        let exponent = self.0.shr(magnitude, shift);
        let exponent = self.0.isub(exponent, bias);
        let exponent = self.0.itof(exponent);
        let significand = self.0.and(magnitude, fraction);
        let significand = self.0.or(significand, one);
        let (zero, infinity, nan) = (self.0.constant(0), self.0.constant(INFINITY), self.0.constant(X1K_NAN));
        let is_zero = self.0.icmp(IntTest::Eq, magnitude, zero);
        // A NaN is above infinity, too.
        let sign = self.0.constant(!SIGN);
        let unsigned = self.0.and(magnitude, sign);
        let is_special = self.0.icmp(IntTest::Uge, unsigned, infinity);
        let is_either = self.0.mask_or(is_zero, is_special);
        let first = self.0.select(is_either, log, exponent);
        let second = self.0.select(is_special, nan, significand);
        let second = self.0.select(is_zero, one, second);
        [first, second, log, one]
    }

    /// (1, max(x, 0), x > 0 ? max(y, 0)^min(max(w, -128), 128) : 0, 1).
    fn lighting(&mut self, x: Value, y: Value, w: Value) -> Vector {
        let (low, high) = (self.number(-LARGEST_POWER), self.number(LARGEST_POWER));
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let exponent = self.maximum(w, low);
        let exponent = self.0.fmin(Denorm::Flush, exponent, high);
        let base = self.maximum(y, zero);
        let power = self.power(base, exponent);
        let lit = self.test(Test::Greater, x);
        let specular = self.0.select(lit, power, zero);
        [one, self.maximum(x, zero), specular, one]
    }
}
