//! What a lane goes through by the reference, and a session that is compared with it.

use crate::debugger::writes::Writes;
use ctm_debug::{Direction, Position, Session, StepKind, StepOutcome, StopReason};
use ctm_follow::{Cell, Change, GroupEnd, InstructionPlace, LaneView, Observer, Step, StepPart};
use ctm_memory::Space;
use ctm_testkit::random::Random;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps of a group that are looked at.
pub const STEPS: u64 = 3000;
/// One moment of so many is compared with all of memory, too.
const SPARSE: usize = 16;

/// Has a session over each of so many programs, or of those that the environment asks for; `check` gives the number of its steps, if a seed makes
/// one. All seeds are tried before those that fail are reported.
pub fn each(machine: &str, programs: u64, mut check: impl FnMut(u64) -> Option<u64>) {
    let number = |name: &str, usual: u64| {
        std::env::var(name)
            .map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
    };
    let (first, count) = (number("CTM_DEBUG_PROGRAMS_FIRST", 0), number("CTM_DEBUG_PROGRAMS", programs));
    let (mut sessions, mut steps, mut failed) = (0, 0, Vec::new());
    for seed in first..first + count {
        match catch_unwind(AssertUnwindSafe(|| check(seed))) {
            Ok(made) => {
                sessions += u64::from(made.is_some());
                steps += made.unwrap_or(0);
            }
            Err(_) => failed.push(seed),
        }
    }
    println!("{machine}: {sessions} sessions with {steps} steps");
    assert!(
        failed.is_empty(),
        "{machine}: {} of {count} programs fail; CTM_DEBUG_PROGRAMS_FIRST={} CTM_DEBUG_PROGRAMS=1 is the first. Seeds: {failed:?}",
        failed.len(),
        failed[0]
    );
    assert!(sessions > count / 2, "{machine}: {sessions} sessions over {count} programs");
}

/// What a lane goes through, by the reference.
#[derive(Default)]
pub struct LaneTrace {
    pub start: Vec<(Cell, u32)>,
    pub steps: Vec<(InstructionPlace, Vec<Change>)>,
}

impl Observer for LaneTrace {
    fn starts(&mut self, view: &LaneView) {
        self.start.clone_from(&view.cells);
    }

    fn step(&mut self, step: &Step) {
        match (step.event.part, self.steps.last_mut()) {
            // What the end of a clause does belongs to the clause's last step.
            (StepPart::End, Some((_, changes))) => changes.extend(&step.changes),
            _ => self.steps.push((step.event.place(), step.changes.clone())),
        }
    }

    fn ends(&mut self, _: &GroupEnd) {}

    fn wants_steps(&self) -> bool {
        self.steps.len() < STEPS as usize
    }
}

pub fn bytes(space: &Space) -> Vec<u8> {
    let mut all = Vec::new();
    for arena in space.arenas() {
        let mut bytes = vec![0; arena.size() as usize];
        arena.read_bytes(arena.base(), &mut bytes);
        all.extend(bytes);
    }
    all
}

/// All that a session shows of a moment but memory, as one number.
fn state(session: &Session) -> u64 {
    let guest = session.guest();
    let mut hasher = DefaultHasher::new();
    (guest.place(), session.outcome() == &StepOutcome::Going).hash(&mut hasher);
    for lane in 0..guest.lanes().len() {
        (0..guest.cells().len()).for_each(|cell| guest.read(lane, cell).hash(&mut hasher));
        format!("{:?} {:?}", guest.standing(lane), guest.participation(lane)).hash(&mut hasher);
    }
    format!("{:?}", guest.stack()).hash(&mut hasher);
    guest.memory().journal().map(|journal| journal.len()).hash(&mut hasher);
    hasher.finish()
}

/// Memory as one number.
fn memory(session: &Session) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes(session.guest().memory()).hash(&mut hasher);
    hasher.finish()
}

