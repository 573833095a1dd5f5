//! `--follow`: what one lane goes through, instruction by instruction.

mod json;
mod page;

pub use ctm_follow::words::{effects, value};
pub use json::{accesses, address, changes, number};

use crate::options::ExecutionArgs;
use crate::options::values::FollowedLane;
use crate::recorder::Recorder;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_follow::{Address, GroupEnd, LaneView, ListedStep, Observer, Step, StepPart};
use ctm_lane::domain::{AXIS, Lanes};
use serde_json::Value;
use std::io::{self, Write};
use std::rc::Rc;

/// The lane that the command line names: its column and row, and how it is called. What lanes of a line are is `each`.
///
/// # Errors
/// If there is no such lane.
pub fn lane(named: FollowedLane, lanes: Lanes, each: &str) -> Result<((u32, u32), String), Failure> {
    let usage = |message: String| Err(Failure::Usage(Message::error(message)));
    match (named, lanes) {
        (FollowedLane::At(i, j), Lanes::Area(_)) if lanes.contains(i, j) => Ok(((i, j), format!("lane ({i}, {j})"))),
        (FollowedLane::At(i, j), Lanes::Area(domain)) => {
            let (width, height) = (domain.i1 + 1, domain.j1 + 1);
            usage(format!("there is no lane ({i}, {j}): the domain is {width}x{height}"))
        }
        (FollowedLane::Number(number), Lanes::Line(count)) if number < count => {
            Ok(((number % AXIS, number / AXIS), format!("{each} {number}")))
        }
        (FollowedLane::Number(number), Lanes::Line(count)) => {
            usage(format!("there is no {each} {number}: the last one is {each} {}", count - 1))
        }
        (FollowedLane::Number(_), Lanes::Area(_)) => {
            usage("the program runs for columns and rows: --follow takes both, like 256,200".into())
        }
        (FollowedLane::At(..), Lanes::Line(_)) => {
            usage(format!("--follow takes the number of a {each} here, like --follow 0"))
        }
    }
}

/// How the instructions of a program are shown.
pub struct Guest<'a> {
    /// The text of an instruction, with a line for each of its slots.
    pub text: Box<dyn Fn(Address, StepPart) -> String + 'a>,
    /// An address in text.
    pub address: fn(Address) -> String,
    /// How wide the column of the texts is.
    pub width: usize,
    /// How the lane is called.
    pub lane: String,
}

/// What a lane has gone through, for people.
pub fn page(guest: &Guest, colours: bool, start: &LaneView, steps: &[Step], end: &GroupEnd) -> String {
    let page = page::Page::new(guest, colours, start.active);
    let steps_of: String = steps.iter().map(|step| page.step(step)).collect();
    page.start(start) + &steps_of + &page.end(end, is_cut(steps, end))
}

/// What a lane has gone through, for machines.
pub fn json(guest: &Guest, start: &LaneView, steps: &[Step], end: &GroupEnd) -> Vec<Value> {
    let steps_of = steps.iter().map(|step| json::step(guest, step, start.active));
    let ends = [json::end(end, is_cut(steps, end))];
    std::iter::once(json::start(guest, start)).chain(steps_of).chain(ends).collect()
}

/// Whether there were more steps than these.
fn is_cut(steps: &[Step], end: &GroupEnd) -> bool {
    end.steps > steps.last().map_or(0, |step| step.number)
}

/// Prints what the lane goes through.
pub struct Follower<'a> {
    guest: Guest<'a>,
    out: &'a mut dyn Write,
    colours: bool,
    json: bool,
    /// Steps that are still to be shown.
    steps_left: u64,
    /// The number of the last one that was.
    last: u64,
    /// Active lanes of the group at the start, once it has started.
    lanes: Option<u32>,
    /// What receives the steps in place of standard output.
    recorder: Option<Rc<Recorder>>,
    written: io::Result<()>,
}

impl<'a> Follower<'a> {
    /// Shows what the command line asks for.
    pub fn new(guest: Guest<'a>, args: &ExecutionArgs, console: &'a mut Console) -> Self {
        let Console { out, colours, .. } = console;
        let (json, steps_left, recorder) = (args.json, args.follow_steps, args.recorder.clone());
        let (last, lanes, written) = (0, None, Ok(()));
        Follower { guest, out: &mut **out, colours: *colours, json, steps_left, last, lanes, recorder, written }
    }

    /// Why nothing was shown, if nothing was.
    pub fn finish(self) -> Result<Option<Message>, Failure> {
        self.written?;
        let idle = || {
            Message::note(format!("{} did not run", self.guest.lane))
                .help("conditional execution left it out, or the run ended before its group")
        };
        Ok(self.lanes.is_none().then(idle))
    }

    fn write(&mut self, text: &str) {
        if self.written.is_ok() {
            self.written = self.out.write_all(text.as_bytes());
        }
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

impl Observer for Follower<'_> {
    fn starts(&mut self, view: &LaneView) {
        self.lanes = Some(view.active);
        let text = match self.json {
            true => line(&json::start(&self.guest, view)),
            false => page::Page::new(&self.guest, self.colours, view.active).start(view),
        };
        self.write(&text);
    }

    fn step(&mut self, step: &Step) {
        self.steps_left -= 1;
        self.last = step.number;
        if let Some(recorder) = &self.recorder {
            let text = (self.guest.text)(step.event.at, step.event.part);
            return recorder.step(ListedStep { step: step.clone(), text }, self.guest.address);
        }
        let lanes = self.lanes.unwrap_or(0);
        let text = match self.json {
            true => line(&json::step(&self.guest, step, lanes)),
            false => page::Page::new(&self.guest, self.colours, lanes).step(step),
        };
        self.write(&text);
    }

    fn ends(&mut self, end: &GroupEnd) {
        if let Some(recorder) = &self.recorder {
            return recorder.end(&end.writes);
        }
        let is_cut = self.steps_left == 0 && end.steps > self.last;
        let text = match self.json {
            true => line(&json::end(end, is_cut)),
            false => page::Page::new(&self.guest, self.colours, self.lanes.unwrap_or(0)).end(end, is_cut),
        };
        self.write(&text);
    }

    fn wants_steps(&self) -> bool {
        self.steps_left > 0
    }
}
