//! Variables of a source: what they hold, and expressions over them.

use crate::toy;

use ctm_debug::{Location, Origin, Position, Session, Test, Variable};
use std::ops::{Range, RangeInclusive};
use toy::{GREEN, N, Options, P, PLAIN, session};

const ANY_ROW: Range<usize> = 0..100;
const ANY_LINE: RangeInclusive<u32> = 0..=100;

const fn cell(number: usize) -> Location {
    Location { origin: Origin::Cell(number), absolute: false, negative: false, test: None }
}

fn variable(name: &str, channel: Option<char>, places: &[(Range<usize>, Location)]) -> Variable {
    Variable { name: name.into(), channel, is_truth: false, lines: ANY_LINE, places: places.to_vec() }
}

/// A session of these variables at a step of group 1.
fn at_step(variables: &[Variable], options: Options, step: u64) -> Session {
    let mut session = session(2, options);
    assert!(!session.has_variables());
    session.set_variables(variables.to_vec());
    assert_eq!(session.has_variables(), !variables.is_empty());
    session.go_to(Position { step, ..session.position() }).expect("there is such a step");
    session
}

/// Names and values, as people read them.
fn shown(session: &Session) -> Vec<(String, Vec<String>)> {
    let values = |register: &ctm_debug::Register| register.values.iter().map(|value| value.text()).collect();
    session.variables(0).iter().map(|register| (register.name.clone(), values(register))).collect()
}

#[test]
fn variables_hold_what_their_places_do() {
    let truth = Variable { is_truth: true, ..variable("even", None, &[(ANY_ROW, cell(P))]) };
    let constant = variable("limit", None, &[(ANY_ROW, Location::bits(0x4040_0000))]);
    let variables = [
        variable("color", Some('r'), &[(ANY_ROW, cell(0))]),
        variable("color", Some('g'), &[(5..7, cell(GREEN)), (7..8, Location::bits(0x3F80_0000))]),
        truth,
        constant,
        variable("gone", None, &[(50..60, cell(N))]),
    ];
    let color = |g: &str| ("color".to_owned(), vec!["1".to_owned(), g.to_owned()]);
    let others = [("even".to_owned(), vec!["1".to_owned()]), ("limit".to_owned(), vec!["3".to_owned()])];
    // Steps 2, 11 and 15 are in front of rows 2, 5 and 7.
    for (step, g) in [(2, "?"), (11, "0"), (15, "1")] {
        let session = at_step(&variables, PLAIN, step);
        assert_eq!(shown(&session), [&[color(g)][..], &others].concat(), "{step}");
    }
    let session = at_step(&variables, PLAIN, 11);
    let values: Vec<_> = session.variables(0).into_iter().flat_map(|register| register.values).collect();
    let parts: Vec<_> = values.iter().map(|value| (value.cell, value.channel, value.kind)).collect();
    let expected = [
        (Some(0), Some('r'), "float"),
        (Some(GREEN), Some('g'), "float"),
        (Some(P), None, "truth"),
        (None, None, "float"),
    ];
    assert_eq!(parts, expected);
    // Where no instruction is next, nothing has a place.
    assert_eq!((shown(&at_step(&variables, PLAIN, toy::STEPS)), at_step(&[], PLAIN, 0).variables(0)), (vec![], vec![]));
}

/// The variable of the innermost lines hides others of its name.
#[test]
fn variables_hide_each_other() {
    let of = |lines: RangeInclusive<u32>, bits: f32| Variable {
        lines,
        ..variable("a", None, &[(ANY_ROW, Location::bits(bits.to_bits()))])
    };
    let (outer, inner) = (of(1..=9, 1.0), of(4..=5, 2.0));
    let other = Variable { name: "b".into(), ..of(1..=20, 3.0) };
    for variables in [[outer.clone(), inner.clone(), other.clone()], [inner, outer, other]] {
        // Lines 3, 4, and 10; row 7 has none.
        for (step, a) in [(1, Some("1")), (2, Some("2")), (12, None)] {
            let found = shown(&at_step(&variables, PLAIN, step));
            let found = found.iter().find(|(name, _)| name == "a").map(|(_, values)| values[0].as_str());
            assert_eq!(found, a, "{step}");
        }
        let without_lines = shown(&at_step(&variables, Options { has_no_lines: true, ..PLAIN }, 2));
        assert_eq!(without_lines.len(), 2, "all lines may be meant");
    }
}

