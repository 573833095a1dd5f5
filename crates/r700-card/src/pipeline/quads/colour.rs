//! Colours of many pixels together.

use super::surface::Squares;
use crate::pipeline::targets::{Operation, Target};
use ctm_raster::float_bytes::FloatBytes;

/// Colours of so many pixels, square by square: of each component, the bits of each pixel.
pub type Colours<const N: usize> = [[u32; N]; 4];

impl<'a> Target<'a> {
    /// The squares of the target.
    pub fn squares(&self) -> Squares<'a> {
        self.surface.squares()
    }

    /// How colours are stored for eight pixels at a time, if pixels are bytes of a word.
    pub fn bytes(&self) -> Option<FloatBytes> {
        let blend = match &self.operation {
            Operation::Copy => None,
            Operation::Blend(blending) => Some(blending.of_fractions()?),
            Operation::Logic(_) => return None,
        };
        FloatBytes::of(&self.surface.format, blend, self.written[0])
    }

    /// Whether the program's colours are stored as they are, in vectors.
    pub fn stores_vectors(&self) -> bool {
        !self.keeps && matches!(self.operation, Operation::Copy) && self.surface.format.keeps_bits()
    }

    /// Writes colours to squares, each with its place and a mask of its pixels, as [`write`](Self::write) does it pixel by pixel. If what is
    /// stored depends on what is there, no two are the same square.
    #[inline(always)]
    pub fn write_squares<const N: usize>(
        &self,
        squares: &Squares,
        written: &[(u64, u8)],
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
    ) {
        let format = &self.surface.format;
        let mut memory = [[0; N]; 4];
        if self.keeps {
            for (n, &(place, _)) in written.iter().enumerate() {
                squares.read(place, n, &mut memory);
            }
        }
        let mut new = match &self.operation {
            Operation::Copy => format.encode_each(colours),
            Operation::Blend(blending) => {
                format.encode_each(&blending.apply_each(colours, second, &format.decode_each(&memory)))
            }
            Operation::Logic(operation) => {
                let mut bits = format.encode_each(colours);
                let words = bits.as_flattened_mut().iter_mut().zip(memory.as_flattened());
                for (bits, memory) in words {
                    *bits = operation.apply(*bits, *memory);
                }
                bits
            }
        };
        if self.keeps {
            for ((new, memory), written) in new.iter_mut().zip(&memory).zip(self.written) {
                new.iter_mut().zip(memory).for_each(|(new, memory)| *new = *new & written | memory & !written);
            }
        }
        for (n, &(place, mask)) in written.iter().enumerate() {
            squares.write(place, n, &new, mask);
        }
    }
}
