//! The pixel program: what it gets, and what becomes of what it exports, pixel by pixel and sample by sample: where pixels have several, and
//! where one is watched. It runs for many quads together; what it exports is used quad by quad, in the order in which they were drawn.

use super::attributes::{Pixels4, PrimitiveContext, SetupVertex};
use super::depth::Incoming;
use super::draw_memory::{DrawMemory, DrawMemoryBuilder};
use super::fragment_log::{Exports, FragmentLog, WatchedPixel};
use super::history::{Probe, listing};
use super::samples::Samples;
use super::stage::{PixelStage, Regions, ShadedPrimitive};
use super::targets::SamplePlace;
use super::{DrawContext, DrawError};
use crate::state::State;
use ctm_card::DrawCounts;
use ctm_card::history::{
    AlphaHistory, CoverageRejection, Listing, ProgramHistory, SampleHistory, TestHistory, Vector, WriteHistory,
};
use ctm_lane::domain::Domain;
use ctm_r700::{Job, Region};
use ctm_raster::plane::PrimitiveSetup;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Quads that the program runs for together.
const BATCH: usize = 2048;
/// What the pixel program of a draw needs.
pub struct Shading<'a> {
    context: &'a DrawContext<'a>,
    stage: PixelStage<'a>,
    draw_memory: DrawMemory<'a>,
    regions: Regions,
    /// The primitives of the quads that wait; the last one is drawn.
    primitives: Vec<ShadedPrimitive>,
    pending: Vec<PendingQuad>,
    /// The program's texts, if a pixel is watched.
    listing: Option<Arc<Listing>>,
    /// What the quads bring: of each input, the vectors of upper and of lower pixels.
    brought: Vec<[Vec<[u32; 4]>; 2]>,
    counts: DrawCounts,
}

/// A quad that waits for the program.
struct PendingQuad {
    corner: (u32, u32),
    /// The samples of its pixels that are drawn to.
    samples: [u8; 4],
    /// Which of the primitives it is of.
    primitive: usize,
    /// The pixel that is watched, if it is one of them.
    watched: Option<WatchedPixel>,
}

/// What the program has left, by place: rows of upper and of lower pixels.
struct Results {
    outputs: BTreeMap<usize, Vec<[u32; 4]>>,
    depth: Vec<[u32; 4]>,
    valid: Vec<u32>,
}

impl<'a> Shading<'a> {
    /// Of the state.
    pub fn of(state: &State, context: &'a DrawContext<'a>, samples: Samples) -> Result<Self, DrawError> {
        let mut builder = DrawMemoryBuilder::new(context.cache, context.memory);
        let stage = PixelStage::of(state, context, samples, &mut builder)?;
        Ok(Shading {
            listing: context.probe.map(|_| listing("pixel", &stage.program.program, None)),
            context,
            regions: stage.regions(BATCH, &mut builder)?,
            draw_memory: builder.make()?,
            brought: stage.inputs.registers().map(|_| Default::default()).collect(),
            stage,
            primitives: Vec::new(),
            pending: Vec::new(),
            counts: DrawCounts::default(),
        })
    }

