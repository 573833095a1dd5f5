//! Fragment programs over a window of pixels: inputs, quads, killed lanes, outputs.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{
    Environment, Invocations, Mode, PixelInput, PixelQuad, Pixels, PrimitiveValues, Shader, StageLaunch, StageRunner,
};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, PixelMaps, text};

const BASE: u32 = 0x1_0000;

/// Runs a program over a window; gives the pixels, and what global memory holds.
fn run(code: &str, size: (u32, u32), inputs: &[(u32, PixelInput)]) -> (Pixels, Vec<u32>) {
    run_over(code, |maps| Pixels::new(size, maps, inputs.iter().cloned()).unwrap())
}

/// Runs a program over pixels.
fn run_over(code: &str, pixels: impl FnOnce(&PixelMaps) -> Pixels) -> (Pixels, Vec<u32>) {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mut memory = Space::default();
    memory.map(Arena::new(BASE, 0x1000).unwrap()).unwrap();
    let environment = Environment { memory: Some(&memory), mode: Mode::Strict, ..Environment::default() };
    let maps = program.header.unwrap().pixel;
    let pixels = pixels(&maps);
    let invocations = Invocations { count: pixels.invocations(), columns: None };
    let launch = StageLaunch {
        pixels: Some(&pixels),
        ..StageLaunch::new(Shader::from(&program), &environment, &invocations, AttributeMap::default())
    };
    Reference
        .run(&launch, &RunOptions { step_limit: 10_000, ..RunOptions::default() })
        .unwrap_or_else(|stop| panic!("{stop}"));
    let mut bytes = vec![0; 0x1000];
    memory.read_bytes(BASE, &mut bytes).unwrap();
    (pixels, bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

fn floats(pixels: &Pixels, pixel: (u32, u32)) -> Option<Vec<f32>> {
    pixels.result(pixel).map(|words| words.into_iter().map(f32::from_bits).collect())
}

#[test]
fn inputs_are_evaluated_as_the_mode_says() {
    let code = ".stage pixel
        IPA.PASS R4, a[0x7c], RZ;
        MUFU.RCP R4, R4;
        IPA R0, a[0x80], R4;
        IPA.PASS R1, a[0x74], RZ;
        IPA.CONSTANT R2, a[0x90], RZ;
        MOV32I R5, 0x08000400;
        IPA.OFFSET R3, a[0x80], R4, R5;
        EXIT;";
    let inputs = [
        (0x7c, PixelInput::Constant(0.5f32.to_bits())),
        (0x80, PixelInput::Plane { origin: 1.0, dx: 2.0, dy: 4.0 }),
        (0x90, PixelInput::Constant(7)),
    ];
    let (pixels, _) = run(code, (3, 3), &inputs);
    for (x, y) in [(0, 0), (1, 0), (0, 1), (2, 2)] {
        let value = |dx: f32, dy: f32| 2.0 * (1.0 + 2.0 * (x as f32 + 0.5 + dx) + 4.0 * (y as f32 + 0.5 + dy));
        let expected = vec![value(0.0, 0.0), y as f32 + 0.5, f32::from_bits(7), value(0.25, 0.5)];
        assert_eq!(floats(&pixels, (x, y)), Some(expected), "{x}, {y}");
    }
    // What the header does not name is not there.
    let (pixels, _) = run(&code.replace(".stage pixel", ".stage pixel\n.imap_perspective none"), (1, 1), &inputs);
    assert_eq!(floats(&pixels, (0, 0)).unwrap()[0], 0.0);
}

/// Quads of several primitives are in one launch, each pixel with the values of its own.
#[test]
fn quads_have_the_inputs_of_their_primitives() {
    let code = ".stage pixel
        IPA.PASS R0, a[0x80], RZ;
        IPA.CONSTANT R1, a[0x80], RZ;
        MOV32I R5, 0xf8000400;
        IPA.PASS.OFFSET R2, a[0x80], RZ, R5;
        IPA.PASS R3, a[0x74], RZ;
        EXIT;";
    let quads = vec![
        PixelQuad::of_one_sample((6, 2), 0b1001, 1),
        PixelQuad::of_one_sample((0, 0), 0b0001, 0),
        PixelQuad::of_one_sample((6, 2), 0b0110, 0),
    ];
    let values = PrimitiveValues {
        centres: (0..12).map(|n| (n as f32).to_bits()).collect(),
        slopes: vec![[8.0, 16.0], [2.0, 4.0]],
        provoking: vec![7, 9],
        centroids: Vec::new(),
    };
    let (pixels, _) =
        run_over(code, |maps| Pixels::of_quads(quads, maps, [(0x80, PixelInput::Primitives(values))]).unwrap());
    let result = |n: u32| pixels.result_of(n).map(|words| (words[1], [0, 2, 3].map(|n| f32::from_bits(words[n]))));
    // A quarter of a pixel to the right, half a pixel up.
    assert_eq!(result(0), Some((9, [0.0, 0.5 - 2.0, 2.5])));
    assert_eq!(result(3), Some((9, [3.0, 3.0 + 0.5 - 2.0, 3.5])));
    assert_eq!(result(4), Some((7, [4.0, 4.0 + 2.0 - 8.0, 0.5])));
    assert_eq!(result(9), Some((7, [9.0, 9.0 + 2.0 - 8.0, 2.5])));
    assert_eq!([1, 2, 5, 6, 7, 8, 11].map(result), [None; 7]);
    assert_eq!((pixels.pixel(9), pixels.pixel(10)), ((7, 2), (6, 3)));
}

/// As compilers write dFdx and dFdy.
#[test]
fn derivatives_come_from_the_quad() {
    let code = ".stage pixel
        IPA.PASS R2, a[0x80], RZ;
        SHFL.BFLY PT, R3, R2, 0x1, 0x1c03;
        FSWZADD R0, R3, R2, PNNPPNNP;
        SHFL.BFLY PT, R3, R2, 0x2, 0x1c03;
        FSWZADD R1, R3, R2, PNPNNPNP;
        EXIT;";
    // At the border of a window of odd size, helpers have the neighbours' values.
    let (pixels, _) = run(code, (3, 3), &[(0x80, PixelInput::Plane { origin: 0.0, dx: 3.0, dy: -5.0 })]);
    for (x, y) in (0..3).flat_map(|y| (0..3).map(move |x| (x, y))) {
        assert_eq!(floats(&pixels, (x, y)).unwrap()[..2], [3.0, -5.0], "{x}, {y}");
    }
}

/// Killed lanes put nothing out and store nothing, but go on for the derivatives of the others, and know what they are.
#[test]
fn killed_lanes_help() {
    let code = ".stage pixel
        IPA.PASS R2, a[0x70], RZ;
        IPA.PASS R9, a[0x74], RZ;
        FSETP.LT.AND P0, PT, R2, 1.0, PT;
        @P0 KIL;
        S2R R4, SR_THREAD_KILL;
        SHFL.BFLY PT, R3, R2, 0x1, 0x1c03;
        FSWZADD R0, R3, R2, PNNPPNNP;
        SHFL.BFLY PT, R1, R4, 0x1, 0x1c03;
        MOV32I R5, 0x10000; MOV32I R6, 1;
        RED.ADD [R5], R6;
        ATOM.ADD R7, [R5+0x4], R6;
        F2I.U32.F32.TRUNC R8, R9; XMAD R8, R8, 0x10, RZ; F2I.U32.F32.TRUNC R10, R2; SHL R10, R10, 0x2; IADD R8, R8, R10;
        ST [R8+0x10100], R6;
        EXIT;";
    let (pixels, memory) = run(code, (4, 2), &[]);
    for (x, y) in (0..2).flat_map(|y| (0..4).map(move |x| (x, y))) {
        let found = pixels.result((x, y));
        match x {
            0 => assert_eq!(found, None),
            _ => assert_eq!(found.unwrap()[..2], [1.0f32.to_bits(), if x == 1 { u32::MAX } else { 0 }], "{x}, {y}"),
        }
    }
    assert_eq!((memory[0], memory[1]), (6, 6));
    assert_eq!(memory[0x40..0x48], [0, 1, 1, 1, 0, 1, 1, 1]);
}

/// A quad that is killed as a whole ends: the loop that its lanes would not leave does not hold the others up.
#[test]
fn a_dead_quad_ends() {
    let code = ".stage pixel
        IPA.PASS R2, a[0x70], RZ;
        FSETP.LT.AND P0, PT, R2, 2.0, PT;
        @P0 KIL;
    here:
        @P0 BRA here;
        MOV32I R0, 0x5;
        EXIT;";
    let (pixels, _) = run(code, (4, 2), &[]);
    assert_eq!(pixels.result((1, 1)), None);
    assert_eq!(pixels.result((2, 1)).unwrap()[0], 5);
}

/// As compilers write textureGrad: SAM lets all lanes of a quad work, whichever are active.
#[test]
fn all_lanes_of_a_quad_work_between_sam_and_ram() {
    let code = ".stage pixel
        IPA.PASS R2, a[0x70], RZ;
        FSETP.LT.AND P0, PT, R2, 1.0, PT;
        SSY end;
        @P0 SYNC;
        SAM;
        MOV32I R0, 0x7;
        MOV R1, R2, 0x1;
        RAM;
        MOV32I R3, 0x9;
        SYNC;
    end:
        EXIT;";
    let (pixels, _) = run(code, (2, 1), &[]);
    assert_eq!(pixels.result((0, 0)).unwrap(), [7, 0.5f32.to_bits(), 0.5f32.to_bits(), 0]);
    assert_eq!(pixels.result((1, 0)).unwrap(), [7, 0, 1.5f32.to_bits(), 9]);
}

/// Targets have four registers each, in their order; then come sample mask and depth.
#[test]
fn outputs_are_in_registers() {
    let code = ".stage pixel
        .omap_targets 0xf010f
        .omap_depth yes
        PIXLD.COVMASK R12, [RZ]; MOV32I R13, 0x3f000000; MOV32I R8, 3; MOV32I R4, 2; MOV32I R0, 1; EXIT;";
    let (pixels, _) = run(code, (1, 1), &[]);
    let expected = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0x3f00_0000];
    assert_eq!(pixels.result((0, 0)).unwrap(), expected);
}
