//! The bytes that textures are decoded from, and which of them have changed.

use ctm_card::Object;
use ctm_memory::{Arena, FourWords, Words};
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
    size: u32,
    /// What they were, if that is known.
    bytes: Vec<u8>,
}

/// The bytes of a source as they are now.
#[derive(Clone, Copy)]
pub struct SourceWords<'a> {
    words: Option<Words<'a>>,
    size: u64,
}

/// Which bytes of a source have changed.
#[derive(Debug)]
pub enum Changes {
    /// Any may have.
    All,
    /// Those in these pieces.
    Pieces(Pieces),
}

/// Pieces of a source.
#[derive(Debug, Default)]
pub struct Pieces(Vec<u64>);

impl TextureSource {
    /// So many bytes of an object, or those that there are, from `begin` on.
    pub fn new(object: Object, begin: u64, bytes: u64) -> Self {
        let size = u64::from(object.size).saturating_sub(begin).min(bytes);
        let address = u32::try_from(u64::from(object.address) + begin);
        let address = address.ok().filter(|address| address.is_multiple_of(4));
        // Addresses have 32 bits, and so have sizes.
        TextureSource { address: address.unwrap_or(0), size: address.map_or(0, |_| size as u32), bytes: Vec::new() }
    }

    /// Whether any of them is at one of these addresses.
    pub fn overlaps(&self, addresses: &Range<u64>) -> bool {
        let begin = u64::from(self.address);
        begin < addresses.end && addresses.start < begin + u64::from(self.size)
    }

    /// How many bytes there are.
    pub fn size(&self) -> u64 {
        self.size.into()
    }

    /// Forgets what they were.
    pub fn forget(&mut self) {
        self.bytes = Vec::new();
    }

    /// Compares them with what memory holds, and takes over what has changed.
    pub fn update(&mut self, memory: &Arena) -> Changes {
        if self.bytes.len() != self.size as usize {
            self.bytes.resize(self.size as usize, 0);
            memory.read_bytes(self.address, &mut self.bytes);
            return Changes::All;
        }
        let mut pieces = Pieces(vec![0; self.bytes.len().div_ceil(PIECE * PIECES)]);
        for (number, then) in self.bytes.chunks_mut(PIECE).enumerate() {
            let address = self.address.wrapping_add((number * PIECE) as u32);
            if !is_same(memory, address, then) {
                memory.read_bytes(address, then);
                pieces.0[number / PIECES] |= 1 << (number % PIECES);
            }
        }
        Changes::Pieces(pieces)
    }

    /// They as they are now.
    pub fn words<'a>(&self, memory: &'a Arena) -> SourceWords<'a> {
        // The words of the last bytes may be those of other objects, too.
        let words = memory.shared_words(self.address, self.size.div_ceil(4) as usize);
        SourceWords { words, size: self.size.into() }
    }
}

impl SourceWords<'_> {
    /// Four words from a place on that is a multiple of 4; none if not all of them are there.
    #[inline(always)]
    pub fn four(&self, place: u64) -> Option<FourWords<'_>> {
        if place.checked_add(16)? > self.size {
            return None;
        }
        self.words?.four(usize::try_from(place / 4).ok()?)
    }

    /// An element of 1, 2, 4, 8 or 16 bytes at a place that is a multiple of that; zeros if not all of it is there.
    #[inline]
    pub fn element<const BYTES: usize>(&self, place: u64) -> [u32; 4] {
        let is_there = place.checked_add(BYTES as u64).is_some_and(|end| end <= self.size);
        let Some(words) = self.words.filter(|_| is_there) else { return [0; 4] };
        let word = |n: usize| usize::try_from(place / 4).ok().and_then(|first| words.word(first + n)).unwrap_or(0);
        match BYTES {
            1 | 2 => [word(0) >> (8 * (place % 4)) & (u32::MAX >> (32 - 8 * BYTES)), 0, 0, 0],
            4 => [word(0), 0, 0, 0],
            8 => [word(0), word(1), 0, 0],
            _ => [word(0), word(1), word(2), word(3)],
        }
    }
}

impl Changes {
    /// True if there are none.
    pub fn are_none(&self) -> bool {
        match self {
            Changes::All => false,
            Changes::Pieces(Pieces(pieces)) => pieces.iter().all(|&pieces| pieces == 0),
        }
    }
}

impl Pieces {
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
        let mut source = TextureSource::new(object, 0x100, 1 << 20);
        assert_eq!((source.address, source.size()), (BASE + 0x100, 0xBF0B));
        assert!(matches!(source.update(&memory), Changes::All) && source.update(&memory).are_none());
        for place in [0, 255, 256, 0x4003, 0xBF00, 0xBF08, 0xBF0A] {
            memory.write_u8(BASE + 0x100 + place, 0x55);
            let Changes::Pieces(changes) = source.update(&memory) else { panic!("it was known what they were") };
            assert_eq!(source.bytes[place as usize], 0x55, "{place:#x}");
            let place = u64::from(place);
            assert!(changes.contains(place, place) && changes.contains(place.saturating_sub(600), place + 600));
            assert!(
                !changes.contains(place + 256, place + 1000) && !changes.contains(0, place.saturating_sub(256))
                    || place < 256
            );
            assert!(source.update(&memory).are_none());
        }
        memory.write_u8(BASE + 0xFF, 1);
        memory.write_u8(BASE + 0xC00B, 1);
        assert!(source.update(&memory).are_none(), "others");
        source.forget();
        assert!(matches!(source.update(&memory), Changes::All));
    }

    #[test]
    fn elements_that_are_not_all_there_are_zero() {
        let memory = Arena::new(BASE, 0x1000).unwrap();
        memory.fill_words(BASE, 0x400, 0x0403_0201, u32::MAX);
        let source = TextureSource::new(Object { address: BASE, size: 22 }, 0, 100);
        let words = source.words(&memory);
        assert_eq!(
            (words.element::<16>(0), words.four(4).map(FourWords::get)),
            ([0x0403_0201; 4], Some([0x0403_0201; 4]))
        );
        assert_eq!((words.element::<16>(16), words.four(8).is_none()), ([0; 4], true));
        assert_eq!([words.element::<2>(20)[0], words.element::<2>(22)[0]], [0x0201, 0]);
        assert_eq!([words.element::<1>(21)[0], words.element::<2>(2)[0]], [0x02, 0x0403]);
        assert_eq!((words.element::<8>(8), words.element::<1>(u64::MAX)), ([0x0403_0201, 0x0403_0201, 0, 0], [0; 4]));
        let outside = TextureSource::new(Object { address: 0x1000, size: 64 }, 0, 64);
        assert_eq!((outside.words(&memory).element::<4>(0), outside.words(&memory).four(0).is_none()), ([0; 4], true));
    }
}
