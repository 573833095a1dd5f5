//! What was measured of frames, as text, as a page, and as JSON.

use super::{COST_ROUNDS, COUNTED, CostItem, Count, ENOUGH, FIRST, Measurement, Row, SCENES, Scene, Times};
use crate::gl::CardModel;
use crate::markdown::{self, list};
use crate::sample::Sample;
use serde_json::{Map, Value, json};

/// Geometric mean of the scenes' ratios that a card is to have, on hosts with AVX-512 and on others. The GM107 is to have the first one everywhere.
const MEAN: (f64, f64) = (1.0, 0.8);
/// Least ratio of a scene that it is to have, on hosts without AVX-512.
const LEAST: f64 = 0.4;
/// What stands for times that there are not.
const NOTHING: &str = "-";

/// The median, with half the distance of the quartiles, in parts of a second.
fn cell(sample: &Sample, per_second: f64) -> String {
    let (median, spread) = (sample.median(), sample.spread() * sample.median());
    let digits = if median * per_second < 10.0 { 2 } else { 1 };
    format!("{:.digits$} ± {:.digits$}", median * per_second, spread * per_second)
}

/// A table of rows: llvmpipe, then each card and its ratio.
fn table<T>(
    measurement: &Measurement,
    (first, unit): (&str, &str),
    rows: &[Row<T>],
    count: Count,
    name: impl Fn(&T) -> (String, f64),
) -> String {
    let mut head = vec![first.to_owned(), format!("llvmpipe{unit}")];
    for model in &measurement.cards {
        head.extend([format!("{}{unit}", model.renderer()), format!("llvmpipe / {}", model.renderer())]);
    }
    let line = |row: &Row<T>| {
        let (name, per_second) = name(row.what);
        let mut line = vec![name, cell(row.llvmpipe.by(count), per_second)];
        for (card, times) in row.cards.iter().enumerate() {
            let time = times.as_ref().map(|times| cell(times.by(count), per_second));
            let ratio = row.ratio(card, count).map(|ratio| format!("{ratio:.2}"));
            line.extend([time, ratio].map(|cell| cell.unwrap_or_else(|| NOTHING.to_owned())));
        }
        line
    };
    markdown::table(&[head].into_iter().chain(rows.iter().map(line)).collect::<Vec<_>>())
}

fn scene_table(measurement: &Measurement, count: Count) -> String {
    table(measurement, ("scene", ", ms"), &measurement.scenes, count, |scene| (scene.name.to_owned(), 1e3))
}

fn cost_table(measurement: &Measurement) -> String {
    let name = |item: &CostItem| (format!("{}, {}", item.what, item.unit.symbol()), item.unit.per_second());
    table(measurement, ("cost of one", ""), &measurement.costs, Count::Processor, name)
}

