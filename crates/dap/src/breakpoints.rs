//! Breakpoints as clients set them: all of one kind at once.

use crate::values::{Reference, target};
use ctm_debug::{Breakpoint, BreakpointKind, Expression, Session, WriteTarget};
use ctm_follow::InstructionPlace;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The name of what the listing is shown as where there is no source.
pub const LISTING: u64 = 1;

/// Breakpoints by who set them: a source, or a kind.
#[derive(Default)]
pub struct Breakpoints(BTreeMap<String, Vec<u32>>);

/// A breakpoint, where it is, or why there is none.
type Asked = Result<(Breakpoint, Value), String>;

impl Breakpoints {
    /// Replaces those that were set under a name, and gives what a client is told of them.
    fn replace(&mut self, session: &mut Session, name: &str, asked: Vec<Asked>) -> Value {
        for number in self.0.remove(name).unwrap_or_default() {
            session.remove_breakpoint(number);
        }
        let mut numbers = Vec::new();
        let told: Vec<Value> = asked
            .into_iter()
            .map(|asked| match asked {
                Ok((breakpoint, mut told)) => {
                    let number = session.add_breakpoint(breakpoint);
                    numbers.push(number);
                    told["id"] = json!(number);
                    told["verified"] = json!(true);
                    told
                }
                Err(why) => json!({"verified": false, "message": why}),
            })
            .collect();
        self.0.insert(name.into(), numbers);
        json!({"breakpoints": told})
    }

