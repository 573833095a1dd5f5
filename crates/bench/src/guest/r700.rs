//! R700 kernels.

use super::{Guest, Texture, executor};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use ctm_memory::Tiling;
use ctm_r700::{Job, Known, Program, Uses, reference};
use ctm_testkit::r700::case::{Case, Environment};
use ctm_testkit::{picture, texels};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A kernel, its surfaces, and an engine.
pub struct Start {
    case: Case,
    dwords: Vec<u32>,
    environment: Environment,
    /// What the program uses, so that runs need not look through it.
    uses: Arc<OnceLock<Uses>>,
    engine: EngineName,
    executor: Executor,
}

/// From dwords to what the executor runs; the rest is the job's.
pub fn prepare(dwords: &[u32], job: &Job, executor: &Executor) {
    let program = Program { info: job.program.info, ..Program::from_dwords(dwords) };
    let job = Job { program: &program, ..job.clone() };
    executor.compile(&job).unwrap_or_else(|error| panic!("{error}"));
}

impl Start {
    pub fn new(folder: &Path, engine: EngineName) -> Self {
        let case = Case::load(folder);
        let dwords = case.program.dwords().collect();
        let environment =
            case.environment(Tiling::Linear, |texture| texels::data(&texture.file, texture.width, texture.height));
        Start { case, dwords, environment, uses: Arc::default(), engine, executor: executor(engine) }
    }

    fn job(&self) -> Job<'_> {
        self.environment.job_of(Known::kept(&self.case.program, &self.uses), &self.case)
    }
}

impl Guest for Start {
    fn size(&self) -> (u32, u32) {
        (self.case.domain.i1 + 1, self.case.domain.j1 + 1)
    }

    fn textures(&self) -> Vec<Texture> {
        let textures = self.case.textures.iter();
        textures.map(|at| Texture { name: at.file.clone(), width: at.width, height: at.height }).collect()
    }

    fn compile(&self) {
        prepare(&self.dwords, &self.job(), &executor(self.engine));
    }

    fn run(&self, threads: usize) {
        let options = RunOptions { threads, ..RunOptions::default() };
        let result = match &self.executor {
            Executor::Reference => reference::run(&self.job(), &options),
            Executor::Engine(engine) => engine.run(&self.job(), &options),
        };
        result.unwrap_or_else(|error| panic!("{}: {error}", self.case.name));
    }

    fn picture(&self) -> Vec<[f32; 4]> {
        let job = self.job();
        let output = job.targets.colours[0].unwrap_or_else(|| panic!("{}: no output", self.case.name));
        let mut bytes = vec![0; output.bytes() as usize];
        job.memory.read_bytes(output.base, &mut bytes).unwrap_or_else(|error| panic!("{}: {error}", self.case.name));
        picture::pixels(&bytes)
    }
}
