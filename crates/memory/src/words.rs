//! Words of memory that threads share.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// An array of words of memory, which lives for `'a` and which others may access meanwhile. It is a slice in all but one thing: there are references to the words that are
/// accessed only, never to all, so that a model of aliasing (Miri's) has nothing to record about the others.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    first: *const AtomicU32,
    count: usize,
    lifetime: PhantomData<&'a [AtomicU32]>,
}

// SAFETY: what it hands out are references to atomic words, which can be sent and shared.
#[expect(unsafe_code)]
unsafe impl Send for Words<'_> {}
// SAFETY: as for `Send`.
#[expect(unsafe_code)]
unsafe impl Sync for Words<'_> {}

impl<'a> Words<'a> {
    /// No words.
    pub(crate) const NONE: Self = Words { first: [].as_ptr(), count: 0, lifetime: PhantomData };

    /// `count` words at `first`.
    ///
    /// # Safety
    /// They are initialized and valid for `'a`, and all accesses by references are atomic.
    #[expect(unsafe_code)]
    pub(crate) unsafe fn new(first: *const AtomicU32, count: usize) -> Self {
        Words { first, count, lifetime: PhantomData }
    }

    /// Host address of the first word.
    pub(crate) fn as_ptr(self) -> *const AtomicU32 {
        self.first
    }

    /// `count` words from number `first` on, if all of them are there.
    #[inline(always)]
    #[expect(unsafe_code)]
    pub(crate) fn get(self, first: usize, count: usize) -> Option<&'a [AtomicU32]> {
        if count > self.count.checked_sub(first)? {
            return None;
        }
        // SAFETY: they are inside, as was just compared, and valid as `new` demands; every bit pattern is a word.
        Some(unsafe { std::slice::from_raw_parts(self.first.add(first), count) })
    }

    /// `count` words from number `first` on, if all of them are there.
    #[expect(unsafe_code)]
    pub(crate) fn part(self, first: usize, count: usize) -> Option<Self> {
        if count > self.count.checked_sub(first)? {
            return None;
        }
        // SAFETY: they are inside, as was just compared.
        Some(Words { first: unsafe { self.first.add(first) }, count, ..self })
    }

    /// The two words from number `first` on; 0 if not both are there.
    #[inline(always)]
    pub fn pair(self, first: usize) -> [u32; 2] {
        match self.get(first, 2) {
            Some([a, b]) => [read_word(a), read_word(b)],
            _ => [0; 2],
        }
    }

    /// Writes words from number `first` on; nothing happens if not all of them are there.
    #[inline(always)]
    pub fn set<const N: usize>(self, first: usize, words: [u32; N]) {
        if let Some(stored) = self.get(first, N) {
            stored.iter().zip(words).for_each(|(stored, word)| write_word(stored, word, u32::MAX));
        }
    }

    /// Asks the host to have the memory around a word at hand, which is accessed soon.
    #[inline]
    pub fn prefetch(self, number: usize) {
        if let Some([word]) = self.get(number, 1) {
            prefetch(word);
        }
    }
}

/// The value of a word of memory.
#[inline]
pub(crate) fn read_word(word: &AtomicU32) -> u32 {
    u32::from_le(word.load(Relaxed))
}

/// Replaces the bits of a word of memory that are set in `bits`.
#[inline]
pub(crate) fn write_word(word: &AtomicU32, value: u32, bits: u32) {
    if bits == u32::MAX {
        word.store(value.to_le(), Relaxed);
    } else if bits != 0 {
        let (value, bits) = (value.to_le(), bits.to_le());
        // The closure always gives a new value, so the update cannot fail.
        let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !bits | value & bits));
    }
}

/// Asks the host to have a word of memory at hand: it is accessed soon. Hosts of other architectures than x86-64 are not asked.
#[inline]
pub(crate) fn prefetch(word: &AtomicU32) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code)]
    // SAFETY: every x86-64 host has the instruction, which changes nothing that programs see.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}
