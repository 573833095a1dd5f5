//! Kernels against the pipeline that goes quad by quad.

use crate::pipeline::{DrawCache, DrawContext, DrawError, DrawStep};
use crate::ports::Cursor;
use crate::registers::VapVfCntl;
use crate::state::State;
use crate::stream::{Draw, VertexSource};
use ctm_card::Object;
use ctm_cases::{Result, Unstructured};
use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Card address of the memory of draws.
pub const BASE: u32 = 0x1_0000;
/// Where textures lie.
pub const TEXTURE: Object = Object { address: BASE, size: 0x1_0000 };
/// Where the colour buffer lies.
pub const TARGET: Object = Object { address: BASE + 0x1_0000, size: 0x4_0000 };
/// Pixels of the target along a row and column.
pub const SIZE: u32 = 128;
/// `FG_ALPHA_FUNC` of a test that always passes: kernels do not draw what has an alpha test.
const ALWAYS: u32 = 7 << 8 | 1 << 11 | 1 << 12;

/// The texture lies in macro tiles, of which none is smaller.
pub fn tile_texture(state: &mut State) {
    let size = state.registers.value(0x4480);
    state.registers.write(0x4480, size | 31 | 15 << 11);
    state.registers.write(0x4500, 63);
    state.registers.bind(0x4540, 3 << 2, TEXTURE);
}

const OUT: &str = "OUT TEX_SEM_WAIT src0.a = temp[1] , src0.rgb = temp[1] :\n\
    out[0].rgb = MAX src0.rgb src0.rgb , out[0].a = MAX src0.a src0.a ;\n";

/// Programs of temporary 0, the texture coordinate, that leave something in temporary 1.
const PROGRAMS: [&str; 11] = [
    "src0.rgb = temp[0], src0.a = temp[0] : temp[1].rgb = CMP src0.rgb src0.rgb src0.000, temp[1].a = CMP src0.a src0.a src0.0 ;\n",
    "src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :\n\
     temp[1].rgb = MAD src0.rgb src1.rgb src1.bgr, temp[1].a = MAD src0.a src1.a src1.a ;\n",
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;\n",
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = PROJ tex[0].bgra temp[0].rgba ;\n",
    "TEX UNSCALED TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;\n",
    "src0.rgb = temp[0], src0.a = temp[0] : temp[1].rgb = MDH src0.rgb src0.111 src0.000, temp[1].a = MDV src0.a src0.1 src0.0 ;\n",
    "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE TEXKILL tex[0].rgba temp[0].rgba ;\n\
     : temp[1].rgb = MAX src0.000 src0.000, temp[1].a = MAX src0.0 src0.0 ;\n\
     LOOP i[0];\n\
     src0.rgb = temp[1], src1.rgb = temp[0], src0.a = temp[1] :\n\
     temp[1].rgb = MAD src0.rgb src0.hhh src1.rgb, temp[1].a = MAD src0.a src0.1 src0.1 ;\n\
     ENDLOOP;\n",
    // Coordinates that are calculated.
    "src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :\n\
     temp[0].rgb = MAD src0.rgb src1.rgb src1.bgr, temp[0].a = MAD src0.a src1.a src1.a ;\n\
     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LD tex[0].rgba temp[0].rgba ;\n",
    "src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :\n\
     temp[0].rgb = MAD src0.rgb src1.rgb src1.bgr, temp[0].a = MAD src0.a src1.a src1.a ;\n\
     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LODBIAS tex[0].rgba temp[0].rgba ;\n",
    "src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :\n\
     temp[0].rgb = MAD src0.rgb src1.rgb src1.bgr, temp[0].a = MAD src0.a src1.a src1.a ;\n\
     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = LOD tex[0].rgba temp[0].rgba ;\n",
    "src0.rgb = temp[0], src0.a = temp[0], src1.rgb = const[0], src1.a = const[0] :\n\
     temp[0].rgb = MAD src0.rgb src1.rgb src1.bgr, temp[0].a = MAD src0.a src1.a src1.a ;\n\
     TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = DXDY tex[0].rgba temp[0].rgba temp[0].grgr temp[0].bbaa ;\n",
];

