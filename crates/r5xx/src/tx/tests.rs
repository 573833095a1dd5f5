//! Textures of registers, in memory.

use super::*;
use ctm_card::Object;
use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_memory::{Format as SurfaceFormat, Space, Surface, Tiling};
use ctm_x1k::fragments::{FragmentJob, Quad};
use ctm_x1k::reference::with_shader;
use ctm_x1k::{Domain, InputSampler, Job, Program, ProgramInfo, RunOptions, TexOp};
use std::sync::Arc;

const BASE: u32 = 0x10_0000;

/// Registers of a texture unit, and memory after it.
struct Unit {
    registers: RegisterFile,
    memory: Arena,
}

impl Unit {
    /// Unit 3 with these values of FILTER0, FILTER1, FORMAT0, FORMAT1, FORMAT2 and OFFSET, and an object of so many bytes.
    fn new([filter0, filter1, format0, format1, format2, offset]: [u32; 6], size: u32) -> Unit {
        let mut registers = crate::registers::after_reset();
        let values = [(0x4400, filter0), (0x4440, filter1), (0x4480, format0), (0x44C0, format1), (0x4500, format2)];
        values.into_iter().for_each(|(address, value)| registers.write(address + 12, value));
        registers.bind(0x454C, offset, Object { address: BASE + 0x1000, size });
        registers.write(0x4104, 1 << 3);
        Unit { registers, memory: Arena::new(BASE, 0x10_0000).unwrap() }
    }

    fn fetch(&self, op: TexOp, unscaled: bool, coordinates: [f32; 4]) -> [f32; 4] {
        let quad = [coordinates.map(f32::to_bits); 4];
        let fetch = Fetch { unit: 3, op, unscaled, coordinates: quad, dx: quad, dy: quad };
        Textures::of(&self.registers, &self.memory).fetch(&fetch)[2].map(f32::from_bits)
    }
}

/// Point filters, repeat.
const POINT: u32 = 1 << 9 | 1 << 11;
const RGBA8: u32 = 0x0008_860C;
const BIAS_0: u32 = 1 << 3;

