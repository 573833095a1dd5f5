//! What was measured, as text, as a page, and as JSON.

use super::compare::{Measurement, Ours, Row};
use super::count::Size;
use super::speed::Speed;
use super::table::Entry;
use crate::markdown::{self, list};
use crate::sample::Sample;
use serde_json::{Value, json};

fn parts(size: &Size) -> String {
    format!("{} + {} + {}", size.arithmetic, size.texture, size.flow)
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// The table, in Markdown.
fn table(measurement: &Measurement) -> String {
    let head = ["source", "ctm", "r300", "ratio", "executed", "r300", "ratio", "temporaries", "r300", "ms"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for row in &measurement.rows {
        let (size, executed, temporaries) = match &row.ours {
            Ok(Ours { size, executed, .. }) => (parts(size), format!("{executed:.1}"), size.temporaries.to_string()),
            Err(_) => ("none".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let (mesa, mesa_executed, mesa_temporaries) = match &row.mesa {
            Some(Entry::Program(size, executed)) => {
                let executed = executed.map_or("-".to_owned(), |executed| format!("{executed:.1}"));
                (parts(size), executed, size.temporaries.to_string())
            }
            Some(Entry::None(_)) | None => ("-".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let time = row.time().map_or("-".to_owned(), |time| format!("{time:.2}"));
        lines.push(vec![
            row.name.clone(),
            size,
            mesa,
            ratio(row.size()),
            executed,
            mesa_executed,
            ratio(row.executed()),
            temporaries,
            mesa_temporaries,
            time,
        ]);
    }
    markdown::table(&lines)
}

/// The table of the kernels as they run, in Markdown.
fn speeds(measurement: &Measurement) -> String {
    let head = ["kernel", "ctm ms", "r300 ms", "ratio", "spread"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for row in &measurement.speeds {
        let Speed { name, ours, mesa } = row;
        let milliseconds = |sample: &Sample| format!("{:.3}", sample.median() * 1e3);
        let spread = ours.as_ref().map_or(0.0, Sample::spread).max(mesa.spread());
        lines.push(vec![
            name.clone(),
            ours.as_ref().map_or_else(Clone::clone, milliseconds),
            milliseconds(mesa),
            ratio(row.ratio()),
            format!("{:.0} %", spread * 100.0),
        ]);
    }
    lines.push(vec![
        "geometric mean".to_owned(),
        String::new(),
        String::new(),
        format!("{:.2}", measurement.speed()),
        String::new(),
    ]);
    markdown::table(&lines)
}

fn marks(measurement: &Measurement) -> String {
    let outcome = |(what, met): (String, bool)| format!("{}: {what}", if met { "met" } else { "MISSED" });
    list(measurement.marks().into_iter().map(outcome))
}

/// What cannot be compiled, and why.
fn failures(measurement: &Measurement) -> String {
    let failure = |row: &Row| row.ours.as_ref().err().map(|error| format!("{}: {error}", row.name));
    list(measurement.rows.iter().filter_map(failure))
}

/// Everything as text for a terminal.
pub fn text(measurement: &Measurement) -> String {
    let (table, speeds) = (table(measurement), speeds(measurement));
    format!("{table}\n{speeds}\n{}{}", marks(measurement), failures(measurement))
}

/// Everything as a page in Markdown.
pub fn page(measurement: &Measurement) -> String {
    let machine = list(measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}")));
    let text = include_str!("page.md");
    let parts = [
        ("{machine}", machine),
        ("{compiler}", measurement.compiler.clone()),
        ("{count}", measurement.rows.len().to_string()),
        ("{marks}", marks(measurement)),
        ("{table}", table(measurement)),
        ("{speeds}", speeds(measurement)),
    ];
    parts.into_iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value.trim_end()))
}

/// Everything for programs.
pub fn json(measurement: &Measurement) -> Value {
    let size = |size: &Size| {
        let Size { arithmetic, texture, flow, temporaries } = size;
        json!({ "arithmetic": arithmetic, "texture": texture, "flow": flow, "temporaries": temporaries })
    };
    let row = |row: &Row| {
        let ours = match &row.ours {
            Ok(ours) => json!({
                "size": size(&ours.size), "executed": ours.executed, "seconds": ours.times.least(),
            }),
            Err(error) => json!({ "error": error }),
        };
        let mesa = row.mesa.as_ref().map(|entry| match entry {
            Entry::Program(found, executed) => json!({ "size": size(found), "executed": executed }),
            Entry::None(reason) => json!({ "error": reason }),
        });
        json!({ "name": row.name, "ctm": ours, "r300": mesa, "ratio": row.size(), "executed_ratio": row.executed() })
    };
    let marks: Vec<_> =
        measurement.marks().into_iter().map(|(mark, met)| json!({ "mark": mark, "met": met })).collect();
    let rows: Vec<_> = measurement.rows.iter().map(row).collect();
    let speed = |speed: &Speed| {
        let ours = speed
            .ours
            .as_ref()
            .map_or_else(|error| json!({ "error": error }), |ours| json!({ "seconds": ours.median() }));
        json!({ "name": speed.name, "ctm": ours, "r300": { "seconds": speed.mesa.median() }, "ratio": speed.ratio() })
    };
    let speeds: Vec<_> = measurement.speeds.iter().map(speed).collect();
    json!({ "compiler": measurement.compiler, "sources": rows, "kernels": speeds, "marks": marks })
}
