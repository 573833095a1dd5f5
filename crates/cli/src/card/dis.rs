//! `ctm card dis`.

use super::trace::Trace;
use crate::args::CardDisArgs;
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_card::listing::Line;
use ctm_card::trace::TraceRecord;
use serde_json::json;

/// Prints the commands of the submissions.
pub fn dis(args: &CardDisArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = Trace::read(&args.trace.trace, console)?;
    let survey = trace.survey()?;
    // Programs may lie in objects.
    let (model, memory) = (trace.model(&survey)?, trace.memory(&survey)?);
    let mut count = 0;
    for submission in trace.submissions()? {
        let (number, record) = submission?;
        count += 1;
        record.write_pages(&memory);
        if args.submission.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let submission = record.submission();
        let (length, lines) = (model.length(&submission), model.listing(&submission, &memory));
        match args.trace.json {
            true => print_json((number, length), &record, lines, console)?,
            false => print((number, length), &record, lines, console)?,
        }
    }
    if let Some(wanted) = args.submission.filter(|&wanted| wanted >= count) {
        let message = format!("the trace has {}, and no number {wanted}", number_of(count, "submission"));
        return Err(Failure::Usage(Message::error(message).help("submissions are counted from 0")));
    }
    Ok(())
}

/// Prints a submission, of this number and of so many command words.
fn print(
    (number, length): (usize, usize),
    record: &TraceRecord,
    lines: Vec<Line>,
    console: &mut Console,
) -> Result<(), Failure> {
    let [words, objects, pages] = [(length, "word"), (record.objects.len(), "object"), (record.pages.len(), "page")]
        .map(|(count, noun)| number_of(count, noun));
    writeln!(console.out, "submission {number}: {words}, {objects}, {pages} written by the driver")?;
    for (number, object) in record.objects.iter().enumerate() {
        writeln!(console.out, "  object {number}: {} bytes at {:#010x}", object.size, object.address)?;
    }
    for line in lines {
        // Instructions have lines of their own in programs.
        let text: Vec<_> =
            line.text.split('\n').enumerate().map(|(n, part)| if n == 0 { part } else { part.trim() }).collect();
        writeln!(console.out, "{:>6}  {}", line.at, text.join(" "))?;
    }
    Ok(writeln!(console.out)?)
}

/// The same as JSON.
fn print_json(
    (number, length): (usize, usize),
    record: &TraceRecord,
    lines: Vec<Line>,
    console: &mut Console,
) -> Result<(), Failure> {
    let objects = record.objects.iter().map(|object| json!({ "address": object.address, "size": object.size }));
    let commands = lines.into_iter().map(|line| json!({ "dword": line.at, "text": line.text }));
    Ok(console.json(&json!({
        "submission": number,
        "byte": record.at,
        "words": length,
        "objects": objects.collect::<Vec<_>>(),
        "pages": record.pages.len(),
        "commands": commands.collect::<Vec<_>>(),
    }))?)
}
