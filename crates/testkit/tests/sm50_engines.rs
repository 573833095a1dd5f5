//! Engines agree with the reference of SM50 bit for bit, on real programs and on random ones.

use ctm_sm50::launch::{Environment, Executor, Mode, Shader};
use ctm_sm50::pipeline::{Capture, Draw, Drawn, VertexArray};
use ctm_sm50::{Code, Control, FieldId, Header, Instruction, Op, Pattern, ROWS, Row, Stage, text};
use ctm_testkit::project_path;
use ctm_testkit::random::Random;
use ctm_testkit::sm50::case::Case;
use ctm_testkit::sm50::generate::instruction_of;
use ctm_testkit::sm50::judge::Judge;
use ctm_testkit::sm50::structured::generate;

#[test]
fn corpus() {
    for judge in Judge::all() {
        let mut programs = 0;
        for entry in std::fs::read_dir(project_path("tests/corpus/sm50")).unwrap() {
            let case = Case::load(&entry.unwrap().path());
            programs += case.programs().count();
            case.check(&judge).unwrap();
        }
        assert!(judge.lifted() >= programs, "{}: {} of {programs}", judge.name().name(), judge.lifted());
    }
}

#[test]
fn vertices_that_go_their_own_ways() {
    for judge in Judge::all() {
        for seed in 0..40 {
            let program = generate(&mut Random::new(seed));
            let traces = program.run(&judge, 70).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!((0..).zip(&traces).all(|(vertex, &trace)| trace == program.expect(vertex)), "seed {seed}");
        }
        assert!(judge.lifted() >= 38, "{}", judge.lifted());
    }
}

/// Input words of a vertex.
const INPUTS: u32 = 16;
/// Vertices of a draw.
const VERTICES: usize = 70;
/// Before the instructions: registers R4 to R19, predicates and condition code get input words.
const PROLOGUE: &str = "ALD.128 R4, a[0x80]; ALD.128 R8, a[0x90]; ALD.128 R12, a[0xa0]; ALD.128 R16, a[0xb0];
    R2P PR, R18, 0x7f; R2P CC, R19, 0xf;";
/// After them: all of those are captured.
const EPILOGUE: &str = "P2R R20, PR, RZ, 0x7f; P2R R21, CC, RZ, 0xf; MOV R22, RZ; MOV R23, RZ;
    AST.128 a[0x80], R4; AST.128 a[0x90], R8; AST.128 a[0xa0], R12; AST.128 a[0xb0], R16; AST.128 a[0xc0], R20; EXIT;";

fn instructions(code: &str) -> Vec<Instruction> {
    let parsed = text::parse(&format!(".stage none\n{code}")).unwrap_or_else(|errors| panic!("{code}\n{errors:?}"));
    parsed.program.code.instructions().to_vec()
}

/// Draws points with these instructions between prologue and epilogue.
fn draw(executor: &dyn Executor, middle: &[Instruction], values: Vec<u32>, mode: Mode) -> Result<Drawn, String> {
    let all = [instructions(PROLOGUE), middle.to_vec(), instructions(EPILOGUE)].concat();
    let code = Code::new(all.into_iter().map(|instruction| (instruction, Control::NEUTRAL)));
    let map = |words: u32| (0..words).map(|word| 0x80 + 4 * word).collect();
    let header =
        Header { imap: map(INPUTS), omap: map(INPUTS + 4), local_memory_low_size: 32, ..Header::new(Stage::Vertex) };
    let shader = Shader { header: Some(header), code: &code, local_memory: 32 };
    let arrays: Vec<VertexArray> = (0..4)
        .map(|array| VertexArray {
            address: 0x80 + 16 * array as u32,
            components: 4,
            values: values.chunks(16).flat_map(|vertex| vertex[4 * array..4 * array + 4].to_vec()).collect(),
        })
        .collect();
    let capture = [Capture { address: 0x80, words: INPUTS + 4 }];
    let mut environment = Environment { mode, ..Environment::default() };
    environment.constants.set_bank(0, values.clone());
    environment.constants.set_bank(3, values[..5].to_vec());
    let vertices = (values.len() / 16) as u32;
    let draw = Draw { arrays: &arrays, capture: &capture, environment, ..Draw::new(shader, vertices) };
    draw.run(executor, &Draw::options()).map_err(|error| error.to_string())
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
    for judge in Judge::all() {
        for function in ["COS", "SIN", "EX2", "LG2", "RCP", "RSQ"] {
            let code: String = (4..20).map(|n| format!("MUFU.{function} R{n}, R{n};")).collect();
            draw(&judge, &instructions(&code), values.clone(), Mode::Strict).unwrap();
        }
        assert_eq!(judge.lifted(), 6, "{}", judge.name().name());
    }
}

