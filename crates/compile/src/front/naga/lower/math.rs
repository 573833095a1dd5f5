//! Functions of the languages in terms of the hardware's. Formulas are the specification's (GLSL 4.60, chapter 8) where it
//! has one; polynomials are interpolations at Chebyshev nodes.

use super::{Frame, LowerError, Lowering, Result, types};
use crate::ir::Value;
use naga::{Expression, Handle, MathFunction, TypeInner};
use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, LN_2, LOG2_E, PI};

/// arctan(t) / t by t squared, for t up to 1: relative error 1.2e-7.
const ARC_TANGENT: [f32; 8] = [
    0.999_999_9,
    -0.333_318_13,
    0.199_669_62,
    -0.140_032_9,
    0.098_688_655,
    -0.058_829_753,
    0.023_780_52,
    -0.004_559_792,
];
/// arccos(t) / sqrt(1 - t) by t, for t from 0 to 1: error 2e-7.
const ARC_COSINE: [f32; 7] =
    [1.570_796_1, -0.214_582, 0.088_718_09, -0.048_644_333, 0.026_597_796, -0.010_879_67, 0.002_207_656];

impl<'m> Lowering<'m> {
    /// A mathematical function of one to four arguments.
    pub(super) fn math(
        &mut self,
        frame: &mut Frame<'m>,
        fun: MathFunction,
        handles: [Option<Handle<Expression>>; 4],
    ) -> Result<Vec<Value>> {
        let first = handles[0].ok_or(LowerError::Malformed("a function without arguments"))?;
        let inner = self.inner(frame, first);
        let mut args = Vec::new();
        for handle in handles.into_iter().flatten() {
            types::scalar(self.type_of(frame, handle))?;
            args.push(self.values(frame, handle)?);
        }
        let second = args.get(1).cloned().unwrap_or_default();
        let third = args.get(2).cloned().unwrap_or_default();
        let a = args[0].clone();
        match fun {
            MathFunction::Dot => Ok(vec![self.builder.dot(&a, &second)]),
            MathFunction::Cross => self.cross(&a, &second),
            MathFunction::Length => Ok(vec![self.length(&a)]),
            MathFunction::Distance => {
                let difference: Vec<_> = a.iter().zip(second.iter()).map(|(&a, &b)| self.builder.sub(a, b)).collect();
                Ok(vec![self.length(&difference)])
            }
            MathFunction::Normalize => {
                let square = self.builder.dot(&a, &a);
                let scale = self.builder.rsq(square);
                Ok(a.iter().map(|&a| self.builder.mul(a, scale)).collect())
            }
            MathFunction::FaceForward => {
                let side = self.builder.dot(&third, &second);
                let flipped = a.iter().map(|&a| {
                    let minus = self.builder.neg(a);
                    self.builder.cmp(side, minus, a)
                });
                Ok(flipped.collect())
            }
            MathFunction::Reflect => {
                let along = self.builder.dot(&second, &a);
                let factor = self.builder.float(-2.0);
                let factor = self.builder.mul(along, factor);
                Ok(a.iter().zip(second.iter()).map(|(&a, &normal)| self.builder.mad(factor, normal, a)).collect())
            }
            MathFunction::Refract => Ok(self.refract(&a, &second, third[0])),
            MathFunction::Outer => Ok(second
                .iter()
                .flat_map(|&b| a.iter().map(move |&a| (a, b)))
                .map(|(a, b)| self.builder.mul(a, b))
                .collect()),
            MathFunction::Transpose | MathFunction::Determinant | MathFunction::Inverse => {
                let TypeInner::Matrix { rows, .. } = inner else {
                    return Err(LowerError::Malformed("a matrix that is none"));
                };
                let rows = rows as usize;
                Ok(match fun {
                    MathFunction::Transpose => self.transpose(&a, rows),
                    MathFunction::Determinant => vec![self.determinant(&a, rows)],
                    _ => self.inverse(&a, rows),
                })
            }
            MathFunction::Modf => {
                let whole: Vec<_> = a.iter().map(|&a| self.truncate(a)).collect();
                let mut out: Vec<_> = a.iter().zip(&whole).map(|(&a, &whole)| self.builder.sub(a, whole)).collect();
                out.extend(whole);
                Ok(out)
            }
            MathFunction::Frexp => {
                let pairs: Vec<_> = a.iter().map(|&a| self.frexp(a)).collect();
                Ok(pairs.iter().map(|pair| pair.0).chain(pairs.iter().map(|pair| pair.1)).collect())
            }
            _ => {
                let mut out = Vec::with_capacity(a.len());
                for i in 0..a.len() {
                    let scalars: Vec<_> = args.iter().filter_map(|arg| arg.get(i).or(arg.first()).copied()).collect();
                    out.push(self.scalar_math(fun, &scalars)?);
                }
                Ok(out)
            }
        }
    }

