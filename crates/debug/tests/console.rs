//! What people type and read: commands, names of what programs write, values, snapshots.

use crate::toy;

use ctm_debug::{
    Answer, Direction, Extent, Guest, HELP, Output, OutputElements, Position, Session, StepKind, Value, WriteTarget,
    WriteTargetError, command, parse_bits,
};
use ctm_follow::{InstructionPlace, ValueKind};
use ctm_memory::{Format, Surface, Tiling};
use toy::{COUNTS, OUT, Options, STEPS, TOTAL, session};

fn at_step(lane: u32, options: Options, step: u64) -> Session {
    let mut session = session(lane, options);
    session.go_to(Position { step, ..session.position() }).expect("there is such a step");
    session
}

/// What a command says that leaves the session where it is.
#[track_caller]
fn says(session: &mut Session, input: &str) -> String {
    let here = (session.position(), session.focus());
    let Answer { text, moved } = command(session, input).expect(input).expect("a command");
    assert!(!moved && here == (session.position(), session.focus()), "{input}");
    text
}

/// What a command says that goes elsewhere.
#[track_caller]
fn moves(session: &mut Session, input: &str) -> String {
    let Answer { text, moved } = command(session, input).expect(input).expect("a command");
    assert!(moved, "{input}");
    text
}

fn fails(session: &mut Session, input: &str) -> String {
    let here = session.position();
    let error = command(session, input).expect_err(input);
    assert_eq!(here, session.position(), "{input}");
    error
}

#[test]
fn who_wrote_it() {
    let mut end = at_step(2, Options::default(), STEPS);
    assert_eq!(says(&mut end, "who n"), "step 12: 8: mul n, 2\n  n: 9 -> 18");
    assert_eq!(says(&mut end, " who  t[0] "), "step 14: 6: mov t[0].g, column\n  t[0]: 1, 0 -> 1, 2");
    let out = "step 9: 3: store out, n\n  out, memory at 0x00100008: 6 0x6 -> 9 0x9";
    assert_eq!(says(&mut end, "who out"), out);
    assert_eq!(says(&mut end, "who 0x100008"), out);
    assert_eq!(says(&mut end, "who out at 3,0"), "nothing has changed out at 3,0 since the group's start");
    assert_eq!(fails(&mut end, "who 0x0"), "there are no 4 bytes of memory at 0x00000000");
    let mut counts = at_step(2, COUNTS, 0);
    let text = "group 0, step 9: 3: store out, n\n  memory at 0x00100100: 2 0x2 -> 3 0x3";
    assert_eq!(says(&mut counts, &format!("who {TOTAL:#x}")), text);
    assert_eq!(says(&mut counts, "who 0x100008"), "nothing has changed 0x100008 since the run's start");
    assert_eq!(says(&mut counts, "who n"), "nothing has changed n since the group's start");
}

#[test]
fn what_is_there() {
    let mut end = at_step(2, Options::default(), STEPS);
    assert_eq!(says(&mut end, "memory out"), "out, memory at 0x00100008: 9 0x9");
    assert_eq!(says(&mut end, "memory 0x100008:2"), "8 bytes of memory at 0x00100008: 9 0x9, 0");
    assert_eq!(says(&mut end, "memory n"), "n: 18");
    assert_eq!(says(&mut end, "memory t[0]"), "t[0]: 1, 2");
    let lines = [(3, "0 -> 3 0x3"), (6, "3 0x3 -> 6 0x6"), (9, "6 0x6 -> 9 0x9")];
    let lines =
        lines.map(|(step, change)| format!("step {step}: 3: store out, n\n  out, memory at 0x00100008: {change}"));
    assert_eq!(says(&mut end, "history"), lines.join("\n"));
    assert_eq!(says(&mut at_step(3, Options::default(), 0), "history"), "the lane's outputs do not change");
    assert_eq!(says(&mut end, "help"), HELP);
}

