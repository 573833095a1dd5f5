//! What becomes of what the program exports for pieces of rectangles.

use super::rectangles::{Piece, Rectangle};
use super::worker::{Shared, vectors};
use crate::layout::SurfaceQuads;
use crate::pipeline::stage::Regions;
use crate::pipeline::targets::ColourTarget;
use ctm_memory::{Access, FourWords, RowWords, Words};
use ctm_pipeline::{BLOCK_PIXELS, Block, BlockPlaces, BytesTask, ColourTarget as _, Colours, block_quads, write_quads};
use ctm_raster::float_bytes::WriteFloats;
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
        for (target, quads) in shared.draw.targets {
            let Some(surface_quads) = quads.first() else { continue };
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
        write_quads(target, surface_quads, &[(place, mask)], &[of(0), of(1), of(2), of(3)], None);
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
        let words = |output| regions.output(output).and_then(|region| vectors(shared.arena, region));
        for (target, quads) in shared.draw.targets {
            let (Some(colour), Some(quads)) = (words(target.output), quads.first()) else { continue };
            let second = target.second.map(words);
            let stored = PieceColours { rectangle, piece, target, quads, colour, second };
            match target.has_bytes() {
                true => target.with_bytes(StoreBytes { simd, stored }),
                false => stored.blocks().for_each(|block| stored.write_quads(block)),
            }
        }
    }
}

/// Colours of a piece of a rectangle, and the target that they go to.
struct PieceColours<'t, 'a> {
    rectangle: &'t Rectangle,
    piece: &'t Piece,
    target: &'t ColourTarget<'a>,
    quads: &'t SurfaceQuads<'t>,
    colour: Words<'t>,
    second: Option<Option<Words<'t>>>,
}

impl PieceColours<'_, '_> {
    /// The blocks of the piece with pixels of the rectangle: column and row, and which pixels these are.
    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = ((u32, u32), [u8; 2])> {
        let Piece { corner: [left, top], size: [columns, rows], .. } = *self.piece;
        let corners =
            (top..top + rows).step_by(2).flat_map(move |y| (left..left + columns).step_by(LANES).map(move |x| (x, y)));
        corners.map(|(x, y)| ((x, y), self.rectangle.drawn(x, y))).filter(|(_, drawn)| *drawn != [0; 2])
    }

    /// The number of the vector of a pixel.
    #[inline(always)]
    fn vector(&self, (x, y): (u32, u32)) -> usize {
        let Piece { corner: [left, top], pitch, .. } = *self.piece;
        ((y - top) * pitch + x - left) as usize
    }

    /// Stores colours of a block quad by quad.
    #[inline(never)]
    fn write_quads(&self, ((x, y), drawn): ((u32, u32), [u8; 2])) {
        let block = Block { x: x as u16, y: y as u16, primitive: 0, drawn, place: BlockPlaces::default() };
        let quads = block_quads(&block, drawn, |corner| self.quads.place(corner, self.rectangle.layer.into()));
        let (first, _) = block.first_quad();
        let colours = |words: Option<Words>| {
            let mut colours: Colours<BLOCK_PIXELS> = [[0; BLOCK_PIXELS]; 4];
            for pixel in 0..4 * block.len() {
                let (column, row) = (2 * (pixel / 4) + pixel % 2, pixel / 2 % 2);
                let place = 4 * self.vector((u32::from(first) + column as u32, y + row as u32));
                let vector = words.and_then(|words| words.four(place)).map_or([0; 4], FourWords::get);
                colours.iter_mut().zip(vector).for_each(|(colour, value)| colour[pixel] = value);
            }
            colours
        };
        let second = self.second.map(colours);
        write_quads(self.target, self.quads, &quads[..block.len()], &colours(Some(self.colour)), second.as_ref());
    }
}

/// Such that are stored as bytes.
struct StoreBytes<'t, 'a, S> {
    simd: S,
    stored: PieceColours<'t, 'a>,
}

impl<S: Simd> BytesTask for StoreBytes<'_, '_, S> {
    #[inline(always)]
    fn run<W: WriteFloats>(self, bytes: W) {
        let StoreBytes { simd, stored } = self;
        let access = simd.access();
        for ((x, y), drawn) in stored.blocks() {
            let Some(rows) = stored.quads.rows((x as u16, y as u16), stored.rectangle.layer.into()) else {
                stored.write_quads(((x, y), drawn));
                continue;
            };
            for ((row, drawn), y) in rows.into_iter().zip(drawn).zip(y..) {
                let Some(fours) = stored.colour.fours_from::<LANES>(4 * stored.vector((x, y))) else { continue };
                if drawn == 0 {
                    continue;
                }
                let mut vectors = [[0; 4]; LANES];
                vectors.iter_mut().zip(fours).for_each(|(vector, four)| *vector = access.get(four));
                let components = simd.components(&vectors);
                let [a, b, c, d] = bytes.components().map(|component| components[component % 4]);
                let memory = simd.words(&row.get(access));
                let new = bytes.pixels(simd, [a, b, c, d], components[3], memory);
                let bits = simd.and(simd.chosen(drawn), simd.splat(bytes.written()));
                row.set(simd.array(simd.xor(memory, simd.and(simd.xor(memory, new), bits))), access);
            }
        }
    }
}
