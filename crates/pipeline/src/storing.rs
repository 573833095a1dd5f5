//! What programs export for the quads or the pixels of a launch is tested, as far as it was not before, and stored.

use crate::colour::{BytesTask, ColourTarget, write_quads};
use crate::draw::{Family, TileDraw};
use crate::late_tests::LateTests;
use crate::lines::{BLOCK_PIXELS, ComponentLines, Lines, OwnLine};
use crate::quad_masks::block_quads;
use crate::runs::{BlockRun, places_of, runs};
use crate::surfaces::{Block, Chunk, SurfaceBlocks, SurfaceQuads};
use ctm_memory::{Access, FourWords, RowWords};
use ctm_raster::covered::ShadingRate;
use ctm_raster::float_bytes::WriteFloats;
use ctm_raster::quads::BLOCK;
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask};
use std::ops::Range;

/// It is tested and stored: a task that is faster on hosts with wide vectors.
pub(crate) struct Storing<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub lines: &'t Lines<'t>,
    /// What is stored for pixels, where they lie in memory.
    pub pixels: &'t mut OwnLine,
    pub chunk: Chunk<'t>,
}

impl<F: Family> SimdTask for Storing<'_, '_, '_, F> {
    /// Pixels that passed tests which come after the program, if there are such.
    type Output = u64;

    #[inline(always)]
    fn run(self, simd: impl Simd) -> u64 {
        let Storing { draw, lines, pixels, chunk } = self;
        let late = draw.rules.has_late_tests().then(|| pulp::Arch::new().dispatch(LateTests { draw, lines, chunk }));
        for (target, quads) in draw.targets {
            let Some(colour) = lines.colour(target.output()) else { continue };
            let second = target.second().map(|second| lines.colour(second));
            let (blocks, late) = (draw.blocks_of(quads), late.as_deref());
            let destination = Destination { draw, target: *target, quads, blocks, colour, second, chunk, late };
            if chunk.rate == ShadingRate::Pixels {
                target.with_bytes(StorePixels { simd, destination, pixels });
            } else if target.stores_vectors() {
                destination.store_vectors(simd);
            } else if target.has_bytes() {
                target.with_bytes(StoreQuads { simd, destination });
            } else {
                destination.drawn().for_each(|of| destination.write_quads(of));
            }
        }
        let pixels_of = |drawn: &[u8; 2]| u64::from(u16::from_le_bytes(*drawn).count_ones());
        late.map_or(0, |late| late.iter().map(pixels_of).sum())
    }
}

/// A target, with the colours that go there.
struct Destination<'t, 'd, 'a, F: Family> {
    draw: &'t TileDraw<'d, 'a, F>,
    target: &'t F::Target<'a>,
    quads: &'t SurfaceQuads<'d, F::Layout>,
    blocks: Option<SurfaceBlocks<'t>>,
    colour: &'t [ComponentLines<'t>; 4],
    second: Option<Option<&'t [ComponentLines<'t>; 4]>>,
    chunk: Chunk<'t>,
    /// Which pixels of each block passed tests after the program.
    late: Option<&'t [[u8; 2]]>,
}

impl<'t, F: Family> Destination<'t, '_, '_, F> {
    /// The blocks of quads with pixels that are drawn: which these are, and the number of the first quad.
    #[inline(always)]
    fn drawn(&self) -> impl Iterator<Item = (&'t Block, [u8; 2], usize)> {
        let late = self.late;
        let places = self.chunk.places_from(0).enumerate();
        let all = places.map(move |(n, (first, block))| (block, late.map_or(block.drawn, |late| late[n]), first));
        all.filter(|(_, drawn, _)| *drawn != [0; 2])
    }

    #[inline(always)]
    fn layer(&self, block: &Block) -> u32 {
        self.draw.primitives.get(block.primitive).map_or(0, |primitive| primitive.layer)
    }

    /// The words of both rows of a block; `None` if not all of them are there.
    #[inline(always)]
    fn rows(&self, block: &Block) -> Option<[[FourWords<'t>; 2]; 2]> {
        match &self.blocks {
            Some(blocks) => blocks.rows(block),
            None => self.quads.rows((block.x, block.y), self.layer(block)),
        }
    }

    fn block_quads(&self, block: &Block, drawn: [u8; 2]) -> [(u64, u8); BLOCK] {
        let layer = self.layer(block);
        block_quads(block, drawn, |corner| self.quads.place(corner, layer))
    }

    /// Stores colours of quads as they are.
    #[inline(always)]
    fn store_vectors(&self, simd: impl Simd) {
        let access = simd.access();
        for (block, drawn, first) in self.drawn() {
            let [a, b, c, d] = self.colour.each_ref().map(|lines| lines.quads(block, first, access));
            let quads = self.block_quads(block, drawn);
            let mut stored = quads.iter().enumerate().take(block.len()).filter(|(_, (_, mask))| *mask != 0);
            let is_stored = stored.all(|(n, &(place, mask))| {
                self.quads.write_vectors(place, mask, |pixel| {
                    let pixel = 4 * n + pixel;
                    [a[pixel], b[pixel], c[pixel], d[pixel]]
                })
            });
            if !is_stored {
                self.write_quads((block, drawn, first));
            }
        }
    }

    /// Stores colours of a block quad by quad.
    fn write_quads(&self, (block, drawn, first): (&Block, [u8; 2], usize)) {
        pulp::Arch::new().dispatch(WritingQuads { destination: self, block, drawn, first });
    }
}

/// A block that is written quad by quad.
struct WritingQuads<'w, 't, 'd, 'a, F: Family> {
    destination: &'w Destination<'t, 'd, 'a, F>,
    block: &'w Block,
    drawn: [u8; 2],
    first: usize,
}

impl<F: Family> pulp::NullaryFnOnce for WritingQuads<'_, '_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let WritingQuads { destination: Destination { target, quads, colour, second, .. }, block, drawn, first } = self;
        let written = self.destination.block_quads(block, drawn);
        let colours = |lines: &[ComponentLines; 4]| {
            lines.each_ref().map(|lines| lines.quads(block, first, ctm_memory::ScalarAccess))
        };
        let second = second.map(|lines| lines.map_or([[0; BLOCK_PIXELS]; 4], colours));
        write_quads(*target, quads, &written[..block.len()], &colours(colour), second.as_ref());
    }
}

