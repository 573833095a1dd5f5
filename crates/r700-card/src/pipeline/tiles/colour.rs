//! Colours of many pixels together.

use super::surfaces::SurfaceQuads;
use crate::pipeline::targets::{ColourTarget, TargetOperation};
use ctm_raster::float_bytes::FloatBytes;

/// Colours of so many pixels, quad by quad: of each component, the bits of each pixel.
pub type Colours<const N: usize> = [[u32; N]; 4];

impl<'a> ColourTarget<'a> {
    /// The quads of the target.
    pub fn surface_quads(&self) -> SurfaceQuads<'a> {
        self.surface.surface_quads()
    }

    /// How colours are stored for eight pixels at a time, if pixels are bytes of a word.
    pub fn bytes(&self) -> Option<FloatBytes> {
        let blend = match &self.operation {
            TargetOperation::Copy => None,
            TargetOperation::Blend(blending) => Some(blending.of_fractions()?),
            TargetOperation::Logic(_) => return None,
        };
        FloatBytes::of(&self.surface.format, blend, self.written[0])
    }

    /// Whether the program's colours are stored as they are, in vectors.
    pub fn stores_vectors(&self) -> bool {
        !self.keeps && matches!(self.operation, TargetOperation::Copy) && self.surface.format.keeps_bits()
    }

    /// Writes colours to quads, each with its place and a mask of its pixels, as [`write`](Self::write) does it pixel by pixel. If what is
    /// stored depends on what is there, no two are the same quad.
    #[inline(always)]
    pub fn write_quads<const N: usize>(
        &self,
        surface_quads: &SurfaceQuads,
        written: &[(u64, u8)],
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
    ) {
        let format = &self.surface.format;
        let mut memory = [[0; N]; 4];
        if self.keeps {
            for (n, &(place, _)) in written.iter().enumerate() {
                surface_quads.read(place, n, &mut memory);
            }
        }
        let mut new = match &self.operation {
            TargetOperation::Copy => format.encode_each(colours),
            TargetOperation::Blend(blending) => {
                format.encode_each(&blending.apply_each(colours, second, &format.decode_each(&memory)))
            }
            TargetOperation::Logic(operation) => {
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
            surface_quads.write(place, n, &new, mask);
        }
    }
}
