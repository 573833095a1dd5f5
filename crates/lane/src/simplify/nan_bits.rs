//! Removes operations that fix the bits of NaNs which nothing observes.

use super::replacement::ValueReplacement;
use crate::entity::{Type, Value};
use crate::function::{Def, Function};
use crate::graph::Graph;
use crate::op::{Effect, NanBits, Op};

/// The lane values whose bits something observes in case they are NaNs.
pub(crate) struct Observed {
    observed: Vec<bool>,
    work: Vec<Value>,
}

impl Observed {
    pub(crate) fn new(function: &Function, graph: &Graph) -> Self {
        let mut all = Self { observed: vec![false; function.value_count()], work: Vec::new() };
        let mut stored = vec![Vec::new(); function.arrays.len()];
        for &block in &graph.order {
            for &inst in function.insts(block) {
                let op = function.op(inst);
                let operands = function.args(inst).iter().zip(op.info().operands);
                let lanes = operands.filter(|(_, (_, ty))| *ty == Type::Lane);
                // What a normalized surface stores says nothing of a NaN but that it was one; only coordinates count.
                let normalized = op.effect() == Effect::WritesMemory
                    && op.surface().is_some_and(|surface| function.surfaces[surface.index()].unit);
                match (op.nan_bits(), op.array()) {
                    (NanBits::Observed, _) if normalized => lanes.take(2).for_each(|(&arg, _)| all.observe(arg)),
                    (NanBits::Observed, _) => lanes.for_each(|(&arg, _)| all.observe(arg)),
                    (NanBits::Stored, Some((array, _))) => {
                        for (&arg, &(name, _)) in lanes {
                            if name == "v" {
                                stored[array.index()].push(arg);
                            } else {
                                all.observe(arg);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        all.spread(function, graph, &stored);
        all
    }

    /// Whether something observes the bits of the value.
    pub(crate) fn get(&self, value: Value) -> bool {
        self.observed[value.index()]
    }

    fn observe(&mut self, value: Value) {
        if !std::mem::replace(&mut self.observed[value.index()], true) {
            self.work.push(value);
        }
    }

    /// Goes back through everything that passes bits on.
    fn spread(&mut self, function: &Function, graph: &Graph, stored: &[Vec<Value>]) {
        while let Some(value) = self.work.pop() {
            match function.def(value) {
                Def::Param(block, number) => {
                    for &from in graph.predecessors(block) {
                        for target in function.terminator(from).targets().filter(|target| target.block == block) {
                            self.observe(target.args[number as usize]);
                        }
                    }
                }
                Def::Result(inst, _) => match (function.op(inst), function.op(inst).nan_bits()) {
                    (_, NanBits::Passed) => {
                        for &arg in function.args(inst) {
                            if function.value_type(arg) == Type::Lane {
                                self.observe(arg);
                            }
                        }
                    }
                    (op, NanBits::Stored) if op.effect() == Effect::ReadsArray => {
                        let (array, _) = op.array().expect("what reads an array names it");
                        stored[array.index()].iter().for_each(|&value| self.observe(value));
                    }
                    _ => {}
                },
            }
        }
    }
}

pub(crate) fn run(function: &mut Function, graph: &Graph) -> bool {
    let observed = Observed::new(function, graph);
    let mut replacement = ValueReplacement::new(function);
    let mut changed = false;
    for &block in &graph.order {
        let mut insts = std::mem::take(&mut function.blocks[block.index()].insts);
        insts.retain(|&inst| {
            let result = function.result(inst);
            let fixes = matches!(function.op(inst), Op::CanonNan { .. } | Op::PassNan {});
            if !fixes || observed.get(result) {
                return true;
            }
            replacement.set(result, function.args(inst)[0]);
            changed = true;
            false
        });
        function.blocks[block.index()].insts = insts;
    }
    if changed {
        replacement.apply(function);
    }
    changed
}
