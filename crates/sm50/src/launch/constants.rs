//! Constant banks, and what the driver writes into bank 0 for a compute launch.

use super::Grid;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// The constant banks, 32-bit words by bank and word offset. Clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    banks: Arc<BTreeMap<u8, Vec<u32>>>,
    memory: Arc<BTreeMap<u8, BankMemory>>,
    is_open: bool,
}

/// Memory of the environment that a bank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankMemory {
    /// The address of its first byte, a multiple of 4.
    pub address: u32,
    /// How many there are, a multiple of 4.
    pub bytes: u32,
}

impl Constants {
    /// Number of banks.
    pub const BANKS: u8 = 32;

    /// Banks as a card has them: what a program reads that is not in them is 0, and no mistake of the program.
    pub fn open() -> Self {
        Constants { is_open: true, ..Constants::default() }
    }

    /// Whether words that are not in them are 0.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Gives a bank its words; those of `bank` before are gone.
    pub fn set_bank(&mut self, bank: u8, words: Vec<u32>) {
        Arc::make_mut(&mut self.banks).insert(bank, words);
    }

    /// The words of a bank.
    pub fn bank(&self, bank: u8) -> Option<&[u32]> {
        self.banks.get(&bank).map(Vec::as_slice)
    }

    /// Says that a bank is memory. Instructions that compute addresses read it there, where it has not been given the words. The memory
    /// lies in one arena of the environment's.
    pub fn set_memory(&mut self, bank: u8, memory: BankMemory) {
        Arc::make_mut(&mut self.memory).insert(bank, memory);
    }

    /// The memory that a bank is.
    pub fn memory(&self, bank: u8) -> Option<BankMemory> {
        self.memory.get(&bank).copied()
    }

    /// The banks that have words, and those that are memory: a bit for each.
    pub(crate) fn sets(&self) -> [u32; 2] {
        let set = |numbers: &mut dyn Iterator<Item = &u8>| {
            numbers.fold(0, |set, &bank| set | 1u32.checked_shl(bank.into()).unwrap_or(0))
        };
        [set(&mut self.banks.keys()), set(&mut self.memory.keys())]
    }

    /// The numbers of the banks that there are.
    pub fn numbers(&self) -> impl Iterator<Item = u8> + '_ {
        self.banks.keys().copied()
    }

    /// The word that holds byte `offset` of a bank.
    pub fn word(&self, bank: u8, offset: u32) -> Option<u32> {
        self.bank(bank)?.get(offset as usize / 4).copied()
    }
}

/// The words that the driver writes into bank 0 for each compute launch, by the convention of CUDA's drivers for this
/// machine: the sizes of a block along x, y and z at 0x8, 0xc and 0x10, those of the grid at 0x14, 0x18 and 0x1c, and at 0x20
/// where a thread's stack begins, which is the end of its local memory. The arguments of kernels begin at 0x140.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConstants([u32; 7]);

impl LaunchConstants {
    /// The bank that they stand in.
    pub const BANK: u8 = 0;
    /// Where in the bank, in bytes.
    pub const PLACE: Range<u32> = 0x8..0x24;
    /// What each of them is.
    const NAMES: [&str; 7] = [
        "block size along x",
        "block size along y",
        "block size along z",
        "grid size along x",
        "grid size along y",
        "grid size along z",
        "size of the stack",
    ];

    /// Those of a launch whose lanes have so many bytes of local memory.
    pub fn new(grid: &Grid, local_memory: u32) -> Self {
        let ([x, y, z], [across, up, deep]) = (grid.threads, grid.blocks);
        LaunchConstants([x, y, z, across, up, deep, local_memory])
    }

    /// The word that holds byte `offset` of a bank, if it is one of these.
    pub fn word(&self, bank: u8, offset: u32) -> Option<u32> {
        let is_here = bank == Self::BANK && Self::PLACE.contains(&offset);
        is_here.then(|| self.0[(offset - Self::PLACE.start) as usize / 4])
    }

    /// Whether banks leave their words to them: where they stand, bank 0 ends, holds 0, or holds the same.
    ///
    /// # Errors
    /// The first word that is another.
    pub fn fit(&self, constants: &Constants) -> Result<(), LaunchConstantConflict> {
        for (offset, (name, expected)) in Self::PLACE.step_by(4).zip(Self::NAMES.into_iter().zip(self.0)) {
            let found = constants.word(Self::BANK, offset).unwrap_or(0);
            if found != 0 && found != expected {
                return Err(LaunchConstantConflict { offset, name, found, expected });
            }
        }
        Ok(())
    }
}

/// A word of bank 0 that stands where the driver writes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the dword at {offset:#x} is {found:#x}, but there the launch has its {name}, {expected:#x}")]
pub struct LaunchConstantConflict {
    /// Byte offset in the bank.
    pub offset: u32,
    /// What the launch has there.
    pub name: &'static str,
    /// The bank's word.
    pub found: u32,
    /// The launch's word.
    pub expected: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_leave_launch_constants_their_words() {
        let launch = LaunchConstants::new(&Grid::new([4, 5, 6], [7, 8, 9]).unwrap(), 0x40);
        let fit = |words: &[u32]| {
            let mut constants = Constants::default();
            constants.set_bank(0, words.to_vec());
            launch.fit(&constants)
        };
        assert_eq!(fit(&[]), Ok(()));
        assert_eq!(fit(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 3]), Ok(()));
        assert_eq!(fit(&[1, 2, 7, 8, 9, 4, 5, 6, 0x40, 3]), Ok(()));
        let conflict = fit(&[0, 0, 7, 8, 8]).unwrap_err();
        assert_eq!((conflict.offset, conflict.found, conflict.expected), (0x10, 8, 9));
        assert!(fit(&[0, 0, 0, 0, 0, 0, 0, 0, 0x41]).is_err());
    }
}
