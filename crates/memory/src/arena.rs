//! Arenas: the bytes at GPU addresses.

use crate::words::{FourWords, Words, fill, read_word, write_word};
use crate::{BASE_ALIGNMENT, Pages};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// log2 of the bytes of a word.
const WORD_LOG2: u32 = 2;

/// A block of GPU memory at fixed GPU addresses, shared between threads and with the host. It is zero at first, or holds the
/// bytes of a file, and takes no host memory until it is written.
///
/// The memory is an array of little-endian words. Every access in this type is a relaxed atomic access of one whole
/// word; writes of less than a word replace a part of it atomically. So accesses may race, and neighbours never
/// disturb each other.
pub struct Arena {
    base: u32,
    size: u32,
    /// Arenas [at](Arena::at) other addresses may share them.
    pages: Arc<Pages>,
    /// No other process maps the pages.
    private: bool,
}

/// Why an arena cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// Base or size is not a multiple of [`BASE_ALIGNMENT`], or the size is 0.
    #[error(
        "an arena of {size:#x} bytes at {base:#010x}: base and size must be multiples of {BASE_ALIGNMENT}, size not 0"
    )]
    Misaligned {
        /// First GPU address.
        base: u32,
        /// Bytes.
        size: u32,
    },
    /// The arena would hold address 0 or leave the 32-bit address space.
    #[error("an arena of {size:#x} bytes at {base:#010x} leaves the addresses 0x00000001 to 0xffffffff")]
    OutsideAddressSpace {
        /// First GPU address.
        base: u32,
        /// Bytes.
        size: u32,
    },
    /// The host has no memory left.
    #[error("no memory for an arena of {size} bytes")]
    NoMemory {
        /// Bytes.
        size: u32,
    },
}

/// Whether an arena of so many bytes may lie there.
pub(crate) fn check_place(base: u32, size: u32) -> Result<(), ArenaError> {
    if !base.is_multiple_of(BASE_ALIGNMENT) || !size.is_multiple_of(BASE_ALIGNMENT) || size == 0 {
        return Err(ArenaError::Misaligned { base, size });
    }
    if base == 0 || u64::from(base) + u64::from(size) > 1 << 32 {
        return Err(ArenaError::OutsideAddressSpace { base, size });
    }
    Ok(())
}

impl Arena {
    /// Makes an arena of `size` bytes at GPU address `base`, all zero.
    pub fn new(base: u32, size: u32) -> Result<Self, ArenaError> {
        check_place(base, size)?;
        let pages = Pages::new(size as usize).ok_or(ArenaError::NoMemory { size })?;
        Ok(Arena::over(base, size, pages, true))
    }

    /// An arena over these pages, at a place that [`check_place`] lets pass.
    pub(crate) fn over(base: u32, size: u32, pages: Pages, private: bool) -> Self {
        let aligned = pages.as_ptr().addr().is_multiple_of(BASE_ALIGNMENT as usize);
        assert!(aligned, "pages have the alignment of their length");
        Arena { base, size, pages: Arc::new(pages), private }
    }

    /// The same memory at another GPU address, for another space. It lives as long as one of the arenas.
    ///
    /// # Errors
    /// The arena does not fit there.
    pub fn at(&self, base: u32) -> Result<Self, ArenaError> {
        check_place(base, self.size)?;
        Ok(Arena { base, size: self.size, pages: Arc::clone(&self.pages), private: self.private })
    }

