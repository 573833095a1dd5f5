//! A thread that draws tiles: it finds what primitives cover of one, tests it, runs the program, and stores what becomes of it.

use crate::draw::{Family, TileDraw};
use crate::interpolation::Interpolation;
use crate::lines::{Lines, OwnLine, PIXELS, QUADS};
use crate::rasterising::{Rasterising, Testing};
use crate::samples::SampledBlocks;
use crate::storing::Storing;
use ctm_raster::covered::ShadingRate;
use ctm_raster::sample_blocks::SampleRows;
use ctm_raster::simd::dispatch;

/// A fragment program as a thread runs it.
pub trait TileProgram {
    /// Why it stops.
    type Error;

    /// Looks whether there is time left.
    ///
    /// # Errors
    /// There is none.
    fn check(&self) -> Result<(), Self::Error>;

    /// Where it finds and leaves what it works on.
    fn lines(&self) -> &Lines<'_>;

    /// Runs it for so many quads, or for so many pixels. What it does not export becomes 0.
    ///
    /// # Errors
    /// It stops, or the time is up.
    fn run(&mut self, rate: ShadingRate, count: usize) -> Result<(), Self::Error>;
}

/// What was done with pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelCounts {
    /// Those that are covered.
    pub covered: u64,
    /// Those of them with samples that can be drawn to; or these samples, where the program runs for each.
    pub drawn: u64,
    /// Samples that pass depth and stencil tests; and what comes after the program, where these come after it, too.
    pub passed: u64,
    /// Pixels that the program ran for; or samples, where it runs for each.
    pub shaded: u64,
    /// Quads that the program ran for, or so many of the pixels that it ran for.
    pub quads: u64,
}

impl PixelCounts {
    /// Adds others.
    pub fn add(&mut self, other: PixelCounts) {
        self.covered += other.covered;
        self.drawn += other.drawn;
        self.passed += other.passed;
        self.shaded += other.shaded;
        self.quads += other.quads;
    }
}

/// What a thread works with, which outlives draws.
#[derive(Default)]
pub struct TileWorker {
    /// What primitives cover.
    blocks: SampledBlocks,
    rows: SampleRows,
    /// What passes tests that come before the program.
    passed: SampledBlocks,
    /// That of it which has one of the samples.
    of_sample: SampledBlocks,
    shading: ShadingLines,
}

/// Words of a launch.
#[derive(Default)]
struct ShadingLines {
    /// Of each pixel, the column and the row from vertex 0 of its primitive on.
    distances: [OwnLine; 2],
    /// What is stored for pixels, where they lie in memory.
    pixels: OwnLine,
}

impl TileWorker {
    /// Draws a tile, by its number among those with primitives.
    ///
    /// # Errors
    /// The program stops, or the time is up.
    pub fn draw<F: Family, P: TileProgram>(
        &mut self,
        draw: &TileDraw<F>,
        tile: usize,
        program: &mut P,
    ) -> Result<PixelCounts, P::Error> {
        let mut counts = PixelCounts::default();
        let Some((area, numbers)) = draw.tiles.get(tile) else { return Ok(counts) };
        let mut numbers = numbers.iter();
        while !numbers.as_slice().is_empty() {
            let (blocks, rows, numbers) = (&mut self.blocks, &mut self.rows, &mut numbers);
            blocks.clear();
            dispatch(Rasterising { draw, area, numbers, blocks, rows });
            self.draw_blocks(draw, program, &mut counts)?;
        }
        Ok(counts)
    }

    /// Draws the blocks that were found.
    fn draw_blocks<F: Family, P: TileProgram>(
        &mut self,
        draw: &TileDraw<F>,
        program: &mut P,
        counts: &mut PixelCounts,
    ) -> Result<(), P::Error> {
        program.check()?;
        let TileWorker { blocks, passed, of_sample, shading, .. } = self;
        let covered = blocks.pixels();
        counts.covered += covered;
        if draw.samples.are_many() && draw.samples.mask != draw.samples.all() {
            std::mem::swap(blocks, of_sample);
            blocks.clear();
            (0..of_sample.blocks.len()).for_each(|number| blocks.add(of_sample, number, &of_sample.drawn(number)));
        }
        counts.drawn += match (draw.samples.are_many(), draw.samples.iterates) {
            (false, _) => covered,
            (true, false) => blocks.pixels(),
            (true, true) => blocks.samples(),
        };
        passed.clear();
        if draw.rules.early {
            dispatch(Testing { draw, blocks, passed });
            counts.passed += passed.samples();
        } else {
            passed.append(blocks);
        }
        if !draw.rules.runs {
            return Ok(());
        }
        if !draw.samples.iterates {
            return shading.shade(draw, program, (passed, None), counts);
        }
        (0..draw.samples.count()).try_for_each(|sample| {
            of_sample.clear();
            of_sample.add_of_sample(passed, sample);
            shading.shade(draw, program, (of_sample, Some(sample)), counts)
        })
    }
}

impl ShadingLines {
    /// Runs the program for blocks, or for this sample of them, and uses what it exports.
    fn shade<F: Family, P: TileProgram>(
        &mut self,
        draw: &TileDraw<F>,
        program: &mut P,
        (blocks, sample): (&SampledBlocks, Option<usize>),
        counts: &mut PixelCounts,
    ) -> Result<(), P::Error> {
        let ShadingLines { distances, pixels } = self;
        let most = match draw.rate {
            ShadingRate::Quads => QUADS,
            ShadingRate::Pixels => PIXELS,
        };
        counts.shaded += blocks.pixels();
        for sampled in blocks.chunks(draw.rate, most) {
            let (rate, count) = (sampled.chunk.rate, sampled.chunk.count);
            let lines = program.lines();
            dispatch(Interpolation { draw, lines, distances, sampled, sample });
            program.run(rate, count)?;
            let lines = program.lines();
            let left = dispatch(Storing { draw, lines, pixels, sampled });
            counts.passed += if draw.rules.early { 0 } else { left };
            counts.quads += match rate {
                ShadingRate::Quads => count as u64,
                ShadingRate::Pixels => count as u64 / 4,
            };
        }
        Ok(())
    }
}
