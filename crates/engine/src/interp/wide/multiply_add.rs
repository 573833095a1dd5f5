//! Multiply-adds of four lanes with one rounding.

use core::arch::wasm32::*;

/// Bits of a binary64 number after those of a binary32 one, and what they are in the middle between two of these.
const BEHIND: u32 = 0x1FFF_FFFF;
const MIDDLE: u32 = 0x1000_0000;

/// A way to have a multiply-add with one rounding.
pub trait MultiplyAdd {
    /// a * b + c in four lanes. Adds to `doubtful` those that may have one rounding too many, if no result is a denormal.
    fn multiply_add(a: v128, b: v128, c: v128, doubtful: &mut v128) -> v128;
}

/// By the instruction of relaxed vectors, where that [has one rounding](has_one_rounding).
pub struct Single;

/// Through binary64, where the product is exact. The sum is rounded there, and the result once more to binary32; that is the same as one
/// rounding unless the first one ends in the middle between two binary32 numbers.
pub struct Double;

impl MultiplyAdd for Single {
    #[inline(always)]
    fn multiply_add(a: v128, b: v128, c: v128, _: &mut v128) -> v128 {
        relaxed_multiply_add(a, b, c)
    }
}

impl MultiplyAdd for Double {
    #[inline(always)]
    fn multiply_add(a: v128, b: v128, c: v128, doubtful: &mut v128) -> v128 {
        let upper = |v| u32x4_shuffle::<2, 3, 2, 3>(v, v);
        let (low, high) = (sum(a, b, c), sum(upper(a), upper(b), upper(c)));
        // The lower words have all bits after that.
        let behind = v128_and(u32x4_shuffle::<0, 2, 4, 6>(low, high), u32x4_splat(BEHIND));
        *doubtful = v128_or(*doubtful, u32x4_eq(behind, u32x4_splat(MIDDLE)));
        u32x4_shuffle::<0, 1, 4, 5>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high))
    }
}

/// The sums of two lanes.
#[inline(always)]
fn sum(a: v128, b: v128, c: v128) -> v128 {
    let product = f64x2_mul(f64x2_promote_low_f32x4(a), f64x2_promote_low_f32x4(b));
    f64x2_add(product, f64x2_promote_low_f32x4(c))
}

/// The multiply-add of relaxed vectors, with one rounding or with two, as suits the host. The page's build (`xtask`) finds this function by
/// its name and puts the instruction in the place of each call: with the target's feature the compiler would also use other relaxed
/// instructions, whose NaNs and zeros depend on the host. Elsewhere there are two roundings.
#[inline(never)]
#[expect(improper_ctypes_definitions, reason = "no other language calls it; with this interface vectors are values")]
extern "C" fn relaxed_multiply_add(a: v128, b: v128, c: v128) -> v128 {
    f32x4_add(f32x4_mul(a, b), c)
}

/// Whether the multiply-add of relaxed vectors has one rounding on this host. The choice is the host's, but it is one choice: each instance
/// of the instruction does the same for all operands (WebAssembly 3.0, "Relaxed operations"). The four lanes are sums that other ways to
/// calculate them get wrong: a product that needs its last bit, one that is half of the smallest denormal, one that overflows, and one that
/// binary64 rounds to the middle between two binary32 numbers.
#[inline(always)]
pub fn has_one_rounding() -> bool {
    let bits = f32::from_bits;
    let a = f32x4(bits(0x3F80_0800), bits(0x1A00_0000), f32::MAX, bits(0x3380_0020));
    let b = f32x4(bits(0x3F80_0800), bits(0x1A00_0000), 2.0, bits(0x3F7F_FFC0));
    let c = f32x4(bits(0xBF80_1000), bits(0x0000_0001), f32::MIN, bits(0x3F80_0001));
    let sums = u32x4(0x3380_0000, 0x0000_0002, f32::MAX.to_bits(), 0x3F80_0001);
    u32x4_all_true(u32x4_eq(relaxed_multiply_add(a, b, c), sums))
}
