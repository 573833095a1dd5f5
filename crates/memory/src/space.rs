//! The address space: which arena is after which address.

use crate::words::write_word;
use crate::{Arena, ArenaError, BASE_ALIGNMENT, Journal, StoredWord};
use std::sync::Arc;

/// Address of the first arena that is [appended](Space::append).
const FIRST_BASE: u32 = 0x10_0000;

/// A 32-bit GPU address space with some arenas mapped. Clones share the arenas.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// In ascending order of base.
    arenas: Vec<Arc<Arena>>,
    journal: Option<Arc<Journal>>,
}

/// An arena cannot be mapped because another one is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an arena of {size:#x} bytes at {base:#010x} overlaps the one of {other_size:#x} bytes at {other_base:#010x}")]
pub struct OverlapError {
    /// First GPU address of the new arena.
    pub base: u32,
    /// Bytes of the new arena.
    pub size: u32,
    /// First GPU address of the arena in its way.
    pub other_base: u32,
    /// Bytes of the arena in its way.
    pub other_size: u32,
}

/// Nothing more can be [appended](Space::append) to an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// No addresses are left.
    #[error("{bytes} bytes more are beyond the 4 GiB that the machine addresses: use smaller arrays")]
    Addresses {
        /// Bytes that were wanted.
        bytes: u64,
    },
    /// The host has no memory left.
    #[error("the host has no memory for {bytes} bytes more: use smaller arrays")]
    Memory {
        /// Bytes that were wanted.
        bytes: u64,
    },
}

/// Not all bytes of a block are inside one arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes at GPU address {address:#010x} are not inside one mapped arena")]
pub struct RangeError {
    /// First GPU address of the block.
    pub address: u32,
    /// Bytes of the block.
    pub length: usize,
}

impl Space {
    /// Maps an arena at its base address.
    pub fn map(&mut self, arena: impl Into<Arc<Arena>>) -> Result<(), OverlapError> {
        let arena = arena.into();
        // No arena is longer than the address space is from its base on, so one contains the other's base.
        let overlaps = |other: &&Arc<Arena>| other.contains(arena.base(), 1) || arena.contains(other.base(), 1);
        if let Some(other) = self.arenas.iter().find(overlaps) {
            let (base, size) = (arena.base(), arena.size());
            return Err(OverlapError { base, size, other_base: other.base(), other_size: other.size() });
        }
        let place = self.arenas.partition_point(|other| other.base() < arena.base());
        self.arenas.insert(place, arena);
        Ok(())
    }

    /// Maps an arena of at least `bytes` bytes after all others, and gives its address.
    ///
    /// # Errors
    /// No addresses are left after the others, or the host has no memory.
    pub fn append(&mut self, bytes: u64) -> Result<u32, AppendError> {
        let size = bytes.max(1).checked_next_multiple_of(BASE_ALIGNMENT.into());
        let size = size.and_then(|size| u32::try_from(size).ok()).ok_or(AppendError::Addresses { bytes })?;
        self.append_arena(bytes, |base| Arena::new(base, size))
    }

    /// Maps the memory of an arena after all others as well, and gives its address there.
    ///
    /// # Errors
    /// No addresses are left after the others.
    pub fn append_shared(&mut self, arena: &Arena) -> Result<u32, AppendError> {
        self.append_arena(arena.size().into(), |base| arena.at(base))
    }

    fn append_arena(
        &mut self,
        bytes: u64,
        make: impl FnOnce(u32) -> Result<Arena, ArenaError>,
    ) -> Result<u32, AppendError> {
        let end =
            self.arenas.last().map_or(u64::from(FIRST_BASE), |last| u64::from(last.base()) + u64::from(last.size()));
        let base = u32::try_from(end).map_err(|_| AppendError::Addresses { bytes })?;
        let arena = make(base).map_err(|error| match error {
            ArenaError::NoMemory { .. } => AppendError::Memory { bytes },
            ArenaError::Misaligned { .. } | ArenaError::OutsideAddressSpace { .. } => AppendError::Addresses { bytes },
        })?;
        self.arenas.push(Arc::new(arena));
        Ok(base)
    }

