//! What programs export for the quads or the pixels of a launch is tested, as far as it was not before, and stored.

use crate::colour::{BytesTask, ColourTarget, write_quads};
use crate::draw::{Family, TileDraw};
use crate::late_tests::LateTests;
use crate::lines::{BLOCK_PIXELS, ComponentLines, Lines, OwnLine};
use crate::quad_masks::block_quads;
use crate::runs::{BlockRun, places_of, runs};
use crate::samples::SampledChunk;
use crate::surfaces::{Block, Chunk, SampleSurface, SurfaceQuads};
use ctm_memory::{Access, FourWords, RowWords};
use ctm_raster::coverage::MAX_SAMPLES;
use ctm_raster::covered::ShadingRate;
use ctm_raster::float_bytes::WriteFloats;
use ctm_raster::quads::BLOCK;
use ctm_raster::sample_blocks::{SampleMasks, count_samples};
use ctm_raster::simd::{LANES, LaneWords, Simd, SimdTask};
use std::ops::Range;

/// It is tested and stored: a task that is faster on hosts with wide vectors.
pub(crate) struct Storing<'t, 'd, 'a, F: Family> {
    pub draw: &'t TileDraw<'d, 'a, F>,
    pub lines: &'t Lines<'t>,
    /// What is stored for pixels, where they lie in memory.
    pub pixels: &'t mut OwnLine,
    pub sampled: SampledChunk<'t>,
}

impl<F: Family> SimdTask for Storing<'_, '_, '_, F> {
    /// Samples that passed tests which come after the program, if there are such.
    type Output = u64;

    #[inline(always)]
    fn run(self, simd: impl Simd) -> u64 {
        let Storing { draw, lines, pixels, sampled } = self;
        let late = draw.rules.has_late_tests().then(|| pulp::Arch::new().dispatch(LateTests { draw, lines, sampled }));
        let (chunk, drawn) = (sampled.chunk, late.as_deref().unwrap_or(sampled.drawn));
        for (target, quads) in draw.targets {
            let Some(colour) = lines.colour(target.output()) else { continue };
            let second = target.second().map(|second| lines.colour(second));
            let surfaces: Vec<_> = quads.iter().map(|quads| (quads, draw.blocks_of(quads))).collect();
            let destination = Destination { draw, target: *target, surfaces: &surfaces, colour, second, chunk, drawn };
            if chunk.rate == ShadingRate::Pixels {
                target.with_bytes(StorePixels { simd, destination, pixels });
            } else if target.stores_vectors() {
                destination.store_vectors(simd);
            } else if target.has_bytes() {
                target.with_bytes(StoreQuads { simd, destination });
            } else {
                destination.quads().for_each(|of| destination.write_quads(of));
            }
        }
        late.map_or(0, |late| count_samples(&late))
    }
}

/// A target, with the colours that go there.
struct Destination<'t, 'd, 'a, F: Family> {
    draw: &'t TileDraw<'d, 'a, F>,
    target: &'t F::Target<'a>,
    /// Of each sample.
    surfaces: &'t [SampleSurface<'t, 'd, F::Layout>],
    colour: &'t [ComponentLines<'t>; 4],
    second: Option<Option<&'t [ComponentLines<'t>; 4]>>,
    chunk: Chunk<'t>,
    /// The samples of each block that are drawn to; none if that is the only sample of all pixels that are drawn.
    drawn: &'t [SampleMasks],
}

/// Quads of a block of which a sample is drawn to.
#[derive(Clone, Copy)]
struct SampleQuads<'t, 'd, L> {
    block: &'t Block,
    surface: &'t SampleSurface<'t, 'd, L>,
    /// The pixels of which the sample is drawn to.
    drawn: [u8; 2],
    /// The number of the first quad.
    first: usize,
}

