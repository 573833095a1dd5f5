//! The data of textures: numbers from -1 to 1 that are the same in every run and on both sides.

/// Every texture, by the name of the file that a kernel's `meta.json` has for it. The place is the seed.
const NAMES: [&str; 6] = ["img1024.f32", "a512.f32", "b512.f32", "pos256.f32", "bodies.f32", "img4096.f32"];

/// The texels of a texture, RGBA row by row.
///
/// # Panics
/// If there is no texture of this name.
pub fn data(name: &str, width: u32, height: u32) -> Vec<f32> {
    let place = NAMES.iter().position(|&known| known == name);
    let seed = place.unwrap_or_else(|| panic!("no texture is called {name}")) as u32 + 1;
    let mut state = seed.wrapping_mul(0x9E37_79B9);
    let count = width as usize * height as usize * 4;
    // A linear congruential generator; 24 of its bits make a float without rounding.
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}
