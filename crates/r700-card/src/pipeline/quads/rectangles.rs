//! What becomes of what the program exports for pieces of rectangles.

use super::direct::{Piece, Rectangle};
use super::storing::Destination;
use super::worker::{Shared, vectors};
use crate::pipeline::stage::Regions;
use ctm_memory::Access;
use ctm_raster::covered::Block;
use ctm_raster::simd::{Simd, TOGETHER, Task};

/// How many columns ahead memory is asked for.
const AHEAD: u32 = 24;

/// What the program exports for a piece of a rectangle, stored as it is.
pub struct StoringVectors<'w, 'd, 'a> {
    pub shared: &'w Shared<'d, 'a>,
    pub regions: &'w Regions,
    pub rectangle: &'w Rectangle,
    pub piece: &'w Piece,
}

impl pulp::NullaryFnOnce for StoringVectors<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let StoringVectors { shared, regions, rectangle, piece } = self;
        let ([left, top], [columns, rows]) = (piece.corner, piece.size);
        let (pitch, layer) = (piece.pitch as usize, rectangle.layer.into());
        for (target, squares) in shared.stage.targets.iter().zip(shared.targets) {
            let words = regions.output(target.output).and_then(|region| vectors(shared.arena, region));
            let Some(words) = words else { continue };
            for row in (0..rows).step_by(2) {
                let mut first = 4 * row as usize * pitch;
                for x in (left..left + columns).step_by(2) {
                    let corner = (x, top + row);
                    squares.prefetch(squares.place((x + AHEAD, corner.1), layer));
                    let (place, mask) = (squares.place(corner, layer), rectangle.covered(corner));
                    let four = |at: usize| words.four(at).map_or([0; 4], |four| four.get());
                    let lower = first + 4 * pitch;
                    let [a, b, c, d] = [four(first), four(first + 4), four(lower), four(lower + 4)];
                    if !squares.write_vectors(place, mask, |pixel| [a, b, c, d][pixel % 4]) {
                        let of = |n: usize| [a[n], b[n], c[n], d[n]];
                        let colours = [of(0), of(1), of(2), of(3)];
                        target.write_squares(squares, &[(place, mask)], &colours, None);
                    }
                    first += 8;
                }
            }
        }
    }
}

/// What the program exports for a piece of a rectangle, stored in blocks: a task that is faster on hosts with wide vectors.
pub struct StoringRows<'w, 'd, 'a, A> {
    pub shared: &'w Shared<'d, 'a>,
    pub regions: &'w Regions,
    pub rectangle: &'w Rectangle,
    pub piece: &'w Piece,
    /// How memory is accessed.
    pub access: A,
}

impl<A: Access> Task for StoringRows<'_, '_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let StoringRows { shared, regions, rectangle, piece, access } = self;
        let ([left, top], [columns, rows]) = (piece.corner, piece.size);
        for destination in &Destination::all(shared, regions, piece.pitch as usize) {
            for row in (0..rows).step_by(2) {
                for x in (left..left + columns).step_by(TOGETHER) {
                    let drawn = rectangle.drawn(x, top + row);
                    let block = Block { x: x as u16, y: (top + row) as u16, primitive: 0, drawn, place: () };
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
