//! What the emitted bytes do with registers: each operand is where its instruction says, on every way through the code.
//!
//! The bytes are decoded by the target, and followed through each block with what every machine register and every location of the frame
//! holds: one of the virtual registers, or something that does not matter. Copies carry it along. Among the instructions
//! that the encoder made of one machine instruction exactly one does its work, and has its operands; the others copy, or
//! prepare a mask.
//!
//! A block starts with what the allocation claims: every register that it says is live there is in its location. That is
//! shown of each way that leads to the block, where its moves have been made, and nothing is live where the code starts; so
//! it holds whenever the block is entered.

use super::{Cause, Fault};
use crate::allocate::{Allocation, Location, REGISTERS};
use crate::emit::{Emitted, Encoding};
use crate::mir::{Arg, Class, Condition, Edge, End, Inst, InstKind, MachineFunction, Reg, Steps};

/// How the bytes of a target are read.
pub trait Decoding: Encoding {
    /// An instruction that was read from bytes.
    type Decoded: Decoded;

    /// The instructions of bytes, which lie at this offset.
    fn decode(bytes: &[u8], offset: usize) -> Vec<Self::Decoded>;

    /// Shows that instructions do what one machine instruction says, and follows what registers and frame hold.
    fn check_inst(
        locations: &Locations<Self>,
        state: &mut State,
        inst: &Inst<Self::Op>,
        code: &[Self::Decoded],
    ) -> Checked<()>;

    /// Follows a copy of a whole register, to or from a slot of the frame too, or of what lies at one of these operands.
    fn check_copy(locations: &Locations<Self>, state: &mut State, one: &Self::Decoded, args: &[Arg]) -> Checked<()>;
}

/// An instruction that was read from bytes.
pub trait Decoded {
    /// Its first byte.
    fn start(&self) -> usize;

    /// Where it goes, and on which condition, if it is a jump.
    fn jump(&self) -> Option<Jump>;
}

/// A jump that was read from bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    pub condition: Option<Condition>,
    pub to: usize,
}

/// What a location holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Anything,
    Reg(Reg),
    /// What lies at the operand with this number, of the instruction or the edge at hand.
    Memory(u32),
    /// A mask of all lanes.
    AllLanes,
}

/// What all locations hold at a point of the code.
#[derive(Clone)]
pub struct State {
    /// Vector, mask and general registers, in this order, from [`first_of`] each class on.
    pub registers: [Content; 3 * REGISTERS],
    /// Slots of the frame.
    pub frame: Vec<Content>,
}

impl State {
    pub fn slot(&self, slot: usize) -> Content {
        self.frame.get(slot).copied().unwrap_or(Content::Anything)
    }

    /// A register gets another value: what still holds the old one holds nothing that has a name.
    fn forget(&mut self, reg: Reg) {
        for content in self.registers.iter_mut().chain(&mut self.frame) {
            if *content == Content::Reg(reg) {
                *content = Content::Anything;
            }
        }
    }
}

/// The frame as slots, counted through all of its parts: a save area of two vectors, then the slots of vectors, masks and general
/// registers.
pub struct Frame {
    /// Of each part the start, the bytes of a slot, and the number of its first slot.
    parts: [(i64, i64, usize); 4],
    end: i64,
}

/// Where in [`Frame::parts`] the slots of a class are.
fn part_of(class: Class) -> usize {
    match class {
        Class::Vector => 1,
        Class::Mask => 2,
        Class::General => 3,
    }
}

impl Frame {
    fn new(emitted: &Emitted, vector: i32) -> Self {
        let save_area = (0, vector.into(), 0);
        let mut parts = [save_area; 4];
        for class in [Class::Vector, Class::Mask, Class::General] {
            let (start, bytes) = emitted.slots(class, vector);
            let (before, bytes_before, first) = parts[part_of(class) - 1];
            parts[part_of(class)] = (start, bytes, first + ((start - before) / bytes_before) as usize);
        }
        Self { parts, end: emitted.frame.into() }
    }

    /// Slots in all.
    fn count(&self) -> usize {
        let (start, bytes, first) = self.parts[3];
        first + ((self.end - start) / bytes) as usize
    }

