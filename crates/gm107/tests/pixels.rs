//! Draws down to the pixels of targets, with values that are computed by hand.

use crate::bench::{BEFORE, Bench, CONSTANTS, DEPTH, FLAT, HEADERS, SAMPLERS, SIDE, TEXELS, Vertex};
use ctm_codegen::EngineName;
use ctm_gm107::layout::{BlockLayout, Layout};
use ctm_gm107::methods::*;
use ctm_gm107::state::ConstantBank;

fn with_all(test: impl Fn(&mut Bench)) {
    for executor in EngineName::available().filter_map(|engine| engine.executor().ok()) {
        test(&mut Bench::new(executor));
    }
}

/// A triangle whose right angle is at a corner, with legs of this length.
fn corner(x: f32, y: f32, leg: f32, z: f32, colour: [f32; 4]) -> [Vertex; 3] {
    [[x, y], [x + leg, y], [x, y + leg]].map(|[x, y]| ([x, y, z, 1.0], colour))
}

#[test]
fn triangles_cover_pixel_centres() {
    with_all(|bench| {
        bench.draw(4, FLAT, &corner(1.0, 2.0, 4.0, 0.0, [1.0, 0.0, 0.5, 1.0]));
        let expected = ["........", "........", ".###....", ".##.....", ".#......", "........", "........", "........"];
        assert_eq!(bench.changed(), expected, "the long edge is a right one");
        assert_eq!(bench.word(1, 2, SIDE), 0xFF80_00FF);
        // The scissor, and a window rectangle outside of which is drawn.
        bench.target(0xD5, SIDE);
        bench.write::<ScissorEnable>(0, 1);
        bench.write::<ScissorHoriz>(0, 3 << 16);
        bench.write::<ScissorVert>(0, 8 << 16);
        bench.write::<ClipRectsEn>(0, 1);
        bench.write::<ClipRectsMode>(0, 1);
        bench.write::<ClipRectHoriz>(0, 2 << 16);
        bench.write::<ClipRectVert>(0, 4 << 16 | 3);
        bench.draw(4, FLAT, &corner(1.0, 2.0, 4.0, 0.0, [1.0; 4]));
        let expected = ["........", "........", ".##.....", "..#.....", ".#......", "........", "........", "........"];
        assert_eq!(bench.changed(), expected);
    });
}

#[test]
fn faces_are_culled() {
    with_all(|bench| {
        bench.write::<CullFaceEnable>(0, 1);
        bench.write::<CullFaceMethod>(0, 0x405);
        bench.write::<FrontFaceMethod>(0, 0x901);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 4.0, 0.0, [1.0; 4]));
        assert_eq!(bench.changed(), ["........"; 8], "its corners go round clockwise");
        bench.write::<FrontFaceMethod>(0, 0x900);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 4.0, 0.0, [1.0; 4]));
        assert_eq!(bench.changed()[0], "###.....");
    });
}

#[test]
fn points_and_lines_have_sizes() {
    with_all(|bench| {
        bench.write::<PointSize>(0, 3.0f32.to_bits());
        bench.draw(0, FLAT, &[([2.5, 2.5, 0.0, 1.0], [1.0; 4])]);
        bench.write::<LineWidthAliased>(0, 1.0f32.to_bits());
        bench.write::<LineStippleEnable>(0, 1);
        bench.write::<LineStipplePattern>(0, 0xFFF5 << 8);
        bench.draw(1, FLAT, &[([1.5, 6.5, 0.0, 1.0], [1.0; 4]), ([7.5, 6.5, 0.0, 1.0], [1.0; 4])]);
        let expected = ["........", ".###....", ".###....", ".###....", "........", "........", ".#.#.##.", "........"];
        assert_eq!(bench.changed(), expected);
    });
}

