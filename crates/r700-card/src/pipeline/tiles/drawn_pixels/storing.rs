//! What the program exports for the pixels of a launch is stored.

use super::{BlockRun, Line, OwnLine, get_eight, line_of, places_of, runs};
use crate::pipeline::stage::Lines;
use crate::pipeline::tiles::quad_masks::{PIXELS as QUAD_PIXELS, block_quads};
use crate::pipeline::tiles::surfaces::{Block, Chunk, SurfaceBlocks, SurfaceQuads};
use crate::pipeline::tiles::worker::Shared;
use ctm_memory::{Access, FourWords, RowWords};
use ctm_raster::float_bytes::WriteFloats;
use ctm_raster::quads::BLOCK;
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask};
use std::ops::Range;

/// It is stored: a task that is faster on hosts with wide vectors.
pub struct Storing<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub lines: &'t Lines,
    /// What is stored for pixels, where they lie in memory.
    pub pixels: &'t mut OwnLine,
    pub chunk: Chunk<'t>,
}

impl SimdTask for Storing<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Storing { shared, lines, pixels, chunk } = self;
        let access = simd.access();
        for (target, surface_quads) in shared.stage.targets.iter().zip(shared.targets) {
            let Some((bytes, colour)) = target.bytes().zip(lines.output(target.output)) else { continue };
            let [Some(a), Some(b), Some(c), Some(d)] = colour.map(|line| line_of(shared.arena, line)) else { continue };
            let destination = Destination {
                shared,
                surface_quads,
                blocks: shared.blocks_of(surface_quads),
                lines: [a, b, c, d],
                chunk,
            };
            // The most common ones have loops of their own.
            if let Some(over) = bytes.over() {
                destination.store(simd, over, pixels, access);
            } else if let Some(copied) = bytes.copied() {
                destination.store(simd, copied, pixels, access);
            } else {
                destination.store(simd, &bytes, pixels, access);
            }
        }
    }
}

/// A target, with the lines of its colours.
struct Destination<'t, 'd, 'a> {
    shared: &'t Shared<'d, 'a>,
    surface_quads: &'t SurfaceQuads<'t>,
    blocks: Option<SurfaceBlocks<'t>>,
    lines: [Line<'t>; 4],
    chunk: Chunk<'t>,
}

