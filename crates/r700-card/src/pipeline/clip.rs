//! Clipping in homogeneous coordinates, and from clip space to the window.

use super::vertices::{DISTANCES, Vertex};
use super::viewports::Viewport;
use crate::registers::{PaClClipCntl, PaClUcpX, PaClVsOutCntl, PaClVteCntl, RegisterFile, RegisterType};
use ctm_raster::simd::Simd;

/// User clip planes.
const USER_PLANES: usize = 6;

/// A corner of what is left of a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The position in clip space.
    pub position: [f64; 4],
    /// How much of each vertex it is.
    pub weights: [f64; 3],
    /// The same on the screen: for attributes without perspective.
    pub linear: [f64; 3],
    /// Distances from clip planes.
    pub distances: [f64; DISTANCES],
}

/// A corner in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowVertex {
    /// Column, row, depth.
    pub place: [f32; 3],
    /// 1/w.
    pub reciprocal: f32,
}

/// How positions become places.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    clip: PaClClipCntl,
    user_planes: [Option<[f64; 4]>; USER_PLANES],
    /// Distances that clip, and those that cull: a bit each.
    clip_distances: u8,
    cull_distances: u8,
    control: PaClVteCntl,
}

impl Projection {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let clip = registers.get::<PaClClipCntl>();
        let enabled = [clip.ucp_ena_0, clip.ucp_ena_1, clip.ucp_ena_2, clip.ucp_ena_3, clip.ucp_ena_4, clip.ucp_ena_5];
        let plane = |n: usize| {
            let factor = |component: u32| registers.value(PaClUcpX::ADDRESS + 16 * n as u32 + 4 * component);
            enabled[n].then(|| [0, 1, 2, 3].map(|component| f64::from(f32::from_bits(factor(component)))))
        };
        let out = registers.value(PaClVsOutCntl::ADDRESS);
        Projection {
            clip,
            user_planes: std::array::from_fn(plane),
            clip_distances: out as u8,
            cull_distances: (out >> 8) as u8,
            control: registers.get(),
        }
    }

    /// The corners of a primitive, of at most three vertices.
    pub fn corners(vertices: &[&Vertex]) -> Vec<Corner> {
        let corner = |(n, vertex): (usize, &&Vertex)| {
            let weights = std::array::from_fn(|other| if n == other { 1.0 } else { 0.0 });
            let (position, distances) = (vertex.position.map(f64::from), vertex.distances.map(f64::from));
            Corner { position, weights, linear: weights, distances }
        };
        vertices.iter().enumerate().map(corner).collect()
    }

    /// Whether no plane or distance of programs clips or culls.
    pub fn has_volume_alone(&self) -> bool {
        self.user_planes.iter().all(Option::is_none) && self.clip_distances == 0 && self.cull_distances == 0
    }

    /// Whether a vertex is in the volume that is drawn, which [alone](Self::has_volume_alone) clips.
    #[inline(always)]
    pub fn holds(&self, vertex: &Vertex) -> bool {
        if self.clip.clip_disable || self.control.vtx_xy_fmt {
            return true;
        }
        let [x, y, z, w] = vertex.position;
        let near = if self.clip.dx_clip_space_def { 0.0 } else { -w };
        let is_in_front = self.clip.zclip_far_disable || z <= w;
        let is_behind = self.clip.zclip_near_disable || near <= z;
        -w <= x && x <= w && -w <= y && y <= w && is_in_front && is_behind
    }

    /// The planes of that volume that a vertex is outside of: a bit each. Of a primitive whose vertices have a bit in common, clipping leaves nothing: the
    /// planes before that one leave corners between these, which are outside of it, too.
    #[inline(always)]
    pub fn outside(&self, vertex: &Vertex) -> u8 {
        if self.clip.clip_disable || self.control.vtx_xy_fmt {
            return 0;
        }
        let [x, y, z, w] = vertex.position;
        let near = if self.clip.dx_clip_space_def { 0.0 } else { -w };
        let is_before = z < near && !self.clip.zclip_near_disable;
        let is_beyond = z > w && !self.clip.zclip_far_disable;
        [x < -w, x > w, y < -w, y > w, is_before, is_beyond]
            .into_iter()
            .enumerate()
            .fold(0, |bits, (n, is_outside)| bits | u8::from(is_outside) << n)
    }

    /// The same for eight vertices together: bit n, that the volume [holds](Self::holds) vertex n, and the planes that each is
    /// [outside](Self::outside) of.
    #[inline(always)]
    pub fn sides<S: Simd>(&self, simd: S, [x, y, z, w]: [S::Singles; 4]) -> (u8, S::Words) {
        let mut outside = simd.splat(0);
        if self.clip.clip_disable || self.control.vtx_xy_fmt {
            return (u8::MAX, outside);
        }
        let minus = simd.singles(simd.xor(simd.single_bits(w), simd.splat(1 << 31)));
        let near = if self.clip.dx_clip_space_def { simd.single(0.0) } else { minus };
        let planes = [
            (x, minus, true),
            (w, x, true),
            (y, minus, true),
            (w, y, true),
            (z, near, !self.clip.zclip_near_disable),
            (w, z, !self.clip.zclip_far_disable),
        ];
        let mut held = simd.splat(u32::MAX);
        let mut bit = 1;
        for (greater, less, clips) in planes {
            if clips {
                let is_inside = simd.at_least(greater, less);
                held = simd.and(held, is_inside);
                // Not where one is a NaN.
                let is_outside = simd.and_not(is_inside, simd.at_least(less, greater));
                outside = simd.or(outside, simd.and(is_outside, simd.splat(bit)));
            }
            bit <<= 1;
        }
        (simd.bits(held), outside)
    }

    /// Whether a distance drops a primitive as a whole.
    pub fn culls(&self, corners: &[Corner]) -> bool {
        let culled = |bit: usize| {
            self.cull_distances >> bit & 1 != 0 && corners.iter().all(|corner| corner.distances[bit] < 0.0)
        };
        (0..DISTANCES).any(culled)
    }

    /// What is left of a point, a line or a triangle in the volume that is drawn.
    pub fn clip(&self, corners: &[Corner]) -> Vec<Corner> {
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
            self.cut(&mut polygon, distance);
        }
        for plane in self.user_planes.iter().flatten() {
            let product = |corner: &Corner| (0..4).map(|n| plane[n] * corner.position[n]).sum();
            self.cut(&mut polygon, product);
        }
        for bit in (0..DISTANCES).filter(|bit| self.clip_distances >> bit & 1 != 0) {
            self.cut(&mut polygon, |corner| corner.distances[bit]);
        }
        polygon
    }

    /// Where a corner with this position is in the window; `None` if it has no place.
    #[inline(always)]
    pub fn window(&self, position: &[f64; 4], viewport: &Viewport) -> Option<WindowVertex> {
        let [x, y, z, w] = *position;
        let reciprocal = if self.control.vtx_w0_fmt { 1.0 / w } else { w };
        let divisor = |divided: bool| if divided { 1.0 } else { reciprocal };
        let place = [
            x * divisor(self.control.vtx_xy_fmt),
            y * divisor(self.control.vtx_xy_fmt),
            z * divisor(self.control.vtx_z_fmt),
        ];
        let place =
            std::array::from_fn(|n| (place[n] * f64::from(viewport.scale[n]) + f64::from(viewport.offset[n])) as f32);
        let window = WindowVertex { place, reciprocal: reciprocal as f32 };
        (window.place.iter().all(|part| part.is_finite()) && window.reciprocal.is_finite()).then_some(window)
    }

    /// The same for eight vertices together: columns, rows, depths and 1/w, bits, and which vertices have a place.
    #[inline(always)]
    pub fn windows<S: Simd>(
        &self,
        simd: S,
        [x, y, z, w]: [S::Singles; 4],
        viewport: &Viewport,
    ) -> ([S::Words; 4], S::Words) {
        let (one, w) = (simd.number(1.0), simd.widened(w));
        let reciprocal = if self.control.vtx_w0_fmt { simd.div(one, w) } else { w };
        let divisor = |divided: bool| if divided { one } else { reciprocal };
        let (xy, z_divisor) = (divisor(self.control.vtx_xy_fmt), divisor(self.control.vtx_z_fmt));
        // What maps arrays would be compiled without the host's instructions.
        let column = in_window(simd, viewport, 0, simd.mul(simd.widened(x), xy));
        let row = in_window(simd, viewport, 1, simd.mul(simd.widened(y), xy));
        let depth = in_window(simd, viewport, 2, simd.mul(simd.widened(z), z_divisor));
        let window = [column, row, depth, simd.normal_binary32(reciprocal)];
        let mut is_finite = simd.splat(u32::MAX);
        for words in window {
            let magnitude = simd.singles(simd.and(words, simd.splat(u32::MAX >> 1)));
            is_finite = simd.and(is_finite, simd.at_least(simd.single(f32::MAX), magnitude));
        }
        (window, is_finite)
    }

    /// Leaves the part of a polygon, a line or a point where the distance is not negative.
    fn cut(&self, polygon: &mut Vec<Corner>, distance: impl Fn(&Corner) -> f64) {
        if polygon.iter().all(|corner| distance(corner) >= 0.0) {
            return;
        }
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (n, corner) in polygon.iter().enumerate() {
            let next = &polygon[(n + 1) % polygon.len()];
            let (here, there) = (distance(corner), distance(next));
            if here >= 0.0 {
                kept.push(*corner);
            }
            // A line has one edge, not one each way.
            let crosses = here > 0.0 && there < 0.0 || here < 0.0 && there > 0.0;
            if crosses && (polygon.len() > 2 || n == 0) {
                // From the inside, so that triangles that share an edge share the corner.
                let (inside, outside, t) = if here >= 0.0 {
                    (corner, next, here / (here - there))
                } else {
                    (next, corner, there / (there - here))
                };
                kept.push(self.between(inside, outside, t));
            }
        }
        *polygon = kept;
    }

    /// The corner at `t` of the way from one to another (decision D208 of the card).
    fn between(&self, from: &Corner, to: &Corner, t: f64) -> Corner {
        let part = |t: f64, a: f64, b: f64| a + t * (b - a);
        let (near, far) = ((1.0 - t) * from.position[3], t * to.position[3]);
        // How far that is on the screen.
        let on_screen = match self.clip.dx_linear_attr_clip_ena && near + far != 0.0 {
            true => far / (near + far),
            false => t,
        };
        Corner {
            position: std::array::from_fn(|n| part(t, from.position[n], to.position[n])),
            weights: std::array::from_fn(|n| part(t, from.weights[n], to.weights[n])),
            linear: std::array::from_fn(|n| part(on_screen, from.linear[n], to.linear[n])),
            distances: std::array::from_fn(|n| part(t, from.distances[n], to.distances[n])),
        }
    }
}

