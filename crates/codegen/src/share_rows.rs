//! Code that reads several rows around its own, as filters do.
//!
//! What a group reads of the rows around it, the group below reads, too. With both in one piece of code, a load serves all of them, and the lines
//! of the cache are there once: instructions come in the order of the memory that they read, and what is read by several in a row has a register.

use crate::mir::{Arg, Base, Block, Class, Inst, InstKind, MachineFunction, Mem, Reg};
use crate::target::Target;

/// Rows that are read, at least, and vectors for each of them in the mean.
const ROWS: usize = 3;
const VECTORS: usize = 2;

/// Whether code without loops reads several rows, by constant distances from one pointer.
pub fn reads_rows<O>(machine: &MachineFunction<O>) -> bool {
    if machine.blocks.iter().any(|block| block.depth > 1) {
        return false;
    }
    let mut read: Vec<(Base, Option<Reg>, i32)> = Vec::new();
    for inst in machine.blocks.iter().filter(|block| block.depth == 1).flat_map(|block| &block.insts) {
        let row = |mem: &Mem| (mem.base, mem.index, mem.disp.div_euclid(FAR));
        read.extend(operand(inst).map(|mem| row(&mem)));
    }
    let count = read.len();
    read.sort_unstable_by_key(|&(base, index, row)| (register(base), index, row));
    read.dedup();
    read.len() >= ROWS && count >= VECTORS * read.len()
}

/// Bytes that are another row.
const FAR: i32 = 2048;

fn register(base: Base) -> Option<Reg> {
    match base {
        Base::Reg(reg) => Some(reg),
        Base::Pool | Base::Context => None,
    }
}

/// The vector of a surface that an instruction reads for its definition.
fn operand<O>(inst: &Inst<O>) -> Option<Mem> {
    match inst.kind {
        InstKind::Plain(_) | InstKind::Tied(_) | InstKind::Fma { .. } => {}
        InstKind::Gather | InstKind::Scatter | InstKind::Count(_) | InstKind::Steps(_) => return None,
    }
    let is_surface = |mem: &Mem| register(mem.base).is_some() && mem.index.is_some() && !mem.broadcast;
    let read = inst.args.iter().find_map(|arg| if let Arg::Mem(mem) = *arg { Some(mem) } else { None });
    read.filter(|mem| is_surface(mem) && inst.def.is_some() && !inst.effect && inst.mask.is_none())
}

/// Puts blocks in the order of the memory that they read, and loads once what several instructions read one after the other.
pub fn share_rows<T: Target>(machine: &mut MachineFunction<T::Op>, target: T) {
    let mut keys = vec![i64::MIN; machine.classes.len()];
    let MachineFunction { blocks, classes, .. } = machine;
    for block in blocks.iter_mut().filter(|block| block.depth == 1) {
        put_in_order(block, &mut keys);
        let mut loaded = |class| {
            classes.push(class);
            Reg::new(classes.len() - 1)
        };
        load_once(block, target, &mut loaded);
    }
}

/// In front of the first store, change of the floating-point mode or the like, an instruction comes after all whose memory lies before its own, as far as it
/// does not wait for what follows.
fn put_in_order<O: Copy>(block: &mut Block<O>, keys: &mut [i64]) {
    let is_movable = |inst: &Inst<O>| !inst.effect || matches!(inst.kind, InstKind::Count(_));
    let end = block.insts.iter().position(|inst| !is_movable(inst)).unwrap_or(block.insts.len());
    let mut of = |inst: &Inst<O>| {
        let mut key = operand(inst).map_or(i64::MIN, |mem| mem.disp.into());
        inst.for_each_use(|reg| key = key.max(keys[reg.index()]));
        if let Some(def) = inst.def {
            keys[def.index()] = key;
        }
        key
    };
    let mut ordered: Vec<(i64, Inst<O>)> = block.insts[..end].iter().map(|inst| (of(inst), *inst)).collect();
    ordered.sort_by_key(|&(key, _)| key);
    block.insts.splice(..end, ordered.into_iter().map(|(_, inst)| inst));
}

/// Loads what several instructions read one after the other. One that reads less finds that at the start of the register.
fn load_once<T: Target>(block: &mut Block<T::Op>, target: T, register: &mut impl FnMut(Class) -> Reg) {
    let mut loads: Vec<(usize, Inst<T::Op>)> = Vec::new();
    let mut at = 0;
    while at < block.insts.len() {
        let Some(mem) = operand(&block.insts[at]) else {
            at += 1;
            continue;
        };
        let count = block.insts[at..].iter().take_while(|inst| operand(inst) == Some(mem)).count();
        if let (2.., Some(load)) = (count, target.load_vector(&block.insts[at], mem)) {
            let reg = register(Class::Vector);
            let load = Inst::new(InstKind::Plain(load), Some(reg), &[Arg::Mem(mem)]);
            loads.push((at, Inst { effect: false, pc: block.insts[at].pc, ..load }));
            let args = block.insts[at..at + count].iter_mut().flat_map(|inst| &mut inst.args);
            args.filter(|arg| **arg == Arg::Mem(mem)).for_each(|arg| *arg = Arg::Reg(reg));
        }
        at += count;
    }
    block.insert(&loads);
}
