//! Interleaving of several groups.
//!
//! Code for a group is often one long chain of operations that wait for each other, and the next group is too far away for
//! the processor to begin with it meanwhile. Here every instruction whose operands are a group's own comes once for
//! each of several neighbours; what they have in common stays as it is, and so does the way through the code: branches go
//! where one large group would go, as soon as a lane of any group asks for it.
//!
//! Neighbours lie side by side, or one below the other. What depends on nothing but the column, such as what a row of a
//! matrix is multiplied with, is the same for the latter.

use crate::context;
use crate::mir::{Arg, Base, Block, Class, End, Inst, InstKind, MachineFunction, Mem, Reg};
use crate::target::{Operation, Semantics, Target};
use ctm_lane::Axis;

/// The block that starts with a group; its parameter is the group's position.
const HEAD: usize = 1;

/// Instructions of a block that are too many to look beyond them.
const FAR: usize = 256;
/// Instructions after which no processor begins with the next group, however the code branches.
const DISTANT: usize = 1024;
/// Instructions of code that is soon made for more groups, to see whether that is better.
const SHORT: usize = 512;
/// Instructions that take the processor's attention as a gather does, about: it is made of one access for each lane.
const GATHER: usize = 16;

/// Whether taking several groups at a time may be worth it.
pub fn is_worth<O>(machine: &MachineFunction<O>) -> bool {
    is_long(machine) && !is_about_masks(machine)
}

/// Groups next to each other on an axis.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    pub axis: Axis,
    /// How many there are.
    pub groups: u32,
    /// Positions from one to the next.
    pub apart: u32,
}

/// The function for several groups at a time; `None` if a branch asks for something else than whether a mask has a lane.
pub fn interleaved<T: Target>(
    machine: &MachineFunction<T::Op>,
    target: T,
    neighbours: Neighbours,
) -> Option<MachineFunction<T::Op>> {
    let own = own_registers(machine, neighbours.axis).into_iter().enumerate();
    let (classes, pool, blocks) =
        (machine.classes.clone(), machine.pool.clone(), Vec::with_capacity(machine.blocks.len()));
    let mut interleaved = MachineFunction { classes, blocks, pool, counts_steps: machine.counts_steps };
    let mut copies = |at: usize| {
        let class = machine.classes[at];
        (1..neighbours.groups).map(|_| interleaved.reg(class)).reduce(|first, _| first)
    };
    let copies = own.map(|(at, is_own)| if is_own { copies(at) } else { None }).collect();
    let rows = row_bytes(machine, target);
    let mut interleaver = Interleaver { target, neighbours, copies, rows, machine: interleaved };
    for at in 0..machine.blocks.len() {
        let block = interleaver.block(machine, at)?;
        interleaver.machine.blocks.push(block);
    }
    // Pointers to rows below.
    interleaver.machine.remove_dead();
    Some(interleaver.machine)
}

/// Whether much less of the code depends on the row than on the column, so that groups one below the other share much.
pub fn shares_columns<O>(machine: &MachineFunction<O>) -> bool {
    let (of_row, of_column) = (own_registers(machine, Axis::Y), own_registers(machine, Axis::X));
    let (mut row, mut column) = (0.0, 0.0);
    for block in &machine.blocks {
        for inst in &block.insts {
            let (mut is_row, mut is_column) = (false, false);
            inst.for_each_use(|reg| {
                is_row |= of_row[reg.index()];
                is_column |= of_column[reg.index()];
            });
            row += if is_row { block.frequency() } else { 0.0 };
            column += if is_column { block.frequency() } else { 0.0 };
        }
    }
    row < column * 0.75
}

/// Whether the code is short, has loops, and all groups go the same way through them: no branch depends on a group's position but that to the next
/// groups.
pub fn is_in_step<O>(machine: &MachineFunction<O>, axis: Axis) -> bool {
    let has_loops = machine.blocks.iter().any(|block| block.depth > 1);
    if !has_loops || whole_length(machine) > SHORT {
        return false;
    }
    let own = own_registers(machine, axis);
    let is_fork =
        |block: &&Block<O>| matches!(block.end, End::Branch { .. }) && block.end.edges().all(|edge| edge.block != HEAD);
    let tests = machine.blocks.iter().filter(is_fork).filter_map(|block| block.insts.last());
    let mut is_own = false;
    tests.for_each(|test| test.for_each_use(|reg| is_own |= own[reg.index()]));
    !is_own
}

/// About how many instructions a block is.
fn length<O>(block: &Block<O>) -> usize {
    block.insts.iter().map(|inst| if matches!(inst.kind, InstKind::Gather) { GATHER } else { 1 }).sum()
}

fn whole_length<O>(machine: &MachineFunction<O>) -> usize {
    machine.blocks.iter().map(length).sum()
}

/// Whether the next group is too far away to begin with it early: after a loop, most of the code in one piece, or more than processors look ahead.
fn is_long<O>(machine: &MachineFunction<O>) -> bool {
    whole_length(machine) > DISTANT || !is_branching(machine)
}

