//! The named values of fields.
//!
//! Every enumeration lists all codes that its field can hold. The spelling is what the instruction's name gets appended,
//! dot included; codes that print nothing have an empty spelling, and codes that the machine rejects have [`INVALID`].
//! Names are those of NVIDIA's disassembler and of the open compilers (Mesa's nouveau and NAK).

use ctm_bits::codes;

/// The spelling of codes that make a word no instruction.
pub const INVALID: &str = "?";

codes! {
    /// Words of an attribute access.
    pub enum AttributeSize: 2 {
        /// One word.
        0 B32 "",
        /// Two words.
        1 B64 ".64",
        /// Three words.
        2 B96 ".96",
        /// Four words.
        3 B128 ".128",
    }
}

impl AttributeSize {
    /// Number of 32-bit words, 1 to 4.
    pub const fn words(self) -> u8 {
        self as u8 + 1
    }

    /// What the address of the access is a multiple of; its lower bits are dropped.
    pub const fn alignment(self) -> u32 {
        match self {
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B96 | Self::B128 => 16,
        }
    }
}

codes! {
    /// What `ISBERD` reads.
    pub enum IsbeMode: 2 {
        /// The map of vertex handles.
        0 Map "",
        /// Patch data.
        1 Patch ".PATCH",
        /// Primitive data.
        2 Prim ".PRIM",
        /// Attributes.
        3 Attr ".ATTR",
    }
}

codes! {
    /// Size of an `ISBERD` access.
    pub enum IsbeSize: 2 {
        /// One byte.
        0 U8 "",
        /// Two bytes.
        1 U16 ".U16",
        /// Four bytes.
        2 B32 ".32",
        /// No size.
        3 Invalid "?",
    }
}

codes! {
    /// What `OUT` does with the geometry output.
    pub enum OutStyle: 2 {
        /// No style: not an instruction.
        0 Invalid "?",
        /// Emits a vertex.
        1 Emit ".EMIT",
        /// Ends the strip.
        2 Cut ".CUT",
        /// Emits a vertex, then ends the strip.
        3 EmitThenCut ".EMIT_THEN_CUT",
    }
}

codes! {
    /// How `LDC` makes an address.
    pub enum ConstantMode: 2 {
        /// Plain.
        0 Plain "",
        /// Indexed linear.
        1 Il ".IL",
        /// Indexed segmented: the register's upper half adds to the bank.
        2 Is ".IS",
        /// Indexed segmented linear.
        3 Isl ".ISL",
    }
}

codes! {
    /// Size and extension of a memory access.
    pub enum MemorySize: 3 {
        /// A byte, extended with zeros.
        0 U8 ".U8",
        /// A byte, extended with its sign.
        1 S8 ".S8",
        /// Two bytes, extended with zeros.
        2 U16 ".U16",
        /// Two bytes, extended with their sign.
        3 S16 ".S16",
        /// Four bytes.
        4 B32 "",
        /// Eight bytes.
        5 B64 ".64",
        /// Sixteen bytes.
        6 B128 ".128",
        /// Sixteen bytes through the read-only path.
        7 U128 ".U.128",
    }
}

impl MemorySize {
    /// Number of bytes: 1, 2, 4, 8 or 16.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B128 | Self::U128 => 16,
        }
    }
}

codes! {
    /// Cache rule of a load; no meaning here.
    pub enum LoadCache: 2 {
        /// The default.
        0 Default "",
        /// Cache globally.
        1 Cg ".CG",
        /// Cache, invalidate.
        2 Ci ".CI",
        /// Volatile.
        3 Cv ".CV",
    }
}

codes! {
    /// Cache rule of a load from local memory; no meaning here.
    pub enum LocalCache: 2 {
        /// The default.
        0 Default "",
        /// Last use.
        1 Lu ".LU",
        /// Cache, invalidate.
        2 Ci ".CI",
        /// Volatile.
        3 Cv ".CV",
    }
}

codes! {
    /// Cache rule of a store; no meaning here.
    pub enum StoreCache: 2 {
        /// The default.
        0 Default "",
        /// Cache globally.
        1 Cg ".CG",
        /// Cache streaming.
        2 Cs ".CS",
        /// Write through.
        3 Wt ".WT",
    }
}

codes! {
    /// Rounding direction of float results.
    pub enum Rounding: 2 {
        /// To nearest, ties to even.
        0 Nearest "",
        /// Toward minus infinity.
        1 Minus ".RM",
        /// Toward plus infinity.
        2 Plus ".RP",
        /// Toward zero.
        3 Zero ".RZ",
    }
}