    /// A function that works channel by channel.
    fn scalar_math(&mut self, fun: MathFunction, args: &[Value]) -> Result<Value> {
        let argument =
            |i: usize| args.get(i).copied().ok_or(LowerError::Malformed("a function with too few arguments"));
        let a = argument(0)?;
        Ok(match fun {
            MathFunction::Abs => self.builder.abs(a),
            MathFunction::Min => self.builder.min(a, argument(1)?),
            MathFunction::Max => self.builder.max(a, argument(1)?),
            MathFunction::Clamp => self.clamp(a, argument(1)?, argument(2)?),
            MathFunction::Saturate => self.builder.saturate(a),
            MathFunction::Cos => {
                let turns = self.times(a, FRAC_1_PI / 2.0);
                self.builder.cos_turns(turns)
            }
            MathFunction::Sin => {
                let turns = self.times(a, FRAC_1_PI / 2.0);
                self.builder.sin_turns(turns)
            }
            MathFunction::Tan => {
                let turns = self.times(a, FRAC_1_PI / 2.0);
                let (sine, cosine) = (self.builder.sin_turns(turns), self.builder.cos_turns(turns));
                self.divide(sine, cosine)
            }
            MathFunction::Acos => self.arc_cosine(a),
            MathFunction::Asin => {
                let cosine = self.arc_cosine(a);
                let right = self.builder.float(FRAC_PI_2);
                self.builder.sub(right, cosine)
            }
            MathFunction::Atan => {
                let one = self.builder.float(1.0);
                self.arc_tangent(a, one)
            }
            MathFunction::Atan2 => self.arc_tangent(a, argument(1)?),
            MathFunction::Cosh | MathFunction::Sinh => {
                let (up, down) = self.exponentials(a);
                let other = if fun == MathFunction::Sinh { self.builder.neg(down) } else { down };
                let sum = self.builder.add(up, other);
                self.times(sum, 0.5)
            }
            MathFunction::Tanh => {
                // 1 - 2 / (e^2a + 1)
                let square = self.times(a, 2.0 * LOG2_E);
                let square = self.builder.exp2(square);
                let one = self.builder.float(1.0);
                let below = self.builder.add(square, one);
                let part = self.builder.rcp(below);
                let minus_two = self.builder.float(-2.0);
                self.builder.mad(part, minus_two, one)
            }
            MathFunction::Asinh => {
                let size = self.builder.abs(a);
                let one = self.builder.float(1.0);
                let square = self.builder.mad(a, a, one);
                let root = self.square_root(square);
                let sum = self.builder.add(size, root);
                let logarithm = self.logarithm(sum);
                let minus = self.builder.neg(logarithm);
                self.builder.cmp(a, logarithm, minus)
            }
            MathFunction::Acosh => {
                let minus_one = self.builder.float(-1.0);
                let square = self.builder.mad(a, a, minus_one);
                let root = self.square_root(square);
                let sum = self.builder.add(a, root);
                self.logarithm(sum)
            }
            MathFunction::Atanh => {
                let one = self.builder.float(1.0);
                let (above, below) = (self.builder.add(one, a), self.builder.sub(one, a));
                let ratio = self.divide(above, below);
                let logarithm = self.builder.log2(ratio);
                self.times(logarithm, LN_2 / 2.0)
            }
            MathFunction::Radians => self.times(a, PI / 180.0),
            MathFunction::Degrees => self.times(a, 180.0 / PI),
            MathFunction::Ceil => {
                let minus = self.builder.neg(a);
                let fraction = self.builder.frc(minus);
                self.builder.add(a, fraction)
            }
            MathFunction::Floor => self.builder.floor(a),
            MathFunction::Round => self.round(a),
            MathFunction::Fract => self.builder.frc(a),
            MathFunction::Trunc => self.truncate(a),
            MathFunction::Ldexp => {
                let power = self.builder.exp2(argument(1)?);
                self.builder.mul(a, power)
            }
            MathFunction::Exp => {
                let scaled = self.times(a, LOG2_E);
                self.builder.exp2(scaled)
            }
            MathFunction::Exp2 => self.builder.exp2(a),
            MathFunction::Log => self.logarithm(a),
            MathFunction::Log2 => self.builder.log2(a),
            MathFunction::Pow => self.power_of(a, argument(1)?),
            MathFunction::Sign => {
                let (one, zero, minus_one) =
                    (self.builder.float(1.0), self.builder.float(0.0), self.builder.float(-1.0));
                let minus = self.builder.neg(a);
                let not_negative = self.builder.cmp(minus, zero, one);
                self.builder.cmp(a, not_negative, minus_one)
            }
            MathFunction::Fma => self.builder.mad(a, argument(1)?, argument(2)?),
            MathFunction::Mix => {
                let (b, by) = (argument(1)?, argument(2)?);
                let difference = self.builder.sub(b, a);
                self.builder.mad(by, difference, a)
            }
            MathFunction::Step => {
                let difference = self.builder.sub(argument(1)?, a);
                let (one, zero) = (self.builder.float(1.0), self.builder.float(0.0));
                self.builder.cmp(difference, one, zero)
            }
            MathFunction::SmoothStep => {
                let (high, x) = (argument(1)?, argument(2)?);
                let (above, width) = (self.builder.sub(x, a), self.builder.sub(high, a));
                let ratio = self.divide(above, width);
                let t = self.builder.saturate(ratio);
                let (minus_two, three) = (self.builder.float(-2.0), self.builder.float(3.0));
                let slope = self.builder.mad(t, minus_two, three);
                let square = self.builder.mul(t, t);
                self.builder.mul(square, slope)
            }
            MathFunction::Sqrt => self.square_root(a),
            MathFunction::InverseSqrt => self.builder.rsq(a),
            MathFunction::ExtractBits
            | MathFunction::InsertBits
            | MathFunction::CountTrailingZeros
            | MathFunction::CountLeadingZeros
            | MathFunction::CountOneBits
            | MathFunction::ReverseBits
            | MathFunction::FirstTrailingBit
            | MathFunction::FirstLeadingBit => return Err(LowerError::Bits("counting and moving bits")),
            MathFunction::Pack4x8snorm
            | MathFunction::Pack4x8unorm
            | MathFunction::Pack2x16snorm
            | MathFunction::Pack2x16unorm
            | MathFunction::Pack2x16float
            | MathFunction::Pack4xI8
            | MathFunction::Pack4xU8
            | MathFunction::Pack4xI8Clamp
            | MathFunction::Pack4xU8Clamp
            | MathFunction::Unpack4x8snorm
            | MathFunction::Unpack4x8unorm
            | MathFunction::Unpack2x16snorm
            | MathFunction::Unpack2x16unorm
            | MathFunction::Unpack2x16float
            | MathFunction::Unpack4xI8
            | MathFunction::Unpack4xU8
            | MathFunction::Dot4I8Packed
            | MathFunction::Dot4U8Packed => return Err(LowerError::Bits("packing several numbers into one")),
            MathFunction::QuantizeToF16 => return Err(LowerError::Type("half precision")),
            MathFunction::Dot
            | MathFunction::Cross
            | MathFunction::Length
            | MathFunction::Distance
            | MathFunction::Normalize
            | MathFunction::FaceForward
            | MathFunction::Reflect
            | MathFunction::Refract
            | MathFunction::Outer
            | MathFunction::Transpose
            | MathFunction::Determinant
            | MathFunction::Inverse
            | MathFunction::Modf
            | MathFunction::Frexp => return Err(LowerError::Malformed("a function of vectors for scalars")),
        })
    }

