//! Launches of programs.

mod descriptor;

use crate::constants::constants;
use crate::context::{DrawContext, DrawError};
use crate::methods::{ComputeCodeAddressHigh, LaunchDescAddress};
use crate::state::Channel;
use crate::storage::{LAUNCH_DRIVER_BANK, store_ranges};
use crate::textures::{HeaderTables, bound_handles};
use ctm_sm50::launch::{
    Constants, Environment, Grid, Invocations, MAX_LOCAL_MEMORY, MAX_SHARED_MEMORY, Shader, StageLaunch, StageRunner,
};
use descriptor::{Descriptor, WORDS};

/// Launches what the methods of the compute class say.
///
/// # Errors
/// At what is not executed, and if the time is up or the program stops.
pub fn launch(channel: &mut Channel, context: &DrawContext) -> Result<(), DrawError> {
    let methods = &channel.compute;
    let address = u64::from(methods.get::<LaunchDescAddress>().address) << 8;
    let words: [u32; WORDS] = std::array::from_fn(|n| context.objects.word(address.saturating_add(4 * n as u64)));
    let descriptor = Descriptor::read(&words);
    let Descriptor { grid, block, .. } = descriptor;
    if grid.contains(&0) || block.contains(&0) {
        return Ok(());
    }
    let grid = Grid::new(grid, block).ok_or(DrawError::NotYet { what: "a grid of that many threads" })?;
    let base = methods.address_at::<ComputeCodeAddressHigh>(0);
    let program = context.cache.programs.launched(base, descriptor.program, context.objects)?;
    let banks = descriptor.banks(&words);
    let constants = constants(&banks, &program, context.objects);
    let shader = Shader {
        local_memory: descriptor.local_memory.min(MAX_LOCAL_MEMORY),
        shared_memory: descriptor.shared_memory.min(MAX_SHARED_MEMORY),
        banks: Some(&constants),
        ..program.shader()
    };
    let tables = HeaderTables::of_launches(methods, context.objects, &context.cache.textures);
    let (textures, images) = tables.environment(bound_handles(&shader));
    let environment = Environment {
        constants: Constants::open(),
        textures,
        images,
        memory: Some(context.space),
        stores: Some(store_ranges(context.objects, [banks[LAUNCH_DRIVER_BANK]])),
        ..Environment::default()
    };
    let invocations = Invocations { count: grid.invocations(), columns: None };
    let launch =
        StageLaunch { grid: Some(grid), ..StageLaunch::new(shader, &environment, &invocations, Default::default()) };
    StageRunner::run(context.executor, &launch, &context.options)?;
    Ok(())
}
