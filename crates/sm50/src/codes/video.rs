//! Video instructions, and products of parts of words.

use crate::operand::WordPart;
use ctm_bits::codes;

codes! {
    /// Part of a word that a video instruction takes.
    pub enum VideoPart: 4 {
        /// Byte 0, without sign.
        0 U8B0 ".U8",
        /// Byte 1, without sign.
        1 U8B1 ".U8",
        /// Byte 2, without sign.
        2 U8B2 ".U8",
        /// Byte 3, without sign.
        3 U8B3 ".U8",
        /// Half 0, without sign.
        4 U16H0 ".U16",
        /// Half 1, without sign.
        5 U16H1 ".U16",
        /// The word, without sign.
        6 U32 ".U32",
        /// No part.
        7 InvalidU "?",
        /// Byte 0, with sign.
        8 S8B0 ".S8",
        /// Byte 1, with sign.
        9 S8B1 ".S8",
        /// Byte 2, with sign.
        10 S8B2 ".S8",
        /// Byte 3, with sign.
        11 S8B3 ".S8",
        /// Half 0, with sign.
        12 S16H0 ".S16",
        /// Half 1, with sign.
        13 S16H1 ".S16",
        /// The word, with sign.
        14 S32 ".S32",
        /// No part.
        15 InvalidS "?",
    }
}

codes! {
    /// Signedness of an immediate of a video instruction.
    pub enum VideoImm: 1 {
        /// Without sign.
        0 U16 ".U16",
        /// With sign.
        1 S16 ".S16",
    }
}

codes! {
    /// Signedness of bytes, those of A in the lower bit.
    pub enum ByteSigns: 2 {
        /// Both without sign.
        0 U8U8 ".U8.U8",
        /// A with sign.
        1 S8U8 ".S8.U8",
        /// B with sign.
        2 U8S8 ".U8.S8",
        /// Both with sign.
        3 S8S8 "",
    }
}

codes! {
    /// Signedness of a video result.
    pub enum UnsignedResult: 1 {
        /// Without sign.
        0 Unsigned ".UD",
        /// With sign.
        1 Signed "",
    }
}

codes! {
    /// What becomes of a video result.
    pub enum Merge: 3 {
        /// It replaces the upper half of C.
        0 H1 ".MRG_16H",
        /// It replaces the lower half of C.
        1 H0 ".MRG_16L",
        /// It replaces byte 0 of C.
        2 B0 ".MRG_8B0",
        /// It replaces byte 2 of C.
        3 B2 ".MRG_8B2",
        /// C is added.
        4 Acc ".ACC",
        /// Minimum with C.
        5 Min ".MIN",
        /// Maximum with C.
        6 Max ".MAX",
        /// It is the result.
        7 None "",
    }
}

codes! {
    /// Scale of a video product.
    pub enum VmadShift: 2 {
        /// None.
        0 None "",
        /// It goes right by 7.
        1 Shr7 ".SHR_7",
        /// It goes right by 15.
        2 Shr15 ".SHR_15",
        /// No scale.
        3 Invalid "?",
    }
}

codes! {
    /// Bytes that take part.
    pub enum ByteLanes: 4 {
        /// None.
        0 Invalid "?",
        /// X.
        1 X ".X",
        /// Y.
        2 Y ".Y",
        /// XY.
        3 Xy ".XY",
        /// Z.
        4 Z ".Z",
        /// XZ.
        5 Xz ".XZ",
        /// YZ.
        6 Yz ".YZ",
        /// XYZ.
        7 Xyz ".XYZ",
        /// W.
        8 W ".W",
        /// XW.
        9 Xw ".XW",
        /// YW.
        10 Yw ".YW",
        /// XYW.
        11 Xyw ".XYW",
        /// ZW.
        12 Zw ".ZW",
        /// XZW.
        13 Xzw ".XZW",
        /// YZW.
        14 Yzw ".YZW",
        /// XYZW.
        15 Xyzw "",
    }
}

