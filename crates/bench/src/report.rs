//! What was measured, as text, as a page, and as JSON.

use crate::kernel::Isa;
use crate::markdown::{self, list};
use crate::peers::{Bound, Measurement, Row};
use crate::sample::Sample;
use ctm_testkit::picture::Comparison;
use serde_json::{Value, json};

/// A demand on the measurement.
struct Mark {
    what: String,
    got: String,
    met: bool,
}

/// The marks that a measurement can tell about.
fn marks(measurement: &Measurement) -> Vec<Mark> {
    let limits = &measurement.limits;
    let rows = || measurement.rows.iter().filter(|row| row.counts());
    let named = |name: &str| measurement.rows.iter().find(|row| row.kernel.name == name);
    let least = |number: fn(&Row) -> f64, among: fn(Bound) -> bool| {
        let among = rows().filter(|row| among(row.limit(limits).0));
        among.map(|row| (number(row), row.kernel.name)).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut marks = Vec::new();
    let mut mark = |what: &str, got: Option<(String, bool)>| {
        marks.extend(got.map(|(got, met)| Mark { what: what.to_owned(), got, met }));
    };
    let times = |(ratio, name): (f64, &str), least: f64| (format!("{ratio:.2} ({name})"), ratio >= least);
    let (isa, lanes) = (measurement.plan.isa, limits.unit.lanes());
    let (each, mean) = isa.marks(lanes);
    mark(
        &format!("every kernel at least {each} times as fast as llvmpipe"),
        least(Row::ratio, |_| true).map(|got| times(got, each)),
    );
    mark(
        &format!("geometric mean at least {mean}"),
        measurement.mean(|row| Some(row.ratio())).map(|got| (format!("{got:.2}"), got >= mean)),
    );
    if let Some((each, mean)) = isa.marks_of_native(lanes) {
        let by_hand = rows().filter_map(|row| Some((row.of_native()?, row.kernel.name)));
        mark(
            &format!("every kernel at {each} of the speed of native code or more"),
            by_hand.min_by(|a, b| a.0.total_cmp(&b.0)).map(|got| times(got, each)),
        );
        mark(
            &format!("geometric mean at {mean} of the speed of native code or more"),
            measurement.mean(Row::of_native).map(|got| (format!("{got:.2}"), got >= mean)),
        );
    }
    let share = |row: &Row, least: f64| {
        let share = row.limit(limits).1;
        (format!("{:.0} %", share * 100.0), share >= least)
    };
    if let Some(peak) = isa.mark_of_peak() {
        let what = format!("`mad` at {:.0} % of the multiply-add peak or more", peak * 100.0);
        mark(&what, named("mad").map(|row| share(row, peak)));
    }
    mark("`copy` at 75 % of the copy bandwidth or more", named("copy").map(|row| share(row, 0.75)));
    mark("`copy-4096` likewise", named("copy-4096").map(|row| share(row, 0.75)));
    if measurement.plan.threads == 2 && limits.flops > 1.8 * limits.flops_of_one {
        mark(
            "two threads at least 1.9 times as fast as one, where arithmetic is the limit",
            least(Row::scaling, |bound| bound == Bound::Arithmetic).map(|got| {
                let native = named(got.1).and_then(Row::scaling_of_native);
                let (told, met) = times(got, 1.9);
                (native.map_or(told.clone(), |native| format!("{told}; native code {native:.2}")), met)
            }),
        );
    }
    let asked = rows().filter(|_| measurement.plan.isa == Isa::X1k);
    let slowest = asked.map(|row| (row.compile.median() * 1e3, row.kernel.name)).max_by(|a, b| a.0.total_cmp(&b.0));
    mark(
        "every kernel compiled in less than 5 ms",
        slowest.map(|(time, name)| (format!("{time:.2} ms ({name})"), time < 5.0)),
    );
    mark(
        "4096 x 4096 pixels need their surfaces and at most 5 % more memory",
        named("copy-4096").and_then(|row| {
            let overhead = row.overhead?;
            let met = overhead as f64 <= 0.05 * row.bytes as f64;
            Some((format!("{} MiB and {:.0} MiB more", row.bytes >> 20, overhead as f64 / 1048576.0), met))
        }),
    );
    let wrong = measurement.rows.iter().find(|row| !row.picture_agrees());
    let pictures = wrong.map_or("all".to_owned(), |row| format!("not {}", row.kernel.name));
    let others = if measurement.plan.native { "llvmpipe's and those of native code" } else { "llvmpipe's" };
    mark(&format!("pictures agree with {others}"), Some((pictures, wrong.is_none())));
    marks
}

/// The headings of the columns, and the cells of a kernel below them.
fn cells(row: &Row, measurement: &Measurement) -> Vec<(&'static str, String)> {
    let (bound, reached) = row.limit(&measurement.limits);
    let time = |sample: &Sample| format!("{:.2} ± {:.0} %", sample.median() * 1e3, sample.spread() * 100.0);
    let off =
        |comparison: &Comparison| format!("{}{}", comparison.wrong, if comparison.passes { "" } else { " WRONG" });
    let mut cells = vec![
        ("kernel", row.kernel.name.to_owned()),
        ("ctm, ms", time(&row.ours)),
        ("llvmpipe, ms", time(&row.theirs)),
        (TIMES, format!("{:.2}", row.ratio())),
    ];
    if let (Some(native), Some(share)) = (&row.native, row.of_native()) {
        cells.extend([("native, ms", time(&native.times)), (OF_NATIVE, format!("{share:.2}"))]);
    }
    cells.extend([
        ("memcpy, ms", time(&row.copying)),
        (
            "limit",
            match bound {
                Bound::Arithmetic => "arithmetic".to_owned(),
                Bound::Memory => "memory".to_owned(),
            },
        ),
        ("reached", format!("{:.0} %", reached * 100.0)),
        ("Gop/s", format!("{:.0}", row.flops / row.ours.median() / 1e9)),
        ("threads", format!("{:.2}", row.scaling())),
        ("compiled, ms", format!("{:.2}", row.compile.median() * 1e3)),
        ("pixels off", off(&row.comparison)),
    ]);
    if let (Some(native), Some(scaling)) = (&row.native, row.scaling_of_native()) {
        cells.extend([("native's threads", format!("{scaling:.2}")), ("off native", off(&native.comparison))]);
    }
    cells
}

/// Headings of columns that have a mean.
const TIMES: &str = "times as fast";
const OF_NATIVE: &str = "of native";

/// The table, in Markdown that is aligned for the terminal too.
fn table(measurement: &Measurement) -> String {
    let rows: Vec<_> = measurement.rows.iter().map(|row| cells(row, measurement)).collect();
    let headings: Vec<&str> = rows.first().into_iter().flatten().map(|(heading, _)| *heading).collect();
    let mut lines = vec![headings.iter().map(|&heading| heading.to_owned()).collect()];
    lines.extend(rows.iter().map(|row| row.iter().map(|(_, cell)| cell.clone()).collect()));
    if let Some(mean) = measurement.mean(|row| Some(row.ratio())) {
        let of_native = measurement.mean(Row::of_native).unwrap_or_default();
        let cell = |&heading: &&str| match heading {
            "kernel" => "geometric mean".to_owned(),
            TIMES => format!("{mean:.2}"),
            OF_NATIVE => format!("{of_native:.2}"),
            _ => String::new(),
        };
        lines.push(headings.iter().map(cell).collect::<Vec<String>>());
    }
    markdown::table(&lines)
}

/// The limit of arithmetic.
fn peak(measurement: &Measurement) -> String {
    let limits = &measurement.limits;
    format!(
        "fused multiply-adds ({}): {:.0} Gop/s on one core, {:.0} with {} threads",
        limits.unit.name(),
        limits.flops_of_one / 1e9,
        limits.flops / 1e9,
        measurement.plan.threads
    )
}

fn outcomes(measurement: &Measurement) -> Vec<String> {
    let outcome = |mark: Mark| format!("{}: {}: {}", if mark.met { "met" } else { "MISSED" }, mark.what, mark.got);
    marks(measurement).into_iter().map(outcome).collect()
}

/// For a terminal.
pub fn text(measurement: &Measurement) -> String {
    let mut text = format!("against {}\n{}\n", measurement.driver, peak(measurement));
    text += &format!("\n{}\n", table(measurement));
    for row in &measurement.rows {
        for comparison in [Some(&row.comparison), row.native.as_ref().map(|native| &native.comparison)] {
            if let Some(Comparison { pixels, wrong, first: Some((at, got, wanted)), passes: false }) = comparison {
                text += &format!(
                    "{}: {wrong} of {pixels} pixels are wrong, the first is number {at}: {got:?}, not {wanted:?}\n",
                    row.kernel.name
                );
            }
        }
    }
    for line in outcomes(measurement) {
        text += &format!("{line}\n");
    }
    text
}

/// A page like `docs/performance.md`.
pub fn page(measurement: &Measurement) -> String {
    let machine = measurement.machine.0.iter().map(|(name, value)| format!("{name}: {value}"));
    let mut facts: Vec<String> = machine.collect();
    facts.push(format!("ctm: engine `{}`, {} threads", measurement.plan.engine.name(), measurement.plan.threads));
    facts.push(format!("llvmpipe: {}, as many threads", measurement.driver));
    facts.extend(measurement.compiler.as_ref().map(|compiler| format!("native: {compiler}, as many threads")));
    facts.push(peak(measurement));
    include_str!("page.md")
        .replace("{machine}", list(facts).trim_end())
        .replace("{table}", table(measurement).trim_end())
        .replace("{marks}", list(outcomes(measurement)).trim_end())
        .replace("{rounds}", &measurement.plan.rounds.to_string())
        .replace("{isa}", measurement.plan.isa.folder())
        .replace("{engine}", measurement.plan.engine.name())
        .replace("{compiler}", measurement.plan.isa.compiler())
}

/// For programs. Times are in seconds.
pub fn json(measurement: &Measurement) -> Value {
    let Measurement { plan, machine, driver, compiler, limits, rows } = measurement;
    let row = |row: &Row| {
        let (bound, reached) = row.limit(limits);
        json!({
            "kernel": row.kernel.name,
            "ours": row.ours.median(),
            "ours_spread": row.ours.spread(),
            "one_thread": row.alone.median(),
            "llvmpipe": row.theirs.median(),
            "llvmpipe_spread": row.theirs.spread(),
            "ratio": row.ratio(),
            "native": row.native.as_ref().map(|native| native.times.median()),
            "native_spread": row.native.as_ref().map(|native| native.times.spread()),
            "of_native": row.of_native(),
            "native_threads": row.scaling_of_native(),
            "wrong_pixels_native": row.native.as_ref().map(|native| native.comparison.wrong),
            "memcpy": row.copying.median(),
            "memcpy_spread": row.copying.spread(),
            "limit": if bound == Bound::Arithmetic { "arithmetic" } else { "memory" },
            "reached": reached,
            "flops": row.flops,
            "bytes": row.bytes,
            "compile": row.compile.median(),
            "memory_overhead": row.overhead,
            "wrong_pixels": row.comparison.wrong,
            "pixels": row.comparison.pixels,
            "passes": row.picture_agrees(),
        })
    };
    let mark = |mark: Mark| json!({ "mark": mark.what, "got": mark.got, "met": mark.met });
    json!({
        "isa": plan.isa.folder(),
        "engine": plan.engine.name(),
        "threads": plan.threads,
        "rounds": plan.rounds,
        "machine": machine.json(),
        "llvmpipe": driver,
        "native": compiler,
        "limits": {
            "multiply_adds": limits.unit.name(),
            "flops_of_one_thread": limits.flops_of_one,
            "flops": limits.flops,
        },
        "kernels": rows.iter().map(row).collect::<Vec<_>>(),
        "geometric_mean_of_native": measurement.mean(Row::of_native),
        "geometric_mean": measurement.mean(|row| Some(row.ratio())),
        "marks": marks(measurement).into_iter().map(mark).collect::<Vec<_>>(),
    })
}
