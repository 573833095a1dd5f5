//! A thread that draws tiles: it finds the quads of their primitives, tests them, lays them out for launches, and stores what becomes of them.

use super::buffers::Buffers;
use super::early::{EarlyTests, Rasterising, Testing};
use super::job::{BatchJob, BatchKernel};
use super::memory::{Marks, ThreadMemory};
use super::planes::{Planes, QUADS};
use super::quads::MULTIPLE;
use super::tiles::Tiles;
use super::transfer::Transfer;
use super::waiting::{Launch, Levels, Primitives, launches};
use super::{BatchState, Key};
use crate::pipeline::pixels::Pixels;
use ctm_card::Counts;
use ctm_engine::Compiled;
use ctm_lane::budget::Halt;
use ctm_lane::clock::Instant;
use ctm_memory::{ByVector, InPairs};
use ctm_raster::bytes::ByteColours;
use ctm_x1k::{RunError, RunOptions};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What threads have in common.
pub struct Shared<'d, 's> {
    pub state: &'d BatchState<'s>,
    pub pixels: &'d Pixels<'s>,
    pub buffers: &'d Buffers<'s>,
    /// The tests, if they are done before there is a kernel.
    pub tests: Option<&'d EarlyTests<'s>>,
    pub key: &'d Key,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    pub colours: &'d [Option<ByteColours>],
    pub compiled: &'d Compiled<Key, Option<BatchKernel>>,
    pub primitives: &'d Primitives,
    pub tiles: &'d Tiles,
    /// The next tile.
    pub next: AtomicUsize,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// What was done with pixels.
    pub counts: Counts,
    /// Quads that a kernel ran for.
    pub quads: u64,
}

/// A thread.
pub struct Worker<'w, 'd, 's> {
    shared: &'w Shared<'d, 's>,
    memory: &'w mut ThreadMemory,
    /// How kernels run: in this thread.
    options: RunOptions<'s>,
    done: Done,
}

impl<'w, 'd, 's> Worker<'w, 'd, 's> {
    /// One with this memory, which has begun.
    pub fn new(shared: &'w Shared<'d, 's>, memory: &'w mut ThreadMemory) -> Self {
        let options = RunOptions { threads: 1, ..*shared.state.options };
        Worker { shared, memory, options, done: Done::default() }
    }

    /// Draws the tiles that no other thread has taken.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(mut self) -> Result<Done, RunError> {
        let Shared { state, pixels, buffers, primitives, tiles, next, .. } = self.shared;
        let values = state.components.len();
        while let Some((area, numbers)) = tiles.get(next.fetch_add(1, Relaxed)) {
            let mut numbers = numbers.iter();
            while !numbers.as_slice().is_empty() {
                let (waiting, numbers) = (&mut self.memory.waiting, &mut numbers);
                pulp::Arch::new().dispatch(Rasterising { pixels, buffers, primitives, values, area, numbers, waiting });
                if self.memory.waiting.is_full() {
                    self.draw_waiting()?;
                }
            }
        }
        self.draw_waiting()?;
        Ok(self.done)
    }

    /// Draws the quads that wait.
    fn draw_waiting(&mut self) -> Result<(), RunError> {
        let Shared { state, pixels, tests, primitives, .. } = *self.shared;
        if state.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(RunError::Halted(Halt::Deadline));
        }
        let ThreadMemory { waiting, passed, .. } = &mut *self.memory;
        passed.clear();
        if let Some(tests) = tests {
            let (primitives, spans) = (&primitives.all[..], &waiting.spans[..]);
            let (left, arch) = (passed, pulp::Arch::new());
            let tested = match ByVector::new() {
                Some(access) => arch.dispatch(Testing { tests, primitives, spans, left, access }),
                None => arch.dispatch(Testing { tests, primitives, spans, left, access: InPairs }),
            };
            self.done.counts.add_pixels(tested.counts(pixels));
        } else {
            passed.append(&mut waiting.spans);
        }
        waiting.clear();
        if pixels.shades() || tests.is_none() { self.order() } else { Ok(()) }
    }

    /// Draws what has passed the tests that come before the kernel.
    fn order(&mut self) -> Result<(), RunError> {
        let Worker { shared, memory, options, done } = self;
        let ThreadMemory { planes, marks, passed, levels, .. } = &mut **memory;
        if !shared.key.reads_pixels() {
            return launches(passed, QUADS - MULTIPLE)
                .try_for_each(|launch| shared.launch(planes, options, launch, done));
        }
        let mut launch = |levels: &mut Levels, marks: &mut Marks| {
            for launch in levels.launches(QUADS - MULTIPLE) {
                shared.launch(planes, options, launch, done)?;
            }
            levels.clear();
            marks.next();
            Ok(())
        };
        for &span in passed.iter() {
            let level = match marks.insert(&span) {
                Some(level) => level,
                None => {
                    launch(levels, marks)?;
                    marks.insert(&span).unwrap_or_default()
                }
            };
            levels.add(span, level);
        }
        launch(levels, marks)
    }
}

impl Shared<'_, '_> {
    /// Draws quads of different places, or whose colours do not depend on what is there.
    fn launch(
        &self,
        planes: &mut Planes,
        options: &RunOptions,
        launch: Launch,
        done: &mut Done,
    ) -> Result<(), RunError> {
        let Shared { state, pixels, buffers, key, colours, compiled, primitives, .. } = *self;
        let prefetches = compiled.kernels().and_then(Option::as_ref).map_or(&[][..], |kernel| &kernel.prefetches);
        let transfer = Transfer { state, pixels, buffers, key, colours, primitives, launch, prefetches };
        if let Some([mut inputs, _]) = planes.words() {
            transfer.lay_out(&mut inputs);
        }
        let quads = launch.quads.next_multiple_of(MULTIPLE);
        compiled.run(&BatchJob { state, key, planes, quads }, options)?;
        if let Some([inputs, results]) = planes.words() {
            done.counts.add_pixels(transfer.store(&inputs, &results));
        }
        done.quads += launch.quads as u64;
        Ok(())
    }
}
