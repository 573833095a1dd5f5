//! Counts for people: beside the listing.

use crate::wording::number_of;
use clap::builder::styling::{AnsiColor, Style};
use ctm_follow::{Address, InstructionPlace};
use ctm_lane::counts::InstructionCount;
use ctm_lane::run::RunStats;

/// Columns of the longest bar.
const BAR: usize = 10;

const QUIET: Style = Style::new().dimmed();
const HEAD: Style = AnsiColor::Green.on_default().bold();
const TELLING: Style = AnsiColor::Cyan.on_default();

/// The page: a line for each instruction, and the sums.
pub fn page(
    rows: &[(InstructionPlace, String, InstructionCount)],
    address: fn(Address) -> String,
    stats: &RunStats,
    colours: bool,
) -> String {
    let paint = |style: Style, text: &str| if colours { format!("{style}{text}{style:#}") } else { text.into() };
    let head = format!(
        "{:>4}  {:>12}  {:>12}  {:>6}  {:<width$}  instruction",
        "at",
        "executions",
        "lanes",
        "active",
        "share",
        width = BAR + 7
    );
    let mut page = format!("{}\n", paint(HEAD, &head));
    let (all, most) = rows.iter().fold((0, 0), |(all, most), (_, _, count)| (all + count.lanes, most.max(count.lanes)));
    for (place, text, InstructionCount { executions, lanes }) in rows {
        let at = format!("{:>4}", address(place.at));
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        if *executions == 0 {
            page += &paint(QUIET, &format!("{at}  {:>12}  {:42}{first}", "-", ""));
        } else {
            let active = *lanes as f64 / *executions as f64;
            let share = 100.0 * *lanes as f64 / all.max(1) as f64;
            let bar = "#".repeat((*lanes as f64 / most.max(1) as f64 * BAR as f64).ceil() as usize);
            let bar = paint(TELLING, &format!("{bar:<BAR$}"));
            page += &format!(
                "{}  {executions:>12}  {lanes:>12}  {active:>6.1}  {share:>4.1}%  {bar}  {first}",
                paint(QUIET, &at)
            );
        }
        page.push('\n');
        lines.for_each(|line| page += &format!("{:62}{line}\n", ""));
    }
    let idle = rows.iter().filter(|(_, _, count)| count.executions == 0).count();
    let idle = match idle {
        0 => "every instruction executed".into(),
        _ => format!("{} never executed", number_of(idle, "instruction")),
    };
    let executions: u64 = rows.iter().map(|(_, _, count)| count.executions).sum();
    page + &format!(
        "\n{executions} executions by {}, {all} by their {}; {idle}\n",
        number_of(stats.groups as usize, "group"),
        number_of(stats.lanes as usize, "lane")
    )
}
