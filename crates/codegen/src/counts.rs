//! Counts of guest instructions in loops.
//!
//! What a loop counts for the lanes of a mask that it does not change is the same in every pass: a constant times the number of lanes. Here
//! that number is taken in front of the loop, and each pass adds a register, in place of counting the bits of masks.

use crate::mir::{Arg, Class, End, Inst, Kind, Machine, Reg};
use crate::target::Target;

/// Takes counts for masks that a loop does not change in front of it.
pub fn count_in_front<T: Target>(machine: &mut Machine<T::Op>, target: T) {
    let loops = loops(machine);
    if loops.is_empty() {
        return;
    }
    let homes = homes(machine);
    let classes = machine.classes.clone();
    let is_mask = |reg: Reg| classes[reg.index()] != Class::General;
    for at in 0..machine.blocks.len() {
        let inside = loops.iter().filter(|one| (one.head..=one.end).contains(&at));
        let Some(around) = inside.min_by_key(|one| one.end - one.head) else { continue };
        let is_same = |mask: Reg| homes[mask.index()].is_some_and(|home| home < around.head || home > around.end);
        let of = |inst: &Inst<T::Op>| match (inst.kind, inst.args[0]) {
            (Kind::Count(times), Arg::Reg(mask)) if is_mask(mask) && is_same(mask) => Some((mask, times)),
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
        insts.insert(0, Inst::new(Kind::Count(1), None, &[Arg::Reg(sum)]));
    }
}

/// A loop: the block that goes to nothing but its head, and the numbers of its first and last block.
pub struct Loop {
    pub front: usize,
    pub head: usize,
    pub end: usize,
}

/// The loops that are entered by one block, which goes nowhere else.
pub fn loops<O>(machine: &Machine<O>) -> Vec<Loop> {
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
fn homes<O>(machine: &Machine<O>) -> Vec<Option<usize>> {
    let mut homes = vec![None; machine.classes.len()];
    for (at, block) in machine.blocks.iter().enumerate() {
        let defs = block.params.iter().copied().chain(block.insts.iter().filter_map(|inst| inst.def));
        defs.for_each(|def| homes[def.index()] = Some(at));
    }
    homes
}