/// The registers of a draw of window coordinates and one texture coordinate.
pub fn state(u: &mut Unstructured) -> Result<State> {
    let mut state = State::default();
    let text = (*u.choose(&PROGRAMS)?).to_owned() + OUT;
    let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    let mut cursor = Cursor::at(0);
    for word in program.code.iter().flat_map(|instruction| instruction.encode()) {
        cursor.put(&mut state.fragment_code, word);
    }
    let mut cursor = Cursor::at(0);
    for value in [0.25f32, -1.5, 3.0, 0.5] {
        cursor.put(&mut state.fragment_constants, value.to_bits());
    }
    let last = program.code.len() as u32 - 1;
    let (wrap_s, wrap_t) = (*u.choose(&[0, 2])?, *u.choose(&[0, 2])?);
    let (width, height): (u32, u32) = (u.int_in_range(0..=40)?, u.int_in_range(0..=40)?);
    let format = *u.choose(&[0x0008_860C, 0x0008_861D, 0x0012_0A1B])?;
    let filter = u.int_in_range(1..=2)?;
    // Rows of 32 bytes and more.
    let pitch = (width + 1).next_multiple_of(8) - 1;
    let (colour, output) = *u.choose(&[(6, 0x3900), (7, 0x3915), (6, 0x3913), (6, 0x1B00)])?;
    let tiling = if u.arbitrary()? { if colour == 7 { 1 } else { 3 } } else { 0 };
    let clip = u.int_in_range(0..=30)? | u.int_in_range(0..=30)? << 13;
    for (address, value) in [
        (0x2140, 1 << 8),
        (0x221C, 1 << 16),
        (0x2090, 1),
        (0x2094, 4),
        (0x20B0, if u.arbitrary()? { 0x300 } else { 0x700 }),
        (0x20B4, 8),
        (0x2150, 0x2603_0003),
        (0x21E0, 0xF688_F688),
        (0x4300, 4),
        (0x4074, 0x000C_2040),
        (0x4320, 0x10),
        (0x43E4, (SIZE - 1) | (SIZE - 1) << 13),
        (0x43B0, clip),
        (0x43B4, (SIZE - 5) | (SIZE - 3) << 13),
        (0x43D0, 0xAAAA),
        (0x43E8, 0xFF_FFFF),
        (0x4104, 1),
        (0x4400, wrap_s | wrap_t << 3 | filter << 9 | filter << 11),
        (0x4440, 1 << 3),
        (0x4480, width | height << 11 | 1 << 31),
        (0x44C0, format),
        (0x4500, pitch),
        (0x4600, 2),
        (0x4624, 1 << 31),
        (0x4630, last << 16),
        (0x4634, last << 16),
        (0x46A4, output),
        (0x46A8, 15),
        (0x46AC, 15),
        (0x46B0, 15),
        (0x4C00, 0x0003),
        (0x4E00, 1 << 14),
        (0x4E38, SIZE | tiling << 16 | colour << 21),
        (0x4F14, 1),
    ] {
        state.registers.write(address, value);
    }
    state.registers.bind(0x4540, 0, TEXTURE);
    state.registers.bind(0x4E28, 0, TARGET);
    Ok(state)
}

