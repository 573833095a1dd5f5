//! Texture fetches as lane IR. Arithmetic is that of the scalar sampler: what it computes with denormals gives the same texels where they
//! are zeros, and fractions of 8 bits and their weights make none.

use crate::tx::{AreaTexture, Select};
use ctm_lane::{Builder, Denorm, FloatTest, IntTest, Round, Surface, Value, Zero};
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
    let [s, t, _, q] = fetch.coordinates;
    let coordinates = match fetch.op {
        TexOp::Proj => [s, t].map(|coordinate| b.fdiv(Denorm::Flush, coordinate, q)),
        TexOp::Nop | TexOp::Ld | TexOp::Texkill | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => {
            [s, t]
        }
    };
    let sampling = Sampling { texture, surface: Surface::new(surface), unscaled: fetch.unscaled };
    let components = sampling.components(b, coordinates, lanes);
    texture.selects.map(|select| match select {
        Select::Component(number) => components[number],
        Select::Bits(bits) => b.constant(bits),
    })
}

/// How a texture instruction fetches.
struct Sampling<'a> {
    /// The texture.
    texture: &'a AreaTexture,
    /// Its surface in the function.
    surface: Surface,
    /// Coordinates are in texels.
    unscaled: bool,
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

impl Sampling<'_> {
    /// The components of the filtered texel, in these lanes.
    fn components(&self, b: &mut Builder, coordinates: [Value; 2], lanes: Value) -> [Value; 4] {
        let sizes = [self.texture.width, self.texture.surface.height];
        let places: [Value; 2] =
            std::array::from_fn(|axis| self.place(b, coordinates[axis], self.texture.wrap[axis], sizes[axis]));
        match self.texture.filter {
            Filter::Point => {
                let [x, y] = [0, 1].map(|axis| nearest(b, places[axis], self.texture.wrap[axis], sizes[axis]));
                b.surface_load(self.surface, x, y, lanes)
            }
            Filter::Linear => {
                let [across, down] = [0, 1].map(|axis| pair(b, places[axis], self.texture.wrap[axis], sizes[axis]));
                let rows = down.indices.map(|y| {
                    let texels = across.indices.map(|x| b.surface_load(self.surface, x, y, lanes));
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
        let (before, behind) = (b.icmp(IntTest::Slt, index, zero), b.icmp(IntTest::Sgt, index, last));
        let (below, above) = if wrap == Wrap::Repeat { (last, zero) } else { (zero, last) };
        let index = b.select(before, below, index);
        b.select(behind, above, index)
    };
    Pair { indices: [texel(index), texel(following)], weights: [first, second] }
}

/// The weighted sum of two texels.
fn mix(b: &mut Builder, [one, two]: [[Value; 4]; 2], [first, second]: [Value; 2]) -> [Value; 4] {
    std::array::from_fn(|n| {
        let (one, two) = (multiply(b, first, one[n]), multiply(b, second, two[n]));
        b.fadd(Denorm::Flush, one, two)
    })
}
