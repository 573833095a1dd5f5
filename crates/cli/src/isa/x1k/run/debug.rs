//! Runs in a debugger.

use super::super::Loaded;
use super::super::options::{MadRule, X1kArgs};
use super::super::shader;
use super::buffers::{Buffer, Pass, Surfaces};
use super::memory::Data;
use super::{buffer_failed, constants, failure, load_with, varyings};
use crate::isa::File;
use crate::options::values::FollowedLane;
use crate::options::{DEFAULT_DOMAIN, RunArgs};
use crate::report::Message;
use crate::run::{Debugged, Frames, engine, follow, lines, numbered_uniforms, options, picture};
use crate::{Console, Failure};
use ctm_compile::session_variables;
use ctm_x1k::debug::{DebugError, listing, session};
use ctm_x1k::{FLOAT_CONSTANTS, Interpolants, Job, NoPlane, RunError};

/// Opens a session over a run, in its first frame.
pub fn debug(
    file: File,
    args: &RunArgs,
    x1k: &X1kArgs,
    lane: Option<FollowedLane>,
    shows: bool,
    console: &mut Console,
) -> Result<Debugged, Failure> {
    let cancel = console.host.interrupt();
    let loaded = load_with(file, args, x1k, true, console)?;
    let Loaded { program, origins, interface, .. } = &loaded;
    let domain = args.domain.unwrap_or(DEFAULT_DOMAIN);
    let (mut constants, numbered) = constants::gather(args, x1k, program, interface.as_ref(), console)?;
    let lanes = ctm_lane::domain::Domain::from(domain).into();
    let lane = lane.map(|named| follow::lane(named, lanes, "lane")).transpose()?.map_or((0, 0), |(lane, _)| lane);
    let frames = Frames::of(&args.frames);
    for (number, uniform) in numbered_uniforms(&args.frames, FLOAT_CONSTANTS)? {
        constants.floats[usize::from(number)] = [frames.bits(uniform, 0); 4];
    }
    let buffers = Buffer::load_all(args, x1k, console)?;
    let mut data = Data::prepare(args, x1k, program, interface.as_ref(), &buffers, domain, console)?;
    let surfaces = Surfaces::new(&buffers, domain, &mut data.memory)?;
    let passes = Pass::prepare_all(&buffers, args, domain, &mut data.memory, console)?;
    data.memory.take_results().clear(&data.memory.space);
    if let Some(interface) = interface {
        let (sizes, numbered) = (&data.inputs.sizes, &numbered);
        let is_others = |name: &str| buffers.iter().any(|buffer| shader::has_uniform(&buffer.interface, name));
        let surroundings = shader::UniformContext { interface, sizes, numbered, is_others: &is_others };
        let moving = shader::fill(&surroundings, &mut constants, args, domain, console)?;
        moving.set(frames, 0, &mut constants);
    }
    let vertices = varyings::vertices(&x1k.varyings, program, interface.as_ref(), domain, console)?;
    let no_plane = |error: NoPlane| Failure::Usage(Message::error(format!("--varying: {error}")));
    let interpolants = vertices.as_ref().map(Interpolants::through).transpose().map_err(no_plane)?;
    let mut job = Job {
        interpolants,
        constants,
        inputs: data.inputs.surfaces,
        samplers: data.inputs.samplers.clone(),
        outputs: data.outputs,
        conditional: data.conditional,
        unfused: x1k.mad == MadRule::Unfused,
        ..Job::new(program, domain.into(), &data.memory.space)
    };
    let quiet = |_, _| {};
    let options = options(&args.execution, console.host, &quiet, &cancel);
    let (_, executor) = engine(&args.execution)?;
    Pass::run_all(&passes, &surfaces, &job, frames, 0, &executor, &options).map_err(buffer_failed)?;
    surfaces.bind(&mut job, &data.inputs, buffers.len(), 0);
    let listing = lines(listing(program), |row, _| origins.get(row));
    let mut session = session(&job, &options, listing, lane).map_err(|error| match error {
        DebugError::State(error) => failure(RunError::State(error), &loaded, options.step_limit),
        error @ (DebugError::Memory(_) | DebugError::Session(_)) => Message::error(error.to_string()).into(),
    })?;
    if let Some(interface) = &loaded.interface {
        let cells = session.guest().cells();
        session.set_variables(session_variables(&loaded.variables, interface, &job.constants, cells));
    }
    Debugged::new(session, shows, lanes, options, |options| {
        executor.run(&job, options).ok()?;
        let shown = data.outputs.iter().flatten().next();
        Some(shown.map(|surface| picture(&data.memory.space, *surface, domain.into())))
    })
}
