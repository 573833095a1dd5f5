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
    /// By row and column of quads: the round in which one was there last times [`LEVELS`], and how many were there before it.
    marks: Vec<u8>,
    columns: usize,
    /// The round times [`LEVELS`].
    round: u8,
}

/// Quads of the same place at most.
pub(super) const LEVELS: usize = 16;

impl Marks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = columns.div_ceil(2) as usize;
        self.marks.resize(self.columns * rows.div_ceil(2) as usize, 0);
        self.next();
    }

    pub fn next(&mut self) {
        self.round = self.round.checked_add(LEVELS as u8).unwrap_or_else(|| {
            self.marks.fill(0);
            LEVELS as u8
        });
    }

    /// The marks of a row of quads from the one with this left upper pixel on.
    pub fn row(&mut self, x: u32, y: u32) -> MarkedRow<'_> {
        let start = y as usize / 2 * self.columns;
        let row = start + x as usize / 2..start + self.columns;
        MarkedRow { marks: self.marks.get_mut(row).unwrap_or_default(), round: self.round }
    }
}

/// Marks of a row of quads.
pub(super) struct MarkedRow<'a> {
    marks: &'a mut [u8],
    round: u8,
}

impl MarkedRow<'_> {
    /// Notes a quad's place, and gives how many were there before; `None` if those are [`LEVELS`].
    #[inline(always)]
    pub fn insert(&mut self, quad: usize) -> Option<usize> {
        let Some(mark) = self.marks.get_mut(quad) else { return Some(0) };
        // Marks of rounds before are less than those of this one.
        let level = if *mark >= self.round { usize::from(*mark - self.round) + 1 } else { 0 };
        if level == LEVELS {
            return None;
        }
        *mark = self.round + level as u8;
        Some(level)
    }
}
