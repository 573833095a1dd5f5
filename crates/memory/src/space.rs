//! The address space: which arena is behind which address.

use crate::Arena;
use std::sync::Arc;

/// A 32-bit GPU address space with some arenas mapped. Clones share the arenas.
#[derive(Clone, Debug, Default)]
pub struct Space {
    /// In ascending order of base.
    arenas: Vec<Arc<Arena>>,
}

/// An arena cannot be mapped because another one is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an arena of {size:#x} bytes at {base:#010x} overlaps the one of {other_size:#x} bytes at {other_base:#010x}")]
pub struct Overlap {
    /// First GPU address of the new arena.
    pub base: u32,
    /// Bytes of the new arena.
    pub size: u32,
    /// First GPU address of the arena in its way.
    pub other_base: u32,
    /// Bytes of the arena in its way.
    pub other_size: u32,
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
    pub fn map(&mut self, arena: impl Into<Arc<Arena>>) -> Result<(), Overlap> {
        let arena = arena.into();
        // No arena is longer than the address space is from its base on, so one contains the other's base.
        let overlaps = |other: &&Arc<Arena>| other.contains(arena.base(), 1) || arena.contains(other.base(), 1);
        if let Some(other) = self.arenas.iter().find(overlaps) {
            let (base, size) = (arena.base(), arena.size());
            return Err(Overlap { base, size, other_base: other.base(), other_size: other.size() });
        }
        let place = self.arenas.partition_point(|other| other.base() < arena.base());
        self.arenas.insert(place, arena);
        Ok(())
    }

    /// The mapped arenas, in ascending order of base.
    pub fn arenas(&self) -> &[Arc<Arena>] {
        &self.arenas
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
        assert_eq!(space.read_bytes(0, &mut []), Err(RangeError { address: 0, length: 0 }));
    }
}
