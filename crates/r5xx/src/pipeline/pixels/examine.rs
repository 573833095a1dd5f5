//! What a primitive is about to do to one pixel, worked out without drawing it.

use super::{Pixels, RasterPrimitive, pixels_of};
use crate::pipeline::history::Probe;
use crate::pipeline::window::GRID;
use crate::surface::Surface;
use ctm_card::history::{
    CopyHistory, CopyKind, CoverageRejection, FragmentHistory, PixelEvent, SampleHistory, TargetHistory, WriteHistory,
};
use ctm_raster::coverage::{self, ConvexPolygon};
use ctm_raster::grid::Rect;
use ctm_x1k::fragments::Quad;

impl Pixels<'_> {
    /// The colour buffers, with where a pixel is in them.
    pub fn targets_at(&self, (x, y): (u32, u32)) -> Vec<TargetHistory> {
        let target = |(number, surface): (u32, &Surface)| TargetHistory { number, address: surface.address(x, y, 0) };
        let targets = self.targets.iter().map(|target| (target.number, target.surface()));
        targets.chain(self.resolve.iter().map(|resolve| (0, resolve.to()))).map(target).collect()
    }

    /// Whether a shape covers a pixel that can be drawn to.
    pub fn covers(&self, shape: &ConvexPolygon, (x, y): (u32, u32)) -> bool {
        self.visible.framebuffer.contains(x, y) && self.coverage(shape, (x, y))[lane_of(x, y)] != 0
    }

    /// Which samples a shape covers of the quad with this pixel.
    fn coverage(&self, shape: &ConvexPolygon, (x, y): (u32, u32)) -> [u8; 4] {
        let (left, top) = (x & !1, y & !1);
        let quad = Rect { left, top, right: left + 2, bottom: top + 2 };
        let mut found = [0; 4];
        coverage::quads(GRID, shape, &quad, &self.samples, |covered| found = covered.coverage);
        found
    }

    /// The samples of a pixel that can be drawn to, and what keeps others from that.
    fn shown(
        &self,
        raster_primitive: &RasterPrimitive,
        (x, y): (u32, u32),
        covered: u8,
    ) -> (u8, Option<CoverageRejection>) {
        let kept = covered & self.shown_samples(lane_of(x, y));
        if !self.visible.framebuffer.contains(x, y) {
            (0, Some(CoverageRejection::Scissor))
        } else if kept != covered && kept == 0 {
            (0, Some(CoverageRejection::Screendoor))
        } else if !self.visible.shows(x, y) {
            (0, Some(CoverageRejection::ClipRule))
        } else if raster_primitive.stipple.is_some_and(|stipple| !stipple.draws(x, y)) {
            (0, Some(CoverageRejection::Stipple))
        } else {
            (kept, (kept != covered).then_some(CoverageRejection::Screendoor))
        }
    }

    /// Tells a probe what a primitive is about to do.
    pub fn examine(&self, probe: &Probe, raster_primitive: &RasterPrimitive) {
        self.examine_clear(probe, raster_primitive);
        let pixel = probe.pixel();
        let lane = lane_of(pixel.0, pixel.1);
        let covered = self.coverage(raster_primitive.shape, pixel);
        if covered[lane] == 0 {
            return;
        }
        let places = pixels_of(pixel.0 & !1, pixel.1 & !1);
        let mut masks = [0; 4];
        for (mask, (place, covered)) in masks.iter_mut().zip(places.into_iter().zip(covered)) {
            *mask = self.shown(raster_primitive, place, covered).0;
        }
        let (visible, hidden) = self.shown(raster_primitive, pixel, covered[lane]);
        let primitive = probe.primitive(raster_primitive.window, raster_primitive.depth.facing);
        if visible != 0
            && let Some(resolve) = &self.resolve
        {
            let (samples, result) = resolve.average(pixel.0, pixel.1);
            let before = resolve.to().read(pixel.0, pixel.1, 0);
            let primitive = primitive.clone();
            let kind = CopyKind::Resolve;
            let history = CopyHistory { kind, primitive, place: pixel, samples, before, result, after: before };
            probe.push(PixelEvent::Copy(history));
            if !self.shades && self.depth.is_off() {
                return;
            }
        }
        let mut fragment = FragmentHistory {
            primitive,
            covered: covered[lane],
            visible,
            hidden,
            early: self.early || !self.shades,
            program: None,
            alpha: None,
            samples: samples_of(visible),
        };
        self.examine_fragment(probe, raster_primitive, &mut masks, &mut fragment);
        probe.push(PixelEvent::Fragment(Box::new(fragment)));
    }

    /// What becomes of a fragment that has these samples, with those of the other pixels of its quad.
    fn examine_fragment(
        &self,
        probe: &Probe,
        raster_primitive: &RasterPrimitive,
        masks: &mut [u8; 4],
        fragment: &mut FragmentHistory,
    ) {
        let pixel = probe.pixel();
        let lane = lane_of(pixel.0, pixel.1);
        let origin = (pixel.0 & !1, pixel.1 & !1);
        if fragment.early {
            for (mask, place) in masks.iter_mut().zip(pixels_of(origin.0, origin.1)) {
                let mut samples = samples_of(*mask);
                *mask = self.examine_tests(raster_primitive, place, &mut samples, None);
                if place == pixel {
                    fragment.samples = samples;
                }
            }
        }
        if masks[lane] == 0 || !self.shades {
            return;
        }
        let covered = (0..4).fold(0, |covered, lane| covered | u8::from(masks[lane] != 0) << lane);
        let mut quad = Quad { position: origin, covered, inputs: Vec::new() };
        raster_primitive.inputs.at(origin.0, origin.1, &mut quad.inputs);
        let (program, outputs) = probe.run(&quad, lane);
        let (depth, stopped) = (program.depth, program.killed || program.trap.is_some());
        fragment.program = Some(program);
        if stopped {
            return;
        }
        fragment.alpha = self.alpha.examine(outputs[0][3], self.samples.len() as u32);
        let mut mask = masks[lane] & fragment.alpha.map_or(u8::MAX, |alpha| alpha.passed);
        if !fragment.early {
            fragment.samples = samples_of(mask);
            let depth = self.alpha.depth_from_program.then_some(depth);
            mask = self.examine_tests(raster_primitive, pixel, &mut fragment.samples, depth);
        }
        for sample in fragment.samples.iter_mut().filter(|sample| mask >> sample.number & 1 != 0) {
            let write = |target| self.examine_write(target, pixel, sample.number, &outputs);
            sample.writes = (0..self.targets.len()).map(write).collect();
        }
    }

    /// What the tests of samples would do; gives those that pass.
    fn examine_tests(
        &self,
        raster_primitive: &RasterPrimitive,
        pixel: (u32, u32),
        samples: &mut [SampleHistory],
        program: Option<u32>,
    ) -> u8 {
        let mut passed = 0;
        for sample in samples {
            let depth = self.depth_of_sample(&raster_primitive.depth, pixel, sample.number, program);
            sample.tests = self.depth.examine(pixel, sample.number, raster_primitive.depth.facing, depth);
            passed |= u8::from(sample.tests.is_none_or(|tests| tests.outcome.passed)) << sample.number;
        }
        passed
    }

    fn examine_write(&self, target: usize, pixel: (u32, u32), sample: u32, outputs: &[[u32; 4]; 4]) -> WriteHistory {
        let target = &self.targets[target];
        target.examine(pixel, sample, outputs[target.output])
    }

    /// The clear through the depth unit, whose buffer has the pixel's bytes at another place.
    fn examine_clear(&self, probe: &Probe, raster_primitive: &RasterPrimitive) {
        let Some((surface, value)) = self.clear.as_ref().map(|clear| clear.examine()) else { return };
        let targets = self.targets_at(probe.pixel());
        let Rect { left, top, right, bottom } = self.area(raster_primitive.shape);
        let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        let same = |&(x, y): &(u32, u32)| {
            surface.address(x, y, 0).is_some_and(|address| targets.iter().any(|at| at.address == Some(address)))
        };
        for place in places.filter(same) {
            let covered = self.coverage(raster_primitive.shape, place)[lane_of(place.0, place.1)];
            if self.shown(raster_primitive, place, covered).0 != 0 {
                let before = surface.read(place.0, place.1, 0);
                let primitive = probe.primitive(raster_primitive.window, raster_primitive.depth.facing);
                let (kind, samples) = (CopyKind::Clear, Vec::new());
                let history = CopyHistory { kind, primitive, place, samples, before, result: value, after: before };
                probe.push(PixelEvent::Copy(history));
            }
        }
    }

    /// Completes the events from this one on with what the buffers hold now.
    pub fn complete(&self, probe: &Probe, from: usize) {
        let pixel = probe.pixel();
        probe.complete(from, |event| match event {
            PixelEvent::Fragment(fragment) => self.complete_samples(pixel, &mut fragment.samples),
            PixelEvent::Copy(copy) => match copy.kind {
                CopyKind::Clear => {
                    if let Some(unit) = &self.clear {
                        copy.after = unit.examine().0.read(copy.place.0, copy.place.1, 0);
                    }
                }
                CopyKind::Resolve => {
                    if let Some(resolve) = &self.resolve {
                        copy.after = resolve.to().read(pixel.0, pixel.1, 0);
                    }
                }
                CopyKind::Depth => {}
            },
            PixelEvent::Culled(_) => {}
        });
    }

    fn complete_samples(&self, pixel: (u32, u32), samples: &mut [SampleHistory]) {
        for sample in samples {
            if let Some(tests) = &mut sample.tests {
                self.depth.complete(pixel, sample.number, tests);
            }
            for (write, target) in sample.writes.iter_mut().zip(&self.targets) {
                write.after = target.stored(pixel, sample.number);
            }
        }
    }
}

/// The number of a pixel in its quad.
fn lane_of(x: u32, y: u32) -> usize {
    (y % 2 * 2 + x % 2) as usize
}

/// The samples of a mask.
fn samples_of(mask: u8) -> Vec<SampleHistory> {
    let numbers = (0..u8::BITS).filter(|sample| mask >> sample & 1 != 0);
    numbers.map(|number| SampleHistory { number, ..SampleHistory::default() }).collect()
}
