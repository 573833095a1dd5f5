//! Textures: operands, levels of detail from quads, gathers, queries.

use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_raster::sampler::{Filter, MipFilter, Sampler, Wrap};
use ctm_sm50::codes::TextureDim;
use ctm_sm50::launch::{
    Environment, Invocations, Mode, PixelInput, Pixels, Shader, StageLaunch, StageRunner, Stop, TrapKind,
};
use ctm_sm50::lift::{NotLifted, Specialisation, lift_within};
use ctm_sm50::reference::Reference;
use ctm_sm50::textures::{FIRST_HANDLE, HANDLE_BANK, Texture, Textures};
use ctm_sm50::{AttributeMap, text};

fn bits(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

/// Texels tell where they are: level, layer, column, row.
fn texture(dim: TextureDim, size: [u32; 3], layers: u32, levels: u32, sampler: Sampler) -> Texture {
    let cubes = if matches!(dim, TextureDim::Cube | TextureDim::ArrayCube) { 6 } else { 1 };
    let of_level = |level: u32| {
        let [width, height, depth] = size.map(|side| (side >> level).max(1));
        let slices = layers * cubes * depth;
        let places = (0..slices).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y, z))));
        places.map(|(x, y, z)| bits([level, z, x, y].map(|n| n as f32))).collect()
    };
    Texture::of_levels(dim, (size, layers), sampler, (0..levels).map(of_level).collect())
}

fn run(code: &str, size: (u32, u32), inputs: &[(u32, PixelInput)], textures: Vec<Texture>) -> Result<Pixels, Stop> {
    let program =
        text::parse(&format!(".stage pixel\n{code}")).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mut environment = Environment { mode: Mode::Strict, ..Environment::default() };
    let mut handles = vec![0; FIRST_HANDLE as usize];
    for (number, texture) in (0..).zip(textures) {
        environment.textures.insert(number, texture);
        handles.push(Textures::handle(number));
    }
    environment.constants.set_bank(HANDLE_BANK, handles);
    let pixels = Pixels::new(size, &program.header.unwrap().pixel, inputs.iter().cloned()).unwrap();
    let invocations = Invocations { count: pixels.invocations(), columns: None };
    let launch = StageLaunch {
        pixels: Some(&pixels),
        ..StageLaunch::new(Shader::from(&program), &environment, &invocations, AttributeMap::default())
    };
    Reference.run(&launch, &RunOptions { step_limit: 10_000, ..RunOptions::default() })?;
    Ok(pixels)
}

/// The colour of the first pixel.
fn colour(code: &str, textures: Vec<Texture>) -> [f32; 4] {
    let pixels = run(&format!("{code}\nEXIT;"), (1, 1), &[], textures).unwrap_or_else(|stop| panic!("{code}: {stop}"));
    let words = pixels.result((0, 0)).unwrap();
    [0, 1, 2, 3].map(|n| f32::from_bits(words[n]))
}

const NEAREST: Sampler = Sampler::new(Filter::Point, [Wrap::ClampToEdge; 3]);

fn flat() -> Vec<Texture> {
    vec![texture(TextureDim::D2, [8, 4, 1], 1, 1, NEAREST)]
}

