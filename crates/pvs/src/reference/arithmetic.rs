//! What operations calculate. Values are bits of binary32. Every operation reads denormals as zeros, rounds each of its steps
//! once, gives no denormals, and one NaN.

use crate::operation::{MacroOp, MathOp, VectorOp};
use ctm_num::flushed::{equal, flush, is_nan, less};
use ctm_num::x1k::{self, MadRules, X1K_NAN};

/// A vector, or an operand.
pub type Vector = [u32; 4];

const ZERO: u32 = 0;
const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
const GREATEST: u32 = 0x7F7F_FFFF;
/// log2(e).
const LOG2_E: u32 = 0x3FB8_AA3B;
/// 1 / (2 pi): sines count in turns.
const TURNS: u32 = 0x3E22_F983;
/// Exponents of the lighting coefficients.
const LARGEST_POWER: u32 = 0x4300_0000;
/// Multiply-adds round twice, and zero times anything is zero.
const RULES: MadRules = MadRules { unfused: true, zero_times_anything: true };

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Results {
    /// What is written.
    pub values: Vector,
    /// Components that the operation writes, if the mask allows it.
    pub writes: [bool; 4],
    /// What becomes of the predicate.
    pub predicate: Option<bool>,
}

impl Results {
    fn new(values: Vector) -> Self {
        Self { values: values.map(canonical), writes: [true; 4], predicate: None }
    }

    fn each(component: impl Fn(usize) -> u32) -> Self {
        Self::new(std::array::from_fn(component))
    }

    fn all(value: u32) -> Self {
        Self::new([value; 4])
    }

    /// The result of an operation that sets the predicate.
    fn predicate((predicate, value): (bool, u32)) -> Self {
        Self { predicate: Some(predicate), ..Self::all(value) }
    }
}

/// The one NaN, and no denormals.
fn canonical(value: u32) -> u32 {
    if is_nan(value) { X1K_NAN } else { flush(value) }
}

/// Clamps results to [0, 1].
pub fn saturate(values: Vector) -> Vector {
    values.map(x1k::clamp)
}

fn boolean(holds: bool) -> u32 {
    if holds { ONE } else { ZERO }
}

fn product(a: u32, b: u32) -> u32 {
    x1k::mul_start(RULES, a, b)
}

/// floor(a); infinities stay.
pub fn floor(a: u32) -> u32 {
    if is_nan(a) { X1K_NAN } else { f32::from_bits(flush(a)).floor().to_bits() }
}

/// a >= b ? a : b.
fn maximum(a: u32, b: u32) -> u32 {
    if greater_equal(a, b) { a } else { b }
}

fn greater_equal(a: u32, b: u32) -> bool {
    less(b, a) || equal(a, b)
}

/// A test of a number against 0: ==, >, >=, !=.
#[derive(Clone, Copy)]
enum Test {
    Equal,
    Greater,
    GreaterEqual,
    NotEqual,
}

impl Test {
    fn holds(self, value: u32) -> bool {
        match self {
            Test::Equal => equal(value, ZERO),
            Test::Greater => less(ZERO, value),
            Test::GreaterEqual => greater_equal(value, ZERO),
            Test::NotEqual => !equal(value, ZERO),
        }
    }
}

/// Opens a level of conditions: where the outer ones hold, a is 0.
fn push(test: Test, a: u32, b: u32) -> Results {
    let holds = equal(a, ZERO) && test.holds(b);
    Results::predicate((holds, if holds { ZERO } else { x1k::add(a, ONE) }))
}

