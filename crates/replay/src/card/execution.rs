//! Executes traces.

use super::history::PixelDraw;
use ctm_card::trace::{TraceError, TraceRecord};
use ctm_card::{Card as _, Draw, DrawStats, Submission};
use ctm_cards::Card;
use ctm_lane::clock::Instant;
use ctm_memory::Arena;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

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
    /// How long the card took for them.
    pub time: Duration,
    /// What is worth attention in them, a sentence each: submissions that the card rejected, and its warnings.
    pub warnings: Vec<String>,
    /// What was done to the pixel that the card watches.
    pub history: Vec<PixelDraw>,
    /// What draws did, by their numbers, if the card keeps that.
    pub stats: BTreeMap<usize, DrawStats>,
}

impl Execution {
    /// Executes submissions up to and with the draw `last`, counted from 0, or all of them. That there is no such draw is not an error:
    /// [`draws`](Self::draws) says how many there were.
    ///
    /// # Errors
    /// A submission cannot be read.
    pub fn of(
        records: impl IntoIterator<Item = Result<TraceRecord, TraceError>>,
        card: Card,
        memory: Arc<Arena>,
        last: Option<usize>,
    ) -> Result<Self, TraceError> {
        let mut execution = Execution {
            card,
            memory,
            submissions: 0,
            draws: 0,
            time: Duration::ZERO,
            warnings: Vec::new(),
            history: Vec::new(),
            stats: BTreeMap::new(),
        };
        for record in records {
            if execution.execute(&record?, last) {
                break;
            }
        }
        Ok(execution)
    }

    /// Executes a submission, and says whether it has the last draw.
    fn execute(&mut self, record: &TraceRecord, last: Option<usize>) -> bool {
        let (submission, number) = (record.submission(), self.submissions);
        // A submission that the card rejects has none.
        let model = self.card.model();
        record.write_pages(&self.memory);
        let draws: Vec<Draw> = model.draws(&submission, &self.memory).unwrap_or_default();
        let last = last.and_then(|last| last.checked_sub(self.draws)).filter(|&last| last < draws.len());
        let cut = last.map(|last| model.cut(&submission, draws[last].end));
        let words = cut.as_deref().unwrap_or(submission.words);
        let start = Instant::now();
        let done = self.card.submit(&self.memory, &Submission { words, ..submission });
        self.time += start.elapsed();
        let first = self.draws;
        let draw_at = |at| Some(first + draws.iter().position(|draw| draw.at == at)?);
        let history = self
            .card
            .take_history()
            .into_iter()
            .filter_map(|history| Some(PixelDraw { number: draw_at(history.at)?, submission: number, history }));
        self.history.extend(history);
        self.stats.extend(self.card.take_stats().into_iter().filter_map(|stats| Some((draw_at(stats.at)?, stats))));
        self.submissions += 1;
        self.draws += last.map_or(draws.len(), |last| last + 1);
        if let Err(rejected) = done {
            self.warnings.push(format!("submission {number} is rejected: {rejected}"));
        }
        let warnings = self.card.take_warnings();
        self.warnings.extend(warnings.into_iter().map(|warning| format!("submission {number}: {warning}")));
        last.is_some()
    }
}
