//! Many pixels together: primitives are collected by the tiles of the framebuffer that they touch, and drawn tile by tile, which
//! threads share, in blocks of eight columns and two rows. All is the same as what [`Shading`](super::shading::Shading) does with each pixel by itself.

mod copying;
mod fills;
mod rectangle_stores;
mod rectangles;
mod surface_variant;
#[cfg(test)]
mod tests;
mod worker;

pub use copying::{CopyRows, FormatAverage};
pub use rectangles::{Piece, Rectangle};
pub use surface_variant::SurfaceVariant;

use super::attributes::{Gradients, PrimitiveContext, PrimitiveSource, SetupVertex, depth_over};
use super::bindings::has_own_alone;
use super::context::{CompiledProgram, is_safe, kernels};
use super::draw_memory::{DrawMemory, DrawMemoryBuilder};
use super::pixels::GRID;
use super::samples::Samples;
use super::stage::{PixelStage, ShadedPrimitive};
use super::targets::ColourTarget;
use super::{DrawContext, DrawError};
use crate::layout::{Layout, SurfaceQuads};
use crate::state::State;
use ctm_card::{DrawCounts, SlowPath};
use ctm_engine::{Executor, Workers};
use ctm_lane::clock::Instant;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::Space;
use ctm_pipeline::{Components, Family, PixelCounts, Primitive, Primitives, Rules, TileDraw, allows_pixels, spread};
use ctm_r700::Job;
use ctm_raster::coverage::{ConvexPolygon, area, quad_spans};
use ctm_raster::covered::ShadingRate;
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Grid, Point, Rect};
use ctm_raster::plane::PrimitiveSetup;
use ctm_raster::simd::dispatch;
use ctm_raster::tiles::{self, Tiles};
use fills::FillRectangle;
use rectangles::PendingHalf;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use worker::{Share, Shared, Worker};

/// The cards of this family.
pub enum R700 {}

impl Family for R700 {
    const GRID: Grid = GRID;
    type Values = Gradients;
    type Target<'a> = ColourTarget<'a>;
    type Layout = Layout;
}

/// Quads from which on another thread is worth it.
const QUADS_PER_THREAD: usize = 512;
/// Quads from which on it is worth it to find out where those of all columns and rows lie.
const QUADS_WORTH_PLACES: usize = 1024;
/// Threads at most.
const THREADS: usize = 32;
/// Parts that a rectangle is drawn in, for each thread.
const SHARES_PER_THREAD: u32 = 4;
/// Columns and rows that scissors have at most.
const MOST: u32 = 1 << 14;

/// A primitive that may be half of a rectangle.
struct LargePrimitive {
    /// What it covers.
    shape: ConvexPolygon,
    /// The pixels that may be covered.
    area: Rect,
    /// What is drawn of it.
    shaded: ShadedPrimitive,
}

/// What the quads of a draw need.
pub struct TileRenderer<'a> {
    context: &'a DrawContext<'a>,
    stage: PixelStage<'a>,
    draw_memory: DrawMemory<'a>,
    workers: Vec<Mutex<Worker>>,
    /// The primitives that wait, and the tiles that they touch.
    primitives: Primitives<Gradients>,
    tiles: Tiles,
    /// Pixels around them.
    around: u64,
    /// Whether rectangles of many pixels are drawn as such, and a primitive that may be half of one; what waits comes before it.
    takes_rectangles: bool,
    /// Whether those are filled that have one colour and one depth.
    fills: bool,
    half: Option<PendingHalf>,
    /// Nothing that programs read was copied.
    is_in_place: bool,
    counts: DrawCounts,
}

/// Pixels of a part of the framebuffer.
fn pixels_of(area: Rect) -> u64 {
    u64::from(area.right.saturating_sub(area.left)) * u64::from(area.bottom.saturating_sub(area.top))
}

/// The side of a primitive that is seen.
fn facing(front: bool) -> Facing {
    if front { Facing::Front } else { Facing::Back }
}

/// Quads of so many pixels.
fn quads_of(pixels: u64) -> usize {
    usize::try_from(pixels / 4).unwrap_or(usize::MAX)
}