codes! {
    /// Rounding direction of conversions to integers.
    pub enum IntegerRounding: 2 {
        /// To nearest, ties to even.
        0 Nearest "",
        /// Toward minus infinity.
        1 Floor ".FLOOR",
        /// Toward plus infinity.
        2 Ceil ".CEIL",
        /// Toward zero.
        3 Trunc ".TRUNC",
    }
}

codes! {
    /// Denormals and zeros of products.
    pub enum Fmz: 2 {
        /// Denormals count.
        0 None "",
        /// Denormals are zeros.
        1 Ftz ".FTZ",
        /// Denormals are zeros, and zero times anything is zero.
        2 Fmz ".FMZ",
        /// No rule.
        3 Invalid "?",
    }
}

codes! {
    /// Power of two that scales a product.
    pub enum Scale: 3 {
        /// 1.
        0 One "",
        /// 1/2.
        1 D2 ".D2",
        /// 1/4.
        2 D4 ".D4",
        /// 1/8.
        3 D8 ".D8",
        /// 8.
        4 M8 ".M8",
        /// 4.
        5 M4 ".M4",
        /// 2.
        6 M2 ".M2",
        /// No scale.
        7 Invalid "?",
    }
}

impl Scale {
    /// The exponent of the factor, -3 to 3.
    pub const fn exponent(self) -> i32 {
        match self {
            Self::One | Self::Invalid => 0,
            Self::D2 => -1,
            Self::D4 => -2,
            Self::D8 => -3,
            Self::M8 => 3,
            Self::M4 => 2,
            Self::M2 => 1,
        }
    }
}

codes! {
    /// Functions of the multi-function unit.
    #[allow(missing_docs)]
    pub enum MufuOp: 4 {
        0 Cos ".COS",
        1 Sin ".SIN",
        2 Ex2 ".EX2",
        3 Lg2 ".LG2",
        4 Rcp ".RCP",
        5 Rsq ".RSQ",
        6 Rcp64h ".RCP64H",
        7 Rsq64h ".RSQ64H",
        8 Invalid8 "?",
        9 Invalid9 "?",
        10 Invalid10 "?",
        11 Invalid11 "?",
        12 Invalid12 "?",
        13 Invalid13 "?",
        14 Invalid14 "?",
        15 Invalid15 "?",
    }
}

codes! {
    /// Which function a range reduction prepares.
    pub enum RroOp: 1 {
        /// Sine and cosine.
        0 Sincos ".SINCOS",
        /// Powers of two.
        1 Ex2 ".EX2",
    }
}

codes! {
    /// Comparison of floats. The names that end in `U`, and `Nan`, hold when an operand is a NaN.
    #[allow(missing_docs)]
    pub enum FloatCondition: 4 {
        0 F ".F",
        1 Lt ".LT",
        2 Eq ".EQ",
        3 Le ".LE",
        4 Gt ".GT",
        5 Ne ".NE",
        6 Ge ".GE",
        7 Num ".NUM",
        8 Nan ".NAN",
        9 Ltu ".LTU",
        10 Equ ".EQU",
        11 Leu ".LEU",
        12 Gtu ".GTU",
        13 Neu ".NEU",
        14 Geu ".GEU",
        15 T ".T",
    }
}

codes! {
    /// Comparison of integers.
    #[allow(missing_docs)]
    pub enum IntCondition: 3 {
        0 F ".F",
        1 Lt ".LT",
        2 Eq ".EQ",
        3 Le ".LE",
        4 Gt ".GT",
        5 Ne ".NE",
        6 Ge ".GE",
        7 T ".T",
    }
}

codes! {
    /// How two truth values combine.
    #[allow(missing_docs)]
    pub enum BoolOp: 2 {
        0 And ".AND",
        1 Or ".OR",
        2 Xor ".XOR",
        3 Invalid "?",
    }
}

codes! {
    /// Signedness of the operands of an integer instruction.
    pub enum Signedness: 1 {
        /// Unsigned.
        0 U32 ".U32",
        /// Signed.
        1 S32 "",
    }
}

codes! {
    /// Signedness of the factors of `IMUL` and `IMAD`, the first factor in the lower bit.
    pub enum FactorSigns: 2 {
        /// Both unsigned.
        0 U32U32 ".U32.U32",
        /// The first signed.
        1 S32U32 ".S32.U32",
        /// The second signed.
        2 U32S32 ".U32.S32",
        /// Both signed.
        3 S32S32 "",
    }
}

codes! {
    /// Signedness of the factors of `XMAD`, the first factor in the lower bit.
    pub enum HalfSigns: 2 {
        /// Both unsigned.
        0 U16U16 "",
        /// The first signed.
        1 S16U16 ".S16.U16",
        /// The second signed.
        2 U16S16 ".U16.S16",
        /// Both signed.
        3 S16S16 ".S16.S16",
    }
}

