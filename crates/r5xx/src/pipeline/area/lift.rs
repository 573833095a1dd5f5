//! What stands around a fragment program, as lane IR: coverage by spans, interpolation, fetches, writes.

use super::{ComponentKind, Key};
use crate::pipeline::window::GRID;
use crate::tx::Select;
use ctm_lane::{Builder, Channels, Denorm, IntTest, Round, Rounding, SurfaceDecl, Table, TableDecl, Value, Zero};
use ctm_memory::Format;
use ctm_raster::sampler::Wrap;
use ctm_x1k::lift::{FetchValues, Start, Surroundings, TABLES};
use ctm_x1k::{OUTPUTS, TexOp};

/// Rows of a strip, by their number modulo this.
pub const SPANS: usize = 64;
/// The table with the first column of each row.
const FIRSTS: Table = Table(TABLES as u16);
/// The table with the column behind the last of each row.
const ENDS: Table = Table(TABLES as u16 + 1);
/// The table with the numbers of the primitive: the place of vertex 0, then three numbers of binary64 for 1/w and for each component.
const NUMBERS: Table = Table(TABLES as u16 + 2);
/// Dwords before the components.
const HEAD: u32 = 2;
/// Dwords of three numbers.
const PLANE: u32 = 6;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;

/// A number of binary64: its low and its high word.
type Double = [Value; 2];

/// Where a lane is: from vertex 0, in sub-pixels and in pixels.
struct Place {
    pixels: [Value; 2],
    sub_pixels: [Double; 2],
    offset: [Double; 2],
}

fn double(b: &mut Builder, value: f64) -> Double {
    let bits = value.to_bits();
    [b.constant(bits as u32), b.constant((bits >> 32) as u32)]
}

fn number(b: &mut Builder, entry: u32) -> Double {
    [b.table_splat(NUMBERS, entry), b.table_splat(NUMBERS, entry + 1)]
}

fn add(b: &mut Builder, a: Double, c: Double) -> Double {
    b.dadd(Rounding::Even, a[0], a[1], c[0], c[1])
}

fn multiply(b: &mut Builder, a: Double, c: Double) -> Double {
    b.dmul(Rounding::Even, a[0], a[1], c[0], c[1])
}

fn divide(b: &mut Builder, a: Double, c: Double) -> Double {
    b.ddiv(a[0], a[1], c[0], c[1])
}

/// As binary32, where denormals are zeros of their sign.
fn rounded(b: &mut Builder, value: Double) -> Value {
    let value = b.dtof(Rounding::Even, value[0], value[1]);
    let (sign, exponent, zero) = (b.constant(SIGN), b.constant(EXPONENT), b.constant(0));
    let (signed_zero, size) = (b.and(value, sign), b.and(value, exponent));
    let is_small = b.icmp(IntTest::Eq, size, zero);
    b.select(is_small, signed_zero, value)
}

impl Place {
    fn new(b: &mut Builder, x: Value, y: Value) -> Self {
        let per_pixel = double(b, GRID.per_pixel as f64);
        let mut along = |axis: u32, position: Value| {
            let (scale, half) = (b.constant(GRID.per_pixel as u32), b.constant(GRID.per_pixel as u32 / 2));
            let origin = b.table_splat(NUMBERS, axis);
            let centre = b.imul(position, scale);
            let centre = b.iadd(centre, half);
            let distance = b.isub(centre, origin);
            let sub_pixels = b.itod(distance);
            (sub_pixels, divide(b, sub_pixels, per_pixel))
        };
        let ((across, dx), (down, dy)) = (along(0, x), along(1, y));
        Place { pixels: [x, y], sub_pixels: [across, down], offset: [dx, dy] }
    }

    /// The value of the plane whose numbers begin at this entry.
    fn plane(&self, b: &mut Builder, entry: u32) -> Double {
        let [value, dx, dy] = [0, 2, 4].map(|at| number(b, entry + at));
        let (across, down) = (multiply(b, dx, self.offset[0]), multiply(b, dy, self.offset[1]));
        let sum = add(b, value, across);
        add(b, sum, down)
    }

    fn component(&self, b: &mut Builder, kind: ComponentKind, entry: u32, divisor: Option<Double>) -> Value {
        match kind {
            ComponentKind::Constant => b.table_splat(NUMBERS, entry),
            ComponentKind::Position(axis) => b.utof(self.pixels[axis]),
            ComponentKind::Varying => {
                let value = self.plane(b, entry);
                let value = match divisor {
                    Some(divisor) => divide(b, value, divisor),
                    None => value,
                };
                rounded(b, value)
            }
            ComponentKind::Generated(axis) => {
                let [first, range, length] = [0, 2, 4].map(|at| number(b, entry + at));
                let way = multiply(b, range, self.sub_pixels[axis]);
                let way = divide(b, way, length);
                let value = add(b, first, way);
                rounded(b, value)
            }
        }
    }
}

