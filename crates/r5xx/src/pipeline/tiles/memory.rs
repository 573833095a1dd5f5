//! What draws use again and again: memory for primitives and kernels, and what kinds of draws there were.

use super::planes::Planes;
use crate::layout::Layout;
use crate::pipeline::attributes::PrimitiveValues;
use crate::pipeline::detiled::DetilingMemory;
use ctm_engine::UseCounts;
use ctm_pipeline::{PixelCounts, PlaceCache, Primitives, TileWorker};
use ctm_raster::tiles::Tiles;
use std::sync::Mutex;

/// Quads of draws with a program from which on kernels draw them.
const MANY: u64 = 1024;
/// Pixels around primitives from which on another thread is worth it.
const PIXELS_PER_THREAD: u64 = 1 << 16;
/// Pixels around primitives for each texel from which on textures in tiles are copied: half of them may be covered, and a texel is copied with
/// fewer instructions than it takes to find one in tiles instead of rows.
const PIXELS_PER_TEXEL: u64 = 2;
/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct TileMemory {
    pub(super) primitives: Primitives<PrimitiveValues>,
    pub(super) tiles: Tiles,
    /// Of each thread; there is one.
    pub(super) planes: Vec<Planes>,
    pub(super) workers: Vec<Mutex<Worker>>,
    pub(super) places: PlaceCache<Layout>,
    pub(super) copies: DetilingMemory,
    /// Quads of draws, by the hashes of their programs.
    drawn: UseCounts,
    /// Quads of draws with a program from which on kernels draw them.
    pub(super) many: u64,
    /// Columns and rows of pixels that a thread takes at a time, if not the usual ones.
    pub(super) tile: Option<[u32; 2]>,
    /// Pixels around primitives from which on another thread is worth it.
    pub(super) pixels_per_thread: u64,
    /// Pixels around primitives for each texel from which on textures in tiles are copied.
    pub(super) pixels_per_texel: u64,
}

/// What a thread draws with, and what it did with pixels.
#[derive(Default)]
pub struct Worker {
    pub tiles: TileWorker,
    pub counts: PixelCounts,
}

impl TileMemory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(TileMemory {
            primitives: Primitives::default(),
            tiles: Tiles::default(),
            planes: vec![Planes::new()?],
            workers: vec![Mutex::default()],
            places: PlaceCache::default(),
            copies: DetilingMemory::default(),
            drawn: UseCounts::default(),
            many: MANY,
            tile: None,
            pixels_per_thread: PIXELS_PER_THREAD,
            pixels_per_texel: PIXELS_PER_TEXEL,
        })
    }

    /// Whether kernels draw the quads of a program, with so many more of them.
    pub fn is_worth_it(&mut self, program: u64, quads: u64) -> bool {
        self.drawn.add(program, quads) >= self.many
    }

    /// Makes memory for so many threads, or for fewer if the host has no more; says for how many there is.
    pub(super) fn reserve(&mut self, threads: usize) -> usize {
        let missing = threads.saturating_sub(self.planes.len());
        self.planes.extend((0..missing).map_while(|_| Planes::new()));
        self.workers.resize_with(self.planes.len(), Mutex::default);
        self.planes.len().min(threads)
    }
}