#[test]
fn texels_come_from_the_object() {
    // 8 x 4 texels in rows, 64 bytes into the object.
    let unit = Unit::new([POINT, BIAS_0, 7 | 3 << 11, RGBA8, 0, 64], 64 + 4 * 32);
    unit.memory.write_u32(BASE + 0x1000 + 64 + 3 * 32 + 5 * 4, 0xFF00_0033);
    let place = [5.5 / 8.0, 3.5 / 4.0, 0.0, 2.0];
    assert_eq!(unit.fetch(TexOp::Ld, false, place), [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(unit.fetch(TexOp::Ld, true, [5.5, 3.5, 0.0, 2.0]), [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(unit.fetch(TexOp::Proj, false, [16.5 / 8.0, 10.5 / 4.0, 0.0, 3.0]), [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(unit.fetch(TexOp::Ld, false, [0.0; 4]), [0.0; 4]);
    // The last row is outside of an object that is shorter.
    let short = Unit::new([POINT, BIAS_0, 7 | 3 << 11, RGBA8, 0, 64], 64 + 3 * 32);
    short.memory.write_u32(BASE + 0x1000 + 64 + 3 * 32 + 5 * 4, 0xFF00_0033);
    assert_eq!(short.fetch(TexOp::Ld, false, place), [0.0; 4]);
    let beyond = Unit::new([POINT, BIAS_0, 7 | 3 << 11, RGBA8, 0, 0xFFFF_FFE0], 64);
    assert_eq!(beyond.fetch(TexOp::Ld, false, place), [0.0; 4]);
}

#[test]
fn units_that_are_off_or_unknown_give_zeros() {
    let mut unit = Unit::new([POINT, BIAS_0, 0, 0x0012_0A00 | 5 << 9, 0, 0], 4096);
    unit.memory.write_u8(BASE + 0x1000, 0xFF);
    assert_eq!(unit.fetch(TexOp::Ld, false, [0.0; 4]), [1.0, 0.0, 0.0, 1.0]);
    unit.registers.write(0x4104, 0);
    assert_eq!(unit.fetch(TexOp::Ld, false, [0.0; 4]), [0.0; 4]);
    let unknown = Unit::new([POINT, BIAS_0, 0, 0x13, 0, 0], 4096);
    assert_eq!(unknown.fetch(TexOp::Ld, false, [0.0; 4]), [0.0; 4]);
}

/// 16 x 16 texels of 8 bits with all 5 levels, which hold their numbers.
fn mips(filter0: u32, filter1: u32) -> Unit {
    let unit = Unit::new([filter0, filter1, 15 | 15 << 11 | 4 << 26, 0x0012_0A00, 0, 0], 0x1000);
    let mut address = BASE + 0x1000;
    for level in 0..5u8 {
        // Rows of 32 bytes.
        let bytes = [level; 512];
        let count = 32 * (16 >> level);
        unit.memory.write_bytes(address, &bytes[..count]);
        address += count as u32;
    }
    unit
}

#[test]
fn levels_are_chosen_by_the_operation() {
    let level = |unit: &Unit, op, last| (unit.fetch(op, false, [0.0, 0.0, 0.0, last])[0] * 255.0).round();
    let nearest = mips(POINT | 1 << 13, BIAS_0);
    assert_eq!(level(&nearest, TexOp::Ld, 3.0), 0.0, "nothing changes over the quad");
    assert_eq!(level(&nearest, TexOp::Lod, 3.0), 3.0);
    assert_eq!(level(&nearest, TexOp::Lod, 2.49), 2.0);
    assert_eq!(level(&nearest, TexOp::Lod, 99.0), 4.0);
    let biased = mips(POINT | 1 << 13, 33 << 3);
    assert_eq!(level(&biased, TexOp::Lod, 2.0), 3.0);
    let finer = mips(POINT | 1 << 13, 0x3E1 << 3);
    assert_eq!(level(&finer, TexOp::Lod, 2.0), 1.0, "a bias of -31, and the step that the driver adds");
    let limited = mips(POINT | 1 << 13 | 2 << 17, BIAS_0);
    assert_eq!(level(&limited, TexOp::Lod, 0.0), 2.0);
    // Derivatives of a quarter of the texture: 4 texels.
    let step = [[0.25f32.to_bits(), 0, 0, 0]; 4];
    let fetch =
        Fetch { unit: 3, op: TexOp::Dxdy, unscaled: false, coordinates: [[0; 4]; 4], dx: step, dy: [[0; 4]; 4] };
    let texels = Textures::of(&nearest.registers, &nearest.memory).fetch(&fetch);
    assert_eq!((f32::from_bits(texels[0][0]) * 255.0).round(), 2.0);
}

#[test]
fn borders_come_from_the_register() {
    let mut unit = Unit::new([6 | 6 << 3 | POINT, BIAS_0, 7 | 7 << 11, RGBA8, 0, 0], 4096);
    unit.registers.write(0x45C0 + 12, 0x3300_00FF);
    assert_eq!(unit.fetch(TexOp::Ld, false, [1.5, 0.0, 0.0, 1.0]), [1.0, 0.0, 0.0, 0.2]);
}

/// Whatever the registers and coordinates are, texels are found or zeros, and nothing overflows.
#[test]
fn any_registers_give_something() {
    let ops = [TexOp::Ld, TexOp::Proj, TexOp::Lodbias, TexOp::Lod, TexOp::Dxdy];
    let mut known = 0;
    ctm_cases::check(18_000, |u| {
        let registers: [u32; 6] = u.arbitrary()?;
        let unit = Unit::new(registers, u.int_in_range(0..=0x1_0000)?);
        let textures = Textures::of(&unit.registers, &unit.memory);
        known += usize::from(textures.unit(3).is_some());
        for op in ops {
            let mut quad = [[0; 4]; 4];
            for value in quad.iter_mut().flatten() {
                *value =
                    if u.arbitrary()? { u.arbitrary()? } else { (u.int_in_range(-99..=99)? as f32 / 8.0).to_bits() };
            }
            let fetch = Fetch { unit: 3, op, unscaled: u.arbitrary()?, coordinates: quad, dx: quad, dy: quad };
            textures.fetch(&fetch);
        }
        Ok(())
    });
    assert!(known > 10, "{known} textures had a format");
}

/// Coordinates that depend on the column and row, and a texture at them.
const SAMPLE: &str = "\
src0.rgb = temp[0], src1.rgb = const[0], src2.rgb = const[1], src0.a = const[2] : temp[0].rgb = MAD src0.rgb src1.rgb src2.rgb , temp[0].a = MAX src0.a src0.a ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = OPERATION tex[3].rgba temp[0].rgba ;
OUT TEX_SEM_WAIT src0.a = temp[1] , src0.rgb = temp[1] : out[0].rgb = MAD src0.rgb src0.111 src0.000 , out[0].a = MAD src0.a src0.1 src0.0 ;
";

/// A job whose input has a sampler gets what a card's texture unit gives, bit for bit: of pictures, volumes and cubes, with their levels.
#[test]
fn inputs_with_samplers_are_textures() {
    let (mut different, mut compiled) = (0, 0);
    let engines: Vec<Executor> = EngineName::available().filter_map(|name| name.executor().ok()).collect();
    ctm_cases::check(150, |u| {
        let kind = *u.choose(&[TextureKind::Flat, TextureKind::Flat, TextureKind::Volume, TextureKind::Cube])?;
        // Surfaces have no gaps between layers and levels, as textures do where heights are not powers of two.
        let has_layers = kind != TextureKind::Flat || u.arbitrary()?;
        let [width, height, depth_log2] = match kind {
            TextureKind::Flat if !has_layers => [u.int_in_range(1..=20)?, u.int_in_range(1..=9)?, 0],
            TextureKind::Flat | TextureKind::Volume => {
                [1 << u.int_in_range(0..=4)?, 1 << u.int_in_range(0..=3)?, u.int_in_range(0..=3)?]
            }
            TextureKind::Cube => [1 << u.int_in_range(0..=3)?; 3],
        };
        let code = match kind {
            TextureKind::Flat => 0,
            TextureKind::Volume => 1,
            TextureKind::Cube => 2u32,
        };
        let last_level: u32 = if has_layers { u.int_in_range(0..=3)? } else { 0 };
        let wraps = [u.int_in_range(0..=7)?, u.int_in_range(0..=7)?, u.int_in_range(0..=7)?];
        let [magnification, minification] = [u.int_in_range(1..=2)?, u.int_in_range(1..=2)?];
        let filter0 = wraps[0] | wraps[1] << 3 | wraps[2] << 6 | magnification << 9 | minification << 11;
        let filter0 = filter0 | u.int_in_range(0..=2)? << 13 | u.int_in_range(0..=1)? << 17;
        let filter1 = u.int_in_range(0..=64)? << 3;
        let format0 = (width - 1) | (height - 1) << 11 | depth_log2 << 22 | last_level << 26;
        let unit = Unit::new([filter0, filter1, format0, RGBA8 | code << 25, 0, 0], 0x8000);
        (0..0x2000).for_each(|n: u32| _ = unit.memory.write_u32(BASE + 0x1000 + 4 * n, n.wrapping_mul(0x9E37_79B9)));
        let memory = Arc::new(unit.memory);
        let textures = Textures::of(&unit.registers, &memory);
        let op = *u.choose(&["LD", "PROJ", "LODBIAS", "LOD"])?;
        let unscaled = if u.ratio(1, 4)? { "UNSCALED " } else { "" };
        let text = SAMPLE.replace("OPERATION", op).replace("ACQUIRE ", &format!("ACQUIRE {unscaled}"));
        let program = ctm_x1k::text::parse(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
        let mut constants = ctm_x1k::Constants::default();
        for value in constants.floats[..2].as_flattened_mut() {
            *value = (u.int_in_range(-64..=64)? as f32 / 37.0).to_bits();
        }
        constants.floats[2] = [(u.int_in_range(-16..=16)? as f32 / 8.0).to_bits(); 4];

        let size = [u.int_in_range(1..=7)?, u.int_in_range(1..=5)?];
        let output = BASE + 0xA000;
        let surface = |base, pitch, height, format| Surface {
            base,
            pitch,
            height,
            tiling: Tiling::Linear,
            superfine: false,
            format,
        };
        let texture = textures.unit(3).expect("a texture");
        let level = |number: u32| {
            let [width, height, _] = texture.shape().level_size(number);
            let begin = texture.level(number).0.layer_offset(0) as u32;
            let rows = height * texture.shape().layers(number);
            surface(BASE + 0x1000 + begin, width.next_multiple_of(8), rows, SurfaceFormat::Uint8_4)
        };
        let mut space = Space::default();
        space.map(Arc::clone(&memory)).expect("addresses");
        let mut job = Job::new(&program, Domain { i0: 0, j0: 0, i1: size[0] - 1, j1: size[1] - 1 }, &space);
        job.constants = constants.clone();
        job.inputs[3] = Some(level(0));
        job.samplers[3] = Some(InputSampler {
            sampler: *texture.sampler(),
            shape: *texture.shape(),
            levels: (1..=last_level).map(level).collect(),
        });
        job.outputs[0] = Some(surface(output, 8, size[1], SurfaceFormat::Float32_4));

        let card = Program { info: ProgramInfo { position: None, ..program.info }, ..program.clone() };
        let fragments = FragmentJob { program: &card, constants: &constants, presets: &[0], textures: &textures };
        let quads = (0..size[1]).step_by(2).flat_map(|y| (0..size[0]).step_by(2).map(move |x| (x, y)));
        let mut expected = vec![[0; 4]; 64];
        for position in quads {
            let places = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| (position.0 + x, position.1 + y));
            let inside = places.map(|(x, y)| x < size[0] && y < size[1]);
            let covered = (0..4).fold(0, |bits, lane| bits | u8::from(inside[lane]) << lane);
            let inputs = vec![places.map(|(x, y)| [(x as f32).to_bits(), (y as f32).to_bits(), 0, 0])];
            let mut shaded = Vec::new();
            with_shader(&fragments, &RunOptions::default(), |shader| {
                shader.shade(&[Quad { position, covered, inputs }], &mut shaded)
            })
            .expect("a run");
            for (lane, (x, y)) in places.into_iter().enumerate().filter(|&(lane, _)| inside[lane]) {
                expected[(8 * y + x) as usize] = shaded[0].outputs[0][lane];
            }
        }
        for engine in &engines {
            let compiles = |engine: &Engine| engine.compiles(&job, &RunOptions::default()).is_ok();
            compiled += usize::from(matches!(engine, Executor::Engine(engine) if compiles(engine)));
            engine.run(&job, &RunOptions::default()).expect("a run");
            for (x, y) in (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))) {
                let word = |n: u32| memory.read_u32(output + 16 * (8 * y + x) + 4 * n).expect("memory");
                let (found, expected) = ([0, 1, 2, 3].map(word), expected[(8 * y + x) as usize]);
                let name = engine.name();
                assert_eq!(
                    found,
                    expected,
                    "{name} {text} {filter0:#x} {filter1:#x} {:?} at ({x}, {y})",
                    texture.shape()
                );
                different += usize::from(found[0] != 0);
                memory.write_bytes(output + 16 * (8 * y + x), &[0x55; 16]);
            }
        }
        Ok(())
    });
    assert!(different > 100, "{different} pixels got a texel");
    assert!(compiled > 20 || engines.len() < 3, "{compiled} runs of machine code");
}
