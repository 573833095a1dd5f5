//! What draws use again and again: memory for quads, and what kinds of draws there were.

use super::planes::Planes;
use super::waiting::Waiting;
use std::collections::HashMap;

/// Quads of draws of a kind from which on kernels draw them.
const MANY: u64 = 1024;
/// Kinds of draws that are counted.
const KINDS: usize = 4096;

/// What outlives draws: memory for quads, and what kinds of draws there were.
pub struct Memory {
    pub(super) planes: Planes,
    pub(super) marks: Marks,
    pub(super) waiting: Waiting,
    /// Quads that were drawn, by the hash of their key.
    drawn: HashMap<u64, u64>,
    /// Quads of draws of a kind from which on kernels draw them.
    pub(super) many: u64,
}

impl Memory {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        let planes = Planes::new()?;
        Some(Memory { planes, marks: Marks::default(), waiting: Waiting::default(), drawn: HashMap::new(), many: MANY })
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
    /// By row and column of quads: the round in which one was there last, and in the low bits how many were there before it.
    marks: Vec<u8>,
    columns: usize,
    round: u8,
}

/// Bits of a mark that count.
const COUNT_BITS: u32 = 4;
/// Quads of the same place at most.
pub(super) const LEVELS: usize = 1 << COUNT_BITS;

impl Marks {
    /// Forgets all places, of a framebuffer with so many columns and rows of pixels.
    pub fn begin(&mut self, columns: u32, rows: u32) {
        self.columns = columns.div_ceil(2) as usize;
        self.marks.resize(self.columns * rows.div_ceil(2) as usize, 0);
        self.next();
    }

    pub fn next(&mut self) {
        self.round = (self.round + 1) & (u8::MAX >> COUNT_BITS);
        if self.round == 0 {
            self.marks.fill(0);
            self.round = 1;
        }
    }

    /// Notes a quad's place, and gives how many were there before; `None` if those are [`LEVELS`].
    #[inline]
    pub fn insert(&mut self, x: u32, y: u32) -> Option<u8> {
        let Some(mark) = self.marks.get_mut(y as usize / 2 * self.columns + x as usize / 2) else { return Some(0) };
        let (round, before) = (*mark >> COUNT_BITS, *mark % LEVELS as u8);
        let level = if round == self.round { before + 1 } else { 0 };
        if usize::from(level) == LEVELS {
            return None;
        }
        *mark = self.round << COUNT_BITS | level;
        Some(level)
    }
}
