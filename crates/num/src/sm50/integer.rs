//! Integer sums, products, minimum and maximum, comparisons, and the condition code.

use super::Relation;
use crate::ieee::{Format, Number};
use std::cmp::Ordering;

/// The condition code of a lane. Zero and sign together say that a float result is a NaN: no integer is both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Z: the result is zero, or a NaN.
    pub zero: bool,
    /// S: the result is negative, or a NaN.
    pub sign: bool,
    /// C: a sum carried out of bit 31.
    pub carry: bool,
    /// O: a sum left the range of signed numbers; of IADD3 the first of its two sums carried.
    pub overflow: bool,
}

impl Flags {
    /// The flags of a result that is not a sum (decision S31: carry and overflow are clear).
    pub const fn of(result: u32) -> Flags {
        Flags { zero: result == 0, sign: result >> 31 != 0, carry: false, overflow: false }
    }

    /// The flags of a float: zeros of either sign are zero and not negative, a NaN is zero and negative (envytools on the Tesla
    /// family; the tests of the condition code take that combination for unordered). Carry and overflow are clear (decision S31).
    pub const fn of_float(format: Format, bits: u64) -> Flags {
        let (zero, sign) = match format.unpack(bits) {
            Number::Nan => (true, true),
            Number::Infinite { negative } => (false, negative),
            Number::Finite(exact) => (exact.is_zero(), exact.negative && !exact.is_zero()),
        };
        Flags { zero, sign, carry: false, overflow: false }
    }

    /// The flags as bits: Z, S, C, O from bit 0 on.
    pub const fn image(self) -> u32 {
        self.zero as u32 | (self.sign as u32) << 1 | (self.carry as u32) << 2 | (self.overflow as u32) << 3
    }

    /// The flags in bits 3:0.
    pub const fn from_image(bits: u32) -> Flags {
        Flags { zero: bits & 1 != 0, sign: bits & 2 != 0, carry: bits & 4 != 0, overflow: bits & 8 != 0 }
    }
}

/// What an addition does besides adding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddRules {
    /// A is subtracted.
    pub negate_a: bool,
    /// B is subtracted.
    pub negate_b: bool,
    /// One is added (PO). Excludes the negations, and overrides the carry that X adds.
    pub plus_one: bool,
    /// X: continues a sum of lower words. The carry goes in, Z holds only if it held, and a negation inverts bits, as
    /// the carry supplies its one.
    pub extended: bool,
    /// A sum that leaves the range of signed numbers is the nearest one inside.
    pub saturate: bool,
}

/// A + B. `flags` are those before.
pub fn iadd(rules: AddRules, a: u32, b: u32, flags: Flags) -> (u32, Flags) {
    let a = if rules.negate_a { !a } else { a };
    let b = if rules.negate_b { !b } else { b };
    let carry_in = match (rules.plus_one, rules.extended) {
        (true, _) => 1,
        (false, true) => u64::from(flags.carry),
        (false, false) => u64::from(rules.negate_a) + u64::from(rules.negate_b),
    };
    let sum = u64::from(a) + u64::from(b) + carry_in;
    let wrapped = sum as u32;
    let overflow = (!(a ^ b) & (a ^ wrapped)) >> 31 != 0;
    let result = match (rules.saturate && overflow, wrapped >> 31) {
        (false, _) => wrapped,
        (true, 0) => 0x8000_0000,
        (true, _) => 0x7FFF_FFFF,
    };
    (result, sum_flags(result, sum >> 32 & 1 != 0, overflow, rules.extended, flags))
}

fn sum_flags(result: u32, carry: bool, overflow: bool, extended: bool, before: Flags) -> Flags {
    let flags = Flags { carry, overflow, ..Flags::of(result) };
    Flags { zero: flags.zero && (!extended || before.zero), ..flags }
}

/// Shift between the two additions of IADD3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumShift {
    /// None.
    #[default]
    None,
    /// RS: the 33-bit sum goes right by 16.
    Right,
    /// LS: the sum goes left by 16.
    Left,
}

/// IADD3: A + B, shifted, + C; with `extended` also plus the carry. The operands come with parts taken and negated. Each of
/// the two sums has a carry of its own: that of A + B is the overflow flag, that of the second sum the carry flag (hardware,
/// second hand). With a shift, the first carry is that of A + B before it (decision S52).
pub fn iadd3(shift: SumShift, extended: bool, [a, b, c]: [u32; 3], flags: Flags) -> (u32, Flags) {
    let pair = u64::from(a) + u64::from(b);
    let shifted = match shift {
        SumShift::None => pair as u32,
        SumShift::Right => (pair >> 16) as u32,
        SumShift::Left => (pair << 16) as u32,
    };
    let sum = u64::from(shifted) + u64::from(c) + u64::from(extended && flags.carry);
    let result = sum as u32;
    (result, sum_flags(result, sum >> 32 != 0, pair >> 32 != 0, extended, flags))
}

/// ISCADD: (A << shift) + B, where a negation of A is one of the shifted A.
pub fn iscadd(rules: AddRules, a: u32, b: u32, shift: u32) -> (u32, Flags) {
    iadd(rules, a << (shift & 31), b, Flags::default())
}

/// LEA: (A << shift) + B, where A comes negated; with `extended` plus the carry. The carry out is in the flags.
pub fn lea(extended: bool, a: u32, b: u32, shift: u32, flags: Flags) -> (u32, Flags) {
    iadd(AddRules { extended, ..AddRules::default() }, a << (shift & 31), b, flags)
}