codes! {
    /// Bytes of A, the highest first.
    pub enum SelectA: 4 {
        /// Bytes 0000.
        0 S0000 ".0000",
        /// Bytes 1111.
        1 S1111 ".1111",
        /// Bytes 2222.
        2 S2222 ".2222",
        /// Bytes 3333.
        3 S3333 ".3333",
        /// Bytes 3210.
        4 S3210 "",
        /// Bytes 4321.
        5 S4321 ".4321",
        /// Bytes 5432.
        6 S5432 ".5432",
        /// Bytes 6543.
        7 S6543 ".6543",
        /// Bytes 3201.
        8 S3201 ".3201",
        /// Bytes 3012.
        9 S3012 ".3012",
        /// Bytes 0213.
        10 S0213 ".0213",
        /// Bytes 3120.
        11 S3120 ".3120",
        /// Bytes 1230.
        12 S1230 ".1230",
        /// Bytes 2310.
        13 S2310 ".2310",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

codes! {
    /// Bytes of B, the highest first, counted on from those of A.
    pub enum SelectB: 4 {
        /// Bytes 4444.
        0 S4444 ".4444",
        /// Bytes 5555.
        1 S5555 ".5555",
        /// Bytes 6666.
        2 S6666 ".6666",
        /// Bytes 7777.
        3 S7777 ".7777",
        /// Bytes 7654.
        4 S7654 "",
        /// Bytes 6543.
        5 S6543 ".6543",
        /// Bytes 5432.
        6 S5432 ".5432",
        /// Bytes 4321.
        7 S4321 ".4321",
        /// Bytes 4567.
        8 S4567 ".4567",
        /// Bytes 6745.
        9 S6745 ".6745",
        /// Bytes 5476.
        10 S5476 ".5476",
        /// No bytes.
        11 Invalid11 "?",
        /// No bytes.
        12 Invalid12 "?",
        /// No bytes.
        13 Invalid13 "?",
        /// No bytes.
        14 Invalid14 "?",
        /// An immediate byte.
        15 Imm "",
    }
}

codes! {
    /// Type of the first factor.
    pub enum SpA: 3 {
        /// The word.
        0 U32 ".U32",
        /// The word, with sign.
        1 S32 ".S32",
        /// 24 bits.
        2 U24 ".U24",
        /// 24 bits with sign.
        3 S24 ".S24",
        /// The low half.
        4 U16H0 ".U16H0",
        /// The low half, with sign.
        5 S16H0 ".S16H0",
        /// The high half.
        6 U16H1 ".U16H1",
        /// The high half, with sign.
        7 S16H1 ".S16H1",
    }
}

codes! {
    /// Type of the second factor.
    pub enum SpB: 2 {
        /// 24 bits.
        0 U24 ".U24",
        /// 24 bits with sign.
        1 S24 ".S24",
        /// The low half.
        2 U16H0 ".U16H0",
        /// The low half, with sign.
        3 S16H0 ".S16H0",
    }
}

codes! {
    /// Type of the third operand, without its sign.
    pub enum SpC: 2 {
        /// The word.
        0 B32 "32",
        /// 24 bits.
        1 B24 "24",
        /// The low half.
        2 H0 "16H0",
        /// No type.
        3 Invalid "?",
    }
}

impl VideoPart {
    /// The part of the word, without its sign.
    pub const fn part(self) -> WordPart {
        match self as u8 & 7 {
            byte @ 0..=3 => WordPart::Byte(byte),
            half @ 4..=5 => WordPart::Half(half - 4),
            _ => WordPart::Whole,
        }
    }

    /// Whether the part has a sign.
    pub const fn signed(self) -> bool {
        self as u8 >= 8
    }

    /// The spelling of the part that a register gets appended.
    pub const fn part_name(self) -> &'static str {
        ["", ".B1", ".B2", ".B3", "", ".H1", "", ""][(self as u8 & 7) as usize]
    }
}
