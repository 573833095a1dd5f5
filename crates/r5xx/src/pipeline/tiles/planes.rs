//! Memory for quads on their way through a kernel: planes with a word for each fragment. A quad takes two columns and two rows of a plane,
//! as its fragments lie on the screen, so that kernels find the quads of a launch in a domain of two rows.

use crate::pairs::Pair;
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_raster::simd::{LANES, LaneWords};
use std::ops::Range;

/// Quads of a plane: more than those of a launch by [`MULTIPLE`](super::renderer::MULTIPLE), since words are computed for some that there are not. No power
/// of two, as caches keep few lines whose addresses differ by one, and a quad has as many as there are planes; and half of the columns that surfaces of
/// kernels have at most, or less.
pub const QUADS: usize = 2016;
/// Planes that a kernel reads, and planes that it writes, at most.
pub const PLANES: usize = 64;

/// Fragments of a row.
pub const COLUMNS: usize = 2 * QUADS;
/// Words of all planes that kernels read, or of those that they write.
const HALF: usize = 2 * PLANES * COLUMNS;

/// The planes that kernels read, or those that they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What quads bring.
    Input,
    /// What becomes of them.
    Output,
}

/// The memory.
pub struct Planes {
    space: Space,
    base: u32,
}

impl Planes {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        let mut space = Space::default();
        let base = space.append(2 * 4 * HALF as u64).ok()?;
        Some(Planes { space, base })
    }

    /// The space that they lie in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// All planes of a side as one surface: plane p is rows 2p and 2p + 1.
    pub fn surface(&self, side: Side) -> Surface {
        let base = match side {
            Side::Input => self.base,
            Side::Output => self.base + 4 * HALF as u32,
        };
        Surface {
            base,
            pitch: COLUMNS as u32,
            height: 2 * PLANES as u32,
            tiling: Tiling::Linear,
            superfine: false,
            format: Format::Float32_1,
        }
    }

    /// The words of both sides, inputs first.
    pub fn words(&mut self) -> Option<[PlaneWords<'_>; 2]> {
        let (planes, _) = self.space.words_mut(self.base)?.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut();
        let (inputs, outputs) = planes.split_at_mut_checked(PLANES)?;
        Some([PlaneWords(inputs), PlaneWords(outputs)])
    }
}

/// A plane's words: by row, quad and column.
type Plane = [[Pair; QUADS]; 2];

/// Words for the upper pixels of quads, and for the lower ones.
pub type Lines<'a> = [&'a mut [Pair]; 2];

/// The words of a side.
pub struct PlaneWords<'a>(&'a mut [Plane]);

impl PlaneWords<'_> {
    /// The words of a quad in a plane: of its upper and of its lower fragments.
    #[inline(always)]
    pub fn get(&self, plane: usize, quad: usize) -> [Pair; 2] {
        self.0[plane].each_ref().map(|line| line[quad])
    }

    /// The words of quads in a plane: of their upper and of their lower fragments.
    #[inline(always)]
    pub fn span(&self, plane: usize, quads: Range<usize>) -> [&[Pair]; 2] {
        self.0[plane].each_ref().map(|line| &line[quads.clone()])
    }

    /// The same, to be set.
    #[inline(always)]
    pub fn lines(&mut self, plane: usize, quads: Range<usize>) -> Lines<'_> {
        let [upper, lower] = &mut self.0[plane];
        [&mut upper[quads.clone()], &mut lower[quads]]
    }

    /// The words of a line of a plane, of as many pixels as a block has in a row, from this one on; 0 if not all are there.
    #[inline(always)]
    pub fn eight(&self, plane: usize, line: usize, pixel: usize) -> LaneWords {
        let words = self.0[plane][line].as_flattened().get(pixel..);
        words.and_then(|words| words.first_chunk()).copied().unwrap_or([0; LANES])
    }

    /// Sets these; nothing happens if not all are there.
    #[inline(always)]
    pub fn set_eight(&mut self, plane: usize, line: usize, pixel: usize, words: LaneWords) {
        let place = self.0[plane][line].as_flattened_mut().get_mut(pixel..);
        if let Some(place) = place.and_then(|words| words.first_chunk_mut()) {
            *place = words;
        }
    }

    /// A line of these planes, one after the other.
    #[inline(always)]
    pub fn line(&mut self, planes: Range<usize>, line: usize) -> impl Iterator<Item = &mut [u32; COLUMNS]> {
        self.0[planes].iter_mut().filter_map(move |plane| plane[line].as_flattened_mut().first_chunk_mut())
    }

    /// Sets the words of a quad in a plane.
    #[inline]
    pub fn set(&mut self, plane: usize, quad: usize, words: [Pair; 2]) {
        self.0[plane].iter_mut().zip(words).for_each(|(line, words)| line[quad] = words);
    }
}
