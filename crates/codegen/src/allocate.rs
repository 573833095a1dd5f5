//! Register allocation: linear scan over the live ranges of all virtual registers.
//!
//! A range goes from the definition to the last use in the order of the code, holes included. Each virtual register lives
//! in one location for all of its range: a machine register, or a slot of the frame, which most instructions can read as
//! their memory operand. What is used least for its length goes to the frame.

use crate::mir::{Arg, Block, Class, InstKind, MachineFunction, Reg};

/// Most registers of a class.
pub const REGISTERS: usize = 32;

/// Machine registers, by their numbers in a class.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    pub vector: &'static [u8],
    pub mask: &'static [u8],
    pub general: &'static [u8],
}

impl Registers {
    pub fn of(&self, class: Class) -> &'static [u8] {
        match class {
            Class::Vector => self.vector,
            Class::Mask => self.mask,
            Class::General => self.general,
        }
    }
}

/// Where a virtual register lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the machine register with this number in its class.
    Register(u8),
    /// In this slot of the frame, counted by class.
    Slot(u32),
    /// Nowhere: it is never used.
    Nowhere,
}

/// The locations of all virtual registers.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub locations: Vec<Location>,
    /// What is live between blocks.
    pub live: Live,
    /// Slots of vectors, masks and general registers.
    pub slots: [u32; 3],
    /// Instructions that code executes, about, how often they access the frame, and how many have operands in other memory.
    pub executed: f32,
    pub frame_accesses: f32,
    pub memory_operands: f32,
}

impl Allocation {
    /// Whether more than one in six instructions accesses the frame.
    pub fn has_register_pressure(&self) -> bool {
        self.frame_accesses > self.executed / 6.0
    }

    /// How often code accesses memory, about.
    pub fn accesses(&self) -> f32 {
        self.frame_accesses + self.memory_operands
    }
}

#[derive(Clone, Copy)]
struct Range {
    start: u32,
    end: u32,
    weight: f32,
}

const EMPTY: Range = Range { start: u32::MAX, end: 0, weight: 0.0 };

impl Range {
    /// How often the register is used for the length of its range.
    fn density(&self) -> f32 {
        self.weight / (self.end - self.start + 8) as f32
    }

    fn cover(&mut self, from: u32, to: u32) {
        self.start = self.start.min(from);
        self.end = self.end.max(to);
    }
}

fn class_index(class: Class) -> usize {
    match class {
        Class::Vector => 0,
        Class::Mask => 1,
        Class::General => 2,
    }
}

/// The registers that are live where each block starts.
#[derive(Clone, Debug)]
pub struct Live {
    /// Registers that some block uses and another one defines; only those can be live there.
    shared: Vec<Reg>,
    /// For each register its number among the shared ones; `LOCAL` if it is none.
    number: Vec<u32>,
    /// For each block one bit for each shared register.
    starts: Vec<Vec<u64>>,
}

const LOCAL: u32 = u32::MAX;

