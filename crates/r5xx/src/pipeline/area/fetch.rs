//! Texture fetches as lane IR. Arithmetic is that of the scalar sampler: what it computes with denormals gives the same texels where they
//! are zeros, and fractions of 8 bits and their weights make none.

use crate::layout::{Layout, PartFormula};
use crate::tx::{AreaTexture, Select};
use ctm_lane::{Buffer, Builder, Denorm, FloatTest, IntTest, Round, Surface, Value, Zero};
use ctm_raster::sampler::{Filter, Wrap};
use ctm_x1k::TexOp;
use ctm_x1k::lift::FetchValues;

/// Steps of the weights of linear filters.
const STEPS: f32 = 256.0;

/// What a texture instruction fetches in these lanes: red, green, blue and alpha. The textures of units are the function's first surfaces.
pub fn fetch_texture(
    b: &mut Builder,
    textures: &[Option<AreaTexture>],
    fetch: &FetchValues,
    lanes: Value,
) -> [Value; 4] {
    let unit = usize::from(fetch.unit);
    let zero = b.constant(0);
    let Some(Some(texture)) = textures.get(unit) else { return [zero; 4] };
    let surface = textures[..unit].iter().flatten().count();
    let coordinates = flat_coordinates(b, fetch);
    let image = Image {
        size: [texture.width, texture.surface.height],
        wrap: texture.wrap,
        texels: Texels::Surface(Surface::new(surface)),
        unscaled: fetch.unscaled,
    };
    let components = image.components(b, texture.filter, coordinates, lanes);
    selected(b, &texture.selects, components)
}

/// Red, green, blue and alpha of these components.
pub fn selected(b: &mut Builder, selects: &[Select; 4], components: [Value; 4]) -> [Value; 4] {
    selects.map(|select| match select {
        Select::Component(number) => components[number],
        Select::Bits(bits) => b.constant(bits),
    })
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

/// A level of a texture.
pub struct Image<'a> {
    /// Texels across and down.
    pub size: [u32; 2],
    /// What coordinates outside mean.
    pub wrap: [Wrap; 2],
    /// Where texels come from.
    pub texels: Texels<'a>,
    /// Coordinates are in texels.
    pub unscaled: bool,
}

/// Where texels come from.
pub enum Texels<'a> {
    /// A surface of the function.
    Surface(Surface),
    /// Words of four bytes.
    Words {
        /// A buffer of the function.
        buffer: Buffer,
        /// The byte at which the level begins.
        begin: u32,
        /// How texels lie there.
        layout: &'a Layout,
    },
}

impl Texels<'_> {
    /// The components of the texel in this column and row, in these lanes.
    fn load(&self, b: &mut Builder, x: Value, y: Value, lanes: Value) -> [Value; 4] {
        match *self {
            Texels::Surface(surface) => b.surface_load(surface, x, y, lanes),
            Texels::Words { buffer, begin, layout } => {
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
        }
    }
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
    let rest = multiply(b, byte, low);
    b.fma(Denorm::Flush, Zero::Ieee, byte, high, rest)
}

/// What a linear filter takes along an axis.
struct Pair {
    indices: [Value; 2],
    /// Weights of both.
    weights: [Value; 2],
}

fn multiply(b: &mut Builder, a: Value, c: Value) -> Value {
    b.fmul(Denorm::Flush, Zero::Ieee, a, c)
}

impl Image<'_> {
    /// The components of the filtered texel, in these lanes.
    pub fn components(&self, b: &mut Builder, filter: Filter, coordinates: [Value; 2], lanes: Value) -> [Value; 4] {
        let (size, wrap) = (self.size, self.wrap);
        let places: [Value; 2] = std::array::from_fn(|axis| self.place(b, coordinates[axis], wrap[axis], size[axis]));
        match filter {
            Filter::Point => {
                let [x, y] = [0, 1].map(|axis| nearest(b, places[axis], wrap[axis], size[axis]));
                self.texels.load(b, x, y, lanes)
            }
            Filter::Linear => {
                let [across, down] = [0, 1].map(|axis| pair(b, places[axis], wrap[axis], size[axis]));
                let rows = down.indices.map(|y| {
                    let texels = across.indices.map(|x| self.texels.load(b, x, y, lanes));
                    mix(b, texels, across.weights)
                });
                mix(b, rows, down.weights)
            }
        }
    }

    /// The place along an axis, in texels.
    fn place(&self, b: &mut Builder, coordinate: Value, wrap: Wrap, size: u32) -> Value {
        if self.unscaled {
            return coordinate;
        }
        let inside = if wrap == Wrap::Repeat {
            let floor = b.fround(Round::Floor, Denorm::Flush, coordinate);
            b.fsub(Denorm::Flush, coordinate, floor)
        } else {
            coordinate
        };
        let size = b.float_constant(size as f32);
        multiply(b, inside, size)
    }
}

/// The nearest texel.
fn nearest(b: &mut Builder, place: Value, wrap: Wrap, size: u32) -> Value {
    if wrap != Wrap::Repeat {
        return b.float_to_index(size, place);
    }
    // A fraction that is rounded up to 1 is the first texel again.
    let index = b.float_to_index(size + 1, place);
    let (end, zero) = (b.constant(size), b.constant(0));
    let is_end = b.icmp(IntTest::Eq, index, end);
    b.select(is_end, zero, index)
}

/// The two texels around a place, and their weights. Of a NaN it is the first texel.
fn pair(b: &mut Builder, place: Value, wrap: Wrap, size: u32) -> Pair {
    let (zero, one, half) = (b.constant(0), b.float_constant(1.0), b.float_constant(0.5));
    let is_number = b.fcmp(FloatTest::Ord, Denorm::Flush, place, place);
    let place = b.select(is_number, place, half);
    let (low, high) = (b.float_constant(-((1 << 20) as f32)), b.float_constant((1 << 20) as f32));
    let place = b.fmax(Denorm::Flush, place, low);
    let place = b.fmin(Denorm::Flush, place, high);
    let place = b.fsub(Denorm::Flush, place, half);
    let floor = b.fround(Round::Floor, Denorm::Flush, place);
    let index = b.float_to_coordinate(place);
    let fraction = b.fsub(Denorm::Flush, place, floor);
    let (steps, step) = (b.float_constant(STEPS), b.float_constant(1.0 / STEPS));
    let fraction = multiply(b, fraction, steps);
    let fraction = b.fround(Round::Floor, Denorm::Flush, fraction);
    let second = multiply(b, fraction, step);
    let first = b.fsub(Denorm::Flush, one, second);
    let (last, next) = (b.constant(size - 1), b.constant(1));
    let following = b.iadd(index, next);
    let mut texel = |index: Value| {
        // Places that repeat are between the first texel and the end.
        if wrap == Wrap::Repeat && size.is_power_of_two() {
            return b.and(index, last);
        }
        let (before, behind) = (b.icmp(IntTest::Slt, index, zero), b.icmp(IntTest::Sgt, index, last));
        let (below, above) = if wrap == Wrap::Repeat { (last, zero) } else { (zero, last) };
        let index = b.select(before, below, index);
        b.select(behind, above, index)
    };
    Pair { indices: [texel(index), texel(following)], weights: [first, second] }
}

/// The weighted sum of two texels.
pub fn mix(b: &mut Builder, [one, two]: [[Value; 4]; 2], [first, second]: [Value; 2]) -> [Value; 4] {
    std::array::from_fn(|n| {
        let (one, two) = (multiply(b, first, one[n]), multiply(b, second, two[n]));
        b.fadd(Denorm::Flush, one, two)
    })
}
