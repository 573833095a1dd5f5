//! What transform feedback captures.

use super::primitive::Shape;
use crate::attributes::View;
use crate::launch::LaunchReport;
use ctm_lane::budget::{Budget, Halt, Meter};

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

impl Drawn {
    pub(super) fn new(shape: Shape, captures: &[Capture]) -> Self {
        Drawn {
            shape,
            record_words: captures.iter().map(|capture| capture.words).sum(),
            words: Vec::new(),
            records: 0,
            report: LaunchReport::default(),
        }
    }

    /// Bytes of the records so far.
    pub(super) fn bytes(&self) -> u64 {
        self.words.len() as u64 * 4
    }

    /// Appends vertices by their records, as long as the run goes on.
    pub(super) fn append(
        &mut self,
        captures: &[Capture],
        view: View<'_>,
        records: impl Iterator<Item = u32>,
        (budget, meter): (&Budget, &Meter),
    ) -> Result<(), Halt> {
        for record in records {
            if self.records.is_multiple_of(LOOK_RECORDS) {
                meter.check()?;
                let more = u64::from(self.record_words) * LOOK_RECORDS;
                let bytes = self.bytes() + 4 * more;
                budget.allows_memory(bytes)?;
                self.words.try_reserve(more as usize).map_err(|_| Halt::NoMemory { bytes })?;
            }
            self.records += 1;
            for capture in captures {
                let addresses = (0..capture.words).map(|word| capture.address + 4 * word);
                self.words.extend(addresses.map(|address| view.get(record, address)));
            }
        }
        Ok(())
    }
}
