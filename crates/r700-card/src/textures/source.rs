//! The bytes that textures are decoded from, and which of them have changed.

use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use std::ops::Range;

/// Bytes of which is known whether any has changed: elements lie in one or two such pieces.
const PIECE: usize = 256;
/// Pieces of a word of bits.
const PIECES: usize = u64::BITS as usize;

/// The bytes of the card's memory that the slices of a level are made of: as many as their object has.
#[derive(Debug)]
pub struct TextureSource {
    /// Card address of the first, a multiple of 4.
    address: u32,
    /// What they were.
    bytes: Vec<u8>,
}

/// Which bytes of a source have changed.
#[derive(Debug)]
pub struct Changes(Vec<u64>);

impl TextureSource {
    /// So many bytes of an object, or those that there are, from `begin` on.
    pub fn new(memory: &Arena, object: Object, begin: u64, bytes: u64) -> Self {
        let object = ObjectBytes::new(memory, object, 0);
        let size = object.size().saturating_sub(begin).min(bytes);
        let address = object.address(begin, 0).filter(|_| size > 0).unwrap_or_default();
        let mut bytes = vec![0; size as usize];
        object.read_bytes(begin, &mut bytes);
        TextureSource { address, bytes }
    }

    /// How many bytes there are.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether any of them is at one of these addresses.
    pub fn overlaps(&self, addresses: &Range<u64>) -> bool {
        let begin = u64::from(self.address);
        begin < addresses.end && addresses.start < begin + self.size()
    }

    /// Compares them with what memory holds, and takes over what has changed.
    pub fn update(&mut self, memory: &Arena) -> Changes {
        let mut changes = Changes(vec![0; self.bytes.len().div_ceil(PIECE * PIECES)]);
        for (number, then) in self.bytes.chunks_mut(PIECE).enumerate() {
            let address = self.address.wrapping_add((number * PIECE) as u32);
            if !is_same(memory, address, then) {
                memory.read_bytes(address, then);
                changes.0[number / PIECES] |= 1 << (number % PIECES);
            }
        }
        changes
    }

    /// All of them as changed.
    pub fn all(&self) -> Changes {
        Changes(vec![u64::MAX; self.bytes.len().div_ceil(PIECE * PIECES)])
    }

    /// An element of 1, 2, 4, 8 or 16 bytes; zeros if not all of it is there.
    #[inline]
    pub fn element<const BYTES: usize>(&self, place: u64) -> [u32; 4] {
        let mut element = [0; 16];
        let found = usize::try_from(place).ok().and_then(|first| self.bytes.get(first..)?.first_chunk::<BYTES>());
        if let Some(found) = found {
            element[..BYTES].copy_from_slice(found);
        }
        let word =
            |n: usize| u32::from_le_bytes([element[4 * n], element[4 * n + 1], element[4 * n + 2], element[4 * n + 3]]);
        [word(0), word(1), word(2), word(3)]
    }
}

impl Changes {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&pieces| pieces == 0)
    }

    /// Whether one of these bytes may have changed. Those after the end never do.
    #[inline]
    pub fn contains(&self, first: u64, last: u64) -> bool {
        let [first, last] = [first, last].map(|place| place as usize / PIECE);
        (first..=last).any(|piece| self.0.get(piece / PIECES).is_some_and(|pieces| pieces >> (piece % PIECES) & 1 != 0))
    }
}

/// Whether memory holds these bytes at an address that is a multiple of 4.
fn is_same(memory: &Arena, address: u32, bytes: &[u8]) -> bool {
    let (pairs, rest) = bytes.as_chunks::<8>();
    let now = memory.shared_words(address, 2 * pairs.len());
    let Some(now) = now.and_then(|words| words.pairs(0, pairs.len())) else { return false };
    let difference = now.zip(pairs).fold(0, |difference, (now, &then)| {
        let [low, high] = now.get();
        difference | (u64::from(low) | u64::from(high) << 32) ^ u64::from_le_bytes(then)
    });
    let mut now = [0; 8];
    let now = &mut now[..rest.len()];
    let behind = address.wrapping_add((bytes.len() - rest.len()) as u32);
    difference == 0 && (rest.is_empty() || memory.read_bytes(behind, now) && now == rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u32 = 0x1_0000;

    #[test]
    fn what_has_changed_is_taken_over() {
        let memory = Arena::new(BASE, 0x1_0000).unwrap();
        let object = Object { address: BASE, size: 0xC00B };
        let mut source = TextureSource::new(&memory, object, 0x100, 1 << 20);
        assert_eq!((source.address, source.size()), (BASE + 0x100, 0xBF0B));
        assert!(source.update(&memory).is_empty());
        for place in [0, 255, 256, 0x4003, 0xBF00, 0xBF08, 0xBF0A] {
            memory.write_u8(BASE + 0x100 + place, 0x55);
            let changes = source.update(&memory);
            assert_eq!(source.bytes[place as usize], 0x55, "{place:#x}");
            let place = u64::from(place);
            assert!(changes.contains(place, place) && changes.contains(place.saturating_sub(600), place + 600));
            assert!(
                !changes.contains(place + 256, place + 1000) && !changes.contains(0, place.saturating_sub(256))
                    || place < 256
            );
            assert!(source.update(&memory).is_empty());
        }
        memory.write_u8(BASE + 0xFF, 1);
        memory.write_u8(BASE + 0xC00B, 1);
        assert!(source.update(&memory).is_empty(), "others");
        assert!(!source.all().is_empty() && source.all().contains(0xBF0A, 0xBF0A));
    }

    #[test]
    fn elements_that_are_not_all_there_are_zero() {
        let memory = Arena::new(BASE, 0x1000).unwrap();
        memory.fill_words(BASE, 0x400, 0x0403_0201, u32::MAX);
        let source = TextureSource::new(&memory, Object { address: BASE, size: 22 }, 0, 100);
        assert_eq!(source.element::<16>(0), [0x0403_0201; 4]);
        assert_eq!(source.element::<16>(16), [0; 4]);
        assert_eq!([source.element::<2>(20)[0], source.element::<2>(21)[0]], [0x0201, 0]);
        assert_eq!((source.element::<8>(8), source.element::<1>(u64::MAX)), ([0x0403_0201, 0x0403_0201, 0, 0], [0; 4]));
    }
}
