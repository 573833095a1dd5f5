//! Lanes that have left a loop go on calculating.
//!
//! What a loop carries stands still in lanes that have left it: each pass chooses between the new value and the old one. Where the mask
//! is the same in all passes of a loop, it is enough to choose when the loop is left, between what its lanes have come to and what the others had in
//! front of it.
//!
//! What the others calculate meanwhile nobody sees. But it may run off to infinity and become a NaN, so the host says which operations take that
//! without harm; comparisons do where their results are wanted in the loop's lanes only.

use super::duplicate_full_mask_loop::MOST_BLOCKS;
use crate::effort::{Effort, Patience};
use crate::entity::{Block, Type, Value};
use crate::function::{BranchTarget, Def, Function, Terminator};
use crate::graph::Graph;
use crate::op::{Effect, Op};
use std::collections::{HashMap, HashSet};

/// A value that a loop carries, and that stands still outside of a mask.
#[derive(Clone, Copy)]
struct Carried {
    param: Value,
    /// Its next value, which is a choice.
    choice: Value,
    /// The next value in the lanes of the mask.
    next: Value,
    /// The value in front of the loop.
    start: Value,
}

/// Lets lanes that are outside of the masks of loops go on in them, in a simplified function; gives whether there were some. `harmless` says of an
/// operation without effects that it may take any numbers and NaNs in lanes that nobody looks at.
pub fn run_inactive_lanes(function: &mut Function, effort: &Effort, harmless: impl Fn(&Op) -> bool) -> bool {
    let patience = effort.patience(function);
    let mut changed = false;
    let mut graph = Graph::new(function);
    for body in graph.innermost_loops(MOST_BLOCKS) {
        if !patience.spend(function.size()) {
            break;
        }
        if let Some((mask, carried)) = freed(function, &graph, &body, &harmless, &patience) {
            free(function, &body, mask, &carried);
            graph = Graph::new(function);
            changed = true;
        }
    }
    if changed {
        super::simplify_within(function, effort);
    }
    if super::unmasked_recurrences::run(function, &harmless, effort) {
        super::dead_code::run(function);
        function.compact();
        changed = true;
    }
    changed
}

/// The mask of a loop, and what is free to go on outside of it.
fn freed(
    function: &Function,
    graph: &Graph,
    body: &[Block],
    harmless: &impl Fn(&Op) -> bool,
    patience: &Patience,
) -> Option<(Value, Vec<Carried>)> {
    let head = body[0];
    let edges = graph.edges(function, head);
    let (back, entries): (Vec<Block>, Vec<Block>) =
        graph.predecessors(head).iter().partition(|&&from| graph.is_loop_edge(from, head));
    let (&[latch], &[front]) = (back.as_slice(), entries.as_slice()) else { return None };
    let to_head = |from: Block| function.terminator(from).targets().find(|target| target.block == head);
    let (around, entry) = (to_head(latch)?, to_head(front)?);
    if edges.len() != 2 {
        return None;
    }
    let is_outside = |value: Value| match function.def(value) {
        Def::Param(block, _) => !body.contains(&block),
        Def::Result(inst, _) => body.iter().all(|&block| !function.insts(block).contains(&inst)),
    };
    let mut mask = None;
    let mut carried = Vec::new();
    for (number, &param) in function.params(head).iter().enumerate() {
        let choice = around.args[number];
        if let Some((Op::Select {}, &[chooses, next, old])) = function.defining_op(choice)
            && old == param
            && mask.is_none_or(|mask| mask == chooses)
            && is_outside(chooses)
        {
            mask = Some(chooses);
            carried.push(Carried { param, choice, next, start: entry.args[number] });
        }
    }
    let mask = mask?;
    let size: usize = body.iter().map(|&block| function.insts(block).len()).sum();
    loop {
        if !patience.spend(size * carried.len() + function.block_count()) {
            return None;
        }
        let spoiled = spoiled(function, body, mask, &carried, harmless);
        let before = carried.len();
        carried.retain(|one| !spoiled.contains(&one.param));
        match (carried.is_empty(), carried.len() == before) {
            (true, _) => return None,
            (false, true) => return Some((mask, carried)),
            (false, false) => {}
        }
    }
}

