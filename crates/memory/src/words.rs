//! Words of memory that threads share.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::arch::{asm, x86_64::__m128i, x86_64::__m256i};
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

    /// Word number `number`, if it is there.
    #[inline(always)]
    pub fn word(self, number: usize) -> Option<u32> {
        self.get(number, 1)?.first().map(read_word)
    }

    /// The two words from number `first` on, if both are there.
    #[inline(always)]
    pub fn pair(self, first: usize) -> Option<WordPair<'a>> {
        self.get(first, 2).and_then(|words| words.first_chunk()).map(WordPair)
    }

    /// So many pairs of words, which lie together, from word number `first` on, if all of them are there.
    #[inline(always)]
    pub fn pairs(self, first: usize, count: usize) -> Option<impl Iterator<Item = WordPair<'a>>> {
        Some(self.get(first, 2 * count)?.as_chunks().0.iter().map(WordPair))
    }

    /// The four words from number `first` on, if all of them are there.
    #[inline(always)]
    pub fn four(self, first: usize) -> Option<FourWords<'a>> {
        self.get(first, 4).and_then(|words| words.first_chunk()).map(FourWords)
    }

    /// So many times four words, which lie together, from word number `first` on, if all of them are there.
    #[inline(always)]
    pub fn fours_from<const N: usize>(self, first: usize) -> Option<[FourWords<'a>; N]> {
        let fours: &[_; N] = self.get(first, 4 * N)?.as_chunks().0.first_chunk()?;
        Some(fours.each_ref().map(FourWords))
    }

    /// So many times eight words, which lie together, from word number `first` on, if all of them are there.
    #[inline(always)]
    pub fn eights_from<const N: usize>(self, first: usize) -> Option<[EightWords<'a>; N]> {
        let eights: &[_; N] = self.get(first, 8 * N)?.as_chunks().0.first_chunk()?;
        Some(eights.each_ref().map(EightWords))
    }

    /// The four words from each of these on, and the fours that lie so many words after them, if all of them are there.
    #[inline(always)]
    #[expect(unsafe_code)]
    pub fn rows_of_fours(self, firsts: [usize; 2], below: usize) -> Option<[[FourWords<'a>; 2]; 2]> {
        let [a, b] = firsts;
        let last = a.max(b).checked_add(below)?;
        // SAFETY: the last ones are inside, as is compared, and so are all others; they are valid as `new` demands.
        let four = |first: usize| FourWords(unsafe { &*self.first.add(first).cast() });
        (last <= self.count.checked_sub(4)?).then(|| [[four(a), four(b)], [four(a + below), four(b + below)]])
    }

    /// The first words as a line, if there are as many.
    pub fn line<const LENGTH: usize>(self) -> Option<WordLine<'a, LENGTH>> {
        self.get(0, LENGTH)?.first_chunk().map(WordLine)
    }

    /// Asks the host to have the memory around a word at hand, which is accessed soon.
    #[inline(always)]
    pub fn prefetch(self, number: usize) {
        prefetch_at(self.first.wrapping_add(number).cast());
    }
}

/// So many words of memory that lie together.
#[derive(Clone, Copy, Debug)]
pub struct WordLine<'a, const LENGTH: usize>(&'a [AtomicU32; LENGTH]);

impl<'a, const LENGTH: usize> WordLine<'a, LENGTH> {
    /// Eight words from number `first` on, if all of them are there.
    #[inline(always)]
    pub fn eight(self, first: usize) -> Option<EightWords<'a>> {
        self.0.get(first..)?.first_chunk().map(EightWords)
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

/// Replaces words of memory. Processors fill memory faster than loops do.
pub(crate) fn fill(words: &[AtomicU32], value: u32) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[expect(unsafe_code)]
    // SAFETY: the words are there, each is written as a whole, and the direction flag is clear, as it is around all code.
    unsafe {
        asm!(
            "rep stosd",
            inout("rcx") words.len() => _,
            inout("rdi") words.as_ptr() => _,
            in("eax") value.to_le(),
            options(nostack, preserves_flags),
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    words.iter().for_each(|word| write_word(word, value, u32::MAX));
}

/// Two words of memory that lie together. Compilers do not make one access of two relaxed ones; one of x86-64 that is twice as wide is
/// a relaxed access of each word, as each lies in an aligned one.
#[derive(Clone, Copy, Debug)]
pub struct WordPair<'a>(&'a [AtomicU32; 2]);

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
impl WordPair<'_> {
    /// The words.
    #[inline(always)]
    pub fn get(self) -> [u32; 2] {
        self.0.each_ref().map(read_word)
    }

