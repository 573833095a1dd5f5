//! `ctm diff`: whether two runs leave the same, and where they diverge.

mod report;

use crate::args::{DiffCommand, RunCommand};
use crate::host::Unwritten;
use crate::isa::File;
use crate::options::values::FollowedLane;
use crate::recorder::{FollowedSteps, Layout, Output, Recorder};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_array::Difference;
use report::Report;
use std::io::{self, Write};
use std::rc::Rc;

/// Most steps of a lane that are compared. Each takes some hundred bytes.
const MOST_STEPS: u64 = 1 << 17;

/// Runs two programs, or one in two ways, and compares what they leave.
pub fn diff(args: &DiffCommand, console: &mut Console) -> Result<(), Failure> {
    let [mut a, mut b] = args.sides()?;
    let mut said = [Vec::new(), Vec::new()];
    let of_a = run(&mut a, console, &mut said[0]).map_err(|failure| failure.of_run("A"));
    console.err.write_all(&said[0])?;
    let of_b = of_a.as_ref().ok().map(|_| run(&mut b, console, &mut said[1]).map_err(|failure| failure.of_run("B")));
    // Most of what there is to say is true of both runs.
    if said[0] != said[1] {
        console.err.write_all(&said[1])?;
    }
    let outputs = [of_a?.take_outputs(), of_b.transpose()?.map(|recorder| recorder.take_outputs()).unwrap_or_default()];
    let pairs = paired(&outputs)?;
    let mut differences = Vec::new();
    for (a, b) in &pairs {
        let unlike = |error| Message::error(format!("{} of A and B cannot be compared: {error}", a.name));
        differences.push(Difference::of(&a.array, &b.array).map_err(|error| Failure::Usage(unlike(error)))?);
    }
    let first = pairs.iter().zip(&differences).find_map(|((a, _), difference)| Some((*a, difference.as_ref()?)));
    let lane = first.map(|(output, difference)| args.lane.unwrap_or_else(|| lane(output, difference)));
    let followed = match lane {
        Some(lane) => [follow(&mut a, lane, console)?, follow(&mut b, lane, console)?],
        None => [None, None],
    };
    let outputs = pairs.iter().map(|(a, _)| *a).zip(&differences).collect();
    let report = Report { outputs, lane, followed: &followed };
    if args.is_json() {
        console.json(&report.json())?;
    } else {
        console.out.write_all(report.page().as_bytes())?;
    }
    if first.is_some() { Err(Failure::Different) } else { Ok(()) }
}

/// Runs one of the programs, and writes nothing but messages.
fn run(command: &mut RunCommand, console: &mut Console, err: &mut dyn Write) -> Result<Rc<Recorder>, Failure> {
    let recorder = Rc::new(Recorder::default());
    command.run.execution.recorder = Some(Rc::clone(&recorder));
    let host = Unwritten(console.host);
    let mut inner = Console { out: &mut io::sink(), err, host: &host, interactive: false, ..*console };
    let ran = File::read(&command.program, &inner)
        .and_then(|(isa, file)| command.isa_options.runner(isa)?.run(file, &command.run, &mut inner));
    console.refused = inner.refused;
    ran.map(|()| recorder)
}

/// What a lane goes through in one of the programs, if it can be followed. What there is to say of the program was said before.
fn follow(
    command: &mut RunCommand,
    lane: FollowedLane,
    console: &mut Console,
) -> Result<Option<FollowedSteps>, Failure> {
    let execution = &mut command.run.execution;
    (execution.follow, execution.engine, execution.follow_steps) = (Some(lane), None, MOST_STEPS);
    match run(command, console, &mut io::sink()) {
        Ok(recorder) => Ok(recorder.take_steps()),
        Err(Failure::Usage(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The outputs of both runs, those of the same name together.
fn paired(outputs: &[Vec<Output>; 2]) -> Result<Vec<(&Output, &Output)>, Failure> {
    let [a, b] = outputs;
    let names = |outputs: &[Output]| outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
    let (of_a, of_b) = (names(a), names(b));
    if of_a.is_empty() && of_b.is_empty() {
        let message = Message::error("there is nothing to compare: the programs leave no output");
        return Err(Failure::Usage(
            message.help("name outputs, such as --global-output ADDR:COUNT=FILE of SM50 programs"),
        ));
    }
    if of_a != of_b {
        let message = format!("A leaves {}, and B leaves {}", of_a.join(", "), of_b.join(", "));
        let help = "name the same outputs for both, such as --output 1=FILE; no file is written";
        return Err(Failure::Usage(Message::error(message).help(help)));
    }
    Ok(a.iter().zip(b).collect())
}

/// The lane of the first value that differs.
fn lane(output: &Output, difference: &Difference) -> FollowedLane {
    let [x, y, _] = difference.first.map(|place| place as u32);
    match output.layout {
        Layout::Positions => FollowedLane::At(x, y),
        Layout::Rows => FollowedLane::Number(y),
        // Most threads write the word of their own number; whether this one does, its way shows.
        Layout::Words(_) => FollowedLane::Number(x),
    }
}
