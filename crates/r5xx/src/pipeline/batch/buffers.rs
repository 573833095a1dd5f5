//! The depth buffer and the colour buffers of a draw, quad by quad.

use super::memory::Places;
use super::waiting::WaitingQuad;
use crate::pairs::{Chosen, Pair, Pairs};
use crate::pipeline::pixels::Pixels;
use crate::surface::Surface;
use ctm_raster::coverage::QUAD_PIXELS;
use ctm_raster::quads::Lines;
use std::ops::Range;

/// What is read and written.
pub struct Buffers<'s> {
    /// The depth buffer.
    pub depth: Option<Buffer<'s>>,
    /// The colour buffers.
    pub targets: Vec<Buffer<'s>>,
    /// Every pixel has its place in the depth buffer.
    pub has_depths: bool,
}

impl<'s> Buffers<'s> {
    /// Of a draw.
    pub fn of(pixels: &'s Pixels<'s>, places: &mut Places) -> Self {
        let framebuffer = pixels.framebuffer();
        let mut buffer = |surface: &'s Surface<'s>| {
            let layout = surface.layout_of_quads(framebuffer);
            let places = layout.and_then(|layout| places.of(layout, framebuffer.right, framebuffer.bottom));
            match surface.bytes().words().zip(places) {
                Some((words, places)) => Buffer::Pairs(Pairs::new(words, places)),
                None => Buffer::Pixels(surface),
            }
        };
        Buffers {
            depth: pixels.depth().map(|(_, surface)| buffer(surface)),
            targets: pixels.targets().iter().map(|target| buffer(target.surface())).collect(),
            has_depths: pixels.depth().is_some_and(|(_, surface)| surface.holds(framebuffer)),
        }
    }

    /// Asks for the memory of quads from this upper row on, in these columns.
    #[inline]
    pub fn prefetch(&self, y: u32, columns: Range<u32>) {
        for buffer in self.depth.iter().chain(&self.targets) {
            if let Buffer::Pairs(pairs) = buffer {
                pairs.prefetch(y, columns.clone());
            }
        }
    }

    /// Whether pixels of a quad have a place in the depth buffer.
    pub fn have_depths(&self, quad: &WaitingQuad) -> [[bool; 2]; 2] {
        match &self.depth {
            None => [[false; 2]; 2],
            Some(Buffer::Pairs(_)) => [[true; 2]; 2],
            Some(Buffer::Pixels(surface)) => {
                by_pixel(|dx, dy| surface.contains(quad.x() + dx as u32, quad.y() + dy as u32))
            }
        }
    }
}

/// What this gives for the pixels of a quad, by column and line: of its upper and of its lower ones.
#[inline(always)]
fn by_pixel<T>(of: impl Fn(usize, usize) -> T) -> [[T; 2]; 2] {
    [[of(0, 0), of(1, 0)], [of(0, 1), of(1, 1)]]
}

/// A buffer whose pixels have one sample.
pub enum Buffer<'s> {
    /// Its pixels have four bytes, and those that can be drawn to are all there.
    Pairs(Pairs<'s>),
    /// Any other.
    Pixels(&'s Surface<'s>),
}

impl Buffer<'_> {
    /// Word `word` of the pixels of quads; 0 where there is none.
    pub fn read(&self, quads: &[WaitingQuad], word: usize, [upper, lower]: Lines) {
        match self {
            Buffer::Pairs(pairs) => pairs.read(quads.iter().map(|quad| (quad.x, quad.y)), [upper, lower]),
            Buffer::Pixels(surface) => {
                for (quad, (upper, lower)) in quads.iter().zip(upper.iter_mut().zip(lower)) {
                    [*upper, *lower] =
                        by_pixel(|dx, dy| surface.read(quad.x() + dx as u32, quad.y() + dy as u32, 0)[word]);
                }
            }
        }
    }

    /// Writes the chosen pixels of quads: so many words, by number.
    #[inline(always)]
    pub fn write<'w>(
        &self,
        quads: &[WaitingQuad],
        count: usize,
        words: impl Fn(usize) -> [&'w [Pair]; 2],
        chosen: impl Iterator<Item = [Chosen; 2]>,
    ) {
        match self {
            Buffer::Pairs(pairs) => pairs.write(quads.iter().map(|quad| (quad.x, quad.y)), words(0), chosen),
            Buffer::Pixels(surface) => {
                for (n, (quad, chosen)) in quads.iter().zip(chosen).enumerate() {
                    for (dx, dy) in QUAD_PIXELS.into_iter().filter(|&(dx, dy)| chosen[dy as usize].has(dx as usize)) {
                        let mut texel = [0; 4];
                        for (number, texel) in texel.iter_mut().enumerate().take(count) {
                            *texel = words(number)[dy as usize][n][dx as usize];
                        }
                        surface.write(quad.x() + dx, quad.y() + dy, 0, texel);
                    }
                }
            }
        }
    }
}
