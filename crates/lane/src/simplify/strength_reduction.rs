//! Indices that a loop makes of a counter from constants become induction variables (strength reduction).
//!
//! A loop whose counters begin with constants, and that is left by a test of them, makes the same numbers in every run, and in all lanes. They
//! are calculated here, by the rules of the operations. An index that grows by the same integer in every pass is counted as an integer then:
//! what the host has to wait for before it can load an element is one addition.

use crate::effort::{Effort, Patience};
use crate::entity::{Block, Inst, Type, Value};
use crate::function::{BranchTarget, Function, Terminator};
use crate::graph::Graph;
use crate::op::{Effect, Op};
use crate::scalar::evaluate;
use std::collections::{HashMap, HashSet};

/// Most operations that are calculated for a function.
const MOST_CALCULATED: usize = 1 << 16;

/// Gives whether something changed.
pub(super) fn run(function: &mut Function, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let graph = Graph::new(function);
    let heads: Vec<Block> = graph.loop_heads().collect();
    let (mut changed, mut calculated) = (false, 0);
    for head in heads {
        if let Some(counted) = Loop::new(function, &graph, head, &patience) {
            let indices = counted.indices(function, &graph, &mut calculated);
            if !patience.spend(indices.len() * counted.insts.len()) {
                break;
            }
            changed |= !indices.is_empty();
            count(function, &counted, indices);
        }
    }
    changed
}

/// A loop whose passes can be calculated.
struct Loop {
    head: Block,
    /// The blocks that lead into it.
    entries: Vec<Block>,
    /// The only block that leads around it.
    latch: Block,
    body: Vec<Block>,
    /// The counters: number of the parameter, first value, next value.
    counters: Vec<(usize, u32, Value)>,
    /// What depends on them and on constants only, in order.
    insts: Vec<Inst>,
    test: Test,
}

/// The test that ends it.
struct Test {
    mask: Value,
    /// Whether it is left when the mask holds.
    leaves: bool,
    /// The block to which it goes on.
    stays: Block,
}

/// An index that grows by the same step in every pass.
struct Index {
    inst: Inst,
    first: u32,
    step: u32,
    /// The greatest of its values.
    most: u32,
}

impl Loop {
    fn new(function: &Function, graph: &Graph, head: Block, patience: &Patience) -> Option<Self> {
        let (latches, mut entries): (Vec<Block>, Vec<Block>) =
            graph.predecessors(head).iter().partition(|&&from| graph.is_loop_edge(from, head));
        entries.dedup();
        let &[latch] = latches.as_slice() else { return None };
        if !patience.spend(graph.order.len()) {
            return None;
        }
        let body = graph.natural_loop(head)?;
        let size: usize = body.iter().map(|&block| 1 + function.insts(block).len()).sum();
        let to_head = |from: &Block| function.terminator(*from).targets().filter(|target| target.block == head);
        let around: &BranchTarget = to_head(&latch).next()?;
        let start = |number: usize| {
            let mut starts = entries.iter().flat_map(to_head).map(|target| function.lane_constant(target.args[number]));
            let first = starts.next()??;
            starts.all(|start| start == Some(first)).then_some(first)
        };
        let mut counters: Vec<(usize, u32, Value)> =
            (0..around.args.len()).filter_map(|number| Some((number, start(number)?, around.args[number]))).collect();
        // What does not come around by such steps is not a counter, nor is what depends on it.
        let (insts, known) = loop {
            if !patience.spend(function.value_count() + size) {
                return None;
            }
            let (insts, known) = calculable(function, head, &body, &counters);
            let before = counters.len();
            counters.retain(|&(.., next)| known[next.index()] || function.lane_constant(next).is_some());
            if counters.len() == before {
                break (insts, known);
            }
        };
        let is_body: HashSet<Block> = body.iter().copied().collect();
        let test = body.iter().filter(|&&block| graph.dominates(block, latch)).find_map(|&block| {
            let Terminator::Any { mask, then, otherwise } = function.terminator(block) else { return None };
            let is_inside = [then, otherwise].map(|target| is_body.contains(&target.block));
            let stays = if is_inside[0] { then.block } else { otherwise.block };
            let ends = known[mask.index()] && is_inside[0] != is_inside[1] && graph.predecessors(stays).len() == 1;
            ends.then_some(Test { mask: *mask, leaves: is_inside[1], stays })
        })?;
        (!counters.is_empty()).then_some(Self { head, entries, latch, body, counters, insts, test })
    }

    /// The indices of what every whole pass does that grow by the same step. Counts what is calculated.
    fn indices(&self, function: &Function, graph: &Graph, calculated: &mut usize) -> Vec<Index> {
        let is_index = |inst: &&Inst| matches!(function.op(**inst), Op::FloatToIndex { .. });
        let candidates: Vec<Inst> = self.insts.iter().filter(is_index).copied().collect();
        if candidates.is_empty() {
            return Vec::new();
        }
        let mut values: Vec<Option<u32>> = constants(function);
        for &(number, first, _) in &self.counters {
            values[function.params(self.head)[number].index()] = Some(first);
        }
        let mut passes: HashMap<Inst, Vec<u32>> = HashMap::new();
        while *calculated < MOST_CALCULATED {
            *calculated += self.insts.len();
            if self.pass(function, &mut values).is_none() {
                return Vec::new();
            }
            let value = |value: Value| values[value.index()];
            if value(self.test.mask).is_none_or(|mask| (mask != 0) == self.test.leaves) {
                return self.growing(function, graph, &candidates, &passes);
            }
            for &inst in &candidates {
                passes.entry(inst).or_default().extend(value(function.result(inst)));
            }
            let next: Vec<Option<u32>> = self.counters.iter().map(|&(.., next)| value(next)).collect();
            for (&(number, ..), next) in self.counters.iter().zip(next) {
                values[function.params(self.head)[number].index()] = next;
            }
        }
        Vec::new()
    }