    fn times(&mut self, a: Value, factor: f32) -> Value {
        let factor = self.builder.float(factor);
        self.builder.mul(a, factor)
    }

    /// A polynomial with these coefficients, the constant one first.
    fn polynomial(&mut self, x: Value, coefficients: &[f32]) -> Value {
        let mut sum = self.builder.float(0.0);
        for (i, &coefficient) in coefficients.iter().rev().enumerate() {
            let coefficient = self.builder.float(coefficient);
            sum = if i == 0 { coefficient } else { self.builder.mad(sum, x, coefficient) };
        }
        sum
    }

    fn clamp(&mut self, a: Value, low: Value, high: Value) -> Value {
        if self.builder.known(low) == Some(0) && self.builder.known(high) == Some(1f32.to_bits()) {
            return self.builder.saturate(a);
        }
        let above = self.builder.max(a, low);
        self.builder.min(above, high)
    }

    fn square_root(&mut self, a: Value) -> Value {
        let inverse = self.builder.rsq(a);
        self.builder.mul(a, inverse)
    }

    fn length(&mut self, a: &[Value]) -> Value {
        if let [a] = a {
            return self.builder.abs(*a);
        }
        let square = self.builder.dot(a, a);
        self.square_root(square)
    }

    fn logarithm(&mut self, a: Value) -> Value {
        let logarithm = self.builder.log2(a);
        self.times(logarithm, LN_2)
    }

