//! The conditional unit, through whole runs: every test, location, write mask and buffer format, against tables made
//! here.

use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
use ctm_x1k::{
    CondLocation, CondTest, Conditional, Domain, Instruction, Job, Program, ProgramInfo, References, RunError,
    RunOptions, StateError, reference,
};
use std::cmp::Ordering;

const BASE: u32 = 0x1000_0000;
const OLD_OUTPUT: [u32; 4] = [0x1234_5678; 4];

/// r1 = in0[r0]; out0 = r1, exactly, and the conditional value is r1's alpha.
fn program() -> Program {
    let words = [
        [0x0000_7807, 0x0A40_0000, 0xE401_E400, 0, 0, 0],
        [0x0007_8005, 0x0802_0001, 0x0802_0001, 0x1C44_0220, 0x9C60_C003, 0x2049_0005],
    ];
    let code: Vec<Instruction> = words.iter().map(Instruction::decode).collect();
    let info = ProgramInfo { end: 1, cond_value_from_program: true, ..ProgramInfo::default() };
    Program { references: References::of(&code, &info), code, info, ..Program::default() }
}

fn surface(base: u32, format: Format) -> Surface {
    Surface { base: BASE + base, pitch: 32, height: 32, tiling: Tiling::Linear, superfine: false, format }
}

/// A value of the program with what the buffer makes of it: stored bits, and where it stands in the buffer's order
/// (`None`: nowhere).
type Entry = (u32, u32, Option<i64>);

const NAN: u32 = 0x7FC0_0001;

/// In the order of FLOAT32_1 denormals are zeros.
const FLOATS: [Entry; 9] = [
    (0x8000_0000, 0x8000_0000, Some(0)),
    (0x0000_0000, 0x0000_0000, Some(0)),
    (0x0000_0001, 0x0000_0001, Some(0)),
    (0x3F80_0000, 0x3F80_0000, Some(1)),
    (0x3F80_0001, 0x3F80_0001, Some(2)),
    (0x7F80_0000, 0x7F80_0000, Some(3)),
    (0xBF80_0000, 0xBF80_0000, Some(-1)),
    (0xFF80_0000, 0xFF80_0000, Some(-2)),
    (NAN, NAN, None),
];

/// Fractions are clamped and rounded first, so that different values become equal; NaN is 0.
const FRACTIONS_16: [Entry; 8] = [
    (0xBF80_0000, 0, Some(0)),
    (0x0000_0000, 0, Some(0)),
    (NAN, 0, Some(0)),
    (0x3F00_0000, 0x8000, Some(0x8000)),
    (0x3F00_0001, 0x8000, Some(0x8000)),
    (0x3780_0080, 1, Some(1)),
    (0x3F80_0000, 0xFFFF, Some(0xFFFF)),
    (0x7F80_0000, 0xFFFF, Some(0xFFFF)),
];

const FRACTIONS_24: [Entry; 8] = [
    (0xBF80_0000, 0, Some(0)),
    (0x0000_0000, 0, Some(0)),
    (NAN, 0, Some(0)),
    (0x3F00_0000, 0x80_0000, Some(0x80_0000)),
    (0x3F00_0002, 0x80_0001, Some(0x80_0001)),
    (0x3380_0001, 1, Some(1)),
    (0x3F80_0000, 0xFF_FFFF, Some(0xFF_FFFF)),
    (0x7F80_0000, 0xFF_FFFF, Some(0xFF_FFFF)),
];

fn passes(test: CondTest, value: Option<i64>, buffer: Option<i64>) -> bool {
    let order = value.and_then(|value| buffer.map(|buffer| value.cmp(&buffer)));
    match test {
        CondTest::Never => false,
        CondTest::Less => order == Some(Ordering::Less),
        CondTest::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CondTest::Equal => order == Some(Ordering::Equal),
        CondTest::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        CondTest::Greater => order == Some(Ordering::Greater),
        CondTest::NotEqual => order != Some(Ordering::Equal),
        CondTest::Always => true,
    }
}

