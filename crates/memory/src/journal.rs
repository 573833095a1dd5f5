//! What stores replace: a run whose memory is recorded can be taken back.

use crate::words::{read_word, write_word};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A word that a program stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredWord {
    /// GPU address of the word, a multiple of 4.
    pub address: u32,
    /// What was there.
    pub before: u32,
    /// What is there since.
    pub after: u32,
}

/// The stores of single elements that [views](crate::View) and [buffers](crate::Buffer) of a recorded [`Space`](crate::Space) made, and those through
/// [the space](crate::Space::store), in their order. What is written through arenas, in rows of lanes, or by machine code, is not noticed.
#[derive(Debug, Default)]
pub struct Journal(Mutex<Vec<StoredWord>>);

impl Journal {
    /// Number of words that were stored.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing was stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words that were stored when the journal had this length, and later.
    pub fn since(&self, length: usize) -> Vec<StoredWord> {
        self.lock().get(length..).unwrap_or_default().to_vec()
    }

    /// Forgets the words that were stored since the journal had this length, and gives them.
    pub(crate) fn take_since(&self, length: usize) -> Vec<StoredWord> {
        let mut stored = self.lock();
        let length = length.min(stored.len());
        stored.split_off(length)
    }

    /// Adds words that are stored again.
    pub(crate) fn add(&self, again: &[StoredWord]) {
        self.lock().extend_from_slice(again);
    }

    /// Stores these bits of a word, and notes that.
    #[cold]
    pub(crate) fn store(&self, address: u32, word: &AtomicU32, value: u32, bits: u32) {
        let mut stored = self.lock();
        let before = read_word(word);
        write_word(word, value, bits);
        stored.push(StoredWord { address, before, after: read_word(word) });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<StoredWord>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Bounds, Buffer, Format, Space, Surface, Tiling, View};

    const BASE: u32 = 0x1000_0000;

    #[test]
    fn stores_are_taken_back_in_reverse_order() {
        let mut original = Space::default();
        original.map(Arena::new(BASE, 0x800).unwrap()).unwrap();
        original.write_bytes(BASE, &[7; 64]).unwrap();
        let mut space = original.copy().unwrap();
        space.record();
        let journal = space.journal().unwrap();
        let surface = Surface {
            base: BASE,
            pitch: 16,
            height: 1,
            tiling: Tiling::Linear,
            superfine: false,
            format: Format::Uint16_1,
        };
        View::new(&space, surface, Bounds::Drop).store_raw(1, 0, [0xABCD, 0, 0, 0]);
        let [first] = journal.since(0)[..] else { panic!("one word") };
        assert_eq!(first, StoredWord { address: BASE, before: 0x0707_0707, after: 0xABCD_0707 });

        let buffer = Buffer::new(&space, BASE, 64).unwrap();
        buffer.store(2, 0x1122_3344);
        assert_eq!(journal.since(1).iter().map(|stored| stored.address).collect::<Vec<_>>(), [BASE, BASE + 4]);
        assert_eq!(buffer.load(2), 0x1122_3344);
        assert!(space.store(BASE + 7, 0x99, 1) && space.store(BASE + 5, 0x8877, 2) && !space.store(0, 0, 4));
        assert_eq!(buffer.load(4), 0x9907_8877);
        space.undo(1);
        assert_eq!((journal.len(), buffer.load(0)), (1, 0xABCD_0707));
        let all = journal.since(0);
        space.undo(0);
        space.redo(&all);
        assert_eq!((journal.since(0), buffer.load(0)), (all, 0xABCD_0707));
        space.undo(0);
        assert!(journal.is_empty());
        let bytes = |space: &Space| {
            let mut bytes = [0; 0x800];
            space.read_bytes(BASE, &mut bytes).unwrap();
            bytes
        };
        assert_eq!(bytes(&space), bytes(&original));
        View::new(&original, surface, Bounds::Drop).store_raw(0, 0, [0; 4]);
        assert_ne!(bytes(&space), bytes(&original), "a copy has memory of its own");
    }