impl Destination<'_, '_, '_> {
    #[inline(always)]
    fn store<W: WriteFloats>(&self, simd: impl Simd, colours: W, pixels: &mut OwnLine, access: impl Access) {
        let Destination { shared, chunk, .. } = *self;
        if !W::READS {
            self.work_out(simd, colours, 0..chunk.count, pixels, access);
            for (first, block) in chunk.places_from(0) {
                self.write_block(simd, colours.written(), (first, block), pixels, access);
            }
            return;
        }
        // What one primitive leaves is what the next one finds.
        for run in runs(shared, chunk) {
            self.read(simd, &run, pixels, access);
            self.work_out(simd, colours, run.pixels.clone(), pixels, access);
            for place in run.places() {
                self.write_block(simd, colours.written(), place, pixels, access);
            }
        }
    }

    /// Reads what is stored for the pixels of a primitive.
    #[inline(always)]
    fn read(&self, simd: impl Simd, run: &BlockRun, pixels: &mut OwnLine, access: impl Access) {
        for (first, block) in run.places() {
            // They become vectors here, as memory that is written by halves is waited for when it is read as a whole.
            let [upper, lower] = match self.rows(block) {
                Some([upper, lower]) => [simd.words(&upper.get(access)), simd.words(&lower.get(access))],
                None => {
                    let [upper, lower] = self.read_quads(block);
                    [simd.words(&upper), simd.words(&lower)]
                }
            };
            let [first, second] = places_of(block, first);
            let [above, below] = block.drawn;
            // Words after those that are drawn are given again, for the next ones.
            pixels.set(first, simd.array(simd.permuted(upper, simd.pack(above))));
            pixels.set(second, simd.array(simd.permuted(lower, simd.pack(below))));
        }
    }

    /// Makes of what is stored for pixels what is to be stored.
    #[inline(always)]
    fn work_out(
        &self,
        simd: impl Simd,
        colours: impl WriteFloats,
        all: Range<usize>,
        pixels: &mut OwnLine,
        access: impl Access,
    ) {
        let [a, b, c, d] = colours.components();
        let components = [self.lines[a % 4], self.lines[b % 4], self.lines[c % 4], self.lines[d % 4]];
        for first in all.step_by(LANES) {
            let [a, b, c, d] = &components;
            let (a, b) = (simd.words(&get_eight(a, first, access)), simd.words(&get_eight(b, first, access)));
            let (c, d) = (simd.words(&get_eight(c, first, access)), simd.words(&get_eight(d, first, access)));
            let alpha = simd.words(&get_eight(&self.lines[3], first, access));
            let memory = simd.words(&pixels.get(first));
            pixels.set(first, simd.array(colours.pixels(simd, [a, b, c, d], alpha, memory)));
        }
    }

    #[inline(always)]
    fn write_block(
        &self,
        simd: impl Simd,
        written: u32,
        (first, block): (usize, &Block),
        pixels: &OwnLine,
        access: impl Access,
    ) {
        let places = places_of(block, first);
        match self.rows(block) {
            Some(rows) => {
                for ((row, drawn), first) in rows.into_iter().zip(block.drawn).zip(places) {
                    if drawn != 0 {
                        let memory = simd.words(&row.get(access));
                        row.set(simd.array(new_row(simd, written, memory, drawn, pixels.get(first))), access);
                    }
                }
            }
            None => {
                let [upper, lower] = self.read_quads(block);
                let [above, below] = block.drawn;
                let upper = new_row(simd, written, simd.words(&upper), above, pixels.get(places[0]));
                let lower = new_row(simd, written, simd.words(&lower), below, pixels.get(places[1]));
                self.write_quads(block, &[simd.array(upper), simd.array(lower)]);
            }
        }
    }

    /// The words of both rows of a block; `None` if not all of them are there.
    #[inline(always)]
    fn rows(&self, block: &Block) -> Option<[[FourWords<'_>; 2]; 2]> {
        match &self.blocks {
            Some(blocks) => blocks.rows(block),
            None => self.surface_quads.rows((block.x, block.y), self.shared.primitive(block).map_or(0, |of| of.layer)),
        }
    }

    /// The pixels of both rows of a block; 0 where there are none.
    #[cold]
    fn read_quads(&self, block: &Block) -> [LaneWords; 2] {
        let mut memory = [[0; QUAD_PIXELS]; 4];
        for (n, (place, _)) in self.block_quads(block).into_iter().enumerate().take(block.len()) {
            self.surface_quads.read(place, n, &mut memory);
        }
        let mut rows = [[0; LANES]; 2];
        for (n, quad) in memory[0].as_chunks::<4>().0.iter().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter_mut().zip(quad.as_chunks::<2>().0) {
                row[column..column + 2].copy_from_slice(pixels);
            }
        }
        rows
    }

    /// Writes those that are drawn, where they are there.
    #[cold]
    fn write_quads(&self, block: &Block, rows: &[LaneWords; 2]) {
        let mut words = [[0; QUAD_PIXELS]; 4];
        for (n, quad) in words[0].as_chunks_mut::<4>().0.iter_mut().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter().zip(quad.as_chunks_mut::<2>().0) {
                pixels.copy_from_slice(&row[column..column + 2]);
            }
        }
        for (n, (place, mask)) in self.block_quads(block).into_iter().enumerate().take(block.len()) {
            self.surface_quads.write(place, n, &words, mask);
        }
    }

    fn block_quads(&self, block: &Block) -> [(u64, u8); BLOCK] {
        let layer = self.shared.primitive(block).map_or(0, |primitive| primitive.layer);
        block_quads(block, block.drawn, |corner| self.surface_quads.place(corner, layer))
    }
}

/// A row with the bits that are written of its pixels that are drawn, which begin these words.
#[inline(always)]
fn new_row<S: Simd>(simd: S, written: u32, memory: S::Words, drawn: u8, pixels: LaneWords) -> S::Words {
    let pixels = simd.permuted(simd.words(&pixels), simd.spread(drawn));
    let bits = simd.and(simd.splat(written), simd.chosen(drawn));
    simd.xor(memory, simd.and(simd.xor(memory, pixels), bits))
}
