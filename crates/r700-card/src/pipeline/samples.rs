//! Samples of pixels: where they are, and which of them are drawn to.

use super::pixels::GRID;
use super::targets::samples;
use crate::registers::{
    PaScAaMask, PaScAaSampleLocs8dWd1Mctx, PaScAaSampleLocsMctx, PaScModeCntl, RegisterFile, RegisterType,
};
use ctm_pipeline::SamplePattern;
use ctm_raster::coverage::Quad;
use ctm_raster::grid::Point;

/// Steps of the grid in a sixteenth of a pixel, in which samples are placed.
const STEPS: i64 = 16;

/// The samples of pixels.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Where they are in a pixel; with one sample, its centre.
    places: Vec<Point>,
    /// Whether each is covered for itself. Otherwise they are as the centre is.
    separate: bool,
    /// Bit s: sample s is drawn to.
    mask: u8,
    /// The pixel program runs for each sample.
    pub iterates: bool,
}

impl Samples {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let count = samples(registers);
        let mode = registers.get::<PaScModeCntl>();
        let offsets = [PaScAaSampleLocsMctx::ADDRESS, PaScAaSampleLocs8dWd1Mctx::ADDRESS];
        let place = |sample: u32| {
            let pair = registers.value(offsets[(sample / 4) as usize]) >> (8 * (sample % 4));
            // Signed nibbles, from the centre.
            let part = |nibble: u32| STEPS * (8 + i64::from((nibble << 28) as i32 >> 28));
            Point { x: part(pair), y: part(pair >> 4) }
        };
        let centre = Point { x: GRID.per_pixel / 2, y: GRID.per_pixel / 2 };
        let places = if count == 1 { vec![centre] } else { (0..count).map(place).collect() };
        let mask = registers.get::<PaScAaMask>().mask;
        Samples { places, separate: mode.msaa_enable && count > 1, mask, iterates: mode.ps_iter_sample && count > 1 }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// The same as tiles see them.
    pub fn pattern(&self) -> SamplePattern<'_> {
        let (places, mask) = (&self.places, self.mask());
        SamplePattern { places, are_separate: self.separate, mask, iterates: self.iterates }
    }

    /// A bit for each.
    pub fn all(&self) -> u8 {
        (u16::MAX >> (16 - self.count())) as u8
    }

    /// Those that are drawn to.
    pub fn mask(&self) -> u8 {
        self.mask & self.all()
    }

    /// The places that shapes cover or do not.
    pub fn tested(&self) -> Vec<Point> {
        let centre = Point { x: GRID.per_pixel / 2, y: GRID.per_pixel / 2 };
        if self.separate { self.places.clone() } else { vec![centre] }
    }

    /// The samples of a quad that a shape covers, from what it covers of the places that are tested.
    pub fn covered(&self, quad: &Quad) -> [u8; 4] {
        let all = self.all();
        quad.coverage.map(|bits| match (self.separate, bits & 1) {
            (true, _) => bits & all,
            (false, 0) => 0,
            (false, _) => all,
        })
    }

    /// A sample of a pixel.
    pub fn point(&self, x: u32, y: u32, sample: u32) -> Point {
        let place = self.places.get(sample as usize).copied().unwrap_or_default();
        Point { x: i64::from(x) * GRID.per_pixel + place.x, y: i64::from(y) * GRID.per_pixel + place.y }
    }

    /// Where what is taken inside of the primitive is taken, of a pixel with these covered samples: its centre if all of them or none are, else
    /// the first one.
    pub fn centroid(&self, x: u32, y: u32, covered: u8) -> Point {
        match covered {
            0 => GRID.pixel_centre(x, y),
            covered if covered == self.all() => GRID.pixel_centre(x, y),
            covered => self.point(x, y, covered.trailing_zeros()),
        }
    }

    /// The samples that alpha leaves: as many of the first ones as its share of all.
    pub fn of_alpha(&self, alpha: f32) -> u8 {
        let count = (alpha.clamp(0.0, 1.0) * self.count() as f32 + 0.5) as u32;
        (u32::MAX.checked_shl(count).map_or(u32::MAX, |above| !above)) as u8 & self.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::{PaScAaConfig, PaScAaMask, after_reset};

    fn samples(log2: u32, mode: u32) -> Samples {
        let mut registers = after_reset();
        registers.write(PaScAaConfig::ADDRESS, log2);
        registers.write(PaScModeCntl::ADDRESS, mode);
        registers.write(PaScAaMask::ADDRESS, 0xD);
        // (-8, 7), (1, -1).
        registers.write(PaScAaSampleLocsMctx::ADDRESS, 0xF178);
        Samples::of(&registers)
    }

    #[test]
    fn places_are_signed_sixteenths() {
        let two = samples(1, 1);
        assert_eq!([two.point(1, 0, 0), two.point(0, 2, 1)].map(|point| (point.x, point.y)), [(256, 240), (144, 624)]);
        assert_eq!((two.all(), two.mask(), two.tested().len()), (3, 1, 2));
        let one = samples(0, 1);
        assert_eq!((one.point(0, 0, 0), one.tested()), (Point { x: 128, y: 128 }, vec![Point { x: 128, y: 128 }]));
    }

    #[test]
    fn without_multisampling_samples_are_as_the_centre() {
        let quad = Quad { x: 0, y: 0, coverage: [1, 2, 3, 0] };
        assert_eq!(samples(1, 1).covered(&quad), [1, 2, 3, 0]);
        assert_eq!(samples(1, 0).covered(&quad), [3, 0, 3, 0]);
        assert_eq!((samples(1, 1 << 17).iterates, samples(0, 1 << 17).iterates), (true, false));
    }

    #[test]
    fn centroids_and_alpha() {
        let two = samples(1, 1);
        assert_eq!([0, 1, 2, 3].map(|covered| two.centroid(0, 0, covered).x), [128, 0, 144, 128]);
        let four = samples(2, 1);
        assert_eq!([0.0, 0.12, 0.125, 0.6, 1.0, f32::NAN].map(|alpha| four.of_alpha(alpha)), [0, 0, 1, 3, 15, 0]);
    }
}
