//! Draws in tiles leave what draws quad by quad leave: in memory, and in what is counted.

use crate::bench::{BEFORE, Bench, DEPTH, FLAT, TARGET, Vertex};
use ctm_card::SlowPath;
use ctm_card::register::RegisterType;
use ctm_cases::{Result, Unstructured};
use ctm_codegen::EngineName;
use ctm_gm107::layout::{BlockLayout, Layout};
use ctm_gm107::methods::*;

/// Pixels of the target.
const WIDTH: u32 = 52;
const HEIGHT: u32 = 37;
/// Words from the target to the end of the depth buffer.
const WORDS: usize = 0x8000;

/// A vector with perspective.
const PERSPECTIVE: &str = ".stage pixel
    IPA.PASS R8, a[0x7c], RZ; MUFU.RCP R8, R8; IPA R0, a[0x80], R8; IPA R1, a[0x84], R8; IPA R2, a[0x88], R8;
    IPA R3, a[0x8c], R8; EXIT;";
/// The same, of which some fragments are dropped.
const DROPS: &str = ".stage pixel
    IPA.PASS R8, a[0x7c], RZ; MUFU.RCP R8, R8; IPA R0, a[0x80], R8; FSETP.LT.AND P0, PT, R0, 0.5, PT; @P0 KIL;
    IPA R1, a[0x84], R8; IPA R2, a[0x88], R8; IPA R3, a[0x8c], R8; EXIT;";
/// The place in the window, and the face.
const PLACE: &str = ".stage pixel
    IPA.PASS R0, a[0x70], RZ; FMUL R0, R0, 0.0078125; IPA.PASS R1, a[0x74], RZ; FMUL R1, R1, 0.03125;
    IPA.PASS R2, a[0x78], RZ; IPA.PASS R3, a[0x3fc], RZ; EXIT;";
/// How the vector changes, and ways that part.
const CHANGES: &str = ".stage pixel
    IPA.PASS R8, a[0x7c], RZ; MUFU.RCP R8, R8; IPA R4, a[0x80], R8;
    SHFL.BFLY PT, R5, R4, 0x1, 0x1c03; FSWZADD R0, R5, R4, PNNPPNNP;
    SHFL.BFLY PT, R5, R4, 0x2, 0x1c03; FSWZADD R1, R5, R4, PNPNNPNP;
    FMUL R0, R0, 8.0; FMUL R1, R1, 8.0; IPA R2, a[0x88], R8; FSETP.LT.AND P0, PT, R2, 0.5, PT;
    @P0 BRA other; FMUL R2, R2, R4; MOV32I R3, 0x3f000000; EXIT;
other:
    IPA R3, a[0x8c], R8; EXIT;";
/// A depth of its own, and a mask of samples.
const DEPTHS: &str = ".stage pixel
    IPA.PASS R8, a[0x7c], RZ; MUFU.RCP R8, R8; IPA R0, a[0x80], R8; IPA R1, a[0x84], R8; IPA R2, a[0x88], R8;
    IPA R3, a[0x8c], R8; FMUL R5, R0, 1.25; FSETP.LT.AND P0, PT, R1, 0.25, PT; MOV32I R4, 0x1; @P0 MOV R4, RZ; EXIT;";
/// Where each pixel is covered: it looks at more than its inputs.
const COVERAGE: &str = ".stage pixel
    PIXLD.COVMASK R0, [RZ]; MOV R1, R0; MOV R2, R0; MOV R3, R0; EXIT;";

/// Formats of targets, each with the bytes of a pixel.
const FORMATS: [(u32, u32); 15] = [
    (0xD5, 4),
    (0xCF, 4),
    (0xE6, 4),
    (0xD5, 4),
    (0xE6, 4),
    (0xD0, 4),
    (0xF3, 1),
    (0xEA, 2),
    (0xD1, 4),
    (0xE0, 4),
    (0xCA, 8),
    (0xC0, 16),
    (0xD7, 4),
    (0xE8, 2),
    (0xD9, 4),
];

/// Methods with their words, by offset.
type Words = Vec<(u32, u32)>;

/// A draw with the state that it needs.
#[derive(Debug)]
struct Drawn {
    words: Words,
    fragment: &'static str,
    primitive: u32,
    vertices: Vec<Vertex>,
}

fn number(u: &mut Unstructured, low: f32, high: f32) -> Result<f32> {
    Ok(low + (high - low) * u.int_in_range(0..=1000)? as f32 / 1000.0)
}

