//! X1K kernels.

use super::{Guest, Texture, executor};
use crate::kernel::Kernel;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_memory::Tiling;
use ctm_testkit::case::{Case, Environment};
use ctm_testkit::{picture, texels};
use ctm_x1k::{Domain, Instruction, Job, Program, RunOptions, Words};
use std::path::Path;

/// A kernel, its surfaces, and an engine.
pub struct Start {
    case: Case,
    words: Vec<Words>,
    environment: Environment,
    engine: EngineName,
    executor: Executor,
}

/// From words to what the executor runs; the rest is the job's.
pub fn prepare(words: &[Words], job: &Job, executor: &Executor) {
    let Program { info, references, constants, .. } = job.program.clone();
    let program = Program { code: words.iter().map(Instruction::decode).collect(), info, references, constants };
    let job = Job { program: &program, ..job.clone() };
    executor.compile(&job).unwrap_or_else(|error| panic!("{error}"));
}

impl Start {
    pub fn new(kernel: &Kernel, folder: &Path, engine: EngineName) -> Self {
        let mut case = Case::load(folder);
        if let Some(size) = kernel.size {
            resize(&mut case, size);
            case.textures.iter_mut().for_each(|texture| texture.file = format!("img{size}.f32"));
        }
        Self::of(case, engine)
    }

    /// With domain and textures of this side.
    pub fn with_side(folder: &Path, engine: EngineName, side: u32) -> Self {
        let mut case = Case::load(folder);
        resize(&mut case, side);
        Self::of(case, engine)
    }

    fn of(case: Case, engine: EngineName) -> Self {
        let words = case.program.code.iter().map(Instruction::encode).collect();
        let environment =
            case.environment(Tiling::Linear, |texture| texels::data(&texture.file, texture.width, texture.height));
        Start { case, words, environment, engine, executor: executor(engine) }
    }

    pub fn job(&self) -> Job<'_> {
        self.environment.job(&self.case)
    }
}

fn resize(case: &mut Case, side: u32) {
    case.domain = Domain { i0: 0, j0: 0, i1: side - 1, j1: side - 1 };
    case.textures.iter_mut().for_each(|texture| (texture.width, texture.height) = (side, side));
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
        prepare(&self.words, &self.job(), &executor(self.engine));
    }

    fn run(&self, threads: usize) {
        let options = RunOptions { threads, ..RunOptions::default() };
        self.executor.run(&self.job(), &options).unwrap_or_else(|error| panic!("{}: {error}", self.case.name));
    }

    fn picture(&self) -> Vec<[f32; 4]> {
        let job = self.job();
        let output = job.outputs[0].unwrap_or_else(|| panic!("{}: no output", self.case.name));
        let mut bytes = vec![0; output.bytes() as usize];
        job.memory.read_bytes(output.base, &mut bytes).unwrap_or_else(|error| panic!("{}: {error}", self.case.name));
        picture::pixels(&bytes)
    }
}
