//! Engines agree with the reference of SM50 bit for bit, on real programs and on random ones.

use ctm_codegen::EngineName;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_sm50::launch::{Environment, Grid, Invocations, Mode, Shader, StageLaunch};
use ctm_sm50::{Instruction, ROWS, text};
use ctm_testkit::hunt::tally::Tally;
use ctm_testkit::project_path;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::case::Case;
use ctm_testkit::sm50::comparison::ComparingRunner;
use ctm_testkit::sm50::draft::INPUTS;
use ctm_testkit::sm50::jobs::{Differential, DrawKind, draw, instructions, is_plain, near, values};
use ctm_testkit::sm50::structured::generate;

#[test]
fn corpus() {
    for runner in [ComparingRunner::new()] {
        let mut programs = 0;
        for entry in std::fs::read_dir(project_path("tests/corpus/sm50")).unwrap() {
            let case = Case::load(&entry.unwrap().path());
            programs += case.programs().count();
            case.check(&runner).unwrap();
        }
        let mut tally = Tally::default();
        runner.count(&mut tally);
        assert_eq!((runner.launches(), runner.lifted()), (programs, programs), "{:?}", tally.refused);
    }
}

/// What the driver writes into bank 0 is there on every engine, beside the words of the bank.
#[test]
fn launch_constants() {
    let code = ".stage none
        S2R R0, SR_TID.X; SHL R0, R0, 0x4; MOV32I R1, 0x10000; IADD R0, R0, R1; S2R R7, SR_NTID;
        MOV R4, c[0x0][0x8]; MOV R5, c[0x0][0x20]; MOV R6, c[0x0][0x24]; STG.128 [R0], R4; EXIT;";
    let program = text::parse(code).unwrap().program;
    for engine in EngineName::available() {
        let mut memory = Space::default();
        memory.map(Arena::new(0x1_0000, 0x1000).unwrap()).unwrap();
        let mut environment = Environment { memory: Some(&memory), mode: Mode::Strict, ..Environment::default() };
        environment.constants.set_bank(0, vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 77]);
        let grid = Grid::new([1; 3], [40, 1, 1]).unwrap();
        let invocations = Invocations { count: grid.invocations(), columns: None };
        let shader = Shader { local_memory: 48, ..Shader::from(&program) };
        let launch = StageLaunch {
            grid: Some(grid),
            ..StageLaunch::new(shader, &environment, &invocations, Default::default())
        };
        engine.executor().unwrap().run(&launch, &RunOptions::default()).unwrap();
        let mut bytes = vec![0; 40 * 16];
        memory.read_bytes(0x1_0000, &mut bytes).unwrap();
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        assert_eq!(words, [40, 48, 77, 40 | 1 << 16 | 1 << 26].repeat(40), "{}", engine.name());
    }
}

#[test]
fn vertices_that_go_their_own_ways() {
    for runner in [ComparingRunner::new()] {
        for seed in 0..20 {
            let program = generate(&mut Random::new(seed));
            let traces = program.run(&runner, 70).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!((0..).zip(&traces).all(|(vertex, &trace)| trace == program.expect(vertex)), "seed {seed}");
        }
        assert!(runner.lifted() >= 19, "{}", runner.lifted());
    }
}

/// Every interval of the functions of MUFU: its ends, and arguments inside, of all sizes.
#[test]
fn functions_at_every_interval() {
    let mut random = Random::new(7);
    let mut values = Vec::new();
    for interval in 0..128 {
        for rest in [0, 1, 0xFFFF, random.bits() & 0xFFFF] {
            let mantissa = interval << 16 | rest;
            let moderate = 0x3580_0000 + ((random.below(36) as u32) << 23);
            let any = random.bits() & 0xFF80_0000;
            let units = [0x3F00_0000, 0x3F80_0000, 0xBF00_0000, moderate, moderate | 0x8000_0000, any];
            values.extend(units.map(|unit| unit | mantissa));
        }
    }
    values.extend([
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0x0000_0001,
        0x8000_0000,
        0x0000_0000,
        0x3F7F_FFFF,
        0x3F80_0001,
    ]);
    values.resize(values.len().next_multiple_of(INPUTS as usize), 0x7E80_0000);
    for runner in [ComparingRunner::new()] {
        for function in ["COS", "SIN", "EX2", "LG2", "RCP", "RSQ"] {
            let code: String = (4..20).map(|n| format!("MUFU.{function} R{n}, R{n};")).collect();
            draw(&runner, &instructions(&code), values.clone(), Mode::Strict).unwrap();
        }
        assert_eq!(runner.lifted(), 6, "{}", runner.launches());
    }
}

#[test]
fn every_form() {
    let mut wrong = Vec::new();
    for runner in [ComparingRunner::new()] {
        let mut random = Random::new(60);
        for row in ROWS.iter().filter(|row| is_plain(row.op)) {
            for &pattern in row.patterns {
                for _ in 0..6 {
                    let middle: Vec<Instruction> = (0..3).map(|_| near(&mut random, row, pattern)).collect();
                    let values = values(&mut random);
                    let shown = || middle.iter().map(|i| text::print_instruction(i, 0)).collect::<Vec<_>>().join("; ");
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        let _ = draw(&runner, &middle, values, Mode::Lenient);
                    }));
                    if let Err(payload) = result {
                        wrong.push(format!(
                            "{}: {}",
                            shown(),
                            payload.downcast_ref::<String>().map_or("", String::as_str)
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Draws so many times with programs of this kind, on every engine.
fn jobs(kind: DrawKind, count: u64) -> Differential {
    let mut differential = Differential::new();
    (0..count).for_each(|seed| differential.check(kind, Random::new(seed)));
    differential
}

#[test]
fn long_rows_of_instructions() {
    assert!(jobs(DrawKind::Straight, 120).completed > 10);
}

#[test]
fn changed_programs() {
    assert!(jobs(DrawKind::Changed, 72).completed > 20);
}

#[test]
fn changed_pipelines() {
    assert!(jobs(DrawKind::Pipeline, 36).completed > 5);
}

#[test]
fn shared_addresses() {
    assert!(jobs(DrawKind::Shared, 60).completed > 20);
}