impl Surroundings for Key {
    fn start(&self, b: &mut Builder) -> Start {
        let numbers = HEAD + PLANE * (1 + 4 * self.presets.len() as u32);
        for entries in [SPANS as u32, SPANS as u32, numbers.next_power_of_two()] {
            b.function.add_table(TableDecl { entries, finite: false });
        }
        for layout in self.texture_layouts.iter().chain(&self.target_layouts) {
            let unit = matches!(layout.surface.format, Format::Uint8_4 | Format::Uint16_1);
            b.function.add_surface(SurfaceDecl { unit, whole: layout.whole });
        }
        let (x, y) = (b.pos_x(), b.pos_y());
        let (first, end) = (b.table_gather(FIRSTS, y), b.table_gather(ENDS, y));
        let (after, before) = (b.icmp(IntTest::Uge, x, first), b.icmp(IntTest::Ult, x, end));
        let covered = b.mask_and(after, before);
        let place = Place::new(b, x, y);
        let divisor = self.perspective.then(|| place.plane(b, HEAD));
        let mut entry = HEAD + PLANE;
        let mut temporaries = Vec::new();
        for (temporary, kinds) in &self.presets {
            let values = kinds.map(|kind| {
                entry += PLANE;
                place.component(b, kind, entry - PLANE, divisor)
            });
            temporaries.push((*temporary, values));
        }
        Start { covered, temporaries }
    }

    fn fetch(&self, b: &mut Builder, fetch: &FetchValues, lanes: Value) -> [Value; 4] {
        let unit = usize::from(fetch.unit);
        let zero = b.constant(0);
        let Some(Some(texture)) = self.textures.get(unit) else { return [zero; 4] };
        let surface = self.textures[..unit].iter().flatten().count();
        let [s, t, _, q] = fetch.coordinates;
        let coordinates = match fetch.op {
            TexOp::Proj => [s, t].map(|coordinate| b.fdiv(Denorm::Flush, coordinate, q)),
            TexOp::Nop | TexOp::Ld | TexOp::Texkill | TexOp::Lodbias | TexOp::Lod | TexOp::Dxdy | TexOp::Reserved7 => {
                [s, t]
            }
        };
        let sizes = [texture.width, texture.surface.height];
        let [x, y] = [0, 1].map(|n| index(b, coordinates[n], fetch.unscaled, texture.wrap[n], sizes[n]));
        let components = b.surface_load(ctm_lane::Surface::new(surface), x, y, lanes);
        texture.selects.map(|select| match select {
            Select::Component(number) => components[number],
            Select::Bits(bits) => b.constant(bits),
        })
    }

    fn finish(&self, b: &mut Builder, lanes: Value, outputs: &[[Value; 4]; OUTPUTS], _depth: Value) {
        let first = self.texture_layouts.len();
        for (number, target) in self.targets.iter().enumerate() {
            let output = &outputs[target.output];
            let [c0, c1, c2, c3] = target.selects.map(|select| output[select]);
            let surface = ctm_lane::Surface::new(first + number);
            let (x, y) = (b.pos_x(), b.pos_y());
            b.surface_store(surface, Channels(0xF), x, y, c0, c1, c2, c3, lanes);
        }
    }
}

/// The texel's number along an axis.
fn index(b: &mut Builder, coordinate: Value, unscaled: bool, wrap: Wrap, size: u32) -> Value {
    let factor = b.float_constant(size as f32);
    let scaled =
        |b: &mut Builder, value| if unscaled { value } else { b.fmul(Denorm::Keep, Zero::Ieee, value, factor) };
    if wrap == Wrap::Repeat {
        let floor = b.fround(Round::Floor, Denorm::Keep, coordinate);
        let fraction = b.fsub(Denorm::Keep, coordinate, floor);
        let place = scaled(b, fraction);
        // A fraction that is rounded up to 1 is the first texel again.
        let index = b.float_to_index(size + 1, place);
        let (end, zero) = (b.constant(size), b.constant(0));
        let is_end = b.icmp(IntTest::Eq, index, end);
        return b.select(is_end, zero, index);
    }
    let place = scaled(b, coordinate);
    b.float_to_index(size, place)
}
