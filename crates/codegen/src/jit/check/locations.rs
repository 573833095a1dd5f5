//! What the emitted bytes do with registers: each operand is where its instruction says, on every way through the code.
//!
//! The bytes are decoded, and followed through each block with what every machine register and every location of the frame
//! holds: one of the virtual registers, or something that does not matter. Copies carry it along. Among the instructions
//! that the encoder made of one machine instruction exactly one does its work, and has its operands; the others copy, or
//! prepare a mask.
//!
//! A block starts with what the allocation claims: every register that it says is live there is in its location. That is
//! shown of each way that leads to the block, where its moves have been made, and nothing is live where the code starts; so
//! it holds whenever the block is entered.

use super::{Cause, Fault};
use crate::jit::allocate::{Allocation, Location};
use crate::jit::context;
use crate::jit::emit::Emitted;
use crate::jit::form::{Form, STEPS, Vop, multiply_add};
use crate::jit::mir::{Arg, Base, Class, Condition, Edge, End, Inst, Kind, Machine, Mem, Reg, Steps};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};

/// What a location holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Anything,
    Reg(Reg),
    /// What lies at the operand with this number, of the instruction or the edge at hand.
    Memory(u32),
    /// A mask of all lanes.
    AllLanes,
}

/// Vector, mask and general registers, in this order.
const REGISTERS: usize = 32 + 8 + 16;

/// No register that the code has.
const NONE: u8 = u8::MAX;
/// The number of the whole register by each of its names.
const NUMBERS: [u8; 256] = {
    let all = [
        (Register::XMM0, 32, 0),
        (Register::YMM0, 32, 0),
        (Register::ZMM0, 32, 0),
        (Register::K0, 8, 32),
        (Register::EAX, 16, 40),
        (Register::RAX, 16, 40),
    ];
    let mut numbers = [NONE; 256];
    let mut at = 0;
    while at < all.len() {
        let (first, count, start) = all[at];
        let mut register = 0;
        while register < count {
            numbers[first as usize + register] = start + register as u8;
            register += 1;
        }
        at += 1;
    }
    numbers
};

fn number(register: Register) -> Option<usize> {
    NUMBERS.get(register as usize).filter(|&&number| number != NONE).map(|&number| usize::from(number))
}

/// What all locations hold at a point of the code.
#[derive(Clone)]
struct State {
    registers: [Content; REGISTERS],
    /// Slots of the frame.
    frame: Vec<Content>,
}

impl State {
    fn register(&self, register: Register) -> Content {
        number(register).map_or(Content::Anything, |at| self.registers[at])
    }