    /// The slot whose first bytes these are.
    pub fn slot(&self, at: i64, bytes: i64) -> Option<usize> {
        let (start, size, first) = *self.parts.iter().rfind(|part| part.0 <= at)?;
        let is_slot = (at - start) % size == 0 && bytes <= size && at + bytes <= self.end;
        is_slot.then_some(first + ((at - start) / size) as usize)
    }
}

/// Shows that the bytes are the instructions of a function, with its virtual registers where they are used.
pub fn check_locations<T: Decoding>(
    machine: &MachineFunction<T::Op>,
    allocation: &Allocation,
    target: T,
    emitted: &Emitted,
) -> Result<(), Fault> {
    let code = T::decode(&emitted.bytes[emitted.entry..], emitted.entry);
    // Both are in order.
    let mut at = 0;
    let index = |&mark: &usize| {
        while code.get(at).is_some_and(|one| one.start() < mark) {
            at += 1;
        }
        at
    };
    let marks = emitted.marks.iter().map(index).collect();
    let frame = Frame::new(emitted, target.bytes());
    let mut checker = Locations { machine, allocation, target, emitted, code, marks, frame, firsts: Vec::new() };
    let mut mark = 0;
    for block in &machine.blocks {
        checker.firsts.push(mark);
        mark += block.insts.len() + 1;
    }
    (0..machine.blocks.len()).try_for_each(|block| checker.block(block))
}

/// The check at work.
pub struct Locations<'a, T: Decoding> {
    pub machine: &'a MachineFunction<T::Op>,
    allocation: &'a Allocation,
    pub target: T,
    emitted: &'a Emitted,
    code: Vec<T::Decoded>,
    /// The number of the first instruction in the code for each of the emitted marks.
    marks: Vec<usize>,
    pub frame: Frame,
    /// The mark of each block's first instruction.
    firsts: Vec<usize>,
}

/// What a step of the check gives.
pub type Checked<T> = Result<T, Cause>;

