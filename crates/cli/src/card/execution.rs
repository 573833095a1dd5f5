//! Executes traces.

use super::history;
use super::trace::Trace;
use crate::Failure;
use crate::args::CardExecutionArgs;
use crate::failure::no_engine;
use crate::report::Message;
use crate::wording::number_of;
use ctm_card::trace::TraceRecord;
use ctm_card::{Card as _, Submission};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_memory::Arena;
use ctm_r5xx::packets::{Opcode, Packet, packets};
use ctm_r5xx::stream::{Command, commands};
use ctm_r5xx::{Card, DrawStats, Model};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first card address that is used, and the bytes from there to the end of addresses.
const MEMORY: (u32, u32) = (0x1000, 0xFFFF_F000);

/// A card that has executed a trace, or the beginning of one.
pub struct Execution {
    /// The card.
    pub card: Card,
    /// Its memory.
    pub memory: Arc<Arena>,
    /// Submissions that were executed.
    pub submissions: usize,
    /// Draws in them.
    pub draws: usize,
    /// Time of that.
    pub time: Duration,
    /// What is to be said of them.
    pub messages: Vec<Message>,
    /// What was done to the pixel that was watched.
    pub history: Vec<history::Draw>,
    /// What draws did, by their numbers, if the card keeps that.
    pub stats: BTreeMap<usize, DrawStats>,
}

impl Execution {
    /// Executes a trace up to a draw, or all of it, on a card that is prepared.
    ///
    /// # Errors
    /// If the trace is damaged or has no such draw, or if the card cannot be had.
    pub fn of(trace: &Trace, args: &CardExecutionArgs, prepare: impl FnOnce(Card) -> Card) -> Result<Self, Failure> {
        let executor = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
        let mut card = prepare(Card::new(model(args, trace)?));
        if let Executor::Engine(engine) = executor {
            card = card.with_engine(engine);
        }
        if let Some(limit) = args.time_limit.0 {
            card = card.with_time_limit(limit);
        }
        let memory = Arena::new(MEMORY.0, MEMORY.1)
            .map_err(|error| Failure::Limit(Message::error(error.to_string()).help("raise the limit of addresses")))?;
        let mut execution = Execution {
            card,
            memory: Arc::new(memory),
            submissions: 0,
            draws: 0,
            time: Duration::ZERO,
            messages: Vec::new(),
            history: Vec::new(),
            stats: BTreeMap::new(),
        };
        for submission in trace.submissions()? {
            let (number, record) = submission?;
            if execution.execute(number, &record, args.draw) {
                break;
            }
        }
        if let Some(draw) = args.draw.filter(|&draw| draw >= execution.draws) {
            let message = format!("the trace has {}, and no number {draw}", number_of(execution.draws, "draw"));
            return Err(Failure::Usage(
                Message::error(message).help("draws are counted from 0; 'ctm card stats' lists them"),
            ));
        }
        Ok(execution)
    }

    /// Executes a submission, and says whether it has the last draw.
    fn execute(&mut self, number: usize, record: &TraceRecord, last: Option<usize>) -> bool {
        let submission = record.submission();
        let draws = draws(&submission);
        let last = last.and_then(|last| last.checked_sub(self.draws)).filter(|&last| last < draws.len());
        let words =
            last.map_or(submission.words, |last| &submission.words[..end_of_draw(submission.words, draws[last])]);
        record.write_pages(&self.memory);
        let start = Instant::now();
        let done = self.card.submit(&self.memory, &Submission { words, ..submission });
        self.time += start.elapsed();
        let first = self.draws;
        let draw_at = |at| Some(first + draws.iter().position(|&draw| draw == at)?);
        let history =
            self.card.take_history().into_iter().filter_map(|history| {
                Some(history::Draw { number: draw_at(history.at)?, submission: number, history })
            });
        self.history.extend(history);
        self.stats.extend(self.card.take_stats().into_iter().filter_map(|stats| Some((draw_at(stats.at)?, stats))));
        self.submissions += 1;
        self.draws += last.map_or(draws.len(), |last| last + 1);
        let prefix = format!("submission {number}");
        if let Err(rejected) = done {
            self.messages.push(Message::warning(format!("{prefix} is rejected: {rejected}")));
        }
        let warnings = self.card.take_warnings();
        self.messages.extend(warnings.into_iter().map(|warning| Message::warning(format!("{prefix}: {warning}"))));
        last.is_some()
    }
}

/// The dwords at which draws begin.
fn draws(submission: &Submission) -> Vec<usize> {
    let draw = |command: &Command| match command {
        Command::Draw(draw) => Some(draw.at),
        Command::Write { .. } | Command::Upload { .. } | Command::VertexArrays(_) => None,
    };
    commands(submission).map_or_else(|_| Vec::new(), |commands| commands.iter().filter_map(draw).collect())
}

/// The card of the command line, or that of the trace.
fn model(args: &CardExecutionArgs, trace: &Trace) -> Result<Model, Message> {
    let reader = trace.reader()?;
    let recorded = Model::ALL.into_iter().find(|model| model.identity().name == reader.card());
    args.card.or(recorded).ok_or_else(|| {
        let known = Model::ALL.map(|model| model.identity().name).join(", ");
        trace
            .wrong(format!("the trace is of a card that is not known: {:?}", reader.card()))
            .help(format!("--card CARD chooses another: {known}"))
    })
}

/// Where the draw that begins at a word ends, with what belongs to it.
fn end_of_draw(words: &[u32], at: usize) -> usize {
    let belongs = |packet: &Packet| matches!(packet, Packet::Command { opcode: Opcode::IndxBuffer | Opcode::Nop, .. });
    let mut behind = packets(words).skip_while(|&(place, _)| place <= at);
    let end = behind.find(|(_, packet)| !packet.as_ref().is_ok_and(belongs));
    end.map_or(words.len(), |(place, _)| place)
}
