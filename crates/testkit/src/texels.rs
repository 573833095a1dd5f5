//! The data of textures: numbers that are the same in every run and for everybody who draws.

/// The textures of kernels, by the names of the files that `meta.json` has for them: numbers from -1 to 1. The place is the seed.
const KERNELS: [&str; 6] = ["img1024.f32", "a512.f32", "b512.f32", "pos256.f32", "bodies.f32", "img4096.f32"];
/// The same for shaders of the suite.
const RANDOM: [&str; 4] = ["random", "random1", "random2", "random3"];

/// The texels of a texture, RGBA row by row. Beside those that are random there are
/// - `unit`: random numbers from 0 to 1, with 8 bits;
/// - `indices`: column, row, number of the texel, 1;
/// - `bits`: 0 or 1, the same in all channels.
///
/// # Panics
/// If there is no texture of this name.
pub fn data(name: &str, width: u32, height: u32) -> Vec<f32> {
    let count = width as usize * height as usize;
    let seed = |names: &[&str]| names.iter().position(|&known| known == name);
    let seed = seed(&KERNELS).or_else(|| Some(seed(&RANDOM)? + KERNELS.len()));
    match (seed, name) {
        (Some(seed), _) => {
            Random::new(seed as u32 + 1).map(|bits| bits as f32 / 8_388_608.0 - 1.0).take(4 * count).collect()
        }
        (None, "unit") => Random::new(100).map(|bits| (bits >> 16) as f32 / 255.0).take(4 * count).collect(),
        (None, "bits") => Random::new(101).flat_map(|bits| [(bits >> 23) as f32; 4]).take(4 * count).collect(),
        (None, "indices") => {
            let texel = |at: u32| [at % width, at / width, at, 1].map(|number| number as f32);
            (0..count as u32).flat_map(texel).collect()
        }
        (None, _) => panic!("no texture is called {name}"),
    }
}

/// A linear congruential generator; 24 of its bits make a float without rounding.
struct Random(u32);

impl Random {
    fn new(seed: u32) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9))
    }
}

impl Iterator for Random {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(self.0 >> 8)
    }
}
