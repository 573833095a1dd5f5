//! What coordinates outside of a texture mean.

use super::{Filter, Scale};

/// What a coordinate outside of the texture means in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The texture goes on and on.
    Repeat,
    /// The texture goes on, every other time mirrored.
    Mirror,
    /// The outermost texel.
    ClampToEdge,
    /// Mirrored at 0, then the outermost texel.
    MirrorOnceToEdge,
    /// Coordinates are clamped to the texture's edge, where linear filters take half of the border.
    Clamp,
    /// Mirrored at 0, then clamped so.
    MirrorOnceClamp,
    /// The border.
    ClampToBorder,
    /// Mirrored at 0, then the border.
    MirrorOnceToBorder,
}

/// Coordinates are clamped to this many texels.
const BOUND: f32 = (1 << 20) as f32;

/// floor(value), for values within [`BOUND`]; 0 for NaN.
#[inline]
fn floor(value: f32) -> i32 {
    let truncated = value as i32;
    truncated - i32::from(truncated as f32 > value)
}

impl Wrap {
    /// The coordinate in texels of a level with `size` of them.
    #[inline]
    fn place(self, coordinate: f32, scale: Scale, size: u32) -> f32 {
        let texels = size as f32;
        let (end, factor) = match scale {
            Scale::Texture => (1.0, texels),
            Scale::Texels => (texels, 1.0),
        };
        let inside = match (self, scale) {
            (Wrap::Repeat, Scale::Texture) => coordinate - coordinate.floor(),
            (Wrap::Mirror, Scale::Texture) => {
                let twice = coordinate - 2.0 * (0.5 * coordinate).floor();
                if twice > 1.0 { 2.0 - twice } else { twice }
            }
            (Wrap::Repeat | Wrap::Mirror, Scale::Texels) | (Wrap::ClampToEdge | Wrap::ClampToBorder, _) => coordinate,
            (Wrap::MirrorOnceToEdge | Wrap::MirrorOnceToBorder, _) => coordinate.abs(),
            (Wrap::Clamp, _) => coordinate.clamp(0.0, end),
            (Wrap::MirrorOnceClamp, _) => coordinate.abs().min(end),
        };
        let place = inside * factor;
        // A NaN stays one, and becomes 0 when it is cast to an index.
        place.clamp(-BOUND, BOUND)
    }

    /// The texel that an index stands for; `None`: the border.
    #[inline]
    fn texel(self, index: i32, size: u32, filter: Filter) -> Option<u32> {
        if index as u32 > i32::MAX as u32 || index as u32 >= size {
            let count = size as i32;
            let edge = Some(if index < 0 { 0 } else { size - 1 });
            return match (self, filter) {
                (Wrap::Repeat, _) => Some(index.rem_euclid(count) as u32),
                (Wrap::Mirror, _) => {
                    let twice = index.rem_euclid(2 * count);
                    Some(twice.min(2 * count - 1 - twice) as u32)
                }
                (Wrap::ClampToEdge | Wrap::MirrorOnceToEdge, _) => edge,
                // Only the far end of the texture itself is there.
                (Wrap::Clamp | Wrap::MirrorOnceClamp, Filter::Point) => edge,
                (Wrap::Clamp | Wrap::MirrorOnceClamp, Filter::Linear) => None,
                (Wrap::ClampToBorder | Wrap::MirrorOnceToBorder, _) => None,
            };
        }
        Some(index as u32)
    }

    /// The texel at a coordinate.
    #[inline]
    pub(super) fn point(self, coordinate: f32, scale: Scale, size: u32) -> Option<u32> {
        self.texel(floor(self.place(coordinate, scale, size)), size, Filter::Point)
    }

    /// The two texels around a coordinate, and the weight of the second.
    #[inline]
    pub(super) fn linear(self, coordinate: f32, scale: Scale, size: u32) -> ([Option<u32>; 2], f32) {
        let place = self.place(coordinate, scale, size) - 0.5;
        let index = floor(place);
        let weight = ((place - index as f32) * 256.0) as i32 as f32 / 256.0;
        let texel = |index| self.texel(index, size, Filter::Linear);
        ([texel(index), texel(index + 1)], weight)
    }
}
