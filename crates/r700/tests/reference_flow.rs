//! What single lanes see of branches, loops and calls where no filetest says it: `tests/filetests/r700` has every instruction
//! under every condition and mode.

use crate::support;

use ctm_r700::{Job, LoopConstant, Program, Stage, TrapKind, Wavefront};
use support::{LANES, assemble, job, marks, memory, run, trap};

/// Adds 1 to the lane's mark.
const MARK: &str = "ALU:\n 0 x: ADD R1.x, R1.x, 1.0f\n";
const END: &str = "EXP_DONE: PARAM0, R1.xyzw\nEND_OF_PROGRAM\n";

fn expand(source: &str) -> String {
    source.replace("MARK\n", MARK).replace("END\n", END)
}

#[test]
fn killed_pixels_take_part_in_what_the_group_decides() {
    // The first four lanes stay valid; whether a jump is taken is one decision for all.
    let kill = "ALU:\n 0 x: KILLGT ____.x, R3.x, 3.5f\n";
    let jump = "JUMP VALID_PIX ADDR(@out)\nMARK\nout:\nEND\n";
    let push = "PUSH ADDR(@out)\nPOP_PUSH POP_CNT(1) VALID_PIX ADDR(@out)\nMARK\nPOP POP_CNT(1)\nMARK\nout:\nEND\n";
    for (source, living, killed) in [(jump, 1.0, 1.0), (push, 2.0, 1.0)] {
        let expected: Vec<f32> = (0..LANES).map(|lane| if lane < 4 { living } else { killed }).collect();
        assert_eq!(marks(&format!("{kill}{}", expand(source)), |_| {})[..], expected, "{source}");
    }
}

#[test]
fn loop_indices() {
    let constants = |job: &mut Job| {
        job.bindings.constants = (0..32).map(|n| [(1u32 << n) as f32; 4].map(f32::to_bits)).collect();
        job.loops[0] = LoopConstant { count: 3, init: 2, step: 3 };
        job.loops[1] = LoopConstant { count: 2, init: 9, step: -4 };
    };
    let add = "ALU:\n 0 x: ADD R1.x, R1.x, C0[AL].x\n";
    let nested = |inner: &str| {
        format!(
            "LOOP_START CF_CONST(0) FAIL_JUMP_ADDR(@out)\nin:\n{inner} CF_CONST(1) FAIL_JUMP_ADDR(@skip)\nagain:\n{add}\
             LOOP_END CF_CONST(1) PASS_JUMP_ADDR(@again)\nskip:\n{add}LOOP_END CF_CONST(0) PASS_JUMP_ADDR(@in)\nout:\n{END}"
        )
    };
    let of = |indices: &[u32]| indices.iter().map(|index| (1 << index) as f32).sum::<f32>();
    let (outer, inner) = (of(&[2, 5, 8]), of(&[9, 5]));
    assert_eq!(marks(&nested("LOOP_START"), constants), [outer + 3.0 * inner; LANES], "each loop has its own");
    assert_eq!(marks(&nested("LOOP_START_NO_AL"), constants), [3.0 * outer; LANES], "the outer one's");
    let outside = format!(
        "{add}LOOP_START_NO_AL CF_CONST(1) FAIL_JUMP_ADDR(@out)\nin:\n{add}LOOP_END CF_CONST(1) PASS_JUMP_ADDR(@in)\nout:\n{END}"
    );
    assert_eq!(marks(&outside, constants), [3.0; LANES], "0 outside");
    let none =
        "LOOP_START CF_CONST(2) FAIL_JUMP_ADDR(@out)\nin:\nMARK\nLOOP_END CF_CONST(2) PASS_JUMP_ADDR(@in)\nout:\nEND\n";
    let zero = |job: &mut Job| job.loops[2] = LoopConstant { count: 0, init: 0, step: 0 };
    assert_eq!(marks(&expand(none), zero), [0.0; LANES], "no pass at all");
}

#[test]
fn a_compiled_loop_with_a_trip_count_for_each_lane() {
    // LLVM 19 for rv770: do { acc += y; i++; } while (i < n) with n = int(R1.x), acc in R0.x, y in R0.y.
    let words = [
        0x0000000a, 0xa0080000, 0x00000007, 0x83000000, 0x0000000d, 0xa40c0000, 0x00000006, 0x85000001, 0x00000006,
        0x84800000, 0x00000006, 0x87000001, 0x00000002, 0x82800000, 0xc0000000, 0x94200688, 0x00000000, 0x80200000, 0,
        0, 0x000000fd, 0x60200c90, 0x80000001, 0x00203590, 0, 0, 0x801f4c01, 0x60201a10, 0x00800000, 0x00000010,
        0x819fc001, 0x60481d90, 0x801f0cfe, 0x00002104,
    ];
    let mut program = Program::from_dwords(&words);
    program.info.set_resources(0x0000_0203);
    let memory = memory();
    let lanes = ctm_lane::domain::Domain::of_size(8, 1).unwrap();
    let mut job = Job::new(&program, lanes, &memory);
    job.inputs.insert(0, ctm_r700::Input::Value([0, f32::to_bits(0.5), 0, 0]));
    job.inputs.insert(1, ctm_r700::Input::Position);
    let surface = ctm_memory::Surface {
        base: support::BASE,
        pitch: 8,
        height: 1,
        tiling: ctm_memory::Tiling::Linear,
        superfine: false,
        format: ctm_memory::Format::Float32_4,
    };
    job.targets.colours[0] = Some(surface);
    ctm_r700::reference::run(&job, &ctm_lane::run::RunOptions::default()).unwrap();
    let view = ctm_memory::View::new(&memory, surface, ctm_memory::Bounds::Drop);
    let sums: Vec<f32> = (0..8).map(|i| f32::from_bits(view.load(i, 0)[0])).collect();
    assert_eq!(sums, [0.5, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]);
}

