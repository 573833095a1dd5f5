//! Draws through the stages before the rasteriser, seen by what transform feedback writes and by what is counted.

use ctm_card::register::RegisterType;
use ctm_card::{Object, SlowPathNote};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_gm107::draw::{DrawList, draw};
use ctm_gm107::methods::*;
use ctm_gm107::objects::Objects;
use ctm_gm107::state::{Channel, ConstantBank};
use ctm_gm107::{DrawCache, DrawContext, DrawError};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::text;
use std::sync::Arc;

/// Where things lie.
const TEXT: u32 = 0x10_0000;
const ARRAYS: u32 = 0x11_0000;
const CONSTANTS: u32 = 0x12_0000;
const INDICES: u32 = 0x13_0000;
const FEEDBACK: u32 = 0x14_0000;
const END: u32 = 0x18_0000;
/// Bytes of a feedback buffer.
const FEEDBACK_BYTES: u32 = 0x1_0000;
/// What feedback leaves alone.
const UNTOUCHED: u32 = 0x5555_5555;

/// Passes attribute 0 on, and the numbers of vertex and instance.
const PASS: &str = ".stage vertex
    ALD.128 R0, a[0x80]; ALD.64 R4, a[0x2f8]; AST.128 a[0x70], R0; AST.64 a[0x80], R4; EXIT;";

/// A channel with memory.
struct Bench {
    memory: Arc<Arena>,
    channel: Channel,
    cache: DrawCache,
    executor: Executor,
}

impl Bench {
    fn new(executor: Executor) -> Self {
        let memory = Arc::new(Arena::new(TEXT, END - TEXT).unwrap());
        memory.fill_words(FEEDBACK, ((END - FEEDBACK) / 4) as usize, UNTOUCHED, u32::MAX);
        let mut bench = Bench { memory, channel: Channel::default(), cache: DrawCache::default(), executor };
        bench.write::<CodeAddressLow>(0, TEXT);
        bench.write::<ProvokingVertexLast>(0, 1);
        bench.write::<PrimRestartWithDrawArrays>(0, 1);
        bench.stage(1, PASS);
        bench
    }

    fn write<R: RegisterType>(&mut self, index: u32, word: u32) {
        self.channel.three_d.write(R::ADDRESS + index * R::STRIDE, word);
    }

    /// Gives a stage, by its number, a program.
    fn stage(&mut self, number: u32, source: &str) {
        let program = text::parse(source).unwrap_or_else(|errors| panic!("{source}\n{errors:?}")).program;
        let at = 0x1000 * number + 0x30;
        self.memory.write_words(TEXT + at, &program.header.unwrap().encode());
        self.memory.write_bytes(TEXT + at + 80, &program.code.to_bytes());
        self.cache.programs.written(&(TEXT.into()..END.into()));
        self.write::<SpStartId>(number, at);
        self.write::<SpSelect>(number, number << 4 | 1);
    }

    /// Makes an attribute of vectors of four words, in the array of the same number.
    fn array(&mut self, number: u32, vectors: &[[u32; 4]]) {
        let at = ARRAYS + 0x1000 * number;
        self.memory.write_words(at, vectors.as_flattened());
        self.write::<VertexAttribFormat>(number, number | 0x01 << 21 | 4 << 27);
        self.write::<VertexArrayFetch>(number, 0x1010);
        self.write::<VertexArrayStartLow>(number, at);
        self.write::<VertexArrayLimitLow>(number, at + 16 * vectors.len() as u32 - 1);
    }

    /// Vertices whose vectors are (10 n, 10 n + 1, 10 n + 2, 10 n + 3).
    fn vertices(&mut self, count: u32) {
        let vectors: Vec<[u32; 4]> = (0..count).map(|n| [0, 1, 2, 3].map(|component| 10 * n + component)).collect();
        self.array(0, &vectors);
    }

