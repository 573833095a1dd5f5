//! One walk over a function: that registers are defined once and before they are used, and which instructions the proof of
//! accesses has to look at.

use super::{Cause, Fault};
use crate::mir::{Arg, Class, Inst, InstKind, MachineFunction, Reg};
use crate::target::{Semantics, Target};

/// What defines a register.
#[derive(Clone, Copy)]
enum Definition<'a, O> {
    /// It is a parameter of a block.
    Param,
    Inst(&'a Inst<O>),
}

/// Some of the instructions of each block.
pub struct Selected<'a, O> {
    /// With their numbers in their blocks.
    insts: Vec<(usize, &'a Inst<O>)>,
    /// Where the instructions of each block end.
    ends: Vec<usize>,
}

impl<'a, O> Selected<'a, O> {
    fn new(blocks: usize) -> Self {
        Self { insts: Vec::new(), ends: Vec::with_capacity(blocks) }
    }

    fn end_block(&mut self) {
        self.ends.push(self.insts.len());
    }

    /// Those of a block, with their numbers in it.
    pub fn of_block(&self, block: usize) -> &[(usize, &'a Inst<O>)] {
        let first = if block == 0 { 0 } else { self.ends[block - 1] };
        &self.insts[first..self.ends[block]]
    }
}

/// The definitions of a function's registers.
pub struct Definitions<'a, O> {
    /// What defines each register, if anything does.
    of: Vec<Option<Definition<'a, O>>>,
    /// Instructions from whose results something can be known; all others give any bits.
    pub known: Selected<'a, O>,
    /// Instructions with a memory operand.
    pub accessing: Selected<'a, O>,
}

impl<'a, O: Copy> Definitions<'a, O> {
    /// Shows that every register is defined once, and before it is used. Blocks lie in an order in which definitions come first
    /// on every way; what is live at the start would have none.
    pub fn new(machine: &'a MachineFunction<O>, target: impl Target<Op = O>) -> Result<Self, Fault> {
        let blocks = machine.blocks.len();
        let mut of = vec![None; machine.classes.len()];
        let (mut known, mut accessing) = (Selected::new(blocks), Selected::new(blocks));
        for (number, block) in machine.blocks.iter().enumerate() {
            let fault = |inst, cause| Fault { block: number, inst, cause };
            for param in &block.params {
                define(&mut of, *param, Definition::Param).map_err(|cause| fault(0, cause))?;
            }
            for (at, inst) in block.insts.iter().enumerate() {
                let mut is_defined = true;
                inst.for_each_use(|reg| is_defined &= of[reg.index()].is_some());
                if !is_defined {
                    return Err(fault(at, Cause::Undefined));
                }
                if let Some(def) = inst.def {
                    define(&mut of, def, Definition::Inst(inst)).map_err(|cause| fault(at, cause))?;
                    // What masks hold is in `constraints`.
                    let is_mask = machine.classes[def.index()] == Class::Mask;
                    if !is_mask
                        && (matches!(inst.kind, InstKind::Gather) || target.semantics(inst) != Semantics::Unknown)
                    {
                        known.insts.push((at, inst));
                    }
                }
                if inst.args.iter().any(|arg| matches!(arg, Arg::Mem(_))) {
                    accessing.insts.push((at, inst));
                }
            }
            known.end_block();
            accessing.end_block();
            let mut are_defined = true;
            for arg in block.end.edges().flat_map(|edge| &edge.args) {
                arg.for_each_use(|reg| are_defined &= of[reg.index()].is_some());
            }
            if !are_defined {
                return Err(fault(block.insts.len(), Cause::Undefined));
            }
        }
        Ok(Self { of, known, accessing })
    }

    /// The instruction that defines a register, if it is not a parameter.
    pub fn inst(&self, reg: Reg) -> Option<&'a Inst<O>> {
        match self.of[reg.index()] {
            Some(Definition::Inst(inst)) => Some(inst),
            Some(Definition::Param) | None => None,
        }
    }
}

fn define<'a, O>(of: &mut [Option<Definition<'a, O>>], reg: Reg, definition: Definition<'a, O>) -> Result<(), Cause> {
    match of[reg.index()].replace(definition) {
        None => Ok(()),
        Some(_) => Err(Cause::DefinedTwice),
    }
}
