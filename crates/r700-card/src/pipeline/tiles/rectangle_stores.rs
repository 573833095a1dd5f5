//! What becomes of what the program exports for pieces of rectangles.

use super::rectangles::{Piece, Rectangle};
use super::storing::Destination;
use super::surfaces::{Block, BlockPlaces, SurfaceQuads};
use super::worker::{Shared, vectors};
use crate::pipeline::stage::Regions;
use crate::pipeline::targets::ColourTarget;
use ctm_memory::{Access, FourWords};
use ctm_raster::simd::{LANES, Simd, SimdTask};

/// How many columns ahead memory is asked for.
const AHEAD: u32 = 24;

/// What the program exports for a piece of a rectangle, stored as it is: a task that is faster on hosts with wide vectors.
pub struct StoringVectors<'w, 'd, 'a> {
    pub shared: &'w Shared<'d, 'a>,
    pub regions: &'w Regions,
    pub rectangle: &'w Rectangle,
    pub piece: &'w Piece,
}

impl SimdTask for StoringVectors<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let StoringVectors { shared, regions, rectangle, piece } = self;
        let access = simd.access();
        let ([left, top], [columns, rows]) = (piece.corner, piece.size);
        let (pitch, layer) = (piece.pitch as usize, rectangle.layer.into());
        for (target, surface_quads) in shared.stage.targets.iter().zip(shared.targets) {
            let words = regions.output(target.output).and_then(|region| vectors(shared.arena, region));
            let Some(words) = words else { continue };
            for row in (0..rows).step_by(2) {
                let mut first = 4 * row as usize * pitch;
                for x in (left..left + columns).step_by(2) {
                    let corner = (x, top + row);
                    surface_quads.prefetch(surface_quads.place((x + AHEAD, corner.1), layer));
                    let (place, mask) = (surface_quads.place(corner, layer), rectangle.covered(corner));
                    let exported = words.rows_of_fours([first, first + 4], 4 * pitch);
                    first += 8;
                    let Some([[a, b], [c, d]]) = exported else { continue };
                    match surface_quads.vectors(place).filter(|_| mask == 0xF) {
                        Some([[e, f], [g, h]]) => {
                            access.set(e, access.get(a));
                            access.set(f, access.get(b));
                            access.set(g, access.get(c));
                            access.set(h, access.get(d));
                        }
                        None => store_quad(target, surface_quads, (place, mask), [a, b, c, d]),
                    }
                }
            }
        }
    }
}

/// Stores vectors to the pixels of a mask.
#[inline(never)]
fn store_quad(target: &ColourTarget, surface_quads: &SurfaceQuads, (place, mask): (u64, u8), exported: [FourWords; 4]) {
    let vectors = exported.map(FourWords::get);
    if !surface_quads.write_vectors(place, mask, |pixel| vectors[pixel % 4]) {
        let of = |n: usize| vectors.map(|vector| vector[n]);
        target.write_quads(surface_quads, &[(place, mask)], &[of(0), of(1), of(2), of(3)], None);
    }
}

/// What the program exports for a piece of a rectangle, stored in blocks: a task that is faster on hosts with wide vectors.
pub struct StoringRows<'w, 'd, 'a> {
    pub shared: &'w Shared<'d, 'a>,
    pub regions: &'w Regions,
    pub rectangle: &'w Rectangle,
    pub piece: &'w Piece,
}

impl SimdTask for StoringRows<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let StoringRows { shared, regions, rectangle, piece } = self;
        let access = simd.access();
        let ([left, top], [columns, rows]) = (piece.corner, piece.size);
        for destination in &Destination::all(shared, regions, piece.pitch as usize) {
            for row in (0..rows).step_by(2) {
                for x in (left..left + columns).step_by(LANES) {
                    let drawn = rectangle.drawn(x, top + row);
                    let block = Block {
                        x: x as u16,
                        y: (top + row) as u16,
                        primitive: 0,
                        drawn,
                        place: BlockPlaces::default(),
                    };
                    if !block.is_empty() {
                        let column = u32::from(block.first_quad().0) - left;
                        let first = (row * piece.pitch + column) as usize / 2;
                        destination.write(simd, (&block, drawn), rectangle.layer.into(), first, access);
                    }
                }
            }
        }
    }
}
