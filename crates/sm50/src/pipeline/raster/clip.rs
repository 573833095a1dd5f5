//! Clipping in homogeneous coordinates: what of a primitive is in front of the eye and near the window.
//!
//! Corners are sums of the primitive's vertices. Whatever is linear in clip space follows from the shares that vertices have in them.

use crate::pipeline::Shape;

/// How far beyond the viewport primitives reach before they are cut, in halves of its sides: what is nearer is left to the window
/// (decision S70).
const GUARD_BAND: f64 = 8.0;

/// Which planes cut primitives, besides those of the guard band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipVolume {
    /// What is nearer than this is cut.
    pub near: NearPlane,
    /// What is behind the far plane, z = w, is cut.
    pub far: bool,
    /// The clip distances that cut: bit n for distance n.
    pub distances: u8,
}

/// A near plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearPlane {
    /// z = -w.
    MinusW,
    /// z = 0.
    Zero,
    /// There is none.
    None,
}
/// Clip distances of a vertex.
pub const DISTANCES: usize = 8;

/// A vertex as clipping sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClipVertex {
    /// Position in clip space: x, y, z, w.
    pub position: [f64; 4],
    /// Distances from planes; only those that the program writes are looked at.
    pub distances: [f64; DISTANCES],
}

/// A corner of what is left: the share that each vertex has in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// In clip space: of the position, and of what is interpolated with perspective.
    pub shares: [f64; 3],
    /// In the window: of what is linear there.
    pub window_shares: [f64; 3],
}

impl Corner {
    /// The number at the corner of what is linear in clip space.
    #[inline]
    pub fn of(&self, values: [f64; 3]) -> f64 {
        sum(&self.shares, &values)
    }

    /// The number at the corner of what is linear in the window.
    #[inline]
    pub fn in_window(&self, values: [f64; 3]) -> f64 {
        sum(&self.window_shares, &values)
    }
}

/// Vertices without a share add nothing, whatever they have.
#[inline]
fn sum(shares: &[f64; 3], values: &[f64; 3]) -> f64 {
    shares.iter().zip(values).filter(|(share, _)| **share != 0.0).map(|(share, value)| share * value).sum()
}

/// The corner that is a vertex.
#[inline]
pub fn corner_of(vertex: usize) -> Corner {
    let shares = std::array::from_fn(|other| if other == vertex { 1.0 } else { 0.0 });
    Corner { shares, window_shares: shares }
}

/// The planes that cut primitives: axis, sign of its coordinate, and how far they are away in units of w.
fn planes(volume: ClipVolume) -> impl Iterator<Item = (usize, f64, f64)> {
    // Near and far plane first: they leave no negative w, as the guard band does.
    let near = match volume.near {
        NearPlane::MinusW => Some((2, 1.0, 1.0)),
        NearPlane::Zero => Some((2, 1.0, 0.0)),
        NearPlane::None => None,
    };
    let far = volume.far.then_some((2, -1.0, 1.0));
    let band = [(0, 1.0, GUARD_BAND), (0, -1.0, GUARD_BAND), (1, 1.0, GUARD_BAND), (1, -1.0, GUARD_BAND)];
    near.into_iter().chain(far).chain(band)
}

/// Whether nothing of a primitive is cut: then its corners are its vertices.
#[inline]
pub fn is_inside(shape: Shape, vertices: &[ClipVertex; 3], volume: ClipVolume) -> bool {
    vertices[..shape.vertices() as usize].iter().all(|vertex| is_vertex_inside(vertex, volume))
}

/// The same of a vertex alone.
#[inline]
pub fn is_vertex_inside(vertex: &ClipVertex, volume: ClipVolume) -> bool {
    let [x, y, z, w] = vertex.position;
    let is_near = match volume.near {
        NearPlane::MinusW => w + z >= 0.0,
        NearPlane::Zero => z >= 0.0,
        NearPlane::None => true,
    };
    let is_far = !volume.far || w - z >= 0.0;
    let band = GUARD_BAND * w;
    // All of them are finite then, but for the depth.
    let is_beside = band + x >= 0.0 && band - x >= 0.0 && band + y >= 0.0 && band - y >= 0.0;
    let has_distances = volume.distances != 0;
    let is_kept = |number: usize| volume.distances >> number & 1 == 0 || vertex.distances[number] >= 0.0;
    w > 0.0
        && w.is_finite()
        && z.is_finite()
        && is_near
        && is_far
        && is_beside
        && (!has_distances || (0..DISTANCES).all(is_kept))
}

