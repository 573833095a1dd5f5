//! From primitives to pixels.
//!
//! Primitives come from the last stage before the rasteriser, in order. What they cover waits in quads until there are enough for a launch of the
//! fragment program, or the primitives end; then what its fragments leave is tested and stored, in the order of primitives.

mod batch;
mod colour;
mod cover;
mod depth;
mod fragments;
mod noting;
mod primitives;
mod program;
mod state;
mod target;
mod tiles;

pub use noting::targets_at;
pub use program::FragmentProgram;
pub use target::TargetSurface;

use crate::context::{DrawContext, DrawError as CardError};
use crate::history::Probe;
use crate::methods::{ForceEarlyFragmentTests, RtControl, SampleShading};
use crate::objects::Objects;
use crate::state::{Channel, Methods};
use crate::textures::{HeaderTables, bound_handles};
use batch::Pending;
use colour::ColourTarget;
use cover::sample_places;
use ctm_card::DrawCounts;
use ctm_pipeline::PixelCounts;
use ctm_raster::coverage::Quad;
use ctm_raster::grid::{Point, Rect};
use ctm_sm50::launch::Environment;
use ctm_sm50::pipeline::inputs::Inputs;
use ctm_sm50::pipeline::{Assembled, DrawError, Receiver, Stages};
use depth::{DepthTest, depth_unit};
use fragments::{FragmentState, Outputs, TARGETS};
use primitives::{DepthUnit, PlacedVertex, Primitive};
use state::RasterState;
use std::sync::Arc;
use tiles::{TileRenderer, TileState};

/// What was done with the primitives of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RasterCounts {
    /// What statistics of draws say.
    pub draw: DrawCounts,
    /// Samples that survived everything, if they are counted.
    pub samples: u64,
    /// Primitives that came to clipping.
    pub clipped: u64,
    /// Primitives that clipping has left.
    pub clipping_left: u64,
    /// Fragments that the program ran for.
    pub fragments: u64,
}

/// Takes primitives, and draws them.
pub struct Rasteriser<'a> {
    state: RasterState,
    fragment_state: FragmentState,
    program: Option<Arc<FragmentProgram>>,
    environment: Environment<'a>,
    inputs: Inputs,
    outputs: Outputs,
    targets: [Option<ColourTarget<'a>>; TARGETS],
    depth: Option<DepthTest<'a>>,
    depth_unit: DepthUnit,
    /// Depth and stencil are tested before the program runs.
    tests_early: bool,
    /// The state asks for that.
    is_forced_early: bool,
    /// The pixels that all targets have.
    bounds: Rect,
    /// Groups of samples that the program runs for.
    groups: u32,
    /// All samples of a pixel.
    all_samples: u8,
    /// Where in a pixel coverage is found out.
    places: Vec<Point>,
    /// Memory for the records of a batch.
    copy: Vec<u32>,
    /// The vertices of the batch in the window, by their records, if they are placed together.
    placed: Vec<Option<PlacedVertex>>,
    /// What draws in tiles; nothing if quads are drawn one by one.
    tiles: Option<TileRenderer<'a>>,
    pending: Pending,
    /// Room for the quads of a shape.
    found: Vec<Quad>,
    /// Pixels of lines so far.
    stippled: i64,
    counts: RasterCounts,
    /// What looks at a pixel.
    probe: Option<&'a Probe<'a>>,
}

impl<'a> Rasteriser<'a> {
    /// For draws in the state of a channel, whose programs have this memory, and may choose viewports.
    ///
    /// # Errors
    /// The program cannot be read.
    pub fn new(
        channel: &Channel,
        context: &DrawContext<'a>,
        environment: &Environment<'a>,
        choose_viewports: bool,
    ) -> Result<Self, CardError> {
        let (methods, objects) = (&channel.three_d, context.objects);
        let state = RasterState::of(methods, choose_viewports);
        let targets = targets_of(methods, objects);
        let depth = DepthTest::of(methods, objects);
        let is_integer = |n: &usize| targets[*n].as_ref().is_some_and(ColourTarget::is_integer);
        let integers = (0..TARGETS).filter(is_integer).fold(0, |bits, n| bits | 1 << n);
        let shading: SampleShading = methods.get();
        let groups = if shading.enable && state.is_multisampled { shading.min_samples.into() } else { 1 };
        let groups = u32::clamp(groups, 1, state.samples);
        let places = sample_places(state.covered_samples());
        let program = FragmentProgram::of(channel, context)?.map(Arc::new);
        let maps = program.as_ref().map(|program| program.maps).unwrap_or_default();
        let (textures, images) = match &program {
            Some(program) if program.shader().code.has_textures() => {
                HeaderTables::of_draws(methods, objects, &context.cache.textures)
                    .environment(bound_handles(&program.shader()))
            }
            Some(_) | None => Default::default(),
        };
        let fragment_state = FragmentState::of(methods, state.samples, integers);
        // Coverage of several samples is that before the tests (decision D328).
        let is_forced_early = methods.get::<ForceEarlyFragmentTests>().enable;
        let is_behind_tests = state.samples == 1
            && !fragment_state.drops_by_alpha()
            && program.as_ref().is_some_and(|program| program.is_behind_tests);
        let environment = Environment { textures, images, ..environment.clone() };
        let inputs = program.as_ref().map_or_else(Inputs::none, |program| program.inputs(state.inputs));
        let outputs = Outputs::of(&maps, program.as_ref().is_some_and(|program| program.has_targets_apart));
        let tests_early = is_forced_early || is_behind_tests;
        let tile_state = TileState {
            fragments: &fragment_state,
            outputs: &outputs,
            targets: &targets,
            depth: depth.as_ref(),
            program: program.as_deref(),
            environment: &environment,
            inputs: &inputs,
            tests_early,
            samples: state.samples,
            layer: state.layer,
        };
        let tiles = TileRenderer::if_possible(&tile_state, context);
        Ok(Rasteriser {
            fragment_state,
            bounds: bounds(&targets, depth.as_ref(), state.samples),
            inputs,
            outputs,
            tests_early,
            tiles,
            is_forced_early,
            all_samples: ((1u16 << state.samples) - 1) as u8,
            depth_unit: depth_unit(methods, objects),
            program,
            environment,
            targets,
            depth,
            groups,
            places,
            copy: Vec::new(),
            placed: Vec::new(),
            pending: Pending::default(),
            found: Vec::new(),
            stippled: 0,
            counts: RasterCounts::default(),
            probe: context.probe,
            state,
        })
    }

