//! The faces of a cube.

/// A face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face {
    axis: usize,
    negative: bool,
}

impl Face {
    /// The face that a direction points to: that of its longest part; of parts of the same length, the last.
    #[inline]
    pub(super) fn of(direction: [f32; 3]) -> Face {
        let [s, t, r] = direction.map(f32::abs);
        let axis = if r >= t && r >= s {
            2
        } else if t >= s {
            1
        } else {
            0
        };
        Face { axis, negative: direction[axis] < 0.0 }
    }

    /// Its number, in order +x, -x, +y, -y, +z, -z.
    #[inline]
    pub(super) fn layer(self) -> u32 {
        2 * self.axis as u32 + u32::from(self.negative)
    }

    /// Where a direction meets the plane of the face, from 0 to 1 across and down the face.
    #[inline]
    pub(super) fn place(self, [s, t, r]: [f32; 3]) -> [f32; 3] {
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
