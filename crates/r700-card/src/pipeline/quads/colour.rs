//! Colours of four pixels together.

use super::surface::{Square, Squares};
use crate::pipeline::targets::{Operation, Target};

/// Colours of four pixels: of each component, the bits of each pixel.
pub type Colours = [[u32; 4]; 4];

impl Target<'_> {
    /// The squares of the target.
    pub fn squares(&self) -> Squares<'_> {
        self.surface.squares()
    }

    /// Writes colours to the pixels of a mask of the square that lies there, as [`write`](Self::write) does it with each.
    #[inline(always)]
    pub fn write_square(&self, squares: &Squares, place: u64, colours: &Colours, second: &Colours, mask: u8) {
        let format = &self.surface.format;
        let memory: Square = if self.keeps { squares.read(place) } else { [[0; 4]; 4] };
        let mut new = match &self.operation {
            Operation::Copy => format.encode_each(colours),
            Operation::Blend(blending) => {
                format.encode_each(&blending.apply_each(colours, second, &format.decode_each(&memory)))
            }
            Operation::Logic(operation) => {
                let mut bits = format.encode_each(colours);
                let words = bits.as_flattened_mut().iter_mut().zip(memory.as_flattened());
                words.for_each(|(bits, memory)| *bits = operation.apply(*bits, *memory));
                bits
            }
        };
        if self.keeps {
            for ((new, memory), written) in new.iter_mut().zip(&memory).zip(self.written) {
                new.iter_mut().zip(memory).for_each(|(new, memory)| *new = *new & written | memory & !written);
            }
        }
        squares.write(place, &new, mask);
    }
}
