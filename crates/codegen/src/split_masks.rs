//! Splitting of masks that live long.
//!
//! Registers for masks are few (six for the allocator on x86-64, or those of vectors), and a mask of nested branches lives until the last of
//! them is left. Such a mask would lie in the frame for all of its life, and be loaded again for each use. Here its uses far from the
//! definition get a copy, which can lie in the frame while the mask itself is in a register where it is made and used most.

use crate::mir::{Arg, Class, Inst, InstKind, MachineFunction, Reg};
use crate::target::Target;

/// Instructions from the definition on in which a use is near.
const NEAR: usize = 48;

/// Where a mask is defined and last used, by the number of the instruction.
#[derive(Clone, Copy, Default)]
struct Life {
    defined: usize,
    near: usize,
    far: usize,
    end: usize,
}

impl Life {
    fn visit(&mut self, at: usize) {
        if at > self.defined + NEAR {
            self.far += 1;
        } else {
            self.near += 1;
        }
        self.end = self.end.max(at);
    }
}

/// Splits the masks of a function that has more of them at a time than there are registers.
pub fn split_masks<T: Target>(machine: &mut MachineFunction<T::Op>, target: T) {
    let class = target.mask_class();
    let masks = masks(machine, class);
    let lives = lives(machine);
    if most_alive(&masks, &lives) <= target.registers(machine.counts_steps).of(class).len() {
        return;
    }
    let mut copies: Vec<Option<Reg>> = vec![None; lives.len()];
    for (number, life) in lives.iter().enumerate() {
        if masks[number] && life.near > 0 && life.far > 0 {
            copies[number] = Some(machine.reg(class));
        }
    }
    let copy = |from: Reg, to: Reg| {
        let inst = Inst::new(InstKind::Plain(target.copy_mask()), Some(to), &[Arg::Reg(from)]);
        Inst { effect: false, ..inst }
    };
    let copy_of = |reg: Reg| copies.get(reg.index()).copied().flatten();
    let mut at = 0;
    let mut new = Vec::new();
    for block in &mut machine.blocks {
        let replace = |reg: &mut Reg, at: usize| {
            if let Some(copy) = copy_of(*reg)
                && at > lives[reg.index()].defined + NEAR
            {
                *reg = copy;
            }
        };
        new.clear();
        new.extend(block.params.iter().filter_map(|&param| Some((0, copy(param, copy_of(param)?)))));
        for (number, inst) in block.insts.iter_mut().enumerate() {
            at += 1;
            for arg in &mut inst.args {
                if let Arg::Reg(reg) = arg {
                    replace(reg, at);
                }
            }
            if let Some(mask) = &mut inst.mask {
                replace(mask, at);
            }
            new.extend(inst.def.and_then(|def| Some((number + 1, copy(def, copy_of(def)?)))));
        }
        block.insert(&new);
        at += 1;
        for arg in block.end.edges_mut().flat_map(|edge| &mut edge.args) {
            if let Arg::Reg(reg) = arg {
                replace(reg, at);
            }
        }
    }
}

/// The registers that are masks, which have this class. Where that is the class of vectors, instructions that choose by a mask tell it.
fn masks<O>(machine: &MachineFunction<O>, class: Class) -> Vec<bool> {
    if class == Class::Mask {
        return machine.classes.iter().map(|&class| class == Class::Mask).collect();
    }
    let mut masks = vec![false; machine.classes.len()];
    let insts = machine.blocks.iter().flat_map(|block| &block.insts);
    insts.filter_map(|inst| inst.mask).for_each(|mask| masks[mask.index()] = true);
    masks
}

fn lives<O>(machine: &MachineFunction<O>) -> Vec<Life> {
    let mut lives = vec![Life::default(); machine.classes.len()];
    let mut at = 0;
    for block in &machine.blocks {
        block.params.iter().for_each(|param| lives[param.index()].defined = at);
        for inst in &block.insts {
            at += 1;
            inst.for_each_use(|reg| lives[reg.index()].visit(at));
            if let Some(def) = inst.def {
                lives[def.index()].defined = at;
            }
        }
        at += 1;
        for arg in block.end.edges().flat_map(|edge| &edge.args) {
            arg.reg().into_iter().for_each(|reg| lives[reg.index()].visit(at));
        }
    }
    lives
}

/// The most masks that are alive at a time, in the order of the code.
fn most_alive(masks: &[bool], lives: &[Life]) -> usize {
    let masks = lives.iter().zip(masks).filter(|(life, is_mask)| **is_mask && life.end > life.defined);
    let mut changes: Vec<(usize, i32)> = masks.flat_map(|(life, _)| [(life.defined, 1), (life.end, -1)]).collect();
    changes.sort_unstable();
    let alive = changes.iter().scan(0, |alive, &(_, change)| {
        *alive += change;
        Some(*alive)
    });
    alive.max().unwrap_or(0) as usize
}
