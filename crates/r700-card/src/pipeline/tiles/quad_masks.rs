//! Pixels of a block as quads, each with a mask: for buffers and rules for which there is nothing faster.

use super::colour::Colours;
use super::depth::IncomingQuads;
use super::surfaces::Block;
use super::worker::{Shared, place};
use crate::pipeline::stage::Regions;
use ctm_memory::Words;
use ctm_raster::quads::BLOCK;

/// Pixels of these quads.
pub const PIXELS: usize = 4 * BLOCK;

/// The quads of a block from its first one with a pixel that is drawn on: where each is, and bit n for its pixel n, row by row, of such a mask.
#[inline(always)]
pub fn block_quads(block: &Block, drawn: [u8; 2], place: impl Fn((u32, u32)) -> u64) -> [(u64, u8); BLOCK] {
    let mut quads = [(0, 0); BLOCK];
    let (x, y) = block.first_quad();
    let first = block.first();
    for (n, quad) in quads.iter_mut().enumerate().take(block.len()) {
        let [upper, lower] = drawn.map(|drawn| drawn >> (2 * (first + n)) & 3);
        *quad = (place((u32::from(x) + 2 * n as u32, y.into())), upper | lower << 2);
    }
    quads
}

/// The upper left pixels of these quads.
#[inline(always)]
pub fn corners_of(block: &Block) -> impl Iterator<Item = (u32, u32)> + Clone {
    let (x, y) = block.first_quad();
    (0..block.len() as u32).map(move |n| (u32::from(x) + 2 * n, u32::from(y)))
}

/// The opposite: which pixels of a block these masks say.
#[inline(always)]
pub fn drawn_of(block: &Block, quads: &[(u64, u8); BLOCK]) -> [u8; 2] {
    let mut drawn = [0; 2];
    let first = block.first();
    for (n, (_, mask)) in quads.iter().enumerate().take(block.len()) {
        let shift = 2 * (first + n);
        drawn[0] |= (mask & 3) << shift;
        drawn[1] |= (mask >> 2) << shift;
    }
    drawn
}

/// What the program exports for a quad; zeros if there is nothing.
#[inline(always)]
pub fn exported(words: Option<Words>, quad: usize, columns: usize) -> Colours<4> {
    let Some(words) = words else { return [[0; 4]; 4] };
    let pixel = |pixel| words.four(4 * place(quad, pixel, columns)).map_or([0; 4], |four| four.get());
    let [a, b, c, d] = [pixel(0), pixel(1), pixel(2), pixel(3)];
    [[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]], [a[3], b[3], c[3], d[3]]]
}

/// The same for the quads of a block, of which the first is this one.
#[inline(always)]
pub fn exported_of(words: Option<Words>, block: &Block, first: usize, columns: usize) -> Colours<PIXELS> {
    let mut colours = [[0; PIXELS]; 4];
    for n in 0..block.len() {
        let quad = exported(words, first + n, columns);
        for (all, quad) in colours.iter_mut().zip(quad) {
            if let Some(place) = all.as_chunks_mut().0.get_mut(n) {
                *place = quad;
            }
        }
    }
    colours
}

/// What follows the program before colours are stored, where tests do not come before it.
pub struct LateTests<'t, 'd, 'a> {
    pub shared: &'t Shared<'d, 'a>,
    pub regions: &'t Regions,
    /// Of each pixel, whether it was not killed, if some may be: rows of so many.
    pub valid: Option<(Vec<u32>, usize)>,
    /// What the program exports as first colour.
    pub first_colour: Option<Words<'t>>,
    /// Depths and stencil values that it exports.
    pub depths: Option<Words<'t>>,
}

impl LateTests<'_, '_, '_> {
    /// The pixels of a block that pass, of which this is the first quad.
    #[inline(always)]
    pub fn passed(&self, block: &Block, first: usize) -> [u8; 2] {
        let LateTests { shared, regions, valid, first_colour, depths } = self;
        let rules = &shared.stage.rules;
        let Some(primitive) = shared.primitive(block) else { return [0; 2] };
        let mut quads = block_quads(block, block.drawn, |_| 0);
        for (n, (_, mask)) in quads.iter_mut().enumerate().take(block.len()) {
            let quad = first + n;
            if let Some((valid, columns)) = valid {
                let is_valid = |pixel| valid.get(place(quad, pixel, *columns)).is_some_and(|&valid| valid != 0);
                *mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(is_valid(pixel)) << pixel);
            }
            if let Some((function, reference)) = rules.alpha {
                let alpha = exported(*first_colour, quad, regions.columns)[3];
                let holds = |pixel: usize| function.holds(f32::from_bits(alpha[pixel]), reference);
                *mask &= (0..4).fold(0, |bits, pixel| bits | u8::from(holds(pixel)) << pixel);
            }
        }
        if let Some((buffer, depth)) = shared.depth.zip(shared.stage.depth.as_ref()) {
            let [exported, stencils, ..] = exported_of(*depths, block, first, regions.columns);
            let corners = corners_of(block);
            let depths = match rules.exports_depth {
                true => exported.map(f32::from_bits),
                false => primitive.depths(corners.clone()),
            };
            let references = rules.exports_stencil.then(|| stencils.map(|stencil| stencil as u8));
            let incoming = IncomingQuads { depths, range: primitive.range, references, front: primitive.front };
            for ((at, _), corner) in quads.iter_mut().zip(corners) {
                *at = buffer.place(corner, primitive.layer);
            }
            depth.test_quads(buffer, &incoming, &mut quads[..block.len()]);
        }
        drawn_of(block, &quads)
    }
}
