//! Traces of cards.

mod execution;
mod history;
mod player;

pub use execution::Execution;
pub use history::{Page, PixelDraw};
pub use player::Player;

use crate::{Extent, Line, Stop};
use ctm_card::Submission;
use ctm_card::trace::{PAGE, TraceError, TraceReader, TraceRecord};
use ctm_cards::Model;
use ctm_memory::{Arena, ArenaError};
use std::ops::Range;

/// What is in a trace, found without executing it.
#[derive(Debug)]
pub struct Survey {
    /// Name of the card that it was recorded on.
    pub card: String,
    /// That card, if it is known.
    pub model: Option<Model>,
    /// Submissions that can be read.
    pub submissions: usize,
    /// Their draws, in order. Submissions that the card rejects have none, nor do those of a card that is not known.
    pub draws: Vec<Stop>,
    /// The draws of each frame that was presented, by their numbers from 0. Those after the last frame are of none.
    pub frames: Vec<Range<usize>>,
    /// Why there are no more submissions, if the file is damaged.
    pub damage: Option<TraceError>,
    extent: Extent,
}

impl Survey {
    /// Looks through the bytes of a trace's file.
    ///
    /// # Errors
    /// They are not a trace. If they are one up to a place, that is not an error.
    pub fn of(bytes: &[u8]) -> Result<Self, TraceError> {
        let mut reader = TraceReader::new(bytes)?;
        let card = reader.card().to_owned();
        let model = Model::named(&card);
        let extent = extent(TraceReader::new(bytes)?.map_while(Result::ok));
        let (draws, frames) = (Vec::new(), Vec::new());
        let mut survey = Survey { card, model, submissions: 0, draws, frames, damage: None, extent };
        let has_commands_in_memory = model.is_some_and(Model::has_commands_in_memory);
        let memory = if has_commands_in_memory { survey.arena() } else { Arena::new(PAGE as u32, PAGE as u32) };
        // Where the host has none, no draw is executed either.
        let memory = memory.ok();
        for record in reader.by_ref() {
            match record {
                Ok(record) => {
                    survey.end_frames(record.frame);
                    survey.add(&record, memory.as_ref());
                }
                Err(error) => survey.damage = Some(error),
            }
        }
        survey.end_frames(reader.frames());
        Ok(survey)
    }

    /// So many frames have the draws up to here.
    fn end_frames(&mut self, frames: usize) {
        while self.frames.len() < frames {
            let first = self.frames.last().map_or(0, |last| last.end);
            self.frames.push(first..self.draws.len());
        }
    }

    fn add(&mut self, record: &TraceRecord, memory: Option<&Arena>) {
        let submission = self.submissions;
        self.submissions += 1;
        let (Some(model), Some(memory)) = (self.model, memory) else { return };
        if model.has_commands_in_memory() {
            record.write_pages(memory);
        }
        let draws = model.draws(&record.submission(), memory).unwrap_or_default();
        self.draws.extend(draws.iter().map(|draw| Stop { submission, dword: draw.at }));
    }

    /// First address and bytes of the memory that the trace needs: from its first object to its last.
    pub fn memory(&self) -> (u32, u32) {
        let page = PAGE as u64;
        let (first, end) = self.extent.range.unwrap_or((page, 2 * page));
        // Objects begin after the first page, so that less than all addresses are left.
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

/// The memory that submissions need.
fn extent(records: impl Iterator<Item = TraceRecord>) -> Extent {
    let mut extent = Extent::default();
    for record in records {
        record.objects.iter().for_each(|object| extent.add(object.address, object.size.into()));
        record.pages.iter().for_each(|page| extent.add(page.address, PAGE as u64));
    }
    extent
}

/// What a submission to this model says, and what that means. Pages of submissions up to this one are in the memory.
pub fn lines(model: Model, submission: &Submission, memory: &Arena) -> Vec<Line> {
    let lines = model.listing(submission, memory).into_iter();
    lines.map(|line| Line { dword: line.at, text: line.text, meaning: line.meaning }).collect()
}
