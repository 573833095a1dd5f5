//! Operations: what OPCODE means to each of the two engines. Sources: R5xx register tables, `PVS_DST_OPCODE`, and Mesa's r300
//! driver for what the operations calculate.

/// Declares an engine's operations: opcode, name of the variant, spelling, number of sources.
macro_rules! operations {
    ($(#[$meta:meta])* $ty:ident { $($(#[doc = $about:literal])+ $code:literal $variant:ident $name:literal $sources:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $ty { $($(#[doc = $about])+ $variant),+ }

        impl $ty {
            /// Every operation, in the order of opcodes.
            pub const ALL: &'static [$ty] = &[$($ty::$variant),+];

            /// The operation with this opcode.
            pub const fn from_opcode(opcode: u8) -> Option<Self> {
                match opcode {
                    $($code => Some($ty::$variant),)+
                    _ => None,
                }
            }

            /// `PVS_DST_OPCODE`.
            pub const fn opcode(self) -> u8 {
                match self { $($ty::$variant => $code),+ }
            }

            /// Its spelling in the assembly language.
            pub const fn name(self) -> &'static str {
                match self { $($ty::$variant => $name),+ }
            }

            /// How many sources it reads, from the first one on. [`MathOp::PowerFuncFf`] and its relatives read the first and the
            /// third.
            pub const fn sources(self) -> usize {
                match self { $($ty::$variant => $sources),+ }
            }

            /// What it calculates: the words that stand above its row.
            pub const fn about(self) -> &'static str {
                match self { $($ty::$variant => concat!($($about),+).trim_ascii()),+ }
            }
        }
    };
}

operations! {
    /// Operations of the vector engine, component by component unless they say otherwise. a, b and c are the sources.
    VectorOp {
        /// Nothing.
        0 NoOp "VE_NOP" 0;
        /// a.x*b.x + a.y*b.y + a.z*b.z + a.w*b.w, in all components.
        1 DotProduct "VE_DOT" 2;
        /// a * b.
        2 Multiply "VE_MUL" 2;
        /// a + b.
        3 Add "VE_ADD" 2;
        /// a * b + c.
        4 MultiplyAdd "VE_MAD" 3;
        /// (1, a.y * b.y, a.z, b.w).
        5 DistanceVector "VE_DST" 2;
        /// a - floor(a).
        6 Fraction "VE_FRC" 1;
        /// a >= b ? a : b.
        7 Maximum "VE_MAX" 2;
        /// a < b ? a : b.
        8 Minimum "VE_MIN" 2;
        /// a >= b ? 1 : 0.
        9 SetGreaterThanEqual "VE_SGE" 2;
        /// a < b ? 1 : 0.
        10 SetLessThan "VE_SLT" 2;
        /// 2 * a * b + c.
        11 MultiplyX2Add "VE_MULTX2_ADD" 3;
        /// min(max(a * b, 0), c).
        12 MultiplyClamp "VE_MULT_CLAMP" 3;
        /// floor(a), as an integer, to A0.
        13 FloatToFixed "VE_FLT2FIX" 1;
        /// floor(a + 0.5), as an integer, to A0.
        14 FloatToFixedRound "VE_FLT2FIX_RND" 1;
        /// If a.w == 0 and b.w == 0: 0, and the predicate becomes 1; else a.w + 1, and it becomes 0.
        15 PredSetEqPush "VE_PRED_SET_EQ_PUSH" 2;
        /// If a.w == 0 and b.w > 0: 0, and the predicate becomes 1; else a.w + 1, and it becomes 0.
        16 PredSetGtPush "VE_PRED_SET_GT_PUSH" 2;
        /// If a.w == 0 and b.w >= 0: 0, and the predicate becomes 1; else a.w + 1, and it becomes 0.
        17 PredSetGtePush "VE_PRED_SET_GTE_PUSH" 2;
        /// If a.w == 0 and b.w != 0: 0, and the predicate becomes 1; else a.w + 1, and it becomes 0.
        18 PredSetNeqPush "VE_PRED_SET_NEQ_PUSH" 2;
        /// b, written where a == 0.
        19 CondWriteEq "VE_COND_WRITE_EQ" 2;
        /// b, written where a > 0.
        20 CondWriteGt "VE_COND_WRITE_GT" 2;
        /// b, written where a >= 0.
        21 CondWriteGte "VE_COND_WRITE_GTE" 2;
        /// b, written where a != 0.
        22 CondWriteNeq "VE_COND_WRITE_NEQ" 2;
        /// a == 0 ? b : c.
        23 CondMuxEq "VE_COND_MUX_EQ" 3;
        /// a > 0 ? b : c.
        24 CondMuxGt "VE_COND_MUX_GT" 3;
        /// a >= 0 ? b : c.
        25 CondMuxGte "VE_COND_MUX_GTE" 3;
        /// a > b ? 1 : 0.
        26 SetGreaterThan "VE_SGT" 2;
        /// a == b ? 1 : 0.
        27 SetEqual "VE_SEQ" 2;
        /// a != b ? 1 : 0.
        28 SetNotEqual "VE_SNE" 2;
    }
}

