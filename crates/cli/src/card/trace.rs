//! Traces of cards, as files.

use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_card::trace::{TraceReader, TraceRecord};
use ctm_cards::Model;
use ctm_memory::Arena;
use ctm_replay::card::Survey;
use std::path::Path;

/// Bytes above which a trace is not read.
const LIMIT: u64 = 1 << 30;

/// A trace.
pub struct Trace {
    name: String,
    bytes: Vec<u8>,
}

impl Trace {
    /// Reads the file.
    pub fn read(path: &Path, console: &Console) -> Result<Self, Message> {
        let bytes = source::read_at_most(console.host, path, LIMIT, "a trace")?;
        Ok(Trace { name: source::name(path), bytes })
    }

    /// The trace from its beginning.
    pub fn reader(&self) -> Result<TraceReader<&[u8]>, Message> {
        TraceReader::new(&self.bytes[..]).map_err(|error| self.wrong(error))
    }

    /// What is in it.
    pub fn survey(&self) -> Result<Survey, Message> {
        Survey::of(&self.bytes).map_err(|error| self.wrong(error))
    }

    /// Memory for the trace, all zeros.
    pub fn memory(&self, survey: &Survey) -> Result<Arena, Failure> {
        let memory = survey.arena();
        memory.map_err(|error| Failure::Limit(Message::error(error.to_string()).help("raise the limit of addresses")))
    }

    /// The card that it was recorded on.
    pub fn model(&self, survey: &Survey) -> Result<Model, Message> {
        survey.model.ok_or_else(|| {
            let why = if Model::is_left_out(&survey.card) { "this build of ctm lacks" } else { "unknown" };
            self.wrong(format!("{why} card {:?} in the trace", survey.card))
                .help(format!("known are {}", Model::names()))
        })
    }

    /// The submissions, with their numbers. The last one is an error where the file is damaged.
    pub fn submissions(&self) -> Result<impl Iterator<Item = Result<(usize, TraceRecord), Message>>, Message> {
        let numbered = self.reader()?.enumerate();
        Ok(numbered.map(|(number, record)| Ok((number, record.map_err(|error| self.wrong(error))?))))
    }

    /// A message about the file.
    pub fn wrong(&self, error: impl ToString) -> Message {
        Message::error(error.to_string()).at(Location::File(self.name.clone()))
    }
}
