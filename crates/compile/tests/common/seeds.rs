//! Programs at random, always the same ones for the same seeds. `CTM_SHADERS=20000` tries so many instead of what a test says, and
//! `CTM_SHADERS_FIRST` is the first seed: the one that failed, or one that was never tried.

use arbtest::arbitrary::{Result, Unstructured};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// The seeds to try.
fn seeds(programs: u64) -> std::ops::Range<u64> {
    let first = number("CTM_SHADERS_FIRST", 0);
    first..first + number("CTM_SHADERS", programs)
}

/// Bytes that a program is made of, by SplitMix64.
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

/// Tries a property of so many programs, made of as many bytes as `sizes` has for a seed. All seeds are tried, so that the one with the
/// fewest bytes is found.
///
/// # Panics
///
/// If the property panics for a seed.
pub fn each(
    programs: u64,
    sizes: impl Fn(usize) -> usize,
    mut property: impl FnMut(&mut Unstructured<'_>) -> Result<()>,
) {
    let mut failed = Vec::new();
    let mut tried = 0;
    for seed in seeds(programs) {
        let size = sizes(seed as usize);
        let bytes = bytes(seed, size);
        // Bytes that are too few to make a program are passed over.
        match catch_unwind(AssertUnwindSafe(|| property(&mut Unstructured::new(&bytes)))) {
            Ok(made) => tried += u64::from(made.is_ok()),
            Err(_) => failed.push((size, seed)),
        }
    }
    failed.sort_unstable();
    let all = tried + failed.len() as u64;
    assert!(
        failed.is_empty(),
        "{} of {all} programs fail. The one of fewest bytes: CTM_SHADERS_FIRST={} CTM_SHADERS=1. Seeds: {:?}",
        failed.len(),
        failed[0].1,
        failed.iter().map(|(_, seed)| seed).collect::<Vec<_>>()
    );
    assert!(all > 0, "no seed makes a program");
}
