//! The programs: kernels, corpus, and X1K programs that are as long as possible.

use super::{Origin, Row, times};
use crate::guest::{r700, x1k};
use crate::kernel::{Isa, KERNELS};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::effort::Effort;
use ctm_lane::run::RunOptions;
use ctm_memory::{Format, Surface, Tiling};
use ctm_sm50::Code;
use ctm_sm50::launch::{LaunchReport, StageLaunch, StageRunner, Stop};
use ctm_sm50::reference::Reference;
use ctm_testkit::buffers::Buffers;
use ctm_testkit::emit::{emit, full};
use ctm_testkit::expected::Texture;
use ctm_testkit::random::Random;
use ctm_testkit::structured::Options;
use ctm_testkit::{case, generate, project_path, r700::case as r700_case, sm50::case as sm50_case};
use ctm_x1k::{Domain, Instruction, Job, Program, References, Words, WriteMode};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Instructions of the longest X1K program.
const SLOTS: usize = 512;
/// Columns and rows of the surfaces of such a program.
const SIDE: u32 = 64;

/// Measures the programs whose instruction set and name begin with `only`, for these engines.
pub fn measure(engines: &[EngineName], only: &str, progress: fn(&str)) -> Vec<Row> {
    let is_wanted = |isa: &str, name: &str| format!("{isa} {name}").starts_with(only);
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        progress(&format!("{} {}", row.isa, row.name));
        rows.push(row);
    };
    let x1k = kernels(Isa::X1k).map(|folder| (folder, Origin::Kernel)).chain(corpus("x1k"));
    for (folder, origin) in x1k.filter(|(folder, _)| is_wanted("X1K", name(folder))) {
        add(of_x1k(engines, &folder, origin));
    }
    let r700 = kernels(Isa::R700).map(|folder| (folder, Origin::Kernel)).chain(corpus("r700"));
    for (folder, origin) in r700.filter(|(folder, _)| is_wanted("R700", name(folder))) {
        add(of_r700(engines, &folder, origin));
    }
    for (folder, _) in corpus("sm50").filter(|(folder, _)| is_wanted("SM50", name(folder))) {
        of_sm50(engines, &folder).into_iter().for_each(&mut add);
    }
    let full = Full::new();
    if is_wanted("X1K", "straight") {
        add(of_x1k_job(engines, "straight".to_owned(), Origin::Full, &full.job(&full.straight())));
    }
    if is_wanted("X1K", "structured") {
        add(of_x1k_job(engines, "structured".to_owned(), Origin::Full, &full.job(&full.structured())));
    }
    rows
}

/// A program's name: that of its folder.
fn name(folder: &Path) -> &str {
    folder.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// The folders of an instruction set's kernels.
fn kernels(isa: Isa) -> impl Iterator<Item = PathBuf> {
    let kernels = KERNELS.iter().filter(|kernel| kernel.size.is_none()).map(move |kernel| kernel.folder(isa));
    kernels.filter(|folder| folder.exists())
}

/// The folders of an instruction set's corpus, by name.
fn corpus(isa: &str) -> impl Iterator<Item = (PathBuf, Origin)> {
    let folder = project_path("tests/corpus").join(isa);
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders.into_iter().map(|folder| (folder, Origin::Corpus))
}

/// What programs read does not matter here.
fn zeros(texture: &Texture) -> Vec<f32> {
    vec![0.0; texture.width as usize * texture.height as usize * 4]
}

fn of_x1k(engines: &[EngineName], folder: &Path, origin: Origin) -> Row {
    let case = case::Case::load(folder);
    let environment = case.environment(Tiling::Linear, zeros);
    of_x1k_job(engines, case.name.clone(), origin, &environment.job(&case))
}

fn of_x1k_job(engines: &[EngineName], name: String, origin: Origin, job: &Job) -> Row {
    let words: Vec<Words> = job.program.code.iter().map(Instruction::encode).collect();
    let stages = ctm_x1k::engine::stages(job, &RunOptions::default(), &Effort::default()).ok();
    let time = |&engine: &EngineName| {
        engine.disassemble(stages.as_ref()?, &Effort::default()).ok()??;
        Some(times(engine, |executor| x1k::prepare(&words, job, executor)))
    };
    Row { isa: "X1K", name, origin, bytes: size_of_val(&words[..]), times: engines.iter().map(time).collect() }
}

fn of_r700(engines: &[EngineName], folder: &Path, origin: Origin) -> Row {
    let case = r700_case::Case::load(folder);
    let environment = case.environment(Tiling::Linear, zeros);
    let (job, dwords) = (environment.job(&case), case.program.dwords().collect::<Vec<u32>>());
    let time = |&engine: &EngineName| {
        let (executor, effort) = (engine.executor().ok()?, Effort::default());
        let stages = ctm_r700::engine::stages(&job, executor.backend().is_some(), &effort).ok()?;
        engine.disassemble(&stages, &effort).ok()??;
        Some(times(engine, |executor| r700::prepare(&dwords, &job, executor)))
    };
    let (name, bytes) = (case.name.clone(), size_of_val(&dwords[..]));
    Row { isa: "R700", name, origin, bytes, times: engines.iter().map(time).collect() }
}

/// Measures the programs of a pipeline when they are launched for the first time, and lets the reference run them.
struct Launches<'a> {
    engines: &'a [EngineName],
    pipeline: String,
    rows: Mutex<Vec<Row>>,
}

