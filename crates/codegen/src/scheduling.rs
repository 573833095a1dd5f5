//! The order of instructions where registers are few.
//!
//! What needs no vectors, such as a constant, an address or what is loaded from there, comes right before its first user ([`late`]). Guests calculate on four
//! channels side by side, too, and code in their order keeps something of each channel alive all the time: [`in_chains`], an instruction follows
//! the one that it waited for, so that one channel comes after the other. The processor, which looks ahead by hundreds of instructions, calculates
//! the channels side by side all the same; two chains take turns, so that its schedulers, which hold fewer, are not full of instructions that all
//! wait for one chain.

use crate::mir::{Arg, Base, Block, Class, Inst, MachineFunction, Mem};

/// Instructions that are put in order together: about as many as processors look ahead.
const WINDOW: usize = 512;

/// The function in the guest's order, but that what can wait comes late; `None` if no vector is loaded later than before.
pub fn late<O: Copy>(machine: &MachineFunction<O>) -> Option<MachineFunction<O>> {
    let mut moves = false;
    let late = ordered(machine, |window, insts, ordered| moves |= window.order_late(insts, ordered));
    moves.then_some(late)
}

/// The function in chains, between the instructions that do more than define.
pub fn in_chains<O: Copy>(machine: &MachineFunction<O>) -> MachineFunction<O> {
    ordered(machine, |window, insts, ordered| window.order_in_chains(insts, ordered))
}

fn ordered<O: Copy>(
    machine: &MachineFunction<O>,
    mut order: impl FnMut(&mut Window, &[Inst<O>], &mut Vec<Inst<O>>),
) -> MachineFunction<O> {
    let mut window = Window::new(&machine.classes);
    let mut order = |block: &Block<O>| {
        let mut insts = Vec::with_capacity(block.insts.len());
        for part in block.insts.split_inclusive(|inst| inst.effect) {
            part.chunks(WINDOW).for_each(|part| order(&mut window, part, &mut insts));
        }
        debug_assert_eq!(insts.len(), block.insts.len(), "each instruction comes once");
        Block { params: block.params.clone(), insts, end: block.end.clone(), depth: block.depth }
    };
    MachineFunction {
        blocks: machine.blocks.iter().map(&mut order).collect(),
        classes: machine.classes.clone(),
        pool: machine.pool.clone(),
        counts_steps: machine.counts_steps,
    }
}

/// Chains that take turns.
const CHAINS: usize = 2;

/// Most registers that an instruction reads: two for each operand, and a mask.
const MOST_USES: usize = 9;

/// Who reads whose result among the instructions of a window.
struct Window<'a> {
    classes: &'a [Class],
    /// The number in the window of the instruction that defines each register.
    defined: Vec<Option<u16>>,
    nodes: Vec<Node>,
    /// For each instruction those that read its result, one instruction after the other.
    users: Vec<u16>,
    /// What each chain goes on with; the last one is the next.
    ready: [Vec<u16>; CHAINS],
}

/// An instruction of a window.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The ones whose results it reads.
    operands: [u16; MOST_USES],
    operand_count: u8,
    /// Where its users are in [`Window::users`]: the first, and the end.
    users: (u16, u16),
    /// Operands that are not released yet and cannot wait themselves.
    waits: u8,
    /// It can wait for its first user, as it needs nothing of the window but general registers.
    can_wait: bool,
    /// Its users do not wait for it any more: it is done, or comes with the first of them.
    is_released: bool,
    is_done: bool,
}

impl Node {
    fn operands(&self) -> &[u16] {
        &self.operands[..usize::from(self.operand_count)]
    }
}

