//! What lanes accessed of global memory, and whether any met: then their order decides, and only the reference has it.

use crate::attributes::Words;
use std::ops::RangeInclusive;

/// The log of a launch: for each kind of access two columns with a dword for each invocation, the inverted address of the first byte that
/// it accessed, and the address of the last one. Both are 0 for invocations that accessed nothing.
pub struct Footprints<'a> {
    /// The columns.
    pub log: &'a Words,
    /// For each kind of access whether it writes.
    pub writes: &'a [bool],
    /// Invocations of the launch.
    pub invocations: u32,
    /// Invocations whose order is kept: 1, or those of a warp.
    pub together: u32,
}

/// The bytes from the first to the last.
type Bytes = RangeInclusive<u32>;

/// Bytes that are in both or between them.
fn hull(one: Option<Bytes>, other: Option<Bytes>) -> Option<Bytes> {
    match (one, other) {
        (Some(one), Some(other)) => Some(*one.start().min(other.start())..=*one.end().max(other.end())),
        (one, other) => one.or(other),
    }
}

impl Footprints<'_> {
    /// Columns for so many kinds of accesses.
    pub const fn columns(kinds: usize) -> usize {
        2 * kinds
    }

    /// What an invocation accessed.
    fn bytes(&self, kind: usize, invocation: u32) -> Option<Bytes> {
        let word = |column: usize| self.log.buffer().load(4 * (column as u32 * self.invocations + invocation));
        let (first, last) = (!word(2 * kind), word(2 * kind + 1));
        (first <= last).then_some(first..=last)
    }

    /// Whether an invocation may have accessed what another one writes. Of invocations that access bytes here and there, it counts what is
    /// between them.
    pub fn meet(&self) -> bool {
        let all = |kind| (0..self.invocations).fold(None, |all, invocation| hull(all, self.bytes(kind, invocation)));
        let mut accessed: Vec<(Bytes, usize)> =
            (0..self.writes.len()).filter_map(|kind| Some((all(kind)?, kind))).collect();
        accessed.sort_by_key(|(bytes, _)| *bytes.start());
        // Kinds of accesses to the same part of memory.
        let mut parts: Vec<(u32, Vec<usize>)> = Vec::new();
        for (bytes, kind) in accessed {
            match parts.last_mut() {
                Some((last, kinds)) if bytes.start() <= last => {
                    *last = *bytes.end().max(last);
                    kinds.push(kind);
                }
                _ => parts.push((*bytes.end(), vec![kind])),
            }
        }
        let written = |kinds: &[usize]| kinds.iter().any(|&kind| self.writes[kind]);
        parts.iter().any(|(_, kinds)| written(kinds) && self.meet_in(kinds))
    }

    /// Whether invocations access the same bytes by these kinds of accesses.
    fn meet_in(&self, kinds: &[usize]) -> bool {
        let groups = self.invocations.div_ceil(self.together);
        let mut accessed: Vec<Bytes> = (0..groups)
            .filter_map(|group| {
                let invocations = group * self.together..((group + 1) * self.together).min(self.invocations);
                let of_kinds = invocations.flat_map(|n| kinds.iter().map(move |&kind| self.bytes(kind, n)));
                of_kinds.fold(None, hull)
            })
            .collect();
        // Most often, they are in order.
        if !accessed.is_sorted_by_key(|bytes| *bytes.start()) {
            accessed.sort_unstable_by_key(|bytes| *bytes.start());
        }
        accessed.windows(2).any(|pair| pair[1].start() <= pair[0].end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether invocations with these accesses meet: by kind, the first and the last byte of each.
    fn meet(kinds: &[(bool, &[Option<Bytes>])], together: u32) -> bool {
        let writes: Vec<bool> = kinds.iter().map(|(writes, _)| *writes).collect();
        let columns = kinds.iter().flat_map(|(_, bytes)| {
            let first = bytes.iter().map(|bytes| bytes.as_ref().map_or(0, |bytes| !bytes.start()));
            first.chain(bytes.iter().map(|bytes| bytes.as_ref().map_or(0, |bytes| *bytes.end()))).collect::<Vec<u32>>()
        });
        let log = Words::of(&columns.collect::<Vec<u32>>()).unwrap();
        Footprints { log: &log, writes: &writes, invocations: kinds[0].1.len() as u32, together }.meet()
    }

    #[test]
    fn lanes_that_meet_are_found() {
        let own = [Some(100..=103), Some(104..=107), None, Some(108..=111)];
        let back = [Some(108..=111), Some(104..=107), None, Some(100..=103)];
        let same = [Some(50..=53), Some(50..=53), Some(0..=200), None];
        assert!(!meet(&[(false, &same)], 1), "reads");
        assert!(!meet(&[(true, &own), (false, &own)], 1), "each its own");
        assert!(!meet(&[(true, &back)], 1), "in another order");
        assert!(meet(&[(true, &own), (false, &back)], 1), "others' words");
        assert!(!meet(&[(true, &own), (false, &back)], 4), "in one warp");
        assert!(meet(&[(true, &own), (false, &same)], 1), "a lane that reads all");
        assert!(meet(&[(true, &[Some(7..=7), None, Some(7..=7)])], 1), "two that write one byte");
        let elsewhere = [Some(200..=203), Some(0..=99), Some(200..=203), Some(112..=300)];
        assert!(!meet(&[(true, &own), (false, &[const { Some(200..=203) }; 4])], 1), "behind");
        assert!(meet(&[(true, &own), (false, &elsewhere)], 1), "what is between counts");
    }
}
