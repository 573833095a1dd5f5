//! Races in the shared memory of a block: threads of two warps access a word, one of them writes it, and no barrier is between them.
//!
//! Each warp has a clock, and knows those of the others as of the last barrier where it met them (vector clocks; FastTrack, Flanagan and Freund
//! 2009). Lanes of one warp have an order of their own, so they do not race.

use crate::launch::WarningKind;
use std::collections::{BTreeSet, HashMap};

/// Warps of a block, at most.
const WARPS: usize = 32;
/// Pairs of instructions that are told of.
const MOST_PAIRS: usize = 256;

/// What an instruction does with a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SharedAccess {
    Load,
    Store,
    /// Those of several threads may come in any order.
    Atomic,
}

/// An access of a warp.
#[derive(Clone, Copy)]
struct Event {
    clock: u32,
    pc: u32,
}

/// What warps did with a word: the last access of each.
type Word = HashMap<(usize, SharedAccess), Event>;

type Clocks = [[u32; WARPS]; WARPS];

/// What the warps of a block do with its memory.
pub(super) struct Races {
    words: HashMap<usize, Word>,
    /// What each warp knows of the clocks of all, its own included.
    known: Box<Clocks>,
    /// The same when it last came to a barrier.
    arrived: Box<Clocks>,
    pairs: BTreeSet<(u32, u32)>,
}

impl Default for Races {
    fn default() -> Self {
        let clocks: Clocks = std::array::from_fn(|warp| std::array::from_fn(|other| u32::from(warp == other)));
        Races { words: HashMap::new(), known: Box::new(clocks), arrived: Box::new(clocks), pairs: BTreeSet::new() }
    }
}

impl Races {
    /// A block begins.
    pub fn begin_block(&mut self) {
        let pairs = std::mem::take(&mut self.pairs);
        *self = Races { pairs, ..Races::default() };
    }

    /// A warp comes to a barrier.
    pub fn arrive(&mut self, warp: usize) {
        self.arrived[warp] = self.known[warp];
        self.known[warp][warp] += 1;
    }

    /// A warp goes on after a barrier to which these have come.
    pub fn release(&mut self, warp: usize, arrived: u32) {
        for other in (0..WARPS).filter(|other| arrived >> other & 1 != 0) {
            for (known, at) in self.known[warp].iter_mut().zip(self.arrived[other]) {
                *known = at.max(*known);
            }
        }
    }

    /// A warp accesses bytes; the other instructions with which it races, as warnings.
    pub fn access(
        &mut self,
        (warp, pc): (usize, u32),
        access: SharedAccess,
        bytes: std::ops::Range<usize>,
    ) -> Vec<WarningKind> {
        use SharedAccess::*;
        let clock = self.known[warp][warp];
        let mut found = Vec::new();
        for word in bytes.start / 4..bytes.end.div_ceil(4) {
            let events = self.words.entry(word).or_default();
            for (&(other, what), event) in events.iter() {
                let meets = matches!((access, what), (Store, _) | (_, Store) | (Load, Atomic) | (Atomic, Load));
                let is_before = other == warp || event.clock <= self.known[warp][other];
                let is_told = self.pairs.contains(&(pc, event.pc)) || self.pairs.len() < MOST_PAIRS;
                if meets && !is_before && is_told {
                    self.pairs.insert((pc, event.pc));
                    found.push(WarningKind::Race { other: event.pc });
                }
            }
            events.insert((warp, access), Event { clock, pc });
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