#[test]
fn going_elsewhere() {
    let mut session = at_step(2, Options::default(), 0);
    assert_eq!(moves(&mut session, "goto 5"), "step 5");
    assert_eq!(session.position(), Position { group: 1, step: 5 });
    assert_eq!(moves(&mut session, "lane 4, 0"), "lane 4, 0");
    assert_eq!((session.focus(), session.position()), ((4, 0), Position { group: 2, step: 0 }));
    assert_eq!(fails(&mut session, "goto 17"), "group 2 has 16 steps");
    assert_eq!(fails(&mut session, "goto x"), "a step is a number: goto 100");
    assert_eq!(fails(&mut session, "lane 3"), "a lane is column and row: lane 3,4");
    assert_eq!(fails(&mut session, "lane 9,0"), "there is no lane (9, 0) that runs");
    assert_eq!(moves(&mut session, "set n 7"), "n is 7");
    assert_eq!(moves(&mut session, "set t[0].x 0.5"), "t[0].x is 0.5");
    assert_eq!((session.guest().read(0, 2), session.guest().read(0, 0)), (7, 0x3F00_0000));
    assert_eq!(fails(&mut session, "set n"), "a register and a value: set temp[0].r 0.5");
    assert_eq!(fails(&mut session, "set q 7"), "unknown register 'q'; registers are like temp[0].r");
    assert_eq!(fails(&mut session, "set n x"), "'x' is not a value: expected a number, or bits such as 0x3f800000");
    assert_eq!(fails(&mut session, "set p 1"), "p cannot be changed");
    for expression in ["n + 1", "nan == 1", "leaves the rest", "", "whoever"] {
        assert_eq!(command(&mut session, expression), Ok(None), "{expression}");
    }
}

#[test]
fn breakpoints_are_listed_in_words() {
    let mut session = at_step(2, Options::default(), 0);
    assert_eq!(says(&mut session, "breakpoints"), "there are no breakpoints");
    for (number, input) in
        ["break again", "break 8 if n > 3", "when n > 5", "watch n", "watch out", "nan", "leaves"].iter().enumerate()
    {
        assert_eq!(says(&mut session, input), format!("breakpoint {}", number + 1));
    }
    let listed = "1: at 2: add n, column + 1\n2: at 8: mul n, 2 if n > 3\n3: when n > 5\n4: when n changes\n\
                  5: when out, memory at 0x00100008 changes\n6: at the first NaN\n7: when the lane leaves";
    assert_eq!(says(&mut session, "breakpoints"), listed);
    assert_eq!(says(&mut session, "delete 1"), "breakpoint 1 is gone");
    assert_eq!(fails(&mut session, "delete 1"), "there is no breakpoint 1");
    assert_eq!(fails(&mut session, "delete x"), "a breakpoint has a number: delete 1");
    assert_eq!(
        fails(&mut session, "break there"),
        "the program has no label, address or line 'there': break 3, break line 12"
    );
    assert!(fails(&mut session, "break 2 if q").contains("unknown register 'q'"));
    assert!(fails(&mut session, "when").starts_with("column 1: unexpected end"));
}