impl Live {
    fn new<O>(machine: &MachineFunction<O>) -> Self {
        // Registers are defined once, and before they are used.
        let mut home = vec![usize::MAX; machine.classes.len()];
        for (at, block) in machine.blocks.iter().enumerate() {
            let defined = block.params.iter().copied().chain(block.insts.iter().filter_map(|inst| inst.def));
            defined.for_each(|reg| home[reg.index()] = at);
        }
        let mut live = Self { shared: Vec::new(), number: vec![LOCAL; machine.classes.len()], starts: Vec::new() };
        // What each block uses of another one's.
        let mut reads = Vec::new();
        for (at, block) in machine.blocks.iter().enumerate() {
            let mut used = |reg: Reg| {
                if home[reg.index()] != at {
                    let number = &mut live.number[reg.index()];
                    if *number == LOCAL {
                        *number = live.shared.len() as u32;
                        live.shared.push(reg);
                    }
                    reads.push((at, *number));
                }
            };
            block.insts.iter().for_each(|inst| inst.for_each_use(&mut used));
            block.end.edges().flat_map(|edge| &edge.args).filter_map(|arg| arg.reg()).for_each(used);
        }
        live.starts = vec![live.none(); machine.blocks.len()];
        let mut defines = live.starts.clone();
        let set = |bits: &mut [u64], number: u32| bits[number as usize / 64] |= 1 << (number % 64);
        reads.into_iter().for_each(|(at, number)| set(&mut live.starts[at], number));
        for (&reg, number) in live.shared.iter().zip(0..) {
            if let Some(defines) = defines.get_mut(home[reg.index()]) {
                set(defines, number);
            }
        }
        // How often what is live at each block's start has grown, and what that was of its successors together when it was last derived from them.
        let (mut growth, mut known) = (vec![1u32; machine.blocks.len()], vec![0u32; machine.blocks.len()]);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for at in (0..machine.blocks.len()).rev() {
                let edges = machine.blocks[at].end.edges();
                let growth_of_successors = edges.map(|edge| growth[edge.block]).sum();
                if std::mem::replace(&mut known[at], growth_of_successors) == growth_of_successors {
                    continue;
                }
                let mut grows = false;
                for edge in machine.blocks[at].end.edges() {
                    for (word, &defined) in defines[at].iter().enumerate() {
                        let new = live.starts[edge.block][word] & !defined & !live.starts[at][word];
                        live.starts[at][word] |= new;
                        grows |= new != 0;
                    }
                }
                growth[at] += u32::from(grows);
                changed |= grows;
            }
        }
        live
    }

    /// Whether the register is live where the block starts.
    pub fn is_live(&self, block: usize, reg: Reg) -> bool {
        let number = self.number[reg.index()];
        number != LOCAL && self.starts[block][number as usize / 64] >> (number % 64) & 1 != 0
    }

    /// One bit for each shared register, none set.
    fn none(&self) -> Vec<u64> {
        vec![0; self.shared.len().div_ceil(64)]
    }

    /// The registers that are live after the block and not among those seen, which they then are.
    fn for_each_new<O>(&self, block: &Block<O>, seen: &mut [u64], mut visit: impl FnMut(Reg)) {
        for edge in block.end.edges() {
            for (word, (&live, seen)) in self.starts[edge.block].iter().zip(seen.iter_mut()).enumerate() {
                let mut new = live & !*seen;
                *seen |= live;
                while new != 0 {
                    visit(self.shared[word * 64 + new.trailing_zeros() as usize]);
                    new &= new - 1;
                }
            }
        }
    }

    /// The registers that are live where the block starts.
    pub fn at_start(&self, block: usize) -> impl Iterator<Item = Reg> {
        self.starts[block].iter().enumerate().flat_map(move |(word, &bits)| {
            let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)))
                .take_while(|&bits| bits != 0);
            rest.map(move |bits| self.shared[word * 64 + bits.trailing_zeros() as usize])
        })
    }
}

/// Finds a location for every virtual register.
pub fn allocate<O: Copy>(machine: &MachineFunction<O>, registers: &Registers) -> Allocation {
    let count = machine.classes.len();
    let live = Live::new(machine);
    let mut ranges = vec![EMPTY; count];
    // The register whose location is best for this one.
    let mut hints: Vec<Option<Reg>> = vec![None; count];
    // How deep the parameter lies in loops that a register gives its value, counted from 1.
    let mut hint_depths = vec![0u32; count];
    let (mut position, mut memory_operands) = (0u32, 0.0);
    // Where each block starts and ends.
    let mut spans = Vec::with_capacity(machine.blocks.len());
    for block in &machine.blocks {
        let start = position;
        let factor = block.frequency();
        for &param in &block.params {
            ranges[param.index()].cover(start, start + 1);
            ranges[param.index()].weight += factor;
        }
        position += 2;
        for inst in &block.insts {
            if inst.args.iter().any(|arg| matches!(arg, Arg::Mem(_))) {
                memory_operands += factor;
            }
            // Gathers write their result before they have read all of the index.
            let read = if matches!(inst.kind, InstKind::Gather) { position + 2 } else { position + 1 };
            inst.for_each_use(|reg| {
                ranges[reg.index()].cover(start, read);
                ranges[reg.index()].weight += factor;
            });
            if let Some(def) = inst.def {
                let range = &mut ranges[def.index()];
                // A range that has begun belongs to a use in an earlier block of the order: keep its start.
                range.cover(position + 1, position + 2);
                range.weight += factor;
                match (inst.kind, inst.args) {
                    (InstKind::Tied(_), [Arg::Reg(reg), ..]) | (InstKind::Fma { .. }, [_, _, Arg::Reg(reg), _]) => {
                        hints[def.index()] = hints[def.index()].or(Some(reg));
                    }
                    _ => {}
                }
            }
            position += 2;
        }
        for edge in block.end.edges() {
            for (arg, &param) in edge.args.iter().zip(&machine.blocks[edge.block].params) {
                if let Arg::Reg(reg) = *arg {
                    ranges[reg.index()].cover(start, position + 1);
                    ranges[reg.index()].weight += factor;
                    let depth = machine.blocks[edge.block].depth + 1;
                    if depth > hint_depths[reg.index()] {
                        (hints[reg.index()], hint_depths[reg.index()]) = (Some(param), depth);
                    }
                    hints[param.index()] = hints[param.index()].or(Some(reg));
                }
            }
        }
        position += 2;
        spans.push((start, position));
    }
    // What is live between blocks is so from the first block that hands it on to the last one.
    let mut seen = live.none();
    for (block, &(start, end)) in machine.blocks.iter().zip(&spans) {
        live.for_each_new(block, &mut seen, |reg| ranges[reg.index()].cover(start, end));
    }
    seen.fill(0);
    for (block, &(start, end)) in machine.blocks.iter().zip(&spans).rev() {
        live.for_each_new(block, &mut seen, |reg| ranges[reg.index()].cover(start, end));
    }
    // Uses cover from the start of their block; definitions in the same block move the start to where it belongs.
    let mut at = 0u32;
    for (number, block) in machine.blocks.iter().enumerate() {
        let start = at;
        at += 2;
        for inst in &block.insts {
            if let Some(def) = inst.def
                && ranges[def.index()].start == start
                && !live.is_live(number, def)
            {
                ranges[def.index()].start = at + 1;
            }
            at += 2;
        }
        at += 2;
    }
    let (locations, slots, frame_accesses) = scan(machine, registers, &ranges, &hints);
    Allocation { locations, live, slots, executed: machine.executed(), frame_accesses, memory_operands }
}

