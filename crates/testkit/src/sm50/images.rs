//! Random images, instructions that access them, and others that functions call for.

use crate::random::Random;
use ctm_sm50::codes::SurfaceDim;
use ctm_sm50::images::{Image, ImageFormat, Images};

/// The images, by number, with where they are in memory ([`super::grids::memory`]). Two have the same memory.
const IMAGES: [(SurfaceDim, &str, u32, [u32; 3]); 6] = [
    (SurfaceDim::D2, "2D", 0x1_0000, [32, 32, 1]),
    (SurfaceDim::D2, "2D", 0x2_0000, [32, 32, 1]),
    (SurfaceDim::D1, "1D", 0x1_2000, [256, 1, 1]),
    (SurfaceDim::Array2, "2D_ARRAY", 0x2_2000, [8, 8, 4]),
    (SurfaceDim::D3, "3D", 0x1_3000, [8, 4, 4]),
    (SurfaceDim::D2, "2D", 0x1_0000, [16, 16, 1]),
];

/// Where the handles of images are in their bank, by word: behind those of textures.
pub const FIRST_HANDLE: u32 = 0x28;

/// Images of all dimensions, and their handles.
///
/// # Panics
/// Never: all of these formats exist.
pub fn images(random: &mut Random) -> (Images, Vec<u32>) {
    let (mut images, mut handles) = (Images::default(), Vec::new());
    for (number, &(dim, _, address, size)) in (0..).zip(&IMAGES) {
        let format = random.pick(&["r32ui", "r32ui", "rgba8", "rg16f", "r32i", "rgba16"]);
        let format = ImageFormat::parse(format).expect("a format");
        images.insert(number, Image::packed(address, dim, size, format));
        handles.push(Images::handle(number));
    }
    // One of nothing.
    handles.push(Images::handle(IMAGES.len() as u32));
    (images, handles)
}

/// An access to an image. R13 says which texel lanes have for themselves, if they do; results go to R24, and data comes from R4 on.
pub fn access(random: &mut Random, guard: &str) -> String {
    let number = random.below(IMAGES.len() + 1);
    let (dim, name, _, [width, _, _]) = IMAGES[number.min(IMAGES.len() - 1)];
    let shift = width.ilog2();
    let mut code = match random.below(6) {
        // Those of others, all the same, and perhaps none.
        0 => "LOP.AND R16, R10, 0x7; LOP.AND R17, R13, 0x3; MOV R18, RZ;".to_owned(),
        1 => "MOV R16, RZ; MOV R17, RZ; MOV R18, RZ;".to_owned(),
        2 => "LOP.AND R16, R13, 0x1f; SHR.U32 R17, R13, 0x4; LOP.AND R18, R17, 0x7;".to_owned(),
        _ => {
            let mask = width - 1;
            format!("LOP.AND R16, R13, {mask:#x}; SHR.U32 R17, R13, {shift:#x}; SHR.U32 R18, R17, 0x3;")
        }
    };
    if matches!(dim, SurfaceDim::Array2 | SurfaceDim::D3) {
        code += "LOP.AND R17, R17, 0x7;";
    }
    let clamp = random.pick(&[".IGN", ".IGN", ".IGN", ".TRAP"]);
    let handle = format!("{:#x}", FIRST_HANDLE as usize + number);
    let (load, handle) = match random.one_in(3) {
        true => (format!("MOV R29, c[0xf][{:#x}];", 4 * (FIRST_HANDLE as usize + number)), "R29".to_owned()),
        false => (String::new(), handle),
    };
    code += &load;
    code + &match random.below(10) {
        0 | 1 => {
            format!("{guard}SULD.P.{name}{}{clamp} R24, [R16], {handle};", random.pick(&["", ".R", ".GA", ".RGB"]))
        }
        2 => format!("{guard}SULD.D.{name}{}{clamp} R24, [R16], {handle};", random.pick(&["", ".U8", ".S16", ".64"])),
        3..=5 => format!("{guard}SUST.P.{name}{clamp} [R16], R4, {handle};"),
        6 => format!("{guard}SUST.D.{name}{}{clamp} [R16], R4, {handle};", random.pick(&["", ".U8", ".U16"])),
        7 | 8 => {
            let op = random.pick(&["ADD", "MIN", "MAX", "AND", "OR", "XOR", "MIN.S32", "MAX.S32", "INC"]);
            format!("{guard}SURED.D.{name}.{op}{clamp} [R16], R4, {handle};")
        }
        _ => {
            let to = random.pick(&["RZ", "RZ", "R24"]);
            format!("{guard}SUATOM.D.{name}.ADD{clamp} {to}, [R16], R5, {handle};")
        }
    }
}

/// Something else that functions call for. R13 is a small number; results go to R24.
pub fn other(random: &mut Random, guard: &str, of_fragments: bool) -> String {
    match random.below(4) {
        0 if of_fragments => {
            let (mode, place) = (random.pick(&[".PASS", "", ".CONSTANT"]), random.pick(&["", "", ".CENTROID"]));
            let address = random.pick(&["0x70", "0x80", "0x90"]);
            format!("LOP.AND R16, R13, 0x4; IADD R16, R16, {address}; {guard}IPA.IDX{mode}{place} R24, a[R16], R5, PT;")
        }
        1 => format!("LOP.AND R16, R13, 0x3c; {guard}LDC.IS R24, c[0xf][R16];"),
        _ => format!("{guard}VADD.UD.U8.U32 R24, R4, R5, R6;"),
    }
}

/// A program whose threads access images, some of them in a loop.
pub fn kernel(random: &mut Random, start: &str) -> String {
    let mut code = format!("{start}MOV R10, R1; MOV R4, R0; MOV R5, R1; MOV R6, R2; MOV R11, R3; MOV R7, R4;\n");
    let loops = random.one_in(3);
    if loops {
        code += "MOV32I R20, 0x0; SSY end;\nagain: ";
    }
    for number in 0..1 + random.below(4) {
        let guard = random.pick(&["", "", "", "@P0 ", "@!P0 "]);
        let diverges = random.one_in(4);
        if diverges {
            code += &format!("SSY D{number}; {guard}SYNC; ");
        }
        code += "MOV R13, R0; MOV32I R24, 0x0;";
        code += &if random.one_in(5) { other(random, guard, false) } else { access(random, guard) };
        code += "IADD R10, R10, R24;";
        if diverges {
            code += &format!("SYNC;\nD{number}: ");
        }
        code += "IADD R4, R4, R10; ISETP.LT.AND P0, PT, R10, 0x80, PT;\n";
    }
    if loops {
        code += "IADD R20, R20, 0x1; ISETP.LT.AND P1, PT, R20, 0x3, PT; @P1 BRA again; SYNC;\nend: ";
    }
    code + "SHL R9, R0, 0x2; IADD32I R9, R9, 0x40000; ST [R9], R10; EXIT;"
}