    /// Captures these words of vertices of a stream in a buffer.
    fn capture(&mut self, buffer: u32, stream: u32, addresses: &[u32]) {
        self.write::<TfbEnable>(0, 1);
        self.write::<TfbBufferEnable>(buffer, 1);
        self.write::<TfbAddressLow>(buffer, FEEDBACK + buffer * FEEDBACK_BYTES);
        self.write::<TfbBufferSize>(buffer, FEEDBACK_BYTES);
        self.write::<TfbStream>(buffer, stream);
        self.write::<TfbVaryingCount>(buffer, addresses.len() as u32);
        self.write::<TfbBufferStride>(buffer, 4 * addresses.len() as u32);
        for (n, locs) in (0..).zip(addresses.chunks(4)) {
            let word = locs.iter().rev().fold(0, |word, address| (word << 8) + address / 4);
            self.write::<TfbVaryingLocs>(32 * buffer + n, word);
        }
    }

    /// Draws a list that is filled by `fill`.
    fn draw(&mut self, begin: u32, fill: impl FnOnce(&mut DrawList)) -> Result<(), DrawError> {
        let mut list = DrawList::default();
        list.begin(begin);
        fill(&mut list);
        self.draw_list(&list)
    }

    fn draw_list(&mut self, list: &DrawList) -> Result<(), DrawError> {
        let objects = Arc::new(Objects::new(&self.memory, &[Object { address: TEXT, size: END - TEXT }]));
        let mut space = Space::default();
        space.map(Arc::clone(&self.memory)).unwrap();
        let options = RunOptions { step_limit: 1 << 20, ..RunOptions::default() };
        let slow = SlowPathNote::default();
        let context = DrawContext {
            objects: &objects,
            space: &space,
            cache: &self.cache,
            executor: &self.executor,
            options,
            slow: &slow,
            by_quads: false,
            probe: None,
        };
        draw(&mut self.channel, &context, list).map(|_| ())
    }

    /// What a feedback buffer has got since the last time, vertex by vertex.
    fn captured<const WORDS: usize>(&mut self, buffer: u32) -> Vec<[u32; WORDS]> {
        let bytes = std::mem::take(&mut self.channel.feedback[buffer as usize]);
        let mut words = vec![0; bytes as usize / 4 + 1];
        let at = FEEDBACK + buffer * FEEDBACK_BYTES;
        self.memory.read_words(at, &mut words);
        assert_eq!(words.pop(), Some(UNTOUCHED), "nothing is written behind the last vertex");
        self.memory.fill_words(at, words.len(), UNTOUCHED, u32::MAX);
        words.as_chunks().0.to_vec()
    }
}

/// Runs a test with each executor.
fn with_all(test: impl Fn(&mut Bench)) {
    for executor in EngineName::available().filter_map(|engine| engine.executor().ok()) {
        test(&mut Bench::new(executor));
    }
}

fn firsts<const WORDS: usize>(vertices: &[[u32; WORDS]]) -> Vec<u32> {
    vertices.iter().map(|vertex| vertex[0]).collect()
}

#[test]
fn vertices_come_from_arrays_and_indices() {
    with_all(|bench| {
        bench.vertices(8);
        bench.capture(0, 0, &[0x70, 0x7C, 0x80, 0x84]);
        bench.draw(0, |list| list.arrays(5, 2, true)).unwrap();
        assert_eq!(bench.captured(0), [[50, 53, 0, 5], [60, 63, 0, 6]], "instance and vertex");
        bench.memory.write_bytes(INDICES, &[7, 0, 1, 0, 9, 0]);
        bench.write::<IndexArrayStartLow>(0, INDICES);
        bench.write::<IndexArrayLimitLow>(0, INDICES + 5);
        bench.write::<IndexArrayFormat>(0, 1);
        bench.write::<VbElementBase>(0, 1u32.wrapping_neg());
        bench.write::<VertexIdBase>(0, 100);
        bench.draw(0, |list| list.elements(0, 4, true)).unwrap();
        let expected = [[60, 63, 0, 107], [0, 3, 0, 101], [0, 0, 0, 109], [0, 0, 0, 100]];
        assert_eq!(bench.captured(0), expected, "vertex 8 is not in the array, and index 3 is 0");
    });
}

