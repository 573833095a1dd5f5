//! Instructions that are several: gathers, scatters, counts of lanes.

use super::{general, mask};
use crate::emit::{Emitter, MoveOperand, Unencodable};
use crate::mir::{Arg, Base, Class, Mem, Reg};
use crate::target::Target;
use crate::x64::Inst;
use crate::x64::isa::{EXECUTED, VectorIsa, Vop};
use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register};

impl Emitter<'_, VectorIsa> {
    pub(super) fn gather(&mut self, inst: &Inst) -> Result<(), Unencodable> {
        let (Some(def), Arg::Mem(mem)) = (inst.def, inst.args[0]) else { return Err(Unencodable) };
        let (register, slot) = self.definition(def);
        let borrowed = self.borrowed(register, mem);
        let register = borrowed.unwrap_or(register);
        let to = self.vector(register);
        if borrowed.is_some() {
            self.put_result(Instruction::with2(self.target.code(Vop::Spill), Self::save_area(0), to))?;
        }
        let lanes = self.copy_mask(inst.mask)?;
        self.put_result(Instruction::with3(self.target.code(Vop::Xor), to, to, to))?;
        let mut instruction = Instruction::new();
        instruction.set_op0_kind(OpKind::Register);
        instruction.set_op0_register(to);
        match self.target {
            VectorIsa::Avx512 => {
                instruction.set_code(Code::EVEX_Vgatherdps_zmm_k1_vm32z);
                instruction.set_op_mask(lanes);
            }
            VectorIsa::Avx2 => {
                instruction.set_code(Code::VEX_Vgatherdps_ymm_vm32y_ymm);
                instruction.set_op2_kind(OpKind::Register);
                instruction.set_op2_register(lanes);
            }
        }
        self.set_memory(&mut instruction, 1, mem)?;
        self.put(&instruction)?;
        if let Some(slot) = slot {
            self.spill(Class::Vector, slot, register)?;
        }
        match borrowed {
            Some(_) => self.put_result(Instruction::with2(self.target.code(Vop::Move), to, Self::save_area(0))),
            None => Ok(()),
        }
    }

    /// The register of the allocator's that a gather takes for its result in place of a scratch register: with AVX2 the mask is a vector, too, and
    /// takes one of the two; the index may take the other one.
    fn borrowed(&self, result: u8, mem: Mem) -> Option<u8> {
        let is_scratch = result == self.scratch(Class::Vector, 0);
        let index = mem.index.map(|index| self.move_operand(index));
        let free = u8::from(index == Some(MoveOperand::Register(0)));
        (self.target == VectorIsa::Avx2 && is_scratch).then_some(free)
    }

    /// The save area of the frame, which is as large as two vectors, at this byte.
    fn save_area(at: i32) -> MemoryOperand {
        MemoryOperand::with_base_displ(Register::RSP, at.into())
    }

    pub(super) fn scatter(&mut self, inst: &Inst) -> Result<(), Unencodable> {
        let (Arg::Reg(value), Arg::Mem(mem)) = (inst.args[0], inst.args[1]) else { return Err(Unencodable) };
        match self.target {
            VectorIsa::Avx512 => {
                let lanes = self.copy_mask(inst.mask)?;
                let value = self.vector_register(value, 0)?;
                let mut instruction = Instruction::new();
                instruction.set_code(Code::EVEX_Vscatterdps_vm32z_k1_zmm);
                instruction.set_op1_kind(OpKind::Register);
                instruction.set_op1_register(value);
                self.set_memory(&mut instruction, 0, mem)?;
                instruction.set_op_mask(lanes);
                self.put(&instruction)
            }
            VectorIsa::Avx2 => self.scatter_one_by_one(value, mem, inst.mask),
        }
    }

    /// A vector in a register, in this scratch register if need be.
    fn vector_register(&mut self, reg: Reg, scratch: usize) -> Result<Register, Unencodable> {
        Ok(match self.move_operand(reg) {
            MoveOperand::Register(number) => self.vector(number),
            from @ (MoveOperand::Slot(_) | MoveOperand::Memory(_)) => {
                let scratch = self.scratch(Class::Vector, scratch);
                self.copy(Class::Vector, MoveOperand::Register(scratch), from)?;
                self.vector(scratch)
            }
        })
    }

    /// Offsets and words go to the frame, and from there to memory, lane after lane.
    fn scatter_one_by_one(&mut self, value: Reg, mem: Mem, lanes: Option<Reg>) -> Result<(), Unencodable> {
        let (Some(offsets), Base::Reg(base)) = (mem.index, mem.base) else { return Err(Unencodable) };
        let (words_at, spill) = (self.target.bytes(), self.target.code(Vop::Spill));
        for (reg, at) in [(offsets, 0), (value, words_at)] {
            let register = self.vector_register(reg, 0)?;
            self.put_result(Instruction::with2(spill, Self::save_area(at), register))?;
        }
        let [left, lane, offset] = [Register::EAX, Register::ECX, Register::RDX];
        let end = self.lanes_left(left, lanes)?;
        let start = self.bytes.len() as u64;
        self.put_result(Instruction::with2(Code::Bsf_r32_rm32, lane, left))?;
        let of_lane =
            |at: i32| MemoryOperand::with_base_index_scale_displ_size(Register::RSP, Register::RCX, 4, at.into(), 1);
        self.put_result(Instruction::with2(Code::Movsxd_r64_rm32, offset, of_lane(0)))?;
        self.put_result(Instruction::with2(Code::Mov_r32_rm32, lane, of_lane(words_at)))?;
        let to = match self.move_operand(base) {
            MoveOperand::Register(number) => MemoryOperand::with_base_index_scale_displ_size(
                general(number, true),
                Register::RDX,
                1,
                mem.disp.into(),
                1,
            ),
            MoveOperand::Slot(slot) => {
                let base = self.slot(Class::General, slot);
                self.put_result(Instruction::with2(Code::Add_r64_rm64, Register::RDX, base))?;
                MemoryOperand::with_base_displ(Register::RDX, mem.disp.into())
            }
            MoveOperand::Memory(_) => return Err(Unencodable),
        };
        self.put_result(Instruction::with2(Code::Mov_rm32_r32, to, lane))?;
        self.put_result(Instruction::with2(Code::VEX_Blsr_r32_rm32, left, left))?;
        self.put_result(Instruction::with_branch(Code::Jne_rel8_64, start))?;
        self.land(end);
        Ok(())
    }

    /// Puts a bit for each lane into a register and jumps if there is none; gives the jump, to be landed.
    fn lanes_left(&mut self, to: Register, lanes: Option<Reg>) -> Result<Option<usize>, Unencodable> {
        let Some(lanes) = lanes else {
            let all = (1i32 << self.target.lanes()) - 1;
            self.put_result(Instruction::with2(Code::Mov_r32_imm32, to, all))?;
            return Ok(None);
        };
        self.mask_bits(to, lanes)?;
        self.put_result(Instruction::with2(Code::Test_rm32_r32, to, to))?;
        let here = self.bytes.len() as u64;
        self.put_result(Instruction::with_branch(Code::Je_rel32_64, here + 0x1000))?;
        Ok(Some(self.bytes.len()))
    }

    /// Lets a jump end here.
    fn land(&mut self, jump: Option<usize>) {
        if let Some(end) = jump {
            let distance = (self.bytes.len() - end) as i32;
            self.bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
    }

    /// One bit for each lane of a mask.
    fn mask_bits(&mut self, to: Register, lanes: Reg) -> Result<(), Unencodable> {
        let from = self.mask_register(lanes, 0)?;
        let code = match self.target {
            VectorIsa::Avx512 => Code::VEX_Kmovw_r32_kr,
            VectorIsa::Avx2 => Code::VEX_Vmovmskps_r32_ymm,
        };
        self.put_result(Instruction::with2(code, to, from))
    }

    /// A mask that an instruction may destroy; all lanes without one.
    fn copy_mask(&mut self, from: Option<Reg>) -> Result<Register, Unencodable> {
        let class = self.target.mask_class();
        let number = self.scratch(class, 0);
        let to = if class == Class::Mask { mask(number) } else { self.vector(number) };
        match (from, self.target) {
            (Some(from), _) => self.copy(class, MoveOperand::Register(number), self.move_operand(from))?,
            (None, VectorIsa::Avx512) => self.put_result(Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, to, to, to))?,
            (None, VectorIsa::Avx2) => {
                self.put_result(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, to, to, to))?
            }
        }
        Ok(to)
    }

    pub(super) fn count(&mut self, inst: &Inst, count: u32) -> Result<(), Unencodable> {
        let total = general(EXECUTED, true);
        let Arg::Reg(reg) = inst.args[0] else {
            let amount = count.cast_signed();
            return self.put_result(Instruction::with2(Code::Add_rm64_imm32, total, amount));
        };
        if self.class(reg) == Class::General {
            return match self.move_operand(reg) {
                _ if count != 1 => Err(Unencodable),
                MoveOperand::Register(number) => {
                    self.put_result(Instruction::with2(Code::Add_r64_rm64, total, general(number, true)))
                }
                MoveOperand::Slot(slot) => {
                    let slot = self.slot(Class::General, slot);
                    self.put_result(Instruction::with2(Code::Add_r64_rm64, total, slot))
                }
                MoveOperand::Memory(_) => Err(Unencodable),
            };
        }
        self.mask_bits(Register::EAX, reg)?;
        self.put_result(Instruction::with2(Code::Popcnt_r32_rm32, Register::EAX, Register::EAX))?;
        if matches!(count, 2 | 4 | 8) {
            let scaled = MemoryOperand::with_base_index_scale(total, Register::RAX, count);
            return self.put_result(Instruction::with2(Code::Lea_r64_m, total, scaled));
        }
        if count != 1 {
            let amount = count.cast_signed();
            self.put_result(Instruction::with3(Code::Imul_r32_rm32_imm32, Register::EAX, Register::EAX, amount))?;
        }
        self.put_result(Instruction::with2(Code::Add_rm64_r64, total, Register::RAX))
    }
}
