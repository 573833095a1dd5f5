//! Comparison of pictures that two implementations made.

/// How far pictures may be apart. Two roundings instead of one, and other approximations of functions, change last bits;
/// where a kernel decides by such a number, single pixels become quite different.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// A channel matches if it is this close...
    pub absolute: f32,
    /// ...or as close as this share of the value that is wanted, both added.
    pub relative: f32,
    /// Share of the pixels that need not match.
    pub outliers: f64,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Pixels.
    pub pixels: usize,
    /// Those that do not match.
    pub wrong: usize,
    /// The first of them, with what was got and wanted.
    pub first: Option<(usize, [f32; 4], [f32; 4])>,
    /// There are not too many of them.
    pub passes: bool,
}

impl Tolerance {
    /// Compares a picture with the one that is wanted. Pictures of different sizes never pass.
    pub fn compare(&self, got: &[[f32; 4]], wanted: &[[f32; 4]]) -> Comparison {
        let mut wrong = got.iter().zip(wanted).enumerate().filter(|(_, (got, wanted))| !self.matches(got, wanted));
        let first = wrong.next().map(|(at, (&got, &wanted))| (at, got, wanted));
        let wrong = wrong.count() + usize::from(first.is_some());
        let passes = got.len() == wanted.len() && wrong as f64 <= self.outliers * wanted.len() as f64;
        Comparison { pixels: wanted.len(), wrong, first, passes }
    }

    fn matches(&self, got: &[f32; 4], wanted: &[f32; 4]) -> bool {
        got.iter().zip(wanted).all(|(got, wanted)| {
            // The first of these is for infinities.
            got == wanted
                || got.is_nan() && wanted.is_nan()
                || (got - wanted).abs() <= self.absolute + self.relative * wanted.abs()
        })
    }
}

/// The pixels in the bytes of RGBA floats.
pub fn pixels(bytes: &[u8]) -> Vec<[f32; 4]> {
    let pixel = |pixel: &[u8; 16]| {
        let mut channels = pixel.as_chunks().0.iter().map(|&channel| f32::from_le_bytes(channel));
        std::array::from_fn(|_| channels.next().unwrap_or_default())
    };
    bytes.as_chunks().0.iter().map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_pixels_are_counted() {
        let tolerance = Tolerance { absolute: 0.1, relative: 0.01, outliers: 0.25 };
        let wanted = [[0.0; 4], [100.0; 4], [1.0; 4], [1.0; 4]];
        let near = [[0.09; 4], [100.9; 4], [1.0; 4], [1.0, 1.0, 2.0, 1.0]];
        let comparison = tolerance.compare(&near, &wanted);
        assert_eq!((comparison.wrong, comparison.passes), (1, true));
        assert_eq!(comparison.first.map(|(at, ..)| at), Some(3));
        assert!(!tolerance.compare(&[[f32::NAN; 4]; 4], &wanted).passes, "a NaN matches no number");
        assert_eq!(tolerance.compare(&[[f32::INFINITY; 4]; 2], &[[f32::INFINITY; 4], [1e30; 4]]).wrong, 1);
        assert!(!tolerance.compare(&wanted[..3], &wanted).passes, "pixels are missing");
    }
}
