//! Colour and depth buffers: pixels of an object, by column and row.

use crate::layout::{Layout, MicroTile};
use crate::registers::Binding;
use ctm_memory::Arena;
use ctm_raster::channel::Words;
use ctm_raster::multisample::sample_offset;

/// Bytes of a page in which the samples of pixels alternate.
const SAMPLE_PAGE: u32 = 2048;

/// A buffer that pixels are written to.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    memory: &'a Arena,
    /// First byte.
    address: u64,
    /// Bytes from there to the end of the object.
    size: u32,
    layout: Layout,
    /// Pixels of a row.
    pitch: u32,
    bytes: u32,
    samples: u32,
}

/// What the form of a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceForm {
    /// Pixels of a row.
    pub pitch: u32,
    /// Macro tiles.
    pub macro_tile: bool,
    /// Micro tiles.
    pub micro_tile: MicroTile,
    /// Bytes of a pixel, or of a sample.
    pub bytes: u32,
    /// Samples of a pixel.
    pub samples: u32,
}

impl<'a> Surface<'a> {
    /// The buffer that begins `offset` bytes behind the beginning of the object. What of it lies outside of the object is not there.
    pub fn new(memory: &'a Arena, binding: Binding, offset: u32, form: SurfaceForm) -> Self {
        let SurfaceForm { pitch, macro_tile, micro_tile, bytes, samples } = form;
        let address = u64::from(binding.object.address) + u64::from(offset);
        let size = binding.object.size.saturating_sub(offset);
        // The tiling of multisampled buffers cannot be chosen.
        let layout = match samples {
            1 => Layout::new(bytes, pitch * bytes, macro_tile, micro_tile),
            _ => Layout::new(bytes, pitch * bytes, true, if bytes == 2 { MicroTile::Square } else { MicroTile::Tiled }),
        };
        Surface { memory, address, size, layout, pitch, bytes, samples }
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Whether there is a pixel in this column and row.
    #[inline]
    pub fn contains(&self, x: u32, y: u32) -> bool {
        self.place(x, y, 0).is_some()
    }

    /// The address of a sample, if it is inside of the pitch and the object.
    #[inline]
    fn place(&self, x: u32, y: u32, sample: u32) -> Option<u32> {
        if x >= self.pitch || y >= 4096 {
            return None;
        }
        let offset = self.layout.offset(x, y);
        let offset = if self.samples > 1 { sample_offset(offset, sample, self.samples, SAMPLE_PAGE) } else { offset };
        let inside = offset.checked_add(self.bytes).is_some_and(|end| end <= self.size);
        let address = inside.then_some(self.address + u64::from(offset))?;
        u32::try_from(address).ok()
    }

    /// A pixel's sample; zeros where there is none.
    #[inline]
    pub fn read(&self, x: u32, y: u32, sample: u32) -> Words {
        let mut words = [0; 4];
        let Some(address) = self.place(x, y, sample) else { return words };
        match self.bytes {
            1 => words[0] = self.memory.read_u8(address).unwrap_or_default().into(),
            2 => words[0] = self.memory.read_u16(address).unwrap_or_default().into(),
            _ => {
                for (n, word) in (0..self.bytes / 4).zip(&mut words) {
                    *word = self.memory.read_u32(address + 4 * n).unwrap_or_default();
                }
            }
        }
        words
    }

    /// Writes a pixel's sample; nothing happens where there is none.
    #[inline]
    pub fn write(&self, x: u32, y: u32, sample: u32, words: Words) {
        let Some(address) = self.place(x, y, sample) else { return };
        match self.bytes {
            1 => _ = self.memory.write_u8(address, words[0] as u8),
            2 => _ = self.memory.write_u16(address, words[0] as u16),
            _ => {
                for (n, word) in (0..self.bytes / 4).zip(words) {
                    self.memory.write_u32(address + 4 * n, word);
                }
            }
        }
    }
}
