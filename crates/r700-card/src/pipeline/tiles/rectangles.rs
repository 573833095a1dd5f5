//! Rectangles of many pixels: the program runs over them as over any domain, and what it gets is interpolated in front of it, so that a run
//! needs nothing but the numbers of planes. Programs draw rectangles as two triangles, and clipping cuts a triangle around the whole
//! picture in two; as one, they are such a rectangle.

use super::LargePrimitive;
use crate::pipeline::attributes::{Gradients, Value};
use crate::pipeline::pixels::GRID;
use crate::pipeline::stage::{PixelStage, ShadedPrimitive};
use ctm_lane::domain::Domain;
use ctm_r700::{Component, Gradient, LinearPlane};
use ctm_raster::covered::span_columns;
use ctm_raster::plane::{AttributePlane, Perspective, Plane};
use ctm_raster::rows::{Row, is_rectangle, same_of_all, together};
use std::ops::Range;

/// Pixels around a primitive from which on it may be drawn so.
pub const LEAST: u64 = 4096;
/// Columns of a block.
const BLOCK: u32 = ctm_raster::simd::LANES as u32;
/// Pixels that the program runs for together: those for which a worker has memory.
pub const PIECE_PIXELS: u32 = 1 << 12;
/// Columns of these at most and at least.
const MOST_COLUMNS: u32 = PIECE_PIXELS / 2;
const LEAST_COLUMNS: u32 = 64;

/// A primitive of many pixels, which may be half of a rectangle.
pub struct PendingHalf {
    /// Its rows, from the top, with the columns that it covers in each: of each place inside of pixels that it covers or not.
    pub rows: Vec<Vec<Row>>,
    pub primitive: LargePrimitive,
}

/// A rectangle that the program runs over.
pub struct Rectangle {
    columns: Range<u32>,
    rows: Range<u32>,
    pub layer: u16,
    /// It is seen from the front.
    pub front: bool,
    /// What registers get, in the order of the stage's inputs.
    pub gradients: Vec<Gradient>,
    /// Its depth, and what that is clamped to, if it is the same everywhere.
    pub depth: Option<(f32, [f32; 2])>,
}

/// Pixels that the program runs for together: whole quads.
pub struct Piece {
    /// The upper left pixel.
    pub corner: [u32; 2],
    /// Columns and rows.
    pub size: [u32; 2],
    /// Pixels of a row in memory.
    pub pitch: u32,
}

/// Whether rectangles of a draw can be drawn so: pixels have one sample, and nothing stands between the program and the targets.
pub fn is_possible(stage: &PixelStage) -> bool {
    let is_drawn = stage.samples.count() == 1 && stage.samples.mask() != 0;
    stage.rules.runs && stage.rules.early && stage.depth.is_none() && is_drawn
}

impl PendingHalf {
    /// The rectangle that it is.
    pub fn rectangle(&self) -> Option<Rectangle> {
        let rows = same_of_all(self.rows.iter().map(|rows| is_rectangle(rows).then_some(rows)))?;
        Rectangle::of(rows, &self.primitive.shaded)
    }

    /// The rectangle that both are together, if the program gets the same from both.
    pub fn with(&self, other: &PendingHalf) -> Option<Rectangle> {
        let rows = same_of_all(self.rows.iter().zip(&other.rows).map(|(one, other)| together(one, other)))?;
        let [one, two] = [self, other].map(|part| Rectangle::of(&rows, &part.primitive.shaded));
        let (mut one, two) = one.zip(two).filter(|(one, two)| one.is_at(two) && one.gradients == two.gradients)?;
        let of = |rectangle: &Rectangle| rectangle.depth.map(|(depth, range)| (depth.to_bits(), range));
        if of(&one) != of(&two) {
            one.depth = None;
        }
        Some(one)
    }
}

impl Rectangle {
    /// Of rows that are one.
    fn of(rows: &[Row], primitive: &ShadedPrimitive) -> Option<Self> {
        let ((top, columns), (bottom, _)) = (rows.first()?, rows.last()?);
        let (columns, rows) = (columns.clone(), *top..bottom + 1);
        let even = |range: &Range<u32>| range.start & !1..(range.end + 1) & !1;
        let area = [columns.start / BLOCK * BLOCK..even(&columns).end, even(&rows)];
        let gradients = primitive.gradients.values.iter().map(|value| primitive.gradients.gradient(value, &area));
        // Surfaces have fewer slices.
        let layer = primitive.layer.min(u16::MAX.into()) as u16;
        let gradients = gradients.collect::<Option<_>>()?;
        let Plane { value, dx, dy } = primitive.gradients.depth;
        let depth = (dx == 0.0 && dy == 0.0).then_some((value as f32, primitive.range));
        Some(Rectangle { gradients, columns, rows, layer, front: primitive.front, depth })
    }

