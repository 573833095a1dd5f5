//! Debugger sessions over a vertex program with a loop, a subroutine and predicates.

use ctm_debug::{Direction, Session, StepKind, StopReason, WriteTarget, find_cell};
use ctm_follow::{Participation, Pass};
use ctm_lane::run::RunOptions;
use ctm_memory::{Buffer, Space};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, Job, debug, text};

const VERTICES: u32 = 3;

/// Three times adds the input to a temporary, in a subroutine that counts its calls; then the output is the sum where the input is greater than
/// zero, and its number of calls else.
const PROGRAM: &str = "
.const c0 = 1.0, 0.0, 0.0, 0.0
.flow 0 LOOP act=0 count=3 resume=1 last=2 index=4 step=2
.flow 1 JSR act=1 target=7 last=8 resume=2
.last 6
    VE_NOP ;
    VE_NOP ;
    VE_NOP ;
    a0.x = VE_FLT2FIX temp[1] ;
    temp[2].w = ME_PRED_SET_GT input[0].xxxx ;
    (p) out[0].x = VE_ADD temp[0] temp[0].0000 ;
    (!p) out[0].x = VE_ADD temp[1] temp[1].0000 ;
    temp[0].x = VE_ADD temp[0] input[0] ;
    temp[1].x = VE_ADD temp[1] const[0] ;
";

fn session(vertex: u32) -> Session {
    let program = text::parse(PROGRAM).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let mut memory = Space::default();
    let base = memory.append(0x1000).expect("memory");
    for vertex in 0..VERTICES {
        let x = vertex as f32 - 0.5;
        memory.write_bytes(base + 16 * vertex, &x.to_le_bytes()).expect("memory");
    }
    let mut constants = [[0; 4]; CONSTANTS];
    program.constants.iter().for_each(|(&number, &value)| constants[usize::from(number)] = value);
    let layout = Layout::of(&program);
    let job = Job {
        program: &program,
        constants: Constants { memory: &constants, base: 0 },
        layout: &layout,
        vertices: VERTICES,
        inputs: Buffer::new(&memory, base, 16 * VERTICES).expect("memory"),
        outputs: Buffer::new(&memory, base + 0x800, 16 * VERTICES).expect("memory"),
        memory: &memory,
    };
    let options = RunOptions { step_limit: 1000, ..RunOptions::default() };
    debug::session(&job, &options, debug::listing(&program), (vertex, 0)).expect("a session")
}

fn number(session: &Session, name: &str) -> f32 {
    let cell = find_cell(session.guest().cells(), name).unwrap_or_else(|| panic!("there is no {name}"));
    f32::from_bits(session.guest().read(0, cell))
}

/// The bits of the output's component x in memory.
fn stored(session: &Session) -> f32 {
    let bytes = session.guest().outputs()[0].bytes_of(session.focus()).expect("an element");
    let words = session.words(&WriteTarget::Memory { address: bytes.start, bytes: bytes.end - bytes.start });
    assert_eq!(words.len(), 4);
    f32::from_bits(words[0])
}

#[test]
fn vertices_come_to_their_ends() {
    for (vertex, expected) in [(0, 3.0), (1, 1.5), (2, 4.5)] {
        let mut session = session(vertex);
        assert_eq!(session.run(Direction::Forward), StopReason::End);
        assert_eq!((number(&session, "out[0].x"), stored(&session)), (expected, expected), "vertex {vertex}");
        assert_eq!((number(&session, "temp[1].x"), number(&session, "temp[0].x")), (3.0, 3.0 * (vertex as f32 - 0.5)));
        let a0 = find_cell(session.guest().cells(), "a0.x").expect("a0");
        assert_eq!(session.guest().read(0, a0), 3);
        assert_eq!(
            session.position().step,
            1 + 3 * 4 + 4,
            "one in front of the loop, four in each pass, four after it"
        );
    }
}

#[test]
fn loops_calls_and_predicates_are_shown() {
    let mut session = session(1);
    let text = |session: &Session| session.guest().stack().into_iter().map(|frame| frame.text).collect::<Vec<_>>();
    assert!(text(&session).is_empty());
    // In the second pass.
    (0..6).for_each(|_| _ = session.step(StepKind::Instruction, Direction::Forward));
    assert_eq!(session.guest().place().map(|place| place.at.pc), Some(7));
    assert_eq!(text(&session), ["loop, pass 2 of 3", "call, returns to 2"]);
    assert_eq!(session.guest().pass(), Some(Pass { depth: 1, number: 2, of: Some(3) }));
    let al = find_cell(session.guest().cells(), "aL").expect("aL");
    assert_eq!(session.guest().read(0, al), 6);
    assert_eq!(session.step(StepKind::Out, Direction::Back), StopReason::Step);
    assert_eq!(text(&session), ["loop, pass 2 of 3"]);
    while session.guest().place().map(|place| place.at.pc) != Some(6) {
        assert_eq!(session.step(StepKind::Instruction, Direction::Forward), StopReason::Step);
    }
    assert_eq!(session.guest().participation(0).0, Participation::Skips("p is 1".into()));
    assert!(text(&session).is_empty());
    let rows = &session.guest().listing().rows;
    assert!(rows[0].text.ends_with("-- LOOP: 3 passes of 1 to 2"), "{}", rows[0].text);
    assert!(rows[1].text.ends_with("-- JSR: 7 to 8, back to 2"), "{}", rows[1].text);
}

#[test]
fn writers_are_found_and_changes_by_hand_last() {
    let mut session = session(2);
    session.go_to_end().expect("it is near");
    let sum = find_cell(session.guest().cells(), "temp[0].x").expect("a register");
    let write = session.last_write(&WriteTarget::cell(sum)).expect("it is near").expect("there is one");
    assert_eq!((write.place.map(|place| place.at.pc), write.before.step), (Some(7), 10));
    assert_eq!((write.old, write.new), (vec![3f32.to_bits()], vec![4.5f32.to_bits()]));
    let history = session.history().expect("it is near");
    let places: Vec<_> = history.iter().filter_map(|write| Some(write.place?.at.pc)).collect();
    assert_eq!(places, [5, 6], "the register, and memory with the last instruction");

    session.go_to(write.before).expect("a moment");
    session.set(sum, 10f32.to_bits()).expect("a register can be changed");
    assert_eq!(session.run(Direction::Forward), StopReason::End);
    assert_eq!(stored(&session), 11.5);
    let al = find_cell(session.guest().cells(), "aL").expect("aL");
    assert!(session.set(al, 1).is_err());
}
