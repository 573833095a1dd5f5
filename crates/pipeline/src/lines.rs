//! Memory of programs that run for many pixels: of each component that they get or give, a line of words for upper pixels of quads and one for lower
//! ones. Programs that run for pixels by themselves use the first of both only.

use crate::surfaces::Block;
use ctm_memory::{Access, Arena, RowWords, ScalarAccess, WordLine};
use ctm_raster::simd::{LANES, LaneWords};

/// Words of memory after those of a launch: what blocks bring is laid out for all of their columns.
const MARGIN: usize = 64;
/// Pixels that a program runs for together, where it runs for pixels: with the margin of a line, no more than surfaces have columns.
pub const PIXELS: usize = 4096 - 4 * MARGIN;
/// Quads that it runs for together.
pub const QUADS: usize = PIXELS / 2;
/// Words of a line. They are of no power of two bytes, as caches keep few lines whose addresses differ by one.
pub const WORDS: usize = PIXELS + MARGIN;
/// Bytes of both lines of a component.
pub const BYTES: usize = 4 * 2 * WORDS;

/// A line of words.
pub type Line<'t> = WordLine<'t, WORDS>;

/// The lines of a component: of upper pixels, and of lower ones.
#[derive(Clone, Copy, Debug)]
pub struct ComponentLines<'t>([Line<'t>; 2]);

impl<'t> ComponentLines<'t> {
    /// Those that begin at an address, if all of both are there.
    pub fn of(arena: &'t Arena, address: u32) -> Option<Self> {
        let line = |first: u32| arena.shared_words(first, WORDS)?.line();
        Some(ComponentLines([line(address)?, line(address.checked_add(BYTES as u32 / 2)?)?]))
    }

    /// Eight words of a line from one on; zeros if not all of them are there.
    #[inline(always)]
    pub fn get_eight(&self, line: usize, first: usize, access: impl Access) -> LaneWords {
        match self.0[line % 2].eight(first) {
            Some(words) => words.get(access),
            None => [0; LANES],
        }
    }

    /// Sets these.
    #[inline(always)]
    pub fn set_eight(&self, line: usize, first: usize, words: LaneWords, access: impl Access) {
        if let Some(place) = self.0[line % 2].eight(first) {
            place.set(words, access);
        }
    }

    /// The words of a quad, row by row; zeros if there is no such quad.
    pub fn quad(&self, number: usize) -> [u32; 4] {
        let [[a, b, ..], [c, d, ..]] = [0, 1].map(|line| self.get_eight(line, 2 * number, ScalarAccess));
        [a, b, c, d]
    }

    /// Sets these.
    pub fn set_quad(&self, number: usize, [a, b, c, d]: [u32; 4]) {
        for (line, [left, right]) in [[a, b], [c, d]].into_iter().enumerate() {
            let [_, _, rest @ ..] = self.get_eight(line, 2 * number, ScalarAccess);
            let [e, f, g, h, i, j] = rest;
            self.set_eight(line, 2 * number, [left, right, e, f, g, h, i, j], ScalarAccess);
        }
    }

    /// The words of the pixels of a block, quad by quad: of the quads of it that are drawn, of which the first is this one.
    #[inline(always)]
    pub fn quads(&self, block: &Block, first: usize, access: impl Access) -> [u32; BLOCK_PIXELS] {
        let rows = [0, 1].map(|line| self.get_eight(line, 2 * first, access));
        let mut pixels = [0; BLOCK_PIXELS];
        for (n, quad) in pixels.as_chunks_mut::<4>().0.iter_mut().enumerate().take(block.len()) {
            *quad = [rows[0][2 * n], rows[0][2 * n + 1], rows[1][2 * n], rows[1][2 * n + 1]];
        }
        pixels
    }
}

/// Pixels of the quads of a block.
pub const BLOCK_PIXELS: usize = 2 * LANES;

/// What a program gets and gives.
#[derive(Default)]
pub struct Lines<'t> {
    /// Of each component that primitives give, if the program reads it.
    pub inputs: Vec<Option<ComponentLines<'t>>>,
    /// Of each colour that the program exports and that is used: its number, and its components.
    pub colours: Vec<(usize, [ComponentLines<'t>; 4])>,
    /// Depths that it exports.
    pub depth: Option<ComponentLines<'t>>,
    /// Stencil values that it exports.
    pub stencil: Option<ComponentLines<'t>>,
    /// The samples that it chooses, if it chooses some: bit n is sample n.
    pub mask: Option<ComponentLines<'t>>,
    /// Not 0 for pixels that it does not kill, if it may kill some.
    pub valid: Option<ComponentLines<'t>>,
}

impl<'t> Lines<'t> {
    /// The lines of a colour, if it is used.
    pub fn colour(&self, number: usize) -> Option<&[ComponentLines<'t>; 4]> {
        self.colours.iter().find(|&&(colour, _)| colour == number).map(|(_, lines)| lines)
    }
}

/// A line of words that a thread has for itself.
pub(crate) struct OwnLine(Box<[u32; WORDS]>);

impl OwnLine {
    /// Eight words from one on; zeros if not all of them are there.
    #[inline(always)]
    pub fn get(&self, first: usize) -> LaneWords {
        self.0.get(first..).and_then(|words| words.first_chunk()).copied().unwrap_or_default()
    }

    /// Sets these.
    #[inline(always)]
    pub fn set(&mut self, first: usize, words: LaneWords) {
        if let Some(place) = self.0.get_mut(first..).and_then(|words| words.first_chunk_mut()) {
            *place = words;
        }
    }
}

impl Default for OwnLine {
    fn default() -> Self {
        OwnLine(Box::new([0; WORDS]))
    }
}
