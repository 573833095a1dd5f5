//! Quads on their way through the program, one after the other or many together.

use super::{Pixels, QuadDepth, RasterPrimitive, pixels_of};
use crate::pipeline::DrawError;
use crate::pipeline::attributes::Inputs;
use crate::pipeline::fills::PrimitiveFill;
use crate::pipeline::history::Probe;
use crate::pipeline::kernels::Kernels;
use crate::pipeline::rectangles::{self, PendingHalf, rectangle};
use crate::pipeline::shading::Shading;
use crate::pipeline::tiles::TileRenderer;
use crate::pipeline::window::GRID;
use ctm_card::{DrawCounts, SlowPath};
use ctm_lane::domain::Domain;
use ctm_raster::coverage;
use ctm_x1k::fragments::{Quad, Shaded};
use std::ops::Range;

/// Quads of a draw from which on it is asked whether kernels draw it.
const QUADS_PER_LOOK: [u64; 5] = [1, 4, 64, 256, 1024];

/// Quads on their way through the program: as many as can run together, of which no two have the same place.
pub struct PendingQuads<'s, 'x, 'k> {
    pixels: &'s Pixels<'s>,
    shading: Shading<'s, 'x>,
    /// A primitive of many pixels that may be half of a rectangle.
    half: Option<PendingHalf>,
    probe: Option<&'s Probe<'s>>,
    kernels: &'s Kernels<'k>,
    /// What draws primitives from some time on.
    renderer: Option<TileRenderer<'s>>,
    /// Quads so far, until there is such, and how many of them were counted when that was asked last.
    drawn: u64,
    counted: u64,
    /// The numbers of quads from which on it is asked for.
    looks: &'static [u64],
    pending: Vec<PendingQuad>,
    /// What the program gets. Those after `used` are kept for their memory.
    quads: Vec<Quad>,
    used: usize,
    shaded: Vec<Shaded>,
    counts: DrawCounts,
}

impl<'a> Pixels<'a> {
    /// Begins to draw.
    pub fn begin<'s, 'x, 'k>(
        &'s self,
        shading: Shading<'s, 'x>,
        kernels: &'s Kernels<'k>,
        probe: Option<&'s Probe<'s>>,
    ) -> PendingQuads<'s, 'x, 'k> {
        PendingQuads {
            pixels: self,
            shading,
            kernels,
            probe,
            half: None,
            renderer: None,
            drawn: 0,
            counted: 0,
            looks: &QUADS_PER_LOOK,
            pending: Vec::new(),
            quads: Vec::new(),
            shaded: Vec::new(),
            used: 0,
            counts: DrawCounts::default(),
        }
    }
}

/// A quad that waits for the program.
struct PendingQuad {
    masks: [u8; 4],
    depth: QuadDepth,
}