/// Colours of quads that are stored as bytes.
struct StoreQuads<'t, 'd, 'a, S, F: Family> {
    simd: S,
    destination: Destination<'t, 'd, 'a, F>,
}

impl<S: Simd, F: Family> BytesTask for StoreQuads<'_, '_, '_, S, F> {
    #[inline(always)]
    fn run(self, bytes: impl WriteFloats) {
        let StoreQuads { simd, destination } = self;
        let access = simd.access();
        for (block, drawn, first) in destination.drawn() {
            let Some(rows) = destination.rows(block) else {
                destination.write_quads((block, drawn, first));
                continue;
            };
            // Colours begin with the first quad of the block that is drawn.
            let quads = 0xFF << (2 * block.first());
            let (packed, spread) = (simd.pack(quads), simd.spread(quads));
            for (line, (row, drawn)) in rows.into_iter().zip(drawn).enumerate() {
                if drawn == 0 {
                    continue;
                }
                let words = |component: usize| {
                    simd.words(&destination.colour[component % 4].get_eight(line, 2 * first, access))
                };
                let [a, b, c, d] = bytes.components();
                let memory = simd.words(&row.get(access));
                let there = simd.permuted(memory, packed);
                let new = bytes.pixels(simd, [words(a), words(b), words(c), words(d)], words(3), there);
                let changed = simd.and(simd.xor(memory, simd.permuted(new, spread)), simd.chosen(drawn));
                row.set(simd.array(simd.xor(memory, simd.and(changed, simd.splat(bytes.written())))), access);
            }
        }
    }
}

/// Colours of pixels that are stored as bytes.
struct StorePixels<'t, 'd, 'a, S, F: Family> {
    simd: S,
    destination: Destination<'t, 'd, 'a, F>,
    pixels: &'t mut OwnLine,
}

impl<S: Simd, F: Family> BytesTask for StorePixels<'_, '_, '_, S, F> {
    #[inline(always)]
    fn run(self, bytes: impl WriteFloats) {
        let StorePixels { simd, destination, pixels } = self;
        destination.store_pixels(simd, bytes, pixels, simd.access());
    }
}

impl<F: Family> Destination<'_, '_, '_, F> {
    #[inline(always)]
    fn store_pixels<W: WriteFloats>(&self, simd: impl Simd, colours: W, pixels: &mut OwnLine, access: impl Access) {
        let Destination { draw, chunk, .. } = *self;
        if !W::READS {
            self.work_out(simd, colours, 0..chunk.count, pixels, access);
            for (first, block) in chunk.places_from(0) {
                self.write_block(simd, colours.written(), (first, block), pixels, access);
            }
            return;
        }
        // What one primitive leaves is what the next one finds.
        for run in runs(draw, chunk) {
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
                    let [upper, lower] = self.read_rows(block);
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
        let components = [self.colour[a % 4], self.colour[b % 4], self.colour[c % 4], self.colour[d % 4]];
        for first in all.step_by(LANES) {
            let [a, b, c, d] = &components;
            let (a, b) = (simd.words(&a.get_eight(0, first, access)), simd.words(&b.get_eight(0, first, access)));
            let (c, d) = (simd.words(&c.get_eight(0, first, access)), simd.words(&d.get_eight(0, first, access)));
            let alpha = simd.words(&self.colour[3].get_eight(0, first, access));
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
                let [upper, lower] = self.read_rows(block);
                let [above, below] = block.drawn;
                let upper = new_row(simd, written, simd.words(&upper), above, pixels.get(places[0]));
                let lower = new_row(simd, written, simd.words(&lower), below, pixels.get(places[1]));
                self.write_rows(block, &[simd.array(upper), simd.array(lower)]);
            }
        }
    }

    /// The pixels of both rows of a block; 0 where there are none.
    #[cold]
    fn read_rows(&self, block: &Block) -> [LaneWords; 2] {
        let mut memory = [[0; BLOCK_PIXELS]; 4];
        for (n, (place, _)) in self.block_quads(block, block.drawn).into_iter().enumerate().take(block.len()) {
            self.quads.read(place, n, &mut memory);
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
    fn write_rows(&self, block: &Block, rows: &[LaneWords; 2]) {
        let mut words = [[0; BLOCK_PIXELS]; 4];
        for (n, quad) in words[0].as_chunks_mut::<4>().0.iter_mut().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter().zip(quad.as_chunks_mut::<2>().0) {
                pixels.copy_from_slice(&row[column..column + 2]);
            }
        }
        for (n, (place, mask)) in self.block_quads(block, block.drawn).into_iter().enumerate().take(block.len()) {
            self.quads.write(place, n, &words, mask);
        }
    }
}

/// A row with the bits that are written of its pixels that are drawn, which begin these words.
#[inline(always)]
fn new_row<S: Simd>(simd: S, written: u32, memory: S::Words, drawn: u8, pixels: LaneWords) -> S::Words {
    let pixels = simd.permuted(simd.words(&pixels), simd.spread(drawn));
    let bits = simd.and(simd.splat(written), simd.chosen(drawn));
    simd.xor(memory, simd.and(simd.xor(memory, pixels), bits))
}
