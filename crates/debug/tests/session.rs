//! Sessions over a toy machine: how they move, where they stop, and who wrote what.

use crate::toy;

use ctm_debug::{
    Breakpoint, BreakpointKind, Direction, Expression, Position, Session, SessionError, StepKind, StopReason, Write,
    WriteTarget,
};
use ctm_follow::InstructionPlace;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use toy::{COUNTS, GREEN, N, OUT, Options, P, PLAIN, STEPS, TOTAL, session};

use Direction::{Back, Forward};

fn at(group: u64, step: u64) -> Position {
    Position { group, step }
}

fn go(session: &mut Session, step: u64) {
    session.go_to(Position { step, ..session.position() }).expect("there is such a step");
}

/// The bits that the lane in focus holds.
fn held(session: &Session, cell: usize) -> u32 {
    session.guest().read(session.lane_number(session.focus()).expect("a lane"), cell)
}

fn pc(session: &Session) -> Option<u32> {
    session.guest().place().map(|place| place.at.pc)
}

fn breakpoint(session: &mut Session, what: BreakpointKind, lane: Option<u32>, condition: Option<&str>) -> u32 {
    let condition = condition.map(|text| Expression::parse(text, session.guest().cells()).expect("an expression"));
    session.add_breakpoint(Breakpoint { kind: what, lane: lane.map(|lane| (lane, 0)), condition })
}

fn place(pc: u32) -> BreakpointKind {
    BreakpointKind::Place(InstructionPlace::from(pc))
}

fn memory(address: u32) -> WriteTarget {
    WriteTarget::Memory { address, bytes: 4 }
}

#[test]
fn instructions_one_by_one_in_both_directions() {
    let mut session = session(2, Options::default());
    assert_eq!((session.position(), session.focus(), pc(&session)), (at(1, 0), (2, 0), Some(0)));
    let order = [0, 1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 5, 8, 9, 6, 7];
    for (step, expected) in order.into_iter().enumerate() {
        assert_eq!((session.position().step, pc(&session)), (step as u64, Some(expected)));
        assert_eq!(session.step(StepKind::Instruction, Forward), StopReason::Step);
    }
    assert_eq!((session.position(), pc(&session)), (at(1, STEPS), None));
    assert_eq!(session.step(StepKind::Instruction, Forward), StopReason::End, "nothing comes after the end");
    for expected in order.into_iter().rev() {
        assert_eq!(session.step(StepKind::Instruction, Back), StopReason::Step);
        assert_eq!(pc(&session), Some(expected));
    }
    assert_eq!(session.step(StepKind::Instruction, Back), StopReason::Start);
    assert_eq!(session.position(), at(1, 0));
}

/// Memory and registers are at each moment what they were there before, wherever the session comes from.
#[test]
fn moments_are_the_same_from_everywhere() {
    let mut session = session(2, Options::default());
    let moment = |session: &Session| (held(session, N), session.words(&memory(OUT + 8)), pc(session));
    let all: Vec<_> = (0..=STEPS)
        .map(|step| {
            go(&mut session, step);
            moment(&session)
        })
        .collect();
    let numbers: Vec<u32> = all.iter().map(|moment| moment.0).collect();
    assert_eq!(numbers, [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9, 9, 18, 18, 18, 18]);
    let stored: Vec<u32> = all.iter().map(|moment| moment.1[0]).collect();
    assert_eq!(stored, [0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9, 9, 9, 9, 9]);
    for step in [16, 3, 9, 0, 10, 4, 15, 1] {
        go(&mut session, step);
        assert_eq!(moment(&session), all[step as usize], "{step}");
    }
}

#[test]
fn steps_of_a_lane() {
    let mut session = session(3, Options::default());
    // The odd lane skips 2, and waits in the call.
    let mut visited = vec![0];
    while session.step(StepKind::Lane, Forward) == StopReason::Step {
        visited.push(session.position().step);
    }
    assert_eq!(visited, [0, 1, 3, 4, 6, 7, 9, 10, 11, 14, 15]);
    assert_eq!(session.position().step, STEPS);
    let mut back = Vec::new();
    while session.step(StepKind::Lane, Back) == StopReason::Step {
        back.push(session.position().step);
    }
    back.push(session.position().step);
    back.reverse();
    assert_eq!(back, visited);
}

