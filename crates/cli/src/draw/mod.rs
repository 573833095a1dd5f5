//! `ctm draw`: vertices through the programs of a pipeline.

mod programs;
mod results;
mod svg;
mod wireframe;

use crate::args::draw::DrawArgs;
use crate::args::values::{Attribute, CaptureRange};
use crate::files::read_dwords;
use crate::report::Message;
use crate::{Console, Failure, interrupt};
use ctm_engine::EngineName;
use ctm_lane::run::RunOptions;
use ctm_sm50::attributes::POSITION;
use ctm_sm50::launch::{Constants, Environment, Executor, Mode};
use ctm_sm50::pipeline::{Capture, Draw, Tessellation, VertexArray};
use ctm_sm50::reference::Reference;
use programs::Programs;
use results::Results;
use std::time::Instant;

/// Most dwords of a constant bank: 64 KiB.
const MAX_BANK: usize = 1 << 14;

/// Draws, and writes what comes out.
pub fn draw(args: &DrawArgs, console: &mut Console) -> Result<(), Failure> {
    let cancel = interrupt::flag();
    let programs = Programs::read(args, console)?;
    let arrays = args.attributes.iter().map(array).collect::<Result<Vec<_>, _>>()?;
    let environment = Environment {
        constants: constants(args)?,
        mode: if args.strict { Mode::Strict } else { Mode::Lenient },
        ..Environment::default()
    };
    let results = Results::open(args)?;
    // Where something is to be seen, the position is captured behind what is asked for.
    let mut capture: Vec<Capture> = args.capture.iter().map(|&CaptureRange(capture)| capture).collect();
    if results.need_positions() {
        capture.push(Capture { address: POSITION, words: 4 });
    }
    let draw = Draw {
        tess_init: programs.tess_init(),
        tessellation: programs.tessellation(),
        geometry: programs.geometry(),
        primitive: args.primitive,
        patch_vertices: args.patch_vertices,
        first: args.first,
        instances: args.instances,
        tessellator: Tessellation {
            domain: args.tess_domain,
            spacing: args.tess_spacing,
            point_mode: args.point_mode,
            clockwise: args.cw,
        },
        levels: args.tess_levels.0,
        arrays: &arrays,
        capture: &capture,
        stream: args.stream,
        environment,
        ..Draw::new(programs.vertex(), args.vertices)
    };
    let options = RunOptions { cancel: Some(&cancel), ..Draw::options() };
    let (engine, executor) = executor(args.engine);
    let start = Instant::now();
    let drawn = draw.run(executor.as_ref(), &options).map_err(|error| programs.failure(error))?;
    let seconds = start.elapsed().as_secs_f64();
    programs.tell_warnings(&drawn.outcome.warnings, console);
    results.write(args, engine, drawn, seconds, &cancel, console)
}

/// The engine of this name, for people, with what executes.
fn executor(_name: Option<EngineName>) -> (&'static str, Box<dyn Executor>) {
    (EngineName::Reference.name(), Box::new(Reference))
}

fn array(attribute: &Attribute) -> Result<VertexArray, Message> {
    let &Attribute { address, components, ref path } = attribute;
    Ok(VertexArray { address, components, values: read_dwords(path, Some(components as usize))? })
}

fn constants(args: &DrawArgs) -> Result<Constants, Failure> {
    let mut constants = Constants::default();
    for given in &args.constants {
        if constants.bank(given.number).is_some() {
            return Err(Failure::Usage(Message::error(format!("constant bank {} is given twice", given.number))));
        }
        let words = read_dwords(&given.value, None).map_err(Message::from)?;
        if words.len() > MAX_BANK {
            let (file, words) = (given.value.display(), words.len());
            let message = format!("'{file}' has {words} dwords; a constant bank has at most {MAX_BANK}");
            return Err(Message::error(message).into());
        }
        constants.set_bank(given.number, words);
    }
    Ok(constants)
}
