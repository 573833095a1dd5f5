//! Debugger sessions over an X1K program: where they stop, who wrote what.

use ctm_debug::{
    Breakpoint, BreakpointKind, Direction, Expression, Position, Session, StepKind, StopReason, WriteTarget, find_cell,
};
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_x1k::{Domain, Job, RunOptions, debug, text};

/// Counts passes up to the column, four at most; then the logarithm of what is left, which columns from 5 on do not have.
const PROGRAM: &str = "
.int i0 = 4, 0, 1
LOOP i[0];
  src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;
  src0.rgb = temp[0], src1.rgb = temp[1] : result[ge] = MAD src1.r__ src0.1__ -src0.r__ ;
  BREAK IF alu;
ENDLOOP;
src0.rgb = temp[0], src1.rgb = temp[1] : temp[2].r = MAD src1.r__ src0.1__ -src0.r__ ;
src0.rgb = temp[2] : temp[3].a = LN2 src0.r ;
OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;
";

fn with_session<R>(lane: (u32, u32), body: impl FnOnce(Session) -> R) -> R {
    let program = text::parse(PROGRAM).unwrap_or_else(|errors| panic!("{errors:#?}")).program;
    let mut memory = Space::default();
    let base = memory.append(4096).unwrap();
    let mut job = Job::new(&program, Domain::of_size(8, 2).unwrap(), &memory);
    let surface =
        Surface { base, pitch: 8, height: 2, tiling: Tiling::Linear, superfine: false, format: Format::Float32_4 };
    job.outputs[0] = Some(surface);
    let options = RunOptions { group_width: 8, ..RunOptions::default() };
    body(debug::session(&job, &options, debug::listing(&program), lane).unwrap())
}

fn cell(session: &Session, name: &str) -> usize {
    find_cell(session.guest().cells(), name).unwrap_or_else(|| panic!("{name}"))
}

fn pc(session: &Session) -> Option<u32> {
    session.guest().place().map(|place| place.at.pc)
}

fn at(session: &mut Session, step: u64) {
    session.go_to(Position { group: session.position().group, step }).unwrap();
}

/// Where a session stops on its way, in steps.
fn stops(session: &mut Session, direction: Direction) -> Vec<u64> {
    let mut stops = Vec::new();
    while let StopReason::Breakpoint(_) = session.run(direction) {
        stops.push(session.position().step);
    }
    stops
}

fn breakpoint(what: BreakpointKind) -> Breakpoint {
    Breakpoint { kind: what, lane: None, condition: None }
}

#[test]
fn breakpoints_stop_at_the_same_moments_in_both_directions() {
    with_session((2, 0), |mut session| {
        let expression = |text: &str, session: &Session| Expression::parse(text, session.guest().cells()).unwrap();
        let place =
            |name: &str, session: &Session| BreakpointKind::Place(session.guest().listing().find(name).unwrap());
        let body = place("L1", &session);
        let holds = |text: &str, session: &Session| BreakpointKind::Holds(expression(text, session));
        let counted = holds("temp[1].r * 2 > 3", &session);
        let changes = BreakpointKind::Changes(WriteTarget::cell(cell(&session, "temp[1].r")));
        // The lane leaves in its second pass, and others go on for a third; it ends with them.
        let all = [
            (breakpoint(body.clone()), vec![1, 5, 9]),
            (Breakpoint { lane: Some((2, 0)), ..breakpoint(body.clone()) }, vec![1, 5]),
            (Breakpoint { condition: Some(expression("temp[1].r == 1", &session)), ..breakpoint(body) }, vec![5]),
            (breakpoint(counted), vec![6]),
            (breakpoint(changes), vec![2, 6]),
            (breakpoint(BreakpointKind::Leaves), vec![8, 15]),
        ];
        for (point, expected) in all {
            let number = session.add_breakpoint(point.clone());
            at(&mut session, 0);
            assert_eq!(stops(&mut session, Direction::Forward), expected, "{point:?}");
            assert_eq!((session.position().step, pc(&session)), (15, None));
            let mut back = stops(&mut session, Direction::Back);
            back.reverse();
            // The session is at the last moment already.
            let before: Vec<u64> = expected.into_iter().filter(|&step| step < 15).collect();
            assert_eq!(back, before, "back: {point:?}");
            assert_eq!(session.position().step, 0);
            assert!(session.remove_breakpoint(number));
        }
    });
}

