//! Which of the ways to run a job gives the results of the reference.

use crate::{CondLocation, CondTest, Job, WriteMode};
use ctm_engine::SurfaceLayout;
use ctm_memory::{Bounds, Surface};
use thiserror::Error;

/// Which of the ways to run a job gives the results of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Lanes may be grouped in any way.
    Independent,
    /// The groups of the options, one instruction after the other.
    Exact(Order),
    /// The order in which single lanes write matters.
    Reference(Order),
}

/// What of a job makes the order of its lanes matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Order {
    /// The program writes while it runs.
    #[error("immediate writes")]
    ImmediateWrites,
    /// The same, to a surface of no bounded height.
    #[error("immediate writes without a bound")]
    UnboundedWrites,
    /// Two surfaces that are written share memory.
    #[error("outputs share memory")]
    SharedOutputs,
    /// An input and a surface that is written share memory.
    #[error("an input and an output share memory")]
    SharedInput,
    /// Rows of a surface that is written share memory.
    #[error("rows of an output share memory")]
    SharedRows,
    /// Masks leave nothing of a store that leaves memory.
    #[error("a masked store outside of memory")]
    MaskedStore,
    /// The conditional unit decides which lanes execute.
    #[error("conditional execution")]
    ConditionalExecution,
}

/// Chooses the way, as far as it does not depend on the kernel.
pub(super) fn way(job: &Job) -> Way {
    let umrt = job.program.info.write_mode == WriteMode::Umrt;
    let outputs = job.program.references.outputs.iter().filter_map(|&output| job.outputs[usize::from(output)]);
    let buffer = job.conditional.surface.filter(|_| job.conditional.needs_buffer());
    let written: Vec<Surface> = outputs.chain(buffer).collect();
    let pairs = |at: usize| written[..at].iter().any(|other| overlap(other, &written[at]));
    let unmapped = |surface: &Surface| !SurfaceLayout::of(job.memory, surface, Bounds::Drop).whole;
    // Where masks leave nothing of a store, the reference still notices that it leaves the memory.
    let stores_nothing = |surface: &Surface| job.out_mask & ((1 << surface.format.channels()) - 1) == 0;
    let of_single_lanes = [
        ((0..written.len()).any(pairs), Order::SharedOutputs),
        (umrt && written.iter().any(|surface| surface.height == 0), Order::UnboundedWrites),
        (written.iter().any(|surface| stores_nothing(surface) && unmapped(surface)), Order::MaskedStore),
    ];
    if let Some((_, order)) = of_single_lanes.into_iter().find(|(holds, _)| *holds) {
        return Way::Reference(order);
    }
    let reads_written = job.inputs.iter().flatten().any(|input| written.iter().any(|output| overlap(input, output)));
    let overlaps_itself =
        |surface: &Surface| !surface.pitch.is_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
    let executes_some = job.conditional.location == CondLocation::Pe
        && (job.conditional.write || job.conditional.test != CondTest::Always);
    let of_groups = [
        (umrt, Order::ImmediateWrites),
        (reads_written, Order::SharedInput),
        (executes_some, Order::ConditionalExecution),
        (written.iter().any(overlaps_itself), Order::SharedRows),
    ];
    let order = of_groups.into_iter().find(|(holds, _)| *holds);
    order.map_or(Way::Independent, |(_, order)| Way::Exact(order))
}

/// Whether two surfaces may share memory.
fn overlap(a: &Surface, b: &Surface) -> bool {
    let range = |surface: &Surface| {
        let height = if surface.height == 0 { 4096 } else { surface.height };
        let rounded = surface.pitch.next_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
        let bytes = Surface { height, pitch: rounded, ..*surface }.bytes();
        (u64::from(surface.base), u64::from(surface.base) + bytes)
    };
    let (a, b) = (range(a), range(b));
    // Addresses wrap at 32 bits.
    let wraps = a.1 > 1 << 32 || b.1 > 1 << 32;
    wraps || a.0 < b.1 && b.0 < a.1
}