/// The threads that draws share, if there are more than one.
fn threads<'m>(context: &DrawContext<'m>) -> Option<&'m Workers> {
    match context.executor {
        Executor::Reference => None,
        Executor::Engine(engine) => Some(engine.runtime().workers()),
    }
}

impl<'a> TileRenderer<'a> {
    /// Of the state; `None` where it matters in which order pixels are drawn.
    ///
    /// # Errors
    /// Something that it needs is not there, or not executed.
    pub fn of(state: &State, context: &'a DrawContext<'a>, samples: Samples) -> Result<Option<Self>, DrawError> {
        let mut builder = DrawMemoryBuilder::new(context.cache, context.memory);
        let stage = PixelStage::of(state, context, samples, &mut builder)?;
        if !stage.is_apart() {
            return Ok(None);
        }
        let threads = threads(context).map_or(1, |workers| workers.threads(context.options.threads, THREADS as u64));
        let mut worker = || {
            let lines = stage.lines(&mut builder)?;
            let regions = stage.regions(rectangles::PIECE_PIXELS as usize / 4, &mut builder)?;
            Ok(Mutex::new(Worker::new(regions, lines, context.cache.take_tile_worker())))
        };
        let workers = (0..threads).map(|_| worker()).collect::<Result<_, DrawError>>()?;
        let is_in_place = !builder.has_copies();
        let draw_memory = builder.make()?;
        Ok(Some(TileRenderer {
            context,
            takes_rectangles: rectangles::is_possible(&stage),
            fills: fills::is_possible(&stage),
            stage,
            draw_memory,
            workers,
            primitives: context.cache.take_primitives(),
            tiles: context.cache.take_tiles(),
            around: 0,
            half: None,
            is_in_place,
            counts: DrawCounts::default(),
        }))
    }

