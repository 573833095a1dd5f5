//! Lanes that leave their function and come back, at barriers of their blocks and for calls: some at a time run until all have left, and again,
//! until all have ended.

use super::calls::Caller;
use super::{Kernels, Own};
use crate::attributes::Words;
use crate::launch::{StageLaunch, WARP};
use crate::lift::{self, BlockCall, BufferBinding, ENDED, OWNER_BITS, RESUME, ResumePlan, TableBinding, WAITS, WAYS};
use crate::reference::{Callee, KeptWords};
use ctm_engine::schedule::Schedule;
use ctm_engine::{Launch, Runtime, Stop};
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::run::{RunOptions, RunStats};
use std::ops::Range;

/// Invocations of a call, about: what they keep stays in a core's caches.
const LANES_OF_CALL: u32 = 1 << 13;
/// Steps of a lane, at most, however many the options allow.
const MOST_STEPS: u64 = 1 << 30;
/// The launch is one for the reference.
pub(super) const LEFT: Stop = Stop::StepLimit { pc: 0, x: 0, y: 0 };

/// What some lanes have while they run.
pub(super) struct LaneMemory {
    /// What they keep.
    pub state: Words,
    shared: Words,
    /// Marks of words.
    writers: Words,
    readers: Words,
    claims: Words,
}

impl LaneMemory {
    /// For so many words of lanes and of shared memory; `None` if the host has no memory for them.
    fn new(state: u64, shared: u64) -> Option<Self> {
        let words = |count: u64| Words::new(count).ok();
        Some(LaneMemory {
            state: words(state)?,
            shared: words(shared)?,
            writers: words(shared)?,
            readers: words(shared)?,
            claims: words(shared)?,
        })
    }

    /// What a buffer of a function is.
    pub fn words(&self, binding: &BufferBinding) -> Option<&Words> {
        match binding {
            BufferBinding::State => Some(&self.state),
            BufferBinding::Shared => Some(&self.shared),
            BufferBinding::Writers => Some(&self.writers),
            BufferBinding::Readers => Some(&self.readers),
            BufferBinding::Claims => Some(&self.claims),
            _ => None,
        }
    }
}

/// Who has come to barriers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    /// No thread is left.
    Nobody,
    /// In each block, whole warps, and all of them.
    Together,
    /// Others.
    Apart,
}

/// How the lanes of a launch are taken, some at a time.
#[derive(Clone, Copy)]
struct Portions {
    /// All lanes, those that have no invocation included.
    all: u32,
    /// Lanes of a block. (Of launches without blocks, lanes that are not taken apart.)
    block: u32,
    /// Threads of a block.
    threads: u32,
    /// Quads of a row of pixels.
    quads: Option<u32>,
}

impl Portions {
    /// Those of a launch; `None` if it is one for the reference.
    fn of(launch: &StageLaunch) -> Option<Self> {
        let count = launch.invocations.count;
        if let Some(grid) = launch.grid {
            let block = grid.block_invocations();
            let portions = Portions { all: count, block, threads: grid.block_threads(), quads: None };
            return count.is_multiple_of(block).then_some(portions);
        }
        let Some(pixels) = launch.pixels else {
            return Some(Portions { all: count, block: WARP, threads: WARP, quads: None });
        };
        // Whole rows of quads, and whole warps.
        let across = lift::quads_across(pixels).max(1);
        let rows = (pixels.invocations() / 4).div_ceil(across);
        let together = (WARP / 4) >> across.trailing_zeros().min((WARP / 4).ilog2());
        let row = across.checked_mul(4)?;
        let (all, block) = (rows.checked_mul(row)?, row.checked_mul(together)?);
        Some(Portions { all, block, threads: block, quads: Some(across) })
    }

    /// Lanes that run together.
    fn lanes_of_call(&self) -> u32 {
        (LANES_OF_CALL / self.block).max(1) * self.block
    }

