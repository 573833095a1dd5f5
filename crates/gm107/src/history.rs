//! What looks at one pixel during a draw. What becomes of it is noted where it happens; the programs of its fragments and of their vertices run
//! once more on the scalar reference, which says what each instruction does.

use ctm_card::history::{
    AlphaHistory, CoverageRejection, DrawLog, FragmentHistory, Listing, PixelEvent, PixelLog, PrimitiveHistory,
    ProgramRun, SampleHistory, TargetHistory, Vector, VertexHistory, WriteHistory,
};
use ctm_follow::Observer;
use ctm_lane::run::RunOptions;
use ctm_raster::coverage::QUAD_PIXELS;
use ctm_sm50::launch::Shader;
use ctm_sm50::pipeline::{Maker, Origins};
use ctm_sm50::text::print_instruction;
use ctm_sm50::{Code, Stage};
use std::cell::RefCell;
use std::sync::Arc;

/// Width of the column of instructions.
const WIDTH: usize = 66;

/// What looks at the pixel during a draw.
#[derive(Debug)]
pub struct Probe<'a> {
    draw_log: DrawLog<'a>,
    /// What is rasterised, as far as it is known before the vertices are.
    shape: RefCell<PrimitiveHistory>,
}

impl<'a> Probe<'a> {
    /// For a draw that begins at this dword, and writes these buffers.
    pub fn new(pixel_log: &'a PixelLog, at: usize, targets: Vec<TargetHistory>) -> Self {
        Probe { draw_log: DrawLog::new(pixel_log, at, targets), shape: RefCell::default() }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        self.draw_log.pixel()
    }

    /// The lane of the pixel in the quad at this corner, if it is in that.
    pub fn lane_of(&self, (left, top): (u32, u32)) -> Option<usize> {
        QUAD_PIXELS.iter().position(|&(right, down)| (left + right, top + down) == self.pixel())
    }

    /// A shape comes next.
    pub fn begin_shape(&self, shape: PrimitiveHistory) {
        *self.shape.borrow_mut() = shape;
    }

    /// The shape covers the pixel, but its side is not drawn.
    pub fn push_culled(&self) {
        self.draw_log.push(PixelEvent::Culled(self.shape.borrow().clone()));
    }

    /// The shape covers these samples of the pixel, of which these are drawn to; gives the number of the event.
    pub fn push_fragment(&self, covered: u8, visible: u8, hidden: Option<CoverageRejection>, early: bool) -> usize {
        self.draw_log.push(PixelEvent::Fragment(Box::new(FragmentHistory {
            primitive: self.shape.borrow().clone(),
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

    /// Says what the primitive with these vertices, by their records, is of the events from this one on.
    pub fn name_primitive(
        &self,
        from: usize,
        (number, records): (u32, &[u32]),
        origins: &Origins,
        options: &RunOptions,
    ) {
        let makers: Vec<Maker> = records.iter().filter_map(|&record| origins.maker(record)).collect();
        let mut programs = Vec::new();
        self.before(&makers, origins, options, &mut programs);
        // A geometry program has made all of them in one run.
        let is_together = makers.first().is_some_and(|&maker| origins.stage(maker) == Stage::Geometry);
        let run = |&maker: &Maker| self.follow_maker(maker, origins, options);
        programs.extend(makers.first().filter(|_| is_together).and_then(run));
        let run = |maker: &Maker| if is_together { None } else { run(maker) };
        let vertices: Vec<_> = makers.iter().map(|maker| vertex(*maker, origins, run(maker))).collect();
        self.draw_log.complete(from, |event| {
            let primitive = event.primitive_mut();
            primitive.number = number;
            primitive.programs.clone_from(&programs);
            primitive.vertices.clone_from(&vertices);
        });
    }

    /// Runs of what the stages before these makers did for them, from the first stage on.
    fn before(&self, makers: &[Maker], origins: &Origins, options: &RunOptions, runs: &mut Vec<ProgramRun>) {
        let mut sources: Vec<Maker> = Vec::new();
        for source in makers.iter().flat_map(|&maker| origins.sources(maker)) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        if !sources.is_empty() {
            self.before(&sources, origins, options, runs);
            runs.extend(sources.iter().filter_map(|&source| self.follow_maker(source, origins, options)));
        }
    }

    fn follow_maker(&self, maker: Maker, origins: &Origins, options: &RunOptions) -> Option<ProgramRun> {
        let shader = origins.shader(maker).filter(|_| self.draw_log.follows())?;
        let name = match origins.vertex(maker) {
            Some(vertex) => format!("vertex {}", vertex.number),
            None => format!("{} invocation {}", origins.stage(maker).name(), maker.invocation),
        };
        // Where it stops, its draw has stopped as well.
        self.follow(&shader, name, |observer| _ = origins.follow(maker, options, observer))
    }

    /// What a run of a program shows to its observer.
    pub fn follow(&self, shader: &Shader, name: String, run: impl FnOnce(&mut dyn Observer)) -> Option<ProgramRun> {
        let mut step_log = self.draw_log.step_log();
        run(&mut step_log);
        step_log.run(&Arc::new(listing(shader)), name)
    }
}

/// What becomes of a fragment that is watched.
#[derive(Debug, Default)]
pub struct FragmentLog {
    /// What the alpha test says.
    pub alpha: Option<AlphaHistory>,
    /// What becomes of its samples.
    pub samples: Vec<SampleHistory>,
}

impl FragmentLog {
    /// A sample is written.
    pub fn note(&mut self, number: u32, write: WriteHistory) {
        match self.samples.iter_mut().find(|sample| sample.number == number) {
            Some(sample) => sample.writes.push(write),
            None => self.samples.push(SampleHistory { number, writes: vec![write], ..SampleHistory::default() }),
        }
    }

    /// Completes the fragment that it is of.
    pub fn complete(self, fragment: &mut FragmentHistory) {
        fragment.alpha = self.alpha;
        for sample in self.samples {
            match fragment.samples.iter_mut().find(|known| known.number == sample.number) {
                Some(known) => known.writes = sample.writes,
                None => fragment.samples.push(sample),
            }
        }
    }
}

/// Words at byte addresses of attributes, as vectors.
pub fn vectors(words: impl IntoIterator<Item = (u32, u32)>) -> Vec<Vector> {
    let mut vectors: Vec<(u32, [u32; 4])> = Vec::new();
    for (address, word) in words {
        let (start, place) = (address & !15, (address / 4 % 4) as usize);
        match vectors.last_mut() {
            Some((last, bits)) if *last == start => bits[place] = word,
            _ => {
                let mut bits = [0; 4];
                bits[place] = word;
                vectors.push((start, bits));
            }
        }
    }
    vectors.into_iter().map(|(address, bits)| Vector::words(format!("a[{address:#05x}]"), bits)).collect()
}

fn vertex(maker: Maker, origins: &Origins, run: Option<ProgramRun>) -> VertexHistory {
    VertexHistory {
        place: maker.record as usize,
        number: origins.vertex(maker).map_or(maker.invocation, |vertex| vertex.number),
        inputs: vectors(origins.inputs(maker)),
        run,
        outputs: vectors(origins.outputs(maker)),
    }
}

fn listing(shader: &Shader) -> Listing {
    let text = |(index, instruction)| {
        let at = Code::address(index);
        (at.into(), print_instruction(instruction, at))
    };
    Listing {
        stage: shader.stage().name(),
        texts: shader.code.instructions().iter().enumerate().map(text).collect(),
        address: |at| format!("{:04x}", at.pc),
        width: WIDTH,
    }
}
