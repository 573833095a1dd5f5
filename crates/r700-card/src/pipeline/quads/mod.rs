//! Quads of pixels with one sample, many together: found for many primitives, then tested, shaded and stored in bands of rows that threads share.
//! All is the same as what [`Shading`](super::shading::Shading) does with each pixel by itself.

mod colour;
mod depth;
mod surface;
#[cfg(test)]
mod tests;
mod values;
mod worker;

pub use surface::{KeptPlaces, Squares};

use super::inputs::{Face, Placed};
use super::samples::Samples;
use super::stage::{PixelStage, ShadedPrimitive};
use super::workspace::{Plan, Workspace};
use super::{DrawError, Means};
use crate::state::State;
use ctm_card::Counts;
use ctm_engine::{Executor, Workers};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_raster::plane::Setup;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use worker::{Shared, Worker};

/// Quads that the program runs for together.
const QUADS: usize = 1024;
/// Quads that are found before they are drawn.
const FOUND: usize = 1 << 14;
/// Quads from which on another thread is worth it.
const QUADS_PER_THREAD: usize = 512;
/// Quads from which on it is worth it to find out where those of all columns and rows lie.
const QUADS_WORTH_PLACES: usize = 1024;
/// Threads at most.
const THREADS: usize = 32;
/// Parts that bands of rows are drawn in, for each thread.
const SHARES_PER_THREAD: u32 = 4;

/// A quad of pixels that a primitive covers some of.
#[derive(Clone, Copy)]
struct Found {
    /// Its upper left pixel.
    corner: (u32, u32),
    /// The number of its primitive.
    primitive: u32,
    /// The layer that it is drawn to.
    layer: u16,
    /// Bit n: its pixel n is covered, row by row.
    covered: u8,
}

/// What the quads of a draw need.
pub struct Quads<'a> {
    means: &'a Means<'a>,
    stage: PixelStage<'a>,
    workspace: Workspace<'a>,
    workers: Vec<Mutex<Worker>>,
    /// The primitives of the quads that were found; the last one is drawn.
    primitives: Vec<ShadedPrimitive>,
    found: Vec<Found>,
    counts: Counts,
}

/// The threads that draws share, if there are more than one.
fn threads<'m>(means: &Means<'m>) -> Option<&'m Workers> {
    match means.executor {
        Executor::Reference => None,
        Executor::Engine(engine) => Some(engine.runtime().workers()),
    }
}

impl<'a> Quads<'a> {
    /// Of the state, for pixels of one sample.
    ///
    /// # Errors
    /// Something that it needs is not there, or not executed.
    pub fn of(state: &State, means: &'a Means<'a>, samples: Samples) -> Result<Self, DrawError> {
        let mut plan = Plan::new(means.scratch, means.memory);
        let stage = PixelStage::of(state, means, samples, &mut plan)?;
        let threads = threads(means).map_or(1, |workers| workers.threads(means.options.threads, THREADS as u64));
        let workers = (0..threads).map(|_| Ok(Mutex::new(Worker::new(stage.regions(QUADS, &mut plan)?))));
        let workers = workers.collect::<Result<_, DrawError>>()?;
        let workspace = plan.make()?;
        let (primitives, found) = (Vec::new(), Vec::new());
        Ok(Quads { means, stage, workspace, workers, primitives, found, counts: Counts::default() })
    }

    /// Columns and rows that all targets and the depth buffer have; `None` if there are none.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.stage.size()
    }

    /// The quads of this primitive come next.
    pub fn begin(&mut self, face: &Face, setup: Setup, corners: [&Placed; 3]) {
        match self.found.last() {
            None => self.primitives.clear(),
            // Of one that covers nothing nothing is kept.
            Some(found) => self.primitives.truncate(found.primitive as usize + 1),
        }
        self.primitives.push(ShadedPrimitive::of(&self.stage.inputs, face, setup, corners));
    }

    /// The primitive covers these columns of row `y`, which is even, and of the next one.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn rows(&mut self, y: u32, rows: &[Range<u32>; 2]) -> Result<(), DrawError> {
        let covered = || rows.iter().filter(|row| !row.is_empty());
        let pixels = covered().map(|row| u64::from(row.end - row.start)).sum::<u64>();
        self.counts.pixels += pixels;
        if self.stage.samples.mask() & 1 == 0 {
            return Ok(());
        }
        self.counts.fragments += pixels;
        let first = covered().map(|row| row.start & !1).min().unwrap_or_default();
        let end = covered().map(|row| row.end).max().unwrap_or_default();
        let primitive = self.primitives.len().saturating_sub(1) as u32;
        // Surfaces have fewer slices.
        let layer = self.primitives.last().map_or(0, |primitive| primitive.layer.min(u16::MAX.into())) as u16;
        let inside = |row: usize, x: u32| u8::from(rows[row].contains(&x));
        for x in (first..end).step_by(2) {
            let covered = inside(0, x) | inside(0, x + 1) << 1 | inside(1, x) << 2 | inside(1, x + 1) << 3;
            if covered != 0 {
                self.found.push(Found { corner: (x, y), primitive, layer, covered });
            }
        }
        if self.found.len() >= FOUND { self.draw() } else { Ok(()) }
    }

    /// Draws what was found.
    fn draw(&mut self) -> Result<(), DrawError> {
        let means = self.means;
        if means.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let pool = threads(means);
        let pieces = (self.found.len() / QUADS_PER_THREAD) as u64;
        let count = pool.map_or(1, |pool| pool.threads(means.options.threads, pieces)).min(self.workers.len());
        let worth = self.found.len() >= QUADS_WORTH_PLACES;
        let placed = |squares: Squares<'a>| means.scratch.with_places(squares, worth);
        let depth = self.stage.depth.as_ref().map(|depth| placed(depth.squares()));
        let targets = self.stage.targets.iter().map(|target| placed(target.squares()));
        let shared = Shared {
            stage: &self.stage,
            depth: depth.as_ref(),
            targets: &targets.collect::<Vec<_>>(),
            primitives: &self.primitives,
            found: &self.found,
            executor: means.executor_of(self.stage.program.hash, 4 * self.found.len() as u64),
            options: RunOptions { threads: 1, ..means.options },
            arena: self.workspace.arena(),
            space: self.workspace.space(),
            shares: if count > 1 { count as u32 * SHARES_PER_THREAD } else { 1 },
        };
        let next = AtomicU32::new(0);
        let failure = Mutex::new(None);
        let workers = &self.workers;
        let work = |thread: usize| {
            let Some(worker) = workers.get(thread) else { return };
            let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let share = next.fetch_add(1, Relaxed);
                if share >= shared.shares {
                    break;
                }
                if let Err(error) = worker.draw(&shared, share) {
                    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    // Whichever thread comes first, it is the same one.
                    if failure.as_ref().is_none_or(|&(other, _)| share < other) {
                        *failure = Some((share, error));
                    }
                }
            }
        };
        match pool.filter(|_| count > 1) {
            Some(pool) => pool.run(count, work, || {}),
            None => work(0),
        }
        self.found.clear();
        // Of the primitives that is left that is drawn.
        self.primitives.drain(..self.primitives.len().saturating_sub(1));
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Draws what was found last, and gives what was done.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn finish(mut self) -> Result<Counts, DrawError> {
        if !self.found.is_empty() {
            self.draw()?;
        }
        let passed = |worker: Mutex<Worker>| worker.into_inner().unwrap_or_else(PoisonError::into_inner).passed;
        Ok(Counts { passed: self.workers.into_iter().map(passed).sum(), ..self.counts })
    }
}
