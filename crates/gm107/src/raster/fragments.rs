//! What becomes of fragments after their program, or before it where tests are early: alpha, samples, depth and stencil, colours.

use super::Rasteriser;
use super::batch::{Pending, PendingPrimitive};
use super::depth::compare;
use crate::history::FragmentLog;
use crate::methods::{
    AlphaTestEnable, AlphaTestFunc, AlphaTestRef, FragColorClampEn, MsaaMask, MultisampleCtrl, RegisterType,
    SamplecntEnable,
};
use crate::state::Methods;
use crate::textures::{sample_grid, sample_place};
use ctm_card::history::{AlphaHistory, SampleHistory};
use ctm_raster::coverage::QUAD_PIXELS;
use ctm_raster::depth::CompareFunction;
use ctm_sm50::PixelMaps;
use ctm_sm50::launch::{PixelQuad, ResultColumns};

/// Targets that there are.
pub const TARGETS: usize = 8;
const ONE: u32 = 0x3F80_0000;

/// What state says about fragments.
#[derive(Clone, Copy, Debug)]
pub struct FragmentState {
    /// Comparison of alpha, and what it is compared with.
    pub alpha_test: Option<(CompareFunction, f32)>,
    /// Alpha covers some samples.
    alpha_to_coverage: bool,
    alpha_to_one: bool,
    /// Colours that are clamped: bit n for output n.
    pub clamped: u8,
    /// Samples that may be written.
    pub mask: u8,
    /// Samples that survive are counted.
    pub counts_samples: bool,
}

impl FragmentState {
    /// As the methods say, for targets of which some have integers: bit n for target n.
    pub fn of(methods: &Methods, samples: u32, integers: u8) -> Self {
        let control: MultisampleCtrl = methods.get();
        let clamps = methods.word(FragColorClampEn::ADDRESS);
        let alpha_test = methods
            .get::<AlphaTestEnable>()
            .enable
            .then(|| (compare(methods.get::<AlphaTestFunc>().func), methods.float(AlphaTestRef::ADDRESS)));
        FragmentState {
            alpha_test,
            alpha_to_coverage: control.alpha_to_coverage && samples > 1,
            alpha_to_one: control.alpha_to_one && samples > 1,
            clamped: (0..8).filter(|n| clamps >> (4 * n) & 1 != 0).fold(0, |bits, n| bits | 1 << n) & !integers,
            mask: methods.at::<MsaaMask>(0).mask as u8,
            counts_samples: methods.get::<SamplecntEnable>().enable,
        }
    }
}

impl FragmentState {
    /// Samples that may be written.
    pub fn mask(&self) -> u8 {
        self.mask
    }

    /// Whether alpha drops fragments.
    pub fn drops_by_alpha(&self) -> bool {
        self.alpha_test.is_some() || self.alpha_to_coverage
    }

    /// The samples of so many that this alpha leaves.
    fn kept_by_alpha(&self, alpha: f32, samples: u32) -> u8 {
        match self.alpha_test {
            Some((function, reference)) if !function.holds(alpha, reference) => 0,
            _ if self.alpha_to_coverage => alpha_coverage(alpha, samples),
            _ => u8::MAX,
        }
    }
}

/// The outputs of a program: where the colour of each target is among its registers.
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    pub colours: [Option<u32>; TARGETS],
    /// The second colour of blending.
    pub second: Option<u32>,
    pub sample_mask: Option<u32>,
    pub depth: Option<u32>,
}

impl Outputs {
    /// Those of a program that puts out what its header says; without `are_apart` all targets get the first colour.
    pub fn of(maps: &PixelMaps, are_apart: bool) -> Self {
        let mut colours = [None; TARGETS];
        for (n, target) in maps.colours().enumerate() {
            if let Some(colour) = colours.get_mut(target as usize) {
                *colour = Some(4 * n as u32);
            }
        }
        let second = colours[1];
        if !are_apart {
            colours = [colours[0]; TARGETS];
        }
        Outputs { colours, second, sample_mask: maps.sample_mask_register(), depth: maps.depth_register() }
    }
}

impl Outputs {
    /// The targets that get a colour, with where it is.
    pub fn colours(&self) -> impl Iterator<Item = (usize, Option<u32>)> {
        self.colours.into_iter().enumerate()
    }

    /// Where the depth is.
    pub fn depth(&self) -> Option<u32> {
        self.depth
    }
}

