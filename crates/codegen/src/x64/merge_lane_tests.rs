//! Tests of several groups that are made together.
//!
//! A loop whose passes ask whether any lane leaves compares for each group, and combines the masks; processors do one or two instructions about masks in
//! a cycle, and there are few registers for them. Where the masks are wanted only if a lane leaves, one comparison of the greatest of the groups'
//! numbers answers for all (or of the least, for what is less): lanes outside of a group's mask count as 0, which does not leave. What is after the
//! branch compares for each group then.
//!
//! The number of a lane may be a NaN, which leaves no loop by these comparisons. Of a NaN and a number, the greatest is the number.

use super::{Block, Inst, InstKind, MachineFunction};
use crate::mir::{Arg, Base, Class, Condition, End, Mem, Reg};
use iced_x86::Code;
use std::collections::HashMap;

const COMPARE: Code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
const RANGE: Code = Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
/// Of [`RANGE`], with the sign of what is chosen.
const LEAST: i32 = 4;
const GREATEST: i32 = 5;

/// What makes of a predicate its opposite, for which NaNs are the other way, too.
const NEGATED: i32 = 4;

/// The tests that a branch combines.
struct Tests {
    /// The comparisons, by their numbers in the block; each has a number of its own.
    compares: Vec<usize>,
    /// What combines their masks.
    combines: Vec<usize>,
    /// [`LEAST`] or [`GREATEST`].
    choice: i32,
    /// Where the branch goes if a lane leaves.
    behind: usize,
}

/// Lets branches that ask whether a lane of any group leaves compare once for all groups.
pub fn merge_lane_tests(machine: &mut MachineFunction) {
    for at in 0..machine.blocks.len() {
        if let Some(tests) = tests(machine, at) {
            rewrite(machine, at, &tests);
        }
    }
}

/// How often each register is read.
fn uses(machine: &MachineFunction) -> Vec<u32> {
    let mut uses = vec![0; machine.classes.len()];
    for block in &machine.blocks {
        for_each_use(block, |reg| uses[reg.index()] += 1);
    }
    uses
}

fn for_each_use(block: &Block, mut visit: impl FnMut(Reg)) {
    block.insts.iter().for_each(|inst| inst.for_each_use(&mut visit));
    block.end.edges().flat_map(|edge| &edge.args).for_each(|arg| arg.for_each_use(&mut visit));
}

/// Whether comparisons may change places with an instruction.
fn is_movable(inst: &Inst) -> bool {
    !inst.effect || matches!(inst.kind, InstKind::Count(_))
}

fn tests(machine: &MachineFunction, at: usize) -> Option<Tests> {
    let block = &machine.blocks[at];
    let End::Branch { condition: Condition::NotEqual, then, otherwise } = &block.end else { return None };
    let [Arg::Reg(any), Arg::Reg(same), ..] = block.insts.last()?.args else { return None };
    let is_test = block.insts.last()?.kind == InstKind::Plain(Code::VEX_Kortestw_kr_kr) && any == same;
    // The comparisons move, and the mode of the floating-point unit has to be the same there.
    let is_plain = block.insts[..block.insts.len() - 1].iter().all(is_movable);
    let enters = |block: &Block| block.end.edges().filter(|edge| edge.block == then.block).count();
    if !is_test || !is_plain || then.block == otherwise.block || machine.blocks.iter().map(enters).sum::<usize>() != 1 {
        return None;
    }
    let defined: HashMap<Reg, usize> =
        block.insts.iter().enumerate().filter_map(|(at, inst)| Some((inst.def?, at))).collect();
    let uses = uses(machine);
    let (mut open, mut compares, mut combines) = (vec![(any, 2)], Vec::new(), Vec::new());
    while let Some((mask, own_uses)) = open.pop() {
        let &number = defined.get(&mask)?;
        let inst = &block.insts[number];
        match inst.kind {
            InstKind::Plain(Code::VEX_Korw_kr_kr_kr) if uses[mask.index()] == own_uses => {
                open.extend(inst.args.iter().filter_map(|arg| arg.reg()).map(|mask| (mask, 1)));
                combines.push(number);
            }
            InstKind::Plain(COMPARE) => compares.push(number),
            InstKind::Plain(_)
            | InstKind::Tied(_)
            | InstKind::Fma { .. }
            | InstKind::Gather
            | InstKind::Scatter
            | InstKind::Count(_)
            | InstKind::Steps(_) => return None,
        }
    }
    compares.sort_unstable();
    let first = &block.insts[*compares.first()?];
    let choice = choice(machine, first)?;
    let is_like_first = |&number: &usize| {
        let inst = &block.insts[number];
        let [Arg::Reg(compared), limit, predicate, ..] = inst.args else { return false };
        let (Some(mask), Some(&made)) = (inst.mask, defined.get(&compared)) else { return false };
        // The number is the comparison's alone, and the lanes are known before.
        let made = &block.insts[made];
        let can_be_masked =
            matches!(made.kind, InstKind::Fma { .. } | InstKind::Plain(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er));
        (limit, predicate) == (first.args[1], first.args[2])
            && !defined.contains_key(&mask)
            && can_be_masked
            && made.mask.is_none()
            && uses[compared.index()] == 1
    };
    let is_wanted_behind = |&number: &usize| {
        let Some(mask) = block.insts[number].def else { return false };
        let mut known = 1;
        for_each_use(&machine.blocks[then.block], |reg| known += u32::from(reg == mask));
        known += then.args.iter().filter(|arg| arg.reg() == Some(mask)).count() as u32;
        known == uses[mask.index()]
    };
    let is_alike =
        compares.len() > 1 && compares.iter().all(|number| is_like_first(number) && is_wanted_behind(number));
    is_alike.then_some(Tests { compares, combines, choice, behind: then.block })
}

