//! Integer sums and products, minimum and maximum.

use super::machine::LiftState;
use crate::codes::{Iadd3Shift, MinMaxExtend, Signedness, XmadMode};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::product::Part;
use crate::table::IntegerOp;
use ctm_lane::{IntTest, Value};

/// Whether the operands are signed.
pub(super) fn is_signed(instruction: &Instruction) -> bool {
    instruction.get(key::SIGNED) == Signedness::S32
}

/// What an addition does besides adding, see [`ctm_num::sm50::AddRules`].
#[derive(Clone, Copy, Default)]
struct AddRules {
    negate: [bool; 2],
    plus_one: bool,
    extended: bool,
    saturate: bool,
}

impl AddRules {
    fn of(instruction: &Instruction) -> Self {
        AddRules {
            negate: [instruction.a().neg, instruction.b().neg],
            plus_one: instruction.get(key::PO),
            extended: instruction.get(key::X),
            saturate: instruction.get(key::SAT),
        }
    }
}

/// A sum with its flags.
#[derive(Clone, Copy)]
struct Sum {
    result: Value,
    flags: [Value; 4],
}

impl LiftState<'_> {
    pub fn integer(&mut self, op: IntegerOp, instruction: &Instruction) {
        use IntegerOp::*;
        let rules = AddRules::of(instruction);
        let shift = u32::from(instruction.get(key::SHIFT));
        // Most rules do the negations themselves.
        let (a, b) = (self.word(instruction.a().value), self.word(instruction.b().value));
        let sum = match op {
            Iadd | Iadd32i => self.sum(rules, a, b),
            Iscadd | Iscadd32i => {
                let a = self.shifted_left(a, shift);
                self.sum(rules, a, b)
            }
            Iadd3 => {
                let operands = [instruction.a(), instruction.b(), instruction.c()].map(|source| self.int(source));
                self.sum_of_three(instruction.get(key::IADD3_SHIFT), rules.extended, operands)
            }
            Lea => {
                let a = self.int(instruction.a());
                let a = self.shifted_left(a, shift);
                self.address_sum(instruction, a, b)
            }
            LeaHi => {
                let (a, c) = (self.int(instruction.a()), self.word(instruction.c().value));
                let (low, high) = (self.shifted_right(a, 32 - shift), self.shifted_left(c, shift));
                let a = self.b.or(high, low);
                self.address_sum(instruction, a, b)
            }
            Imul | Imul32i => {
                let result = self.product_word(instruction, a, b, false);
                self.plain(result)
            }
            Imad | Imad32i => {
                let c = self.word(instruction.c().value);
                let product = self.product_word(instruction, a, b, instruction.a().neg);
                let rules = AddRules { negate: [false, instruction.c().neg], ..rules };
                self.sum(rules, product, c)
            }
            Imadsp => {
                let c = self.word(instruction.c().value);
                let parts = [Part::of_a(instruction), Part::of_b(instruction), Part::of_c(instruction)];
                let (a, b, c) = (self.part_of(parts[0], a), self.part_of(parts[1], b), self.part_of(parts[2], c));
                let product = self.b.imul(a, b);
                self.sum(AddRules::default(), product, c)
            }
            Xmad => self.half_product(instruction, a, b),
            Imnmx => self.extreme(instruction, a, b),
        };
        self.set_flags(instruction, |_| sum.flags);
        self.set_reg(instruction.dst(), sum.result);
    }

    /// The sum of LEA and LEA.HI, whose carry also goes to a predicate.
    fn address_sum(&mut self, instruction: &Instruction, a: Value, b: Value) -> Sum {
        let rules = AddRules { extended: AddRules::of(instruction).extended, ..AddRules::default() };
        let sum = self.sum(rules, a, b);
        self.set_pred(instruction.pred(key::PD), sum.flags[2]);
        sum
    }

    /// A part of a word, extended.
    fn part_of(&mut self, part: Part, word: Value) -> Value {
        let unused = 32 - part.bits;
        let upper = self.shifted_left(word, unused - part.from);
        let unused = self.b.constant(unused);
        if part.signed { self.b.sar(upper, unused) } else { self.b.shr(upper, unused) }
    }

    fn plain(&mut self, result: Value) -> Sum {
        Sum { result, flags: self.plain_flags(result) }
    }

    /// 1 in the lanes of a mask, 0 in the others.
    pub fn bit(&mut self, mask: Value) -> Value {
        let (one, zero) = (self.b.constant(1), self.b.constant(0));
        self.b.select(mask, one, zero)
    }

    /// a + b, and the lanes where that carries.
    fn carrying(&mut self, a: Value, b: Value) -> (Value, Value) {
        let sum = self.b.iadd(a, b);
        (sum, self.b.icmp(IntTest::Ult, sum, a))
    }

    fn sum(&mut self, rules: AddRules, a: Value, b: Value) -> Sum {
        let before = self.condition();
        let [negate_a, negate_b] = rules.negate;
        let (plain_a, plain_b) = (a, b);
        let a = if negate_a { self.not(a) } else { a };
        let b = if negate_b { self.not(b) } else { b };
        let carry_in = match (rules.plus_one, rules.extended) {
            (true, _) => self.b.constant(1),
            (false, true) => self.bit(before[2]),
            (false, false) => self.b.constant(u32::from(negate_a) + u32::from(negate_b)),
        };
        let (partial, first) = self.carrying(a, b);
        let (wrapped, second) = self.carrying(partial, carry_in);
        let carry = self.b.mask_xor(first, second);
        let (from_a, differ) = (self.b.xor(a, wrapped), self.b.xor(a, b));
        let same = self.not(differ);
        let left = self.b.and(same, from_a);
        let overflow = self.is_negative(left);
        // Nearly all read the result alone: a plain difference.
        let wrapped = match (rules.extended || rules.plus_one, negate_a, negate_b) {
            (false, false, true) => self.b.isub(plain_a, plain_b),
            (false, true, false) => self.b.isub(plain_b, plain_a),
            _ => wrapped,
        };
        let result = if rules.saturate {
            let negative = self.is_negative(wrapped);
            let (least, greatest) = (self.b.constant(0x8000_0000), self.b.constant(0x7FFF_FFFF));
            let nearest = self.b.select(negative, greatest, least);
            self.b.select(overflow, nearest, wrapped)
        } else {
            wrapped
        };
        self.sum_flags(result, carry, overflow, rules.extended, before)
    }

    fn sum_flags(&mut self, result: Value, carry: Value, overflow: Value, extended: bool, before: [Value; 4]) -> Sum {
        let (mut zero, sign) = (self.is_zero(result), self.is_negative(result));
        if extended {
            zero = self.b.mask_and(zero, before[0]);
        }
        Sum { result, flags: [zero, sign, carry, overflow] }
    }

    fn sum_of_three(&mut self, shift: Iadd3Shift, extended: bool, [a, b, c]: [Value; 3]) -> Sum {
        let before = self.condition();
        // The carry of the first sum is the overflow flag.
        let (pair, overflow) = self.carrying(a, b);
        let shifted = match shift {
            Iadd3Shift::None | Iadd3Shift::Invalid => pair,
            Iadd3Shift::Rs => {
                let top = self.bit(overflow);
                let (low, high) = (self.shifted_right(pair, 16), self.shifted_left(top, 16));
                self.b.or(low, high)
            }
            Iadd3Shift::Ls => self.shifted_left(pair, 16),
        };
        let carry_in = if extended { self.bit(before[2]) } else { self.b.constant(0) };
        let (partial, first) = self.carrying(shifted, c);
        let (result, second) = self.carrying(partial, carry_in);
        let carry = self.b.mask_or(first, second);
        self.sum_flags(result, carry, overflow, extended, before)
    }

    /// The word of the product, or of its negative, that an instruction names.
    fn product_word(&mut self, instruction: &Instruction, a: Value, b: Value, negate: bool) -> Value {
        let zero = self.b.constant(0);
        let low = self.b.imul(a, b);
        if !instruction.get(key::HI) {
            return if negate { self.b.isub(zero, low) } else { low };
        }
        let high = match instruction.value(FieldId::FACTORS) {
            0 => self.b.umul_high(a, b),
            3 => self.b.smul_high(a, b),
            signs => {
                // A negative factor counts for 2^32 too much as an unsigned one.
                let (signed, other) = if signs & 1 != 0 { (a, b) } else { (b, a) };
                let high = self.b.umul_high(a, b);
                let negative = self.is_negative(signed);
                let excess = self.b.select(negative, other, zero);
                self.b.isub(high, excess)
            }
        };
        if !negate {
            return high;
        }
        let (inverse, low_is_zero) = (self.not(high), self.is_zero(low));
        let carry = self.bit(low_is_zero);
        self.b.iadd(inverse, carry)
    }

    /// XMAD.
    fn half_product(&mut self, instruction: &Instruction, a: Value, b: Value) -> Sum {
        let (before, c) = (self.condition(), self.word(instruction.c().value));
        let signs = instruction.value(FieldId::HALF_FACTORS);
        let sides = [(a, key::HIGH_A, 1), (b, key::HIGH_B, 2)];
        let [x, y] = sides.map(|(value, high, sign)| {
            let (high, sixteen) = (instruction.get(high), self.b.constant(16));
            match (high, signs & sign != 0) {
                (true, true) => self.b.sar(value, sixteen),
                (true, false) => self.b.shr(value, sixteen),
                (false, true) => {
                    let up = self.b.shl(value, sixteen);
                    self.b.sar(up, sixteen)
                }
                (false, false) => self.only(value, 0xFFFF),
            }
        });
        let product = self.b.imul(x, y);
        let product = if instruction.get(key::PSL) { self.shifted_left(product, 16) } else { product };
        let addend = match instruction.get(key::XMAD_MODE) {
            XmadMode::C | XmadMode::Invalid5 | XmadMode::Invalid6 | XmadMode::Invalid7 => c,
            XmadMode::Clo => self.only(c, 0xFFFF),
            XmadMode::Chi => self.shifted_right(c, 16),
            XmadMode::Csfu => {
                let corrections = [(a, b), (b, a)].map(|(x, y)| {
                    let (negative, low) = (self.is_negative(x), self.only(y, 0xFFFF));
                    let some = self.is_zero(low);
                    let applies = self.b.mask_andnot(negative, some);
                    let bit = self.bit(applies);
                    self.shifted_left(bit, 16)
                });
                let c = self.b.isub(c, corrections[0]);
                self.b.isub(c, corrections[1])
            }
            XmadMode::Cbcc => {
                let high = self.shifted_left(b, 16);
                self.b.iadd(c, high)
            }
        };
        let (partial, first) = self.carrying(product, addend);
        let (sum, carry) = if instruction.get(key::X) {
            let carry_in = self.bit(before[2]);
            let (sum, second) = self.carrying(partial, carry_in);
            (sum, self.b.mask_or(first, second))
        } else {
            (partial, first)
        };
        let result = if instruction.get(key::MRG) {
            let (low, high) = (self.only(sum, 0xFFFF), self.shifted_left(b, 16));
            self.b.or(high, low)
        } else {
            sum
        };
        let none = self.b.mask_constant(false);
        self.sum_flags(result, carry, none, instruction.get(key::X), before)
    }

    /// IMNMX. Words of larger numbers come from the highest down: Z says that all so far were equal, and where they were
    /// not, C that the first number is taken.
    fn extreme(&mut self, instruction: &Instruction, a: Value, b: Value) -> Sum {
        let signed = is_signed(instruction);
        let extend = instruction.get(key::MINMAX_EXTEND);
        if extend == MinMaxExtend::None {
            let result = self.either(instruction.pred_c(), |m, min| match (min, signed) {
                (true, true) => m.b.smin(a, b),
                (true, false) => m.b.umin(a, b),
                (false, true) => m.b.smax(a, b),
                (false, false) => m.b.umax(a, b),
            });
            return self.plain(result);
        }
        let before = self.condition();
        let min = self.pred(instruction.pred_c());
        let (below, above) = if signed { (IntTest::Slt, IntTest::Sgt) } else { (IntTest::Ult, IntTest::Ugt) };
        let (below, above) = (self.b.icmp(below, a, b), self.b.icmp(above, a, b));
        let picks_a = self.b.mask_select(min, below, above);
        let equal = self.b.icmp(IntTest::Eq, a, b);
        let none = self.b.mask_constant(false);
        let decides = if extend == MinMaxExtend::Xhi { self.b.mask_constant(true) } else { before[0] };
        let carry = self.b.mask_select(decides, picks_a, before[2]);
        let zero = self.b.mask_select(decides, equal, before[0]);
        let sign = self.b.mask_select(decides, none, before[1]);
        let overflow = self.b.mask_select(decides, none, before[3]);
        Sum { result: self.b.select(carry, a, b), flags: [zero, sign, carry, overflow] }
    }

    /// How the numbers compare whose upper words are a and b: the lanes where they are equal, and where a's is less.
    pub fn extended_order(&mut self, signed: bool, a: Value, b: Value) -> [Value; 2] {
        let rules = AddRules { negate: [false, true], extended: true, ..AddRules::default() };
        let [zero, sign, carry, overflow] = self.sum(rules, a, b).flags;
        let less = if signed { self.b.mask_xor(sign, overflow) } else { self.b.mask_not(carry) };
        [zero, less]
    }
}
