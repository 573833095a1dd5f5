//! Blocks of dwords that stages share.

use ctm_memory::{AppendError, Arena, BASE_ALIGNMENT, Buffer, Space};
use thiserror::Error;

/// A block of dwords, zero at first. It takes no host memory until it is written.
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
        let mut space = Space::default();
        if length > 0 {
            let size = length.checked_next_multiple_of(BASE_ALIGNMENT).ok_or(error)?;
            let arena = Arena::new(BASE_ALIGNMENT, size).map_err(|_| error)?;
            space.map(arena).map_err(|_| error)?;
        }
        Ok(Words { space, base: BASE_ALIGNMENT, length })
    }

    /// A block that holds these dwords.
    ///
    /// # Errors
    /// As [`Words::new`].
    pub fn of(values: &[u32]) -> Result<Words, NoMemory> {
        let words = Words::new(values.len() as u64)?;
        let buffer = words.buffer();
        for (&value, address) in values.iter().zip((0..).step_by(4)) {
            buffer.store(address, value);
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
        const ZEROS: [u8; 1 << 14] = [0; 1 << 14];
        if let Some(arena) = self.space.arena_of(self.base, self.length) {
            let end = 4 * count.min(self.len());
            for first in (0..end).step_by(ZEROS.len()) {
                arena.write_bytes(self.base + first, &ZEROS[..ZEROS.len().min((end - first) as usize)]);
            }
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
