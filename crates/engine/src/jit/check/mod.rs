//! A checker of machine code: that no access leaves its object, and that the bytes are the instructions that were checked.
//!
//! Whatever a guest does, code may touch only what its context leads to: constants, tables, surfaces, buffers, arrays, the
//! frame. Selection sees to that with clamps, masks, windows, and ranges of values. A mistake there would let a guest
//! reach the host's memory; so nothing that selection says is taken for granted here. Code that this module cannot prove is
//! not run.
//!
//! # The argument
//!
//! 1. *What is given* is in `objects`: the size of every object, by the function's declarations and the surfaces' facts, which
//!    [`Kernel::fits`](super::Kernel) compares with each run's bindings; and the positions that code is called for
//!    ([`Calls`]), which every call checks.
//! 2. *What registers hold* is in `registers`: for each virtual register of the final machine instructions (after two groups
//!    were interleaved, masks split and instructions reordered) an interval of integers or floats, or an object and places
//!    in it. It comes from the one instruction that defines the register, by rounds over the blocks until nothing moves;
//!    that there is one, and that it comes before every use, is checked first. Pointers are known by the entries of the
//!    context that they were loaded from, so that an access names its object itself.
//! 3. *What masks say* is in `facts`: in the lanes of a mask, a register is below the bound that it was compared with. Such a
//!    fact stays true wherever the mask can be used, since each register is defined once, and the definition of the
//!    compared register comes before that of the mask on every way. A branch that has found a mask empty says the opposite
//!    of all lanes, in the block that only it leads to.
//! 4. Every memory operand has to lie in its object, with all of its bytes; a gather or scatter in every lane of its mask.
//!    What masked stores of whole vectors leave out is not counted: all of the vector has to lie inside. Written may be
//!    only what the function writes, and no more of the context than flags and the mark of a stop.
//! 5. The proof is about virtual registers. `places` decodes the emitted bytes and follows where each of them is, through
//!    copies, spills, the moves between blocks, and what the encoder makes several instructions of. Each operand of
//!    each instruction has to be found holding the register that the instruction names, on every way that leads
//!    there.
//!
//! Points 1 to 4 are checked of all code, point 5 in builds with debug assertions and where it is asked for. Not checked are
//! the encoder's fixed sequences: the way in and out, and what is done about steps.
//!
//! What cannot be shown is a [`Fault`]; `Unit::new` then tries code that takes nothing from what is known of
//! the function's values, and gives up if that has one too.

mod facts;
mod objects;
mod places;
mod registers;
mod value;

#[cfg(test)]
mod tests;

pub use objects::{Calls, Object, Objects};
pub use places::check_places;

use crate::jit::allocate::Live;
use crate::jit::form::Form;
use crate::jit::mir::{Arg, Base, Class, Inst, Kind, Machine, Mem, Reg};
use iced_x86::{Code, Instruction};
use registers::{Bound, Fact, Registers};
use thiserror::Error;
use value::Value;

/// Why an instruction cannot be shown to be safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    #[error("an address that is not known to lie in any object")]
    UnknownAddress,
    #[error("{bytes} bytes from byte {first} to {last} of {object}, which has {size}")]
    Outside { object: Object, first: i64, last: i64, bytes: u64, size: u64 },
    #[error("lanes that may lie outside of {0}")]
    Unbounded(Object),
    #[error("a write to {0}, which code only reads")]
    ReadOnly(Object),
    #[error("a register that is defined twice")]
    DefinedTwice,
    #[error("a register that may be used before it is defined")]
    Undefined,
    #[error("a register that holds something else than its instruction names")]
    WrongRegister,
    #[error("bytes that are not the instruction")]
    WrongBytes,
    #[error("a place in the frame that is not one")]
    OutsideFrame,
}

/// What cannot be shown: the instruction with this number in a block, or the end of the block behind its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("block {block}, instruction {inst}: {cause}")]
pub struct Fault {
    pub block: usize,
    pub inst: usize,
    pub cause: Cause,
}

