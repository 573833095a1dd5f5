//! Where sessions stop.

use crate::target::is_change;
use crate::{Expression, Guest, WriteTarget, cell_name};
use ctm_follow::{InstructionPlace, Participation, Standing, ValueKind};

/// A place, condition or change at which a session stops.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// What stops it.
    pub kind: BreakpointKind,
    /// The lane that is meant, by column and row. Without one these are all lanes for places and NaNs, and else the one that the
    /// session looks at.
    pub lane: Option<(u32, u32)>,
    /// It stops only while this holds in the lane.
    pub condition: Option<Expression>,
}

/// What stops a session.
#[derive(Clone, Debug, PartialEq)]
pub enum BreakpointKind {
    /// The group comes to an instruction, and the lane executes it.
    Place(InstructionPlace),
    /// An expression over the lane's registers begins to hold.
    Holds(Expression),
    /// A number of the lane becomes a NaN.
    Nan,
    /// The lane is active no longer.
    Leaves,
    /// What is there changes: in cells of the lane, or in memory.
    Changes(WriteTarget),
}

/// What breakpoints know of the moment before.
pub(crate) struct Watch {
    points: Vec<(u32, Breakpoint, Before)>,
}

/// What a breakpoint remembers.
enum Before {
    Nothing,
    Held(bool),
    Words(Vec<u32>),
    Nans(Vec<bool>),
}

impl Watch {
    /// Of these breakpoints, by their numbers.
    pub fn new<'b>(points: impl Iterator<Item = (u32, &'b Breakpoint)>) -> Self {
        Watch { points: points.map(|(number, point)| (number, point.clone(), Before::Nothing)).collect() }
    }

    /// Sees the next moment of a run, where this lane is looked at, and returns the numbers of the breakpoints that it comes to, with what happened.
    pub fn see(&mut self, guest: &dyn Guest, focus: (u32, u32)) -> Vec<(u32, String)> {
        let hits = self.points.iter_mut().filter_map(|(number, point, before)| {
            let text = before.see(point, guest, focus)?;
            let lane = guest.lane_number(point.lane.unwrap_or(focus));
            let holds =
                |condition: &Expression| lane.is_some_and(|lane| condition.holds(&|cell| guest.read(lane, cell)));
            point.condition.as_ref().is_none_or(holds).then_some((*number, text))
        });
        hits.collect()
    }
}

impl Before {
    /// What has happened since the last moment that was seen, if it stops the session.
    fn see(&mut self, point: &Breakpoint, guest: &dyn Guest, focus: (u32, u32)) -> Option<String> {
        let lane = guest.lane_number(point.lane.unwrap_or(focus));
        match &point.kind {
            BreakpointKind::Place(place) => {
                if guest.place() != Some(*place) {
                    return None;
                }
                let executes = |lane| guest.participation(lane).0 == Participation::Executes;
                let comes = match point.lane.or(point.condition.as_ref().map(|_| focus)) {
                    Some(_) => lane.is_some_and(executes),
                    None => (0..guest.lanes().len()).any(|lane| guest.lanes()[lane].runs && executes(lane)),
                };
                comes.then(|| "breakpoint".into())
            }
            BreakpointKind::Holds(expression) => {
                let holds = lane.is_some_and(|lane| expression.holds(&|cell| guest.read(lane, cell)));
                let held = std::mem::replace(self, Before::Held(holds));
                (holds && matches!(held, Before::Held(false))).then(|| format!("{} holds", expression.text))
            }
            BreakpointKind::Leaves => {
                let is_active = lane.is_some_and(|lane| guest.standing(lane) == Standing::Active);
                let before = std::mem::replace(self, Before::Held(is_active));
                let left = !is_active && matches!(before, Before::Held(true));
                left.then(|| format!("lane {:?} leaves", point.lane.unwrap_or(focus)))
            }
            BreakpointKind::Changes(target) => {
                let now = target.words(guest, lane);
                // A lane that is not there now may come again.
                if now.is_empty() {
                    return None;
                }
                let changes = matches!(&*self, Before::Words(before) if is_change(before, &now));
                *self = Before::Words(now);
                changes.then(|| format!("{} changes", target.name(guest, point.lane.unwrap_or(focus))))
            }
            BreakpointKind::Nan => {
                let floats = || guest.cells().iter().enumerate().filter(|(_, cell)| cell.kind == ValueKind::Float);
                let lanes: Vec<usize> = match point.lane {
                    Some(_) => lane.into_iter().collect(),
                    None => (0..guest.lanes().len()).filter(|&lane| guest.lanes()[lane].runs).collect(),
                };
                let nans = lanes.iter().flat_map(|&lane| {
                    floats().map(move |(number, _)| f32::from_bits(guest.read(lane, number)).is_nan())
                });
                let now: Vec<bool> = nans.collect();
                let before = std::mem::replace(self, Before::Nothing);
                let new = match &before {
                    Before::Nans(before) if before.len() == now.len() => {
                        now.iter().zip(before).position(|(now, before)| *now && !before)
                    }
                    _ => None,
                };
                *self = Before::Nans(now);
                let per_lane = floats().count();
                new.and_then(|at| {
                    let (i, j) = guest.lanes()[*lanes.get(at / per_lane)?].at;
                    let (_, cell) = floats().nth(at % per_lane)?;
                    Some(format!("{} of lane ({i}, {j}) becomes a NaN", cell_name(cell)))
                })
            }
        }
    }
}