impl Rasteriser<'_> {
    /// Tests depth and stencil before the program runs: samples that fail are not covered any more.
    pub fn test_early(&mut self, pending: &mut Pending) {
        let Pending { quads, primitives, watched, .. } = pending;
        let mut events = std::mem::take(watched).into_iter();
        for quad in quads {
            let primitive = &primitives[quad.primitive as usize];
            let group = self.group_samples(quad.sample.into()) & self.fragment_state.mask;
            for lane in 0..4 {
                if quad.covered >> lane & 1 == 0 {
                    continue;
                }
                let tested = quad.samples[lane] & group;
                let event = self.is_watched(quad, lane).then(|| events.next()).flatten();
                let mut noted = event.map(|_| Vec::new());
                let passed = self.depth_passed(quad, lane, primitive, tested, None, noted.as_mut());
                self.count(passed);
                if let (Some(event), Some(noted)) = (event, noted) {
                    self.amend(event, |fragment| fragment.samples = noted);
                    watched.extend((passed != 0).then_some(event));
                }
                quad.samples[lane] = quad.samples[lane] & !group | passed;
                if passed == 0 {
                    quad.covered &= !(1 << lane);
                }
            }
        }
    }

    /// What is stored where no program runs: depth and stencil.
    pub fn store_depths(&mut self, pending: &Pending) {
        let mut events = pending.watched.iter();
        for quad in &pending.quads {
            let primitive = &pending.primitives[quad.primitive as usize];
            let group = self.group_samples(quad.sample.into()) & self.fragment_state.mask;
            for lane in (0..4).filter(|lane| quad.covered >> lane & 1 != 0) {
                if !self.tests_early {
                    let event = self.is_watched(quad, lane).then(|| events.next()).flatten();
                    let mut noted = event.map(|_| Vec::new());
                    let samples = quad.samples[lane] & group;
                    let passed = self.depth_passed(quad, lane, primitive, samples, None, noted.as_mut());
                    self.count(passed);
                    if let (Some(&event), Some(noted)) = (event, noted) {
                        self.amend(event, |fragment| fragment.samples = noted);
                    }
                }
            }
        }
    }

    /// Stores what the fragments of a launch have left.
    pub fn store(&mut self, results: &ResultColumns, pending: &Pending) {
        let mut events = pending.watched.iter();
        for (invocation, quad) in (0..).step_by(4).zip(&pending.quads) {
            for lane in 0..4 {
                let invocation = invocation + lane as u32;
                if quad.covered >> lane & 1 == 0 {
                    continue;
                }
                let event = self.is_watched(quad, lane).then(|| events.next()).flatten();
                if !results.has(invocation) {
                    continue;
                }
                let primitive = &pending.primitives[quad.primitive as usize];
                let mut log = event.map(|_| FragmentLog::default());
                let register = |register| results.register(invocation, register);
                self.store_fragment(quad, lane, primitive, register, log.as_mut());
                if let (Some(&event), Some(log)) = (event, log) {
                    self.amend(event, |fragment| log.complete(fragment));
                }
            }
        }
    }

    fn store_fragment(
        &mut self,
        quad: &PixelQuad,
        lane: usize,
        primitive: &PendingPrimitive,
        register: impl Fn(u32) -> u32,
        mut log: Option<&mut FragmentLog>,
    ) {
        let (outputs, state) = (self.outputs, self.fragment_state);
        let mut mask = quad.samples[lane] & self.group_samples(quad.sample.into()) & state.mask;
        // Without multisampling there is nothing to choose from (OpenGL 4.3, 17.3.3).
        if let Some(n) = outputs.sample_mask.filter(|_| self.state.is_multisampled) {
            mask &= register(n) as u8;
        }
        let colour = |n: usize| -> Option<[u32; 4]> {
            let first = outputs.colours[n]?;
            let colour = [0, 1, 2, 3].map(|component| register(first + component));
            Some(if state.clamped >> n & 1 != 0 { colour.map(from_0_to_1) } else { colour })
        };
        let first = colour(0);
        if let Some([.., alpha]) = first
            && state.drops_by_alpha()
        {
            let kept = state.kept_by_alpha(f32::from_bits(alpha), self.state.samples);
            if let Some(log) = &mut log {
                let test = state.alpha_test;
                let test = test.map(|(function, reference)| (function.name(), f32::from_bits(alpha), reference));
                log.alpha = Some(AlphaHistory { test, passed: kept });
            }
            mask &= kept;
        }
        let depth = outputs.depth.map(|n| f64::from(f32::from_bits(register(n))));
        if !self.tests_early {
            let noted = log.as_mut().map(|log| &mut log.samples);
            mask = self.depth_passed(quad, lane, primitive, mask, depth, noted);
            self.count(mask);
        }
        if mask == 0 {
            return;
        }
        let (right, down) = QUAD_PIXELS[lane];
        let grid = sample_grid(self.state.samples);
        let second = outputs.second.map_or([0; 4], |first| [0, 1, 2, 3].map(|component| register(first + component)));
        for (n, target) in self.targets.iter().enumerate() {
            let (Some(target), Some(mut colour)) = (target, colour(n)) else { continue };
            if state.alpha_to_one && !target.is_integer() {
                colour[3] = ONE;
            }
            for sample in (0..self.state.samples).filter(|sample| mask >> sample & 1 != 0) {
                let [dx, dy] = sample_place(sample);
                let place = [((quad.x + right) << grid[0]) + dx, ((quad.y + down) << grid[1]) + dy];
                match &mut log {
                    None => target.write(place, primitive.layer, colour, second),
                    Some(log) => log.note(sample, target.write_noting(n, (place, primitive.layer), colour, second)),
                }
            }
        }
    }

    /// The samples of these that pass depth and stencil tests; all if there are none.
    fn depth_passed(
        &self,
        quad: &PixelQuad,
        lane: usize,
        primitive: &PendingPrimitive,
        mask: u8,
        given: Option<f64>,
        mut noted: Option<&mut Vec<SampleHistory>>,
    ) -> u8 {
        let samples = (0..self.state.samples).filter(|&sample| mask >> sample & 1 != 0);
        let Some(test) = &self.depth else {
            if let Some(noted) = noted {
                noted.extend(samples.map(untested));
            }
            return mask;
        };
        let (right, down) = QUAD_PIXELS[lane];
        let (x, y) = (quad.x + right, quad.y + down);
        let grid = sample_grid(self.state.samples);
        let mut passes = |sample: u32| {
            let depth = match given {
                Some(depth) if depth > 0.0 => depth.min(1.0),
                Some(_) => 0.0,
                None => primitive.depth_at(self.sample_place((x, y), sample)),
            };
            let [dx, dy] = sample_place(sample);
            let place = [(x << grid[0]) + dx, (y << grid[1]) + dy];
            let Some(noted) = &mut noted else { return test.passes(place, primitive.layer, depth, primitive.facing) };
            let (passed, tests) = test.passes_noting(place, primitive.layer, depth, primitive.facing);
            noted.push(SampleHistory { tests, ..untested(sample) });
            passed
        };
        samples.filter(|&sample| passes(sample)).fold(0, |bits, sample| bits | 1 << sample)
    }

    fn count(&mut self, passed: u8) {
        let passed = u64::from(passed.count_ones());
        self.counts.draw.passed += passed;
        if self.fragment_state.counts_samples {
            self.counts.samples += passed;
        }
    }
}