    /// Whether both are in one layer, and one side of them is seen.
    fn is_at(&self, other: &Rectangle) -> bool {
        self.layer == other.layer && self.front == other.front
    }

    /// Whether what registers get, and the depth, are the same everywhere.
    pub fn is_constant(&self) -> bool {
        let mut components = self.gradients.iter().flat_map(|gradient| &gradient.components);
        self.depth.is_some() && components.all(|component| matches!(component, Component::Value(_)))
    }

    /// The first column and the one after the last, and the same of rows.
    pub fn sides(&self) -> [[u32; 2]; 2] {
        [&self.columns, &self.rows].map(|range| [range.start, range.end])
    }

    /// Its pixels.
    pub fn pixels(&self) -> u64 {
        let size = |range: &Range<u32>| u64::from(range.end - range.start);
        size(&self.columns) * size(&self.rows)
    }

    /// Whether it is of whole quads.
    pub fn is_even(&self) -> bool {
        [&self.columns, &self.rows].iter().all(|range| range.start % 2 == 0 && range.end % 2 == 0)
    }

    /// One of so many strips of whole rows, of a rectangle of whole quads; none if there is nothing in it.
    pub fn strip(&self, number: u32, strips: u32) -> Option<Domain> {
        let quads = (self.rows.end - self.rows.start) / 2;
        let edge = |number: u32| self.rows.start + 2 * (quads * number / strips.max(1));
        let (top, bottom) = (edge(number), edge(number + 1));
        let is_strip = !self.columns.is_empty() && top < bottom;
        is_strip.then(|| Domain { i0: self.columns.start, j0: top, i1: self.columns.end - 1, j1: bottom - 1 })
    }

    /// Bit n: pixel n of the quad with this upper left pixel belongs to it, row by row.
    #[inline(always)]
    pub fn covered(&self, (x, y): (u32, u32)) -> u8 {
        let columns = u8::from(self.columns.contains(&x)) | u8::from(self.columns.contains(&(x + 1))) << 1;
        let rows = u8::from(self.rows.contains(&y)) | u8::from(self.rows.contains(&(y + 1))) << 2;
        columns * rows
    }

    /// Bit n: pixel n of the eight from this one on belongs to it, of its row and of the next one.
    #[inline(always)]
    pub fn drawn(&self, x: u32, y: u32) -> [u8; 2] {
        let columns = span_columns(self.columns.clone(), x);
        [y, y + 1].map(|y| if self.rows.contains(&y) { columns } else { 0 })
    }

    /// It in pieces of whole blocks but for their ends, whose rows lie equally far apart in memory, as few such distances are there.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        let even = |range: &Range<u32>| (range.start & !1, (range.end + 1) & !1);
        let ((_, right), (top, bottom)) = (even(&self.columns), even(&self.rows));
        let left = self.columns.start / BLOCK * BLOCK;
        let pitch = (right - left).next_power_of_two().clamp(LEAST_COLUMNS, MOST_COLUMNS);
        let height = PIECE_PIXELS / pitch;
        let corners = (top..bottom)
            .step_by(height as usize)
            .flat_map(move |y| (left..right).step_by(pitch as usize).map(move |x| [x, y]));
        corners.map(move |[x, y]| Piece { corner: [x, y], size: [pitch.min(right - x), height.min(bottom - y)], pitch })
    }
}

impl Piece {
    /// Rows that there are in memory.
    pub fn height(&self) -> u32 {
        PIECE_PIXELS / self.pitch
    }
}

/// The bits of a value, if it is the same at all of these places.
fn same<T: Copy>(places: &[T], value: impl Fn(T) -> u32) -> Option<u32> {
    let first = value(*places.first()?);
    places.iter().all(|&place| value(place) == first).then_some(first)
}

