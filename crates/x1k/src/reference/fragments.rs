//! Fragment programs: quad by quad.

use super::group::{BoundJob, Group, Textures};
use crate::fragments::{FragmentJob, Quad, Shaded};
use crate::instruction::Body;
use crate::job::{Domain, Job, MAX_GROUP_WIDTH, RunError, RunOptions, RunStats};
use ctm_lane::budget::Meter;
use ctm_lane::domain::QUAD;
use ctm_memory::Space;

/// A program that is ready to run over quads, one after the other.
pub struct Shader<'a> {
    group: Group<'a>,
    presets: &'a [u8],
    width: usize,
    /// What it has done.
    pub stats: RunStats,
}

impl Shader<'_> {
    /// How many quads can run together. Those of programs with flow control run alone: where a program jumps may depend on all lanes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Runs the program for quads, at most as many as can run together, and replaces `shaded` by what it makes of each.
    ///
    /// # Errors
    /// [`RunError::Trap`] if it does what the machine cannot do, [`RunError::Halted`] if the run was cancelled or its budget is used up.
    pub fn shade(&mut self, quads: &[Quad], shaded: &mut Vec<Shaded>) -> Result<(), RunError> {
        self.group.shade(quads, self.presets, &mut self.stats, shaded)
    }
}

/// Prepares a program, and gives it to `body`.
pub fn with_shader<R>(job: &FragmentJob, options: &RunOptions, body: impl FnOnce(&mut Shader<'_>) -> R) -> R {
    let memory = Space::default();
    let environment = Job { constants: job.constants.clone(), ..Job::new(job.program, Domain::default(), &memory) };
    let machine = BoundJob::with_textures(&environment, Textures::Unit(job.textures));
    let meter = Meter::new(options.budget, options.cancel);
    let flows = job.program.code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
    let width = if flows { 1 } else { MAX_GROUP_WIDTH / QUAD };
    let group = Group::new(&machine, options, &meter, width * QUAD, None);
    body(&mut Shader { group, presets: job.presets, width, stats: RunStats::default() })
}