    /// Where the lanes of a call are, and the first row of pixels.
    fn lanes(&self, invocations: &Range<u32>) -> (Lanes, u32) {
        let count = invocations.len() as u32;
        let Some(across) = self.quads else { return (Lanes::Line(count), 0) };
        let row = 4 * across;
        let area = Domain::of_size(2 * across, 2 * count.div_ceil(row));
        (area.map_or(Lanes::Line(0), Lanes::Area), 2 * (invocations.start / row))
    }
}

/// Lanes that run together.
struct Together<'a> {
    kernels: &'a Kernels,
    plan: &'a ResumePlan,
    launch: &'a StageLaunch<'a>,
    portions: Portions,
    own: Own<'a>,
    options: RunOptions<'a>,
    /// Words of a block's shared memory.
    words: u32,
}

impl Kernels {
    /// Runs the lanes of a launch. `kept` gets what calls write.
    ///
    /// # Errors
    /// How the run was halted. With any other stop the launch is one for the reference.
    pub(super) fn run_resuming(
        &self,
        plan: &ResumePlan,
        launch: &StageLaunch,
        (own, kept): (Own, &KeptWords),
        (options, runtime): (&RunOptions, &Runtime),
    ) -> Result<RunStats, Stop> {
        let portions = Portions::of(launch).ok_or(LEFT)?;
        // The blocks of the reference run one after the other.
        let lanes = if self.lifted.is_sequential { portions.block } else { portions.lanes_of_call() };
        let all = portions.all;
        let calls = u64::from(all.div_ceil(lanes));
        let words = launch.shader.shared_memory.div_ceil(4);
        let blocks = u64::from(lanes / portions.block);
        let (state, shared) = (u64::from(plan.columns) * u64::from(lanes), u64::from(words.max(1)) * blocks);
        let threads = runtime.workers().threads(options.threads, calls);
        let schedule = Schedule::<Stop>::new(options, all.into());
        schedule.meter.reserve(threads as u64 * 4 * (state + 4 * shared))?;
        let alone = RunOptions { threads: 1, progress: None, ..*options };
        let together = Together { kernels: self, plan, launch, portions, own, options: alone, words };
        let (together, meter) = (&together, &schedule.meter);
        schedule.work(runtime.workers(), threads, (calls, lanes.into()), || {
            let (mut memory, mut callee, mut marks) = (None, None, 0);
            move |band: Range<u64>, stats: &mut RunStats| {
                let memory = match &mut memory {
                    Some(memory) => memory,
                    none => none.insert(LaneMemory::new(state, shared).ok_or(LEFT)?),
                };
                if callee.is_none() && !plan.calls.is_empty() {
                    let made = Callee::new(together.launch, &together.options, meter, kept);
                    callee = Some(made.map_err(|_| LEFT)?);
                }
                let mut done = 0;
                for call in band {
                    let first = call as u32 * lanes;
                    let count = lanes.min(all - first);
                    let parts = (&*memory, callee.as_mut(), &mut marks);
                    stats.instructions += together.run(parts, first..first + count)?;
                    done += u64::from(count);
                }
                Ok(done)
            }
        })
    }
}

