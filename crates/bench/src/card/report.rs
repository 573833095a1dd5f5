//! What was measured of the card, as text, as a page, and as JSON.

use super::{CardRows, KernelRow, MOST, Measurement, SceneRow};
use crate::gl::CardModel;
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

/// The demands on a card, and whether they are met.
fn marks(card: &CardRows) -> Vec<(String, bool)> {
    let CardRows { kernels, scenes, .. } = card;
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

fn outcomes(card: &CardRows) -> Vec<String> {
    let outcome = |(mark, is_met): (String, bool)| format!("{}: {mark}", if is_met { "met" } else { "MISSED" });
    marks(card).into_iter().map(outcome).collect()
}

/// For a terminal.
pub fn text(measurement: &Measurement) -> String {
    measurement.cards.iter().map(tables).collect()
}

/// What a card did, and whether that is what is demanded.
fn tables(card: &CardRows) -> String {
    let mut text = format!("{}\n\n", card.driver);
    if !card.kernels.is_empty() {
        text += &format!("{}\n", kernel_table(&card.kernels));
    }
    if !card.scenes.is_empty() {
        text += &format!("{}\n", scene_table(&card.scenes));
    }
    text + &list(outcomes(card))
}

/// A page like `docs/performance-card.md`.
pub fn page(measurement: &Measurement) -> String {
    let mut facts: Vec<String> = measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    facts.push(format!("llvmpipe: {}", measurement.llvmpipe));
    facts.push(format!("threads of each side: {}", measurement.plan.threads));
    let of =
        |model: CardModel| measurement.cards.iter().find(|card| card.model == model).map(tables).unwrap_or_default();
    include_str!("page.md")
        .replace("{machine}", list(facts).trim_end())
        .replace("{first}", of(CardModel::R580).trim_end())
        .replace("{second}", of(CardModel::Rv770).trim_end())
        .replace("{rounds}", &measurement.plan.rounds.to_string())
}

/// For programs. Times are in seconds.
pub fn json(measurement: &Measurement) -> Value {
    let Measurement { plan, machine, llvmpipe, cards } = measurement;
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
    let card = |card: &CardRows| {
        json!({
            "card": card.model.name(),
            "driver": card.driver,
            "kernels": card.kernels.iter().map(kernel).collect::<Vec<_>>(),
            "scenes": card.scenes.iter().map(scene).collect::<Vec<_>>(),
            "marks": marks(card).into_iter().map(mark).collect::<Vec<_>>(),
        })
    };
    json!({
        "threads": plan.threads,
        "rounds": plan.rounds,
        "machine": machine.json(),
        "llvmpipe": llvmpipe,
        "cards": cards.iter().map(card).collect::<Vec<_>>(),
    })
}
