//! Vertices: the vertex program, with its fetch program, over all that a draw names.

use super::bindings::{VERTEX, bindings};
use super::workspace::Plan;
use super::{DrawError, run};
use crate::programs::{STAGES, program};
use crate::state::State;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::Arena;
use ctm_r700::{GPRS, Input, Job, PARAMETERS, Program, Region, Stage, Target, Uses};

/// What the vertex program gives for a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    /// The position in clip space.
    pub position: [f32; 4],
    /// Its parameters: bits.
    pub parameters: Vec<[u32; 4]>,
}

/// The program of a stage.
pub fn stage_program(state: &State, memory: &Arena, stage: Stage) -> Result<Option<Program>, DrawError> {
    let found = STAGES.iter().find(|registers| registers.stage == stage);
    Ok(found.and_then(|registers| program(&state.registers, registers, memory)).filter(|found| !found.code.is_empty()))
}

/// Runs the vertex program for vertices with these numbers.
pub fn vertices(
    state: &State,
    memory: &Arena,
    options: &RunOptions,
    numbers: &[u32],
    instance: u32,
) -> Result<Vec<Vertex>, DrawError> {
    let mut main = stage_program(state, memory, Stage::Vertex)?.ok_or(DrawError::NoProgram { stage: "vertex" })?;
    // The driver's fetch programs load more elements than its vertex programs have registers for.
    main.info.num_gprs = GPRS as u8;
    let fetch = stage_program(state, memory, Stage::Fetch)?;
    let programs: Vec<_> = [Some(&main), fetch.as_ref()].into_iter().flatten().collect();
    let exported = |target: &Target| match target {
        Target::Parameter(number) => *number + 1,
        Target::Colour(_) | Target::Depth | Target::Position(_) => 0,
    };
    let parameters = Uses::of(&main).exports.iter().map(exported).max().unwrap_or_default().min(PARAMETERS);
    let mut plan = Plan::default();
    let bytes = 16 * numbers.len() as u64;
    let inputs: Vec<[u32; 4]> = numbers.iter().map(|&number| [number, 0, 0, instance]).collect();
    let (input, position) = (plan.room(bytes)?, plan.room(bytes)?);
    let places = (0..parameters).map(|_| plan.room(bytes)).collect::<Result<Vec<Region>, _>>()?;
    let bindings = bindings(VERTEX, &state.registers, memory, &programs, &mut plan)?;
    let workspace = plan.make()?;
    workspace.set(input, &inputs);
    let mut job = Job::new(&main, Lanes::Line(numbers.len() as u32), &workspace.space);
    job.fetch_program = fetch.as_ref();
    job.inputs.insert(0, Input::Buffer(input));
    job.start_instance = state.registers.get::<crate::registers::SqVtxStartInstLoc>().value;
    job.bindings = bindings;
    job.targets.positions[0] = Some(position);
    for (target, place) in job.targets.parameters.iter_mut().zip(&places) {
        *target = Some(*place);
    }
    run(&job, options)?;
    let vertex = |number: usize| Vertex {
        position: workspace.vector(position, number).map(f32::from_bits),
        parameters: places.iter().map(|place| workspace.vector(*place, number)).collect(),
    };
    Ok((0..numbers.len()).map(vertex).collect())
}