/// Whether there are no loops, and no block is most of the code.
pub fn is_branching<O>(machine: &MachineFunction<O>) -> bool {
    let most = FAR.max(whole_length(machine) / 2);
    machine.blocks.iter().all(|block| block.depth <= 1 && length(block) <= most)
}

/// Whether so many instructions are about mask registers, of which processors do one or two at a time, that these leave no
/// time to be won.
fn is_about_masks<O>(machine: &MachineFunction<O>) -> bool {
    let is_mask = |reg: Reg| machine.classes[reg.index()] == Class::Mask;
    let is_about = |inst: &Inst<O>| match inst.def {
        Some(def) => is_mask(def),
        None => inst.args[0].reg().is_some_and(is_mask),
    };
    let (mut all, mut masks) = (0.0, 0.0);
    for block in &machine.blocks {
        all += block.frequency() * block.insts.len() as f32;
        masks += block.frequency() * block.insts.iter().filter(|inst| is_about(inst)).count() as f32;
    }
    masks * 2.0 > all
}

/// Whether an instruction loads the row of the groups.
fn loads_row<O>(inst: &Inst<O>) -> bool {
    inst.def.is_some() && inst.args[0] == Arg::Mem(Mem::at(Base::Context, context::Y))
}

/// The registers that may hold something else for the neighbour on an axis.
fn own_registers<O>(machine: &MachineFunction<O>, axis: Axis) -> Vec<bool> {
    let mut own = vec![false; machine.classes.len()];
    match axis {
        Axis::X => own[machine.blocks[HEAD].params[0].index()] = true,
        Axis::Y => {
            let rows = machine.blocks[0].insts.iter().filter(|inst| loads_row(inst)).filter_map(|inst| inst.def);
            rows.for_each(|row| own[row.index()] = true);
        }
    }
    // Definitions come before their uses, but for what comes around a loop.
    let mut comes_around = true;
    while comes_around {
        comes_around = false;
        for (at, block) in machine.blocks.iter().enumerate() {
            for inst in &block.insts {
                let Some(def) = inst.def else { continue };
                let mut is_own = own[def.index()];
                inst.for_each_use(|reg| is_own |= own[reg.index()]);
                own[def.index()] = is_own;
            }
            for edge in block.end.edges() {
                for (arg, param) in edge.args.iter().zip(&machine.blocks[edge.block].params) {
                    if arg.reg().is_some_and(|reg| own[reg.index()]) {
                        let is_new = !std::mem::replace(&mut own[param.index()], true);
                        comes_around |= is_new && edge.block <= at;
                    }
                }
            }
        }
    }
    own
}

/// For each register that points to the groups' row of a surface, the bytes to the next row.
fn row_bytes<T: Target>(machine: &MachineFunction<T::Op>, target: T) -> Vec<Option<i32>> {
    let mut rows = vec![None; machine.classes.len()];
    let start = &machine.blocks[0].insts;
    let definition = |arg: Arg| start.iter().find(|inst| inst.def.is_some() && inst.def == arg.reg());
    for inst in start.iter().filter(|inst| target.semantics(inst) == Semantics::AddPointer) {
        if let (Some(def), Some(offset)) = (inst.def, definition(inst.args[0]))
            && let (Semantics::Integers(Operation::Mul), [row, Arg::Imm(bytes), ..]) =
                (target.semantics(offset), offset.args)
            && definition(row).is_some_and(loads_row)
        {
            rows[def.index()] = Some(bytes);
        }
    }
    rows
}

struct Interleaver<T: Target> {
    target: T,
    neighbours: Neighbours,
    /// For each register of the function the one of the second group, if that is another one. Those of the others have the next numbers.
    copies: Vec<Option<Reg>>,
    /// What [`row_bytes`] found.
    rows: Vec<Option<i32>>,
    machine: MachineFunction<T::Op>,
}

impl<T: Target> Interleaver<T> {
    /// The register of a group, counted from 0.
    fn copy(&self, reg: Reg, group: u32) -> Reg {
        match (group.checked_sub(1), self.copies[reg.index()]) {
            (Some(next), Some(second)) => Reg::new(second.index() + next as usize),
            _ => reg,
        }
    }

    fn copy_arg(&self, arg: Arg, group: u32) -> Arg {
        match arg {
            Arg::Reg(reg) => Arg::Reg(self.copy(reg, group)),
            Arg::Mem(mut mem) => {
                if let Some(disp) = self.row_below(&mem, group) {
                    mem.disp = disp;
                } else if let Base::Reg(reg) = &mut mem.base {
                    *reg = self.copy(*reg, group);
                }
                mem.index = mem.index.map(|reg| self.copy(reg, group));
                Arg::Mem(mem)
            }
            Arg::None | Arg::Imm(_) => arg,
        }
    }