impl Together<'_> {
    /// Runs these lanes to their ends; gives how many instructions they executed. `marks` counts barriers, for all that the memory was used for.
    fn run(
        &self,
        (memory, mut callee, marks): (&LaneMemory, Option<&mut Callee>, &mut u32),
        invocations: Range<u32>,
    ) -> Result<u64, Stop> {
        let count = invocations.len() as u32;
        memory.state.clear(self.plan.columns * count);
        memory.shared.clear(self.words * (count / self.portions.block));
        let tables = &self.kernels.lifted.tables;
        let table = tables.iter().position(|table| *table == TableBinding::StageLaunch).ok_or(LEFT)?;
        let own = Own { lanes: Some(memory), ..self.own };
        let bindings = self.kernels.bind(self.launch, own).ok_or(LEFT)?;
        let (lanes, first_row) = self.portions.lanes(&invocations);
        let mut start = Launch { lanes, bindings, max_steps: None };
        let steps = (self.options.step_limit / u64::from(WARP)).min(MOST_STEPS);
        let kinds = &self.kernels.lifted.footprints;
        let log = &self.own.global.ok_or(LEFT)?.log;
        let caller = Caller { plan: self.plan, kinds, launch: self.launch, memory, log };
        let mut instructions = 0;
        loop {
            if *marks == u32::MAX >> OWNER_BITS {
                [&memory.writers, &memory.readers].into_iter().for_each(|words| words.clear(words.len()));
                *marks = 0;
            }
            *marks += 1;
            let mark = *marks << OWNER_BITS;
            let call = BlockCall { first: invocations.start, first_row, lanes: count, mark, steps: steps as u32 };
            call.put(&mut start.bindings.tables[table]);
            loop {
                instructions += self.run_once(&start, steps)?;
                let Some(callee) = &mut callee else { break };
                if !caller.serve(callee, &invocations).ok_or(LEFT)? {
                    break;
                }
            }
            match self.arrival(memory, count) {
                Arrival::Nobody => return Ok(instructions),
                Arrival::Together => {}
                Arrival::Apart => return Err(LEFT),
            }
            if !self.plan.calls.is_empty() {
                release(memory, count);
            }
        }
    }

    /// Runs the lanes until all have left; gives how many instructions they executed.
    fn run_once(&self, start: &Launch, steps: u64) -> Result<u64, Stop> {
        let Kernels { kernel, lifted, .. } = self.kernels;
        let ran = match lifted.is_independent {
            true => kernel.run_independent(start, &self.options, WARP as usize, steps),
            false => kernel.run(start, &self.options),
        };
        Ok(ran?.instructions)
    }

    /// Who has come to which barriers.
    fn arrival(&self, memory: &LaneMemory, lanes: u32) -> Arrival {
        let mut columns = vec![0; 2 * lanes as usize];
        memory.state.read(0, &mut columns);
        let column = |number: u32| &columns[(number * lanes) as usize..][..lanes as usize];
        let (resume, ways) = (column(RESUME), column(WAYS));
        if self.plan.barriers.is_empty() {
            return Arrival::Nobody;
        }
        let of_block = self.portions.block as usize;
        let mut all = Arrival::Nobody;
        for first in (0..lanes as usize).step_by(of_block) {
            let threads = first..first + self.portions.threads as usize;
            let mut barrier = None;
            for warp in threads.clone().step_by(WARP as usize) {
                let warp = warp..(warp + WARP as usize).min(threads.end);
                let Some(place) = self.place(&resume[warp.clone()], &ways[warp]) else { return Arrival::Apart };
                let Some(place) = place else { continue };
                let number = self.plan.barriers.iter().find(|(known, _)| *known == place).map(|&(_, number)| number);
                if barrier.is_some_and(|barrier| barrier != number) {
                    return Arrival::Apart;
                }
                barrier = Some(number);
                all = Arrival::Together;
            }
        }
        all
    }

    /// Where the lanes of a warp go on, if some do; `None` if they have not come there together: others of the warp may have ended, but on the
    /// same ways.
    fn place(&self, resume: &[u32], ways: &[u32]) -> Option<Option<u32>> {
        let Some(waiting) = resume.iter().position(|&place| place != ENDED) else { return Some(None) };
        let (place, way) = (resume[waiting], ways[waiting]);
        let is_together = resume.iter().zip(ways).all(|(&other, &taken)| match other {
            ENDED => {
                taken.leading_zeros() >= way.leading_zeros()
                    && way >> (taken.leading_zeros() - way.leading_zeros()) == taken
            }
            other => other == place && taken == way,
        });
        is_together.then_some(Some(place))
    }
}

/// Lets lanes go on that wait at barriers.
fn release(memory: &LaneMemory, lanes: u32) {
    let mut places = vec![0; lanes as usize];
    memory.state.read(RESUME * lanes, &mut places);
    places.iter_mut().filter(|place| **place != ENDED).for_each(|place| *place &= !WAITS);
    memory.state.write(RESUME * lanes, &places);
    places.fill(1);
    memory.state.write(WAYS * lanes, &places);
}
