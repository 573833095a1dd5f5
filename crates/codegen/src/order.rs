//! The order of instructions where registers are few.
//!
//! Guests calculate on four channels side by side, and code in their order keeps something of each channel alive
//! all the time. Here an instruction follows the one that it waited for, so that one channel comes after the other; what
//! needs no vectors, such as a constant, an address or what is loaded from there, comes right before its first user. The processor, which looks
//! ahead by hundreds of instructions, calculates the channels side by side all the same.

use crate::mir::{Block, Class, Inst, Machine};

/// Instructions that are put in order together: about as many as processors look ahead, and so few that `u8` counts them.
const WINDOW: usize = 192;

/// The function with an order of its own between the instructions that do more than define.
pub fn ordered<O: Copy>(machine: &Machine<O>) -> Machine<O> {
    let mut window = Window::new(&machine.classes);
    let mut order = |block: &Block<O>| {
        let mut insts = Vec::with_capacity(block.insts.len());
        for part in block.insts.split_inclusive(|inst| inst.effect) {
            part.chunks(WINDOW).for_each(|part| window.order(part, &mut insts));
        }
        Block { params: block.params.clone(), insts, end: block.end.clone(), depth: block.depth }
    };
    Machine {
        blocks: machine.blocks.iter().map(&mut order).collect(),
        classes: machine.classes.clone(),
        pool: machine.pool.clone(),
        counts_steps: machine.counts_steps,
    }
}

/// Most registers that an instruction reads: two for each operand, and a mask.
const MOST_USES: usize = 9;

/// Who reads whose result among the instructions of a window.
struct Window<'a> {
    classes: &'a [Class],
    /// The number in the window of the instruction that defines each register.
    defined: Vec<Option<u8>>,
    nodes: Vec<Node>,
    /// For each instruction those that read its result, one instruction after the other.
    users: Vec<u8>,
    ready: Vec<u8>,
}

/// An instruction of a window.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The ones whose results it reads.
    operands: [u8; MOST_USES],
    operand_count: u8,
    /// Where its users are in [`Window::users`]: the first, and the end.
    users: (u16, u16),
    /// Operands that are not there yet and cannot wait themselves.
    waits: u8,
    /// It can wait for its first user, as it needs nothing of the window but general registers that can wait, too.
    can_wait: bool,
    is_done: bool,
}

impl Node {
    fn operands(&self) -> &[u8] {
        &self.operands[..usize::from(self.operand_count)]
    }
}

impl<'a> Window<'a> {
    fn new(classes: &'a [Class]) -> Self {
        Self { classes, defined: vec![None; classes.len()], nodes: Vec::new(), users: Vec::new(), ready: Vec::new() }
    }

    /// Finds out who reads whose result.
    fn fill<O>(&mut self, insts: &[Inst<O>]) {
        let Self { classes, defined, nodes, users, .. } = self;
        nodes.clear();
        for (at, inst) in insts.iter().enumerate() {
            let mut node = Node { can_wait: true, ..Node::default() };
            inst.for_each_use(|reg| {
                if let Some(operand) = defined[reg.index()] {
                    node.operands[usize::from(node.operand_count)] = operand;
                    node.operand_count += 1;
                    let operand = &mut nodes[usize::from(operand)];
                    node.can_wait &= operand.can_wait && classes[reg.index()] == Class::General;
                    node.waits += u8::from(!operand.can_wait);
                    operand.users.1 += 1;
                }
            });
            nodes.push(node);
            inst.def.into_iter().for_each(|def| defined[def.index()] = Some(at as u8));
        }
        insts.iter().filter_map(|inst| inst.def).for_each(|def| defined[def.index()] = None);
        let mut all = 0;
        for node in nodes.iter_mut() {
            let count = std::mem::replace(&mut node.users.1, all);
            node.users.0 = all;
            all += count;
        }
        users.clear();
        users.resize(usize::from(all), 0);
        for at in 0..nodes.len() {
            let node = nodes[at];
            for &operand in node.operands() {
                let (_, end) = &mut nodes[usize::from(operand)].users;
                users[usize::from(*end)] = at as u8;
                *end += 1;
            }
        }
    }

    fn order<O: Copy>(&mut self, insts: &[Inst<O>], ordered: &mut Vec<Inst<O>>) {
        self.fill(insts);
        // What does more than define comes last, and has to.
        let last = insts.len() - 1;
        for start in 0..last {
            self.ready.push(start as u8);
            while let Some(at) = self.ready.pop() {
                let at = usize::from(at);
                let Node { users: (first, end), waits, is_done, can_wait, .. } = self.nodes[at];
                let can_wait = can_wait && first != end;
                if !is_done && !can_wait && waits == 0 && at != last {
                    self.put(at, insts, ordered);
                    for &user in self.users[usize::from(first)..usize::from(end)].iter().rev() {
                        self.nodes[usize::from(user)].waits -= 1;
                        self.ready.push(user);
                    }
                }
            }
        }
        self.put(last, insts, ordered);
    }

    /// Appends an instruction, behind those of its operands that are not there yet.
    fn put<O: Copy>(&mut self, at: usize, insts: &[Inst<O>], ordered: &mut Vec<Inst<O>>) {
        let node = self.nodes[at];
        for operand in node.operands().iter().copied().map(usize::from) {
            if !self.nodes[operand].is_done {
                self.put(operand, insts, ordered);
            }
        }
        self.nodes[at].is_done = true;
        ordered.push(insts[at]);
    }
}
