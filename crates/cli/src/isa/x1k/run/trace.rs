//! `--emit-trace`: the run once more, on the CTM device, recorded.

use crate::report::Message;
use ctm_device::{Client, ClientError, Connection, Heap, LoadedProgram, OpenError, Options, Pass, Trace};
use ctm_lane::budget::Limits;
use ctm_memory::{RangeError, Space, Surface};
use ctm_x1k::{Conditional, INTERPOLANTS, InterpolantVertex, Job, RunOptions};
use std::collections::BTreeMap;

/// Bytes of host-visible memory: for a command buffer, an image and constants.
const HOST_BYTES: u32 = 1 << 20;
/// Bytes of the corners of interpolated inputs: positions, and after each all inputs, four floats each.
const PARAMS_BYTES: u64 = 3 * 16 * (1 + INTERPOLANTS as u64);
/// Memory is copied in pieces of as many bytes. Pieces of zeros stay out, so that they take no memory on the device.
const PIECE: usize = 1 << 16;

/// Runs a job on a device that records. A trap is part of the record and no error.
pub fn record(
    job: &Job,
    vertices: Option<&[InterpolantVertex; 3]>,
    options: &RunOptions,
    limits: Limits,
) -> Result<Trace, Message> {
    let size: u64 = job.memory.arenas().iter().map(|arena| u64::from(arena.size())).sum();
    let too_large = || Message::error(format!("{size} bytes of inputs and outputs do not fit into the CTM device"));
    let device = Connection::open_recording(Options {
        local_bytes: u32::try_from((size + PARAMS_BYTES).next_multiple_of(2048)).map_err(|_| too_large())?,
        host_bytes: HOST_BYTES,
        group_width: options.group_width,
        threads: options.threads,
        step_limit: options.step_limit,
        limits,
        unfused: job.unfused,
        deterministic_clock: true,
        ..Options::default()
    })
    .map_err(|error| match error {
        OpenError::LocalBytes(_) => too_large(),
        error => Message::error(format!("the CTM device cannot be opened: {error}")),
    })?;
    match run(job, vertices, &device) {
        Ok(()) | Err(ClientError::Device(_)) => {}
        Err(error) => return Err(Message::error(format!("the CTM device cannot run the program: {error}"))),
    }
    device.take_trace().ok_or_else(|| Message::error("the CTM device has no record"))
}

fn run(job: &Job, vertices: Option<&[InterpolantVertex; 3]>, device: &Connection) -> Result<(), ClientError> {
    let mut client = Client::new(device);
    let program = client.load(job.program)?;
    write_constants(job, device, &program)?;
    // Where each arena of the run is on the device.
    let mut bases = BTreeMap::new();
    for arena in job.memory.arenas() {
        let base = client.allocate(Heap::Local, arena.size().into())?;
        copy(job.memory, arena.base(), device.memory(), base, arena.size())?;
        bases.insert(arena.base(), base);
    }
    let moved = |surface: &Surface| Surface { base: bases[&surface.base], ..*surface };
    let mut pass = Pass::new(program, 1, 1).domain(job.domain).out_mask(job.out_mask);
    for (n, surface) in (0..).zip(&job.inputs) {
        pass = surface.iter().fold(pass, |pass, surface| pass.input(n, moved(surface)));
    }
    for (n, surface) in (0..).zip(&job.outputs) {
        pass = surface.iter().fold(pass, |pass, surface| pass.output(n, moved(surface)));
    }
    if let Some(vertices) = vertices {
        let block = client.allocate(Heap::Local, PARAMS_BYTES)?;
        let floats = vertices.iter().flat_map(|vertex| {
            let [x, y] = vertex.position;
            [x, y, 0.0, 1.0].into_iter().chain(vertex.values.into_iter().flatten())
        });
        device.write_words(block, &floats.map(f32::to_bits).collect::<Vec<_>>())?;
        pass = pass.params(block);
    }
    let surface = job.conditional.surface.as_ref().map(moved);
    client.run(&[pass.conditional(Conditional { surface, ..job.conditional })])
}

/// Writes the constants of the run over those that travel with the program.
fn write_constants(job: &Job, device: &Connection, program: &LoadedProgram) -> Result<(), RangeError> {
    device.write_words(program.constf, job.constants.floats.as_flattened())?;
    device.write_words(program.consti, &job.constants.ints.map(|constant| constant.to_dword()))?;
    device.write_words(program.constb, &job.constants.bools.map(u32::from))
}

fn copy(from: &Space, from_base: u32, to: &Space, to_base: u32, bytes: u32) -> Result<(), RangeError> {
    for offset in (0..bytes).step_by(PIECE) {
        let mut piece = vec![0; PIECE.min((bytes - offset) as usize)];
        from.read_bytes(from_base + offset, &mut piece)?;
        if piece.iter().any(|&byte| byte != 0) {
            to.write_bytes(to_base + offset, &piece)?;
        }
    }
    Ok(())
}
