//! The warps of a thread block: they take turns at barriers, and share memory.
//!
//! Each warp runs until it waits, the lowest one first: programs must not depend on the order. (Decision S58: a barrier is complete once all
//! warps that have not ended wait there, or as many have arrived as it names.)

use super::warp::{State, Warp, lanes};
use crate::codes::{BarrierOp, BarrierReduction};
use crate::field::{FieldId, key};
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
        let all = u32::MAX >> (WARP - self.parked.len() as u32);
        let mut barriers = [Barrier::default(); BARRIERS];
        let (mut ended, mut waiting) = (0, 0);
        warp.begin_group();
        for n in 0..self.parked.len() {
            self.enter(warp, n);
            warp.start(first + n as u32);
            warp.tell_start();
            self.leave(warp, n);
        }
        while ended != all {
            let ready = all & !(ended | waiting);
            for n in lanes(ready) {
                self.enter(warp, n);
                let stopped = warp.run_to_barrier(|arrival| {
                    barriers[arrival.barrier].arrive(n, arrival);
                    arrival.waits()
                });
                let waits = stopped.inspect_err(|stop| warp.tell_end(Some(stop.to_string())))?;
                if waits {
                    waiting |= 1 << n;
                } else {
                    ended |= 1 << n;
                    warp.tell_end(None);
                }
                warp.tally();
                self.leave(warp, n);
            }
            let mut released = 0;
            for barrier in barriers.iter_mut().filter(|barrier| barrier.is_complete(all, ended)) {
                for n in lanes(barrier.waiting) {
                    self.parked[n].state.reduced = barrier.reduced();
                }
                released |= barrier.waiting;
                *barrier = Barrier::default();
            }
            waiting &= !released;
            if ready == 0 && released == 0 {
                return Err(self.deadlock(warp, waiting).into());
            }
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

    fn deadlock(&self, warp: &Warp, waiting: u32) -> Trap {
        let state = &self.parked[waiting.trailing_zeros() as usize % self.parked.len()].state;
        Trap { kind: TrapKind::Deadlock, stage: warp.stage, pc: state.barrier_pc, warp: state.number, lane: 0 }
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
        self.in_company()?;
        self.state.barrier_pc = self.pc;
        self.state.arrival = Some(arrival);
        Ok(())
    }

    /// Whether the block has other warps.
    pub fn shares_block(&self) -> bool {
        self.launch.grid.is_some_and(|grid| grid.block_invocations() > WARP)
    }

    /// What concerns the other warps of the block cannot execute where the warp runs without them.
    pub fn in_company(&self) -> Result<(), TrapKind> {
        if self.alone && self.shares_block() { Err(TrapKind::Unsupported) } else { Ok(()) }
    }
}
