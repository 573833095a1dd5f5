//! Values and steps in words.

use ctm_follow::words::{absence, access, changes, effects, is_integer, likely, turn, value, way};
use ctm_follow::{
    Address, Cell, Change, Event, ListedStep, MemoryAccess, Next, Participation, Pass, Standing, Step, StepPart,
    ValueKind, divergence, last_write,
};

fn cell(number: u16, channel: Option<char>, kind: ValueKind) -> Cell {
    Cell { pattern: "r[#]", number, channel, kind, echoes: false }
}

fn step() -> Step {
    let participation = Participation::Executes;
    Step {
        number: 1,
        event: Event { at: 5.into(), part: StepPart::Whole, participation, held: String::new(), flow: false },
        next: Next::Following,
        changes: Vec::new(),
        results: Vec::new(),
        accesses: Vec::new(),
        standing: [Standing::Active; 2],
        active: [1; 2],
        pass: [None; 2],
    }
}

fn address(at: Address) -> String {
    format!("@{}", at.pc)
}

#[test]
fn values_show_their_bits_where_the_number_says_too_little() {
    for (kind, bits, text) in [
        (ValueKind::Truth, 0, "false"),
        (ValueKind::Truth, 2, "true"),
        (ValueKind::Integer, 0xFFFF_FFFF, "-1"),
        (ValueKind::Float, 0x3F00_0000, "0.5"),
        (ValueKind::Float, 0x7F80_0000, "inf 0x7f800000"),
        (ValueKind::Float, 0x8000_0001, "-1e-45 0x80000001"),
        (ValueKind::Float, 0x7FC0_0001, "nan 0x7fc00001"),
        // From 0.0001 on, and up to ten millions, numbers are written without an exponent.
        (ValueKind::Float, 0x38D1_B717, "0.0001"),
        (ValueKind::Float, 0x38D1_B716, "9.999999e-5"),
        (ValueKind::Float, 0x4B18_967F, "9999999"),
        (ValueKind::Float, 0x4B18_9680, "1e7"),
        (ValueKind::Float, 0xCB18_9680, "-1e7"),
        (ValueKind::Word, 0, "0"),
        (ValueKind::Word, 0x3F80_0000, "1"),
        (ValueKind::Word, 5, "5 0x5"),
        (ValueKind::Word, 0xFFFF_FFFE, "-2 0xfffffffe"),
        (ValueKind::Word, 0x7F00_0000, "0x7f000000"),
        (ValueKind::Word, 0x0200_0000, "0x02000000"),
        (ValueKind::Word, 0x7FC0_0000, "nan 0x7fc00000"),
        (ValueKind::Word, 0x7F80_0000, "inf 0x7f800000"),
        (ValueKind::Word, 0x8000_0000, "-0"),
    ] {
        assert_eq!(value(kind, bits), text, "{kind:?} {bits:#x}");
    }
}

#[test]
fn words_look_like_what_they_most_likely_are() {
    let float = |value: f32| likely(value.to_bits());
    assert_eq!([1e-12, -1e-12, 9.9e11, -3.0].map(float), [ValueKind::Float; 4]);
    assert_eq!([9e-13, 1e12, -1e12].map(float), [ValueKind::Word; 3]);
    assert_eq!([0x00FF_FFFF, 1, (-0x00FF_FFFFi32).cast_unsigned()].map(likely), [ValueKind::Integer; 3]);
    assert!(is_integer(0x00FF_FFFF) && !is_integer(0x0100_0000));
    assert!(is_integer((-0x00FF_FFFFi32).cast_unsigned()) && !is_integer((-0x0100_0000i32).cast_unsigned()));
    assert!(!is_integer(0x8000_0000));
}

#[test]
fn channels_of_a_register_stand_together() {
    let change = |number, channel, bits| Change { cell: cell(number, channel, ValueKind::Integer), bits };
    let all = [change(2, Some('r'), 1), change(2, Some('g'), 2), change(3, Some('g'), 2), change(4, None, 9)];
    assert_eq!(changes(&all), ["r[2].rg = 1, 2", "r[3].g = 2", "r[4] = 9"]);
    // An echo is shown if nothing else has these bits.
    let echo =
        |bits| Change { cell: Cell { pattern: "previous", echoes: true, ..cell(0, None, ValueKind::Integer) }, bits };
    assert_eq!(changes(&[all[3], echo(9), echo(8)]), ["r[4] = 9", "previous = 8"]);
    assert_eq!(changes(&[echo(9), echo(9)]), ["previous = 9, 9"]);
    let other = Change { cell: Cell { pattern: "s#", ..all[1].cell }, bits: 2 };
    assert_eq!(changes(&[all[0], other]), ["r[2].r = 1", "s2.g = 2"], "another register of the same number");
}

#[test]
fn effects_are_reads_then_changes_then_writes() {
    let write = MemoryAccess::write("out".into(), ValueKind::Integer, [3]).at([1, 0x3F80_0000]);
    let read = MemoryAccess::read("in".into(), ValueKind::Float, [0x3F80_0000, 0]);
    assert_eq!(access(&write), "writes out at (1 0x1, 1): 3");
    assert_eq!(access(&read), "reads in: 1, 0");
    let changes = vec![Change { cell: cell(0, None, ValueKind::Integer), bits: 4 }];
    let step = Step { accesses: vec![write, read], changes, ..step() };
    assert_eq!(effects(&step), ["reads in: 1, 0", "r[0] = 4", "writes out at (1 0x1, 1): 3"]);
}

