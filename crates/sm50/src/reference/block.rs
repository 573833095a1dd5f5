//! The warps of a thread block: they take turns at barriers, and share memory.
//!
//! Each warp runs until it waits, the lowest one first: programs must not depend on the order. (Decision S58: a barrier is complete once all
//! warps that have not ended wait there, or as many have arrived as it names.)

use super::races::Races;
use super::warp::{State, Warp, lanes};
use crate::codes::{BarrierOp, BarrierReduction};
use crate::field::{FieldId, key};
use crate::header::Stage;
use crate::instruction::Instruction;
use crate::launch::{Stop, Trap, TrapKind, WARP};
use crate::operand::Reg;
use ctm_follow::Paused;
use std::mem::swap;

/// Barriers of a block.
const BARRIERS: usize = 16;

/// What Mesa's NAK writes for a barrier of all warps. Read word for word it takes the count of threads from R0.
const NAK_BARRIER: u64 = 0xf0a8_0380_0007_ff00;

/// What `BAR.RED` found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reduced {
    pub word: u32,
    pub predicate: bool,
}

/// What warps are told that go on after a barrier.
#[derive(Clone, Copy)]
pub(super) struct Released {
    pub reduced: Reduced,
    /// The warps that came to it.
    pub arrived: u32,
}

/// A warp has come to a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    barrier: usize,
    /// Warps that must have arrived; all of the block without.
    warps: Option<u32>,
    op: BarrierOp,
    reduction: BarrierReduction,
    /// Lanes that arrive, and those of them whose predicate holds.
    lanes: u32,
    holds: u32,
}

impl Arrival {
    fn waits(&self) -> bool {
        self.op != BarrierOp::Arv
    }
}

/// What has arrived at a barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    /// Arrivals, of which a warp can have several.
    arrivals: u32,
    /// The warps that have arrived, and those of them that wait.
    arrived: u32,
    waiting: u32,
    warps: Option<u32>,
    reduction: BarrierReduction,
    lanes: u32,
    holds: u32,
}

impl Barrier {
    fn arrive(&mut self, warp: usize, arrival: &Arrival) {
        self.arrivals += 1;
        self.arrived |= 1 << warp;
        self.waiting |= u32::from(arrival.waits()) << warp;
        self.warps = arrival.warps;
        self.reduction = arrival.reduction;
        if arrival.op == BarrierOp::Red {
            self.lanes += arrival.lanes.count_ones();
            self.holds += arrival.holds.count_ones();
        }
    }

    fn is_complete(&self, all: u32, ended: u32) -> bool {
        let everyone = (self.arrived | ended) & all == all;
        self.waiting != 0 && (everyone || self.warps.is_some_and(|warps| self.arrivals >= warps))
    }

    fn reduced(&self) -> Reduced {
        let truth = |predicate: bool| Reduced { word: predicate.into(), predicate };
        match self.reduction {
            BarrierReduction::Popc | BarrierReduction::Invalid => {
                Reduced { word: self.holds, predicate: self.holds != 0 }
            }
            BarrierReduction::And => truth(self.holds == self.lanes),
            BarrierReduction::Or => truth(self.holds != 0),
        }
    }
}

/// Whose turn it is among the warps of a block.
#[derive(Clone)]
pub(super) struct Turns {
    all: u32,
    /// Warps that go on in this round, the lowest first.
    ready: u32,
    waiting: u32,
    ended: u32,
    barriers: [Barrier; BARRIERS],
}

impl Turns {
    /// Of so many warps, none of which has begun.
    pub fn new(warps: u32) -> Self {
        let all = u32::MAX >> (WARP - warps);
        Turns { all, ready: all, waiting: 0, ended: 0, barriers: [Barrier::default(); BARRIERS] }
    }

    /// The warp whose turn it is; `None` after the end of the last.
    pub fn current(&self) -> Option<usize> {
        (self.ready != 0).then(|| self.ready.trailing_zeros() as usize)
    }

    /// Whether a warp has ended.
    pub fn has_ended(&self, warp: usize) -> bool {
        self.ended >> warp & 1 != 0
    }

    /// The warp whose turn it is has come to a barrier; whether it waits there.
    pub fn arrive(&mut self, arrival: &Arrival) -> bool {
        if let Some(warp) = self.current() {
            self.barriers[arrival.barrier].arrive(warp, arrival);
        }
        arrival.waits()
    }

    /// The turn is over: the warp waits, or has ended. Once all have had theirs, those go on whose barriers are complete: `release` is told what
    /// each of them found out.
    ///
    /// # Errors
    /// All warps wait; gives the first of them.
    pub fn pass(&mut self, waits: bool, mut release: impl FnMut(usize, Released)) -> Result<(), usize> {
        let warp = self.ready & self.ready.wrapping_neg();
        self.ready &= !warp;
        if waits {
            self.waiting |= warp;
        } else {
            self.ended |= warp;
        }
        if self.ready != 0 || self.ended == self.all {
            return Ok(());
        }
        let (all, ended) = (self.all, self.ended);
        for barrier in self.barriers.iter_mut().filter(|barrier| barrier.is_complete(all, ended)) {
            let released = Released { reduced: barrier.reduced(), arrived: barrier.arrived };
            lanes(barrier.waiting).for_each(|n| release(n, released));
            self.waiting &= !barrier.waiting;
            *barrier = Barrier::default();
        }
        self.ready = all & !(ended | self.waiting);
        if self.ready == 0 { Err(self.waiting.trailing_zeros() as usize) } else { Ok(()) }
    }
}

