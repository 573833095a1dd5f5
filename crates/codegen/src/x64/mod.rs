//! x86-64, in two vector forms: AVX-512 with 16 lanes in a vector register, and AVX2 with 8.

mod bytes;
mod call;
mod emit;
#[cfg(test)]
mod false_deoptimisations;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod frame;
#[cfg(any(test, debug_assertions))]
pub mod fuzz;
#[cfg(test)]
mod groups;
mod inactive_lanes;
mod isa;
#[cfg(test)]
mod kernels;
mod lanes;
mod merge_lane_tests;
#[cfg(test)]
mod passes;
#[cfg(test)]
mod proofs;
mod select;
mod semantics;

pub use isa::VectorIsa;

use crate::allocate::Registers;
use crate::backend;
use crate::check::{Checked, Decoding, Locations, State};
use crate::context::Context;
use crate::emit::{Emitter, Encoding, MoveOperand, Unencodable};
use crate::mir::{self, Arg, Base, Class, Condition, Mem, Opcode, Reg};
use crate::select::{Mode, Selected};
use crate::target::{Semantics, Target};
use ctm_engine::SurfaceLayout;
use ctm_lane::Function;
use ctm_lane::effort::Effort;
use iced_x86::{Code, Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};

/// The backend for x86-64.
pub type Jit = backend::Jit<VectorIsa>;

type Inst = mir::Inst<Code>;
type InstKind = mir::InstKind<Code>;
type Block = mir::Block<Code>;
type MachineFunction = mir::MachineFunction<Code>;

impl Jit {
    /// The backend that makes the best code that this host can run, if it can run any.
    pub fn new() -> Option<Self> {
        VectorIsa::ALL.into_iter().find_map(Self::supported)
    }

    /// The backend for AVX-512 (F, CD, DQ, VL and BW), with 16 lanes, if this host has it.
    pub fn avx512() -> Option<Self> {
        Self::supported(VectorIsa::Avx512)
    }

    /// The backend for AVX2 with FMA, F16C and BMI1, with 8 lanes, if this host has them.
    pub fn avx2() -> Option<Self> {
        Self::supported(VectorIsa::Avx2)
    }

    fn supported(isa: VectorIsa) -> Option<Self> {
        isa.is_supported().then(|| Self::of(isa))
    }
}

impl Opcode for Code {
    #[cfg(test)]
    fn parse(name: &str) -> Option<Self> {
        use std::collections::HashMap;
        use std::sync::LazyLock;
        static CODES: LazyLock<HashMap<String, Code>> =
            LazyLock::new(|| Code::values().map(|code| (format!("{code:?}"), code)).collect());
        CODES.get(name).copied()
    }
}

impl Target for VectorIsa {
    type Op = Code;

    const STEP: Code = Code::Add_rm32_imm32;
    const FLOAT_MODE: u32 = isa::FLOAT_MODE;
    const INVALID: u32 = isa::INVALID;

