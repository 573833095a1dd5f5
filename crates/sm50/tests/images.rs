//! Images: loads, stores and atomic operations on texels, in every form.

use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::codes::{AtomOp, SurfaceDim};
use ctm_sm50::footprint::AccessKind;
use ctm_sm50::images::{Image, ImageFormat, Images};
use ctm_sm50::launch::{Environment, Grid, Invocations, Mode, Shader, StageLaunch, StageRunner, Stop, TrapKind};
use ctm_sm50::lift::{Call, Specialisation, lift};
use ctm_sm50::reference::Reference;
use ctm_sm50::{AttributeMap, text};

const BASE: u32 = 0x10000;
/// Bytes of memory.
const SIZE: u32 = 4096;

/// Runs a program of so many threads over an image whose memory holds these words, and gives the words it leaves.
fn run(
    code: &str,
    threads: u32,
    (dim, size, format): (SurfaceDim, [u32; 3], &str),
    words: &[u32],
) -> Result<Vec<u32>, Stop> {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{code}\n{errors:?}")).program;
    let mut space = Space::default();
    space.map(Arena::new(BASE, SIZE).unwrap()).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    space.write_bytes(BASE, &bytes).unwrap();
    let mut environment = Environment { memory: Some(&space), mode: Mode::Strict, ..Environment::default() };
    let format = ImageFormat::parse(format).unwrap();
    environment.images.insert(3, Image::packed(BASE, dim, size, format));
    let mut bank = vec![0; 0x6a0 / 4];
    environment.images.driver_words().for_each(|(at, word)| bank[at] = word);
    environment.constants.set_bank(7, bank);
    let grid = Grid::new([1; 3], [threads, 1, 1]).unwrap();
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader::from(&program);
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    Reference.run(&launch, &RunOptions { step_limit: 10_000, ..RunOptions::default() })?;
    let mut bytes = vec![0; SIZE as usize];
    space.read_bytes(BASE, &mut bytes).unwrap();
    Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Handle of image 3 in R8, place 1, 2 in R4 and R5.
const START: &str = "MOV R8, c[0x7][0xac]; MOV32I R4, 1; MOV32I R5, 2; MOV32I R6, 1;";

fn one(code: &str, image: (SurfaceDim, [u32; 3], &str), words: &[u32]) -> Vec<u32> {
    run(&format!("{START} {code} EXIT;"), 1, image, words).unwrap_or_else(|stop| panic!("{code}: {stop}"))
}

#[test]
fn texels_are_converted_or_taken_as_they_are() {
    let float = f32::to_bits;
    let flat = |format| (SurfaceDim::D2, [4, 4, 1], format);
    // Texel (1, 2) of four by four is the ninth.
    let at = |n: usize, word: u32| {
        let mut words = vec![0; 64];
        words[n] = word;
        words
    };
    let kept = |code: &str, image, words: &[u32]| {
        let bank = "STG [R0+0x10800], R12; STG [R0+0x10804], R13; STG [R0+0x10808], R14; STG [R0+0x1080c], R15;";
        one(&format!("MOV R0, RZ; {code} {bank}"), image, words)[0x200..0x204].to_vec()
    };
    let rows = [
        ("SULD.P.2D.IGN R12, [R4], R8;", "rgba8", 0xff00_80ff, [float(1.0), float(128.0 / 255.0), 0, float(1.0)]),
        ("SULD.P.2D.GA.IGN R12, [R4], R8;", "rgba8", 0xff00_80ff, [float(128.0 / 255.0), float(1.0), 0, 0]),
        ("SULD.P.2D.IGN R12, [R4], 0x2b;", "rg16i", 0x7fff_fffe, [-2i32 as u32, 0x7fff, 0, 1]),
        ("SULD.D.2D.IGN R12, [R4], R8;", "rgba8", 0xff00_80ff, [0xff00_80ff, 0, 0, 0]),
        ("SULD.D.2D.S16.IGN R12, [R4], R8;", "rgba8", 0xff00_80ff, [0xffff_80ff, 0, 0, 0]),
    ];
    for (code, format, word, expected) in rows {
        assert_eq!(kept(code, flat(format), &at(9, word)), expected, "{code}");
    }
    // Bytes of x: the second one of texel 0 in row 2.
    assert_eq!(kept("SULD.D.BA.2D.U8.IGN R12, [R4], R8;", flat("r32ui"), &at(8, 0x4433_2211))[0], 0x22);
    let wide: Vec<u32> = (0..64).collect();
    assert_eq!(kept("SULD.D.2D.128.IGN R12, [R4], R8;", flat("rgba32f"), &wide), [36, 37, 38, 39]);
    let volume = (SurfaceDim::D3, [2, 4, 2], "r32ui");
    assert_eq!(kept("SULD.D.3D.IGN R12, [R4], R8;", volume, &wide)[0], 8 + 4 + 1);
    let layers = (SurfaceDim::Array1, [3, 1, 4], "r32ui");
    assert_eq!(kept("SULD.D.1D_ARRAY.IGN R12, [R4], R8;", layers, &wide)[0], 3 * 2 + 1);
    assert_eq!(kept("TXQ R12, R7, TEX_HEADER_DIMENSION, 0x2b, 0x3;", flat("r32ui"), &wide)[..2], [4, 4]);

    let data = "MOV32I R12, 1.0; MOV32I R13, 0.5; MOV32I R14, -3.0; MOV32I R15, 0.0;";
    let stored = |code: &str, format| one(&format!("{data} {code}"), flat(format), &[])[9];
    assert_eq!(stored("SUST.P.2D.IGN [R4], R12, R8;", "rgba8"), 0x0000_80ff);
    assert_eq!(stored("SUST.D.2D.IGN [R4], R12, R8;", "rgba8"), float(1.0));
    assert_eq!(stored("SUST.D.2D.U16.IGN [R4], R13, R8;", "r32ui"), 0);
    assert_eq!(one("MOV32I R12, 0xabcdef; SUST.D.2D.U8.IGN [R4], R12, R8;", flat("r32ui"), &[])[9], 0xef);
    // Bytes: four by four texels of one byte each.
    assert_eq!(one("MOV32I R12, 1.0; SUST.P.2D.IGN [R4], R12, R8;", flat("r8"), &[])[2], 0xff00);
}

#[test]
fn lanes_update_a_texel_one_after_the_other() {
    let image = (SurfaceDim::D1, [4, 1, 1], "r32ui");
    let each = |code: &str, words: &[u32]| {
        let code = format!(
            "MOV R8, c[0x7][0xac]; MOV32I R4, 1; S2R R2, SR_LANEID; IADD32I R3, R2, 1; {code} SHL R0, R2, 2; STG [R0+0x10800], R12; EXIT;"
        );
        let words = run(&code, 4, image, words).unwrap_or_else(|stop| panic!("{code}: {stop}"));
        (words[1], words[0x200..0x204].to_vec())
    };
    assert_eq!(each("SUATOM.D.1D.ADD.IGN R12, [R4], R3, R8;", &[0, 5]), (15, vec![5, 6, 8, 11]));
    assert_eq!(each("SUATOM.D.1D.EXCH.IGN R12, [R4], R3, R8;", &[0, 5]), (4, vec![5, 1, 2, 3]));
    assert_eq!(each("SUATOM.D.1D.MIN.S32.IGN R12, [R4], R3, R8;", &[0, u32::MAX]), (u32::MAX, vec![u32::MAX; 4]));
    assert_eq!(each("SUATOM.P.1D.MIN.IGN R12, [R4], R3, R8;", &[0, u32::MAX]).0, 1);
    assert_eq!(each("SUATOM.D.1D.CAS.IGN R12, [R4], R2, R8;", &[0, 2]), (4, vec![2, 2, 2, 3]));
    assert_eq!(each("SURED.D.1D.OR.IGN [R4], R3, R8;", &[0, 8]).0, 15);
    // Outside nothing happens, and what was there is 0.
    assert_eq!(each("MOV32I R4, 4; SUATOM.D.1D.ADD.IGN R12, [R4], R3, R8;", &[0, 5]), (5, vec![0; 4]));
}

#[test]
fn what_is_outside_is_not_there() {
    let image = (SurfaceDim::D2, [4, 4, 1], "r32ui");
    let trap = |code: &str| match run(&format!("{START} {code} EXIT;"), 1, image, &[]) {
        Err(Stop::Trap(trap)) => trap.kind,
        other => panic!("{code}: {other:?}"),
    };
    let untouched = |code: &str| assert_eq!(one(code, image, &[]), vec![0; 1024], "{code}");
    untouched("MOV32I R4, -1; MOV32I R12, 7; SUST.D.2D.IGN [R4], R12, R8;");
    untouched("MOV32I R5, 4; MOV32I R12, 7; SUST.P.2D [R4], R12, R8;");
    untouched("MOV R8, RZ; MOV32I R12, 7; SUST.D.2D.IGN [R4], R12, R8;");
    assert_eq!(trap("MOV32I R4, 4; SULD.D.2D.TRAP R12, [R4], R8;"), TrapKind::OutOfRangeAddr);
    assert_eq!(trap("SULD.D.1D.IGN R12, [R4], R8;"), TrapKind::Unsupported);
    assert_eq!(trap("MOV32I R4, 1; SULD.D.BA.2D.128.TRAP R12, [R4], R8;"), TrapKind::OutOfRangeAddr);
}

#[test]
fn programs_find_images_as_the_driver_describes_them() {
    let mut images = Images::default();
    let format = ImageFormat::parse("rg16f").unwrap();
    images.insert(2, Image::packed(0x20000, SurfaceDim::D2, [7, 5, 1], format));
    let words: Vec<(usize, u32)> = images.driver_words().collect();
    // The bank has the handle at 0xa0, and from 0x4a0 on 64 bytes of each: the address in units of 256 bytes, the bytes of a texel at 0x30.
    for expected in [(0xa8 / 4, Images::handle(2)), (0x520 / 4, 0x200), (0x528 / 4, 7), (0x550 / 4, 4)] {
        assert!(words.contains(&expected), "{expected:x?} in {words:x?}");
    }
}

/// Functions have no images: their lanes leave at these instructions, and what they do with memory is logged.
#[test]
fn functions_call_for_images() {
    let calls = |code: &str| {
        let program = text::parse(&format!("{START} {code} EXIT;")).unwrap().program;
        let environment = Environment::default();
        let grid = Grid::new([1; 3], [64, 1, 1]).unwrap();
        let invocations = Invocations { count: grid.invocations(), columns: None };
        let all = AttributeMap::default();
        let launch = StageLaunch {
            grid: Some(grid),
            ..StageLaunch::new(Shader::from(&program), &environment, &invocations, all)
        };
        let lifted = lift(&program.code, &Specialisation::of(&launch).unwrap()).unwrap();
        let plan = lifted.resumes.unwrap();
        let call = |&(_, call): &(u32, Call)| (call.footprint.map(|number| lifted.footprints[number]), call.is_once);
        plan.calls.iter().map(call).collect::<Vec<_>>()
    };
    let (read, write) = (Some(AccessKind::Read), Some(AccessKind::Write));
    let both = "SULD.D.2D.IGN R12, [R4], R8; SUST.D.2D.IGN [R4], R12, R8;";
    assert_eq!(calls(both), [(read, true), (write, true)]);
    assert_eq!(
        calls(&format!(
            "MOV R9, RZ; SSY end;\nagain: {both} ISETP.EQ.AND P0, PT, R9, RZ, PT; @P0 BRA again; SYNC;\nend:"
        )),
        [(read, false), (write, false)]
    );
    let added = Some(AccessKind::Update(AtomOp::Add, false));
    assert_eq!(calls("SUATOM.D.2D.ADD.IGN RZ, [R4], R3, R8;"), [(added, true)]);
    // Who looks at what was there comes in an order.
    assert_eq!(calls("SUATOM.D.2D.ADD.IGN R12, [R4], R3, R8;"), [(Some(AccessKind::Ordered), true)]);
    assert_eq!(calls("SURED.D.2D.INC.IGN [R4], R3, R8;"), [(Some(AccessKind::Ordered), true)]);
    assert_eq!(calls("VADD.UD.U8.U32 R4, R5, R9, R6;"), [(None, true)]);
}