/// An operation of the vector engine on its sources.
pub fn vector(op: VectorOp, [a, b, c]: [Vector; 3]) -> Results {
    let conditional = |test: Test| Results { writes: std::array::from_fn(|k| test.holds(a[k])), ..Results::new(b) };
    let choose = |test: Test| Results::each(|k| if test.holds(a[k]) { b[k] } else { c[k] });
    match op {
        VectorOp::NoOp => Results { writes: [false; 4], ..Results::all(ZERO) },
        VectorOp::DotProduct => Results::all(x1k::dp4(RULES, a, b)),
        VectorOp::Multiply => Results::each(|k| product(a[k], b[k])),
        VectorOp::Add => Results::each(|k| x1k::add(a[k], b[k])),
        VectorOp::MultiplyAdd => Results::each(|k| x1k::mad(RULES, a[k], b[k], c[k])),
        VectorOp::DistanceVector => Results::new([ONE, product(a[1], b[1]), a[2], b[3]]),
        VectorOp::Fraction => Results::each(|k| x1k::frc(a[k])),
        VectorOp::Maximum => Results::each(|k| maximum(a[k], b[k])),
        VectorOp::Minimum => Results::each(|k| x1k::min(a[k], b[k])),
        VectorOp::SetGreaterThanEqual => Results::each(|k| boolean(greater_equal(a[k], b[k]))),
        VectorOp::SetLessThan => Results::each(|k| boolean(less(a[k], b[k]))),
        VectorOp::MultiplyX2Add => Results::each(|k| twice_and_add(a[k], b[k], c[k])),
        VectorOp::MultiplyClamp => Results::each(|k| x1k::min(maximum(product(a[k], b[k]), ZERO), c[k])),
        VectorOp::FloatToFixed => Results::each(|k| floor(a[k])),
        VectorOp::FloatToFixedRound => Results::each(|k| floor(x1k::add(a[k], HALF))),
        VectorOp::PredSetEqPush => push(Test::Equal, a[3], b[3]),
        VectorOp::PredSetGtPush => push(Test::Greater, a[3], b[3]),
        VectorOp::PredSetGtePush => push(Test::GreaterEqual, a[3], b[3]),
        VectorOp::PredSetNeqPush => push(Test::NotEqual, a[3], b[3]),
        VectorOp::CondWriteEq => conditional(Test::Equal),
        VectorOp::CondWriteGt => conditional(Test::Greater),
        VectorOp::CondWriteGte => conditional(Test::GreaterEqual),
        VectorOp::CondWriteNeq => conditional(Test::NotEqual),
        VectorOp::CondMuxEq => choose(Test::Equal),
        VectorOp::CondMuxGt => choose(Test::Greater),
        VectorOp::CondMuxGte => choose(Test::GreaterEqual),
        VectorOp::SetGreaterThan => Results::each(|k| boolean(less(b[k], a[k]))),
        VectorOp::SetEqual => Results::each(|k| boolean(equal(a[k], b[k]))),
        VectorOp::SetNotEqual => Results::each(|k| boolean(!equal(a[k], b[k]))),
    }
}

/// 2 * a * b + c.
fn twice_and_add(a: u32, b: u32, c: u32) -> u32 {
    let product = product(a, b);
    x1k::add(x1k::add(product, product), c)
}

/// An operation in two cycles on its sources.
pub fn macro_op(op: MacroOp, [a, b, c]: [Vector; 3]) -> Results {
    match op {
        MacroOp::MultiplyAdd => Results::each(|k| x1k::mad(RULES, a[k], b[k], c[k])),
        MacroOp::MultiplyX2Add => Results::each(|k| twice_and_add(a[k], b[k], c[k])),
    }
}

