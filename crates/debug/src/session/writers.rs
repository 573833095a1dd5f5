//! Who wrote a value.

use super::{Position, Session, SessionError};
use crate::WriteTarget;
use crate::target::is_change;
use ctm_follow::InstructionPlace;
use ctm_memory::StoredWord;

/// A step that wrote something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The moment before the step.
    pub before: Position,
    /// The instruction; none if it was not the program that wrote, but what starts or ends it.
    pub place: Option<InstructionPlace>,
    /// What was written.
    pub target: WriteTarget,
    /// What was there, as words.
    pub old: Vec<u32>,
    /// What was written there.
    pub new: Vec<u32>,
}

impl Session {
    /// The last step up to now that changed something. Where a step writes what is there already, nothing changes. Of memory, steps of groups before
    /// this one are found as well, if groups depend on each other. The session stays where it is.
    ///
    /// # Errors
    /// It is too far away.
    pub fn last_write(&mut self, target: &WriteTarget) -> Result<Option<Write>, SessionError> {
        let here = self.position;
        let write = self.last_write_of_groups(target);
        self.return_to(here)?;
        write
    }

    fn last_write_of_groups(&mut self, target: &WriteTarget) -> Result<Option<Write>, SessionError> {
        let found = self.last_write_of_group(target)?;
        let (None, &WriteTarget::Memory { address, bytes }, false) = (&found, target, self.guest.is_independent())
        else {
            return Ok(found);
        };
        // What groups stored says which of them to look at.
        let stored = self.guest.memory().journal().map_or(Vec::new(), |journal| journal.since(0));
        let starts = self.starts.clone();
        let range = u64::from(address)..u64::from(address) + u64::from(bytes);
        let is_of_target = |stored: &StoredWord| {
            let word = u64::from(stored.address);
            stored.before != stored.after && word < range.end && word + 4 > range.start
        };
        loop {
            let before = starts.get(self.position.group as usize).and_then(|&first| stored.get(..first));
            let Some(last) = before.and_then(|before| before.iter().rposition(is_of_target)) else { return Ok(None) };
            let group = starts.partition_point(|&first| first <= last).saturating_sub(1) as u64;
            self.go_to(Position { group, step: 0 })?;
            self.go_to_end()?;
            // A word may have changed, but not in these bytes, or back within one step.
            if let Some(write) = self.last_write_of_group(target)? {
                return Ok(Some(write));
            }
        }
    }

    /// The last step of the group up to now.
    fn last_write_of_group(&mut self, target: &WriteTarget) -> Result<Option<Write>, SessionError> {
        let mut before: Option<Vec<u32>> = None;
        let found = self.last_when(self.position.step + 1, |session| {
            let now = session.words(target);
            let first = session.position.step == 0;
            let changed = before.as_ref().is_some_and(|before| is_change(before, &now)) && !first;
            before = Some(now);
            changed
        })?;
        found.map(|step| self.write_at(step, target)).transpose()
    }

    /// All changes of the outputs of the lane that the session looks at, from the group's start to its end: in registers that go to
    /// outputs, and in memory. The session stays where it is.
    ///
    /// # Errors
    /// The group is too long.
    pub fn history(&mut self) -> Result<Vec<Write>, SessionError> {
        let here = self.position;
        let mut targets: Vec<WriteTarget> = self.guest.output_cells().map(WriteTarget::cell).collect();
        targets.extend(self.guest.outputs().iter().filter_map(|output| {
            let bytes = output.bytes_of(self.focus)?;
            Some(WriteTarget::Memory { address: bytes.start, bytes: bytes.end - bytes.start })
        }));
        let result = self.changes(&targets);
        self.return_to(here)?;
        result
    }

    fn changes(&mut self, targets: &[WriteTarget]) -> Result<Vec<Write>, SessionError> {
        self.go_to(Position { step: 0, ..self.position })?;
        let mut writes = Vec::new();
        let mut before: Vec<Vec<u32>> = targets.iter().map(|target| self.words(target)).collect();
        for _ in 0..self.max_steps {
            let (at, place) = (self.position, self.guest.place());
            if !self.advance() {
                return Ok(writes);
            }
            if self.is_interrupted() {
                return Err(SessionError::Interrupted);
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
    fn write_at(&mut self, step: u64, target: &WriteTarget) -> Result<Write, SessionError> {
        let before = Position { step: step - 1, ..self.position };
        self.go_to(before)?;
        let (place, old) = (self.guest.place(), self.words(target));
        self.advance();
        Ok(Write { before, place, target: target.clone(), old, new: self.words(target) })
    }

    /// What is there now, as words of which the last one may be cut. Cells are those of the lane that the session looks at.
    pub fn words(&self, target: &WriteTarget) -> Vec<u32> {
        target.words(self.guest(), self.lane_number(self.focus))
    }
}
