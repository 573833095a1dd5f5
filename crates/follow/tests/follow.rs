//! One lane's way through a run, as an observer is told of it.

use ctm_follow::{
    Address, Cell, Event, Follow, FollowedLanes, GroupEnd, LaneView, MemoryAccess, Next, Observer, Participation,
    Standing, Step, StepPart, ValueKind, note,
};

/// Keeps what it is told.
#[derive(Default)]
struct Told {
    starts: Vec<LaneView>,
    steps: Vec<Step>,
    ends: Vec<GroupEnd>,
    wants_no_steps: bool,
}

impl Observer for Told {
    fn starts(&mut self, view: &LaneView) {
        self.starts.push(view.clone());
    }
    fn step(&mut self, step: &Step) {
        self.steps.push(step.clone());
    }
    fn ends(&mut self, end: &GroupEnd) {
        self.ends.push(end.clone());
    }
    fn wants_steps(&self) -> bool {
        !self.wants_no_steps
    }
}

const fn cell(number: u16) -> Cell {
    Cell { pattern: "r#", number, channel: None, kind: ValueKind::Word, echoes: false }
}

/// A lane that holds `bits` in its second register.
fn view(standing: Standing, bits: u32) -> LaneView {
    LaneView { cells: vec![(cell(0), 7), (cell(1), bits)], standing, active: 1, pass: None }
}

fn event(at: u32, part: StepPart, participation: Participation) -> Event {
    Event { at: at.into(), part, participation, held: String::new(), flow: false }
}

const ACTIVE: Standing = Standing::Active;
const WAITS: Standing = Standing::Branch(None);

fn skips() -> Participation {
    Participation::Skips("a predicate".into())
}

/// A group of one lane, which is followed.
fn following(told: &mut Told, steps: impl FnOnce(&mut Follow)) {
    let mut follow = Follow::new(0.into(), told);
    follow.start([Some((0, 0))].into_iter(), |_| view(ACTIVE, 0));
    steps(&mut follow);
}

/// An instruction that takes the lane from one standing to another.
fn step(follow: &mut Follow, at: u32, participation: Participation, [before, after]: [Standing; 2]) {
    follow.before(StepPart::Whole, |_| (event(at, StepPart::Whole, participation), view(before, 0)));
    follow.after(|| Next::Following, |_| view(after, 0));
}

#[test]
fn the_lane_is_found_in_its_group() {
    let lanes = [None, Some((0, 0)), Some((1, 0)), Some((1, 2))];
    for (who, expected) in [
        (FollowedLanes::Lane(0, 0), Some(1)),
        ((1, 2).into(), Some(3)),
        (1.into(), Some(2)),
        (FollowedLanes::EachGroup, Some(1)),
        (FollowedLanes::Lane(2, 1), None),
    ] {
        let mut told = Told::default();
        let mut follow = Follow::new(who, &mut told);
        follow.start(lanes.into_iter(), |lane| view(ACTIVE, lane as u32));
        follow.before(StepPart::Whole, |lane| {
            (event(lane as u32, StepPart::Whole, Participation::Executes), view(ACTIVE, 0))
        });
        for lane in 0..4 {
            follow.note(lane, || MemoryAccess::read(format!("of lane {lane}"), ValueKind::Word, [1]));
        }
        follow.after(|| Next::Following, |lane| view(ACTIVE, lane as u32));
        follow.end(None, |lane| view(ACTIVE, lane as u32));
        follow.end(None, |_| panic!("the group has ended"));
        let starts: Vec<_> = told.starts.iter().map(|view| view.cells[1].1).collect();
        let steps: Vec<_> = told.steps.iter().map(|step| (step.event.at.pc, step.changes[0].bits)).collect();
        let places: Vec<_> =
            told.steps.iter().flat_map(|step| &step.accesses).map(|access| access.place.clone()).collect();
        let ends: Vec<_> = told.ends.iter().map(|end| (end.view.cells[1].1, end.lanes, end.steps)).collect();
        let all: Vec<u32> = expected.into_iter().collect();
        assert_eq!(starts, all);
        assert_eq!(steps, all.iter().map(|&lane| (lane, lane)).collect::<Vec<_>>());
        assert_eq!(places, all.iter().map(|lane| format!("of lane {lane}")).collect::<Vec<_>>());
        assert_eq!(ends, all.iter().map(|&lane| (lane, 3, 1)).collect::<Vec<_>>());
    }
}

