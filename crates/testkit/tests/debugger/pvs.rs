//! Sessions over vertex programs.

use crate::pvs_programs;

use crate::debugger::lane_trace::{STEPS, check, check_whole, each};
use ctm_cases::{Result, Unstructured};
use ctm_debug::{Direction, Position, Session, SessionError, StepKind, StepOutcome};
use ctm_engine::Executor;
use ctm_follow::Participation;
use ctm_lane::run::RunOptions;
use ctm_memory::{Buffer, Space};
use ctm_pvs::debug::DebugError;
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::{Constants, run_observed};
use ctm_pvs::{CONSTANTS, INPUTS, Job, debug};
use ctm_testkit::random::Random;
use pvs_programs::{number, operations, program};

const VERTICES: u32 = 5;
/// Bytes of all vertices' vectors, however many there are.
const BYTES: u32 = 16 * INPUTS as u32 * VERTICES;
/// Bytes that a program and its inputs are made of.
const ENTROPY: usize = 8192;

fn bytes(memory: &Space, base: u32, length: u32) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    memory.read_bytes(base, &mut bytes).expect("memory");
    bytes
}

/// The steps of a session over the program that these bytes make.
fn session(u: &mut Unstructured, random: &mut Random) -> Result<u64> {
    let program = program(u, &operations().collect::<Vec<_>>())?;
    let mut constants = [[0; 4]; CONSTANTS];
    for value in constants.iter_mut().take(8).flatten() {
        *value = number(u)?;
    }
    let mut space = Space::default();
    let base = space.append(2 * u64::from(BYTES)).expect("memory");
    for word in (0..BYTES).step_by(4) {
        space.write_bytes(base + word, &number(u)?.to_le_bytes()).expect("memory");
    }
    // Once in a while what a vertex gets lies where the next ones bring theirs.
    let is_ordered = random.one_in(4);
    let outputs = base + if is_ordered { 16 } else { BYTES };
    let (layout, options) = (Layout::of(&program), RunOptions { step_limit: STEPS, ..RunOptions::default() });
    let constants = Constants { memory: &constants, base: 2 };
    let run = Run { program: &program, constants, layout: &layout, inputs: base, outputs };
    let open = |vertex| debug::session(&run.job(&space, VERTICES), &options, debug::listing(&program), (vertex, 0));
    let vertex = random.below(VERTICES as usize) as u32;
    let (vertex, session) = match open(vertex) {
        // A vertex before it traps.
        Err(DebugError::Session(SessionError::Before { .. })) => (0, open(0)),
        session => (vertex, session),
    };
    let mut session = session.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(session.guest().is_independent(), !is_ordered);
    let steps = check(&mut session, None, random);

    let before = space.copy().expect("memory");
    if is_ordered {
        Executor::Reference.run(&run.job(&before, vertex), &options).expect("the vertices before");
    }
    check_way(&mut session, &run.job(&before, VERTICES), vertex);
    let whole = space.copy().expect("memory");
    if Executor::Reference.run(&run.job(&whole, VERTICES), &options).is_ok() {
        check_whole(&mut session, &whole);
        let length = 16 * layout.outputs.len() as u32;
        for vertex in 0..if is_ordered { 0 } else { VERTICES } {
            session.set_focus((vertex, 0)).expect("a vertex");
            session.go_to_end().expect("it is near");
            let first = outputs + vertex * length;
            let of_vertex = |memory: &Space| bytes(memory, first, length);
            assert_eq!(of_vertex(session.guest().memory()), of_vertex(&whole), "vertex {vertex}");
            let elements = session.guest().outputs().into_iter().flat_map(|output| output.bytes_of((vertex, 0)));
            assert!(elements.flatten().eq(first..first + length), "vertex {vertex}");
        }
    }
    Ok(steps)
}

/// A run over vertices, without its memory.
struct Run<'a> {
    program: &'a ctm_pvs::Program,
    constants: Constants<'a>,
    layout: &'a Layout,
    inputs: u32,
    outputs: u32,
}

impl<'a> Run<'a> {
    fn job(&self, memory: &'a Space, vertices: u32) -> Job<'a> {
        let &Run { program, constants, layout, inputs, outputs } = self;
        let buffer = |base| Buffer::new(memory, base, BYTES).expect("memory");
        Job { program, constants, layout, vertices, inputs: buffer(inputs), outputs: buffer(outputs), memory }
    }
}

/// Compares places, predicates and outputs of a vertex with what the reference says.
fn check_way(session: &mut Session, job: &Job, vertex: u32) {
    let vectors = job.layout.inputs.len() as u32;
    let mut inputs = [[0; 4]; INPUTS];
    for (place, &number) in (0..).zip(&job.layout.inputs) {
        let at = 16 * (vertex * vectors + place);
        inputs[usize::from(number)] = [0, 4, 8, 12].map(|component| job.inputs.load(at + component));
    }
    let mut way = Vec::new();
    let ran = run_observed(job.program, job.constants, &inputs, STEPS, |pc, executes| way.push((pc, executes)));
    session.go_to(Position { group: vertex.into(), step: 0 }).expect("the start");
    for (pc, executes) in way {
        assert_eq!(session.guest().place().map(|place| place.at.pc), Some(pc.into()));
        let (participation, _) = session.guest().participation(0);
        assert_eq!(participation == Participation::Executes, executes, "instruction {pc}");
        session.step(StepKind::Instruction, Direction::Forward);
    }
    // What there is no instruction for, or no step left, is seen when it is tried.
    session.step(StepKind::Instruction, Direction::Forward);
    let found = match ran {
        Err(trap) => return assert_eq!(session.outcome(), &StepOutcome::Trapped(trap.to_string())),
        Ok(found) => found,
    };
    assert_eq!(session.outcome(), &StepOutcome::Ended);
    let guest = session.guest();
    for cell in guest.output_cells() {
        let number = usize::from(guest.cells()[cell].number);
        let component = "xyzw".chars().position(|name| Some(name) == guest.cells()[cell].channel);
        let expected = found.outputs[number][component.expect("a component")];
        assert_eq!(guest.read(0, cell), expected, "out[{number}]");
    }
}

#[test]
fn sessions_over_pvs() {
    each("PVS", 120, |seed| {
        let random = &mut Random::new(4_000_000 + seed);
        let bytes: Vec<u8> = (0..ENTROPY / 8).flat_map(|_| random.bits64().to_le_bytes()).collect();
        session(&mut Unstructured::new(&bytes), random).ok()
    });
}