impl StageRunner for Launches<'_> {
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let name = format!("{} {}", self.pipeline, launch.shader.stage().name());
        let mut rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !rows.iter().any(|row| row.name == name) {
            let bytes = launch.shader.code.to_bytes();
            let prepare = |executor: &Executor| {
                let code = Code::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
                let shader = ctm_sm50::launch::Shader { code: &code, ..launch.shader };
                matches!(executor, Executor::Engine(engine) if engine.compiles(&StageLaunch { shader, ..*launch }, options).is_ok())
            };
            let time = |&engine: &EngineName| {
                let is_compiled = engine.executor().is_ok_and(|executor| prepare(&executor));
                is_compiled.then(|| times(engine, |executor| assert!(prepare(executor))))
            };
            let (times, bytes) = (self.engines.iter().map(time).collect(), bytes.len());
            rows.push(Row { isa: "SM50", name, origin: Origin::Corpus, bytes, times });
        }
        drop(rows);
        Reference.run(launch, options)
    }
}

fn of_sm50(engines: &[EngineName], folder: &Path) -> Vec<Row> {
    let launches = Launches { engines, pipeline: name(folder).to_owned(), rows: Mutex::default() };
    sm50_case::Case::load(folder).check(&launches).unwrap_or_else(|error| panic!("{error}"));
    launches.rows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// X1K programs that are as long as possible, and the surfaces of all their inputs and outputs.
struct Full {
    buffers: Buffers,
    inputs: [Option<Surface>; ctm_x1k::INPUTS],
    outputs: [Option<Surface>; ctm_x1k::OUTPUTS],
}

impl Full {
    fn new() -> Self {
        let surfaces = (ctm_x1k::INPUTS + ctm_x1k::OUTPUTS) as u32;
        let mut buffers = Buffers::new(surfaces * (SIDE * SIDE * 16 + (1 << 18)));
        let mut surface = || Some(buffers.allocate(SIDE, SIDE, Format::Float32_4, Tiling::Linear));
        let (inputs, outputs) = (std::array::from_fn(|_| surface()), std::array::from_fn(|_| surface()));
        Full { buffers, inputs, outputs }
    }

    fn job<'a>(&'a self, program: &'a Program) -> Job<'a> {
        let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
        Job { inputs: self.inputs, outputs: self.outputs, ..Job::new(program, domain, self.buffers.space()) }
    }

    fn is_compiled(&self, program: &Program) -> bool {
        let stages = ctm_x1k::engine::stages(&self.job(program), &RunOptions::default(), &Effort::default());
        stages.is_ok_and(|stages| stages.compiled.is_some())
    }

    /// A loop of one pass around random arithmetic and texture instructions, each of which can be machine code.
    fn straight(&self) -> Program {
        let mut random = Random::new(1);
        let mut program = generate::straight(&mut random, SLOTS - 3, WriteMode::Cached);
        for at in 1..SLOTS - 2 {
            program.code[at] = loop {
                let one = generate::straight(&mut random, 1, WriteMode::Cached);
                if self.is_compiled(&one) {
                    break one.code[1];
                }
            };
        }
        let outputs = program.references.outputs;
        Program { references: References { outputs, ..References::of(&program.code, &program.info) }, ..program }
    }

    /// IFs, loops and subroutines: the statements of a random program, again and again, as long as there is space.
    fn structured(&self) -> Program {
        let options = Options { full_flow_control: true, derivatives: false };
        let programs = (1..).map(|seed| emit(&full(&mut Random::new(seed), options, SLOTS)));
        programs.into_iter().find(|program| self.is_compiled(program)).expect("endless")
    }
}
