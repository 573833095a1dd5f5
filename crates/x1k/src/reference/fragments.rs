//! Fragment programs: quad by quad.

use super::group::{BoundJob, Group, Textures};
use crate::fragments::{FragmentJob, Quad, Shaded};
use crate::job::{Domain, Job, RunError, RunOptions, RunStats};
use ctm_lane::budget::Meter;
use ctm_lane::domain::QUAD;
use ctm_memory::Space;

/// Runs a program over quads, and gives what it makes of each to `done`, in order.
///
/// # Errors
/// [`RunError::Trap`] at the first quad that traps, [`RunError::Halted`] if the run was cancelled or its budget was used up.
pub fn shade<'q>(
    job: &FragmentJob,
    options: &RunOptions,
    quads: impl IntoIterator<Item = &'q Quad>,
    mut done: impl FnMut(&'q Quad, &Shaded),
) -> Result<RunStats, RunError> {
    let memory = Space::default();
    let environment = Job { constants: job.constants.clone(), ..Job::new(job.program, Domain::default(), &memory) };
    let machine = BoundJob::with_textures(&environment, Textures::Unit(job.textures));
    let meter = Meter::new(options.budget, options.cancel);
    let mut group = Group::new(&machine, options, &meter, QUAD, None);
    let mut stats = RunStats::default();
    for quad in quads {
        let shaded = group.shade(quad, job.presets, &mut stats)?;
        done(quad, &shaded);
    }
    Ok(stats)
}
