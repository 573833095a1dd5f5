//! What draws use again and again: memory for quads, and what kinds of draws there were.

use super::planes::Planes;
use std::collections::HashMap;

/// Quads of draws of a kind from which on kernels draw them.
const MANY: u64 = 1024;
/// Kinds of draws that are counted.
const KINDS: usize = 4096;

/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct Memory {
    pub(super) planes: Planes,
    pub(super) marks: Marks,
    /// Quads that were drawn, by the hash of their key.
    drawn: HashMap<u64, u64>,
    /// Quads of draws of a kind from which on kernels draw them.
    pub(super) many: u64,
}

impl Memory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(Memory { planes: Planes::new()?, marks: Marks::default(), drawn: HashMap::new(), many: MANY })
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

/// The places of quads that wait.
#[derive(Default)]
pub(super) struct Marks {
    /// By row and column of quads: the round in which one was there last.
    rounds: Vec<u32>,
    columns: usize,
    round: u32,
}

impl Marks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = columns.div_ceil(2) as usize;
        self.rounds.resize(self.columns * rows.div_ceil(2) as usize, 0);
        self.next();
    }

    pub fn next(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    /// Notes the places of neighbouring quads from this one on up to the first that was noted before; gives their number.
    pub fn insert(&mut self, x: u32, y: u32, quads: usize) -> usize {
        let first = y as usize / 2 * self.columns + x as usize / 2;
        let Some(rounds) = self.rounds.get_mut(first..first + quads) else { return quads };
        let new = rounds.iter().take_while(|&&round| round != self.round).count();
        rounds[..new].fill(self.round);
        new
    }
}
