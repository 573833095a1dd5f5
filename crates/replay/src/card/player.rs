//! Goes through a trace in both directions.

use ctm_card::trace::TraceRecord;
use ctm_card::{Card as _, Draw};
use ctm_cards::{Card, SavedCard};
use ctm_lane::clock::Instant;
use ctm_memory::Arena;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of memory whose changes are found together.
const PIECE: usize = 1 << 16;
/// Bytes that checkpoints take at most.
const MOST_BYTES: usize = 256 << 20;
/// How long execution goes on before there is another checkpoint.
const INTERVAL: Duration = Duration::from_millis(30);
/// Draws between which nobody looks at the time.
const DRAWS_PER_CLOCK_CHECK: usize = 8;

/// A card after some draw of a trace. Going back is going to a checkpoint and forward again.
pub struct Player {
    records: Vec<TraceRecord>,
    card: Card,
    memory: Arc<Arena>,
    position: Position,
    /// The draws of the submission that has begun.
    draws: Vec<Draw>,
    warnings: Vec<String>,
    checkpoints: Vec<Checkpoint>,
    bytes: usize,
    /// The time that was spent on draws since the last checkpoint.
    spent: Duration,
    interval: Duration,
}

/// How far a trace is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Position {
    /// Draws that are done.
    draws: usize,
    /// The submission that has begun, or is next.
    submission: usize,
    /// Draws in front of it.
    before: usize,
    /// Dwords of its commands that are done; 0 if it has not begun.
    words: usize,
}

struct Checkpoint {
    position: Position,
    card: SavedCard,
    warnings: usize,
    /// What memory holds; nothing for zeros. Pieces that did not change are those of the checkpoint before.
    pieces: Vec<Option<Arc<[u8]>>>,
    /// Bytes of pieces of its own.
    bytes: usize,
}

impl Player {
    /// In front of the first draw. The memory is all zeros, and nobody else's.
    pub fn new(records: Vec<TraceRecord>, card: Card, memory: Arc<Arena>) -> Self {
        let mut player = Player {
            records,
            card,
            memory,
            position: Position::default(),
            draws: Vec::new(),
            warnings: Vec::new(),
            checkpoints: Vec::new(),
            bytes: 0,
            spent: Duration::ZERO,
            interval: INTERVAL,
        };
        player.save();
        player
    }

    /// The same, with a checkpoint wherever draws took so long since the last one. What is shown does not depend on it.
    pub fn with_interval(self, interval: Duration) -> Self {
        Player { interval, ..self }
    }

    /// The card.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Its memory.
    pub fn memory(&self) -> &Arc<Arena> {
        &self.memory
    }

    /// The submissions.
    pub fn records(&self) -> &[TraceRecord] {
        &self.records
    }

    /// What is worth attention up to here, a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Goes to the place after a draw, counted from 0, or after the last one if there are not so many.
    pub fn go(&mut self, draw: usize) {
        let target = draw.saturating_add(1);
        let found = self.checkpoints.iter().rposition(|checkpoint| checkpoint.position.draws <= target);
        let is_behind = self.position.draws > target;
        if let Some(found) = found
            && (is_behind || self.checkpoints[found].position.draws > self.position.draws)
        {
            self.restore(found);
        }
        while self.position.draws < target && self.position.submission < self.records.len() {
            let start = Instant::now();
            self.advance(target.min(self.position.draws + DRAWS_PER_CLOCK_CHECK));
            self.spent += start.elapsed();
            let is_new = self.checkpoints.last().is_none_or(|last| last.position.draws < self.position.draws);
            if self.spent >= self.interval && is_new {
                self.save();
            }
        }
    }