#[test]
fn instances_are_draws() {
    with_all(|bench| {
        bench.vertices(8);
        bench.write::<VertexArrayPerInstance>(0, 1);
        bench.write::<VertexArrayDivisor>(0, 2);
        bench.write::<VbInstanceBase>(0, 3);
        bench.capture(0, 0, &[0x70, 0x80]);
        let mut list = DrawList::default();
        for begin in [0, 1 << 26, 1 << 26] {
            list.begin(begin);
            list.arrays(0, 1, true);
            bench.draw_list(&list).unwrap();
        }
        assert_eq!(bench.captured(0), [[30, 0], [30, 1], [40, 2]]);
    });
}

#[test]
fn primitives_are_written_vertex_by_vertex() {
    with_all(|bench| {
        bench.vertices(8);
        bench.capture(0, 0, &[0x70]);
        let mut drawn = |primitive, count| {
            bench.draw(primitive, |list| list.arrays(0, count, true)).unwrap();
            firsts::<1>(&bench.captured(0)).iter().map(|word| word / 10).collect::<Vec<_>>()
        };
        assert_eq!(drawn(2, 3), [0, 1, 1, 2, 2, 0]);
        assert_eq!(drawn(5, 4), [0, 1, 2, 2, 1, 3]);
        assert_eq!(drawn(6, 4), [0, 1, 2, 0, 2, 3]);
        assert_eq!(drawn(7, 5), [0, 1, 3, 1, 2, 3]);
        assert_eq!(drawn(9, 4), [0, 1, 2, 0, 2, 3]);
        assert_eq!(drawn(10, 4), [1, 2]);
        assert_eq!(drawn(12, 6), [0, 2, 4]);
        assert!(drawn(4, 2).is_empty());
    });
    with_all(|bench| {
        bench.vertices(8);
        bench.capture(0, 0, &[0x70]);
        bench.write::<ProvokingVertexLast>(0, 0);
        bench.draw(5, |list| list.arrays(0, 4, true)).unwrap();
        assert_eq!(firsts::<1>(&bench.captured(0)), [0, 10, 20, 10, 30, 20]);
    });
}

#[test]
fn restarts_begin_strips() {
    with_all(|bench| {
        bench.vertices(8);
        bench.capture(0, 0, &[0x70]);
        bench.write::<PrimRestartEnable>(0, 1);
        bench.write::<PrimRestartIndex>(0, 0xFF);
        bench.draw(3, |list| [0x02FF_0100, 0xFF05_0403].iter().for_each(|&word| list.inline_u8(word, true))).unwrap();
        assert_eq!(firsts::<1>(&bench.captured(0)), [0, 10, 20, 30, 30, 40, 40, 50]);
    });
}

#[test]
fn constants_are_memory() {
    with_all(|bench| {
        bench.vertices(2);
        bench.stage(
            1,
            ".stage vertex
            ALD R4, a[0x80]; LDC R2, c[0x2][R4+0x8]; MOV R0, c[0x0][0x4]; MOV R1, c[0x3][0x0]; AST.96 a[0x70], R0; EXIT;",
        );
        bench.capture(0, 0, &[0x70, 0x74, 0x78]);
        bench.memory.write_words(CONSTANTS, &[1, 2, 3, 4, 5, 6]);
        let bank = |size| ConstantBank { address: CONSTANTS.into(), size };
        (bench.channel.constants[0][0], bench.channel.constants[0][2]) = (bank(0x10), bank(0xC));
        bench.array(0, &[[0; 4], [4, 0, 0, 0]]);
        bench.draw(0, |list| list.arrays(0, 2, true)).unwrap();
        assert_eq!(bench.captured(0), [[2, 0, 3], [2, 0, 0]], "bank 3 is not bound, and bank 2 ends");
        bench.memory.write_u32(CONSTANTS + 4, 22);
        bench.channel.constants[0][2] = bank(0x10);
        bench.draw(0, |list| list.arrays(0, 2, true)).unwrap();
        assert_eq!(bench.captured(0), [[22, 0, 3], [22, 0, 4]]);
        bench.channel.constants[0][0] = bank(4);
        bench.draw(0, |list| list.arrays(0, 1, true)).unwrap();
        assert_eq!(bench.captured(0), [[0, 0, 3]]);
    });
}