/// A warp of the block that does not run just now.
struct Parked {
    state: State,
    follow: Option<Paused>,
}

/// The warps of a block, for one block after the other.
pub(super) struct Block {
    parked: Vec<Parked>,
}

impl Block {
    /// Of blocks of warps like this one.
    pub fn new(warps: u32, state: &State) -> Self {
        Block { parked: (0..warps).map(|_| Parked { state: state.clone(), follow: None }).collect() }
    }

    /// Runs the block whose first warp is number `first`, to the end of its last warp.
    pub fn run(&mut self, warp: &mut Warp, first: u32) -> Result<(), Stop> {
        let mut turns = Turns::new(self.parked.len() as u32);
        warp.begin_group();
        warp.races.iter_mut().for_each(Races::begin_block);
        for n in 0..self.parked.len() {
            self.enter(warp, n);
            warp.start(first + n as u32);
            warp.tell_start();
            self.leave(warp, n);
        }
        while let Some(n) = turns.current() {
            self.enter(warp, n);
            let stopped = warp.run_to_barrier(|arrival| turns.arrive(arrival));
            let waits = stopped.inspect_err(|stop| warp.tell_end(Some(stop.to_string())))?;
            if !waits {
                warp.tell_end(None);
            }
            warp.tally();
            self.leave(warp, n);
            let passed = turns.pass(waits, |n, released| {
                self.parked[n].state.reduced = released.reduced;
                warp.races.iter_mut().for_each(|races| races.release(n, released.arrived));
            });
            passed.map_err(|n| self.parked[n].state.deadlock(warp.stage))?;
        }
        Ok(())
    }

    /// Warp `n` goes on, with the memory of the block.
    fn enter(&mut self, warp: &mut Warp, n: usize) {
        let parked = &mut self.parked[n];
        swap(&mut warp.state.shared, &mut parked.state.shared);
        swap(&mut warp.state, &mut parked.state);
        if let (Some(follow), Some(paused)) = (&mut warp.follow, parked.follow.take()) {
            follow.resume(paused);
        }
    }

    fn leave(&mut self, warp: &mut Warp, n: usize) {
        let parked = &mut self.parked[n];
        parked.follow = warp.follow.as_mut().map(|follow| follow.pause());
        swap(&mut warp.state, &mut parked.state);
        swap(&mut warp.state.shared, &mut parked.state.shared);
    }
}

impl State {
    /// The warp waits at a barrier where all wait.
    pub fn deadlock(&self, stage: Stage) -> Trap {
        Trap { kind: TrapKind::Deadlock, stage, pc: self.barrier_pc, warp: self.number, lane: 0 }
    }
}

impl Warp<'_> {
    /// BAR. A warp arrives once, whichever of its lanes do. A block of one warp waits for nobody.
    pub fn barrier(&mut self, instruction: &Instruction, taken: u32) -> Result<(), TrapKind> {
        let op = instruction.get(key::BARRIER_OP);
        if taken == 0 {
            return Ok(());
        }
        self.lane = taken.trailing_zeros() as usize;
        if op == BarrierOp::Scan {
            return Err(TrapKind::Unsupported);
        }
        let operand = |is_imm, number: u32| if is_imm { number } else { self.reg(Reg(number as u8)) };
        let barrier = operand(instruction.get(key::BARRIER_ID_IMM), instruction.value(FieldId::BARRIER_ID));
        let count = instruction.value(FieldId::BARRIER_COUNT);
        let count = match instruction.get(key::BARRIER_COUNT_IMM) {
            _ if instruction.encode() | 7 << 16 == NAK_BARRIER | 7 << 16 => 0,
            is_imm => operand(is_imm, count),
        };
        let arrival = Arrival {
            barrier: barrier as usize % BARRIERS,
            warps: (count != 0).then_some(count.div_ceil(WARP)),
            op,
            reduction: instruction.get(key::BARRIER_REDUCTION),
            lanes: taken,
            holds: self.mask_of(instruction.pred_c()) & taken,
        };
        if !self.shares_block() {
            let mut barrier = Barrier::default();
            barrier.arrive(0, &arrival);
            self.state.reduced = barrier.reduced();
            return Ok(());
        }
        self.state.barrier_pc = self.pc;
        self.state.arrival = Some(arrival);
        let warp = self.warp_of_block();
        self.races.iter_mut().for_each(|races| races.arrive(warp));
        Ok(())
    }

    /// Whether the block has other warps.
    pub fn shares_block(&self) -> bool {
        self.launch.grid.is_some_and(|grid| grid.block_invocations() > WARP)
    }
}