impl<'t, 'd, F: Family> Destination<'t, 'd, '_, F> {
    /// The blocks of quads with pixels that are drawn: their numbers, and those of their first quads.
    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = (usize, &'t Block, usize)> {
        self.chunk.places_from(0).enumerate().map(|(number, (first, block))| (number, block, first))
    }

    /// The pixels of a block of which a sample is drawn to.
    #[inline(always)]
    fn drawn(&self, number: usize, block: &Block, sample: usize) -> [u8; 2] {
        self.drawn.get(number).map_or(block.drawn, |masks| masks[sample % MAX_SAMPLES])
    }

    /// The samples of a block that are drawn to, each with its surface and its pixels.
    #[inline(always)]
    fn samples(
        &self,
        number: usize,
        block: &Block,
    ) -> impl Iterator<Item = (&'t SampleSurface<'t, 'd, F::Layout>, [u8; 2])> {
        let all = self.surfaces.iter().enumerate();
        all.map(move |(sample, surface)| (surface, self.drawn(number, block, sample)))
            .filter(|(_, drawn)| *drawn != [0; 2])
    }

    /// The same for all blocks.
    #[inline(always)]
    fn quads(&self) -> impl Iterator<Item = SampleQuads<'t, 'd, F::Layout>> {
        self.blocks().flat_map(|(number, block, first)| {
            let samples = self.samples(number, block);
            samples.map(move |(surface, drawn)| SampleQuads { block, surface, drawn, first })
        })
    }

    #[inline(always)]
    fn layer(&self, block: &Block) -> u32 {
        self.draw.primitives.get(block.primitive).map_or(0, |primitive| primitive.layer)
    }

    /// The words of both rows of a block; `None` if not all of them are there.
    #[inline(always)]
    fn rows(
        &self,
        (quads, blocks): &SampleSurface<'t, 'd, F::Layout>,
        block: &Block,
    ) -> Option<[[FourWords<'t>; 2]; 2]> {
        match blocks {
            Some(blocks) => blocks.rows(block),
            None => quads.rows((block.x, block.y), self.layer(block)),
        }
    }

    fn block_quads(&self, quads: &SurfaceQuads<F::Layout>, block: &Block, drawn: [u8; 2]) -> [(u64, u8); BLOCK] {
        let layer = self.layer(block);
        block_quads(block, drawn, |corner| quads.place(corner, layer))
    }

    /// Stores colours of quads as they are.
    #[inline(always)]
    fn store_vectors(&self, simd: impl Simd) {
        let access = simd.access();
        for of in self.quads() {
            let SampleQuads { block, surface: (surface, _), drawn, first } = of;
            let [a, b, c, d] = self.colour.each_ref().map(|lines| lines.quads(block, first, access));
            let quads = self.block_quads(surface, block, drawn);
            let mut stored = quads.iter().enumerate().take(block.len()).filter(|(_, (_, mask))| *mask != 0);
            let is_stored = stored.all(|(n, &(place, mask))| {
                surface.write_vectors(place, mask, |pixel| {
                    let pixel = 4 * n + pixel;
                    [a[pixel], b[pixel], c[pixel], d[pixel]]
                })
            });
            if !is_stored {
                self.write_quads(of);
            }
        }
    }

    /// Stores colours of a block quad by quad.
    fn write_quads(&self, quads: SampleQuads<F::Layout>) {
        pulp::Arch::new().dispatch(WritingQuads { destination: self, quads });
    }
}

/// Quads that are written one by one.
struct WritingQuads<'w, 't, 'd, 'a, F: Family> {
    destination: &'w Destination<'t, 'd, 'a, F>,
    quads: SampleQuads<'w, 'd, F::Layout>,
}