    /// `setBreakpoints`.
    pub fn set_lines(&mut self, session: &mut Session, arguments: &Value) -> Value {
        let source = &arguments["source"];
        let path = source["path"].as_str().unwrap_or_default().to_owned();
        let is_listing = source["sourceReference"].as_u64() == Some(LISTING) && path.is_empty();
        let of_source = || number_of_source(session, &path);
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let asked = wanted.iter().map(|wanted| {
            let line = wanted["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
            let listing = session.guest().listing();
            let (place, line) = if is_listing {
                let row = listing.rows.get((line.max(1) - 1) as usize).ok_or("the listing ends before that line")?;
                (row.place, line)
            } else {
                let source = of_source().ok_or_else(|| format!("the program does not come from '{path}'"))?;
                listing.place_of_line(source, line).ok_or("no instruction comes from that line or a later one")?
            };
            let breakpoint = Breakpoint { condition: condition(session, wanted, Some(place))?, ..at(place) };
            Ok((breakpoint, json!({"line": line})))
        });
        let asked = asked.collect();
        self.replace(session, &format!("lines of {path}"), asked)
    }

    /// `setInstructionBreakpoints`.
    pub fn set_instructions(&mut self, session: &mut Session, arguments: &Value) -> Value {
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let asked = wanted.iter().map(|wanted| {
            let row = parse_address(&wanted["instructionReference"]).zip(Some(wanted["offset"].as_i64().unwrap_or(0)));
            let row = row.and_then(|(row, offset)| usize::try_from(row.checked_add(offset)?).ok());
            let row = row.and_then(|row| session.guest().listing().rows.get(row));
            let place = row.ok_or("there is no such instruction")?.place;
            let breakpoint = Breakpoint { condition: condition(session, wanted, Some(place))?, ..at(place) };
            Ok((breakpoint, json!({"instructionReference": wanted["instructionReference"]})))
        });
        let asked = asked.collect();
        self.replace(session, "instructions", asked)
    }

    /// `setFunctionBreakpoints`: labels and addresses.
    pub fn set_labels(&mut self, session: &mut Session, arguments: &Value) -> Value {
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let asked = wanted.iter().map(|wanted| {
            let name = wanted["name"].as_str().unwrap_or_default();
            let place = session.guest().listing().find(name);
            let place = place.ok_or_else(|| format!("the program has no label or address '{name}'"))?;
            Ok((Breakpoint { condition: condition(session, wanted, Some(place))?, ..at(place) }, json!({})))
        });
        let asked = asked.collect();
        self.replace(session, "labels", asked)
    }

    /// `setExceptionBreakpoints`: NaNs and lanes that leave. Traps end groups, and so stop always.
    pub fn set_events(&mut self, session: &mut Session, arguments: &Value) -> Value {
        let filters = arguments["filters"].as_array().cloned().unwrap_or_default();
        let asked = filters.iter().map(|filter| match filter.as_str() {
            Some("nan") => Ok((Breakpoint { kind: BreakpointKind::Nan, lane: None, condition: None }, json!({}))),
            Some("leaves") => Ok((Breakpoint { kind: BreakpointKind::Leaves, lane: None, condition: None }, json!({}))),
            _ => Err(format!("unknown filter {filter}")),
        });
        let asked = asked.collect();
        self.replace(session, "events", asked)
    }

    /// `setDataBreakpoints`.
    pub fn set_data(&mut self, session: &mut Session, arguments: &Value) -> Value {
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let asked = wanted.iter().map(|wanted| {
            let id = wanted["dataId"].as_str().unwrap_or_default();
            let (lane, what) = parse_id(session, id).ok_or_else(|| format!("'{id}' names nothing to watch"))?;
            Ok((Breakpoint { kind: what, lane: Some(lane), condition: condition(session, wanted, None)? }, json!({})))
        });
        let asked = asked.collect();
        self.replace(session, "data", asked)
    }
}

/// `dataBreakpointInfo`.
pub fn data_info(session: &Session, arguments: &Value) -> Value {
    let reference = arguments["variablesReference"].as_u64().and_then(Reference::of);
    let name = arguments["name"].as_str().unwrap_or_default();
    let found = match arguments["asAddress"].as_bool() {
        Some(true) => address_of(session, name, &arguments["bytes"]),
        _ => target(session, reference, name).ok_or_else(|| format!("there is nothing called '{name}' to watch")),
    };
    let lane = |lane: usize| session.guest().lanes().get(lane).map(|lane| lane.at);
    match found.map(|(number, target)| (lane(number).unwrap_or(session.focus()), target)) {
        Ok((at, target)) => {
            let what = match target {
                WriteTarget::Cells(_) => format!("{name} of lane ({}, {})", at.0, at.1),
                WriteTarget::Memory { .. } => target.name(session.guest(), at),
            };
            let id = id_of(at, &target);
            json!({"dataId": id, "description": what, "accessTypes": ["write"], "canPersist": false})
        }
        Err(why) => json!({"dataId": null, "description": why}),
    }
}

/// The memory that a client names by address and number of bytes, with a lane.
fn address_of(session: &Session, name: &str, bytes: &Value) -> Result<(usize, WriteTarget), String> {
    let address = parse_address(&json!(name)).and_then(|address| u32::try_from(address).ok());
    let address = address.ok_or_else(|| format!("'{name}' is not an address: expected a number such as 0x10000"))?;
    let target = WriteTarget::memory(session.guest(), address, bytes.as_u64().unwrap_or(4));
    Ok((session.lane_number(session.focus()).unwrap_or(0), target.map_err(|error| error.to_string())?))
}

fn id_of((i, j): (u32, u32), target: &WriteTarget) -> String {
    match target {
        WriteTarget::Cells(cells) => format!("cells {}+{} of {i},{j}", cells.start, cells.len()),
        WriteTarget::Memory { address, bytes } => format!("memory {address}+{bytes} of {i},{j}"),
    }
}

/// What an identifier means, if [`id_of`] gave it.
fn parse_id(session: &Session, id: &str) -> Option<((u32, u32), BreakpointKind)> {
    let (what, lane) = id.split_once(" of ")?;
    let (i, j) = lane.split_once(',')?;
    let (kind, range) = what.split_once(' ')?;
    let (first, count) = range.split_once('+')?;
    let target = match kind {
        "cells" => {
            let first: usize = first.parse().ok()?;
            let cells = first..first.checked_add(count.parse().ok()?)?;
            WriteTarget::Cells(session.guest().cells().get(cells.clone()).map(|_| cells)?)
        }
        "memory" => WriteTarget::memory(session.guest(), first.parse().ok()?, count.parse().ok()?).ok()?,
        _ => return None,
    };
    Some(((i.parse().ok()?, j.parse().ok()?), BreakpointKind::Changes(target)))
}

fn at(place: InstructionPlace) -> Breakpoint {
    Breakpoint { kind: BreakpointKind::Place(place), lane: None, condition: None }
}

/// The condition of a wanted breakpoint; variables of the source are where they are at its place.
fn condition(session: &Session, wanted: &Value, place: Option<InstructionPlace>) -> Result<Option<Expression>, String> {
    let Some(text) = wanted["condition"].as_str().filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let row = place.and_then(|place| session.guest().listing().row(place));
    let text = session.with_registers(text, row)?;
    Expression::parse(&text, session.guest().cells()).map(Some).map_err(|error| error.to_string())
}

/// The number that an address is.
pub fn parse_address(address: &Value) -> Option<i64> {
    let text = address.as_str()?;
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The number of the source with this path: the same path, or the same name at the end of both.
fn number_of_source(session: &Session, path: &str) -> Option<usize> {
    let sources = &session.guest().listing().sources;
    let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let exact = sources.iter().position(|source| source.name == path);
    exact.or_else(|| sources.iter().position(|source| base(&source.name) == base(path)))
}