#[test]
fn locations_say_how_values_are_read() {
    let read = |bits: u32, absolute, negative, test| {
        let location = Location { absolute, negative, test, ..Location::bits(bits) };
        let session = at_step(&[variable("v", None, &[(ANY_ROW, location)])], PLAIN, 0);
        (session.variables(0)[0].values[0].bits, session.with_registers("v", Some(0)).unwrap())
    };
    let (one, minus_two, nan, minus_zero) = (0x3F80_0000, 0xC000_0000, 0x7FC0_0000, 0x8000_0000);
    for (bits, absolute, negative, found, text) in [
        (minus_two, false, false, 0xC000_0000, "(-2.0)"),
        (minus_two, true, false, 0x4000_0000, "(abs(-2.0))"),
        (minus_two, false, true, 0x4000_0000, "(--2.0)"),
        (minus_two, true, true, 0xC000_0000, "(-abs(-2.0))"),
        (one, false, true, 0xBF80_0000, "(-1.0)"),
    ] {
        assert_eq!(read(bits, absolute, negative, None), (found, text.to_owned()));
    }
    for (test, truths, text) in [
        (Test::Zero, [0, 0, 0, 1, 1], "(1.0 == 0)"),
        (Test::NotZero, [1, 1, 1, 0, 0], "(1.0 != 0)"),
        (Test::NonNegative, [1, 0, 0, 1, 1], "(1.0 >= 0)"),
        (Test::Negative, [0, 1, 1, 0, 0], "!(1.0 >= 0)"),
    ] {
        assert_eq!([one, minus_two, nan, minus_zero, 0].map(|bits| read(bits, false, false, Some(test)).0), truths);
        assert_eq!(read(one, false, false, Some(test)).1, text);
    }
    // What is computed of a cell cannot be changed there.
    let cell_of = |absolute, negative, test| {
        let location = Location { absolute, negative, test, ..cell(N) };
        at_step(&[variable("v", None, &[(ANY_ROW, location)])], PLAIN, 0).variables(0)[0].values[0].cell
    };
    assert_eq!(cell_of(false, false, None), Some(N));
    assert_eq!(
        [cell_of(true, false, None), cell_of(false, true, None), cell_of(false, false, Some(Test::Zero))],
        [None; 3]
    );
}

#[test]
fn expressions_name_variables() {
    let negative = Location { negative: true, ..cell(0) };
    let variables = [
        variable("count", None, &[(ANY_ROW, cell(N))]),
        variable("n", None, &[(ANY_ROW, cell(P))]),
        variable("color", Some('r'), &[(ANY_ROW, negative)]),
        variable("color", Some('g'), &[(7..8, cell(GREEN))]),
        variable("a[1]", Some('r'), &[(ANY_ROW, cell(GREEN))]),
    ];
    let session = at_step(&variables, PLAIN, 2);
    let with = |text: &str| session.with_registers(text, Some(2));
    for (text, expected) in [
        ("count > 5 && count<9", "(n) > 5 && (n)<9"),
        ("color.r + a[1].r*2", "(-t[0].r) + (t[0].g)*2"),
        ("n == discount", "n == discount"),
        ("color.x + colors + t[0].r", "color.x + colors + t[0].r"),
        ("größe_1 = 1", "größe_1 = 1"),
    ] {
        assert_eq!(with(text).as_deref(), Ok(expected));
    }
    let gone = "the program does not have 'color.g' here any more, or not yet";
    assert_eq!(with("1 + color.g"), Err(gone.to_owned()));
    assert_eq!(session.with_registers("color.g", Some(7)).as_deref(), Ok("(t[0].g)"));
    assert_eq!(session.with_registers("count", None).as_deref(), Ok("count"));
    assert_eq!(at_step(&[], PLAIN, 2).with_registers("count", Some(2)).as_deref(), Ok("count"));
}