/// Vertices of a triangle or point: place, then texture coordinate.
fn vertices(u: &mut Unstructured, count: usize) -> Result<Vec<u32>> {
    const AROUND: [[f32; 2]; 3] = [[-8.0, -8.0], [400.0, -8.0], [-8.0, 400.0]];
    let mut vertices = Vec::new();
    let covers_all = u.ratio(1, 4)?;
    for corner in AROUND.into_iter().cycle().take(count) {
        let anywhere = [u.int_in_range(-200..=1800)? as f32 / 12.0, u.int_in_range(-200..=1800)? as f32 / 12.0];
        let place = if covers_all { corner } else { anywhere };
        let w = *u.choose(&[1.0f32, 1.0, 0.5, 3.0])?;
        // Planes through an infinite value are NaN at places.
        let mut coordinate = || {
            let number = u.int_in_range(-40..=120)?;
            Ok(if number > 110 { f32::INFINITY } else { number as f32 / 32.0 })
        };
        let texture = [coordinate()?, coordinate()?, coordinate()?, coordinate()?];
        vertices.extend([place[0], place[1], 0.5, w].into_iter().chain(texture).map(f32::to_bits));
    }
    Ok(vertices)
}

/// Vertices of two triangles that are a rectangle, with coordinates that are places, or steps of places, or different in the second one.
fn rectangle(u: &mut Unstructured) -> Result<Vec<u32>> {
    let mut side = || Ok([u.int_in_range(-5..=30)? as f32, u.int_in_range(90..=140)? as f32]);
    let ([left, right], [top, bottom]) = (side()?, side()?);
    let scale = *u.choose(&[1.0f32, 0.25, 1.0 / 3.0, 0.0])?;
    let other = *u.choose(&[scale, scale, 0.5])?;
    let w = *u.choose(&[1.0f32, 1.0, 0.5])?;
    let corners = [[left, top], [right, top], [right, bottom], [left, top], [right, bottom], [left, bottom]];
    let scales = [scale, scale, scale, other, other, other];
    let vertex = |([x, y], scale): ([f32; 2], f32)| [x, y, 0.5, w, x * scale, y * scale - 0.5, 0.0, 1.0];
    Ok(corners.into_iter().zip(scales).flat_map(vertex).map(f32::to_bits).collect())
}

/// The target's bytes, and the number of pixels, after a draw.
fn drawn(state: &State, engine: Option<&Engine>, primitive: u32, vertices: &[u32], alpha: u32) -> (Vec<u8>, u32) {
    drawn_with(state, engine, None, primitive, vertices, alpha)
}

/// The same, with memory for copies.
fn drawn_with(
    state: &State,
    engine: Option<&Engine>,
    cache: Option<&DrawCache>,
    primitive: u32,
    vertices: &[u32],
    alpha: u32,
) -> (Vec<u8>, u32) {
    let memory = Arc::new(Arena::new(BASE, 0x5_0000).unwrap());
    // Numbers without a NaN, which textures of floats would give to programs.
    (0..TEXTURE.size / 4)
        .for_each(|n| _ = memory.write_u32(TEXTURE.address + 4 * n, n.wrapping_mul(0x9E37_79B9) & 0xBFFF_FFFF));
    let mut state = state.clone();
    state.registers.write(0x4BD4, alpha);
    let count = vertices.len() as u32 / 8;
    let control = VapVfCntl::read(&[count << 16 | 3 << 4 | primitive]);
    let draw = Draw { at: 0, control, vertices: VertexSource::Embedded(vertices) };
    crate::pipeline::draw(
        &mut state,
        &memory,
        &DrawContext { engine, cache, ..DrawContext::default() },
        &[DrawStep { changes: &[], draw: &draw }],
    )
    .unwrap();
    let mut bytes = vec![0; TARGET.size as usize];
    assert!(memory.read_bytes(TARGET.address, &mut bytes));
    (bytes, state.passed)
}

