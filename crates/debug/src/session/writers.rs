//! Who wrote a value.

use super::{Position, Session, SessionError};
use ctm_follow::Place;

/// Something that a program writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A cell of the lane that the session looks at, by its number.
    Cell(usize),
    /// Bytes of memory.
    Memory {
        /// GPU address of the first byte.
        address: u32,
        /// How many.
        bytes: u32,
    },
}

/// A step that wrote something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The moment before the step.
    pub before: Position,
    /// The instruction; none if it was not the program that wrote, but what starts or ends it.
    pub place: Option<Place>,
    /// What was written.
    pub target: Target,
    /// What was there, as words.
    pub old: Vec<u32>,
    /// What was written there.
    pub new: Vec<u32>,
}

/// Whether words were written over others. There are none of a lane that is in another part of its group, which runs before or behind this one.
fn is_change(old: &[u32], new: &[u32]) -> bool {
    !old.is_empty() && !new.is_empty() && old != new
}

impl Session {
    /// The last step up to now that changed something. Where a step writes what is there already, nothing changes. The session stays
    /// where it is.
    ///
    /// # Errors
    /// It is too far away.
    pub fn last_write(&mut self, target: &Target) -> Result<Option<Write>, SessionError> {
        let here = self.position;
        let mut before: Option<Vec<u32>> = None;
        let found = self.last_when(here.step + 1, |session| {
            let now = session.words(target);
            let first = session.position.step == 0;
            let changed = before.as_ref().is_some_and(|before| is_change(before, &now)) && !first;
            before = Some(now);
            changed
        });
        let write = match found {
            Ok(Some(step)) => self.write_at(step, target).map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        self.go_to(here)?;
        write
    }

    /// All changes of the outputs of the lane that the session looks at, from the group's start to its end: in registers that go to
    /// outputs, and in memory. The session stays where it is.
    ///
    /// # Errors
    /// The group is too long.
    pub fn history(&mut self) -> Result<Vec<Write>, SessionError> {
        let here = self.position;
        let mut targets: Vec<Target> = self.guest.output_cells().map(Target::Cell).collect();
        targets.extend(self.guest.outputs().iter().filter_map(|output| {
            let bytes = output.bytes_of(self.focus)?;
            Some(Target::Memory { address: bytes.start, bytes: bytes.end - bytes.start })
        }));
        let result = self.changes(&targets);
        self.go_to(here)?;
        result
    }

    fn changes(&mut self, targets: &[Target]) -> Result<Vec<Write>, SessionError> {
        self.go_to(Position { step: 0, ..self.position })?;
        let mut writes = Vec::new();
        let mut before: Vec<Vec<u32>> = targets.iter().map(|target| self.words(target)).collect();
        for _ in 0..self.max_steps {
            let (at, place) = (self.position, self.guest.place());
            if !self.advance() {
                return Ok(writes);
            }
            if self.is_interrupted() {
                break;
            }
            for (target, old) in targets.iter().zip(&mut before) {
                let new = self.words(target);
                let old = std::mem::replace(old, new.clone());
                if is_change(&old, &new) {
                    writes.push(Write { before: at, place, target: target.clone(), old, new });
                }
            }
        }
        Err(SessionError::Far(self.max_steps))
    }

    /// The write of the step that leads to this one.
    fn write_at(&mut self, step: u64, target: &Target) -> Result<Write, SessionError> {
        let before = Position { step: step - 1, ..self.position };
        self.go_to(before)?;
        let (place, old) = (self.guest.place(), self.words(target));
        self.advance();
        Ok(Write { before, place, target: target.clone(), old, new: self.words(target) })
    }

    /// What is there now, as words of which the last one may be cut.
    pub fn words(&self, target: &Target) -> Vec<u32> {
        match *target {
            Target::Cell(cell) => {
                self.lane_number(self.focus).map(|lane| self.guest.read(lane, cell)).into_iter().collect()
            }
            Target::Memory { address, bytes } => {
                let mut all = vec![0; bytes as usize];
                if self.guest.memory().read_bytes(address, &mut all).is_err() {
                    return Vec::new();
                }
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                all.chunks(4).map(word).collect()
            }
        }
    }
}