/// The geometric mean of a card's ratios, and the least with its scene; none if it drew no scene.
fn summary(rows: &[Row<Scene>], card: usize, count: Count) -> Option<(f64, (f64, &'static str))> {
    let ratios: Vec<_> = rows.iter().filter_map(|row| Some((row.ratio(card, count)?, row.what.name))).collect();
    let least = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let logarithms: f64 = ratios.iter().map(|(ratio, _)| ratio.ln()).sum();
    Some(((logarithms / ratios.len() as f64).exp(), *least))
}

/// What is demanded of a card with this mean and this least ratio, and whether it is met.
fn marks_of(
    model: CardModel,
    has_avx512: bool,
    (mean, (least, scene)): (f64, (f64, &str)),
) -> impl Iterator<Item = (String, bool)> {
    let card = model.renderer();
    let has_all = match model {
        CardModel::R580 | CardModel::Rv770 => has_avx512,
        // Its one mark is the same everywhere.
        CardModel::Gm107 => true,
    };
    let wanted = if has_all { MEAN.0 } else { MEAN.1 };
    let mean =
        (format!("{card}: the geometric mean of llvmpipe / {card} is at least {wanted}: {mean:.2}"), mean >= wanted);
    let least = (format!("{card}: no scene is below {LEAST}: {least:.2} ({scene})"), least >= LEAST);
    [Some(mean), (!has_all).then_some(least)].into_iter().flatten()
}

/// The demands on the cards, and whether they are met.
pub(super) fn marks(measurement: &Measurement) -> Vec<(String, bool)> {
    let of = |(card, &model): (usize, &CardModel)| {
        let summary = summary(&measurement.scenes, card, Count::Processor);
        summary.map(|summary| marks_of(model, measurement.has_avx512, summary))
    };
    measurement.cards.iter().enumerate().filter_map(of).flatten().collect()
}

/// The demands, and means and least ratios by both ways to count.
fn outcomes(measurement: &Measurement) -> String {
    let outcome = |(mark, is_met): (String, bool)| format!("{}: {mark}", if is_met { "met" } else { "MISSED" });
    let marks = marks(measurement).into_iter().map(outcome);
    let mut sums = Vec::new();
    for (card, model) in measurement.cards.iter().enumerate() {
        for (count, name) in [(Count::Processor, "by processor time"), (Count::Clock, "by the clock")] {
            if let Some((mean, (least, scene))) = summary(&measurement.scenes, card, count) {
                sums.push(format!("{} {name}: mean {mean:.2}, least {least:.2} ({scene})", model.renderer()));
            }
        }
    }
    list(marks.chain(sums))
}

/// For a terminal.
pub fn text(measurement: &Measurement) -> String {
    let mut text = list(measurement.renderers.iter().cloned());
    if !measurement.scenes.is_empty() {
        let [processor, clock] = [Count::Processor, Count::Clock].map(|count| scene_table(measurement, count));
        text += &format!("\nprocessor time\n\n{processor}\nby the clock\n\n{clock}\n{}", outcomes(measurement));
    }
    if !measurement.costs.is_empty() {
        text += &format!("\n{}", cost_table(measurement));
    }
    text
}

/// A page like `docs/performance-frames.md`.
pub fn page(measurement: &Measurement) -> String {
    let mut facts: Vec<String> = measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    facts.push(format!("AVX-512: {}", if measurement.has_avx512 { "yes" } else { "no" }));
    facts.extend(measurement.renderers.iter().map(|renderer| format!("driver: {renderer}")));
    facts.push(format!("threads of each side: {}", measurement.plan.threads));
    let says_nothing = if measurement.plan.rounds < 2 { "; what stands after ± says nothing then" } else { "" };
    facts.push(format!("turns of each side: {}{says_nothing}", measurement.plan.rounds));
    let benchmarks = SCENES.iter().map(|scene| vec![scene.name.to_owned(), format!("`{}`", scene.benchmark)]);
    let head = vec!["scene".to_owned(), "glmark2 -b".to_owned()];
    let benchmarks = markdown::table(&[head].into_iter().chain(benchmarks).collect::<Vec<_>>());
    let values = [
        ("{machine}", list(facts)),
        ("{marks}", outcomes(measurement)),
        ("{processor}", scene_table(measurement, Count::Processor)),
        ("{clock}", scene_table(measurement, Count::Clock)),
        ("{cost}", cost_table(measurement)),
        ("{benchmarks}", benchmarks),
        ("{rounds}", measurement.plan.rounds.to_string()),
        ("{cost rounds}", COST_ROUNDS.to_string()),
        ("{first}", FIRST.to_string()),
        ("{fewest}", COUNTED.0.to_string()),
        ("{most}", COUNTED.1.to_string()),
        ("{enough}", format!("{ENOUGH}")),
    ];
    let fill = |page: String, (name, value): (&str, String)| page.replace(name, value.trim_end());
    values.into_iter().fold(include_str!("page.md").to_owned(), fill)
}

/// For programs. Times are in seconds.
pub fn json(measurement: &Measurement) -> Value {
    let of = |times: &Times| {
        let sample = |count| {
            let sample: &Sample = times.by(count);
            json!({ "median": sample.median(), "least": sample.least(), "greatest": sample.greatest() })
        };
        json!({ "processor": sample(Count::Processor), "clock": sample(Count::Clock) })
    };
    let mark = |(mark, is_met): (String, bool)| json!({ "mark": mark, "met": is_met });
    let scene = |row: &Row<Scene>| sides(measurement, row, ("scene", row.what.name), of);
    let cost = |row: &Row<CostItem>| sides(measurement, row, ("cost", row.what.name), of);
    json!({
        "threads": measurement.plan.threads,
        "rounds": measurement.plan.rounds,
        "machine": measurement.machine.json(),
        "avx512": measurement.has_avx512,
        "drivers": measurement.renderers,
        "scenes": measurement.scenes.iter().map(scene).collect::<Vec<_>>(),
        "costs": measurement.costs.iter().map(cost).collect::<Vec<_>>(),
        "marks": marks(measurement).into_iter().map(mark).collect::<Vec<_>>(),
    })
}

/// A row, with its name and an entry for each side; null where there is no time.
fn sides<T>(
    measurement: &Measurement,
    row: &Row<T>,
    (kind, name): (&str, &str),
    of: impl Fn(&Times) -> Value,
) -> Value {
    let mut sides = Map::new();
    sides.insert(kind.to_owned(), name.into());
    sides.insert("llvmpipe".to_owned(), of(&row.llvmpipe));
    for (card, (model, times)) in measurement.cards.iter().zip(&row.cards).enumerate() {
        let mut value = times.as_ref().map_or(Value::Null, &of);
        if let (Value::Object(entries), Some(ratio)) = (&mut value, row.ratio(card, Count::Processor)) {
            entries.insert("ratio".to_owned(), ratio.into());
        }
        sides.insert(model.name().to_owned(), value);
    }
    sides.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Spent;
    use crate::frames::{ITEMS, Plan};
    use crate::machine::Machine;

    fn times(seconds: f64) -> Times {
        let mut times = Times::default();
        times.add(Spent { clock: 2.0 * seconds, processor: seconds }, Spent::default(), 1.0);
        times
    }

    /// Scenes with these milliseconds of llvmpipe and of each card.
    fn measurement(has_avx512: bool, scenes: &[(f64, [Option<f64>; 2])]) -> Measurement {
        let scenes = scenes.iter().zip(&SCENES).map(|((llvmpipe, cards), what)| Row {
            what,
            llvmpipe: times(llvmpipe / 1e3),
            cards: cards.map(|time| time.map(|time| times(time / 1e3))).into(),
        });
        Measurement {
            plan: Plan { cards: Vec::new(), only: Vec::new(), threads: 1, rounds: 1 },
            machine: Machine::default(),
            has_avx512,
            cards: CardModel::RADEONS.into(),
            renderers: vec!["llvmpipe".into(), "R580".into(), "RV770".into()],
            scenes: scenes.collect(),
            costs: vec![Row { what: &ITEMS[0], llvmpipe: times(2e-6), cards: vec![Some(times(4e-6)), None] }],
        }
    }

    #[test]
    fn marks_depend_on_the_host() {
        // Ratios of the R580: 0.5 and 2.0, of the RV770: 0.25.
        let scenes = [(2.0, [Some(4.0), Some(8.0)]), (6.0, [Some(3.0), None])];
        let without = measurement(false, &scenes);
        let wanted = [
            ("R580: the geometric mean of llvmpipe / R580 is at least 0.8: 1.00", true),
            ("R580: no scene is below 0.4: 0.50 (build)", true),
            ("RV770: the geometric mean of llvmpipe / RV770 is at least 0.8: 0.25", false),
            ("RV770: no scene is below 0.4: 0.25 (build)", false),
        ];
        assert_eq!(marks(&without), wanted.map(|(mark, is_met)| (mark.to_owned(), is_met)));
        assert!(!without.marks_are_met());
        let with = measurement(true, &[(2.0, [Some(8.0), Some(1.0)]), (4.0, [Some(1.0), Some(4.0)])]);
        let wanted = [
            ("R580: the geometric mean of llvmpipe / R580 is at least 1: 1.00", true),
            ("RV770: the geometric mean of llvmpipe / RV770 is at least 1: 1.41", true),
        ];
        assert_eq!(marks(&with), wanted.map(|(mark, is_met)| (mark.to_owned(), is_met)));
        assert!(with.marks_are_met());
        assert!(!measurement(true, &[(2.0, [Some(2.1), None])]).marks_are_met());
    }

    #[test]
    fn tables_have_both_cards_and_gaps() {
        let text = text(&measurement(true, &[(2.0, [Some(4.0), None])]));
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().replace(' ', "");
        assert_eq!(line("| scene"), "|scene|llvmpipe,ms|R580,ms|llvmpipe/R580|RV770,ms|llvmpipe/RV770|");
        assert_eq!(line("| build"), "|build|2.00±0.00|4.00±0.00|0.50|-|-|");
        assert_eq!(line("| draw of"), "|drawoftwotrianglesover8x8pixels,µs|2.00±0.00|4.00±0.00|0.50|-|-|");
    }

    #[test]
    fn pages_have_all_values() {
        let page = page(&measurement(false, &[(2.0, [Some(4.0), Some(2.0)])]));
        assert!(!page.contains('{') && !page.contains('}'), "{page}");
        assert!(page.contains("MISSED: R580: the geometric mean"));
    }

    #[test]
    fn the_documentation_has_the_prose_of_the_template() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance-frames.md");
        let page = std::fs::read_to_string(path).unwrap();
        let mut rest = page.as_str();
        for prose in include_str!("page.md").split(['{', '}']).step_by(2) {
            let at = rest.find(prose).unwrap_or_else(|| panic!("the page does not have, or has elsewhere:\n{prose}"));
            rest = &rest[at + prose.len()..];
        }
        assert_eq!(rest, "");
    }

    #[test]
    fn json_has_null_for_what_a_card_cannot_draw() {
        let json = json(&measurement(false, &[(2.0, [Some(4.0), None])]));
        let scene = &json["scenes"][0];
        assert_eq!(scene["scene"], "build");
        assert_eq!(scene["r580"]["ratio"], 0.5);
        assert_eq!(scene["r580"]["clock"]["median"], 0.008);
        assert_eq!(scene["rv770"], Value::Null);
    }
}
