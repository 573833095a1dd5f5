//! Fields of instruction words: their names, types, spellings, and how a place in the word is written down.

use crate::codes::*;
use crate::operand::{Pred, Reg};
use ctm_bits::FieldValue;
use std::marker::PhantomData;

/// The bits of a field: `width` bits from `lo` on, and for fields that the word splits some more on top of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Lowest bit.
    pub lo: u8,
    /// Number of bits from `lo` on.
    pub width: u8,
    /// Where the most significant bits are, if they do not follow the others: the lowest of them, and how many they are.
    pub top: Option<(u8, u8)>,
}

impl Bits {
    /// The bits `hi..=lo`.
    pub const fn new(hi: u8, lo: u8) -> Self {
        Bits { lo, width: hi - lo + 1, top: None }
    }

    /// The bits `hi..=lo`, and the bits `top_hi..=top_lo` above them.
    pub const fn split(hi: u8, lo: u8, top_hi: u8, top_lo: u8) -> Self {
        Bits { lo, width: hi - lo + 1, top: Some((top_lo, top_hi - top_lo + 1)) }
    }

    /// The places as people write them: `46:39`, `13, 11:10`.
    pub fn places(self) -> String {
        let place = |lo: u8, width: u8| if width == 1 { lo.to_string() } else { format!("{}:{lo}", lo + width - 1) };
        let low = place(self.lo, self.width);
        self.top.map_or_else(|| low.clone(), |(lo, width)| format!("{}, {low}", place(lo, width)))
    }

    /// Number of bits in all.
    pub const fn size(self) -> u32 {
        self.width as u32
            + match self.top {
                Some((_, width)) => width as u32,
                None => 0,
            }
    }

    /// The largest value.
    pub const fn max(self) -> u32 {
        u32::MAX >> (32 - self.size())
    }

    /// The bits of the word that belong to the field.
    pub const fn mask(self) -> u64 {
        let low = ones(self.width) << self.lo;
        match self.top {
            Some((lo, width)) => low | ones(width) << lo,
            None => low,
        }
    }

    /// Takes the value out of a word.
    pub const fn get(self, word: u64) -> u32 {
        let low = ((word >> self.lo) & ones(self.width)) as u32;
        match self.top {
            Some((lo, width)) => low | ((word >> lo & ones(width)) as u32) << self.width,
            None => low,
        }
    }

    /// The word with the value put in; bits of the value beyond the field's size are dropped.
    pub const fn set(self, word: u64, value: u32) -> u64 {
        let low = (value as u64 & ones(self.width)) << self.lo;
        let high = match self.top {
            Some((lo, width)) => (value as u64 >> self.width & ones(width)) << lo,
            None => 0,
        };
        word & !self.mask() | low | high
    }

    /// The value read as a signed number.
    pub const fn signed(self, word: u64) -> i32 {
        let unused = 32 - self.size();
        (self.get(word) << unused) as i32 >> unused
    }
}

/// So many ones.
const fn ones(width: u8) -> u64 {
    u64::MAX >> (64 - width)
}

/// A field with its place in the words of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which field.
    pub id: FieldId,
    /// Where it is.
    pub bits: Bits,
}

/// The name of a field together with the type of its values.
pub struct Key<T>(pub(crate) FieldId, PhantomData<fn() -> T>);

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> Key<T> {
    /// The name without the type.
    pub const fn id(self) -> FieldId {
        self.0
    }
}