#[test]
fn names_of_what_programs_write() {
    let session = at_step(2, Options::default(), STEPS);
    let guest = session.guest();
    let parse = |text: &str| WriteTarget::parse(guest, (2, 0), text);
    let memory = |address, bytes| WriteTarget::Memory { address, bytes };
    for (text, target, name) in [
        ("n", WriteTarget::Cells(2..3), "n"),
        ("t[0].g", WriteTarget::Cells(1..2), "t[0].g"),
        (" t[0].y ", WriteTarget::Cells(1..2), "t[0].g"),
        ("t[0]", WriteTarget::Cells(0..2), "t[0]"),
        ("0x100008", memory(OUT + 8, 4), "out, memory at 0x00100008"),
        ("1048580", memory(OUT + 4, 4), "memory at 0x00100004"),
        ("0x100000 : 3", memory(OUT, 12), "12 bytes of memory at 0x00100000"),
        ("out", memory(OUT + 8, 4), "out, memory at 0x00100008"),
        ("out at 5, 0", memory(OUT + 20, 4), "memory at 0x00100014"),
    ] {
        assert_eq!(parse(text), Ok(target.clone()), "{text}");
        assert_eq!(target.name(guest, (2, 0)), name);
    }
    assert_eq!(
        [WriteTarget::Cells(9..10), WriteTarget::Cells(1..1)].map(|target| target.name(guest, (2, 0))),
        ["", ""]
    );
    let unknown = "unknown name 'q': give a register like t[0].r, memory like 0x10000 or 0x10000:4 (words), \
                   or an output like 'out'";
    for (text, error) in [
        ("q", unknown),
        ("total", "total has no element of lane (2, 0)"),
        ("total at 1,0", "total has no element of lane (1, 0)"),
        ("0x100000:0", "there are no 0 bytes of memory at 0x00100000"),
        ("0x1007fc:2", "there are no 8 bytes of memory at 0x001007fc"),
        ("0x0", "there are no 4 bytes of memory at 0x00000000"),
        ("0x100000:1025", "4100 bytes are too many to look at: 4096 is the most"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), error);
    }
    assert_eq!(WriteTarget::memory(guest, OUT, 1 << 32), Err(WriteTargetError::Long(1 << 32)));
    // 4096 bytes are not too long; here memory has 2048.
    assert!(matches!(WriteTarget::memory(guest, OUT, 4096), Err(WriteTargetError::NoMemory { .. })));
    assert_eq!(WriteTarget::memory(guest, OUT, 2048), Ok(memory(OUT, 2048)));

    let words = |target: WriteTarget, lane| target.words(guest, lane);
    assert_eq!(words(memory(OUT + 8, 4), None), [9]);
    assert_eq!(words(memory(OUT + 6, 5), None), [0x9_0000, 0], "the last word may be cut");
    assert_eq!(words(memory(0, 4), None), [0; 0]);
    assert_eq!(
        (words(WriteTarget::Cells(0..3), Some(0)), words(WriteTarget::Cells(0..3), None)),
        (vec![0x3F80_0000, 0x4000_0000, 18], vec![])
    );
}

#[test]
fn listings_find_places() {
    let session = at_step(2, Options::default(), 0);
    let listing = session.guest().listing();
    let place = |pc: u32| InstructionPlace::from(pc);
    assert_eq!([place(0), place(9), place(10)].map(|place| listing.row(place)), [Some(0), Some(9), None]);
    assert_eq!([2, 7, 11].map(|pc| listing.line(place(pc))), [Some((0, 4)), None, None]);
    assert_eq!(
        ["again", "twice", "sub", "3", "03"].map(|name| listing.find(name)),
        [2, 8, 8, 3, 99].map(|pc| (pc < 10).then_some(place(pc)))
    );
    let of_line = [(0, 1), (0, 4), (0, 8), (0, 9), (0, 11), (0, 12), (1, 4)]
        .map(|(source, line)| listing.place_of_line(source, line));
    let expected = [Some((0, 2)), Some((2, 4)), Some((8, 10)), Some((8, 10)), Some((9, 11)), None, None];
    assert_eq!(of_line, expected.map(|found| found.map(|(pc, line)| (place(pc), line))));
    let extent = |first, last| {
        let Extent { first, columns, rows } = Extent::between(first, last);
        (first, columns, rows)
    };
    assert_eq!(extent((2, 3), (2, 3)), ((2, 3), 1, 1));
    assert_eq!(extent((2, 3), (5, 4)), ((2, 3), 4, 2));
    assert_eq!(extent((0, 0), (u32::MAX, 0)), ((0, 0), u32::MAX, 1));
    for last in [(1, 4), (3, 2), (0, 0)] {
        assert_eq!(extent((2, 3), last), ((2, 3), 0, 0), "nothing lies between");
    }
}

#[test]
fn elements_of_surfaces() {
    let surface = Surface {
        base: 0x1000,
        pitch: 16,
        height: 2,
        tiling: Tiling::Linear,
        superfine: false,
        format: Format::Float32_1,
    };
    let bytes = |surface, at| Output { name: "o".into(), elements: OutputElements::Surface(surface) }.bytes_of(at);
    assert_eq!(bytes(surface, (3, 1)), Some(0x104C..0x1050));
    assert_eq!(bytes(surface, (15, 1)), Some(0x107C..0x1080));
    assert_eq!([(16, 0), (0, 2)].map(|at| bytes(surface, at)), [None, None]);
    let any_height = Surface { height: 0, ..surface };
    assert_eq!(bytes(any_height, (0, 2)), Some(0x1080..0x1084));
}

