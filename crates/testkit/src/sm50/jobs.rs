//! Random draws: programs with divergence, rows of instructions of every form, and pipelines of a real driver, changed.

use crate::hunt::tally::Tally;
use crate::project_path;
use crate::random::Random;
use crate::sm50::case::Case;
use crate::sm50::comparison::ComparingRunner;
use crate::sm50::draft::{BANKS, Draft, INPUTS};
use crate::sm50::generate::{instruction, instruction_of};
use crate::sm50::structured::{Structured, generate};
use ctm_sm50::launch::{Mode, StageRunner};
use ctm_sm50::pipeline::{Capture, Drawn};
use ctm_sm50::{Code, Control, FieldId, Header, Instruction, Op, Pattern, Program, ROWS, Row, Stage, text};
use std::sync::LazyLock;

/// What a draw is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawKind {
    /// Vertices that go their own ways.
    Structured,
    /// The same with a few instructions changed.
    Changed,
    /// Instructions that work on registers alone, one after the other.
    Straight,
    /// Accesses at the same addresses to constant banks, local memory and attributes of different sizes.
    Shared,
    /// A pipeline of the corpus with a few instructions changed.
    Pipeline,
}

impl DrawKind {
    /// All kinds.
    pub const ALL: [DrawKind; 5] =
        [DrawKind::Structured, DrawKind::Changed, DrawKind::Straight, DrawKind::Shared, DrawKind::Pipeline];
}

/// All engines and the reference, and counters.
#[derive(Debug)]
pub struct Differential {
    runner: ComparingRunner,
    /// Draws so far.
    pub draws: u64,
    /// Those that came to their end.
    pub completed: u64,
}

impl Default for Differential {
    fn default() -> Self {
        Self::new()
    }
}

impl Differential {
    /// The engines of this host.
    pub fn new() -> Self {
        Differential { runner: ComparingRunner::new(), draws: 0, completed: 0 }
    }

    /// How the launches of all draws were run.
    pub fn summary(&self) -> String {
        let (launches, lifted, compiled) = (self.runner.launches(), self.runner.lifted(), self.runner.compiled());
        format!(
            "{} of {} draws completed; of {launches} launches {lifted} lifted, {compiled} as machine code",
            self.completed, self.draws
        )
    }

    /// Adds the counters to those of a hunt. Programs are draws; those of a draw's launches that ran as machine code are
    /// counted each.
    pub fn count(&self, tally: &mut Tally) {
        tally.programs += self.draws;
        tally.trapped += self.draws - self.completed;
        tally.compiled += self.runner.compiled() as u64;
        self.runner.count(tally);
    }

    /// Makes a draw of these random numbers, and runs it on every engine.
    ///
    /// # Panics
    /// An engine differs from the reference, or a program from what its statements say.
    pub fn check(&mut self, kind: DrawKind, random: Random) {
        let (draft, structured) = draft(kind, random);
        let drawn = draft.run(&self.runner);
        if let Some(program) = structured {
            let traces = drawn.as_ref().map(|drawn| &drawn.words[..]).expect("a program without mistakes");
            assert!((0..).zip(traces).all(|(vertex, &trace)| trace == program.expect(vertex)), "{program:?}");
        }
        self.draws += 1;
        self.completed += u64::from(drawn.is_ok());
    }
}

/// Makes a draw of these random numbers. If what its program does is known, the statements say it.
pub fn draft(kind: DrawKind, mut random: Random) -> (Draft, Option<Structured>) {
    let random = &mut random;
    let mode = random.pick(&[Mode::Strict, Mode::Lenient]);
    let of_vertices = |program| Draft {
        mode,
        capture: vec![Capture { address: 0x80, words: 1 }],
        ..Draft::new(vec![program], VERTICES)
    };
    let draft = match kind {
        DrawKind::Structured => {
            let program = structured(random);
            let draft = Draft { mode: Mode::Strict, step_limit: 100_000, ..of_vertices(program.program()) };
            return (draft, Some(program));
        }
        DrawKind::Changed => {
            let mut program = structured(random).program();
            program.code = change(random, &program.code);
            of_vertices(program)
        }
        DrawKind::Straight => {
            let middle: Vec<Instruction> = (0..1 + random.below(40)).map(|_| plain(random)).collect();
            row(&middle, values(random), mode)
        }
        DrawKind::Shared => row(&instructions(&shared(random)), values(random), mode),
        DrawKind::Pipeline => {
            let case = &CASES[random.below(CASES.len())];
            let changed = random.below(4);
            let mut stage = 0..;
            let change = |code: &Code| if stage.next() == Some(changed) { change(random, code) } else { code.clone() };
            Draft { mode, ..case.changed(change) }
        }
    };
    (draft, None)
}