impl<F: Family> pulp::NullaryFnOnce for WritingQuads<'_, '_, '_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let WritingQuads { destination: Destination { target, colour, second, .. }, quads } = self;
        let SampleQuads { block, surface: (quads, _), drawn, first } = quads;
        let written = self.destination.block_quads(quads, block, drawn);
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
    fn run<W: WriteFloats>(self, bytes: W) {
        let StoreQuads { simd, destination } = self;
        let access = simd.access();
        for (number, block, first) in destination.blocks() {
            let row = RowColours { simd, bytes, colour: destination.colour, first, quads: 0xFF << (2 * block.first()) };
            // What does not depend on what is there is the same for all samples.
            let zero = simd.splat(0);
            let same = if W::READS { None } else { Some([row.pixels(0, zero), row.pixels(1, zero)]) };
            for (surface, drawn) in destination.samples(number, block) {
                let Some(rows) = destination.rows(surface, block) else {
                    destination.write_quads(SampleQuads { block, surface, drawn, first });
                    continue;
                };
                for (line, (memory_row, drawn)) in rows.into_iter().zip(drawn).enumerate() {
                    if drawn == 0 {
                        continue;
                    }
                    if let Some(same) = same
                        && drawn == u8::MAX
                        && bytes.written() == u32::MAX
                    {
                        memory_row.set(simd.array(same[line]), access);
                        continue;
                    }
                    let memory = simd.words(&memory_row.get(access));
                    let new = match same {
                        Some(same) => same[line],
                        None => row.pixels(line, memory),
                    };
                    let bits = simd.and(simd.chosen(drawn), simd.splat(bytes.written()));
                    memory_row.set(simd.array(simd.xor(memory, simd.and(simd.xor(memory, new), bits))), access);
                }
            }
        }
    }
}

/// The colours of a block whose quads are stored.
struct RowColours<'t, S, W> {
    simd: S,
    bytes: W,
    colour: &'t [ComponentLines<'t>; 4],
    /// The number of its first quad.
    first: usize,
    /// Its pixels from the first quad on that is drawn: colours begin with these.
    quads: u8,
}

impl<S: Simd, W: WriteFloats> RowColours<'_, S, W> {
    /// What is to be stored for a row, where this is. A closure would not be [sure](ctm_raster::simd) to have the host's vectors.
    #[inline(always)]
    fn pixels(&self, line: usize, memory: S::Words) -> S::Words {
        let Self { simd, bytes, .. } = *self;
        let [a, b, c, d] = bytes.components();
        let colours = [self.words(line, a), self.words(line, b), self.words(line, c), self.words(line, d)];
        let there = if W::READS { simd.permuted(memory, simd.pack(self.quads)) } else { memory };
        simd.permuted(bytes.pixels(simd, colours, self.words(line, 3), there), simd.spread(self.quads))
    }

    #[inline(always)]
    fn words(&self, line: usize, component: usize) -> S::Words {
        self.simd.words(&self.colour[component % 4].get_eight(line, 2 * self.first, self.simd.access()))
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
    fn run<W: WriteFloats>(self, bytes: W) {
        let StorePixels { simd, destination, pixels } = self;
        destination.store_pixels(simd, bytes, pixels, simd.access());
    }
}