/// Coordinates of eight vertices, divided by w, in the window: bits.
#[inline(always)]
fn in_window<S: Simd>(simd: S, viewport: &Viewport, axis: usize, divided: S::Numbers) -> S::Words {
    let scaled = simd.mul(divided, simd.number(viewport.scale[axis].into()));
    simd.normal_binary32(simd.add(scaled, simd.number(viewport.offset[axis].into())))
}

#[cfg(test)]
mod tests {
    use super::super::viewports::Viewports;
    use super::*;
    use crate::registers::{PaClVportXoffset, PaClVportXscale, PaClVportYscale, after_reset};

    #[test]
    fn triangles_are_cut_and_placed() {
        let mut registers = after_reset();
        registers.write(PaClVteCntl::ADDRESS, 0x43F);
        for address in [PaClVportXscale::ADDRESS, PaClVportXoffset::ADDRESS, PaClVportYscale::ADDRESS] {
            registers.write(address, 32.0f32.to_bits());
        }
        let (projection, viewports) = (Projection::of(&registers), Viewports::of(&registers));
        let vertex = |x: f32, y: f32| Vertex { position: [x, y, 0.0, 1.0], ..Vertex::default() };
        let vertices = [vertex(-1.0, -1.0), vertex(3.0, -1.0), vertex(-1.0, 3.0)];
        let corners = Projection::corners(&vertices.each_ref());
        let left = projection.clip(&corners);
        let places: Vec<_> = left.iter().map(|corner| (corner.position[0], corner.position[1])).collect();
        assert_eq!(places, [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]);
        assert_eq!(left[2].weights, [0.0, 0.5, 0.5]);
        assert_eq!(projection.window(&left[2].position, viewports.get(0)).unwrap().place, [64.0, 32.0, 0.0]);
        registers.write(PaClClipCntl::ADDRESS, 1 << 16);
        assert_eq!(Projection::of(&registers).clip(&corners), corners);
        let behind = Projection::corners(&[&vertex(2.0, 0.0), &vertex(3.0, 0.0), &vertex(2.0, 1.0)]);
        assert!(projection.clip(&behind).is_empty());
        let line = projection.clip(&Projection::corners(&[&vertex(3.0, 0.0), &vertex(-3.0, 0.0)]));
        assert_eq!(line.iter().map(|corner| corner.position[0]).collect::<Vec<_>>(), [1.0, -1.0]);
        let point = |x| projection.clip(&Projection::corners(&[&vertex(x, 0.0)])).len();
        assert_eq!((point(1.0), point(1.01)), (1, 0));
    }

