//! Many pixels together: primitives wait in the tiles of the target that they touch, and threads draw these, in blocks. All is the same as what is done
//! quad by quad.

mod program;
mod source;
mod target;

use super::colour::ColourTarget;
use super::depth::DepthTest;
use super::fragments::{FragmentState, Outputs, TARGETS};
use super::primitives::{Face, GRID};
use super::program::FragmentProgram;
use super::target::TargetSurface;
use crate::context::DrawContext;
use crate::tiles::{LineValues, TargetLayout, TileMemory};
use ctm_card::SlowPath;
use ctm_lane::budget::Halt;
use ctm_lane::run::RunOptions;
use ctm_pipeline::{
    AlphaTest, Lines, PixelCounts, Primitive, Primitives, Rules, SamplePattern, Shown, SurfaceQuads, TargetQuads,
    TileDraw, TileWorker, allows_pixels, spread,
};
use ctm_raster::coverage::{ConvexPolygon, area};
use ctm_raster::covered::ShadingRate;
use ctm_raster::depth::Facing;
use ctm_raster::grid::Rect;
use ctm_raster::tiles::{self, Tiles};
use ctm_sm50::AttributeMap;
use ctm_sm50::engine::LineProgram;
use ctm_sm50::launch::{Environment, Invocations, StageLaunch, Stop};
use ctm_sm50::pipeline::inputs::{Covering, Inputs};
use program::{LinePlan, ThreadLines, ThreadProgram};
use source::{Component, PrimitiveSource};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use target::{Gm107, TileTarget};

/// Quads from which on another thread is worth it.
const QUADS_PER_THREAD: usize = 512;
/// Quads from which on it is worth it to find out where those of all columns and rows lie, and to leave pixels of quads out that are not drawn.
const MANY_QUADS: usize = 1024;
/// The number of a colour that the program does not put out: it is 0.
const NO_COLOUR: usize = usize::MAX;
/// Columns and rows of a target at most.
const MOST: u32 = 1 << 14;

/// What is known of a draw.
pub struct TileState<'s, 'a> {
    pub fragments: &'s FragmentState,
    pub outputs: &'s Outputs,
    pub targets: &'s [Option<ColourTarget<'a>>; TARGETS],
    pub depth: Option<&'s DepthTest<'a>>,
    pub program: Option<&'s FragmentProgram>,
    pub environment: &'s Environment<'a>,
    pub inputs: &'s Inputs,
    pub tests_early: bool,
    pub samples: u32,
    /// The layer; `None` if programs say which.
    pub layer: Option<u32>,
}

/// A target, and where its pixels lie.
type PlacedTarget<'a> = (TileTarget<'a>, SurfaceQuads<'a, TargetLayout>);

/// What a thread works with.
struct Thread {
    worker: TileWorker,
    counts: PixelCounts,
}

/// Draws primitives in tiles.
pub struct TileRenderer<'a> {
    context: DrawContext<'a>,
    /// Columns and rows of all targets.
    size: [u32; 2],
    targets: Vec<PlacedTarget<'a>>,
    depth: Option<(DepthTest<'a>, SurfaceQuads<'a, TargetLayout>)>,
    rules: Rules,
    components: Vec<Component>,
    plan: LinePlan,
    primitives: Primitives<LineValues>,
    tiles: Tiles,
    /// Pixels around those that wait.
    around: u64,
    counts: PixelCounts,
}

/// Pixels of a part of a target.
fn pixels_of(area: Rect) -> u64 {
    u64::from(area.right.saturating_sub(area.left)) * u64::from(area.bottom.saturating_sub(area.top))
}

/// Whether ranges have no address in common.
fn are_apart(ranges: &[Range<u64>], read: impl Iterator<Item = Range<u64>>) -> bool {
    let meet = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
    let own = ranges.iter().enumerate().any(|(n, range)| ranges[..n].iter().any(|other| meet(range, other)));
    let mut read = read;
    !own && !read.any(|read| ranges.iter().any(|range| meet(range, &read)))
}

