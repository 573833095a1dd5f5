//! The grid that window coordinates are snapped to. x grows to the right, y downwards.

/// A place, in sub-pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Point {
    /// To the right.
    pub x: i64,
    /// Downwards.
    pub y: i64,
}

/// How fine window coordinates are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Sub-pixels of a pixel in each direction: from 1 to 4096.
    pub per_pixel: i64,
}

impl Grid {
    /// The nearest sub-pixel, halves towards plus infinity: floor(coordinate * per_pixel + 1/2), exactly. Saturates far outside of any
    /// window; 0 for NaN.
    #[inline(always)]
    pub fn snap(self, coordinate: f32) -> i64 {
        // The product of 24 and 13 bits is exact in binary64; so is the sum, unless the product is so small that no rounding of it
        // reaches another integer.
        (f64::from(coordinate) * self.per_pixel as f64 + 0.5).floor() as i64
    }

    /// The centre of a pixel in one direction, for an even number of sub-pixels.
    #[inline]
    pub fn centre(self, pixel: u32) -> i64 {
        i64::from(pixel) * self.per_pixel + self.per_pixel / 2
    }

    /// A place inside of pixel (`x`, `y`).
    #[inline]
    pub fn inside(self, x: u32, y: u32, place: Point) -> Point {
        Point { x: i64::from(x) * self.per_pixel + place.x, y: i64::from(y) * self.per_pixel + place.y }
    }

    /// The centre of pixel (`x`, `y`).
    #[inline]
    pub fn pixel_centre(self, x: u32, y: u32) -> Point {
        Point { x: self.centre(x), y: self.centre(y) }
    }
}

/// A rectangle of pixels: columns `left` to `right` - 1, rows `top` to `bottom` - 1. Empty if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// The column after the last.
    pub right: u32,
    /// The row after the last.
    pub bottom: u32,
}

impl Rect {
    /// The pixels that both have.
    #[inline]
    pub fn intersection(self, other: Rect) -> Rect {
        Rect {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// Whether there is no pixel in it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

    /// Whether pixel (`x`, `y`) is in it.
    #[inline]
    pub fn contains(self, x: u32, y: u32) -> bool {
        self.left <= x && x < self.right && self.top <= y && y < self.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// floor(coordinate * 12 + 1/2) in integers.
    fn snap_exactly(coordinate: f32) -> i64 {
        let bits = coordinate.to_bits();
        let exponent = (bits >> 23 & 0xFF) as i32;
        let mantissa = if exponent == 0 { bits & 0x7F_FFFF } else { bits & 0x7F_FFFF | 0x80_0000 };
        let magnitude = i128::from(mantissa) * 12;
        let product = if coordinate.is_sign_negative() { -magnitude } else { magnitude };
        let shift = 150 - exponent.max(1);
        match shift {
            ..=0 => (product << -shift) as i64,
            1..100 => ((product + (1 << (shift - 1))) >> shift) as i64,
            _ => 0,
        }
    }

    #[test]
    fn snapping_is_exact() {
        let grid = Grid { per_pixel: 12 };
        assert_eq!(grid.snap(0.5), 6);
        assert_eq!(grid.snap(1.0 / 24.0), 1, "1/24 is a little more than half a sub-pixel as binary32");
        assert_eq!(grid.snap(-0.5), -6);
        assert_eq!(grid.snap(f32::NAN), 0);
        ctm_cases::check(4000, |u| {
            let exponent: u32 = u.int_in_range(0..=140)?;
            let bits = u.arbitrary::<u32>()? & 0x807F_FFFF | exponent << 23;
            let coordinate = f32::from_bits(bits);
            assert_eq!(grid.snap(coordinate), snap_exactly(coordinate), "{coordinate:e}");
            // Halves, and their neighbours.
            let half = (f64::from(u.int_in_range(-200_000..=200_000)?) + 0.5) / 12.0;
            for bits in [(half as f32).to_bits() - 1, (half as f32).to_bits(), (half as f32).to_bits() + 1] {
                let coordinate = f32::from_bits(bits);
                assert_eq!(grid.snap(coordinate), snap_exactly(coordinate), "{coordinate:e}");
            }
            Ok(())
        });
    }
}
