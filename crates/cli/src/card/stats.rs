//! `ctm card stats`.

use super::trace::Trace;
use crate::args::CardTraceArgs;
use crate::{Console, Failure};
use ctm_r5xx::registers::{RegisterType, VapAltNumVertices};
use ctm_r5xx::stream::{Command, Draw, VertexSource, commands};
use serde_json::json;

/// Lists the draws.
pub fn stats(args: &CardTraceArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = Trace::read(&args.trace, console)?;
    if !args.json {
        writeln!(
            console.out,
            "{:>6} {:>10} {:>6}  {:<20} {:>8}  from",
            "draw", "submission", "dword", "primitive", "vertices"
        )?;
    }
    let (mut number, mut alternate) = (0, 0);
    for submission in trace.submissions()? {
        let (submission, record) = submission?;
        let commands =
            commands(&record.submission()).map_err(|error| trace.wrong(format!("submission {submission}, {error}")))?;
        for command in &commands {
            let draw = match command {
                Command::Draw(draw) => draw,
                Command::Write { address: VapAltNumVertices::ADDRESS, value, .. } => {
                    alternate = VapAltNumVertices::decode(*value).count;
                    continue;
                }
                Command::Write { .. } | Command::Upload { .. } | Command::VertexArrays(_) => continue,
            };
            let (primitive, source) = (draw.control.primitive.name(), source(draw));
            let vertices = if draw.control.alternate_count { alternate } else { draw.control.count.into() };
            if args.json {
                console.json(&json!({
                    "draw": number, "submission": submission, "dword": draw.at, "primitive": primitive,
                    "vertices": vertices, "from": source,
                }))?;
            } else {
                writeln!(
                    console.out,
                    "{number:>6} {submission:>10} {:>6}  {primitive:<20} {vertices:>8}  {source}",
                    draw.at
                )?;
            }
            number += 1;
        }
    }
    Ok(())
}

/// Where the vertices of a draw come from.
fn source(draw: &Draw) -> &'static str {
    match draw.vertices {
        VertexSource::List => "arrays",
        VertexSource::Embedded(_) => "packet",
        VertexSource::EmbeddedIndices(_) => "arrays, indices in packet",
        VertexSource::IndexBuffer { .. } => "arrays, indices in object",
    }
}
