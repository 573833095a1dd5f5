//! What draws use again and again: memory for quads, and what kinds of draws there were.

use super::planes::Planes;
use super::waiting::Waiting;
use crate::layout::Layout;
use crate::pairs::PairPlaces;
use std::collections::HashMap;
use std::sync::Arc;

/// Quads of draws of a kind from which on kernels draw them.
const MANY: u64 = 1024;
/// Kinds of buffers whose places are kept.
const BUFFERS: usize = 16;
/// Kinds of draws that are counted.
const KINDS: usize = 4096;

/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct Memory {
    pub(super) planes: Planes,
    pub(super) marks: Marks,
    pub(super) waiting: Waiting,
    pub(super) places: Places,
    /// Quads that were drawn, by the hash of their key.
    drawn: HashMap<u64, u64>,
    /// Quads of draws of a kind from which on kernels draw them.
    pub(super) many: u64,
}

impl Memory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        let planes = Planes::new()?;
        Some(Memory {
            planes,
            marks: Marks::default(),
            waiting: Waiting::default(),
            places: Places::default(),
            drawn: HashMap::new(),
            many: MANY,
        })
    }

    /// Adds quads to those of this kind, and gives all of them.
    pub(super) fn count(&mut self, kind: u64, quads: u64) -> u64 {
        if self.drawn.len() >= KINDS {
            self.drawn.clear();
        }
        let drawn = self.drawn.entry(kind).or_default();
        *drawn = drawn.saturating_add(quads);
        *drawn
    }
}

/// Where the pixels of buffers lie, which many draws have in common.
#[derive(Default)]
pub(super) struct Places(Vec<Arc<PairPlaces>>);

impl Places {
    /// Of a layout with so many columns and rows of pixels.
    pub fn of(&mut self, layout: Layout, columns: u32, rows: u32) -> Option<Arc<PairPlaces>> {
        if let Some(known) = self.0.iter().find(|known| known.is_of(layout, columns, rows)) {
            return Some(Arc::clone(known));
        }
        if self.0.len() >= BUFFERS {
            self.0.clear();
        }
        let places = Arc::new(PairPlaces::new(layout, columns, rows)?);
        self.0.push(Arc::clone(&places));
        Some(places)
    }
}

/// The places of quads that wait.
#[derive(Default)]
pub(super) struct Marks {
    /// By tile, and in a tile by row and column of quads: the round in which one was there last times [`LEVELS`], and how many were there
    /// before it. Small primitives have few tiles, so few lines of a cache.
    tiles: Vec<Tile>,
    /// Tiles of a row.
    columns: usize,
    /// The round times [`LEVELS`].
    round: u8,
}

/// Quads of the same place at most.
pub(super) const LEVELS: usize = 16;
/// Columns and rows of a tile.
const SIDE: usize = 8;
/// Columns and rows of pixels of a tile.
const PIXELS: usize = 2 * SIDE;

type Tile = [[u8; SIDE]; SIDE];

impl Marks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = (columns as usize).div_ceil(PIXELS);
        self.tiles.resize(self.columns * (rows as usize).div_ceil(PIXELS), Tile::default());
        self.next();
    }

    pub fn next(&mut self) {
        self.round = self.round.checked_add(LEVELS as u8).unwrap_or_else(|| {
            self.tiles.fill(Tile::default());
            LEVELS as u8
        });
    }

    /// The marks of the quads with upper pixels in this row.
    pub fn row(&mut self, y: u32) -> MarkedRow<'_> {
        let start = y as usize / PIXELS * self.columns;
        let tiles = self.tiles.get_mut(start..start + self.columns).unwrap_or_default();
        MarkedRow { tiles, row: y as usize / 2 % SIDE, round: self.round }
    }
}

/// Marks of a row of quads.
pub(super) struct MarkedRow<'a> {
    tiles: &'a mut [Tile],
    row: usize,
    round: u8,
}

impl MarkedRow<'_> {
    /// Notes the place of the quad with left pixels in this column, and gives how many were there before; `None` if those are [`LEVELS`].
    #[inline(always)]
    pub fn insert(&mut self, x: u16) -> Option<usize> {
        let Some(tile) = self.tiles.get_mut(usize::from(x) / PIXELS) else { return Some(0) };
        let mark = &mut tile[self.row][usize::from(x) / 2 % SIDE];
        // Marks of rounds before are less than those of this one.
        let level = if *mark >= self.round { usize::from(*mark - self.round) + 1 } else { 0 };
        if level == LEVELS {
            return None;
        }
        *mark = self.round + level as u8;
        Some(level)
    }
}
