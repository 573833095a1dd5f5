//! Prefetches of what code without loops stores.
//!
//! Stores leave the processor in their order. Those of results wait for lines of a surface that no cache has, and what the next group puts into its
//! frame waits after them, until the processor has no place for more. Code that puts much there knows early where it will store: it asks for the lines
//! then, and has them at its end. Where there are loops, a group takes long for each of its results.

use crate::allocate::{Allocation, Location};
use crate::mir::{Arg, Base, Inst, InstKind, MachineFunction, Mem};
use crate::target::Target;
use ctm_engine::LINE;

/// Registers that are put into the frame before a store whose line is asked for, at least: processors keep about as many stores until they leave.
const STORES: u32 = 16;

/// Lines that are asked for at a time, at most: the cache has few places for such.
const MOST: usize = 128;

/// A place in the code: a block, an instruction in it, and how many registers have been put into the frame before.
type Place = (usize, usize, u32);

/// Asks for the lines of surfaces that code stores to, as soon as their addresses are known. That takes no registers: what the addresses are made of lives
/// until the store.
pub fn prefetch_stores<T: Target>(machine: &mut MachineFunction<T::Op>, allocation: &Allocation, target: T) {
    let has_loops = machine.blocks.iter().any(|block| block.depth > 1);
    if has_loops || allocation.frame_accesses < STORES as f32 {
        return;
    }
    let mut defined: Vec<Place> = vec![(0, 0, 0); machine.classes.len()];
    let mut prefetches: Vec<Vec<(usize, Inst<T::Op>)>> = vec![Vec::new(); machine.blocks.len()];
    let mut stored = 0;
    for (number, block) in machine.blocks.iter().enumerate() {
        block.params.iter().for_each(|param| defined[param.index()] = (number, 0, stored));
        for (at, inst) in block.insts.iter().enumerate() {
            if let Some((prefetch, mem)) = prefetch(inst, target) {
                let mut place = (0, 0, 0);
                Arg::Mem(mem).for_each_use(|reg| place = place.max(defined[reg.index()]));
                let (early, first, stored_early) = place;
                let is_known = prefetches[early].iter().any(|(_, other)| other.args[0] == Arg::Mem(mem));
                if stored - stored_early >= STORES && !is_known && prefetches[early].len() < MOST {
                    let prefetch = Inst::new(InstKind::Plain(prefetch), None, &[Arg::Mem(mem)]);
                    prefetches[early].push((first, Inst { pc: inst.pc, ..prefetch }));
                }
            }
            if let Some(def) = inst.def {
                stored += u32::from(matches!(allocation.locations[def.index()], Location::Slot(_)));
                defined[def.index()] = (number, at + 1, stored);
            }
        }
    }
    for (block, mut prefetches) in machine.blocks.iter_mut().zip(prefetches) {
        prefetches.sort_by_key(|&(first, _)| first);
        block.insert(&prefetches);
    }
}

/// What asks for the line that an instruction stores to, and where that is.
fn prefetch<T: Target>(inst: &Inst<T::Op>, target: T) -> Option<(T::Op, Mem)> {
    let prefetch = target.prefetch(inst)?;
    let Arg::Mem(mem @ Mem { base: Base::Reg(_), .. }) = inst.args[0] else { return None };
    let line = LINE.cast_signed();
    Some((prefetch, Mem { disp: mem.disp - mem.disp.rem_euclid(line), ..mem }))
}
