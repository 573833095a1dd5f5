//! Splitting of what loops carry.
//!
//! What a pass begins with is mostly read at once; where it is wanted again much later, as by a choice between the new value and the old one, it would lie in the
//! frame for the whole pass, and each pass would wait until it has come back from there. Here the uses far after have a copy, which can lie in the frame
//! while the value itself has a register.

use crate::counts::{innermost, loops};
use crate::mir::{Arg, Class, Inst, InstKind, MachineFunction, Reg};
use crate::target::Target;
use std::collections::HashMap;

/// Loops that are looked at, at most: all that comes after each of them is.
const MOST_LOOPS: usize = 64;
/// Instructions from the start of a pass in which a use is near.
const NEAR: usize = 48;

/// Splits the vectors that innermost loops carry; gives whether there are some.
pub fn split_loop_carried<T: Target>(machine: &mut MachineFunction<T::Op>, target: T) -> bool {
    let loops = loops(machine);
    let mut changed = false;
    for one in innermost(&loops).take(MOST_LOOPS) {
        let (mut near, mut far) = (vec![false; machine.classes.len()], vec![false; machine.classes.len()]);
        let mut at = 0;
        for block in &machine.blocks[one.head..=one.end] {
            for inst in &block.insts {
                let uses = if at < NEAR { &mut near } else { &mut far };
                inst.for_each_use(|reg| uses[reg.index()] = true);
                at += 1;
            }
        }
        let is_split =
            |reg: &Reg| machine.classes[reg.index()] == Class::Vector && near[reg.index()] && far[reg.index()];
        let split: Vec<Reg> = machine.blocks[one.head].params.iter().copied().filter(is_split).collect();
        let copies: Vec<Reg> = split.iter().map(|_| machine.reg(Class::Vector)).collect();
        changed |= !split.is_empty();
        let by: HashMap<Reg, Reg> = split.iter().copied().zip(copies.iter().copied()).collect();
        let replace = |reg: &mut Reg| *reg = by.get(reg).copied().unwrap_or(*reg);
        let mut at = 0;
        for block in &mut machine.blocks[one.head..] {
            for inst in &mut block.insts {
                if at >= NEAR {
                    inst.replace_uses(replace);
                }
                at += 1;
            }
            for arg in block.end.edges_mut().flat_map(|edge| &mut edge.args) {
                if let Arg::Reg(reg) = arg {
                    replace(reg);
                }
            }
        }
        let copy = |(&from, &to): (&Reg, &Reg)| {
            let inst = Inst::new(InstKind::Plain(target.copy_vector()), Some(to), &[Arg::Reg(from)]);
            (0, Inst { effect: false, ..inst })
        };
        let copies: Vec<(usize, Inst<T::Op>)> = split.iter().zip(&copies).map(copy).collect();
        machine.blocks[one.head].insert(&copies);
    }
    changed
}