    /// Each word of an element has its own address, and channels that are not written are not noted.
    #[test]
    fn elements_are_noted_word_by_word() {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x800).unwrap()).unwrap();
        space.record();
        let surface = Surface {
            base: BASE,
            pitch: 4,
            height: 1,
            tiling: Tiling::Linear,
            superfine: false,
            format: Format::Float32_4,
        };
        let view = View::new(&space, surface, Bounds::Drop);
        view.store(1, 0, [1, 2, 3, 4], 0b1101);
        let stored = |address, after| StoredWord { address: BASE + address, before: 0, after };
        let journal = space.journal().unwrap();
        assert_eq!(journal.since(0), [stored(16, 1), stored(24, 3), stored(28, 4)]);
        view.store(2, 0, [5; 4], 0);
        assert_eq!(journal.len(), 3);
        space.undo(0);
        assert_eq!(view.load_raw(1, 0), [0; 4]);
    }

    /// A word of a buffer lies in two words of memory, and both are noted as they were and are.
    #[test]
    fn both_halves_of_a_word_that_lies_across_two() {
        for (base, address) in [(1, 0), (2, 0), (3, 0), (0, 1), (1, 3), (3, 3), (2, 5)] {
            let mut space = Space::default();
            space.map(Arena::new(BASE, 0x800).unwrap()).unwrap();
            let mut bytes: Vec<u8> = (0..16).collect();
            space.write_bytes(BASE, &bytes).unwrap();
            space.record();
            let words = |bytes: &[u8]| -> Vec<u32> {
                bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
            };
            let before = words(&bytes);
            Buffer::new(&space, BASE + base, 12).unwrap().store(address, 0xDDCC_BBAA);
            let first = (base + address) as usize;
            bytes[first..first + 4].copy_from_slice(&[0xAA, 0xBB, 0xCC, 0xDD]);
            let after = words(&bytes);
            let stored =
                |word: usize| StoredWord { address: BASE + 4 * word as u32, before: before[word], after: after[word] };
            let expected = [stored(first / 4), stored(first / 4 + 1)];
            let journal = space.journal().unwrap();
            assert_eq!(
                journal.since(0),
                if first.is_multiple_of(4) { &expected[..1] } else { &expected[..] },
                "{first}"
            );
            let mut found = [0; 16];
            space.read_bytes(BASE, &mut found).unwrap();
            assert_eq!(&found[..], bytes);
            space.undo(0);
            space.read_bytes(BASE, &mut found).unwrap();
            assert_eq!(words(&found), before, "{first}");
        }
    }

    #[test]
    fn bytes_and_halves_are_noted_as_their_words() {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x800).unwrap()).unwrap();
        space.write_bytes(BASE, &[0x44, 0x33, 0x22, 0x11]).unwrap();
        space.record();
        for (address, bytes, after) in [
            (0, 1, 0x1122_33AA),
            (1, 1, 0x1122_AA44),
            (2, 1, 0x11AA_3344),
            (3, 1, 0xAA22_3344),
            (0, 2, 0x1122_BBAA),
            (1, 2, 0x1122_BBAA),
            (2, 2, 0xBBAA_3344),
            (3, 2, 0xBBAA_3344),
            (0, 4, 0xDDCC_BBAA),
            (3, 4, 0xDDCC_BBAA),
        ] {
            assert!(space.store(BASE + address, 0xDDCC_BBAA, bytes));
            let journal = space.journal().unwrap();
            assert_eq!(
                journal.since(0),
                [StoredWord { address: BASE, before: 0x1122_3344, after }],
                "{address} {bytes}"
            );
            assert_eq!((journal.len(), journal.is_empty(), journal.since(1)), (1, false, vec![]));
            space.undo(0);
        }
        assert!(!space.store(BASE + 0x800, 1, 1));
    }
}