impl<'a> Window<'a> {
    fn new(classes: &'a [Class]) -> Self {
        Self {
            classes,
            defined: vec![None; classes.len()],
            nodes: Vec::new(),
            users: Vec::new(),
            ready: Default::default(),
        }
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
                    node.can_wait &= classes[reg.index()] == Class::General;
                    node.waits += u8::from(!operand.can_wait);
                    operand.users.1 += 1;
                }
            });
            nodes.push(node);
            inst.def.into_iter().for_each(|def| defined[def.index()] = Some(at as u16));
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
                users[usize::from(*end)] = at as u16;
                *end += 1;
            }
        }
    }

    /// Appends the instructions, those that can wait late; gives whether that brings loads of vectors somewhere else.
    fn order_late<O: Copy>(&mut self, insts: &[Inst<O>], ordered: &mut Vec<Inst<O>>) -> bool {
        self.fill(insts);
        let (mut waiting, mut moves) = (0, false);
        for at in 0..insts.len() {
            if self.can_wait(at) {
                waiting += 1;
            } else {
                let before = ordered.len();
                self.put(at, insts, ordered);
                // What is wanted at once stays where it is.
                let is_apart = waiting != ordered.len() - before - 1;
                moves |= is_apart && ordered[before..].iter().any(|inst| self.is_load(inst));
                waiting = 0;
            }
        }
        moves
    }

    /// Whether an instruction loads a vector.
    fn is_load<O>(&self, inst: &Inst<O>) -> bool {
        let is_vector = inst.def.is_some_and(|def| self.classes[def.index()] == Class::Vector);
        is_vector && matches!(inst.args, [Arg::Mem(Mem { base: Base::Reg(_), .. }), Arg::None, ..])
    }

    fn order_in_chains<O: Copy>(&mut self, insts: &[Inst<O>], ordered: &mut Vec<Inst<O>>) {
        self.fill(insts);
        // What does more than define comes last, and has to.
        let last = insts.len() - 1;
        let (mut starts, mut chain) = (0..last, 0);
        while !starts.is_empty() || self.ready.iter().any(|ready| !ready.is_empty()) {
            if self.ready[chain].is_empty() {
                self.ready[chain].extend(starts.next().map(|start| start as u16));
            }
            if self.go_on(chain, insts, ordered) || starts.is_empty() {
                chain = (chain + 1) % CHAINS;
            }
        }
        self.put(last, insts, ordered);
    }

    /// Whether an instruction can wait for its first user.
    fn can_wait(&self, at: usize) -> bool {
        self.nodes[at].can_wait && !self.users_of(at).is_empty()
    }

    /// Appends the next instruction of a chain, with what waited for it; gives whether there is one.
    fn go_on<O: Copy>(&mut self, chain: usize, insts: &[Inst<O>], ordered: &mut Vec<Inst<O>>) -> bool {
        while let Some(at) = self.ready[chain].pop() {
            let at = usize::from(at);
            let Node { users: (first, end), waits, is_released, is_done, .. } = self.nodes[at];
            if is_released || self.can_wait(at) || waits > 0 || at == insts.len() - 1 {
                continue;
            }
            self.nodes[at].is_released = true;
            let is_next = !is_done && !self.is_early(at);
            if is_next {
                self.put(at, insts, ordered);
            }
            for &user in self.users[usize::from(first)..usize::from(end)].iter().rev() {
                self.nodes[usize::from(user)].waits -= 1;
                self.ready[chain].push(user);
            }
            if is_next {
                return true;
            }
        }
        false
    }

    /// Whether nobody can do anything with an instruction's result yet, and an operand has to be kept anyway.
    fn is_early(&self, at: usize) -> bool {
        let users = self.users_of(at);
        let has_others = |&operand: &u16| {
            let mut users = self.users_of(usize::from(operand)).iter().map(|&user| usize::from(user));
            users.any(|user| user != at && !self.nodes[user].is_done)
        };
        !users.is_empty()
            && users.iter().all(|&user| self.nodes[usize::from(user)].waits > 1)
            && self.nodes[at].operands().iter().any(has_others)
    }

    /// The instructions that read an instruction's result.
    fn users_of(&self, at: usize) -> &[u16] {
        let (first, end) = self.nodes[at].users;
        &self.users[usize::from(first)..usize::from(end)]
    }

    /// Appends an instruction, after those of its operands that are not there yet.
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
