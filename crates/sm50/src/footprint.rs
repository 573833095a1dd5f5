//! What lanes accessed of global memory, and whether any met: then their order decides, and only the reference has it.

use crate::attributes::Words;
use crate::codes::AtomOp;

/// What lanes do with memory by accesses of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// They read it.
    Read,
    /// They write it.
    Write,
    /// They change words in an atomic way, and do not look at what they held: those of one kind commute. Whether numbers have a sign.
    Update(AtomOp, bool),
    /// They change words in an atomic way, and look at what they held, in the order of warps: whoever has them do so sees to it.
    Ordered,
}

/// The log of a launch: for each kind of access two columns with a dword for each invocation, the inverted address of the first byte that
/// it accessed, and the address of the last one. Both are 0 for invocations that accessed nothing.
pub struct Footprints<'a> {
    /// The columns.
    pub log: &'a Words,
    /// What each kind of access does.
    pub kinds: &'a [AccessKind],
    /// Invocations of the launch.
    pub invocations: u32,
    /// Invocations whose order is kept: 1, or those of a warp.
    pub together: u32,
}

/// The first byte of an access, inverted, and the last one: those of several accesses are the greatest of both.
#[derive(Clone, Copy, Default)]
struct Bytes {
    inverted_first: u32,
    last: u32,
}

impl Bytes {
    /// Bytes that are in both or between them.
    #[inline]
    fn and(self, other: Bytes) -> Bytes {
        Bytes { inverted_first: self.inverted_first.max(other.inverted_first), last: self.last.max(other.last) }
    }

    fn first(self) -> u32 {
        !self.inverted_first
    }

    fn is_empty(self) -> bool {
        self.first() > self.last
    }
}

impl Footprints<'_> {
    /// Columns for so many kinds of accesses.
    pub const fn columns(kinds: usize) -> usize {
        2 * kinds
    }

    /// Whether an invocation may have accessed what another one writes. Of invocations that access bytes here and there, it counts what is
    /// between them.
    pub fn meet(&self) -> bool {
        let words = self.log.to_vec();
        let columns: Vec<&[u32]> = words.chunks_exact(self.invocations.max(1) as usize).collect();
        let kinds: Vec<[&[u32]; 2]> = columns.as_chunks().0.to_vec();
        let all = |[firsts, lasts]: [&[u32]; 2]| {
            let greatest = |words: &[u32]| words.iter().copied().max().unwrap_or_default();
            Bytes { inverted_first: greatest(firsts), last: greatest(lasts) }
        };
        let mut accessed: Vec<(Bytes, usize)> = kinds.iter().map(|&kind| all(kind)).zip(0..).collect();
        accessed.retain(|(bytes, _)| !bytes.is_empty());
        accessed.sort_by_key(|(bytes, _)| bytes.first());
        // Kinds of accesses to the same part of memory.
        let mut parts: Vec<(u32, Vec<usize>)> = Vec::new();
        for (bytes, kind) in accessed {
            match parts.last_mut() {
                Some((last, kinds)) if bytes.first() <= *last => {
                    *last = bytes.last.max(*last);
                    kinds.push(kind);
                }
                _ => parts.push((bytes.last, vec![kind])),
            }
        }
        let in_any_order = |part: &[usize]| {
            let mut all = part.iter().map(|&kind| self.kinds[kind]);
            let first = all.next();
            first != Some(AccessKind::Write) && all.all(|kind| Some(kind) == first)
        };
        parts.iter().any(|(_, part)| {
            let kinds: Vec<[&[u32]; 2]> = part.iter().map(|&kind| kinds[kind]).collect();
            !in_any_order(part) && self.meet_in(&kinds)
        })
    }

    /// Whether invocations access the same bytes by these kinds of accesses.
    fn meet_in(&self, kinds: &[[&[u32]; 2]]) -> bool {
        let together = self.together.max(1) as usize;
        let of_invocation = |n: usize| {
            let of_kind = |[firsts, lasts]: &[&[u32]; 2]| Bytes { inverted_first: firsts[n], last: lasts[n] };
            kinds.iter().map(of_kind).fold(Bytes::default(), Bytes::and)
        };
        let groups = (0..self.invocations as usize).step_by(together).map(|first| {
            let end = (first + together).min(self.invocations as usize);
            (first..end).map(of_invocation).fold(Bytes::default(), Bytes::and)
        });
        let groups = groups.filter(|bytes| !bytes.is_empty());
        // Most often, they are in order.
        let mut end = None;
        let mut is_behind = |bytes: Bytes| end.replace(bytes.last).is_none_or(|end| end < bytes.first());
        if groups.clone().all(&mut is_behind) {
            return false;
        }
        let mut groups: Vec<Bytes> = groups.collect();
        groups.sort_unstable_by_key(|bytes| bytes.first());
        groups.windows(2).any(|pair| pair[1].first() <= pair[0].last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::RangeInclusive;

    /// Whether invocations with these accesses meet: by kind, the first and the last byte of each.
    fn meet(kinds: &[(AccessKind, &[Option<RangeInclusive<u32>>])], together: u32) -> bool {
        let what: Vec<AccessKind> = kinds.iter().map(|(kind, _)| *kind).collect();
        let columns = kinds.iter().flat_map(|(_, bytes)| {
            let first = bytes.iter().map(|bytes| bytes.as_ref().map_or(0, |bytes| !bytes.start()));
            first.chain(bytes.iter().map(|bytes| bytes.as_ref().map_or(0, |bytes| *bytes.end()))).collect::<Vec<u32>>()
        });
        let log = Words::of(&columns.collect::<Vec<u32>>()).unwrap();
        Footprints { log: &log, kinds: &what, invocations: kinds[0].1.len() as u32, together }.meet()
    }

    #[test]
    fn lanes_that_meet_are_found() {
        use AccessKind::{Read, Update, Write};
        let own = [Some(100..=103), Some(104..=107), None, Some(108..=111)];
        let back = [Some(108..=111), Some(104..=107), None, Some(100..=103)];
        let same = [Some(50..=53), Some(50..=53), Some(0..=200), None];
        assert!(!meet(&[(Read, &same)], 1), "reads");
        assert!(!meet(&[(Write, &own), (Read, &own)], 1), "each its own");
        assert!(!meet(&[(Write, &back)], 1), "in another order");
        assert!(meet(&[(Write, &own), (Read, &back)], 1), "others' words");
        assert!(!meet(&[(Write, &own), (Read, &back)], 4), "in one warp");
        assert!(meet(&[(Write, &own), (Read, &same)], 1), "a lane that reads all");
        assert!(meet(&[(Write, &[Some(7..=7), None, Some(7..=7)])], 1), "two that write one byte");
        let elsewhere = [Some(200..=203), Some(0..=99), Some(200..=203), Some(112..=300)];
        assert!(!meet(&[(Write, &own), (Read, &[const { Some(200..=203) }; 4])], 1), "behind");
        assert!(meet(&[(Write, &own), (Read, &elsewhere)], 1), "what is between counts");
        let (add, or) = (Update(AtomOp::Add, false), Update(AtomOp::Or, false));
        assert!(!meet(&[(add, &same)], 1), "sums in any order");
        assert!(
            meet(&[(add, &same), (or, &own)], 1) && meet(&[(add, &same), (Read, &own)], 1),
            "what does not commute"
        );
        assert!(!meet(&[(add, &same), (or, &[const { Some(300..=303) }; 4])], 1), "elsewhere");
    }
}