codes! {
    /// What `XMAD` adds.
    pub enum XmadMode: 3 {
        /// C.
        0 C "",
        /// The low half of C.
        1 Clo ".CLO",
        /// The high half of C.
        2 Chi ".CHI",
        /// C with the corrections of a signed 32-bit product.
        3 Csfu ".CSFU",
        /// C plus B shifted left by 16.
        4 Cbcc ".CBCC",
        /// No mode.
        5 Invalid5 "?",
        /// No mode.
        6 Invalid6 "?",
        /// No mode.
        7 Invalid7 "?",
    }
}

codes! {
    /// Shift between the two additions of `IADD3`.
    pub enum Iadd3Shift: 2 {
        /// None.
        0 None "",
        /// The sum of A and B goes right by 16.
        1 Rs ".RS",
        /// The sum of A and B goes left by 16.
        2 Ls ".LS",
        /// No shift.
        3 Invalid "?",
    }
}

codes! {
    /// Part of a word that an operand of `IADD3` takes.
    pub enum Half: 2 {
        /// The whole word.
        0 Whole "",
        /// The low half.
        1 H0 ".H0",
        /// The high half.
        2 H1 ".H1",
        /// No part.
        3 Invalid "?",
    }
}

codes! {
    /// Byte of a word, where sub-words are chosen. In 16-bit sources `B2` is the high half.
    pub enum Byte: 2 {
        /// The lowest.
        0 B0 "",
        /// The second.
        1 B1 ".B1",
        /// The third.
        2 B2 ".B2",
        /// The highest.
        3 B3 ".B3",
    }
}

codes! {
    /// Multi-word mode of `SHR`.
    pub enum ShiftExtend: 2 {
        /// None.
        0 None "",
        /// No mode.
        1 Invalid "?",
        /// Extended.
        2 X ".X",
        /// Extended, highest word.
        3 Xhi ".XHI",
    }
}

codes! {
    /// Width and signedness of a funnel shift.
    pub enum FunnelType: 2 {
        /// 32 bits.
        0 U32 "",
        /// No type.
        1 Invalid "?",
        /// 64 bits.
        2 U64 ".U64",
        /// 64 bits, signed.
        3 S64 ".S64",
    }
}

codes! {
    /// Which word of a funnel shift, and whether it continues another.
    pub enum FunnelPart: 2 {
        /// The low word of a right shift, the high word of a left shift.
        0 Plain "",
        /// The high word.
        1 Hi ".HI",
        /// Extended.
        2 X ".X",
        /// Extended, high word.
        3 Xhi ".XHI",
    }
}

codes! {
    /// Bitwise operations.
    pub enum LogicOp: 2 {
        /// A and B.
        0 And ".AND",
        /// A or B.
        1 Or ".OR",
        /// A exclusive-or B.
        2 Xor ".XOR",
        /// B.
        3 PassB ".PASS_B",
    }
}

codes! {
    /// What a logic instruction writes to its predicate.
    pub enum PredicateMode: 2 {
        /// False.
        0 F "",
        /// True.
        1 T ".T",
        /// Whether the result is zero.
        2 Z ".Z",
        /// Whether the result is not zero.
        3 Nz ".NZ",
    }
}

codes! {
    /// Modes of `PRMT`.
    pub enum PrmtMode: 4 {
        /// Each nibble of the selector chooses a byte.
        0 Index "",
        /// Four bytes forward.
        1 F4e ".F4E",
        /// Four bytes backward.
        2 B4e ".B4E",
        /// One byte, four times.
        3 Rc8 ".RC8",
        /// Edge clamp left.
        4 Ecl ".ECL",
        /// Edge clamp right.
        5 Ecr ".ECR",
        /// One half, twice.
        6 Rc16 ".RC16",
        /// No mode.
        7 Invalid7 "?",
        /// No mode.
        8 Invalid8 "?",
        /// No mode.
        9 Invalid9 "?",
        /// No mode.
        10 Invalid10 "?",
        /// No mode.
        11 Invalid11 "?",
        /// No mode.
        12 Invalid12 "?",
        /// No mode.
        13 Invalid13 "?",
        /// No mode.
        14 Invalid14 "?",
        /// No mode.
        15 Invalid15 "?",
    }
}

codes! {
    /// Multi-word mode of `IMNMX`.
    pub enum MinMaxExtend: 2 {
        /// None.
        0 None "",
        /// The lowest word.
        1 Xlo ".XLO",
        /// A middle word.
        2 Xmed ".XMED",
        /// The highest word.
        3 Xhi ".XHI",
    }
}

codes! {
    /// A float type of a conversion.
    pub enum FloatType: 2 {
        /// No type.
        0 Invalid "?",
        /// Half precision.
        1 F16 ".F16",
        /// Single precision.
        2 F32 ".F32",
        /// Double precision.
        3 F64 ".F64",
    }
}