    /// Columns and rows that all targets and the depth buffer have; `None` if there are none.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.stage.size()
    }

    /// The quads of this primitive come next.
    pub fn begin(&mut self, face: &PrimitiveContext, setup: PrimitiveSetup, corners: [&SetupVertex; 3]) {
        if self.pending.is_empty() {
            self.primitives.clear();
        }
        self.primitives.push(ShadedPrimitive::of(&self.stage.inputs, face, setup, corners));
    }

    /// Draws a quad, of whose pixels these samples are covered.
    pub fn quad(&mut self, corner: (u32, u32), covered: [u8; 4]) -> Result<(), DrawError> {
        let drawn = covered.map(|samples| samples & self.stage.samples.mask());
        if let Some((probe, pixel)) = self.watched(corner)
            && covered[pixel] != 0
            && drawn[pixel] == 0
        {
            probe.push_fragment(covered[pixel], 0, Some(CoverageRejection::Screendoor), false);
        }
        if drawn == [0; 4] {
            return Ok(());
        }
        if !self.stage.samples.iterates {
            return self.shade(&Pixels4 { corner, covered, sample: None }, drawn);
        }
        for sample in 0..self.stage.samples.count() {
            let of_sample = drawn.map(|samples| samples & 1 << sample);
            if of_sample != [0; 4] {
                self.shade(&Pixels4 { corner, covered, sample: Some(sample) }, of_sample)?;
            }
        }
        Ok(())
    }

    /// What looks at a pixel of a quad, and at which one.
    fn watched(&self, corner: (u32, u32)) -> Option<(&'a Probe<'a>, usize)> {
        self.context.probe.and_then(|probe| Some((probe, probe.of_quad(corner)?)))
    }

    /// Draws to these samples of a quad what the program gives for it.
    fn shade(&mut self, pixels: &Pixels4, mut samples: [u8; 4]) -> Result<(), DrawError> {
        self.counts.fragments += samples.iter().filter(|&&samples| samples != 0).count() as u64;
        let Some(primitive) = self.primitives.last() else { return Ok(()) };
        let watched = self.watched(pixels.corner).filter(|&(_, pixel)| samples[pixel] != 0);
        let watched = watched.map(|(probe, pixel)| {
            let (covered, visible) = (pixels.covered[pixel], samples[pixel]);
            let hidden = (pixels.sample.is_none() && visible != covered).then_some(CoverageRejection::Screendoor);
            (
                probe,
                WatchedPixel { pixel, event: probe.push_fragment(covered, visible, hidden, self.stage.rules.early) },
            )
        });
        if self.stage.rules.early {
            for (pixel, samples) in samples.iter_mut().enumerate() {
                let place = self.place(primitive, pixels.corner, pixel);
                let watched = watched.filter(|(_, watched)| watched.pixel == pixel);
                let mut tested = watched.map(|_| Vec::new());
                *samples = self.test(primitive, place, *samples, None, None, tested.as_mut());
                self.counts.passed += u64::from(samples.count_ones());
                if let (Some((probe, watched)), Some(tested)) = (watched, tested) {
                    probe.amend(watched.event, |fragment| fragment.samples = tested);
                }
            }
        }
        if !self.stage.rules.runs || samples == [0; 4] {
            return Ok(());
        }
        let brought = &mut self.brought;
        primitive.gradients.at(pixels, &self.stage.samples, |number, vectors| {
            brought[number][0].extend_from_slice(&vectors[..2]);
            brought[number][1].extend_from_slice(&vectors[2..]);
        });
        let watched = watched.map(|(_, watched)| watched).filter(|watched| samples[watched.pixel] != 0);
        self.pending.push(PendingQuad {
            corner: pixels.corner,
            samples,
            primitive: self.primitives.len() - 1,
            watched,
        });
        if self.pending.len() == BATCH { self.run() } else { Ok(()) }
    }

    /// The first sample of a pixel of a quad.
    fn place(&self, primitive: &ShadedPrimitive, corner: (u32, u32), pixel: usize) -> SamplePlace {
        let (x, y) = (corner.0 + pixel as u32 % 2, corner.1 + pixel as u32 / 2);
        SamplePlace { x, y, layer: primitive.layer, sample: 0 }
    }

    /// Tests samples of a pixel, with what the program exports; gives those that pass. `noted`: where to note what the tests say.
    fn test(
        &self,
        primitive: &ShadedPrimitive,
        place: SamplePlace,
        samples: u8,
        depth: Option<f32>,
        reference: Option<u8>,
        mut noted: Option<&mut Vec<SampleHistory>>,
    ) -> u8 {
        let mut passes = |sample: u32| {
            let at = SamplePlace { sample, ..place };
            let Some(buffer) = &self.stage.depth else {
                noted.iter_mut().for_each(|noted| noted.push(SampleHistory { number: sample, ..Default::default() }));
                return true;
            };
            let at_sample = || primitive.gradients.depth_at(self.stage.samples.point(place.x, place.y, sample));
            let depth = depth.unwrap_or_else(at_sample);
            let ShadedPrimitive { range, front, .. } = *primitive;
            let incoming = Incoming { depth, range, reference, front };
            let Some(noted) = &mut noted else { return buffer.test(at, &incoming) };
            let tests = buffer.history(at, &incoming);
            let passed = buffer.test(at, &incoming);
            let tests = Some(TestHistory { after: buffer.stored(at), ..tests });
            noted.push(SampleHistory { number: sample, tests, writes: Vec::new() });
            passed
        };
        of(samples).filter(|&sample| passes(sample)).fold(0, |passed, sample| passed | 1 << sample)
    }

    /// Runs the program for all quads that wait, and uses what it exports.
    fn run(&mut self) -> Result<(), DrawError> {
        let columns = 2 * self.pending.len();
        let Some(job) = self.stage.job(&self.regions, self.pending.len(), self.draw_memory.space()) else {
            return Ok(());
        };
        let (draw_memory, Regions { inputs, outputs, depth, valid, .. }) = (&self.draw_memory, &self.regions);
        for (region, rows) in inputs.iter().zip(&mut self.brought) {
            for (row, vectors) in rows.iter_mut().enumerate() {
                draw_memory.set(*region, row * self.regions.columns, vectors);
                vectors.clear();
            }
        }
        let watched = self.pending.iter().enumerate().filter(|(_, pending)| pending.watched.is_some());
        let mut followed: BTreeMap<usize, Exports> =
            watched.filter_map(|(quad, pending)| Some((quad, self.follow(&job, quad, pending)?))).collect();
        self.regions.clear_outputs(draw_memory.arena(), self.pending.len());
        self.context.run(&job, self.stage.program.hash)?;
        let vectors = |region: &Region| {
            let mut vectors = vec![[0; 4]; 2 * columns];
            let (upper, lower) = vectors.split_at_mut(columns);
            draw_memory.vectors(*region, 0, upper);
            draw_memory.vectors(*region, self.regions.columns, lower);
            vectors
        };
        let results = Results {
            outputs: outputs.iter().map(|(output, region)| (*output, vectors(region))).collect(),
            depth: depth.as_ref().map(vectors).unwrap_or_default(),
            valid: valid.map(|region| draw_memory.words(region, 2 * columns)).unwrap_or_default(),
        };
        let pending = std::mem::take(&mut self.pending);
        for (quad, pending) in pending.iter().enumerate() {
            let watched = self.context.probe.zip(pending.watched);
            let mut log = followed.remove(&quad).map(FragmentLog::new);
            for pixel in (0..4).filter(|&pixel| pending.samples[pixel] != 0) {
                let place = pixel / 2 * columns + 2 * quad + pixel % 2;
                let is_watched = pending.watched.is_some_and(|watched| watched.pixel == pixel);
                let noted = log.as_mut().filter(|_| is_watched);
                self.counts.passed += self.finish_pixel(&results, pending, pixel, place, noted);
            }
            if let (Some((probe, watched)), Some(log)) = (watched, log) {
                probe.amend(watched.event, |fragment| log.complete(fragment));
            }
        }
        self.pending = pending;
        self.pending.clear();
        // Of the primitives that is left that is drawn.
        self.primitives.drain(..self.primitives.len() - 1);
        Ok(())
    }

    /// Runs the program on the reference for a quad with the pixel that is watched, notes what it goes through, and gives what it exports.
    fn follow(&self, job: &Job, quad: usize, pending: &PendingQuad) -> Option<Exports> {
        let (probe, WatchedPixel { pixel, event }) = self.context.probe.zip(pending.watched)?;
        let (draw_memory, Regions { inputs, outputs, depth, valid, .. }) = (&self.draw_memory, &self.regions);
        let (row, column) = (pixel / 2, 2 * quad + pixel % 2);
        let first = 2 * quad as u32;
        let quad = Domain { i0: first, j0: 0, i1: first + 1, j1: 1 };
        self.regions.clear_outputs(draw_memory.arena(), self.pending.len());
        let job = Job { lanes: quad.into(), ..job.clone() };
        let (x, y) = probe.pixel();
        let (lane, name) = ((column as u32, row as u32), format!("pixel ({x}, {y})"));
        let (run, trap) = probe.run(&job, &self.context.options, lane, self.listing.as_ref()?, name);
        let vector = |region: &Region| draw_memory.vector(*region, row * self.regions.columns + column);
        let exports = Exports {
            outputs: outputs.iter().map(|(output, region)| (*output, vector(region))).collect(),
            depth: depth.as_ref().map(vector).unwrap_or_default(),
            killed: trap.is_none() && valid.is_some_and(|region| draw_memory.words(region, 4)[pixel] == 0),
        };
        let named = |register: u8| format!("R{register}");
        let vectors = self.stage.inputs.registers().zip(inputs);
        let colours = exports.outputs.iter().map(|(output, &bits)| Vector::words(format!("PIX{output}"), bits));
        let program = ProgramHistory {
            inputs: vectors.map(|(register, region)| Vector::words(named(register), vector(region))).collect(),
            constants: Vec::new(),
            run,
            trap,
            killed: exports.killed,
            outputs: colours.chain(depth.map(|_| Vector::words("DEPTH", exports.depth))).collect(),
            depth: exports.depth[0],
        };
        probe.amend(event, |fragment| fragment.program = Some(program));
        Some(exports)
    }

    /// Uses what the program exported for a pixel of a quad, at this place among the results. Gives how many samples passed tests that come
    /// after it. `fragment_log`: where to note what becomes of it.
    fn finish_pixel(
        &self,
        results: &Results,
        pending: &PendingQuad,
        pixel: usize,
        place: usize,
        mut log: Option<&mut FragmentLog>,
    ) -> u64 {
        let rules = &self.stage.rules;
        let mut samples = pending.samples[pixel];
        if results.valid.get(place).is_some_and(|&valid| valid == 0) {
            return 0;
        }
        let output = |number| results.outputs.get(&number).map_or([0; 4], |vectors: &Vec<[u32; 4]>| vectors[place]);
        let alpha = || f32::from_bits(output(0)[3]);
        let passes = rules.alpha.is_none_or(|(function, reference)| function.holds(alpha(), reference));
        let kept = if rules.alpha_to_mask { self.stage.samples.of_alpha(alpha()) } else { u8::MAX };
        if let Some(log) = &mut log
            && (rules.alpha.is_some() || rules.alpha_to_mask)
        {
            let test = rules.alpha.map(|(function, reference)| (function.name(), alpha(), reference));
            let passed = if passes { kept & self.stage.samples.all() } else { 0 };
            log.alpha = Some(AlphaHistory { test, passed });
        }
        if !passes {
            return 0;
        }
        samples &= kept;
        let [depth, stencil, mask, _] = results.depth.get(place).copied().unwrap_or_default();
        if rules.exports_mask {
            samples &= mask as u8;
        }
        let primitive = &self.primitives[pending.primitive];
        let at = self.place(primitive, pending.corner, pixel);
        let mut passed = 0;
        if !rules.early {
            let depth = rules.exports_depth.then(|| f32::from_bits(depth));
            let noted = log.as_mut().map(|log| &mut log.samples);
            let reference = rules.exports_stencil.then_some(stencil as u8);
            samples = self.test(primitive, at, samples, depth, reference, noted);
            passed = samples.count_ones().into();
        }
        for target in &self.stage.targets {
            let (colour, second) = (output(target.output), target.second.map(output).unwrap_or_default());
            let Some(log) = &mut log else {
                target.write(at, of(samples), colour, second);
                continue;
            };
            for sample in of(samples) {
                let place = SamplePlace { sample, ..at };
                let history = log.exports.write(target, place);
                target.write(at, std::iter::once(sample), colour, second);
                log.note(sample, WriteHistory { after: target.stored(place), ..history });
            }
        }
        passed
    }

    /// Runs the program for what still waits, and gives what was done.
    pub fn finish(mut self) -> Result<DrawCounts, DrawError> {
        self.run()?;
        Ok(self.counts)
    }
}

/// The samples of a mask.
fn of(mask: u8) -> impl Iterator<Item = u32> {
    (0..8).filter(move |sample| mask >> sample & 1 != 0)
}
