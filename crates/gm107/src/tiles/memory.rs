//! Memory of draws in tiles that outlives them.

use super::layout::TargetLayout;
use super::values::LineValues;
use ctm_memory::{Arena, Space};
use ctm_pipeline::{BYTES, PlaceCache, Primitives, TileWorker};
use ctm_raster::tiles::Tiles;
use std::fmt;
use std::sync::Arc;

/// Where lines begin.
const FIRST: u32 = 0x1_0000;

/// Lines of a memory at least.
const LEAST_LINES: u32 = 64;

/// Memory of lines.
pub struct LineMemory {
    arena: Arc<Arena>,
    space: Space,
}

impl LineMemory {
    /// For so many lines; `None` if the host has no memory.
    fn new(lines: u32) -> Option<Self> {
        let arena = Arc::new(Arena::new(FIRST, lines.checked_mul(BYTES as u32)?).ok()?);
        let mut space = Space::default();
        space.map(Arc::clone(&arena)).ok()?;
        Some(LineMemory { arena, space })
    }

    /// Lines that it has.
    fn lines(&self) -> u32 {
        self.arena.size() / BYTES as u32
    }

    /// What lines lie in.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The same as programs see it.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The address of a line.
    pub const fn address(number: u32) -> u32 {
        FIRST + number * BYTES as u32
    }
}

/// What draws take, and give back.
#[derive(Default)]
pub struct TileMemory {
    /// Primitives that wait; none between draws.
    pub primitives: Primitives<LineValues>,
    /// The tiles that they touch.
    pub tiles: Tiles,
    /// What threads work with.
    pub workers: Vec<TileWorker>,
    /// Where quads of targets lie.
    pub places: PlaceCache<TargetLayout>,
    lines: Option<LineMemory>,
}

impl TileMemory {
    /// Memory for so many lines, which may hold anything; `None` if the host has none.
    pub fn take_lines(&mut self, lines: u32) -> Option<LineMemory> {
        match self.lines.take() {
            Some(memory) if memory.lines() >= lines => Some(memory),
            Some(_) | None => LineMemory::new(lines.max(LEAST_LINES).next_power_of_two()),
        }
    }

    /// Gives it back.
    pub fn give_lines_back(&mut self, memory: LineMemory) {
        self.lines = Some(memory);
    }
}

impl fmt::Debug for TileMemory {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("TileMemory").field("workers", &self.workers.len()).finish_non_exhaustive()
    }
}
