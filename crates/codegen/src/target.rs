//! What code generation asks of a target: its registers, how it selects, what its instructions mean, and how its code is called.
//! How it encodes is asked by [`emit`](crate::emit::Encoding), and how bytes are read by [`check`](crate::check::Decoding).
//!
//! Everything but the modules of a target is written for any [`Target`]: the machine IR ([`mir`](crate::mir)), allocation of
//! registers, order, interleaving of groups, splitting of masks, the checks of accesses and of bytes, the memory of a run and
//! its loop. A target is a small value, such as the vector form of the host; all dispatch is static.
//!
//! The first target is x86-64 (`x64`), with vectors of 512 bits and mask registers, or of 256 bits and masks in vectors. Each item says
//! what AArch64 would answer, which has vectors of 128 bits, neither mask registers nor gathers, and cannot read memory in
//! arithmetic.

use crate::allocate::Registers;
use crate::context::Context;
use crate::mir::{Class, Condition, Inst, MachineFunction, Mem, Opcode, Reg};
use crate::select::{Mode, Selected};
use ctm_engine::SurfaceLayout;
use ctm_lane::Function;
use ctm_lane::effort::Effort;
use std::fmt::Debug;

/// A kind of machine code, for a host.
pub trait Target: Copy + Debug + Send + Sync + 'static {
    /// What an instruction is, as the encoder knows it. AArch64: an enumeration of the instructions that are selected.
    type Op: Opcode;

    /// Adds an immediate to its first operand, a general register. AArch64: `add`.
    const STEP: Self::Op;
    /// Modes of the floating-point unit that code is called with: denormals are zeros, rounding to nearest, no exception traps.
    /// AArch64: the bits FZ and DN of FPCR, with other bits for NaNs.
    const FLOAT_MODE: u32;
    /// The sticky flag of invalid operations, as the code leaves flags in its context. AArch64: IOC of FPSR.
    const INVALID: u32;

    /// The name of the engine that makes this code.
    fn name(self) -> &'static str;

    /// Lanes of a vector, each of 32 bits, and so of a group. AArch64: 4.
    fn lanes(self) -> u32;

    /// Instructions that a processor begins with in a cycle, about, where most are about vectors. AArch64: 4.
    fn width(self) -> f32;

    /// Bytes of a vector.
    fn bytes(self) -> i32 {
        self.lanes() as i32 * 4
    }

    /// Where masks live. AArch64: in vectors.
    fn mask_class(self) -> Class;

    /// Registers for the allocator, best first; without the one that counts steps, if code does. Numbers are below
    /// [`REGISTERS`](crate::allocate::REGISTERS). AArch64: all but three of 32 vectors and of 31 general registers, without
    /// those of the system.
    fn registers(self, counts_steps: bool) -> Registers;

    /// Registers that the encoder keeps for itself.
    fn scratch(self) -> Registers;

    /// Combines two masks to one that has the lanes of both.
    fn or_masks(self) -> Self::Op;

    /// Loads an instruction's operand into a vector register, if that is a vector that nothing writes while code runs. AArch64: `None`, as
    /// such operands are registers already.
    fn load_constant(self, inst: &Inst<Self::Op>, operand: Mem) -> Option<Self::Op>;

    /// Loads an instruction's operand into a vector register, if that is a whole vector. AArch64: `None`, as such operands are registers already.
    fn load_vector(self, inst: &Inst<Self::Op>, operand: Mem) -> Option<Self::Op>;

    /// Asks for the line of the cache that an instruction stores to, which is its first operand; `None` if it does not store so that it would wait for
    /// that. AArch64: `prfm`.
    fn prefetch(self, inst: &Inst<Self::Op>) -> Option<Self::Op>;

    /// Lets branches of code for several groups, which ask whether a lane of any of them leaves, ask once. AArch64: nothing, as it would take as many
    /// instructions.
    fn merge_lane_tests(self, machine: &mut MachineFunction<Self::Op>);

    /// Copies a vector: the same instruction is the copy that allocation may leave out. AArch64: `mov`.
    fn copy_vector(self) -> Self::Op;

    /// Copies a mask: the same instruction is the copy that allocation may leave out. AArch64: a vector's `orr`.
    fn copy_mask(self) -> Self::Op;

    /// Instructions that make a general register the sum of all numbers of lanes in masks, each of them times a constant. They may change the
    /// flags. AArch64: sums over vectors of ones.
    fn lanes_times(
        self,
        machine: &mut MachineFunction<Self::Op>,
        masks: &[(Reg, u32)],
        sum: Reg,
    ) -> Vec<Inst<Self::Op>>;

    /// Machine instructions for a function; `None` if it has something that they cannot do. AArch64 would select a load for
    /// each operand in memory, and comparisons that give vectors.
    fn select(self, function: &Function, layouts: &[SurfaceLayout], mode: Mode) -> Option<Selected<Self::Op>>;

    /// Settles what lanes calculate that nobody looks at. Where arithmetic need not raise the invalid flag for them, those that have left a loop go on
    /// in it ([`ctm_lane::run_inactive_lanes`]); elsewhere they stand still, or get what seldom raises it ([`ctm_lane::version_full_mask_loops`],
    /// [`ctm_lane::zero_inactive_lanes`]). AArch64: the latter.
    fn prepare_inactive_lanes(self, function: &mut Function, effort: &Effort);

    /// Whether lanes that nobody looks at may raise the invalid flag. AArch64: yes.
    fn raises_idly(self) -> bool;

    /// Cycles from an instruction's operands to its result, about. AArch64: 4 for floats, 10 for roots and quotients.
    fn latency(self, inst: &Inst<Self::Op>) -> u32;

    /// What an instruction does, as far as addresses, masks and branches are made of it.
    fn semantics(self, inst: &Inst<Self::Op>) -> Semantics;

    /// Whether an instruction that defines nothing, and has memory as its first operand, only reads that.
    fn only_reads(op: Self::Op) -> bool;

    /// Bytes that an instruction reads or writes at its memory operand. AArch64: by the width of loads and stores.
    fn operand_bytes(self, inst: &Inst<Self::Op>, mem: Mem) -> u64;

    /// Machine code as text, one instruction on a line.
    fn disassemble(code: &[u8], offset: usize) -> String;

    /// Calls code by its calling convention.
    ///
    /// # Safety
    /// Code of this target starts at the address, and the context has what it expects.
    #[allow(unsafe_code, reason = "what the address holds cannot be known")]
    unsafe fn call(entry: *const u8, context: *mut Context);

    /// Lets non-temporal stores of this thread come before all that it stores next. AArch64: nothing, as barriers do that.
    fn finish_stores();

    /// The address of [`poll`](crate::poll::poll) by the calling convention that code calls it with.
    fn poll() -> *const ();
}