/// Shows that every access of a function lies in its object; gives how many there are.
pub fn check_accesses(machine: &Machine, live: &Live, form: Form, objects: &Objects) -> Result<usize, Fault> {
    check_definitions(machine, live)?;
    // Nobody may call it.
    if objects.entry.is_empty() {
        return Ok(0);
    }
    let registers = Registers::new(machine, form, objects);
    let mut ways: Vec<Vec<usize>> = vec![Vec::new(); machine.blocks.len()];
    for (from, block) in machine.blocks.iter().enumerate() {
        block.end.edges().for_each(|edge| ways[edge.block].push(from));
    }
    let mut accesses = 0;
    for (number, block) in machine.blocks.iter().enumerate() {
        let facts = match ways[number].as_slice() {
            &[from] => registers.facts_of_branch(from, number),
            _ => Vec::new(),
        };
        let checker = Checker { registers: &registers, facts };
        for (at, inst) in block.insts.iter().enumerate() {
            let counted = checker.inst(inst).map_err(|cause| Fault { block: number, inst: at, cause })?;
            accesses += counted;
        }
        for edge in block.end.edges() {
            for (arg, &param) in edge.args.iter().zip(&machine.blocks[edge.block].params) {
                if let Arg::Mem(mem) = *arg {
                    let bytes = moved_bytes(machine.classes[param.index()], mem, form);
                    let checked = checker.access(mem, bytes, false);
                    checked.map_err(|cause| Fault { block: number, inst: block.insts.len(), cause })?;
                    accesses += 1;
                }
            }
        }
    }
    Ok(accesses)
}

/// Shows that every register is defined once, and before it is used on every way: in its block, or by what is live there,
/// as nothing is where the code starts.
fn check_definitions(machine: &Machine, live: &Live) -> Result<(), Fault> {
    const NOWHERE: usize = usize::MAX;
    let mut homes = vec![NOWHERE; machine.classes.len()];
    for (block, of) in machine.blocks.iter().enumerate() {
        let results = of.insts.iter().enumerate().filter_map(|(inst, of)| Some((inst, of.def?)));
        for (inst, reg) in of.params.iter().map(|&param| (0, param)).chain(results) {
            if std::mem::replace(&mut homes[reg.index()], block) != NOWHERE {
                return Err(Fault { block, inst, cause: Cause::DefinedTwice });
            }
        }
    }
    let mut is_defined = vec![false; homes.len()];
    for (block, of) in machine.blocks.iter().enumerate() {
        of.params.iter().for_each(|param| is_defined[param.index()] = true);
        for (inst, of) in of.insts.iter().enumerate() {
            let mut is_known = true;
            of.for_each_use(|reg| is_known &= is_usable(&homes, &is_defined, reg, block));
            if !is_known {
                return Err(Fault { block, inst, cause: Cause::Undefined });
            }
            if let Some(def) = of.def {
                is_defined[def.index()] = true;
            }
        }
        let mut args = of.end.edges().flat_map(|edge| &edge.args).filter_map(|arg| arg.reg());
        if !args.all(|reg| is_usable(&homes, &is_defined, reg, block)) {
            return Err(Fault { block, inst: of.insts.len(), cause: Cause::Undefined });
        }
    }
    let is_given = live.at_start(0).next().is_some() || !machine.blocks[0].params.is_empty();
    if is_given { Err(Fault { block: 0, inst: 0, cause: Cause::Undefined }) } else { Ok(()) }
}

/// Whether a register is defined in an earlier block than this one, or has been defined here. Blocks lie in an order in which
/// that is so, which lets one round over them see all definitions.
fn is_usable(homes: &[usize], is_defined: &[bool], reg: Reg, block: usize) -> bool {
    let home = homes[reg.index()];
    home < block || home == block && is_defined[reg.index()]
}

/// Bytes that an instruction reads or writes at its memory operand.
fn operand_bytes(inst: &Inst, mem: Mem, form: Form) -> u64 {
    let (Kind::Plain(code) | Kind::Tied(code)) = inst.kind else {
        return if mem.broadcast { 4 } else { form.bytes().unsigned_abs().into() };
    };
    let mut instruction = Instruction::new();
    instruction.set_code(code);
    instruction.set_is_broadcast(mem.broadcast);
    instruction.memory_size().size() as u64
}

/// Bytes that are read for a parameter of this class.
fn moved_bytes(class: Class, mem: Mem, form: Form) -> u64 {
    match class {
        Class::Vector if mem.broadcast => 4,
        Class::Vector => u64::from(form.bytes().unsigned_abs()),
        Class::Mask => 2,
        Class::General => 4,
    }
}

/// Whether an instruction without a definition writes to its first operand, as all do that are not known to only read it.
fn writes_first(code: Code) -> bool {
    !matches!(code, Code::Cmp_rm32_imm32 | Code::Test_rm8_imm8 | Code::Ldmxcsr_m32)
}