#[test]
fn why_a_lane_does_not_execute() {
    let absent = |participation, standing| {
        let event = Event { participation, ..step().event };
        absence(&Step { event, standing: [standing, Standing::Active], ..step() }, address)
    };
    assert_eq!(absent(Participation::Executes, Standing::Active), None);
    assert_eq!(absent(Participation::Skips("p0".into()), Standing::Active).unwrap(), "skips: p0");
    for (standing, words) in [
        (Standing::Active, "active"),
        (Standing::Branch(Some(3)), "waits in a branch"),
        (Standing::Continue, "waits for the next pass"),
        (Standing::Break, "waits for the loop's end"),
        (Standing::Meeting, "waits where lanes meet"),
        (Standing::Ended, "has ended"),
    ] {
        assert_eq!(absent(Participation::Waits(None), standing).unwrap(), format!("{words} since the start"));
        let since = Participation::Waits(Some(7.into()));
        assert_eq!(absent(since, standing).unwrap(), format!("{words} since @7"));
    }
}

#[test]
fn what_becomes_of_a_lane() {
    let turned = |before, now, flow| {
        let event = Event { flow, ..step().event };
        turn(&Step { event, standing: [before, now], ..step() })
    };
    let (active, branch, ended) = (Standing::Active, Standing::Branch, Standing::Ended);
    for (before, now, flow, words) in [
        (active, active, true, None),
        (branch(Some(1)), branch(Some(1)), true, None),
        (branch(None), active, true, Some("the lane is active again")),
        (active, ended, false, Some("the lane is killed")),
        (active, ended, true, Some("the lane ends")),
        (branch(Some(1)), branch(Some(2)), true, Some("branch counter 2")),
        (active, branch(Some(1)), true, Some("the lane waits in a branch")),
        (branch(Some(1)), branch(None), true, Some("the lane waits in a branch")),
        (active, Standing::Break, true, Some("the lane waits for the loop's end")),
    ] {
        assert_eq!(turned(before, now, flow).as_deref(), words, "{before:?} {now:?}");
    }
}

#[test]
fn where_a_group_goes() {
    let goes = |next, flow, pass| way(&Step { next, event: Event { flow, ..step().event }, pass, ..step() }, address);
    assert_eq!(goes(Next::Following, false, [None; 2]), [""; 0]);
    assert_eq!(goes(Next::Following, true, [None; 2]), ["no jump"]);
    assert_eq!(goes(Next::Jump(3.into()), true, [None; 2]), ["jumps to @3"]);
    assert_eq!(goes(Next::End, true, [None; 2]), ["the program ends"]);
    assert_eq!(goes(Next::Trap("no memory".into()), false, [None; 2]), ["trap: no memory"]);
    let pass = |depth, number, of| Some(Pass { depth, number, of });
    assert_eq!(goes(Next::Following, true, [None, pass(1, 1, Some(4))]), ["pass 1 of 4"]);
    assert_eq!(goes(Next::Following, true, [pass(1, 1, None), pass(1, 2, None)]), ["pass 2"]);
    assert_eq!(goes(Next::Following, true, [pass(1, 2, None), pass(1, 2, None)]), ["no jump"]);
    assert_eq!(goes(Next::Jump(3.into()), true, [pass(1, 4, None), None]), ["jumps to @3", "the loop ends in pass 4"]);
    let ends = ["the loop ends in pass 4 of 9"];
    assert_eq!(goes(Next::Following, true, [pass(2, 4, Some(9)), pass(1, 7, None)]), ends);
    assert_eq!(goes(Next::Following, true, [pass(1, 4, None), pass(2, 1, None)]), ["pass 1"], "a loop inside");
}

#[test]
fn ways_part_at_other_accesses_too() {
    let listed = |accesses: &[MemoryAccess]| ListedStep {
        step: Step { accesses: accesses.to_vec(), ..step() },
        text: "ld".into(),
    };
    let read = |bits| MemoryAccess::read("in".into(), ValueKind::Word, [bits]);
    let (a, b) = ([listed(&[read(1)]), listed(&[read(2)])], [listed(&[read(1)]), listed(&[read(3)])]);
    assert_eq!(divergence(&a, &b), [Some(&a[1]), Some(&b[1])]);
    // What is read is not written.
    let c = [listed(&[MemoryAccess::write("out".into(), ValueKind::Word, [4, 1])]), listed(&[read(1)])];
    assert_eq!((last_write(&c, 1), last_write(&c, 2)), (Some(&c[0]), None));
}

#[test]
fn steps_changes_and_accesses_are_displayed_in_a_line() {
    let change = |channel, bits| Change { cell: cell(2, Some(channel), ValueKind::Float), bits };
    assert_eq!(change('x', 0x3F00_0000).to_string(), "r[2].x = 0.5");
    let read = MemoryAccess::read("tex[0]".into(), ValueKind::Float, [0x3F80_0000]).at([3]);
    assert_eq!(read.to_string(), "reads tex[0] at (3 0x3): 1");
    assert_eq!(step().to_string(), "1 at 5: no effect");
    let jumps = Next::Jump(Address { program: 1, pc: 9 });
    let (changes, accesses) = (vec![change('x', 0x3F00_0000), change('y', 0xBF80_0000)], vec![read]);
    let shown = Step { next: jumps, changes, accesses, ..step() };
    assert_eq!(shown.to_string(), "1 at 5: reads tex[0] at (3 0x3): 1; r[2].xy = 0.5, -1; jumps to program 1, 9");
    let mut waits = Step { standing: [Standing::Branch(None); 2], ..step() };
    waits.event.participation = Participation::Waits(Some(4.into()));
    assert_eq!(waits.to_string(), "1 at 5: waits in a branch since 4");
}