/// The carried values that something looks at, outside of the mask too.
fn spoiled(
    function: &Function,
    body: &[Block],
    mask: Value,
    carried: &[Carried],
    harmless: &impl Fn(&Op) -> bool,
) -> HashSet<Value> {
    // What each value of the loop is made of that goes on outside of the mask.
    let mut origins: HashMap<Value, HashSet<Value>> =
        carried.iter().map(|one| (one.param, HashSet::from([one.param]))).collect();
    let mut spoiled = HashSet::new();
    let mut compared: HashSet<Value> = HashSet::new();
    for &block in body {
        for &inst in function.insts(block) {
            let (op, args) = (function.op(inst), function.args(inst));
            let mut of = HashSet::new();
            args.iter().filter_map(|arg| origins.get(arg)).for_each(|values| of.extend(values.iter().copied()));
            if of.is_empty() {
                continue;
            }
            let result = || function.result(inst);
            match *op {
                Op::Select {} if carried.iter().any(|one| one.choice == result()) => {
                    origins.insert(result(), of);
                }
                // A value that stands still as before.
                Op::Select {} if args[0] == mask && !origins.contains_key(&args[2]) => {}
                Op::Fcmp { .. } => {
                    compared.insert(result());
                    origins.insert(result(), of);
                }
                Op::MaskAnd {} if args.contains(&mask) => {}
                Op::MaskAndnot {} if args[0] == mask => {}
                _ if op.effect() == Effect::Pure
                    && !args.iter().any(|arg| compared.contains(arg))
                    && !matches!(op, Op::Quad { .. } | Op::Ballot {} | Op::Shuffle {})
                    && harmless(op) =>
                {
                    function.results(inst).for_each(|result| {
                        origins.insert(result, of.clone());
                    });
                }
                _ => spoiled.extend(of),
            }
        }
        let terminator = function.terminator(block);
        for value in terminator.operands() {
            origins.get(&value).into_iter().for_each(|of| spoiled.extend(of));
        }
        for target in terminator.targets() {
            let is_inside = body.contains(&target.block);
            for (number, arg) in target.args.iter().enumerate() {
                let Some(of) = origins.get(arg).cloned() else { continue };
                let is_carried = carried.iter().any(|one| one.param == *arg || one.choice == *arg);
                let params = if is_inside { function.params(target.block) } else { &[] };
                match params.get(number) {
                    // Around the loop, or on to the next block.
                    Some(param) if target.block == body[0] => {
                        if !carried.iter().any(|one| one.param == *param && one.choice == *arg) {
                            spoiled.extend(of);
                        }
                    }
                    Some(&param) if function.value_type(param) == Type::Lane => {
                        origins.entry(param).or_default().extend(of);
                    }
                    Some(_) => spoiled.extend(of),
                    None if is_carried => {}
                    None => spoiled.extend(of),
                }
            }
        }
    }
    // A loop in closed form hands on all that others use.
    for block in function.blocks().filter(|block| !body.contains(block)) {
        let insts = function.insts(block).iter().flat_map(|&inst| function.args(inst)).copied();
        for value in insts.chain(function.terminator(block).values()) {
            origins.get(&value).into_iter().for_each(|of| spoiled.extend(of));
        }
    }
    spoiled
}

fn free(function: &mut Function, body: &[Block], mask: Value, carried: &[Carried]) {
    // In the loop the next value takes the place of the choice; on the ways out stands a choice of its own.
    let on_way_out = |function: &Function, value: Value| {
        let one = carried.iter().find(|one| one.param == value || one.choice == value)?;
        debug_assert_eq!(function.value_type(value), Type::Lane);
        Some((if one.param == value { one.param } else { one.next }, one.start))
    };
    for &block in body {
        for inst in function.insts(block).to_vec() {
            let own = function.result(inst);
            for arg in function.args_mut(inst) {
                if let Some(one) = carried.iter().find(|one| one.choice == *arg && one.choice != own) {
                    *arg = one.next;
                }
            }
        }
        let mut terminator = function.terminator(block).clone();
        for target in terminator.targets_mut() {
            if body.contains(&target.block) {
                for arg in &mut target.args {
                    if let Some(one) = carried.iter().find(|one| one.choice == *arg) {
                        *arg = one.next;
                    }
                }
                continue;
            }
            if !target.args.iter().any(|&arg| on_way_out(function, arg).is_some()) {
                continue;
            }
            let between = function.add_block();
            let mut way = std::mem::replace(target, BranchTarget::new(between));
            let mut choices: HashMap<Value, Value> = HashMap::new();
            for arg in &mut way.args {
                let Some((inside, outside)) = on_way_out(function, *arg) else { continue };
                *arg = *choices.entry(*arg).or_insert_with(|| {
                    let choice = function.make_inst(Op::Select {}, &[mask, inside, outside]);
                    function.blocks[between.index()].insts.push(choice);
                    function.result(choice)
                });
            }
            function.blocks[between.index()].terminator = Some(Terminator::Jump(way));
        }
        *function.terminator_mut(block) = terminator;
    }
}
