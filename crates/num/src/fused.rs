//! The multiply-add of binary32 numbers with one rounding, also for hosts that have no instruction for it.

/// a * b + c, rounded once. Any NaN may stand for any other.
#[inline(always)]
pub fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    // WebAssembly has no such instruction, and its libraries take a hundred instructions with branches.
    if cfg!(target_family = "wasm") { by_odd_rounding(a, b, c) } else { a.mul_add(b, c) }
}

/// The same in binary64, without branches. The product is exact there. The sum is rounded to odd: cut off, with its last bit set if
/// something was cut. With two bits more than the result has, and here there are at least 29, rounding that again is rounding the exact
/// sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#[inline(always)]
fn by_odd_rounding(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // What the sum lacks, exactly (Knuth's two-sum). It is a NaN where the sum is not a finite number, which then stays.
    let rest = sum - product;
    let error = (product - (sum - rest)) + (c - rest);
    let bits = sum.to_bits();
    let is_even = bits & 1 == 0;
    let is_above = (error > 0.0) == (sum > 0.0);
    let is_inexact = (error > 0.0) | (error < 0.0);
    let step = if is_above { 1 } else { u64::MAX };
    let odd = if is_inexact & is_even { bits.wrapping_add(step) } else { bits };
    f64::from_bits(odd) as f32
}

#[cfg(test)]
mod tests {
    use super::by_odd_rounding;

    /// Numbers that end in few, or in many bits, of all sizes, so that sums are ties, nearly ties, tiny, and infinite.
    fn number(state: &mut u64) -> f32 {
        let mut next = || {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *state
        };
        let (bits, form) = (next() as u32, next());
        f32::from_bits(match form % 8 {
            0 => bits,
            1 => bits & 0xFF80_0000,
            2 => bits & 0xFFF0_0000,
            3 => bits & 0x8000_0003,
            4 => bits & 0x80FF_FFFF | 0x3F00_0000,
            5 => bits & 0x8080_0007 | 0x3F00_0000,
            6 => bits & 0x80FF_FFFF | 0x1F80_0000,
            _ => bits & 0x8080_0001 | 0x7E80_0000,
        })
    }

    #[test]
    fn one_rounding() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for round in 0..4_000_000 {
            let [a, b, c] = std::array::from_fn(|_| number(&mut state));
            // A third of the sums cancel all but the error of the product.
            let c = if round % 3 == 0 { -(a * b) } else { c };
            let (expected, found) = (a.mul_add(b, c), by_odd_rounding(a, b, c));
            let is_same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            assert!(is_same, "{a:e} * {b:e} + {c:e}: {expected:e}, not {found:e}");
        }
    }
}