    fn slot(&self, slot: usize) -> Content {
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

/// The frame as slots, counted through all of its parts: room for two vectors, then the slots of vectors, masks and general
/// registers.
struct Frame {
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
    fn new(emitted: &Emitted, form: Form) -> Self {
        let room = (0, form.bytes().into(), 0);
        let mut parts = [room; 4];
        for class in [Class::Vector, Class::Mask, Class::General] {
            let (start, bytes) = emitted.slots(class, form);
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
    fn slot(&self, at: i64, bytes: i64) -> Option<usize> {
        let (start, size, first) = *self.parts.iter().rfind(|part| part.0 <= at)?;
        let is_slot = (at - start) % size == 0 && bytes <= size && at + bytes <= self.end;
        is_slot.then_some(first + ((at - start) / size) as usize)
    }
}

/// Shows that the bytes are the instructions of a function, with its virtual registers where they are used.
pub fn check_locations(machine: &Machine, allocation: &Allocation, form: Form, emitted: &Emitted) -> Result<(), Fault> {
    let decoder = Decoder::with_ip(64, &emitted.bytes[emitted.entry..], emitted.entry as u64, DecoderOptions::NONE);
    let code: Vec<Instruction> = decoder.into_iter().collect();
    // Both are in order.
    let mut at = 0;
    let index = |&mark: &usize| {
        while code.get(at).is_some_and(|one| one.ip() < mark as u64) {
            at += 1;
        }
        at
    };
    let marks = emitted.marks.iter().map(index).collect();
    let frame = Frame::new(emitted, form);
    let mut checker = Checker { machine, allocation, form, emitted, code, marks, frame, firsts: Vec::new() };
    let mut mark = 0;
    for block in &machine.blocks {
        checker.firsts.push(mark);
        mark += block.insts.len() + 1;
    }
    (0..machine.blocks.len()).try_for_each(|block| checker.block(block))
}

struct Checker<'a> {
    machine: &'a Machine,
    allocation: &'a Allocation,
    form: Form,
    emitted: &'a Emitted,
    code: Vec<Instruction>,
    /// The number of the first instruction in the code for each of the emitted marks.
    marks: Vec<usize>,
    frame: Frame,
    /// The mark of each block's first instruction.
    firsts: Vec<usize>,
}

type Checked<T> = Result<T, Cause>;

impl Checker<'_> {
    /// Follows a block up to the blocks behind it.
    fn block(&self, number: usize) -> Result<(), Fault> {
        let block = &self.machine.blocks[number];
        let mut state =
            State { registers: [Content::Anything; REGISTERS], frame: vec![Content::Anything; self.frame.count()] };
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
            self.inst(&mut state, inst, code).map_err(|cause| Fault { block: number, inst: at, cause })?;
        }
        let at = block.insts.len();
        self.end(number, &block.end, state, marks[at]).map_err(|cause| Fault { block: number, inst: at, cause })
    }

    /// The first instruction that does not start before this byte.
    fn index(&self, byte: usize) -> usize {
        self.code.partition_point(|instruction| instruction.ip() < byte as u64)
    }

    /// Where a block starts in the bytes.
    fn start(&self, block: usize) -> Option<u64> {
        Some(self.emitted.marks[*self.firsts.get(block)?] as u64)
    }

    fn inst(&self, state: &mut State, inst: &Inst, code: &[Instruction]) -> Checked<()> {
        match inst.kind {
            Kind::Count(_) => code.iter().try_for_each(|one| self.counting(state, one, &inst.args)),
            Kind::Steps(_) => code.iter().try_for_each(|one| self.stepping(one)),
            Kind::Scatter if self.form == Form::Avx2 => self.scatter_one_by_one(state, inst, code),
            Kind::Plain(_) | Kind::Tied(_) | Kind::Fma { .. } | Kind::Gather | Kind::Scatter => {
                self.working(state, inst, code)
            }
        }
    }

    /// Instructions of which one does the work.
    fn working(&self, state: &mut State, inst: &Inst, code: &[Instruction]) -> Checked<()> {
        let mut is_done = false;
        for one in code {
            if !is_done && self.is_work(state, inst, one) {
                is_done = true;
                self.finish_work(state, inst, one)?;
            } else if !self.prepares(state, inst, one) {
                self.copy(state, one, &inst.args)?;
            }
        }
        match (is_done, inst.kind, inst.def, inst.args[0]) {
            (true, ..) => Ok(()),
            // A copy takes no instruction where both have one location, and may take several.
            (false, Kind::Plain(code), Some(def), Arg::Reg(from))
                if inst.mask.is_none() && (code == self.form.code(Vop::Move) || code == crate::jit::split::COPY) =>
            {
                self.rename(state, Content::Reg(from), def)
            }
            _ => Err(Cause::WrongBytes),
        }
    }

    /// The location of a register holds this; from now on it is the register.
    fn rename(&self, state: &mut State, from: Content, to: Reg) -> Checked<()> {
        match self.location(to) {
            None => Ok(()),
            Some(location) if self.held(state, location) == from => {
                self.hold(state, location, Content::Reg(to));
                Ok(())
            }
            Some(_) => Err(Cause::WrongRegister),
        }
    }

    fn location(&self, reg: Reg) -> Option<(Class, Location)> {
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

    /// Whether this is the machine instruction, and every operand is what it names.
    fn is_work(&self, state: &State, inst: &Inst, one: &Instruction) -> bool {
        let code = one.code();
        // Whether an operand of the instruction is the one with this number here.
        let is = |at: u32, number: usize| self.is_operand(state, one, at, (number, inst.args[number]));
        let count = inst.args.iter().position(|arg| *arg == Arg::None).unwrap_or(inst.args.len());
        let operands =
            |first: u32, numbers: std::ops::Range<usize>| (first..).zip(numbers).all(|(at, number)| is(at, number));
        match inst.kind {
            Kind::Plain(expected) => {
                code == expected && operands(u32::from(inst.def.is_some()), 0..count) && self.has_mask(state, inst, one)
            }
            Kind::Tied(expected) => code == expected && operands(0, 0..count) && self.has_mask(state, inst, one),
            Kind::Fma { negate_product, negate_addend } => {
                let order = multiply_add(self.form, negate_product, negate_addend);
                let [first, second, addend] = match order.iter().position(|&known| known == code) {
                    Some(0) => [0, 2, 1],
                    Some(1) => [0, 1, 2],
                    Some(2) => [1, 2, 0],
                    _ => return false,
                };
                let multiplies = is(first, 0) && is(second, 1) || is(first, 1) && is(second, 0);
                multiplies && is(addend, 2) && self.has_mask(state, inst, one)
            }
            Kind::Gather => {
                let lanes = match code {
                    Code::EVEX_Vgatherdps_zmm_k1_vm32z => one.op_mask(),
                    Code::VEX_Vgatherdps_ymm_vm32y_ymm => one.op_register(2),
                    _ => return false,
                };
                is(1, 0) && self.holds_lanes(state, lanes, inst.mask)
            }
            Kind::Scatter => {
                code == Code::EVEX_Vscatterdps_vm32z_k1_zmm
                    && is(1, 0)
                    && is(0, 1)
                    && self.holds_lanes(state, one.op_mask(), inst.mask)
            }
            Kind::Count(_) | Kind::Steps(_) => false,
        }
    }

    fn holds_lanes(&self, state: &State, register: Register, mask: Option<Reg>) -> bool {
        state.register(register) == mask.map_or(Content::AllLanes, Content::Reg)
    }

    fn has_mask(&self, state: &State, inst: &Inst, one: &Instruction) -> bool {
        let Some(mask) = inst.mask else { return one.op_mask() == Register::None };
        match self.machine.classes[mask.index()] {
            Class::Mask => state.register(one.op_mask()) == Content::Reg(mask) && one.zeroing_masking() == inst.zeroing,
            Class::Vector | Class::General => {
                one.op_count() == 4 && state.register(one.op_register(3)) == Content::Reg(mask)
            }
        }
    }

    /// Whether an operand of an instruction is what a machine instruction names.
    fn is_operand(&self, state: &State, one: &Instruction, at: u32, (number, arg): (usize, Arg)) -> bool {
        if at >= one.op_count() {
            return false;
        }
        match (arg, one.op_kind(at)) {
            (Arg::Reg(reg), OpKind::Register) => state.register(one.op_register(at)) == Content::Reg(reg),
            (Arg::Reg(reg), OpKind::Memory) => {
                self.frame_slot(one).is_some_and(|location| state.slot(location) == Content::Reg(reg))
            }
            // What was loaded for an operand that the instruction destroys.
            (Arg::Mem(_), OpKind::Register) => state.register(one.op_register(at)) == Content::Memory(number as u32),
            (Arg::Mem(mem), OpKind::Memory) => self.is_memory(state, one, mem),
            (Arg::Imm(value), OpKind::Immediate8) => one.immediate8() == value as u8,
            (Arg::Imm(value), OpKind::Immediate32) => one.immediate32() == value.cast_unsigned(),
            _ => false,
        }
    }

    fn is_memory(&self, state: &State, one: &Instruction, mem: Mem) -> bool {
        let (base, index) = (one.memory_base(), one.memory_index());
        let has_base = match mem.base {
            // The constants lie in front of the code, from address 0 on.
            Base::Pool => base == Register::RIP,
            Base::Context => base == Register::R15,
            Base::Reg(reg) => is_general(base) && state.register(base) == Content::Reg(reg),
        };
        let has_index = match mem.index {
            None => index == Register::None,
            Some(reg) => {
                let scale = one.memory_index_scale() == u32::from(mem.scale);
                scale && index != Register::None && state.register(index) == Content::Reg(reg)
            }
        };
        let distance = one.memory_displacement64().cast_signed();
        has_base && has_index && distance == i64::from(mem.disp) && one.is_broadcast() == mem.broadcast
    }

    /// The slot of the frame that a memory operand is.
    fn frame_slot(&self, one: &Instruction) -> Option<usize> {
        let is_frame =
            one.memory_base() == Register::RSP && one.memory_index() == Register::None && !one.is_broadcast();
        let (at, bytes) = (one.memory_displacement64().cast_signed(), one.memory_size().size() as i64);
        if is_frame { self.frame.slot(at, bytes) } else { None }
    }

    /// What the instruction leaves behind.
    fn finish_work(&self, state: &mut State, inst: &Inst, one: &Instruction) -> Checked<()> {
        if matches!(inst.kind, Kind::Gather | Kind::Scatter) {
            // It clears its mask.
            let lanes = if self.form == Form::Avx2 { one.op_register(2) } else { one.op_mask() };
            self.write(state, lanes, Content::Anything)?;
        }
        match inst.def {
            Some(def) if one.op_kind(0) == OpKind::Register => self.write(state, one.op0_register(), Content::Reg(def)),
            Some(_) => Err(Cause::WrongBytes),
            None => Ok(()),
        }
    }

    /// A register changes. Stack pointer and context never do, and the count of steps only with its own instructions.
    fn write(&self, state: &mut State, register: Register, content: Content) -> Checked<()> {
        let kept = [4, 15].into_iter().chain(self.machine.counts_steps.then_some(usize::from(STEPS)));
        let at = number(register).ok_or(Cause::WrongBytes)?;
        if kept.into_iter().any(|kept| at == first_of(Class::General) + kept) {
            return Err(Cause::WrongRegister);
        }
        state.registers[at] = content;
        Ok(())
    }

    /// Whether the instruction prepares what a gather or a scatter starts from.
    fn prepares(&self, state: &mut State, inst: &Inst, one: &Instruction) -> bool {
        if !matches!(inst.kind, Kind::Gather | Kind::Scatter) || one.op_count() != 3 || !has_registers_only(one) {
            return false;
        }
        let [to, a, b] = [0, 1, 2].map(|at| one.op_register(at));
        let content = match one.code() {
            Code::VEX_Kxnorw_kr_kr_kr | Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 => Content::AllLanes,
            code if code == self.form.code(Vop::Xor) => Content::Anything,
            _ => return false,
        };
        to == a && a == b && one.op_mask() == Register::None && self.write(state, to, content).is_ok()
    }

    /// A copy of a whole register, to or from a location of the frame too, or of what lies at one of these operands.
    fn copy(&self, state: &mut State, one: &Instruction, args: &[Arg]) -> Checked<()> {
        use Code::*;
        let code = one.code();
        let (loads, stores) = (self.form.code(Vop::Load), self.form.code(Vop::Spill));
        let is_plain = one.op_mask() == Register::None && one.op_count() == 2;
        if !is_plain {
            return Err(Cause::WrongBytes);
        }
        if one.op0_kind() == OpKind::Memory {
            let is_spill = code == stores || matches!(code, VEX_Kmovw_m16_kr | Mov_rm64_r64);
            let location = self.frame_slot(one).ok_or(Cause::OutsideFrame)?;
            if !is_spill {
                return Err(Cause::WrongBytes);
            }
            state.frame[location] = state.register(one.op1_register());
            return Ok(());
        }
        let is_move = code == self.form.code(Vop::Move) || matches!(code, VEX_Kmovw_kr_km16 | Mov_r64_rm64);
        let content = match one.op1_kind() {
            OpKind::Register if is_move => state.register(one.op1_register()),
            OpKind::Memory if is_move && one.memory_base() == Register::RSP => {
                state.slot(self.frame_slot(one).ok_or(Cause::OutsideFrame)?)
            }
            OpKind::Memory => {
                let is_broadcast = code == self.form.code(Vop::Broadcast);
                let is_load = is_broadcast || code == loads || matches!(code, VEX_Kmovw_kr_km16 | Mov_r32_rm32);
                let number = args.iter().position(|arg| match *arg {
                    Arg::Mem(mem) if mem.broadcast == is_broadcast => {
                        self.is_memory(state, one, Mem { broadcast: false, ..mem })
                    }
                    _ => false,
                });
                Content::Memory(number.filter(|_| is_load).ok_or(Cause::WrongBytes)? as u32)
            }
            _ => return Err(Cause::WrongBytes),
        };
        self.write(state, one.op0_register(), content)
    }

    /// Part of a count of lanes: nothing changes but registers that the encoder keeps, and the count.
    fn counting(&self, state: &mut State, one: &Instruction, args: &[Arg]) -> Checked<()> {
        use Code::*;
        match one.code() {
            VEX_Kmovw_r32_kr | VEX_Vmovmskps_r32_ymm => {
                let is_mask =
                    args[0].reg().is_some_and(|mask| state.register(one.op1_register()) == Content::Reg(mask));
                self.write(state, one.op0_register(), Content::Anything)?;
                if is_mask { Ok(()) } else { Err(Cause::WrongRegister) }
            }
            Popcnt_r32_rm32 | Imul_r32_rm32_imm32 if one.op1_kind() == OpKind::Register => {
                self.write(state, one.op0_register(), Content::Anything)
            }
            Add_rm64_r64 | Add_rm64_imm32 => {
                let total = Mem::at(Base::Context, context::INSTRUCTIONS);
                if self.is_memory(state, one, total) { Ok(()) } else { Err(Cause::WrongBytes) }
            }
            _ => self.copy(state, one, &[]),
        }
    }

    /// Part of what is done about steps: it has a register of its own, and fields of the context.
    fn stepping(&self, one: &Instruction) -> Checked<()> {
        let is_right = (0..one.op_count()).all(|at| match one.op_kind(at) {
            OpKind::Register => number(one.op_register(at)) == number(Register::R14),
            OpKind::Memory => one.memory_base() == Register::R15 && one.memory_index() == Register::None,
            _ => true,
        });
        if is_right && self.machine.counts_steps { Ok(()) } else { Err(Cause::WrongBytes) }
    }

    /// A scatter by single stores: offsets and words are put in the frame, and taken from there lane after lane.
    fn scatter_one_by_one(&self, state: &mut State, inst: &Inst, code: &[Instruction]) -> Checked<()> {
        use Code::*;
        let [Arg::Reg(value), Arg::Mem(mem), ..] = inst.args else { return Err(Cause::WrongBytes) };
        let (Some(offset), Base::Reg(base), 1) = (mem.index, mem.base, mem.scale) else {
            return Err(Cause::WrongBytes);
        };
        let wrong = Cause::WrongBytes;
        let words_at = i64::from(self.form.bytes());
        let start = code.iter().position(|one| matches!(one.code(), Mov_r32_imm32 | VEX_Vmovmskps_r32_ymm));
        let start = start.ok_or(wrong)?;
        code[..start].iter().try_for_each(|one| self.copy(state, one, &[]))?;
        let has_words = state.slot(0) == Content::Reg(offset) && state.slot(1) == Content::Reg(value);
        let lanes = &code[start];
        let (is_lanes, start) = match inst.mask {
            None => (lanes.code() == Mov_r32_imm32 && lanes.immediate32() == (1 << self.form.lanes()) - 1, start + 1),
            Some(mask) => {
                let [test, leave] = code.get(start + 1..start + 3).and_then(|two| two.first_chunk()).ok_or(wrong)?;
                let is_mask = state.register(lanes.op1_register()) == Content::Reg(mask);
                let leaves = test.code() == Test_rm32_r32
                    && [0, 1].map(|at| test.op_register(at)) == [Register::EAX; 2]
                    && leave.code() == Je_rel32_64
                    && Some(leave.near_branch_target()) == code.last().map(|last| last.next_ip());
                (lanes.code() == VEX_Vmovmskps_r32_ymm && is_mask && leaves, start + 3)
            }
        };
        if !has_words || !is_lanes || lanes.op0_register() != Register::EAX {
            return Err(Cause::WrongRegister);
        }
        let of_lane = |one: &Instruction, at: i64| {
            (one.memory_base(), one.memory_index(), one.memory_index_scale()) == (Register::RSP, Register::RCX, 4)
                && one.memory_displacement64().cast_signed() == at
        };
        let registers = |one: &Instruction, to: Register, from: Register| {
            has_registers_only(one) && [0, 1].map(|at| one.op_register(at)) == [to, from]
        };
        let [first, load_offset, load_word, rest @ ..] = code.get(start..).unwrap_or_default() else {
            return Err(wrong);
        };
        // A base that lies in the frame is added to the offset.
        let (to, rest) = match rest {
            [add, rest @ ..] if add.code() == Add_r64_rm64 => {
                let location = self.frame_slot(add).ok_or(Cause::OutsideFrame)?;
                if add.op0_register() != Register::RDX || state.slot(location) != Content::Reg(base) {
                    return Err(Cause::WrongRegister);
                }
                ((Register::RDX, Register::None), rest)
            }
            [store, ..] if is_general(store.memory_base()) => {
                if state.register(store.memory_base()) != Content::Reg(base) {
                    return Err(Cause::WrongRegister);
                }
                ((store.memory_base(), Register::RDX), rest)
            }
            _ => return Err(wrong),
        };
        let [store, clear, again] = rest else { return Err(wrong) };
        let is_right = first.code() == Bsf_r32_rm32
            && registers(first, Register::ECX, Register::EAX)
            && load_offset.code() == Movsxd_r64_rm32
            && load_offset.op0_register() == Register::RDX
            && of_lane(load_offset, 0)
            && load_word.code() == Mov_r32_rm32
            && load_word.op0_register() == Register::ECX
            && of_lane(load_word, words_at)
            && store.code() == Mov_rm32_r32
            && store.op1_register() == Register::ECX
            && (store.memory_base(), store.memory_index()) == to
            && store.memory_index_scale() == 1
            && store.memory_displacement64().cast_signed() == i64::from(mem.disp)
            && clear.code() == VEX_Blsr_r32_rm32
            && registers(clear, Register::EAX, Register::EAX)
            && again.code() == Jne_rel8_64
            && again.near_branch_target() == first.ip();
        for register in [Register::RAX, Register::RCX, Register::RDX] {
            self.write(state, register, Content::Anything)?;
        }
        if is_right { Ok(()) } else { Err(wrong) }
    }

    /// The end of a block, from the instruction with this number in the code on.
    fn end(&self, number: usize, end: &End, mut state: State, at: usize) -> Checked<()> {
        match end {
            // The way out is the same for all code.
            End::Exit => Ok(()),
            End::Jump(edge) => self.follow(&mut state, edge, at, number),
            End::Branch { condition, then, otherwise } => {
                let jump = self.code.get(at).ok_or(Cause::WrongBytes)?;
                let taken = jump.code();
                let (jumped, next) = if taken == jump_code(*condition) {
                    (then, otherwise)
                } else if taken == jump_code(condition.negated()) {
                    (otherwise, then)
                } else {
                    return Err(Cause::WrongBytes);
                };
                // What a group does that has no steps left is the same for all code, and leaves registers alone.
                if self.machine.blocks[number].insts.last().is_some_and(|last| last.kind == Kind::Steps(Steps::Test)) {
                    return self.follow(&mut state, next, at + 1, number);
                }
                let target = self.index(jump.near_branch_target() as usize);
                self.follow(&mut state.clone(), jumped, target, usize::MAX)?;
                self.follow(&mut state, next, at + 1, number)
            }
        }
    }

    /// The moves of an edge from an instruction on, up to the block that it leads to; behind the block with this number the
    /// next one comes without a jump.
    fn follow(&self, state: &mut State, edge: &Edge, first: usize, number: usize) -> Checked<()> {
        let start = self.start(edge.block);
        let follows = number.checked_add(1) == Some(edge.block);
        for one in self.code.get(first..).unwrap_or_default() {
            // A block's first byte is where its moves end, if nothing jumps there.
            if Some(one.ip()) == start && (follows || number == usize::MAX) {
                return self.enter(state, edge);
            }
            if one.code() == Code::Jmp_rel32_64 {
                let arrives = Some(one.near_branch_target()) == start;
                return if arrives { self.enter(state, edge) } else { Err(Cause::WrongBytes) };
            }
            self.copy(state, one, &edge.args)?;
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
fn first_of(class: Class) -> usize {
    match class {
        Class::Vector => 0,
        Class::Mask => 32,
        Class::General => 40,
    }
}

fn is_general(register: Register) -> bool {
    number(register).is_some_and(|at| at >= first_of(Class::General))
}

fn has_registers_only(one: &Instruction) -> bool {
    (0..one.op_count()).all(|at| one.op_kind(at) == OpKind::Register)
}

/// The jump that is taken on a condition; the encoder has its own list of them.
fn jump_code(condition: Condition) -> Code {
    match condition {
        Condition::Equal => Code::Je_rel32_64,
        Condition::NotEqual => Code::Jne_rel32_64,
        Condition::Less => Code::Jl_rel32_64,
        Condition::LessEqual => Code::Jle_rel32_64,
        Condition::Greater => Code::Jg_rel32_64,
        Condition::GreaterEqual => Code::Jge_rel32_64,
        Condition::Below => Code::Jb_rel32_64,
        Condition::BelowEqual => Code::Jbe_rel32_64,
        Condition::Above => Code::Ja_rel32_64,
        Condition::AboveEqual => Code::Jae_rel32_64,
    }
}
