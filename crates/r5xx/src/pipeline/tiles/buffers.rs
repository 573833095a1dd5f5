//! The depth buffer and the colour buffers of a draw, quad by quad.

use super::memory::Places;
use super::pending::Block;
use super::planes::Lines;
use crate::pairs::{BlockPlace, Pair, PixelPairBlock, PixelPairs};
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
                Some((words, places)) => {
                    Buffer::PixelPairs(PixelPairBuffer { pairs: PixelPairs::new(words, places), is_like_first: false })
                }
                None => Buffer::Pixels(surface),
            }
        };
        let mut depth = pixels.depth().map(|(_, surface)| buffer(surface));
        let mut targets: Vec<_> = pixels.targets().iter().map(|target| buffer(target.surface())).collect();
        let mut first: Option<PixelPairs> = None;
        for buffer in depth.iter_mut().chain(&mut targets) {
            if let Buffer::PixelPairs(buffer) = buffer {
                buffer.is_like_first = first.get_or_insert_with(|| buffer.pairs.clone()).is_like(&buffer.pairs);
            }
        }
        let has_depths = pixels.depth().is_some_and(|(_, surface)| surface.holds(framebuffer));
        Buffers { depth, targets, has_depths }
    }

    /// Those whose pixels have four bytes.
    #[inline(always)]
    fn pairs(&self) -> impl Iterator<Item = &PixelPairBuffer<'s>> {
        self.depth.iter().chain(&self.targets).filter_map(Buffer::pairs)
    }

    /// Finds out where blocks lie, and asks for their memory.
    #[inline(always)]
    pub fn find(&self, blocks: &mut [Block]) {
        let mut all = self.pairs();
        let Some(first) = all.next() else { return };
        let second = all.next();
        // Most draws have no others.
        for block in &mut *blocks {
            block.place = first.pairs.place((block.x, block.y));
            first.prefetch(block);
            if let Some(second) = second {
                second.prefetch(block);
            }
        }
        for buffer in all {
            for block in &*blocks {
                buffer.prefetch(block);
            }
        }
    }

    /// Whether there is a place for a pixel in the depth buffer, where [`has_depths`](Self::has_depths) does not say so of all.
    pub fn has_depth(&self, x: u32, y: u32) -> bool {
        match &self.depth {
            None => false,
            Some(Buffer::PixelPairs(_)) => true,
            Some(Buffer::Pixels(surface)) => surface.contains(x, y),
        }
    }
}

/// A buffer whose pixels have four bytes, and those that can be drawn to are all there.
#[derive(Clone, Debug)]
pub struct PixelPairBuffer<'s> {
    pairs: PixelPairs<'s>,
    /// Its pixels lie as those of the first buffer do, where blocks know their [place](Block::place).
    is_like_first: bool,
}

impl PixelPairBuffer<'_> {
    #[inline(always)]
    fn place(&self, block: &Block) -> BlockPlace {
        if self.is_like_first { block.place } else { self.pairs.place((block.x, block.y)) }
    }

    /// The pixels of a block that was [found](Buffers::find).
    #[inline(always)]
    pub fn block(&self, block: &Block) -> PixelPairBlock<'_> {
        self.pairs.block(self.place(block))
    }

    /// Asks for the memory of such a block.
    #[inline(always)]
    fn prefetch(&self, block: &Block) {
        self.pairs.prefetch(self.place(block));
    }
}

/// A buffer whose pixels have one sample.
pub enum Buffer<'s> {
    /// Its pixels have four bytes.
    PixelPairs(PixelPairBuffer<'s>),
    /// Any other.
    Pixels(&'s Surface<'s>),
}

impl<'s> Buffer<'s> {
    /// Its pixels, if each has four bytes.
    #[inline(always)]
    fn pairs(&self) -> Option<&PixelPairBuffer<'s>> {
        match self {
            Buffer::PixelPairs(pairs) => Some(pairs),
            Buffer::Pixels(_) => None,
        }
    }

    /// Word `word` of the pixels of quads; 0 where there is none.
    #[inline(always)]
    pub fn read(&self, block: &Block, word: usize, lines: Lines) {
        match self {
            Buffer::PixelPairs(PixelPairBuffer { pairs, .. }) => {
                if let Some(pairs) = pairs.span(block.first_quad(), block.len()) {
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
            Buffer::PixelPairs(PixelPairBuffer { pairs, .. }) => {
                if let Some(pairs) = pairs.span(block.first_quad(), block.len()) {
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
