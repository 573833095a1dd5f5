//! How much work a program is.

use ctm_codegen::EngineName;
use ctm_lane::budget::Budget;
use ctm_lane::counts::InstructionCounts;
use ctm_testkit::shaders::{Environment, Shader};
use ctm_x1k::{Body, Domain, Instruction, Job, RunOptions, temps_used};

/// Lanes that execute an instruction together: those of an R520.
const GROUP: usize = 16;
/// Columns and rows of the block in the middle of a picture for which executions are counted.
const SIDE: u32 = 64;

/// The instructions of a program, by type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// ALU and OUT instructions.
    pub arithmetic: usize,
    /// TEX instructions.
    pub texture: usize,
    /// FC instructions.
    pub flow: usize,
    /// Temporaries, from r0 to the last that is named.
    pub temporaries: usize,
}

impl Size {
    /// Of a program.
    pub fn of(code: &[Instruction]) -> Self {
        let mut size = Size { temporaries: temps_used(code), ..Size::default() };
        for instruction in code {
            match instruction.body {
                Body::Alu(_) | Body::Out(_) => size.arithmetic += 1,
                Body::Tex(_) => size.texture += 1,
                Body::Flow(_) => size.flow += 1,
            }
        }
        size
    }

    /// All instructions.
    pub fn instructions(&self) -> usize {
        self.arithmetic + self.texture + self.flow
    }
}

/// Instructions that a group of 16 lanes executes, on the average.
///
/// # Errors
/// What the engine says, in words.
pub fn executed(job: &Job) -> Result<f64, String> {
    let side = |first: u32, last: u32| {
        let sides = last + 1 - first;
        let kept = sides.min(SIDE);
        let first = first + (sides - kept) / 2;
        (first, first + kept - 1)
    };
    let ((i0, i1), (j0, j1)) = (side(job.domain.i0, job.domain.i1), side(job.domain.j0, job.domain.j1));
    let domain = Domain { i0, j0, i1, j1 };
    let job = Job { domain, ..job.clone() };
    let counts = InstructionCounts::new(domain.into(), &Budget::default()).map_err(|halt| format!("{halt:?}"))?;
    let options = RunOptions { group_width: GROUP, counts: Some(&counts), ..RunOptions::default() };
    let engine = EngineName::Interp.executor().map_err(|error| error.to_string())?;
    engine.run(&job, &options).map_err(|error| error.to_string())?;
    let executions: u64 = counts.instructions().values().map(|count| count.executions).sum();
    let lanes = u64::from(i1 - i0 + 1) * u64::from(j1 - j0 + 1);
    Ok(executions as f64 / lanes.div_ceil(GROUP as u64) as f64)
}

/// Runs a program, and says how its picture differs from what is wanted.
///
/// # Errors
/// The difference, or what the engine says, in words.
pub fn check(shader: &Shader, environment: &Environment, job: &Job, engine: EngineName) -> Result<(), String> {
    environment.clear();
    let engine = engine.executor().map_err(|error| error.to_string())?;
    engine.run(job, &RunOptions::default()).map_err(|error| error.to_string())?;
    shader.compare(&environment.pictures())
}
