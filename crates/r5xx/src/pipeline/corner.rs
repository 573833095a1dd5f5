//! Vertices with what clipping and the viewport make of them.

use super::clip::Clip;
use super::vertex::Vertex;
use super::window::{Viewport, WindowVertex};
use crate::state::State;
use ctm_raster::simd::{LANES, Simd};

/// A vertex that primitives have as a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// In clip coordinates.
    pub vertex: Vertex,
    /// It is inside of all planes.
    pub is_inside: bool,
    /// Its place in the window; `None` if it cannot be represented: then its primitive is dropped.
    pub window: Option<WindowVertex>,
}

impl Corner {
    /// One whose vertex has no vectors.
    pub const NONE: Corner = Corner { vertex: Vertex::NONE, is_inside: false, window: None };
}

/// From clip coordinates to the window.
pub struct Projection {
    clip: Clip,
    viewport: Viewport,
}

impl Projection {
    /// As the registers say.
    pub fn of(state: &State) -> Self {
        Projection { clip: Clip::of(state), viewport: Viewport::of(&state.registers) }
    }

    /// What becomes of a vertex.
    #[inline(always)]
    pub fn corner(&self, vertex: Vertex) -> Corner {
        let mut corner = Corner { vertex, ..Corner::NONE };
        self.place(&mut corner);
        corner
    }

    /// Works out what becomes of a corner's vertex.
    #[inline(always)]
    pub fn place(&self, corner: &mut Corner) {
        corner.is_inside = self.clip.keeps_point(corner.vertex.position);
        corner.window = self.viewport.window(corner.vertex.position);
    }

    /// Works out what becomes of the vertices of corners, of which there are eight at most: the same as one by one.
    #[inline(always)]
    pub fn place_together<S: Simd>(&self, simd: S, corners: &mut [Corner]) {
        let mut positions = [[0; 4]; LANES];
        for (position, corner) in positions.iter_mut().zip(&*corners) {
            *position = corner.vertex.position;
        }
        let [x, y, z, w] = simd.components(&positions);
        let (x, y) = (simd.singles(simd.flushed(x)), simd.singles(simd.flushed(y)));
        let (z, w) = (simd.singles(simd.flushed(z)), simd.singles(simd.flushed(w)));
        let inside = self.clip.keeps_points(simd, [x, y, z, w]);
        let windows = self.viewport.windows(simd, [x, y, z, w]);
        for (n, corner) in corners.iter_mut().enumerate().take(LANES) {
            corner.is_inside = inside >> n & 1 != 0;
            corner.window = windows.get(n);
        }
    }

    /// What is left of a convex polygon with these corners (two for a line), of which not all are inside.
    pub fn cut(&self, corners: &[&Corner]) -> Vec<Corner> {
        if self.clip.drops(corners.iter().map(|corner| corner.vertex.position)) {
            return Vec::new();
        }
        let mut vertices = corners.iter().map(|corner| corner.vertex).collect();
        if !self.clip.polygon(&mut vertices) {
            return Vec::new();
        }
        vertices.into_iter().map(|vertex| self.corner(vertex)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_cases::{Result, Unstructured};
    use ctm_raster::simd::{SimdTask, dispatch};

    /// A coordinate of any kind, most of them near to those that are drawn.
    fn coordinate(u: &mut Unstructured) -> Result<u32> {
        Ok(match u.int_in_range(0..=7)? {
            0 => u.arbitrary()?,
            1 => f32::to_bits(*u.choose(&[0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY])?),
            2 => u.int_in_range(0..=0x0080_0001)?,
            _ => (u.int_in_range(-4000..=4000)? as f32 / *u.choose(&[1.0, 64.0, 1000.0, 3072.0])?).to_bits(),
        })
    }

    struct Placing<'p>(&'p Projection, Vec<Corner>);

    impl SimdTask for Placing<'_> {
        type Output = Vec<Corner>;

        #[inline(always)]
        fn run(mut self, simd: impl Simd) -> Vec<Corner> {
            self.1.chunks_mut(LANES).for_each(|corners| self.0.place_together(simd, corners));
            self.1
        }
    }

    #[test]
    fn vertices_have_the_same_places_together_as_one_by_one() {
        let (mut inside, mut windows) = (0, 0);
        ctm_cases::check(6000, |u| {
            let mut state = State::default();
            // Viewport, how positions are divided, clip space and user planes.
            for (address, value) in [0x1D98, 0x1D9C, 0x1DA0, 0x1DA4, 0x1DA8, 0x1DAC, 0x42C0, 0x42C4].into_iter().zip([
                512.0f32,
                512.0,
                -384.0,
                384.0,
                0.5,
                0.5,
                16_777_215.0,
                *u.choose(&[0.0, 7.0])?,
            ]) {
                let value = if u.ratio(1, 16)? { coordinate(u)? } else { value.to_bits() };
                state.registers.write(address, value);
            }
            let control = if u.arbitrary()? { 0x43F } else { u.arbitrary()? };
            state.registers.write(0x20B0, control);
            if u.ratio(1, 4)? {
                state.registers.write(0x221C, u.arbitrary()?);
                state.registers.write(0x2080, u32::from(u.arbitrary::<bool>()?) << 22);
            }
            let projection = Projection::of(&state);
            let mut corners = vec![Corner::NONE; u.int_in_range(1..=20)?];
            for corner in &mut corners {
                for place in &mut corner.vertex.position {
                    *place = coordinate(u)?;
                }
                corner.vertex.position[3] = if u.arbitrary()? { 1f32.to_bits() } else { corner.vertex.position[3] };
            }
            let found = dispatch(Placing(&projection, corners.clone()));
            for (found, mut corner) in found.into_iter().zip(corners) {
                projection.place(&mut corner);
                inside += usize::from(corner.is_inside);
                windows += usize::from(corner.window.is_some());
                let bits = |corner: Corner| {
                    let window = corner.window.map(|window| (window.point, window.depth.to_bits(), window.reciprocal));
                    (corner.is_inside, window)
                };
                // Which NaN a depth is makes no difference.
                let is_nan = |corner: Corner| corner.window.is_some_and(|window| window.depth.is_nan());
                assert!(bits(found) == bits(corner) || is_nan(found) && is_nan(corner), "{found:?}, {corner:?}");
            }
            Ok(())
        });
        assert!(inside > 100 && windows > 100, "{inside} {windows}");
    }
}
