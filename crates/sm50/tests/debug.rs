//! Debugger sessions over SM50 launches: divergence, memory, who wrote what.

use ctm_debug::{
    Breakpoint, BreakpointKind, Direction, FrameKind, Output, OutputElements, Position, Session, StepKind, StopReason,
    WriteTarget, command, find_cell,
};
use ctm_follow::{Participation, Standing};
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::AttributeMap;
use ctm_sm50::debug::{self, LaunchCopy};
use ctm_sm50::launch::{DEFAULT_STEP_LIMIT, Environment, Grid, Invocations, Pixels, Shader, StageLaunch};
use ctm_sm50::text;

const RESULTS: u32 = 0x10000;

/// Threads from 4 on store 7, the others 5; each through its local memory.
const PROGRAM: &str = "
    S2R R0, SR_TID.X;
    ISETP.LT.U32.AND P0, PT, R0, 4, PT;
    SSY meet;
@P0 BRA low;
    MOV R1, 7;
    STL [0x4], R1;
    SYNC;
low:
    MOV R1, 5;
    STL [0x4], R1;
    SYNC;
meet:
    LDL R2, [0x4];
    SHL R3, R0, 2;
    STG [R3+0x10000], R2;
@P0 EXIT;
    EXIT;
";

fn with_session<R>(lane: u32, body: impl FnOnce(Session) -> R) -> R {
    let program = text::parse(PROGRAM).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let mut memory = Space::default();
    memory.map(Arena::new(RESULTS, 0x800).unwrap()).unwrap();
    let grid = Grid::new([1, 1, 1], [40, 1, 1]).unwrap();
    let environment = Environment { memory: Some(&memory), ..Environment::default() };
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { local_memory: 16, ..(&program).into() };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let elements = OutputElements::Lanes { base: RESULTS, stride: 4, row_stride: 0, words: 1 };
    let session = debug::session(
        vec![LaunchCopy::of(&launch, 0).unwrap()],
        Some(&memory),
        vec![Output { name: "results".into(), elements }],
        &RunOptions { step_limit: DEFAULT_STEP_LIMIT, ..RunOptions::default() },
        debug::listing(&[shader]),
        (lane, 0),
    );
    let result = body(session.unwrap());
    assert!((0..64).all(|word| memory.arenas()[0].read_u32(RESULTS + 4 * word) == Some(0)), "sessions have a copy");
    result
}

