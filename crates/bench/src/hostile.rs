//! How long code takes to be made of programs that are made to take long ([`ctm_testkit::hostile`]), as they grow.

use ctm_codegen::EngineName;
use ctm_lane::effort::Effort;
use ctm_testkit::hostile::SHAPES;
use std::time::{Duration, Instant};

/// Instructions of the smallest program, and how much larger the next one is.
const SMALLEST: usize = 1 << 10;
const GROWTH: usize = 4;
/// Longest time that making code may take with the default effort.
const MARK: Duration = Duration::from_secs(10);

/// What making code of one program took.
#[derive(Clone, Debug)]
pub struct Row {
    /// The shape: guest and name.
    pub shape: String,
    /// Instructions, about.
    pub size: usize,
    /// Steps, as efforts count them.
    pub steps: u64,
    /// Time.
    pub time: Duration,
    /// Why code is missing, if some is.
    pub cut: Option<String>,
}

impl Row {
    /// Whether it did not take too long.
    pub fn meets_mark(&self) -> bool {
        self.time < MARK
    }
}

/// Measures the shapes whose guest and name begin with `only`, of up to so many instructions, with the fastest engine.
pub fn measure(only: &str, largest: usize, progress: fn(&Row)) -> Vec<Row> {
    let mut rows = Vec::new();
    for shape in SHAPES {
        let name = format!("{} {}", shape.guest, shape.name);
        if !name.starts_with(only) {
            continue;
        }
        let largest = largest.min(shape.most);
        let sizes =
            std::iter::successors(Some(SMALLEST), |size| Some(size * GROWTH)).take_while(|&size| size < largest);
        for size in sizes.chain([largest]) {
            let program = shape.of(size);
            let executor = EngineName::fastest().executor().unwrap_or_else(|error| panic!("{error}"));
            let effort = Effort::default();
            let start = Instant::now();
            program.compile(&executor, &effort);
            let time = start.elapsed();
            let cut = executor.code_counts().last_refusal.map(|refusal| refusal.to_string());
            let row = Row { shape: name.clone(), size, steps: effort.steps(), time, cut };
            progress(&row);
            let is_late = !row.meets_mark();
            rows.push(row);
            if is_late {
                break;
            }
        }
    }
    rows
}

/// The rows as text.
pub fn text(rows: &[Row]) -> String {
    let head = format!("{:<24}{:>10}{:>14}{:>12}{:>10}\n", "shape", "size", "steps", "ms", "ns/step");
    head + &rows.iter().map(line).collect::<String>()
}

/// One of them.
pub fn line(Row { shape, size, steps, time, cut }: &Row) -> String {
    let seconds = time.as_secs_f64();
    let each = seconds * 1e9 / (*steps).max(1) as f64;
    let cut = cut.as_ref().map_or_else(String::new, |cut| format!("  {cut}"));
    format!("{shape:<24}{size:>10}{steps:>14}{:>12.1}{each:>10.1}{cut}\n", seconds * 1e3)
}
