//! How the words of an instruction are laid out and written down: the types of what the table's rows hold.

use crate::field::{Bits, Field, FieldId};

/// The upper sixteen bits of one form.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// What stands in the place of operand B.
    pub shape: Shape,
    /// Value of the bits that `mask` names.
    pub base: u16,
    /// The bits that tell the form.
    pub mask: u16,
}

impl Pattern {
    /// Whether a word is of this form.
    pub const fn matches(&self, word: u64) -> bool {
        (word >> 48) as u16 & self.mask == self.base
    }
}

/// What stands in the place of operand B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// There is no operand B.
    Plain,
    /// There is no operand B and no guard: the instruction is for all active lanes.
    Unguarded,
    /// A register.
    Register,
    /// An immediate.
    Immediate(Imm),
    /// A constant.
    Constant,
    /// A register in the place of operand C, which is a constant.
    ConstantC,
}

/// What an immediate is and how it is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imm {
    /// 20 bits with sign.
    Signed,
    /// 20 bits with sign, spelled without.
    Unsigned,
    /// The upper 20 bits of a float, of binary32 or binary64.
    Float,
    /// The upper 20 bits of a float of binary64.
    Double,
    /// A float of the type in `FROM_FLOAT`: the upper 20 bits, or all 16 of binary16.
    Converted,
    /// 16 bits without sign; spelled with sign where `HALF_FACTORS` makes B signed.
    Half,
    /// 16 bits, spelled with sign where `VIDEO_IMM` makes B signed.
    VideoHalf,
    /// 6 bits without sign.
    Count,
    /// 32 bits with sign.
    WideSigned,
    /// 32 bits without sign.
    WideUnsigned,
    /// The bits of a binary32 float.
    WideFloat,
}

impl Imm {
    /// The field that holds the immediate.
    pub const fn field(self) -> Field {
        match self {
            Self::Signed | Self::Unsigned | Self::Float | Self::Double | Self::Converted => {
                Field { id: FieldId::IMM20, bits: Bits::split(38, 20, 56, 56) }
            }
            Self::Half | Self::VideoHalf => Field { id: FieldId::IMM16, bits: Bits::new(35, 20) },
            Self::Count => Field { id: FieldId::IMM6, bits: Bits::new(25, 20) },
            Self::WideSigned | Self::WideUnsigned | Self::WideFloat => {
                Field { id: FieldId::IMM32, bits: Bits::new(51, 20) }
            }
        }
    }
}

const GUARD: Field = Field { id: FieldId::GUARD, bits: Bits::new(18, 16) };
const GUARD_NOT: Field = Field { id: FieldId::GUARD_NOT, bits: Bits::new(19, 19) };
const RB: Field = Field { id: FieldId::RB, bits: Bits::new(27, 20) };
const BANK: Field = Field { id: FieldId::BANK, bits: Bits::new(38, 34) };
const BANK_WORD: Field = Field { id: FieldId::BANK_WORD, bits: Bits::new(33, 20) };

impl Shape {
    /// The fields that the shape adds to those of the row: guard and operand B.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            Self::Unguarded => &[],
            Self::Plain => &[GUARD, GUARD_NOT],
            Self::Register => &[GUARD, GUARD_NOT, RB],
            Self::Constant | Self::ConstantC => &[GUARD, GUARD_NOT, BANK, BANK_WORD],
            Self::Immediate(imm) => match imm.field().id {
                FieldId::IMM16 => &const { [GUARD, GUARD_NOT, Imm::Half.field()] },
                FieldId::IMM6 => &const { [GUARD, GUARD_NOT, Imm::Count.field()] },
                FieldId::IMM32 => &const { [GUARD, GUARD_NOT, Imm::WideSigned.field()] },
                _ => &const { [GUARD, GUARD_NOT, Imm::Signed.field()] },
            },
        }
    }
}

/// An operand as the text has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `RD`, with `.CC`.
    Rd,
    /// `RD`, and nothing if that is RZ.
    RdUnlessZero,
    /// `RD` as the data of a store.
    Data,
    /// A register without anything around it.
    Register(FieldId),
    /// A register without anything around it, and nothing if that is RZ.
    RegisterUnlessZero(FieldId),
    /// The name of a field's value.
    Name(FieldId),
    /// Dimensions, of a scalar texture access.
    ScalarDim,
    /// `PB`, of no use here, and nothing if that is PT.
    PbUnlessTrue,
    /// The predicate source of `IPA`: nothing if that is PT, unless the address is in a register.
    InputPredicate,
    /// An input of a fragment program: `a[0x80]`, or `a[R1]`.
    Input,
    /// The value to compare with and the one to store.
    CasValues,
    /// Address of a cache access, where there is one.
    CacheAddress,
    /// Number of a texture header that leaves a cache, where one is named.
    CacheHeader,
    /// Number of a barrier that is read, where one is named.
    NamedBarrier,
    /// The swizzle of `FSWZADD`, two letters for each lane.
    Swizzle,
    /// Bytes of A.
    BytesA,
    /// Bytes of B, or a byte.
    BytesB,
    /// `RD` as the source that it also is.
    RdAgain,
    /// Operand A.
    A,
    /// Operand B.
    B,
    /// Operand B, with a blank between the brackets of a constant.
    SpacedB,
    /// Operand B of `F2F`: with a blank in a constant that is of half precision.
    ConvertedB,
    /// Operand C.
    C,
    /// `RC`, and nothing if that is RZ.
    RcUnlessZero,
    /// The predicate destination `PD`.
    Pd,
    /// The predicate destination `PD`, and nothing if that is PT.
    PdUnlessTrue,
    /// The predicate destination `PQ`.
    Pq,
    /// The predicate source `PC`.
    Pc,
    /// The predicate operand `PA`.
    Pa,
    /// The predicate operand `PB`.
    Pb,
    /// The word `CC`.
    Cc,
    /// `PR` or `CC`.
    Flags,
    /// A number.
    Number(FieldId),
    /// A number, and nothing if that is 0.
    NumberUnlessZero(FieldId),
    /// The quad mask, and nothing if that is 15.
    QuadMask,
    /// Address of attributes: `a[R1+0x80]`.
    Attribute,
    /// Register and offset that `AL2P` adds: `R1, 0x80`.
    Logical,
    /// `[R1]`.
    Bracketed,
    /// Address in memory: `[R1+0x10]`.
    Memory,
    /// Address in a constant bank: `c[0x3][R1+0x10]`.
    ConstantMemory,
    /// A special register.
    Special,
    /// Test of the condition code, and nothing if that is T.
    Test,
    /// A relative target.
    Target,
    /// An absolute target.
    Absolute,
    /// A register plus a relative target.
    IndexedTarget,
    /// A register plus an absolute target.
    IndexedAbsolute,
    /// Number of a barrier.
    BarrierId,
    /// Count of threads at a barrier, where there is one.
    BarrierCount,
    /// The predicate source, where the barrier takes one.
    BarrierPredicate,
    /// Scoreboard and count that `DEPBAR.LE` waits for.
    Scoreboard,
    /// Set of scoreboards, and nothing if that is empty.
    ScoreboardSet,
    /// The lane of `SHFL`.
    Lane,
    /// The clamp of `SHFL`.
    Clamp,
}
