//! Blocks of dwords that stages share.
//!
//! A launch has several blocks, most of them small, and the host takes longer to map memory than many a launch takes to run. So threads keep
//! the blocks that they let go of for the next ones.

use ctm_memory::{AppendError, Arena, BASE_ALIGNMENT, Buffer, Space};
use std::cell::RefCell;
use std::sync::Arc;
use thiserror::Error;

/// Bytes of the largest block that is kept.
const LARGEST_KEPT: u32 = 1 << 20;
/// Blocks of a size that are kept.
const MOST_KEPT: usize = 12;
/// Sizes of blocks that are kept: powers of two.
const SIZES: usize = (LARGEST_KEPT.ilog2() - BASE_ALIGNMENT.ilog2() + 1) as usize;

thread_local! {
    /// What nobody uses, by size.
    static KEPT: RefCell<[Vec<Space>; SIZES]> = RefCell::default();
}

/// The place of blocks of a size among those that are kept.
fn kept_place(size: u32) -> Option<usize> {
    let is_kept = size.is_power_of_two() && (BASE_ALIGNMENT..=LARGEST_KEPT).contains(&size);
    is_kept.then(|| (size.ilog2() - BASE_ALIGNMENT.ilog2()) as usize)
}

/// A block of dwords, zero at first. A large one takes no host memory until it is written.
#[derive(Clone, Debug)]
pub struct Words {
    space: Space,
    /// Where it is in the space.
    base: u32,
    length: u32,
}

/// A block of dwords cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no memory for a block of {words} attribute words")]
pub struct NoMemory {
    /// How many were asked for.
    pub words: u64,
}

impl Words {
    /// A block of `count` dwords.
    ///
    /// # Errors
    /// If the host has no memory for it, or the block has 4 GiB or more.
    pub fn new(count: u64) -> Result<Words, NoMemory> {
        let error = NoMemory { words: count };
        let length = count.checked_mul(4).and_then(|bytes| u32::try_from(bytes).ok()).ok_or(error)?;
        let size = length.checked_next_multiple_of(BASE_ALIGNMENT).ok_or(error)?;
        let size = if size <= LARGEST_KEPT { size.next_power_of_two() } else { size };
        if length == 0 {
            return Ok(Words { space: Space::default(), base: BASE_ALIGNMENT, length });
        }
        let kept = kept_place(size).and_then(|place| KEPT.try_with(|kept| kept.borrow_mut()[place].pop()).ok()?);
        if let Some(space) = kept {
            let words = Words { space, base: BASE_ALIGNMENT, length };
            words.clear(words.len());
            return Ok(words);
        }
        let mut space = Space::default();
        let arena = Arena::new(BASE_ALIGNMENT, size).map_err(|_| error)?;
        space.map(arena).map_err(|_| error)?;
        Ok(Words { space, base: BASE_ALIGNMENT, length })
    }

    /// A block that holds these dwords.
    ///
    /// # Errors
    /// As [`Words::new`].
    pub fn of(values: &[u32]) -> Result<Words, NoMemory> {
        let words = Words::new(values.len() as u64)?;
        if let Some(arena) = words.space.arena_of(words.base, words.length) {
            arena.write_words(words.base, values);
        }
        Ok(words)
    }

    /// The dwords.
    pub fn to_vec(&self) -> Vec<u32> {
        let mut words = vec![0; self.len() as usize];
        if let Some(arena) = self.space.arena_of(self.base, self.length) {
            arena.read_words(self.base, &mut words);
        }
        words
    }

    /// Reads dwords from one on.
    pub(crate) fn read(&self, first: u32, words: &mut [u32]) {
        if let Some(arena) = self.space.arena_of(self.base, self.length) {
            arena.read_words(self.base + 4 * first, words);
        }
    }

    /// Makes zeros of the first dwords.
    pub(crate) fn clear(&self, count: u32) {
        if let Some(arena) = self.space.arena_of(self.base, self.length) {
            arena.fill_words(self.base, count.min(self.len()) as usize, 0, u32::MAX);
        }
    }

    /// Writes dwords from this one on; nothing happens if they are not all there. Whoever follows what programs write does not learn of it.
    pub(crate) fn write(&self, first: u32, words: &[u32]) {
        let end = u64::from(first) + words.len() as u64;
        if let Some(arena) = self.space.arena_of(self.base, self.length).filter(|_| end <= self.len().into()) {
            arena.write_words(self.base + 4 * first, words);
        }
    }

    /// Maps the block into another space as well, and gives its address there.
    pub(crate) fn map_into(&self, space: &mut Space) -> Result<u32, AppendError> {
        self.space.arena_of(self.base, self.length).map_or(Ok(0), |arena| space.append_shared(arena))
    }

    /// The block as a space has it at an address, where it was [mapped](Self::map_into).
    pub(crate) fn within(&self, space: &Space, base: u32) -> Words {
        Words { space: space.clone(), base, length: self.length }
    }

    /// Number of dwords.
    pub fn len(&self) -> u32 {
        self.length / 4
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The block by byte address. What is outside reads as 0.
    pub fn buffer(&self) -> Buffer<'_> {
        Buffer::new(&self.space, self.base, self.length).expect("the arena was made for these bytes")
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let [arena] = self.space.arenas() else { return };
        let is_alone = Arc::strong_count(arena) == 1 && !arena.is_shared() && self.space.journal().is_none();
        let place = kept_place(arena.size()).filter(|_| is_alone && arena.base() == BASE_ALIGNMENT);
        let Some(place) = place else { return };
        let space = std::mem::take(&mut self.space);
        // At the end of a thread nothing is kept.
        _ = KEPT.try_with(|kept| {
            let kept = &mut kept.borrow_mut()[place];
            if kept.len() < MOST_KEPT {
                kept.push(space);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zero_whatever_they_were_before() {
        for count in [3, 600, 5000, 1 << 19] {
            let first = Words::of(&vec![7; count]).unwrap();
            let also = first.clone();
            drop(first);
            assert_eq!(
                (also.to_vec().len(), also.buffer().load(4 * (count as u32 - 1))),
                (count, 7),
                "it is still used"
            );
            let other = Words::new(count as u64).unwrap();
            other.buffer().store(0, 8);
            assert_eq!(also.buffer().load(0), 7);
            drop((also, other));
            for _ in 0..3 {
                assert!(Words::new(count as u64).unwrap().to_vec().iter().all(|&word| word == 0), "{count}");
            }
        }
        assert!(Words::new(0).unwrap().is_empty());
    }
}