    /// The same addresses with the same contents, in memory of its own. Stores are not recorded there.
    ///
    /// # Errors
    /// The host has no memory.
    pub fn copy(&self) -> Result<Self, AppendError> {
        let mut copy = Space::default();
        let mut words = Vec::new();
        for arena in &self.arenas {
            let full = || AppendError::Memory { bytes: arena.size().into() };
            let own = Arena::new(arena.base(), arena.size()).map_err(|_| full())?;
            words.resize(arena.size() as usize / 4, 0);
            arena.read_words(arena.base(), &mut words);
            own.write_words(arena.base(), &words);
            copy.arenas.push(Arc::new(own));
        }
        Ok(copy)
    }

    /// Stores the low 1, 2 or 4 bytes of a value at the multiple of as many at or below an address; false if that is outside. It is recorded, if
    /// something [records](Self::record).
    pub fn store(&self, address: u32, value: u32, bytes: u32) -> bool {
        let Some([word]) = self.arena_of(address, 1).and_then(|arena| arena.words_at(address, 1)) else { return false };
        let shift = (address & 3 & !(bytes - 1)) * 8;
        let (value, bits) = (value << shift, u32::MAX >> (32 - 8 * bytes) << shift);
        match &self.journal {
            Some(journal) => journal.store(address & !3, word, value, bits),
            None => write_word(word, value, bits),
        }
        true
    }

    /// Records from now on what views and buffers store that are made of this space and of later clones of it.
    pub fn record(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// What records the stores, if something does.
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.as_deref()
    }

    /// Takes back what was stored since the journal had this length.
    pub fn undo(&self, length: usize) {
        for word in self.journal.as_ref().map_or(Vec::new(), |journal| journal.take_since(length)).into_iter().rev() {
            self.put(word.address, word.before);
        }
    }

    /// Stores again what was taken back.
    pub fn redo(&self, again: &[StoredWord]) {
        again.iter().for_each(|word| self.put(word.address, word.after));
        self.journal.iter().for_each(|journal| journal.add(again));
    }

    fn put(&self, address: u32, word: u32) {
        if let Some(arena) = self.arena_of(address, 4) {
            arena.write_u32(address, word);
        }
    }

    /// The mapped arenas, in ascending order of base.
    pub fn arenas(&self) -> &[Arc<Arena>] {
        &self.arenas
    }

    /// The words of the arena at this base, as [`Arena::words_mut`] gives them; `None` if another space has it too.
    pub fn words_mut(&mut self, base: u32) -> Option<&mut [u32]> {
        let arena = self.arenas.iter_mut().find(|arena| arena.base() == base)?;
        Arc::get_mut(arena)?.words_mut()
    }

    /// The arena that holds all of `length` bytes at `address`.
    pub fn arena_of(&self, address: u32, length: u32) -> Option<&Arena> {
        let after = self.arenas.partition_point(|arena| arena.base() <= address);
        let arena = self.arenas[..after].last()?;
        arena.contains(address, length).then_some(arena)
    }

    /// Checks that all of `length` bytes at `address` are inside one arena.
    ///
    /// # Errors
    /// If they are not.
    pub fn check_range(&self, address: u32, length: usize) -> Result<(), RangeError> {
        let arena = u32::try_from(length).ok().and_then(|length| self.arena_of(address, length));
        arena.map(|_| ()).ok_or(RangeError { address, length })
    }

    /// Copies the bytes from `address` on into `bytes`.
    pub fn read_bytes(&self, address: u32, bytes: &mut [u8]) -> Result<(), RangeError> {
        let length = bytes.len();
        let arena = self.arena_of(address, 1).ok_or(RangeError { address, length })?;
        arena.read_bytes(address, bytes).then_some(()).ok_or(RangeError { address, length })
    }