#[test]
fn forms_have_their_operands_where_compilers_put_them() {
    let of = |dim, size, layers, levels| vec![texture(dim, size, layers, levels, NEAREST)];
    let rows = [
        ("MOV32I R4, 0.7; MOV32I R5, 0.3; TEX.LZ R0, R4, 0x8, 2D, 0xf;", flat(), [0., 0., 5., 1.]),
        ("MOV32I R4, 0.7; MOV32I R5, 0.3; TEX.LZ R1, R4, 0x8, 2D, 0xc;", flat(), [0., 5., 1., 0.]),
        ("MOV32I R4, 0.7; MOV32I R5, 0.3; TEXS.LZ R2, R0, R4, R5, 0x8, 2D, RGBA;", flat(), [0., 0., 5., 1.]),
        ("MOV32I R4, 0.7; MOV32I R5, 0.3; TEXS.LZ RZ, R3, R4, R5, 0x8, 2D, B;", flat(), [0., 0., 0., 5.]),
        // The handle comes first in the second group, then the level.
        (
            "MOV32I R4, 0.7; MOV32I R5, 0.3; LDC R6, c[0xf][0x20]; MOV32I R7, 0.0; TEX.B.LL R0, R4, R6, 0x0, 2D, 0xf;",
            flat(),
            [0., 0., 5., 1.],
        ),
        // Offsets of -2 and 1.
        (
            "MOV32I R4, 0.7; MOV32I R5, 0.3; MOV32I R6, 0x1e; TEX.LZ.AOFFI R0, R4, R6, 0x8, 2D, 0xf;",
            flat(),
            [0., 0., 3., 2.],
        ),
        (
            "MOV32I R4, 0x2; MOV32I R5, 0.9; MOV32I R6, 0.1; TEX.LZ R0, R4, 0x8, ARRAY_2D, 0xf;",
            of(TextureDim::Array2, [4, 4, 1], 3, 1),
            [0., 2., 3., 0.],
        ),
        (
            "MOV32I R4, 0x9; MOV32I R5, 0.9; TEX.LZ R0, R4, 0x8, ARRAY_1D, 0xf;",
            of(TextureDim::Array1, [4, 1, 1], 3, 1),
            [0., 2., 3., 0.],
        ),
        (
            "MOV32I R4, 0.1; MOV32I R5, 0.9; MOV32I R6, 0.6; TEX.LZ R0, R4, 0x8, 3D, 0xf;",
            of(TextureDim::D3, [4, 4, 4], 1, 1),
            [0., 2., 0., 3.],
        ),
        (
            "MOV32I R4, -1.0; MOV32I R5, 0.0; MOV32I R6, 0.5; TEX.LZ R0, R4, 0x8, CUBE, 0x2;",
            of(TextureDim::Cube, [4, 4, 1], 1, 1),
            [1., 0., 0., 0.],
        ),
        ("MOV32I R4, 5; MOV32I R5, 2; TLD.LZ R0, R4, 0x8, 2D, 0xf;", flat(), [0., 0., 5., 2.]),
        ("MOV32I R4, 8; MOV32I R5, 2; TLD.LZ R0, R4, 0x8, 2D, 0xf;", flat(), [0.; 4]),
        (
            "MOV32I R4, 1; MOV32I R5, 0; MOV32I R6, 1; TLDS.LL R2, R0, R4, R6, 0x8, 2D, RGBA;",
            of(TextureDim::D2, [8, 4, 1], 1, 3),
            [1., 0., 1., 0.],
        ),
        (
            "MOV32I R4, 1; MOV32I R6, 3; MOV32I R7, 2; TLDS.LZ R2, R0, R4, R6, 0x8, ARRAY_2D, RGBA;",
            of(TextureDim::Array2, [4, 4, 1], 3, 1),
            [0., 1., 3., 2.],
        ),
        // Counterclockwise from the lower left texel; components are columns and rows here.
        ("MOV32I R4, 0.5; MOV32I R5, 0.5; TLD4.B R0, R4, 0x8, 2D, 0xf;", flat(), [3., 4., 4., 3.]),
        ("MOV32I R4, 0.5; MOV32I R5, 0.5; TLD4S.A R2, R0, R4, R5, 0x8;", flat(), [2., 2., 1., 1.]),
        (
            "MOV32I R4, 0.5; MOV32I R5, 0.5; MOV32I R6, 0x010000ff; MOV32I R7, 0x02000101; TLD4.B.PTP R0, R4, R6, 0x8, 2D, 0xf;",
            flat(),
            [2., 3., 4., 3.],
        ),
        // Compared with what is in red: the level.
        (
            "MOV32I R4, 0.5; MOV32I R5, 0.5; MOV32I R6, 0.5; MOV32I R7, 1.0; TEX.LL.DC R0, R4, R6, 0x8, 2D, 0xf;",
            of(TextureDim::D2, [8, 4, 1], 1, 2),
            [0.; 4],
        ),
        (
            "MOV32I R4, 0.5; MOV32I R5, 0.5; MOV32I R6, -1.0; TEX.LZ.DC R0, R4, R6, 0x8, 2D, 0x3;",
            flat(),
            [1., 1., 0., 0.],
        ),
        (
            "MOV32I R4, 1; TXQ R0, R4, TEX_HEADER_DIMENSION, 0x8, 0xf; I2F.F32.U32 R0, R0; I2F.F32.U32 R1, R1; I2F.F32.U32 R2, R2; I2F.F32.U32 R3, R3;",
            of(TextureDim::Array2, [8, 4, 1], 5, 3),
            [4., 2., 5., 3.],
        ),
        ("MOV32I R4, 0.5; MOV32I R5, 0.5; MOV R0, RZ; TEX.B.LZ R0, R4, R7, 0x0, 2D, 0x0;", flat(), [0.; 4]),
    ];
    for (code, textures, expected) in rows {
        assert_eq!(colour(code, textures), expected, "{code}");
    }
}