#[test]
fn nearer_fragments_are_kept() {
    with_all(|bench| {
        bench.write::<ZetaEnable>(0, 1);
        bench.write::<ZetaAddressLow>(0, DEPTH);
        bench.write::<ZetaFormat>(0, 0x14);
        bench.write::<ZetaHoriz>(0, SIDE);
        bench.write::<ZetaVert>(0, SIDE);
        bench.write::<ZetaArrayMode>(0, 1);
        bench.write::<DepthTestEnable>(0, 1);
        bench.write::<DepthWriteEnable>(0, 1);
        bench.write::<DepthTestFunc>(0, 0x201);
        bench.write::<SamplecntEnable>(0, 1);
        bench.memory.fill_words(DEPTH, 0x400, 0x8000_0055, u32::MAX);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 3.0, 0.25, [1.0, 0.0, 0.0, 1.0]));
        assert_eq!(bench.channel.counters.samples, 3);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 4.0, 0.375, [0.0, 1.0, 0.0, 1.0]));
        assert_eq!(bench.channel.counters.samples, 6, "only what lies beside the first one");
        bench.draw(4, FLAT, &corner(0.0, 0.0, 8.0, 0.75, [0.0, 0.0, 1.0, 1.0]));
        assert_eq!(bench.channel.counters.samples, 6);
        assert_eq!([0, 2, 3].map(|x| bench.word(x, 0, SIDE)), [0xFF00_00FF, 0xFF00_FF00, BEFORE]);
        let layout = Layout::Blocks(BlockLayout::new(4 * u64::from(SIDE), SIDE.into(), 0, 0));
        let stored = |x: u64| bench.memory.read_u32(DEPTH + layout.offset(4 * x, 0, 0) as u32).unwrap();
        assert_eq!([stored(0), stored(2), stored(3)], [0x4000_0055, 0x6000_0055, 0x8000_0055]);
    });
}

#[test]
fn colours_are_blended_and_masked() {
    with_all(|bench| {
        bench.write::<BlendEnable>(0, 1);
        bench.write::<BlendSeparateAlpha>(0, 1);
        bench.write::<BlendEquationRgb>(0, 0x8006);
        bench.write::<BlendFuncSrcRgb>(0, 0x4302);
        bench.write::<BlendFuncDstRgb>(0, 0x4303);
        bench.write::<BlendEquationAlpha>(0, 0x8007);
        bench.write::<ColorMaskCommon>(0, 0);
        bench.write::<ColorMask>(0, 0x1011);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 4.0, 0.0, [0.0, 0.0, 0.0, 0.5]));
        // Red and green are halved, blue stays; of alpha there is the lesser.
        assert_eq!(bench.word(0, 0, SIDE), 0x1020_1820);
        bench.write::<LogicOpEnable>(0, 1);
        bench.write::<LogicOp>(0, 0x1506);
        bench.write::<ColorMask>(0, 0x1111);
        bench.draw(4, FLAT, &corner(0.0, 0.0, 4.0, 0.0, [1.0, 0.0, 1.0, 0.0]));
        assert_eq!(bench.word(0, 0, SIDE), 0x10DF_18DF);
    });
}

/// Four samples for each pixel, of which each fragment stores how it is covered.
#[test]
fn samples_are_covered_by_themselves() {
    with_all(|bench| {
        bench.target(0xE4, 2 * SIDE);
        bench.write::<MultisampleMode>(0, 2);
        bench.write::<MultisampleEnable>(0, 1);
        let coverage = ".stage pixel
            IPA.CONSTANT R1, a[0x80], RZ; PIXLD.COVMASK R0, [RZ]; EXIT;";
        // The edge x + y = 1.25 leaves samples 0, 1 and 2 of pixel (0, 0): at 8/16, 20/16 and 12/16; 24/16 is behind.
        bench.draw(4, coverage, &corner(0.0, 0.0, 1.3125, 0.0, [1.0; 4]));
        let samples = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| bench.word(x, y, 2 * SIDE));
        assert_eq!(samples, [7, 7, 7, BEFORE]);
        assert_eq!(bench.word(2, 0, 2 * SIDE), BEFORE, "sample 0 of the next pixel is at 24/16");
        // A sample at a time: sample ids, and where they are.
        bench.write::<SampleShading>(0, 0x14);
        let own = ".stage pixel
            PIXLD.MY_INDEX R0, [RZ]; IPA.PASS.CENTROID R1, a[0x70], RZ; FMUL R1, R1, 256.0; F2I.U32.F32 R1, R1;
            SHL R0, R0, 0x10; LOP.OR R0, R0, R1; EXIT;";
        bench.target(0xE4, 2 * SIDE);
        bench.draw(4, own, &corner(0.0, 0.0, 8.0, 0.0, [1.0; 4]));
        let samples = [(2, 2), (3, 2), (2, 3), (3, 3)].map(|(x, y)| bench.word(x, y, 2 * SIDE));
        assert_eq!(samples, [256 + 96, 1 << 16 | (256 + 224), 2 << 16 | (256 + 32), 3 << 16 | (256 + 160)]);
    });
}