    /// What was done.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn finish(self) -> Result<RasterCounts, CardError> {
        let mut counts = self.counts;
        if let Some(tiles) = self.tiles {
            let PixelCounts { covered, passed, .. } = tiles.finish(self.program.as_deref(), &self.environment)?;
            // Tests that are early for speed alone leave the numbers of fragments what they are.
            let fragments = if self.is_forced_early { passed } else { covered };
            counts.draw.pixels += covered;
            counts.draw.fragments += fragments;
            counts.fragments += fragments;
            counts.draw.passed += passed;
            counts.samples += if self.fragment_state.counts_samples { passed } else { 0 };
        }
        Ok(counts)
    }
}

/// The targets of the outputs of programs.
fn targets_of<'a>(methods: &Methods, objects: &'a Objects) -> [Option<ColourTarget<'a>>; TARGETS] {
    let control: RtControl = methods.get();
    let map = [
        control.map0,
        control.map1,
        control.map2,
        control.map3,
        control.map4,
        control.map5,
        control.map6,
        control.map7,
    ];
    std::array::from_fn(|output| {
        let is_there = output < usize::from(control.count);
        is_there.then(|| ColourTarget::of(methods, objects, map[output].into())).flatten()
    })
}

/// The pixels that no target ends before. Without targets they have no end.
fn bounds(targets: &[Option<ColourTarget>], depth: Option<&DepthTest>, samples: u32) -> Rect {
    const MOST: u32 = 1 << 16;
    let [across, down] = crate::textures::sample_grid(samples);
    let colours = targets.iter().flatten().map(ColourTarget::surface);
    let sizes = colours.chain(depth.map(DepthTest::surface)).map(TargetSurface::size);
    let [right, bottom] = sizes.fold([0, 0], |most: [u32; 2], size| [most[0].max(size[0]), most[1].max(size[1])]);
    let end = |size: u32, log2: u32| if size == 0 { MOST } else { (size >> log2).min(MOST) };
    Rect { left: 0, top: 0, right: end(right, across), bottom: end(bottom, down) }
}

impl Receiver for Rasteriser<'_> {
    fn receive(&mut self, stages: &mut Stages, made: &Assembled) -> Result<(), DrawError> {
        let provoking = made.provoking as usize;
        let mut copy = std::mem::take(&mut self.copy);
        copy.clear();
        self.placed.clear();
        // Of what geometry programs leave room for, most is not there.
        let are_used = made.records.count() as usize <= made.vertices.len();
        if are_used {
            made.records.copy_into(&mut copy);
        }
        let records = made.records.with_copy(&copy);
        if are_used {
            self.state.place_all(&records, &mut self.placed);
        }
        for (n, (vertices, &id)) in made.primitives().zip(made.ids).enumerate() {
            let first = vertices.first().copied().unwrap_or(0);
            let number = |n: usize| vertices.get(n).copied().unwrap_or(first);
            let primitive = Primitive {
                records,
                vertices: [number(0), number(1), number(2)],
                provoking: number(provoking),
                id,
                outline: made.outline(n),
            };
            let before = self.probe.map_or(0, Probe::events);
            self.primitive(stages, made.shape, &primitive)?;
            self.name_primitive(stages, before, (id, vertices));
        }
        self.copy = copy;
        self.flush(stages)
    }

    fn bytes(&self) -> u64 {
        self.pending.bytes()
    }
}
