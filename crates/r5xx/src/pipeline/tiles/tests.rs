//! Kernels for quads of many primitives against the pipeline that goes quad by quad.

use crate::pipeline::rectangles::tests::{BASE, SIZE, TARGET, TEXTURE, state, tile_texture};
use crate::pipeline::{DrawCache, DrawContext, DrawStep};
use crate::registers::VapVfCntl;
use crate::state::State;
use crate::stream::{Draw, VertexSource};
use ctm_card::DrawCounts;
use ctm_card::Object;
use ctm_cases::{Result, Unstructured};
use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;
use std::sync::Arc;

/// The depth buffer.
const DEPTHS: Object = Object { address: TARGET.address + TARGET.size, size: 0x1_0000 };
/// One that is smaller than the colour buffer, so that some pixels have none.
const FEW_DEPTHS: Object = Object { size: 0xC000, ..DEPTHS };
const MEMORY: u32 = 0x6_0000;

/// Tests, blending and logic operations of a draw.
fn add_tests(u: &mut Unstructured, state: &mut State) -> Result<()> {
    let mut bits = |ratio: u8| Ok(if u.ratio(ratio, 4)? { u.arbitrary::<u32>()? } else { 0 });
    // Alpha and colour tests are rarer than the others, and a third of all functions lets nothing pass.
    let alpha = bits(1)?;
    let half = bits(2)? & 0x3FFF;
    let (control, functions) = (bits(3)? & 0x57, bits(4)?);
    let (stencil, back) = (bits(4)?, bits(4)?);
    let blend = bits(2)? & 0x3F3F_7003;
    let (blend_alpha, logic) = (bits(4)?, bits(1)?);
    let mask = if bits(1)? == 0 { 0xF } else { bits(4)? & 0xF };
    let constants = [bits(4)?, bits(4)?];
    let ztop = bits(2)? & 1;
    let depth_format = if bits(1)? & 1 != 0 { 0 } else { 2 };
    let depth_tiling = bits(2)? & 3;
    let depths = if bits(3)? & 1 != 0 { DEPTHS } else { FEW_DEPTHS };
    let source = bits(1)? & 1;
    let (has_samples, samples, screendoor) = (bits(2)? & 1, bits(4)? & 3, !bits(1)?);
    // Inside of pixels.
    let places =
        [bits(4)?, bits(4)?].map(|places| places & 0x0077_7777 | places & 0x0088_8888 & !(places << 1) & 0x0088_8888);
    // Another format of the buffer now and then.
    let formats = [(3, 0x1B00), (4, 0x1B00), (5, 0x3901), (15, 0x3900), (9, 0), (13, 0x1200), (10, 0x3900)];
    let format = formats.get(bits(2)? as usize % 14);
    if bits(2)? & 1 != 0 {
        tile_texture(state);
    }
    // Textures of several levels, faces and slices, of other wraps and formats.
    let (filter, levels) = (bits(2)?, bits(4)?);
    if filter != 0 {
        let (format0, format1) = (state.registers.value(0x4480), state.registers.value(0x44C0));
        let kind = (levels >> 8 & 3).min(2);
        let code = [format1 & 0x1F, 0, 1, 3, 6, 0xA, 0xB, 0xD][(levels >> 24 & 7) as usize];
        let format1 = format1 & !0x1F | code;
        for (address, value) in [
            (
                0x4400,
                filter & 0x3F
                    | 1 << (9 + (filter >> 6 & 1))
                    | 1 << (11 + (filter >> 7 & 1))
                    | (filter >> 8 & 3).min(2) << 13,
            ),
            (0x4440, (levels >> 16 & 0x7F) << 3),
            (0x4480, format0 & 0x3F_FFFF | (levels & 3) << 26 | (levels >> 2 & 1) << 22),
            (0x44C0, format1 | kind << 25),
            (0x45C0, filter & 0xBFFF_FFFF),
        ] {
            state.registers.write(address, value);
        }
    }
    for (address, value) in [
        (0x4010, places[0]),
        (0x4014, places[1]),
        (0x4020, has_samples | samples << 1),
        (0x43E8, if has_samples != 0 { screendoor & 0xFF_FFFF } else { 0xFF_FFFF }),
        (0x4BD4, alpha),
        (0x4BE0, half),
        (0x4BD8, source),
        (0x4F00, control),
        (0x4F04, functions),
        (0x4F08, stencil),
        (0x4FD4, back),
        (0x4F10, depth_format),
        (0x4F14, ztop),
        (0x4F24, SIZE | depth_tiling << 16),
        (0x4E04, blend),
        (0x4E08, blend_alpha),
        (0x4E0C, mask),
        (0x4E18, logic),
        (0x4EF8, constants[0]),
        (0x4EFC, constants[1]),
    ] {
        state.registers.write(address, value);
    }
    if let Some((colour, output)) = format {
        let tiling = state.registers.value(0x4E38) & 3 << 16;
        state.registers.write(0x4E38, SIZE | tiling | colour << 21);
        state.registers.write(0x46A4, *output);
    }
    state.registers.bind(0x4F20, 0, depths);
    Ok(())
}

/// Vertices of many triangles: place, then texture coordinate.
fn vertices(u: &mut Unstructured) -> Result<Vec<u32>> {
    let mut vertices = Vec::new();
    for _ in 0..u.int_in_range(3..=40)? {
        let (x, y) = (u.int_in_range(-50..=1600)?, u.int_in_range(-50..=1600)?);
        let level = u.int_in_range(0..=16)?;
        for _ in 0..3 {
            let place = [(x + u.int_in_range(0..=500)?) as f32 / 12.0, (y + u.int_in_range(0..=500)?) as f32 / 12.0];
            let depth = (level + u.int_in_range(0..=2)?) as f32 / 18.0;
            let w = *u.choose(&[1.0f32, 1.0, 0.5, 3.0])?;
            let mut coordinate = || Ok(u.int_in_range(-40..=110)? as f32 / 80.0);
            let texture = [coordinate()?, coordinate()?, coordinate()?, coordinate()?];
            vertices.extend([place[0], place[1], depth, w].into_iter().chain(texture).map(f32::to_bits));
        }
    }
    Ok(vertices)
}

