//! What was measured of the card, as text, as a page, and as JSON.

use super::{KernelRow, MOST, Measurement, SceneRow};
use crate::markdown::{self, list};
use crate::sample::Sample;
use serde_json::{Value, json};

const KERNEL_HEADINGS: [&str; 7] =
    ["kernel", "run, ms", "card, ms", "card / run", "card with tiles, ms", "tiles / run", "other bits"];
const SCENE_HEADINGS: [&str; 6] =
    ["scene", "llvmpipe, ms", "card, ms", "times as fast", "card with tiles, ms", "pixels off"];

fn milliseconds(sample: &Sample) -> String {
    format!("{:.2}", sample.least() * 1e3)
}

fn kernel_table(rows: &[KernelRow]) -> String {
    let line = |row: &KernelRow| {
        vec![
            row.kernel.name.to_owned(),
            milliseconds(&row.run),
            milliseconds(&row.rows),
            format!("{:.2}", row.ratio()),
            milliseconds(&row.tiles),
            format!("{:.2}", row.tiles.least() / row.run.least()),
            row.wrong.to_string(),
        ]
    };
    let head = KERNEL_HEADINGS.map(str::to_owned).to_vec();
    markdown::table(&[head].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>())
}

fn scene_table(rows: &[SceneRow]) -> String {
    let line = |row: &SceneRow| {
        vec![
            row.scene.name.to_owned(),
            milliseconds(&row.llvmpipe),
            milliseconds(&row.rows),
            format!("{:.2}", row.ratio()),
            milliseconds(&row.tiles),
            format!("{}{}", row.comparison.wrong, if row.comparison.passes { "" } else { " WRONG" }),
        ]
    };
    let head = SCENE_HEADINGS.map(str::to_owned).to_vec();
    markdown::table(&[head].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>())
}

/// The demands on the measurement, and whether they are met.
fn marks(measurement: &Measurement) -> Vec<(String, bool)> {
    let Measurement { kernels, scenes, .. } = measurement;
    let slowest = kernels.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio())).map(|row| {
        let got = format!("{:.2} ({})", row.ratio(), row.kernel.name);
        (format!("every kernel takes at most {MOST} times as long as a run: {got}"), row.ratio() <= MOST)
    });
    let wrong: usize = kernels.iter().map(|row| row.wrong).sum();
    let bits =
        (!kernels.is_empty()).then(|| (format!("kernels have the bits of runs: {wrong} pixels do not"), wrong == 0));
    let slowest_scene = scenes.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio())).map(|row| {
        let got = format!("{:.2} ({})", row.ratio(), row.scene.name);
        (format!("every scene is drawn at least as fast as by llvmpipe: {got}"), row.ratio() >= 1.0)
    });
    [slowest, bits, slowest_scene].into_iter().flatten().collect()
}

fn outcomes(measurement: &Measurement) -> Vec<String> {
    let outcome = |(mark, is_met): (String, bool)| format!("{}: {mark}", if is_met { "met" } else { "MISSED" });
    marks(measurement).into_iter().map(outcome).collect()
}

/// For a terminal.
pub fn text(measurement: &Measurement) -> String {
    let mut text = String::new();
    if !measurement.kernels.is_empty() {
        text += &format!("{}\n", kernel_table(&measurement.kernels));
    }
    if !measurement.scenes.is_empty() {
        text += &format!("{}\n", scene_table(&measurement.scenes));
    }
    outcomes(measurement).into_iter().for_each(|line| text += &format!("{line}\n"));
    text
}

/// A page like `docs/performance-card.md`.
pub fn page(measurement: &Measurement) -> String {
    let mut facts: Vec<String> = measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let drivers = ["card", "llvmpipe"].into_iter().zip(&measurement.drivers);
    facts.extend(drivers.map(|(name, driver)| format!("{name}: {driver}")));
    facts.push(format!("threads of each side: {}", measurement.plan.threads));
    include_str!("page.md")
        .replace("{machine}", list(facts).trim_end())
        .replace("{kernels}", kernel_table(&measurement.kernels).trim_end())
        .replace("{scenes}", scene_table(&measurement.scenes).trim_end())
        .replace("{marks}", list(outcomes(measurement)).trim_end())
        .replace("{rounds}", &measurement.plan.rounds.to_string())
}

/// For programs. Times are in seconds.
pub fn json(measurement: &Measurement) -> Value {
    let Measurement { plan, machine, drivers, kernels, scenes } = measurement;
    let kernel = |row: &KernelRow| {
        json!({
            "kernel": row.kernel.name,
            "run": row.run.least(),
            "card": row.rows.least(),
            "card_tiles": row.tiles.least(),
            "ratio": row.ratio(),
            "wrong_pixels": row.wrong,
        })
    };
    let scene = |row: &SceneRow| {
        json!({
            "scene": row.scene.name,
            "llvmpipe": row.llvmpipe.least(),
            "card": row.rows.least(),
            "card_tiles": row.tiles.least(),
            "ratio": row.ratio(),
            "wrong_pixels": row.comparison.wrong,
            "passes": row.comparison.passes,
        })
    };
    let mark = |(mark, is_met): (String, bool)| json!({ "mark": mark, "met": is_met });
    json!({
        "threads": plan.threads,
        "rounds": plan.rounds,
        "machine": machine.json(),
        "drivers": drivers,
        "kernels": kernels.iter().map(kernel).collect::<Vec<_>>(),
        "scenes": scenes.iter().map(scene).collect::<Vec<_>>(),
        "marks": marks(measurement).into_iter().map(mark).collect::<Vec<_>>(),
    })
}
