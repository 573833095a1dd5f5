//! Property tests: a property is tried with a number of cases, and the case of a seed is always the same one.
//!
//! The number does not depend on time, so a test does the same on every machine, however busy it is. A case is a slice of random bytes
//! that the property takes apart with [`Unstructured`]. A failure prints its seed; two environment variables choose what is tried:
//!
//! - `CTM_CASES_FIRST`: the first seed, by default 0: the one that failed, or one that was never tried;
//! - `CTM_CASES`: the number of cases instead of the one in the test.
//!
//! This is a dependency of tests only, below all other crates, and knows none of them.

#![forbid(unsafe_code)]

pub use arbitrary::{Error, Result, Unstructured};

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Failures after which a test ends: the smallest of them is small enough to look at.
const ENOUGH: usize = 10;

/// Tries a property with `count` cases, each with as many bytes as [`usual_size`] says.
///
/// A property that returns an error had too few bytes for its case, which is passed over.
///
/// # Panics
///
/// If the property panics for a case, or has too few bytes for each of them.
pub fn check(count: u64, property: impl FnMut(&mut Unstructured<'_>) -> Result<()>) {
    check_sized(count, usual_size, property);
}

/// [`check`] with cases of as many bytes as `size` says for a seed.
///
/// # Panics
///
/// As [`check`].
pub fn check_sized(
    count: u64,
    size: impl Fn(u64) -> usize,
    mut property: impl FnMut(&mut Unstructured<'_>) -> Result<()>,
) {
    let (mut made, mut failed) = (0, Vec::new());
    for seed in seeds(count) {
        let bytes = bytes(seed, size(seed));
        match catch_unwind(AssertUnwindSafe(|| property(&mut Unstructured::new(&bytes)))) {
            Ok(case) => made += u64::from(case.is_ok()),
            Err(_) => failed.push((bytes.len(), seed)),
        }
        if failed.len() == ENOUGH {
            break;
        }
    }
    if let Some((size, seed)) = failed.iter().min() {
        let seeds: Vec<u64> = failed.iter().map(|(_, seed)| *seed).collect();
        panic!("fails with seeds {seeds:?}; the smallest case, of {size} bytes: CTM_CASES_FIRST={seed} CTM_CASES=1");
    }
    assert!(made > 0, "no seed makes a case: all have too few bytes");
}

/// Bytes of the case of a seed: 32, 64 and so on to 4096, and then again, so that every test has small cases and large ones.
pub fn usual_size(seed: u64) -> usize {
    32 << (seed % 8)
}

/// The seeds to try.
fn seeds(count: u64) -> Range<u64> {
    let first = number("CTM_CASES_FIRST").unwrap_or(0);
    first..first.saturating_add(number("CTM_CASES").unwrap_or(count))
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Bytes that a case is made of, by SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (0..count.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(count).collect()
}