#[test]
fn programs_call_routines_by_address() {
    with_all(|bench| {
        bench.vertices(1);
        let library = text::parse("IADD R0, R0, 0x5; RET;").unwrap().program.code;
        bench.memory.write_bytes(TEXT + 0x8000, &library.to_bytes());
        bench.stage(1, ".stage vertex\n ALD R0, a[0x84]; JCAL 0x8000; AST a[0x70], R0; EXIT;");
        bench.capture(0, 0, &[0x70]);
        bench.draw(0, |list| list.arrays(0, 1, true)).unwrap();
        assert_eq!(bench.captured(0), [[6]]);
    });
}

/// Puts out attribute 0 of the first vertex and the number of the primitive to stream 0, the instance to stream 1.
const GEOMETRY: &str = ".stage geometry
    .threads_per_input_primitive 2
    .output_topology points
    .max_output_vertex_count 2
    .stream_out_mask 3
    .imap 0x60, 0x70
    .omap 0x80, 0x84
    ALD R1, a[0x70], RZ; ALD R2, a[0x60], RZ; S2R R3, SR_INVOCATION_ID;
    AST a[0x80], R1, RZ; AST a[0x84], R2, RZ; OUT.EMIT R4, RZ, 0x0;
    AST a[0x80], R3, R4; OUT.EMIT R0, R4, 0x1;
    EXIT;";

#[test]
fn geometry_programs_have_instances_and_streams() {
    with_all(|bench| {
        bench.vertices(8);
        bench.stage(4, GEOMETRY);
        bench.capture(0, 0, &[0x80, 0x84]);
        bench.capture(3, 1, &[0x80]);
        bench.write::<PrimRestartEnable>(0, 1);
        bench.write::<PrimRestartIndex>(0, 3);
        bench.draw(4, |list| list.arrays(0, 7, true)).unwrap();
        assert_eq!(bench.captured(0), [[0, 0], [0, 0], [40, 1], [40, 1]], "numbers go on behind restarts");
        assert_eq!(bench.captured(3), [[0], [1], [0], [1]]);
        let counters = &bench.channel.counters;
        assert_eq!((counters.generated, counters.needed, counters.written), ([4, 4, 0, 0], [4, 4, 0, 0], [4, 4, 0, 0]));
        let statistics = counters.statistics;
        assert_eq!((statistics.vertices, statistics.primitives, statistics.vertex_programs), (7, 2, 6));
        assert_eq!((statistics.geometry_programs, statistics.geometry_primitives), (4, 8));
        bench.write::<SpSelect>(4, 0x40);
        bench.draw(4, |list| list.arrays(0, 3, true)).unwrap();
        assert_eq!(bench.channel.counters.statistics.geometry_programs, 4, "it is switched off");
    });
}

/// Puts out the domain coordinates, and attribute 0 of the first control point.
const EVALUATION: &str = ".stage tessellation
    ALD R0, a[0x2f0]; ALD R1, a[0x2f4]; ALD R2, a[0x80], RZ; AST.96 a[0x70], R0; EXIT;";

