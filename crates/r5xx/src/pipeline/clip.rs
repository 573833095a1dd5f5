//! Clipping in homogeneous coordinates.

use super::program::user_plane;
use super::vertex::Vertex;
use crate::registers::{VapClipCntl, VapCntl};
use crate::state::State;
use ctm_num::flush;
use ctm_raster::simd::Simd;

/// User clip planes.
const USER_PLANES: usize = 6;

/// A half space that vertices are inside of or not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plane {
    /// w + sign * component >= 0.
    Side { component: usize, sign: f32 },
    /// z >= 0.
    Near,
    /// The dot product with the position is not negative.
    User([f32; 4]),
}

impl Plane {
    /// How far inside a position is whose denormals are flushed.
    #[inline(always)]
    fn distance(&self, position: [f32; 4]) -> f32 {
        match self {
            Plane::Side { component, sign } => position[3] + sign * position[*component],
            Plane::Near => position[2],
            Plane::User(plane) => {
                let product = |n: usize| plane[n] * position[n];
                ((product(0) + product(1)) + product(2)) + product(3)
            }
        }
    }
}

/// The view volume of OpenGL.
const VOLUME: [Plane; 6] = [
    Plane::Side { component: 0, sign: 1.0 },
    Plane::Side { component: 0, sign: -1.0 },
    Plane::Side { component: 1, sign: 1.0 },
    Plane::Side { component: 1, sign: -1.0 },
    Plane::Side { component: 2, sign: 1.0 },
    Plane::Side { component: 2, sign: -1.0 },
];
/// The plane of it that is another one in the view volume of Direct3D.
const NEAR: usize = 4;

/// A position as distances are calculated of.
#[inline(always)]
fn flushed([x, y, z, w]: [u32; 4]) -> [f32; 4] {
    let number = |bits: u32| f32::from_bits(flush(bits));
    [number(x), number(y), number(z), number(w)]
}

/// The volume that is drawn.
#[derive(Clone, Debug)]
pub struct Clip {
    planes: Vec<Plane>,
    /// They are those of [`VOLUME`].
    is_volume: bool,
    /// The planes from this one on drop whole primitives, and cut none.
    cull_only_from: usize,
}

impl Clip {
    /// As the registers say.
    pub fn of(state: &State) -> Self {
        let control = state.registers.get::<VapClipCntl>();
        if control.disable {
            return Clip { planes: Vec::new(), is_volume: false, cull_only_from: 0 };
        }
        let mut planes = VOLUME.to_vec();
        if state.registers.get::<VapCntl>().dx_clip_space {
            planes[NEAR] = Plane::Near;
        }
        let volume = planes.len();
        let user = (0..USER_PLANES).filter(|number| control.user_planes >> number & 1 != 0);
        planes.extend(user.map(|number| Plane::User(user_plane(state, number).map(f32::from_bits))));
        let cull_only_from = if control.cull_only { volume } else { planes.len() };
        Clip { is_volume: planes == VOLUME, planes, cull_only_from }
    }

    /// Whether a point here is drawn.
    #[inline(always)]
    pub fn keeps_point(&self, position: [u32; 4]) -> bool {
        let position = flushed(position);
        if self.is_volume {
            // The planes are constants here; few vertices are outside of any.
            let mut is_inside = true;
            for plane in &VOLUME {
                is_inside &= plane.distance(position) >= 0.0;
            }
            return is_inside;
        }
        self.planes.iter().all(|plane| plane.distance(position) >= 0.0)
    }

    /// Whether nothing but [`VOLUME`] clips: then [`keeps_points`](Self::keeps_points) tells of planes.
    #[cfg(test)]
    pub fn is_volume(&self) -> bool {
        self.is_volume
    }

    /// Bit n: whether point n is drawn, for eight together; and the planes of [`VOLUME`] that each is outside of, a bit each, if these are the
    /// planes. Denormals of their positions are flushed.
    #[inline(always)]
    pub fn keeps_points<S: Simd>(&self, simd: S, position: [S::Singles; 4]) -> (u8, S::Words) {
        let [x, y, z, w] = position;
        let mut outside = simd.splat(0);
        if self.is_volume {
            let zero = simd.single(0.0);
            let mut is_inside = simd.splat(u32::MAX);
            let mut bit = 1;
            for component in [x, y, z] {
                for distance in [simd.add_singles(w, component), simd.sub_singles(w, component)] {
                    let is_here = simd.at_least(distance, zero);
                    is_inside = simd.and(is_inside, is_here);
                    outside = simd.or(outside, simd.and_not(is_here, simd.splat(bit)));
                    bit <<= 1;
                }
            }
            return (simd.bits(is_inside), outside);
        }
        let points = simd.vectors([simd.single_bits(x), simd.single_bits(y), simd.single_bits(z), simd.single_bits(w)]);
        (((0..).zip(points)).fold(0, |kept, (n, point)| kept | u8::from(self.keeps_point(point)) << n), outside)
    }