    fn name(self) -> &'static str {
        match self {
            Self::Avx2 => "jit-avx2",
            Self::Avx512 => "jit-avx512",
        }
    }

    fn lanes(self) -> u32 {
        match self {
            Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    fn width(self) -> f32 {
        match self {
            Self::Avx2 => 3.0,
            Self::Avx512 => 2.0,
        }
    }

    fn mask_class(self) -> Class {
        match self {
            Self::Avx2 => Class::Vector,
            Self::Avx512 => Class::Mask,
        }
    }

    fn registers(self, counts_steps: bool) -> Registers {
        isa::registers(self, counts_steps)
    }

    fn scratch(self) -> Registers {
        isa::scratch(self)
    }

    fn or_masks(self) -> Code {
        match self {
            Self::Avx2 => Code::VEX_Vpor_ymm_ymm_ymmm256,
            Self::Avx512 => Code::VEX_Korw_kr_kr_kr,
        }
    }

    fn load_constant(self, inst: &Inst, operand: Mem) -> Option<Code> {
        match self {
            Self::Avx2 if operand.base == Base::Pool && operand.index.is_none() => self.load_vector(inst, operand),
            Self::Avx512 if operand.broadcast => Some(self.code(isa::Vop::Broadcast)),
            Self::Avx2 | Self::Avx512 => None,
        }
    }

    fn load_vector(self, inst: &Inst, operand: Mem) -> Option<Code> {
        let is_whole = self.operand_bytes(inst, operand) == u64::from(self.lanes()) * 4;
        (is_whole && !operand.broadcast).then_some(self.code(isa::Vop::Load))
    }

    fn prefetch(self, inst: &Inst) -> Option<Code> {
        (inst.kind == InstKind::Plain(self.code(isa::Vop::Store))).then_some(Code::Prefetchw_m8)
    }

    fn merge_lane_tests(self, machine: &mut MachineFunction) {
        match self {
            Self::Avx2 => {}
            Self::Avx512 => merge_lane_tests::merge_lane_tests(machine),
        }
    }

    fn copy_vector(self) -> Code {
        self.code(isa::Vop::Move)
    }

    fn copy_mask(self) -> Code {
        match self {
            Self::Avx2 => self.code(isa::Vop::Move),
            Self::Avx512 => isa::MASK_COPY,
        }
    }

    fn lanes_times(self, machine: &mut MachineFunction, masks: &[(Reg, u32)], sum: Reg) -> Vec<Inst> {
        lanes::lanes_times(self, machine, masks, sum)
    }

    fn select(self, function: &Function, layouts: &[SurfaceLayout], mode: Mode) -> Option<Selected<Code>> {
        select::select(function, layouts, self, mode)
    }

    fn prepare_inactive_lanes(self, function: &mut Function, effort: &Effort) {
        inactive_lanes::prepare(function, self, effort);
    }

    fn raises_idly(self) -> bool {
        !self.can_be_quiet()
    }

    fn latency(self, inst: &Inst) -> u32 {
        isa::latency(inst.kind)
    }

    fn semantics(self, inst: &Inst) -> Semantics {
        semantics::semantics(inst)
    }

    fn only_reads(code: Code) -> bool {
        matches!(code, Code::Cmp_rm32_imm32 | Code::Test_rm8_imm8 | Code::Ldmxcsr_m32)
    }

    fn operand_bytes(self, inst: &Inst, mem: Mem) -> u64 {
        let (InstKind::Plain(code) | InstKind::Tied(code)) = inst.kind else {
            return if mem.broadcast { 4 } else { self.bytes().unsigned_abs().into() };
        };
        let mut instruction = Instruction::new();
        instruction.set_code(code);
        instruction.set_is_broadcast(mem.broadcast);
        instruction.memory_size().size() as u64
    }

    fn disassemble(code: &[u8], offset: usize) -> String {
        let mut text = String::new();
        let mut formatter = IntelFormatter::new();
        for instruction in Self::decode(code, offset) {
            text.push_str(&format!("{:8x}  ", instruction.ip()));
            formatter.format(&instruction, &mut text);
            text.push('\n');
        }
        text
    }

    #[allow(unsafe_code, reason = "calls machine code; the caller answers for it")]
    unsafe fn call(entry: *const u8, context: *mut Context) {
        // SAFETY: the caller's promise.
        unsafe { call::call(entry, context) }
    }

    fn finish_stores() {
        call::finish_stores();
    }

    fn poll() -> *const () {
        call::poll as *const ()
    }
}

impl Encoding for VectorIsa {
    type Encoder = emit::Encoder;

    fn prologue(emitter: &mut Emitter<Self>) -> Result<(), Unencodable> {
        emitter.prologue()
    }

    fn epilogue(emitter: &mut Emitter<Self>) -> Result<(), Unencodable> {
        emitter.epilogue()
    }

    fn inst(emitter: &mut Emitter<Self>, inst: &Inst) -> Result<(), Unencodable> {
        emitter.inst(inst)
    }

    fn copy(emitter: &mut Emitter<Self>, class: Class, to: MoveOperand, from: MoveOperand) -> Result<(), Unencodable> {
        emitter.copy(class, to, from)
    }

    fn jump(emitter: &mut Emitter<Self>, condition: Option<Condition>) -> Result<(), Unencodable> {
        emitter.jump(condition)
    }

    fn link(bytes: &mut [u8], end: usize, to: usize) {
        let distance = (to as i64 - end as i64) as i32;
        bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
    }

    fn poll_stub(emitter: &mut Emitter<Self>) -> Result<(), Unencodable> {
        emitter.poll_stub()
    }

    fn poll_call(emitter: &mut Emitter<Self>) -> Result<(), Unencodable> {
        emitter.poll_call()
    }
}

impl Decoding for VectorIsa {
    type Decoded = Instruction;

    fn decode(bytes: &[u8], offset: usize) -> Vec<Instruction> {
        Decoder::with_ip(64, bytes, offset as u64, DecoderOptions::NONE).into_iter().collect()
    }

    fn check_inst(locations: &Locations<Self>, state: &mut State, inst: &Inst, code: &[Instruction]) -> Checked<()> {
        locations.inst(state, inst, code)
    }

    fn check_copy(locations: &Locations<Self>, state: &mut State, one: &Instruction, args: &[Arg]) -> Checked<()> {
        locations.copy(state, one, args)
    }
}
