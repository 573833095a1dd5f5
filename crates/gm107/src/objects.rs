//! The memory that a submission may reach: the buffer objects that it names. What lies outside of them reads 0 and is not written
//! (decision D340).

use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use std::ops::Range;
use std::sync::Arc;

/// The objects of a submission, in the card's memory.
#[derive(Clone, Debug)]
pub struct Objects {
    memory: Arc<Arena>,
    /// Ranges of addresses that do not meet, in order.
    ranges: Arc<[Range<u64>]>,
}

impl Objects {
    /// These objects, as far as they lie in the memory.
    pub fn new(memory: &Arc<Arena>, objects: &[Object]) -> Self {
        let (first, last) = (u64::from(memory.base()), u64::from(memory.base()) + u64::from(memory.size()));
        let range = |object: &Object| {
            let address = u64::from(object.address);
            address.max(first)..(address + u64::from(object.size)).min(last)
        };
        let mut all: Vec<_> = objects.iter().map(range).filter(|range| !range.is_empty()).collect();
        all.sort_by_key(|range| range.start);
        let mut ranges: Vec<Range<u64>> = Vec::with_capacity(all.len());
        for range in all {
            match ranges.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                Some(_) | None => ranges.push(range),
            }
        }
        Objects { memory: Arc::clone(memory), ranges: ranges.into() }
    }

    /// The card's memory.
    pub fn memory(&self) -> &Arc<Arena> {
        &self.memory
    }

    /// The addresses of the object that this one lies in.
    pub fn range(&self, address: u64) -> Option<Range<u64>> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        self.ranges[..after].last().filter(|range| address < range.end).cloned()
    }

    /// The bytes from an address to the end of its object; none if it lies in no object.
    pub fn bytes(&self, address: u64) -> ObjectBytes<'_> {
        let object = self.range(address).map(|range| {
            // Ranges lie in the memory, whose addresses have 32 bits.
            Object { address: address as u32, size: (range.end - address) as u32 }
        });
        ObjectBytes::new(&self.memory, object.unwrap_or(Object { address: 0, size: 0 }), 0)
    }

    /// A word; 0 outside of the objects.
    pub fn word(&self, address: u64) -> u32 {
        self.bytes(address).read_word(0, 4)
    }

    /// Writes a word, if it lies in an object.
    pub fn set_word(&self, address: u64, word: u32) {
        self.write(address, &word.to_le_bytes());
    }

    /// Reads bytes; those outside of the objects are 0.
    pub fn read(&self, address: u64, bytes: &mut [u8]) {
        bytes.fill(0);
        self.parts(address, bytes.len(), |address, part| _ = self.memory.read_bytes(address, &mut bytes[part]));
    }

    /// Writes bytes; those outside of the objects are dropped.
    pub fn write(&self, address: u64, bytes: &[u8]) {
        self.parts(address, bytes.len(), |address, part| _ = self.memory.write_bytes(address, &bytes[part]));
    }

    /// What lies in objects of so many bytes from an address on: addresses, and places in those bytes.
    fn parts(&self, address: u64, bytes: usize, mut each: impl FnMut(u32, Range<usize>)) {
        let end = address.saturating_add(bytes as u64);
        let first = self.ranges.partition_point(|range| range.end <= address);
        for range in self.ranges[first..].iter().take_while(|range| range.start < end) {
            let (start, end) = (range.start.max(address), range.end.min(end));
            each(start as u32, (start - address) as usize..(end - address) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects() -> Objects {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = [(0x1_2000, 0x100), (0x1_0000, 0x20), (0x1_2080, 0x180), (0x1_FFF0, 0x40), (0x100, 0x10)];
        Objects::new(&memory, &objects.map(|(address, size)| Object { address, size }))
    }

    #[test]
    fn ranges_end_with_objects_and_memory() {
        let objects = objects();
        assert_eq!(objects.range(0x1_2090), Some(0x1_2000..0x1_2200));
        assert_eq!(objects.range(0x1_FFFF), Some(0x1_FFF0..0x2_0000));
        let outside = [0, 0x100, 0x1_0020, 0x1_2200, 0x2_0000, u64::MAX];
        assert_eq!(outside.map(|address| objects.range(address)), [const { None }; 6]);
    }

    #[test]
    fn bytes_outside_of_objects_are_not_there() {
        let objects = objects();
        objects.write(0x1_001C, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let mut bytes = [9; 12];
        objects.read(0x1_001A, &mut bytes);
        assert_eq!(bytes, [0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(objects.memory().read_u32(0x1_0020), Some(0));
        objects.write(u64::MAX - 2, &[1; 8]);
        objects.set_word(0x1_2000, 7);
        assert_eq!((objects.word(0x1_2000), objects.word(0x1_2200), objects.word(u64::MAX)), (7, 0, 0));
    }

    #[test]
    fn gaps_between_objects_are_left_out() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = Objects::new(&memory, &[0x1_0000, 0x1_0008].map(|address| Object { address, size: 4 }));
        objects.write(0x1_0000, &[1; 12]);
        assert_eq!(
            [0, 4, 8].map(|offset| memory.read_u32(0x1_0000 + offset)),
            [Some(0x0101_0101), Some(0), Some(0x0101_0101)]
        );
        let mut bytes = [9; 12];
        objects.read(0x1_0000, &mut bytes);
        assert_eq!(bytes, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    }
}
