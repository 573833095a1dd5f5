//! The way of a fragment that is watched, from its program to the targets.

use super::targets::{ColourTarget, SamplePlace};
use ctm_card::history::{AlphaHistory, FragmentHistory, SampleHistory, WriteHistory};
use std::collections::BTreeMap;

/// The pixel that is watched.
#[derive(Clone, Copy)]
pub struct WatchedPixel {
    /// Which one of its quad it is.
    pub pixel: usize,
    /// The event of its fragment.
    pub event: usize,
}

/// What becomes of a fragment that is watched.
pub struct FragmentLog {
    /// What the reference exports for it.
    pub exports: Exports,
    /// What the alpha test says.
    pub alpha: Option<AlphaHistory>,
    /// What becomes of its samples.
    pub samples: Vec<SampleHistory>,
}

/// What a program exports for a pixel.
#[derive(Clone, Default)]
pub struct Exports {
    /// Colours by number.
    pub outputs: BTreeMap<usize, [u32; 4]>,
    /// Depth, stencil value, mask of samples.
    pub depth: [u32; 4],
    /// The program kills it.
    pub killed: bool,
}

impl Exports {
    /// A colour.
    pub fn output(&self, number: usize) -> [u32; 4] {
        self.outputs.get(&number).copied().unwrap_or_default()
    }

    /// What writing them to a target does.
    pub fn write(&self, target: &ColourTarget, place: SamplePlace) -> WriteHistory {
        let second = target.second.map(|output| self.output(output)).unwrap_or_default();
        target.history(place, self.output(target.output), second)
    }
}

impl FragmentLog {
    /// Of a fragment for which the reference exports this.
    pub fn new(exports: Exports) -> Self {
        FragmentLog { exports, alpha: None, samples: Vec::new() }
    }

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
