//! Executes traces.

use super::trace::Trace;
use crate::Failure;
use crate::args::CardExecutionArgs;
use crate::failure::no_engine;
use crate::report::Message;
use crate::wording::number_of;
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_r5xx::{Card, Model};
use ctm_replay::card::{Execution, Survey};
use std::sync::Arc;

/// Executes a trace up to a draw, or all of it, on a card that is prepared.
///
/// # Errors
/// If the trace is damaged or has no such draw, or if the card cannot be had.
pub fn execute(
    trace: &Trace,
    args: &CardExecutionArgs,
    prepare: impl FnOnce(Card) -> Card,
) -> Result<Execution, Failure> {
    let executor = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
    let survey = trace.survey()?;
    let mut card = prepare(Card::new(model(args, trace, &survey)?));
    if let Executor::Engine(engine) = executor {
        card = card.with_engine(engine);
    }
    if let Some(limit) = args.time_limit.0 {
        card = card.with_time_limit(limit);
    }
    let memory = survey
        .arena()
        .map_err(|error| Failure::Limit(Message::error(error.to_string()).help("raise the limit of addresses")))?;
    let execution = Execution::of(trace.reader()?, card, Arc::new(memory), args.draw);
    let execution = execution.map_err(|error| trace.wrong(error))?;
    if let Some(draw) = args.draw.filter(|&draw| draw >= execution.draws) {
        let message = format!("the trace has {}, and no number {draw}", number_of(execution.draws, "draw"));
        return Err(Failure::Usage(
            Message::error(message).help("draws are counted from 0; 'ctm card stats' lists them"),
        ));
    }
    Ok(execution)
}

/// The card of the command line, or that of the trace.
fn model(args: &CardExecutionArgs, trace: &Trace, survey: &Survey) -> Result<Model, Message> {
    args.card.or(survey.model).ok_or_else(|| {
        let known = Model::ALL.map(|model| model.identity().name).join(", ");
        trace
            .wrong(format!("the trace is of a card that is not known: {:?}", survey.card))
            .help(format!("--card CARD chooses another: {known}"))
    })
}
