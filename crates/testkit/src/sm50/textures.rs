//! Random textures, and instructions that sample them.

use crate::random::Random;
use ctm_raster::sampler::{DetailRange, Filter, MipFilter, Sampler, Wrap};
use ctm_sm50::codes::TextureDim;
use ctm_sm50::textures::{FIRST_HANDLE, Texture, Textures};

/// The dimensions of the textures, by number. The handle that comes after them names nothing.
const DIMENSIONS: [(TextureDim, &str, usize); 7] = [
    (TextureDim::D2, "2D", 2),
    (TextureDim::D2, "2D", 2),
    (TextureDim::Array2, "ARRAY_2D", 3),
    (TextureDim::D3, "3D", 3),
    (TextureDim::Cube, "CUBE", 3),
    (TextureDim::D1, "1D", 1),
    (TextureDim::ArrayCube, "ARRAY_CUBE", 4),
];

/// Textures of all dimensions, and the bank of their handles.
pub fn textures(random: &mut Random) -> (Textures, Vec<u32>) {
    let (mut textures, mut handles) = (Textures::default(), vec![0; FIRST_HANDLE as usize]);
    for (number, &(dim, _, _)) in (0..).zip(&DIMENSIONS) {
        textures.insert(number, texture(random, dim));
        handles.push(Textures::handle(number));
    }
    handles.push(Textures::handle(DIMENSIONS.len() as u32));
    (textures, handles)
}

fn sampler(random: &mut Random) -> Sampler {
    use Wrap::*;
    const WRAPS: [Wrap; 8] =
        [Repeat, Mirror, ClampToEdge, MirrorOnceToEdge, Clamp, MirrorOnceClamp, ClampToBorder, MirrorOnceToBorder];
    let filters = [Filter::Point, Filter::Linear];
    Sampler {
        wrap: [(); 3].map(|()| random.pick(&WRAPS)),
        magnification: random.pick(&filters),
        minification: random.pick(&filters),
        mip: random.pick(&[MipFilter::None, MipFilter::Point, MipFilter::Linear]),
        finest: random.pick(&[0, 0, 0, 1]),
        bias: random.pick(&[0.0f32, 0.0, 0.5]).to_bits(),
        border: [1.0f32, 0.25, 0.0, -2.0].map(f32::to_bits),
        detail: random.pick(&[
            DetailRange::UNBOUNDED,
            DetailRange { steps: 256, least: 0.5f32.to_bits(), greatest: 2.25f32.to_bits(), halves_down: true },
        ]),
        seamless: random.one_in(4),
    }
}

fn texture(random: &mut Random, dim: TextureDim) -> Texture {
    let mut side = || 1 + random.below(9) as u32;
    let size = match dim {
        TextureDim::D1 | TextureDim::Array1 => [side(), 1, 1],
        TextureDim::D2 | TextureDim::Array2 => [side(), side(), 1],
        TextureDim::D3 | TextureDim::Array3 => [side(), side(), side()],
        TextureDim::Cube | TextureDim::ArrayCube => {
            let side = side();
            [side, side, 1]
        }
    };
    let layers = if dim.is_array() { 1 + random.below(3) as u32 } else { 1 };
    let faces = if matches!(dim, TextureDim::Cube | TextureDim::ArrayCube) { 6 } else { 1 };
    let levels = 1 + random.below(size.into_iter().max().unwrap_or(1).ilog2() as usize + 1) as u32;
    let level = |level: u32| {
        let [width, height, depth] = size.map(|side| (side >> level).max(1));
        let texels = width * height * depth * layers * faces;
        // Few of them are no ordinary numbers; now and then, the last ones are missing.
        let missing = random.pick(&[0, 0, 0, 0, 1]);
        let word = |random: &mut Random| match random.below(40) {
            0 => random.bits(),
            1 => random.float(),
            _ => (random.below(512) as f32 / 256.0).to_bits(),
        };
        (0..texels.saturating_sub(missing)).map(|_| [(); 4].map(|()| word(random))).collect()
    };
    let levels = (0..levels).map(level).collect();
    Texture::of_levels(dim, (size, layers), sampler(random), levels)
}

