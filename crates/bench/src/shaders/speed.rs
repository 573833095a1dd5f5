//! The time that machine code takes on the fastest engine: the compiler's programs beside Mesa's words for the same sources.

use crate::guest::{self, Guest};
use crate::kernel::{Isa, KERNELS, Kernel};
use crate::sample::Sample;
use crate::turn::{repetitions, seconds, turn};
use ctm_codegen::EngineName;
use ctm_testkit::shaders::compiled::{compile, job};
use ctm_testkit::shaders::{Environment, Shader};
use ctm_x1k::RunOptions;

/// Turns of each side.
const TURNS: usize = 15;
/// Seconds of a turn.
const LENGTH: f64 = 0.04;

/// A kernel.
#[derive(Debug)]
pub struct Speed {
    /// Its name.
    pub name: String,
    /// Times of the compiler's program, or why there are none.
    pub ours: Result<Sample, String>,
    /// Times of Mesa's words.
    pub mesa: Sample,
}

impl Speed {
    /// Our time as a share of Mesa's.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.ours.as_ref().ok()?.median() / self.mesa.median())
    }
}

/// Measures the kernels whose names begin so, with one thread.
pub fn measure(only: &str, progress: impl Fn(&str)) -> Vec<Speed> {
    let shaders = Shader::kernels();
    let wanted = KERNELS.iter().filter(|kernel| kernel.size.is_none() && kernel.name.starts_with(only));
    let speed = |kernel: &Kernel| {
        let shader = shaders.iter().find(|shader| shader.name == kernel.program)?;
        let theirs = guest::load(kernel, Isa::X1k, EngineName::fastest())?;
        progress(kernel.name);
        let mut mesa = Sample::default();
        let ours = in_turns(shader, theirs.as_ref(), &mut mesa);
        Some(Speed { name: kernel.name.to_owned(), ours, mesa })
    };
    wanted.filter_map(speed).collect()
}

fn in_turns(shader: &Shader, theirs: &dyn Guest, mesa: &mut Sample) -> Result<Sample, String> {
    let compiled = compile(shader).map_err(|error| format!("line {}: {error}", error.line()))?;
    let environment = Environment::new(shader);
    let job = job(&compiled, shader, &environment)?;
    let executor = EngineName::fastest().executor().map_err(|error| error.to_string())?;
    let options = RunOptions { threads: 1, ..RunOptions::default() };
    executor.run(&job, &options).map_err(|error| error.to_string())?;
    shader.compare(&environment.pictures())?;
    let run = || drop(executor.run(&job, &options));
    let mut ours = Sample::default();
    for _ in 0..TURNS {
        let times = repetitions(LENGTH, seconds(run));
        ours.add(seconds(|| (0..times).for_each(|_| run())) / f64::from(times));
        mesa.add(turn(LENGTH, theirs, 1));
    }
    Ok(ours)
}