#[test]
fn steps_over_calls_and_out_of_them() {
    let mut session = session(2, Options::default());
    go(&mut session, 11);
    assert_eq!((session.step(StepKind::Over, Forward), session.position().step), (StopReason::Step, 14));
    assert_eq!((session.step(StepKind::Over, Back), session.position().step), (StopReason::Step, 11));
    assert_eq!((session.step(StepKind::Lane, Forward), session.position().step), (StopReason::Step, 12));
    assert_eq!((session.step(StepKind::Over, Forward), session.position().step), (StopReason::Step, 13));
    go(&mut session, 12);
    assert_eq!((session.step(StepKind::Out, Forward), session.position().step), (StopReason::Step, 14));
    assert_eq!((session.step(StepKind::Out, Forward), session.position().step), (StopReason::End, STEPS));
    // Breakpoints in a call stop who steps over it; nothing stops an instruction.
    let number = breakpoint(&mut session, place(9), None, None);
    go(&mut session, 11);
    let stopped = StopReason::Breakpoint(vec![(number, "breakpoint".into())]);
    assert_eq!((session.step(StepKind::Over, Forward), session.position().step), (stopped, 13));
    go(&mut session, 12);
    assert_eq!((session.step(StepKind::Instruction, Forward), session.position().step), (StopReason::Step, 13));
}

#[test]
fn steps_to_other_lines_and_passes() {
    let mut session = session(2, Options::default());
    let mut steps = |unit, from: u64, direction| {
        go(&mut session, from);
        (session.step(unit, direction), session.position().step)
    };
    assert_eq!(steps(StepKind::Line, 2, Forward), (StopReason::Step, 4), "two instructions are of one line");
    assert_eq!(steps(StepKind::Line, 4, Forward), (StopReason::Step, 5));
    assert_eq!(steps(StepKind::Line, 14, Forward), (StopReason::Step, 15), "where no line is, to another instruction");
    assert_eq!(steps(StepKind::Line, 4, Back), (StopReason::Step, 2));
    assert_eq!(steps(StepKind::Pass, 0, Forward), (StopReason::Step, 2));
    assert_eq!(steps(StepKind::Pass, 2, Forward), (StopReason::Step, 5));
    assert_eq!(steps(StepKind::Pass, 8, Forward), (StopReason::Step, 11));
    assert_eq!(steps(StepKind::Pass, 11, Forward), (StopReason::End, STEPS));
    assert_eq!(steps(StepKind::Pass, 11, Back), (StopReason::Step, 8));
    assert_eq!(steps(StepKind::Pass, 2, Back), (StopReason::Start, 0));
}

/// All moments at which a session stops: forward from the start, and back from the end, which are the same.
#[track_caller]
fn stops(session: &mut Session, expected: &[(u64, &str)]) {
    go(session, 0);
    let mut forward = Vec::new();
    while let StopReason::Breakpoint(hits) = session.run(Forward) {
        forward.push((session.position().step, hits[0].1.clone()));
    }
    assert_eq!(session.position().step, STEPS);
    let shown: Vec<_> = forward.iter().map(|(step, text)| (*step, text.as_str())).collect();
    assert_eq!(shown, expected);
    let mut back = Vec::new();
    while let StopReason::Breakpoint(hits) = session.run(Back) {
        back.push((session.position().step, hits[0].1.clone()));
    }
    assert_eq!(session.position().step, 0);
    back.reverse();
    // What happens with the last step is not before it.
    forward.retain(|(step, _)| *step < STEPS);
    assert_eq!(back, forward);
}

