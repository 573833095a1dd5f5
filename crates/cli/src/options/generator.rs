//! Values that a command line asks for by name, in place of a file: what pixels of a domain usually get from the rasteriser.

use super::values::Vector;
use ctm_array::{Array, Data, Shape};
use std::fmt;

/// Values of every pixel of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// Where in the domain the pixel's centre lies, from 0 to 1: (u, v, 0, 1).
    Uv,
    /// Where the pixel's centre lies, in pixels: (i + 0.5, j + 0.5, 0, 1).
    Position,
    /// The same for all.
    Constant(Vector),
}

impl Generator {
    /// The generator of this name: `uv`, `position` or `constant:R,G,B,A`. None if it is the name of something else.
    ///
    /// # Errors
    /// The value of the constant makes no sense.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        Ok(match (text, text.strip_prefix("constant:")) {
            ("uv", _) => Some(Generator::Uv),
            ("position", _) => Some(Generator::Position),
            ("constant", _) => return Err("a constant has a value, as in constant:1,0,0,1".into()),
            (_, Some(value)) => Some(Generator::Constant(value.parse()?)),
            _ => None,
        })
    }

    /// The values of a domain of this size.
    pub fn array(self, width: u32, height: u32) -> Array {
        let values = |(x, y): (u32, u32)| {
            let centre = [f64::from(x) + 0.5, f64::from(y) + 0.5];
            let share = [centre[0] / f64::from(width), centre[1] / f64::from(height)];
            let bits = |[a, b]: [f64; 2]| [a as f32, b as f32, 0.0, 1.0].map(f32::to_bits);
            match self {
                Generator::Uv => bits(share),
                Generator::Position => bits(centre),
                Generator::Constant(Vector(value)) => value,
            }
        };
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let shape = Shape { width: width as usize, height: height as usize, channels: 4 };
        Array { shape, data: Data::F32(pixels.flat_map(values).collect()) }
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Generator::Uv => "uv",
            Generator::Position => "position",
            Generator::Constant(_) => "constant",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_of_pixels() {
        let values = |generator: Generator| -> Vec<f32> {
            let Data::F32(bits) = generator.array(2, 4).data else { panic!("floats") };
            bits.into_iter().skip(4 * 3).take(4).map(f32::from_bits).collect()
        };
        let parsed = |text: &str| Generator::parse(text).expect("a generator").expect("a generator");
        assert_eq!(values(parsed("uv")), [0.75, 0.375, 0.0, 1.0]);
        assert_eq!(values(parsed("position")), [1.5, 1.5, 0.0, 1.0]);
        assert_eq!(values(parsed("constant:1,2,3,4")), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(Generator::parse("uv.npy"), Ok(None));
        assert!(Generator::parse("constant").is_err() && Generator::parse("constant:1,2").is_err());
    }
}