/// Whether the least or the greatest number answers for all; `None` if 0 would leave, or a NaN.
fn choice(machine: &MachineFunction, compare: &Inst) -> Option<i32> {
    let [_, Arg::Mem(Mem { base: Base::Pool, index: None, disp, broadcast: true, .. }), Arg::Imm(predicate), ..] =
        compare.args
    else {
        return None;
    };
    let limit = f32::from_bits(*machine.pool.get(usize::try_from(disp).ok()? / 4)?);
    // The quiet ordered predicates; the others are to tell of NaNs.
    match predicate {
        0x1E if limit >= 0.0 => Some(GREATEST),
        0x1D if limit > 0.0 => Some(GREATEST),
        0x11 if limit <= 0.0 => Some(LEAST),
        0x12 if limit < 0.0 => Some(LEAST),
        _ => None,
    }
}

fn rewrite(machine: &mut MachineFunction, at: usize, tests: &Tests) {
    let Tests { compares, combines, choice, behind } = tests;
    let masked: Vec<Inst> = compares.iter().map(|&number| machine.blocks[at].insts[number]).collect();
    compare_behind(machine, (at, *behind), &masked);
    // In front of it, one comparison of numbers that are 0 outside.
    let mut numbers: Vec<Reg> = masked.iter().filter_map(|inst| inst.args[0].reg()).collect();
    for inst in &mut machine.blocks[at].insts {
        if let Some(group) = inst.def.and_then(|def| numbers.iter().position(|&number| number == def)) {
            (inst.mask, inst.zeroing) = (masked[group].mask, true);
        }
    }
    let pc = masked[0].pc;
    let mut test = Vec::new();
    while numbers.len() > 1 {
        let pair = |pair: &[Reg]| {
            let &[a, b] = pair else { return pair[0] };
            let one = machine.reg(Class::Vector);
            let args = [Arg::Reg(a), Arg::Reg(b), Arg::Imm(*choice)];
            test.push(Inst { effect: false, pc, ..Inst::new(InstKind::Plain(RANGE), Some(one), &args) });
            one
        };
        numbers = numbers.chunks(2).map(pair).collect();
    }
    let any = Arg::Reg(machine.reg(Class::Mask));
    let [_, limit, predicate, none] = masked[0].args;
    test.push(Inst { def: any.reg(), args: [Arg::Reg(numbers[0]), limit, predicate, none], mask: None, ..masked[0] });
    let insts = &mut machine.blocks[at].insts;
    if let Some(branch) = insts.last_mut() {
        branch.args[..2].fill(any);
    }
    let mut number = 0;
    insts.retain(|_| {
        number += 1;
        !compares.contains(&(number - 1)) && !combines.contains(&(number - 1))
    });
    let end = insts.len() - 1;
    insts.splice(end..end, test);
}

/// Compares for each group after the branch. There a mask has its lanes counted, and tells which lanes stay: both come in an order in which few masks
/// live at a time.
fn compare_behind(machine: &mut MachineFunction, (at, behind): (usize, usize), compares: &[Inst]) {
    let mut again: Vec<Inst> = compares.to_vec();
    let group_of = |again: &[Inst], mask: Option<Reg>| again.iter().position(|compare| compare.def == mask);
    let params = std::mem::take(&mut machine.blocks[behind].params);
    let End::Branch { then, .. } = &mut machine.blocks[at].end else { return };
    let args = std::mem::take(&mut then.args);
    let mut others = Vec::new();
    for (arg, param) in args.into_iter().zip(params) {
        match group_of(compares, arg.reg()) {
            Some(group) => again.push(Inst { def: Some(param), ..compares[group] }),
            None => {
                then.args.push(arg);
                others.push(param);
            }
        }
    }
    let block = &mut machine.blocks[behind];
    block.params = others;
    let mut insts = std::mem::take(&mut block.insts);
    for inst in insts.iter_mut().take_while(|inst| is_movable(inst)) {
        let [lanes, all, ..] = inst.args;
        if let (InstKind::Plain(Code::VEX_Kandnw_kr_kr_kr), Some(group)) = (inst.kind, group_of(&again, lanes.reg()))
            && all.reg() == again[group].mask
        {
            let [number, limit, predicate, none] = again[group].args;
            let Arg::Imm(predicate) = predicate else { continue };
            let args = [number, limit, Arg::Imm(predicate ^ NEGATED), none];
            *inst = Inst { def: inst.def, args, ..again[group] };
        }
    }
    let counted = |inst: &Inst| if matches!(inst.kind, InstKind::Count(_)) { inst.args[0].reg() } else { None };
    let (mut counts, others): (Vec<Inst>, Vec<Inst>) = insts.into_iter().partition(|inst| {
        counted(inst).is_some_and(|mask| again.iter().any(|compare| [compare.def, compare.mask].contains(&Some(mask))))
    });
    let is_read = |mask: Reg, insts: &[Inst], end: &End| {
        let mut is_read = false;
        insts.iter().for_each(|inst| inst.for_each_use(|reg| is_read |= reg == mask));
        end.edges().flat_map(|edge| &edge.args).for_each(|arg| arg.for_each_use(|reg| is_read |= reg == mask));
        is_read
    };
    for compare in again {
        let Some(mask) = compare.def else { continue };
        if is_read(mask, &counts, &block.end) || is_read(mask, &others, &block.end) {
            block.insts.push(compare);
            block.insts.extend(counts.extract_if(.., |inst| counted(inst) == Some(mask)));
        }
    }
    block.insts.extend(counts);
    block.insts.extend(others);
}
