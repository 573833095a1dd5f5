//! `ctm card stats`.

use super::execution::{execute, frame_draws, model};
use super::trace::Trace;
use crate::args::{CardStatsArgs, StatsColumn};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_card::{Draw, DrawCounts, DrawStats, DrawTarget, SlowPath};
use ctm_cards::{CardOptions, Model};
use ctm_memory::Arena;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::time::Duration;

/// Lists the draws, with what they do.
pub fn stats(args: &CardStatsArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = Trace::read(&args.trace, console)?;
    let survey = trace.survey()?;
    let (listed, wrong) = list(&trace, model(&args.execution, &trace, &survey)?, &trace.memory(&survey)?)?;
    let frame = frame_draws(&trace, &args.execution, &survey)?;
    let execution = execute(&trace, &args.execution, CardOptions { stats: true, ..CardOptions::default() })?;
    execution.warnings.iter().for_each(|warning| console.report(&Message::warning(warning)));
    let shown = frame.unwrap_or(0..execution.draws);
    let rows = listed.into_iter().enumerate().skip(shown.start).take(shown.len());
    let row = |(number, (submission, draw))| Row { number, submission, draw, done: execution.stats.get(&number) };
    let mut rows: Vec<Row> = rows.map(row).collect();
    let (mut total, mut time) = (DrawCounts { instructions: Some(0), ..DrawCounts::default() }, Duration::ZERO);
    for DrawStats { counts, time: took, .. } in rows.iter().filter_map(|row| row.done) {
        total = sum(&total, counts);
        time += *took;
    }
    if let Some(column) = args.sort {
        rows.sort_by_key(|row| Reverse(row.key(column)));
    }
    if args.json {
        for row in &rows {
            console.json(&row.json())?;
        }
        let mut line = json!({ "draws": rows.len(), "vertices": total.vertices });
        add(&mut line, Some((&total, time)));
        console.json(&line)?;
    } else {
        writeln!(
            console.out,
            "{:>6} {:>10} {:>6}  {:<20} {:>8} {} {:>9} {:>8}  {:<24}  {:<13}  from",
            "draw",
            "submission",
            "dword",
            "primitive",
            "vertices",
            columns(NAMES),
            "ms",
            "textures",
            "target",
            "slow"
        )?;
        for row in &rows {
            writeln!(console.out, "{}", row.text())?;
        }
        let (counts, ms) = (columns(numbers(&total).map(show)), milliseconds(time));
        writeln!(console.out, "{:>6} {:>10} {:>6}  {:<20} {:>8} {counts} {ms:>9}", "all", "", "", "", total.vertices)?;
    }
    wrong.map_or(Ok(()), |wrong| Err(wrong.into()))
}

/// A draw, and what it did if it was executed.
struct Row<'a> {
    number: usize,
    submission: usize,
    draw: Draw,
    done: Option<&'a DrawStats>,
}

impl Row<'_> {
    /// What rows are sorted by, the largest first.
    fn key(&self, column: StatsColumn) -> Option<u64> {
        let done = self.done?;
        let counts = &done.counts;
        match column {
            StatsColumn::Vertices => Some(self.draw.vertices.into()),
            StatsColumn::Primitives => Some(counts.primitives),
            StatsColumn::Drawn => Some(counts.drawn),
            StatsColumn::Pixels => Some(counts.pixels),
            StatsColumn::Fragments => Some(counts.fragments),
            StatsColumn::Instructions => counts.instructions,
            StatsColumn::Passed => Some(counts.passed),
            StatsColumn::Ms => Some(done.time.as_nanos() as u64),
        }
    }

    fn json(&self) -> Value {
        let Draw { at: dword, primitive, vertices, source, .. } = self.draw;
        let target = self.done.and_then(|done| done.target);
        let mut line = json!({
            "draw": self.number, "submission": self.submission, "dword": dword, "primitive": primitive,
            "vertices": vertices, "textures": self.done.map(|done| done.textures),
            "target": target.map(|DrawTarget { address, width, height }| json!({
                "address": address, "width": width, "height": height,
            })),
            "slow": self.done.and_then(|done| done.slow).map(SlowPath::name),
            "from": source,
        });
        add(&mut line, self.done.map(|done| (&done.counts, done.time)));
        line
    }

    fn text(&self) -> String {
        let Row { number, submission, draw: Draw { at: dword, primitive, vertices, source, .. }, done } = self;
        let counts = columns(done.map_or([None; NAMES.len()], |done| numbers(&done.counts)).map(show));
        let ms = done.map_or(String::new(), |done| milliseconds(done.time));
        let textures = done.map_or(String::new(), |done| done.textures.to_string());
        let target = done
            .and_then(|done| done.target)
            .map_or(String::new(), |target| format!("{}x{} at {:#010x}", target.width, target.height, target.address));
        let slow = done.and_then(|done| done.slow).map_or("", SlowPath::name);
        format!(
            "{number:>6} {submission:>10} {dword:>6}  {primitive:<20} {vertices:>8} {counts} {ms:>9} {textures:>8}  {target:<24}  {slow:<13}  {source}"
        )
    }
}

/// A draw, after the number of its submission.
type Listed = (usize, Draw);

/// The draws up to the first submission that is wrong, and what is wrong with that.
fn list(trace: &Trace, model: Model, memory: &Arena) -> Result<(Vec<Listed>, Option<Message>), Failure> {
    let mut listed = Vec::new();
    for submission in trace.submissions()? {
        let (submission, record) = submission?;
        record.write_pages(memory);
        match model.draws(&record.submission(), memory) {
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
