//! Putting a function in order.

use crate::entity::{Block, Inst, Value};
use crate::function::{BlockData, Def, Function, ValueData};
use crate::graph::Graph;

impl Function {
    /// Drops blocks that cannot be reached, puts the others in reverse postorder, and numbers blocks, instructions and
    /// values in the order of the text. Nothing that the function does changes. The function must pass the verifier.
    pub fn compact(&mut self) {
        let order = Graph::new(self).order;
        let mut new_block = vec![Block(u32::MAX); self.block_count()];
        for (at, block) in order.iter().enumerate() {
            new_block[block.index()] = Block::new(at);
        }
        let mut old = std::mem::take(self);
        self.surfaces = std::mem::take(&mut old.surfaces);
        self.tables = std::mem::take(&mut old.tables);
        self.arrays = std::mem::take(&mut old.arrays);
        self.buffers = old.buffers;
        self.blocks.reserve_exact(order.len());
        self.insts.reserve_exact(old.live_inst_count());
        self.pool.reserve(old.pool.len());
        self.values.reserve(old.values.len());
        let mut new_value = vec![Value(u32::MAX); old.value_count()];
        for (at, &from) in order.iter().enumerate() {
            let block = Block::new(at);
            let data = std::mem::take(&mut old.blocks[from.index()]);
            let mut params = Vec::with_capacity(data.params.len());
            for (number, param) in data.params.iter().enumerate() {
                params.push(self.push_value(&old, *param, Def::Param(block, number as u32), &mut new_value));
            }
            let mut insts = Vec::with_capacity(data.insts.len());
            for inst in data.insts {
                let number = Inst::new(self.insts.len());
                let results = old.results(inst);
                let first_result = Value::new(self.values.len());
                for (at, result) in results.enumerate() {
                    self.push_value(&old, result, Def::Result(number, at as u32), &mut new_value);
                }
                self.insts.push(old.insts[inst.index()].moved(self.pool.len(), first_result));
                self.pool.extend_from_slice(old.args(inst));
                insts.push(number);
            }
            self.blocks.push(BlockData { params, insts, terminator: data.terminator });
        }
        self.map_operands(|value| new_value[value.index()]);
        for block in &mut self.blocks {
            for target in block.terminator.iter_mut().flat_map(|terminator| terminator.targets_mut()) {
                target.block = new_block[target.block.index()];
            }
        }
    }

    fn push_value(&mut self, old: &Self, value: Value, def: Def, new_value: &mut [Value]) -> Value {
        let new = Value::new(self.values.len());
        self.values.push(ValueData { ty: old.value_type(value), def });
        new_value[value.index()] = new;
        new
    }
}