#[test]
fn breakpoints_at_places() {
    let stop = |lane, condition, pc, expected: &[u64]| {
        let mut session = session(2, Options::default());
        breakpoint(&mut session, place(pc), lane, condition);
        let expected: Vec<_> = expected.iter().map(|&step| (step, "breakpoint")).collect();
        stops(&mut session, &expected);
    };
    stop(None, None, 2, &[2, 5, 8]);
    stop(Some(2), None, 2, &[2, 5, 8]);
    stop(Some(3), None, 2, &[]);
    stop(Some(4), None, 2, &[]);
    stop(None, Some("n >= 6"), 2, &[8]);
    stop(Some(3), Some("n >= 6"), 3, &[]);
    stop(Some(3), Some("n < 6"), 3, &[3, 6, 9]);
    stop(None, None, 8, &[12]);
    let mut odd = session(3, Options::default());
    breakpoint(&mut odd, place(2), None, Some("n == 0"));
    stops(&mut odd, &[]);
}

#[test]
fn breakpoints_on_what_happens() {
    let stop = |what: BreakpointKind, lane, condition, expected: &[(u64, &str)]| {
        let mut session = session(2, Options::default());
        breakpoint(&mut session, what, lane, condition);
        stops(&mut session, expected);
    };
    let holds = |text: &str| {
        BreakpointKind::Holds(
            Expression::parse(text, session(2, Options::default()).guest().cells()).expect("an expression"),
        )
    };
    stop(holds("n > 5"), None, None, &[(6, "n > 5 holds")]);
    stop(holds("n > 5"), Some(3), None, &[]);
    stop(holds("n % 2 == 0"), None, None, &[(6, "n % 2 == 0 holds"), (13, "n % 2 == 0 holds")]);
    stop(holds("p"), None, None, &[]);
    stop(BreakpointKind::Nan, None, None, &[(15, "t[0].g of lane (3, 0) becomes a NaN")]);
    stop(BreakpointKind::Nan, Some(3), None, &[(15, "t[0].g of lane (3, 0) becomes a NaN")]);
    stop(BreakpointKind::Nan, Some(2), None, &[]);
    stop(BreakpointKind::Leaves, None, None, &[(16, "lane (2, 0) leaves")]);
    stop(BreakpointKind::Leaves, Some(3), None, &[(12, "lane (3, 0) leaves"), (16, "lane (3, 0) leaves")]);
    let n = || BreakpointKind::Changes(WriteTarget::cell(N));
    stop(n(), None, None, &[(3, "n changes"), (6, "n changes"), (9, "n changes"), (13, "n changes")]);
    stop(n(), None, Some("n > 6"), &[(9, "n changes"), (13, "n changes")]);
    stop(n(), Some(3), None, &[]);
    let out = "out, memory at 0x00100008 changes";
    stop(BreakpointKind::Changes(memory(OUT + 8)), None, None, &[(4, out), (7, out), (10, out)]);
}