#[test]
fn fetch_programs() {
    let main = assemble(&expand("CALL_FS CALL_COUNT(1)\nMARK\nEND\n"));
    let fetch = |source: &str| {
        let mut program = assemble(&expand(source));
        program.info.stage = Stage::Fetch;
        program
    };
    let memory = memory();
    let fetches = ["MARK\nMARK\nRETURN\n", "MARK\nMARK\nRETURN EOP\n", "MARK\nMARK\nNOP EOP\nMARK\n"].map(fetch);
    let mut job = job(&main, &memory);
    let x = |job: &Job| run(job).map(|results| f32::from_bits(results[5][0]));
    assert_eq!(x(&job), Ok(1.0), "nothing without a fetch program");
    for fetch in &fetches {
        job.fetch_program = Some(fetch);
        assert_eq!(x(&job), Ok(3.0));
    }
}

#[test]
fn the_end_wins_over_a_jump() {
    let source = "EXP: PARAM0, R3.xyzw\nJUMP CND(FALSE) ADDR(@out) EOP\nout:\nEND\n";
    assert_eq!(marks(&expand(source), |_| {}), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn traps() {
    let deep = "CALL CALL_COUNT(20) ADDR(@sub)\nJUMP CND(FALSE) ADDR(@out)\nsub:\nMARK\nCALL CALL_COUNT(20) ADDR(@sub)\nRETURN\nout:\nEND\n";
    assert_eq!(marks(&expand(deep), |_| {}), [1.0; LANES], "a call that is too deep is skipped");
    let traps: &[(&str, TrapKind, u32)] = &[
        ("NOP\n", TrapKind::BadAddress, 1),
        ("ELSE ADDR(1)\nEND\n", TrapKind::StackUnderflow, 0),
        ("LOOP_START_DX10 FAIL_JUMP_ADDR(1)\nPOP POP_CNT(1)\nEND\n", TrapKind::StackMismatch, 1),
        (
            "LOOP_START_DX10 FAIL_JUMP_ADDR(1)\nPUSH ADDR(2)\nLOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)\nEND\n",
            TrapKind::StackMismatch,
            2,
        ),
        ("LOOP_END CF_CONST(0) PASS_JUMP_ADDR(0)\nEND\n", TrapKind::NoLoop, 0),
        ("ALU_CONTINUE:\n 0 x: MOV R1.x, R1.x\nEND\n", TrapKind::NoLoop, 0),
        (
            "LOOP_START_DX10 FAIL_JUMP_ADDR(0)\nCALL CALL_COUNT(1) ADDR(2)\nLOOP_BREAK ADDR(3)\nLOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)\nEND\n",
            TrapKind::StackMismatch,
            2,
        ),
    ];
    for (source, kind, pc) in traps {
        let trap = trap(&expand(source), |_| {});
        assert_eq!((trap.kind, trap.location.pc, trap.location.slot), (*kind, *pc, None), "{source}");
    }
}

#[test]
fn stack_entries_are_counted_as_the_guide_does() {
    // A loop, three masks and a call: 1 + ceil((3 + 2 + 1) / 4) entries with 64 pixels, with 32 and 16 of them fewer.
    let source = "LOOP_START_DX10 FAIL_JUMP_ADDR(@out)\nPUSH ADDR(@out)\nPUSH ADDR(@out)\nPUSH ADDR(@out)\n\
                  CALL CALL_COUNT(1) ADDR(@sub)\nPOP POP_CNT(3)\nLOOP_BREAK ADDR(@end)\nend:\n\
                  LOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)\nJUMP CND(FALSE) ADDR(@out)\nsub:\nRETURN\nout:\nEND\n";
    for (wavefront, entries) in [(Wavefront::W64, 3), (Wavefront::W48, 3), (Wavefront::W32, 2), (Wavefront::W16, 2)] {
        let mut program = assemble(&expand(source));
        assert_eq!(ctm_r700::check::stack_need(&program, wavefront).entries, entries.into());
        let memory = memory();
        for (size, fits) in [(entries, true), (entries - 1, false)] {
            program.info.stack_size = Some(size);
            let mut job = job(&program, &memory);
            job.wavefront = wavefront;
            let kind = match run(&job) {
                Ok(_) => None,
                Err(ctm_r700::RunError::Trap(trap)) => Some(trap.kind),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(kind, (!fits).then_some(TrapKind::StackOverflow), "{wavefront:?} {size}");
        }
    }
}
