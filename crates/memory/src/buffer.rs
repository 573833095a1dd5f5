//! Buffers: ranges of bytes that lanes address by byte.

use crate::words::{Words, read_word, write_word};
use crate::{Arena, Journal, RangeError, Space};
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// A range of bytes in one arena: words by byte address, aligned or not. Words that are not wholly inside read as 0, and
/// writes of them are dropped. Buffers can be shared between threads.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    /// The words of its arena.
    words: Words<'a>,
    /// Byte of the arena at which the range begins.
    start: u32,
    length: u32,
    arena: Option<&'a Arena>,
    journal: Option<&'a Journal>,
}

impl<'a> Buffer<'a> {
    /// The `length` bytes at GPU address `base`.
    ///
    /// # Errors
    /// If they are not inside one arena. No bytes are inside any.
    pub fn new(space: &'a Space, base: u32, length: u32) -> Result<Self, RangeError> {
        if length == 0 {
            return Ok(Buffer { words: Words::NONE, start: 0, length, arena: None, journal: None });
        }
        let arena = space.arena_of(base, length).ok_or(RangeError { address: base, length: length as usize })?;
        let start = base - arena.base();
        Ok(Buffer { words: arena.words(), start, length, arena: Some(arena), journal: space.journal() })
    }

    /// GPU address of the first byte; 0 of an empty buffer.
    pub fn base(&self) -> u32 {
        self.arena.map_or(0, |arena| arena.base() + self.start)
    }

    /// Bytes.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Host address of the first byte. The memory lives as long as the space's arenas; who uses the pointer answers for
    /// races with other accesses.
    pub fn as_ptr(&self) -> *mut u8 {
        self.words.as_ptr().cast_mut().cast::<u8>().wrapping_add(self.start as usize)
    }

    /// The host addresses that are its arena's alone, as [`Arena::reserved`]; none of an empty buffer.
    pub fn reserved(&self) -> Option<Range<usize>> {
        self.arena.map(Arena::reserved)
    }

    /// The little-endian word at byte `address` of the buffer; 0 if it is not wholly inside.
    #[inline]
    pub fn load(&self, address: u32) -> u32 {
        let Some((words, shift)) = self.words(address) else { return 0 };
        match words {
            [low, high] => read_word(low) >> shift | read_word(high) << (32 - shift),
            words => words.first().map_or(0, read_word),
        }
    }

    /// Replaces the word at byte `address` of the buffer; nothing happens if it is not wholly inside.
    #[inline]
    pub fn store(&self, address: u32, value: u32) {
        let Some((words, shift)) = self.words(address) else { return };
        if let (Some(journal), Some(arena)) = (self.journal, self.arena) {
            let first = (arena.base() + self.start + address) & !3;
            return match words {
                [low, high] => {
                    journal.store(first, low, value << shift, u32::MAX << shift);
                    journal.store(first + 4, high, value >> (32 - shift), u32::MAX >> (32 - shift));
                }
                words => words.iter().for_each(|word| journal.store(first, word, value, u32::MAX)),
            };
        }
        match words {
            [low, high] => {
                write_word(low, value << shift, u32::MAX << shift);
                write_word(high, value >> (32 - shift), u32::MAX >> (32 - shift));
            }
            words => words.iter().for_each(|word| write_word(word, value, u32::MAX)),
        }
    }

    /// The one or two host words that hold the word at byte `address`, and the bits of the first that come before it.
    #[inline]
    fn words(&self, address: u32) -> Option<(&'a [AtomicU32], u32)> {
        if address > self.length.checked_sub(4)? {
            return None;
        }
        let at = u64::from(self.start) + u64::from(address);
        let shift = (at & 3) as u32 * 8;
        Some((self.words.get((at >> 2) as usize, if shift == 0 { 1 } else { 2 })?, shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u32 = 0x1000_0000;

    fn space() -> Space {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x800).unwrap()).unwrap();
        space.write_bytes(BASE, &(0..=255).collect::<Vec<u8>>()).unwrap();
        space
    }

    #[test]
    fn words_at_any_byte() {
        let space = space();
        for (base, address) in [(0, 0), (0, 5), (3, 0), (2, 3), (1, 3)] {
            let buffer = Buffer::new(&space, BASE + base, 64).unwrap();
            let first = (base + address) as u8;
            assert_eq!(buffer.load(address), u32::from_le_bytes([first, first + 1, first + 2, first + 3]));
            buffer.store(address, 0xAABB_CCDD);
            let mut bytes = [0; 6];
            space.read_bytes(BASE + base + address, &mut bytes).unwrap();
            assert_eq!(bytes, [0xDD, 0xCC, 0xBB, 0xAA, first + 4, first + 5]);
            assert_eq!(buffer.load(address), 0xAABB_CCDD);
            buffer.store(address, u32::from_le_bytes([first, first + 1, first + 2, first + 3]));
        }
    }

    /// Machine code gets these.
    #[test]
    fn buffers_know_their_place() {
        let space = space();
        let (buffer, arena) = (Buffer::new(&space, BASE + 5, 64).unwrap(), &space.arenas()[0]);
        assert_eq!((buffer.base(), buffer.length()), (BASE + 5, 64));
        assert_eq!(buffer.as_ptr(), arena.as_ptr().wrapping_add(5));
        assert_eq!(buffer.reserved(), Some(arena.reserved()));
        let empty = Buffer::new(&space, BASE + 5, 0).unwrap();
        assert_eq!((empty.base(), empty.length(), empty.reserved()), (0, 0, None));
    }

    #[test]
    fn words_across_the_end_are_not_there() {
        let space = space();
        let buffer = Buffer::new(&space, BASE + 0x800 - 6, 6).unwrap();
        buffer.store(2, 0x0403_0201);
        buffer.store(3, u32::MAX);
        buffer.store(u32::MAX, u32::MAX);
        assert_eq!((buffer.load(2), buffer.load(3), buffer.load(u32::MAX)), (0x0403_0201, 0, 0));
        let empty = Buffer::new(&space, 0, 0).unwrap();
        empty.store(0, 1);
        assert_eq!((empty.load(0), empty.length()), (0, 0));
        assert!(Buffer::new(&space, BASE + 0x800 - 6, 7).is_err());
        let short = Buffer::new(&space, BASE, 3).unwrap();
        assert_eq!(short.load(0), 0);
    }
}