impl<T: Decoding> Locations<'_, T> {
    /// Follows a block up to the blocks after it.
    fn block(&self, number: usize) -> Result<(), Fault> {
        let block = &self.machine.blocks[number];
        let mut state =
            State { registers: [Content::Anything; 3 * REGISTERS], frame: vec![Content::Anything; self.frame.count()] };
        for reg in self.allocation.live.at_start(number).chain(block.params.iter().copied()) {
            if let Some(location) = self.location(reg) {
                self.hold(&mut state, location, Content::Reg(reg));
            }
        }
        let marks = &self.marks[self.firsts[number]..];
        for (at, inst) in block.insts.iter().enumerate() {
            if let Some(def) = inst.def
                && self.allocation.live.is_live(number, def)
            {
                state.forget(def);
            }
            let code = &self.code[marks[at]..marks[at + 1]];
            T::check_inst(self, &mut state, inst, code).map_err(|cause| Fault { block: number, inst: at, cause })?;
        }
        let at = block.insts.len();
        self.end(number, &block.end, state, marks[at]).map_err(|cause| Fault { block: number, inst: at, cause })
    }

    /// The first instruction that does not start before this byte.
    fn index(&self, byte: usize) -> usize {
        self.code.partition_point(|one| one.start() < byte)
    }

    /// Where a block starts in the bytes.
    fn start(&self, block: usize) -> Option<usize> {
        Some(self.emitted.marks[*self.firsts.get(block)?])
    }

    /// The location of a register holds this; from now on it is the register.
    pub fn rename(&self, state: &mut State, from: Content, to: Reg) -> Checked<()> {
        match self.location(to) {
            None => Ok(()),
            Some(location) if self.held(state, location) == from => {
                self.hold(state, location, Content::Reg(to));
                Ok(())
            }
            Some(_) => Err(Cause::WrongRegister),
        }
    }

    pub fn location(&self, reg: Reg) -> Option<(Class, Location)> {
        let location = self.allocation.locations[reg.index()];
        (location != Location::Nowhere).then_some((self.machine.classes[reg.index()], location))
    }

    fn held(&self, state: &State, (class, location): (Class, Location)) -> Content {
        match location {
            Location::Register(register) => state.registers[first_of(class) + usize::from(register)],
            Location::Slot(slot) => state.slot(self.frame.parts[part_of(class)].2 + slot as usize),
            Location::Nowhere => Content::Anything,
        }
    }

    fn hold(&self, state: &mut State, (class, location): (Class, Location), content: Content) {
        match location {
            Location::Register(register) => state.registers[first_of(class) + usize::from(register)] = content,
            Location::Slot(slot) => {
                if let Some(held) = state.frame.get_mut(self.frame.parts[part_of(class)].2 + slot as usize) {
                    *held = content;
                }
            }
            Location::Nowhere => {}
        }
    }

    /// The end of a block, from the instruction with this number in the code on.
    fn end(&self, number: usize, end: &End, mut state: State, at: usize) -> Checked<()> {
        match end {
            // The way out is the same for all code.
            End::Exit => Ok(()),
            End::Jump(edge) => self.follow(&mut state, edge, at, number),
            End::Branch { condition, then, otherwise } => {
                let Jump { condition: taken, to } =
                    self.code.get(at).and_then(|one| one.jump()).ok_or(Cause::WrongBytes)?;
                let (jumped, next) = if taken == Some(*condition) {
                    (then, otherwise)
                } else if taken == Some(condition.negated()) {
                    (otherwise, then)
                } else {
                    return Err(Cause::WrongBytes);
                };
                // What a group does that has no steps left is the same for all code, and leaves registers alone.
                if self.machine.blocks[number]
                    .insts
                    .last()
                    .is_some_and(|last| last.kind == InstKind::Steps(Steps::Test))
                {
                    return self.follow(&mut state, next, at + 1, number);
                }
                let target = self.index(to);
                self.follow(&mut state.clone(), jumped, target, usize::MAX)?;
                self.follow(&mut state, next, at + 1, number)
            }
        }
    }

    /// The moves of an edge from an instruction on, up to the block that it leads to; after the block with this number the
    /// next one comes without a jump.
    fn follow(&self, state: &mut State, edge: &Edge, first: usize, number: usize) -> Checked<()> {
        let start = self.start(edge.block);
        let follows = number.checked_add(1) == Some(edge.block);
        for one in self.code.get(first..).unwrap_or_default() {
            // A block's first byte is where its moves end, if nothing jumps there.
            if Some(one.start()) == start && (follows || number == usize::MAX) {
                return self.enter(state, edge);
            }
            if let Some(Jump { condition, to }) = one.jump() {
                let arrives = condition.is_none() && Some(to) == start;
                return if arrives { self.enter(state, edge) } else { Err(Cause::WrongBytes) };
            }
            T::check_copy(self, state, one, &edge.args)?;
        }
        Err(Cause::WrongBytes)
    }

    /// Every parameter has what the edge gives it, and what is live in the block is in its location.
    fn enter(&self, state: &State, edge: &Edge) -> Checked<()> {
        let is = |reg: Reg, content: Content| {
            self.location(reg).is_none_or(|location| self.held(state, location) == content)
        };
        let mut params = edge.args.iter().zip(&self.machine.blocks[edge.block].params);
        let are_params = params.all(|(arg, &param)| match *arg {
            Arg::Reg(reg) => is(param, Content::Reg(reg)),
            // Operands that are the same have the number of the first of them.
            Arg::Mem(_) => {
                let number = edge.args.iter().position(|other| other == arg);
                number.is_some_and(|number| is(param, Content::Memory(number as u32)))
            }
            Arg::None | Arg::Imm(_) => false,
        });
        let are_live = self.allocation.live.at_start(edge.block).all(|reg| is(reg, Content::Reg(reg)));
        if are_params && are_live { Ok(()) } else { Err(Cause::WrongRegister) }
    }
}

/// The number of the first register of a class.
pub const fn first_of(class: Class) -> usize {
    match class {
        Class::Vector => 0,
        Class::Mask => REGISTERS,
        Class::General => 2 * REGISTERS,
    }
}
