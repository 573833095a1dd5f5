//! ALU groups, fetches, exports and memory of the reference.

use crate::support::{FREE, LANES, assemble, job, memory, run, trap};
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_r700::{
    Bindings, Compare, Dimension, ElementFormat, Filter, GroupError, Input, Items, Job, NumberFormat, Region, Sampler,
    Stage, Texels, Texture, TrapKind, VertexBuffer, Wrap, reference,
};

const END: &str = "EXP_DONE: PARAM0, R1.xyzw\nEND_OF_PROGRAM\n";

/// What lane `lane` exports after these groups.
fn groups_of(groups: &str, lane: usize, prepare: impl FnOnce(&mut Job)) -> [u32; 4] {
    instructions(&format!("ALU:\n{groups}\n"), prepare)[lane]
}

fn instructions(source: &str, prepare: impl FnOnce(&mut Job)) -> [[u32; 4]; LANES] {
    let source = format!("{source}{END}");
    let (program, memory) = (assemble(&source), memory());
    let mut job = job(&program, &memory);
    prepare(&mut job);
    run(&job).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn floats(groups: &str) -> [f32; 4] {
    groups_of(groups, 5, |job| {
        job.inputs.insert(4, Input::Value([1.5, -2.0, 3.0, -0.5].map(f32::to_bits)));
    })
    .map(f32::from_bits)
}

#[test]
fn groups_read_before_they_write() {
    assert_eq!(
        floats(" 0 x: MOV R4.x, R4.y\n y: MOV R4.y, R4.x LAST\n 1 x: MOV R1.x, R4.x\n y: MOV R1.y, R4.y")[..2],
        [-2.0, 1.5]
    );
    let previous =
        " 0 x: ADD ____.x, R4.x, R4.y\n t: RECIP_IEEE ____.x, R4.y LAST\n 1 x: MOV R1.x, PV.x\n y: MOV R1.y, PS";
    assert_eq!(floats(previous)[..2], [-0.5, -0.5], "results without a destination");
    assert_eq!(
        floats(" 0 x: MOV R1.x, R4.x LAST\n 1 y: MOV R1.y, R4.y LAST\n 2 z: MOV R1.z, PV.x")[2],
        1.5,
        "units keep what they had"
    );
    assert_eq!(
        floats(" 0 x: MOV R1.x, PV.x\n y: MOV R1.y, 0.5f LAST\n 1 y: MOV R1.y, PS")[..2],
        [0.0, 0.0],
        "clauses start with 0"
    );
}

#[test]
fn modifiers() {
    assert_eq!(
        floats(" 0 x: MOV R1.x, -R4.x\n y: MOV R1.y, |R4.y|\n z: MOV R1.z, -|R4.z|\n w: MOV R1.w, R4.w CLAMP"),
        [-1.5, 2.0, -3.0, 0.0]
    );
    assert_eq!(
        floats(
            " 0 x: ADD*2 R1.x, R4.x, 1.0f\n y: ADD*4 R1.y, R4.x, 1.0f\n z: ADD/2 R1.z, R4.x, 1.0f\n w: MUL_IEEE*2 R1.w, R4.x, R4.x CLAMP"
        ),
        [5.0, 10.0, 1.25, 1.0]
    );
    let integer = groups_of(" 0 x: ADD_INT*4 R1.x, R0.x, 1 CLAMP\n y: SETGT_DX10 R1.y, R3.x, 0.0f CLAMP", 5, |_| {});
    assert_eq!(integer[..2], [6, u32::MAX], "integers take none");
    for (dx10_clamp, expected) in [(true, 0), (false, 0x7FC0_0000)] {
        let (mut program, memory) = (assemble(&format!("ALU:\n 0 x: MOV R1.x, 0x7FC00000 CLAMP\n{END}")), memory());
        program.info.dx10_clamp = dx10_clamp;
        assert_eq!(run(&job(&program, &memory)).unwrap()[0][0], expected);
    }
    assert_eq!(
        groups_of(" 0 x: MOV R1.x, 0x00000001\n y: MOV R1.y, 0x7F800001", 0, |_| {})[..2],
        [1, 0x7F80_0001],
        "moves keep bits"
    );
}

#[test]
fn reductions_and_cube() {
    let dot = " 0 x: DOT4 R1.x, R4.x, R4.x\n y: DOT4 ____.y, R4.y, R4.y\n z: DOT4 R1.z, R4.z, R4.z\n w: DOT4 ____.w, R4.w, R4.w\n t: MOV R1.w, 1.0f LAST\n 1 y: MOV R1.y, PV.w";
    assert_eq!(floats(dot), [15.5, 15.5, 15.5, 1.0]);
    let max = " 0 x: MAX4 R1.x, R4.x\n y: MAX4 R1.y, R4.y\n z: MAX4 R1.z, R4.z\n w: MAX4 R1.w, R4.w";
    assert_eq!(floats(max), [3.0; 4]);
    let cube =
        " 0 x: CUBE R1.x, R4.z, R4.y\n y: CUBE R1.y, R4.z, R4.x\n z: CUBE R1.z, R4.x, R4.z\n w: CUBE R1.w, R4.y, R4.z";
    assert_eq!(floats(cube), [2.0, 1.5, 6.0, 4.0], "direction (1.5, -2, 3)");
}

#[test]
fn relative_operands() {
    let table = |job: &mut Job| {
        for register in 8..16u8 {
            job.inputs.insert(register, Input::Value([u32::from(register) * 10, 0, 0, 0]));
        }
        job.bindings.constants = (0..8).map(|n| [n + 100; 4]).collect();
    };
    let read = " 0 x: MOVA_INT ____.x, R0.x\n y: MOVA_INT ____.y, 1 LAST\n 1 x: MOV R1.x, R8[AR.x].x\n y: MOV R1.y, C4[AR.y].x LAST\n 2 z: MOV R1.z, C5[AR.x].x";
    assert_eq!(groups_of(read, 2, table), [100, 105, 107, 0]);
    assert_eq!(groups_of(read, 7, table), [150, 105, 0, 0], "constants beyond the file are 0");
    let write = " 0 x: MOVA_INT ____.x, R0.x LAST\n 1 x: MOV R8[AR.x].x, 1 LAST\n 2 x: MOV R1.x, R11.x";
    assert_eq!([groups_of(write, 3, table)[0], groups_of(write, 4, table)[0]], [1, 110]);
    let too_late = " 0 x: MOVA_INT ____.x, R0.x\n y: MOV R1.y, C1[AR.x].x";
    assert_eq!(groups_of(too_late, 3, table)[1], 101, "the group that sets AR reads the old one");
    let outside = format!("ALU:\n 0 x: MOVA_INT ____.x, -1 LAST\n 1 x: MOV R1.x, R0[AR.x].x\n{END}");
    let trap = trap(&outside, table);
    assert_eq!((trap.kind, trap.location.pc, trap.location.slot), (TrapKind::GprOutOfRange, 0, Some(3)));
}

#[test]
fn relative_registers_may_stay_inside() {
    let clamped = |groups: &str| {
        groups_of(groups, 5, |job| {
            job.clamp_gpr = true;
            let last = job.program.info.num_gprs - 1;
            job.inputs.insert(4, Input::Value([7; 4]));
            job.inputs.insert(last, Input::Value([9; 4]));
        })
    };
    let read = |index: &str| {
        let groups = format!(
            " 0 x: MOVA_INT ____.x, {index} LAST\n 1 x: MOV R1.x, R4[AR.x].x\n y: MOV R1.y, R20[AR.x].y\n z: MOV R1.z, R20.z"
        );
        clamped(&groups)[0]
    };
    assert_eq!(read("0.0f"), 7);
    assert_eq!(read("1.0f"), 9, "far above");
    assert_eq!(clamped(" 0 x: MOVA_INT ____.x, -1 LAST\n 1 y: MOV R0[AR.x].y, 0x3 LAST\n 2 x: MOV R1.x, R0.y")[0], 3);
}

#[test]
fn kills_may_end_lanes() {
    let after = "ALU_PUSH_BEFORE:\n 0 x: PRED_SETGT_INT ____.x, R0.x, 0x4 UPDATE_EXEC_MASK UPDATE_PRED\nALU_POP_AFTER:\n 1 y: MOV R1.y, 0x2 LAST\n";
    let source = format!(
        "ALU:\n 0 x: MOV R1.x, 1 LAST\n 1 x: KILLGT_INT ____.x, R0.x, 0x2 LAST\n 2 z: MOV R1.z, 0x3 LAST\n{after}"
    );
    let lanes = |stops| instructions(&source, |job| job.kill_stops_pixel = stops);
    assert_eq!(lanes(false)[5], [1, 2, 3, 0], "an invalid lane goes on");
    let lanes = lanes(true);
    assert_eq!((lanes[2], lanes[5]), ([1, 0, 3, 0], [0; 4]), "a dead one writes nothing any more");
}

#[test]
fn constant_cache() {
    let bank = |job: &mut Job| {
        for n in 0..40u32 {
            job.memory.write_bytes(FREE + n * 16 + 4, &n.to_le_bytes()).unwrap();
        }
        job.bindings.kcache[2] = Some(Region { base: FREE, length: 40 * 16 });
    };
    let source = |window: &str, operand: &str| format!("ALU: {window}\n 0 x: MOV R1.x, {operand}\n");
    let x = |source: &str| instructions(source, bank)[0][0];
    assert_eq!(x(&source("KCACHE0(CB2:16-31)", "KC0[3].y")), 19);
    assert_eq!(x(&source("KCACHE1(CB2:0-31)", "KC1[31].y")), 31);
    assert_eq!(x(&source("KCACHE0(CB2:32-47)", "KC0[8].y")), 0, "beyond the buffer");
    let beyond = format!("{}{END}", source("KCACHE0(CB2:16-31)", "KC0[16].y"));
    assert_eq!(trap(&beyond, bank).kind, TrapKind::ConstOutOfRange { window: 0, entry: 16 });
    let in_loop = format!(
        "LOOP_START CF_CONST(0) FAIL_JUMP_ADDR(@out)\nin:\n{}LOOP_END CF_CONST(0) PASS_JUMP_ADDR(@in)\nout:\n",
        source("KCACHE0(CB2:AL+0-AL+31)", "KC0[2].y")
    );
    let looped = instructions(&in_loop, |job| {
        bank(job);
        job.loops[0] = ctm_r700::LoopConstant { count: 1, init: 17, step: 1 };
    });
    assert_eq!(looped[0][0], 18, "whole lines");
}

#[test]
fn vertex_fetches() {
    let bytes: Vec<u8> = (1..=64).collect();
    let fetch = |fields: &str, prepare: &dyn Fn(&mut VertexBuffer)| {
        instructions(&format!("VTX:\n 0 FETCH R1.xyzw, R0.x, b5 {fields}\n"), |job| {
            job.memory.write_bytes(FREE, &bytes).unwrap();
            let mut buffer =
                VertexBuffer { region: Region { base: FREE, length: 26 }, stride: 5, ..VertexBuffer::default() };
            prepare(&mut buffer);
            job.bindings.buffers.insert(5, buffer);
            job.base_vertex = 2;
        })
    };
    let plain = &|_: &mut VertexBuffer| {};
    let int = fetch("FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(8_8_8_8 INT UNSIGNED ZERO_CLAMP_MINUS_ONE)", plain);
    assert_eq!([int[0], int[2], int[4]], [[1, 2, 3, 4], [11, 12, 13, 14], [21, 22, 23, 24]]);
    assert_eq!(int[5], [0; 4], "bytes 25 to 28 are not all there");
    let based = fetch("FETCH_TYPE(VERTEX_DATA) FORMAT(8_8 INT UNSIGNED ZERO_CLAMP_MINUS_ONE) OFFSET(3)", plain);
    assert_eq!(based[1], [19, 20, 0, 1], "missing channels are 0, 0, 0, 1");
    let swapped =
        fetch("FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(16_16 INT UNSIGNED ZERO_CLAMP_MINUS_ONE) ENDIAN_SWAP(8IN32)", plain);
    assert_eq!(swapped[0], [0x0304, 0x0102, 0, 1]);
    let from_resource = fetch(
        "FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(INVALID NORM UNSIGNED ZERO_CLAMP_MINUS_ONE) USE_CONST_FIELDS",
        &|buffer| {
            buffer.format = ElementFormat { data_format: 1, number: NumberFormat::Norm, ..ElementFormat::default() };
        },
    );
    assert_eq!(from_resource[0], [f32::to_bits(1.0 / 255.0), 0, 0, f32::to_bits(1.0)]);
    let scaled = fetch("FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(2_10_10_10 SCALED SIGNED NO_ZERO)", plain);
    let word = 0x0403_0201u32;
    let field = |at: u32| ((word >> at & 0x3FF) as i32) << 22 >> 22;
    assert_eq!(scaled[0].map(f32::from_bits), [field(0) as f32, field(10) as f32, field(20) as f32, 0.0]);
    let semantic =
        instructions("VTX:\n 0 SEMANTIC SEM[9].xyzw, R0.x, b5 FORMAT(8 INT UNSIGNED ZERO_CLAMP_MINUS_ONE)\n", |job| {
            job.memory.write_bytes(FREE, &bytes).unwrap();
            job.bindings.buffers.insert(
                5,
                VertexBuffer { region: Region { base: FREE, length: 64 }, stride: 1, ..VertexBuffer::default() },
            );
            job.semantics = vec![9, 4];
        });
    assert_eq!(semantic[3], [4, 0, 0, 1], "semantic 9 is register 1");
}

/// A 4 x 2 texture whose texel (x, y) is (10 y + x, 1, 2, 3).
fn texture(job: &mut Job) -> Texture {
    let surface = Surface {
        base: FREE,
        pitch: 8,
        height: 2,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_4,
    };
    let view = View::new(job.memory, surface, Bounds::Drop);
    for (x, y) in (0..8).map(|n| (n % 4, n / 4)) {
        view.store(x, y, [(10 * y + x) as f32, 1.0, 2.0, 3.0].map(f32::to_bits), 0xF);
    }
    Texture::flat(4, 2, surface)
}

#[test]
fn texture_fetches() {
    let sample = |instruction: &str, coordinates: [f32; 4], sampler: Sampler, levels: usize| {
        let source = format!("TEX:\n 0 {instruction}\n");
        let found = instructions(&source, |job| {
            let mut bound = texture(job);
            let smaller = Surface { base: FREE + 0x1000, ..bound.surfaces()[0] };
            View::new(job.memory, smaller, Bounds::Drop).store(0, 0, [7.0f32.to_bits(); 4], 0xF);
            let levels = bound.surfaces().iter().copied().chain(std::iter::repeat_n(smaller, levels - 1)).collect();
            bound.texels = Texels::Surfaces(levels);
            job.bindings.textures.insert(3, bound);
            job.bindings.samplers.insert(1, sampler);
            job.inputs.insert(4, Input::Value(coordinates.map(f32::to_bits)));
            job.inputs.insert(5, Input::Value([3, 1, 0, 0]));
        });
        found[0].map(f32::from_bits)
    };
    let nearest = Sampler::default();
    assert_eq!(
        sample("SAMPLE R1.xyzw, R4.xy00, t3, s1 DENORM(XY)", [2.9, 1.0, 0.0, 0.0], nearest, 1),
        [12.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(sample("SAMPLE R1.wx01, R4.xy00, t3, s1", [0.5, 0.9, 0.0, 0.0], nearest, 1), [3.0, 12.0, 0.0, 1.0]);
    assert_eq!(
        sample("SAMPLE R1.xyzw, R4.xy00, t3, s1 DENORM(XY) XOFFSET(-1)", [2.9, 1.0, 0.0, 0.0], nearest, 1)[0],
        11.0
    );
    for (wrap, expected) in [(Wrap::Clamp, 3.0), (Wrap::Repeat, 1.0), (Wrap::Mirror, 2.0), (Wrap::Border, 8.0)] {
        let sampler = Sampler { wrap: [wrap; 3], border: [8.0f32.to_bits(); 4], ..nearest };
        assert_eq!(
            sample("SAMPLE R1.xyzw, R4.xy00, t3, s1 DENORM(XY)", [5.5, 0.0, 0.0, 0.0], sampler, 1)[0],
            expected,
            "{wrap:?}"
        );
    }
    let linear = Sampler::with_filter(Filter::Linear);
    assert_eq!(sample("SAMPLE R1.xyzw, R4.xy00, t3, s1 DENORM(XY)", [1.75, 1.0, 0.0, 0.0], linear, 1)[0], 6.25);
    let compare = Sampler { compare: Compare::Less, ..linear };
    assert_eq!(
        sample("SAMPLE_C R1.xyzw, R4.xy0w, t3, s1 DENORM(XY)", [1.75, 0.5, 0.0, 1.5], compare, 1),
        [0.25, 0.25, 0.25, 0.25],
        "only texel 2 is above 1.5"
    );
    assert_eq!(
        sample("SAMPLE_L R1.xyzw, R4.xy0w, t3, s1", [0.0, 0.0, 0.0, 0.6], nearest, 2)[0],
        7.0,
        "level 0.6 is level 1"
    );
    assert_eq!(sample("SAMPLE_LB R1.xyzw, R4.xy0w, t3, s1 LOD(-0.25)", [0.0, 0.0, 0.0, 0.6], nearest, 2)[0], 0.0);
    assert_eq!(sample("LD R1.xyzw, R5.xyzw, t3, s0", [0.0; 4], nearest, 1)[0], 13.0);
    assert_eq!(sample("LD R1.xyzw, R5.xxzw, t3, s0", [0.0; 4], nearest, 1), [0.0; 4], "row 3 is outside");
    let info = sample("GET_TEXTURE_INFO R1.xyzw, R5.zxxx, t3, s0", [0.0; 4], nearest, 2).map(f32::to_bits);
    assert_eq!(info, [4, 2, 1, 2]);
    assert_eq!(sample("GET_GRADIENTS_H R1.xyzw, R3.xxxx, t0, s0", [0.0; 4], nearest, 1)[0], 1.0);
    assert_eq!(sample("GET_GRADIENTS_V R1.xyzw, R3.xxxx, t0, s0", [0.0; 4], nearest, 1)[0], 2.0, "lanes 0 and 2");
}

/// Level k of a texture of four levels is k everywhere; what pixels sample is then the level that they take.
#[test]
fn levels_of_detail() {
    let level = |instruction: &str, scale: [f32; 2], bias: f32, quad_derivatives: bool| {
        let (operation, property) = instruction.split_once(' ').unwrap_or((instruction, ""));
        let source = format!(
            "ALU: WHOLE_QUAD\n 0 x: MUL_IEEE R1.x, R0.x, C0.x\n y: MUL_IEEE R1.y, R0.y, C0.y\n w: MOV R1.w, C0.w\n\
             TEX:\n 1 {operation} R2.xyzw, R1.xy0w, t3, s1 {property}\nEXP_DONE: PIX0, R2.xxxx\nEND_OF_PROGRAM\n"
        );
        let (mut program, memory) = (assemble(&source), memory());
        program.info.stage = Stage::Pixel;
        let surface =
            |base: u32, format| Surface { base, pitch: 8, height: 8, tiling: Tiling::Linear, superfine: false, format };
        let levels: Vec<Surface> = (0..4).map(|level| surface(FREE + 0x400 * level, Format::Float32_1)).collect();
        for (level, &of_level) in levels.iter().enumerate() {
            let view = View::new(&memory, of_level, Bounds::Drop);
            (0..64).for_each(|n| view.store(n % 8, n / 8, [(level as f32).to_bits(); 4], 0xF));
        }
        let colours = surface(FREE + 0x2000, Format::Float32_4);
        let mut job = Job::new(&program, Domain { i0: 1, j0: 0, i1: 3, j1: 2 }, &memory);
        job.quad_derivatives = quad_derivatives;
        job.inputs.insert(0, Input::Position);
        job.bindings.constants = vec![[scale[0], scale[1], 0.0, bias].map(f32::to_bits)];
        job.bindings.textures.insert(3, Texture { texels: Texels::Surfaces(levels), ..Texture::flat(8, 8, colours) });
        job.targets.colours[0] = Some(colours);
        reference::run(&job, &RunOptions { threads: 1, ..RunOptions::default() }).unwrap();
        let view = View::new(&memory, colours, Bounds::Drop);
        let found: Vec<u32> = (0..9).map(|n| view.load(1 + n % 3, n / 3)[0]).collect();
        assert!(found.iter().all(|&value| value == found[0]), "{instruction} {scale:?}: {found:?}");
        f32::from_bits(found[0])
    };
    for (scale, expected) in [
        ([1.0, 1.0], 0.0),
        ([2.0, 0.0], 1.0),
        ([0.0, -4.0], 2.0),
        // log2 3 is 1.58; the longer distance counts.
        ([3.0, 1.0], 2.0),
        ([0.125, 0.25], 0.0),
        ([0.0, 0.0], 0.0),
        ([100.0, 1.0], 3.0),
        ([f32::NAN, 1.0], 0.0),
    ] {
        assert_eq!(level("SAMPLE DENORM(XY)", scale, 0.0, true), expected, "{scale:?}");
        assert_eq!(level("SAMPLE DENORM(XY)", scale, 0.0, false), 0.0, "{scale:?}");
        // Coordinates that are fractions: an eighth is a texel.
        let fractions = scale.map(|scale| scale / 8.0);
        assert_eq!(level("SAMPLE", fractions, 0.0, true), expected, "{scale:?}");
    }
    assert_eq!(level("SAMPLE_LB", [0.25, 0.0], 0.75, true), 2.0, "1.75");
    assert_eq!(level("SAMPLE_LZ", [1.0, 1.0], 0.0, true), 0.0);
    assert_eq!(level("SAMPLE_L", [1.0, 1.0], 1.0, true), 1.0);
}

#[test]
fn slices_and_faces() {
    let surface = |base| Surface {
        base,
        pitch: 8,
        height: 6,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_1,
    };
    for (dimension, size, coordinates, row) in [
        (Dimension::D3, [2, 2, 3], [0.5, 1.5, 2.5], 5),
        (Dimension::D2Array, [2, 2, 3], [0.5, 1.5, 0.6], 3),
        (Dimension::D1Array, [2, 1, 6], [0.5, 9.0, 4.0], 4),
        (Dimension::Cube, [1, 1, 6], [1.5, 1.5, 5.0], 5),
    ] {
        let found = instructions("TEX:\n 0 SAMPLE R1.xxxx, R4.xyz0, t3, s1 DENORM(XYZ)\n", |job| {
            let view = View::new(job.memory, surface(FREE), Bounds::Drop);
            (0..6).for_each(|row| view.store(0, row, [row as u32; 4], 0xF));
            let bound = Texture::flat(1, 1, surface(FREE));
            job.bindings.textures.insert(3, Texture { dimension, size, ..bound });
            job.inputs.insert(4, Input::Value([coordinates[0], coordinates[1], coordinates[2], 0.0].map(f32::to_bits)));
        });
        assert_eq!(found[0][0], row, "{dimension:?}");
        let found = instructions("TEX:\n 0 GET_TEXTURE_INFO R1.xyzw, R4.0000, t3, s0\n", |job| {
            job.bindings.textures.insert(3, Texture { dimension, size, ..Texture::flat(1, 1, surface(FREE)) });
        });
        let [width, height, layers] = size;
        let expected = match dimension {
            Dimension::D1Array => [width, layers, height, 1],
            _ => [width, height, layers, 1],
        };
        assert_eq!(found[0], expected, "{dimension:?}");
    }
}

#[test]
fn memory_instructions() {
    let dwords = |job: &Job, base: u32, count: usize| -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        job.memory.read_bytes(base, &mut bytes).unwrap();
        bytes.as_chunks().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect()
    };
    // Scratch is each lane's own, and reads give what was written.
    let scratch = "MEM_SCRATCH: WRITE(2+R0), R0.xyzw ARRAY_SIZE(9)\nTEX:\n 0 MEM_RD_SCRATCH R1.xyzw, R0.x INDEXED ARRAY_BASE(2) ARRAY_SIZE(9) ELEM_SIZE(3) FORMAT(32_32_32_32 INT UNSIGNED ZERO_CLAMP_MINUS_ONE)\n";
    let found = instructions(scratch, |_| {});
    assert_eq!(found[5], [5, 0, 0, 7]);
    let source = format!(
        "MEM_RING: WRITE(1), R0.x__w ELEM_SIZE(3) ARRAY_SIZE(4095)\nMEM_STREAM1: WRITE(0+R0), R0.x___ ARRAY_SIZE(3)\n\
         MEM_EXPORT: WRITE(8+R0), R0.x___ ARRAY_SIZE(5)\nMEM_REDUCTION: WRITE(1+R0), R0._x__ ARRAY_SIZE(7)\n{END}"
    )
    .replace("R0._x__", "R0._y__");
    let (program, memory) = (assemble(&source), memory());
    let mut job = job(&program, &memory);
    let items = |base, item_dwords| Some(Items { region: Region { base, length: 0x100 }, item_dwords });
    job.memories.ring = items(FREE, 5);
    job.memories.streams[1] = items(FREE + 0x100, 4);
    job.memories.export = Some(Region { base: FREE + 0x200, length: 0x100 });
    job.memories.reduction = Some(Region { base: FREE + 0x300, length: 0x100 });
    memory.write_bytes(FREE + 0x300, &[0xFF; 0x100]).unwrap();
    run(&job).unwrap();
    let ring = dwords(&job, FREE, 16);
    assert_eq!(ring[..16], [0, 0, 0, 0, 7, 0, 1, 0, 0, 7, 0, 2, 0, 0, 7, 0], "offset 1 of items of 5 dwords, x and w");
    let stream = dwords(&job, FREE + 0x100, 32);
    assert_eq!(
        (stream[4 + 1], stream[8 + 2], stream[12 + 3], stream[16 + 4]),
        (1, 2, 3, 0),
        "index 4 is beyond the array"
    );
    assert_eq!(dwords(&job, FREE + 0x200, 16)[8..], [0, 1, 2, 3, 4, 5, 0, 0]);
    let reduction = dwords(&job, FREE + 0x300, 8);
    assert_eq!(
        reduction,
        [u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0, u32::MAX, u32::MAX],
        "elements of 4 dwords, y only"
    );
}

#[test]
fn pixel_exports() {
    let source =
        "ALU:\n 0 x: KILLE_INT ____.x, R0.x, 1\nEXP: PIX1, R3.x1_0\nEXP_DONE: PIX61, R3.x___\nEND_OF_PROGRAM\n";
    let (mut program, memory) = (assemble(source), memory());
    program.info.stage = Stage::Pixel;
    let mut job = job(&program, &memory);
    let surface =
        |base, format| Surface { base, pitch: 8, height: 1, tiling: Tiling::Linear, superfine: false, format };
    let (colour, depth) = (surface(FREE, Format::Float32_4), surface(FREE + 0x800, Format::Float32_1));
    let read = |surface| View::new(&memory, surface, Bounds::Drop);
    (0..8).for_each(|x| read(colour).store(x, 0, [9.0f32.to_bits(); 4], 0xF));
    job.targets.colours[1] = Some(colour);
    job.targets.depth = Some(depth);
    run(&job).unwrap();
    assert_eq!(read(colour).load(3, 0).map(f32::from_bits), [3.0, 1.0, 9.0, 0.0], "masked channels stay");
    assert_eq!(read(colour).load(1, 0).map(f32::from_bits), [9.0; 4], "the lane was killed");
    assert_eq!([read(depth).load(3, 0)[0], read(depth).load(1, 0)[0]].map(f32::from_bits), [3.0, 0.0]);
}

#[test]
fn geometry_shaders_emit() {
    let (mut program, memory) = (assemble(&format!("EMIT_VERTEX\nEMIT_CUT_VERTEX\nCUT_VERTEX\n{END}")), memory());
    program.info.stage = Stage::Geometry;
    let mut job = job(&program, &memory);
    job.memories.strips = Some(Items { region: Region { base: FREE, length: 0x200 }, item_dwords: 4 });
    run(&job).unwrap();
    let mut bytes = [0; 32];
    memory.read_bytes(FREE, &mut bytes).unwrap();
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
    assert_eq!(words, [4, 0, 0, 1, 4, 0, 0, 1], "four events, three of which fit");
}

#[test]
fn what_is_not_executed_is_refused_by_name() {
    let alu = |group: &str| format!("ALU:\n 0 {group}\n{END}");
    let cases = [
        (alu("x: ADD_64 R1.x, R0.x, R0.x"), TrapKind::Unsupported("ADD_64"), Some(2)),
        (alu("x: DOT4 R1.x, R0.x, R0.x"), TrapKind::GroupIllegal(GroupError::Reduction("DOT4")), Some(2)),
        (format!("TEX:\n 0 GET_LERP R1.xyzw, R0.xyzw, t0, s0\n{END}"), TrapKind::Unsupported("GET_LERP"), Some(2)),
        (
            format!("VTX:\n 0 FETCH R1.xyzw, R0.x, b0 FORMAT(BC1 NORM UNSIGNED ZERO_CLAMP_MINUS_ONE)\n{END}"),
            TrapKind::Unsupported("BC1"),
            Some(2),
        ),
        (
            format!("EXP: PARAM31, R0.xyzw\nEXP: PARAM30, R0.xyzw BURSTCNT(2)\n{END}"),
            TrapKind::Unsupported("an export to this parameter target"),
            None,
        ),
    ];
    for (source, kind, slot) in cases {
        let trap = trap(&source, |job| {
            let bound = texture(job);
            job.bindings = Bindings {
                textures: [(0, bound)].into(),
                buffers: [(0, VertexBuffer::default())].into(),
                ..Bindings::default()
            };
        });
        assert_eq!((trap.kind, trap.location.slot), (kind, slot), "{source}");
    }
}

#[test]
fn environments_that_do_not_fit() {
    use ctm_r700::StateError;
    let source = format!(
        "TEX:\n 0 SAMPLE R1.xyzw, R0.xyzw, t4, s0\nVTX:\n 0 FETCH R1.xyzw, R0.x, b6 FORMAT(8 INT UNSIGNED ZERO_CLAMP_MINUS_ONE)\nALU: KCACHE0(CB3:0-15)\n 0 x: MOV R1.x, KC0[0].x\n{END}"
    );
    let (program, memory) = (assemble(&source), memory());
    let mut job = job(&program, &memory);
    assert_eq!(job.check(), Err(StateError::NoTexture(4)));
    let bound = texture(&mut job);
    job.bindings.textures.insert(4, Texture { texels: Texels::Surfaces(Vec::new()), ..bound.clone() });
    assert_eq!(job.check(), Err(StateError::EmptyTexture(4)));
    job.bindings.textures.insert(4, bound);
    assert_eq!(job.check(), Err(StateError::NoBuffer(6)));
    job.bindings.buffers.insert(6, VertexBuffer::default());
    assert_eq!(job.check(), Err(StateError::NoConstants(3)));
    job.bindings.kcache[3] = Some(Region { base: 0x10, length: 4 });
    assert!(matches!(job.check(), Err(StateError::Unmapped { .. })));
    job.bindings.kcache[3] = Some(Region { base: FREE, length: 4 });
    assert_eq!(job.check(), Ok(()));
    // What was found of one program is not taken for another one's.
    let other = assemble(&source.replace("t4", "t5"));
    job.program = &other;
    assert_eq!(job.check(), Err(StateError::NoTexture(5)));
    job.program = &program;
    job.fetch_program = Some(&other);
    assert_eq!(job.check(), Err(StateError::NoTexture(5)));
    job.inputs.insert(128, Input::Position);
    assert_eq!(job.check(), Err(StateError::InputRegister(128)));
}