/// The pipelines of the corpus.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folder = std::fs::read_dir(project_path("tests/corpus/sm50")).expect("a corpus");
    let mut paths: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| Case::load(path)).collect()
});

/// A program with divergence, mostly a short one: those that are long take most of the time.
fn structured(random: &mut Random) -> Structured {
    loop {
        let program = generate(random);
        let statements = program.statements();
        if statements <= USUAL_STATEMENTS || statements <= MOST_STATEMENTS && random.one_in(64) {
            return program;
        }
    }
}

/// Statements of a program that is not long, and of any program: some with more take 10 s.
const USUAL_STATEMENTS: usize = 40;
const MOST_STATEMENTS: usize = 100;

/// The code with a few instructions changed.
fn change(random: &mut Random, code: &Code) -> Code {
    let mut instructions = code.instructions().to_vec();
    for _ in 0..1 + random.below(3) {
        let [at, other] = [0; 2].map(|_| random.below(instructions.len()));
        match random.below(6) {
            0 => instructions.swap(at, other),
            // Branches lead as far as where they came from.
            1 => instructions[at] = instructions[other],
            2 => instructions[at] = plain(random),
            3 => instructions[at] = instruction(random, |row| !is_plain(row.op) && row.op != Op::Raw),
            _ => {
                let word = instructions[at].encode();
                instructions[at] = Instruction::decode(word ^ 1 << random.below(64));
            }
        }
    }
    Code::new(instructions.into_iter().map(|instruction| (instruction, Control::NEUTRAL)))
}

/// A random instruction that works on registers alone.
fn plain(random: &mut Random) -> Instruction {
    loop {
        let row = &ROWS[random.below(ROWS.len())];
        if is_plain(row.op) {
            let pattern = random.pick(row.patterns);
            return near(random, row, pattern);
        }
    }
}

/// Accesses by a few registers, each of which goes to memories of several kinds and sizes.
fn shared(random: &mut Random) -> String {
    let mut text = String::new();
    for register in [4, 5] {
        let index = match random.below(6) {
            0 => format!("SHL R{register}, R6, 0x2;"),
            1 => format!("IADD32I R{register}, R7, 0xfffffff0;"),
            2 => format!("MOV32I R{register}, {:#x};", random.below(80)),
            3 => format!("LOP32I.AND R{register}, R6, 0x7f;"),
            _ => format!("LOP32I.AND R{register}, R6, {:#x};", random.pick(&[0xC, 0x1C, 0x3C, 0x7C])),
        };
        text += &index;
    }
    let usual = random.pick(&[4, 5]);
    for _ in 0..2 + random.below(10) {
        let index = if random.one_in(5) { random.pick(&[4, 5]) } else { usual };
        let result = 8 + random.below(11);
        let offset = random.pick(&["+0x0", "+0x0", "+0x4", "+0x10", "-0x4", "+0x7f"]);
        let size = random.pick(&["", "", "", ".64", ".U8", ".S16"]);
        let bank = random.pick(&BANKS).0;
        let guard = random.pick(&["", "", "@P0 ", "@!P1 "]);
        let access = match random.below(10) {
            0..4 => format!("LDC{size} R{result}, c[{bank:#x}][R{index}{offset}];"),
            4 => format!("LDL{size} R{result}, [R{index}{offset}];"),
            5 => format!("STL{} [R{index}{offset}], R{result};", size.replace("S16", "U16")),
            6 => format!("AL2P R20, R{index}, 0x80;\nALD.PHYS R{result}, a[R20];"),
            7 => format!("AL2P.O R20, R{index}, 0x80;\nAST.PHYS a[R20], R{result};"),
            8 => format!("IADD R{result}, R{}, c[{bank:#x}][{:#x}];", 8 + random.below(11), 4 * random.below(20)),
            _ => format!("IADD R{index}, R{index}, 0x4;"),
        };
        text += &format!("{guard}{access}");
    }
    text
}

/// Vertices of a draw.
const VERTICES: u32 = 70;
/// Before the instructions: registers R4 to R19, predicates and condition code get input words.
const PROLOGUE: &str = "ALD.128 R4, a[0x80]; ALD.128 R8, a[0x90]; ALD.128 R12, a[0xa0]; ALD.128 R16, a[0xb0];
    R2P PR, R18, 0x7f; R2P CC, R19, 0xf;";
