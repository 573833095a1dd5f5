//! Vertices: the vertex program, with its fetch program, over all that a draw names.

use super::bindings::{VERTEX, bindings};
use super::streamout::{Buffer, Records};
use super::workspace::{Plan, Workspace};
use super::{DrawError, Means};
use crate::programs::{STAGES, program};
use crate::registers::{PaClVsOutCntl, SqVtxStartInstLoc};
use crate::state::State;
use ctm_lane::domain::Lanes;
use ctm_memory::Arena;
use ctm_r700::{GPRS, Input, Items, Job, PARAMETERS, POSITIONS, Program, Region, Stage, Target, Uses};

/// Clip distances that there are.
pub const DISTANCES: usize = 8;

/// What the vertex program gives for a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// The position in clip space.
    pub position: [f32; 4],
    /// Width and height of a point, in pixels, if the program gives it.
    pub size: Option<f32>,
    /// Distances from clip planes.
    pub distances: [f32; DISTANCES],
    /// Its parameters: bits.
    pub parameters: Vec<[u32; 4]>,
}

/// The program of a stage.
pub fn stage_program(state: &State, memory: &Arena, stage: Stage) -> Option<Program> {
    let registers = STAGES.iter().find(|registers| registers.stage == stage)?;
    program(&state.registers, registers, memory).filter(|found| !found.code.is_empty())
}

/// Runs the vertex program for vertices with these numbers; also what it writes to these buffers.
pub fn vertices(
    state: &State,
    means: &Means,
    numbers: &[u32],
    instance: u32,
    streams: &[Buffer],
) -> Result<(Vec<Vertex>, Vec<Records>), DrawError> {
    let memory = means.memory;
    let mut main = stage_program(state, memory, Stage::Vertex).ok_or(DrawError::NoProgram { stage: "vertex" })?;
    // The driver's fetch programs load more elements than its vertex programs have registers for.
    main.info.num_gprs = GPRS as u8;
    let fetch = stage_program(state, memory, Stage::Fetch);
    let programs: Vec<_> = [Some(&main), fetch.as_ref()].into_iter().flatten().collect();
    let exported = |target: &Target| match target {
        Target::Parameter(number) => *number + 1,
        Target::Colour(_) | Target::Depth | Target::Position(_) => 0,
    };
    let parameters = Uses::of(&main).exports.iter().map(exported).max().unwrap_or_default().min(PARAMETERS);
    let mut plan = Plan::new(means.scratch, memory);
    let bytes = 16 * numbers.len() as u64;
    let inputs: Vec<[u32; 4]> = numbers.iter().map(|&number| [number, 0, 0, instance]).collect();
    let input = plan.reserve(bytes)?;
    let regions =
        |count: usize, plan: &mut Plan| (0..count).map(|_| plan.clear(bytes)).collect::<Result<Vec<Region>, _>>();
    let positions = regions(POSITIONS, &mut plan)?;
    let places = regions(parameters, &mut plan)?;
    let mut records = Vec::new();
    for stream in streams {
        records.push(plan.reserve(4 * numbers.len() as u64 * u64::from(stream.stride))?);
    }
    let bindings = bindings(VERTEX, state, memory, &programs, &mut plan)?;
    let workspace = plan.make()?;
    workspace.set(input, 0, &inputs);
    let mut job = Job::new(&main, Lanes::Line(numbers.len() as u32), workspace.space());
    job.fetch_program = fetch.as_ref();
    job.inputs.insert(0, Input::Buffer(input));
    job.start_instance = state.registers.get::<SqVtxStartInstLoc>().value;
    job.bindings = bindings;
    for (target, place) in job.targets.positions.iter_mut().zip(&positions) {
        *target = Some(*place);
    }
    for (target, place) in job.targets.parameters.iter_mut().zip(&places) {
        *target = Some(*place);
    }
    for (stream, region) in streams.iter().zip(&records) {
        job.memories.streams[stream.number] = Some(Items { region: *region, item_dwords: stream.stride });
    }
    let records = stream_records(&job, means, &workspace, streams, &records, numbers.len())?;
    let exports = Exports::of(&state.registers.get());
    let vertex = |number: usize| {
        let position = |place: usize| {
            positions.get(place).map_or([0; 4], |region| workspace.vector(*region, number)).map(f32::from_bits)
        };
        let mut distances = [0.0; DISTANCES];
        for (distances, place) in distances.as_chunks_mut::<4>().0.iter_mut().zip(exports.distances) {
            *distances = place.map_or([0.0; 4], position);
        }
        Vertex {
            position: position(0),
            size: exports.size.map(|place| position(place)[0]),
            distances,
            parameters: places.iter().map(|place| workspace.vector(*place, number)).collect(),
        }
    };
    Ok(((0..numbers.len()).map(vertex).collect(), records))
}

/// Which position exports hold what is not the position.
struct Exports {
    size: Option<usize>,
    distances: [Option<usize>; 2],
}

impl Exports {
    /// The vectors that there are follow each other.
    fn of(control: &PaClVsOutCntl) -> Self {
        let mut next = 1;
        let mut take = |there: bool| {
            let place = there.then_some(next);
            next += usize::from(there);
            place
        };
        let misc = take(control.vs_out_misc_vec_ena);
        let distances = [take(control.vs_out_ccdist0_vec_ena), take(control.vs_out_ccdist1_vec_ena)];
        Exports { size: misc.filter(|_| control.use_vtx_point_size), distances }
    }
}

/// Runs the program, and gives what it wrote to streams. Which dwords it wrote shows by what was there before: it is left in two runs that begin
/// with different numbers only where nothing is written.
fn stream_records(
    job: &Job,
    means: &Means,
    workspace: &Workspace,
    streams: &[Buffer],
    regions: &[Region],
    vertices: usize,
) -> Result<Vec<Records>, DrawError> {
    let contents = |value: u32| -> Result<Vec<Vec<u32>>, DrawError> {
        regions.iter().for_each(|region| workspace.fill(*region, value));
        means.run(job)?;
        Ok(regions.iter().map(|region| workspace.words(*region, region.length as usize / 4)).collect())
    };
    let zero = contents(0)?;
    if streams.is_empty() {
        return Ok(Vec::new());
    }
    let one = contents(1)?;
    let record = |zero: &[u32], one: &[u32]| {
        zero.iter().zip(one).map(|(&zero, &one)| (zero == one).then_some(zero)).collect::<Vec<_>>()
    };
    let records = |((stream, zero), one): ((&Buffer, &Vec<u32>), &Vec<u32>)| {
        let stride = stream.stride.max(1) as usize;
        let mut records: Records =
            zero.chunks(stride).zip(one.chunks(stride)).map(|(zero, one)| record(zero, one)).collect();
        records.resize(vertices, Vec::new());
        records
    };
    Ok(streams.iter().zip(&zero).zip(&one).map(records).collect())
}
