//! Steps for people: the text of the instruction on the left, its effect on the right.

use super::Guest;
use crate::wording::number_of;
use clap::builder::styling::{AnsiColor, Style};
use ctm_follow::{GroupEnd, LaneView, Next, Participation, Step, StepPart, words};

/// Columns of the page.
const WIDTH: usize = 120;
/// Columns of the address and of the number of active lanes, with the blanks after them.
const ADDRESS: usize = 6;
const ACTIVE: usize = 9;

const QUIET: Style = Style::new().dimmed();
const HEAD: Style = AnsiColor::Green.on_default().bold();
const TELLING: Style = AnsiColor::Cyan.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The page of a lane.
pub struct Page<'a> {
    guest: &'a Guest<'a>,
    colours: bool,
    lanes: u32,
}

impl<'a> Page<'a> {
    /// A page for a group of so many lanes.
    pub fn new(guest: &'a Guest, colours: bool, lanes: u32) -> Self {
        Page { guest, colours, lanes }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colours && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.into() }
    }

    /// Who is followed, and what it starts with.
    pub fn start(&self, view: &LaneView) -> String {
        let group = format!("{} in a group of {}", self.guest.lane, number_of(self.lanes as usize, "lane"));
        let holds = match words::changes(&view.nonzero()) {
            holds if holds.is_empty() => "starts with all registers 0".into(),
            holds => format!("starts with {}, the rest 0", holds.join("; ")),
        };
        let head =
            format!("{:>4}  {:>7}  {:<width$}  {}", "at", "active", "instruction", "effect", width = self.guest.width);
        format!("{}: {holds}\n\n{}\n", self.paint(HEAD, &group), self.paint(HEAD, &head))
    }

    /// A step.
    pub fn step(&self, step: &Step) -> String {
        let waits = step.event.participation != Participation::Executes;
        let text = (self.guest.text)(step.event.at, step.event.part);
        let left: Vec<_> = text.lines().flat_map(|line| wrap(line, self.guest.width)).collect();
        let right = self.outcome(step);
        let at = format!("{:>4}", (self.guest.address)(step.event.at));
        let active = format!("{:>7}", format!("{}/{}", step.active[0], self.lanes));
        let mut page = String::new();
        for k in 0..left.len().max(right.len()) {
            let margin = if k == 0 { format!("{at}  {active}  ") } else { " ".repeat(ADDRESS + ACTIVE) };
            let left = left.get(k).map_or("", String::as_str);
            let right = right.get(k).map_or("", String::as_str);
            let padded =
                if right.is_empty() { left.into() } else { format!("{left:<width$}  ", width = self.guest.width) };
            let style = match step.next {
                Next::Trap(_) => BAD,
                _ if waits => QUIET,
                _ => TELLING,
            };
            let padded = if waits { self.paint(QUIET, &padded) } else { padded };
            let line = format!("{}{padded}{}", self.paint(QUIET, &margin), self.paint(style, right));
            page += line.trim_end();
            page.push('\n');
        }
        page
    }

    /// What came of a step: on one line if it fits, else one thing on each.
    fn outcome(&self, step: &Step) -> Vec<String> {
        let address = self.guest.address;
        let mut outcome: Vec<String> = words::absence(step, address).into_iter().collect();
        outcome.extend(words::effects(step));
        if step.event.participation == Participation::Executes && !step.event.held.is_empty() {
            outcome.push(format!("the predicate holds {} back", step.event.held));
        }
        outcome.extend(words::turn(step));
        let way = words::way(step, address);
        if outcome.is_empty() && way.is_empty() && step.event.part != StepPart::Begin {
            outcome.push("changes nothing".into());
        }
        outcome.extend(way);
        let width = WIDTH - ADDRESS - ACTIVE - self.guest.width - 2;
        let line = outcome.join("; ");
        if line.len() <= width { vec![line] } else { outcome.iter().flat_map(|thing| wrap(thing, width)).collect() }
    }

    /// The end of the group.
    pub fn end(&self, end: &GroupEnd, is_cut: bool) -> String {
        let mut page = String::new();
        if is_cut {
            let steps = end.steps;
            page += &format!("      ... and so on: {steps} steps in all; --follow-steps {steps} shows them\n");
        }
        page.push('\n');
        for write in &end.writes {
            page += &format!("{} {}\n", self.paint(HEAD, &self.guest.lane), words::access(write));
        }
        if let Some(trap) = &end.trap {
            page += &self.paint(BAD, &format!("{} wrote nothing at its end: {trap}", self.guest.lane));
            page.push('\n');
        }
        page
    }
}

/// Lines of at most so many columns, where words allow it; lines after the first are indented.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(" ".repeat(indent) + word),
            Some(_) => lines.push(" ".repeat(indent + 2) + word),
        }
    }
    lines
}