    /// Replaces them.
    #[inline(always)]
    pub fn set(self, words: [u32; 2]) {
        self.0.iter().zip(words).for_each(|(stored, word)| write_word(stored, word, u32::MAX));
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[expect(unsafe_code)]
impl WordPair<'_> {
    /// The words.
    #[inline(always)]
    pub fn get(self) -> [u32; 2] {
        let pair: u64;
        // SAFETY: the words are there, and every bit pattern is a word.
        unsafe {
            asm!(
                "mov {pair}, qword ptr [{words}]",
                pair = out(reg) pair,
                words = in(reg) self.0,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        [pair as u32, (pair >> 32) as u32]
    }

    /// Replaces them.
    #[inline(always)]
    pub fn set(self, [first, second]: [u32; 2]) {
        let pair = u64::from(first) | u64::from(second) << 32;
        // SAFETY: the words are there, and atomics may be written through shared references.
        unsafe {
            asm!(
                "mov qword ptr [{words}], {pair}",
                words = in(reg) self.0,
                pair = in(reg) pair,
                options(nostack, preserves_flags)
            );
        }
    }
}

/// Four words of memory that lie together: two pairs, in two accesses where no [`Access`] is named.
#[derive(Clone, Copy, Debug)]
pub struct FourWords<'a>(&'a [AtomicU32; 4]);

impl<'a> FourWords<'a> {
    /// These words.
    #[inline(always)]
    pub(crate) fn new(words: &'a [AtomicU32; 4]) -> Self {
        FourWords(words)
    }

    #[inline(always)]
    fn pairs(self) -> impl Iterator<Item = WordPair<'a>> {
        self.0.as_chunks().0.iter().map(WordPair)
    }

    /// The words.
    #[inline(always)]
    pub fn get(self) -> [u32; 4] {
        let mut words = [0; 4];
        words.as_chunks_mut().0.iter_mut().zip(self.pairs()).for_each(|(words, pair)| *words = pair.get());
        words
    }

    /// Replaces them.
    #[inline(always)]
    pub fn set(self, words: [u32; 4]) {
        words.as_chunks().0.iter().zip(self.pairs()).for_each(|(&words, pair)| pair.set(words));
    }
}

/// Eight words of memory that lie together.
#[derive(Clone, Copy, Debug)]
pub struct EightWords<'a>(&'a [AtomicU32; 8]);

impl<'a> EightWords<'a> {
    /// The first four, and the others.
    #[inline(always)]
    fn fours(self) -> Option<[FourWords<'a>; 2]> {
        let fours: &[_; 2] = self.0.as_chunks().0.first_chunk()?;
        Some(fours.each_ref().map(FourWords))
    }
}

/// How four words are accessed, and eight.
pub trait Access: Copy {
    /// The words.
    fn get(self, four: FourWords) -> [u32; 4];
    /// Replaces them.
    fn set(self, four: FourWords, words: [u32; 4]);

    /// Eight words.
    #[inline(always)]
    fn get_eight(self, eight: EightWords) -> [u32; 8] {
        eight.fours().map_or([0; 8], |fours| fours.get(self))
    }

    /// Replaces them.
    #[inline(always)]
    fn set_eight(self, eight: EightWords, words: [u32; 8]) {
        if let Some(fours) = eight.fours() {
            fours.set(words, self);
        }
    }
}

/// Two and two, on any host.
#[derive(Clone, Copy, Debug)]
pub struct ScalarAccess;

impl Access for ScalarAccess {
    #[inline(always)]
    fn get(self, four: FourWords) -> [u32; 4] {
        four.get()
    }

    #[inline(always)]
    fn set(self, four: FourWords, words: [u32; 4]) {
        four.set(words);
    }
}

/// All together, by an instruction of AVX: for code that is made of such instructions, since hosts wait where legacy encodings and those of AVX
/// alternate. It is a relaxed access of each word, as each lies in an aligned one.
#[derive(Clone, Copy, Debug)]
pub struct AvxAccess(());

