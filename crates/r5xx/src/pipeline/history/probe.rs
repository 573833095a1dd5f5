//! Collects the history of a pixel while draws go on.

use super::{
    DrawHistory, PixelEvent, PrimitiveHistory, ProgramHistory, ProgramRun, TargetHistory, VertexFormat, VertexHistory,
    Watch, WindowVertex,
};
use ctm_follow::{End, Observer, Step, View};
use ctm_lane::run::RunOptions;
use ctm_raster::depth::Facing;
use ctm_x1k::OUTPUTS;
use ctm_x1k::fragments::{FragmentJob, Quad, Shaded};
use ctm_x1k::reference::shade_observed;
use std::cell::{OnceCell, RefCell};

/// A pixel, and what has happened to it so far.
#[derive(Debug)]
pub struct Watcher {
    watch: Watch,
    draws: RefCell<Vec<DrawHistory>>,
}

impl Watcher {
    /// For a pixel.
    pub fn new(watch: Watch) -> Self {
        Watcher { watch, draws: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        (self.watch.x, self.watch.y)
    }

    /// Takes what has happened. Draws that do nothing to the pixel are not in it.
    pub fn take(&mut self) -> Vec<DrawHistory> {
        std::mem::take(self.draws.get_mut())
    }
}

/// What looks at the pixel during a draw.
pub struct Probe<'a> {
    watcher: &'a Watcher,
    job: &'a FragmentJob<'a>,
    options: &'a RunOptions<'a>,
    /// The draw: where it begins, its targets and format.
    draw: (usize, Vec<TargetHistory>, VertexFormat),
    /// Its place in the watcher's list, once something has happened.
    place: OnceCell<usize>,
    /// The primitive that is drawn.
    primitive: RefCell<PrimitiveHistory>,
}

impl<'a> Probe<'a> {
    /// For a draw that begins at this dword, writes these buffers, and has vertices of this format.
    pub fn new(
        watcher: &'a Watcher,
        draw: (usize, Vec<TargetHistory>, VertexFormat),
        job: &'a FragmentJob<'a>,
        options: &'a RunOptions<'a>,
    ) -> Self {
        Probe { watcher, job, options, draw, place: OnceCell::new(), primitive: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        self.watcher.pixel()
    }

    /// A primitive of the draw comes next.
    pub fn begin_primitive(&self, number: u32, vertices: Vec<VertexHistory>) {
        *self.primitive.borrow_mut() = PrimitiveHistory { number, vertices, ..PrimitiveHistory::default() };
    }

    /// The primitive that is drawn, where these vertices of it are rasterised.
    pub fn primitive(&self, window: &[WindowVertex], facing: Facing) -> PrimitiveHistory {
        PrimitiveHistory { window: window.to_vec(), facing: Some(facing), ..self.primitive.borrow().clone() }
    }

    /// Something happens.
    pub fn push(&self, event: PixelEvent) {
        let mut draws = self.watcher.draws.borrow_mut();
        let place = *self.place.get_or_init(|| {
            let (at, targets, format) = self.draw.clone();
            let (program, constants) = (self.job.program.clone(), self.job.constants.clone());
            draws.push(DrawHistory { at, targets, format, program, constants, events: Vec::new() });
            draws.len() - 1
        });
        draws[place].events.push(event);
    }

    /// Events of the draw so far.
    pub fn events(&self) -> usize {
        self.place.get().map_or(0, |&place| self.watcher.draws.borrow()[place].events.len())
    }

    /// Completes the events from this one on.
    pub fn complete(&self, from: usize, complete: impl FnMut(&mut PixelEvent)) {
        if let Some(&place) = self.place.get() {
            self.watcher.draws.borrow_mut()[place].events[from..].iter_mut().for_each(complete);
        }
    }

    /// Runs the program for the quad that the pixel is lane `lane` of.
    pub fn run(&self, quad: &Quad, lane: usize) -> ProgramHistory {
        let mut recorder = Recorder { steps_left: self.watcher.watch.steps, ..Recorder::default() };
        let shaded = shade_observed(self.job, self.options, quad, self.pixel(), &mut recorder);
        let trap = shaded.as_ref().err().map(ToString::to_string);
        let Shaded { live, outputs, depth } = shaded.unwrap_or_default();
        let Recorder { start, steps, end, .. } = recorder;
        ProgramHistory {
            inputs: self.job.presets.iter().copied().zip(quad.inputs.iter().map(|input| input[lane])).collect(),
            run: start.zip(end).map(|(start, end)| ProgramRun { start, steps, end }),
            killed: trap.is_none() && live >> lane & 1 == 0,
            trap,
            outputs: std::array::from_fn::<_, OUTPUTS, _>(|output| outputs[output][lane]),
            depth: depth[lane],
        }
    }
}

/// Keeps what it observes.
#[derive(Default)]
struct Recorder {
    steps_left: u64,
    start: Option<View>,
    steps: Vec<Step>,
    end: Option<End>,
}

impl Observer for Recorder {
    fn starts(&mut self, view: &View) {
        self.start = Some(view.clone());
    }

    fn step(&mut self, step: &Step) {
        self.steps_left -= 1;
        self.steps.push(step.clone());
    }

    fn ends(&mut self, end: &End) {
        self.end = Some(end.clone());
    }

    fn wants_steps(&self) -> bool {
        self.steps_left > 0
    }
}