/// What an instruction does, as far as addresses, masks and branches are made of it. Operands are those of the instruction, in
/// their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// Nothing that is known.
    Unknown,
    /// The operation on integers of 32 bits in every lane, or in a general register; on masks, a copy or the operation on bits.
    Integers(Operation),
    /// The lanes of the second mask that are not in the first; nothing that is known of integers.
    AndNot,
    /// The lanes that are not in a mask.
    Not,
    /// The sum of a general register and an immediate.
    Step,
    /// A general register in every lane.
    Repeat,
    /// The first lane of a vector in every lane.
    RepeatFirst,
    /// A general register in the first lane, zeros in the others.
    SetFirst,
    /// The bits of the operand as they are: a load, or the first lane of a vector.
    Load,
    /// A pointer as it is, or other 64 bits.
    LoadPointer,
    /// The sum of a pointer and a number of 64 bits.
    AddPointer,
    /// The address of the operand, which is not accessed, or prefetched at most.
    Address,
    /// One of two vectors in each lane, by a mask.
    Choose,
    /// The greater float, or the second operand if one is a NaN.
    FloatMax,
    /// The smaller float, likewise.
    FloatMin,
    /// Floats truncated to integers.
    Truncate,
    /// An integer between these.
    Within(i32, i32),
    /// A mask of the lanes in which the test holds of integers.
    Compare(Condition),
    /// Sets the flags by two general registers.
    CompareGeneral,
    /// Sets the flags to "equal" if neither mask has a lane.
    TestEither,
    /// Sets the flags to "equal" if no lane is in both masks.
    TestCommon,
}

/// Operations on integers that are the same in every lane, and on general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Copy,
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    SignedMin,
    SignedMax,
    UnsignedMin,
    UnsignedMax,
}
