//! Memory that vertices and indices are read from: the object around an address.

use crate::objects::Objects;
use ctm_memory::Words;
use std::ops::Range;

/// The memory of an object.
#[derive(Clone, Debug)]
pub struct MemoryWindow<'a> {
    words: Words<'a>,
    /// Address of the first word.
    first: u64,
    /// Addresses of the object.
    range: Range<u64>,
}

impl<'a> MemoryWindow<'a> {
    /// The object that an address is in.
    pub fn around(objects: &'a Objects, address: u64) -> Option<Self> {
        let range = objects.range(address)?;
        let (first, end) = (range.start & !3, range.end.next_multiple_of(4));
        let words = objects.memory().shared_words(first as u32, ((end - first) / 4) as usize)?;
        Some(MemoryWindow { words, first, range })
    }

    /// Whether these bytes are in the object.
    #[inline]
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        self.range.start <= address && address.checked_add(bytes).is_some_and(|end| end <= self.range.end)
    }

    /// The 32 bits at an address. Bytes outside of the object are those of others, or 0.
    #[inline]
    pub fn word(&self, address: u64) -> u32 {
        let place = ((address.wrapping_sub(self.first)) / 4) as usize;
        let shift = address as u32 % 4 * 8;
        let low = self.words.word(place).unwrap_or(0);
        if shift == 0 {
            return low;
        }
        low >> shift | self.words.word(place.wrapping_add(1)).unwrap_or(0) << (32 - shift)
    }

    /// So many bytes, 1, 2 or 4, at an address; 0 if they are not in the object.
    #[inline]
    pub fn bytes(&self, address: u64, bytes: u32) -> u32 {
        if self.holds(address, bytes.into()) { self.word(address) & u32::MAX >> (32 - 8 * bytes) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    #[test]
    fn bytes_of_an_object() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1000).unwrap());
        memory.write_bytes(0x1_0000, &(0..=255).collect::<Vec<u8>>());
        let objects = Objects::new(&memory, &[Object { address: 0x1_0006, size: 9 }]);
        let window = MemoryWindow::around(&objects, 0x1_0008).unwrap();
        assert_eq!(window.bytes(0x1_0006, 4), 0x0908_0706);
        assert_eq!(window.bytes(0x1_0007, 2), 0x0807);
        assert_eq!((window.bytes(0x1_000B, 4), window.bytes(0x1_000C, 4)), (0x0E0D_0C0B, 0));
        assert_eq!([0x1_0005, 0x1_000E, 0x1_000F].map(|address| window.bytes(address, 1)), [0, 14, 0]);
        assert!(MemoryWindow::around(&objects, 0x1_0000).is_none() && !window.holds(u64::MAX, 2));
    }
}