/// Of a lane that waits, the instruction that made it wait is known.
#[test]
fn a_lane_waits_since_it_left() {
    let mut told = Told::default();
    following(&mut told, |follow| {
        step(follow, 1, Participation::Executes, [ACTIVE, ACTIVE]);
        step(follow, 2, Participation::Executes, [ACTIVE, WAITS]);
        step(follow, 3, skips(), [WAITS, WAITS]);
        // It leaves one branch and waits in the next.
        step(follow, 4, Participation::Executes, [WAITS, Standing::Break]);
        step(follow, 5, skips(), [Standing::Break, ACTIVE]);
        step(follow, 6, skips(), [ACTIVE, ACTIVE]);
        step(follow, 7, skips(), [ACTIVE, Standing::Meeting]);
        step(follow, 8, skips(), [Standing::Meeting, ACTIVE]);
    });
    let participations: Vec<_> = told.steps.iter().map(|step| step.event.participation.clone()).collect();
    let since = |pc: u32| Participation::Waits(Some(Address::from(pc)));
    let executes = Participation::Executes;
    let expected = [executes.clone(), executes.clone(), since(2), executes, since(2), skips(), skips(), since(7)];
    assert_eq!(participations, expected);
    assert_eq!(told.steps.iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(told.steps[1].standing, [ACTIVE, WAITS]);
}

#[test]
fn groups_begin_anew() {
    let mut told = Told::default();
    let mut follow = Follow::new(FollowedLanes::EachGroup, &mut told);
    for _ in 0..2 {
        follow.start([Some((0, 0)), Some((1, 0))].into_iter(), |_| view(ACTIVE, 0));
        // A lane may wait from the start.
        step(&mut follow, 1, skips(), [WAITS, ACTIVE]);
        step(&mut follow, 2, Participation::Executes, [ACTIVE, WAITS]);
        follow.end(Some("a trap".into()), |_| view(WAITS, 9));
    }
    let waits = told.steps.iter().map(|step| (step.number, step.event.participation.clone()));
    let one = [(1, Participation::Waits(None)), (2, Participation::Executes)];
    assert_eq!(waits.collect::<Vec<_>>(), [one.clone(), one].concat());
    for end in &told.ends {
        assert_eq!((end.lanes, end.steps, end.trap.as_deref(), end.view.cells[1].1), (2, 2, Some("a trap"), 9));
    }
    assert_eq!((told.starts.len(), told.ends.len()), (2, 2));
}

/// Nothing comes after the step in which the lane ends, though the others go on.
#[test]
fn a_lane_that_has_ended_makes_no_steps() {
    let mut told = Told::default();
    following(&mut told, |follow| {
        step(follow, 1, Participation::Executes, [ACTIVE, Standing::Ended]);
        step(follow, 2, skips(), [Standing::Ended, Standing::Ended]);
        follow.end(None, |_| view(Standing::Ended, 0));
    });
    assert_eq!(told.steps.iter().map(|step| step.event.at.pc).collect::<Vec<_>>(), [1]);
    assert_eq!(told.ends[0].steps, 2, "steps of the group");
}

/// What comes after a clause is not a step of its own, and is reported if it does something.
#[test]
fn ends_of_clauses_are_shown_if_something_happens() {
    let quiet = || view(ACTIVE, 0);
    let other_active = LaneView { active: 2, ..quiet() };
    for (after, next, is_shown) in [
        (quiet(), Next::Following, false),
        (view(ACTIVE, 1), Next::Following, true),
        (view(WAITS, 0), Next::Following, true),
        (other_active, Next::Following, true),
        (quiet(), Next::End, true),
        (quiet(), Next::Jump(4.into()), true),
    ] {
        let mut told = Told::default();
        following(&mut told, |follow| {
            let begin = |part| move |_| (event(3, part, Participation::Executes), quiet());
            follow.before(StepPart::Begin, begin(StepPart::Begin));
            follow.after(|| Next::Following, |_| quiet());
            follow.before(StepPart::Clause, begin(StepPart::Clause));
            follow.after(|| Next::Following, |_| quiet());
            follow.before(StepPart::End, begin(StepPart::End));
            follow.after(|| next.clone(), |_| after.clone());
            follow.end(None, |_| quiet());
        });
        let numbers: Vec<_> = told.steps.iter().map(|step| (step.number, step.event.part)).collect();
        let shown = [(1, StepPart::Begin), (2, StepPart::Clause), (2, StepPart::End)];
        assert_eq!(numbers, shown[..if is_shown { 3 } else { 2 }], "{next:?}");
        assert_eq!(told.ends[0].steps, 2);
    }
}

#[test]
fn accesses_belong_to_their_instruction() {
    let read = |n: u32| MemoryAccess::read("memory".into(), ValueKind::Integer, [n]);
    let mut told = Told::default();
    following(&mut told, |follow| {
        follow.note(0, || read(0));
        follow.before(StepPart::Whole, |_| (event(1, StepPart::Whole, Participation::Executes), view(ACTIVE, 5)));
        follow.note(0, || read(1));
        follow.note(0, || read(2));
        follow.after(|| Next::Jump(9.into()), |_| view(ACTIVE, 6));
        step(follow, 2, Participation::Executes, [ACTIVE, ACTIVE]);
        let mut follow = Some(std::mem::replace(follow, Follow::new(0.into(), Box::leak(Box::new(Told::default())))));
        note(&mut follow, 0, || MemoryAccess::write("out".into(), ValueKind::Word, [8]).at([3, 4]));
        note(&mut follow, 1, || panic!("another lane"));
        note(&mut None, 0, || panic!("nobody is followed"));
        follow.expect("it is there").end(None, |_| view(ACTIVE, 6));
    });
    let [first, second] = &told.steps[..] else { panic!("two steps") };
    assert_eq!(first.accesses, [read(1), read(2)]);
    assert_eq!((first.next.clone(), second.next.clone()), (Next::Jump(9.into()), Next::Following));
    let changes: Vec<_> = first.changes.iter().map(|change| (change.cell.register(), change.bits)).collect();
    assert_eq!(changes, [("r1".to_owned(), 6)], "only what is not as it was");
    assert_eq!(second.accesses, []);
    let writes: Vec<_> =
        told.ends[0].writes.iter().map(|write| (write.write, &write.at[..], &write.values[..])).collect();
    assert_eq!(writes, [(true, &[3, 4][..], &[8][..])]);
}

/// What the lane leaves in memory at its end is reported where it was written, even if it was there before.
#[test]
fn results_have_their_values() {
    let mut told = Told::default();
    following(&mut told, |follow| {
        follow.results(|_| panic!("no instruction executes"));
        follow.before(StepPart::Whole, |_| (event(1, StepPart::Whole, Participation::Executes), view(ACTIVE, 5)));
        follow.results(|lane| vec![cell(1), cell(lane as u16), cell(9)]);
        follow.after(|| Next::Following, |_| view(ACTIVE, 6));
        step(follow, 2, Participation::Executes, [ACTIVE, ACTIVE]);
    });
    let results = |step: &Step| step.results.iter().map(|result| (result.cell, result.bits)).collect::<Vec<_>>();
    let [first, second] = &told.steps[..] else { panic!("two steps") };
    assert_eq!(results(first), [(cell(1), 6), (cell(0), 7)], "no view has the third");
    assert_eq!(results(second), []);
}

/// Steps that nobody wants are counted.
#[test]
fn steps_that_are_not_wanted() {
    let mut told = Told { wants_no_steps: true, ..Told::default() };
    following(&mut told, |follow| {
        for _ in 0..3 {
            follow.before(StepPart::Whole, |_| panic!("nobody asked"));
            follow.after(|| panic!("nobody asked"), |_| panic!("nobody asked"));
        }
        follow.end(None, |_| view(ACTIVE, 0));
    });
    assert_eq!((told.steps.len(), told.ends[0].steps), (0, 3));
    /// An observer that says nothing about it wants all.
    struct Plain;
    impl Observer for Plain {
        fn starts(&mut self, _: &LaneView) {}
        fn step(&mut self, _: &Step) {}
        fn ends(&mut self, _: &GroupEnd) {}
    }
    assert!(Plain.wants_steps());
}

#[test]
fn what_a_lane_holds() {
    let held = LaneView { cells: vec![(cell(0), 0), (cell(12), 3), (cell(2), 0x8000_0000)], ..view(ACTIVE, 0) };
    let nonzero: Vec<_> = held.nonzero().iter().map(|change| (change.cell.register(), change.bits)).collect();
    assert_eq!(nonzero, [("r12".to_owned(), 3), ("r2".to_owned(), 0x8000_0000)]);
    let kinds = [ValueKind::Float, ValueKind::Integer, ValueKind::Truth, ValueKind::Word].map(ValueKind::name);
    assert_eq!(kinds, ["float", "integer", "truth", "word"]);
    let standings = [ACTIVE, WAITS, Standing::Continue, Standing::Break, Standing::Meeting, Standing::Ended];
    let names = standings.map(Standing::name);
    assert_eq!(names, ["active", "branch", "continue", "break", "meeting", "ended"]);
    let place = |part| event(4, part, Participation::Executes).place();
    assert_eq!((place(StepPart::Whole), place(StepPart::Whole).in_clause), (Address::from(4).into(), false));
    assert!(place(StepPart::Clause).in_clause && place(StepPart::Clause).at == Address { program: 0, pc: 4 });
}
