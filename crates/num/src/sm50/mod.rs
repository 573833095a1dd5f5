//! The operations of the SPA 5.0 (Maxwell) shader processor.
//!
//! Arguments and results are bits. Floats are IEEE-754 numbers with all four directions of rounding; denormals are ordinary
//! numbers unless an instruction flushes them (FTZ). A flushed result is one that *is* a denormal once it has been rounded
//! (decision S33: the PTX ISA says no more than that subnormal results are flushed), so flushing is
//! [`flush`](crate::flushed::flush) before and after, and not the rule of [`flushed`](crate::flushed).
//!
//! Every operation that computes a NaN gives [`NAN`] (CUDA C++ Programming Guide, "Floating-Point Standard"), and [`NAN_F64`]
//! or [`NAN_F16`] in the other formats (decision S42: by analogy; the PTX ISA, "Floating-Point Instructions", says that f64
//! instructions support NaN payloads, but neither which operand's NaN comes through nor what a new one looks like).
//!
//! Sources: PTX ISA (rounding, NaN, `.ftz`, `.sat`, approximations), Mesa's nouveau and NAK (how compilers use the
//! operations), envytools (integer operations and flags), and results of single instructions that were measured on a GM20B
//! ("hardware, second hand": nxgpucatch, docs/sm50-hardware.md). The GM20B is a later chip of the same family.

mod bitwise;
mod convert;
mod double;
mod float;
mod integer;
pub mod mufu;

pub use bitwise::{
    PermuteMode, ShiftWord, bfe, bfi, find_leading_one, logic3, permute, shift_funnel_left, shift_funnel_right,
    shift_left, shift_right,
};
pub use convert::{FloatRounding, IntegerType, float_to_float, float_to_integer, integer_to_float, integer_to_integer};
pub use double::{dadd, dcompare, dfma, dmnmx, dmul};
pub use float::{Denormals, FloatRules, division_needs_care, fadd, fcompare, ffma, fmnmx, fmul, saturate};
pub use integer::{
    AddRules, AddendOfXmad, Flags, SumShift, XmadRules, iadd, iadd3, icompare, icompare_extended, imad, imnmx,
    imnmx_extended, imul, iscadd, lea, lea_high, xmad,
};
pub use mufu::{cos, ex2, lg2, rcp, rcp64h, rsq, rsq64h, sin};

/// The NaN of f32 operations.
pub const NAN: u32 = 0x7FFF_FFFF;
/// The NaN of f64 operations.
pub const NAN_F64: u64 = 0x7FFF_FFFF_FFFF_FFFF;
/// The NaN of conversions to f16.
pub const NAN_F16: u16 = 0x7FFF;

/// How two operands compare, as the bit of a condition code that holds for it: a condition is a set of these bits. Integer
/// conditions are the lower three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Relation {
    /// The first is less.
    Less = 1,
    /// Neither is less.
    Equal = 2,
    /// The second is less.
    Greater = 4,
    /// One is a NaN.
    Unordered = 8,
}

impl Relation {
    /// Whether the condition with this code holds.
    pub const fn satisfies(self, condition: u8) -> bool {
        condition & self as u8 != 0
    }
}

impl From<Option<std::cmp::Ordering>> for Relation {
    fn from(ordering: Option<std::cmp::Ordering>) -> Self {
        match ordering {
            Some(std::cmp::Ordering::Less) => Relation::Less,
            Some(std::cmp::Ordering::Equal) => Relation::Equal,
            Some(std::cmp::Ordering::Greater) => Relation::Greater,
            None => Relation::Unordered,
        }
    }
}
