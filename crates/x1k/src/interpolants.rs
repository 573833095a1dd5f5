//! Interpolated inputs: values that change evenly over the domain, and are in temporaries when a program starts.
//!
//! The chip's rasterizer writes them there (R5xx registers, RS_INST). The CTM Guide 1.01 has none; later clients set them with a command that
//! is not published. How they are calculated is a decision of this project, documented at [`Plane::at`].

use crate::program::INTERPOLANTS;
use ctm_num::x1k::{self, MadRules};
use thiserror::Error;

/// A channel of an interpolated input, as a plane over the domain. Numbers are bits of binary32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plane {
    /// Its value at the centre of the pixel (0, 0).
    pub first: u32,
    /// What is added from column to column.
    pub by_column: u32,
    /// What is added from row to row.
    pub by_row: u32,
}

impl Plane {
    /// How many numbers it has.
    pub const NUMBERS: usize = 3;

    /// The value at the centre of a pixel, whose column and row are bits of binary32: `first + column * by_column`, rounded once, then
    /// `+ row * by_row`, rounded once. Denormals are zeros.
    pub fn at(&self, column: u32, row: u32) -> u32 {
        let rules = MadRules { unfused: false, zero_times_anything: false };
        x1k::mad(rules, row, self.by_row, x1k::mad(rules, column, self.by_column, self.first))
    }

    /// Its numbers, in the order of their declaration.
    pub const fn numbers(&self) -> [u32; Self::NUMBERS] {
        [self.first, self.by_column, self.by_row]
    }
}

/// All interpolated inputs of a run, four channels each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpolants {
    /// The planes.
    pub planes: [[Plane; 4]; INTERPOLANTS],
}

/// A vertex of the triangle that interpolants are given at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InterpolantVertex {
    /// Column and row, in pixels from the left upper corner of the pixel (0, 0).
    pub position: [f32; 2],
    /// The values of the interpolants there.
    pub values: [[f32; 4]; INTERPOLANTS],
}

/// Why vertices give no planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPlane {
    /// The vertices lie on one line.
    #[error("the three vertices lie on one line: give corners of a triangle that covers the domain")]
    Degenerate,
    /// A position is an infinity or a NaN.
    #[error("a vertex has a position that is not finite: give positions in pixels")]
    NotFinite,
}

impl Interpolants {
    /// The planes through three vertices, calculated with binary64 numbers and rounded.
    ///
    /// # Errors
    /// If the vertices have no plane.
    pub fn through(vertices: &[InterpolantVertex; 3]) -> Result<Self, NoPlane> {
        let positions = vertices.map(|vertex| vertex.position.map(f64::from));
        if positions.iter().flatten().any(|place| !place.is_finite()) {
            return Err(NoPlane::NotFinite);
        }
        let [[x0, y0], [x1, y1], [x2, y2]] = positions;
        let (edge, other) = ([x1 - x0, y1 - y0], [x2 - x0, y2 - y0]);
        let area = edge[0] * other[1] - edge[1] * other[0];
        if area == 0.0 || !area.is_finite() {
            return Err(NoPlane::Degenerate);
        }
        let plane = |slot: usize, channel: usize| {
            let [v0, v1, v2] = vertices.map(|vertex| f64::from(vertex.values[slot][channel]));
            let (d1, d2) = (v1 - v0, v2 - v0);
            let (by_x, by_y) = (d1 * other[1] - d2 * edge[1], d2 * edge[0] - d1 * other[0]);
            // The distance from vertex 0 to the centre of pixel (0, 0) is multiplied before it is divided: where numbers are whole, so is the result.
            let first = v0 + ((0.5 - x0) * by_x + (0.5 - y0) * by_y) / area;
            let bits = |value: f64| (value as f32).to_bits();
            Plane { first: bits(first), by_column: bits(by_x / area), by_row: bits(by_y / area) }
        };
        Ok(Interpolants { planes: std::array::from_fn(|slot| std::array::from_fn(|channel| plane(slot, channel))) })
    }

    /// The numbers of all planes, one after the other.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.planes.iter().flatten().flat_map(Plane::numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: f32) -> u32 {
        value.to_bits()
    }

    fn vertex(x: f32, y: f32, first: [f32; 4]) -> InterpolantVertex {
        let mut values = [[0.0; 4]; INTERPOLANTS];
        values[0] = first;
        InterpolantVertex { position: [x, y], values }
    }

    /// A client counts from 0 over four columns: at pixel centres these are whole numbers, and zero is +0.
    #[test]
    fn numbers_of_elements_are_exact() {
        let vertices = [
            vertex(0.0, 0.0, [-0.5, 0.05 - 0.5, 1.0, 7.0]),
            vertex(12.0, 0.0, [11.5, 0.05 - 0.5, 1.0, 7.0]),
            vertex(0.0, 9.0, [-0.5, 0.05 + 8.5, 1.0, 7.0]),
        ];
        let interpolants = Interpolants::through(&vertices).unwrap();
        let [x, y, one, seven] = interpolants.planes[0];
        for column in 0..4 {
            assert_eq!(x.at(bits(column as f32), bits(2.0)), bits(column as f32));
            assert_eq!(one.at(bits(column as f32), bits(2.0)), bits(1.0));
            assert_eq!(seven.at(bits(column as f32), bits(2.0)), bits(7.0));
        }
        for row in 0..3 {
            assert_eq!(f32::from_bits(y.at(bits(1.0), bits(row as f32))).floor(), row as f32);
        }
        assert_eq!(interpolants.planes[7][3], Plane::default());
    }

    #[test]
    fn vertices_without_a_plane() {
        let line = [vertex(0.0, 0.0, [0.0; 4]), vertex(1.0, 1.0, [0.0; 4]), vertex(2.0, 2.0, [0.0; 4])];
        assert_eq!(Interpolants::through(&line), Err(NoPlane::Degenerate));
        let nowhere = [vertex(0.0, 0.0, [0.0; 4]), vertex(f32::NAN, 1.0, [0.0; 4]), vertex(2.0, 2.0, [0.0; 4])];
        assert_eq!(Interpolants::through(&nowhere), Err(NoPlane::NotFinite));
    }
}
