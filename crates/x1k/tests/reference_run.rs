//! The reference as a whole: options, statistics, traps over threads, and programs that no assembler would make.

use ctm_lane::budget::Halt;
use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use ctm_x1k::text::parse;
use ctm_x1k::{
    Domain, Instruction, Job, Program, ProgramInfo, References, RunError, RunOptions, StateError, TrapKind, Words,
    WriteMode, reference,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const BASE: u32 = 0x1000_0000;

fn space() -> Space {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x10_0000).unwrap()).unwrap();
    space
}

fn surface(offset: u32, format: Format) -> Surface {
    Surface { base: BASE + offset, pitch: 64, height: 64, tiling: Tiling::Linear, superfine: false, format }
}

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|errors| panic!("{}", errors[0])).program
}

/// The domain of a run is so many pairs wide and high.
const SIDE: u32 = if cfg!(miri) { 8 } else { 64 };

/// All pairs, with output 0 bound and cleared.
fn job<'a>(program: &'a Program, space: &'a Space) -> Job<'a> {
    let output = surface(0, Format::Float32_4);
    let view = View::new(space, output, Bounds::Drop);
    let pairs = (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i.into(), j.into())));
    pairs.for_each(|(i, j)| view.store_raw(i, j, [0; 4]));
    let mut job = Job::new(program, Domain::of_size(SIDE, SIDE).unwrap(), space);
    job.outputs[0] = Some(output);
    job
}

fn red(space: &Space, i: i64, j: i64) -> f32 {
    f32::from_bits(View::new(space, surface(0, Format::Float32_4), Bounds::Drop).load(i, j)[0])
}

const TRAP_FROM_COLUMN_5: &str = "
    .flow full
    src0.rgb = temp[0], src1.rgb = 5.0 : result[ge] = MAD src0.rrr src0.111 -src1.rrr ;
    FC JUMP 300, when = alu, any;
    OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.111 src0.111 ;";

#[test]
fn the_first_trap_is_reported_and_groups_before_it_are_complete() {
    let (program, space) = (program(TRAP_FROM_COLUMN_5), space());
    for group_width in [1, 4, 16] {
        for threads in [1, 2, 7] {
            let options = RunOptions { group_width, threads, ..RunOptions::default() };
            let error = reference::run(&job(&program, &space), &options).unwrap_err();
            let RunError::Trap(trap) = error else { panic!("{error}") };
            assert_eq!((trap.kind, trap.pc), (TrapKind::PcOutsideCode, 300));
            // Quads are 2x2: the third one holds columns 4 and 5.
            let first =
                [(1, (5, 0)), (4, (4, 0)), (16, (0, 0))].iter().find(|(width, _)| *width == group_width).unwrap().1;
            assert_eq!((trap.i, trap.j), first, "width {group_width}, {threads} threads");
            for (i, j) in [(0, 0), (3, 0), (3, 1)] {
                assert_eq!(
                    red(&space, i, j),
                    if group_width == 16 { 0.0 } else { 1.0 },
                    "width {group_width}, ({i}, {j})"
                );
            }
            assert_eq!(red(&space, 5, 1), 0.0, "nothing of a trapped group is written");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "it takes a domain of many groups, too many for Miri")]
fn progress_reaches_the_end() {
    let (program, space) = (program("OUT TEX_SEM_WAIT : ;"), space());
    for threads in [1, 3] {
        let calls = Mutex::new(Vec::new());
        let progress = |done, total| calls.lock().unwrap().push((done, total));
        let options = RunOptions { threads, progress: Some(&progress), ..RunOptions::default() };
        let stats = reference::run(&job(&program, &space), &options).unwrap();
        assert_eq!((stats.lanes, stats.instructions, stats.groups), (4096, 4096, 64));
        let calls = calls.into_inner().unwrap();
        assert!(calls.len() > 4, "{calls:?}");
        assert!(calls.iter().all(|&(done, total)| done <= total && total == 4096));
        assert!(calls.contains(&(4096, 4096)));
    }
}

#[test]
fn cancelling_ends_a_run_inside_a_long_group() {
    // Immediate writes, so that the infinite loop is really run.
    let text = "there: OUT : umrt[same_idx].rgb = MAX src0.000 src0.000, umrt[same_idx].a = MAX src0.0 src0.0 ;
                FC JUMP there, when = always;
                OUT TEX_SEM_WAIT : ;";
    let (program, space) = (program(text), space());
    let mut job = job(&program, &space);
    job.outputs[0] = Some(surface(0, Format::Float32_1));
    let cancel = AtomicBool::new(false);
    let options = RunOptions { cancel: Some(&cancel), step_limit: u64::MAX, ..RunOptions::default() };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            cancel.store(true, Relaxed);
        });
        reference::run(&job, &options)
    });
    assert_eq!(result, Err(Halt::Cancelled.into()));
    assert_eq!(reference::run(&job, &options), Err(Halt::Cancelled.into()), "and before it begins");
}