/// After them: all of those are captured.
const EPILOGUE: &str = "P2R R20, PR, RZ, 0x7f; P2R R21, CC, RZ, 0xf; MOV R22, RZ; MOV R23, RZ;
    AST.128 a[0x80], R4; AST.128 a[0x90], R8; AST.128 a[0xa0], R12; AST.128 a[0xb0], R16; AST.128 a[0xc0], R20; EXIT;";

/// The instructions of this text.
///
/// # Panics
/// It does not assemble.
pub fn instructions(code: &str) -> Vec<Instruction> {
    let parsed = text::parse(&format!(".stage none\n{code}")).unwrap_or_else(|errors| panic!("{code}\n{errors:?}"));
    parsed.program.code.instructions().to_vec()
}

/// Draws points with these instructions between prologue and epilogue.
///
/// # Errors
/// What the draw comes to, if not to its end.
pub fn draw(executor: &dyn StageRunner, middle: &[Instruction], values: Vec<u32>, mode: Mode) -> Result<Drawn, String> {
    row(middle, values, mode).run(executor).map_err(|error| error.to_string())
}

/// A draw of points with these instructions between prologue and epilogue, and these inputs.
fn row(middle: &[Instruction], inputs: Vec<u32>, mode: Mode) -> Draft {
    let all = [instructions(PROLOGUE), middle.to_vec(), instructions(EPILOGUE)].concat();
    let code = Code::new(all.into_iter().map(|instruction| (instruction, Control::NEUTRAL)));
    let map = |words: u32| (0..words).map(|word| 0x80 + 4 * word).collect();
    let header =
        Header { imap: map(INPUTS), omap: map(INPUTS + 4), local_memory_low_size: 32, ..Header::new(Stage::Vertex) };
    let vertices = inputs.len() as u32 / INPUTS;
    let capture = vec![Capture { address: 0x80, words: INPUTS + 4 }];
    Draft {
        mode,
        capture,
        inputs,
        ..Draft::new(vec![Program { header: Some(header), code, constants: Vec::new() }], vertices)
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

/// The input words of all vertices.
pub fn values(random: &mut Random) -> Vec<u32> {
    (0..VERTICES * INPUTS).map(|_| value(random)).collect()
}

/// A random instruction on the registers that the prologue sets.
pub fn near(random: &mut Random, row: &Row, pattern: Pattern) -> Instruction {
    let mut word = instruction_of(random, row, pattern).encode();
    let even = row.op.is_double() || random.one_in(2);
    for field in row.fields(pattern.shape) {
        match field.id {
            FieldId::RD | FieldId::RA | FieldId::RB | FieldId::RC => {
                let register = if random.one_in(12) { 255 } else { 4 + random.below(15) as u32 };
                word = field.bits.set(word, if even && register != 255 { register & !1 } else { register });
            }
            FieldId::BANK => word = field.bits.set(word, random.pick(&[0, 0, 0, 1, 3, 5, 6])),
            FieldId::BANK_WORD => word = field.bits.set(word, random.below(64) as u32),
            FieldId::GUARD if random.one_in(2) => word = field.bits.set(word, 7),
            FieldId::GUARD_NOT if random.one_in(2) => word = field.bits.set(word, 0),
            _ => {}
        }
    }
    Instruction::decode(word)
}

/// Whether an instruction works on registers alone.
pub fn is_plain(op: Op) -> bool {
    use Op::*;
    !matches!(
        op,
        Raw | Ast
            | Ald
            | Out
            | Isberd
            | Ldg
            | Stg
            | Ld
            | St
            | Lds
            | Sts
            | Atom
            | AtomCas
            | Red
            | Atoms
            | AtomsCas
            | Suld
            | Sust
            | Sured
            | Suatom
            | SuatomCas
            | Ipa
            | Pixld
            | Fswzadd
            | Tex
            | TexB
            | Texs
            | Tld
            | TldB
            | Tlds
            | Tld4
            | Tld4B
            | Tld4s
            | Txd
            | TxdB
            | Txq
            | TxqB
            | Tmml
            | TmmlB
            | Txa
            | B2r
            | R2b
            | Lepc
            | Getcrsptr
            | Getlmembase
            | Setcrsptr
            | Setlmembase
            | Rtt
            | Bpt
            | Sam
            | Ram
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
