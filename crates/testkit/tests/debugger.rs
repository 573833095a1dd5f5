//! Debugger sessions over generated programs: what they show is what the reference does, in any order of looking.
//!
//! `CTM_DEBUG_PROGRAMS` says how many programs of each kind run; the usual number keeps the test short.

use ctm_debug::{Direction, Elements, Outcome, Position, Reason, Session, SessionError, Unit};
use ctm_follow::{Change, End, Observer, Place, Step, View};
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_testkit::buffers::Buffers;
use ctm_testkit::emit::emit;
use ctm_testkit::generate;
use ctm_testkit::oracle;
use ctm_testkit::random::Random;
use ctm_testkit::structured::{INPUT_WIDTH, Options, Structured};
use ctm_x1k::debug::{self, DebugError};
use ctm_x1k::{Domain, Job, OUTPUTS, RunOptions, WriteMode, reference};

/// Steps of a group that are looked at.
const STEPS: u64 = 3000;

fn programs(usual: u64) -> u64 {
    std::env::var("CTM_DEBUG_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// What a lane goes through, by the reference.
#[derive(Default)]
struct Way {
    start: Vec<u32>,
    steps: Vec<(Place, Vec<Change>)>,
    cells: Vec<ctm_follow::Cell>,
}

impl Observer for Way {
    fn starts(&mut self, view: &View) {
        self.start = view.cells.iter().map(|(_, bits)| *bits).collect();
        self.cells = view.cells.iter().map(|(cell, _)| *cell).collect();
    }

    fn step(&mut self, step: &Step) {
        self.steps.push((step.event.place(), step.changes.clone()));
    }

    fn ends(&mut self, _: &End) {}

    fn wants_steps(&self) -> bool {
        self.steps.len() < STEPS as usize
    }
}

fn bytes(space: &Space) -> Vec<u8> {
    let mut all = Vec::new();
    for arena in space.arenas() {
        let mut bytes = vec![0; arena.size() as usize];
        arena.read_bytes(arena.base(), &mut bytes);
        all.extend(bytes);
    }
    all
}

/// All that a session shows of a moment, as one number.
fn state(session: &Session) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let guest = session.guest();
    let mut hasher = DefaultHasher::new();
    (guest.place(), session.outcome() == &Outcome::Going).hash(&mut hasher);
    for lane in 0..guest.lanes().len() {
        (0..guest.cells().len()).for_each(|cell| guest.read(lane, cell).hash(&mut hasher));
        format!("{:?} {:?}", guest.standing(lane), guest.participation(lane)).hash(&mut hasher);
    }
    format!("{:?}", guest.stack()).hash(&mut hasher);
    for output in guest.outputs() {
        let Elements::Surface(surface) = output.elements else { panic!("{output:?}") };
        let mut bytes = vec![0; surface.bytes() as usize];
        guest.memory().read_bytes(surface.base, &mut bytes).unwrap();
        bytes.hash(&mut hasher);
    }
    hasher.finish()
}

/// Compares the session, at the start of the group of a lane, with the lane's way; then looks at its moments in another order.
fn check(session: &mut Session, way: &Way, random: &mut Random) {
    let start = session.position();
    let lane = session.lane_number(session.focus());
    assert_eq!(session.guest().cells(), way.cells);
    let mut now = way.start.clone();
    let mut states = vec![state(session)];
    for n in 0..STEPS {
        if session.outcome() != &Outcome::Going {
            break;
        }
        let place = session.guest().place();
        session.step(Unit::Instruction, Direction::Forward);
        states.push(state(session));
        // A lane that has ended is followed no further, nor one of a group whose parts run one after the other.
        if let (Some(lane), Some((at, changes))) = (lane, way.steps.get(n as usize)) {
            assert_eq!(place, Some(*at), "step {n}");
            for change in changes {
                let cell = way.cells.iter().position(|cell| *cell == change.cell).unwrap();
                now[cell] = change.bits;
            }
            let shown: Vec<u32> = (0..now.len()).map(|cell| session.guest().read(lane, cell)).collect();
            assert!(n as usize + 1 == way.steps.len() || shown == now, "step {n}");
        }
    }
    let last = states.len() as u64 - 1;
    for _ in 0..6 {
        let step = random.below(states.len()) as u64;
        session.go_to(Position { step, ..start }).unwrap();
        assert_eq!(state(session), states[step as usize], "step {step}");
        let back = session.step(Unit::Instruction, Direction::Back);
        assert_eq!(back == Reason::Start, step == 0);
        assert_eq!(state(session), states[step.saturating_sub(1) as usize], "back from step {step}");
    }
    session.go_to(Position { step: last, ..start }).unwrap();
    assert_eq!(state(session), states[last as usize]);
}

/// Odd bounds, so that quads stick out on every side.
const DOMAIN: Domain = Domain { i0: 3, j0: 1, i1: 11, j1: 5 };

struct X1k {
    buffers: Buffers,
    input: Surface,
    outputs: [Surface; OUTPUTS],
}

impl X1k {
    fn new() -> Self {
        let mut buffers = Buffers::new(1 << 20);
        let input = buffers.allocate(INPUT_WIDTH, 1, Format::Float32_4, Tiling::Linear);
        buffers.fill(&input, INPUT_WIDTH, |x, _| [0, 0, 0, oracle::input(x).to_bits()]);
        let outputs = std::array::from_fn(|_| buffers.allocate(16, 8, Format::Float32_4, Tiling::Linear));
        X1k { buffers, input, outputs }
    }

    fn check(&self, program: &ctm_x1k::Program, random: &mut Random) {
        let mut job = Job::new(program, DOMAIN, self.buffers.space());
        job.inputs = [Some(self.input); _];
        job.outputs = self.outputs.map(Some);
        if program.info.write_mode == WriteMode::Umrt {
            job.outputs[0] = Some(Surface { format: Format::Float32_1, ..self.outputs[0] });
        }
        if job.check().is_err() {
            return;
        }
        self.outputs.iter().for_each(|output| self.buffers.fill(output, 16, |_, _| [7; 4]));
        let width = random.pick(&[1, 4, 16, 64]);
        let options = RunOptions { group_width: width, threads: 1, step_limit: STEPS, ..RunOptions::default() };
        let lane = (DOMAIN.i0 + random.below(9) as u32, DOMAIN.j0 + random.below(5) as u32);
        let before = bytes(self.buffers.space());
        let open = |lane| debug::session(&job, &options, debug::listing(program), lane);
        let (lane, session) = match open(lane) {
            // A group before the lane's traps.
            Err(DebugError::Session(SessionError::Before { .. })) => {
                let first = (DOMAIN.i0, DOMAIN.j0);
                (first, open(first))
            }
            session => (lane, session),
        };
        let mut session = session.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bytes(self.buffers.space()), before, "a session has memory of its own");
        let mut way = Way::default();
        let run = reference::run_observed(&job, &options, lane, &mut way);
        // Lanes that conditional execution leaves out have no way, and lanes in later parts of a group have one of their own.
        if way.start.is_empty() || session.lane_number(lane).is_none() {
            return;
        }
        check(&mut session, &way, random);
        // Where groups come one after the other, the whole run leaves the same memory as that of the reference.
        if run.is_ok() && !session.guest().is_independent() {
            session.go_to(Position { group: 0, step: 0 }).unwrap();
            assert_eq!(session.run_groups(), Ok(Reason::End));
            assert_eq!(bytes(session.guest().memory()), bytes(self.buffers.space()));
        }
    }
}

#[test]
fn sessions_over_x1k() {
    let fixture = X1k::new();
    for seed in 0..programs(60) {
        let random = &mut Random::new(seed);
        let options = Options { full_flow_control: seed % 3 != 0, derivatives: seed % 2 == 0 };
        let mut program = emit(&Structured::random(random, options));
        program.info.full_flow_control = options.full_flow_control;
        fixture.check(&program, random);
    }
    for seed in 0..programs(60) {
        let random = &mut Random::new(1_000_000 + seed);
        let mode = if seed % 4 == 0 { WriteMode::Umrt } else { WriteMode::Cached };
        let count = 8 + random.below(20);
        fixture.check(&generate::program(random, count, mode), random);
    }
}
