//! Floats: rounding, comparison, functions, conversions.

use ctm_bits::codes;

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
    pub enum MufuOp: 4 {
        /// Cosine, of what RRO prepared.
        0 Cos ".COS",
        /// Sine, of what RRO prepared.
        1 Sin ".SIN",
        /// Two to a power.
        2 Ex2 ".EX2",
        /// Logarithm to base 2.
        3 Lg2 ".LG2",
        /// Reciprocal.
        4 Rcp ".RCP",
        /// Reciprocal of the square root.
        5 Rsq ".RSQ",
        /// Reciprocal of a double, of whose words both operand and result are the upper one.
        6 Rcp64h ".RCP64H",
        /// Reciprocal of the square root of a double, likewise.
        7 Rsq64h ".RSQ64H",
        /// No function.
        8 Invalid8 "?",
        /// No function.
        9 Invalid9 "?",
        /// No function.
        10 Invalid10 "?",
        /// No function.
        11 Invalid11 "?",
        /// No function.
        12 Invalid12 "?",
        /// No function.
        13 Invalid13 "?",
        /// No function.
        14 Invalid14 "?",
        /// No function.
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
    pub enum FloatCondition: 4 {
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
        /// Less or greater.
        5 Ne ".NE",
        /// Greater or equal.
        6 Ge ".GE",
        /// Neither is a NaN.
        7 Num ".NUM",
        /// One is a NaN.
        8 Nan ".NAN",
        /// Less, or one is a NaN.
        9 Ltu ".LTU",
        /// Equal, or one is a NaN.
        10 Equ ".EQU",
        /// Less or equal, or one is a NaN.
        11 Leu ".LEU",
        /// Greater, or one is a NaN.
        12 Gtu ".GTU",
        /// Not equal, or one is a NaN.
        13 Neu ".NEU",
        /// Greater or equal, or one is a NaN.
        14 Geu ".GEU",
        /// Always.
        15 T ".T",
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
