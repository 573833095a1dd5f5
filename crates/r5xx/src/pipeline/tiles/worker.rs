//! A thread that draws tiles: it finds the quads of their primitives, tests them, lays them out for launches, and stores what becomes of them.

use super::buffers::Buffers;
use super::drawn_pixels::DrawnPixels;
use super::early::{EarlyTests, Rasterising, Testing};
use super::job::{TileJob, TileKernel};
use super::memory::{OverdrawMarks, ThreadMemory};
use super::pending::{Chunk, InPlanes, OverdrawLayers, Primitives, ShadingRate, chunks};
use super::planes::Planes;
use super::store::Storing;
use super::transfer::Transfer;
use super::{Key, TileState};
use crate::pipeline::detiled::DetiledTextures;
use crate::pipeline::pixels::Pixels;
use ctm_card::DrawCounts;
use ctm_engine::Compiled;
use ctm_lane::budget::Halt;
use ctm_lane::clock::Instant;
use ctm_raster::bytes::ByteColours;
use ctm_raster::simd::dispatch;
use ctm_raster::tiles::Tiles;
use ctm_x1k::{RunError, RunOptions};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What threads have in common.
pub struct Shared<'d, 's> {
    pub state: &'d TileState<'s>,
    pub pixels: &'d Pixels<'s>,
    pub buffers: &'d Buffers<'s>,
    /// The tests, if they are done before there is a kernel.
    pub tests: Option<&'d EarlyTests<'s>>,
    pub key: &'d Key,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    pub colours: &'d [Option<ByteColours>],
    pub compiled: &'d Compiled<Key, Option<TileKernel>>,
    /// What the kernel fetches from instead of textures.
    pub copies: Option<&'d DetiledTextures>,
    pub primitives: &'d Primitives,
    pub tiles: &'d Tiles,
    /// What the kernel runs for.
    pub rate: ShadingRate,
    /// The next tile.
    pub next: AtomicUsize,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerResult {
    /// What was done with pixels.
    pub counts: DrawCounts,
    /// Quads that a kernel ran for.
    pub quads: u64,
}

/// A thread.
pub struct Worker<'w, 'd, 's> {
    shared: &'w Shared<'d, 's>,
    memory: &'w mut ThreadMemory,
    /// How kernels run: in this thread.
    options: RunOptions<'s>,
    done: WorkerResult,
}

impl<'w, 'd, 's> Worker<'w, 'd, 's> {
    /// One with this memory, which has begun.
    pub fn new(shared: &'w Shared<'d, 's>, memory: &'w mut ThreadMemory) -> Self {
        let options = RunOptions { threads: 1, ..*shared.state.options };
        Worker { shared, memory, options, done: WorkerResult::default() }
    }

    /// Draws the tiles that no other thread has taken.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(mut self) -> Result<WorkerResult, RunError> {
        let Shared { state, pixels, buffers, primitives, tiles, next, .. } = self.shared;
        let values = state.components;
        while let Some((area, numbers)) = tiles.get(next.fetch_add(1, Relaxed)) {
            let mut numbers = numbers.iter();
            while !numbers.as_slice().is_empty() {
                let (waiting, numbers) = (&mut self.memory.waiting, &mut numbers);
                dispatch(Rasterising { pixels, buffers, primitives, values, area, numbers, waiting });
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
            let (primitives, blocks, left) = (&primitives.all[..], &waiting.0[..], passed);
            let tested = dispatch(Testing { tests, primitives, blocks, left });
            self.done.counts.add_pixels(tested.counts(pixels));
        } else {
            passed.append(&mut waiting.0);
        }
        waiting.0.clear();
        if pixels.shades() || tests.is_none() { self.order() } else { Ok(()) }
    }

    /// Draws what has passed the tests that come before the kernel.
    fn order(&mut self) -> Result<(), RunError> {
        let Worker { shared, memory, options, done } = self;
        let ThreadMemory { planes, marks, passed, layers, .. } = &mut **memory;
        if !shared.key.reads_pixels() {
            return chunks(passed, shared.rate).try_for_each(|chunk| shared.draw_chunk(planes, options, chunk, done));
        }
        let mut draw_layers = |layers: &mut OverdrawLayers, marks: &mut OverdrawMarks| {
            for chunk in layers.chunks(shared.rate) {
                shared.draw_chunk(planes, options, chunk, done)?;
            }
            layers.clear();
            marks.next();
            Ok(())
        };
        for &block in passed.iter() {
            let layer = match marks.insert(&block) {
                Some(layer) => layer,
                None => {
                    draw_layers(layers, marks)?;
                    marks.insert(&block).unwrap_or_default()
                }
            };
            layers.add(block, layer);
        }
        draw_layers(layers, marks)
    }
}

impl Shared<'_, '_> {
    /// Draws quads of different places, or whose colours do not depend on what is there.
    fn draw_chunk(
        &self,
        planes: &mut Planes,
        options: &RunOptions,
        chunk: Chunk,
        done: &mut WorkerResult,
    ) -> Result<(), RunError> {
        let Shared { state, pixels, buffers, key, colours, compiled, copies, primitives, .. } = *self;
        let prefetches = compiled.kernels().and_then(Option::as_ref).map_or(&[][..], |kernel| &kernel.prefetches);
        let transfer = Transfer { state, pixels, buffers, key, primitives, chunk, prefetches };
        if let Some([mut inputs, _]) = planes.words() {
            match chunk.rate {
                ShadingRate::Quads => transfer.lay_out(&mut inputs),
                ShadingRate::Pixels => DrawnPixels { state, primitives, chunk }.lay_out(&mut inputs),
            }
        }
        compiled.run(&TileJob { state, key, copies, planes, extent: chunk.extent() }, options)?;
        if let Some([inputs, results]) = planes.words() {
            if key.is_tested {
                Storing { buffers, key, colours, chunk, results: &results }.store();
            } else {
                done.counts.add_pixels(transfer.store(&inputs, &results));
            }
        }
        done.quads += match chunk.rate {
            ShadingRate::Quads => chunk.count as u64,
            // As many as there are at least.
            ShadingRate::Pixels => chunk.count as u64 / 4,
        };
        Ok(())
    }
}
