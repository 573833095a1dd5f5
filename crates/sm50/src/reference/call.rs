//! Single instructions for lanes whose program runs elsewhere.

use super::warp::{LANES, State, Warp};
use crate::footprint::AccessKind;
use crate::launch::{StageLaunch, Stop, TrapKind};
use ctm_lane::budget::Meter;
use ctm_lane::run::RunOptions;
use ctm_memory::Space;
use ctm_num::sm50::Flags;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Words of memory that are kept, at most.
const MOST_WORDS: usize = 1 << 22;

/// What words of memory held before instructions wrote them.
#[derive(Default)]
pub(crate) struct KeptWords {
    words: Mutex<HashMap<u32, KeptWord>>,
}

struct KeptWord {
    before: u32,
    /// Who changed it last in an atomic way whose order counts.
    last: Option<Turn>,
}

/// An access whose order counts.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    warp: u32,
    lane: u32,
    /// The instruction, if warps come to it once, with all of their lanes that do.
    instruction: Option<usize>,
    /// Several lanes of the warp have come.
    is_shared: bool,
}

impl Turn {
    /// Of a lane, after another one; `None` if that may not be the order of the reference.
    fn after(self, last: Turn) -> Option<Turn> {
        let is_again = self.lane == last.lane && !last.is_shared;
        let is_together = self.instruction.is_some() && self.instruction == last.instruction;
        match self.warp.cmp(&last.warp) {
            Ordering::Greater => Some(self),
            Ordering::Less => None,
            Ordering::Equal if is_again => Some(self),
            Ordering::Equal => is_together.then_some(Turn { is_shared: true, ..self }),
        }
    }
}

impl KeptWords {
    /// Keeps the words of these bytes before a lane changes them; whether there is space for them, and it is the lane's turn.
    fn keep(&self, space: &Space, (address, bytes): (u32, u32), turn: Option<Turn>) -> bool {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        for word in (address & !3..address.saturating_add(bytes)).step_by(4) {
            let old = || space.arena_of(word, 4).and_then(|arena| arena.read_u32(word)).unwrap_or(0);
            let kept = words.entry(word).or_insert_with(|| KeptWord { before: old(), last: None });
            if let Some(turn) = turn {
                kept.last = kept.last.map_or(Some(turn), |last| turn.after(last));
                if kept.last.is_none() {
                    return false;
                }
            }
        }
        words.len() <= MOST_WORDS
    }

    /// Puts back what they held.
    pub fn restore(&self, space: &Space) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.drain().for_each(|(address, word)| _ = space.store(address, word.before, 4));
    }
}

/// What an instruction accesses of memory in a lane.
pub(super) struct Access<'a> {
    /// Where what it writes is kept, if it writes.
    kept: Option<&'a KeptWords>,
    turn: Option<Turn>,
    bytes: Option<(u32, u32)>,
}

impl Access<'_> {
    pub fn note(&mut self, space: &Space, address: u32, bytes: u32) -> Result<(), TrapKind> {
        self.bytes = Some((address, bytes));
        let is_kept = self.kept.is_none_or(|kept| kept.keep(space, (address, bytes), self.turn));
        is_kept.then_some(()).ok_or(TrapKind::Unsupported)
    }
}

/// What executes single instructions by the rules of the reference, in lanes of a warp whose registers it is given.
pub(crate) struct Callee<'a> {
    warp: Warp<'a>,
    kept: &'a KeptWords,
}

impl<'a> Callee<'a> {
    /// For lanes of a launch. `kept` keeps what memory held.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(
        launch: &'a StageLaunch<'a>,
        options: &'a RunOptions<'a>,
        meter: &'a Meter<'a>,
        kept: &'a KeptWords,
    ) -> Result<Self, Stop> {
        let state = State::new(launch, meter)?;
        let mut warp = Warp::new(launch, options, meter, None, state);
        warp.start(0);
        Ok(Callee { warp, kept })
    }

    /// Goes to the warp with this number. `helpers` are the lanes that put nothing out.
    pub fn go(&mut self, number: u32, helpers: u32) {
        (self.warp.state.number, self.warp.state.helpers) = (number, helpers);
    }

    /// What the lanes hold in a register.
    pub fn register(&mut self, number: u8) -> &mut [u32; LANES] {
        &mut self.warp.state.registers[usize::from(number)]
    }

    /// The lanes where each predicate holds.
    pub fn predicates(&mut self) -> &mut [u32; 8] {
        &mut self.warp.state.predicates
    }

    /// The flags of the lanes.
    pub fn flags(&mut self) -> &mut [Flags; LANES] {
        &mut self.warp.state.flags
    }

    /// Executes an instruction of the program in these lanes; whether nothing was wrong with that.
    pub fn execute(&mut self, index: usize, lanes: u32) -> bool {
        self.warp.execute_alone(index, lanes)
    }

    /// The same in one lane, of an instruction that accesses memory, and that warps come to once, if that is so. Gives where, and how many bytes,
    /// if it did.
    pub fn access(
        &mut self,
        (index, is_once): (usize, bool),
        lane: u32,
        kind: AccessKind,
    ) -> Option<Option<(u32, u32)>> {
        let writes = kind != AccessKind::Read;
        let turn = Turn { warp: self.warp.state.number, lane, instruction: is_once.then_some(index), is_shared: false };
        let turn = (kind == AccessKind::Ordered).then_some(turn);
        self.warp.access = Some(Access { kept: writes.then_some(self.kept), turn, bytes: None });
        let is_right = self.warp.execute_alone(index, 1 << lane);
        let access = self.warp.access.take();
        is_right.then(|| access.and_then(|access| access.bytes))
    }
}