/// What a target and a depth buffer are.
fn surfaces(u: &mut Unstructured) -> Result<Words> {
    let (format, bytes) = *u.choose(&FORMATS)?;
    let depth = *u.choose(&[0x14, 0x14, 0x16, 0x15, 0x0A, 0x13, 0x19])?;
    let linear = u.ratio(1, 4)?;
    let (row, mode) = if linear { ((WIDTH * bytes).next_multiple_of(64), 0x1000) } else { (WIDTH, 0x10) };
    // A linear surface has as many columns as its rows have room for.
    let width = if linear { row / bytes } else { WIDTH };
    Ok(vec![
        (RtAddressLow::ADDRESS, TARGET),
        (RtHoriz::ADDRESS, row),
        (RtVert::ADDRESS, HEIGHT),
        (RtFormat::ADDRESS, format),
        (RtTileMode::ADDRESS, mode),
        (RtArrayMode::ADDRESS, 1),
        (ZetaEnable::ADDRESS, u32::from(u.ratio(3, 4)?)),
        (ZetaAddressLow::ADDRESS, DEPTH),
        (ZetaFormat::ADDRESS, depth),
        (ZetaHoriz::ADDRESS, width),
        (ZetaVert::ADDRESS, HEIGHT),
        (ZetaTileMode::ADDRESS, 0x20),
        (ZetaArrayMode::ADDRESS, 1),
    ])
}

/// What is switched on, one time in so many; the test of depths is off so often.
const FLAGS: [(u32, u8); 13] = [
    (DepthTestEnable::ADDRESS, 3),
    (DepthWriteEnable::ADDRESS, 2),
    (AlphaTestEnable::ADDRESS, 5),
    (StencilEnable::ADDRESS, 4),
    (BlendEnable::ADDRESS, 2),
    (BlendSeparateAlpha::ADDRESS, 2),
    (FragColorClampEn::ADDRESS, 2),
    (LogicOpEnable::ADDRESS, 9),
    (ForceEarlyFragmentTests::ADDRESS, 6),
    (ScissorEnable::ADDRESS, 4),
    (ClipRectsEn::ADDRESS, 8),
    (PolygonStippleEnable::ADDRESS, 8),
    (DepthBoundsEn::ADDRESS, 12),
];

/// How pixels are tested and stored.
fn rules(u: &mut Unstructured) -> Result<Words> {
    let mut words = Vec::new();
    let mut code = |u: &mut Unstructured, address: u32, most: u32| -> Result<()> {
        words.push((address, u.int_in_range(1..=most)?));
        Ok(())
    };
    for address in [DepthTestFunc::ADDRESS, AlphaTestFunc::ADDRESS, StencilFrontFuncFunc::ADDRESS] {
        code(u, address, 8)?;
    }
    for address in [StencilFrontOpFail::ADDRESS, StencilFrontOpZfail::ADDRESS, StencilFrontOpZpass::ADDRESS] {
        code(u, address, 8)?;
    }
    code(u, BlendEquationRgb::ADDRESS, 5)?;
    code(u, BlendEquationAlpha::ADDRESS, 5)?;
    for address in
        [BlendFuncSrcRgb::ADDRESS, BlendFuncDstRgb::ADDRESS, BlendFuncSrcAlpha::ADDRESS, BlendFuncDstAlpha::ADDRESS]
    {
        let other = [0xC001, 0xC002, 0xC003, 0xC004, 0xC900, 0xC902];
        let factor = if u.ratio(1, 3)? { *u.choose(&other)? } else { u.int_in_range(1..=11)? };
        words.push((address, factor));
    }
    for (address, rarity) in FLAGS {
        let is_usual = address == DepthTestEnable::ADDRESS;
        words.push((address, u32::from(u.ratio(1, rarity)? != is_usual)));
    }
    let over = u.ratio(1, 4)?;
    if over {
        words.extend([(BlendEquationRgb::ADDRESS, 1), (BlendFuncSrcRgb::ADDRESS, 5), (BlendFuncDstRgb::ADDRESS, 6)]);
        words.push((BlendSeparateAlpha::ADDRESS, 0));
    }
    words.extend([
        (LogicOp::ADDRESS, 0x1500 + u.int_in_range(0..=15)?),
        (AlphaTestRef::ADDRESS, number(u, 0.0, 1.0)?.to_bits()),
        (StencilFrontFuncRef::ADDRESS, u.int_in_range(0..=3)?),
        (StencilFrontFuncMask::ADDRESS, 3),
        (StencilFrontMask::ADDRESS, u.int_in_range(0..=255)?),
        (ColorMask::ADDRESS, if u.ratio(2, 3)? { 0x1111 } else { u.int_in_range(0..=0xFFFF)? & 0x1111 }),
        (ScissorHoriz::ADDRESS, (30 << 16) + u.int_in_range(0..=12)?),
        (ScissorVert::ADDRESS, (31 << 16) + u.int_in_range(0..=12)?),
        (ClipRectsMode::ADDRESS, u.int_in_range(0..=1)?),
        (ClipRectHoriz::ADDRESS, 25 << 16 | 5),
        (ClipRectVert::ADDRESS, 30 << 16 | 3),
        (DepthRangeNear::ADDRESS, (*u.choose(&[0.0f32, 0.0, 0.25])?).to_bits()),
        (DepthRangeFar::ADDRESS, (*u.choose(&[1.0f32, 1.0, 0.7])?).to_bits()),
        (DepthBounds::ADDRESS + 4, 0.6f32.to_bits()),
        (PixelCenterInteger::ADDRESS, u32::from(u.ratio(1, 8)?)),
        (ShadeModelMethod::ADDRESS, if u.arbitrary()? { 0x1D00 } else { 0x1D01 }),
        (VertexTwoSideEnable::ADDRESS, u32::from(u.arbitrary::<bool>()?)),
    ]);
    for n in 0..4 {
        words.push((BlendColor::ADDRESS + 4 * n, number(u, -0.2, 1.2)?.to_bits()));
    }
    for row in 0..32 {
        words.push((PolygonStipplePattern::ADDRESS + 4 * row, 0x9E37_79B9u32.rotate_left(row)));
    }
    Ok(words)
}