#[test]
fn any_group_width_is_brought_into_range() {
    let text = "src0.rgb = temp[0] : temp[1].r = MDH src0.rrr -src0.111 src0.rrr ;
                OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAD src0.rgb src0.111 src0.00h ;";
    let (program, space) = (program(text), space());
    for group_width in [0, 1, 5, 6, 255, usize::MAX] {
        let job = Job { domain: Domain { i0: 1, j0: 2, i1: 7, j1: 4 }, ..job(&program, &space) };
        let stats = reference::run(&job, &RunOptions { group_width, ..RunOptions::default() }).unwrap();
        assert_eq!((stats.lanes, stats.instructions), (21, 42), "width {group_width}: helper lanes do not count");
        assert_eq!([(1, 2), (7, 4), (0, 2), (1, 1)].map(|(i, j)| red(&space, i, j)), [1.0, 1.0, 0.0, 0.0]);
    }
}

#[test]
fn surfaces_that_leave_their_memory_are_reported() {
    let text = "TEX UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgba ;
                OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;";
    let (program, space) = (program(text), space());
    let outside = Surface { base: BASE + 0xF_F800, ..surface(0, Format::Float32_4) };
    for (input, output, leaves) in [
        (surface(0x8_0000, Format::Float32_4), surface(0, Format::Float32_4), false),
        (outside, surface(0, Format::Float32_4), true),
        (surface(0x8_0000, Format::Float32_4), outside, true),
    ] {
        let mut job = job(&program, &space);
        job.inputs[0] = Some(input);
        job.outputs[0] = Some(output);
        assert_eq!(reference::run(&job, &RunOptions::default()).unwrap().out_of_range, leaves);
    }
}

/// splitmix64
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 17
}

#[test]
fn random_words_end_without_a_panic_and_the_same_for_every_thread_count() {
    let space = space();
    let mut state = 1;
    let mut kinds = Vec::new();
    for _ in 0..if cfg!(miri) { 8 } else { 1500 } {
        let mut next = || random(&mut state);
        let code: Vec<Instruction> = (0..1 + next() % 12)
            .map(|_| {
                let mut words: Words = std::array::from_fn(|_| next() as u32);
                // Jumps of random words rarely stay inside so short a program.
                words[3] &= 0xFE0F_FFFF;
                Instruction::decode(&words)
            })
            .collect();
        let info = ProgramInfo {
            end: code.len() as u16 - 1,
            code_offset: u16::from(next() % 8 == 0),
            full_flow_control: next() % 2 == 0,
            zero_times_anything: next() % 2 == 0,
            write_mode: if next() % 4 == 0 { WriteMode::Umrt } else { WriteMode::Cached },
            position: (next() % 8 != 0).then_some((next() % 256) as u8),
            early_exit: next() % 2 == 0,
            ..ProgramInfo::default()
        };
        let program = Program { references: References::of(&code, &info), code, info, ..Program::default() };
        let format = if info.write_mode == WriteMode::Umrt { Format::Float32_1 } else { Format::Float32_2 };
        let results = [1, 2].map(|threads| {
            let mut job = Job::new(&program, Domain { i0: 1, j0: 0, i1: 5, j1: 3 }, &space);
            job.outputs = [0, 0x1_0000, 0x2_0000, 0x3_0000].map(|offset| Some(surface(offset, format)));
            job.inputs = std::array::from_fn(|n| Some(surface(0x8_0000, Format::ALL[n % Format::ALL.len()])));
            job.constants.ints.fill(ctm_x1k::IntConstant { count: 3, init: 200, step: -100 });
            job.constants.floats.fill([0x3F80_0000, 0xBF00_0000, 0x7FC0_0000, 0x4100_0000]);
            let widths = [1, 5, 48, 256];
            widths.map(|group_width| {
                reference::run(&job, &RunOptions { group_width, threads, step_limit: 300, ..RunOptions::default() })
            })
        });
        assert_eq!(results[0], results[1]);
        kinds.extend(results[0].iter().map(|result| match result {
            Err(RunError::Trap(trap)) => Some(trap.kind),
            _ => None,
        }));
    }
    for kind in [None, Some(TrapKind::StepLimit), Some(TrapKind::ReservedOperation), Some(TrapKind::LoopStackEmpty)] {
        assert!(kinds.contains(&kind) || cfg!(miri), "{kind:?} never happened");
    }
}

#[test]
fn fields_beyond_their_width_do_no_harm() {
    let mut program = program(
        "TEX UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgba ;
         FC JUMP 2, when = never;
         OUT TEX_SEM_WAIT src0.rgb = temp[1] : temp[1].rgb = out[0].rgb = MAX src0.rgb src0.rgb ;",
    );
    for instruction in &mut program.code {
        match &mut instruction.body {
            ctm_x1k::Body::Tex(tex) => (tex.id, tex.dst.addr, tex.src.addr) = (200, 255, 128),
            ctm_x1k::Body::Out(alu) => (alu.rgb.dest, alu.rgb.target) = (255, 4),
            ctm_x1k::Body::Flow(flow) => (flow.int_addr, flow.bool_addr) = (255, 255),
            ctm_x1k::Body::Alu(_) => {}
        }
    }
    let space = space();
    program.references.inputs.clear();
    assert!(reference::run(&job(&program, &space), &RunOptions::default()).is_ok());
    program.references.outputs.insert(4);
    assert_eq!(job(&program, &space).check(), Err(StateError::NoOutput(4)));
    program.references.outputs.clear();
    program.references.inputs.insert(16);
    assert_eq!(job(&program, &space).check(), Err(StateError::NoInput(16)));
}
