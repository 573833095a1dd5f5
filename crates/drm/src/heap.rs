//! Which ranges of the card's memory are in use.

use crate::memory::{END, GRANULE};
use ctm_card::Object;
use std::collections::BTreeMap;

/// Bytes of a huge page.
const HUGE_PAGE: u64 = 2 << 20;
/// Bytes of an object from which on these are worth what they cost: all of its memory can be in such pages.
pub const LARGE: u32 = HUGE_PAGE as u32;

/// The free ranges of the card's memory.
pub struct Heap {
    /// First bytes and bytes, no two of which touch each other.
    free: BTreeMap<u64, u64>,
}

impl Heap {
    /// All of it free, from this address on.
    pub fn new(first: u64) -> Self {
        Heap { free: BTreeMap::from([(first, END - first)]) }
    }

    /// Takes at least `size` bytes at a multiple of `alignment`, a power of two; [large](LARGE) objects begin with a huge page where one is
    /// free. `None` if no free range is as long.
    pub fn take(&mut self, size: u64, alignment: u64) -> Option<Object> {
        let size = size.checked_next_multiple_of(GRANULE.into())?;
        let alignment = alignment.max(GRANULE.into());
        let fitting = |alignment: u64| {
            self.free.iter().find_map(|(&first, &bytes)| {
                let address = first.checked_next_multiple_of(alignment)?;
                (address.checked_add(size)? <= first + bytes).then_some((first, bytes, address))
            })
        };
        let at_huge_pages = if size < LARGE.into() { None } else { fitting(alignment.max(HUGE_PAGE)) };
        let (first, bytes, address) = at_huge_pages.or_else(|| fitting(alignment))?;
        let object = Object { address: u32::try_from(address).ok()?, size: u32::try_from(size).ok()? };
        self.free.remove(&first);
        self.insert(first, address - first);
        self.insert(address + size, first + bytes - address - size);
        Some(object)
    }

    /// Gives back what [`Heap::take`] gave.
    pub fn give_back(&mut self, object: Object) {
        let (mut first, mut end) = (u64::from(object.address), u64::from(object.address) + u64::from(object.size));
        if let Some((&before, &bytes)) = self.free.range(..first).next_back()
            && before + bytes == first
        {
            self.free.remove(&before);
            first = before;
        }
        if let Some(bytes) = self.free.remove(&end) {
            end += bytes;
        }
        self.insert(first, end - first);
    }

    fn insert(&mut self, first: u64, bytes: u64) {
        if bytes != 0 {
            self.free.insert(first, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FIRST;

    #[test]
    fn ranges_are_apart_aligned_and_come_back() {
        let mut heap = Heap::new(FIRST);
        let small = heap.take(1, 1).unwrap();
        assert_eq!((small.address, small.size), (0x1000, 0x1000), "nothing lies in the first page");
        let aligned = heap.take(0x1800, 0x10000).unwrap();
        assert_eq!((aligned.address, aligned.size), (0x10000, 0x2000));
        let between = heap.take(0xE000, 1).unwrap();
        assert_eq!(between.address, 0x2000, "the gap in front of an aligned object is used");
        let large = heap.take(LARGE.into(), 1).unwrap();
        assert_eq!((large.address, large.size), (2 << 20, LARGE), "it begins with a huge page");
        for object in [small, between, aligned, large] {
            heap.give_back(object);
        }
        assert_eq!(heap.free, Heap::new(FIRST).free);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut heap = Heap::new(FIRST);
        for (size, alignment) in [(END, 1), (u64::MAX, 1), (1, 1 << 32), (1, 1 << 63)] {
            assert_eq!(heap.take(size, alignment), None);
        }
        let all = heap.take(END - FIRST, 1).unwrap();
        assert_eq!((all.address, all.size), (0x1000, 0xBF3F_F000));
        assert_eq!(heap.take(1, 1), None);
        heap.give_back(all);
        assert_eq!(heap.free, Heap::new(FIRST).free);
    }
}