fn drawn(u: &mut Unstructured) -> Result<Drawn> {
    let fragments = [FLAT, PERSPECTIVE, PERSPECTIVE, DROPS, PLACE, CHANGES, DEPTHS, COVERAGE];
    let count = 3 * u.int_in_range(1..=8)?;
    let special = [f32::NAN, f32::INFINITY, -0.0, 1e-39];
    let mut vertices = Vec::new();
    for _ in 0..count {
        let w = if u.arbitrary()? { 1.0 } else { number(u, 0.3, 4.0)? };
        let mut place = [0.0; 3];
        for coordinate in &mut place {
            *coordinate = number(u, -1.3, 1.3)? * w;
        }
        let mut colour = [0.0; 4];
        for component in &mut colour {
            *component = if u.ratio(1, 60)? { *u.choose(&special)? } else { number(u, -0.1, 1.1)? };
        }
        vertices.push(([place[0], place[1], place[2], w], colour));
    }
    if u.ratio(1, 3)? {
        // All have the same.
        let first = vertices[0].1;
        vertices.iter_mut().for_each(|(_, colour)| *colour = first);
    }
    Ok(Drawn {
        words: rules(u)?,
        fragment: u.choose(&fragments)?,
        primitive: *u.choose(&[4, 4, 4, 5, 1, 0])?,
        vertices,
    })
}

fn bench(engine: EngineName, by_quads: bool, threads: usize, surfaces: &Words) -> Bench {
    let mut bench = Bench::new(engine.executor().expect("an engine"));
    (bench.by_quads, bench.threads) = (by_quads, threads);
    let window = [
        (ScreenScissorHoriz::ADDRESS, WIDTH << 16),
        (ScreenScissorVert::ADDRESS, HEIGHT << 16),
        (ViewportHoriz::ADDRESS, WIDTH << 16),
        (ViewportVert::ADDRESS, HEIGHT << 16),
        (ViewportTransformEn::ADDRESS, 1),
        (ViewportScaleX::ADDRESS, 26.0f32.to_bits()),
        (ViewportScaleY::ADDRESS, 18.5f32.to_bits()),
        (ViewportScaleZ::ADDRESS, 0.5f32.to_bits()),
        (ViewportTranslateX::ADDRESS, 26.0f32.to_bits()),
        (ViewportTranslateY::ADDRESS, 18.5f32.to_bits()),
        (ViewportTranslateZ::ADDRESS, 0.5f32.to_bits()),
        (SamplecntEnable::ADDRESS, 1),
        (PointSize::ADDRESS, 5.0f32.to_bits()),
        (LineWidthAliased::ADDRESS, 2.0f32.to_bits()),
    ];
    set(&mut bench, &window);
    set(&mut bench, surfaces);
    bench.memory.fill_words(TARGET, WORDS, BEFORE, u32::MAX);
    bench
}

fn set(bench: &mut Bench, words: &[(u32, u32)]) {
    words.iter().for_each(|&(method, word)| bench.channel.three_d.write(method, word));
}

fn draw(bench: &mut Bench, drawn: &Drawn) {
    set(bench, &drawn.words);
    bench.depths = drawn.fragment == DEPTHS;
    bench.draw(drawn.primitive, drawn.fragment, &drawn.vertices);
}

