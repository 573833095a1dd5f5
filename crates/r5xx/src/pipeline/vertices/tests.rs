//! Vertices that are transformed together, against those that are transformed one by one.

use super::super::programs::Programs;
use super::Vertices;
use crate::pipeline::DrawCache;
use crate::pipeline::corner::Projection;
use crate::pipeline::{DrawContext, DrawError};
use crate::ports::Cursor;
use crate::registers::VapVfCntl;
use crate::state::State;
use crate::stream::{Draw, VertexArray, VertexSource};
use ctm_card::Object;
use ctm_cases::{Result, Unstructured};
use ctm_codegen::EngineName;
use ctm_engine::{Engine, Executor};
use ctm_memory::Arena;

const BASE: u32 = 0x1_0000;
const ARRAY: Object = Object { address: BASE, size: 0x8000 };
/// Two vectors in, two out, with a loop.
const PROGRAM: &str = "
    .flow 0 LOOP act=1 count=9 resume=2 last=4
    temp[0].xyzw = VE_ADD input[0] input[1] ;
    VE_NOP ;
    temp[1].w = VE_PRED_SET_NEQ_PUSH temp[1] temp[0].wwww ;
    (p) temp[0].xyzw = VE_MAD temp[0] const[1] input[1] ;
    temp[1].w = ME_PRED_SET_POP temp[1].wwww ;
    out[0].xyzw = VE_ADD temp[0] const[0] ;
    out[1].xyzw = VE_MUL input[1] const[1] ;
";

/// `VAP_PROG_STREAM_CNTL` and its extension of two elements: vectors of four numbers, or anything.
fn elements(u: &mut Unstructured) -> Result<[u32; 2]> {
    // All components of the vector, or three and 1, are the most common ones.
    let common = *u.choose(&[0xFA88_FA88, 0xF688_F688])?;
    if u.arbitrary()? {
        return Ok([0x2103_0003, common]);
    }
    let mut element = |location: u32| {
        let kind = *u.choose(&[0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 11, 12])?;
        Ok(kind | location << 8 | u.int_in_range(0..=3)? << 14)
    };
    let (first, second) = (element(0)?, element(1)?);
    let locations = u.int_in_range(0..=1)? << 24;
    let extension = if u.arbitrary()? { common } else { u.arbitrary()? };
    Ok([first | (second & !0x100 | 0x2000) << 16 | locations, extension])
}

fn state(u: &mut Unstructured) -> Result<State> {
    let [control, extension] = elements(u)?;
    let mut state = State::default();
    let program = ctm_pvs::text::parse(PROGRAM).unwrap_or_else(|errors| panic!("{errors:?}")).program;
    let mut cursor = Cursor::at(0);
    program.words().flatten().for_each(|word| cursor.put(&mut state.vertex_memory, word));
    let mut cursor = Cursor::at(1024);
    for _ in 0..16 {
        cursor.put(&mut state.vertex_memory, (u.int_in_range(-8..=8)? as f32 / 4.0).to_bits());
    }
    let last = program.last;
    for (address, value) in [
        (0x2090, 1),
        (0x2094, 4),
        (0x2134, 4000),
        (0x2150, control),
        (0x21E0, extension),
        (0x22D0, u32::from(last) << 20),
        (0x22D4, 255 << 16),
        (0x22DC, 2),
        (0x2500, 1 | 9 << 16),
        (0x2504, 4 | 2 << 16),
    ] {
        state.registers.write(address, value);
    }
    let stride = u.int_in_range(0..=9)?;
    let array = |offset| VertexArray { size: 4, stride, offset, object: ARRAY };
    state.arrays = vec![array(0), array(16)];
    Ok(state)
}

#[test]
fn vertices_together_are_those_one_by_one() {
    let memory = Arena::new(BASE, 0x1_0000).unwrap();
    for n in 0..ARRAY.size / 4 {
        memory.write_u32(BASE + 4 * n, ((n % 97) as f32 / 8.0 - 6.0).to_bits());
    }
    for name in EngineName::available() {
        let Ok(Executor::Engine(engine)) = name.executor() else { continue };
        let cache = DrawCache::new().expect("memory");
        ctm_cases::check(50, |u| {
            let state = state(u)?;
            let count = u.int_in_range(1..=3000u32)?;
            let limit = *u.choose(&[20u32, 700, 4000])?;
            let mut seed = u.arbitrary::<u32>()?;
            let indices: Vec<u32> = (0..count)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 8) % limit
                })
                .collect();
            let listed = u.arbitrary()?;
            let walk = if listed { 2 } else { 1 | 1 << 7 };
            // Points, and connected triangles.
            let kind = *u.choose(&[1, 6])?;
            let control = VapVfCntl::read(&[count << 16 | walk << 4 | kind]);
            let vertices = if listed { VertexSource::List } else { VertexSource::EmbeddedIndices(&indices) };
            let draw = Draw { at: 0, control, vertices };
            let projection = Projection::of(&state);
            let all = |engine: Option<&Engine>| -> std::result::Result<Vec<_>, DrawError> {
                let context = DrawContext { engine, cache: Some(&cache), ..DrawContext::default() };
                let programs = Programs::of(&state, &context);
                let mut vertices =
                    Vertices::new(&state, &memory, &context, (&draw, &programs), &projection, Default::default())?;
                (0..vertices.count()).map(|place| vertices.get(place).map(|number| vertices.corner(number))).collect()
            };
            assert!(all(Some(&engine)) == all(None), "{}", name.name());
            Ok(())
        });
        assert!(engine.cache_stats().misses > 0, "{}: nothing ran on the engine", name.name());
    }
}
