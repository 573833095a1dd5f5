//! Draws down to the pixels of targets, with values that are computed by hand.

use ctm_card::Object;
use ctm_card::register::RegisterType;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_gm107::draw::{DrawList, draw};
use ctm_gm107::layout::{BlockLayout, Layout};
use ctm_gm107::methods::*;
use ctm_gm107::objects::Objects;
use ctm_gm107::state::{Channel, ConstantBank};
use ctm_gm107::{DrawCache, DrawContext};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::text;
use std::sync::Arc;

/// Where things lie.
const TEXT: u32 = 0x10_0000;
const ARRAYS: u32 = 0x11_0000;
const CONSTANTS: u32 = 0x12_0000;
const HEADERS: u32 = 0x13_0000;
const SAMPLERS: u32 = 0x13_1000;
const TEXELS: u32 = 0x14_0000;
const TARGET: u32 = 0x15_0000;
const DEPTH: u32 = 0x16_0000;
const END: u32 = 0x18_0000;
/// Pixels of a row and rows of the target.
const SIDE: u32 = 8;
/// What the target holds before.
const BEFORE: u32 = 0x1020_3040;

/// Hands a position and a vector on.
const VERTEX: &str = ".stage vertex
    ALD.128 R0, a[0x80]; ALD.128 R4, a[0x90]; AST.128 a[0x70], R0; AST.128 a[0x80], R4; EXIT;";
/// The vector, flat.
const FLAT: &str = ".stage pixel
    IPA.CONSTANT R0, a[0x80], RZ; IPA.CONSTANT R1, a[0x84], RZ; IPA.CONSTANT R2, a[0x88], RZ;
    IPA.CONSTANT R3, a[0x8c], RZ; EXIT;";

/// A position in the window, and a vector.
type Vertex = ([f32; 4], [f32; 4]);

/// A channel with memory, and a target of `SIDE` by `SIDE` pixels of four bytes.
struct Bench {
    memory: Arc<Arena>,
    channel: Channel,
    cache: DrawCache,
    executor: Executor,
}

impl Bench {
    fn new(executor: Executor) -> Self {
        let memory = Arc::new(Arena::new(TEXT, END - TEXT).unwrap());
        let mut bench = Bench { memory, channel: Channel::default(), cache: DrawCache::default(), executor };
        bench.write::<CodeAddressLow>(0, TEXT);
        bench.write::<ProvokingVertexLast>(0, 1);
        bench.write::<RasterizeEnable>(0, 1);
        for method in [ScreenScissorHoriz::ADDRESS, ScreenScissorVert::ADDRESS, ViewportHoriz::ADDRESS] {
            bench.channel.three_d.write(method, SIDE << 16);
        }
        bench.write::<ViewportVert>(0, SIDE << 16);
        bench.write::<DepthRangeFar>(0, 1.0f32.to_bits());
        bench.write::<RtControl>(0, 0x0FAC_6881);
        bench.target(0xD5, SIDE);
        bench.stage(1, VERTEX);
        bench
    }

    fn write<R: RegisterType>(&mut self, index: u32, word: u32) {
        self.channel.three_d.write(R::ADDRESS + index * R::STRIDE, word);
    }

    /// The target, row by row, with so many samples of four bytes in a row.
    fn target(&mut self, format: u32, width: u32) {
        self.memory.fill_words(TARGET, 0x1000, BEFORE, u32::MAX);
        self.write::<RtAddressLow>(0, TARGET);
        self.write::<RtHoriz>(0, 4 * width);
        self.write::<RtVert>(0, 2 * SIDE);
        self.write::<RtFormat>(0, format);
        self.write::<RtTileMode>(0, 0x1000);
        self.write::<RtArrayMode>(0, 1);
    }

    fn stage(&mut self, number: u32, source: &str) {
        let program = text::parse(source).unwrap_or_else(|errors| panic!("{source}\n{errors:?}")).program;
        let at = 0x1000 * number + 0x30;
        self.memory.write_words(TEXT + at, &program.header.unwrap().encode());
        self.memory.write_bytes(TEXT + at + 80, &program.code.to_bytes());
        self.write::<SpStartId>(number, at);
        self.write::<SpSelect>(number, number << 4 | 1);
    }

    fn draw(&mut self, primitive: u32, fragment: &str, vertices: &[Vertex]) {
        self.stage(5, fragment);
        let vectors: Vec<[[f32; 4]; 2]> = vertices.iter().map(|&(place, vector)| [place, vector]).collect();
        let words: Vec<u32> = vectors.as_flattened().as_flattened().iter().map(|value| value.to_bits()).collect();
        self.memory.write_words(ARRAYS, &words);
        for attribute in 0..2 {
            self.write::<VertexAttribFormat>(attribute, (attribute * 16) << 7 | 0x01 << 21 | 7 << 27);
        }
        self.write::<VertexArrayFetch>(0, 0x1020);
        self.write::<VertexArrayStartLow>(0, ARRAYS);
        self.write::<VertexArrayLimitLow>(0, ARRAYS + 4 * words.len() as u32 - 1);
        let mut list = DrawList::default();
        list.begin(primitive);
        list.arrays(0, vertices.len() as u32, true);
        let objects = Arc::new(Objects::new(&self.memory, &[Object { address: TEXT, size: END - TEXT }]));
        let mut space = Space::default();
        space.map(Arc::clone(&self.memory)).unwrap();
        let options = RunOptions { step_limit: 1 << 20, ..RunOptions::default() };
        let context = DrawContext {
            objects: &objects,
            space: &space,
            cache: &self.cache,
            executor: &self.executor,
            options,
            probe: None,
        };
        draw(&mut self.channel, &context, &list).unwrap();
    }

    /// The word of a sample of the target whose rows have so many.
    fn word(&self, x: u32, y: u32, width: u32) -> u32 {
        self.memory.read_u32(TARGET + 4 * (y * width + x)).unwrap()
    }

    /// Which pixels are not what they were, row by row.
    fn changed(&self) -> Vec<String> {
        let mark = |x, y| if self.word(x, y, SIDE) == BEFORE { '.' } else { '#' };
        (0..SIDE).map(|y| (0..SIDE).map(|x| mark(x, y)).collect()).collect()
    }
}

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
