//! Determines which memory a run can reach.

use crate::fault::MemoryClient;
use ctm_memory::{Space, Surface};
use ctm_x1k::{Job, MAX_COORDINATE, WriteMode};
use std::ops::Range;

/// Bytes of a tile, and of a page of what the device keeps about memory.
pub(crate) const PAGE: u32 = ctm_memory::BASE_ALIGNMENT;

/// Consecutive bytes of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// First address.
    pub base: u32,
    /// Bytes; the end may lie beyond the address space.
    pub bytes: u64,
}

impl Region {
    /// The bytes of the elements left of `width` and above `height`.
    pub fn of_surface(surface: &Surface, width: u32, height: u32) -> Region {
        Region::of(surface, surface.range(width, height))
    }

    /// What a lookup in an input can reach.
    pub fn of_input(surface: &Surface) -> Region {
        Region::of(surface, surface.range_of_input())
    }

    fn of(surface: &Surface, bytes: Range<u64>) -> Region {
        Region { base: surface.base, bytes: bytes.end - bytes.start }
    }

    /// One past the last address, within the address space.
    fn end(&self) -> u64 {
        (u64::from(self.base) + self.bytes).min(1 << 32)
    }

    /// Whether the two have a byte in common.
    pub fn overlaps(&self, other: &Region) -> bool {
        u64::from(self.base) < other.end() && u64::from(other.base) < self.end() && self.bytes > 0 && other.bytes > 0
    }

    /// The parts of the region that arenas are mapped at.
    pub fn mapped<'a>(&'a self, space: &'a Space) -> impl Iterator<Item = Region> + 'a {
        space.arenas().iter().filter_map(|arena| {
            let start = arena.base().max(self.base);
            let end = (u64::from(arena.base()) + u64::from(arena.size())).min(self.end());
            let bytes = end.checked_sub(start.into()).filter(|&bytes| bytes > 0)?;
            Some(Region { base: start, bytes })
        })
    }

    /// Whether all of the region is mapped.
    pub fn is_mapped(&self, space: &Space) -> bool {
        self.mapped(space).map(|part| part.bytes).sum::<u64>() == self.bytes
    }

    /// The pages that the region touches, each with the part of the region in it.
    pub fn pages(&self) -> impl Iterator<Item = Region> + use<> {
        let (start, end) = (u64::from(self.base), self.end());
        let first_page = start / u64::from(PAGE) * u64::from(PAGE);
        (first_page..end).step_by(PAGE as usize).map(move |page| {
            let from = page.max(start);
            let to = (page + u64::from(PAGE)).min(end);
            Region { base: from as u32, bytes: to - from }
        })
    }
}

/// One client's buffer in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub client: MemoryClient,
    pub surface: Surface,
    /// What the run can reach of it.
    pub region: Region,
    pub read: bool,
    pub written: bool,
}

/// The buffers that a job can reach: the inputs and outputs of its notes, and the conditional output buffer.
pub(crate) fn uses(job: &Job) -> Vec<Use> {
    let mut uses = Vec::new();
    let notes = &job.program.references;
    for &input in &notes.inputs {
        if let Some(surface) = job.inputs[usize::from(input)] {
            let region = Region::of_input(&surface);
            uses.push(Use { client: MemoryClient::Input(input), surface, region, read: true, written: false });
        }
    }
    let rows = |surface: &Surface| if surface.height == 0 { MAX_COORDINATE + 1 } else { surface.height };
    let covered = |surface: &Surface| {
        let (width, height) = (job.domain.i1 + 1, job.domain.j1 + 1);
        Region::of_surface(surface, surface.pitch.min(width), rows(surface).min(height))
    };
    if let Some(surface) = job.conditional.surface.filter(|_| job.conditional.needs_buffer()) {
        let (read, written) = (job.conditional.test.reads_buffer(), job.conditional.write);
        uses.push(Use { client: MemoryClient::CondOut, surface, region: covered(&surface), read, written });
    }
    for &output in &notes.outputs {
        if let Some(surface) = job.outputs[usize::from(output)] {
            let region = match job.program.info.write_mode {
                WriteMode::Cached => covered(&surface),
                WriteMode::Umrt => Region::of_surface(&surface, surface.pitch, rows(&surface)),
            };
            uses.push(Use { client: MemoryClient::Output(output), surface, region, read: false, written: true });
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_memory::Arena;

    #[test]
    fn parts_and_pages() {
        let mut space = Space::default();
        space.map(Arena::new(0x1000, 0x1000).unwrap()).unwrap();
        space.map(Arena::new(0x3000, 0x800).unwrap()).unwrap();
        let region = Region { base: 0x1C00, bytes: 0x3000 };
        let parts: Vec<_> = region.mapped(&space).collect();
        assert_eq!(parts, [Region { base: 0x1C00, bytes: 0x400 }, Region { base: 0x3000, bytes: 0x800 }]);
        assert!(!region.is_mapped(&space) && Region { base: 0x1FFF, bytes: 1 }.is_mapped(&space));
        let pages: Vec<_> = Region { base: 0x17F0, bytes: 0x820 }.pages().map(|page| (page.base, page.bytes)).collect();
        assert_eq!(pages, [(0x17F0, 0x10), (0x1800, 0x800), (0x2000, 0x10)]);
        let last = Region { base: 0xFFFF_FF00, bytes: 0x1000 };
        assert_eq!(last.pages().map(|page| page.bytes).sum::<u64>(), 0x100);
        assert!(last.overlaps(&last) && !last.overlaps(&Region { base: 0, bytes: 0x100 }));
    }
}
