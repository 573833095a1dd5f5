//! From the bytes of levels to vectors.

use super::source::{Changes, SourceWords};
use crate::levels::Level;
use crate::texels::{KeptTexel, RUN, TexelDecoder};
use ctm_memory::{Access, RowWords};
use ctm_pipeline::AddressPart;
use ctm_raster::simd::{Simd, SimdTask, dispatch};
use std::ops::Range;

/// What a level is made of.
#[derive(Clone, Copy)]
pub(super) struct Input<'i> {
    /// Its bytes.
    pub(super) source: SourceWords<'i>,
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

/// A level of elements of so many bytes that becomes vectors: a task that is faster on hosts with wide vectors.
struct Decoding<'d, 'e, 'i, const BYTES: usize, T> {
    decoder: &'d LevelDecoder<'e>,
    input: Input<'i>,
    vectors: &'d mut [T],
}

impl<const BYTES: usize, T: KeptTexel> SimdTask for Decoding<'_, '_, '_, BYTES, T> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        self.decoder.rows::<BYTES, T>(self.input, self.vectors, simd.access());
    }
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
            1 => dispatch(Decoding::<1, T> { decoder: self, input, vectors }),
            2 => dispatch(Decoding::<2, T> { decoder: self, input, vectors }),
            4 => dispatch(Decoding::<4, T> { decoder: self, input, vectors }),
            8 => dispatch(Decoding::<8, T> { decoder: self, input, vectors }),
            _ => dispatch(Decoding::<16, T> { decoder: self, input, vectors }),
        }
    }

    #[inline(always)]
    fn rows<const BYTES: usize, T: KeptTexel>(&self, input: Input, vectors: &mut [T], access: impl Access) {
        let [width, height, _] = self.level.size;
        let row = (width * self.samples).max(1) as usize;
        let columns: Vec<_> = (0..width).step_by(RUN).map(|x| self.level.layout.column(x)).collect();
        let mut rows = vectors.chunks_exact_mut(row);
        for slice in self.slices.clone() {
            for y in 0..height {
                let Some(vectors) = rows.next() else { return };
                match self.samples {
                    1 => self.row::<BYTES, T>((input, &columns), (slice, y), vectors, access),
                    _ => self.samples::<BYTES, T>(input, slice, y, vectors),
                }
            }
        }
    }

    /// A row of texels of one sample. Of each run of elements, its column says where it lies.
    #[inline(always)]
    fn row<const BYTES: usize, T: KeptTexel>(
        &self,
        (input, columns): (Input, &[AddressPart]),
        (slice, y): (u32, u32),
        vectors: &mut [T],
        access: impl Access,
    ) {
        let (block_width, block_height, _) = self.decoder.block();
        let layout = &self.level.layout;
        let (distances, of_row) = (layout.columns(), layout.row(y / block_height, slice));
        let skipped = self.skipped();
        // Four elements of a word lie together.
        let are_words = BYTES == 4 && block_width == 1 && matches!(input.changes, Changes::All);
        let fifth = distances[4];
        let runs = (0..).step_by(RUN).zip(columns).zip(vectors.chunks_mut(RUN * block_width as usize));
        for ((column, of_column), vectors) in runs {
            let first = of_column.with(of_row).wrapping_sub(skipped);
            if are_words
                && let Ok(vectors) = <&mut [T; RUN]>::try_from(&mut *vectors)
                && let (Some(fours), Some(others)) =
                    (input.source.four(first), input.source.four(first.wrapping_add(fifth)))
                && T::decode_words(self.decoder, &[fours, others].get(access), vectors)
            {
                continue;
            }
            let places = distances.map(|distance| first.wrapping_add(distance));
            let count = vectors.len().div_ceil(block_width as usize);
            decode_run::<BYTES, T>(self.decoder, input, &places[..count], [column * block_width, y], vectors);
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

/// Decodes what lies in elements at these places, at most [`RUN`], if it has changed: from column `x` of row `y` on.
fn decode_run<const BYTES: usize, T: KeptTexel>(
    decoder: &TexelDecoder,
    input: Input,
    places: &[u64],
    [x, y]: [u32; 2],
    vectors: &mut [T],
) {
    if let Changes::Pieces(pieces) = input.changes
        && !places.iter().any(|&place| pieces.contains(place, place.saturating_add(BYTES as u64 - 1)))
    {
        return;
    }
    let mut elements = [[0; 4]; RUN];
    for (element, &place) in elements.iter_mut().zip(places) {
        *element = input.source.element::<BYTES>(place);
    }
    T::decode(decoder, &elements, x, y, vectors);
}