operations! {
    /// Operations of the math engine. s is the component w of the first source; results go to every component unless they say
    /// otherwise.
    MathOp {
        /// Nothing.
        0 NoOp "ME_NOP" 0;
        /// (2^floor(s), s - floor(s), 2^s, 1).
        1 ExpBase2Dx "ME_EXP_DX" 1;
        /// (floor(log2 |s|), |s| / 2^floor(log2 |s|), log2 |s|, 1); of 0 (-g, 1, -g, 1), where g is the greatest finite
        /// number.
        2 LogBase2Dx "ME_LOG_DX" 1;
        /// e^s.
        3 ExpBaseEFf "ME_EXP_BASEE_FF" 1;
        /// The lighting coefficients (1, max(X, 0), X > 0 ? max(Y, 0)^min(max(W, -128), 128) : 0, 1), where X, W and Y are the
        /// components x, y and w of the first source.
        4 LightCoeffDx "ME_LIGHT_COEFF_DX" 3;
        /// s ^ c.w, where c is the third source; 0^0 is 1.
        5 PowerFuncFf "ME_POWER_FUNC_FF" 3;
        /// 1 / s; of 0 the greatest finite number.
        6 RecipDx "ME_RECIP_DX" 1;
        /// 1 / s; of 0 zero.
        7 RecipFf "ME_RECIP_FF" 1;
        /// 1 / sqrt(|s|); of 0 the greatest finite number.
        8 RecipSqrtDx "ME_RECIP_SQRT_DX" 1;
        /// 1 / sqrt(|s|); of 0 zero.
        9 RecipSqrtFf "ME_RECIP_SQRT_FF" 1;
        /// s * b.w, where b is the second source.
        10 Multiply "ME_MULTIPLY" 2;
        /// 2^s.
        11 ExpBase2FullDx "ME_EXP_BASE2_FULL_DX" 1;
        /// log2(|s|); of 0 the lowest finite number.
        12 LogBase2FullDx "ME_LOG_BASE2_FULL_DX" 1;
        /// max(s, 0) ^ c.w, where c is the third source.
        13 PowerFuncFfClampB "ME_POWER_FUNC_FF_CLAMP_B" 3;
        /// min(max(s, 0), 1) ^ c.w, where c is the third source.
        14 PowerFuncFfClampB1 "ME_POWER_FUNC_FF_CLAMP_B1" 3;
        /// s ^ c.w in [0, 1], where c is the third source.
        15 PowerFuncFfClamp01 "ME_POWER_FUNC_FF_CLAMP_01" 3;
        /// The sine of s radians, of -pi to pi.
        16 Sin "ME_SIN" 1;
        /// The cosine of s radians, of -pi to pi.
        17 Cos "ME_COS" 1;
        /// log2(s); of 0 -infinity.
        18 LogBase2Ieee "ME_LOG_BASE2_IEEE" 1;
        /// 1 / s; of 0 infinity.
        19 RecipIeee "ME_RECIP_IEEE" 1;
        /// 1 / sqrt(s); of 0 infinity.
        20 RecipSqrtIeee "ME_RECIP_SQRT_IEEE" 1;
        /// s == 0: 0, and the predicate becomes 1; else 1, and it becomes 0.
        21 PredSetEq "ME_PRED_SET_EQ" 1;
        /// s > 0: 0, and the predicate becomes 1; else 1, and it becomes 0.
        22 PredSetGt "ME_PRED_SET_GT" 1;
        /// s >= 0: 0, and the predicate becomes 1; else 1, and it becomes 0.
        23 PredSetGte "ME_PRED_SET_GTE" 1;
        /// s != 0: 0, and the predicate becomes 1; else 1, and it becomes 0.
        24 PredSetNeq "ME_PRED_SET_NEQ" 1;
        /// The greatest finite number; the predicate becomes 0.
        25 PredSetClr "ME_PRED_SET_CLR" 0;
        /// s == 1: 0, and the predicate becomes 1; s == 0: 1, and it becomes 0; else s, and it becomes 0.
        26 PredSetInv "ME_PRED_SET_INV" 1;
        /// s <= 1: 0, and the predicate becomes 1; else s - 1, and it becomes 0.
        27 PredSetPop "ME_PRED_SET_POP" 1;
        /// s == 0: 0, and the predicate becomes 1; else s, and it becomes 0.
        28 PredSetRestore "ME_PRED_SET_RESTORE" 1;
    }
}

