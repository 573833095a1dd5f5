//! Fragment programs: quad by quad.

use super::group::{BoundJob, Group, Textures};
use crate::fragments::{FragmentJob, Quad, Shaded};
use crate::job::{Domain, Job, RunError, RunOptions, RunStats};
use ctm_lane::budget::Meter;
use ctm_lane::domain::QUAD;
use ctm_memory::Space;

/// A program that is ready to run over quads, one after the other.
pub struct Shader<'a> {
    group: Group<'a>,
    presets: &'a [u8],
    /// What it has done.
    pub stats: RunStats,
}

impl Shader<'_> {
    /// Runs the program for a quad.
    ///
    /// # Errors
    /// [`RunError::Trap`] if it does what the machine cannot do, [`RunError::Halted`] if the run was cancelled or its budget is used up.
    pub fn shade(&mut self, quad: &Quad) -> Result<Shaded, RunError> {
        self.group.shade(quad, self.presets, &mut self.stats)
    }
}

/// Prepares a program, and gives it to `body`.
pub fn with_shader<R>(job: &FragmentJob, options: &RunOptions, body: impl FnOnce(&mut Shader<'_>) -> R) -> R {
    let memory = Space::default();
    let environment = Job { constants: job.constants.clone(), ..Job::new(job.program, Domain::default(), &memory) };
    let machine = BoundJob::with_textures(&environment, Textures::Unit(job.textures));
    let meter = Meter::new(options.budget, options.cancel);
    let group = Group::new(&machine, options, &meter, QUAD, None);
    body(&mut Shader { group, presets: job.presets, stats: RunStats::default() })
}