    /// e^a and e^-a
    fn exponentials(&mut self, a: Value) -> (Value, Value) {
        let scaled = self.times(a, LOG2_E);
        let minus = self.builder.neg(scaled);
        (self.builder.exp2(scaled), self.builder.exp2(minus))
    }

    /// a to the power of b; by products for small whole numbers.
    fn power_of(&mut self, a: Value, b: Value) -> Value {
        let known = self.builder.known(b).map(f32::from_bits);
        if known == Some(1.0) {
            return a;
        }
        if let Some(power @ (2.0 | 3.0 | 4.0)) = known {
            let square = self.builder.mul(a, a);
            return match power as u32 {
                2 => square,
                3 => self.builder.mul(square, a),
                _ => self.builder.mul(square, square),
            };
        }
        let logarithm = self.builder.log2(a);
        let product = self.builder.mul(logarithm, b);
        self.builder.exp2(product)
    }

    /// The nearest whole number, the even one of two. Beyond 2^23, where adding a half rounds, odd numbers may become the next.
    fn round(&mut self, a: Value) -> Value {
        let half = self.builder.float(0.5);
        let above = self.builder.add(a, half);
        let fraction = self.builder.frc(above);
        let rounded = self.builder.sub(above, fraction);
        // Half of an odd number has a fraction of a half.
        let halved = self.builder.mul(rounded, half);
        let odd = self.builder.frc(halved);
        let minus_two = self.builder.float(-2.0);
        let even = self.builder.mad(odd, minus_two, rounded);
        let minus_fraction = self.builder.neg(fraction);
        self.builder.cmp(minus_fraction, even, rounded)
    }

    fn arc_cosine(&mut self, a: Value) -> Value {
        let size = self.builder.abs(a);
        let one = self.builder.float(1.0);
        let rest = self.builder.sub(one, size);
        let root = self.square_root(rest);
        let factor = self.polynomial(size, &ARC_COSINE);
        let angle = self.builder.mul(root, factor);
        let half_turn = self.builder.float(PI);
        let beyond = self.builder.sub(half_turn, angle);
        self.builder.cmp(a, angle, beyond)
    }

    /// The angle of the point (x, y).
    fn arc_tangent(&mut self, y: Value, x: Value) -> Value {
        let plain = self.builder.known(x) == Some(1f32.to_bits());
        let (size_y, size_x) = (self.builder.abs(y), self.builder.abs(x));
        let (small, large) = (self.builder.min(size_x, size_y), self.builder.max(size_x, size_y));
        let ratio = self.divide(small, large);
        let square = self.builder.mul(ratio, ratio);
        let factor = self.polynomial(square, &ARC_TANGENT);
        let mut angle = self.builder.mul(ratio, factor);
        let right = self.builder.float(FRAC_PI_2);
        let steep = self.builder.sub(right, angle);
        let side = self.builder.sub(size_x, size_y);
        angle = self.builder.cmp(side, angle, steep);
        if !plain {
            let half_turn = self.builder.float(PI);
            let behind = self.builder.sub(half_turn, angle);
            angle = self.builder.cmp(x, angle, behind);
        }
        let minus = self.builder.neg(angle);
        self.builder.cmp(y, angle, minus)
    }

