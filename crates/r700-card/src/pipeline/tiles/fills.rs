//! Rectangles that have one colour and one depth everywhere, which nothing blends or tests: clears. The program runs for one quad, and what comes of
//! it fills the memory of pixels.

use super::rectangles::Rectangle;
use crate::layout::SurfaceQuads;
use crate::pipeline::stage::PixelStage;
use crate::pipeline::targets::{ColourTarget, TargetOperation};
use ctm_memory::RowWords;
use ctm_pipeline::SurfaceBlocks;
use ctm_raster::simd::{LANES, Simd, SimdTask};

/// Whether rectangles of a draw can be such.
pub fn is_possible(stage: &PixelStage) -> bool {
    let is_copied = |target: &ColourTarget| matches!(target.operation, TargetOperation::Copy);
    let passes_all = stage.depth.as_ref().is_none_or(|depth| depth.passes_all());
    let is_drawn = stage.samples.mask() != 0 && !stage.samples.iterates;
    stage.rules.early && is_drawn && passes_all && stage.targets.iter().all(is_copied)
}

/// Columns that are asked for before they are read.
const AHEAD: u32 = 4 * LANES as u32;

/// A surface whose pixels of a rectangle get a word, in the bits of a mask: a task that is faster on hosts with wide vectors.
pub struct FillRectangle<'f> {
    pub rectangle: &'f Rectangle,
    pub surface_quads: &'f SurfaceQuads<'f>,
    pub blocks: SurfaceBlocks<'f>,
    pub word: u32,
    pub mask: u32,
}

impl SimdTask for FillRectangle<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let FillRectangle { rectangle, surface_quads, blocks, word, mask } = self;
        let access = simd.access();
        let [[left, right], [top, bottom]] = rectangle.sides();
        let first = |side: u32| side / LANES as u32 * LANES as u32;
        // What lies together in most orders of tiles comes together.
        let tiles =
            (first(top)..bottom).step_by(LANES).flat_map(|y| (first(left)..right).step_by(LANES).map(move |x| (x, y)));
        for (x, upper) in tiles {
            let is_inside = left <= x && x + LANES as u32 <= right && top <= upper && upper + LANES as u32 <= bottom;
            if is_inside && let Some(tile) = blocks.tile((x as u16, upper as u16)) {
                for row in tile {
                    if mask == u32::MAX {
                        row.set([word; LANES], access);
                    } else {
                        let memory = simd.words(&row.get(access));
                        let changed = simd.and(simd.xor(memory, simd.splat(word)), simd.splat(mask));
                        row.set(simd.array(simd.xor(memory, changed)), access);
                    }
                }
                continue;
            }
            if mask != u32::MAX {
                for y in (upper..bottom.min(upper + LANES as u32)).step_by(2) {
                    blocks.prefetch_at(blocks.place(((x + AHEAD) as u16, y as u16)));
                }
            }
            for y in (upper.max(top & !1)..bottom.min(upper + LANES as u32)).step_by(2) {
                let drawn = rectangle.drawn(x, y);
                let Some(rows) = blocks.rows_at(blocks.place((x as u16, y as u16))) else {
                    fill_quads(rectangle, surface_quads, (x, y), word, mask);
                    continue;
                };
                for (row, drawn) in rows.into_iter().zip(drawn) {
                    if drawn == 0xFF && mask == u32::MAX {
                        row.set([word; LANES], access);
                    } else if drawn != 0 {
                        let memory = simd.words(&row.get(access));
                        let bits = simd.and(simd.splat(mask), simd.chosen(drawn));
                        let changed = simd.and(simd.xor(memory, simd.splat(word)), bits);
                        row.set(simd.array(simd.xor(memory, changed)), access);
                    }
                }
            }
        }
    }
}

/// The quads of a block, as far as they are there.
#[cold]
fn fill_quads(rectangle: &Rectangle, surface_quads: &SurfaceQuads, (x, y): (u32, u32), word: u32, mask: u32) {
    for x in (x..x + LANES as u32).step_by(2) {
        let (place, drawn) = (surface_quads.place((x, y), rectangle.layer.into()), rectangle.covered((x, y)));
        let mut words = [[0; 4]; 4];
        surface_quads.read(place, 0, &mut words);
        words[0].iter_mut().for_each(|memory| *memory = *memory & !mask | word & mask);
        surface_quads.write(place, 0, &words, drawn);
    }
}