    /// Copies `bytes` to `address` and on.
    pub fn write_bytes(&self, address: u32, bytes: &[u8]) -> Result<(), RangeError> {
        let length = bytes.len();
        let arena = self.arena_of(address, 1).ok_or(RangeError { address, length })?;
        arena.write_bytes(address, bytes).then_some(()).ok_or(RangeError { address, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let mut space = Space::default();
        for base in [0x8000_0000, 0x1000_0000, 0x1000_1000] {
            space.map(Arena::new(base, 0x1000).unwrap()).unwrap();
        }
        space
    }

    #[test]
    fn arenas_never_overlap() {
        let mut space = space();
        for (base, size) in [(0x1000_0800, 0x800), (0x0FFF_F800, 0x1000), (0x7000_0000, 0x2000_0000)] {
            assert!(space.map(Arena::new(base, size).unwrap()).is_err(), "{base:#x}");
        }
        assert!(space.map(Arena::new(0x1000_2000, 0x800).unwrap()).is_ok());
        assert!(space.arenas().is_sorted_by_key(|arena| arena.base()) && space.arenas().len() == 4);
    }

    #[test]
    fn appended_arenas_lie_behind_the_others() {
        let mut empty = Space::default();
        assert_eq!(empty.append(1), Ok(FIRST_BASE));
        assert_eq!(empty.append(2049), Ok(FIRST_BASE + 2048));
        assert_eq!(empty.append(0), Ok(FIRST_BASE + 6144));
        assert_eq!(space().append(4096), Ok(0x8000_1000));
        let mut full = Space::default();
        full.map(Arena::new(0xFFFF_F000, 0x1000).unwrap()).unwrap();
        for bytes in [1, 1 << 32, u64::MAX] {
            assert_eq!(full.append(bytes), Err(AppendError::Addresses { bytes }));
            assert_eq!(full.arenas().len(), 1);
        }
        assert_eq!(space().append(1 << 31), Err(AppendError::Addresses { bytes: 1 << 31 }));
    }

    #[test]
    fn spaces_share_memory() {
        let (mut first, mut second) = (space(), Space::default());
        let address = second.append_shared(&first.arenas()[2]).unwrap();
        assert_eq!(address, FIRST_BASE);
        first.write_bytes(0x8000_0004, &[1, 2]).unwrap();
        let mut bytes = [0; 2];
        second.read_bytes(FIRST_BASE + 4, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2]);
        assert_eq!((first.words_mut(0x8000_0000), second.words_mut(FIRST_BASE)), (None, None));
        let own = first.words_mut(0x1000_1000).unwrap();
        (own[1], own[1023]) = (7u32.to_le(), 8u32.to_le());
        assert_eq!((own.len(), first.words_mut(0x1000_0800)), (1024, None));
        let found = [0x1000_1004, 0x1000_1FFC, 0x1000_0004].map(|at| first.arena_of(at, 4).unwrap().read_u32(at));
        assert_eq!(found, [Some(7), Some(8), Some(0)]);
        let also = first.clone();
        assert_eq!(first.words_mut(0x1000_1000), None, "another space has it");
        drop(also);
    }

    #[test]
    fn addresses_find_their_arena() {
        let space = space();
        let base_of = |address, length| space.arena_of(address, length).map(Arena::base);
        assert_eq!(base_of(0x1000_0FFF, 1), Some(0x1000_0000));
        assert_eq!(base_of(0x1000_1000, 0x1000), Some(0x1000_1000));
        assert_eq!(base_of(0x8000_0000, 16), Some(0x8000_0000));
        for (address, length) in [(0, 1), (0x0FFF_FFFF, 1), (0x1000_0FFF, 2), (0x1000_2000, 1), (u32::MAX, 8)] {
            assert_eq!(base_of(address, length), None, "{address:#x}");
        }
    }

    #[test]
    fn blocks_stay_inside_one_arena() {
        let space = space();
        space.clone().write_bytes(0x1000_0FFE, &[1, 2]).unwrap();
        let mut bytes = [0; 2];
        space.read_bytes(0x1000_0FFE, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2], "clones share memory");
        let across = RangeError { address: 0x1000_0FFF, length: 2 };
        assert_eq!(space.write_bytes(0x1000_0FFF, &[3, 4]), Err(across));
        assert_eq!(space.read_bytes(0x1000_0FFF, &mut bytes), Err(across));
        assert_eq!(space.check_range(0x1000_0FFF, 2), Err(across));
        assert_eq!((space.check_range(0x1000_0FFE, 2), space.check_range(0x1000_1000, 0x1000)), (Ok(()), Ok(())));
        assert_eq!(space.read_bytes(0, &mut []), Err(RangeError { address: 0, length: 0 }));
    }
}
