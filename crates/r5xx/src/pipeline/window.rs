//! From clip coordinates to the window: division, viewport, the grid.

use crate::registers::{
    PortXOffset, PortXScale, PortYOffset, PortYScale, PortZOffset, PortZScale, RegisterFile, SuDepthOffset,
    SuDepthScale, VapVteCntl,
};
use ctm_num::flush;
use ctm_raster::grid::{Grid, Point};
use ctm_raster::simd::{LaneWords, Simd};

/// Window coordinates are kept in twelfths of a pixel (decision D128).
pub const GRID: Grid = Grid { per_pixel: 12 };
/// The greatest depth, of 24 bits.
pub const MAX_DEPTH: u32 = (1 << 24) - 1;
/// Window coordinates beyond this cannot be drawn to.
const RANGE: f32 = 16384.0;

/// A vertex in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowVertex {
    /// Its place.
    pub point: Point,
    /// Its depth, in units of the depth buffer.
    pub depth: f32,
    /// 1/w, bits of binary32.
    pub reciprocal: u32,
}

/// The transformation to the window.
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    control: VapVteCntl,
    /// Of x, y, z, and of nothing. Where there is none, they are what changes no number.
    scale: [f32; 4],
    offset: [f32; 4],
    depth_scale: f32,
    depth_offset: f32,
}

impl Viewport {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let control = registers.get::<VapVteCntl>();
        let scale = [registers.float::<PortXScale>(), registers.float::<PortYScale>(), registers.float::<PortZScale>()];
        let offset =
            [registers.float::<PortXOffset>(), registers.float::<PortYOffset>(), registers.float::<PortZOffset>()];
        let enabled = |enable: [bool; 3], [x, y, z]: [f32; 3], none: f32| {
            let value = |enable: bool, value: f32| if enable { value } else { none };
            [value(enable[0], x), value(enable[1], y), value(enable[2], z), none]
        };
        Viewport {
            control,
            scale: enabled([control.x_scale, control.y_scale, control.z_scale], scale, 1.0),
            offset: enabled([control.x_offset, control.y_offset, control.z_offset], offset, -0.0),
            depth_scale: registers.float::<SuDepthScale>(),
            depth_offset: registers.float::<SuDepthOffset>(),
        }
    }

    /// The place of a vertex; `None` if it cannot be represented: then its primitive is dropped.
    #[inline(always)]
    pub fn window(&self, position: [u32; 4]) -> Option<WindowVertex> {
        let flushed = |value: f32| f32::from_bits(flush(value.to_bits()));
        let number = |n: usize| f32::from_bits(flush(position[n]));
        let (x, y, z, w) = (number(0), number(1), number(2), number(3));
        let reciprocal = if self.control.w_is_w { flushed(1.0 / w) } else { w };
        let factor = |is_divided: bool| if is_divided { 1.0 } else { reciprocal };
        let (xy, z_factor) = (factor(self.control.xy_divided), factor(self.control.z_divided));
        // Without conditions, for four numbers together; none is a denormal.
        let (mut place, factors) = ([x, y, z, 0.0], [xy, xy, z_factor, 1.0]);
        for n in 0..place.len() {
            let divided = flushed(place[n] * factors[n]);
            place[n] = flushed(flushed(divided * self.scale[n]) + self.offset[n]);
        }
        let [x, y, z, _] = place;
        if !(x.abs() <= RANGE && y.abs() <= RANGE && z.is_finite() && reciprocal.is_finite()) {
            return None;
        }
        let depth = (z * self.depth_scale + self.depth_offset).clamp(0.0, MAX_DEPTH as f32);
        Some(WindowVertex {
            point: Point { x: GRID.snap(x), y: GRID.snap(y) },
            depth,
            reciprocal: reciprocal.to_bits(),
        })
    }
}

/// The places of eight vertices.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// Bit n: vertex n has one.
    exist: u8,
    /// Columns and rows, in sub-pixels.
    x: LaneWords,
    y: LaneWords,
    depth: LaneWords,
    reciprocal: LaneWords,
}

impl Windows {
    /// That of a vertex, as [`Viewport::window`] gives it.
    #[inline(always)]
    pub fn get(&self, vertex: usize) -> Option<WindowVertex> {
        let sub_pixel = |places: &LaneWords| places[vertex].cast_signed().into();
        (self.exist >> vertex & 1 != 0).then(|| WindowVertex {
            point: Point { x: sub_pixel(&self.x), y: sub_pixel(&self.y) },
            depth: f32::from_bits(self.depth[vertex]),
            reciprocal: self.reciprocal[vertex],
        })
    }
}

