//! Where the paths of a lane through two runs diverge.

use crate::{Change, Participation, Step};

/// A step with the text of its instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStep {
    /// The step.
    pub step: Step,
    /// The instruction.
    pub text: String,
}

impl ListedStep {
    /// Whether both are of the same instruction, with the same changes and accesses.
    fn is_like(&self, other: &ListedStep) -> bool {
        let of = |listed: &ListedStep| (listed.step.changes.clone(), listed.step.accesses.clone());
        self.text == other.text && of(self) == of(other)
    }
}

/// Of the steps in which the lane takes part, the first ones that are not alike: another instruction, other changes or accesses. None
/// of a run that has ended before.
pub fn divergence<'s>(a: &'s [ListedStep], b: &'s [ListedStep]) -> [Option<&'s ListedStep>; 2] {
    let executes = |listed: &&ListedStep| listed.step.event.participation == Participation::Executes;
    let (mut a, mut b) = (a.iter().filter(executes), b.iter().filter(executes));
    loop {
        match (a.next(), b.next()) {
            (Some(first), Some(second)) if first.is_like(second) => {}
            steps => return steps.into(),
        }
    }
}

/// The last step that leaves these bits in memory, or where they come to memory from at the lane's end; if there is none, in any register.
pub fn last_write(steps: &[ListedStep], bits: u32) -> Option<&ListedStep> {
    let is_these = |change: &Change| change.bits == bits;
    let leaves = |listed: &&ListedStep| {
        let Step { results, accesses, .. } = &listed.step;
        let mut written = accesses.iter().filter(|access| access.write).flat_map(|access| &access.values);
        results.iter().any(is_these) || written.any(|value| *value == bits)
    };
    let changes = |listed: &&ListedStep| listed.step.changes.iter().any(is_these);
    steps.iter().rev().find(leaves).or_else(|| steps.iter().rev().find(changes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Cell, Event, Next, Standing, StepPart, ValueKind};

    fn listed(number: u64, text: &str, bits: Option<u32>) -> ListedStep {
        let cell = Cell { pattern: "r#", number: 0, channel: None, kind: ValueKind::Word, echoes: false };
        let executes = bits.is_some();
        let participation = if executes { Participation::Executes } else { Participation::Waits(None) };
        let event = Event {
            at: Address::from(number as u32),
            part: StepPart::Whole,
            participation,
            held: String::new(),
            flow: false,
        };
        let step = Step {
            number,
            event,
            next: Next::Following,
            changes: bits.map(|bits| Change { cell, bits }).into_iter().collect(),
            results: Vec::new(),
            accesses: Vec::new(),
            standing: [Standing::Active; 2],
            active: [1; 2],
            pass: [None; 2],
        };
        ListedStep { step, text: text.into() }
    }

    #[test]
    fn steps_part_where_they_are_not_alike() {
        let a =
            [listed(1, "mov", Some(1)), listed(2, "skip", None), listed(3, "add", Some(2)), listed(4, "end", Some(3))];
        let b = [listed(1, "mov", Some(1)), listed(2, "add", Some(2)), listed(3, "end", Some(4))];
        assert_eq!(divergence(&a, &b), [Some(&a[3]), Some(&b[2])]);
        assert_eq!(divergence(&a, &a), [None, None]);
        assert_eq!(divergence(&a, &b[..2]), [Some(&a[3]), None]);
        assert_eq!(divergence(&a, &[listed(1, "neg", Some(1))])[0], Some(&a[0]), "another instruction");
    }

    #[test]
    fn the_last_of_several_writes() {
        let steps = [listed(1, "mov", Some(7)), listed(2, "mov", Some(7)), listed(3, "mov", Some(8))];
        assert_eq!(last_write(&steps, 7), Some(&steps[1]));
        assert_eq!(last_write(&steps, 9), None);
        let mut steps = steps;
        steps[0].step.results = steps[0].step.changes.clone();
        assert_eq!(last_write(&steps, 7), Some(&steps[0]), "what goes to memory comes first");
        steps[1].step.results = vec![Change { bits: 0, ..steps[1].step.changes[0] }];
        assert_eq!(last_write(&steps, 0), Some(&steps[1]), "a value that was there before");
    }
}
