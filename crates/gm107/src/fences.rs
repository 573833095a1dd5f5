//! Values by which drivers learn that work is done, which are held back (decision D335).
//!
//! Mesa 22's nouveau driver takes a query for done once the fence of its commands is there, and may ask for the query after that fence: a card
//! that stores it at once lets programs read results that are not there.

use crate::objects::Objects;
use ctm_memory::Arena;
use std::ops::Range;

/// The word of `QUERY_GET` by which Mesa's driver learns that all before it is done (Mesa nvc0_screen.c). Macros ask for other short reports.
pub const FENCE: u32 = 0x1000_F010;

/// The fence of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// Where its values go: where the first one went.
    address: Option<u64>,
    /// The value that is held back.
    held: Option<u32>,
}

impl Fence {
    /// Takes a value that goes there; false if that is not where values of this fence go, or no place in the objects.
    pub fn hold(&mut self, objects: &Objects, address: u64, value: u32) -> bool {
        let is_there = objects.range(address).is_some_and(|range| range.end - address >= 4);
        if !is_there || *self.address.get_or_insert(address) != address {
            return false;
        }
        self.held = Some(value);
        true
    }

    /// Stores what is held back.
    pub fn release(&mut self, memory: &Arena) {
        let address = self.address.and_then(|address| u32::try_from(address).ok());
        if let (Some(address), Some(value)) = (address, self.held.take()) {
            memory.write_u32(address, value);
        }
    }

    /// The same, if these addresses are about to be read and the value goes there.
    pub fn release_for(&mut self, memory: &Arena, read: &Range<u64>) {
        if self.held.is_some() && self.address.is_some_and(|address| read.start < address + 4 && address < read.end) {
            self.release(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use std::sync::Arc;

    #[test]
    fn values_are_stored_when_they_are_released() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: 0x1_0000, size: 0x100 }]);
        let mut fence = Fence::default();
        assert!(!fence.hold(&objects, 0x1_0100, 1));
        assert!(fence.hold(&objects, 0x1_0010, 1) && fence.hold(&objects, 0x1_0010, 2));
        assert!(!fence.hold(&objects, 0x1_0020, 3), "a query of the program");
        let stored = || memory.read_u32(0x1_0010);
        fence.release_for(&memory, &(0x1_0000..0x1_0010));
        assert_eq!(stored(), Some(0));
        fence.release_for(&memory, &(0x1_0013..0x1_0020));
        assert_eq!(stored(), Some(2));
        memory.write_u32(0x1_0010, 9);
        fence.release(&memory);
        assert_eq!(stored(), Some(9));
    }
}