    /// Whether nobody has the memory but arenas: it is not a file's.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    pub(crate) fn is_private(&self) -> bool {
        self.private
    }

    /// Whether other arenas have the same memory: those made by [`at`](Self::at).
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.pages) > 1
    }

    /// Whether the two have the same memory.
    pub(crate) fn shares_memory(&self, other: &Arena) -> bool {
        Arc::ptr_eq(&self.pages, &other.pages)
    }

    /// First GPU address.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Bytes: a multiple of [`BASE_ALIGNMENT`].
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Host address of the first byte: a multiple of [`BASE_ALIGNMENT`]. The memory lives as long as the arena; who
    /// uses the pointer answers for races with other accesses.
    pub fn as_ptr(&self) -> *mut u8 {
        self.pages.as_ptr()
    }

    /// The memory.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The host addresses that are the arena's alone, as [`Pages::reserved`].
    pub fn reserved(&self) -> Range<usize> {
        self.pages.reserved()
    }

    /// Whether all of `length` bytes at `address` are inside.
    pub fn contains(&self, address: u32, length: u32) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.size && length <= self.size - offset
    }

    /// The byte at `address`, if that is inside.
    #[inline]
    pub fn read_u8(&self, address: u32) -> Option<u8> {
        self.read_u32(address).map(|word| (word >> (address % 4 * 8)) as u8)
    }

    /// The two bytes at the even address at or below `address`, if they are inside.
    #[inline]
    pub fn read_u16(&self, address: u32) -> Option<u16> {
        self.read_u32(address).map(|word| (word >> ((address & 2) * 8)) as u16)
    }

    /// The word at the multiple of 4 at or below `address`, if it is inside.
    #[inline]
    pub fn read_u32(&self, address: u32) -> Option<u32> {
        self.words_at(address, 1).map(|words| read_word(&words[0]))
    }

    /// Writes the byte at `address`; false if that is outside.
    #[inline]
    pub fn write_u8(&self, address: u32, value: u8) -> bool {
        let shift = address % 4 * 8;
        self.write_bits(address, u32::from(value) << shift, 0xFF << shift)
    }

    /// Writes the two bytes at the even address at or below `address`; false if they are outside.
    #[inline]
    pub fn write_u16(&self, address: u32, value: u16) -> bool {
        let shift = (address & 2) * 8;
        self.write_bits(address, u32::from(value) << shift, 0xFFFF << shift)
    }

    /// Writes the word at the multiple of 4 at or below `address`; false if it is outside.
    #[inline]
    pub fn write_u32(&self, address: u32, value: u32) -> bool {
        self.write_bits(address, value, u32::MAX)
    }

    /// The words from the multiple of 4 at or below `address` on; false, and nothing read, if not all of them are inside.
    #[inline]
    pub fn read_words(&self, address: u32, words: &mut [u32]) -> bool {
        let Some(stored) = self.words_at(address, words.len()) else { return false };
        words.iter_mut().zip(stored).for_each(|(word, stored)| *word = read_word(stored));
        true
    }

    /// Writes words from the multiple of 4 at or below `address` on; false, and nothing written, if not all of them are inside.
    #[inline]
    pub fn write_words(&self, address: u32, words: &[u32]) -> bool {
        let Some(stored) = self.words_at(address, words.len()) else { return false };
        stored.iter().zip(words).for_each(|(stored, &word)| write_word(stored, word, u32::MAX));
        true
    }

    /// Replaces these bits of `count` words, from the multiple of 4 at or below `address` on; false, and nothing written, if not all of them
    /// are inside.
    pub fn fill_words(&self, address: u32, count: usize, word: u32, bits: u32) -> bool {
        let Some(stored) = self.words_at(address, count) else { return false };
        if bits == u32::MAX {
            fill(stored, word);
        } else {
            let (fours, rest) = stored.as_chunks();
            for four in fours.iter().map(FourWords::new) {
                four.set(four.get().map(|stored| stored & !bits | word & bits));
            }
            rest.iter().for_each(|stored| write_word(stored, read_word(stored) & !bits | word & bits, u32::MAX));
        }
        true
    }

    #[inline]
    fn write_bits(&self, address: u32, value: u32, bits: u32) -> bool {
        self.words_at(address, 1).map(|words| write_word(&words[0], value, bits)).is_some()
    }

    /// Copies the bytes from `address` on into `bytes`; false, and nothing copied, if not all of them are inside.
    pub fn read_bytes(&self, address: u32, bytes: &mut [u8]) -> bool {
        let Some((body, head)) = self.whole_words(address, bytes.len()) else { return false };
        let (head, rest) = bytes.split_at_mut(head);
        let (chunks, tail) = rest.as_chunks_mut::<4>();
        let start = address.wrapping_add(head.len() as u32);
        let ((fours, words), (four_chunks, word_chunks)) = (body.as_chunks(), chunks.as_chunks_mut::<4>());
        for (chunks, four) in four_chunks.iter_mut().zip(fours.iter().map(FourWords::new)) {
            *chunks = four.get().map(u32::to_le_bytes);
        }
        for (chunk, word) in word_chunks.iter_mut().zip(words) {
            *chunk = read_word(word).to_le_bytes();
        }
        for (part, address) in [(head, address), (tail, start.wrapping_add(4 * body.len() as u32))] {
            for (byte, n) in part.iter_mut().zip(0..) {
                *byte = self.read_u8(address.wrapping_add(n)).unwrap_or_default();
            }
        }
        true
    }

    /// Copies `bytes` to `address` and on; false, and nothing copied, if not all of them fall inside.
    pub fn write_bytes(&self, address: u32, bytes: &[u8]) -> bool {
        let Some((body, head)) = self.whole_words(address, bytes.len()) else { return false };
        let (head, rest) = bytes.split_at(head);
        let (chunks, tail) = rest.as_chunks::<4>();
        let start = address.wrapping_add(head.len() as u32);
        for (chunk, word) in chunks.iter().zip(body) {
            write_word(word, u32::from_le_bytes(*chunk), u32::MAX);
        }
        for (part, address) in [(head, address), (tail, start.wrapping_add(4 * body.len() as u32))] {
            for (byte, n) in part.iter().zip(0..) {
                self.write_u8(address.wrapping_add(n), *byte);
            }
        }
        true
    }

    /// The words that lie wholly in `length` bytes at `address`, and the number of bytes before them; none if the
    /// bytes are not all inside.
    fn whole_words(&self, address: u32, length: usize) -> Option<(&[AtomicU32], usize)> {
        if !self.contains(address, u32::try_from(length).ok()?) {
            return None;
        }
        let head = length.min((address.wrapping_neg() % 4) as usize);
        let count = (length - head) / 4;
        let body = if count == 0 { &[] } else { self.words_at(address + head as u32, count)? };
        Some((body, head))
    }

    /// `count` words from the one that holds `address` on, if they are inside.
    #[inline]
    pub(crate) fn words_at(&self, address: u32, count: usize) -> Option<&[AtomicU32]> {
        self.words().get((address.wrapping_sub(self.base) >> WORD_LOG2) as usize, count)
    }

    /// `count` words from the one that holds `address` on, if they are inside.
    pub fn shared_words(&self, address: u32, count: usize) -> Option<Words<'_>> {
        self.words().part((address.wrapping_sub(self.base) >> WORD_LOG2) as usize, count)
    }

    /// All words, each as the host has it in memory (little-endian), for who has the arena alone; `None` if another arena has the memory
    /// too, or it is that of a file, which others may have as well.
    #[expect(unsafe_code)]
    pub fn words_mut(&mut self) -> Option<&mut [u32]> {
        let pages = Arc::get_mut(&mut self.pages).filter(|_| self.private)?;
        // SAFETY: the pages are `size` bytes, aligned and initialized, which live as long as the arena. Nobody else maps them, and
        // the exclusive borrow keeps everyone away who got their address of the arena.
        Some(unsafe { std::slice::from_raw_parts_mut(pages.as_ptr().cast(), (self.size >> WORD_LOG2) as usize) })
    }

    /// All words.
    #[expect(unsafe_code)]
    pub(crate) fn words(&self) -> Words<'_> {
        // SAFETY: the pages are `size` bytes, aligned and initialized, which live as long as the arena, and nothing but this
        // type hands out their address. Who maps the file of an arena as well accesses it at other addresses, as a device
        // would: whole words arrive in some order, and no value of a word is relied on.
        unsafe { Words::new(self.pages.as_ptr().cast(), (self.size >> WORD_LOG2) as usize) }
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arena({:#010x}, {:#x} bytes)", self.base, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{AvxAccess, RowWords, ScalarAccess};

    const BASE: u32 = 0x1000_0000;

    fn arena() -> Arena {
        Arena::new(BASE, 4096).unwrap()
    }

    #[test]
    fn bad_places_are_refused() {
        for (base, size) in [(BASE + 1024, 2048), (BASE, 100), (BASE, 0)] {
            assert_eq!(Arena::new(base, size).unwrap_err(), ArenaError::Misaligned { base, size });
        }
        for (base, size) in [(0, 2048), (0xFFFF_F800, 4096)] {
            assert_eq!(Arena::new(base, size).unwrap_err(), ArenaError::OutsideAddressSpace { base, size });
        }
        assert!(Arena::new(0xFFFF_F800, 2048).is_ok(), "the last address is usable");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri's memory is not lazy")]
    fn memory_is_zero_and_aligned_and_lazy() {
        let arena = Arena::new(BASE, 0x4000_0000).unwrap();
        assert_eq!(arena.as_ptr() as usize % BASE_ALIGNMENT as usize, 0);
        for address in [BASE, BASE + 0x2000_0000, BASE + 0x3FFF_FFFC] {
            assert_eq!(arena.read_u32(address), Some(0));
        }
    }

    #[test]
    fn accesses_are_little_endian_and_leave_neighbours_alone() {
        let arena = arena();
        assert!(arena.write_u32(BASE + 8, 0x4433_2211));
        let bytes: Vec<_> = (8..12).filter_map(|n| arena.read_u8(BASE + n)).collect();
        assert_eq!(bytes, [0x11, 0x22, 0x33, 0x44]);
        assert_eq!([arena.read_u16(BASE + 8), arena.read_u16(BASE + 10)], [Some(0x2211), Some(0x4433)]);
        assert!(arena.write_u16(BASE + 10, 0xBEEF) && arena.write_u8(BASE + 9, 0x99));
        assert_eq!(arena.read_u32(BASE + 8), Some(0xBEEF_9911));
    }

    #[test]
    fn memory_is_shared_at_several_addresses() {
        let mut first = arena();
        let second = first.at(0x2000_0000).unwrap();
        assert!(first.write_u32(BASE + 8, 7));
        assert_eq!((second.read_u32(0x2000_0008), second.as_ptr()), (Some(7), first.as_ptr()));
        assert_eq!(first.words_mut(), None, "the other has it as well");
        assert!(matches!(first.at(1), Err(ArenaError::Misaligned { .. })));
        drop(first);
        assert_eq!(second.read_u32(0x2000_0008), Some(7));
    }

    #[test]
    fn blocks_of_any_place_and_length() {
        let arena = arena();
        let pattern: Vec<u8> = (1..=13).collect();
        for start in 0..5 {
            for length in 0..pattern.len() {
                arena.write_bytes(BASE, &[0xEE; 32]);
                assert!(arena.write_bytes(BASE + 4 + start, &pattern[..length]));
                let mut all = [0; 32];
                assert!(arena.read_bytes(BASE, &mut all));
                let mut expected = [0xEE; 32];
                expected[4 + start as usize..][..length].copy_from_slice(&pattern[..length]);
                assert_eq!(all, expected, "{length} bytes at {start}");
                let mut part = vec![0; length];
                assert!(arena.read_bytes(BASE + 4 + start, &mut part));
                assert_eq!(part, pattern[..length]);
            }
        }
    }

    #[test]
    fn words_are_read_and_written_together() {
        let arena = arena();
        let mut words = [0; 3];
        assert!(arena.write_words(BASE + 6, &[1, 2, 3]) && arena.read_words(BASE + 7, &mut words));
        assert_eq!((words, arena.read_u32(BASE), arena.read_u32(BASE + 16)), ([1, 2, 3], Some(0), Some(0)));
        assert!(!arena.write_words(BASE + 4088, &[4; 3]) && !arena.read_words(BASE + 4088, &mut words));
        assert_eq!((words, arena.read_u32(BASE + 4088)), ([1, 2, 3], Some(0)), "nothing is done in part");
        assert!(arena.write_words(BASE + 4084, &[4, 5, 6]) && arena.read_words(BASE + 4084, &mut words));
        assert_eq!(words, [4, 5, 6]);
    }

    #[test]
    fn fills_replace_their_bits_and_words() {
        for bits in [u32::MAX, 0x00FF_FF00, 0] {
            for count in [0, 1, 3, 4, 11] {
                let arena = arena();
                assert!(arena.write_words(BASE, &[0x1122_3344; 16]));
                assert!(arena.fill_words(BASE + 8, count, 0xAABB_CCDD, bits));
                let mut found = [0; 16];
                assert!(arena.read_words(BASE, &mut found));
                let mut expected = [0x1122_3344; 16];
                expected[2..2 + count].fill(0x1122_3344 & !bits | 0xAABB_CCDD & bits);
                assert_eq!(found, expected, "{count} words {bits:#x}");
            }
            let arena = arena();
            assert!(!arena.fill_words(BASE + 4088, 3, 7, bits), "{bits:#x}");
            assert_eq!(arena.read_u32(BASE + 4088), Some(0), "{bits:#x}");
        }
    }

    #[test]
    fn nothing_outside_is_touched() {
        let arena = arena();
        for address in [0, BASE - 1, BASE + 4096, u32::MAX] {
            assert_eq!(arena.read_u32(address), None, "{address:#x}");
            assert!(!arena.write_u8(address, 1) && !arena.write_u16(address, 1) && !arena.write_u32(address, 1));
        }
        assert!(!arena.write_bytes(BASE + 4090, &[1; 7]) && !arena.read_bytes(BASE - 1, &mut [0; 2]));
        assert_eq!(arena.read_u8(BASE + 4090), Some(0), "a block that does not fit is not written in part");
        assert!(arena.write_bytes(BASE + 4090, &[1; 6]));
        assert!(arena.contains(BASE + 4095, 0) && !arena.contains(BASE + 4096, 0));

        let last = Arena::new(0xFFFF_F800, 2048).unwrap();
        assert!(last.write_bytes(0xFFFF_FFFD, &[1, 2, 3]) && !last.write_bytes(0xFFFF_FFFD, &[0; 4]));
        assert_eq!(last.read_u32(0xFFFF_FFFC), Some(0x0302_0100));
    }

    #[test]
    fn lines_have_the_words_that_are_there() {
        let arena = arena();
        assert!((0..24).all(|n| arena.write_u32(BASE + 4 * n, n)));
        let words = arena.shared_words(BASE, 24).unwrap();
        let line = words.line::<24>().unwrap();
        let found = line.eight(16).map(|eight| eight.get(ScalarAccess));
        assert_eq!(found, Some([16, 17, 18, 19, 20, 21, 22, 23]));
        line.eight(3).unwrap().set([7; 8], ScalarAccess);
        assert_eq!([2, 3, 10, 11].map(|n| words.word(n)), [2, 7, 7, 11].map(Some));
        if let Some(access) = AvxAccess::new() {
            let eight = line.eight(13).unwrap();
            assert_eq!(eight.get(access), [13, 14, 15, 16, 17, 18, 19, 20]);
            eight.set([1, 2, 3, 4, 5, 6, 7, 8], access);
            assert_eq!([12, 13, 16, 20, 21].map(|n| words.word(n)), [12, 1, 4, 8, 21].map(Some));
        }
        assert!(line.eight(17).is_none() && line.eight(usize::MAX).is_none() && words.line::<25>().is_none());
    }

    #[test]
    fn threads_share_words() {
        let arena = arena();
        let words = if cfg!(miri) { 64 } else { 1024 };
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let arena = &arena;
                scope.spawn(move || {
                    for word in 0..words {
                        arena.write_u8(BASE + 4 * word + thread, word as u8 ^ thread as u8);
                    }
                });
            }
        });
        for at in 0..4 * words {
            assert_eq!(arena.read_u8(BASE + at), Some((at / 4) as u8 ^ (at % 4) as u8), "{at}");
        }
    }
}
