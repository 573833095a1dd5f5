//! Descriptions of launches in memory.
//!
//! Source: envytools' rnndb (`gk104_qmd`), NVIDIA's class header `clb0c0qmd.h`, Mesa nve4_compute.h.

use crate::state::{BANKS, ConstantBank};
use ctm_bits::{extract, field_table};

/// Words of a description.
pub const WORDS: usize = 64;
/// Constant banks that it has.
const LAUNCH_BANKS: usize = 8;
/// The word that the first bank begins in.
const FIRST_BANK: usize = 29;

/// What a launch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Where the program begins, in bytes from where programs lie.
    pub program: u32,
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block.
    pub shared_memory: u32,
    /// Bytes of local memory of a thread.
    pub local_memory: u32,
    /// Constant banks that there are, a bit for each.
    pub valid_banks: u8,
}

field_table! { Descriptor, words 64;
    PROGRAM_OFFSET, 8 [31:0], {program}, u32, "where the program begins";
    GRID_X, 12 [31:0], {grid[0]}, u32, "blocks along x";
    GRID_Y, 13 [15:0], {grid[1]}, u32, "blocks along y";
    GRID_Z, 13 [31:16], {grid[2]}, u32, "blocks along z";
    SHARED_MEMORY, 17 [17:0], {shared_memory}, u32, "bytes of shared memory";
    BLOCK_X, 18 [31:16], {block[0]}, u32, "threads along x";
    BLOCK_Y, 19 [15:0], {block[1]}, u32, "threads along y";
    BLOCK_Z, 19 [31:16], {block[2]}, u32, "threads along z";
    VALID_BANKS, 20 [7:0], {valid_banks}, u8, "constant banks that there are";
    LOCAL_MEMORY, 45 [23:0], {local_memory}, u32, "bytes of local memory";
}

impl Descriptor {
    /// The constant banks that the words of a description bind.
    pub fn banks(&self, words: &[u32; WORDS]) -> [ConstantBank; BANKS] {
        let mut banks = [ConstantBank::default(); BANKS];
        for (number, bank) in banks.iter_mut().enumerate().take(LAUNCH_BANKS) {
            if self.valid_banks >> number & 1 != 0 {
                let [low, high] = [0, 1].map(|word| words[FIRST_BANK + 2 * number + word]);
                let address = u64::from(extract(high, 7, 0)) << 32 | u64::from(low);
                *bank = ConstantBank { address, size: extract(high, 31, 15) };
            }
        }
        banks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_their_fields() {
        let mut words = [0; WORDS];
        for (word, value) in [
            (8, 0x1200),
            (12, 5),
            (13, 3 << 16 | 4),
            (17, 0x3_FFFF),
            (18, 64 << 16),
            (19, 1 << 16 | 2),
            (20, 0x81),
            (29, 0x134_0000),
            (30, 0x1_0000 << 15),
            (43, 0x135_0000),
            (44, 0x800 << 15 | 1),
            (45, 0xFF00_0040),
        ] {
            words[word] = value;
        }
        let descriptor = Descriptor::read(&words);
        assert_eq!((descriptor.program, descriptor.grid, descriptor.block), (0x1200, [5, 4, 3], [64, 2, 1]));
        assert_eq!((descriptor.shared_memory, descriptor.local_memory), (0x3_FFFF, 0x40));
        let banks = descriptor.banks(&words);
        assert_eq!(banks[0], ConstantBank { address: 0x134_0000, size: 0x1_0000 });
        assert_eq!(banks[7], ConstantBank { address: 0x1_0135_0000, size: 0x800 });
        assert_eq!((banks[1], banks[8]), (ConstantBank::default(), ConstantBank::default()));
    }
}
