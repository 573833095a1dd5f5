//! What looks at one pixel during a draw. What becomes of it is noted where it happens; the programs of its fragments and of their vertices run
//! once more on the scalar reference, which says what each instruction does, and what was to be stored.

use super::attributes::SetupVertex;
use super::pixels::GRID;
use super::resolve::SurfaceCopy;
use super::targets::{ColourTarget, SamplePlace, TARGETS, TargetSurface};
use crate::state::State;
use ctm_card::history::{
    CoverageRejection, DrawLog, FragmentHistory, Listing, PixelEvent, PixelLog, PrimitiveHistory, ProgramRun,
    TargetHistory, WindowVertex,
};
use ctm_follow::{Address, FollowedLanes};
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::text::steps_with_fetch;
use ctm_r700::{Job, Program};
use ctm_raster::depth::Facing;
use ctm_raster::grid::Point;
use std::cell::RefCell;
use std::sync::Arc;

/// Width of the column of instructions.
const WIDTH: usize = 66;

/// What looks at the pixel during a draw.
pub struct Probe<'a> {
    draw_log: DrawLog<'a>,
    /// What is rasterised, as far as it is known before the vertices are.
    shape: RefCell<PrimitiveHistory>,
}

impl<'a> Probe<'a> {
    /// For a draw that begins at this dword, with this state.
    pub fn new(pixel_log: &'a PixelLog, at: usize, state: &State, memory: &Arena) -> Self {
        let targets = targets_at(state, memory, pixel_log.pixel());
        Probe { draw_log: DrawLog::new(pixel_log, at, targets), shape: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        self.draw_log.pixel()
    }

    /// Which pixel of the quad at this corner it is, if it is one.
    pub fn of_quad(&self, (left, top): (u32, u32)) -> Option<usize> {
        let (x, y) = self.pixel();
        (x & !1 == left && y & !1 == top).then_some((y % 2 * 2 + x % 2) as usize)
    }

    /// Whether runs of programs are shown step by step.
    pub fn follows(&self) -> bool {
        self.draw_log.follows()
    }

    /// A shape comes next: these points, with planes through the corners.
    pub fn begin_shape(&self, front: bool, points: &[Point], corners: [&SetupVertex; 3]) {
        let pixels = |place: i64| place as f64 / GRID.per_pixel as f64;
        let vertex = |point: Point, depth: f32, reciprocal: f32| WindowVertex {
            x: pixels(point.x),
            y: pixels(point.y),
            depth,
            bits: None,
            reciprocal: reciprocal.to_bits(),
        };
        let of = |placed: &SetupVertex| vertex(placed.point, placed.window.place[2], placed.window.reciprocal);
        let [a, b, c] = corners;
        let mut window = vec![of(a)];
        if !std::ptr::eq(b, a) {
            window.push(of(b));
        }
        if !std::ptr::eq(c, a) {
            if let &[_, _, fourth, _] = points {
                let depth = |n: usize| [a, b, c][n].window.place[2];
                window.push(vertex(fourth, depth(1) + depth(2) - depth(0), c.window.reciprocal));
            }
            window.push(of(c));
        }
        let facing = Some(if front { Facing::Front } else { Facing::Back });
        *self.shape.borrow_mut() = PrimitiveHistory { window, facing, ..PrimitiveHistory::default() };
    }

    /// The shape.
    pub fn shape(&self) -> PrimitiveHistory {
        self.shape.borrow().clone()
    }

    /// Something happens; gives the number of the event.
    pub fn push(&self, event: PixelEvent) -> usize {
        self.draw_log.push(event)
    }

    /// The shape covers these samples of the pixel, of which these are drawn to; gives the number of the event.
    pub fn push_fragment(&self, covered: u8, visible: u8, hidden: Option<CoverageRejection>, early: bool) -> usize {
        self.push(PixelEvent::Fragment(Box::new(FragmentHistory {
            primitive: self.shape(),
            covered,
            visible,
            hidden,
            early,
            program: None,
            alpha: None,
            samples: Vec::new(),
        })))
    }

    /// Completes a fragment.
    pub fn amend(&self, event: usize, amend: impl FnOnce(&mut FragmentHistory)) {
        self.draw_log.amend(event, |event| {
            if let PixelEvent::Fragment(fragment) = event {
                amend(fragment);
            }
        });
    }

    /// Events of the draw so far.
    pub fn events(&self) -> usize {
        self.draw_log.events()
    }

    /// Says what the primitive is of the events from this one on.
    pub fn name_primitives(&self, from: usize, primitive: &PrimitiveHistory) {
        let PrimitiveHistory { number, programs, vertices, .. } = primitive;
        self.draw_log.complete(from, |event| {
            let primitive = event.primitive_mut();
            primitive.number = *number;
            primitive.programs.clone_from(programs);
            primitive.vertices.clone_from(vertices);
        });
    }

    /// Runs a job on the reference, and gives what a lane of it goes through, with why it stopped, if it did.
    pub fn run(
        &self,
        job: &Job,
        options: &RunOptions,
        lane: impl Into<FollowedLanes>,
        listing: &Arc<Listing>,
        name: String,
    ) -> (Option<ProgramRun>, Option<String>) {
        let mut step_log = self.draw_log.step_log();
        let done = ctm_r700::reference::run_observed(job, options, lane, &mut step_log);
        (step_log.run(listing, name), done.err().map(|error| error.to_string()))
    }
}

/// The texts of a program, and of one that it calls.
pub fn listing(stage: &'static str, program: &Program, fetch: Option<&Program>) -> Arc<Listing> {
    let texts = steps_with_fetch(program, fetch).into_iter().collect();
    let address = |Address { program, pc }| if program == 0 { pc.to_string() } else { format!("fs:{pc}") };
    Arc::new(Listing { stage, texts, address, width: WIDTH })
}

/// The targets that a draw with this state writes, with where a pixel is in them.
fn targets_at(state: &State, memory: &Arena, (x, y): (u32, u32)) -> Vec<TargetHistory> {
    let registers = &state.registers;
    let address = |surface: &TargetSurface| surface.address(SamplePlace { x, y, ..SamplePlace::default() });
    let copied = match SurfaceCopy::of(registers, memory) {
        Ok(Some(SurfaceCopy::Depth { to, .. })) => Some(TargetHistory { number: 0, address: address(&to) }),
        Ok(Some(SurfaceCopy::Resolve { to, .. })) => Some(TargetHistory { number: 1, address: address(&to) }),
        Ok(Some(SurfaceCopy::Nothing) | None) | Err(_) => None,
    };
    let drawn = (0..TARGETS).filter_map(|number| {
        let target = ColourTarget::of(registers, memory, number).ok().flatten()?;
        Some(TargetHistory { number, address: address(target.surface()) })
    });
    copied.into_iter().chain(drawn).collect()
}
