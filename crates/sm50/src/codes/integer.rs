//! Integers and bits.

use ctm_bits::codes;

codes! {
    /// Comparison of integers.
    pub enum IntCondition: 3 {
        /// Never.
        0 F ".F",
        /// Less.
        1 Lt ".LT",
        /// Equal.
        2 Eq ".EQ",
        /// Less or equal.
        3 Le ".LE",
        /// Greater.
        4 Gt ".GT",
        /// Not equal.
        5 Ne ".NE",
        /// Greater or equal.
        6 Ge ".GE",
        /// Always.
        7 T ".T",
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
    /// An integer type of a conversion, the signedness in the highest bit.
    pub enum IntType: 3 {
        /// 8 bits without sign.
        0 U8 ".U8",
        /// 16 bits without sign.
        1 U16 ".U16",
        /// 32 bits without sign.
        2 U32 ".U32",
        /// 64 bits without sign.
        3 U64 ".U64",
        /// 8 bits with sign.
        4 S8 ".S8",
        /// 16 bits with sign.
        5 S16 ".S16",
        /// 32 bits with sign.
        6 S32 ".S32",
        /// 64 bits with sign.
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