/// Compares the session, at the start of the group of a lane, with the lane's way, where there is one; then looks at its moments in another order.
/// Gives the number of steps.
pub fn check(session: &mut Session, way: Option<&LaneTrace>, random: &mut Random) -> u64 {
    let unseen = LaneTrace::default();
    let way = way.unwrap_or(&unseen);
    let start = session.position();
    let lane = session.lane_number(session.focus());
    let cells = session.guest().cells().to_vec();
    let at_start = |cell: &Cell| way.start.iter().find(|(other, _)| other == cell).map_or(0, |(_, bits)| *bits);
    let mut now: Vec<u32> = cells.iter().map(at_start).collect();
    let has_clauses = session.guest().listing().rows.iter().any(|row| row.place.in_clause);
    let of_clauses = |cell: &Cell| has_clauses && way.start.iter().all(|(other, _)| other != cell);
    let of_clauses: Vec<bool> = cells.iter().map(of_clauses).collect();
    let mut states = vec![state(session)];
    let mut memories = vec![(0, memory(session))];
    let mut writes = Writes::new(session, random);
    for n in 0..STEPS {
        if session.outcome() != &StepOutcome::Going {
            break;
        }
        let place = session.guest().place();
        session.step(StepKind::Instruction, Direction::Forward);
        states.push(state(session));
        writes.see(session, place);
        if random.one_in(SPARSE) {
            memories.push((n + 1, memory(session)));
        }
        // A lane that has ended is followed no further, nor one of a group whose parts run one after the other.
        if let (Some(lane), Some((at, changes))) = (lane, way.steps.get(n as usize)) {
            assert_eq!(place, Some(*at), "step {n}");
            for change in changes {
                let cell = cells.iter().position(|cell| *cell == change.cell);
                now[cell.unwrap_or_else(|| panic!("a session does not show {:?}", change.cell))] = change.bits;
            }
            // What only clauses have is 0 outside of them.
            if session.guest().place().is_none_or(|place| !place.in_clause) {
                now.iter_mut().zip(&of_clauses).filter(|(_, of_clause)| **of_clause).for_each(|(now, _)| *now = 0);
            }
            let shown = (0..cells.len()).map(|cell| session.guest().read(lane, cell));
            // Ways have no local memory.
            let is_of_way = |cell: usize| cells[cell].pattern != "local[#]";
            let differs = shown.zip(&now).enumerate().find(|(cell, (shown, now))| shown != *now && is_of_way(*cell));
            let differs = differs.map(|(cell, _)| cell);
            let cell = differs.filter(|_| n as usize + 1 < way.steps.len()).map(|cell| (cells[cell], now[cell]));
            assert_eq!(cell, None, "step {n}");
        }
    }
    let last = states.len() as u64 - 1;
    memories.push((last, memory(session)));
    for _ in 0..6 {
        let (step, bytes) = memories[random.below(memories.len())];
        session.go_to(Position { step, ..start }).expect("a moment");
        assert_eq!((state(session), memory(session)), (states[step as usize], bytes), "step {step}");
        let back = session.step(StepKind::Instruction, Direction::Back);
        assert_eq!(back == StopReason::Start, step == 0);
        assert_eq!(state(session), states[step.saturating_sub(1) as usize], "back from step {step}");
        let step = random.below(states.len()) as u64;
        session.go_to(Position { step, ..start }).expect("a moment");
        assert_eq!(state(session), states[step as usize], "step {step}");
    }
    writes.check(session, last, random);
    session.go_to(Position { step: last, ..start }).expect("the last moment");
    assert_eq!(Some((last, memory(session))), memories.last().copied());
    assert_eq!(state(session), states[last as usize]);
    last
}

/// Where groups come one after the other, a whole run leaves the same memory as that of the reference.
pub fn check_whole(session: &mut Session, expected: &Space) {
    if !session.guest().is_independent() {
        session.go_to(Position { group: 0, step: 0 }).expect("the start");
        assert_eq!(session.run_groups(), Ok(StopReason::End));
        assert!(bytes(session.guest().memory()).starts_with(&bytes(expected)));
    }
}
