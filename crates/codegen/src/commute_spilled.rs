//! Operands that change places.
//!
//! Most instructions can read their last operand from the frame, but need the first one in a register. Where the order does not matter, the one that
//! lies in the frame comes last, and takes no instruction that loads it.

use crate::allocate::Location;
use crate::mir::{Arg, InstKind, MachineFunction, Reg};

/// Puts operands in the frame last.
pub fn commute_spilled<O>(machine: &mut MachineFunction<O>, locations: &[Location]) {
    let is_in_frame = |reg: Reg| matches!(locations[reg.index()], Location::Slot(_));
    for inst in machine.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        if inst.commutes
            && let (InstKind::Plain(_), [Arg::Reg(first), Arg::Reg(second), ..]) = (&inst.kind, inst.args)
            && is_in_frame(first)
            && !is_in_frame(second)
        {
            inst.args.swap(0, 1);
        }
    }
}
