//! Executes traces.

use super::trace::Trace;
use crate::Failure;
use crate::args::CardExecutionArgs;
use crate::failure::no_engine;
use crate::report::Message;
use crate::wording::number_of;
use ctm_cards::{Card, CardOptions, Model};
use ctm_codegen::EngineName;
use ctm_replay::card::{Execution, Survey};
use std::ops::Range;
use std::sync::Arc;

/// Executes a trace up to a draw, or all of it, on a card that keeps what is asked for besides.
///
/// # Errors
/// If the trace is damaged or has no such draw, or if the card cannot be had.
pub fn execute(trace: &Trace, args: &CardExecutionArgs, keeps: CardOptions) -> Result<Execution, Failure> {
    let executor = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
    let survey = trace.survey()?;
    let setup = CardOptions { executor: Some(executor), time_limit: args.time_limit.0, ..keeps };
    let card = Card::new(model(args, trace, &survey)?, setup);
    let memory = trace.memory(&survey)?;
    let last = match frame_draws(trace, args, &survey)? {
        Some(draws) => Some(draws.end - 1),
        None => args.draw,
    };
    let execution = Execution::of(trace.reader()?, card, Arc::new(memory), last);
    let execution = execution.map_err(|error| trace.wrong(error))?;
    if let Some(draw) = args.draw.filter(|&draw| draw >= execution.draws) {
        let message = format!("the trace has {}, and no number {draw}", number_of(execution.draws, "draw"));
        return Err(Failure::Usage(
            Message::error(message).help("draws are counted from 0; 'ctm card stats' lists them"),
        ));
    }
    Ok(execution)
}

/// The draws of the frame that the command line names, by their numbers; at least one.
///
/// # Errors
/// If there is no such frame, or if it has no draws.
pub fn frame_draws(trace: &Trace, args: &CardExecutionArgs, survey: &Survey) -> Result<Option<Range<usize>>, Failure> {
    let Some(frame) = args.frame else { return Ok(None) };
    let frames = survey.frames.len();
    let draws = usize::try_from(frame - 1).ok().and_then(|frame| survey.frames.get(frame));
    let Some(draws) = draws else {
        let message = trace.wrong(format!("the trace has {}, and no number {frame}", number_of(frames, "frame")));
        return Err(Failure::Usage(message.help(match frames {
            0 => "frames end where a program presents a window of X; 'ctm card record' marks them",
            _ => "frames are counted from 1; 'ctm card info' says how many there are",
        })));
    };
    if draws.is_empty() {
        return Err(Failure::Usage(trace.wrong(format!("frame {frame} has no draws"))));
    }
    Ok(Some(draws.clone()))
}

/// The card of the command line, or that of the trace.
pub fn model(args: &CardExecutionArgs, trace: &Trace, survey: &Survey) -> Result<Model, Message> {
    let Some(chosen) = args.card else { return trace.model(survey) };
    match survey.model {
        Some(recorded) if !chosen.takes_submissions_of(recorded) => {
            let names = [recorded, chosen].map(|model| model.identity().name);
            Err(trace.wrong(format!("the trace is of {}, whose commands {} does not have", names[0], names[1])))
        }
        Some(_) | None => Ok(chosen),
    }
}
