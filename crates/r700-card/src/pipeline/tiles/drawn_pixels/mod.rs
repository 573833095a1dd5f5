//! Where tests come before the program, none of its lanes looks at another one, and colours are stored as bytes, it runs for the pixels that are drawn
//! and no others: one after the other, in the order of blocks, those of a block's upper row before those of the lower one. What it gets and
//! leaves lies in lines, one for each component.
//!
//! Many pixels of blocks are not drawn. So what it gets, and what is stored, is calculated for pixels that lie in lines, too;
//! for one primitive after the other, as no two of its pixels are the same.

mod interpolation;
mod storing;

use super::primitives::Primitive;
use super::surfaces::{Block, Chunk};
use super::worker::{CompiledProgram, Share, Shared};
use super::{LINE_MARGIN, PIXELS};
use crate::pipeline::DrawError;
use crate::pipeline::stage::{Lines, PixelStage};
use crate::pipeline::targets::ColourTarget;
use ctm_lane::domain::Domain;
use ctm_memory::{Access, Arena, RowWords};
use ctm_r700::Region;
use ctm_raster::covered::ShadingRate;
use ctm_raster::simd::{LANES, LaneWords, dispatch};
use interpolation::Interpolation;
use std::ops::Range;
use storing::Storing;

/// Whether draws can be drawn so, if their programs allow it.
pub fn is_possible(stage: &PixelStage) -> bool {
    let are_bytes = |target: &ColourTarget| target.second.is_none() && target.bytes().is_some();
    stage.rules.early && stage.rules.runs && stage.targets.iter().all(are_bytes)
}

/// Whether a program allows it.
pub fn is_by_pixels(compiled: &CompiledProgram) -> bool {
    compiled.kernels().is_some_and(|kernels| kernels.as_ref().is_ok_and(|kernels| kernels.is_by_lanes()))
}

/// Runs the program for the pixels of a launch, and stores what it exports.
///
/// # Errors
/// The program stops.
pub fn shade(share: &mut Share, lines: &Lines, own_lines: &mut WorkerLines, chunk: Chunk) -> Result<(), DrawError> {
    let shared = share.shared;
    let Some(domain) = Domain::of_size(chunk.count as u32, 1) else { return Ok(()) };
    let distances = &mut own_lines.distances;
    dispatch(Interpolation { shared, lines, distances, chunk });
    // What is not exported is zero.
    let is_kept = |output| shared.kernels().is_none_or(|kernels| !kernels.replaces_colour_channels(output));
    lines.clear_outputs(shared.arena, chunk.count, is_kept);
    share.run_lanes(domain)?;
    let pixels = &mut own_lines.pixels;
    dispatch(Storing { shared, lines, pixels, chunk });
    Ok(())
}

/// Words of a line.
const WORDS: usize = PIXELS + LINE_MARGIN;

/// A line of words that the program works on.
type Line<'t> = ctm_memory::WordLine<'t, WORDS>;

fn line_of(arena: &Arena, line: Region) -> Option<Line<'_>> {
    arena.shared_words(line.base, line.length as usize / 4)?.line()
}

/// Eight words of a line from one on; zeros if not all of them are there.
#[inline(always)]
fn get_eight(line: &Line, first: usize, access: impl Access) -> LaneWords {
    match line.eight(first) {
        Some(words) => words.get(access),
        None => [0; LANES],
    }
}

/// Sets these.
#[inline(always)]
fn set_eight(line: &Line, first: usize, words: LaneWords, access: impl Access) {
    if let Some(fours) = line.eight(first) {
        fours.set(words, access);
    }
}

/// A line of words that a worker has for itself.
struct OwnLine(Box<[u32; WORDS]>);

impl OwnLine {
    /// Eight words from one on; zeros if not all of them are there.
    #[inline(always)]
    fn get(&self, first: usize) -> LaneWords {
        self.0.get(first..).and_then(|words| words.first_chunk()).copied().unwrap_or_default()
    }

    /// Sets these.
    #[inline(always)]
    fn set(&mut self, first: usize, words: LaneWords) {
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

/// What a worker works with.
#[derive(Default)]
pub struct WorkerLines {
    /// Of each pixel, the column and the row from vertex 0 of its primitive on.
    distances: [OwnLine; 2],
    /// What is stored for pixels, where they lie in memory.
    pixels: OwnLine,
}

/// Where the pixels of both rows of a block begin in lines, of which the first one is this.
#[inline(always)]
fn places_of(block: &Block, first: usize) -> [usize; 2] {
    [first, first + block.drawn[0].count_ones() as usize]
}

/// The blocks of a primitive that follow each other in a launch.
struct BlockRun<'w> {
    primitive: &'w Primitive,
    blocks: &'w [Block],
    /// Where their pixels are in lines.
    pixels: Range<usize>,
}

impl<'w> BlockRun<'w> {
    /// The blocks, with where the first pixel of each is.
    #[inline(always)]
    fn places(&self) -> impl Iterator<Item = (usize, &'w Block)> {
        Chunk { blocks: self.blocks, rate: ShadingRate::Pixels, count: self.pixels.len() }
            .places_from(self.pixels.start)
    }
}

/// The primitives of a launch in their order, each with its blocks.
#[inline(always)]
fn runs<'w>(shared: &'w Shared, chunk: Chunk<'w>) -> impl Iterator<Item = BlockRun<'w>> {
    let mut next = 0;
    chunk.blocks.chunk_by(|one, other| one.primitive == other.primitive).filter_map(move |blocks| {
        let first = next;
        next += blocks.iter().map(Block::pixel_count).sum::<usize>();
        Some(BlockRun { primitive: shared.primitive(blocks.first()?)?, blocks, pixels: first..next })
    })
}