fn value(random: &mut Random) -> u32 {
    match random.below(6) {
        0 | 1 => random.float(),
        2 => random.bits(),
        3 => random.below(66) as u32,
        4 => random.pick(&[0, 1, u32::MAX, 0x7FFF_FFFF, 0x8000_0000, 0x0040_0000, 0x7FF0_0000, 0x3FF0_0000, 0xFFFF]),
        _ => random.below(33) as u32 | (random.below(33) as u32) << 8,
    }
}

fn values(random: &mut Random) -> Vec<u32> {
    (0..VERTICES * INPUTS as usize).map(|_| value(random)).collect()
}

/// A random instruction on the registers that the prologue sets.
fn near(random: &mut Random, row: &Row, pattern: Pattern) -> Instruction {
    let mut word = instruction_of(random, row, pattern).encode();
    let even = row.op.is_double() || random.one_in(2);
    for field in row.fields(pattern.shape) {
        match field.id {
            FieldId::RD | FieldId::RA | FieldId::RB | FieldId::RC => {
                let register = if random.one_in(12) { 255 } else { 4 + random.below(15) as u32 };
                word = field.bits.set(word, if even && register != 255 { register & !1 } else { register });
            }
            FieldId::BANK => word = field.bits.set(word, 0),
            FieldId::BANK_WORD => word = field.bits.set(word, random.below(64) as u32),
            FieldId::GUARD if random.one_in(2) => word = field.bits.set(word, 7),
            FieldId::GUARD_NOT if random.one_in(2) => word = field.bits.set(word, 0),
            _ => {}
        }
    }
    Instruction::decode(word)
}

fn is_plain(op: Op) -> bool {
    use Op::*;
    !matches!(
        op,
        Raw | Ast
            | Ald
            | Out
            | Isberd
            | Ldg
            | Stg
            | Ldl
            | Stl
            | Ldc
            | S2r
            | Cs2r
            | Vote
            | Shfl
            | Bar
            | Bra
            | Brx
            | Jmp
            | Jmx
            | Ssy
            | Pbk
            | Pcnt
            | Pret
            | Cal
            | Jcal
            | Pexit
            | Plongjmp
            | Sync
            | Brk
            | Cont
            | Ret
            | Exit
            | Kil
            | Longjmp
    )
}

#[test]
fn every_form() {
    let mut wrong = Vec::new();
    for judge in Judge::all() {
        let mut random = Random::new(60);
        for row in ROWS.iter().filter(|row| is_plain(row.op)) {
            for &pattern in row.patterns {
                for _ in 0..6 {
                    let middle: Vec<Instruction> = (0..3).map(|_| near(&mut random, row, pattern)).collect();
                    let values = values(&mut random);
                    let shown = || middle.iter().map(|i| text::print_instruction(i, 0)).collect::<Vec<_>>().join("; ");
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        let _ = draw(&judge, &middle, values, Mode::Lenient);
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

#[test]
fn long_rows_of_instructions() {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| is_plain(row.op)).collect();
    for judge in Judge::all() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let one = |random: &mut Random| {
                let row = random.pick(&rows);
                let pattern = random.pick(row.patterns);
                near(random, row, pattern)
            };
            let middle: Vec<Instruction> = (0..40).map(|_| one(&mut random)).collect();
            let mode = if random.one_in(2) { Mode::Strict } else { Mode::Lenient };
            let _ = draw(&judge, &middle, values(&mut random), mode);
        }
    }
}
