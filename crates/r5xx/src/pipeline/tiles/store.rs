//! What is stored of pixels that passed all tests before a kernel ran for them.

use super::Key;
use super::buffers::{Buffer, Buffers, PixelPairBuffer};
use super::drawn_pixels::ROW;
use super::pending::{Block, Chunk, InPlanes, ShadingRate};
use super::planes::PlaneWords;
use ctm_memory::{Access, RowWords};
use ctm_raster::bytes::{ByteColours, WriteBytes};
use ctm_raster::simd::{Simd, SimdTask, dispatch};

/// The pixels of a launch: a task that is faster on hosts with wide vectors.
#[derive(Clone, Copy)]
pub struct Storing<'t, 'p> {
    pub buffers: &'t Buffers<'t>,
    pub key: &'t Key,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    pub colours: &'t [Option<ByteColours>],
    pub chunk: Chunk<'t>,
    pub results: &'t PlaneWords<'p>,
}

impl Storing<'_, '_> {
    /// Stores what the kernel has made of them.
    pub fn store(self) {
        dispatch(self);
    }

    /// Writes colours, which the kernel has rounded to the words of this plane.
    #[inline(always)]
    fn write<S: Simd>(
        &self,
        simd: S,
        buffer: &PixelPairBuffer,
        plane: usize,
        colours: impl WriteBytes,
        access: impl Access,
    ) {
        let Storing { chunk, results, .. } = self;
        for (first, block) in chunk.places() {
            let words = match chunk.rate {
                ShadingRate::Quads => {
                    // Before a launch there is a margin.
                    let first = 2 * (first - block.first());
                    let (upper, lower) = (results.eight(plane, 0, first), results.eight(plane, 1, first));
                    [simd.words(&upper), simd.words(&lower)]
                }
                ShadingRate::Pixels => {
                    let [above, below] = block.drawn;
                    let second = first + above.count_ones() as usize;
                    let (upper, lower) = (results.eight(plane, ROW, first), results.eight(plane, ROW, second));
                    let upper = simd.permuted(simd.words(&upper), simd.spread(above));
                    [upper, simd.permuted(simd.words(&lower), simd.spread(below))]
                }
            };
            write_block(simd, buffer, block, colours, words, access);
        }
    }
}

impl SimdTask for Storing<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let access = simd.access();
        let Storing { buffers, key, colours, chunk, results } = self;
        for (buffer, (target, colours)) in buffers.targets.iter().zip(key.targets.iter().zip(colours)) {
            let plane = target.results.start;
            match (buffer, colours) {
                (Buffer::PixelPairs(buffer), Some(colours)) => {
                    // The most common ones have loops of their own.
                    if let Some(colours) = colours.over() {
                        self.write(simd, buffer, plane, colours, access);
                    } else if let Some(colours) = colours.copied() {
                        self.write(simd, buffer, plane, colours, access);
                    } else {
                        self.write(simd, buffer, plane, colours, access);
                    }
                }
                _ => {
                    for (first, block) in chunk.places() {
                        let words = |word| results.span(plane + word, first..first + block.len());
                        buffer.write(block, target.results.len(), words, block.masks());
                    }
                }
            }
        }
    }
}

/// Writes the colours of a block, which are rounded, to the pixels that are drawn.
#[inline(always)]
fn write_block<S: Simd>(
    simd: S,
    buffer: &PixelPairBuffer,
    block: &Block,
    colours: impl WriteBytes,
    words: [S::Words; 2],
    access: impl Access,
) {
    let pixels = buffer.block(block);
    match pixels.rows() {
        Some([upper, lower]) => {
            write_row(simd, upper, colours, words[0], block.drawn[0], access);
            write_row(simd, lower, colours, words[1], block.drawn[1], access);
        }
        None => {
            let [upper, lower] = pixels.parts();
            write_row(simd, upper, colours, words[0], block.drawn[0], access);
            write_row(simd, lower, colours, words[1], block.drawn[1], access);
        }
    }
}

#[inline(always)]
fn write_row<S: Simd>(
    simd: S,
    row: impl RowWords,
    colours: impl WriteBytes,
    words: S::Words,
    drawn: u8,
    access: impl Access,
) {
    if drawn != 0 {
        let memory = simd.words(&row.get(access));
        let new = colours.write(simd, words, memory, simd.chosen(drawn));
        row.set(simd.array(new), access);
    }
}