    #[test]
    fn vertices_that_the_volume_holds_are_not_clipped() {
        for clip in [0, 1 << 16, 1 << 19, 1 << 26, 1 << 27] {
            let mut registers = after_reset();
            registers.write(PaClVteCntl::ADDRESS, 0x43F);
            registers.write(PaClClipCntl::ADDRESS, clip);
            let projection = Projection::of(&registers);
            assert!(projection.has_volume_alone());
            for n in 0..4 * 4 * 4 {
                let place = [n % 4, n / 4 % 4, n / 16].map(|step| step as f32 - 1.5);
                for w in [1.5, 1.0, -1.0] {
                    let vertex = Vertex { position: [place[0], place[1], place[2], w], ..Vertex::default() };
                    let left = projection.clip(&Projection::corners(&[&vertex]));
                    assert_eq!(projection.holds(&vertex), !left.is_empty(), "{place:?} {w} {clip:#x}");
                    assert_eq!(projection.holds(&vertex), projection.outside(&vertex) == 0, "{place:?} {w} {clip:#x}");
                }
            }
        }
    }

    #[test]
    fn planes_and_distances_clip() {
        let mut registers = after_reset();
        registers.write(PaClUcpX::ADDRESS + 16, 1.0f32.to_bits());
        registers.write(PaClClipCntl::ADDRESS, 2);
        registers.write(PaClVsOutCntl::ADDRESS, 1 << 5 | 1 << 14);
        let projection = Projection::of(&registers);
        let vertex =
            |x: f32, distances: [f32; 8]| Vertex { position: [x, 0.0, 0.0, 1.0], distances, ..Vertex::default() };
        let left = |distances: [[f32; 8]; 2]| {
            let vertices = [vertex(-0.5, distances[0]), vertex(1.0, distances[1])];
            let left = projection.clip(&Projection::corners(&vertices.each_ref()));
            left.iter().map(|corner| corner.position[0]).collect::<Vec<_>>()
        };
        assert_eq!(left([[0.0; 8]; 2]), [0.0, 1.0], "the plane is x >= 0");
        let clipped = |distance: f32| [0.0, 0.0, 0.0, 0.0, 0.0, distance, 0.0, 0.0];
        assert_eq!(left([clipped(2.0), clipped(-1.0)]), [0.0, 0.5]);
        let culls = |distances: [f32; 2]| {
            let vertices = distances.map(|distance| vertex(0.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, distance, 0.0]));
            projection.culls(&Projection::corners(&vertices.each_ref()))
        };
        assert_eq!((culls([-1.0, -1.0]), culls([-1.0, 1.0])), (true, false));
    }

    /// On the screen, a new corner is nearer to the vertex with the smaller w.
    #[test]
    fn new_corners_have_two_places_between_vertices() {
        let mut registers = after_reset();
        registers.write(PaClVteCntl::ADDRESS, 0x43F);
        let vertex = |x: f32, w: f32| Vertex { position: [x, 0.0, 0.0, w], ..Vertex::default() };
        let cut = |registers: &RegisterFile| {
            let line = [vertex(0.0, 1.0), vertex(4.0, 3.0)];
            Projection::of(registers).clip(&Projection::corners(&line.each_ref()))[1]
        };
        let corner = cut(&registers);
        assert_eq!((corner.position[0], corner.position[3], corner.weights), (2.0, 2.0, [0.5, 0.5, 0.0]));
        assert_eq!(corner.linear, corner.weights, "not asked for");
        registers.write(PaClClipCntl::ADDRESS, 1 << 24);
        // x / w is 0, 1 and 4/3.
        assert_eq!((cut(&registers).weights, cut(&registers).linear), ([0.5, 0.5, 0.0], [0.25, 0.75, 0.0]));
    }
}
