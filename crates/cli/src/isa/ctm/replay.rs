//! `ctm replay`.

use super::options::ReplayArgs;
use crate::failure::no_engine;
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_device::{OpenError, Options, Trace, replay as execute};

/// Bytes above which a file is not a trace that fits into 1 GB with what it records, and is checked in a second.
const LIMIT: u64 = 256 << 20;

/// Executes a trace and compares what comes out.
pub fn replay(args: &ReplayArgs, console: &mut Console) -> Result<(), Failure> {
    let name = source::name(&args.trace);
    let wrong = |message: String| Message::error(message).at(Location::File(name.clone()));
    let bytes = source::read_at_most(console.host, &args.trace, LIMIT, "a trace")?;
    let trace = Trace::from_bytes(&bytes).map_err(|error| wrong(error.to_string()))?;
    let recorded = trace.options;
    let options = Options {
        strict: args.strict || recorded.strict,
        engine: args.engine.unwrap_or(recorded.engine),
        group_width: args.group.map_or(recorded.group_width, usize::from),
        threads: args.threads.map_or(recorded.threads, usize::from),
        limits: args.budget.limits(console.host),
        ..recorded
    };
    let replay = execute(&trace, options).map_err(|error| match error {
        OpenError::Engine(error) => no_engine(error),
        error => wrong(format!("cannot create the device: {error}")).into(),
    })?;

    let reports = replay.reports.iter().map(|report| {
        let location = format!("submission {}, dword {}", report.buffer.wrapping_sub(1), report.offset);
        let title = format!("{location}: {} is missing: {}", report.missing, report.message);
        Message::error(title).help(report.remedy.clone())
    });
    let differences = replay.differences.iter().map(|difference| Message::error(difference.to_string()));
    let mut messages: Vec<Message> = reports.chain(differences).collect();
    let plural = if replay.submissions == 1 { "" } else { "s" };
    let summary = format!("{} submission{plural}, {} bytes of results", replay.submissions, replay.bytes_compared);
    if messages.is_empty() {
        return Ok(writeln!(console.out, "{summary}: the same as in the trace")?);
    }
    messages.push(wrong(format!("{summary}: not the same as in the trace, or commands are missing")));
    Err(Failure::Input(messages))
}
