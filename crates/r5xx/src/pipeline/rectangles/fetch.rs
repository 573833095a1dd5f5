//! Texture fetches as lane IR: where the texels of this card's textures are.

use crate::layout::{Layout, PartFormula};
use crate::tx::{KernelTexture, Select};
use ctm_lane::{Buffer, Builder, Denorm, Surface, Value, Zero};
use ctm_raster::sampler::{Sampler, Scale, TextureShape, Wrap};
use ctm_x1k::TexOp;
use ctm_x1k::lift::FetchValues;
use ctm_x1k::lift::sampling::{LiftTexels, LiftedDetail, Sampling, TexelPlace};

/// What a texture instruction fetches in these lanes: red, green, blue and alpha. The textures of units are the function's first surfaces.
pub fn fetch_texture(
    b: &mut Builder,
    textures: &[Option<KernelTexture>],
    fetch: &FetchValues,
    lanes: Value,
) -> [Value; 4] {
    let unit = usize::from(fetch.unit);
    let zero = b.constant(0);
    let Some(Some(texture)) = textures.get(unit) else { return [zero; 4] };
    let surface = textures[..unit].iter().flatten().count();
    let [s, t] = flat_coordinates(b, fetch);
    let [wrap_s, wrap_t] = texture.wrap;
    let sampling = Sampling {
        sampler: &Sampler::new(texture.filter, [wrap_s, wrap_t, Wrap::ClampToEdge]),
        shape: &TextureShape::flat(texture.width, texture.surface.height),
        scale: scale(fetch),
        // Other texels are not filtered.
        has_fractions: true,
        texels: &TexelSurface(Surface::new(surface)),
    };
    let components = sampling.sample(b, [s, t, zero], &LiftedDetail::Differences { bias: None }, lanes);
    selected(b, &texture.selects, components)
}

/// Red, green, blue and alpha of these components.
pub fn selected(b: &mut Builder, selects: &[Select; 4], components: [Value; 4]) -> [Value; 4] {
    selects.map(|select| match select {
        Select::Component(number) => components[number],
        Select::Bits(bits) => b.constant(bits),
    })
}

/// What the coordinates of a fetch are counted in.
pub fn scale(fetch: &FetchValues) -> Scale {
    if fetch.unscaled { Scale::Texels } else { Scale::Texture }
}

/// S and T of a fetch, divided where it says so.
pub fn flat_coordinates(b: &mut Builder, fetch: &FetchValues) -> [Value; 2] {
    let [s, t, _, q] = fetch.coordinates;
    match fetch.op {
        TexOp::Proj => [s, t].map(|coordinate| b.fdiv(Denorm::Flush, coordinate, q)),
        TexOp::Nop | TexOp::Ld | TexOp::Texkill | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => {
            [s, t]
        }
    }
}

/// One level, as a surface of the function.
struct TexelSurface(Surface);

impl LiftTexels for TexelSurface {
    fn load(&self, b: &mut Builder, place: &TexelPlace, lanes: Value) -> [Value; 4] {
        b.surface_load(self.0, place.x, place.y, lanes)
    }
}

/// The texel of four bytes in a column and row, in these lanes: a level begins at this byte of a buffer.
pub fn load_bytes(
    b: &mut Builder,
    (buffer, begin): (Buffer, u32),
    layout: &Layout,
    [x, y]: [Value; 2],
    lanes: Value,
) -> [Value; 4] {
    let [column, row] = layout.formula();
    let ((column, in_column), (row, in_row)) = (part(b, &column, x), part(b, &row, y));
    let begin = b.constant(begin);
    let tile = b.iadd(column, row);
    let inside = b.xor(in_column, in_row);
    let offset = b.iadd(tile, inside);
    let address = b.iadd(offset, begin);
    let word = b.buffer_load(buffer, address, lanes);
    [0, 8, 16, 24].map(|shift| byte_fraction(b, word, shift))
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

/// A byte of a word, divided by 255 and rounded once.
fn byte_fraction(b: &mut Builder, word: Value, shift: u32) -> Value {
    // 1/255 in two parts: for all 256 bytes the sum of both products is the rounded quotient.
    let high = 1.0f32 / 255.0;
    let low = (1.0 / 255.0 - f64::from(high)) as f32;
    let (mask, shift) = (b.constant(0xFF), b.constant(shift));
    let byte = b.shr(word, shift);
    let byte = b.and(byte, mask);
    let byte = b.utof(byte);
    let (high, low) = (b.float_constant(high), b.float_constant(low));
    let rest = b.fmul(Denorm::Flush, Zero::Ieee, byte, low);
    b.fma(Denorm::Flush, Zero::Ieee, byte, high, rest)
}