impl<'a> TileRenderer<'a> {
    /// For a draw; `None` if it is drawn quad by quad. Where that is not because pixels are looked at, the context notes why.
    pub fn if_possible(state: &TileState<'_, 'a>, context: &DrawContext<'a>) -> Option<Self> {
        if context.by_quads || context.probe.is_some() {
            return None;
        }
        Self::of(state, context).map_err(|why| context.slow.add(why)).ok()
    }

    /// For a draw.
    ///
    /// # Errors
    /// Why it is drawn quad by quad.
    fn of(state: &TileState<'_, 'a>, context: &DrawContext<'a>) -> Result<Self, SlowPath> {
        let (fragments, program) = (state.fragments, state.program);
        if state.samples > 1 || fragments.mask & 1 == 0 {
            return Err(SlowPath::Samples);
        }
        let lines = match program {
            Some(program) => program.lines.as_deref().ok_or(SlowPath::Program)?,
            None => &[],
        };
        if program.is_some_and(|program| program.samples_by_calls(state.environment)) {
            return Err(SlowPath::Program);
        }
        let layer = state.layer.ok_or(SlowPath::Targets)?;
        let targets = placed_targets(state, layer)?;
        let depth = match state.depth {
            None => None,
            Some(depth) => {
                let quads = depth.surface().quads(layer).ok_or(SlowPath::Tests)?;
                depth.of_tiles(quads.clone()).ok_or(SlowPath::Tests)?;
                Some((depth.clone(), quads))
            }
        };
        let surfaces = targets.iter().map(|(target, _)| target.target.surface());
        let surfaces: Vec<&TargetSurface> = surfaces.chain(depth.iter().map(|(depth, _)| depth.surface())).collect();
        let size = surfaces.first().ok_or(SlowPath::Targets)?.size();
        if surfaces.iter().any(|surface| surface.size() != size) || size.iter().any(|side| *side > MOST) {
            return Err(SlowPath::Targets);
        }
        let written: Vec<Range<u64>> = surfaces.iter().map(|surface| surface.addresses()).collect();
        if !are_apart(&written, program.iter().flat_map(|program| program.read())) {
            return Err(SlowPath::SharedMemory);
        }
        let rules = rules(state, !targets.is_empty());
        let of_targets = targets.iter().flat_map(|(target, _)| [Some(target.output), target.second]);
        let of_alpha = rules.alpha.map(|_| 0);
        let wanted = of_targets.chain([of_alpha]).flatten().filter(|&colour| colour != NO_COLOUR);
        let mut colours: Vec<usize> = wanted.collect();
        colours.sort_unstable();
        colours.dedup();
        let registers = program.filter(|_| rules.runs).map_or(0, |program| program.maps.output_registers());
        let lines = if rules.runs { lines } else { &[] };
        let plan = LinePlan::new(lines, (registers, state.outputs), colours, (!rules.early, rules.kills));
        let mut memory = context.cache.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(TileRenderer {
            context: *context,
            size,
            targets,
            depth,
            rules,
            components: lines.iter().map(|input| Component::of(input, state.inputs)).collect(),
            plan,
            primitives: std::mem::take(&mut memory.primitives),
            tiles: std::mem::take(&mut memory.tiles),
            around: 0,
            counts: PixelCounts::default(),
        })
    }

    /// Adds a primitive that covers pixels of this area, or those of them that are shown; draws what waits if that is much.
    ///
    /// # Errors
    /// The program stops, or the time is up.
    pub fn add(
        &mut self,
        (program, environment): (Option<&FragmentProgram>, &Environment),
        inputs: &Inputs,
        (covering, face): (&Covering, Face),
        (shape, clip): (ConvexPolygon, Rect),
        shown: Option<Box<Shown>>,
    ) -> Result<(), Stop> {
        let area = area(GRID, &shape, clip);
        if area.is_empty() {
            return Ok(());
        }
        if self.primitives.are_full() {
            self.draw(program, environment)?;
        }
        if self.primitives.all.is_empty() {
            let [right, bottom] = self.size;
            self.tiles.begin(Rect { left: 0, top: 0, right, bottom }, tiles::SIZE);
        }
        self.around += pixels_of(area);
        self.tiles.add(area, self.primitives.all.len() as u16);
        let source = PrimitiveSource { components: &self.components, inputs, covering };
        let components = self.primitives.add_components(&source);
        self.primitives.all.push(Primitive {
            shape,
            area,
            shown,
            origin: covering.setup.origin(),
            depth: covering.depth,
            range: covering.depth_range.map(|depth| depth as f32),
            facing: if face.is_front { Facing::Front } else { Facing::Back },
            layer: 0,
            components,
        });
        Ok(())
    }

