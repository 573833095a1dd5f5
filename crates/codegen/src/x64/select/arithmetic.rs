//! Arithmetic of lanes, masks and uniforms.

use super::masks::MaskOp;
use super::{Selector, Val};
use crate::mir::{Arg, Class, Reg};
use crate::x64::InstKind;
use crate::x64::isa::Vop;
use ctm_lane::{FloatTest, Op, Round, Value, Zero};
use iced_x86::Code;

pub const SIGN: u32 = 0x8000_0000;
pub const ONE: u32 = 0x3F80_0000;
/// The number 2.
const TWO: u32 = 0x4000_0000;
pub const HALF: u32 = 0x3F00_0000;
/// The bit of quiet NaNs.
pub const QUIET: u32 = 0x0040_0000;

/// What is too great for signed integers.
pub const TWO_TO_31: f32 = 2_147_483_648.0;

/// A float compare as the instruction numbers it, without raising the invalid flag for quiet NaNs.
pub const fn float_predicate(test: FloatTest) -> i32 {
    match test {
        FloatTest::Oeq => 0,
        FloatTest::Olt => 17,
        FloatTest::Ole => 18,
        FloatTest::Ogt => 30,
        FloatTest::Oge => 29,
        FloatTest::One => 12,
        FloatTest::Ord => 7,
        FloatTest::Ueq => 8,
        FloatTest::Ult => 25,
        FloatTest::Ule => 26,
        FloatTest::Ugt => 22,
        FloatTest::Uge => 21,
        FloatTest::Une => 4,
        FloatTest::Uno => 3,
    }
}

/// The bit of a compare's number that raises the invalid flag for quiet NaNs, or not: the other way round than above.
pub const SIGNALLING: i32 = 16;

/// A direction of rounding to an integral value as the instructions have it.
pub const fn round_immediate(round: Round) -> Arg {
    Arg::Imm(match round {
        Round::Even => 8,
        Round::Floor => 9,
        Round::Ceil => 10,
        Round::Trunc => 11,
    })
}

