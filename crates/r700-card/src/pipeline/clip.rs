//! Clipping in homogeneous coordinates, and from clip space to the window.

use super::vertices::Vertex;
use crate::registers::{
    PaClClipCntl, PaClVportXoffset, PaClVportXscale, PaClVportYoffset, PaClVportYscale, PaClVportZoffset,
    PaClVportZscale, PaClVteCntl, RegisterFile, RegisterType,
};

/// A corner of what is left of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The position in clip space.
    pub position: [f64; 4],
    /// How much of each vertex it is.
    pub weights: [f64; 3],
}

/// A corner in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Column, row, depth.
    pub place: [f32; 3],
    /// 1/w.
    pub reciprocal: f32,
}

/// How positions become places.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    clip: PaClClipCntl,
    control: PaClVteCntl,
    scale: [f32; 3],
    offset: [f32; 3],
}

impl Projection {
    /// As the registers say, of viewport 0.
    pub fn of(registers: &RegisterFile) -> Self {
        let control = registers.get::<PaClVteCntl>();
        let number = |used: bool, address: u32, unused: f32| match used {
            true => f32::from_bits(registers.value(address)),
            false => unused,
        };
        let scale = [
            number(control.vport_x_scale_ena, PaClVportXscale::ADDRESS, 1.0),
            number(control.vport_y_scale_ena, PaClVportYscale::ADDRESS, 1.0),
            number(control.vport_z_scale_ena, PaClVportZscale::ADDRESS, 1.0),
        ];
        let offset = [
            number(control.vport_x_offset_ena, PaClVportXoffset::ADDRESS, 0.0),
            number(control.vport_y_offset_ena, PaClVportYoffset::ADDRESS, 0.0),
            number(control.vport_z_offset_ena, PaClVportZoffset::ADDRESS, 0.0),
        ];
        Projection { clip: registers.get(), control, scale, offset }
    }

    /// The corners of a triangle.
    pub fn corners(vertices: [&Vertex; 3]) -> [Corner; 3] {
        std::array::from_fn(|n| {
            let mut weights = [0.0; 3];
            weights[n] = 1.0;
            Corner { position: vertices[n].position.map(f64::from), weights }
        })
    }

    /// What is left of a triangle in the volume that is drawn.
    pub fn clip(&self, corners: [Corner; 3]) -> Vec<Corner> {
        let mut polygon = corners.to_vec();
        if self.clip.clip_disable || self.control.vtx_xy_fmt {
            return polygon;
        }
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
            let off = axis == 2 && if sign > 0.0 { self.clip.zclip_near_disable } else { self.clip.zclip_far_disable };
            if off {
                continue;
            }
            let from_zero = axis == 2 && sign > 0.0 && self.clip.dx_clip_space_def;
            let distance = |corner: &Corner| {
                let w = if from_zero { 0.0 } else { corner.position[3] };
                w + sign * corner.position[axis]
            };
            polygon = cut(&polygon, distance);
        }
        polygon
    }

    /// Where a corner is in the window; `None` if it has no place.
    pub fn window(&self, corner: &Corner) -> Option<Window> {
        let [x, y, z, w] = corner.position;
        let reciprocal = if self.control.vtx_w0_fmt { 1.0 / w } else { w };
        let divisor = |divided: bool| if divided { 1.0 } else { reciprocal };
        let place = [
            x * divisor(self.control.vtx_xy_fmt),
            y * divisor(self.control.vtx_xy_fmt),
            z * divisor(self.control.vtx_z_fmt),
        ];
        let place = std::array::from_fn(|n| (place[n] * f64::from(self.scale[n]) + f64::from(self.offset[n])) as f32);
        let window = Window { place, reciprocal: reciprocal as f32 };
        (window.place.iter().all(|part| part.is_finite()) && window.reciprocal.is_finite()).then_some(window)
    }
}

/// The part of a polygon where the distance is not negative.
fn cut(polygon: &[Corner], distance: impl Fn(&Corner) -> f64) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (n, corner) in polygon.iter().enumerate() {
        let next = &polygon[(n + 1) % polygon.len()];
        let (here, there) = (distance(corner), distance(next));
        if here >= 0.0 {
            kept.push(*corner);
        }
        if (here >= 0.0) != (there >= 0.0) {
            // From the inside, so that triangles that share an edge share the corner.
            let (inside, outside, t) = if here >= 0.0 {
                (corner, next, here / (here - there))
            } else {
                (next, corner, there / (there - here))
            };
            let between = |a: f64, b: f64| a + t * (b - a);
            kept.push(Corner {
                position: std::array::from_fn(|n| between(inside.position[n], outside.position[n])),
                weights: std::array::from_fn(|n| between(inside.weights[n], outside.weights[n])),
            });
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::after_reset;

    #[test]
    fn triangles_are_cut_and_placed() {
        let mut registers = after_reset();
        registers.write(PaClVteCntl::ADDRESS, 0x43F);
        for address in [PaClVportXscale::ADDRESS, PaClVportXoffset::ADDRESS, PaClVportYscale::ADDRESS] {
            registers.write(address, 32.0f32.to_bits());
        }
        let projection = Projection::of(&registers);
        let vertex = |x: f32, y: f32| Vertex { position: [x, y, 0.0, 1.0], parameters: Vec::new() };
        let vertices = [vertex(-1.0, -1.0), vertex(3.0, -1.0), vertex(-1.0, 3.0)];
        let corners = Projection::corners(vertices.each_ref());
        let left = projection.clip(corners);
        let places: Vec<_> = left.iter().map(|corner| (corner.position[0], corner.position[1])).collect();
        assert_eq!(places, [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]);
        assert_eq!(left[2].weights, [0.0, 0.5, 0.5]);
        assert_eq!(projection.window(&left[2]).unwrap().place, [64.0, 32.0, 0.0]);
        registers.write(PaClClipCntl::ADDRESS, 1 << 16);
        assert_eq!(Projection::of(&registers).clip(corners), corners);
        let behind = Projection::corners([&vertex(2.0, 0.0), &vertex(3.0, 0.0), &vertex(2.0, 1.0)]);
        assert!(projection.clip(behind).is_empty());
    }
}