#[test]
fn patches_are_tessellated() {
    with_all(|bench| {
        bench.vertices(8);
        bench.stage(1, ".stage vertex\n ALD R0, a[0x80]; AST a[0x80], R0; EXIT;");
        bench.stage(3, EVALUATION);
        bench.capture(0, 0, &[0x70, 0x74, 0x78]);
        bench.write::<PatchVertices>(0, 3);
        bench.write::<TessMode>(0, 0x201);
        (0..4).for_each(|n| bench.write::<TessLevelOuter>(n, 1.0f32.to_bits()));
        (0..2).for_each(|n| bench.write::<TessLevelInner>(n, 1.0f32.to_bits()));
        bench.draw(14, |list| list.arrays(0, 7, true)).unwrap();
        let mut points: Vec<[u32; 3]> = bench.captured(0);
        points.sort_unstable();
        let one = 1.0f32.to_bits();
        assert_eq!(points, [[0, 0, 0], [0, 0, 30], [0, one, 0], [0, one, 30], [one, 0, 0], [one, 0, 30]]);
        assert_eq!(bench.channel.counters.statistics.patches, 0, "no program made them");
        // A control program sets levels: six triangles each.
        bench.stage(
            2,
            ".stage tess_init
            .threads_per_input_primitive 1
            .per_patch_attribute_count 6
            ALD R0, a[0x80], RZ; IADD R0, R0, 0x1; AST a[0x80], R0; MOV32I R1, 0x40000000;
            AST.P a[0x0], R1; AST.P a[0x4], R1; AST.P a[0x8], R1; AST.P a[0x10], R1; EXIT;",
        );
        bench.draw(14, |list| list.arrays(0, 7, true)).unwrap();
        let points: Vec<[u32; 3]> = bench.captured(0);
        assert_eq!((points.len(), points[0][2], points[35][2]), (36, 1, 31));
        let statistics = bench.channel.counters.statistics;
        assert_eq!((statistics.patches, statistics.primitives), (2, 4));
        assert!(bench.draw(4, |list| list.arrays(0, 3, true)).is_err(), "triangles are not patches");
        bench.write::<SpSelect>(3, 0x30);
        assert!(bench.draw(14, |list| list.arrays(0, 3, true)).is_err(), "nothing evaluates them");
    });
}

#[test]
fn feedback_goes_on_and_stops() {
    with_all(|bench| {
        bench.vertices(8);
        bench.capture(0, 0, &[0x70]);
        bench.write::<TfbBufferSize>(0, 20);
        for _ in 0..3 {
            bench.draw(1, |list| list.arrays(0, 2, true)).unwrap();
        }
        assert_eq!(firsts::<1>(&bench.captured(0)), [0, 10, 0, 10]);
        let counters = &bench.channel.counters;
        assert_eq!((counters.needed[0], counters.written[0], counters.generated[0]), (3, 2, 3));
        bench.write::<TfbEnable>(0, 0);
        bench.draw(1, |list| list.arrays(0, 2, true)).unwrap();
        assert_eq!((bench.channel.counters.needed[0], bench.channel.counters.generated[0]), (3, 4));
    });
}

#[test]
fn large_draws_are_drawn_in_batches() {
    let mut bench = Bench::new(EngineName::Interp.executor().unwrap());
    bench.capture(0, 0, &[0x84]);
    bench.write::<TfbBufferSize>(0, 64);
    bench.draw(6, |list| list.arrays(0, 200_000, true)).unwrap();
    assert_eq!(firsts::<1>(&bench.captured(0)), [0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6]);
    assert_eq!(bench.channel.counters.generated[0], 199_998);
}

#[test]
fn bad_draws_are_dropped() {
    with_all(|bench| {
        bench.vertices(8);
        let mut error = |begin, source: Option<&str>| {
            source.into_iter().for_each(|source| bench.stage(1, source));
            bench.draw(begin, |list| list.arrays(0, 3, true)).unwrap_err()
        };
        assert!(matches!(error(15, None), DrawError::NotYet { .. }));
        assert!(matches!(error(4, Some(".stage vertex\n BRA 0x8;")), DrawError::Program(_)), "it never ends");
        assert!(matches!(error(4, Some(".stage geometry\n EXIT;")), DrawError::Code(_)));
        assert!(matches!(error(4, Some(".stage vertex\n BRX R0 0x8; EXIT;")), DrawError::Code(_)));
        assert!(matches!(error(4, Some(".stage vertex\n JCAL 0x900000; EXIT;")), DrawError::Code(_)));
        bench.write::<SpStartId>(1, u32::MAX - 100);
        assert!(matches!(bench.draw(4, |list| list.arrays(0, 3, true)), Err(DrawError::Code(_))));
    });
}