#[test]
fn snapshots_show_a_moment() {
    let mut session = at_step(3, Options { trap: Some(1), ..Options::default() }, 6);
    let snapshot = session.snapshot();
    assert_eq!((snapshot.machine, snapshot.group, snapshot.groups, snapshot.step), ("toy", 1, 3, 6));
    assert_eq!((snapshot.row, snapshot.ended, snapshot.edited, snapshot.trap), (Some(3), false, false, None));
    assert_eq!((snapshot.pass, snapshot.stack), (Some((1, 2, Some(3))), vec!["loop".to_owned()]));
    let lanes: Vec<_> = snapshot.lanes.iter().map(|lane| (lane.i, lane.j, lane.standing, lane.executes)).collect();
    assert_eq!(lanes, [(2, 0, "active", true), (3, 0, "active", true)]);
    assert_eq!(snapshot.lane, Some(1));
    let registers: Vec<_> = snapshot
        .registers
        .iter()
        .map(|register| (&*register.name, register.values.iter().map(Value::text).collect::<Vec<_>>().join(", ")))
        .collect();
    assert_eq!(registers, [("t[0]", "1, 0".into()), ("n", "0".into()), ("p", "0".to_owned())]);

    session.go_to(Position { group: 1, step: 12 }).expect("the call");
    let snapshot = session.snapshot();
    let lanes: Vec<_> = snapshot.lanes.iter().map(|lane| (lane.standing, lane.executes)).collect();
    assert_eq!(lanes, [("active", true), ("branch", false)]);
    assert_eq!((snapshot.stack, snapshot.pass), (vec!["sub".to_owned()], None));

    session.set(2, 1).expect("it can be changed");
    session.run(Direction::Forward);
    let snapshot = session.snapshot();
    assert_eq!((snapshot.row, snapshot.ended, snapshot.edited), (None, true, true));
    assert_eq!(snapshot.trap.as_deref(), Some("boom"));
    assert!(snapshot.lanes.iter().all(|lane| lane.standing == "ended" && !lane.executes));
    session.set_focus((0, 0)).expect("a lane");
    session.step(StepKind::Instruction, Direction::Forward);
    assert_eq!((session.snapshot().group, session.snapshot().lane), (0, Some(0)));
}

#[test]
fn values_of_every_kind() {
    let value = |kind, bits| Value { cell: None, channel: None, kind, bits };
    for (kind, bits, is_float, text) in [
        ("float", 0x3FC0_0000, true, "1.5"),
        ("float", 3, true, "4e-45"),
        ("integer", u32::MAX, false, "-1"),
        ("integer", 0x3FC0_0000, false, "1069547520"),
        ("truth", 1, false, "1"),
        ("word", 0x3FC0_0000, true, "1.5"),
        ("word", 7, false, "7"),
        ("word", 0x7F00_0000, false, "0x7f000000"),
    ] {
        assert_eq!((value(kind, bits).is_float(), &*value(kind, bits).text()), (is_float, text), "{kind} {bits:#x}");
    }
    let read = |kind, text| parse_bits(kind, text).ok();
    assert_eq!(
        [read(ValueKind::Truth, "0"), read(ValueKind::Truth, "false"), read(ValueKind::Truth, "1")],
        [Some(0), Some(0), Some(1)]
    );
    assert_eq!(
        [read(ValueKind::Integer, "-2147483648"), read(ValueKind::Integer, "-2147483649")],
        [Some(0x8000_0000), None]
    );
    assert_eq!([read(ValueKind::Float, "-1.5"), read(ValueKind::Float, "0x")], [Some(0xBFC0_0000), None]);
    // A guest of which nothing is known has no cells for outputs.
    assert_eq!(toy::Toy::new(Options::default()).output_cells(), 0..0);
}

#[test]
fn breakpoints_at_lines_of_the_source() {
    let mut session = session(2, Options::default());
    for (number, (input, place)) in [
        ("break line 4", "at 2: add n, column + 1"),
        ("break toy:5", "at 4: endloop"),
        ("break src/toy:9", "at 8: mul n, 2"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(says(&mut session, input), format!("breakpoint {}", number + 1));
        let listed = says(&mut session, "breakpoints");
        assert_eq!(listed.lines().last(), Some(&*format!("{}: {place}", number + 1)));
    }
    assert_eq!(fails(&mut session, "break toy:12"), "no instruction comes from 'toy:12' or a later line");
    assert!(!fails(&mut session, "break oy:5").is_empty());
}