/// The machine registers of a class, in the order in which they are tried. The last ones stand for none, and are never free.
struct File {
    /// Where the range of the virtual register that each was given last ends.
    ends: [u32; REGISTERS],
    /// How often that is used for its length.
    densities: [f32; REGISTERS],
    held: [u32; REGISTERS],
    /// The place of each machine register in the order.
    places: [u8; REGISTERS],
}

impl File {
    fn new(registers: &[u8]) -> Self {
        let mut file = Self {
            ends: [u32::MAX; REGISTERS],
            densities: [f32::INFINITY; REGISTERS],
            held: [u32::MAX; REGISTERS],
            places: [0; REGISTERS],
        };
        for (place, &register) in registers.iter().enumerate() {
            (file.ends[place], file.densities[place]) = (0, 0.0);
            file.places[register as usize] = place as u8;
        }
        file
    }

    fn is_free(&self, place: usize, start: u32) -> bool {
        self.ends[place] <= start
    }

    /// The first place that is free from here on.
    fn free(&self, start: u32) -> Option<usize> {
        // Looking at all of them takes no branches.
        let bits = self.ends.iter().rev().fold(0u32, |bits, &end| bits << 1 | u32::from(end <= start));
        (bits != 0).then_some(bits.trailing_zeros() as usize)
    }

    /// The first of the places whose registers are used least.
    fn weakest(&self) -> usize {
        let least =
            self.densities.iter().fold(f32::INFINITY, |least, &density| if density < least { density } else { least });
        self.densities.iter().position(|&density| density == least).unwrap_or(0)
    }

    /// Gives a virtual register the place.
    fn take(&mut self, place: usize, at: usize, range: &Range) {
        self.ends[place] = range.end;
        self.densities[place] = range.density();
        self.held[place] = at as u32;
    }
}

/// The virtual registers that are used, by the starts of their ranges.
fn in_order(ranges: &[Range]) -> Vec<usize> {
    const NONE: u32 = u32::MAX;
    let started = || ranges.iter().enumerate().filter(|(_, range)| range.start != EMPTY.start);
    let count = started().map(|(_, range)| range.start as usize + 1).max().unwrap_or(0);
    // A list of registers for each start.
    let (mut firsts, mut next) = (vec![NONE; count], vec![NONE; ranges.len()]);
    for (at, range) in started().rev() {
        next[at] = std::mem::replace(&mut firsts[range.start as usize], at as u32);
    }
    let mut order = Vec::with_capacity(ranges.len());
    for mut at in firsts {
        while at != NONE {
            order.push(at as usize);
            at = next[at as usize];
        }
    }
    order
}

