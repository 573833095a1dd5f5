//! A checker of machine code: that no access leaves its object, and that the bytes are the instructions that were checked.
//!
//! Whatever a guest does, code may touch only what its context leads to: constants, tables, surfaces, buffers, arrays, the
//! frame. Selection sees to that with clamps, masks, windows, and ranges of values. A mistake there would let a guest
//! reach the host's memory; so nothing that selection says is taken for granted here. Code that this module cannot prove is
//! not run.
//!
//! # The argument
//!
//! 1. *What is given* is in `objects`: the size of every object, by the function's declarations and the surfaces' layouts, which
//!    [`Kernel::fits`](crate::kernel::Kernel) compares with each run's bindings; and the positions that code is called for
//!    ([`Calls`]), which every call checks.
//! 2. *What registers hold* is in `registers`: for each virtual register of the final machine instructions (after several groups
//!    were interleaved, masks split and instructions reordered) an interval of integers or floats, or an object and offsets
//!    in it. It comes from the one instruction that defines the register, by rounds over the blocks until nothing moves;
//!    that there is one, and that it comes before every use, is checked first. Pointers are known by the entries of the
//!    context that they were loaded from, so that an access names its object itself.
//!    What an instruction does is the target's [`Semantics`], which the target states apart from its selection.
//! 3. *What masks say* is in `constraints`: in the lanes of a mask, a register is below the bound that it was compared with. Such a
//!    constraint stays true wherever the mask can be used, since each register is defined once, and the definition of the
//!    compared register comes before that of the mask on every way. A branch that has found a mask empty says the opposite
//!    of all lanes, in the block that only it leads to.
//! 4. Every memory operand has to lie in its object, with all of its bytes; a gather or scatter in every lane of its mask.
//!    What masked stores of whole vectors leave out is not counted: all of the vector has to lie inside. Written may be
//!    only what the function writes, and no more of the context than flags and the mark of a stop.
//! 5. The proof is about virtual registers. `locations` decodes the emitted bytes and follows where each of them is, through
//!    copies, spills, the moves between blocks, and what the encoder makes several instructions of. Each operand of
//!    each instruction has to be found holding the register that the instruction names, on every way that leads
//!    there.
//!
//! Points 1 to 4 are checked of all code, point 5 in builds with debug assertions and where it is asked for. Not checked are
//! the encoder's fixed sequences: the way in and out, and what is done about steps.
//!
//! What cannot be shown is a [`Fault`]; `CodePiece::new` then tries code that takes nothing from what is known of
//! the function's values, and gives up if that has one too.

mod constraints;
mod definitions;
mod locations;
mod objects;
mod registers;
mod value;

pub use locations::{Checked, Content, Decoded, Decoding, Jump, Locations, State, check_locations, first_of};
pub use objects::{Calls, Object, Objects};

use crate::allocate::Live;
use crate::mir::{Arg, Base, Class, Inst, InstKind, MachineFunction, Mem, Reg};
use crate::target::{Operation, Semantics, Target};
use definitions::Definitions;
use registers::{Bound, Constraint, Registers};
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
    #[error("bytes of the frame outside of all slots")]
    OutsideFrame,
}

/// What cannot be shown: the instruction with this number in a block, or the end of the block after its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("block {block}, instruction {inst}: {cause}")]
pub struct Fault {
    pub block: usize,
    pub inst: usize,
    pub cause: Cause,
}

/// Shows that every access of a function lies in its object; gives how many there are.
pub fn check_accesses<T: Target>(
    machine: &MachineFunction<T::Op>,
    live: &Live,
    target: T,
    objects: &Objects,
) -> Result<usize, Fault> {
    let definitions = Definitions::new(machine, target)?;
    if live.at_start(0).next().is_some() || !machine.blocks[0].params.is_empty() {
        return Err(Fault { block: 0, inst: 0, cause: Cause::Undefined });
    }
    // Nobody may call it.
    if objects.entry.is_empty() {
        return Ok(0);
    }
    let registers = Registers::new(machine, target, objects, definitions);
    let mut predecessors = vec![Predecessors::None; machine.blocks.len()];
    for (from, block) in machine.blocks.iter().enumerate() {
        for edge in block.end.edges() {
            let predecessors = &mut predecessors[edge.block];
            *predecessors =
                if *predecessors == Predecessors::None { Predecessors::One(from) } else { Predecessors::More };
        }
    }
    let mut accesses = 0;
    for (number, predecessors) in predecessors.into_iter().enumerate() {
        let constraints = match predecessors {
            Predecessors::One(from) => registers.constraints_of_branch(from, number),
            Predecessors::None | Predecessors::More => Vec::new(),
        };
        accesses += Checker { registers: &registers, constraints, lanes: None }.block(number)?;
    }
    Ok(accesses)
}

/// The blocks that lead to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Predecessors {
    None,
    One(usize),
    More,
}

/// Bytes that are read for a parameter of this class.
fn moved_bytes(class: Class, mem: Mem, target: impl Target) -> u64 {
    match class {
        Class::Vector if mem.broadcast => 4,
        Class::Vector => u64::from(target.bytes().unsigned_abs()),
        Class::Mask => 2,
        Class::General => 4,
    }
}

/// Accesses of a block.
struct Checker<'a, T: Target> {
    registers: &'a Registers<'a, T>,
    /// What holds in the block, in every lane.
    constraints: Vec<Constraint>,
    /// The last access in lanes: the words of elements are accessed one after the other.
    lanes: Option<Lanes>,
}