    /// Draws what waits.
    ///
    /// # Errors
    /// As of [`add`](Self::add).
    fn draw(&mut self, program: Option<&FragmentProgram>, environment: &Environment) -> Result<(), Stop> {
        if self.primitives.all.is_empty() {
            return Ok(());
        }
        let done = self.draw_tiles(program.filter(|_| self.rules.runs), environment);
        self.primitives.clear();
        self.tiles.clear();
        self.around = 0;
        self.counts.add(done?);
        Ok(())
    }

    fn draw_tiles(&self, program: Option<&FragmentProgram>, environment: &Environment) -> Result<PixelCounts, Stop> {
        // Of what is around a triangle it covers half.
        let pixels = self.around / 2;
        let quads = usize::try_from(pixels / 4).unwrap_or(usize::MAX);
        let DrawContext { executor, options, cache, .. } = self.context;
        let pool = executor.workers();
        let pieces = (quads / QUADS_PER_THREAD) as u64;
        let count = pool.map_or(1, |pool| pool.threads(options.threads, pieces)).max(1);
        let lock = || cache.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = lock();
        let lines = memory.take_lines(count as u32 * self.plan.count());
        let lines = lines.ok_or(Halt::Memory { wanted: count as u64 * u64::from(self.plan.count()), limit: 0 })?;
        let threads = take_threads(&mut memory, count);
        let mut placed =
            |quads: &SurfaceQuads<'a, TargetLayout>, worth: bool| quads.clone().with_places(&mut memory.places, worth);
        let worth = quads >= MANY_QUADS;
        let targets: Vec<TargetQuads<Gm107>> =
            self.targets.iter().map(|(target, quads)| (target, vec![placed(quads, worth)])).collect();
        let depth = self.depth.as_ref().and_then(|(depth, quads)| depth.of_tiles(placed(quads, worth)));
        drop(memory);
        let own: Vec<ThreadLines> = (0..count).map(|thread| self.plan.of_thread(thread)).collect();
        let is_flat = program.is_some_and(|program| program.has_flat_colours);
        let pixel_lines: Vec<_> = own.iter().map(|own| own.pixel_lines(&lines, is_flat)).collect();
        let invocations = Invocations { count: 0, columns: None };
        let launch = |thread: usize| {
            let program = program?.shader();
            let own = StageLaunch::new(program, environment, &invocations, AttributeMap::default());
            Some(StageLaunch { lines: Some(pixel_lines.get(thread)?), ..own })
        };
        let options = RunOptions { threads: 1, ..options };
        let prepared = launch(0).map(|launch| executor.prepare(&launch, pixels, &options));
        self.note_slow(prepared.as_ref());
        if count > 1 {
            // What is made when a program is first bound is made once.
            _ = launch(0).zip(prepared.as_ref()).map(|(launch, prepared)| prepared.bind(launch));
        }
        let takes_pixels = worth && self.takes_pixels(prepared.as_ref());
        let places = [GRID.pixel_centre(0, 0)];
        let draw = TileDraw::<Gm107> {
            primitives: &self.primitives,
            tiles: &self.tiles,
            components: self.components.len(),
            samples: SamplePattern { places: &places, are_separate: true, mask: 1, iterates: false },
            shown: None,
            depth,
            targets: &targets,
            rules: self.rules,
            rate: if takes_pixels { ShadingRate::Pixels } else { ShadingRate::Quads },
        };
        let plan = &self.plan;
        let begin = |thread: usize, _: &Thread| {
            let bound = launch(thread).zip(prepared.as_ref()).map(|(launch, prepared)| prepared.bind(launch));
            let lines = if bound.is_some() { plan.lines(&own[thread], lines.arena()) } else { Lines::default() };
            Some(ThreadProgram { bound, lines, options })
        };
        let work = |thread: &mut Thread, program: &mut ThreadProgram, tile: u32| {
            thread.counts.add(thread.worker.draw(&draw, tile as usize, program)?);
            Ok(())
        };
        let done = spread(pool, &threads, self.tiles.touched() as u32, begin, work);
        let mut memory = lock();
        memory.give_lines_back(lines);
        let counts = give_back(&mut memory, threads);
        done.map(|()| counts)
    }

