//! What histories say of pixels that are not drawn to.

use crate::pipeline::{DrawContext, DrawStep, draw};
use crate::ports::Cursor;
use crate::registers::VapVfCntl;
use crate::registers::codes::AlphaFunction;
use crate::state::State;
use crate::stream::{Draw, VertexSource};
use ctm_card::Object;
use ctm_card::history::{
    CoverageRejection, DrawHistory, FragmentHistory, PixelEvent, PixelLog, PixelWatch, ProgramHistory,
};
use ctm_memory::Arena;
use std::sync::Arc;

const BASE: u32 = 0x10_0000;
const TARGET: Object = Object { address: BASE + 0x1000, size: 0x4000 };
const OUT: &str = "OUT TEX_SEM_WAIT src0.a = const[0] , src0.rgb = const[0] :\n\
    out[0].rgb = MAD src0.rgb src0.111 src0.000 , out[0].a = MAD src0.a src0.1 src0.0 ;\n";
/// Constant 0 has a negative component.
const KILL: &str = "src0.rgb = const[0] : temp[0].rgb = MAX -src0.rgb -src0.rgb ;\n\
    TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[1].rgba = TEXKILL tex[0].rgba temp[0].rgbr ;\n";
/// Registers by address.
const SC_CLIP_0_A: u32 = 0x43B0;
const SC_CLIP_RULE: u32 = 0x43D0;
const SC_SCREENDOOR: u32 = 0x43E8;
const SU_CULL_MODE: u32 = 0x42B8;
const FG_ALPHA_FUNC: u32 = 0x4BD4;

/// The history of the pixel in column 5 and row 6 when a triangle is drawn over it with these registers, and what is stored then.
fn watched(text: &str, registers: &[(u32, u32)], steps: u64) -> (Vec<DrawHistory>, u32) {
    let mut state = State::default();
    let program = ctm_x1k::text::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    let last = program.code.len() as u32 - 1;
    let mut cursor = Cursor::at(0);
    program.code.iter().flat_map(|step| step.encode()).for_each(|word| cursor.put(&mut state.fragment_code, word));
    let mut cursor = Cursor::at(0);
    for value in [0.25f32, 0.5, 0.75, 1.0] {
        cursor.put(&mut state.fragment_constants, value.to_bits());
    }
    let fixed = [
        (0x2140, 1 << 8),
        (0x221C, 1 << 16),
        (0x2090, 1),
        (0x20B0, 0x300),
        (0x20B4, 4),
        (0x2150, 0x2003),
        (0x21E0, 0xF688),
        (0x4320, 0x10),
        (0x43E4, 31 | 31 << 13),
        (SC_CLIP_0_A, 0),
        (0x43B4, 31 | 31 << 13),
        (SC_CLIP_RULE, 0xAAAA),
        (SC_SCREENDOOR, 0xFF_FFFF),
        (0x4600, 2),
        (0x4630, last << 16),
        (0x4634, last << 16),
        (0x46A4, 0x3900),
        (0x46A8, 15),
        (0x46AC, 15),
        (0x46B0, 15),
        (0x4E00, 1 << 14),
        (0x4E0C, 0xF),
        (0x4E38, 32 | 6 << 21),
    ];
    for &(address, value) in fixed.iter().chain(registers) {
        state.registers.write(address, value);
    }
    state.registers.bind(0x4E28, 0, TARGET);
    let memory = Arc::new(Arena::new(BASE, 0x1_0000).expect("memory"));
    let corners = [[0.0f32, 0.0], [20.0, 0.0], [0.0, 20.0]];
    let vertices: Vec<u32> = corners.iter().flat_map(|&[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits)).collect();
    let mut pixel_log = PixelLog::new(PixelWatch { x: 5, y: 6, steps });
    let context = DrawContext { pixel_log: Some(&pixel_log), ..DrawContext::default() };
    let control = VapVfCntl::read(&[3 << 16 | 3 << 4 | 4]);
    draw(
        &mut state,
        &memory,
        &context,
        &[DrawStep { changes: &[], draw: &Draw { at: 7, control, vertices: VertexSource::Embedded(&vertices) } }],
    )
    .expect("a draw");
    (pixel_log.take(), memory.read_u32(TARGET.address + 4 * (6 * 64 + 5)).expect("the pixel"))
}

