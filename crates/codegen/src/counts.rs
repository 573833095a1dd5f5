//! Counts of guest instructions in loops.
//!
//! What a loop counts for the lanes of a mask that it does not change is the same in every pass: a constant times the number of lanes. Here
//! that number is taken in front of the loop, and each pass adds a register, in place of counting the bits of masks.

use crate::mir::{Arg, Class, End, Inst, InstKind, MachineFunction, Reg};
use crate::target::Target;

/// Takes counts for masks that a loop does not change in front of it.
pub fn count_in_front<T: Target>(machine: &mut MachineFunction<T::Op>, target: T) {
    let loops = loops(machine);
    if loops.is_empty() {
        return;
    }
    let homes = homes(machine);
    let classes = machine.classes.clone();
    let is_mask = |reg: Reg| classes[reg.index()] != Class::General;
    let shortest = shortest_around(&loops, machine.blocks.len());
    for (at, one) in shortest.into_iter().enumerate() {
        let Some(around) = one.map(|one| &loops[one]) else { continue };
        let is_same = |mask: Reg| homes[mask.index()].is_some_and(|home| home < around.head || home > around.end);
        let of = |inst: &Inst<T::Op>| match (inst.kind, inst.args[0]) {
            (InstKind::Count(times), Arg::Reg(mask)) if is_mask(mask) && is_same(mask) => Some((mask, times)),
            _ => None,
        };
        let counts: Vec<(Reg, u32)> = machine.blocks[at].insts.iter().filter_map(of).collect();
        if counts.is_empty() {
            continue;
        }
        let sum = machine.reg(Class::General);
        let made = target.lanes_times(machine, &counts, sum);
        machine.blocks[around.front].insts.extend(made);
        let insts = &mut machine.blocks[at].insts;
        insts.retain(|inst| of(inst).is_none());
        insts.insert(0, Inst::new(InstKind::Count(1), None, &[Arg::Reg(sum)]));
    }
}

/// For each block the shortest loop around it, the first of several.
fn shortest_around(loops: &[Loop], blocks: usize) -> Vec<Option<usize>> {
    let mut by_length: Vec<usize> = (0..loops.len()).collect();
    by_length.sort_by_key(|&one| loops[one].end - loops[one].head);
    let mut around = vec![None; blocks];
    // Ways from each block to the first one from there on that has none yet.
    let mut next: Vec<usize> = (0..=blocks).collect();
    for one in by_length {
        let mut at = first_from(&mut next, loops[one].head);
        while at <= loops[one].end {
            around[at] = Some(one);
            next[at] = at + 1;
            at = first_from(&mut next, at);
        }
    }
    around
}

/// The end of a way, which is shorter from now on.
fn first_from(next: &mut [usize], mut at: usize) -> usize {
    while next[at] != at {
        next[at] = next[next[at]];
        at = next[at];
    }
    at
}

/// The loops that have no other one's head in them.
pub fn innermost(loops: &[Loop]) -> impl Iterator<Item = &Loop> {
    // They lie in the order of their heads.
    let ends_first = move |(at, one): (usize, &Loop)| loops.get(at + 1).is_none_or(|next| next.head > one.end);
    loops.iter().enumerate().filter(move |&(at, one)| ends_first((at, one))).map(|(_, one)| one)
}

/// A loop: the block that goes to nothing but its head, and the numbers of its first and last block.
pub struct Loop {
    pub front: usize,
    pub head: usize,
    pub end: usize,
}

/// The loops that are entered by one block, which goes nowhere else.
pub fn loops<O>(machine: &MachineFunction<O>) -> Vec<Loop> {
    let mut ends = vec![None; machine.blocks.len()];
    let mut fronts = vec![Vec::new(); machine.blocks.len()];
    for (at, block) in machine.blocks.iter().enumerate() {
        for edge in block.end.edges() {
            if edge.block <= at {
                ends[edge.block] = Some(at);
            } else {
                fronts[edge.block].push(at);
            }
        }
    }
    let heads = ends.into_iter().enumerate().filter_map(|(head, end)| Some((head, end?)));
    let found = heads.filter_map(|(head, end)| match fronts[head][..] {
        [front] if matches!(machine.blocks[front].end, End::Jump(_)) => Some(Loop { front, head, end }),
        _ => None,
    });
    found.collect()
}

/// The blocks in which registers are defined.
fn homes<O>(machine: &MachineFunction<O>) -> Vec<Option<usize>> {
    let mut homes = vec![None; machine.classes.len()];
    for (at, block) in machine.blocks.iter().enumerate() {
        let defs = block.params.iter().copied().chain(block.insts.iter().filter_map(|inst| inst.def));
        defs.for_each(|def| homes[def.index()] = Some(at));
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_in_the_shortest_loop_around_them() {
        let one = |head, end| Loop { front: 0, head, end };
        let loops = [one(1, 9), one(2, 5), one(3, 4), one(7, 8), one(12, 12)];
        let around = [None, Some(0), Some(1), Some(2), Some(2), Some(1), Some(0), Some(3), Some(3), Some(0), None];
        assert_eq!(shortest_around(&loops, 13)[..11], around);
        assert_eq!(shortest_around(&loops, 13)[11..], [None, Some(4)]);
        let inner: Vec<usize> = innermost(&loops).map(|one| one.head).collect();
        assert_eq!(inner, [3, 7, 12]);
    }
}