macro_rules! fields {
    ($($(#[doc = $about:literal])+ $name:ident : $ty:ty $(= $spelling:literal)?;)+) => {
        /// Names of fields.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum FieldId { $($(#[doc = $about])+ $name),+ }

        /// Names of fields with the types of their values, for [`Instruction::get`](crate::Instruction::get).
        pub mod key {
            use super::*;
            $($(#[doc = $about])+ pub const $name: Key<$ty> = Key(FieldId::$name, PhantomData);)+
        }

        impl FieldId {
            /// Every field.
            pub const ALL: &[FieldId] = &[$(FieldId::$name),+];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self { $(FieldId::$name => stringify!($name)),+ }
            }

            /// What the field means: the words that stand above its row.
            pub const fn about(self) -> &'static str {
                match self { $(FieldId::$name => concat!($($about),+).trim_ascii()),+ }
            }

            /// What a value of the field means, if its values have names.
            pub fn about_value(self, raw: u32) -> Option<&'static str> {
                match self { $(FieldId::$name => <$ty>::about_raw(raw)),+ }
            }

            /// How the instruction's name spells this value: what it gets appended, or [`INVALID`]. `None` for fields
            /// that are operands.
            pub fn spell(self, raw: u32) -> Option<&'static str> {
                match self {
                    $(FieldId::$name => spell::<$ty>(raw, [$($spelling,)? ""][0]),)+
                }
            }
        }
    };
}

