//! What lies in the frame has a register where it is read again and again.
//!
//! A register lives in one location for all of its range. Where that is the frame, every instruction that reads it there loads it for itself, as a
//! constant does in a loop, which is read by all instructions about one channel and by none about the others. Here uses near each other have a
//! copy, which is loaded once; the definition belongs to them where it is near.

use crate::allocate::{Allocation, Location};
use crate::mir::{Arg, Block, Class, Inst, InstKind, MachineFunction, Reg};
use crate::target::Target;

/// Instructions from one use to the next, at most: a register is not kept for what comes much later.
const NEAR: usize = 20;
/// Uses that share a load, at least; the definition counts as one.
const LEAST: usize = 2;

/// Uses of a register near each other, by the numbers of the first and the last instruction.
#[derive(Clone, Copy)]
struct Uses {
    reg: Reg,
    first: usize,
    last: usize,
    count: usize,
}

/// Gives the vectors of the frame registers where uses are near each other; gives whether there are some.
pub fn share_spill_loads<T: Target>(machine: &mut MachineFunction<T::Op>, allocation: &Allocation, target: T) -> bool {
    let MachineFunction { blocks, classes, .. } = machine;
    let mut changed = false;
    for block in blocks {
        let found = uses(block, |reg| {
            classes[reg.index()] == Class::Vector && matches!(allocation.locations[reg.index()], Location::Slot(_))
        });
        changed |= !found.is_empty();
        let mut copies = Vec::with_capacity(found.len());
        for Uses { reg, first, last, .. } in found {
            classes.push(Class::Vector);
            let near = Reg::new(classes.len() - 1);
            let pc = block.insts[first].pc;
            let copy = |from: Reg, to: Reg| {
                let inst = Inst::new(InstKind::Plain(target.copy_vector()), Some(to), &[Arg::Reg(from)]);
                Inst { effect: false, pc, ..inst }
            };
            if block.insts[first].def == Some(reg) {
                block.insts[first].def = Some(near);
                copies.push((first + 1, copy(near, reg)));
            } else {
                copies.push((first, copy(reg, near)));
            }
            for inst in &mut block.insts[first..=last] {
                inst.replace_uses(|used| *used = if *used == reg { near } else { *used });
            }
        }
        copies.sort_by_key(|&(at, _)| at);
        block.insert(&copies);
    }
    changed
}

/// The uses near each other of the registers that lie in the frame, by the first of each.
fn uses<O>(block: &Block<O>, is_spilled: impl Fn(Reg) -> bool) -> Vec<Uses> {
    let mut found: Vec<Uses> = Vec::new();
    // Those that were used a short while ago.
    let mut open: Vec<Uses> = Vec::new();
    for (at, inst) in block.insts.iter().enumerate() {
        let is_near = |uses: &Uses| at - uses.last <= NEAR;
        found.extend(open.iter().filter(|uses| !is_near(uses)));
        open.retain(is_near);
        let mut visit = |reg: Reg| match open.iter_mut().find(|uses| uses.reg == reg) {
            Some(uses) => (uses.last, uses.count) = (at, uses.count + 1),
            None if is_spilled(reg) => open.push(Uses { reg, first: at, last: at, count: 1 }),
            None => {}
        };
        inst.for_each_use(&mut visit);
        inst.def.into_iter().for_each(visit);
    }
    found.extend(open);
    found.retain(|uses| uses.count >= LEAST);
    found.sort_unstable_by_key(|uses| (uses.first, uses.reg));
    found
}