    /// Whether nothing is left of a polygon or line with corners at these positions, as all of them are outside of one plane. Cutting by the planes
    /// before that one leaves corners between these, which are outside, too.
    pub fn drops(&self, positions: impl Iterator<Item = [u32; 4]> + Clone) -> bool {
        let is_inside = |plane: &Plane, position: [u32; 4]| plane.distance(flushed(position)) >= 0.0;
        self.planes.iter().any(|plane| !positions.clone().any(|position| is_inside(plane, position)))
    }

    /// What is left of a convex polygon with these corners (two for a line), if anything.
    pub fn polygon(&self, corners: &mut Vec<Vertex>) -> bool {
        for (number, plane) in self.planes.iter().enumerate() {
            let distances: Vec<f32> = corners.iter().map(|corner| plane.distance(flushed(corner.position))).collect();
            if distances.iter().all(|&distance| distance >= 0.0) {
                continue;
            }
            if !distances.iter().any(|&distance| distance >= 0.0) {
                return false;
            }
            if number < self.cull_only_from {
                *corners = cut(corners, &distances);
            }
        }
        true
    }
}

/// The part of a polygon or line inside of a plane.
fn cut(corners: &[Vertex], distances: &[f32]) -> Vec<Vertex> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    // A line has one edge, not one each way.
    let edges = if corners.len() == 2 { 1 } else { corners.len() };
    for (n, corner) in corners.iter().enumerate() {
        if distances[n] >= 0.0 {
            kept.push(*corner);
        }
        let next = (n + 1) % corners.len();
        if n < edges && (distances[n] >= 0.0) != (distances[next] >= 0.0) {
            let (inside, outside) = if distances[n] >= 0.0 { (n, next) } else { (next, n) };
            let t = distances[inside] / (distances[inside] - distances[outside]);
            kept.push(corners[inside].towards(&corners[outside], t));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::vertex::{COLOURS, TEXTURES};

    fn vertex(position: [f32; 4]) -> Vertex {
        let textures = [position.map(f32::to_bits); TEXTURES];
        Vertex { position: position.map(f32::to_bits), point_size: 0, colours: [[0; 4]; COLOURS], textures }
    }

    fn positions(corners: &[Vertex]) -> Vec<[f32; 4]> {
        corners.iter().map(|corner| corner.position.map(f32::from_bits)).collect()
    }

    #[test]
    fn polygons_are_cut_and_lines_keep_their_direction() {
        let clip = Clip::of(&State::default());
        let mut inside =
            vec![vertex([0.0, 0.0, 0.0, 1.0]), vertex([1.0, 1.0, 1.0, 1.0]), vertex([-1.0, 0.5, 0.0, 1.0])];
        let same = inside.clone();
        assert!(clip.polygon(&mut inside) && inside == same);

        let mut large =
            vec![vertex([-1.0, -1.0, 0.0, 1.0]), vertex([3.0, -1.0, 0.0, 1.0]), vertex([-1.0, 3.0, 0.0, 1.0])];
        assert!(clip.polygon(&mut large));
        let expected = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
        assert!(expected.iter().all(|corner| positions(&large).contains(corner)), "{:?}", positions(&large));
        assert!(large.iter().all(|corner| corner.textures[3] == corner.position), "attributes go with it");

        let mut line = vec![vertex([3.0, 0.0, 0.0, 1.0]), vertex([-3.0, 0.0, 0.0, 1.0])];
        assert!(clip.polygon(&mut line));
        assert_eq!(positions(&line), [[1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0]]);

        let mut outside = vec![vertex([3.0, 0.0, 0.0, 1.0]), vertex([2.0, 0.0, 0.0, 1.0])];
        let drops = |corners: &[Vertex]| clip.drops(corners.iter().map(|corner| corner.position));
        assert!(drops(&outside) && !clip.polygon(&mut outside));
        let around = vec![vertex([3.0, 0.0, 0.0, 1.0]), vertex([0.0, 3.0, 0.0, 1.0]), vertex([3.0, 3.0, 0.0, 1.0])];
        assert!(!drops(&around) && !drops(&same), "no plane has all of them outside");
    }

    #[test]
    fn points_are_kept_or_not() {
        let mut state = State::default();
        let keeps = |state: &State, x: f32| Clip::of(state).keeps_point([x, 0.0, 0.0, 1.0].map(f32::to_bits));
        assert!(keeps(&state, 1.0) && !keeps(&state, 1.01));
        let keeps_depth = |state: &State| Clip::of(state).keeps_point([0.0, 0.0, -0.5, 1.0].map(f32::to_bits));
        assert!(keeps_depth(&state));
        state.registers.write(0x2080, 1 << 22);
        assert!(!keeps_depth(&state), "clip space begins at z = 0");
        state.registers.write(0x221C, 1 << 16);
        assert!(keeps(&state, 1.01), "nothing is clipped");
    }
}