impl PendingQuads<'_, '_, '_> {
    /// Draws a primitive.
    ///
    /// # Errors
    /// If the program does what the machine cannot do.
    pub fn draw(&mut self, primitive: &RasterPrimitive) -> Result<(), DrawError> {
        let Some(probe) = self.probe else { return self.draw_unwatched(primitive) };
        // What comes before comes first.
        self.flush_all()?;
        let events = probe.events();
        self.pixels.examine(probe, primitive);
        self.draw_unwatched(primitive)?;
        self.flush_all()?;
        self.pixels.complete(probe, events);
        Ok(())
    }

    fn draw_unwatched(&mut self, primitive: &RasterPrimitive) -> Result<(), DrawError> {
        let pixels = self.pixels;
        self.counts.drawn += 1;
        let spans = self.kernels.rectangles.as_ref().and_then(|_| pixels.spans(primitive));
        if let Some(half) = self.half.take() {
            let all = spans.as_ref().and_then(|spans| half.with(spans, primitive.inputs));
            if let Some(area) = all
                && self.draw_rectangle(area, primitive.inputs)?
            {
                return Ok(());
            }
            self.draw_half(half)?;
        }
        if let Some(direct) = PrimitiveFill::of(pixels, &self.shading, primitive) {
            // What comes before comes first.
            self.flush()?;
            self.count(pixels.draw_directly(primitive, &direct, self.kernels.threads));
            return Ok(());
        }
        if let Some(spans) = spans {
            let Some(area) = rectangle(&spans) else {
                let (shape, inputs) = (primitive.shape.clone(), primitive.inputs.to_owned());
                self.half = Some(PendingHalf { shape, spans, depth: primitive.depth, inputs });
                return Ok(());
            };
            if self.draw_rectangle(area, primitive.inputs)? {
                return Ok(());
            }
        }
        self.draw_quads(primitive)
    }

    /// Draws a primitive whose other half did not come.
    fn draw_half(&mut self, half: PendingHalf) -> Result<(), DrawError> {
        let PendingHalf { shape, depth, inputs, .. } = half;
        self.draw_quads(&RasterPrimitive { shape: &shape, window: &[], depth, inputs: &inputs, stipple: None })
    }

    /// Draws a rectangle by a kernel; says whether there is one that can.
    fn draw_rectangle(&mut self, area: Domain, inputs: &Inputs) -> Result<bool, DrawError> {
        let Some(state) = &self.kernels.rectangles else { return Ok(false) };
        // What comes before comes first.
        self.flush()?;
        let is_drawn = state.draw(area, inputs)?;
        if is_drawn {
            self.count(rectangles::pixels(area));
        }
        Ok(is_drawn)
    }

    fn draw_quads(&mut self, primitive: &RasterPrimitive) -> Result<(), DrawError> {
        self.look(primitive)?;
        if let Some(renderer) = &mut self.renderer {
            renderer.draw(primitive)?;
            return Ok(());
        }
        let pixels = self.pixels;
        let mut result = Ok(());
        coverage::quads(GRID, primitive.shape, &pixels.visible.framebuffer, &pixels.samples, |covered| {
            if result.is_ok() {
                result = self.quad(primitive, covered);
            }
        });
        result
    }

    /// Asks whether kernels draw this primitive and the others, when there are enough quads.
    fn look(&mut self, primitive: &RasterPrimitive) -> Result<(), DrawError> {
        if self.renderer.is_some() || self.looks.is_empty() {
            return Ok(());
        }
        if !self.pixels.is_plain() {
            self.kernels.note(SlowPath::Samples);
            return Ok(());
        }
        let rows =
            coverage::quad_spans(GRID, primitive.shape, &self.pixels.visible.framebuffer, self.pixels.samples[0]);
        let quads = |[upper, lower]: [Range<u32>; 2]| upper.len().max(lower.len()).div_ceil(2) as u64;
        self.drawn += rows.map(|(_, rows)| quads(rows)).sum::<u64>();
        let passed = self.looks.iter().take_while(|&&look| look <= self.drawn).count();
        if passed > 0 {
            self.looks = &self.looks[passed..];
            self.flush()?;
            self.renderer = self.kernels.renderer(self.drawn - self.counted)?;
            self.counted = self.drawn;
        }
        Ok(())
    }

    /// Draws what waits, and gives what was done with pixels.
    ///
    /// # Errors
    /// If the program does what the machine cannot do.
    pub fn finish(mut self) -> Result<DrawCounts, DrawError> {
        self.flush_all()?;
        Ok(self.counts)
    }

    /// Counts pixels all of whose samples are drawn to without tests.
    fn count(&mut self, pixels: u64) {
        self.counts.pixels += pixels;
        self.counts.fragments += if self.pixels.shades { pixels } else { 0 };
        self.counts.passed += pixels * self.pixels.samples.len() as u64;
    }

    /// Draws what waits.
    fn flush_all(&mut self) -> Result<(), DrawError> {
        if let Some(half) = self.half.take() {
            self.draw_half(half)?;
        }
        self.flush()
    }

    fn quad(&mut self, primitive: &RasterPrimitive, covered: coverage::Quad) -> Result<(), DrawError> {
        let pixels = self.pixels;
        let (x, y) = (covered.x, covered.y);
        // What comes before at the same place comes first.
        if self.used > 0 && self.quads[..self.used].iter().any(|quad| quad.position == (x, y)) {
            self.flush()?;
        }
        let mut masks = pixels.visible(primitive, covered);
        self.counts.pixels += count_pixels(&masks);
        if pixels.early || !pixels.shades {
            self.counts.passed += pixels.test(&primitive.depth, x, y, &mut masks, None);
        }
        if masks == [0; 4] || !pixels.shades {
            return Ok(());
        }
        self.counts.fragments += count_pixels(&masks);
        if self.used == self.quads.len() {
            self.quads.push(Quad::default());
        }
        let quad = &mut self.quads[self.used];
        quad.position = (x, y);
        quad.covered = (0..4).fold(0, |covered, lane| covered | u8::from(masks[lane] != 0) << lane);
        if self.shading.needs_inputs() {
            primitive.inputs.at(x, y, &mut quad.inputs);
        }
        self.used += 1;
        self.pending.push(PendingQuad { masks, depth: primitive.depth });
        if self.used == self.shading.width() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), DrawError> {
        let PendingQuads { pixels, shading, pending, quads, shaded, used, counts, renderer, .. } = self;
        if let Some(renderer) = renderer {
            renderer.flush()?;
            counts.add_pixels(renderer.take_counts());
        }
        if *used == 0 {
            return Ok(());
        }
        shading.shade(&quads[..*used], shaded)?;
        for ((PendingQuad { mut masks, depth }, quad), shaded) in pending.drain(..).zip(&quads[..*used]).zip(&*shaded) {
            let (x, y) = quad.position;
            for (lane, mask) in masks.iter_mut().enumerate() {
                *mask = match shaded.live >> lane & 1 {
                    0 => 0,
                    _ => *mask & pixels.alpha.samples(shaded.outputs[0][lane][3], pixels.samples.len() as u32),
                };
            }
            if !pixels.early {
                let program = pixels.alpha.depth_from_program.then_some(shaded.depth);
                counts.passed += pixels.test(&depth, x, y, &mut masks, program);
            }
            for target in &pixels.targets {
                let outputs = &shaded.outputs[target.output];
                for (lane, (x, y)) in pixels_of(x, y).into_iter().enumerate().filter(|&(lane, _)| masks[lane] != 0) {
                    target.write(x, y, masks[lane], outputs[lane]);
                }
            }
        }
        *used = 0;
        Ok(())
    }
}

/// Pixels of a quad of which there are samples.
fn count_pixels(masks: &[u8; 4]) -> u64 {
    masks.iter().filter(|&&mask| mask != 0).count() as u64
}