fn fragment(text: &str, registers: &[(u32, u32)]) -> (FragmentHistory, u32) {
    let (mut draws, stored) = watched(text, registers, 0);
    let [DrawHistory { at: 7, events, .. }] = &mut draws[..] else { panic!("{draws:?}") };
    let Some(PixelEvent::Fragment(fragment)) = events.pop() else { panic!("{events:?}") };
    assert!(events.is_empty());
    (*fragment, stored)
}

#[test]
fn fragments_are_stored() {
    let (drawn, stored) = fragment(OUT, &[]);
    let write = &drawn.samples[0].writes[0];
    assert_eq!((drawn.covered, drawn.visible, drawn.hidden), (1, 1, None));
    assert_eq!(
        (write.before.words, write.result.words, write.after.words),
        ([0; 4], [stored, 0, 0, 0], [stored, 0, 0, 0])
    );
    assert_ne!(stored, 0);
    let ProgramHistory { outputs, killed, trap, .. } = drawn.program.expect("it ran");
    assert_eq!((outputs[0].bits.map(f32::from_bits), killed, trap), ([0.25, 0.5, 0.75, 1.0], false, None));
    let places: Vec<_> = drawn.primitive.window.iter().map(|vertex| (vertex.x, vertex.y)).collect();
    assert_eq!(places, [(0.0, 0.0), (20.0, 0.0), (0.0, 20.0)]);
    assert_eq!(drawn.primitive.vertices[1].outputs[0].bits.map(f32::from_bits), [20.0, 0.0, 0.5, 1.0]);
}

#[test]
fn what_hides_a_pixel_is_named() {
    for (register, hidden) in [
        ((SC_CLIP_0_A, 9), CoverageRejection::Scissor),
        ((SC_CLIP_RULE, 0), CoverageRejection::ClipRule),
        ((SC_SCREENDOOR, 0xFF_FFFE ^ 1 << 6), CoverageRejection::Screendoor),
    ] {
        let (drawn, stored) = fragment(OUT, &[register]);
        assert_eq!((drawn.covered, drawn.visible, drawn.hidden, stored), (1, 0, Some(hidden), 0));
        assert!(drawn.program.is_none() && drawn.samples.is_empty());
    }
}

#[test]
fn fragments_end_on_their_way() {
    let (killed, stored) = fragment(&(KILL.to_owned() + OUT), &[]);
    assert!(killed.program.is_some_and(|program| program.killed) && stored == 0);
    // Alpha is 1, and must be less than 128 of 255.
    let (dropped, stored) = fragment(OUT, &[(FG_ALPHA_FUNC, 128 | 1 << 8 | 1 << 11 | 1 << 12)]);
    let alpha = dropped.alpha.expect("a test");
    assert_eq!((alpha.test, alpha.passed, stored), (Some((AlphaFunction::Less.name(), 255.0, 128.0)), 0, 0));
    assert!(dropped.samples.is_empty());
    let (culled, stored) = watched(OUT, &[(SU_CULL_MODE, 3)], 0);
    assert!(matches!(culled[0].events[..], [PixelEvent::Culled(_)]) && stored == 0, "{culled:?}");
}

#[test]
fn steps_are_kept_as_far_as_they_are_wanted() {
    let steps = |most| {
        let (mut draws, _) = watched(&(KILL.to_owned() + OUT), &[], most);
        let Some(PixelEvent::Fragment(fragment)) = draws[0].events.pop() else { panic!("a fragment") };
        let run = fragment.program.and_then(|program| program.run).expect("a run");
        (run.steps.len(), run.end.steps)
    };
    // The program ends where all fragments of the quad are killed.
    assert_eq!([steps(0), steps(1), steps(100)], [(0, 2), (1, 2), (2, 2)]);
}