#[test]
fn the_first_nan_and_who_wrote_it() {
    with_session((6, 1), |mut session| {
        session.add_breakpoint(breakpoint(BreakpointKind::Nan));
        let StopReason::Breakpoint(hits) = session.run(Direction::Forward) else { panic!("no NaN") };
        assert!(hits[0].1.contains("temp[3].a of lane (5, 0)"), "{hits:?}");
        let here = session.position();
        let write = session.last_write(&WriteTarget::cell(cell(&session, "temp[3].a"))).unwrap().unwrap();
        assert_eq!((write.place.unwrap().at.pc, write.before.step + 1), (6, here.step));
        assert!(f32::from_bits(write.new[0]).is_nan());
        let write = session.last_write(&WriteTarget::cell(cell(&session, "temp[1].r"))).unwrap().unwrap();
        let numbers = |words: &[u32]| f32::from_bits(words[0]);
        assert_eq!((write.place.unwrap().at.pc, numbers(&write.old), numbers(&write.new)), (1, 3.0, 4.0));
        assert_eq!(session.last_write(&WriteTarget::cell(cell(&session, "temp[3].r"))), Ok(None));
        assert_eq!(session.position(), here, "looking leaves the session where it is");

        let history = session.history().unwrap();
        let memory = |write: &&ctm_debug::Write| matches!(write.target, WriteTarget::Memory { .. });
        let stored = history.iter().find(memory).unwrap();
        assert_eq!((numbers(&stored.new), stored.place.unwrap().at.pc), (4.0, 7));
        session.go_to_end().unwrap();
        let write = session.last_write(&stored.target).unwrap().unwrap();
        assert_eq!(&write, stored);
    });
}

#[test]
fn steps_have_units() {
    with_session((1, 0), |mut session| {
        let mut go = |unit, direction| {
            let reason = session.step(unit, direction);
            (session.position().step, reason)
        };
        assert_eq!(go(StepKind::Pass, Direction::Forward), (1, StopReason::Step), "into the loop");
        assert_eq!(go(StepKind::Pass, Direction::Forward), (5, StopReason::Step), "the second pass");
        // The lane has left the loop, and goes on after it.
        assert_eq!(go(StepKind::Lane, Direction::Forward), (12, StopReason::Step));
        assert_eq!(go(StepKind::Lane, Direction::Back), (3, StopReason::Step));
        assert_eq!(go(StepKind::Over, Direction::Forward), (12, StopReason::Step));
        assert_eq!(go(StepKind::Instruction, Direction::Back), (11, StopReason::Step));
        assert_eq!(go(StepKind::Pass, Direction::Back), (9, StopReason::Step));
        assert_eq!(go(StepKind::Out, Direction::Forward), (15, StopReason::End));
    });
}

#[test]
fn changes_by_hand_stay_in_the_session() {
    with_session((3, 0), |mut session| {
        at(&mut session, 2);
        let counter = cell(&session, "temp[1].r");
        session.set(counter, 9f32.to_bits()).unwrap();
        assert!(session.is_edited());
        session.go_to_end().unwrap();
        // Two passes are left out by the lane, and its neighbours still make theirs.
        let Some(WriteTarget::Memory { address, .. }) =
            session.history().unwrap().last().map(|write| write.target.clone())
        else {
            panic!("nothing written")
        };
        let written = |session: &Session| f32::from_bits(session.words(&WriteTarget::Memory { address, bytes: 4 })[0]);
        assert_eq!(written(&session), 9.0);
        at(&mut session, 1);
        assert_eq!(session.guest().read(3, counter), 0);
        session.go_to_end().unwrap();
        assert_eq!(written(&session), 9.0, "the change is made again");
        session.clear_edits().unwrap();
        session.go_to_end().unwrap();
        assert_eq!((session.is_edited(), written(&session)), (false, 3.0));
        let calls = cell(&session, "calls");
        assert!(session.set(calls, 1).unwrap_err().to_string().contains("calls"));
    });
}

#[test]
fn snapshots_are_plain_values() {
    with_session((5, 0), |mut session| {
        at(&mut session, 8);
        let snapshot = session.snapshot();
        assert_eq!((snapshot.machine, snapshot.group, snapshot.groups, snapshot.row), ("X1K", 1, 2, Some(4)));
        assert_eq!(snapshot.lanes.len(), 8);
        let lane = &snapshot.lanes[snapshot.lane.unwrap()];
        assert_eq!((lane.i, lane.j, lane.standing, lane.executes), (5, 0, "active", true));
        let temp = &snapshot.registers[1];
        assert_eq!((temp.name.as_str(), temp.values[0].text()), ("temp[1]", "2".into()));
        assert_eq!(
            (snapshot.pass, &snapshot.stack[..]),
            (Some((1, 2, Some(4))), &["loop, pass 2 of 4".to_owned()][..])
        );
    });
}
