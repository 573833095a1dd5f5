//! Encoding of machine instructions: operands, moves, and the way in and out.

mod lanes;
mod poll;

use super::isa::{EXECUTED, STEPS, VectorIsa, Vop, multiply_add, takes_memory, vector_operand};
use super::{Inst, InstKind};
use crate::context;
use crate::emit::{Emitter, MoveOperand, PAGE, Unencodable};
use crate::mir::{Arg, Base, Class, Condition, Directed, Mem, Reg, Steps};
use crate::target::Target;
use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register, RoundingControl};

const CONTEXT: Register = Register::R15;
const SAVED: [Register; 6] = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The encoder of instructions, and the buffer that it writes to.
pub struct Encoder(iced_x86::Encoder);

impl Default for Encoder {
    fn default() -> Self {
        Encoder(iced_x86::Encoder::new(64))
    }
}

fn mask(number: u8) -> Register {
    Register::K0 + u32::from(number)
}

fn general(number: u8, wide: bool) -> Register {
    if wide { Register::RAX + u32::from(number) } else { Register::EAX + u32::from(number) }
}

/// Whether general operands of this instruction have 64 bits.
fn is_wide(code: Code) -> bool {
    matches!(code, Code::Mov_r64_rm64 | Code::Add_r64_rm64 | Code::Lea_r64_m | Code::Mov_rm64_r64)
}

/// Whether immediates of this instruction have 32 bits.
fn has_wide_immediate(code: Code) -> bool {
    matches!(
        code,
        Code::And_rm32_imm32
            | Code::Xor_rm32_imm32
            | Code::Add_rm32_imm32
            | Code::Cmp_rm32_imm32
            | Code::Mov_r32_imm32
            | Code::Mov_rm32_imm32
            | Code::Imul_r32_rm32_imm32
    )
}

