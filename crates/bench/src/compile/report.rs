//! What was measured, as text, as a page, and as JSON.

use super::{Measurement, Origin, Row};
use crate::markdown::{self, list};
use crate::sample::Sample;
use serde_json::{Value, json};

impl Origin {
    const fn name(self) -> &'static str {
        match self {
            Origin::Kernel => "kernel",
            Origin::Corpus => "corpus",
            Origin::Full => "full",
        }
    }
}

/// The table, in Markdown.
fn table(measurement: &Measurement) -> String {
    let engines = measurement.engines.iter().map(|engine| format!("{}, ms", engine.name()));
    let head = ["program", "from", "bytes"].map(str::to_owned).into_iter().chain(engines);
    let mut lines: Vec<Vec<String>> = vec![head.chain(["mark, ms".to_owned()]).collect()];
    for row in &measurement.rows {
        let times = row.times.iter().map(|times| match times {
            Some(times) => format!("{:.2} ± {:.0} %", times.all.median() * 1e3, times.all.spread() * 100.0),
            None => "interpreted".to_owned(),
        });
        let mark = row.times.iter().any(Option::is_some).then(|| row.mark());
        let outcome = if row.meets_mark() { "met" } else { "MISSED" };
        let mark = mark.map_or(String::new(), |mark| format!("{mark:.0} {outcome}"));
        let names = [format!("{} {}", row.isa, row.name), row.origin.name().to_owned(), row.bytes.to_string()];
        lines.push(names.into_iter().chain(times).chain([mark]).collect());
    }
    markdown::table(&lines)
}

/// How the programs with each mark did.
fn outcomes(measurement: &Measurement) -> Vec<String> {
    let outcome = |what: &str, wanted: fn(&Row) -> bool| {
        let rows = || measurement.rows.iter().filter(|row| wanted(row));
        let slowest = rows().max_by(|a, b| a.slowest().total_cmp(&b.slowest()))?;
        let met = if rows().all(Row::meets_mark) { "met" } else { "MISSED" };
        Some(format!("{met}: {what}: {:.2} ms ({} {})", slowest.slowest(), slowest.isa, slowest.name))
    };
    let outcomes = [
        outcome("every X1K kernel in less than 5 ms", |row| row.isa == "X1K" && row.origin == Origin::Kernel),
        outcome("every R700 kernel in less than 5 ms", |row| row.isa == "R700" && row.origin == Origin::Kernel),
        outcome("every corpus program in less than 5 ms", |row| row.origin == Origin::Corpus),
        outcome("X1K programs of 512 instructions in less than 50 ms", |row| row.origin == Origin::Full),
    ];
    let [accesses, bytes] = measurement.checks();
    let total = measurement.access_check();
    let met = if total <= super::ACCESS_CHECK { "met" } else { "MISSED" };
    let share = |sample: &Sample| {
        format!(
            "{:.1} % in the median of programs, {:.1} % at most",
            sample.median() * 100.0,
            sample.greatest() * 100.0
        )
    };
    let (total, mark) = (total * 100.0, super::ACCESS_CHECK * 100.0);
    let checks = [
        format!(
            "{met}: the check of accesses in at most {mark:.0} % of the time of all programs together: {total:.1} % ({})",
            share(&accesses)
        ),
        format!("the check of bytes, which `--check-code` adds: {}", share(&bytes)),
    ];
    outcomes.into_iter().flatten().chain(checks).collect()
}

/// For a terminal.
pub fn text(measurement: &Measurement) -> String {
    let outcomes = outcomes(measurement).join("\n");
    format!("{}\n{outcomes}\n", table(measurement))
}

/// The page `docs/performance-compile.md`.
pub fn page(measurement: &Measurement) -> String {
    let machine = measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}"));
    include_str!("page.md")
        .replace("{machine}", list(machine).trim_end())
        .replace("{table}", table(measurement).trim_end())
        .replace("{marks}", list(outcomes(measurement)).trim_end())
        .replace("{times}", &super::TIMES.to_string())
}

/// For programs. Times are in seconds.
pub fn json(measurement: &Measurement) -> Value {
    let row = |row: &Row| {
        let engines = measurement.engines.iter().map(|engine| engine.name().to_owned());
        let times = row.times.iter().map(|times| times.as_ref().map(|times| times.all.median()).into());
        let [access_checks, byte_checks] =
            [0, 1].map(|check| row.checks().map(|shares| shares[check]).collect::<Vec<f64>>());
        json!({
            "isa": row.isa,
            "program": row.name,
            "from": row.origin.name(),
            "bytes": row.bytes,
            "seconds": engines.zip(times).collect::<serde_json::Map<String, Value>>(),
            "access_check_shares": access_checks,
            "byte_check_shares": byte_checks,
            "mark_ms": row.mark(),
            "met": row.meets_mark(),
        })
    };
    let rows: Vec<Value> = measurement.rows.iter().map(row).collect();
    json!({ "machine": measurement.machine.json(), "programs": rows })
}
