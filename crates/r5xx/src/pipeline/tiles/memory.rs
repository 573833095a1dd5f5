//! What draws use again and again: memory for quads, and what kinds of draws there were.

use super::pending::{Block, OverdrawLayers, PendingBlocks, Primitives};
use super::planes::Planes;
use crate::layout::Layout;
use crate::pairs::PixelPairPlaces;
use crate::pipeline::detiled::DetilingMemory;
use ctm_engine::UseCounts;
use ctm_raster::tiles::{self, Tiles};
use std::sync::{Arc, Mutex};

/// Quads of draws of a kind from which on kernels draw them.
const MANY: u64 = 1024;
/// Pixels around primitives from which on another thread is worth it.
const PIXELS_PER_THREAD: u64 = 1 << 16;
/// Pixels around primitives for each texel from which on textures in tiles are copied: half of them may be covered, and a texel is copied with
/// fewer instructions than it takes to find one in tiles instead of rows.
const PIXELS_PER_TEXEL: u64 = 2;
/// Kinds of buffers whose places are kept.
const BUFFERS: usize = 16;

/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct TileMemory {
    pub(super) primitives: Primitives,
    pub(super) tiles: Tiles,
    /// Of each thread; there is one.
    pub(super) threads: Vec<Mutex<ThreadMemory>>,
    pub(super) places: Places,
    pub(super) copies: DetilingMemory,
    /// Quads that were drawn, by the hash of their key.
    pub(super) drawn: UseCounts,
    /// Quads of draws of a kind from which on kernels draw them.
    pub(super) many: u64,
    /// Columns and rows of pixels that a thread takes at a time.
    pub(super) tile: [u32; 2],
    /// Pixels around primitives from which on another thread is worth it.
    pub(super) pixels_per_thread: u64,
    /// Pixels around primitives for each texel from which on textures in tiles are copied.
    pub(super) pixels_per_texel: u64,
}

/// What a thread draws with.
pub struct ThreadMemory {
    pub planes: Planes,
    pub marks: OverdrawMarks,
    pub waiting: PendingBlocks,
    /// Quads that passed the tests.
    pub passed: Vec<Block>,
    pub layers: OverdrawLayers,
}

impl ThreadMemory {
    /// New memory; `None` if the host has none.
    fn new() -> Option<Self> {
        Some(ThreadMemory {
            planes: Planes::new()?,
            marks: OverdrawMarks::default(),
            waiting: PendingBlocks::default(),
            passed: Vec::new(),
            layers: OverdrawLayers::default(),
        })
    }

    /// Begins to draw to a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.marks.begin(columns, rows);
        // A draw that was given up has left its own.
        self.waiting.0.clear();
        self.layers.clear();
    }
}

impl TileMemory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(TileMemory {
            primitives: Primitives::default(),
            tiles: Tiles::default(),
            threads: vec![Mutex::new(ThreadMemory::new()?)],
            places: Places::default(),
            copies: DetilingMemory::default(),
            drawn: UseCounts::default(),
            many: MANY,
            tile: tiles::SIZE,
            pixels_per_thread: PIXELS_PER_THREAD,
            pixels_per_texel: PIXELS_PER_TEXEL,
        })
    }

    /// That of the thread that there always is.
    pub(super) fn own(&mut self) -> Option<&mut ThreadMemory> {
        self.threads.first_mut()?.get_mut().ok()
    }

    /// Makes memory for so many threads, or for fewer if the host has no more.
    pub(super) fn reserve(&mut self, threads: usize) {
        let missing = threads.saturating_sub(self.threads.len());
        self.threads.extend((0..missing).map_while(|_| ThreadMemory::new()).map(Mutex::new));
    }
}

/// Where the pixels of buffers lie, which many draws have in common.
#[derive(Default)]
pub(super) struct Places(Vec<Arc<PixelPairPlaces>>);

impl Places {
    /// Of a layout with so many columns and rows of pixels.
    pub fn of(&mut self, layout: Layout, columns: u32, rows: u32) -> Option<Arc<PixelPairPlaces>> {
        if let Some(known) = self.0.iter().find(|known| known.is_of(layout, columns, rows)) {
            return Some(Arc::clone(known));
        }
        if self.0.len() >= BUFFERS {
            self.0.clear();
        }
        let places = Arc::new(PixelPairPlaces::new(layout, columns, rows)?);
        self.0.push(Arc::clone(&places));
        Some(places)
    }
}

/// The places of quads that wait.
#[derive(Default)]
pub struct OverdrawMarks {
    /// By row and column of quads: the round in which one was there last times [`LAYERS`], and how many were there before it.
    marks: Vec<u8>,
    /// Quads of a row.
    columns: usize,
    /// The round times [`LAYERS`].
    round: u8,
}

/// Quads of the same place at most.
pub(super) const LAYERS: usize = 16;

impl OverdrawMarks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = columns.div_ceil(2) as usize;
        self.marks.resize(self.columns * rows.div_ceil(2) as usize, 0);
        self.next();
    }

    pub fn next(&mut self) {
        self.round = self.round.checked_add(LAYERS as u8).unwrap_or_else(|| {
            self.marks.fill(0);
            LAYERS as u8
        });
    }

    /// Notes the places of quads, and gives how many were there before, at the place where these are most; `None` if those are [`LAYERS`].
    #[inline]
    pub fn insert(&mut self, block: &Block) -> Option<usize> {
        let (x, y) = block.first_quad();
        let first = usize::from(y / 2) * self.columns + usize::from(x / 2);
        let Some(marks) = self.marks.get_mut(first..first + block.len()) else { return Some(0) };
        // Marks of rounds before are less than those of this one.
        let most = marks.iter().fold(0, |most, &mark| most.max(mark));
        let layer = if most >= self.round { usize::from(most - self.round) + 1 } else { 0 };
        if layer == LAYERS {
            return None;
        }
        marks.fill(self.round + layer as u8);
        Some(layer)
    }
}