/// The spelling of a code, or of a flag that is spelled `flag`.
fn spell<T: FieldValue>(raw: u32, flag: &'static str) -> Option<&'static str> {
    if flag.is_empty() { T::spell_raw(raw) } else { Some(if raw == 0 { "" } else { flag }) }
}

fields! {
    /// The guard predicate.
    GUARD: Pred;
    /// The guard is negated.
    GUARD_NOT: bool;
    /// Destination register; the data of stores.
    RD: Reg;
    /// First source register, or address register.
    RA: Reg;
    /// Second source register.
    RB: Reg;
    /// Third source register.
    RC: Reg;
    /// Immediate of 20 bits in the place of B.
    IMM20: u32;
    /// Immediate of 32 bits in the place of B.
    IMM32: u32;
    /// Immediate of 16 bits in the place of B (`XMAD`).
    IMM16: u32;
    /// Immediate of 6 bits in the place of B (`SHF`).
    IMM6: u32;
    /// Constant bank.
    BANK: u8;
    /// Offset in a constant bank, in words.
    BANK_WORD: u16;
    /// First predicate destination.
    PD: Pred;
    /// Second predicate destination, which gets the opposite comparison.
    PQ: Pred;
    /// Predicate source.
    PC: Pred;
    /// The predicate source is negated.
    PC_NOT: bool;
    /// First predicate operand.
    PA: Pred;
    /// The first predicate operand is negated.
    PA_NOT: bool;
    /// Second predicate operand.
    PB: Pred;
    /// The second predicate operand is negated.
    PB_NOT: bool;

    /// The result sets the condition code.
    CC: bool;
    /// A is negated.
    NEG_A: bool;
    /// B is negated.
    NEG_B: bool;
    /// C is negated.
    NEG_C: bool;
    /// A without sign.
    ABS_A: bool;
    /// B without sign.
    ABS_B: bool;
    /// A is inverted bit by bit.
    INV_A: bool;
    /// B is inverted bit by bit.
    INV_B: bool;
    /// A is the high half of its register (`XMAD`).
    HIGH_A: bool;
    /// B is the high half of its operand (`XMAD`), or of the half-precision source of a conversion.
    HIGH_B: bool;
    /// Which part of A (`IADD3`).
    HALF_A: Half;
    /// Which part of B (`IADD3`).
    HALF_B: Half;
    /// Which part of C (`IADD3`).
    HALF_C: Half;
    /// Which byte or half of B (`I2F`, `I2I`).
    BYTE_B: Byte;
    /// Which byte of A (`R2P`).
    BYTE_A: Byte;
    /// Which byte the predicates go to (`P2R`).
    BYTE: Byte;

    /// Denormals are zeros.
    FTZ: bool = ".FTZ";
    /// Rule for denormals and zeros of products.
    FMZ: Fmz;
    /// Rounding direction.
    ROUND: Rounding;
    /// Rounding direction of a conversion to integer.
    INT_ROUND: IntegerRounding;
    /// Rounding of `F2F`: bits 1:0 the direction, bit 2 to an integral value.
    F2F_ROUND: u8;
    /// The result is clamped (floats: to 0..1; integers: to their range).
    SAT: bool = ".SAT";
    /// Scale of a product.
    SCALE: Scale;
    /// Function.
    MUFU_OP: MufuOp;
    /// Function to prepare for.
    RRO_OP: RroOp;
    /// Mode of `FCHK`: 0 is division.
    FCHK_OP: u8;
    /// Float comparison.
    FLOAT_CONDITION: FloatCondition;
    /// Integer comparison.
    INT_CONDITION: IntCondition;
    /// How the comparison combines with the predicate source.
    BOOL: BoolOp;
    /// How the predicate operands A and B combine.
    BOOL_AB: BoolOp;
    /// True is 1.0 instead of all ones.
    BF: bool = ".BF";
    /// Signedness.
    SIGNED: Signedness;
    /// Signedness of the factors.
    FACTORS: FactorSigns;
    /// Signedness of the half-word factors.
    HALF_FACTORS: HalfSigns;
    /// The carry goes in, or the operation continues one of lower words.
    X: bool = ".X";
    /// Plus one: instead of the negation of two operands, one is added (both of the bits that would negate them are set).
    PO: bool = ".PO";
    /// The high word of the product.
    HI: bool = ".HI";
    /// The product goes left by 16 (`XMAD`).
    PSL: bool = ".PSL";
    /// The low half of B replaces the upper half of the result (`XMAD`).
    MRG: bool = ".MRG";
    /// What `XMAD` adds.
    XMAD_MODE: XmadMode;

    /// Shift of `IADD3`.
    IADD3_SHIFT: Iadd3Shift;
    /// Shift count.
    SHIFT: u8;
    /// The shift count wraps.
    W: bool = ".W";
    /// Bits in reversed order.
    BREV: bool = ".BREV";
    /// Multi-word mode of `SHR`.
    SHIFT_EXTEND: ShiftExtend;
    /// Type of a funnel shift.
    FUNNEL_TYPE: FunnelType;
    /// Part of a funnel shift.
    FUNNEL_PART: FunnelPart;
    /// Bitwise operation.
    LOGIC_OP: LogicOp;
    /// What the predicate gets.
    PREDICATE_MODE: PredicateMode;
    /// Truth table: bit (A<<2 | B<<1 | C) is the result.
    LUT: u8;
    /// The shift count that normalises, instead of the bit's number (`FLO`).
    SH: bool = ".SH";
    /// Mode of `PRMT`.
    PRMT_MODE: PrmtMode;
    /// Multi-word mode of `IMNMX`.
    MINMAX_EXTEND: MinMaxExtend;
    /// Float type of the result.
    TO_FLOAT: FloatType;
    /// Float type of the source.
    FROM_FLOAT: FloatType;
    /// Integer type of the result.
    TO_INT: IntType;
    /// Integer type of the source.
    FROM_INT: IntType;
    /// Lanes of each quad that take part (`MOV`).
    QUAD_MASK: u8;

    /// Test of the condition code that guards flow control, or that is an operand.
    TEST: Test;
    /// What a flag transfer moves.
    FLAGS: Flags;
    /// What a vote asks.
    VOTE_MODE: VoteMode;
    /// Kind of `VOTE.VTG`.
    VTG_MODE: VtgMode;
    /// Operand of `VOTE.VTG`.
    VTG_IMM: u32;

    /// The access is to outputs.
    O: bool = ".O";
    /// The access is to patch data.
    PATCH: bool = ".P";
    /// The access is by a number that `AL2P` gave: a register names the address, and it is not a patch access.
    PHYS: bool = ".PHYS";
    /// Words of an attribute access.
    ATTRIBUTE_SIZE: AttributeSize;
    /// Offset of an address, in bytes.
    OFFSET: u32;
    /// What `ISBERD` reads.
    ISBE_MODE: IsbeMode;
    /// The skewed form.
    SKEW: bool = ".SKEW";
    /// Size of an `ISBERD` access.
    ISBE_SIZE: IsbeSize;
    /// What `OUT` does.
    OUT_STYLE: OutStyle;
    /// Special register.
    SPECIAL: u8;
    /// Address rule of `LDC`.
    CONSTANT_MODE: ConstantMode;
    /// Size of a memory access.
    MEMORY_SIZE: MemorySize;
    /// Cache rule of loads.
    LOAD_CACHE: LoadCache;
    /// Cache rule of loads from local memory.
    LOCAL_CACHE: LocalCache;
    /// Cache rule of stores.
    STORE_CACHE: StoreCache;
    /// The address has 64 bits, in a register pair.
    E: bool = ".E";

    /// Offset of an address, in dwords.
    WORD_OFFSET: u32;
    /// Second destination register of a texture access.
    RD2: Reg;
    /// Number of the word that holds the handle of a texture or image, in the bank of handles.
    HANDLE: u16;
    /// The handle is in a register.
    BINDLESS: bool = ".B";
    /// Dimensions of a texture.
    TEXTURE_DIM: TextureDim;
    /// Components of a texel that are kept, a bit for each.
    TEXTURE_MASK: u8;
    /// How the level of detail is found.
    LOD_MODE: LodMode;
    /// Which level a texel is fetched from.
    FETCH_LOD: FetchLod;
    /// Offsets in texels are added.
    AOFFI: bool = ".AOFFI";
    /// The texels are compared with a reference.
    DC: bool = ".DC";
    /// The derivatives are valid whatever lanes are active.
    NDV: bool = ".NDV";
    /// Lanes without output do not need the result; ignored here.
    NODEP: bool = ".NODEP";
    /// Coordinates are clamped.
    CL: bool = ".CL";
    /// A sample of a texture with several.
    MS: bool = ".MS";
    /// Which component is gathered.
    GATHER: Component;
    /// Offsets of a gather.
    GATHER_OFFSET: GatherOffset;
    /// What is asked of a texture.
    QUERY: TextureQuery;
    /// Kind of a scalar texture access: dimensions and level of detail.
    TEXS_KIND: TexsKind;
    /// Kind of a scalar texel fetch: dimensions, level, and what else there is.
    TLDS_KIND: TldsKind;
    /// Components of a texel that a scalar access keeps.
    SCALAR_MASK: ScalarMask;
    /// Dimensions of an image.
    SURFACE_DIM: SurfaceDim;
    /// Components of an image access.
    SURFACE_MASK: SurfaceMask;
    /// What happens outside of an image.
    SURFACE_CLAMP: SurfaceClamp;
    /// x is in bytes.
    BA: bool = ".BA";
    /// What an atomic access does.
    ATOM_OP: AtomOp;
    /// Type of an atomic access.
    ATOM_TYPE: AtomType;
    /// Type of an atomic access to shared memory.
    SHARED_TYPE: SharedType;
    /// Type of an atomic access to an image.
    SURFACE_TYPE: SurfaceType;
    /// Compares with the first value, and stores the second one if they are equal.
    CAS: bool = ".CAS";
    /// How shared memory compares and exchanges.
    CAST: Cast;
    /// 64 bits.
    WIDE: bool = ".64";
    /// Which operands a comparison with exchange has.
    CAS_OPERANDS: CasOperands;
    /// What happens to caches.
    CACHE_OP: CacheOp;
    /// What happens to the cache of local memory.
    LOCAL_CACHE_OP: LocalCacheOp;
    /// What happens to the texture cache.
    TEXTURE_CACHE_OP: TextureCacheOp;
    /// Which cache.
    CACHE_KIND: CacheKind;

    /// The address of an input is in a register.
    IDX: bool = ".IDX";
    /// How an input is evaluated.
    IPA_MODE: IpaMode;
    /// Where an input is evaluated.
    IPA_PLACE: IpaPlace;
    /// What is asked of a pixel.
    PIXEL_QUERY: PixelQuery;
    /// What each lane of a quad adds.
    SWIZZLE: u8;

    /// Type and part of A (video): bits 2:0 the part, bit 3 the sign.
    VIDEO_A: VideoPart;
    /// Type and part of B (video): bits 2:0 the part, bit 3 the sign.
    VIDEO_B: VideoPart;
    /// Signedness of the immediate B (video).
    VIDEO_IMM: VideoImm;
    /// Signedness of bytes.
    BYTE_SIGNS: ByteSigns;
    /// The result has no sign.
    UNSIGNED_RESULT: UnsignedResult;
    /// The result has a sign.
    SD: bool = ".SD";
    /// The maximum instead of the minimum.
    MX: bool = ".MX";
    /// What becomes of a video result.
    MERGE: Merge;
    /// Scale of a video product.
    VMAD_SHIFT: VmadShift;
    /// Lanes of bytes that take part.
    BYTE_LANES: ByteLanes;
    /// Bytes of A.
    SELECT_A: SelectA;
    /// Bytes of B.
    SELECT_B: SelectB;
    /// C is added.
    ACC: bool = ".ACC";
    /// Type of the first factor (`IMADSP`).
    SP_A: SpA;
    /// Type of the second factor (`IMADSP`).
    SP_B: SpB;
    /// Type of the third operand (`IMADSP`); it has a sign if a factor has.
    SP_C: SpC;

    /// Target, relative to the next word.
    TARGET: u32;
    /// Target from the start of the code.
    ABSOLUTE: u32;
    /// The target is read from a constant bank.
    TARGET_CONST: bool;
    /// Limit; ignored here.
    LMT: bool = ".LMT";
    /// The branch is uniform; ignored here.
    U: bool = ".U";
    /// Whether the call counts; ignored here.
    CALL_COUNT: CallCount;
    /// Reference counts stay; ignored here.
    KEEP_REF_COUNT: bool = ".KEEPREFCOUNT";
    /// Triggers a performance counter; ignored here.
    TRIG: bool = ".TRIG";
    /// Number that a `NOP` carries; ignored here.
    NOP_IMM: u16;

    /// What a barrier does.
    BARRIER_OP: BarrierOp;
    /// How `BAR.RED` reduces.
    BARRIER_REDUCTION: BarrierReduction;
    /// The barrier's number is an immediate.
    BARRIER_ID_IMM: bool;
    /// Number of the barrier.
    BARRIER_ID: u8;
    /// The count of threads is an immediate.
    BARRIER_COUNT_IMM: bool;
    /// Count of threads.
    BARRIER_COUNT: u16;
    /// Waits until the count of a scoreboard is low enough.
    LE: bool = ".LE";
    /// Scoreboard.
    SCOREBOARD: u8;
    /// Count that the scoreboard may have.
    SCOREBOARD_COUNT: u8;
    /// Scoreboards that must be free, a bit for each.
    SCOREBOARD_SET: u8;
    /// What is read of a barrier.
    B2R_MODE: BarrierRead;
    /// What is written of a barrier.
    R2B_MODE: BarrierWrite;
    /// How a trap handler returns.
    RTT_MODE: RttMode;
    /// Kind of a breakpoint.
    BPT_MODE: BptMode;
    /// Number that a breakpoint carries.
    BPT_IMM: u32;
    /// Whether interrupts are enabled.
    IDE_MODE: IdeMode;
    /// Number of a system instruction.
    SYSTEM_IMM: u16;
    /// Waits.
    WAIT: bool = ".WAIT";
    /// How far a memory barrier reaches.
    MEMBAR_SCOPE: MembarScope;
    /// What a memory barrier invalidates.
    MEMBAR_INVALIDATE: MembarInvalidate;
    /// From which lane `SHFL` reads.
    SHUFFLE_MODE: ShuffleMode;
    /// The lane of `SHFL` is an immediate.
    LANE_IS_IMM: bool;

    /// The clamp and mask of `SHFL` are an immediate.
    CLAMP_IS_IMM: bool;
    /// Clamp (bits 4:0) and segment mask (bits 12:8).
    CLAMP_IMM: u16;
}
