//! A channel with memory and a target, on which draws are made.

use ctm_card::register::RegisterType;
use ctm_card::{Object, SlowPath, SlowPathNote};
use ctm_engine::Executor;
use ctm_gm107::draw::{DrawList, draw};
use ctm_gm107::methods::*;
use ctm_gm107::objects::Objects;
use ctm_gm107::state::Channel;
use ctm_gm107::{DrawCache, DrawContext};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::text;
use std::sync::Arc;

/// Where things lie.
pub const TEXT: u32 = 0x10_0000;
pub const ARRAYS: u32 = 0x11_0000;
pub const CONSTANTS: u32 = 0x12_0000;
pub const HEADERS: u32 = 0x13_0000;
pub const SAMPLERS: u32 = 0x13_1000;
pub const TEXELS: u32 = 0x14_0000;
pub const TARGET: u32 = 0x15_0000;
pub const DEPTH: u32 = 0x16_0000;
pub const END: u32 = 0x18_0000;
/// Pixels of a row and rows of the target.
pub const SIDE: u32 = 8;
/// What the target holds before.
pub const BEFORE: u32 = 0x1020_3040;

/// Hands a position and a vector on.
pub const VERTEX: &str = ".stage vertex
    ALD.128 R0, a[0x80]; ALD.128 R4, a[0x90]; AST.128 a[0x70], R0; AST.128 a[0x80], R4; EXIT;";
/// The vector, flat.
pub const FLAT: &str = ".stage pixel
    IPA.CONSTANT R0, a[0x80], RZ; IPA.CONSTANT R1, a[0x84], RZ; IPA.CONSTANT R2, a[0x88], RZ;
    IPA.CONSTANT R3, a[0x8c], RZ; EXIT;";

/// A position in the window, and a vector.
pub type Vertex = ([f32; 4], [f32; 4]);

/// A channel with memory, and a target of `SIDE` by `SIDE` pixels of four bytes.
pub struct Bench {
    pub memory: Arc<Arena>,
    pub channel: Channel,
    pub cache: DrawCache,
    pub executor: Executor,
    /// Pixels are drawn quad by quad.
    pub by_quads: bool,
    pub threads: usize,
    /// Fragment programs put out depths and masks of samples.
    pub depths: bool,
    /// The slow way that the last draw went.
    pub slow: Option<SlowPath>,
}

impl Bench {
    pub fn new(executor: Executor) -> Self {
        let memory = Arc::new(Arena::new(TEXT, END - TEXT).unwrap());
        let (channel, cache) = (Channel::default(), DrawCache::default());
        let mut bench =
            Bench { memory, channel, cache, executor, by_quads: false, threads: 1, depths: false, slow: None };
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

    pub fn write<R: RegisterType>(&mut self, index: u32, word: u32) {
        self.channel.three_d.write(R::ADDRESS + index * R::STRIDE, word);
    }

    /// The target, row by row, with so many samples of four bytes in a row.
    pub fn target(&mut self, format: u32, width: u32) {
        self.memory.fill_words(TARGET, 0x1000, BEFORE, u32::MAX);
        self.write::<RtAddressLow>(0, TARGET);
        self.write::<RtHoriz>(0, 4 * width);
        self.write::<RtVert>(0, 2 * SIDE);
        self.write::<RtFormat>(0, format);
        self.write::<RtTileMode>(0, 0x1000);
        self.write::<RtArrayMode>(0, 1);
    }

    pub fn stage(&mut self, number: u32, source: &str) {
        let program = text::parse(source).unwrap_or_else(|errors| panic!("{source}\n{errors:?}")).program;
        let at = 0x1000 * number + 0x30;
        let mut header = program.header.unwrap();
        let pixel = &mut header.pixel;
        (pixel.depth, pixel.sample_mask) = (pixel.depth | self.depths, pixel.sample_mask | self.depths);
        self.memory.write_words(TEXT + at, &header.encode());
        self.memory.write_bytes(TEXT + at + 80, &program.code.to_bytes());
        self.cache.programs.written(&(TEXT.into()..ARRAYS.into()));
        self.write::<SpStartId>(number, at);
        self.write::<SpSelect>(number, number << 4 | 1);
    }

    pub fn draw(&mut self, primitive: u32, fragment: &str, vertices: &[Vertex]) {
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
        let options = RunOptions { step_limit: 1 << 20, threads: self.threads, ..RunOptions::default() };
        let slow = SlowPathNote::default();
        let context = DrawContext {
            objects: &objects,
            space: &space,
            cache: &self.cache,
            executor: &self.executor,
            options,
            slow: &slow,
            by_quads: self.by_quads,
            probe: None,
        };
        draw(&mut self.channel, &context, &list).unwrap();
        self.slow = slow.take();
    }

    /// The word of a sample of the target whose rows have so many.
    pub fn word(&self, x: u32, y: u32, width: u32) -> u32 {
        self.memory.read_u32(TARGET + 4 * (y * width + x)).unwrap()
    }

    /// Which pixels are not what they were, row by row.
    pub fn changed(&self) -> Vec<String> {
        let mark = |x, y| if self.word(x, y, SIDE) == BEFORE { '.' } else { '#' };
        (0..SIDE).map(|y| (0..SIDE).map(|x| mark(x, y)).collect()).collect()
    }
}
