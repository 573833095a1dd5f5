//! What decoded instructions do with registers and the frame, for the check of emitted bytes. Among the instructions that
//! the encoder made of one machine instruction exactly one does its work, and has its operands; the others copy, or prepare
//! a mask.
#![allow(clippy::wildcard_enum_match_arm, reason = "the decoder has thousands of instructions, and most are wrong")]

use super::isa::{EXECUTED, STEPS, VectorIsa, Vop, multiply_add};
use super::{Inst, InstKind};
use crate::check::{Cause, Checked, Content, Decoded, Jump, Locations, State, first_of};
use crate::mir::{Arg, Base, Class, Condition, Mem, Reg};
use crate::target::Target;
use iced_x86::{Code, Instruction, OpKind, Register};

impl Decoded for Instruction {
    fn start(&self) -> usize {
        self.ip() as usize
    }

    fn jump(&self) -> Option<Jump> {
        let condition = match self.code() {
            Code::Jmp_rel32_64 => None,
            code => Some(condition_of(code)?),
        };
        Some(Jump { condition, to: self.near_branch_target() as usize })
    }
}

/// The condition of a jump; the encoder has its own list of them.
fn condition_of(jump: Code) -> Option<Condition> {
    Some(match jump {
        Code::Je_rel32_64 => Condition::Equal,
        Code::Jne_rel32_64 => Condition::NotEqual,
        Code::Jl_rel32_64 => Condition::Less,
        Code::Jle_rel32_64 => Condition::LessEqual,
        Code::Jg_rel32_64 => Condition::Greater,
        Code::Jge_rel32_64 => Condition::GreaterEqual,
        Code::Jb_rel32_64 => Condition::Below,
        Code::Jbe_rel32_64 => Condition::BelowEqual,
        Code::Ja_rel32_64 => Condition::Above,
        Code::Jae_rel32_64 => Condition::AboveEqual,
        _ => return None,
    })
}

