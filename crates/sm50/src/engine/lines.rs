//! Fragment programs over lines: prepared once, bound once by each thread, and run for many pieces.

use super::{IfWorth, Kernels, Key, NotCompiled, Own};
use crate::launch::{
    Invocations, LineInput, PixelInput, PixelLines, PixelQuad, Pixels, PrimitiveValues, StageLaunch, StageRunner, Stop,
};
use crate::lift::{LineBinding, PixelArea, PixelLayout};
use crate::reference::Reference;
use ctm_engine::{Compiled, Executor, Launch, SurfaceLayout, Workers};
use ctm_lane::budget::Halt;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_lane::{Function, Op, assume_covered, simplify_within};
use ctm_memory::{Bounds, View};
use std::collections::BTreeMap;

/// Something that prepares fragment programs for lines.
pub trait LineRunner: StageRunner {
    /// Prepares the program of a launch over lines, of which so many lanes are about to run.
    fn prepare(&self, launch: &StageLaunch, lanes: u64, options: &RunOptions) -> LineProgram;

    /// The threads that draws share.
    fn workers(&self) -> Option<&Workers>;
}

impl LineRunner for Executor {
    fn prepare(&self, launch: &StageLaunch, lanes: u64, options: &RunOptions) -> LineProgram {
        LineProgram(self.compile_if_worth(launch, (lanes, 0), &options.effort()))
    }

    fn workers(&self) -> Option<&Workers> {
        match self {
            Executor::Reference => None,
            Executor::Engine(engine) => Some(engine.runtime().workers()),
        }
    }
}

impl LineRunner for IfWorth<'_> {
    fn prepare(&self, launch: &StageLaunch, lanes: u64, options: &RunOptions) -> LineProgram {
        LineProgram(self.executor.compile_if_worth(launch, (lanes, self.lanes), &options.effort()))
    }

    fn workers(&self) -> Option<&Workers> {
        self.executor.workers()
    }
}

/// A fragment program that runs over lines. The reference runs it if there is nothing else.
pub struct LineProgram(Option<Compiled<Key, Result<Kernels, NotCompiled>>>);

impl LineProgram {
    fn kernels(&self) -> Option<&Kernels> {
        let kernels = self.0.as_ref()?.kernels()?.as_ref().ok()?;
        let is_pure = kernels.lifted.is_independent && kernels.lifted.footprints.is_empty();
        is_pure.then_some(kernels)
    }

    /// Whether machine code runs it, as long as it does not trap.
    pub fn is_compiled(&self) -> bool {
        self.kernels().is_some_and(|kernels| kernels.kernel.is_compiled())
    }

    /// Whether it was worth it to prepare it.
    pub fn is_prepared(&self) -> bool {
        self.0.is_some()
    }

    /// Whether no lane looks at another one, so that lanes need not be in quads.
    pub fn is_by_lanes(&self) -> bool {
        self.kernels().is_some_and(|kernels| !kernels.looks_at_quads)
    }

    /// Binds it to the constants, textures and lines of a launch with the key that it was prepared for.
    pub fn bind<'a>(&'a self, launch: StageLaunch<'a>) -> BoundLines<'a> {
        let bound = self.kernels().and_then(|kernels| {
            let bindings = kernels.bind(&launch, Own::default())?;
            Some((kernels, Launch { lanes: Domain::of_size(1, 1)?.into(), bindings, max_steps: None }))
        });
        BoundLines { bound, launch }
    }
}

/// A program that is bound to lines.
pub struct BoundLines<'a> {
    bound: Option<(&'a Kernels, Launch<'a>)>,
    launch: StageLaunch<'a>,
}

impl BoundLines<'_> {
    /// Runs it for so many columns and rows of lanes: two rows of quads, or one of lanes by themselves.
    ///
    /// # Errors
    /// As [`StageRunner::run`].
    pub fn run(&mut self, [columns, rows]: [u32; 2], options: &RunOptions) -> Result<(), Stop> {
        let Some(domain) = Domain::of_size(columns, rows) else { return Ok(()) };
        if let Some((kernels, start)) = &mut self.bound {
            start.lanes = domain.into();
            match kernels.attempt(start, options) {
                Ok(_) => return Ok(()),
                Err(ctm_engine::Stop::Halted(halt)) => return Err(halt.into()),
                // The reference knows what happened.
                Err(ctm_engine::Stop::Trap { .. } | ctm_engine::Stop::StepLimit { .. }) => {}
            }
        }
        match self.launch.lines {
            Some(lines) => run_reference(&self.launch, lines, [columns, rows], options),
            None => Ok(()),
        }
    }
}

