//! What transform feedback captures.

use super::DrawError;
use super::assembled::{Assembled, Receiver};
use super::primitive::Shape;
use super::stages::Stages;
use crate::launch::LaunchReport;
use ctm_lane::budget::Halt;

/// Records between two looks at the run's budget. Each has up to some hundred words.
const LOOK_RECORDS: u64 = 1 << 12;

/// Attribute words that are captured of every vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Byte address of the first word.
    pub address: u32,
    /// Number of words.
    pub words: u32,
}

/// The result of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// What the records make: one, two or three of them each.
    pub shape: Shape,
    /// Words of a record.
    pub record_words: u32,
    /// The records, one after the other, each with the words of the capture list in order.
    pub words: Vec<u32>,
    /// Number of records, also where nothing of them is captured.
    pub records: u64,
    /// Counts and warnings of all launches.
    pub report: LaunchReport,
}

/// Keeps what is captured of primitives.
pub(super) struct Captured<'a> {
    captures: &'a [Capture],
    drawn: Drawn,
}

impl<'a> Captured<'a> {
    pub fn new(shape: Shape, captures: &'a [Capture]) -> Self {
        let drawn = Drawn {
            shape,
            record_words: captures.iter().map(|capture| capture.words).sum(),
            words: Vec::new(),
            records: 0,
            report: LaunchReport::default(),
        };
        Captured { captures, drawn }
    }

    /// What there is at the end.
    pub fn finish(self, report: LaunchReport) -> Drawn {
        Drawn { report, ..self.drawn }
    }
}

impl Receiver for Captured<'_> {
    fn receive(&mut self, stages: &mut Stages, assembled: &Assembled) -> Result<(), DrawError> {
        for &record in assembled.vertices {
            if self.drawn.records.is_multiple_of(LOOK_RECORDS) {
                stages.meter.check()?;
                let more = u64::from(self.drawn.record_words) * LOOK_RECORDS;
                let bytes = self.bytes() + 4 * more;
                stages.options.budget.allows_memory(bytes)?;
                self.drawn.words.try_reserve(more as usize).map_err(|_| Halt::NoMemory { bytes })?;
            }
            self.drawn.records += 1;
            for capture in self.captures {
                let addresses = (0..capture.words).map(|word| capture.address + 4 * word);
                self.drawn.words.extend(addresses.map(|address| assembled.records.get(record, address)));
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.drawn.words.len() as u64 * 4
    }
}