/// Instructions that look a texture up: coordinates come from R16 on, what else is asked from R20 on, and results go to R24 and on.
pub fn look_up(random: &mut Random) -> String {
    let number = random.below(DIMENSIONS.len() + 1);
    let handle = FIRST_HANDLE as usize + number;
    let (dim, name, _) = DIMENSIONS[number.min(DIMENSIONS.len() - 1)];
    let axes = usize::from(dim.axes());
    let first = usize::from(dim.is_array());
    let mut code = String::new();
    let coordinate = |random: &mut Random| random.pick(&["R4", "R5", "R6", "R7", "R8", "R10"]);
    let scale = random.pick(&[0.0625f32, 0.125, 0.25, 0.5]);
    if dim.is_array() {
        code += &format!("LOP.AND R16, {}, 0x3;", random.pick(&["R4", "R13"]));
    }
    for axis in 0..axes {
        code += &format!("FMUL R{}, {}, {scale:?};", 16 + first + axis, coordinate(random));
    }
    let mask = 1 + random.below(15);
    match random.below(11) {
        0 => {
            for axis in 0..axes {
                code += &format!("F2I.S32.F32.FLOOR R{}, {};", 16 + first + axis, coordinate(random));
            }
            let sample = random.pick(&["LZ", "LL"]);
            code + &format!(
                "MOV32I R20, {:#x}; TLD.{sample} R24, R16, R20, {handle:#x}, {name}, {mask:#x};",
                random.below(3)
            )
        }
        1 => code + &format!("LOP.AND R16, R13, 0x3; TXQ R24, R16, TEX_HEADER_DIMENSION, {handle:#x}, {mask:#x};"),
        2 if dim == TextureDim::D2 => {
            let component = random.pick(&["R", "G", "B", "A"]);
            code + &format!("TLD4.{component} R24, R16, {handle:#x}, 2D, {mask:#x};")
        }
        // Offsets in texels, of one texel and of four.
        7 if dim != TextureDim::Cube && dim != TextureDim::ArrayCube => {
            let level = random.pick(&["", ".LZ"]);
            code + &format!(
                "MOV32I R20, {:#x}; TEX{level}.AOFFI R24, R16, R20, {handle:#x}, {name}, {mask:#x};",
                random.bits() & 0xfff
            )
        }
        8 | 9 if matches!(dim, TextureDim::D2 | TextureDim::Array2) => {
            let (component, form) = (random.pick(&["R", "G", "B", "A"]), random.pick(&["AOFFI", "PTP"]));
            let [one, two] = [(); 2].map(|()| random.bits() & 0x0fff_0f0f);
            code + &format!(
                "MOV32I R20, {one:#x}; MOV32I R21, {two:#x}; TLD4.{component}.{form} R24, R16, R20, {handle:#x}, {name}, {mask:#x};"
            )
        }
        3 if dim == TextureDim::D2 => {
            let mode = random.pick(&["", ".LZ"]);
            code + &format!("TEXS{mode} R26, R24, R16, R17, {handle:#x}, 2D, RGBA;")
        }
        4 if !dim.is_array() => {
            for way in 0..2 * axes {
                code += &format!("FMUL R{}, {}, 0.125;", 20 + way, coordinate(random));
            }
            code + &format!("TXD R28, R16, R20, {handle:#x}, {name}, {mask:#x}; MOV R24, R28; MOV R25, R29;")
        }
        5 => {
            code + &format!(
                "MOV R20, {}; TEX.{} R24, R16, R20, {handle:#x}, {name}, {mask:#x};",
                coordinate(random),
                random.pick(&["LL", "LB"])
            )
        }
        6 if dim == TextureDim::D2 => {
            code + &format!("MOV R20, R10; TEX.LZ.DC R24, R16, R20, {handle:#x}, 2D, {mask:#x};")
        }
        _ => code + &format!("TEX R24, R16, {handle:#x}, {name}, {mask:#x};"),
    }
}