/// A texture in blocks, by a handle in the bank of handles and by one in a register.
#[test]
fn textures_are_found_by_handles() {
    with_all(|bench| {
        bench.write::<TicAddressLow>(0, HEADERS);
        bench.write::<TicLimit>(0, 7);
        bench.write::<TscAddressLow>(0, SAMPLERS);
        bench.write::<TscLimit>(0, 7);
        // 32 x 4 texels of four bytes, normalised; the nearest one, repeated.
        let header = [0x58D2_4908, TEXELS, 0x0060_0000, 0, 0x0080_001F, 0x8000_0003, 0, 0];
        bench.memory.write_words(HEADERS + 3 * 32, &header);
        bench.memory.write_words(SAMPLERS + 2 * 32, &[0x2000, 0x51, 0x00F0_0000, 0, 0, 0, 0, 0]);
        let layout = Layout::Blocks(BlockLayout::new(128, 4, 0, 0));
        for (x, y) in (0..4).flat_map(|y| (0..32).map(move |x| (x, y))) {
            let offset = layout.offset(4 * x, y, 0) as u32;
            bench.memory.write_u32(TEXELS + offset, 0xFF00_0000 | (y << 8 | x) as u32);
        }
        bench.memory.write_words(CONSTANTS, &[0; 8]);
        bench.memory.write_words(CONSTANTS + 32, &[2 << 20 | 3]);
        bench.channel.constants[4][15] = ConstantBank { address: CONSTANTS.into(), size: 0x100 };
        for look_up in ["TEX.LZ R0, R4, 0x8, 2D, 0xf;", "MOV32I R6, 0x200003; TEX.B.LZ R0, R4, R6, 0x0, 2D, 0xf;"] {
            bench.target(0xD5, SIDE);
            let code = format!(
                ".stage pixel
                IPA.PASS R4, a[0x70], RZ; FMUL R4, R4, 0.03125; IPA.PASS R5, a[0x74], RZ; FMUL R5, R5, 0.25; {look_up} EXIT;"
            );
            bench.draw(4, &code, &corner(0.0, 0.0, 16.0, 0.0, [1.0; 4]));
            let found = [(0, 0), (5, 3), (7, 6)].map(|(x, y)| bench.word(x, y, SIDE));
            assert_eq!(found, [0xFF00_0000, 0xFF00_0305, 0xFF00_0207], "{look_up}");
        }
        // What is written to it is seen by the next draw.
        bench.memory.write_u32(TEXELS, 0x0102_0304);
        bench.cache.textures.written(u64::from(TEXELS)..u64::from(TEXELS) + 4);
        let code = ".stage pixel
            MOV R4, RZ; MOV R5, RZ; TEX.LZ R0, R4, 0x8, 2D, 0xf; EXIT;";
        bench.draw(4, code, &corner(0.0, 0.0, 4.0, 0.0, [1.0; 4]));
        assert_eq!(bench.word(0, 0, SIDE), 0x0102_0304);
    });
}
