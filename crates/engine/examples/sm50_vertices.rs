//! Times of a million vertices through a vertex program of 40 instructions, from arrays to captured records, on every
//! engine of this host but the reference: `sm50_vertices [--lane]`.

use ctm_engine::{EngineName, Executor as Named};
use ctm_lane::budget::Halt;
use ctm_lane::run::RunOptions;
use ctm_sm50::launch::{Environment, Executor, Launch, Outcome, Shader, Stop};
use ctm_sm50::lift::{Facts, lift};
use ctm_sm50::pipeline::{Capture, Draw, VertexArray};
use ctm_sm50::{Header, Program, Stage, text};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const VERTICES: u32 = 1_000_000;

/// A position by a matrix, and a light by its direction: as compilers write it, with flushed denormals.
const CODE: &str = "ALD.128 R0, a[0x80]; ALD.96 R4, a[0x90];
    FMUL.FTZ R8, R0, c[0x0][0x0]; FMUL.FTZ R9, R0, c[0x0][0x4]; FMUL.FTZ R10, R0, c[0x0][0x8]; FMUL.FTZ R11, R0, c[0x0][0xc];
    FFMA.FTZ R8, R1, c[0x0][0x10], R8; FFMA.FTZ R9, R1, c[0x0][0x14], R9;
    FFMA.FTZ R10, R1, c[0x0][0x18], R10; FFMA.FTZ R11, R1, c[0x0][0x1c], R11;
    FFMA.FTZ R8, R2, c[0x0][0x20], R8; FFMA.FTZ R9, R2, c[0x0][0x24], R9;
    FFMA.FTZ R10, R2, c[0x0][0x28], R10; FFMA.FTZ R11, R2, c[0x0][0x2c], R11;
    FFMA.FTZ R8, R3, c[0x0][0x30], R8; FFMA.FTZ R9, R3, c[0x0][0x34], R9;
    FFMA.FTZ R10, R3, c[0x0][0x38], R10; FFMA.FTZ R11, R3, c[0x0][0x3c], R11;
    FMUL.FTZ R12, R4, R4; FFMA.FTZ R12, R5, R5, R12; FFMA.FTZ R12, R6, R6, R12; MUFU.RSQ R12, R12;
    FMUL.FTZ R4, R4, R12; FMUL.FTZ R5, R5, R12; FMUL.FTZ R6, R6, R12;
    FMUL.FTZ R13, R4, c[0x0][0x40]; FFMA.FTZ R13, R5, c[0x0][0x44], R13; FFMA.FTZ R13, R6, c[0x0][0x48], R13;
    FMNMX.FTZ R13, R13, RZ, !PT; MUFU.LG2 R14, R13; FMUL.FTZ R14, R14, c[0x0][0x4c]; MUFU.EX2 R14, R14;
    FSETP.GT.FTZ.AND P0, PT, R13, RZ, PT; SEL R14, R14, RZ, P0;
    FFMA.FTZ.SAT R16, R13, c[0x0][0x50], R14; FFMA.FTZ.SAT R17, R13, c[0x0][0x54], R14; FADD.FTZ R18, R16, R17;
    AST.128 a[0x70], R8; AST.96 a[0x80], R16; EXIT;";

/// An executor that notes how long its launches take.
struct Timed<'a>(&'a dyn Executor, Mutex<Duration>);

impl Executor for Timed<'_> {
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let start = Instant::now();
        let outcome = self.0.run(launch, options);
        *self.1.lock().unwrap() += start.elapsed();
        outcome
    }
}

fn main() {
    let code = text::parse(&format!(".stage none\n{CODE}")).expect("the code is right").program.code;
    assert_eq!(code.instructions().len(), 40);
    let header = Header {
        imap: (0x80..0x9C).step_by(4).collect(),
        omap: (0x70..0x8C).step_by(4).collect(),
        ..Header::new(Stage::Vertex)
    };
    let program = Program { header: Some(header), code };
    let value = |n: u32| ((n.wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0).to_bits();
    let array = |address, components| VertexArray {
        address,
        components,
        values: (0..VERTICES * components).map(|n| value(n ^ address)).collect(),
    };
    let arrays = [array(0x80, 4), array(0x90, 3)];
    let mut environment = Environment::default();
    environment.constants.set_bank(0, (0..24).map(|n| value(n + 7)).collect());
    let capture = [Capture { address: 0x70, words: 7 }];
    let draw = Draw { arrays: &arrays, capture: &capture, environment, ..Draw::new(Shader::from(&program), VERTICES) };

    struct Show;
    impl Executor for Show {
        fn run(&self, launch: &Launch, _: &RunOptions) -> Result<Outcome, Stop> {
            let mut function = lift(&Facts::of(launch).expect("facts")).expect("a function").function;
            ctm_lane::simplify(&mut function);
            println!("{function}");
            Err(Halt::Cancelled.into())
        }
    }
    if std::env::args().any(|argument| argument == "--lane") {
        draw.run(&Show, &Draw::options()).ok();
    }
    let mut words = None;
    for name in EngineName::available() {
        let Ok(Named::Engine(engine)) = Named::new(name) else { continue };
        for threads in [1, 0] {
            let options = RunOptions { threads, ..Draw::options() };
            let mut best = (Duration::MAX, Duration::MAX);
            for _ in 0..3 {
                let timed = Timed(&engine, Mutex::default());
                let start = Instant::now();
                let drawn = draw.run(&timed, &options).expect("the draw runs");
                best = best.min((start.elapsed(), timed.1.into_inner().unwrap()));
                let same = words.get_or_insert_with(|| drawn.words.clone()) == &drawn.words;
                assert!(same, "{} gives other records", name.name());
            }
            let threads = if threads == 1 { "one thread" } else { "all threads" };
            println!("{:12} {threads:12} {:8.1?} in all, {:8.1?} in launches", name.name(), best.0, best.1);
        }
    }
}
