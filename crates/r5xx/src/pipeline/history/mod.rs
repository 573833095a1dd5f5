//! What looks at one pixel during a draw: what primitives are about to do to it is worked out before they are drawn, by the scalar references,
//! and what the buffers hold is read when they have been drawn.

use super::window::{GRID, WindowVertex};
use ctm_card::history::{
    DrawLog, Listing, PixelEvent, PixelLog, PrimitiveHistory, ProgramHistory, TargetHistory, Vector, VertexHistory,
    WindowVertex as WindowHistory,
};
use ctm_follow::InstructionPlace;
use ctm_lane::run::RunOptions;
use ctm_raster::depth::Facing;
use ctm_x1k::fragments::{FragmentJob, Quad, Shaded};
use ctm_x1k::reference::shade_observed;
use ctm_x1k::text::print_instruction_at;
use ctm_x1k::{OUTPUTS, Program, References};
use std::sync::Arc;

/// Bits of depths in the window.
const DEPTH_BITS: u32 = 24;

/// What looks at the pixel during a draw.
pub struct Probe<'a> {
    draw_log: DrawLog<'a>,
    job: &'a FragmentJob<'a>,
    options: &'a RunOptions<'a>,
    listing: Arc<Listing>,
    constants: Vec<Vector>,
}

impl<'a> Probe<'a> {
    /// For a draw that begins at this dword, and writes these buffers.
    pub fn new(
        pixel_log: &'a PixelLog,
        (at, targets): (usize, Vec<TargetHistory>),
        job: &'a FragmentJob<'a>,
        options: &'a RunOptions<'a>,
    ) -> Self {
        let draw_log = DrawLog::new(pixel_log, at, targets);
        Probe { draw_log, job, options, listing: Arc::new(listing(job.program)), constants: constants(job) }
    }

    /// Column and row of the pixel.
    pub fn pixel(&self) -> (u32, u32) {
        self.draw_log.pixel()
    }

    /// A primitive of the draw comes next.
    pub fn begin_primitive(&self, number: u32, vertices: Vec<VertexHistory>) {
        self.draw_log.begin_primitive(PrimitiveHistory { number, vertices, ..PrimitiveHistory::default() });
    }

    /// The primitive that is drawn, where these vertices of it are rasterised.
    pub fn primitive(&self, window: &[WindowVertex], facing: Facing) -> PrimitiveHistory {
        let pixels = |sub_pixel: i64| sub_pixel as f64 / GRID.per_pixel as f64;
        let vertex = |&WindowVertex { point, depth, reciprocal }: &WindowVertex| WindowHistory {
            x: pixels(point.x),
            y: pixels(point.y),
            depth,
            bits: Some(DEPTH_BITS),
            reciprocal,
        };
        let window = window.iter().map(vertex).collect();
        PrimitiveHistory { window, facing: Some(facing), ..self.draw_log.primitive() }
    }

    /// Something happens.
    pub fn push(&self, event: PixelEvent) {
        self.draw_log.push(event);
    }

    /// Events of the draw so far.
    pub fn events(&self) -> usize {
        self.draw_log.events()
    }

    /// Completes the events from this one on.
    pub fn complete(&self, from: usize, complete: impl FnMut(&mut PixelEvent)) {
        self.draw_log.complete(from, complete);
    }

    /// Runs the program for the quad that the pixel is lane `lane` of. Gives its outputs, too.
    pub fn run(&self, quad: &Quad, lane: usize) -> (ProgramHistory, [[u32; 4]; OUTPUTS]) {
        let mut step_log = self.draw_log.step_log();
        let (x, y) = self.pixel();
        let shaded = shade_observed(self.job, self.options, quad, (x, y), &mut step_log);
        let trap = shaded.as_ref().err().map(ToString::to_string);
        let Shaded { live, outputs, depth } = shaded.unwrap_or_default();
        let outputs: [[u32; 4]; OUTPUTS] = std::array::from_fn(|output| outputs[output][lane]);
        let inputs = self.job.presets.iter().zip(&quad.inputs);
        let history = ProgramHistory {
            inputs: inputs.map(|(number, input)| Vector::new(format!("temp[{number}]"), input[lane])).collect(),
            constants: self.constants.clone(),
            run: step_log.run(&self.listing, format!("fragment ({x}, {y})")),
            killed: trap.is_none() && live >> lane & 1 == 0,
            trap,
            outputs: (0..).zip(outputs).map(|(n, bits): (usize, _)| Vector::new(format!("out[{n}]"), bits)).collect(),
            depth: depth[lane],
        };
        (history, outputs)
    }
}

fn listing(program: &Program) -> Listing {
    let text = |at: usize| {
        let words: Vec<_> = print_instruction_at(program, at).split_whitespace().map(str::to_owned).collect();
        (InstructionPlace::from(at as u32), words.join(" "))
    };
    Listing {
        stage: "fragment",
        texts: (0..program.code.len()).map(text).collect(),
        address: |at| at.pc.to_string(),
        width: 68,
    }
}

/// The constants that the program reads, but zeros.
fn constants(job: &FragmentJob) -> Vec<Vector> {
    let Program { info, code, .. } = job.program;
    let code = code.get(info.start.into()..=info.end.into()).unwrap_or_default();
    let read = References::of(code, info).float_constants.into_iter();
    let values = read.map(|number| (number, job.constants.floats[usize::from(number)]));
    let values = values.filter(|(_, value)| *value != [0; 4]);
    values.map(|(number, value)| Vector::new(format!("const[{number}]"), value)).collect()
}

#[cfg(test)]
mod tests;