impl Emitter<'_, VectorIsa> {
    fn put(&mut self, instruction: &Instruction) -> Result<(), Unencodable> {
        let at = self.bytes.len();
        self.encoder.0.encode(instruction, at as u64).map_err(|_error| {
            debug_assert!(false, "{instruction:?}: {_error}");
            Unencodable
        })?;
        let mut encoded = self.encoder.0.take_buffer();
        self.bytes.extend_from_slice(&encoded);
        encoded.clear();
        self.encoder.0.set_buffer(encoded);
        Ok(())
    }

    fn put_result(&mut self, made: Result<Instruction, iced_x86::IcedError>) -> Result<(), Unencodable> {
        let instruction = made.map_err(|_| Unencodable)?;
        self.put(&instruction)
    }

    fn context(offset: i32) -> MemoryOperand {
        MemoryOperand::with_base_displ(CONTEXT, offset.into())
    }

    pub(super) fn prologue(&mut self) -> Result<(), Unencodable> {
        for register in SAVED {
            self.put_result(Instruction::with1(Code::Push_r64, register))?;
        }
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, CONTEXT, Register::RDI))?;
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, Register::RSP))?;
        // A frame must not reach beyond the guard page of the stack.
        for offset in (PAGE..self.stack).step_by(PAGE as usize) {
            let below = MemoryOperand::with_base_displ(Register::RAX, i64::from(-offset));
            self.put_result(Instruction::with2(Code::Test_rm64_r64, below, Register::RAX))?;
        }
        self.put_result(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, self.stack + 8))?;
        self.put_result(Instruction::with2(Code::And_rm64_imm32, Register::RSP, -64))?;
        let saved = MemoryOperand::with_base_displ(Register::RSP, self.stack.into());
        self.put_result(Instruction::with2(Code::Mov_rm64_r64, saved, Register::RAX))?;
        let executed = Self::context(context::INSTRUCTIONS);
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, general(EXECUTED, true), executed))?;
        self.put_result(Instruction::with1(Code::Stmxcsr_m32, Self::context(context::SAVED_MODE)))?;
        self.put_result(Instruction::with1(Code::Ldmxcsr_m32, Self::context(context::MODE_AT)))
    }

    pub(super) fn epilogue(&mut self) -> Result<(), Unencodable> {
        self.exit = self.bytes.len();
        self.tell_executed()?;
        self.put_result(Instruction::with1(Code::Stmxcsr_m32, Self::context(context::FLAGS)))?;
        self.put_result(Instruction::with1(Code::Ldmxcsr_m32, Self::context(context::SAVED_MODE)))?;
        self.put(&Instruction::with(Code::VEX_Vzeroupper))?;
        let saved = MemoryOperand::with_base_displ(Register::RSP, self.stack.into());
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, Register::RSP, saved))?;
        for register in SAVED.into_iter().rev() {
            self.put_result(Instruction::with1(Code::Pop_r64, register))?;
        }
        self.put(&Instruction::with(Code::Retnq))
    }

    /// Puts the count of instructions where callers and callees look for it.
    fn tell_executed(&mut self) -> Result<(), Unencodable> {
        let executed = Self::context(context::INSTRUCTIONS);
        self.put_result(Instruction::with2(Code::Mov_rm64_r64, executed, general(EXECUTED, true)))
    }

    fn vector(&self, number: u8) -> Register {
        self.target.vector(number)
    }

    /// The register `number` of class `class` as operand `at` of the instruction.
    fn operand(&self, code: Code, at: usize, class: Class, number: u8) -> Register {
        match class {
            Class::Mask => mask(number),
            Class::General => general(number, is_wide(code)),
            Class::Vector => vector_operand(self.target, code, at, number),
        }
    }

    fn slot(&self, class: Class, slot: u32) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RSP, self.slot_offset(class, slot).into())
    }

    /// Loads what lies in the frame into a register.
    fn reload(&mut self, class: Class, register: u8, slot: u32) -> Result<(), Unencodable> {
        let from = self.slot(class, slot);
        self.put_result(match class {
            Class::Vector => Instruction::with2(self.target.code(Vop::Move), self.vector(register), from),
            Class::Mask => Instruction::with2(Code::VEX_Kmovw_kr_km16, mask(register), from),
            Class::General => Instruction::with2(Code::Mov_r64_rm64, general(register, true), from),
        })
    }

    fn spill(&mut self, class: Class, slot: u32, register: u8) -> Result<(), Unencodable> {
        let to = self.slot(class, slot);
        self.put_result(match class {
            Class::Vector => Instruction::with2(self.target.code(Vop::Spill), to, self.vector(register)),
            Class::Mask => Instruction::with2(Code::VEX_Kmovw_m16_kr, to, mask(register)),
            Class::General => Instruction::with2(Code::Mov_rm64_r64, to, general(register, true)),
        })
    }

    /// Copies between registers, slots and (vectors only) memory, through the second scratch register where needed.
    pub(super) fn copy(&mut self, class: Class, to: MoveOperand, from: MoveOperand) -> Result<(), Unencodable> {
        if to == from {
            return Ok(());
        }
        let scratch = self.scratch(class, 1);
        match (to, from) {
            (MoveOperand::Register(to), MoveOperand::Register(from)) => self.put_result(match class {
                Class::Vector => Instruction::with2(self.target.code(Vop::Move), self.vector(to), self.vector(from)),
                Class::Mask => Instruction::with2(Code::VEX_Kmovw_kr_km16, mask(to), mask(from)),
                Class::General => Instruction::with2(Code::Mov_r64_rm64, general(to, true), general(from, true)),
            }),
            (MoveOperand::Register(to), MoveOperand::Slot(slot)) => self.reload(class, to, slot),
            (MoveOperand::Register(to), MoveOperand::Memory(mem)) => {
                let code = match class {
                    Class::Vector if mem.broadcast => self.target.code(Vop::Broadcast),
                    Class::Vector => self.target.code(Vop::Load),
                    Class::Mask => Code::VEX_Kmovw_kr_km16,
                    Class::General => Code::Mov_r32_rm32,
                };
                let mut instruction = Instruction::new();
                instruction.set_code(code);
                instruction.set_op0_register(self.operand(code, 0, class, to));
                self.set_memory(&mut instruction, 1, Mem { broadcast: false, ..mem })?;
                self.put(&instruction)
            }
            (MoveOperand::Slot(slot), MoveOperand::Register(from)) => self.spill(class, slot, from),
            (MoveOperand::Slot(slot), from) => {
                self.copy(class, MoveOperand::Register(scratch), from)?;
                self.spill(class, slot, scratch)
            }
            (MoveOperand::Memory(_), _) => Err(Unencodable),
        }
    }

    /// Puts a memory operand into an instruction; base and index that lie in the frame go to scratch registers first.
    fn set_memory(&mut self, instruction: &mut Instruction, at: u32, mem: Mem) -> Result<(), Unencodable> {
        let base = match mem.base {
            Base::Pool => Register::RIP,
            Base::Context => CONTEXT,
            Base::Reg(reg) => match self.move_operand(reg) {
                MoveOperand::Slot(slot) => {
                    let scratch = self.scratch(Class::General, 1);
                    self.reload(Class::General, scratch, slot)?;
                    general(scratch, true)
                }
                MoveOperand::Register(number) => general(number, true),
                MoveOperand::Memory(_) => return Err(Unencodable),
            },
        };
        let index = match mem.index {
            None => Register::None,
            Some(reg) => {
                let class = self.class(reg);
                let scratch = self.scratch(class, if class == Class::Vector { 1 } else { 2 });
                let number = match self.move_operand(reg) {
                    MoveOperand::Slot(slot) => {
                        self.reload(class, scratch, slot)?;
                        scratch
                    }
                    MoveOperand::Register(number) => number,
                    MoveOperand::Memory(_) => return Err(Unencodable),
                };
                if class == Class::Vector { self.vector(number) } else { general(number, true) }
            }
        };
        set_memory_registers(instruction, at, (base, index), mem);
        Ok(())
    }

    pub(super) fn inst(&mut self, inst: &Inst) -> Result<(), Unencodable> {
        match inst.kind {
            InstKind::Plain(code) => self.plain(inst, code),
            InstKind::Tied(code) => self.tied(inst, code),
            InstKind::Fma { negate_product, negate_addend } => self.fma(inst, negate_product, negate_addend),
            InstKind::Gather => self.gather(inst),
            InstKind::Scatter => self.scatter(inst),
            InstKind::Count(count) => self.count(inst, count),
            InstKind::Steps(steps) => self.steps(steps),
        }
    }

    pub(super) fn jump(&mut self, condition: Option<Condition>) -> Result<(), Unencodable> {
        let code = match condition {
            None => Code::Jmp_rel32_64,
            Some(Condition::Equal) => Code::Je_rel32_64,
            Some(Condition::NotEqual) => Code::Jne_rel32_64,
            Some(Condition::Less) => Code::Jl_rel32_64,
            Some(Condition::LessEqual) => Code::Jle_rel32_64,
            Some(Condition::Greater) => Code::Jg_rel32_64,
            Some(Condition::GreaterEqual) => Code::Jge_rel32_64,
            Some(Condition::Below) => Code::Jb_rel32_64,
            Some(Condition::BelowEqual) => Code::Jbe_rel32_64,
            Some(Condition::Above) => Code::Ja_rel32_64,
            Some(Condition::AboveEqual) => Code::Jae_rel32_64,
        };
        self.branch_with(code)
    }

    /// A jump or call whose last four bytes are the distance, to be linked.
    fn branch_with(&mut self, code: Code) -> Result<(), Unencodable> {
        let here = self.bytes.len() as u64;
        self.put_result(Instruction::with_branch(code, here + 0x1000))
    }

    fn steps(&mut self, steps: Steps) -> Result<(), Unencodable> {
        let left = general(STEPS, true);
        if steps == Steps::Refill {
            self.put_result(Instruction::with2(Code::Mov_rm64_imm32, Self::context(context::GRANTED), 0))?;
        }
        self.put_result(match steps {
            Steps::Refill => Instruction::with2(Code::Mov_r64_rm64, left, Self::context(context::SLICE)),
            Steps::Take(count) => Instruction::with2(Code::Sub_rm64_imm32, left, count.cast_signed()),
            Steps::Test => Instruction::with2(Code::Test_rm64_r64, left, left),
        })
    }

    /// The register that holds a mask; `scratch` says which scratch register it may take if it lies in the frame.
    fn mask_register(&mut self, reg: Reg, scratch: usize) -> Result<Register, Unencodable> {
        let class = self.class(reg);
        let number = match self.move_operand(reg) {
            MoveOperand::Slot(slot) => {
                let scratch = self.scratch(class, scratch);
                self.reload(class, scratch, slot)?;
                scratch
            }
            MoveOperand::Register(number) => number,
            MoveOperand::Memory(_) => return Err(Unencodable),
        };
        Ok(if class == Class::Mask { mask(number) } else { self.vector(number) })
    }

    /// Fills in operands from `first` on. `scratch` says how many vector scratch registers are taken.
    fn operands(
        &mut self,
        instruction: &mut Instruction,
        inst: &Inst,
        args: &[Arg],
        first: usize,
        taken: usize,
    ) -> Result<(), Unencodable> {
        let code = instruction.code();
        let has_memory = args.iter().any(|arg| matches!(arg, Arg::Mem(_)));
        let last_register = args.iter().rposition(|arg| matches!(arg, Arg::Reg(_)));
        let (mut vectors, mut masks, mut generals) = (taken, 0, 0);
        for (number, arg) in args.iter().enumerate() {
            let at = (first + number) as u32;
            match *arg {
                Arg::None => {}
                Arg::Imm(value) => {
                    if has_wide_immediate(code) {
                        instruction.set_op_kind(at, OpKind::Immediate32);
                        instruction.set_immediate32(value.cast_unsigned());
                    } else {
                        instruction.set_op_kind(at, OpKind::Immediate8);
                        instruction.set_immediate8(value as u8);
                    }
                }
                Arg::Mem(mem) => self.set_memory(instruction, at, mem)?,
                Arg::Reg(reg) => {
                    let class = self.class(reg);
                    match self.move_operand(reg) {
                        MoveOperand::Register(number) => {
                            instruction.set_op_kind(at, OpKind::Register);
                            instruction.set_op_register(at, self.operand(code, at as usize, class, number));
                        }
                        MoveOperand::Slot(slot)
                            if takes_memory(code)
                                && inst.rounding.is_none()
                                && !inst.quiet
                                && !has_memory
                                && class != Class::Mask
                                && last_register == Some(number) =>
                        {
                            let memory = self.slot(class, slot);
                            set_memory_registers(
                                instruction,
                                at,
                                (memory.base, Register::None),
                                Mem::at(Base::Context, memory.displacement as i32),
                            );
                        }
                        MoveOperand::Slot(slot) => {
                            let count = match class {
                                Class::Vector => &mut vectors,
                                Class::Mask => &mut masks,
                                Class::General => &mut generals,
                            };
                            let register = *self.target.scratch().of(class).get(*count).ok_or(Unencodable)?;
                            *count += 1;
                            self.reload(class, register, slot)?;
                            instruction.set_op_kind(at, OpKind::Register);
                            instruction.set_op_register(at, self.operand(code, at as usize, class, register));
                        }
                        MoveOperand::Memory(_) => return Err(Unencodable),
                    }
                }
            }
        }
        Ok(())
    }

    fn finish_instruction(&mut self, mut instruction: Instruction, inst: &Inst) -> Result<(), Unencodable> {
        if let Some(mask) = inst.mask {
            let register = self.mask_register(mask, if self.class(mask) == Class::Vector { 1 } else { 0 })?;
            if self.class(mask) == Class::Vector {
                instruction.set_op3_kind(OpKind::Register);
                instruction.set_op3_register(register);
            } else {
                instruction.set_op_mask(register);
                instruction.set_zeroing_masking(inst.zeroing);
            }
        }
        let has_memory = (0..instruction.op_count()).any(|at| instruction.op_kind(at) == OpKind::Memory);
        match inst.rounding {
            Some(Directed::Zero) => instruction.set_rounding_control(RoundingControl::RoundTowardZero),
            Some(Directed::Up) => instruction.set_rounding_control(RoundingControl::RoundUp),
            None if inst.quiet && !has_memory => instruction.set_rounding_control(RoundingControl::RoundToNearest),
            None => {}
        }
        self.put(&instruction)
    }

    fn plain(&mut self, inst: &Inst, code: Code) -> Result<(), Unencodable> {
        let mut instruction = Instruction::new();
        instruction.set_code(code);
        let Some(def) = inst.def else {
            self.operands(&mut instruction, inst, trimmed(&inst.args), 0, 0)?;
            return self.finish_instruction(instruction, inst);
        };
        let class = self.class(def);
        // A copy that the allocator made superfluous.
        if let (None, Arg::Reg(from)) = (inst.mask, inst.args[0])
            && (code == self.target.code(Vop::Move) || code == self.target.copy_mask())
        {
            return self.copy(class, self.move_operand(def), self.move_operand(from));
        }
        let (register, slot) = self.definition(def);
        instruction.set_op0_kind(OpKind::Register);
        instruction.set_op0_register(self.operand(code, 0, class, register));
        self.operands(&mut instruction, inst, trimmed(&inst.args), 1, 0)?;
        self.finish_instruction(instruction, inst)?;
        slot.map_or(Ok(()), |slot| self.spill(class, slot, register))
    }

    fn tied(&mut self, inst: &Inst, code: Code) -> Result<(), Unencodable> {
        let Some(def) = inst.def else { return Err(Unencodable) };
        let class = self.class(def);
        let old = match inst.args[0] {
            Arg::Reg(reg) => self.move_operand(reg),
            Arg::Mem(mem) => MoveOperand::Memory(mem),
            Arg::None | Arg::Imm(_) => return Err(Unencodable),
        };
        let to = self.move_operand(def);
        let mut is_read = false;
        let rest = Inst { args: [inst.args[1], inst.args[2], inst.args[3], Arg::None], ..*inst };
        rest.for_each_use(|reg| is_read |= self.class(reg) == class && self.move_operand(reg) == to);
        let work = match to {
            MoveOperand::Register(_) if old == to || !is_read => to,
            MoveOperand::Register(_) | MoveOperand::Slot(_) | MoveOperand::Memory(_) => {
                MoveOperand::Register(self.scratch(class, 0))
            }
        };
        let MoveOperand::Register(register) = work else { return Err(Unencodable) };
        self.copy(class, work, old)?;
        let mut instruction = Instruction::new();
        instruction.set_code(code);
        instruction.set_op0_kind(OpKind::Register);
        instruction.set_op0_register(self.operand(code, 0, class, register));
        let taken = usize::from(class == Class::Vector);
        self.operands(&mut instruction, &rest, trimmed(&rest.args), 1, taken)?;
        self.finish_instruction(instruction, &rest)?;
        self.copy(class, to, work)
    }

    /// `a * b + c`; the forms are named by the order of their operands: 213 is second * first + third.
    fn fma(&mut self, inst: &Inst, negate_product: bool, negate_addend: bool) -> Result<(), Unencodable> {
        let Some(def) = inst.def else { return Err(Unencodable) };
        let to = self.move_operand(def);
        let [a, b, c, _] = inst.args;
        let is_to = |arg: Arg| {
            arg.reg().is_some_and(|reg| self.move_operand(reg) == to && matches!(to, MoveOperand::Register(_)))
        };
        let is_memory = |arg: Arg| match arg {
            Arg::Mem(_) => true,
            Arg::Reg(reg) => matches!(self.move_operand(reg), MoveOperand::Slot(_)),
            Arg::None | Arg::Imm(_) => false,
        };
        // Of two operands, whether the first has to be the one in memory.
        let is_last = |first: Arg, second: Arg| {
            !matches!(second, Arg::Mem(_)) && (matches!(first, Arg::Mem(_)) || is_memory(first) && !is_memory(second))
        };
        // Destroys a factor.
        let by_factor = |tied: Arg, factor: Arg| {
            if is_last(factor, c) { (132, tied, c, factor) } else { (213, tied, factor, c) }
        };
        let by_addend = || if is_last(a, b) { (231, c, b, a) } else { (231, c, a, b) };
        let (order, tied, second, third) = if is_to(c) {
            by_addend()
        } else if is_to(a) {
            by_factor(a, b)
        } else if is_to(b) || matches!(a, Arg::Mem(_)) && is_memory(c) {
            by_factor(b, a)
        } else if matches!(c, Arg::Mem(_)) || is_memory(a) && is_memory(c) {
            by_factor(a, b)
        } else {
            by_addend()
        };
        let codes = multiply_add(self.target, negate_product, negate_addend);
        let code = codes[match order {
            132 => 0,
            213 => 1,
            _ => 2,
        }];
        self.tied(&Inst { args: [tied, second, third, Arg::None], ..*inst }, code)
    }
}

fn trimmed(args: &[Arg; 4]) -> &[Arg] {
    let count = args.iter().position(|arg| *arg == Arg::None).unwrap_or(4);
    &args[..count]
}

fn set_memory_registers(instruction: &mut Instruction, at: u32, (base, index): (Register, Register), mem: Mem) {
    instruction.set_op_kind(at, OpKind::Memory);
    instruction.set_memory_base(base);
    instruction.set_memory_index(index);
    instruction.set_memory_index_scale(mem.scale.into());
    // The pool starts at address 0 of the code.
    instruction.set_memory_displacement64(i64::from(mem.disp) as u64);
    instruction.set_memory_displ_size(if base == Register::RIP { 8 } else { 1 });
    instruction.set_is_broadcast(mem.broadcast);
}
