//! Copies of buffers in which a run sees what its caches serve, and writes what they hold back.

use crate::region::{PAGE, Region};
use ctm_memory::{Arena, Space};

/// An address space with memory as it is and, at other addresses, copies of regions.
#[derive(Debug)]
pub(super) struct Shadow {
    pub space: Space,
    /// Address ranges in use, as first address and end.
    taken: Vec<(u64, u64)>,
}

/// Where the copy of a region is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub original: Region,
    pub base: u32,
}

impl Copied {
    /// The copy of a part of the original region.
    pub fn part(&self, part: &Region) -> Region {
        Region { base: self.base + (part.base - self.original.base), bytes: part.bytes }
    }
}

impl Shadow {
    pub fn new(memory: &Space) -> Self {
        let ends = |arena: &Arena| (u64::from(arena.base()), u64::from(arena.base()) + u64::from(arena.size()));
        Shadow { taken: memory.arenas().iter().map(|arena| ends(arena)).collect(), space: memory.clone() }
    }

    /// Allocates memory for a copy of a region: mapped where the region is mapped in `memory`. None if there is none left.
    pub fn place(&mut self, memory: &Space, region: &Region) -> Option<Copied> {
        let page = u64::from(PAGE);
        let size = region.bytes.div_ceil(page).max(1) * page;
        let mut base = page;
        self.taken.sort_unstable();
        for &(start, end) in &self.taken {
            if base + size <= start {
                break;
            }
            base = base.max(end);
        }
        if base + size > 1 << 32 {
            return None;
        }
        self.taken.push((base, base + size));
        let copied = Copied { original: *region, base: base as u32 };
        for mapped in region.mapped(memory) {
            let bytes = mapped.bytes.div_ceil(page) * page;
            let arena = Arena::new(copied.part(&mapped).base, bytes as u32).ok()?;
            self.space.map(arena).ok()?;
        }
        Some(copied)
    }
}