/// Accesses of a block.
struct Checker<'a> {
    registers: &'a Registers<'a>,
    /// What holds in the block, in every lane.
    facts: Vec<Fact>,
}

impl Checker<'_> {
    fn inst(&self, inst: &Inst) -> Result<usize, Cause> {
        let mut accesses = 0;
        for (at, arg) in inst.args.iter().enumerate() {
            let Arg::Mem(mem) = *arg else { continue };
            match inst.kind {
                Kind::Gather => self.lanes(mem, inst.mask, false)?,
                Kind::Scatter => self.lanes(mem, inst.mask, true)?,
                Kind::Plain(Code::Lea_r64_m) => continue,
                Kind::Plain(code) | Kind::Tied(code) => {
                    let is_written = at == 0 && inst.def.is_none() && writes_first(code);
                    self.access(mem, operand_bytes(inst, mem, self.registers.form), is_written)?;
                }
                Kind::Fma { .. } => self.access(mem, operand_bytes(inst, mem, self.registers.form), false)?,
                Kind::Count(_) | Kind::Steps(_) => return Err(Cause::UnknownAddress),
            }
            accesses += 1;
        }
        Ok(accesses)
    }

    /// An access to so many bytes.
    fn access(&self, mem: Mem, bytes: u64, is_written: bool) -> Result<(), Cause> {
        if self.registers.is_impossible(mem, &self.facts) {
            return Ok(());
        }
        let address = self.registers.address(mem, |reg| self.registers.refined(reg, &self.facts));
        let (object, first, last) = address.ok_or(Cause::UnknownAddress)?;
        self.inside(object, (first, last), bytes, is_written)
    }

    fn inside(&self, object: Object, (first, last): (i64, i64), bytes: u64, is_written: bool) -> Result<(), Cause> {
        let Registers { machine, objects, .. } = self.registers;
        if is_written && !(objects.is_writable(object, first, bytes) && objects.is_writable(object, last, bytes)) {
            return Err(Cause::ReadOnly(object));
        }
        let size = objects.bytes(object, machine.pool.len());
        if bytes == 0 || first < 0 || last + bytes.cast_signed() > size.cast_signed() {
            return Err(Cause::Outside { object, first, last, bytes, size });
        }
        Ok(())
    }

    /// A word in every lane of a mask, or in all lanes.
    fn lanes(&self, mem: Mem, mask: Option<Reg>, is_written: bool) -> Result<(), Cause> {
        let registers = self.registers;
        let mut facts = self.facts.clone();
        if let Some(mask) = mask {
            registers.facts_of_mask(mask, true, &mut facts);
        }
        if let Some((buffer, index)) = self.buffer(mem) {
            let object = Object::Buffer(buffer);
            if is_written && !registers.objects.is_writable(object, 0, 4) {
                return Err(Cause::ReadOnly(object));
            }
            let address = self.byte_address(index).ok_or(Cause::Unbounded(object))?;
            let is_below = facts.contains(&Fact { reg: address, bound: Bound::BelowWords(buffer) });
            return if is_below { Ok(()) } else { Err(Cause::Unbounded(object)) };
        }
        if registers.is_impossible(mem, &facts) {
            return Ok(());
        }
        let address = registers.address(mem, |reg| registers.refined(reg, &facts));
        let (object, first, last) = address.ok_or(Cause::UnknownAddress)?;
        self.inside(object, (first, last), 4, is_written)
    }

    /// The buffer from whose middle an address counts in bytes, and what is counted.
    fn buffer(&self, mem: Mem) -> Option<(usize, Reg)> {
        let base = match mem.base {
            Base::Reg(base) => self.registers.value(base),
            Base::Pool | Base::Context => return None,
        };
        let Value::Pointer(Object::Buffer(buffer), lo, hi) = base else { return None };
        let middle = crate::jit::BUFFER_MIDDLE as i64;
        let counts_bytes = mem.scale == 1 && mem.disp == 0 && (lo, hi) == (middle, middle);
        mem.index.filter(|_| counts_bytes).map(|index| (buffer, index))
    }

    /// The unsigned address that a register is, less 2^31.
    fn byte_address(&self, offset: Reg) -> Option<Reg> {
        let inst = self.registers.definition(offset)?;
        let Kind::Plain(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 | Code::VEX_Vpxor_ymm_ymm_ymmm256) = inst.kind else {
            return None;
        };
        let is_middle = self.registers.operand(inst, 1).int().as_constant() == Some(1 << 31) && inst.mask.is_none();
        inst.args[0].reg().filter(|_| is_middle)
    }
}
