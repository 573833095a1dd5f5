//! Memory of one draw: copies of what programs read, and regions for what they export. Programs write to none of the card's memory.

use super::DrawError;
use ctm_memory::{Arena, BASE_ALIGNMENT, Space};
use ctm_r700::Region;
use std::sync::Arc;

/// Bytes at most.
const LIMIT: u64 = 1 << 30;
/// The first address.
const FIRST: u32 = 0x1000;
/// The first address of memory that is shared with other draws, and the end of addresses.
const SHARED: u64 = 2 * LIMIT;
const END: u64 = 1 << 32;

/// Memory that is being laid out.
#[derive(Default)]
pub struct Plan {
    pieces: Vec<(Region, Vec<u8>)>,
    bytes: u64,
    shared: Vec<Arena>,
    shared_bytes: u64,
}

impl Plan {
    /// A region of so many bytes.
    pub fn reserve(&mut self, bytes: u64) -> Result<Region, DrawError> {
        let region = Region { base: FIRST + self.bytes as u32, length: bytes.min(LIMIT) as u32 };
        self.bytes += bytes.next_multiple_of(BASE_ALIGNMENT.into());
        if self.bytes > LIMIT { Err(DrawError::Memory) } else { Ok(region) }
    }

    /// A region with these bytes.
    pub fn with(&mut self, bytes: Vec<u8>) -> Result<Region, DrawError> {
        let region = self.reserve(bytes.len() as u64)?;
        self.pieces.push((region, bytes));
        Ok(region)
    }

    /// A region that is this memory, which is not written to.
    pub fn share(&mut self, memory: &Arena) -> Result<Region, DrawError> {
        let known = self.shared.iter().find(|shared| shared.as_ptr() == memory.as_ptr());
        if let Some(shared) = known {
            return Ok(Region { base: shared.base(), length: shared.size() });
        }
        let (base, length) = (SHARED + self.shared_bytes, memory.size());
        if base + u64::from(length) > END {
            return Err(DrawError::Memory);
        }
        self.shared.push(memory.at(base as u32).map_err(|_| DrawError::Memory)?);
        self.shared_bytes += u64::from(length);
        Ok(Region { base: base as u32, length })
    }

    /// The memory.
    pub fn make(self) -> Result<Workspace, DrawError> {
        let size = self.bytes.max(BASE_ALIGNMENT.into()) as u32;
        let arena = Arc::new(Arena::new(FIRST, size).map_err(|_| DrawError::Memory)?);
        for (region, bytes) in &self.pieces {
            arena.write_bytes(region.base, bytes);
        }
        let mut space = Space::default();
        // Their addresses are their own.
        for part in self.shared.into_iter().map(Arc::new).chain([Arc::clone(&arena)]) {
            _ = space.map(part);
        }
        Ok(Workspace { arena, space })
    }
}

/// The memory of a draw.
pub struct Workspace {
    arena: Arc<Arena>,
    /// The same for programs.
    pub space: Space,
}

impl Workspace {
    /// The vector with this number from a place on.
    pub fn vector(&self, region: Region, number: usize) -> [u32; 4] {
        let mut words = [0; 4];
        self.arena.read_words(region.base.wrapping_add(16 * number as u32), &mut words);
        words
    }

    /// A dword of a region.
    pub fn word(&self, region: Region, number: usize) -> u32 {
        self.arena.read_u32(region.base.wrapping_add(4 * number as u32)).unwrap_or_default()
    }

    /// The dwords of a region.
    pub fn words(&self, region: Region) -> Vec<u32> {
        let mut words = vec![0; region.length as usize / 4];
        self.arena.read_words(region.base, &mut words);
        words
    }

    /// Sets the dwords of a region.
    pub fn fill(&self, region: Region, word: u32) {
        self.arena.fill_words(region.base, region.length as usize / 4, word, u32::MAX);
    }

    /// Sets vectors, from the first of a region on.
    pub fn set(&self, region: Region, vectors: &[[u32; 4]]) {
        self.arena.write_words(region.base, vectors.as_flattened());
    }
}