    /// Columns and rows that all targets and the depth buffer have; `None` if there are none.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.stage.size()
    }

    /// The addresses that are written to, if what waits may be drawn later: the program does not stop, and registers of pixels alone say what it reads.
    pub fn written_later(&self) -> Option<Vec<Range<u64>>> {
        let stage = &self.stage;
        let is_fixed =
            self.is_in_place && self.context.cache.is_safe(stage.program.hash) && has_own_alone(&stage.program);
        is_fixed.then(|| stage.written())
    }

    /// Draws the pixels inside of `clip` that a shape covers, with planes through three places, of which `setup` is.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn polygon(
        &mut self,
        shape: &ConvexPolygon,
        clip: &Rect,
        face: &PrimitiveContext,
        setup: PrimitiveSetup,
        corners: [&SetupVertex; 3],
    ) -> Result<(), DrawError> {
        let area = area(GRID, shape, *clip);
        if area.is_empty() {
            return Ok(());
        }
        if !(self.takes_rectangles || self.fills) || pixels_of(area) < rectangles::LEAST {
            return self.add_small(shape, area, face, setup, corners);
        }
        let shaded = ShadedPrimitive::of(&self.stage.inputs, face, setup, corners);
        if !self.takes_rectangles && !shaded.gradients.are_constant() {
            return self.add_small(shape, area, face, setup, corners);
        }
        let primitive = LargePrimitive { shape: shape.clone(), area, shaded };
        let rows = |place: &Point| {
            let rows =
                quad_spans(GRID, shape, clip, *place).flat_map(|(y, [upper, lower])| [(y, upper), (y + 1, lower)]);
            rows.filter(|(_, columns)| !columns.is_empty()).collect()
        };
        let part = PendingHalf { rows: self.stage.samples.tested().iter().map(rows).collect(), primitive };
        let half = self.half.take();
        let is_filled = |rectangle: &Rectangle| rectangle.is_constant() && self.filled().is_some();
        let is_taken = |rectangle: &Rectangle| self.takes_rectangles || is_filled(rectangle);
        let rectangle = half.as_ref().and_then(|half| half.with(&part)).filter(is_taken);
        let whole = if rectangle.is_none() { part.rectangle().filter(is_taken) } else { None };
        if let Some(half) = half.filter(|_| rectangle.is_none()) {
            self.add(half.primitive)?;
        }
        match rectangle.or(whole) {
            Some(rectangle) => self.draw_rectangle(&rectangle),
            None => {
                self.half = Some(part);
                Ok(())
            }
        }
    }

    /// Collects a primitive that is no half of a rectangle.
    fn add_small(
        &mut self,
        shape: &ConvexPolygon,
        area: Rect,
        face: &PrimitiveContext,
        setup: PrimitiveSetup,
        corners: [&SetupVertex; 3],
    ) -> Result<(), DrawError> {
        self.draw_half()?;
        self.begin(area)?;
        let stage = &self.stage;
        let has_centroids = stage.samples.count() > 1 && !stage.samples.iterates;
        let source = PrimitiveSource { inputs: &stage.inputs, has_centroids, face, setup, corners };
        let components = self.primitives.add_components(&source);
        self.primitives.all.push(Primitive {
            shape: shape.clone(),
            area,
            shown: None,
            origin: setup.origin(),
            depth: depth_over(face, &setup, corners),
            range: face.depths,
            facing: facing(face.front),
            layer: face.layer,
            components,
        });
        Ok(())
    }

    /// Whether a sample of pixels is drawn to.
    fn is_drawn(&self) -> bool {
        self.stage.samples.mask() != 0
    }

    /// Collects the primitive that waits for its other half.
    fn draw_half(&mut self) -> Result<(), DrawError> {
        self.half.take().map_or(Ok(()), |half| self.add(half.primitive))
    }

    /// Collects a primitive.
    fn add(&mut self, LargePrimitive { shape, area, shaded }: LargePrimitive) -> Result<(), DrawError> {
        self.begin(area)?;
        let ShadedPrimitive { gradients, front, layer, range } = shaded;
        self.primitives.all.push(Primitive {
            shape,
            area,
            shown: None,
            origin: gradients.perspective.setup().origin(),
            depth: gradients.depth,
            range,
            facing: facing(front),
            layer,
            components: Components::Values(self.primitives.values.len()),
        });
        self.primitives.values.push(gradients);
        Ok(())
    }

    /// Begins to collect a primitive that may cover these pixels, which is added next.
    fn begin(&mut self, area: Rect) -> Result<(), DrawError> {
        if self.primitives.are_full() {
            self.draw()?;
        }
        if self.primitives.all.is_empty() {
            let [right, bottom] = self.stage.size().unwrap_or([MOST; 2]);
            let size = tiles::size_of(self.stage.samples.count() as usize);
            self.tiles.begin(Rect { left: 0, top: 0, right: right.min(MOST), bottom: bottom.min(MOST) }, size);
        }
        self.around += pixels_of(area);
        self.tiles.add(area, self.primitives.all.len() as u16);
        Ok(())
    }

    /// Draws a rectangle after what waits.
    fn draw_rectangle(&mut self, rectangle: &Rectangle) -> Result<(), DrawError> {
        self.draw()?;
        if rectangle.is_constant()
            && let Some(surfaces) = self.filled()
        {
            return self.fill(rectangle, &surfaces);
        }
        let pixels = rectangle.pixels();
        self.counts.pixels += pixels;
        self.counts.fragments += pixels;
        self.counts.passed += pixels;
        let bound = self.bound(rectangle)?;
        let (stage, bound) = (&self.stage, bound.as_ref());
        let job = |worker: &Worker, space| stage.job_of_rectangle(&worker.regions, (rectangle, bound), space);
        let compiled = self.compiled(self.context.executor_of(stage.program.hash, pixels), &job)?;
        let shares = |threads: usize| if threads > 1 { threads as u32 * SHARES_PER_THREAD } else { 1 };
        let how = (compiled, ShadingRate::Quads);
        if bound.is_some_and(|bound| bound.colours.is_some()) {
            return self.spread(pixels, shares, how, job, |_, share, number| share.run_strip(rectangle, number));
        }
        let exports_all = bound.is_some_and(|bound| bound.exports_all);
        self.spread(pixels, shares, how, job, |worker, share, number| {
            worker.draw_rectangle(share, (rectangle, exports_all), number)
        })
    }

    /// The depth buffer and the targets, in this order, each sample by sample, if rectangles that have one colour and one depth are filled.
    fn filled(&self) -> Option<Vec<Vec<SurfaceQuads<'a>>>> {
        if !self.fills {
            return None;
        }
        let placed = |quads| self.context.cache.with_places(quads, true);
        let depth = self.stage.depth.as_ref().map(|depth| depth.surface.sample_quads(placed));
        let targets = self.stage.targets.iter().map(|target| target.surface.sample_quads(placed));
        let all: Vec<_> = depth.into_iter().chain(targets).collect();
        all.iter().flatten().all(|surface_quads| surface_quads.blocks().is_some()).then_some(all)
    }

    /// Fills a rectangle that has one colour and one depth in these surfaces, after what waits.
    fn fill(&mut self, rectangle: &Rectangle, surfaces: &[Vec<SurfaceQuads>]) -> Result<(), DrawError> {
        let (context, stage, arena) = (self.context, &self.stage, self.draw_memory.arena());
        let (Some(worker), Some(quad)) = (self.workers.first(), Domain::of_size(2, 2)) else { return Ok(()) };
        let Worker { regions, .. } = &*worker.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = Vec::new();
        if let (Some(buffer), Some((depth, range))) = (&stage.depth, rectangle.depth) {
            words.push(buffer.filled(depth, range, facing(rectangle.front)).unwrap_or_default());
        }
        if !stage.targets.is_empty()
            && let Some(mut job) = stage.job_of_rectangle(regions, (rectangle, None), self.draw_memory.space())
        {
            job.lanes = quad.into();
            regions.clear_words(arena, 1);
            context.run(&job, stage.program.hash)?;
        }
        for target in &stage.targets {
            let colour = regions.output(target.output).map(|region| self.draw_memory.vector(region, 0));
            words.push((target.surface.format.encode(colour.unwrap_or_default())[0], target.written[0]));
        }
        let drawn = stage.samples.mask();
        for (samples, (word, mask)) in surfaces.iter().zip(words).filter(|(_, (_, mask))| *mask != 0) {
            for (_, surface_quads) in samples.iter().enumerate().filter(|(sample, _)| drawn >> sample & 1 != 0) {
                let Some(blocks) = surface_quads.blocks() else { continue };
                dispatch(FillRectangle { rectangle, surface_quads, blocks, word, mask });
            }
        }
        let pixels = rectangle.pixels();
        self.counts.pixels += pixels;
        self.counts.fragments += pixels;
        self.counts.passed += pixels * u64::from(drawn.count_ones());
        Ok(())
    }

    /// Draws what waits.
    fn draw(&mut self) -> Result<(), DrawError> {
        if self.primitives.all.is_empty() {
            return Ok(());
        }
        let done = self.draw_tiles();
        self.primitives.clear();
        self.tiles.clear();
        self.around = 0;
        done
    }

    /// Draws the tiles with primitives.
    fn draw_tiles(&self) -> Result<(), DrawError> {
        // Of what is around a triangle it covers half.
        let (pixels, stage) = (self.around / 2, &self.stage);
        let executor = self.context.executor_of(self.stage.program.hash, pixels);
        let shares = |_| self.tiles.touched() as u32;
        let mut bindings = None;
        let mut rate = ShadingRate::Quads;
        // Of pixels by themselves it is not known which of several samples are covered.
        let takes_pixels = stage.samples.count() == 1 || !stage.inputs.depend_on_coverage();
        if quads_of(pixels) >= QUADS_WORTH_PLACES
            && takes_pixels
            && allows_pixels(&stage.rules.of_tiles(), stage.targets.iter())
        {
            bindings = self.bindings_of_pixels(pixels);
            rate = ShadingRate::Pixels;
        }
        let bindings = bindings.as_ref().unwrap_or(&stage.bindings);
        let job = |worker: &Worker, space| stage.job_of_lines(&worker.lines, bindings, space);
        let compiled = self.compiled(executor, &job)?;
        if !compiled.as_ref().is_some_and(worker::is_by_pixels) {
            rate = ShadingRate::Quads;
        }
        self.spread(pixels, shares, (compiled, rate), job, |worker, share, tile| worker.draw_tile(share, tile))
    }

    /// What executes the program. What that depends on is the same for all threads and runs: it is looked up once.
    fn compiled<'s>(
        &'s self,
        executor: Option<&Executor>,
        job: &impl Fn(&Worker, &'s Space) -> Option<Job<'s>>,
    ) -> Result<Option<CompiledProgram>, DrawError> {
        let Some((executor, worker)) = executor.zip(self.workers.first()) else {
            self.context.slow.add(SlowPath::FewPixels);
            return Ok(None);
        };
        let worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = job(&worker, self.draw_memory.space()).map(|job| executor.compile(&job)).transpose()?;
        if compiled.as_ref().is_some_and(|compiled| is_safe(compiled, &self.context.options)) {
            self.context.cache.note_safe(self.stage.program.hash);
        }
        if compiled.as_ref().and_then(kernels).is_none() {
            self.context.slow.add(match self.context.executor {
                Executor::Reference => SlowPath::NoEngine,
                Executor::Engine(_) => SlowPath::NotCompiled,
            });
        }
        Ok(compiled)
    }

    /// Has threads draw the shares that there are of so many pixels, with a job for each thread.
    fn spread<'s>(
        &'s self,
        pixels: u64,
        shares: impl Fn(usize) -> u32,
        (compiled, rate): (Option<CompiledProgram>, ShadingRate),
        job: impl Fn(&Worker, &'s Space) -> Option<Job<'s>> + Sync,
        draw: impl Fn(&mut Worker, &mut Share, u32) -> Result<(), DrawError> + Sync,
    ) -> Result<(), DrawError> {
        let (context, stage) = (self.context, &self.stage);
        if context.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let pool = threads(context);
        let quads = quads_of(pixels);
        let pieces = (quads / QUADS_PER_THREAD) as u64;
        let count = pool.map_or(1, |pool| pool.threads(context.options.threads, pieces)).min(self.workers.len());
        let worth = quads >= QUADS_WORTH_PLACES;
        let placed = |quads: SurfaceQuads<'a>| context.cache.with_places(quads, worth);
        let targets: Vec<_> =
            stage.targets.iter().map(|target| (target, target.surface.sample_quads(placed))).collect();
        let is_drawn = self.is_drawn();
        let rules = stage.rules.of_tiles();
        let shared = Shared {
            stage,
            draw: TileDraw {
                primitives: &self.primitives,
                tiles: &self.tiles,
                components: 4 * stage.inputs.registers().len(),
                samples: stage.samples.pattern(),
                shown: None,
                depth: stage
                    .depth
                    .as_ref()
                    .filter(|_| is_drawn)
                    .map(|depth| depth.tests(depth.surface.sample_quads(placed))),
                targets: &targets,
                // Where no sample is drawn to, pixels are only counted.
                rules: if is_drawn { rules } else { Rules { early: true, runs: false, ..rules } },
                rate,
            },
            compiled,
            options: RunOptions { threads: 1, ..context.options },
            arena: self.draw_memory.arena(),
            shares: shares(count),
        };
        let space = self.draw_memory.space();
        let begin = |thread, worker: &Worker| Some(Share::new(&shared, (job(worker, space)?, thread == 0), worker));
        spread(pool, &self.workers[..count], shared.shares, begin, draw)
    }

    /// Draws what waits, and gives what was done.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn finish(mut self) -> Result<DrawCounts, DrawError> {
        self.draw_half()?;
        self.draw()?;
        let is_drawn = self.is_drawn();
        let cache = self.context.cache;
        cache.give_primitives_back(self.primitives);
        cache.give_tiles_back(self.tiles);
        let mut counts = self.counts;
        for worker in self.workers {
            let worker = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
            let PixelCounts { covered, drawn, passed, .. } = worker.counts;
            let (fragments, passed) = if is_drawn { (drawn, passed) } else { (0, 0) };
            counts.add_pixels(DrawCounts { pixels: covered, fragments, passed, ..DrawCounts::default() });
            cache.give_tile_worker_back(worker.tiles);
        }
        Ok(counts)
    }
}