operations! {
    /// Operations with three sources of which each may be another temporary (`MACRO_INST`): they take two cycles.
    MacroOp {
        /// a * b + c.
        0 MultiplyAdd "PVS_MACRO_OP_2CLK_MADD" 3;
        /// 2 * a * b + c.
        1 MultiplyX2Add "PVS_MACRO_OP_2CLK_M2X_ADD" 3;
    }
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// An operation of the vector engine.
    Vector(VectorOp),
    /// An operation of the math engine.
    Math(MathOp),
    /// An operation in two cycles.
    Macro(MacroOp),
    /// None of all these.
    Reserved,
}

impl Operation {
    /// Every operation that there is.
    pub fn all() -> impl Iterator<Item = Operation> {
        let vector = VectorOp::ALL.iter().map(|&op| Operation::Vector(op));
        let math = MathOp::ALL.iter().map(|&op| Operation::Math(op));
        vector.chain(math).chain(MacroOp::ALL.iter().map(|&op| Operation::Macro(op)))
    }

    /// Its spelling; none for what is reserved.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Operation::Vector(op) => Some(op.name()),
            Operation::Math(op) => Some(op.name()),
            Operation::Macro(op) => Some(op.name()),
            Operation::Reserved => None,
        }
    }

    /// How many sources it reads, from the first one on.
    pub const fn sources(self) -> usize {
        match self {
            Operation::Vector(op) => op.sources(),
            Operation::Math(op) => op.sources(),
            Operation::Macro(op) => op.sources(),
            Operation::Reserved => 0,
        }
    }

    /// Whether it writes nothing, whatever its destination is.
    pub const fn does_nothing(self) -> bool {
        matches!(self, Operation::Vector(VectorOp::NoOp) | Operation::Math(MathOp::NoOp) | Operation::Reserved)
    }

    /// What it calculates.
    pub const fn about(self) -> &'static str {
        match self {
            Operation::Vector(op) => op.about(),
            Operation::Math(op) => op.about(),
            Operation::Macro(op) => op.about(),
            Operation::Reserved => "",
        }
    }
}