    /// Where memory in the first group's row lies for another group, counted from the same pointer, so that what the two have in common is seen.
    fn row_below(&self, mem: &Mem, group: u32) -> Option<i32> {
        let Base::Reg(base) = mem.base else { return None };
        let below = self.rows[base.index()].filter(|_| self.neighbours.axis == Axis::Y)?;
        below.checked_mul((group * self.neighbours.apart).cast_signed())?.checked_add(mem.disp)
    }

    fn is_own(&self, inst: &Inst<T::Op>) -> bool {
        let mut is_own = false;
        inst.for_each_use(|reg| is_own |= self.copies[reg.index()].is_some());
        is_own
    }

    /// The groups but the first.
    fn others(&self) -> std::ops::Range<u32> {
        1..self.neighbours.groups
    }

    /// The block of this number, for all groups.
    fn block(&mut self, machine: &MachineFunction<T::Op>, at: usize) -> Option<Block<T::Op>> {
        let Neighbours { axis, groups, apart } = self.neighbours;
        let block = &machine.blocks[at];
        let is_latch = axis == Axis::X && at > HEAD && block.end.edges().any(|edge| edge.block == HEAD);
        let mut params = block.params.clone();
        let mut insts = Vec::with_capacity(groups as usize * block.insts.len());
        if at == HEAD && axis == Axis::X {
            insts.extend(self.others().map(|group| self.neighbour(params[0], group)));
        } else {
            let this = &*self;
            let own = block.params.iter().filter(|param| this.copies[param.index()].is_some());
            params.extend(own.flat_map(|&param| this.others().map(move |group| this.copy(param, group))));
        }
        for inst in &block.insts {
            let meaning = self.target.semantics(inst);
            match (inst.kind, meaning) {
                (InstKind::Tied(op), _) if is_latch && op == T::STEP => {
                    let step = Arg::Imm((groups * apart).cast_signed());
                    insts.push(Inst { args: [inst.args[0], step, Arg::None, Arg::None], ..*inst });
                }
                _ if is_latch => insts.push(*inst),
                (InstKind::Count(count), _) if !self.is_own(inst) => {
                    let count = count.checked_mul(groups).filter(|&count| i32::try_from(count).is_ok())?;
                    insts.push(Inst { kind: InstKind::Count(count), ..*inst });
                }
                (_, Semantics::TestEither | Semantics::TestCommon) => {
                    let [a, b, ..] = inst.args;
                    let first = self.any(a, &mut insts);
                    let second = if a == b { first } else { self.any(b, &mut insts) };
                    insts.push(Inst { args: [first, second, Arg::None, Arg::None], ..*inst });
                }
                (_, Semantics::CompareGeneral) if self.is_own(inst) => return None,
                _ => {
                    insts.push(*inst);
                    if let (Axis::Y, Some(row), true) = (axis, inst.def, loads_row(inst)) {
                        insts.extend(self.others().map(|group| self.neighbour(row, group)));
                    }
                    if self.is_own(inst) {
                        insts.extend(self.others().map(|group| Inst {
                            def: inst.def.map(|def| self.copy(def, group)),
                            args: inst.args.map(|arg| self.copy_arg(arg, group)),
                            mask: inst.mask.map(|mask| self.copy(mask, group)),
                            ..*inst
                        }));
                    }
                }
            }
        }
        let (this, mut end) = (&*self, block.end.clone());
        for edge in end.edges_mut().filter(|edge| edge.block != HEAD) {
            let all = edge.args.iter().zip(&machine.blocks[edge.block].params);
            let own = all.filter(|(_, param)| this.copies[param.index()].is_some());
            let others = own.flat_map(|(&arg, _)| this.others().map(move |group| this.copy_arg(arg, group)));
            let others: Vec<Arg> = others.collect();
            edge.args.extend(others);
        }
        Some(Block { params, insts, end, depth: block.depth })
    }

    /// The lanes of a mask in any group.
    fn any(&mut self, mask: Arg, insts: &mut Vec<Inst<T::Op>>) -> Arg {
        let Some(first) = mask.reg().filter(|mask| self.copies[mask.index()].is_some()) else { return mask };
        let or = InstKind::Plain(self.target.or_masks());
        let mut masks: Vec<Reg> = (0..self.neighbours.groups).map(|group| self.copy(first, group)).collect();
        // Two by two, so that few wait for each other.
        while masks.len() > 1 {
            let pair = |masks: &[Reg]| {
                let &[a, b] = masks else { return masks[0] };
                let both = self.machine.reg(self.target.mask_class());
                insts.push(Inst { effect: false, ..Inst::new(or, Some(both), &[Arg::Reg(a), Arg::Reg(b)]) });
                both
            };
            masks = masks.chunks(2).map(pair).collect();
        }
        Arg::Reg(masks[0])
    }

    /// A neighbour's position.
    fn neighbour(&self, position: Reg, group: u32) -> Inst<T::Op> {
        let args = [Arg::Reg(position), Arg::Imm((group * self.neighbours.apart).cast_signed())];
        Inst { effect: false, ..Inst::new(InstKind::Tied(T::STEP), Some(self.copy(position, group)), &args) }
    }
}
