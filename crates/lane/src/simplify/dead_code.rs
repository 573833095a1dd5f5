//! Removes what nobody wants. What is wanted is marked from effects and decisions backwards, so circles of parameters and
//! instructions that only want each other go as well.

use super::redundant_params;
use crate::entity::{Inst, Value};
use crate::function::{Def, Function};
use crate::op::{Effect, Op};

pub(crate) fn run(function: &mut Function) -> bool {
    let mut marker = Marker { function, wanted: vec![false; function.value_count()], work: Vec::new() };
    let read = arrays_read(function);
    for block in function.blocks() {
        for &inst in function.insts(block).iter().filter(|&&inst| has_effect(function, &read, inst)) {
            function.args(inst).iter().for_each(|&arg| marker.want(arg));
        }
        function.terminator(block).operands().for_each(|value| marker.want(value));
    }
    marker.finish();
    let wanted = marker.wanted;
    let mut changed = false;
    for at in 0..function.blocks.len() {
        let mut insts = std::mem::take(&mut function.blocks[at].insts);
        let before = insts.len();
        insts.retain(|&inst| {
            has_effect(function, &read, inst) || function.results(inst).any(|result| wanted[result.index()])
        });
        changed |= insts.len() != before;
        function.blocks[at].insts = insts;
        changed |= function.blocks[at].params.iter().any(|param| !wanted[param.index()]);
    }
    if changed {
        redundant_params::retain(function, |param| wanted[param.index()]);
    }
    changed
}

/// Which arrays some instruction reads.
fn arrays_read(function: &Function) -> Vec<bool> {
    let mut read = vec![false; function.arrays.len()];
    if read.is_empty() {
        return read;
    }
    for block in function.blocks() {
        let ops = function.insts(block).iter().map(|&inst| function.op(inst));
        for (array, _) in ops.filter(|op| op.effect() == Effect::ReadsArray).filter_map(Op::array) {
            read[array.index()] = true;
        }
    }
    read
}

/// Whether the instruction matters even if nobody wants its results.
fn has_effect(function: &Function, read: &[bool], inst: Inst) -> bool {
    let op = function.op(inst);
    match op.effect() {
        Effect::Pure | Effect::ReadsArray => false,
        // A load from a surface that is not wholly there may report an access out of range.
        Effect::ReadsMemory => op.surface().is_some_and(|surface| !function.surfaces[surface.index()].whole),
        Effect::WritesArray => op.array().is_some_and(|(array, _)| read[array.index()]),
        Effect::WritesMemory | Effect::Counts => true,
    }
}

struct Marker<'a> {
    function: &'a Function,
    wanted: Vec<bool>,
    work: Vec<Value>,
}

impl Marker<'_> {
    fn want(&mut self, value: Value) {
        if !std::mem::replace(&mut self.wanted[value.index()], true) {
            self.work.push(value);
        }
    }

    fn finish(&mut self) {
        let function = self.function;
        let mut sources = vec![Vec::new(); function.block_count()];
        for block in function.blocks() {
            for target in function.terminator(block).targets() {
                sources[target.block.index()].push(target);
            }
        }
        while let Some(value) = self.work.pop() {
            match function.def(value) {
                Def::Result(inst, _) => function.args(inst).iter().for_each(|&arg| self.want(arg)),
                Def::Param(block, number) => {
                    sources[block.index()].iter().for_each(|target| self.want(target.args[number as usize]));
                }
            }
        }
    }
}