impl Selector<'_> {
    /// A uniform index modulo a power of two.
    pub fn wrapped(&mut self, index: Value, entries: u32) -> Reg {
        let index = Arg::Reg(self.uniform_reg(index));
        self.tied_general(Code::And_rm32_imm32, &[index, Arg::Imm(entries.wrapping_sub(1).cast_signed())])
    }

    pub fn uniform_binary(&mut self, code: Code, immediate: Code, args: &[Value]) -> Reg {
        let (a, b) = match (self.uniform(args[0]), self.uniform(args[1])) {
            (Arg::Imm(_), b @ Arg::Reg(_)) => (b, self.uniform(args[0])),
            (a @ Arg::Reg(_), b) => (a, b),
            (_, b) => (Arg::Reg(self.uniform_reg(args[0])), b),
        };
        let code = if matches!(b, Arg::Imm(_)) { immediate } else { code };
        self.tied_general(code, &[a, b])
    }

    pub fn unary(&mut self, op: Vop, a: Value) -> Reg {
        let a = self.arg(a);
        self.vector_op(op, &[a])
    }

    pub fn binary(&mut self, op: Vop, a: Value, b: Value) -> Reg {
        let a = self.reg(a);
        let b = self.arg(b);
        self.vector_op(op, &[Arg::Reg(a), b])
    }

    pub fn commutative(&mut self, op: Vop, args: &[Value]) -> Reg {
        if self.is_constant(args[0]) { self.binary(op, args[1], args[0]) } else { self.binary(op, args[0], args[1]) }
    }

    pub fn with_bits(&mut self, op: Vop, a: Value, bits: u32) -> Reg {
        let a = self.reg(a);
        self.with_constant(op, a, bits)
    }

    pub fn mask_operation(&mut self, op: MaskOp, a: Value, b: Value) -> Reg {
        let (a, b) = (self.mask_reg(a), self.mask_reg(b));
        self.mask_binary(op, a, b)
    }

    fn unordered(&mut self, a: Reg, within: Option<Reg>) -> Reg {
        self.compare(FloatTest::Uno, a, Arg::Reg(a), within)
    }

    pub fn canonical(&mut self, a: Reg, nan: u32) -> Reg {
        let is_nan = self.unordered(a, None);
        let nan = self.constant(nan);
        self.blend(is_nan, nan, a)
    }

    pub fn round(&mut self, round: Round, a: Arg) -> Reg {
        self.vector_op(Vop::Round, &[a, round_immediate(round)])
    }

    /// Whether a float is a number in the range of signed integers, so that its truncation needs no more than the host's.
    pub fn fits_signed(&self, a: Value) -> bool {
        let range = self.ranges.get(a);
        !range.nan && range.lo >= -TWO_TO_31 && range.hi < TWO_TO_31
    }

    /// Truncation; numbers too great saturate, what is too small or a NaN gives the smallest integer.
    pub fn truncated(&mut self, a: Reg) -> Reg {
        let integer = self.vector_op(Vop::ToInt, &[Arg::Reg(a)]);
        let bound = self.constant(0x4F00_0000);
        let great = self.compare(FloatTest::Oge, a, bound, None);
        let greatest = self.constant(0x7FFF_FFFF);
        self.blend(great, greatest, integer)
    }

    fn is_zero(&mut self, a: Value, within: Option<Reg>) -> Reg {
        let a = self.reg(a);
        let zero = self.constant(0);
        self.compare(FloatTest::Oeq, a, zero, within)
    }

    /// The lanes in which the zero rule replaces the product of a and b, whose result is `result`.
    fn vanished(&mut self, zero: Zero, a: Value, b: Value, result: Reg) -> Option<Reg> {
        let within = match zero {
            Zero::Ieee => return None,
            Zero::Special if self.mode.speculates => return None,
            Zero::Special => Some(self.unordered(result, None)),
            Zero::Always => None,
        };
        let (first, second) = (self.is_zero(a, within), self.is_zero(b, within));
        Some(self.mask_binary(MaskOp::Or, first, second))
    }

    pub fn product(&mut self, zero: Zero, (a, b): (Value, Value), result: Value) -> Reg {
        // Twice a number is a sum, which processors with units of their own for sums make beside products.
        let is_two = |value: Value| self.values[value.index()] == Val::Const(TWO);
        let product = match (is_two(a), is_two(b)) {
            (_, true) => self.commuted(Vop::Add, (a, a), result),
            (true, _) => self.commuted(Vop::Add, (b, b), result),
            (false, false) => self.commuted(Vop::Mul, (a, b), result),
        };
        match self.vanished(zero, a, b, product) {
            None => product,
            Some(vanished) => {
                let nothing = self.constant(0);
                self.blend(vanished, nothing, product)
            }
        }
    }

    pub fn multiply_add(&mut self, zero: Zero, a: Value, b: Value, c: Value) -> Reg {
        // The sign of a factor goes into the instruction.
        let stripped = |selector: &Self, value: Value| match selector.function.defining_op(value) {
            Some((Op::Neg {}, args))
                if matches!(selector.values[args[0].index()], Val::Reg(_) | Val::Entry(..) | Val::Vector(..)) =>
            {
                (args[0], true)
            }
            _ => (value, false),
        };
        let ((a, negative_a), (b, negative_b), (c0, negative_c)) =
            (stripped(self, a), stripped(self, b), stripped(self, c));
        let mut operands = [a, b, c0].map(|value| (self.arg(value), self.is_constant(value)));
        // At most one operand can be memory, best one that is there for this instruction only.
        let is_vector = |&(operand, is_constant): &(Arg, bool)| matches!(operand, Arg::Mem(_)) && !is_constant;
        let mut has_memory = operands.iter().any(is_vector);
        let mut has_vector = false;
        for (operand, is_constant) in &mut operands {
            match *operand {
                Arg::Mem(_) if *is_constant && std::mem::replace(&mut has_memory, true) => {
                    *operand = Arg::Reg(self.hoisted(*operand));
                }
                Arg::Mem(_) if !*is_constant && std::mem::replace(&mut has_vector, true) => {
                    *operand = Arg::Reg(self.load_arg(*operand));
                }
                Arg::Mem(_) | Arg::Reg(_) | Arg::Imm(_) | Arg::None => {}
            }
        }
        let operands = operands.map(|(operand, _)| operand);
        let kind = InstKind::Fma { negate_product: negative_a != negative_b, negate_addend: negative_c };
        let result = self.define(Class::Vector, kind, &operands);
        match self.vanished(zero, a, b, result) {
            None => result,
            Some(vanished) => {
                let addend = self.reg(c);
                let sum = self.with_constant(Vop::Add, addend, 0);
                self.blend(vanished, Arg::Reg(sum), result)
            }
        }
    }

    /// A minimum or maximum: the machine's own where no denormal would be flushed on the way, or nobody would notice.
    pub fn extreme(&mut self, (op, test): (Vop, FloatTest), (a, b): (Value, Value), result: Value) -> Reg {
        let normal = !self.ranges.get(a).denormal && !self.ranges.get(b).denormal;
        if normal || self.is_flushed_by_all(result) {
            return self.binary(op, a, b);
        }
        let first = self.reg(a);
        let second = self.arg(b);
        let chosen = self.compare_checked(test, &[a, b], (first, second));
        let second = self.load_arg(second);
        self.blend(chosen, Arg::Reg(first), second)
    }

    pub fn fraction(&mut self, a: Value) -> Reg {
        let a = self.reg(a);
        let floor = self.round(Round::Floor, Arg::Reg(a));
        let fraction = self.two(Vop::Sub, a, floor);
        let below_one = self.constant_reg(ONE - 1);
        self.two(Vop::Min, below_one, fraction)
    }
}
