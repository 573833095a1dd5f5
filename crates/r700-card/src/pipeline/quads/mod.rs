//! Quads of pixels with one sample, many together: found for many primitives, then tested, shaded and stored in bands of rows that threads share.
//! All is the same as what [`Shading`](super::shading::Shading) does with each pixel by itself.

mod colour;
mod depth;
mod direct;
mod surface;
#[cfg(test)]
mod tests;
mod values;
mod worker;

pub use direct::Piece;
pub use surface::{KeptPlaces, Squares};

use super::inputs::{Face, Placed};
use super::pixels::GRID;
use super::samples::Samples;
use super::stage::{PixelStage, ShadedPrimitive};
use super::workspace::{Plan, Workspace};
use super::{DrawError, Means};
use crate::state::State;
use ctm_card::Counts;
use ctm_engine::{Executor, Workers};
use ctm_lane::clock::Instant;
use ctm_lane::run::RunOptions;
use ctm_raster::coverage::{Shape, quad_spans};
use ctm_raster::grid::Rect;
use ctm_raster::plane::Setup;
use direct::{Part, Rectangle};
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
    /// Whether rectangles of many pixels are drawn as such, and a primitive that may be half of one; what was found comes before it.
    is_direct: bool,
    half: Option<Part>,
    counts: Counts,
}

/// Pixels around a shape, inside of `clip`.
fn around(shape: &Shape, clip: &Rect) -> u64 {
    let pixel = |place: i64| place.div_euclid(GRID.per_pixel).clamp(0, u32::MAX.into()) as u32;
    let (low, high) = shape.bounds();
    let columns = pixel(high.x).saturating_add(1).min(clip.right).saturating_sub(pixel(low.x).max(clip.left));
    let rows = pixel(high.y).saturating_add(1).min(clip.bottom).saturating_sub(pixel(low.y).max(clip.top));
    u64::from(columns) * u64::from(rows)
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
        Ok(Quads {
            means,
            is_direct: direct::is_possible(&stage),
            stage,
            workspace,
            workers,
            primitives: Vec::new(),
            found: Vec::new(),
            half: None,
            counts: Counts::default(),
        })
    }

    /// Columns and rows that all targets and the depth buffer have; `None` if there are none.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.stage.size()
    }

    /// Draws the pixels inside of `clip` that a shape covers, with planes through three places, of which `setup` is.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn polygon(
        &mut self,
        shape: &Shape,
        clip: &Rect,
        face: &Face,
        setup: Setup,
        corners: [&Placed; 3],
    ) -> Result<(), DrawError> {
        let primitive = ShadedPrimitive::of(&self.stage.inputs, face, setup, corners);
        let mut rows = quad_spans(GRID, shape, clip, GRID.pixel_centre(0, 0));
        if !self.is_direct || around(shape, clip) < direct::LEAST {
            self.draw_half()?;
            self.begin(primitive);
            return rows.try_for_each(|(y, rows)| self.rows(y, &rows));
        }
        let rows = rows.flat_map(|(y, [upper, lower])| [(y, upper), (y + 1, lower)]);
        let mut part = Part { rows: rows.filter(|(_, columns)| !columns.is_empty()).collect(), primitive };
        let mut rectangle = None;
        if let Some(half) = self.half.take() {
            rectangle = half.with(&part);
            if rectangle.is_none() {
                self.draw_part(half)?;
            }
        }
        match rectangle.or_else(|| part.rectangle()) {
            Some(rectangle) => self.draw_rectangle(&rectangle),
            None => {
                part.rows.shrink_to_fit();
                self.half = Some(part);
                Ok(())
            }
        }
    }

    /// Draws the primitive that waits for its other half by quads.
    fn draw_half(&mut self) -> Result<(), DrawError> {
        self.half.take().map_or(Ok(()), |half| self.draw_part(half))
    }

    fn draw_part(&mut self, part: Part) -> Result<(), DrawError> {
        self.begin(part.primitive);
        for pair in part.rows.chunk_by(|(one, _), (other, _)| one / 2 == other / 2) {
            let mut rows = [0..0, 0..0];
            pair.iter().for_each(|(y, columns)| rows[*y as usize % 2] = columns.clone());
            self.rows(pair[0].0 & !1, &rows)?;
        }
        Ok(())
    }

    /// Draws a rectangle behind what was found.
    fn draw_rectangle(&mut self, rectangle: &Rectangle) -> Result<(), DrawError> {
        if !self.found.is_empty() {
            self.draw()?;
        }
        let pixels = rectangle.pixels();
        self.counts.pixels += pixels;
        self.counts.fragments += pixels;
        self.counts.passed += pixels;
        let quads = usize::try_from(pixels / 4).unwrap_or(usize::MAX);
        self.spread(quads, |worker, shared, share| worker.draw_rectangle(shared, rectangle, share))
    }

    /// The quads of this primitive come next.
    fn begin(&mut self, primitive: ShadedPrimitive) {
        match self.found.last() {
            None => self.primitives.clear(),
            // Of one that covers nothing nothing is kept.
            Some(found) => self.primitives.truncate(found.primitive as usize + 1),
        }
        self.primitives.push(primitive);
    }

    /// The primitive covers these columns of row `y`, which is even, and of the next one.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    fn rows(&mut self, y: u32, rows: &[Range<u32>; 2]) -> Result<(), DrawError> {
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
        let done = self.spread(self.found.len(), |worker, shared, share| worker.draw(shared, share));
        self.found.clear();
        // Of the primitives that is left that is drawn.
        self.primitives.drain(..self.primitives.len().saturating_sub(1));
        done
    }

    /// Has threads do what there is to do for so many quads.
    fn spread(
        &self,
        quads: usize,
        draw: impl Fn(&mut Worker, &Shared, u32) -> Result<(), DrawError> + Sync,
    ) -> Result<(), DrawError> {
        let means = self.means;
        if means.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let pool = threads(means);
        let pieces = (quads / QUADS_PER_THREAD) as u64;
        let count = pool.map_or(1, |pool| pool.threads(means.options.threads, pieces)).min(self.workers.len());
        let worth = quads >= QUADS_WORTH_PLACES;
        let placed = |squares: Squares<'a>| means.scratch.with_places(squares, worth);
        let depth = self.stage.depth.as_ref().map(|depth| placed(depth.squares()));
        let targets = self.stage.targets.iter().map(|target| placed(target.squares()));
        let shared = Shared {
            stage: &self.stage,
            depth: depth.as_ref(),
            targets: &targets.collect::<Vec<_>>(),
            primitives: &self.primitives,
            found: &self.found,
            executor: means.executor_of(self.stage.program.hash, 4 * quads as u64),
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
                if let Err(error) = draw(&mut worker, &shared, share) {
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
        self.draw_half()?;
        if !self.found.is_empty() {
            self.draw()?;
        }
        let passed = |worker: Mutex<Worker>| worker.into_inner().unwrap_or_else(PoisonError::into_inner).passed;
        let passed = self.workers.into_iter().map(passed).sum::<u64>();
        Ok(Counts { passed: self.counts.passed + passed, ..self.counts })
    }
}
