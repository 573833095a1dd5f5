//! Who wrote what, by looking at every moment of a session, and what the session says of it.

use ctm_debug::{Breakpoint, BreakpointKind, Direction, Position, Session, StopReason, Write, WriteTarget};
use ctm_follow::InstructionPlace;
use ctm_testkit::random::Random;
use std::collections::BTreeSet;

/// Things of a lane that are looked at in a session.
const TARGETS: usize = 6;
/// Stops of a session that is let run to each change of a thing.
const STOPS: usize = 4;

/// The writes of some cells and elements of outputs of the lane that a session looks at.
pub struct Writes {
    targets: Vec<(WriteTarget, Vec<u32>)>,
    /// What was there when the group started.
    at_start: Vec<(WriteTarget, Vec<u32>)>,
    writes: Vec<Write>,
}

impl Writes {
    /// From the start of the group on.
    pub fn new(session: &Session, random: &mut Random) -> Self {
        let guest = session.guest();
        let outputs = guest.outputs();
        let element = |number: usize| {
            let bytes = outputs[number].bytes_of(session.focus())?;
            Some(WriteTarget::Memory { address: bytes.start, bytes: bytes.end - bytes.start })
        };
        let mut targets: Vec<WriteTarget> = (0..outputs.len()).filter_map(element).take(TARGETS / 2).collect();
        let cells = guest.cells().len();
        // Registers with small numbers are those that programs use.
        let chosen = (0..2 * TARGETS).map(|n| random.below(if n % 2 == 0 { cells } else { cells.min(32) }));
        targets.extend(chosen.collect::<BTreeSet<_>>().into_iter().map(WriteTarget::cell));
        let with_words = |target: WriteTarget| {
            let words = session.words(&target);
            (target, words)
        };
        let targets: Vec<_> = targets.into_iter().map(with_words).collect();
        Writes { at_start: targets.clone(), targets, writes: Vec::new() }
    }

    /// Sees the moment after the step of an instruction.
    pub fn see(&mut self, session: &Session, place: Option<InstructionPlace>) {
        let Position { group, step } = session.position();
        for (target, old) in &mut self.targets {
            let new = session.words(target);
            // A lane is in one part of a group whose parts run one after the other.
            if old.is_empty() || new.is_empty() {
                *old = new;
            } else if *old != new {
                let old = std::mem::replace(old, new.clone());
                let before = Position { group, step: step - 1 };
                self.writes.push(Write { before, place, target: target.clone(), old, new });
            }
        }
    }

    /// The moments after the writes of a target.
    fn moments(&self, target: &WriteTarget) -> Vec<u64> {
        let of_target = self.writes.iter().filter(|write| write.target == *target);
        of_target.map(|write| write.before.step + 1).collect()
    }

    /// Asks the session at some moments up to the last one, and lets it run from write to write.
    pub fn check(&self, session: &mut Session, last: u64, random: &mut Random) {
        let at = |step| Position { group: session.position().group, step };
        let (start, moments) = (at(0), [at(last), at(random.below(last as usize + 1) as u64)]);
        for here in moments {
            session.go_to(here).expect("a moment");
            for (target, _) in &self.targets {
                let of_target = |write: &&Write| write.target == *target && write.before.step < here.step;
                let expected = self.writes.iter().rev().find(of_target);
                let found = session.last_write(target).expect("it is near");
                match found {
                    // Who wrote before this group does not depend on these moments, but what was written is.
                    Some(found) if found.before.group < here.group => {
                        let at_start = self.at_start.iter().find(|(other, _)| other == target).map(|(_, words)| words);
                        assert_eq!((expected, Some(&found.new)), (None, at_start), "{target:?} at {here:?}");
                    }
                    found => assert_eq!(found.as_ref(), expected, "{target:?} at {here:?}"),
                }
                assert_eq!(session.position(), here);
            }
        }
        let (target, _) = &self.targets[random.below(self.targets.len())];
        let what = BreakpointKind::Changes(target.clone());
        let number = session.add_breakpoint(Breakpoint { kind: what, lane: None, condition: None });
        let writes = self.moments(target);
        session.go_to(start).expect("the start");
        for &step in writes.iter().take(STOPS) {
            let reason = session.run(Direction::Forward);
            assert!(matches!(reason, StopReason::Breakpoint(_) | StopReason::Trap(_)), "{reason:?} before step {step}");
            assert_eq!(session.position(), Position { step, ..start }, "{target:?}");
        }
        session.go_to(Position { step: last, ..start }).expect("the last moment");
        let before = writes.iter().rev().filter(|&&step| step < last);
        for &step in before.take(STOPS) {
            assert!(matches!(session.run(Direction::Back), StopReason::Breakpoint(_)), "after step {step}");
            assert_eq!(session.position(), Position { step, ..start }, "{target:?}");
        }
        session.remove_breakpoint(number);
    }
}