    /// Whether the program may run for the pixels that are drawn and no others.
    fn takes_pixels(&self, prepared: Option<&LineProgram>) -> bool {
        prepared.is_some_and(LineProgram::is_by_lanes)
            && allows_pixels(&self.rules, self.targets.iter().map(|(target, _)| target))
    }

    /// Notes why no machine code runs, if that is so.
    fn note_slow(&self, prepared: Option<&LineProgram>) {
        let Some(prepared) = prepared.filter(|prepared| !prepared.is_compiled()) else { return };
        self.context.slow.add(match self.context.executor.workers() {
            None => SlowPath::NoEngine,
            Some(_) if prepared.is_prepared() => SlowPath::NotCompiled,
            Some(_) => SlowPath::FewPixels,
        });
    }

    /// Draws what waits, and gives what was done.
    ///
    /// # Errors
    /// As of [`add`](Self::add).
    pub fn finish(mut self, program: Option<&FragmentProgram>, environment: &Environment) -> Result<PixelCounts, Stop> {
        self.draw(program, environment)?;
        let mut memory = self.context.cache.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        (memory.primitives, memory.tiles) = (self.primitives, self.tiles);
        Ok(self.counts)
    }
}

/// What so many threads work with.
fn take_threads(memory: &mut TileMemory, count: usize) -> Vec<Mutex<Thread>> {
    let mut thread = || Thread { worker: memory.workers.pop().unwrap_or_default(), counts: PixelCounts::default() };
    (0..count).map(|_| Mutex::new(thread())).collect()
}

/// Gives that back, and says what they have done.
fn give_back(memory: &mut TileMemory, threads: Vec<Mutex<Thread>>) -> PixelCounts {
    let mut all = PixelCounts::default();
    for thread in threads {
        let Thread { worker, counts } = thread.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.add(counts);
        memory.workers.push(worker);
    }
    all
}

/// The targets that get a colour, with their pixels.
fn placed_targets<'a>(state: &TileState<'_, 'a>, layer: u32) -> Result<Vec<PlacedTarget<'a>>, SlowPath> {
    let mut placed = Vec::new();
    for (number, target) in state.targets.iter().enumerate() {
        let Some((target, register)) = target.as_ref().zip(state.outputs.colours[number]) else { continue };
        if state.fragments.clamped >> number & 1 != 0 && !target.clamps() {
            return Err(SlowPath::Targets);
        }
        let quads = target.surface().quads(layer).ok_or(SlowPath::Targets)?;
        let second = target.takes_second().then(|| state.outputs.second.map_or(NO_COLOUR, |first| first as usize / 4));
        placed.push((TileTarget { target: target.clone(), output: register as usize / 4, second }, quads));
    }
    Ok(placed)
}

fn rules(state: &TileState, has_targets: bool) -> Rules {
    let (early, program) = (state.tests_early, state.program);
    // Without a colour, there is no alpha to test.
    let alpha = state.fragments.alpha_test.filter(|_| state.outputs.colours[0].is_some());
    let alpha = alpha.map(|(function, reference)| match state.fragments.clamped & 1 != 0 {
        true => AlphaTest::Clamped { function, reference: reference.to_bits() },
        false => AlphaTest::Float { function, reference: reference.to_bits() },
    });
    let Some(program) = program else {
        return Rules {
            early: true,
            runs: false,
            kills: false,
            alpha: None,
            alpha_to_mask: false,
            exports_mask: false,
        };
    };
    Rules {
        early,
        runs: has_targets || !early,
        kills: program.kills,
        alpha,
        alpha_to_mask: false,
        // Without multisampling there is nothing to choose from.
        exports_mask: false,
    }
}