/// The number that makes values from those of places along an axis: each is its place as a float plus that.
fn moved(range: &Range<u32>, value: impl Fn(u32) -> u32) -> Option<u32> {
    let offset = f32::from_bits(value(range.start)) - range.start as f32;
    let is_moved = |at: u32| value(at) == (at as f32 + offset).to_bits();
    range.clone().all(is_moved).then_some(offset.to_bits())
}

fn linear(Plane { value, dx, dy }: Plane) -> LinearPlane {
    LinearPlane { value: value.to_bits(), dx: dx.to_bits(), dy: dy.to_bits() }
}

impl Gradients {
    /// What a register gets over an area, a range of columns and one of rows, as [`vectors`](Self::vectors) gives it; none if lanes cannot
    /// calculate it.
    fn gradient(&self, value: &Value, area: &[Range<u32>; 2]) -> Option<Gradient> {
        let values = |components| Gradient { first: [0; 2], offset: [0; 2], divisor: None, components };
        match value {
            Value::Constant(bits) => Some(values(bits.map(Component::Value))),
            Value::Sample => Some(values([Component::Value(0); 4])),
            Value::Varying { planes, linear: is_linear, .. } => {
                let kind = self.kind(*is_linear);
                let components = planes.each_ref().map(|plane| component(kind, plane, area));
                if !components.iter().any(|component| matches!(component, Component::Plane(_))) {
                    return Some(values(components));
                }
                let origin = kind.setup().origin();
                let offset = [origin.x, origin.y].map(|origin| 0.5 - origin as f64 / GRID.per_pixel as f64);
                let (offset, divisor) = (offset.map(f64::to_bits), kind.divisor().map(linear));
                Some(Gradient { first: [0; 2], offset, divisor, components })
            }
            Value::Position { .. } => {
                let [x, y] = area;
                let corners = [(x.start, y.start), (x.end - 1, y.start), (x.start, y.end - 1), (x.end - 1, y.end - 1)];
                let is_same = |plane: &Plane| plane.dx == 0.0 && plane.dy == 0.0;
                if !is_same(&self.depth) || !is_same(self.inverse()) {
                    return None;
                }
                let component = |n: usize| same(&corners, |(x, y)| self.position(GRID.pixel_centre(x, y))[n]);
                let (z, w) = (component(2)?, component(3)?);
                let half = 0.5f32.to_bits();
                Some(values([Component::Column(half), Component::Row(half), Component::Value(z), Component::Value(w)]))
            }
            // Those are others in pixels that are not covered.
            Value::Face { .. } | Value::Sprite { .. } => None,
        }
    }
}

/// How a component is calculated.
fn component(kind: &Perspective, plane: &AttributePlane, [columns, rows]: &[Range<u32>; 2]) -> Component {
    let plane_of = match plane {
        AttributePlane::Constant(bits) => return Component::Value(*bits),
        AttributePlane::Varying(plane) => plane,
    };
    let at = |x: u32, y: u32| plane.at(&kind.place(GRID.pixel_centre(x, y)));
    if kind.is_affine() {
        let of_columns = |y: u32| moved(columns, |x| at(x, y));
        let of_rows = |x: u32| moved(rows, |y| at(x, y));
        // The sign of zeros may change with the side of the first corner.
        if plane_of.dy == 0.0
            && let Some(offset) = of_columns(rows.start).filter(|&offset| of_columns(rows.end - 1) == Some(offset))
        {
            return Component::Column(offset);
        }
        if plane_of.dx == 0.0
            && let Some(offset) = of_rows(columns.start).filter(|&offset| of_rows(columns.end - 1) == Some(offset))
        {
            return Component::Row(offset);
        }
    }
    Component::Plane(linear(*plane_of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_are_all_rows() {
        let rectangle =
            |columns, rows| Rectangle { columns, rows, layer: 0, front: true, gradients: Vec::new(), depth: None };
        assert!(rectangle(4..20, 6..50).is_even());
        assert!(!rectangle(3..20, 6..50).is_even() && !rectangle(4..20, 6..51).is_even());
        for strips in [1, 2, 5, 12, 40] {
            let mut next = 6;
            for strip in (0..strips).filter_map(|number| rectangle(4..20, 6..50).strip(number, strips)) {
                assert_eq!((strip.i0, strip.i1, strip.j0), (4, 19, next), "{strips}");
                next = strip.j1 + 1;
                assert!(strip.j0 < next && next % 2 == 0, "{strips}: whole quads");
            }
            assert_eq!(next, 50, "{strips}");
        }
    }
}
