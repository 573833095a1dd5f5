//! How lanes of a job may meet in memory, and which of the ways to run it gives the results of the reference.

use crate::{CondLocation, CondTest, Job, MAX_COORDINATE, WriteMode};
use ctm_engine::SurfaceLayout;
use ctm_memory::{Aliasing, Bounds, Reach, Surface};
use thiserror::Error;

/// Which of the ways to run a job gives the results of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Lanes may be grouped in any way.
    Independent,
    /// Group by group, one instruction after the other.
    Exact(Order),
    /// The order in which single lanes write matters.
    Reference(Order),
}

/// What of a job makes the order of its lanes matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Order {
    /// Lanes may meet in memory.
    #[error(transparent)]
    Aliasing(#[from] Aliasing),
    /// The program writes while it runs, to a surface of no bounded height.
    #[error("immediate writes without a bound")]
    UnboundedWrites,
    /// Masks leave nothing of a store that leaves memory.
    #[error("a masked store outside of memory")]
    MaskedStore,
    /// The conditional unit decides which lanes execute.
    #[error("conditional execution")]
    ConditionalExecution,
}

/// The surfaces that a job writes, immediate writes included.
fn outputs<'j>(job: &'j Job) -> impl Iterator<Item = Surface> + 'j {
    let immediate = (job.program.info.write_mode == WriteMode::Umrt).then_some(0);
    let others = job.program.references.outputs.iter().copied().filter(move |output| Some(*output) != immediate);
    immediate.into_iter().chain(others).filter_map(|output| *job.outputs.get(usize::from(output))?)
}

fn conditional_buffer(job: &Job) -> Option<Surface> {
    job.conditional.surface.filter(|_| job.conditional.needs_buffer())
}

/// How lanes of a job may meet in memory.
pub(super) fn aliasing(job: &Job) -> Option<Aliasing> {
    let mut reach = Reach::of(job.memory);
    let (columns, rows) = (job.domain.i1.saturating_add(1), job.domain.j1.saturating_add(1));
    let all = MAX_COORDINATE + 1;
    if job.program.info.write_mode == WriteMode::Umrt {
        reach.share(Aliasing::Anywhere);
        outputs(job).for_each(|output| reach.write_elements(&output, all, all));
    } else {
        outputs(job).for_each(|output| reach.write_elements(&output, columns, rows));
    }
    // A lane's test comes before its outputs, and after those of the lanes before it: it counts as a write, even where it only reads.
    conditional_buffer(job).iter().for_each(|buffer| reach.write_elements(buffer, columns, rows));
    job.read_surfaces().for_each(|input| reach.read(input.range_of_input()));
    reach.aliasing()
}

/// Chooses the way, as far as it does not depend on the kernel.
pub(super) fn route(job: &Job, aliasing: Option<Aliasing>) -> Route {
    let umrt = job.program.info.write_mode == WriteMode::Umrt;
    let mut written = outputs(job).chain(conditional_buffer(job));
    let unmapped = |surface: &Surface| !SurfaceLayout::of(job.memory, surface, Bounds::Drop).whole;
    // Where masks leave nothing of a store, the reference still notices that it leaves the memory.
    let stores_nothing = |surface: &Surface| job.out_mask & ((1 << surface.format.channels()) - 1) == 0;
    if let Some(Aliasing::Outputs) = aliasing {
        return Route::Reference(Aliasing::Outputs.into());
    }
    if umrt && outputs(job).any(|surface| surface.height == 0) {
        return Route::Reference(Order::UnboundedWrites);
    }
    if written.any(|surface| stores_nothing(&surface) && unmapped(&surface)) {
        return Route::Reference(Order::MaskedStore);
    }
    let executes_some = job.conditional.location == CondLocation::Pe
        && (job.conditional.write || job.conditional.test != CondTest::Always);
    match aliasing {
        Some(aliasing) => Route::Exact(aliasing.into()),
        None if executes_some => Route::Exact(Order::ConditionalExecution),
        None => Route::Independent,
    }
}