    fn cross(&mut self, a: &[Value], b: &[Value]) -> Result<Vec<Value>> {
        let ([a0, a1, a2], [b0, b1, b2]) = (a, b) else {
            return Err(LowerError::Malformed("a cross product of other vectors"));
        };
        let mut part = |p: Value, q: Value, r: Value, s: Value| {
            let product = self.builder.mul(r, s);
            let minus = self.builder.neg(product);
            self.builder.mad(p, q, minus)
        };
        Ok(vec![part(*a1, *b2, *a2, *b1), part(*a2, *b0, *a0, *b2), part(*a0, *b1, *a1, *b0)])
    }

    fn refract(&mut self, incident: &[Value], normal: &[Value], ratio: Value) -> Vec<Value> {
        let along = self.builder.dot(normal, incident);
        let (one, zero) = (self.builder.float(1.0), self.builder.float(0.0));
        let minus_along = self.builder.neg(along);
        let sine = self.builder.mad(minus_along, along, one);
        let square = self.builder.mul(ratio, ratio);
        let minus_square = self.builder.neg(square);
        let k = self.builder.mad(minus_square, sine, one);
        // The root of what is negative is not used.
        let size = self.builder.abs(k);
        let root = self.square_root(size);
        let factor = self.builder.mad(ratio, along, root);
        let minus_factor = self.builder.neg(factor);
        let bent = incident.iter().zip(normal).map(|(&incident, &normal)| {
            let straight = self.builder.mul(ratio, incident);
            let bent = self.builder.mad(minus_factor, normal, straight);
            self.builder.cmp(k, bent, zero)
        });
        bent.collect()
    }

    /// A fraction from a half to one and the power of two that it is multiplied with.
    fn frexp(&mut self, a: Value) -> (Value, Value) {
        let (zero, one, half) = (self.builder.float(0.0), self.builder.float(1.0), self.builder.float(0.5));
        let size = self.builder.abs(a);
        let logarithm = self.builder.log2(size);
        let floor = self.builder.floor(logarithm);
        let guess = self.builder.add(floor, one);
        let minus = self.builder.neg(guess);
        let scale = self.builder.exp2(minus);
        let fraction = self.builder.mul(a, scale);
        let fraction_size = self.builder.mul(size, scale);
        // The logarithm may round up or down to a whole number.
        let (large, small) = (self.builder.at_least(fraction_size, one), self.builder.less(fraction_size, half));
        let two = self.builder.float(2.0);
        let down = self.builder.mul(fraction, half);
        let up = self.builder.mul(fraction, two);
        let fraction = self.builder.select(large, down, fraction);
        let fraction = self.builder.select(small, up, fraction);
        let (more, less) = (self.builder.add(guess, one), self.builder.sub(guess, one));
        let exponent = self.builder.select(large, more, guess);
        let exponent = self.builder.select(small, less, exponent);
        let is_zero = self.builder.equal(a, zero);
        (self.builder.select(is_zero, a, fraction), self.builder.select(is_zero, zero, exponent))
    }

    pub(super) fn is_nan(&mut self, a: Value) -> Value {
        let minus = self.builder.neg(a);
        let (positive, negative) = (self.builder.is_non_negative(a), self.builder.is_non_negative(minus));
        let any = self.builder.or(positive, negative);
        self.builder.not(any)
    }

    pub(super) fn is_infinite(&mut self, a: Value) -> Value {
        let size = self.builder.abs(a);
        let most = self.builder.float(f32::MAX);
        let beyond = self.builder.sub(size, most);
        let beyond_zero = self.builder.is_non_negative(beyond);
        let is_most = self.builder.is_zero(beyond);
        let not_most = self.builder.not(is_most);
        self.builder.and(beyond_zero, not_most)
    }
}
