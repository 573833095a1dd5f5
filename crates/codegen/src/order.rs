//! The order of instructions where registers are few.
//!
//! Guests calculate on four channels side by side, and code in their order keeps something of each channel alive
//! all the time. Here an instruction follows the one that it waited for, so that one channel comes after the other; what
//! needs no other result, such as a constant, comes right before its first user. The processor, which looks ahead by
//! hundreds of instructions, calculates the channels side by side all the same.

use crate::mir::{Block, Inst, Machine};

/// Instructions that are put in order together: about as many as processors look ahead.
const WINDOW: usize = 192;

/// The function with an order of its own between the instructions that do more than define.
pub fn ordered<O: Copy>(machine: &Machine<O>) -> Machine<O> {
    // The number in the window of the instruction that defines each register.
    let mut defined: Vec<Option<usize>> = vec![None; machine.classes.len()];
    let mut order = |block: &Block<O>| {
        let mut insts = Vec::with_capacity(block.insts.len());
        for part in block.insts.split_inclusive(|inst| inst.effect) {
            for window in part.chunks(WINDOW) {
                Window::new(window, &mut defined).order(&mut insts);
            }
        }
        Block { insts, ..block.clone() }
    };
    Machine { blocks: machine.blocks.iter().map(&mut order).collect(), ..machine.clone() }
}

struct Window<'a, O> {
    insts: &'a [Inst<O>],
    /// For each instruction, the ones whose results it reads, and those that read its result.
    operands: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
    /// Operands that are not there yet and need others themselves.
    waits: Vec<usize>,
    is_done: Vec<bool>,
}

impl<'a, O: Copy> Window<'a, O> {
    fn new(insts: &'a [Inst<O>], defined: &mut [Option<usize>]) -> Self {
        let (mut operands, mut users) = (vec![Vec::new(); insts.len()], vec![Vec::new(); insts.len()]);
        for (at, inst) in insts.iter().enumerate() {
            inst.for_each_use(|reg| {
                if let Some(operand) = defined[reg.index()] {
                    operands[at].push(operand);
                    users[operand].push(at);
                }
            });
            inst.def.into_iter().for_each(|def| defined[def.index()] = Some(at));
        }
        insts.iter().filter_map(|inst| inst.def).for_each(|def| defined[def.index()] = None);
        let waits = operands.iter().map(|of: &Vec<usize>| of.iter().filter(|&&at| !operands[at].is_empty()).count());
        Self { waits: waits.collect(), insts, operands, users, is_done: vec![false; insts.len()] }
    }

    fn order(mut self, ordered: &mut Vec<Inst<O>>) {
        // What does more than define comes last, and has to.
        let last = self.insts.len() - 1;
        for start in 0..last {
            let mut ready = vec![start];
            while let Some(at) = ready.pop() {
                let can_wait = self.operands[at].is_empty() && !self.users[at].is_empty();
                if !self.is_done[at] && !can_wait && self.waits[at] == 0 && at != last {
                    self.put(at, ordered);
                    for user in std::mem::take(&mut self.users[at]).into_iter().rev() {
                        self.waits[user] -= 1;
                        ready.push(user);
                    }
                }
            }
        }
        self.put(last, ordered);
    }

    /// Appends an instruction, behind its operands.
    fn put(&mut self, at: usize, ordered: &mut Vec<Inst<O>>) {
        for operand in std::mem::take(&mut self.operands[at]) {
            if !self.is_done[operand] {
                self.is_done[operand] = true;
                ordered.push(self.insts[operand]);
            }
        }
        self.is_done[at] = true;
        ordered.push(self.insts[at]);
    }
}