#[test]
fn breakpoints_have_numbers() {
    let mut session = session(2, Options::default());
    let numbers = [2, 3, 2].map(|pc| breakpoint(&mut session, place(pc), None, None));
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(session.breakpoints().keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    let both = [(1, "breakpoint".to_owned()), (3, "breakpoint".to_owned())];
    assert_eq!(session.run(Forward), StopReason::Breakpoint(both.into()));
    assert!(session.remove_breakpoint(1) && !session.remove_breakpoint(1));
    assert_eq!(session.run(Forward), StopReason::Breakpoint(vec![(2, "breakpoint".into())]));
    assert_eq!(breakpoint(&mut session, place(4), None, None), 4, "numbers do not come again");
}

#[test]
fn moments_that_there_are_not() {
    let toy = || Box::new(toy::Toy::new(Options::default()));
    let new = |lane| Session::new(toy(), lane, &|| true).map(|session| session.position());
    assert_eq!(new((5, 0)), Ok(at(2, 0)));
    assert_eq!([new((6, 0)), new((0, 1))], [Err(SessionError::NoLane(6, 0)), Err(SessionError::NoLane(0, 1))]);
    let mut session = session(2, Options::default());
    assert_eq!(session.go_to(at(1, STEPS)), Ok(()));
    assert_eq!(session.go_to(at(1, 17)), Err(SessionError::Behind { group: 1, steps: STEPS }));
    assert_eq!(session.go_to(at(3, 0)), Err(SessionError::NoGroup(3)));
    assert_eq!(session.set_focus((6, 0)), Err(SessionError::NoLane(6, 0)));
    assert_eq!((session.focus(), session.position()), ((2, 0), at(1, STEPS)));
    assert_eq!(session.set_focus((3, 0)), Ok(()));
    assert_eq!((session.focus(), session.position()), ((3, 0), at(1, STEPS)), "a lane of the same group");
    assert_eq!(session.set_focus((0, 0)), Ok(()));
    assert_eq!((session.focus(), session.position()), ((0, 0), at(0, 0)));
}

#[test]
fn requests_have_an_end() {
    let mut session = session(2, Options::default());
    session.set_max_steps(3);
    assert_eq!((session.run(Forward), session.position().step), (StopReason::Limit, 3));
    assert_eq!((session.run(Forward), session.position().step), (StopReason::Limit, 6));
    assert_eq!(session.go_to(at(1, 9)), Ok(()));
    assert_eq!(session.go_to(at(1, 13)), Err(SessionError::Far(3)));
    assert_eq!(session.go_to_end(), Err(SessionError::Far(3)));
    assert_eq!(session.position().step, 12);
    assert_eq!((session.go_to(at(1, 15)), session.go_to_end()), (Ok(()), Ok(())));
    assert_eq!(session.last_write(&WriteTarget::cell(N)), Err(SessionError::Far(3)));
    assert_eq!(session.history(), Err(SessionError::Far(3)));

    let mut stopped = toy::session(2, Options::default());
    let interrupt = Arc::new(AtomicBool::new(false));
    stopped.set_interrupt(interrupt.clone());
    assert_eq!(stopped.run(Forward), StopReason::End);
    interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(stopped.run(Back), StopReason::Limit);
    stopped.go_to(at(1, 0)).expect("the start");
    assert_eq!((stopped.run(Forward), stopped.position().step), (StopReason::Limit, 0));
}

/// A request whose time is over ends early; what only looks leaves the session where it was. The next request has a time of its own.
#[test]
fn requests_end_when_their_time_is_over() {
    let mut session = session(2, Options::default());
    session.go_to_end().expect("it is near");
    let (end, target) = (session.position(), WriteTarget::cell(N));
    let write = session.last_write(&target).expect("it is near");
    assert!(write.is_some());
    session.set_time_limit(Some(Duration::ZERO));
    session.begin_request();
    assert_eq!(session.last_write(&target), Err(SessionError::Interrupted));
    assert_eq!(session.history(), Err(SessionError::Interrupted));
    assert_eq!(session.position(), end);
    assert_eq!(session.go_to(at(1, 3)), Err(SessionError::Interrupted));
    assert_eq!(session.run(Forward), StopReason::Limit);
    session.set_time_limit(None);
    session.begin_request();
    session.go_to(end).expect("it is near");
    assert_eq!(session.last_write(&target), Ok(write));
}

/// Where groups depend on each other, those before a lane's run first, in one request that can be ended.
#[test]
fn the_way_to_a_lane_can_be_ended() {
    let options = Options { counts: true, ..Options::default() };
    let open = |is_over: bool| Session::new(Box::new(toy::Toy::new(options)), (5, 0), &|| is_over);
    assert_eq!(open(false).map(|session| session.position()), Ok(at(2, 0)));
    assert_eq!(open(true).map(|session| session.position()), Err(SessionError::Interrupted));
    let mut session = toy::session(0, options);
    session.set_max_steps(STEPS + 4);
    assert_eq!(session.set_focus((5, 0)), Err(SessionError::Far(STEPS + 4)));
    assert_eq!(session.position(), at(1, 4));
    session.set_max_steps(100);
    assert_eq!(session.set_focus((5, 0)), Ok(()));
}

#[test]
fn the_last_writer() {
    let mut session = session(2, Options::default());
    let mut last = |step, target: &WriteTarget| {
        go(&mut session, step);
        let write = session.last_write(target).expect("it is near");
        assert_eq!(session.position().step, step, "the session stays where it is");
        write.map(|write| (write.before.step, write.place.map(|place| place.at.pc), write.old, write.new))
    };
    let n = WriteTarget::cell(N);
    assert_eq!(last(STEPS, &n), Some((12, Some(8), vec![9], vec![18])));
    assert_eq!(last(13, &n), Some((12, Some(8), vec![9], vec![18])));
    assert_eq!(last(12, &n), Some((8, Some(2), vec![6], vec![9])));
    assert_eq!(last(3, &n), Some((2, Some(2), vec![0], vec![3])));
    assert_eq!(last(2, &n), None);
    assert_eq!(last(STEPS, &memory(OUT + 8)), Some((9, Some(3), vec![6], vec![9])));
    assert_eq!(last(STEPS, &memory(OUT + 12)), None, "what is written again does not change");
    let both = WriteTarget::Memory { address: OUT + 4, bytes: 8 };
    assert_eq!(last(4, &both), Some((3, Some(3), vec![0, 0], vec![0, 3])));
    let register = WriteTarget::Cells(0..2);
    assert_eq!(last(STEPS, &register), Some((14, Some(6), vec![0x3F80_0000, 0], vec![0x3F80_0000, 0x4000_0000])));
}

/// What groups before have written is found, where groups depend on each other.
#[test]
fn the_last_writer_of_groups() {
    let mut session = session(4, COUNTS);
    assert_eq!((session.position(), session.words(&memory(TOTAL))), (at(2, 0), vec![6]));
    let last = |session: &mut Session, address| {
        let here = session.position();
        let write = session.last_write(&memory(address)).expect("it is near");
        assert_eq!(session.position(), here);
        write.map(|Write { before, old, new, .. }| (before, old, new))
    };
    assert_eq!(last(&mut session, TOTAL), Some((at(1, 9), vec![5], vec![6])));
    assert_eq!(last(&mut session, OUT), Some((at(0, 9), vec![2], vec![3])));
    assert_eq!(last(&mut session, OUT + 16), None);
    go(&mut session, 4);
    assert_eq!(last(&mut session, TOTAL), Some((at(2, 3), vec![6], vec![7])));
    session.go_to(at(0, 7)).expect("an earlier group");
    assert_eq!(
        (session.words(&memory(TOTAL)), last(&mut session, TOTAL)),
        (vec![2], Some((at(0, 6), vec![1], vec![2])))
    );
    session.go_to(at(0, 0)).expect("the start");
    assert_eq!((session.words(&memory(TOTAL)), last(&mut session, TOTAL)), (vec![0], None));
    session.go_to(at(2, 0)).expect("the last group");
    assert_eq!(session.words(&memory(TOTAL)), [6]);
}

#[test]
fn the_history_of_outputs() {
    let mut session = session(2, Options::default());
    go(&mut session, 5);
    let history = session.history().expect("it is short");
    let writes: Vec<_> = history.iter().map(|write| (write.before.step, write.new[0], write.target.clone())).collect();
    let out = memory(OUT + 8);
    assert_eq!(writes, [(3, 3, out.clone()), (6, 6, out.clone()), (9, 9, out)]);
    assert_eq!(session.position().step, 5);
}

#[test]
fn changes_by_hand() {
    let mut session = session(2, Options::default());
    go(&mut session, 5);
    session.set(N, 50).expect("it can be changed");
    go(&mut session, 2);
    assert_eq!(session.set(N, 100), Ok(()));
    assert!(session.is_edited());
    let values = |session: &mut Session| {
        [6, 1, 2, 3, 13].map(|step| {
            go(session, step);
            held(session, N)
        })
    };
    // What was changed later is forgotten: 103 and 106 come of 100.
    assert_eq!(values(&mut session), [106, 0, 100, 103, 218]);
    go(&mut session, 0);
    session.set(N, 7).expect("it can be changed");
    assert_eq!(values(&mut session), [13, 7, 7, 10, 32]);
    go(&mut session, 3);
    session.set(GREEN, 5).expect("it can be changed");
    go(&mut session, 0);
    assert_eq!((held(&session, N), held(&session, GREEN)), (7, 0), "earlier changes stay");

    assert_eq!(session.clear_edits(), Ok(()));
    assert_eq!((session.is_edited(), session.position()), (false, at(1, 0)));
    assert_eq!(values(&mut session), [6, 0, 0, 3, 18]);
    assert_eq!(session.set(P, 1).unwrap_err().to_string(), "p cannot be changed");
    assert_eq!(session.set(99, 1).unwrap_err().to_string(), "that cannot be changed");
    assert!(!session.is_edited());

    // Changes of other groups stay.
    let mut counts = toy::session(0, COUNTS);
    counts.set(N, 10).expect("it can be changed");
    counts.set_focus((2, 0)).expect("a lane");
    counts.set(N, 20).expect("it can be changed");
    assert_eq!(counts.words(&memory(OUT)), [13]);
    counts.clear_edits().expect("groups end");
    assert_eq!((counts.position(), counts.words(&memory(OUT))), (at(1, 0), vec![3]));
}

#[test]
fn runs_through_all_groups() {
    let mut session = session(0, COUNTS);
    assert_eq!(session.run_groups(), Ok(StopReason::End));
    assert_eq!((session.position(), session.focus(), session.words(&memory(TOTAL))), (at(2, STEPS), (4, 0), vec![9]));
    session.go_to(at(0, 0)).expect("the start");
    breakpoint(&mut session, place(6), None, None);
    for group in 0..3 {
        assert!(matches!(session.run_groups(), Ok(StopReason::Breakpoint(_))));
        assert_eq!(session.position(), at(group, 14));
    }
    assert_eq!(session.run_groups(), Ok(StopReason::End));
}

#[test]
fn traps_end_groups() {
    for counts in [false, true] {
        let options = Options { counts, trap: Some(1), ..PLAIN };
        let mut session = session(2, options);
        let trap = StopReason::Trap("boom".into());
        assert_eq!((session.run(Forward), session.position().step), (trap.clone(), 15));
        assert_eq!(session.run(Forward), trap, "and it stays so");
        assert_eq!(session.run_groups(), Ok(trap));
        assert_eq!(session.go_to(at(1, 16)), Err(SessionError::Behind { group: 1, steps: 15 }));
        let next = session.set_focus((4, 0));
        // Groups that do not depend on it are none the worse.
        let before = SessionError::Before { group: 1, trap: "boom".into() };
        assert_eq!(next, if counts { Err(before) } else { Ok(()) });
    }
}

#[test]
fn expressions_hold_in_lanes() {
    let mut session = session(2, Options::default());
    go(&mut session, 6);
    let expression = Expression::parse("n > 5", session.guest().cells()).expect("an expression");
    assert_eq!([2, 3, 4].map(|lane| session.holds(&expression, (lane, 0))), [true, false, false]);
}

/// A session in a long loop, whose groups are as many steps.
fn long(passes: u32) -> (Session, u64) {
    let session = session(2, Options { passes: Some(passes), ..PLAIN });
    (session, STEPS + 3 * (u64::from(passes) - 3))
}

/// Wherever a session comes from, and whatever checkpoints it has, a moment is the same.
#[test]
fn moments_of_long_runs_are_the_same_from_everywhere() {
    let (mut session, steps) = long(1500);
    let n = |step: u64| 3 * (step / 3).min(1500) as u32;
    for step in [steps, 2, 4000, 3999, 600, 1, 1024, 1025, 1023, steps, 512, 0, 2048, 2047, steps - 5] {
        go(&mut session, step);
        let (passes, expected) = (n(step), session.position());
        let doubled = if step > steps - 4 { 2 * passes } else { passes };
        let held = held(&session, N);
        assert_eq!((expected.step, held), (step, doubled), "{step}");
        let stored = if step < 4 { 0 } else { 3 * (((step - 1) / 3).min(1500) as u32) };
        assert_eq!(session.words(&memory(OUT + 8)), [stored], "{step}");
    }
    session.set_max_steps(700);
    go(&mut session, 600);
    assert_eq!(session.go_to(at(1, 1300)), Ok(()), "it is as far as it may be");
    go(&mut session, 0);
}

/// Backwards, stops are found across all checkpoints, the nearest one first.
#[test]
fn stops_are_found_in_long_runs() {
    let (mut session, steps) = long(1500);
    go(&mut session, steps);
    let when = |text: &str| Expression::parse(text, session.guest().cells()).expect("an expression");
    let conditions = ["n == 9", "n == 1536", "n == 1539", "n == 3", "n == 4500"].map(when);
    for (condition, step) in conditions.into_iter().zip([9, 1536, 1539, 3, 4500]) {
        let number = breakpoint(&mut session, BreakpointKind::Holds(condition), None, None);
        go(&mut session, steps);
        assert!(matches!(session.run(Back), StopReason::Breakpoint(_)));
        assert_eq!(session.position().step, step);
        assert!(session.remove_breakpoint(number));
    }
    go(&mut session, steps - 1);
    let write = session.last_write(&WriteTarget::cell(GREEN)).expect("it is near");
    assert_eq!(write.map(|write| write.before.step), Some(steps - 2));
    session.set(GREEN, 1).expect("it can be changed");
    go(&mut session, 1000);
    assert_eq!(session.last_write(&WriteTarget::cell(GREEN)).expect("it is near"), None);
    assert_eq!(session.position().step, 1000);
}

/// Looking back counts the steps that are made again, from one checkpoint to the next.
#[test]
fn looking_back_goes_so_far() {
    let look = |most: u64| {
        let (mut session, _) = long(1500);
        go(&mut session, 1000);
        session.set_max_steps(most);
        session.last_write(&WriteTarget::cell(GREEN))
    };
    // From 1001 to the checkpoint at 512, and from 513 to the start.
    assert_eq!(look(489 + 513), Ok(None));
    assert_eq!(look(489 + 512), Err(SessionError::Far(489 + 512)));
}

/// Instructions that no lane executes are passed by.
#[test]
fn nobody_stops_where_nobody_is() {
    for skipped in [None, Some(8)] {
        let mut session = session(2, Options { skipped, ..PLAIN });
        breakpoint(&mut session, place(8), None, None);
        let stop = session.run(Forward);
        assert_eq!(matches!(stop, StopReason::Breakpoint(_)), skipped.is_none(), "{stop:?}");
    }
}

/// Without lines, a line is an instruction that the lane executes.
#[test]
fn steps_where_there_are_no_lines() {
    for (lane, places) in [(2, [0, 1, 2, 3, 4, 2]), (3, [0, 1, 3, 4, 3, 4])] {
        let mut session = session(lane, Options { has_no_lines: true, ..PLAIN });
        for place in places {
            assert_eq!(session.guest().place(), Some(InstructionPlace::from(place)), "lane {lane}");
            session.step(StepKind::Line, Forward);
        }
    }
}

/// Changes of a group stay when another one is changed at an earlier step.
#[test]
fn changes_belong_to_their_groups() {
    let mut session = session(0, COUNTS);
    go(&mut session, 5);
    session.set(N, 50).expect("it can be changed");
    session.set_focus((2, 0)).expect("a lane");
    session.set(N, 20).expect("it can be changed");
    session.set_focus((0, 0)).expect("a lane");
    go(&mut session, 6);
    assert_eq!(held(&session, N), 51);
}