/// No register that the code has.
const NONE: u8 = u8::MAX;
/// The number of the whole register by each of its names.
const NUMBERS: [u8; 256] = {
    let all = [
        (Register::XMM0, 32, 0),
        (Register::YMM0, 32, 0),
        (Register::ZMM0, 32, 0),
        (Register::K0, 8, first_of(Class::Mask) as u8),
        (Register::EAX, 16, first_of(Class::General) as u8),
        (Register::RAX, 16, first_of(Class::General) as u8),
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

fn content(state: &State, register: Register) -> Content {
    number(register).map_or(Content::Anything, |at| state.registers[at])
}

impl Locations<'_, VectorIsa> {
    pub fn inst(&self, state: &mut State, inst: &Inst, code: &[Instruction]) -> Checked<()> {
        match inst.kind {
            InstKind::Count(_) => match (inst.args[0], code) {
                (Arg::Reg(reg), &[one]) if self.machine.classes[reg.index()] == Class::General => {
                    let is_sum = one.code() == Code::Add_r64_rm64
                        && one.op0_register() == Register::R13
                        && self.is_operand(state, &one, 1, (0, inst.args[0]));
                    if is_sum { Ok(()) } else { Err(Cause::WrongRegister) }
                }
                _ => code.iter().try_for_each(|one| self.counting(state, one, &inst.args)),
            },
            InstKind::Steps(_) => code.iter().try_for_each(|one| self.stepping(one)),
            InstKind::Scatter if self.target == VectorIsa::Avx2 => self.scatter_one_by_one(state, inst, code),
            InstKind::Plain(_) | InstKind::Tied(_) | InstKind::Fma { .. } | InstKind::Gather | InstKind::Scatter => {
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
            (false, InstKind::Plain(code), Some(def), Arg::Reg(from))
                if inst.mask.is_none() && (code == self.target.code(Vop::Move) || code == self.target.copy_mask()) =>
            {
                self.rename(state, Content::Reg(from), def)
            }
            _ => Err(Cause::WrongBytes),
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
            InstKind::Plain(expected) => {
                code == expected && operands(u32::from(inst.def.is_some()), 0..count) && self.has_mask(state, inst, one)
            }
            InstKind::Tied(expected) => code == expected && operands(0, 0..count) && self.has_mask(state, inst, one),
            InstKind::Fma { negate_product, negate_addend } => {
                let order = multiply_add(self.target, negate_product, negate_addend);
                let [first, second, addend] = match order.iter().position(|&known| known == code) {
                    Some(0) => [0, 2, 1],
                    Some(1) => [0, 1, 2],
                    Some(2) => [1, 2, 0],
                    _ => return false,
                };
                let multiplies = is(first, 0) && is(second, 1) || is(first, 1) && is(second, 0);
                multiplies && is(addend, 2) && self.has_mask(state, inst, one)
            }
            InstKind::Gather => {
                let lanes = match code {
                    Code::EVEX_Vgatherdps_zmm_k1_vm32z => one.op_mask(),
                    Code::VEX_Vgatherdps_ymm_vm32y_ymm => one.op_register(2),
                    _ => return false,
                };
                is(1, 0) && self.holds_lanes(state, lanes, inst.mask)
            }
            InstKind::Scatter => {
                code == Code::EVEX_Vscatterdps_vm32z_k1_zmm
                    && is(1, 0)
                    && is(0, 1)
                    && self.holds_lanes(state, one.op_mask(), inst.mask)
            }
            InstKind::Count(_) | InstKind::Steps(_) => false,
        }
    }

    fn holds_lanes(&self, state: &State, register: Register, mask: Option<Reg>) -> bool {
        content(state, register) == mask.map_or(Content::AllLanes, Content::Reg)
    }

    fn has_mask(&self, state: &State, inst: &Inst, one: &Instruction) -> bool {
        let Some(mask) = inst.mask else { return one.op_mask() == Register::None };
        match self.machine.classes[mask.index()] {
            Class::Mask => content(state, one.op_mask()) == Content::Reg(mask) && one.zeroing_masking() == inst.zeroing,
            Class::Vector | Class::General => {
                one.op_count() == 4 && content(state, one.op_register(3)) == Content::Reg(mask)
            }
        }
    }

    /// Whether an operand of an instruction is what a machine instruction names.
    fn is_operand(&self, state: &State, one: &Instruction, at: u32, (number, arg): (usize, Arg)) -> bool {
        if at >= one.op_count() {
            return false;
        }
        match (arg, one.op_kind(at)) {
            (Arg::Reg(reg), OpKind::Register) => content(state, one.op_register(at)) == Content::Reg(reg),
            (Arg::Reg(reg), OpKind::Memory) => {
                self.frame_slot(one).is_some_and(|location| state.slot(location) == Content::Reg(reg))
            }
            // What was loaded for an operand that the instruction destroys.
            (Arg::Mem(_), OpKind::Register) => content(state, one.op_register(at)) == Content::Memory(number as u32),
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
            Base::Reg(reg) => is_general(base) && content(state, base) == Content::Reg(reg),
        };
        let has_index = match mem.index {
            None => index == Register::None,
            Some(reg) => {
                let scale = one.memory_index_scale() == u32::from(mem.scale);
                scale && index != Register::None && content(state, index) == Content::Reg(reg)
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
        if matches!(inst.kind, InstKind::Gather | InstKind::Scatter) {
            // It clears its mask.
            let lanes = if self.target == VectorIsa::Avx2 { one.op_register(2) } else { one.op_mask() };
            self.write(state, lanes, Content::Anything)?;
        }
        match inst.def {
            Some(def) if one.op_kind(0) == OpKind::Register => self.write(state, one.op0_register(), Content::Reg(def)),
            Some(_) => Err(Cause::WrongBytes),
            None => Ok(()),
        }
    }

    /// A register changes. Stack pointer and context never do, and the counts of instructions and steps only with instructions of their
    /// own.
    fn write(&self, state: &mut State, register: Register, content: Content) -> Checked<()> {
        let kept =
            [4, 15, usize::from(EXECUTED)].into_iter().chain(self.machine.counts_steps.then_some(usize::from(STEPS)));
        let at = number(register).ok_or(Cause::WrongBytes)?;
        if kept.into_iter().any(|kept| at == first_of(Class::General) + kept) {
            return Err(Cause::WrongRegister);
        }
        state.registers[at] = content;
        Ok(())
    }

    /// Whether the instruction prepares what a gather or a scatter starts from.
    fn prepares(&self, state: &mut State, inst: &Inst, one: &Instruction) -> bool {
        if !matches!(inst.kind, InstKind::Gather | InstKind::Scatter) || one.op_count() != 3 || !has_registers_only(one)
        {
            return false;
        }
        let [to, a, b] = [0, 1, 2].map(|at| one.op_register(at));
        let content = match one.code() {
            Code::VEX_Kxnorw_kr_kr_kr | Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 => Content::AllLanes,
            code if code == self.target.code(Vop::Xor) => Content::Anything,
            _ => return false,
        };
        to == a && a == b && one.op_mask() == Register::None && self.write(state, to, content).is_ok()
    }

    /// A copy of a whole register, to or from a location of the frame too, or of what lies at one of these operands.
    pub fn copy(&self, state: &mut State, one: &Instruction, args: &[Arg]) -> Checked<()> {
        use Code::*;
        let code = one.code();
        let (loads, stores) = (self.target.code(Vop::Load), self.target.code(Vop::Spill));
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
            state.frame[location] = content(state, one.op1_register());
            return Ok(());
        }
        let is_move = code == self.target.code(Vop::Move) || matches!(code, VEX_Kmovw_kr_km16 | Mov_r64_rm64);
        let content = match one.op1_kind() {
            OpKind::Register if is_move => content(state, one.op1_register()),
            OpKind::Memory if is_move && one.memory_base() == Register::RSP => {
                state.slot(self.frame_slot(one).ok_or(Cause::OutsideFrame)?)
            }
            OpKind::Memory => {
                let is_broadcast = code == self.target.code(Vop::Broadcast);
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
                    args[0].reg().is_some_and(|mask| content(state, one.op1_register()) == Content::Reg(mask));
                self.write(state, one.op0_register(), Content::Anything)?;
                if is_mask { Ok(()) } else { Err(Cause::WrongRegister) }
            }
            Popcnt_r32_rm32 | Imul_r32_rm32_imm32 if one.op1_kind() == OpKind::Register => {
                self.write(state, one.op0_register(), Content::Anything)
            }
            Add_rm64_r64 | Add_rm64_imm32 => {
                let is_count =
                    one.op0_kind() == OpKind::Register && number(one.op0_register()) == number(Register::R13);
                if is_count { Ok(()) } else { Err(Cause::WrongBytes) }
            }
            Lea_r64_m => {
                let is_count = [one.op0_register(), one.memory_base()] == [Register::R13; 2]
                    && one.memory_index() == Register::RAX
                    && one.memory_displacement64() == 0;
                if is_count { Ok(()) } else { Err(Cause::WrongBytes) }
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
        let words_at = i64::from(self.target.bytes());
        let start = code.iter().position(|one| matches!(one.code(), Mov_r32_imm32 | VEX_Vmovmskps_r32_ymm));
        let start = start.ok_or(wrong)?;
        code[..start].iter().try_for_each(|one| self.copy(state, one, &[]))?;
        let has_words = state.slot(0) == Content::Reg(offset) && state.slot(1) == Content::Reg(value);
        let lanes = &code[start];
        let (is_lanes, start) = match inst.mask {
            None => (lanes.code() == Mov_r32_imm32 && lanes.immediate32() == (1 << self.target.lanes()) - 1, start + 1),
            Some(mask) => {
                let [test, leave] = code.get(start + 1..start + 3).and_then(|two| two.first_chunk()).ok_or(wrong)?;
                let is_mask = content(state, lanes.op1_register()) == Content::Reg(mask);
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
                if content(state, store.memory_base()) != Content::Reg(base) {
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
}

fn is_general(register: Register) -> bool {
    number(register).is_some_and(|at| at >= first_of(Class::General))
}

fn has_registers_only(one: &Instruction) -> bool {
    (0..one.op_count()).all(|at| one.op_kind(at) == OpKind::Register)
}
