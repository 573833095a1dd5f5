//! What draws use again and again: memory for quads, and what kinds of draws there were.

use super::planes::Planes;
use super::waiting::{Levels, Span, Waiting};
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
    /// Quads that passed the tests.
    pub(super) passed: Vec<Span>,
    pub(super) levels: Levels,
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
            passed: Vec::new(),
            levels: Levels::default(),
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
    /// Quads of a row.
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

    /// Notes the places of quads, and gives how many were there before, at the place where these are most; `None` if those are [`LEVELS`].
    #[inline]
    pub fn insert(&mut self, span: &Span) -> Option<usize> {
        let first = usize::from(span.y / 2) * self.columns + usize::from(span.x / 2);
        let Some(marks) = self.marks.get_mut(first..first + span.len()) else { return Some(0) };
        // Marks of rounds before are less than those of this one.
        let most = marks.iter().fold(0, |most, &mark| most.max(mark));
        let level = if most >= self.round { usize::from(most - self.round) + 1 } else { 0 };
        if level == LEVELS {
            return None;
        }
        marks.fill(self.round + level as u8);
        Some(level)
    }
}
