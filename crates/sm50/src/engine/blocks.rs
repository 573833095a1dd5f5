//! Blocks of threads from barrier to barrier: some blocks at a time run to their next barriers, and again, until none has a thread left.

use super::{Kernels, Own};
use crate::attributes::Words;
use crate::launch::{Grid, StageLaunch, WARP};
use crate::lift::{BlockCall, BlockPlan, BufferBinding, ENDED, OWNER_BITS, RESUME, TableBinding, WAYS};
use ctm_engine::schedule::Schedule;
use ctm_engine::{Launch, Runtime, Stop};
use ctm_lane::domain::Lanes;
use ctm_lane::run::{RunOptions, RunStats};
use std::ops::Range;

/// Invocations of a call, about: what they keep stays in a core's caches.
const LANES_OF_CALL: u32 = 1 << 13;
/// Steps of a lane, at most, however many the options allow.
const MOST_STEPS: u64 = 1 << 30;
/// The launch is one for the reference.
const LEFT: Stop = Stop::StepLimit { pc: 0, x: 0, y: 0 };

/// What some blocks have while they run.
pub(super) struct BlockMemory {
    /// What lanes keep.
    state: Words,
    shared: Words,
    /// Marks of words.
    writers: Words,
    readers: Words,
    claims: Words,
}

impl BlockMemory {
    /// For so many words of lanes and of shared memory; `None` if the host has no memory for them.
    fn new(state: u64, shared: u64) -> Option<Self> {
        let words = |count: u64| Words::new(count).ok();
        Some(BlockMemory {
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

/// Blocks whose threads run together.
struct Blocks<'a> {
    kernels: &'a Kernels,
    plan: &'a BlockPlan,
    launch: &'a StageLaunch<'a>,
    grid: Grid,
    own: Own<'a>,
    options: RunOptions<'a>,
    /// Words of a block's shared memory.
    words: u32,
}

impl Kernels {
    /// Runs the blocks of a launch.
    ///
    /// # Errors
    /// How the run was halted. With any other stop the launch is one for the reference.
    pub(super) fn run_blocks(
        &self,
        plan: &BlockPlan,
        launch: &StageLaunch,
        own: Own,
        (options, runtime): (&RunOptions, &Runtime),
    ) -> Result<RunStats, Stop> {
        let grid = launch.grid.ok_or(LEFT)?;
        let (of_block, all) = (grid.block_invocations(), launch.invocations.count);
        if !all.is_multiple_of(of_block) {
            return Err(LEFT);
        }
        let at_once = (LANES_OF_CALL / of_block).max(1);
        let lanes = at_once * of_block;
        let calls = u64::from(all.div_ceil(lanes));
        let words = launch.shader.shared_memory.div_ceil(4);
        let (state, shared) =
            (u64::from(plan.columns) * u64::from(lanes), u64::from(words.max(1)) * u64::from(at_once));
        let threads = runtime.workers().threads(options.threads, calls);
        let schedule = Schedule::<Stop>::new(options, all.into());
        schedule.meter.reserve(threads as u64 * 4 * (state + 4 * shared))?;
        let alone = RunOptions { threads: 1, progress: None, ..*options };
        let blocks = Blocks { kernels: self, plan, launch, grid, own, options: alone, words };
        let blocks = &blocks;
        schedule.work(runtime.workers(), threads, (calls, lanes.into()), || {
            let (mut memory, mut marks) = (None, 0);
            move |band: Range<u64>, stats: &mut RunStats| {
                let memory = match &mut memory {
                    Some(memory) => memory,
                    none => none.insert(BlockMemory::new(state, shared).ok_or(LEFT)?),
                };
                let mut done = 0;
                for call in band {
                    let first = call as u32 * lanes;
                    let count = lanes.min(all - first);
                    stats.instructions += blocks.run(memory, &mut marks, first..first + count)?;
                    done += u64::from(count);
                }
                Ok(done)
            }
        })
    }
}

impl Blocks<'_> {
    /// Runs the blocks of these invocations to their ends; gives how many instructions they executed. `marks` counts barriers, for all that the
    /// memory was used for.
    fn run(&self, memory: &BlockMemory, marks: &mut u32, invocations: Range<u32>) -> Result<u64, Stop> {
        let lanes = invocations.len() as u32;
        memory.state.clear(self.plan.columns * lanes);
        memory.shared.clear(self.words * (lanes / self.grid.block_invocations()));
        let tables = &self.kernels.lifted.tables;
        let table = tables.iter().position(|table| *table == TableBinding::StageLaunch).ok_or(LEFT)?;
        let own = Own { blocks: Some(memory), ..self.own };
        let bindings = self.kernels.bind(self.launch, own).ok_or(LEFT)?;
        let mut start = Launch { lanes: Lanes::Line(lanes), bindings, max_steps: None };
        let steps = (self.options.step_limit / u64::from(WARP)).min(MOST_STEPS);
        let mut instructions = 0;
        loop {
            if *marks == u32::MAX >> OWNER_BITS {
                [&memory.writers, &memory.readers].into_iter().for_each(|words| words.clear(words.len()));
                *marks = 0;
            }
            *marks += 1;
            let call = BlockCall { first: invocations.start, lanes, mark: *marks << OWNER_BITS, steps: steps as u32 };
            call.put(&mut start.bindings.tables[table]);
            instructions +=
                self.kernels.kernel.run_independent(&start, &self.options, WARP as usize, steps)?.instructions;
            match self.arrival(memory, lanes) {
                Arrival::Nobody => return Ok(instructions),
                Arrival::Together => {}
                Arrival::Apart => return Err(LEFT),
            }
        }
    }

    /// Who has come to which barriers.
    fn arrival(&self, memory: &BlockMemory, lanes: u32) -> Arrival {
        let mut columns = vec![0; 2 * lanes as usize];
        memory.state.read(0, &mut columns);
        let column = |number: u32| &columns[(number * lanes) as usize..][..lanes as usize];
        let (resume, ways) = (column(RESUME), column(WAYS));
        let of_block = self.grid.block_invocations() as usize;
        let mut all = Arrival::Nobody;
        for first in (0..lanes as usize).step_by(of_block) {
            let threads = first..first + self.grid.block_threads() as usize;
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
