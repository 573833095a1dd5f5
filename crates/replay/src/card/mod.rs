//! Traces of cards.

mod execution;
mod history;

pub use execution::Execution;
pub use history::{Page, PixelDraw, equation, vectors};

use crate::{Extent, Line, Stop};
use ctm_card::Submission;
use ctm_card::trace::{PAGE, TraceError, TraceReader, TraceRecord};
use ctm_memory::{Arena, ArenaError};
use ctm_r5xx::packets::{Packet, packets};
use ctm_r5xx::stream::{Command, commands};
use ctm_r5xx::{Model, listing, registers};
use std::collections::BTreeMap;

/// What is in a trace, found without executing it.
#[derive(Debug)]
pub struct Survey {
    /// Name of the card that it was recorded on.
    pub card: String,
    /// That card, if it is known.
    pub model: Option<Model>,
    /// Submissions that can be read.
    pub submissions: usize,
    /// Their draws, in order. Submissions that the card rejects have none.
    pub draws: Vec<Stop>,
    /// Why there are no more submissions, if the file is damaged.
    pub damage: Option<TraceError>,
    extent: Extent,
}

impl Survey {
    /// Looks through the bytes of a trace's file.
    ///
    /// # Errors
    /// They are no trace. If they are one up to a place, that is no error.
    pub fn of(bytes: &[u8]) -> Result<Self, TraceError> {
        let reader = TraceReader::new(bytes)?;
        let card = reader.card().to_owned();
        let model = Model::ALL.into_iter().find(|model| model.identity().name == card);
        let extent = Extent::default();
        let mut survey = Survey { card, model, submissions: 0, draws: Vec::new(), damage: None, extent };
        for record in reader {
            match record {
                Ok(record) => survey.add(&record),
                Err(error) => survey.damage = Some(error),
            }
        }
        Ok(survey)
    }

    fn add(&mut self, record: &TraceRecord) {
        let submission = self.submissions;
        self.submissions += 1;
        record.objects.iter().for_each(|object| self.extent.add(object.address, object.size.into()));
        record.pages.iter().for_each(|page| self.extent.add(page.address, PAGE as u64));
        let draws = draws(&record.submission()).into_iter().map(|dword| Stop { submission, dword });
        self.draws.extend(draws);
    }

    /// First address and bytes of the memory that the trace needs: from its first object to its last.
    pub fn memory(&self) -> (u32, u32) {
        let page = PAGE as u64;
        let (first, end) = self.extent.range.unwrap_or((page, 2 * page));
        // Objects begin behind the first page, so that less than all addresses are left.
        let first = (first / page * page).max(page);
        let end = end.next_multiple_of(page).max(first + page);
        (first as u32, (end - first) as u32)
    }

    /// Memory for the trace, all zeros.
    ///
    /// # Errors
    /// The host has not so much.
    pub fn arena(&self) -> Result<Arena, ArenaError> {
        let (first, bytes) = self.memory();
        Arena::new(first, bytes)
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

/// What the words of a submission say, and what that means.
pub fn lines(words: &[u32]) -> Vec<Line> {
    let meanings = meanings(words);
    let line = |line: listing::Line| {
        let meaning = meanings.get(&line.at).copied().unwrap_or_default();
        Line { dword: line.at, text: line.text, meaning }
    };
    listing::listing(words).into_iter().map(line).collect()
}

/// What the registers and packets at dwords are for.
fn meanings(words: &[u32]) -> BTreeMap<usize, &'static str> {
    let register = |address: u32| registers::at(address).map_or("", |(register, _)| register.doc);
    let mut meanings = BTreeMap::new();
    for (at, packet) in packets(words) {
        match packet {
            Ok(Packet::Write { address, one_register, values }) => {
                meanings.insert(at, register(address));
                let step = if one_register { 0 } else { 4 };
                meanings.extend((0..values.len()).map(|n| (at + 1 + n, register(address + step * n as u32))));
            }
            Ok(Packet::Command { opcode, .. }) => _ = meanings.insert(at, opcode.info().doc),
            Ok(Packet::Filler) | Err(_) => {}
        }
    }
    meanings
}
