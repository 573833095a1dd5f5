//! Constants that many instructions of a block read have a register.
//!
//! Selection makes constants and entries of tables operands in memory, which take no registers. But processors load as many vectors in a cycle
//! as they multiply and add: where most instructions load an operand, what else lies in memory waits. Targets with few registers have some for that
//! only in code whose channels come one after the other ([`scheduling`](crate::scheduling)).

use crate::mir::{Arg, Block, Class, Inst, InstKind, MachineFunction, Mem, Opcode, Reg};
use crate::target::Target;

/// Uses that share a load, at least.
const LEAST: usize = 4;
/// Instructions from one of them to the next, at most: a register is not kept for what comes much later.
const NEAR: usize = 8;

/// Uses of a constant near each other, by the numbers of the first and the last instruction.
#[derive(Clone, Copy)]
struct Uses<O> {
    constant: Mem,
    /// What loads it.
    load: O,
    first: usize,
    last: usize,
    count: usize,
}

/// Loads constants once for uses near each other, in blocks in which every other instruction reads memory. Gives about how many such loads
/// code executes.
pub fn load_constants<T: Target>(machine: &mut MachineFunction<T::Op>, target: T) -> f32 {
    let mut executed = 0.0;
    for block in &mut machine.blocks {
        let readers = block.insts.iter().filter(|inst| inst.args.iter().any(|arg| matches!(arg, Arg::Mem(_))));
        if 2 * readers.count() < block.insts.len() {
            continue;
        }
        let found = uses(block, target);
        executed += block.frequency() * found.len() as f32;
        give_registers(block, &found, || {
            machine.classes.push(Class::Vector);
            Reg::new(machine.classes.len() - 1)
        });
    }
    executed
}

/// The constants that are read often, by their first uses.
fn uses<T: Target>(block: &Block<T::Op>, target: T) -> Vec<Uses<T::Op>> {
    let mut found: Vec<Uses<T::Op>> = Vec::new();
    // Those that were read a short while ago.
    let mut open: Vec<Uses<T::Op>> = Vec::new();
    for (at, inst) in block.insts.iter().enumerate() {
        for arg in &inst.args {
            let Arg::Mem(constant) = *arg else { continue };
            let Some(load) = target.load_constant(inst, constant) else { continue };
            let mut is_open = false;
            open.retain_mut(|uses| {
                let is_near = at - uses.last <= NEAR;
                if is_near && uses.constant == constant {
                    (uses.last, uses.count, is_open) = (at, uses.count + 1, true);
                } else if !is_near && uses.count >= LEAST {
                    found.push(*uses);
                }
                is_near
            });
            if !is_open {
                open.push(Uses { constant, load, first: at, last: at, count: 1 });
            }
        }
    }
    found.extend(open.into_iter().filter(|uses| uses.count >= LEAST));
    found.sort_unstable_by_key(|uses| (uses.first, uses.constant.disp));
    found
}

fn give_registers<O: Opcode>(block: &mut Block<O>, found: &[Uses<O>], mut register: impl FnMut() -> Reg) {
    if found.is_empty() {
        return;
    }
    let mut next = found.iter().peekable();
    let mut held: Vec<(Uses<O>, Reg)> = Vec::new();
    let mut loads = Vec::with_capacity(found.len());
    for (at, inst) in block.insts.iter_mut().enumerate() {
        while let Some(&uses) = next.next_if(|uses| uses.first == at) {
            let reg = register();
            let word = Arg::Mem(Mem { broadcast: false, ..uses.constant });
            loads.push((
                at,
                Inst { effect: false, pc: inst.pc, ..Inst::new(InstKind::Plain(uses.load), Some(reg), &[word]) },
            ));
            held.push((uses, reg));
        }
        for arg in &mut inst.args {
            if let Arg::Mem(mem) = *arg
                && let Some(&(_, reg)) = held.iter().find(|(uses, _)| uses.constant == mem)
            {
                *arg = Arg::Reg(reg);
            }
        }
        held.retain(|(uses, _)| uses.last > at);
    }
    block.insert(&loads);
}
