//! Blocks of pixels that have one sample or several.

use crate::surfaces::{Block, Chunk};
use ctm_raster::coverage::MAX_SAMPLES;
use ctm_raster::covered::{ShadingRate, chunks, pixels_of};
use ctm_raster::grid::Point;
use ctm_raster::sample_blocks::{self, SampleMasks, count_samples};

/// The samples of pixels.
#[derive(Clone, Copy, Debug)]
pub struct SamplePattern<'d> {
    /// Where they are, inside of a pixel; the only one is at its centre.
    pub places: &'d [Point],
    /// Whether each is covered for itself; otherwise all are as the centre is.
    pub are_separate: bool,
    /// Bit n: sample n can be drawn to. The only one can.
    pub mask: u8,
    /// The program runs for each of them.
    pub iterates: bool,
}

impl SamplePattern<'_> {
    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.places.len().min(MAX_SAMPLES)
    }

    /// Whether there are several.
    #[inline(always)]
    pub fn are_many(&self) -> bool {
        self.places.len() > 1
    }

    /// A bit for each.
    #[inline(always)]
    pub fn all(&self) -> u8 {
        (u16::MAX >> (16 - self.count())) as u8
    }

    /// The first ones, as many as a share of all of them.
    pub fn share(&self, share: f32) -> u8 {
        let count = (share.clamp(0.0, 1.0) * self.count() as f32 + 0.5) as u32;
        (u32::MAX.checked_shl(count).map_or(u32::MAX, |above| !above)) as u8 & self.all()
    }
}

/// These samples of these pixels of a block.
#[inline(always)]
pub(crate) fn samples_of(pixels: [u8; 2], samples: u8) -> SampleMasks {
    std::array::from_fn(|sample| if samples >> sample & 1 != 0 { pixels } else { [0; 2] })
}

/// The samples that are in both.
#[inline(always)]
pub(crate) fn common(one: &SampleMasks, other: &SampleMasks) -> SampleMasks {
    std::array::from_fn(|sample| std::array::from_fn(|row| one[sample][row] & other[sample][row]))
}

/// Blocks in their order. A pixel of a block is drawn if a sample of it is.
#[derive(Default)]
pub(crate) struct SampledBlocks {
    pub blocks: Vec<Block>,
    /// If pixels have several samples, those of each block that its primitive covers.
    pub covered: Vec<SampleMasks>,
    /// The same: those of them that are drawn to.
    pub drawn: Vec<SampleMasks>,
}

impl SampledBlocks {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.covered.clear();
        self.drawn.clear();
    }

    /// Takes all of them.
    pub fn append(&mut self, other: &mut SampledBlocks) {
        self.blocks.append(&mut other.blocks);
        self.covered.append(&mut other.covered);
        self.drawn.append(&mut other.drawn);
    }

    /// Adds one of other blocks with the samples that are left of it, if there are any.
    #[inline(always)]
    pub fn add(&mut self, from: &SampledBlocks, number: usize, left: &SampleMasks) {
        let covered = from.covered.get(number);
        let drawn = if covered.is_some() { sample_blocks::pixels_of(left) } else { left[0] };
        if drawn == [0; 2] {
            return;
        }
        self.blocks.push(Block { drawn, ..from.blocks[number] });
        if let Some(covered) = covered {
            self.covered.push(*covered);
            self.drawn.push(*left);
        }
    }

    /// Adds those of other blocks of which this sample is drawn to, and none of the others.
    pub fn add_of_sample(&mut self, from: &SampledBlocks, sample: usize) {
        for (number, drawn) in from.drawn.iter().enumerate() {
            self.add(from, number, &samples_of(drawn[sample], 1 << sample));
        }
    }

    /// The samples of a block that are drawn to.
    #[inline(always)]
    pub fn drawn(&self, number: usize) -> SampleMasks {
        match self.drawn.get(number) {
            Some(drawn) => *drawn,
            None => samples_of(self.blocks[number].drawn, 1),
        }
    }

    /// Pixels that are drawn.
    pub fn pixels(&self) -> u64 {
        pixels_of(&self.blocks)
    }

    /// Samples that are drawn to.
    pub fn samples(&self) -> u64 {
        if self.drawn.is_empty() { self.pixels() } else { count_samples(&self.drawn) }
    }

    /// Quads or pixels in their order, in launches of so many at most.
    pub fn chunks(&self, rate: ShadingRate, most: usize) -> impl Iterator<Item = SampledChunk<'_>> {
        let mut first = 0;
        chunks(&self.blocks, rate, most).map(move |chunk| {
            let own = first..first + chunk.blocks.len();
            first = own.end;
            let [covered, drawn] = [&self.covered, &self.drawn].map(|masks| masks.get(own.clone()).unwrap_or_default());
            SampledChunk { chunk, covered, drawn }
        })
    }
}

/// What runs together.
#[derive(Clone, Copy)]
pub(crate) struct SampledChunk<'w> {
    pub chunk: Chunk<'w>,
    /// Of each block, as [`SampledBlocks`] have them.
    pub covered: &'w [SampleMasks],
    pub drawn: &'w [SampleMasks],
}
