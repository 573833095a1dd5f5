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

/// Where a vertex is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CornerPlace {
    /// As [`Corner::is_inside`].
    pub is_inside: bool,
    /// Planes of the [volume](Clip::outside) that it is outside of, a bit each; none if that is not known.
    pub outside: u8,
    /// As [`Corner::window`].
    pub window: Option<WindowVertex>,
}

impl CornerPlace {
    /// That of a vertex that was not looked at.
    pub const NONE: CornerPlace = CornerPlace { is_inside: false, outside: 0, window: None };
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
        let CornerPlace { is_inside, window, .. } = self.place(vertex.position);
        Corner { vertex, is_inside, window }
    }

    /// Where a vertex with this position is. Planes that it is outside of are not looked at.
    #[inline(always)]
    pub fn place(&self, position: [u32; 4]) -> CornerPlace {
        CornerPlace { is_inside: self.clip.keeps_point(position), outside: 0, window: self.viewport.window(position) }
    }

    /// Where vertices with these positions are, the same as one by one, for eight at most.
    #[inline(always)]
    pub fn place_together<S: Simd>(&self, simd: S, positions: &[[u32; 4]; LANES], places: &mut [CornerPlace]) {
        let [x, y, z, w] = simd.components(positions);
        let (x, y) = (simd.singles(simd.flushed(x)), simd.singles(simd.flushed(y)));
        let (z, w) = (simd.singles(simd.flushed(z)), simd.singles(simd.flushed(w)));
        let (inside, outside) = self.clip.keeps_points(simd, [x, y, z, w]);
        let (windows, outside) = (self.viewport.windows(simd, [x, y, z, w]), simd.array(outside));
        for (n, place) in places.iter_mut().enumerate().take(LANES) {
            *place = CornerPlace { is_inside: inside >> n & 1 != 0, outside: outside[n] as u8, window: windows.get(n) };
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

    struct Placing<'p>(&'p Projection, Vec<[u32; 4]>);

    impl SimdTask for Placing<'_> {
        type Output = Vec<CornerPlace>;

        #[inline(always)]
        fn run(self, simd: impl Simd) -> Vec<CornerPlace> {
            let mut places = vec![CornerPlace::NONE; self.1.len()];
            for (places, some) in places.chunks_mut(LANES).zip(self.1.chunks(LANES)) {
                let mut positions = [[0; 4]; LANES];
                positions[..some.len()].copy_from_slice(some);
                self.0.place_together(simd, &positions, places);
            }
            places
        }
    }

    #[test]
    fn vertices_have_the_same_places_together_as_one_by_one() {
        let (mut inside, mut windows, mut dropped) = (0, 0, 0);
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
            let mut positions = vec![[0; 4]; u.int_in_range(1..=20)?];
            for position in &mut positions {
                for place in &mut *position {
                    *place = coordinate(u)?;
                }
                position[3] = if u.arbitrary()? { 1f32.to_bits() } else { position[3] };
            }
            let found = dispatch(Placing(&projection, positions.clone()));
            for (found, &position) in found.iter().zip(&positions) {
                let place = projection.place(position);
                inside += usize::from(place.is_inside);
                windows += usize::from(place.window.is_some());
                let bits = |place: &CornerPlace| {
                    let window = place.window.map(|window| (window.point, window.depth.to_bits(), window.reciprocal));
                    (place.is_inside, window)
                };
                // Which NaN a depth is makes no difference.
                let is_nan = |place: &CornerPlace| place.window.is_some_and(|window| window.depth.is_nan());
                assert!(bits(found) == bits(&place) || is_nan(found) && is_nan(&place), "{found:?}, {place:?}");
            }
            for (found, positions) in found.windows(3).zip(positions.windows(3)) {
                let is_outside = found.iter().fold(u8::MAX, |planes, place| planes & place.outside) != 0;
                let drops = projection.clip.drops(positions.iter().copied());
                assert!(drops == is_outside || drops && !projection.clip.is_volume(), "{positions:?}");
                dropped += usize::from(is_outside);
            }
            Ok(())
        });
        assert!(inside > 100 && windows > 100 && dropped > 100, "{inside} {windows} {dropped}");
    }
}
