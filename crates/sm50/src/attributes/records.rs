//! Attribute records: what a vertex or a patch has at the 256 attribute addresses.

use super::words::{NoMemory, Words};
use crate::header::AttributeMap;
use ctm_memory::Buffer;

/// Attribute words of a record: byte addresses 0x000 to 0x3ff.
pub const WORDS: usize = 256;
/// Parts of a set of them.
const SETS: usize = WORDS / 64;

/// Which attribute words records have: in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slots {
    /// The words as a set, a bit for each.
    words: [u64; SETS],
    /// For each part of the set the words before it.
    before: [u32; SETS],
    count: u32,
}

impl Slots {
    /// The words of a set, in ascending order.
    pub fn of(map: &AttributeMap) -> Slots {
        let bits = map.bits();
        Slots::from_words(std::array::from_fn(|n| u64::from(bits[2 * n]) | u64::from(bits[2 * n + 1]) << 32))
    }

    /// Every word.
    pub fn all() -> Slots {
        Slots::from_words([u64::MAX; SETS])
    }

    fn from_words(words: [u64; SETS]) -> Slots {
        let (mut before, mut count) = ([0; SETS], 0);
        for (before, words) in before.iter_mut().zip(words) {
            *before = count;
            count += words.count_ones();
        }
        Slots { words, before, count }
    }

    /// Number of words in a record.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The byte addresses of the words, ascending.
    pub fn addresses(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).step_by(64).zip(self.words).flat_map(|(first, mut words)| {
            std::iter::from_fn(move || {
                let word = first + words.trailing_zeros();
                let is_there = words != 0;
                words &= words.wrapping_sub(1);
                is_there.then_some(4 * word)
            })
        })
    }

    /// The slot of the attribute at a byte address.
    #[inline]
    pub fn slot(&self, address: u32) -> Option<u32> {
        let (set, bit) = ((address / 256) as usize, address / 4 % 64);
        let words = *self.words.get(set)?;
        let is_there = words >> bit & 1 != 0;
        is_there.then(|| self.before[set] + (words & ((1 << bit) - 1)).count_ones())
    }
}

/// Attribute records in one block of memory, slot by slot: the word of record r in slot s is dword s * count + r, so that
/// lanes with neighbouring records access neighbouring dwords. Words without a slot read as 0, and keep nothing.
#[derive(Clone, Debug)]
pub struct Records {
    slots: Slots,
    count: u32,
    words: Words,
}

impl Records {
    /// `count` records, all zero.
    ///
    /// # Errors
    /// If the host has no memory for them, or they take 4 GiB or more.
    pub fn new(slots: Slots, count: u32) -> Result<Records, NoMemory> {
        let words = Words::new(u64::from(slots.count()) * u64::from(count))?;
        Ok(Records { slots, count, words })
    }

    /// Number of records.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Which words the records have.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// The records' memory.
    pub fn buffer(&self) -> Buffer<'_> {
        self.words.buffer()
    }

    /// The records' words.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Records of the same shape in other words.
    pub(crate) fn with_words(&self, words: Words) -> Records {
        Records { slots: self.slots, count: self.count, words }
    }

    /// Records with the same words in memory of their own.
    ///
    /// # Errors
    /// If the host has no memory for them.
    pub fn copied(&self) -> Result<Records, NoMemory> {
        Ok(self.with_words(Words::of(&self.words.to_vec())?))
    }

    /// The records for reading and writing.
    pub fn view(&self) -> View<'_> {
        View { slots: &self.slots, count: self.count, words: &self.words, buffer: self.words.buffer(), copy: &[] }
    }
}

/// Words that are written together.
const CHUNK: usize = 64;

/// Records, bound to memory.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    slots: &'a Slots,
    count: u32,
    words: &'a Words,
    buffer: Buffer<'a>,
    /// The words as they were, if they are read there.
    copy: &'a [u32],
}

