//! A small deterministic generator of random numbers (splitmix64).

use std::collections::VecDeque;

/// The same seed gives the same numbers, everywhere.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Numbers that come before those of the generator.
    given: VecDeque<u64>,
}

impl Random {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Random { state: seed, given: VecDeque::new() }
    }

    /// A generator whose first numbers are these bytes, eight for a number, so that who changes bytes changes single
    /// decisions; those that follow depend on what is left over.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (numbers, rest) = bytes.as_chunks();
        let seed = rest.iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
        Random { state: seed, given: numbers.iter().map(|&number| u64::from_le_bytes(number)).collect() }
    }

    /// 64 random bits.
    pub fn bits64(&mut self) -> u64 {
        if let Some(number) = self.given.pop_front() {
            return number;
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        (self.bits64() >> 32) as u32
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits64() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// An ordinary number, as bits.
    pub fn number(&mut self) -> u32 {
        ((self.below(4096) as f32 - 2047.5) / 64.0).to_bits()
    }

    /// Binary32 bits: mostly ordinary numbers of moderate size, often special values.
    pub fn float(&mut self) -> u32 {
        match self.below(4) {
            0 => self.pick(&SPECIAL_VALUES),
            1 => ((self.below(33) as f32 - 16.0) / 4.0).to_bits(),
            2 => ((self.bits() as f32 / u32::MAX as f32 - 0.5) * 8.0).to_bits(),
            _ => self.bits(),
        }
    }
}

/// Zeros, denormals, the limits of the normal range, infinities, NaNs, and the numbers around which operations turn.
pub const SPECIAL_VALUES: [u32; 24] = [
    0x0000_0000, // 0
    0x8000_0000, // -0
    0x0000_0001, // smallest denormal
    0x8000_0001,
    0x007F_FFFF, // largest denormal
    0x807F_FFFF,
    0x0080_0000, // smallest normal
    0x8080_0000,
    0x3F80_0000, // 1
    0xBF80_0000, // -1
    0x3F00_0000, // 1/2
    0x3F00_0001,
    0x3F7F_FFFF, // below 1
    0x3F80_0001, // above 1
    0x4000_0000, // 2
    0xC040_0000, // -3
    0x4B00_0000, // 2^23
    0x7F7F_FFFF, // largest
    0xFF7F_FFFF,
    0x7F80_0000, // infinity
    0xFF80_0000,
    0x7FFF_FFFF, // the standard NaN
    0xFFC0_0000, // another NaN
    0x7F80_0001,
];