impl<'t, 'd, F: Family> Destination<'t, 'd, '_, F> {
    #[inline(always)]
    fn store_pixels<W: WriteFloats>(&self, simd: impl Simd, colours: W, pixels: &mut OwnLine, access: impl Access) {
        let Destination { draw, chunk, .. } = *self;
        if !W::READS {
            self.work_out(simd, colours, 0..chunk.count, pixels, access);
            if let (&[surface], true) = (self.surfaces, self.drawn.is_empty()) {
                for (first, block) in chunk.places_from(0) {
                    self.write_block(simd, (&surface, colours.written(), block.drawn), (first, block), pixels, access);
                }
                return;
            }
            for (number, (first, block)) in chunk.places_from(0).enumerate() {
                for (surface, drawn) in self.samples(number, block) {
                    self.write_block(simd, (surface, colours.written(), drawn), (first, block), pixels, access);
                }
            }
            return;
        }
        // What one primitive leaves is what the next one finds.
        for run in runs(draw, chunk) {
            for (sample, surface) in self.surfaces.iter().enumerate() {
                self.read(simd, surface, &run, pixels, access);
                self.work_out(simd, colours, run.pixels.clone(), pixels, access);
                for (number, (first, block)) in run.places() {
                    let drawn = self.drawn(number, block, sample);
                    self.write_block(simd, (surface, colours.written(), drawn), (first, block), pixels, access);
                }
            }
        }
    }

    /// Reads what is stored for a sample of the pixels of a primitive.
    #[inline(always)]
    fn read(
        &self,
        simd: impl Simd,
        surface: &SampleSurface<'t, 'd, F::Layout>,
        run: &BlockRun,
        pixels: &mut OwnLine,
        access: impl Access,
    ) {
        for (_, (first, block)) in run.places() {
            // They become vectors here, as memory that is written by halves is waited for when it is read as a whole.
            let [upper, lower] = match self.rows(surface, block) {
                Some([upper, lower]) => [simd.words(&upper.get(access)), simd.words(&lower.get(access))],
                None => {
                    let [upper, lower] = self.read_rows(surface.0, block);
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

    /// Writes these bits of a sample of a block, of the pixels of which it is drawn to.
    #[inline(always)]
    fn write_block(
        &self,
        simd: impl Simd,
        (surface, written, drawn): (&SampleSurface<'t, 'd, F::Layout>, u32, [u8; 2]),
        (first, block): (usize, &Block),
        pixels: &OwnLine,
        access: impl Access,
    ) {
        let places = places_of(block, first);
        match self.rows(surface, block) {
            Some(rows) => {
                let all = rows.into_iter().zip(drawn).zip(block.drawn).zip(places);
                for (((row, drawn), of_block), first) in all {
                    if drawn == u8::MAX && written == u32::MAX {
                        row.set(pixels.get(first), access);
                    } else if drawn != 0 {
                        let memory = simd.words(&row.get(access));
                        let new = new_row(simd, (written, drawn), memory, of_block, pixels.get(first));
                        row.set(simd.array(new), access);
                    }
                }
            }
            None => {
                let [upper, lower] = self.read_rows(surface.0, block);
                let [above, below] = block.drawn;
                let upper = new_row(simd, (written, drawn[0]), simd.words(&upper), above, pixels.get(places[0]));
                let lower = new_row(simd, (written, drawn[1]), simd.words(&lower), below, pixels.get(places[1]));
                self.write_rows(surface.0, (block, drawn), &[simd.array(upper), simd.array(lower)]);
            }
        }
    }

    /// The pixels of both rows of a block; 0 where there are none.
    #[cold]
    fn read_rows(&self, quads: &SurfaceQuads<F::Layout>, block: &Block) -> [LaneWords; 2] {
        let mut memory = [[0; BLOCK_PIXELS]; 4];
        for (n, (place, _)) in self.block_quads(quads, block, block.drawn).into_iter().enumerate().take(block.len()) {
            quads.read(place, n, &mut memory);
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
    fn write_rows(&self, quads: &SurfaceQuads<F::Layout>, (block, drawn): (&Block, [u8; 2]), rows: &[LaneWords; 2]) {
        let mut words = [[0; BLOCK_PIXELS]; 4];
        for (n, quad) in words[0].as_chunks_mut::<4>().0.iter_mut().enumerate().take(block.len()) {
            let column = 2 * (block.first() + n);
            for (row, pixels) in rows.iter().zip(quad.as_chunks_mut::<2>().0) {
                pixels.copy_from_slice(&row[column..column + 2]);
            }
        }
        for (n, (place, mask)) in self.block_quads(quads, block, drawn).into_iter().enumerate().take(block.len()) {
            quads.write(place, n, &words, mask);
        }
    }
}

/// A row with these bits of its pixels of this mask, of those that are drawn, which begin these words.
#[inline(always)]
fn new_row<S: Simd>(simd: S, (written, mask): (u32, u8), memory: S::Words, drawn: u8, pixels: LaneWords) -> S::Words {
    let pixels = simd.permuted(simd.words(&pixels), simd.spread(drawn));
    let bits = simd.and(simd.splat(written), simd.chosen(mask));
    simd.xor(memory, simd.and(simd.xor(memory, pixels), bits))
}
