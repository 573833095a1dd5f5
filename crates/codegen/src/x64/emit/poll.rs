//! Calls from the middle of a group: everything in registers has to survive them.

use super::{CONTEXT, general, mask};
use crate::context;
use crate::emit::{Emitter, Label, Unencodable};
use crate::target::Target;
use crate::x64::isa::{STEPS, VectorIsa, Vop};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// General registers of the allocator that belong to the callee (System V).
const VOLATILE: [Register; 6] =
    [Register::RSI, Register::RDI, Register::R8, Register::R9, Register::R10, Register::R11];

impl Emitter<'_, VectorIsa> {
    /// Calls for more steps, and tests those that there are then.
    pub(in crate::x64) fn poll_stub(&mut self) -> Result<(), Unencodable> {
        let left = general(STEPS, true);
        self.branch_with(Code::Call_rel32_64)?;
        self.label(Label::Poll);
        self.put_result(Instruction::with2(Code::Test_rm64_r64, left, left))
    }

    /// The function that the stubs call: `poll` with the steps that are left, which gives the new ones. It keeps all registers
    /// but those that the encoder has for itself.
    pub(in crate::x64) fn poll_call(&mut self) -> Result<(), Unencodable> {
        let registers = self.target.registers(true);
        let place = |at: usize, size: i32| MemoryOperand::with_base_displ(Register::RSP, at as i64 * i64::from(size));
        let vectors = registers.vector.len() as i32 * self.target.bytes();
        let mask_place = |at: usize| MemoryOperand::with_base_displ(Register::RSP, i64::from(vectors) + at as i64 * 8);
        // The frame of the code is aligned to 64 bytes; the return address and the registers take some of the next 64.
        let pushed = 8 * (1 + VOLATILE.len() as i32);
        let size = (vectors + registers.mask.len() as i32 * 8 + pushed + 63) / 64 * 64 - pushed;
        for register in VOLATILE {
            self.put_result(Instruction::with1(Code::Push_r64, register))?;
        }
        self.put_result(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, size))?;
        for (at, &number) in registers.vector.iter().enumerate() {
            let to = place(at, self.target.bytes());
            self.put_result(Instruction::with2(self.target.code(Vop::Spill), to, self.vector(number)))?;
        }
        for (at, &number) in registers.mask.iter().enumerate() {
            self.put_result(Instruction::with2(Code::VEX_Kmovw_m16_kr, mask_place(at), mask(number)))?;
        }
        self.tell_executed()?;
        self.put_result(Instruction::with1(Code::Stmxcsr_m32, Self::context(context::FLAGS)))?;
        self.put_result(Instruction::with1(Code::Ldmxcsr_m32, Self::context(context::SAVED_MODE)))?;
        self.put(&Instruction::with(Code::VEX_Vzeroupper))?;
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, Register::RDI, CONTEXT))?;
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, Register::RSI, general(STEPS, true)))?;
        self.put_result(Instruction::with1(Code::Call_rm64, Self::context(context::POLL)))?;
        self.put_result(Instruction::with2(Code::Mov_r64_rm64, general(STEPS, true), Register::RAX))?;
        self.put_result(Instruction::with1(Code::Ldmxcsr_m32, Self::context(context::FLAGS)))?;
        for (at, &number) in registers.vector.iter().enumerate() {
            let from = place(at, self.target.bytes());
            self.put_result(Instruction::with2(self.target.code(Vop::Move), self.vector(number), from))?;
        }
        for (at, &number) in registers.mask.iter().enumerate() {
            self.put_result(Instruction::with2(Code::VEX_Kmovw_kr_km16, mask(number), mask_place(at)))?;
        }
        self.put_result(Instruction::with2(Code::Add_rm64_imm32, Register::RSP, size))?;
        for register in VOLATILE.into_iter().rev() {
            self.put_result(Instruction::with1(Code::Pop_r64, register))?;
        }
        self.put(&Instruction::with(Code::Retnq))
    }
}
