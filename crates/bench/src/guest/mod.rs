//! Kernels in machine code of guests.

pub(crate) mod r700;
pub(crate) mod x1k;

use crate::kernel::{Isa, Kernel};
use ctm_codegen::EngineName;
use ctm_engine::Executor;

/// A texture that a kernel reads.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The name of its data (`ctm_testkit::texels`).
    pub name: String,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// A kernel with its memory and an engine, ready to be started.
pub trait Guest {
    /// Columns and rows of the picture.
    fn size(&self) -> (u32, u32);

    /// What it reads.
    fn textures(&self) -> Vec<Texture>;

    /// From dwords to what an engine runs, with nothing prepared before.
    fn compile(&self);

    /// Makes the picture; 0 threads are one per core.
    fn run(&self, threads: usize);

    /// The picture, row by row.
    fn picture(&self) -> Vec<[f32; 4]>;
}

/// A kernel for an engine that this host has; `None` if it does not exist for the instruction set.
pub fn load(kernel: &Kernel, isa: Isa, engine: EngineName) -> Option<Box<dyn Guest>> {
    let folder = kernel.folder(isa);
    folder.exists().then(|| match isa {
        Isa::X1k => Box::new(x1k::Start::new(kernel, &folder, engine)) as Box<dyn Guest>,
        Isa::R700 => Box::new(r700::Start::new(&folder, engine)),
    })
}

fn executor(engine: EngineName) -> Executor {
    engine.executor().unwrap_or_else(|error| panic!("{error}"))
}