/// Coordinates that move two texels from pixel to pixel take the second level, also for a lane that is alone in its quad.
#[test]
fn levels_come_from_the_quad() {
    let sampler = Sampler { mip: MipFilter::Point, ..NEAREST };
    let textures = || vec![texture(TextureDim::D2, [16, 16, 1], 1, 4, sampler)];
    let across = |texels: f32| {
        [
            (0x80, PixelInput::Plane { origin: 0.0, dx: texels / 16.0, dy: 0.0 }),
            (0x84, PixelInput::Plane { origin: 0.0, dx: 0.0, dy: 1.0 / 16.0 }),
        ]
    };
    let level = |code: &str, texels: f32| {
        let code = format!("IPA.PASS R4, a[0x80], RZ; IPA.PASS R5, a[0x84], RZ; {code} EXIT;");
        f32::from_bits(run(&code, (1, 1), &across(texels), textures()).unwrap().result((0, 0)).unwrap()[0])
    };
    assert_eq!(level("TEX R0, R4, 0x8, 2D, 0xf;", 1.0), 0.0);
    assert_eq!(level("TEX R0, R4, 0x8, 2D, 0xf;", 2.0), 1.0);
    assert_eq!(level("TEXS R2, R0, R4, R5, 0x8, 2D, RGBA;", 4.0), 2.0);
    assert_eq!(level("MOV32I R6, -1.0; TEX.LB R0, R4, R6, 0x8, 2D, 0xf;", 4.0), 1.0);
    assert_eq!(level("MOV32I R6, 3.0; TEX.LL R0, R4, R6, 0x8, 2D, 0xf;", 1.0), 3.0);
    let derivatives = "MOV32I R8, 0.25; MOV R9, RZ; MOV R10, RZ; MOV32I R11, 0.0625; TXD R0, R4, R8, 0x8, 2D, 0xf;";
    assert_eq!(level(derivatives, 1.0), 2.0);
    let asks = "TMML.LOD R0, R4, 0x8, 2D, 0x3; I2F.F32.S16 R0, R0;";
    assert_eq!(level(asks, 8.0), 3.0 * 256.0);
}

#[test]
fn a_texture_of_other_dimensions_is_not_sampled() {
    match run("TEX.LZ R0, R4, 0x8, 3D, 0xf; EXIT;", (1, 1), &[], flat()) {
        Err(Stop::Trap(trap)) => assert_eq!(trap.kind, TrapKind::Unsupported),
        other => panic!("{other:?}"),
    }
}

/// A function of many samples ends where its effort does, in the middle of a row of instructions.
#[test]
fn a_row_of_samples_keeps_to_the_effort() {
    let code = format!(".stage pixel\n{}EXIT;", "TEX R0, R4, 0x8, CUBE, 0xf;\n".repeat(1000));
    let program = text::parse(&code).unwrap().program;
    let sampler = Sampler { mip: MipFilter::Linear, ..Sampler::new(Filter::Linear, [Wrap::Repeat; 3]) };
    let mut environment = Environment::default();
    environment.textures.insert(0, texture(TextureDim::Cube, [16, 16, 1], 1, 5, sampler));
    environment.constants.set_bank(HANDLE_BANK, vec![0; FIRST_HANDLE as usize + 1]);
    let pixels = Pixels::new((4, 4), &program.header.unwrap().pixel, []).unwrap();
    let invocations = Invocations { count: pixels.invocations(), columns: None };
    let launch = StageLaunch {
        pixels: Some(&pixels),
        ..StageLaunch::new(Shader::from(&program), &environment, &invocations, AttributeMap::default())
    };
    let (specialisation, effort) = (Specialisation::of(&launch).unwrap(), Effort::of_steps(50_000));
    assert_eq!(lift_within(&program.code, &specialisation, &effort).err(), Some(NotLifted::TooLarge));
    assert!(effort.steps() < 100_000, "{}", effort.steps());
}