/// An operation of the math engine on its sources.
pub fn math(op: MathOp, [a, b, c]: [Vector; 3]) -> Results {
    let s = a[3];
    let magnitude = s & !SIGN;
    match op {
        MathOp::NoOp => Results { writes: [false; 4], ..Results::all(ZERO) },
        MathOp::ExpBase2Dx => Results::new([x1k::ex2(floor(s)), x1k::frc(s), x1k::ex2(s), ONE]),
        MathOp::LogBase2Dx => Results::new(log_parts(magnitude)),
        MathOp::ExpBaseEFf => Results::all(x1k::ex2(x1k::mul(s, LOG2_E))),
        MathOp::LightCoeffDx => Results::new(lighting(a[0], a[3], a[1])),
        MathOp::PowerFuncFf => Results::all(power(s, c[3])),
        MathOp::RecipDx => Results::all(reciprocal(s, GREATEST)),
        MathOp::RecipFf => Results::all(reciprocal(s, ZERO)),
        MathOp::RecipIeee => Results::all(reciprocal(s, INFINITY)),
        MathOp::RecipSqrtDx => Results::all(reciprocal_root(magnitude, GREATEST)),
        MathOp::RecipSqrtFf => Results::all(reciprocal_root(magnitude, ZERO)),
        MathOp::Multiply => Results::all(product(s, b[3])),
        MathOp::ExpBase2FullDx => Results::all(x1k::ex2(s)),
        MathOp::LogBase2FullDx => Results::all(finite_log(magnitude)),
        MathOp::LogBase2Ieee => Results::all(x1k::ln2(s)),
        MathOp::PowerFuncFfClampB => Results::all(power(maximum(s, ZERO), c[3])),
        MathOp::PowerFuncFfClampB1 => Results::all(power(x1k::clamp(s), c[3])),
        MathOp::PowerFuncFfClamp01 => Results::all(x1k::clamp(power(s, c[3]))),
        MathOp::Sin => Results::all(x1k::sin(x1k::mul(s, TURNS))),
        MathOp::Cos => Results::all(x1k::cos(x1k::mul(s, TURNS))),
        MathOp::RecipSqrtIeee => Results::all(reciprocal_root(s, INFINITY)),
        MathOp::PredSetEq => set(Test::Equal, s),
        MathOp::PredSetGt => set(Test::Greater, s),
        MathOp::PredSetGte => set(Test::GreaterEqual, s),
        MathOp::PredSetNeq => set(Test::NotEqual, s),
        MathOp::PredSetClr => Results::predicate((false, GREATEST)),
        MathOp::PredSetInv => Results::predicate(match () {
            () if equal(s, ONE) => (true, ZERO),
            () if equal(s, ZERO) => (false, ONE),
            () => (false, s),
        }),
        MathOp::PredSetPop => {
            let holds = greater_equal(ONE, s);
            Results::predicate((holds, if holds { ZERO } else { x1k::sub(s, ONE) }))
        }
        MathOp::PredSetRestore => {
            let holds = equal(s, ZERO);
            Results::predicate((holds, if holds { ZERO } else { s }))
        }
    }
}

fn set(test: Test, s: u32) -> Results {
    let holds = test.holds(s);
    Results::predicate((holds, boolean(!holds)))
}

/// 1 / s, where 1 / 0 is what it is said to be.
fn reciprocal(s: u32, of_zero: u32) -> u32 {
    if x1k::is_zero(s) { of_zero } else { x1k::rcp(s) }
}

/// 1 / sqrt(s), likewise.
fn reciprocal_root(s: u32, of_zero: u32) -> u32 {
    if x1k::is_zero(s) { of_zero } else { x1k::rsq(s) }
}

/// log2 of a magnitude; of 0 the lowest finite number.
fn finite_log(magnitude: u32) -> u32 {
    if x1k::is_zero(magnitude) { GREATEST | SIGN } else { x1k::ln2(magnitude) }
}

/// base ^ exponent.
fn power(base: u32, exponent: u32) -> u32 {
    x1k::ex2(product(exponent, x1k::ln2(base)))
}

/// (floor(log2 a), a / 2^floor(log2 a), log2 a, 1) of a magnitude.
fn log_parts(magnitude: u32) -> Vector {
    let magnitude = flush(magnitude);
    let log = finite_log(magnitude);
    match magnitude {
        ZERO => [log, ONE, log, ONE],
        INFINITY.. => [log, X1K_NAN, log, ONE],
        _ => {
            let exponent = (magnitude >> 23).cast_signed() - 127;
            [(exponent as f32).to_bits(), magnitude & 0x007F_FFFF | ONE, log, ONE]
        }
    }
}

/// (1, max(x, 0), x > 0 ? max(y, 0)^min(max(w, -128), 128) : 0, 1).
fn lighting(x: u32, y: u32, w: u32) -> Vector {
    let exponent = x1k::min(maximum(w, LARGEST_POWER | SIGN), LARGEST_POWER);
    let specular = if less(ZERO, x) { power(maximum(y, ZERO), exponent) } else { ZERO };
    [ONE, maximum(x, ZERO), specular, ONE]
}
