//! Constant banks of a stage: memory at the time of the draw (decision D321). What instructions name is copied; what they compute addresses
//! of stays where it is.

use crate::objects::Objects;
use crate::programs::StageProgram;
use crate::state::{BANKS, ConstantBank};
use ctm_sm50::launch::{BankMemory, Constants};

/// Bytes of a bank.
const MOST_BYTES: u32 = 0x1_0000;

/// The constants that a program reads, of banks that are bound like this.
pub fn constants(banks: &[ConstantBank; BANKS], program: &StageProgram, objects: &Objects) -> Constants {
    let mut constants = Constants::open();
    for used in program.constants.banks() {
        let Some(bank) = banks.get(usize::from(used.bank)).filter(|bank| bank.size >= 4) else { continue };
        let bytes = bank.size.min(MOST_BYTES) & !3;
        if used.words > 0 {
            // Machine code has tables of such lengths.
            let words = used.words.next_power_of_two();
            let words = read(objects, bank.address, words.min(bytes / 4) as usize, words as usize);
            constants.set_bank(used.bank, words);
        }
        if used.is_indexed
            && let Some(range) = objects.range(bank.address).filter(|_| bank.address.is_multiple_of(4))
        {
            let bytes = u64::from(bytes).min(range.end - bank.address) as u32 & !3;
            constants.set_memory(used.bank, BankMemory { address: bank.address as u32, bytes });
        }
    }
    constants
}

/// Reads words, and zeros after them up to so many.
fn read(objects: &Objects, address: u64, bound: usize, words: usize) -> Vec<u32> {
    let mut found = vec![0; words];
    let end = address.saturating_add(4 * bound as u64);
    if address.is_multiple_of(4) && objects.range(address).is_some_and(|range| end <= range.end) {
        objects.memory().read_words(address as u32, &mut found[..bound]);
    } else {
        (0..bound).for_each(|n| found[n] = objects.word(address.wrapping_add(4 * n as u64)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    #[test]
    fn words_beyond_the_bank_are_zero() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1000).unwrap());
        memory.write_words(0x1_0000, &[1, 2, 3, 4, 5]);
        let objects = Objects::new(&memory, &[Object { address: 0x1_0000, size: 0x10 }]);
        assert_eq!(read(&objects, 0x1_0004, 2, 4), [2, 3, 0, 0]);
        assert_eq!(read(&objects, 0x1_0004, 4, 4), [2, 3, 4, 0], "the object ends");
        assert_eq!(read(&objects, u64::MAX, 2, 2), [0, 0]);
    }
}