    /// Executes up to this draw, or to the end of the submission.
    fn advance(&mut self, target: usize) {
        let Position { submission: number, words, before, .. } = self.position;
        let record = &self.records[number];
        let (model, submission) = (self.card.model(), record.submission());
        let length = model.length(&submission);
        if words == 0 {
            record.write_pages(&self.memory);
            // A submission that the card rejects has no draws.
            self.draws = model.draws(&submission, &self.memory).unwrap_or_default();
        }
        let last = (target - before).checked_sub(1).filter(|&last| last < self.draws.len());
        let end = last.map_or(length, |last| self.draws[last].end).max(words).min(length);
        let cut = model.cut(&submission, end);
        let part = ctm_card::Submission { words: &cut, ..submission };
        let done = self.card.resume(&self.memory, &part, words);
        if let Err(rejected) = &done {
            self.warnings.push(format!("submission {number} is rejected: {rejected}"));
        }
        let warnings = self.card.take_warnings();
        self.warnings.extend(warnings.into_iter().map(|warning| format!("submission {number}: {warning}")));
        self.position = match last {
            // What is after a draw that took too long is not executed.
            Some(last) => {
                let words = if done.is_ok() { end } else { length };
                Position { draws: before + last + 1, words, ..self.position }
            }
            None => {
                let draws = before + self.draws.len();
                Position { draws, submission: number + 1, before: draws, words: 0 }
            }
        };
    }

    fn save(&mut self) {
        self.spent = Duration::ZERO;
        if self.bytes > MOST_BYTES {
            self.thin_out();
        }
        let (base, size) = (self.memory.base(), self.memory.size() as usize);
        let last = self.checkpoints.last();
        let (mut buffer, mut bytes) = (vec![0; PIECE], 0);
        let mut piece = |number: usize| {
            let first = number * PIECE;
            let buffer = &mut buffer[..PIECE.min(size - first)];
            self.memory.read_bytes(base + first as u32, buffer);
            if buffer.iter().all(|&byte| byte == 0) {
                return None;
            }
            if let Some(Some(known)) = last.map(|last| &last.pieces[number])
                && known[..] == *buffer
            {
                return Some(known.clone());
            }
            bytes += buffer.len();
            Some(Arc::from(&*buffer))
        };
        let pieces = (0..size.div_ceil(PIECE)).map(&mut piece).collect();
        let card = self.card.save();
        self.checkpoints.push(Checkpoint {
            position: self.position,
            card,
            warnings: self.warnings.len(),
            pieces,
            bytes,
        });
        self.bytes += bytes;
    }

    /// Forgets every second checkpoint but the first, and makes them half as often from now on.
    fn thin_out(&mut self) {
        let mut number = 0;
        self.checkpoints.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.interval *= 2;
        // A piece is counted where it first stands; those that others share stay there.
        let mut known: Vec<Option<Arc<[u8]>>> = Vec::new();
        self.bytes = 0;
        for checkpoint in &mut self.checkpoints {
            let is_own = |(number, piece): (usize, &Option<Arc<[u8]>>)| match (piece, known.get(number)) {
                (Some(piece), Some(Some(before))) if Arc::ptr_eq(piece, before) => 0,
                (Some(piece), _) => piece.len(),
                (None, _) => 0,
            };
            checkpoint.bytes = checkpoint.pieces.iter().enumerate().map(is_own).sum();
            self.bytes += checkpoint.bytes;
            known.clone_from(&checkpoint.pieces);
        }
    }

    fn restore(&mut self, number: usize) {
        let checkpoint = &self.checkpoints[number];
        self.card.restore(&checkpoint.card);
        self.warnings.truncate(checkpoint.warnings);
        self.position = checkpoint.position;
        self.spent = Duration::ZERO;
        let zeros = vec![0; PIECE];
        let (mut address, mut left) = (self.memory.base(), self.memory.size() as usize);
        for piece in &checkpoint.pieces {
            let length = PIECE.min(left);
            self.memory.write_bytes(address, piece.as_deref().unwrap_or(&zeros[..length]));
            address = address.wrapping_add(length as u32);
            left -= length;
        }
        if self.position.words > 0 {
            let record = &self.records[self.position.submission];
            self.draws = self.card.model().draws(&record.submission(), &self.memory).unwrap_or_default();
        }
    }
}