/// The colour and the depth buffer's words, and what was counted, after a draw by so many threads.
fn drawn(state: &State, engine: Option<&Engine>, threads: usize, vertices: &[u32]) -> (Vec<u32>, DrawCounts) {
    let memory = Arc::new(Arena::new(BASE, MEMORY).unwrap());
    let fill = |object: Object, kept: u32| {
        (0..object.size / 4).for_each(|n| {
            memory.write_u32(object.address + 4 * n, n.wrapping_mul(0x9E37_79B9) & kept);
        });
    };
    // Numbers without a NaN, which textures of floats would give to programs.
    fill(TEXTURE, 0xBFFF_FFFF);
    fill(TARGET, u32::MAX);
    fill(DEPTHS, 0xFFF0_0703);
    let cache = DrawCache::new().unwrap();
    {
        let mut memory = cache.tiles.borrow_mut();
        (memory.many, memory.tile, memory.pixels_per_thread) = (0, Some([64, 16]), 1);
        memory.pixels_per_texel = 0;
    }
    let mut state = state.clone();
    let control = VapVfCntl::read(&[(vertices.len() as u32 / 8).min(0xFFFF) << 16 | 3 << 4 | 4]);
    let control = VapVfCntl { alternate_count: control.count == 0xFFFF, ..control };
    let draw = Draw { at: 0, control, vertices: VertexSource::Embedded(vertices) };
    let context = DrawContext { engine, cache: Some(&cache), deadline: None, threads, pixel_log: None, slow: None };
    let counts =
        crate::pipeline::draw(&mut state, &memory, &context, &[DrawStep { changes: &[], draw: &draw }]).unwrap();
    let words = |object: Object| (0..object.size / 4).map(move |n| object.address + 4 * n);
    let words = words(TARGET).chain(words(DEPTHS)).map(|address| memory.read_u32(address).unwrap());
    (words.collect(), counts)
}

#[test]
fn kernels_draw_what_the_pipeline_draws() {
    for name in EngineName::available() {
        let Ok(Executor::Engine(engine)) = name.executor() else { continue };
        let (mut covered, mut changed) = (0, 0);
        ctm_cases::check(500, |u| {
            let mut state = state(u)?;
            add_tests(u, &mut state)?;
            let vertices = vertices(u)?;
            let kernel = drawn(&state, Some(&engine), u.int_in_range(1..=3)?, &vertices);
            let scalar = drawn(&state, None, 1, &vertices);
            if kernel != scalar {
                let at = (0..kernel.0.len()).find(|&at| kernel.0[at] != scalar.0[at]);
                let values = at.map(|at| (at, kernel.0[at], scalar.0[at]));
                let registers = [
                    0x4BD4u32, 0x4BD8, 0x4F00, 0x4F04, 0x4F08, 0x4F10, 0x4F14, 0x4E04, 0x4E08, 0x4E0C, 0x4E18, 0x4E38,
                    0x46A4, 0x4400, 0x4440, 0x4480, 0x44C0, 0x4500,
                ];
                let registers = registers.map(|register| (register, state.registers.value(register)));
                panic!("{}: {:?} and {:?}; {values:#x?} by {registers:#x?}", name.name(), kernel.1, scalar.1);
            }
            covered += kernel.1.passed;
            changed += u64::from(kernel.1.passed > 0);
            Ok(())
        });
        assert!(covered > 10_000 && changed > 10, "{covered} pixels of {changed} draws are too few");
        let made = engine.cache_stats();
        assert!(made.misses > 10, "kernels ran: {made:?}");
    }
}

#[test]
fn many_primitives_without_pixels() {
    let mut vertices = Vec::new();
    let mut add = |places: [[f32; 2]; 3], value: f32| {
        for [x, y] in places {
            vertices.extend([x, y, value, 1.0, x / 80.0, y / 80.0 + value, value, 1.0].map(f32::to_bits));
        }
    };
    add([[40.0, 40.0], [90.0, 42.0], [43.0, 90.0]], 0.5);
    // Between the centres of pixels.
    (0..70_000).for_each(|n| add([[50.6, 50.6], [51.4, 50.6], [50.6, 51.4]], (n % 7) as f32 / 8.0));
    add([[40.0, 40.0], [90.0, 60.0], [50.0, 90.0]], 0.25);
    for name in EngineName::available() {
        let Ok(Executor::Engine(engine)) = name.executor() else { continue };
        for seed in 0..4u8 {
            let numbers: Vec<u8> = (0..=255).map(|n: u8| n.wrapping_mul(37) ^ seed).collect();
            let mut state = state(&mut Unstructured::new(&numbers)).expect("a state");
            state.registers.write(0x2088, vertices.len() as u32 / 8);
            let kernel = drawn(&state, Some(&engine), usize::from(seed % 2) + 1, &vertices);
            let scalar = drawn(&state, None, 1, &vertices);
            assert!(kernel == scalar, "{}, seed {seed}: {:?} and {:?}", name.name(), kernel.1, scalar.1);
            assert!(kernel.1.passed > 1000, "{:?}", kernel.1);
        }
        assert!(engine.cache_stats().misses > 0, "kernels ran");
    }
}