#[test]
fn kernels_draw_what_the_pipeline_draws() {
    let mut copied = 0;
    for name in EngineName::available() {
        let Ok(Executor::Engine(engine)) = name.executor() else { continue };
        let mut covered = 0;
        ctm_cases::check(150, |u| {
            let mut state = state(u)?;
            if u.ratio(2, 3)? {
                tile_texture(&mut state);
            }
            let vertices = if u.ratio(1, 3)? { rectangle(u)? } else { vertices(u, 3)? };
            let cache = DrawCache::new().unwrap();
            cache.rectangles.borrow_mut().fetches_per_texel = 0;
            let kernel = drawn_with(&state, Some(&engine), Some(&cache), 4, &vertices, 0);
            copied += u32::from(cache.rectangles.borrow().copies.is_used());
            let scalar = drawn(&state, None, 4, &vertices, 0);
            assert_eq!(kernel.1, scalar.1, "{}: pixels", name.name());
            let words = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap());
            let differs = (0..kernel.0.len() / 4).find(|&at| words(&kernel.0, at) != words(&scalar.0, at));
            if let Some(at) = differs {
                let values = [&kernel.0, &scalar.0].map(|bytes| words(bytes, at));
                let first =
                    ctm_x1k::text::print_instruction(&ctm_x1k::Instruction::decode(&state.fragment_code.get(0)));
                panic!(
                    "{}: dword {at:#x} is {values:#x?} by {first} in {:#x}",
                    name.name(),
                    state.registers.value(0x4E38)
                );
            }
            covered += u64::from(kernel.1);
            Ok(())
        });
        assert!(covered > 10_000, "{covered} pixels are too few");
        let made = engine.cache_stats();
        assert!(made.misses > 3, "kernels ran: {made:?}");
    }
    assert!(copied > 3, "{copied} draws with copies are too few");
}

/// What kernels cannot do is left to the pipeline.
#[test]
fn an_alpha_test_is_made_by_the_pipeline() {
    let Ok(Executor::Engine(engine)) = EngineName::Interp.executor() else { panic!("an engine") };
    ctm_cases::check(40, |u| {
        let state = state(u)?;
        let vertices = vertices(u, 3)?;
        assert!(drawn(&state, Some(&engine), 4, &vertices, ALWAYS) == drawn(&state, None, 4, &vertices, ALWAYS));
        Ok(())
    });
    assert_eq!(engine.cache_stats().misses, 0);
}

/// Three loops of 255 passes in one another, for each of some thousand fragments.
#[test]
fn draws_that_take_too_long_are_given_up() {
    let text = ["LOOP i[0];\n"; 3].concat()
        + "src0.rgb = temp[1], src1.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.hhh src1.rgb ;\n"
        + &["ENDLOOP;\n"; 3].concat()
        + OUT;
    let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let mut state = state(&mut Unstructured::new(&[0; 64])).expect("a state");
    let mut cursor = Cursor::at(0);
    for word in program.code.iter().flat_map(|instruction| instruction.encode()) {
        cursor.put(&mut state.fragment_code, word);
    }
    let last = (program.code.len() as u32 - 1) << 16;
    for (address, value) in [(0x4630, last), (0x4634, last), (0x4C00, 0xFF)] {
        state.registers.write(address, value);
    }
    let corners = [[0.0f32, 0.0], [100.0, 0.0], [0.0, 100.0]];
    let vertices: Vec<u32> =
        corners.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0].map(f32::to_bits)).collect();
    let memory = Arc::new(Arena::new(BASE, 0x5_0000).unwrap());
    let control = VapVfCntl::read(&[3 << 16 | 3 << 4 | 4]);
    let draw = Draw { at: 7, control, vertices: VertexSource::Embedded(&vertices) };
    for name in EngineName::available() {
        let executor = name.executor().expect("it is available");
        let engine = if let Executor::Engine(engine) = &executor { Some(engine) } else { None };
        let begin = Instant::now();
        let context =
            DrawContext { engine, deadline: Some(begin + Duration::from_millis(50)), ..DrawContext::default() };
        let drawn = crate::pipeline::draw(&mut state, &memory, &context, &[DrawStep { changes: &[], draw: &draw }]);
        assert_eq!(drawn, Err(DrawError::TimeIsUp), "{}", name.name());
        assert!(begin.elapsed() < Duration::from_secs(60), "{}: {:?}", name.name(), begin.elapsed());
    }
}