/// The corners of what is left of a primitive, in the order of its vertices: a point, the ends of a line, or a convex polygon. Nothing is left of
/// primitives with positions that are not finite.
pub fn clip(shape: Shape, vertices: &[ClipVertex; 3], volume: ClipVolume) -> Vec<Corner> {
    let count = shape.vertices() as usize;
    if !vertices[..count].iter().flat_map(|vertex| &vertex.position).all(|coordinate| coordinate.is_finite()) {
        return Vec::new();
    }
    let mut corners: Vec<Corner> = (0..count).map(corner_of).collect();
    let coordinate = |corner: &Corner, axis: usize| corner.of(vertices.map(|vertex| vertex.position[axis]));
    let w = |corner: &Corner| coordinate(corner, 3);
    for (axis, sign, reach) in planes(volume) {
        cut(&mut corners, w, |corner| reach * w(corner) + sign * coordinate(corner, axis));
    }
    for number in (0..DISTANCES).filter(|number| volume.distances >> number & 1 != 0) {
        cut(&mut corners, w, |corner| corner.of(vertices.map(|vertex| vertex.distances[number])));
    }
    if corners.iter().any(|corner| w(corner) <= 0.0) { Vec::new() } else { corners }
}

/// The corners of what is left of a primitive in the window, of which only distances cut anything.
pub fn clip_in_window(shape: Shape, vertices: &[ClipVertex; 3], distances: u8) -> Vec<Corner> {
    let count = shape.vertices() as usize;
    let mut corners: Vec<Corner> = (0..count).map(corner_of).collect();
    for number in (0..DISTANCES).filter(|number| distances >> number & 1 != 0) {
        cut(&mut corners, |_| 1.0, |corner| corner.of(vertices.map(|vertex| vertex.distances[number])));
    }
    corners
}

/// Leaves the part where the distance is not negative.
fn cut(corners: &mut Vec<Corner>, w: impl Fn(&Corner) -> f64, distance: impl Fn(&Corner) -> f64) {
    // Distances that are not numbers leave nothing.
    if corners.iter().all(|corner| distance(corner) >= 0.0) {
        return;
    }
    let mut kept = Vec::with_capacity(corners.len() + 1);
    for (n, corner) in corners.iter().enumerate() {
        let next = &corners[(n + 1) % corners.len()];
        let (here, there) = (distance(corner), distance(next));
        if here >= 0.0 {
            kept.push(*corner);
        }
        // A line has one edge, not one each way.
        let crosses = here > 0.0 && there < 0.0 || here < 0.0 && there > 0.0;
        if crosses && (corners.len() > 2 || n == 0) {
            // From the inside, so that triangles that share an edge share the corner.
            let (inside, outside, t) =
                if here > 0.0 { (corner, next, here / (here - there)) } else { (next, corner, there / (there - here)) };
            kept.push(between(inside, outside, t, &w));
        }
    }
    *corners = kept;
}

/// The corner at `t` of the way from one to another in clip space.
fn between(from: &Corner, to: &Corner, t: f64, w: impl Fn(&Corner) -> f64) -> Corner {
    let mix = |t: f64, from: &[f64; 3], to: &[f64; 3]| std::array::from_fn(|n| (1.0 - t) * from[n] + t * to[n]);
    let (near, far) = ((1.0 - t) * w(from), t * w(to));
    // How far that is in the window.
    let on_screen = if near + far == 0.0 { t } else { far / (near + far) };
    Corner {
        shares: mix(t, &from.shares, &to.shares),
        window_shares: mix(on_screen, &from.window_shares, &to.window_shares),
    }
}
