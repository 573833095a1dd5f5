//! The depth buffer and the colour buffers of a draw, quad by quad.

use super::memory::Places;
use super::planes::Lines;
use super::waiting::Block;
use crate::pairs::{Pair, Pairs};
use crate::pipeline::pixels::Pixels;
use crate::surface::Surface;

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

    /// Asks for the memory of blocks.
    #[inline(always)]
    pub fn prefetch(&self, blocks: &[Block]) {
        let depth = self.depth.as_ref().and_then(Buffer::pairs);
        let mut targets = self.targets.iter().filter_map(Buffer::pairs);
        let first = targets.next();
        // Most draws have no others.
        for block in blocks {
            let place = (block.x, block.y);
            if let Some(pairs) = depth {
                pairs.prefetch(place);
            }
            if let Some(pairs) = first {
                pairs.prefetch(place);
            }
        }
        for pairs in targets {
            for block in blocks {
                pairs.prefetch((block.x, block.y));
            }
        }
    }

    /// Whether there is a place for a pixel in the depth buffer, where [`has_depths`](Self::has_depths) does not say so of all.
    pub fn has_depth(&self, x: u32, y: u32) -> bool {
        match &self.depth {
            None => false,
            Some(Buffer::Pairs(_)) => true,
            Some(Buffer::Pixels(surface)) => surface.contains(x, y),
        }
    }
}

/// A buffer whose pixels have one sample.
pub enum Buffer<'s> {
    /// Its pixels have four bytes, and those that can be drawn to are all there.
    Pairs(Pairs<'s>),
    /// Any other.
    Pixels(&'s Surface<'s>),
}

impl<'s> Buffer<'s> {
    /// Its pixels, if each has four bytes.
    #[inline(always)]
    fn pairs(&self) -> Option<&Pairs<'s>> {
        match self {
            Buffer::Pairs(pairs) => Some(pairs),
            Buffer::Pixels(_) => None,
        }
    }

    /// Word `word` of the pixels of quads; 0 where there is none.
    #[inline(always)]
    pub fn read(&self, block: &Block, word: usize, lines: Lines) {
        match self {
            Buffer::Pairs(pairs) => {
                if let Some(pairs) = pairs.span(block.place(), block.len()) {
                    pairs.read(lines);
                }
            }
            Buffer::Pixels(surface) => {
                for ((x, y), (n, line)) in block.pixels() {
                    lines[line].as_flattened_mut()[n] = surface.read(x, y, 0)[word];
                }
            }
        }
    }

    /// Writes those pixels of quads whose bits are set in the masks of the upper and of the lower ones: so many words, by number.
    #[inline(always)]
    pub fn write<'w>(&self, block: &Block, count: usize, words: impl Fn(usize) -> [&'w [Pair]; 2], masks: [u8; 2]) {
        match self {
            Buffer::Pairs(pairs) => {
                if let Some(pairs) = pairs.span(block.place(), block.len()) {
                    pairs.write(words(0), masks);
                }
            }
            Buffer::Pixels(surface) => {
                for ((x, y), (n, line)) in block.pixels().filter(|&(_, (n, line))| masks[line] >> n & 1 != 0) {
                    let mut texel = [0; 4];
                    for (number, texel) in texel.iter_mut().enumerate().take(count) {
                        *texel = words(number)[line].as_flattened()[n];
                    }
                    surface.write(x, y, 0, texel);
                }
            }
        }
    }
}
