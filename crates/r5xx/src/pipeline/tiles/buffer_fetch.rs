//! Fetches from textures in buffers as lane IR.

use crate::layout::{Layout, PartFormula};
use crate::pipeline::rectangles::{coordinates, scale};
use crate::tx::{BufferTexture, ChannelSource};
use ctm_lane::{Buffer, Builder, Denorm, Value, Zero};
use ctm_sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};
use ctm_x1k::TexOp;
use ctm_x1k::lift::FetchValues;

/// What is fetched from.
pub struct BufferFetch<'a> {
    /// The texture.
    pub texture: &'a BufferTexture,
    /// Its words.
    pub buffer: Buffer,
}

impl BufferFetch<'_> {
    /// Red, green, blue and alpha in these lanes, with this level of detail or the one that the operation says.
    pub fn fetch(
        &self,
        b: &mut Builder,
        fetch: &FetchValues,
        level_of_detail: Option<Value>,
        lanes: Value,
    ) -> [Value; 4] {
        let BufferTexture { sampler, shape, .. } = self.texture;
        let sampling = Sampling { sampler, shape, scale: scale(fetch), has_fractions: true, texels: self };
        let detail = level_of_detail.map_or_else(|| detail_of(fetch), LiftedDetail::Rounded);
        let coordinates = coordinates(b, fetch);
        sampling.sample(b, coordinates, &detail, lanes)
    }
}

/// Where the level of detail of a fetch comes from.
fn detail_of(fetch: &FetchValues) -> LiftedDetail {
    let [_, _, _, q] = fetch.coordinates;
    match fetch.op {
        TexOp::Nop | TexOp::Texkill | TexOp::Reserved7 | TexOp::Ld | TexOp::Proj => {
            LiftedDetail::Differences { bias: None }
        }
        TexOp::Lodbias => LiftedDetail::Differences { bias: Some(q) },
        TexOp::Lod => LiftedDetail::Explicit(q),
        TexOp::Dxdy => LiftedDetail::Derivatives([fetch.dx, fetch.dy].map(|[s, t, r, _]| [s, t, r])),
    }
}

impl LiftTexels for BufferFetch<'_> {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        let level = self.texture.level(place.level);
        let mut begin = b.constant(level.begin);
        if let Some(layer) = place.layer {
            let bytes = b.constant(level.layer);
            let layer = b.imul(layer, bytes);
            begin = b.iadd(begin, layer);
        }
        let offset = offset(b, &level.layout, [place.x, place.y]);
        let address = b.iadd(offset, begin);
        let word = match self.texture.bytes {
            4 => b.buffer_load(self.buffer, address, lanes),
            _ => {
                let (whole, three, log2) = (b.constant(!3), b.constant(3), b.constant(3));
                let (aligned, byte) = (b.and(address, whole), b.and(address, three));
                let word = b.buffer_load(self.buffer, aligned, lanes);
                let bits = b.shl(byte, log2);
                b.shr(word, bits)
            }
        };
        self.texture.channels.map(|source| match source {
            ChannelSource::Bits(channel) => fraction(b, word, channel.shift(), channel.max()),
            ChannelSource::Zero => b.constant(0),
            ChannelSource::One => b.float_constant(1.0),
        })
    }
}

/// The place of an element: bytes from the beginning of its level, face or slice.
fn offset(b: &mut Builder, layout: &Layout, [x, y]: [Value; 2]) -> Value {
    let [column, row] = layout.formula();
    let ((column, in_column), (row, in_row)) = (part(b, &column, x), part(b, &row, y));
    let tile = b.iadd(column, row);
    let inside = b.xor(in_column, in_row);
    b.iadd(tile, inside)
}

/// What a coordinate adds to the place of an element, and what it toggles.
fn part(b: &mut Builder, formula: &PartFormula, at: Value) -> (Value, Value) {
    let (log2, bytes) = (b.constant(formula.tile_log2), b.constant(formula.tile_bytes));
    let tile = b.shr(at, log2);
    let added = b.imul(tile, bytes);
    let mut toggled = b.constant(0);
    // Bits that move by the same distance move together.
    for distance in -12i32..32 {
        let moved = |(from, to): &(usize, u32)| *to as i32 - *from as i32 == distance;
        let bits = formula.toggled.iter().enumerate();
        let moves =
            bits.flat_map(|(from, mask)| (0..32).filter(move |to| mask >> to & 1 != 0).map(move |to| (from, to)));
        let from = moves.filter(moved).fold(0, |mask, (from, _)| mask | 1 << from);
        if from != 0 {
            let (mask, count) = (b.constant(from), b.constant(distance.unsigned_abs()));
            let kept = b.and(at, mask);
            let kept = if distance < 0 { b.shr(kept, count) } else { b.shl(kept, count) };
            toggled = b.xor(toggled, kept);
        }
    }
    (added, toggled)
}

/// Bits of a word from this one on, divided by their greatest value and rounded once.
fn fraction(b: &mut Builder, word: Value, shift: u32, max: u32) -> Value {
    let (mask, shift) = (b.constant(max), b.constant(shift));
    let code = b.shr(word, shift);
    let code = b.and(code, mask);
    let code = b.utof(code);
    if max != 0xFF {
        let max = b.float_constant(max as f32);
        return b.fdiv(Denorm::Flush, code, max);
    }
    // 1/255 in two parts: for all 256 bytes the sum of both products is the rounded quotient.
    let high = 1.0f32 / 255.0;
    let low = (1.0 / 255.0 - f64::from(high)) as f32;
    let (high, low) = (b.float_constant(high), b.float_constant(low));
    let rest = b.fmul(Denorm::Flush, Zero::Ieee, code, low);
    b.fma(Denorm::Flush, Zero::Ieee, code, high, rest)
}
