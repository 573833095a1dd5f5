//! The faces of a cube.

/// A face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeFace {
    axis: usize,
    negative: bool,
}

impl CubeFace {
    /// The face that a direction points to: that of its longest part; of parts of the same length, the last.
    #[inline]
    pub fn of(direction: [f32; 3]) -> CubeFace {
        let [s, t, r] = direction.map(f32::abs);
        let axis = if r >= t && r >= s {
            2
        } else if t >= s {
            1
        } else {
            0
        };
        CubeFace { axis, negative: direction[axis] < 0.0 }
    }

    /// Its number, in order +x, -x, +y, -y, +z, -z.
    #[inline]
    pub fn layer(self) -> u32 {
        2 * self.axis as u32 + u32::from(self.negative)
    }

    /// Where a direction meets the plane of the face, from 0 to 1 across and down the face.
    #[inline]
    pub fn place(self, [s, t, r]: [f32; 3]) -> [f32; 3] {
        let (across, down, major) = match (self.axis, self.negative) {
            (0, false) => (-r, -t, s),
            (0, true) => (r, -t, -s),
            (1, false) => (s, r, t),
            (1, true) => (s, -r, -t),
            (_, false) => (s, -t, r),
            (_, true) => (-s, -t, -r),
        };
        [(across / major + 1.0) * 0.5, (down / major + 1.0) * 0.5, 0.0]
    }
}

/// The face and the texel that a texel of a face is which may lie one beyond an edge: there it is that of the neighbour. Beyond a corner, where there
/// is none, it is the one in the corner.
pub fn beyond_edge(layer: u32, [x, y]: [i32; 2], size: u32) -> (u32, [u32; 2]) {
    let last = size.max(1) as i32 - 1;
    let inside = [x.clamp(0, last), y.clamp(0, last)];
    if (inside[0] != x) == (inside[1] != y) {
        return (layer, inside.map(|at| at as u32));
    }
    // The direction of the texel's centre points to the neighbour, and there to the texel beside the edge.
    let centre = |at: i32| (2 * at + 1) as f32 / size.max(1) as f32 - 1.0;
    let (across, down) = (centre(x), centre(y));
    let direction = match layer {
        0 => [1.0, -down, -across],
        1 => [-1.0, -down, across],
        2 => [across, 1.0, down],
        3 => [across, -1.0, -down],
        4 => [across, -down, 1.0],
        _ => [-across, -down, -1.0],
    };
    let face = CubeFace::of(direction);
    let [s, t, _] = face.place(direction);
    (face.layer(), [s, t].map(|at| ((at * size as f32) as i32).clamp(0, last) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_edges() {
        for (layer, size) in (0..6).flat_map(|layer| [1, 2, 5, 64].map(|size| (layer, size))) {
            let last = size as i32 - 1;
            for at in 0..size as i32 {
                for place in [[-1, at], [last + 1, at], [at, -1], [at, last + 1]] {
                    let (other, [x, y]) = beyond_edge(layer, place, size);
                    assert_ne!(other, layer);
                    assert_ne!(other / 2, layer / 2, "the opposite face has no edge in common");
                    // From there, one step back over an edge is the texel where this began.
                    let (x, y) = (x as i32, y as i32);
                    let back = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                    let inside = [place[0].clamp(0, last) as u32, place[1].clamp(0, last) as u32];
                    let found = back.iter().any(|&place| beyond_edge(other, place, size) == (layer, inside));
                    assert!(found, "face {layer} of {size} at {place:?}");
                }
            }
            assert_eq!(beyond_edge(layer, [-1, last + 1], size), (layer, [0, last as u32]));
            assert_eq!(beyond_edge(layer, [0, last], size), (layer, [0, last as u32]));
        }
    }
}
