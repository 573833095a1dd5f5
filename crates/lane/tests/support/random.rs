//! A small generator of random numbers (xorshift), so that failures repeat from a seed.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.next();
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Bits that stress float rules: zeros, ones, denormals, infinities, NaNs, ordinary numbers.
    pub fn float_bits(&mut self) -> u32 {
        const SPECIAL: [u32; 20] = [
            0,
            0x8000_0000,
            0x3F80_0000,
            0xBF80_0000,
            0x3F00_0000,
            1,
            0x8000_0001,
            0x007F_FFFF,
            0x0080_0000,
            0x8080_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x7F80_0001,
            0xFFFF_FFFF,
            0x7F7F_FFFF,
            0x4B00_0000,
            0x4000_0000,
            5,
            31,
        ];
        match self.below(3) {
            0 => self.pick(&SPECIAL),
            1 => self.next() as u32,
            _ => ((self.below(2000) as f32 - 1000.0) / 16.0).to_bits(),
        }
    }
}
