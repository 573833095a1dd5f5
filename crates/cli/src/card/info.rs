//! `ctm card info`.

use super::trace::Trace;
use crate::args::CardTraceArgs;
use crate::{Console, Failure};
use ctm_card::trace::PAGE;
use serde_json::json;
use std::collections::BTreeSet;

/// Shows what is in a trace.
pub fn info(args: &CardTraceArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = Trace::read(&args.trace, console)?;
    let survey = trace.survey()?;
    let (reader, model) = (trace.reader()?, trace.model(&survey)?);
    let (vendor, memory) = (model.identity().vendor, trace.memory(&survey)?);
    let (card, device) = (reader.card().to_owned(), reader.device());
    let (mut submissions, mut rejected, mut words, mut draws, mut written) = (0, 0, 0, 0, 0);
    let mut objects = BTreeSet::new();
    for submission in trace.submissions()? {
        let (_, record) = submission?;
        submissions += 1;
        record.write_pages(&memory);
        words += model.length(&record.submission());
        written += record.pages.len() * PAGE;
        objects.extend(record.objects.iter().map(|object| (object.address, object.size)));
        match model.draws(&record.submission(), &memory) {
            Ok(found) => draws += found.len(),
            Err(_) => rejected += 1,
        }
    }
    let largest = objects.iter().map(|&(_, size)| size).max().unwrap_or(0);
    if args.json {
        return Ok(console.json(&json!({
            "card": card, "device": device, "submissions": submissions, "rejected": rejected, "words": words,
            "draws": draws, "frames": survey.frames.len(), "objects": objects.len(), "largest_object": largest, "written": written,
        }))?);
    }
    let rows = [
        ("card", format!("{card} (PCI {vendor:04x}:{device:04x})")),
        ("submissions", submissions.to_string()),
        ("of them rejected", rejected.to_string()),
        ("command words", words.to_string()),
        ("draws", draws.to_string()),
        ("frames presented", survey.frames.len().to_string()),
        ("buffer objects", objects.len().to_string()),
        ("largest object", format!("{largest} bytes")),
        ("written by driver", format!("{written} bytes")),
    ];
    for (name, value) in rows {
        writeln!(console.out, "{name:<20} {value}")?;
    }
    Ok(())
}
