//! What stands around a fragment program, as lane IR: interpolation, fetches, writes.

use super::fetch::fetch_texture;
use super::{ComponentKind, Key, MAX_SIZE};
use crate::pipeline::window::GRID;
use ctm_lane::{Builder, Channels, Denorm, IntTest, Rounding, SurfaceDecl, Table, TableDecl, Value};
use ctm_memory::Format;
use ctm_x1k::OUTPUTS;
use ctm_x1k::lift::{FetchValues, FragmentEnvironment, FragmentInputs, TABLES};

/// The table with the values of each column, for all components that have such.
const COLUMN_VALUES: Table = Table(TABLES as u16);
/// The table with the values of each row, for all components that have such.
const ROW_VALUES: Table = Table(TABLES as u16 + 1);
/// The table with the numbers of the primitive: the place of vertex 0, the plane of 1/w, then constants and planes of components.
const NUMBERS: Table = Table(TABLES as u16 + 2);
/// Dwords before the plane of 1/w.
const HEAD: u32 = 2;
/// Dwords of three numbers.
const PLANE: u32 = 6;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;

/// A number of binary64: its low and its high word.
type Double = [Value; 2];

/// Where a lane is, in pixels from vertex 0.
struct LanePosition {
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

impl LanePosition {
    fn new(b: &mut Builder, x: Value, y: Value) -> Self {
        let per_pixel = double(b, GRID.per_pixel as f64);
        let mut along = |axis: u32, position: Value| {
            let (scale, half) = (b.constant(GRID.per_pixel as u32), b.constant(GRID.per_pixel as u32 / 2));
            let origin = b.table_splat(NUMBERS, axis);
            let centre = b.imul(position, scale);
            let centre = b.iadd(centre, half);
            let distance = b.isub(centre, origin);
            let sub_pixels = b.itod(distance);
            divide(b, sub_pixels, per_pixel)
        };
        LanePosition { offset: [along(0, x), along(1, y)] }
    }

    /// The value of the plane whose numbers begin at this entry.
    fn plane(&self, b: &mut Builder, entry: u32) -> Double {
        let [value, dx, dy] = [0, 2, 4].map(|at| number(b, entry + at));
        let (across, down) = (multiply(b, dx, self.offset[0]), multiply(b, dy, self.offset[1]));
        let sum = add(b, value, across);
        add(b, sum, down)
    }
}

impl FragmentEnvironment for Key {
    fn prologue(&self, b: &mut Builder) -> FragmentInputs {
        let count =
            |kind| self.presets.iter().flat_map(|(_, kinds)| kinds).filter(|&&other| other == kind).count() as u32;
        let (columns, rows) = (count(ComponentKind::OfColumn), count(ComponentKind::OfRow));
        let numbers = HEAD + PLANE + count(ComponentKind::Constant) + PLANE * count(ComponentKind::Varying);
        for entries in [columns * MAX_SIZE as u32, rows * MAX_SIZE as u32, numbers] {
            b.function.add_table(TableDecl { entries: entries.next_power_of_two(), finite: false });
        }
        for layout in self.texture_layouts.iter().chain(&self.target_layouts) {
            let unit = matches!(layout.surface.format, Format::Uint8_4 | Format::Uint16_1);
            b.function.add_surface(SurfaceDecl { unit, whole: layout.whole });
        }
        let (x, y) = (b.pos_x(), b.pos_y());
        let place = count(ComponentKind::Varying).gt(&0).then(|| LanePosition::new(b, x, y));
        let divisor = place.as_ref().filter(|_| self.perspective).map(|place| place.plane(b, HEAD));
        let (mut column, mut row, mut entry) = (0, 0, HEAD + PLANE);
        let mut component = |kind| match (kind, &place) {
            (ComponentKind::Pixel(axis, offset), _) => {
                let (position, offset) = (b.utof([x, y][axis]), b.constant(offset));
                b.fadd(Denorm::Flush, position, offset)
            }
            (ComponentKind::OfColumn, _) => {
                let first = b.constant(column);
                column += MAX_SIZE as u32;
                let index = b.iadd(x, first);
                b.table_gather(COLUMN_VALUES, index)
            }
            (ComponentKind::OfRow, _) => {
                let first = b.constant(row);
                row += MAX_SIZE as u32;
                let index = b.iadd(y, first);
                b.table_gather(ROW_VALUES, index)
            }
            (ComponentKind::Varying, Some(place)) => {
                entry += PLANE;
                let value = place.plane(b, entry - PLANE);
                let value = match divisor {
                    Some(divisor) => divide(b, value, divisor),
                    None => value,
                };
                rounded(b, value)
            }
            (ComponentKind::Constant | ComponentKind::Varying, _) => {
                entry += 1;
                b.table_splat(NUMBERS, entry - 1)
            }
        };
        let temporaries =
            self.presets.iter().map(|&(temporary, kinds)| (temporary, kinds.map(&mut component))).collect();
        FragmentInputs { temporaries }
    }

    fn texture(&self, b: &mut Builder, fetch: &FetchValues, lanes: Value) -> [Value; 4] {
        fetch_texture(b, &self.textures, fetch, lanes)
    }

    fn epilogue(&self, b: &mut Builder, lanes: Value, outputs: &[[Value; 4]; OUTPUTS], _depth: Value) {
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