fn left(bench: &Bench) -> Vec<u32> {
    let mut words = vec![0; WORDS];
    assert!(bench.memory.read_words(TARGET, &mut words));
    words
}

#[test]
fn tiles_leave_what_quads_leave() {
    let (mut all, mut in_tiles) = (0, 0);
    for engine in EngineName::available() {
        let has_code = engine.executor().is_ok_and(|executor| executor.backend().is_some());
        let count = if has_code { 60 } else { 100 };
        ctm_cases::check_sized(
            count,
            |_| 4096,
            |u| {
                let surfaces = surfaces(u)?;
                let draws = [drawn(u)?, drawn(u)?, drawn(u)?];
                let threads = u.int_in_range(1..=3)?;
                let mut quads = bench(engine, true, 1, &surfaces);
                let mut tiles = bench(engine, false, threads, &surfaces);
                for drawn in &draws {
                    draw(&mut quads, drawn);
                    draw(&mut tiles, drawn);
                    let (expected, found) = (left(&quads), left(&tiles));
                    let differs = expected.iter().zip(&found).position(|(a, b)| a != b);
                    let words = differs.map(|at| (at, expected[at], found[at]));
                    assert_eq!(words, None, "{engine:?} {surfaces:?} {drawn:?} {:?}", tiles.slow);
                    assert_eq!(
                        quads.channel.counters, tiles.channel.counters,
                        "{surfaces:?} {drawn:?} {:?}",
                        tiles.slow
                    );
                    assert!(!has_code || tiles.slow != Some(SlowPath::NotCompiled), "{drawn:?}");
                    all += 1;
                    in_tiles += u32::from(matches!(
                        tiles.slow,
                        None | Some(SlowPath::NoEngine | SlowPath::FewPixels | SlowPath::NotCompiled)
                    ));
                }
                Ok(())
            },
        );
    }
    assert!(2 * in_tiles > all, "{in_tiles} of {all} are drawn in tiles");
}

#[test]
fn slow_ways_are_told() {
    let plain = vec![
        (RtAddressLow::ADDRESS, TARGET),
        (RtHoriz::ADDRESS, WIDTH),
        (RtVert::ADDRESS, HEIGHT),
        (RtFormat::ADDRESS, 0xD5),
        (RtTileMode::ADDRESS, 0x10),
        (RtArrayMode::ADDRESS, 1),
    ];
    let depth = [
        (ZetaEnable::ADDRESS, 1),
        (ZetaAddressLow::ADDRESS, DEPTH),
        (ZetaFormat::ADDRESS, 0x14),
        (ZetaHoriz::ADDRESS, WIDTH),
        (ZetaVert::ADDRESS, HEIGHT),
        (ZetaArrayMode::ADDRESS, 1),
        (DepthTestEnable::ADDRESS, 1),
        (DepthTestFunc::ADDRESS, 8),
    ];
    let engine = EngineName::available().last().expect("an engine");
    let way = |fragment: &'static str, more: &[(u32, u32)]| {
        let mut bench = bench(engine, false, 1, &plain);
        let vertices = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| ([x, y, 0.0, 1.0], [0.5; 4]));
        draw(&mut bench, &Drawn { words: more.to_vec(), fragment, primitive: 4, vertices: vertices.to_vec() });
        let layout = Layout::Blocks(BlockLayout::new(4 * u64::from(WIDTH), HEIGHT.into(), 1, 0));
        assert_ne!(bench.memory.read_u32(TARGET + layout.offset(4 * 50, 36, 0) as u32), Some(BEFORE));
        bench.slow
    };
    assert_eq!(way(FLAT, &depth), None);
    assert_eq!(way(COVERAGE, &[]), Some(SlowPath::Program));
    assert_eq!(way(FLAT, &[(MultisampleMode::ADDRESS, 1)]), Some(SlowPath::Samples));
    let with = |word: (u32, u32)| [&depth[..], &[word]].concat();
    assert_eq!(way(FLAT, &with((ZetaHoriz::ADDRESS, WIDTH + 1))), Some(SlowPath::Targets));
    assert_eq!(way(FLAT, &with((ZetaAddressLow::ADDRESS, TARGET + 0x1000))), Some(SlowPath::SharedMemory));
    let most = (DepthBounds::ADDRESS + 4, 1.0f32.to_bits());
    let bounded = [&depth[..], &[(DepthBoundsEn::ADDRESS, 1), most]].concat();
    assert_eq!(way(FLAT, &bounded), Some(SlowPath::Tests));
}