/// Has the reference run a program over lines. Lanes by themselves are the first ones of quads.
fn run_reference(
    launch: &StageLaunch,
    lines: &PixelLines,
    [columns, rows]: [u32; 2],
    options: &RunOptions,
) -> Result<(), Stop> {
    let (quads, lanes) = if rows == PixelLines::ROWS { (columns / 2, 4) } else { (columns, 1) };
    // Where a lane of a quad is in its lines.
    let place = |quad: u32, lane: u32| match lanes {
        1 => 4 * quad,
        _ => 4 * (lane / 2 * lines.pitch + 2 * quad + lane % 2),
    };
    let arena = |base: u32| lines.memory.arena_of(base, 4);
    let word = |base: u32, quad, lane| {
        arena(base).and_then(|arena| arena.read_u32(base + place(quad, lane))).unwrap_or_default()
    };
    let mut inputs: BTreeMap<u32, PrimitiveValues> = BTreeMap::new();
    for &(LineInput { address, is_provoking }, base) in lines.inputs {
        let values = inputs.entry(address).or_default();
        if is_provoking {
            values.provoking = (0..quads).map(|quad| word(base, quad, 0)).collect();
        } else {
            let lane = |quad: u32| move |lane: u32| if lane < lanes { word(base, quad, lane) } else { 0 };
            values.centres = (0..quads).flat_map(|quad| (0..4).map(lane(quad))).collect();
        }
    }
    let covered = if lanes == 1 { 1 } else { 0xF };
    let all = (0..quads).map(|quad| PixelQuad::of_one_sample((0, 0), covered, quad)).collect();
    let inputs = inputs.into_iter().map(|(address, values)| (address, PixelInput::Primitives(values)));
    let maps = launch.shader.header.unwrap_or_default().pixel;
    let no_memory = |_| Halt::Memory { wanted: u64::from(quads), limit: 0 };
    let pixels = Pixels::of_quads(all, &maps, inputs).map_err(no_memory)?.with_flat_colours(lines.is_flat);
    let invocations = Invocations { count: pixels.invocations(), columns: None };
    Reference
        .run(&StageLaunch { pixels: Some(&pixels), lines: None, invocations: &invocations, ..*launch }, options)?;
    let results = pixels.result_columns();
    for (quad, lane) in (0..quads).flat_map(|quad| (0..lanes).map(move |lane| (quad, lane))) {
        let set = |base: u32, word| _ = arena(base).map(|arena| arena.write_u32(base + place(quad, lane), word));
        let has = results.has(4 * quad + lane);
        if let Some(valid) = lines.valid {
            set(valid, has.into());
        }
        for (register, base) in (0..).zip(lines.outputs).filter(|_| has) {
            if let Some(base) = base {
                set(*base, results.register(4 * quad + lane, register));
            }
        }
    }
    Ok(())
}

/// The layouts of surfaces that are lines.
pub(super) fn layouts(lines: &[LineBinding], pixels: Option<&PixelLayout>) -> Vec<SurfaceLayout> {
    let Some(PixelArea::Lines { pitch, .. }) = pixels.map(|pixels| &pixels.area) else { return Vec::new() };
    let surface = PixelLines::layout(*pitch);
    let layout = SurfaceLayout { surface, bounds: Bounds::Clamp, whole: true, aligned: true };
    vec![layout; lines.len()]
}

/// A line; `None` if the launch has no such line, or it does not lie as machine code knows it.
pub(super) fn view<'a>(lines: &PixelLines<'a>, binding: &LineBinding) -> Option<View<'a>> {
    let base = match *binding {
        LineBinding::Input(number) => lines.inputs.get(number as usize)?.1,
        LineBinding::Output(number) => (*lines.outputs.get(number as usize)?)?,
        LineBinding::Valid => lines.valid?,
    };
    let surface = ctm_memory::Surface { base, ..PixelLines::layout(lines.pitch) };
    let layout = SurfaceLayout::of(lines.memory, &surface, Bounds::Clamp);
    (layout.whole && layout.aligned).then(|| View::new(lines.memory, surface, Bounds::Clamp))
}

/// Whether lanes of a function look at others of their quads.
pub(super) fn looks_at_quads(mut function: Function, effort: &Effort) -> bool {
    simplify_within(&mut function, effort);
    if assume_covered(&mut function) {
        simplify_within(&mut function, effort);
    }
    let is_quad = |op: &Op| matches!(op, Op::Quad { .. });
    function.blocks().any(|block| function.insts(block).iter().any(|&inst| is_quad(function.op(inst))))
}
