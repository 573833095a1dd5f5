//! Pairs of primitives that are one rectangle: programs draw rectangles as two triangles, and clipping cuts a triangle around the whole
//! picture in two. As one, they are a kernel without masks.

use super::{ComponentKind, kind, whole_quads};
use crate::pipeline::attributes::{Component, Inputs};
use crate::pipeline::pixels::QuadDepth;
use ctm_lane::domain::Domain;
use ctm_raster::coverage::ConvexPolygon;
use ctm_raster::plane::Plane;
use ctm_raster::rows::{is_rectangle, together};
use std::ops::Range;

/// A primitive that waits for its other half.
pub struct PendingHalf {
    /// What it covers.
    pub shape: ConvexPolygon,
    /// Its rows, from the top, with the columns that it covers in each.
    pub spans: Vec<(u32, Range<u32>)>,
    /// Depth over it.
    pub depth: QuadDepth,
    /// What the program gets.
    pub inputs: Inputs<'static>,
}

impl PendingHalf {
    /// The rectangle that this primitive and another one make together, if the program gets the same from both.
    pub fn with(&self, spans: &[(u32, Range<u32>)], inputs: &Inputs) -> Option<Domain> {
        let area = rectangle(&together(&self.spans, spans)?)?;
        are_alike(&self.inputs, inputs, whole_quads(area)).then_some(area)
    }
}

/// The rectangle that these rows are, if they are one.
pub fn rectangle(rows: &[(u32, Range<u32>)]) -> Option<Domain> {
    let ((top, columns), (bottom, _)) = (rows.first()?, rows.last()?);
    is_rectangle(rows).then_some(Domain { i0: columns.start, j0: *top, i1: columns.end - 1, j1: *bottom })
}

/// Whether two planes are the same, bit for bit.
fn is_plane(one: Plane, other: Plane) -> bool {
    let numbers = [one, other].map(|Plane { value, dx, dy }| [value, dx, dy].map(f64::to_bits));
    numbers[0] == numbers[1]
}

/// Whether two primitives give the program the same at each pixel of an area, as far as that can be seen: by the same planes, or because
/// it is the pixel's place.
fn are_alike(one: &Inputs, other: &Inputs, area: Domain) -> bool {
    let from_same = one.origin() == other.origin() && one.divisor() == other.divisor();
    let is_same = |input, channel| match (one.component(input, channel), other.component(input, channel)) {
        (Component::Constant(one), Component::Constant(other)) => one == other,
        (Component::Varying(one), Component::Varying(other)) if from_same && is_plane(one, other) => true,
        _ => {
            let kinds = [one, other].map(|inputs| kind(inputs, area, input, channel));
            kinds[0] == kinds[1] && matches!(kinds[0], ComponentKind::Pixel(..))
        }
    };
    one.count() == other.count() && (0..one.count()).all(|input| (0..4).all(|channel| is_same(input, channel)))
}