/// Lane (i, j) has value i of the table, and the buffer holds value j of the table.
fn check(format: Format, entries: &[Entry], garbage: u32, location: CondLocation, test: CondTest, write: bool) {
    let entries = if cfg!(miri) { &entries[..3] } else { entries };
    let count = entries.len() as u32;
    // Conditional execution has one value for all lanes, so it takes a run per value.
    let runs: Vec<Option<usize>> = match location {
        CondLocation::Dpp => vec![None],
        CondLocation::Pe => (0..entries.len()).map(Some).collect(),
    };
    for run in runs {
        let mut space = Space::default();
        space.map(Arena::new(BASE, 0x2_0000).unwrap()).unwrap();
        let (input, output, buffer) =
            (surface(0, Format::Float32_4), surface(0x8000, Format::Float32_4), surface(0x10000, format));
        let [inputs, outputs, buffers] =
            [input, output, buffer].map(|surface| View::new(&space, surface, Bounds::Drop));
        for (j, &(_, stored, _)) in (0..).zip(entries) {
            for (i, &(value, ..)) in (0..).zip(entries) {
                inputs.store(i, j, [1, 2, 3, value], 0xF);
                outputs.store(i, j, OLD_OUTPUT, 0xF);
                buffers.store_raw(i, j, [stored | garbage, 0, 0, 0]);
            }
        }
        let program = program();
        let pe_value = run.map_or(0, |run| entries[run].0);
        let job = Job {
            inputs: std::array::from_fn(|n| (n == 0).then_some(input)),
            outputs: std::array::from_fn(|n| (n == 0).then_some(output)),
            conditional: Conditional { test, location, write, surface: Some(buffer), pe_value },
            ..Job::new(&program, Domain::of_size(count, count).unwrap(), &space)
        };
        let stats = reference::run(&job, &RunOptions { group_width: 16, ..RunOptions::default() }).unwrap();

        let mut lanes = 0;
        for (j, &(_, stored, place_of_stored)) in (0..).zip(entries) {
            for (i, &(value, ..)) in (0..).zip(entries) {
                let (_, new, place) = entries[run.unwrap_or(i as usize)];
                let pass = passes(test, place, place_of_stored);
                let what = format!("{format} {test:?} {location:?} write {write}: value {i}, buffer {j}, run {run:?}");
                let wanted_output = if pass { [1, 2, 3, value] } else { OLD_OUTPUT };
                assert_eq!(outputs.load(i, j), wanted_output, "output, {what}");
                let wanted_buffer = if pass && write { new } else { stored | garbage };
                assert_eq!(buffers.load_raw(i, j)[0], wanted_buffer, "buffer, {what}");
                lanes += u64::from(pass || location == CondLocation::Dpp);
            }
        }
        assert_eq!(stats.lanes, lanes, "lanes that ran");
    }
}

#[test]
fn every_test_location_mask_and_format() {
    for test in CondTest::ALL.into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        for location in [CondLocation::Dpp, CondLocation::Pe] {
            for write in [false, true] {
                check(Format::Float32_1, &FLOATS, 0, location, test, write);
                check(Format::Uint16_1, &FRACTIONS_16, 0, location, test, write);
                // The top byte of the element takes no part in comparisons.
                check(Format::Uint8_4, &FRACTIONS_24, 0xAB00_0000, location, test, write);
            }
        }
    }
}

#[test]
fn outside_its_buffer_the_unit_reads_zero_and_writes_nothing() {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x2_0000).unwrap()).unwrap();
    let output = surface(0x8000, Format::Float32_4);
    let buffer = Surface { pitch: 8, height: 1, ..surface(0x10000, Format::Float32_1) };
    let one = 1.0f32.to_bits();
    let program = program();
    let conditional = Conditional {
        test: CondTest::Greater,
        location: CondLocation::Pe,
        write: true,
        surface: Some(buffer),
        pe_value: one,
    };
    let job = Job {
        inputs: std::array::from_fn(|n| (n == 0).then_some(output)),
        outputs: std::array::from_fn(|n| (n == 0).then_some(output)),
        conditional,
        ..Job::new(&program, Domain::of_size(16, 2).unwrap(), &space)
    };
    let view = View::new(&space, Surface { pitch: 16, height: 2, ..buffer }, Bounds::Drop);
    (0..8).for_each(|i| view.store(i, 0, [2.0f32.to_bits(); 4], 1));
    let stats = reference::run(&job, &RunOptions::default()).unwrap();
    assert_eq!(stats.lanes, 24, "1 > 2 fails inside, 1 > 0 passes outside");
    assert!((8..16).all(|i| view.load(i, 0)[0] == 0), "nothing is written outside");
    assert!(!stats.out_of_range);
}

#[test]
fn a_buffer_is_asked_for_only_when_needed() {
    let space = Space::default();
    let program = Program::default();
    let job = |test, write, surface| Job {
        conditional: Conditional { test, write, surface, ..Conditional::default() },
        ..Job::new(&program, Domain::default(), &space)
    };
    for test in CondTest::ALL.into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        let needs = !matches!(test, CondTest::Never | CondTest::Always);
        let missing = Err(StateError::NoConditionalBuffer(test));
        assert_eq!(job(test, false, None).check(), if needs { missing } else { Ok(()) });
        assert_eq!(job(test, true, None).check(), missing);
        for format in Format::ALL {
            let legal = matches!(format, Format::Float32_1 | Format::Uint16_1 | Format::Uint8_4);
            let check = job(test, true, Some(surface(0, format))).check();
            assert_eq!(check, if legal { Ok(()) } else { Err(StateError::ConditionalFormat(format)) });
        }
    }
    let error = reference::run(&job(CondTest::Less, false, None), &RunOptions::default()).unwrap_err();
    assert_eq!(error, RunError::State(StateError::NoConditionalBuffer(CondTest::Less)));
}