/// Locations, slots of each class, and how often code accesses these.
fn scan<O>(
    machine: &MachineFunction<O>,
    registers: &Registers,
    ranges: &[Range],
    hints: &[Option<Reg>],
) -> (Vec<Location>, [u32; 3], f32) {
    let mut locations = vec![Location::Nowhere; ranges.len()];
    let classes = [Class::Vector, Class::Mask, Class::General].map(|class| registers.of(class));
    let mut files = classes.map(File::new);
    let mut spilled: Vec<usize> = Vec::new();
    for at in in_order(ranges) {
        let (class, range) = (machine.classes[at], &ranges[at]);
        let (registers, file) = (classes[class_index(class)], &mut files[class_index(class)]);
        let hinted = hints[at].and_then(|hint| match locations[hint.index()] {
            Location::Register(register) if machine.classes[hint.index()] == class => {
                Some(usize::from(file.places[register as usize]))
            }
            Location::Register(_) | Location::Slot(_) | Location::Nowhere => None,
        });
        let hinted = hinted.filter(|&place| file.is_free(place, range.start));
        if let Some(place) = hinted.or_else(|| file.free(range.start)) {
            file.take(place, at, range);
            locations[at] = Location::Register(registers[place]);
            continue;
        }
        let weakest = file.weakest();
        if file.densities[weakest] < range.density() {
            let holder = file.held[weakest] as usize;
            spilled.push(holder);
            locations[holder] = Location::Slot(0);
            file.take(weakest, at, range);
            locations[at] = Location::Register(registers[weakest]);
        } else {
            spilled.push(at);
            locations[at] = Location::Slot(0);
        }
    }
    // Slots, by first fit in order of starts.
    let mut slots: [Slots; 3] = Default::default();
    spilled.sort_unstable_by_key(|&at| ranges[at].start);
    let frame_accesses = spilled.iter().map(|&at| ranges[at].weight).sum();
    // A parameter and what an edge gives it need no move in one slot; nothing else lies there in between.
    let mut heirs: Vec<Option<usize>> = vec![None; ranges.len()];
    for &at in &spilled {
        if let Some(from) = hints[at].map(Reg::index)
            && locations[from] == Location::Slot(0)
            && machine.classes[from] == machine.classes[at]
            && ranges[from].end <= ranges[at].start
        {
            heirs[from].get_or_insert(at);
        }
    }
    for at in spilled {
        let ends = &mut slots[class_index(machine.classes[at])];
        let inherited = hints[at].filter(|from| heirs[from.index()] == Some(at)).map(|from| locations[from.index()]);
        let slot =
            if let Some(Location::Slot(slot)) = inherited { slot as usize } else { ends.first_free(ranges[at].start) };
        ends.take(slot, ranges[heirs[at].unwrap_or(at)].end);
        locations[at] = Location::Slot(slot as u32);
    }
    (locations, slots.map(|ends| ends.count as u32), frame_accesses)
}

/// Where the ranges of what lies in each slot of a class end.
#[derive(Default)]
struct Slots {
    count: usize,
    /// The ends in the leaves of a whole binary tree, the least of them above: that of node n over its children 2n and 2n + 1. What was never used
    /// has the end 0.
    tree: Vec<u32>,
}

impl Slots {
    fn leaves(&self) -> usize {
        self.tree.len() / 2
    }

    /// The first slot that is free from here on: one that was used before, or else a new one.
    fn first_free(&mut self, start: u32) -> usize {
        if self.count == self.leaves() {
            let ends = self.tree.split_off(self.leaves());
            self.tree = vec![0; 4 * ends.len().max(1)];
            ends.into_iter().enumerate().for_each(|(slot, end)| self.take(slot, end));
        }
        let mut node = 1;
        while node < self.leaves() {
            node = 2 * node + usize::from(self.tree[2 * node] > start);
        }
        let slot = node - self.leaves();
        self.count = self.count.max(slot + 1);
        slot
    }

    fn take(&mut self, slot: usize, end: u32) {
        let mut node = slot + self.leaves();
        self.tree[node] = end;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].min(self.tree[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_taken_by_first_fit() {
        let (mut slots, mut ends) = (Slots::default(), Vec::<u32>::new());
        let mut random = 1u32;
        for start in 0..2000u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let expected = ends.iter().position(|&end| end <= start).unwrap_or(ends.len());
            assert_eq!(slots.first_free(start), expected, "at {start}");
            ends.resize(ends.len().max(expected + 1), 0);
            ends[expected] = start + 1 + (random >> 24);
            slots.take(expected, ends[expected]);
            assert_eq!(slots.count, ends.len());
        }
    }
}