    /// Calculates a pass; `None` if a value has open bits.
    fn pass(&self, function: &Function, values: &mut [Option<u32>]) -> Option<()> {
        for &inst in &self.insts {
            let args: Option<Vec<u32>> = function.args(inst).iter().map(|arg| values[arg.index()]).collect();
            let result = evaluate(function.op(inst), &args?)?;
            if f32::from_bits(result).is_nan() {
                return None;
            }
            values[function.result(inst).index()] = Some(result);
        }
        Some(())
    }

    fn growing(
        &self,
        function: &Function,
        graph: &Graph,
        candidates: &[Inst],
        passes: &HashMap<Inst, Vec<u32>>,
    ) -> Vec<Index> {
        let whole = self.body.iter().filter(|&&block| graph.dominates(self.test.stays, block));
        let whole: HashSet<Inst> = whole.flat_map(|&block| function.insts(block)).copied().collect();
        let index = |&inst: &Inst| {
            let values = passes.get(&inst)?;
            let &[first, second, ..] = values.as_slice() else { return None };
            let step = second.wrapping_sub(first);
            let grows = step != 0 && values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
            let most = values.iter().copied().max()?;
            (grows && whole.contains(&inst)).then_some(Index { inst, first, step, most })
        };
        candidates.iter().filter_map(index).collect()
    }
}

/// The constants of a function, by value.
fn constants(function: &Function) -> Vec<Option<u32>> {
    let constant = |value| function.lane_constant(value).or_else(|| function.mask_constant(value).map(u32::from));
    (0..function.value_count()).map(|value| constant(Value::new(value))).collect()
}

/// The operations of a loop that depend on these counters and constants only, and which values are made of them.
fn calculable(
    function: &Function,
    head: Block,
    body: &[Block],
    counters: &[(usize, u32, Value)],
) -> (Vec<Inst>, Vec<bool>) {
    let mut known = vec![false; function.value_count()];
    for &(number, ..) in counters {
        known[function.params(head)[number].index()] = true;
    }
    let mut insts = Vec::new();
    for &inst in body.iter().flat_map(|&block| function.insts(block)) {
        let (op, args) = (function.op(inst), function.args(inst));
        let is_constant =
            |arg: &Value| matches!(function.defining_op(*arg), Some((Op::Lane { .. } | Op::Mask { .. }, _)));
        let is_lane_by_lane = op.effect() == Effect::Pure && op.info().results.len() == 1 && !args.is_empty();
        if is_lane_by_lane
            && args.iter().all(|arg| known[arg.index()] || is_constant(arg))
            && evaluate(op, &vec![0; args.len()]).is_some()
        {
            known[function.result(inst).index()] = true;
            insts.push(inst);
        }
    }
    (insts, known)
}

/// Counts these indices as integers.
fn count(function: &mut Function, counted: &Loop, indices: Vec<Index>) {
    // Indices with the same step lie at a distance from each other that stays.
    let mut variables: HashMap<u32, (Value, u32)> = HashMap::new();
    for Index { inst, first, step, most } in indices {
        let (variable, from) =
            *variables.entry(step).or_insert_with(|| (variable(function, counted, (first, step)), first));
        let mut made = Vec::new();
        let mut add = |function: &mut Function, op: Op, args: &[Value]| {
            let inst = function.make_inst(op, args);
            made.push(inst);
            function.result(inst)
        };
        let mut index = variable;
        if first != from {
            let distance = add(function, Op::Uniform { value: first.wrapping_sub(from).cast_signed() }, &[]);
            index = add(function, Op::UniformAdd {}, &[index, distance]);
        }
        // It says for everyone who reads the operation alone what the index cannot exceed.
        let bits = u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
        let bits = add(function, Op::Uniform { value: bits.cast_signed() }, &[]);
        let index = add(function, Op::UniformAnd {}, &[index, bits]);
        function.replace_op(inst, Op::Splat {}, &[index]);
        for &block in &counted.body {
            let insts = &mut function.blocks[block.index()].insts;
            if let Some(place) = insts.iter().position(|&other| other == inst) {
                insts.splice(place..place, made.drain(..));
            }
        }
    }
}

/// A parameter of the loop's head that begins with the first number and grows by the second.
fn variable(function: &mut Function, counted: &Loop, (first, step): (u32, u32)) -> Value {
    let variable = function.add_param(counted.head, Type::Uniform);
    let constant = |function: &mut Function, value: u32, block: Block| {
        let inst = function.make_inst(Op::Uniform { value: value.cast_signed() }, &[]);
        function.blocks[block.index()].insts.push(inst);
        function.result(inst)
    };
    let step = constant(function, step, counted.latch);
    let next = function.make_inst(Op::UniformAdd {}, &[variable, step]);
    function.blocks[counted.latch.index()].insts.push(next);
    let next = function.result(next);
    let mut edges: Vec<(Block, Value)> = vec![(counted.latch, next)];
    for &entry in &counted.entries {
        let first = constant(function, first, entry);
        edges.push((entry, first));
    }
    for (from, value) in edges {
        let targets = function.blocks[from.index()].terminator.iter_mut().flat_map(Terminator::targets_mut);
        targets.filter(|target| target.block == counted.head).for_each(|target| target.args.push(value));
    }
    variable
}
