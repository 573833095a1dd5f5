//! Storage buffers of programs, as the driver's constants name them.
//!
//! Programs get their buffers' addresses and sizes from a constant bank of the driver's, and compare before they access. So what lies there is
//! where they store. Source: Mesa nvc0_context.h (`NVC0_CB_AUX_BUF_INFO`).

use crate::methods::{CodeAddressHigh, RegisterType, SpSelect, SpStartId};
use crate::objects::Objects;
use crate::state::{ConstantBank, Methods};
use ctm_sm50::stores::StoreRanges;

/// The bank of the driver's constants of a stage of draws.
pub const DRIVER_BANK: usize = 15;
/// The same of a launch.
pub const LAUNCH_DRIVER_BANK: usize = 7;
/// Where in it the buffers are, in bytes.
const BUFFERS: u64 = 0x2A0;
/// Buffers that a stage has.
const COUNT: usize = 32;
/// Bytes that describe a buffer: address, size, nothing.
const STRIDE: usize = 16;

/// The first word of a program's header has this bit if its stores to memory, and to images, work.
const DOES_GLOBAL_STORE: u32 = 1 << 16;

/// Whether a program of draws in this state stores to memory or to images, as its header says.
pub fn programs_store(methods: &Methods, objects: &Objects) -> bool {
    let base = methods.address(CodeAddressHigh::ADDRESS);
    // The vertex program cannot be switched off.
    let mut enabled = (1..SpSelect::COUNT).filter(|&stage| stage == 1 || methods.at::<SpSelect>(stage).enable);
    enabled.any(|stage| {
        let start = methods.at::<SpStartId>(stage).offset.into();
        objects.word(base.saturating_add(start)) & DOES_GLOBAL_STORE != 0
    })
}

/// The memory of the buffers that these banks of the driver's name.
pub fn store_ranges(objects: &Objects, banks: impl IntoIterator<Item = ConstantBank>) -> StoreRanges {
    let named = banks.into_iter().filter(|bank| u64::from(bank.size) > BUFFERS).flat_map(|bank| {
        let mut bytes = [0; COUNT * STRIDE];
        let there = (u64::from(bank.size) - BUFFERS).min(bytes.len() as u64) as usize;
        objects.read(bank.address.saturating_add(BUFFERS), &mut bytes[..there]);
        let (buffers, _) = bytes.as_chunks::<STRIDE>();
        buffers.iter().map(buffer).collect::<Vec<_>>()
    });
    StoreRanges::new(named)
}

/// The bytes of a buffer.
fn buffer(words: &[u8; STRIDE]) -> std::ops::Range<u64> {
    let (words, _) = words.as_chunks::<4>();
    let word = |number: usize| u64::from(words.get(number).map_or(0, |&word| u32::from_le_bytes(word)));
    let address = word(1) << 32 | word(0);
    address..address.saturating_add(word(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    #[test]
    fn buffers_are_named_by_the_drivers_constants() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: 0x1_0000, size: 0x1000 }]);
        memory.write_words(0x1_02A0, &[0x2_0000, 0, 0x10, 0, 0x9_0000, 1, 0x10, 0, 0, 0, 0, 0, 0x5_FFFF, 0, 2]);
        let bank = |size: u32| ConstantBank { address: 0x1_0000, size };
        let ranges = |size: u32| store_ranges(&objects, [bank(size)]).pieces().to_vec();
        assert_eq!(ranges(0x800), [0x2_0000..0x3_0000, 0x5_0000..0x7_0000]);
        assert_eq!((ranges(0x2B0).len(), ranges(0x2B0).first()), (1, Some(&(0x2_0000..0x3_0000))));
        assert_eq!(ranges(0x2A0), []);
    }
}