impl<'a> View<'a> {
    /// Number of records.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The byte addresses of the words that records have, ascending.
    pub fn addresses(&self) -> impl Iterator<Item = u32> + 'a {
        self.slots.addresses()
    }

    /// Sets the word at a byte address of one record after the other, where there is one.
    pub fn set_all(&self, address: u32, values: impl IntoIterator<Item = u32>) {
        if let Some(first) = self.offset(0, address) {
            let (mut next, mut values) = (first / 4, values.into_iter().take(self.count as usize));
            loop {
                let (mut chunk, mut count) = ([0; CHUNK], 0);
                for (word, value) in chunk.iter_mut().zip(&mut values) {
                    *word = value;
                    count += 1;
                }
                self.words.write(next, &chunk[..count]);
                next += count as u32;
                if count < CHUNK {
                    return;
                }
            }
        }
    }

    /// Copies all words.
    pub fn copy_into(&self, copy: &mut Vec<u32>) {
        copy.clear();
        copy.resize(self.words.len() as usize, 0);
        self.words.read(0, copy);
    }

    /// The same records, whose words are read from a [copy](Self::copy_into): that is faster, and what is written afterwards is not seen.
    pub fn with_copy(self, copy: &'a [u32]) -> Self {
        View { copy, ..self }
    }

    /// Byte address of a word in the records' buffer.
    #[inline]
    fn offset(&self, record: u32, address: u32) -> Option<u32> {
        let slot = self.slots.slot(address)?;
        (record < self.count).then(|| 4 * (slot * self.count + record))
    }

    /// Whether records have a word at a byte address.
    #[inline]
    pub fn has(&self, address: u32) -> bool {
        self.slots.slot(address).is_some()
    }

    /// The word of a record at a byte address; 0 where there is none.
    #[inline]
    pub fn get(&self, record: u32, address: u32) -> u32 {
        let Some(offset) = self.offset(record, address) else { return 0 };
        match self.copy.get((offset / 4) as usize) {
            Some(word) => *word,
            None => self.buffer.load(offset),
        }
    }

    /// Sets the word of a record at a byte address, where there is one.
    pub fn set(&self, record: u32, address: u32, value: u32) {
        if let Some(offset) = self.offset(record, address) {
            self.buffer.store(offset, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_lie_slot_by_slot() {
        let slots = Slots::of(&[0x70, 0x74, 0x3BC].into_iter().collect());
        let records = Records::new(slots, 5).unwrap();
        let view = records.view();
        view.set(3, 0x74, 7);
        view.set_all(0x3BC, [1, 2, 3, 4, 9, 6]);
        assert_eq!(view.addresses().collect::<Vec<_>>(), [0x70, 0x74, 0x3BC]);
        assert_eq!((records.buffer().load(4 * (5 + 3)), records.buffer().load(4 * (10 + 4))), (7, 9));
        assert_eq!((view.get(3, 0x74), view.get(4, 0x3BC), view.get(3, 0x70)), (7, 9, 0));
        let mut copy = Vec::new();
        view.copy_into(&mut copy);
        view.set(3, 0x74, 8);
        let copied = view.with_copy(&copy);
        assert_eq!((copied.get(3, 0x74), copied.get(4, 0x3BC), copied.get(9, 0x74), view.get(3, 0x74)), (7, 9, 0, 8));
    }

    #[test]
    fn words_and_records_that_are_not_there() {
        let records = Records::new(Slots::of(&[0x70].into_iter().collect()), 2).unwrap();
        let view = records.view();
        view.set(0, 0x80, 1);
        view.set(2, 0x70, 1);
        assert_eq!((view.get(0, 0x80), view.get(2, 0x70), view.get(0, 0x3C0), view.get(0, 0x1000)), (0, 0, 0, 0));
        assert_eq!((view.get(0, 0x70), view.get(1, 0x70)), (0, 0));
        assert_eq!((Slots::all().count(), Slots::all().slot(0x3FC), Slots::all().slot(0x400)), (256, Some(255), None));
        assert!(Records::new(Slots::all(), u32::MAX).is_err());
    }
}