/// Numbers whose denormals are zeros of their sign.
#[inline(always)]
fn flushed<S: Simd>(simd: S, numbers: S::Singles) -> S::Singles {
    simd.singles(simd.flushed(simd.single_bits(numbers)))
}

/// Whether numbers are from `-most` to `most`.
#[inline(always)]
fn are_within<S: Simd>(simd: S, numbers: S::Singles, most: f32) -> S::Words {
    let magnitudes = simd.singles(simd.and(simd.single_bits(numbers), simd.splat(i32::MAX.cast_unsigned())));
    simd.at_least(simd.single(most), magnitudes)
}

/// Coordinates to the nearest sub-pixels, as [`Grid::snap`] gives them.
#[inline(always)]
fn snapped<S: Simd>(simd: S, coordinates: S::Singles) -> S::Words {
    let places = simd.mul(simd.widened(coordinates), simd.number(GRID.per_pixel as f64));
    simd.floors(simd.add(places, simd.number(0.5)))
}

impl Viewport {
    /// The places of eight vertices together, as [`window`](Self::window) gives each. Denormals of positions are flushed.
    #[inline(always)]
    pub fn windows<S: Simd>(&self, simd: S, [x, y, z, w]: [S::Singles; 4]) -> Windows {
        let one = simd.single(1.0);
        let reciprocal = if self.control.w_is_w { flushed(simd, simd.div_singles(one, w)) } else { w };
        let xy = if self.control.xy_divided { one } else { reciprocal };
        let z_factor = if self.control.z_divided { one } else { reciprocal };
        let x = self.coordinate(simd, 0, simd.mul_singles(x, xy));
        let y = self.coordinate(simd, 1, simd.mul_singles(y, xy));
        let z = self.coordinate(simd, 2, simd.mul_singles(z, z_factor));
        let on_grid = simd.and(are_within(simd, x, RANGE), are_within(simd, y, RANGE));
        let finite = simd.and(are_within(simd, z, f32::MAX), are_within(simd, reciprocal, f32::MAX));
        let scaled = simd.mul_singles(z, simd.single(self.depth_scale));
        let depth = simd.add_singles(scaled, simd.single(self.depth_offset));
        // A NaN stays one.
        let depth = simd.least(simd.single(MAX_DEPTH as f32), simd.greatest(simd.single(0.0), depth));
        Windows {
            exist: simd.bits(simd.and(on_grid, finite)),
            x: simd.array(snapped(simd, x)),
            y: simd.array(snapped(simd, y)),
            depth: simd.array(simd.single_bits(depth)),
            reciprocal: simd.array(simd.single_bits(reciprocal)),
        }
    }

    /// A coordinate, which is divided by w, in the window.
    #[inline(always)]
    fn coordinate<S: Simd>(&self, simd: S, number: usize, divided: S::Singles) -> S::Singles {
        let scaled = simd.mul_singles(flushed(simd, divided), simd.single(self.scale[number]));
        flushed(simd, simd.add_singles(flushed(simd, scaled), simd.single(self.offset[number])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewport(control: u32) -> Viewport {
        let mut registers = crate::registers::after_reset();
        registers.write(0x20B0, control);
        for (address, value) in
            [(0x1D98, 32.0f32), (0x1D9C, 32.0), (0x1DA0, 16.0), (0x1DA4, 48.0), (0x1DA8, 0.5), (0x1DAC, 0.5)]
        {
            registers.write(address, value.to_bits());
        }
        Viewport::of(&registers)
    }

    #[test]
    fn clip_coordinates_go_through_the_viewport() {
        let vertex = viewport(0x43F).window([1.0f32, -1.0, 0.0, 2.0].map(f32::to_bits)).unwrap();
        assert_eq!(vertex.point, Point { x: 48 * 12, y: 40 * 12 });
        assert_eq!((vertex.depth, f32::from_bits(vertex.reciprocal)), (8_388_607.5, 0.5));
    }

    #[test]
    fn window_coordinates_stay_as_they_are() {
        let vertex = viewport(0x300).window([1.5f32, 2.25, 1.0, 1.0].map(f32::to_bits)).unwrap();
        assert_eq!((vertex.point, vertex.depth), (Point { x: 18, y: 27 }, MAX_DEPTH as f32));
    }

    #[test]
    fn what_cannot_be_represented_is_dropped() {
        for position in
            [[1.0f32, 0.0, 0.0, 0.0], [f32::NAN, 0.0, 0.0, 1.0], [0.0, 0.0, f32::INFINITY, 1.0], [1e6, 0.0, 0.0, 1.0]]
        {
            assert_eq!(viewport(0x43F).window(position.map(f32::to_bits)), None, "{position:?}");
        }
    }
}