/// A sample that no test has seen.
fn untested(number: u32) -> SampleHistory {
    SampleHistory { number, ..SampleHistory::default() }
}

/// A number from 0 to 1; what is not a number becomes 0.
fn from_0_to_1(bits: u32) -> u32 {
    let number = f32::from_bits(bits);
    if number > 0.0 { number.min(1.0).to_bits() } else { 0 }
}

/// As many of the lowest samples as alpha says.
fn alpha_coverage(alpha: f32, samples: u32) -> u8 {
    let alpha = if alpha > 0.0 { alpha.min(1.0) } else { 0.0 };
    let count = (alpha * samples as f32 + 0.5).floor() as u32;
    ((1u16 << count.min(8)) - 1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_covers_the_lowest_samples() {
        assert_eq!([0.0, 0.124, 0.125, 0.84, 1.0, f32::NAN].map(|alpha| alpha_coverage(alpha, 4)), [0, 0, 1, 7, 15, 0]);
        assert_eq!(alpha_coverage(1.0, 8), 0xFF);
    }

    #[test]
    fn outputs_have_registers_one_after_the_other() {
        let mut maps = PixelMaps::default();
        (maps.targets, maps.sample_mask, maps.depth) = (0x0F00_F0F0, true, true);
        let apart = Outputs::of(&maps, true);
        assert_eq!(apart.colours, [None, Some(0), None, Some(4), None, None, Some(8), None]);
        assert_eq!((apart.second, apart.sample_mask, apart.depth), (Some(0), Some(12), Some(13)));
        let mut first = PixelMaps::default();
        first.targets = 0xFF;
        let one = Outputs::of(&first, false);
        assert_eq!((one.colours, one.second), ([Some(0); 8], Some(4)));
    }
}