codes! {
    /// An integer type of a conversion, the signedness in the highest bit.
    #[allow(missing_docs)]
    pub enum IntType: 3 {
        0 U8 ".U8",
        1 U16 ".U16",
        2 U32 ".U32",
        3 U64 ".U64",
        4 S8 ".S8",
        5 S16 ".S16",
        6 S32 ".S32",
        7 S64 ".S64",
    }
}

impl IntType {
    /// Number of bits: 8, 16, 32 or 64.
    pub const fn bits(self) -> u32 {
        8 << (self as u32 & 3)
    }

    /// Whether values have a sign.
    pub const fn signed(self) -> bool {
        self as u32 >= 4
    }
}

codes! {
    /// Tests of the condition code.
    #[allow(missing_docs)]
    pub enum Test: 5 {
        0 F ".F",
        1 Lt ".LT",
        2 Eq ".EQ",
        3 Le ".LE",
        4 Gt ".GT",
        5 Ne ".NE",
        6 Ge ".GE",
        7 Num ".NUM",
        8 Nan ".NAN",
        9 Ltu ".LTU",
        10 Equ ".EQU",
        11 Leu ".LEU",
        12 Gtu ".GTU",
        13 Neu ".NEU",
        14 Geu ".GEU",
        15 T ".T",
        16 Off ".OFF",
        17 Lo ".LO",
        18 Sff ".SFF",
        19 Ls ".LS",
        20 Hi ".HI",
        21 Sft ".SFT",
        22 Hs ".HS",
        23 Oft ".OFT",
        24 CsmTa ".CSM_TA",
        25 CsmTr ".CSM_TR",
        26 CsmMx ".CSM_MX",
        27 FcsmTa ".FCSM_TA",
        28 FcsmTr ".FCSM_TR",
        29 FcsmMx ".FCSM_MX",
        30 Rle ".RLE",
        31 Rgt ".RGT",
    }
}

codes! {
    /// What a vote asks of the active lanes.
    pub enum VoteMode: 2 {
        /// All lanes say true.
        0 All ".ALL",
        /// Some lane says true.
        1 Any ".ANY",
        /// All lanes say the same.
        2 Eq ".EQ",
        /// No question.
        3 Invalid "?",
    }
}

codes! {
    /// Kinds of `VOTE.VTG`.
    pub enum VtgMode: 2 {
        /// R.
        0 R ".R",
        /// A.
        1 A ".A",
        /// RA.
        2 Ra ".RA",
        /// No kind.
        3 Invalid "?",
    }
}

codes! {
    /// From which lane `SHFL` reads.
    pub enum ShuffleMode: 2 {
        /// The lane with this number.
        0 Idx ".IDX",
        /// So many lanes lower.
        1 Up ".UP",
        /// So many lanes higher.
        2 Down ".DOWN",
        /// The lane number exclusive-or this.
        3 Bfly ".BFLY",
    }
}

codes! {
    /// What a barrier does.
    pub enum BarrierOp: 3 {
        /// Arrives and waits.
        0 Sync ".SYNC",
        /// Arrives.
        1 Arv ".ARV",
        /// Arrives, waits, and reduces a predicate.
        2 Red ".RED",
        /// Scans.
        3 Scan ".SCAN",
        /// No operation.
        4 Invalid4 "?",
        /// No operation.
        5 Invalid5 "?",
        /// No operation.
        6 Invalid6 "?",
        /// No operation.
        7 Invalid7 "?",
    }
}

codes! {
    /// How `BAR.RED` reduces.
    pub enum BarrierReduction: 2 {
        /// Counts.
        0 Popc ".POPC",
        /// All.
        1 And ".AND",
        /// Any.
        2 Or ".OR",
        /// No reduction.
        3 Invalid "?",
    }
}

codes! {
    /// How far a memory barrier reaches.
    pub enum MembarScope: 2 {
        /// The thread block.
        0 Cta ".CTA",
        /// The device.
        1 Gl ".GL",
        /// The system.
        2 Sys ".SYS",
        /// The virtual channel.
        3 Vc ".VC",
    }
}

codes! {
    /// What a memory barrier invalidates.
    #[allow(missing_docs)]
    pub enum MembarInvalidate: 2 {
        0 None "",
        1 D ".IVALLD",
        2 T ".IVALLT",
        3 Td ".IVALLTD",
    }
}

codes! {
    /// Whether a call counts, for calls and `PRET`.
    pub enum CallCount: 1 {
        /// It does not.
        0 NoInc ".NOINC",
        /// It does.
        1 Inc "",
    }
}

codes! {
    /// What a flag transfer moves.
    pub enum Flags: 1 {
        /// The predicates.
        0 Pr "PR",
        /// The condition code.
        1 Cc "CC",
    }
}
