//! From the bytes of levels to vectors.

use super::source::{Changes, TextureSource};
use crate::levels::Level;
use crate::texels::{KeptTexel, TexelDecoder};
use std::ops::Range;

/// Elements whose places are worked out together: those of a tile's row, or the samples of one.
const RUN: usize = 8;

/// What a level is made of.
#[derive(Clone, Copy)]
pub(super) struct Input<'i> {
    /// Its bytes.
    pub(super) source: &'i TextureSource,
    /// Which of them have changed.
    pub(super) changes: &'i Changes,
}

/// A level that is decoded.
pub(super) struct LevelDecoder<'e> {
    pub(super) decoder: &'e TexelDecoder,
    pub(super) level: &'e Level,
    pub(super) slices: Range<u32>,
    pub(super) samples: u32,
}

impl LevelDecoder<'_> {
    /// Vectors of the level.
    pub(super) fn vectors(&self) -> u64 {
        let [width, height, _] = self.level.size.map(u64::from);
        width * height * self.slices.len() as u64 * u64::from(self.samples)
    }

    /// Makes vectors of all elements some of whose bytes have changed. What lies beyond the end of the source is 0.
    pub(super) fn decode<T: KeptTexel>(&self, input: Input, vectors: &mut [T]) {
        match self.decoder.block().2 {
            1 => self.rows::<1, T>(input, vectors),
            2 => self.rows::<2, T>(input, vectors),
            4 => self.rows::<4, T>(input, vectors),
            8 => self.rows::<8, T>(input, vectors),
            _ => self.rows::<16, T>(input, vectors),
        }
    }

    fn rows<const BYTES: usize, T: KeptTexel>(&self, input: Input, vectors: &mut [T]) {
        let [width, height, _] = self.level.size;
        let row = (width * self.samples).max(1) as usize;
        let rows = self.slices.clone().flat_map(|slice| (0..height).map(move |y| (slice, y)));
        for ((slice, y), vectors) in rows.zip(vectors.chunks_exact_mut(row)) {
            match self.samples {
                1 => self.row::<BYTES, T>(input, slice, y, vectors),
                _ => self.samples::<BYTES, T>(input, slice, y, vectors),
            }
        }
    }

    /// A row of texels of one sample.
    fn row<const BYTES: usize, T: KeptTexel>(&self, input: Input, slice: u32, y: u32, vectors: &mut [T]) {
        let (block_width, block_height, _) = self.decoder.block();
        let layout = &self.level.layout;
        let columns = layout.columns();
        let texels = RUN * block_width as usize;
        for (number, vectors) in vectors.chunks_mut(texels).enumerate() {
            let column = (number * RUN) as u32;
            let place = |n: u32| layout.offset(column + n, y / block_height, slice).wrapping_sub(self.skipped());
            let places = match columns {
                Some(distances) => {
                    let first = place(0);
                    distances.map(|distance| first.wrapping_add(distance))
                }
                None => std::array::from_fn(|n| place(n as u32)),
            };
            let count = vectors.len().div_ceil(block_width as usize);
            let x = column * block_width;
            decode_run::<BYTES, T>(self.decoder, input, &places[..count], [x, y], vectors);
        }
    }

    /// A row of texels of several samples.
    fn samples<const BYTES: usize, T: KeptTexel>(&self, input: Input, slice: u32, y: u32, vectors: &mut [T]) {
        let (block_width, block_height, _) = self.decoder.block();
        for (x, vectors) in (0..).zip(vectors.chunks_exact_mut(self.samples as usize)) {
            let place = |sample: usize| {
                let offset = self.level.layout.sample_offset(x / block_width, y / block_height, slice, sample as u32);
                offset.wrapping_sub(self.skipped())
            };
            let places: [u64; RUN] = std::array::from_fn(place);
            let count = vectors.len().min(RUN);
            decode_run::<BYTES, T>(self.decoder, input, &places[..count], [x, y], vectors);
        }
    }

    /// Bytes in front of the first slice that is there.
    fn skipped(&self) -> u64 {
        u64::from(self.slices.start) * self.level.layout.slice_bytes()
    }
}

/// Decodes what lies in elements at these places, at most eight, if it has changed: from column `x` of row `y` on.
fn decode_run<const BYTES: usize, T: KeptTexel>(
    decoder: &TexelDecoder,
    input: Input,
    places: &[u64],
    [x, y]: [u32; 2],
    vectors: &mut [T],
) {
    if !places.iter().any(|&place| input.changes.contains(place, place.saturating_add(BYTES as u64 - 1))) {
        return;
    }
    let mut elements = [[0; 4]; RUN];
    for (element, &place) in elements.iter_mut().zip(places) {
        *element = input.source.element::<BYTES>(place);
    }
    T::decode(decoder, &elements, x, y, vectors);
}
