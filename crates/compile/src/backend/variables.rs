//! Where variables of the source are while the program runs: which registers hold which webs in front of each instruction, and what that says of the parts of
//! variables. What scheduling has brought forward or put off does not count before its time; what nothing holds any more is not said.

use super::coalesce::for_ops;
use super::machine::{Access, Item, Named, Scalars, Source, Web};
use super::place::Places;
use super::schedule::Issue;
use crate::compiled::{Location, LocationSource, Variable};
use crate::front::SourcePart;
use ctm_x1k::TEMPS;
use std::collections::BTreeSet;
use std::ops::Range;

/// Channels of a register.
const CHANNELS: usize = 4;

/// What registers hold in front of an instruction.
#[derive(Clone, Debug)]
struct Row {
    /// Names in front of the value with this number have been said.
    past: u32,
    /// Webs with names that are in their registers.
    held: BTreeSet<Web>,
}

/// Follows webs with names through a program as it is emitted.
pub(super) struct Tracker<'a> {
    places: &'a Places,
    registers: &'a [u8],
    names: &'a [Named],
    is_named: Vec<bool>,
    /// What each channel of each register holds.
    cells: Vec<Option<Web>>,
    /// The highest number of a value that was calculated.
    done: u32,
    rows: Vec<Row>,
    /// The first instruction that writes each web.
    written: Vec<Option<usize>>,
}

impl<'a> Tracker<'a> {
    pub(super) fn new(scalars: &'a Scalars, places: &'a Places, registers: &'a [u8]) -> Self {
        let mut is_named = vec![false; scalars.webs];
        for web in scalars.names.iter().filter_map(|named| named.operand?.as_web()) {
            is_named[web] = true;
        }
        let mut tracker = Tracker {
            places,
            registers,
            names: &scalars.names,
            is_named,
            cells: vec![None; TEMPS * CHANNELS],
            done: 0,
            rows: Vec::new(),
            written: vec![None; scalars.webs],
        };
        for &(web, ..) in &scalars.inputs {
            tracker.hold(web, 0);
        }
        tracker
    }

    fn cell(&self, web: Web) -> Option<usize> {
        let place = self.places.get(web)?;
        Some(usize::from(self.registers[place.vector]) * CHANNELS + place.channel)
    }

    fn hold(&mut self, web: Web, row: usize) {
        if let Some(cell) = self.cell(web) {
            self.cells[cell] = Some(web);
            self.written[web].get_or_insert(row);
        }
    }

    /// The next instruction is emitted: one that calculates up to this value, and the flow of control calculates none.
    pub(super) fn row(&mut self, order: Option<u32>) {
        if self.names.is_empty() {
            return;
        }
        let past = order.map_or(0, |order| order).max(self.done.saturating_add(1));
        let held = self.cells.iter().flatten().copied().filter(|&web| self.is_named[web]).collect();
        self.rows.push(Row { past, held });
    }

    /// The last instruction writes what an issue writes.
    pub(super) fn issue(&mut self, issue: &Issue) {
        if self.names.is_empty() {
            return;
        }
        let row = self.rows.len().saturating_sub(1);
        issue.writes().into_iter().for_each(|web| self.hold(web, row));
        self.done = self.done.max(issue.order());
    }

    /// What registers hold now, for [`Self::go_on_with`] and [`Self::meet`].
    pub(super) fn now(&self) -> Vec<Option<Web>> {
        self.cells.clone()
    }

    /// Goes on as if this were now.
    pub(super) fn go_on_with(&mut self, cells: Vec<Option<Web>>) {
        self.cells = cells;
    }

    /// Another way comes here, too.
    pub(super) fn meet(&mut self, others: &[Option<Web>]) {
        for (cell, other) in self.cells.iter_mut().zip(others) {
            if cell != other {
                *cell = None;
            }
        }
    }

    /// The body of a loop begins: what it writes over may be in its place, or not.
    pub(super) fn begin_loop(&mut self, body: &[Item<Issue>]) {
        if self.names.is_empty() {
            return;
        }
        for_ops(body, &mut |issue| {
            for web in issue.writes() {
                if let Some(cell) = self.cell(web)
                    && self.cells[cell] != Some(web)
                {
                    self.cells[cell] = None;
                }
            }
        });
    }

    /// Where the parts of variables are.
    pub(super) fn finish(self, parts: &[SourcePart]) -> Vec<Variable> {
        let mut variables: Vec<Variable> =
            parts.iter().map(|part| Variable { part: part.clone(), places: Vec::new() }).collect();
        if self.names.is_empty() {
            return variables;
        }
        for (number, row) in self.rows.iter().enumerate() {
            let mut said = vec![false; parts.len()];
            let past = self.names.partition_point(|named| named.at <= row.past);
            for named in self.names[..past].iter().rev() {
                let part = named.part as usize;
                if said.get(part).is_none_or(|said| *said) || self.is_to_come(named, number) {
                    continue;
                }
                said[part] = true;
                if let Some(location) = self.location(named, row) {
                    extend(&mut variables[part].places, number as u32, location);
                }
            }
        }
        variables
    }

    /// Whether what is named is written later in the text of the program: the name waits for that.
    fn is_to_come(&self, named: &Named, row: usize) -> bool {
        let web = named.operand.and_then(|operand| operand.as_web());
        web.and_then(|web| self.written[web]).is_some_and(|first| first >= row) && !self.is_input(web)
    }

    fn is_input(&self, web: Option<Web>) -> bool {
        web.is_some_and(|web| self.rows.first().is_some_and(|row| row.held.contains(&web)))
    }

    fn location(&self, named: &Named, row: &Row) -> Option<Location> {
        let operand = named.operand?;
        let source = match operand.source {
            Source::Web(web) => {
                let cell = self.cell(web).filter(|_| row.held.contains(&web))?;
                LocationSource::Register { register: (cell / CHANNELS) as u8, channel: (cell % CHANNELS) as u8 }
            }
            Source::Number(bits) => LocationSource::Number(bits),
            Source::Uniform { register, channel } => LocationSource::Constant { register, channel },
            Source::Relative { .. } | Source::Presubtract(..) => return None,
        };
        Some(Location { source, absolute: operand.abs, negative: operand.neg, reading: named.reading })
    }
}

/// Adds an instruction to the last range, if that is the same place.
fn extend(places: &mut Vec<(Range<u32>, Location)>, row: u32, location: Location) {
    match places.last_mut() {
        Some((rows, last)) if rows.end == row && *last == location => rows.end = row + 1,
        _ => places.push((row..row + 1, location)),
    }
}
