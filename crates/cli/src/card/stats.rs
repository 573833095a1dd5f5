//! `ctm card stats`.

use super::execution::{execute, model};
use super::trace::Trace;
use crate::args::CardStatsArgs;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_card::{Draw, DrawCounts, DrawStats};
use ctm_cards::{CardOptions, Model};
use serde_json::{Value, json};
use std::time::Duration;

/// Lists the draws, with what they do.
pub fn stats(args: &CardStatsArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = Trace::read(&args.trace, console)?;
    let (listed, wrong) = list(&trace, model(&args.execution, &trace, &trace.survey()?)?)?;
    let execution = execute(&trace, &args.execution, CardOptions { stats: true, ..CardOptions::default() })?;
    execution.warnings.iter().for_each(|warning| console.report(&Message::warning(warning)));
    let rows: Vec<_> = listed.iter().enumerate().take(execution.draws).collect();
    if !args.json {
        writeln!(
            console.out,
            "{:>6} {:>10} {:>6}  {:<20} {:>8} {} {:>9}  from",
            "draw",
            "submission",
            "dword",
            "primitive",
            "vertices",
            columns(NAMES),
            "ms"
        )?;
    }
    let (mut total, mut time) = (DrawCounts { instructions: Some(0), ..DrawCounts::default() }, Duration::ZERO);
    for (number, (submission, draw)) in rows {
        let done = execution.stats.get(&number);
        if let Some(DrawStats { counts, time: took, .. }) = done {
            total = sum(&total, counts);
            time += *took;
        }
        let Draw { at: dword, primitive, vertices, source, .. } = draw;
        if args.json {
            let mut line = json!({
                "draw": number, "submission": submission, "dword": dword, "primitive": primitive,
                "vertices": vertices, "from": source,
            });
            add(&mut line, done.map(|done| (&done.counts, done.time)));
            console.json(&line)?;
        } else {
            let counts = done.map_or([None; NAMES.len()], |done| numbers(&done.counts));
            let ms = done.map_or(String::new(), |done| milliseconds(done.time));
            writeln!(
                console.out,
                "{number:>6} {submission:>10} {dword:>6}  {primitive:<20} {vertices:>8} {} {ms:>9}  {source}",
                columns(counts.map(show))
            )?;
        }
    }
    if args.json {
        let mut line = json!({ "draws": execution.draws, "vertices": total.vertices });
        add(&mut line, Some((&total, time)));
        console.json(&line)?;
    } else {
        let (counts, ms) = (columns(numbers(&total).map(show)), milliseconds(time));
        writeln!(console.out, "{:>6} {:>10} {:>6}  {:<20} {:>8} {counts} {ms:>9}", "all", "", "", "", total.vertices)?;
    }
    wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
}

/// A draw, after the number of its submission.
type Listed = (usize, Draw);

/// The draws up to the first submission that is wrong, and what is wrong with that.
fn list(trace: &Trace, model: Model) -> Result<(Vec<Listed>, Option<Message>), Failure> {
    let mut listed = Vec::new();
    for submission in trace.submissions()? {
        let (submission, record) = submission?;
        match model.draws(&record.submission()) {
            Ok(draws) => listed.extend(draws.into_iter().map(|draw| (submission, draw))),
            Err(error) => {
                let message = format!("submission {submission}, dword {}: {}", error.at, error.message);
                return Ok((listed, Some(trace.wrong(message))));
            }
        }
    }
    Ok((listed, None))
}

/// What is counted, in the order of columns.
const NAMES: [&str; 6] = ["primitives", "drawn", "pixels", "fragments", "instructions", "passed"];

fn numbers(counts: &DrawCounts) -> [Option<u64>; NAMES.len()] {
    let DrawCounts { primitives, drawn, pixels, fragments, instructions, passed, .. } = *counts;
    [Some(primitives), Some(drawn), Some(pixels), Some(fragments), instructions, Some(passed)]
}

fn show(number: Option<u64>) -> String {
    number.map_or("-".into(), |number| number.to_string())
}

fn columns(texts: [impl AsRef<str>; NAMES.len()]) -> String {
    let cell = |(name, text): (&str, &str)| format!("{text:>width$}", width = name.len().max(8));
    let cells: Vec<_> = NAMES.iter().zip(&texts).map(|(name, text)| cell((name, text.as_ref()))).collect();
    cells.join(" ")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}

/// Adds what was counted to an object.
fn add(line: &mut Value, done: Option<(&DrawCounts, Duration)>) {
    let counts = done.map_or([None; NAMES.len()], |(counts, _)| numbers(counts));
    for (name, number) in NAMES.into_iter().zip(counts) {
        line[name] = json!(number);
    }
    line["run_seconds"] = json!(done.map(|(_, time)| time.as_secs_f64()));
}

/// What two draws do together.
fn sum(one: &DrawCounts, other: &DrawCounts) -> DrawCounts {
    DrawCounts {
        vertices: one.vertices + other.vertices,
        primitives: one.primitives + other.primitives,
        drawn: one.drawn + other.drawn,
        pixels: one.pixels + other.pixels,
        fragments: one.fragments + other.fragments,
        instructions: one.instructions.zip(other.instructions).map(|(one, other)| one + other),
        passed: one.passed + other.passed,
    }
}