/// An access in the lanes of a mask, or in all lanes, to the memory operand without its displacement.
struct Lanes {
    mask: Option<Reg>,
    mem: Mem,
    /// What holds in the lanes.
    constraints: Vec<Constraint>,
    /// There are none.
    is_impossible: bool,
    address: Option<(Object, i64, i64)>,
}

impl<T: Target> Checker<'_, T> {
    /// All instructions and the end of a block.
    fn block(&mut self, number: usize) -> Result<usize, Fault> {
        let Registers { machine, target, definitions, .. } = self.registers;
        let block = &machine.blocks[number];
        let mut accesses = 0;
        for &(at, inst) in definitions.accessing.of_block(number) {
            accesses += self.inst(inst).map_err(|cause| Fault { block: number, inst: at, cause })?;
        }
        let end = block.insts.len();
        let fault = |cause| Fault { block: number, inst: end, cause };
        for edge in block.end.edges() {
            for (arg, &param) in edge.args.iter().zip(&machine.blocks[edge.block].params) {
                if let Arg::Mem(mem) = *arg {
                    self.access(mem, moved_bytes(machine.classes[param.index()], mem, *target), false)
                        .map_err(fault)?;
                    accesses += 1;
                }
            }
        }
        Ok(accesses)
    }

    fn inst(&mut self, inst: &Inst<T::Op>) -> Result<usize, Cause> {
        let mut accesses = 0;
        for (at, arg) in inst.args.iter().enumerate() {
            let Arg::Mem(mem) = *arg else { continue };
            match inst.kind {
                InstKind::Gather => self.lanes(mem, inst.mask, false)?,
                InstKind::Scatter => self.lanes(mem, inst.mask, true)?,
                InstKind::Plain(_) if self.registers.target.semantics(inst) == Semantics::Address => continue,
                InstKind::Plain(code) | InstKind::Tied(code) => {
                    let is_written = at == 0 && inst.def.is_none() && !T::only_reads(code);
                    self.access(mem, self.registers.target.operand_bytes(inst, mem), is_written)?;
                }
                InstKind::Fma { .. } => self.access(mem, self.registers.target.operand_bytes(inst, mem), false)?,
                InstKind::Count(_) | InstKind::Steps(_) => return Err(Cause::UnknownAddress),
            }
            accesses += 1;
        }
        Ok(accesses)
    }

    /// An access to so many bytes.
    fn access(&self, mem: Mem, bytes: u64, is_written: bool) -> Result<(), Cause> {
        if self.registers.is_impossible(mem, &self.constraints) {
            return Ok(());
        }
        let address = self.registers.address(mem, |reg| self.registers.refined(reg, &self.constraints));
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
    fn lanes(&mut self, mem: Mem, mask: Option<Reg>, is_written: bool) -> Result<(), Cause> {
        let whole = Mem { disp: 0, ..mem };
        let lanes = match self.lanes.take().filter(|last| (last.mask, last.mem) == (mask, whole)) {
            Some(last) => last,
            None => self.lanes_of(whole, mask),
        };
        let checked = self.inside_lanes(&lanes, mem, is_written);
        self.lanes = Some(lanes);
        checked
    }

    fn lanes_of(&self, mem: Mem, mask: Option<Reg>) -> Lanes {
        let registers = self.registers;
        let mut constraints = self.constraints.clone();
        if let Some(mask) = mask {
            registers.constraints_of_mask(mask, true, &mut constraints);
        }
        let is_impossible = registers.is_impossible(mem, &constraints);
        let address = registers.address(mem, |reg| registers.refined(reg, &constraints));
        Lanes { mask, mem, constraints, is_impossible, address }
    }

    fn inside_lanes(&self, lanes: &Lanes, mem: Mem, is_written: bool) -> Result<(), Cause> {
        if let Some((buffer, index)) = self.buffer(mem) {
            let object = Object::Buffer(buffer);
            if is_written && !self.registers.objects.is_writable(object, 0, 4) {
                return Err(Cause::ReadOnly(object));
            }
            let address = self.byte_address(index).ok_or(Cause::Unbounded(object))?;
            let is_below = lanes.constraints.contains(&Constraint { reg: address, bound: Bound::BelowWords(buffer) });
            return if is_below { Ok(()) } else { Err(Cause::Unbounded(object)) };
        }
        if lanes.is_impossible {
            return Ok(());
        }
        let (object, first, last) = lanes.address.ok_or(Cause::UnknownAddress)?;
        let disp = i64::from(mem.disp);
        self.inside(object, (first + disp, last + disp), 4, is_written)
    }

    /// The buffer from whose middle an address counts in bytes, and what is counted.
    fn buffer(&self, mem: Mem) -> Option<(usize, Reg)> {
        let base = match mem.base {
            Base::Reg(base) => self.registers.value(base),
            Base::Pool | Base::Context => return None,
        };
        let Value::Pointer(Object::Buffer(buffer), lo, hi) = base else { return None };
        let middle = crate::resources::BUFFER_MIDDLE as i64;
        let counts_bytes = mem.scale == 1 && mem.disp == 0 && (lo, hi) == (middle, middle);
        mem.index.filter(|_| counts_bytes).map(|index| (buffer, index))
    }

    /// The unsigned address that a register is, less 2^31.
    fn byte_address(&self, offset: Reg) -> Option<Reg> {
        let inst = self.registers.definition(offset)?;
        let is_xor =
            self.registers.target.semantics(inst) == Semantics::Integers(Operation::Xor) && inst.mask.is_none();
        let is_middle = is_xor && self.registers.operand(inst, 1).int().as_constant() == Some(1 << 31);
        inst.args[0].reg().filter(|_| is_middle).map(|reg| self.registers.origin(reg))
    }
}
