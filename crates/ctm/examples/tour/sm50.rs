//! Compute code and a pipeline of SM50.

use ctm_gpu::sm50::attributes::POSITION;
use ctm_gpu::sm50::pipeline::{Capture, Draw, Primitive, TessDomain, Tessellation};
use ctm_gpu::{Engine, Program, Threads};
use std::error::Error;
use std::path::Path;

fn program(name: &str) -> Result<Program, ctm_gpu::Error> {
    Program::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")).join(name))
}

/// How many steps of Collatz's rule lead from 1, 2, ... 10 to 1: a thread for each.
pub fn compute() -> Result<String, Box<dyn Error>> {
    const STEPS: u32 = 0x10000;
    let mut threads = Threads::new(program("collatz.sm50")?, [1; 3], [10, 1, 1])?.memory(STEPS, &[0; 10])?;
    let report = threads.run(&Engine::fastest())?;
    Ok(format!("{:?} in {} instructions", threads.read(STEPS, 10)?, report.stats.instructions))
}

/// Four corners become a sheet of triangles.
pub fn draw() -> Result<String, Box<dyn Error>> {
    let [vertex, control, evaluation, geometry] =
        ["vertex", "control", "evaluation", "geometry"].map(|stage| program(&format!("ripple/{stage}.sm50")));
    let (vertex, control, evaluation, geometry) = (vertex?, control?, evaluation?, geometry?);
    let draw = Draw {
        tess_init: Some(control.shader()?),
        tessellation: Some(evaluation.shader()?),
        geometry: Some(geometry.shader()?),
        primitive: Primitive::Patches,
        patch_vertices: 4,
        tessellator: Tessellation { domain: TessDomain::Quads, ..Tessellation::default() },
        capture: &[Capture { address: POSITION, words: 4 }],
        ..Draw::new(vertex.shader()?, 4)
    };
    let drawn = Engine::fastest().draw(&draw)?;
    let height = |record: &[u32]| f32::from_bits(record[1]);
    let highest = drawn.words.chunks_exact(4).map(height).fold(f32::MIN, f32::max);
    Ok(format!("{} triangles, the highest point at {highest}", drawn.records / 3))
}