fn cell(session: &Session, name: &str) -> usize {
    find_cell(session.guest().cells(), name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn ways_part_and_meet() {
    with_session(2, |mut session| {
        assert_eq!(session.guest().lanes().len(), 32);
        session.go_to(Position { group: 0, step: 4 }).unwrap();
        let guest = session.guest();
        // Those that stay go first.
        assert_eq!((guest.standing(2), guest.standing(4)), (Standing::Branch(None), Standing::Active));
        assert_eq!(guest.participation(2).0, Participation::Waits(None));
        let kinds: Vec<FrameKind> = guest.stack().iter().map(|frame| frame.kind).collect();
        assert_eq!(kinds, [FrameKind::Branch; 2]);
        assert!(guest.stack()[1].text.contains("0x0000000f"), "{:?}", guest.stack());
        session.step(StepKind::Lane, Direction::Forward);
        assert_eq!(session.position().step, 7);
        let row = session.guest().listing().row(session.guest().place().unwrap()).unwrap();
        assert_eq!(session.guest().listing().rows[row].labels, ["L0050"]);
        session.go_to_end().unwrap();
        assert_eq!(session.guest().standing(2), Standing::Ended);
        session.step(StepKind::Instruction, Direction::Back);
        // P0's lanes have ended one instruction before the others.
        assert_eq!((session.guest().standing(2), session.guest().standing(4)), (Standing::Ended, Standing::Active));
        session.step(StepKind::Instruction, Direction::Back);
        let guest = session.guest();
        assert_eq!(guest.participation(4).0, Participation::Skips("P0 is false".into()));
        assert_eq!(guest.participation(2).0, Participation::Executes);
    });
}

#[test]
fn memory_is_watched_and_has_writers() {
    with_session(33, |mut session| {
        assert_eq!((session.position().group, session.guest().is_independent()), (1, false));
        let local = cell(&session, "local[4]");
        let result = WriteTarget::Memory { address: RESULTS + 4 * 33, bytes: 4 };
        session.add_breakpoint(Breakpoint {
            kind: BreakpointKind::Changes(WriteTarget::cell(local)),
            lane: None,
            condition: None,
        });
        let what = BreakpointKind::Changes(WriteTarget::Memory { address: RESULTS + 4 * 33, bytes: 4 });
        session.add_breakpoint(Breakpoint { kind: what, lane: None, condition: None });
        let mut stops = Vec::new();
        while let StopReason::Breakpoint(hits) = session.run(Direction::Forward) {
            stops.push((session.position().step, hits[0].1.clone()));
        }
        assert_eq!(stops.len(), 2, "{stops:?}");
        assert!(stops[0].1.contains("local[4]") && stops[1].1.contains("memory at 0x00010084"), "{stops:?}");
        let write = session.last_write(&result).unwrap().unwrap();
        assert_eq!((write.old, write.new, write.before.step + 1), (vec![0], vec![7], stops[1].0));
        let history = session.history().unwrap();
        assert_eq!((history.len(), &history[0].target), (1, &result));
        // Back before the store, and before the group that comes first.
        session.go_to(Position { group: 1, step: 0 }).unwrap();
        assert_eq!(session.words(&result), [0]);
        let first = WriteTarget::Memory { address: RESULTS, bytes: 4 };
        assert_eq!(session.words(&first), [5]);
        session.go_to(Position { group: 0, step: 0 }).unwrap();
        assert_eq!(session.words(&first), [0]);
    });
}

#[test]
fn memory_is_named_by_address_and_by_output() {
    with_session(33, |mut session| {
        session.go_to_end().unwrap();
        let parse =
            |text: &str| WriteTarget::parse(session.guest(), session.focus(), text).map_err(|error| error.to_string());
        let memory = |address, bytes| Ok(WriteTarget::Memory { address, bytes });
        assert_eq!(parse("R2"), Ok(WriteTarget::cell(cell(&session, "R2"))));
        assert_eq!(parse("0x10000"), memory(RESULTS, 4));
        assert_eq!(parse(" 65540:3 "), memory(RESULTS + 4, 12));
        assert_eq!(parse("results"), memory(RESULTS + 4 * 33, 4));
        assert_eq!(parse("results at 5,0"), memory(RESULTS + 4 * 5, 4));
        for (text, message) in [
            ("results at 5", "unknown name 'results at 5': give a register like R0, memory like 0x10000"),
            ("nothing", "or an output like 'results'"),
            ("0x10000:0", "there are no 0 bytes of memory at 0x00010000"),
            ("0x107fc:2", "there are no 8 bytes of memory at 0x000107fc"),
            ("0x4", "there are no 4 bytes of memory at 0x00000004"),
            ("0x10000:1025", "4100 bytes are too many"),
            ("0x10000:4294967295", "17179869180 bytes are too many"),
        ] {
            assert!(parse(text).is_err_and(|error| error.contains(message)), "{text}: {:?}", parse(text));
        }
    });
}

#[test]
fn writers_are_found_in_groups_before() {
    with_session(33, |mut session| {
        session.go_to_end().unwrap();
        let (here, lanes) = (session.position(), session.snapshot());
        let mut ask = |text: &str| command(&mut session, text).unwrap().unwrap().text;
        let expected = "group 0, step 12: 0088: STG [R3+0x10000], R2\n  memory at 0x00010008: 0 -> 5 0x5";
        assert_eq!(ask("who results at 2,0"), expected);
        assert!(ask("who results").starts_with("step 9: "), "{}", ask("who results"));
        assert_eq!(ask("who 0x10100"), "nothing has changed 0x10100 since the run's start");
        assert_eq!(ask("memory 0x10080:3").matches("7 0x7").count(), 3);
        assert_eq!(session.position(), here);
        assert_eq!(session.snapshot(), lanes);
        // From the beginning of the second group it is the first that wrote.
        session.go_to(Position { group: 1, step: 0 }).unwrap();
        let write = session.last_write(&WriteTarget::Memory { address: RESULTS + 4, bytes: 8 }).unwrap().unwrap();
        assert_eq!((write.before.group, write.old, write.new), (0, vec![0, 0], vec![5, 5]));
        assert_eq!(command(&mut session, "watch 0x10080:2").unwrap().unwrap().text, "breakpoint 1");
        let listed = command(&mut session, "breakpoints").unwrap().unwrap().text;
        assert_eq!(listed, "1: when 8 bytes of memory at 0x00010080 changes");
        assert!(matches!(session.run(Direction::Forward), StopReason::Breakpoint(_)));
        assert_eq!(session.guest().place().map(|place| place.at.pc), Some(0x90));
    });
}

#[test]
fn registers_change_by_hand() {
    with_session(0, |mut session| {
        session.go_to(Position { group: 0, step: 2 }).unwrap();
        let (p0, r1) = (cell(&session, "P0"), cell(&session, "R1"));
        session.set(p0, 0).unwrap();
        session.go_to_end().unwrap();
        assert_eq!(session.words(&WriteTarget::Memory { address: RESULTS, bytes: 4 }), [7]);
        assert_eq!(session.guest().read(1, r1), 5);
        assert!(session.set(cell(&session, "stack"), 1).is_err());
        assert!(find_cell(session.guest().cells(), "R7").is_none(), "the program names R0 to R3");
    });
}

/// Each thread stores its number, and reads what the last thread of the block has stored.
const BLOCK: &str = "
    S2R R0, SR_TID.X;
    SHL R1, R0, 2;
    STS [R1], R0;
    BAR.SYNC 0x0;
    LDS R2, [0xbc];
    STG [R1+0x10000], R2;
    EXIT;
";

fn with_block<R>(code: &str, thread: u32, body: impl FnOnce(Session) -> R) -> R {
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let mut memory = Space::default();
    memory.map(Arena::new(RESULTS, 0x1000).unwrap()).unwrap();
    let grid = Grid::new([2, 1, 1], [48, 1, 1]).unwrap();
    let environment = Environment { memory: Some(&memory), ..Environment::default() };
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let shader = Shader { shared_memory: 256, ..(&program).into() };
    let launch = StageLaunch {
        grid: Some(grid),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let options = RunOptions { step_limit: DEFAULT_STEP_LIMIT, ..RunOptions::default() };
    let copy = LaunchCopy::of(&launch, 0).unwrap();
    let listing = debug::listing(&[shader]);
    body(debug::session(vec![copy], Some(&memory), Vec::new(), &options, listing, (thread, 0)).unwrap())
}

/// A group is the block: its warps take turns at barriers, and its memory can be looked at and watched.
#[test]
fn warps_of_a_block_wait_for_each_other() {
    with_block(BLOCK, 48 + 40, |mut session| {
        let guest = session.guest();
        assert_eq!((session.position().group, guest.groups(), guest.lanes().len()), (1, 2, 48));
        assert_eq!(guest.lanes()[40].at, (88, 0));
        let shared = cell(&session, "shared[188]");
        let kind = BreakpointKind::Changes(WriteTarget::cell(shared));
        session.add_breakpoint(Breakpoint { kind, lane: None, condition: None });
        assert!(matches!(session.run(Direction::Forward), StopReason::Breakpoint(_)));
        let guest = session.guest();
        assert_eq!((guest.read(40, shared), guest.read(0, shared)), (47, 47));
        // The first warp waits at the barrier, the second one comes to it.
        assert_eq!((guest.standing(0), guest.standing(40)), (Standing::Meeting, Standing::Active));
        assert_eq!(guest.participation(0).0, Participation::Waits(None));
        let before = session.snapshot();
        let position = session.position();
        session.go_to_end().unwrap();
        let word = |thread: u32| WriteTarget::Memory { address: RESULTS + 4 * thread, bytes: 4 };
        assert_eq!([0, 31, 32, 47].map(|thread| session.words(&word(thread))), [[47]; 4]);
        session.go_to(position).unwrap();
        assert_eq!(session.snapshot(), before);
        session.set(shared, 5).unwrap();
        session.go_to_end().unwrap();
        assert_eq!(session.words(&word(3)), [5]);
    });
    // Each warp waits for the other at another barrier.
    let code =
        BLOCK.replace("BAR.SYNC 0x0", "ISETP.LT.U32.AND P0, PT, R0, 32, PT; @P0 BAR.SYNC 0x0; @!P0 BAR.SYNC 0x1");
    with_block(&code, 0, |mut session| {
        let StopReason::Trap(trap) = session.run(Direction::Forward) else { panic!("it ends") };
        assert!(trap.contains("wait"), "{trap}");
    });
}

/// Lanes are pixels, helpers at the border among them, and what the program leaves in registers is an output.
#[test]
fn fragments_are_the_pixels_of_a_window() {
    let code = ".stage pixel
        IPA.PASS R0, a[0x70], RZ;
        FSETP.LT.AND P0, PT, R0, 1.0, PT;
        @P0 KIL;
        IPA.PASS R1, a[0x74], RZ;
        EXIT;";
    let program = text::parse(code).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let pixels = Pixels::new((9, 5), &program.header.unwrap().pixel, []).unwrap();
    let environment = Environment::default();
    let invocations = Invocations { count: pixels.invocations(), columns: None };
    let shader = Shader::from(&program);
    let launch = StageLaunch {
        pixels: Some(&pixels),
        ..StageLaunch::new(shader, &environment, &invocations, AttributeMap::default())
    };
    let options = RunOptions { step_limit: DEFAULT_STEP_LIMIT, ..RunOptions::default() };
    let session = |lane| {
        let copy = LaunchCopy::of(&launch, 0).unwrap();
        debug::session(vec![copy], None, Vec::new(), &options, debug::listing(&[shader]), lane)
    };
    assert!(matches!(session((9, 0)), Err(debug::DebugError::Session(_))) && session((0, 5)).is_err());
    // Five quads in a row: the pixel is in the second warp.
    let mut session = session((7, 3)).unwrap();
    assert_eq!((session.position().group, session.guest().groups()), (1, 2));
    assert_eq!(
        session.guest().lanes()[..4].iter().map(|lane| lane.at).collect::<Vec<_>>(),
        [(6, 2), (7, 2), (6, 3), (7, 3)]
    );
    session.go_to_end().unwrap();
    let target = |session: &Session, text: &str| WriteTarget::parse(session.guest(), session.focus(), text).unwrap();
    let words = |session: &Session, text: &str| session.words(&target(session, text));
    assert_eq!(words(&session, "colour 0.r"), [7.5f32.to_bits()]);
    assert_eq!(words(&session, "colour 0.g at 8,2"), [2.5f32.to_bits()]);
    assert_eq!(words(&session, "colour 0.r at 0,0"), [0], "it is killed");
    let write = session.last_write(&target(&session, "colour 0.g")).unwrap().unwrap();
    assert_eq!((write.before.group, write.new), (1, vec![3.5f32.to_bits()]));
    assert_eq!(pixels.result((7, 3)), None, "sessions have a copy");
}