impl AvxAccess {
    /// Where the host has AVX2, in which code for its vectors is.
    #[inline]
    pub fn new() -> Option<Self> {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return std::arch::is_x86_feature_detected!("avx2").then_some(AvxAccess(()));
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        None
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
impl Access for AvxAccess {
    fn get(self, four: FourWords) -> [u32; 4] {
        four.get()
    }

    fn set(self, four: FourWords, words: [u32; 4]) {
        four.set(words);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[expect(unsafe_code)]
impl Access for AvxAccess {
    #[inline(always)]
    fn get(self, four: FourWords) -> [u32; 4] {
        let words: __m128i;
        // SAFETY: the words are there, every bit pattern is a word, and the host has AVX, as `new` has seen.
        unsafe {
            asm!(
                "vmovdqu {words}, xmmword ptr [{at}]",
                words = out(xmm_reg) words,
                at = in(reg) four.0,
                options(nostack, preserves_flags, readonly)
            );
        }
        // SAFETY: both are 16 bytes, of which any are words.
        unsafe { std::mem::transmute::<__m128i, [u32; 4]>(words) }
    }

    #[inline(always)]
    fn set(self, four: FourWords, words: [u32; 4]) {
        // SAFETY: both are 16 bytes, of which any are a vector.
        let words = unsafe { std::mem::transmute::<[u32; 4], __m128i>(words) };
        // SAFETY: the words are there, atomics may be written through shared references, and the host has AVX, as `new` has seen.
        unsafe {
            asm!(
                "vmovdqu xmmword ptr [{at}], {words}",
                at = in(reg) four.0,
                words = in(xmm_reg) words,
                options(nostack, preserves_flags)
            );
        }
    }

    #[inline(always)]
    fn get_eight(self, eight: EightWords) -> [u32; 8] {
        // SAFETY: the host has AVX2, as `new` has seen.
        unsafe { load_eight(eight.0) }
    }

    #[inline(always)]
    fn set_eight(self, eight: EightWords, words: [u32; 8]) {
        // SAFETY: the host has AVX2, as `new` has seen.
        unsafe { store_eight(eight.0, words) }
    }
}

/// Eight words, by an access of each.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[expect(unsafe_code)]
#[target_feature(enable = "avx2")]
#[inline]
fn load_eight(eight: &[AtomicU32; 8]) -> [u32; 8] {
    let words: __m256i;
    // SAFETY: the words are there, and every bit pattern is a word.
    unsafe {
        asm!(
            "vmovdqu {words}, ymmword ptr [{at}]",
            words = out(ymm_reg) words,
            at = in(reg) eight,
            options(nostack, preserves_flags, readonly)
        );
    }
    // SAFETY: both are 32 bytes, of which any are words.
    unsafe { std::mem::transmute::<__m256i, [u32; 8]>(words) }
}

/// Replaces them.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[expect(unsafe_code)]
#[target_feature(enable = "avx2")]
#[inline]
fn store_eight(eight: &[AtomicU32; 8], words: [u32; 8]) {
    // SAFETY: both are 32 bytes, of which any are a vector.
    let words = unsafe { std::mem::transmute::<[u32; 8], __m256i>(words) };
    // SAFETY: the words are there, and atomics may be written through shared references.
    unsafe {
        asm!(
            "vmovdqu ymmword ptr [{at}], {words}",
            at = in(reg) eight,
            words = in(ymm_reg) words,
            options(nostack, preserves_flags)
        );
    }
}

/// Asks the host to have values at hand, all of their memory: they are accessed soon. Hosts of other architectures than x86-64 are not asked.
#[inline]
pub fn prefetch<T>(values: &[T]) {
    /// Bytes of a line of a cache.
    const LINE: usize = 64;
    let (first, bytes) = (values.as_ptr().cast::<u8>(), size_of_val(values));
    for at in (0..bytes).step_by(LINE) {
        prefetch_at(first.wrapping_add(at));
    }
}

/// Asks the host to have memory at hand, if there is some.
#[inline(always)]
fn prefetch_at(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code)]
    // SAFETY: every x86-64 host has the instruction, which changes nothing that programs see, at any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Eight words of memory: two times four that lie together, or all of them.
pub trait RowWords: Copy {
    /// The words.
    fn get(self, access: impl Access) -> [u32; 8];
    /// Replaces them.
    fn set(self, words: [u32; 8], access: impl Access);
}

impl RowWords for [FourWords<'_>; 2] {
    #[inline(always)]
    fn get(self, access: impl Access) -> [u32; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (access.get(self[0]), access.get(self[1]));
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn set(self, [a, b, c, d, e, f, g, h]: [u32; 8], access: impl Access) {
        access.set(self[0], [a, b, c, d]);
        access.set(self[1], [e, f, g, h]);
    }
}

impl RowWords for EightWords<'_> {
    #[inline(always)]
    fn get(self, access: impl Access) -> [u32; 8] {
        access.get_eight(self)
    }

    #[inline(always)]
    fn set(self, words: [u32; 8], access: impl Access) {
        access.set_eight(self, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arena;

    const BASE: u32 = 0x1000_0000;
    /// Words that are looked at; the arena has more.
    const COUNT: usize = 24;

    /// Words that hold their numbers.
    fn numbered() -> Arena {
        let arena = Arena::new(BASE, 2048).unwrap();
        assert!((0..512).all(|n| arena.write_u32(BASE + 4 * n, n)));
        arena
    }

    fn upwards<const N: usize>(first: u32) -> [u32; N] {
        std::array::from_fn(|n| first + n as u32)
    }

    fn all(words: Words) -> Vec<u32> {
        (0..COUNT).map(|number| words.word(number).unwrap()).collect()
    }

    /// Code for pixels relies on it: what goes past the end would be memory of another surface.
    #[test]
    fn groups_are_there_as_a_whole_or_not_at_all() {
        let arena = numbered();
        let words = arena.shared_words(BASE, COUNT).unwrap();
        assert_eq!([0, 23, 24, usize::MAX].map(|number| words.word(number)), [Some(0), Some(23), None, None]);
        assert_eq!([5, 22].map(|first| words.pair(first).map(WordPair::get)), [Some([5, 6]), Some([22, 23])]);
        assert_eq!([0, 7, 20].map(|first| words.four(first).map(FourWords::get)), [0, 7, 20].map(|n| Some(upwards(n))));
        let pairs = |first, count| words.pairs(first, count).map(|pairs| pairs.map(WordPair::get).collect::<Vec<_>>());
        assert_eq!((pairs(1, 2), pairs(3, 0)), (Some(vec![[1, 2], [3, 4]]), Some(vec![])));
        assert_eq!(pairs(2, 11).unwrap().concat(), upwards::<22>(2));
        let fours = |first| words.fours_from::<2>(first).map(|fours| fours.map(FourWords::get));
        assert_eq!([fours(3), fours(16)], [3, 16].map(|n| Some([upwards(n), upwards(n + 4)])));
        let rows =
            |firsts, below| words.rows_of_fours(firsts, below).map(|rows| rows.map(|row| row.map(FourWords::get)));
        let expected = [[upwards(1), upwards(8)], [upwards(13), upwards(20)]];
        assert_eq!(rows([1, 8], 12), Some(expected));
        assert_eq!(rows([8, 1], 12), Some(expected.map(|[left, right]| [right, left])));
        let part = words.part(20, 4).unwrap();
        assert_eq!([0, 3, 4].map(|number| part.word(number)), [Some(20), Some(23), None]);

        assert!(
            words.pair(23).is_none() && words.four(21).is_none() && pairs(2, 12).is_none() && pairs(25, 0).is_none()
        );
        assert!(fours(17).is_none() && words.part(20, 5).is_none() && words.part(25, 0).is_none());
        for (firsts, below) in [([1, 9], 12), ([9, 1], 12), ([0, 0], 21), ([0, 1], usize::MAX)] {
            assert!(rows(firsts, below).is_none(), "{firsts:?} {below}");
        }
        assert!(
            part.rows_of_fours([0, 0], 0).is_some()
                && arena.shared_words(BASE, 3).unwrap().rows_of_fours([0, 0], 0).is_none()
        );
    }

    /// Each way of access, and what a row is made of, give and replace the same words and no others.
    #[test]
    fn rows_are_read_and_written_by_every_access() {
        fn check(access: impl Access) {
            let arena = numbered();
            let words = arena.shared_words(BASE, COUNT).unwrap();
            let four = |first| words.four(first).unwrap();
            let mut expected: Vec<u32> = upwards::<COUNT>(0).into();
            assert_eq!(access.get(four(9)), upwards(9));
            access.set(four(9), [90, 91, 92, 93]);
            expected[9..13].copy_from_slice(&[90, 91, 92, 93]);
            assert_eq!(all(words), expected);

            let apart = [four(16), four(1)];
            assert_eq!(apart.get(access), [16, 17, 18, 19, 1, 2, 3, 4]);
            apart.set(upwards(100), access);
            expected[16..20].copy_from_slice(&upwards::<4>(100));
            expected[1..5].copy_from_slice(&upwards::<4>(104));
            assert_eq!(all(words), expected);
        }
        check(ScalarAccess);
        AvxAccess::new().into_iter().for_each(check);
    }
}