/// LEA.HI: the upper word of C:A << shift, plus B; with `extended` plus the carry.
pub fn lea_high(extended: bool, [a, b, c]: [u32; 3], shift: u32, flags: Flags) -> (u32, Flags) {
    let pair = u64::from(c) << 32 | u64::from(a);
    iadd(AddRules { extended, ..AddRules::default() }, (pair >> (32 - (shift & 31))) as u32, b, flags)
}

fn extend(value: u32, signed: bool) -> i64 {
    if signed { i64::from(value.cast_signed()) } else { i64::from(value) }
}

/// The 64-bit product.
fn product(a: u32, b: u32, [a_signed, b_signed]: [bool; 2]) -> u64 {
    extend(a, a_signed).wrapping_mul(extend(b, b_signed)).cast_unsigned()
}

fn word(product: u64, high: bool) -> u32 {
    if high { (product >> 32) as u32 } else { product as u32 }
}

/// IMUL: the low or high word of the product.
pub fn imul(a: u32, b: u32, signed: [bool; 2], high: bool) -> u32 {
    word(product(a, b, signed), high)
}

/// IMAD: the low or high word of the product, which `rules.negate_a` negates first, plus C by the rules of [`iadd`].
pub fn imad(rules: AddRules, [a, b, c]: [u32; 3], signed: [bool; 2], high: bool, flags: Flags) -> (u32, Flags) {
    let product = product(a, b, signed);
    let product = if rules.negate_a { product.wrapping_neg() } else { product };
    iadd(AddRules { negate_a: false, ..rules }, word(product, high), c, flags)
}

/// What XMAD adds to the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddendOfXmad {
    /// C.
    #[default]
    Whole,
    /// CLO: the low half of C.
    Low,
    /// CHI: the high half of C.
    High,
    /// CSFU: C less the corrections that turn an unsigned product of words into a signed one.
    Signed,
    /// CBCC: C + (B << 16).
    WithB,
}

/// How XMAD computes. Pairs are A, then B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct XmadRules {
    /// The high halves are multiplied.
    pub high: [bool; 2],
    /// The halves are signed.
    pub signed: [bool; 2],
    /// PSL: the product goes left by 16.
    pub shift_product: bool,
    /// MRG: B replaces the upper half of the result.
    pub merge: bool,
    /// What is added.
    pub addend: AddendOfXmad,
    /// X: the carry goes in.
    pub extended: bool,
}

/// XMAD: a product of halves plus C. Decision S39: the carry is that of the addition, the overflow is clear.
pub fn xmad(rules: XmadRules, [a, b, c]: [u32; 3], flags: Flags) -> (u32, Flags) {
    let half = |value: u32, side: usize| {
        let half = if rules.high[side] { value >> 16 } else { value & 0xFFFF };
        if rules.signed[side] { i64::from(half as i16) } else { i64::from(half) }
    };
    let product = (half(a, 0) * half(b, 1)) as u32;
    let product = if rules.shift_product { product << 16 } else { product };
    // The published description of CSFU does not give compilers' signed products; this does.
    let correction = |x: u32, y: u32| if x >> 31 != 0 && y & 0xFFFF != 0 { 0x1_0000 } else { 0 };
    let addend = match rules.addend {
        AddendOfXmad::Whole => c,
        AddendOfXmad::Low => c & 0xFFFF,
        AddendOfXmad::High => c >> 16,
        AddendOfXmad::Signed => c.wrapping_sub(correction(a, b)).wrapping_sub(correction(b, a)),
        AddendOfXmad::WithB => c.wrapping_add(b << 16),
    };
    let sum = u64::from(product) + u64::from(addend) + u64::from(rules.extended && flags.carry);
    let result = if rules.merge { sum as u32 & 0xFFFF | b << 16 } else { sum as u32 };
    (result, sum_flags(result, sum >> 32 & 1 != 0, false, rules.extended, flags))
}

fn order(signed: bool, a: u32, b: u32) -> Ordering {
    if signed { a.cast_signed().cmp(&b.cast_signed()) } else { a.cmp(&b) }
}

/// How a compares to b.
pub fn icompare(signed: bool, a: u32, b: u32) -> Relation {
    Some(order(signed, a, b)).into()
}

/// How the numbers compare whose upper words are a and b, `flags` being those of the difference of the lower words (X).
pub fn icompare_extended(signed: bool, a: u32, b: u32, flags: Flags) -> Relation {
    let (_, flags) = iadd(AddRules { negate_b: true, extended: true, ..AddRules::default() }, a, b, flags);
    let less = if signed { flags.sign != flags.overflow } else { !flags.carry };
    match (flags.zero, less) {
        (true, _) => Relation::Equal,
        (false, true) => Relation::Less,
        (false, false) => Relation::Greater,
    }
}

/// The smaller (`min`) or larger operand.
pub fn imnmx(min: bool, signed: bool, a: u32, b: u32) -> u32 {
    if picks_a(min, signed, a, b) { a } else { b }
}

fn picks_a(min: bool, signed: bool, a: u32, b: u32) -> bool {
    order(signed, a, b) == if min { Ordering::Less } else { Ordering::Greater }
}

/// One word of the smaller or larger of two numbers of several words, from the highest (`highest`) down. Z of the flags
/// says that all words so far were equal; where they were not, C says that the first number is taken. (Decision S40: this
/// makes the 64-bit minima of ptxas right.)
pub fn imnmx_extended(highest: bool, min: bool, signed: bool, a: u32, b: u32, flags: Flags) -> (u32, Flags) {
    if highest || flags.zero {
        let carry = picks_a(min, signed, a, b);
        let result = if carry { a } else { b };
        (result, Flags { zero: a == b, carry, ..Flags::default() })
    } else {
        (if flags.carry { a } else { b }, flags)
    }
}
