//! A thread that draws tiles: it finds what primitives cover of one, tests it, runs the program, and stores what becomes of it.

use crate::draw::{Family, TileDraw};
use crate::interpolation::Interpolation;
use crate::lines::{Lines, OwnLine, PIXELS, QUADS};
use crate::rasterising::{Rasterising, Testing};
use crate::storing::Storing;
use crate::surfaces::Block;
use ctm_raster::covered::{ShadingRate, chunks, pixels_of};
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
    /// Those of them that pass depth and stencil tests; and what comes after the program, where these come after it, too.
    pub passed: u64,
    /// Quads that the program ran for, or so many of the pixels that it ran for.
    pub quads: u64,
}

impl PixelCounts {
    /// Adds others.
    pub fn add(&mut self, other: PixelCounts) {
        self.covered += other.covered;
        self.passed += other.passed;
        self.quads += other.quads;
    }
}

/// What a thread works with, which outlives draws.
#[derive(Default)]
pub struct TileWorker {
    /// What primitives cover.
    blocks: Vec<Block>,
    /// What passes tests that come before the program.
    passed: Vec<Block>,
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
            let (blocks, numbers) = (&mut self.blocks, &mut numbers);
            blocks.clear();
            dispatch(Rasterising { draw, area, numbers, blocks });
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
        let TileWorker { blocks, passed, distances, pixels } = self;
        counts.covered += pixels_of(blocks);
        passed.clear();
        if draw.rules.early {
            dispatch(Testing { draw, blocks, passed });
            counts.passed += pixels_of(passed);
        } else {
            passed.append(blocks);
        }
        if !draw.rules.runs {
            return Ok(());
        }
        let (rate, most) = match draw.rate {
            ShadingRate::Quads => (ShadingRate::Quads, QUADS),
            ShadingRate::Pixels => (ShadingRate::Pixels, PIXELS),
        };
        for chunk in chunks(passed, rate, most) {
            let lines = program.lines();
            dispatch(Interpolation { draw, lines, distances, chunk });
            program.run(rate, chunk.count)?;
            let lines = program.lines();
            let left = dispatch(Storing { draw, lines, pixels, chunk });
            counts.passed += if draw.rules.early { 0 } else { left };
            counts.quads += match rate {
                ShadingRate::Quads => chunk.count as u64,
                ShadingRate::Pixels => chunk.count as u64 / 4,
            };
        }
        Ok(())
    }
}
