//! Sums and products: MAD, the dot products, presubtract, and the plain operations of the texture path.

use super::X1K_NAN;
use crate::flushed;

/// How multiply-adds round, and what zero times infinity is. Properties of a run and of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MadRules {
    /// Two roundings: the product is rounded (and flushed) before the addition. Otherwise a multiply-add rounds once.
    pub unfused: bool,
    /// The product of a zero (or denormal) and an infinity or NaN is +0 instead of NaN (US_CONFIG,
    /// ZERO_TIMES_ANYTHING_EQUALS_ZERO). All other products are unchanged.
    pub zero_times_anything: bool,
}

const ONE: u32 = 0x3F80_0000;
const MINUS_TWO: u32 = 0xC000_0000;

#[inline]
fn is_zero(bits: u32) -> bool {
    flushed::equal(bits, 0)
}

/// a*b + c.
#[inline]
pub fn mad(rules: MadRules, a: u32, b: u32, c: u32) -> u32 {
    if rules.unfused {
        return add(mul_start(rules, a, b), c);
    }
    let result = flushed::fma::<X1K_NAN>(a, b, c);
    // Zero times infinity or NaN always shows as a NaN result, so the rule costs nothing elsewhere.
    if result == X1K_NAN && rules.zero_times_anything && (is_zero(a) || is_zero(b)) { add(0, c) } else { result }
}

/// The product that a dot product starts from.
#[inline]
pub fn mul_start(rules: MadRules, a: u32, b: u32) -> u32 {
    let result = mul(a, b);
    if result == X1K_NAN && rules.zero_times_anything && (is_zero(a) || is_zero(b)) { 0 } else { result }
}

/// a.r*b.r + a.g*b.g + a.b*b.b: a product, then a [`mad`] per channel in that order.
#[inline]
pub fn dp3(rules: MadRules, a: [u32; 3], b: [u32; 3]) -> u32 {
    let red = mul_start(rules, a[0], b[0]);
    let green = mad(rules, a[1], b[1], red);
    mad(rules, a[2], b[2], green)
}

/// [`dp3`], continued with a.a*b.a.
#[inline]
pub fn dp4(rules: MadRules, a: [u32; 4], b: [u32; 4]) -> u32 {
    let rgb = dp3(rules, [a[0], a[1], a[2]], [b[0], b[1], b[2]]);
    mad(rules, a[3], b[3], rgb)
}

/// a.r*b.r + a.g*b.g + c: `mad(a.g, b.g, mad(a.r, b.r, c))`.
#[inline]
pub fn d2a(rules: MadRules, a: [u32; 2], b: [u32; 2], c: u32) -> u32 {
    mad(rules, a[1], b[1], mad(rules, a[0], b[0], c))
}

/// The presubtract operation 1 - 2*s0.
#[inline]
pub fn bias(rules: MadRules, s0: u32) -> u32 {
    mad(rules, MINUS_TWO, s0, ONE)
}

/// a + b.
#[inline]
pub fn add(a: u32, b: u32) -> u32 {
    flushed::add::<X1K_NAN>(a, b)
}

/// a - b.
#[inline]
pub fn sub(a: u32, b: u32) -> u32 {
    flushed::sub::<X1K_NAN>(a, b)
}

/// a * b.
#[inline]
pub fn mul(a: u32, b: u32) -> u32 {
    flushed::mul::<X1K_NAN>(a, b)
}

/// a / b.
#[inline]
pub fn div(a: u32, b: u32) -> u32 {
    flushed::div::<X1K_NAN>(a, b)
}
