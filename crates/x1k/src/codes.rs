//! The enumerated fields of X1K instructions: every code with its name.
//!
//! Sources: CTM Guide v1.01 p.26-33, 36-37; R5xx register tables `US_CMN_INST`, `US_ALU_*`, `US_TEX_*`, `US_FC_*`.

use ctm_bits::codes;

codes! {
    /// `RGB_PRED_SEL`, `ALPHA_PRED_SEL`: which predicate bit gates a channel (CTM Guide p.31).
    ///
    /// The RGB field uses codes 1 to 5 as below. In the alpha field code 1 is the alpha bit as well (same as 5).
    /// Codes 6 and 7 act as 0.
    pub enum PredicateSelect: 3 {
        /// No predication.
        0 None "none",
        /// Each channel by its own bit.
        1 PerChannel "rgba",
        /// The red bit.
        2 Red "rrrr",
        /// The green bit.
        3 Green "gggg",
        /// The blue bit.
        4 Blue "bbbb",
        /// The alpha bit.
        5 Alpha "aaaa",
        /// Reserved.
        6 Reserved6 "reserved6",
        /// Reserved.
        7 Reserved7 "reserved7",
    }
}

codes! {
    /// A comparison with zero: `TARGET` of ALU instructions (predicate test).
    pub enum ZeroTest: 2 {
        /// `== 0`
        0 Equal "eq",
        /// `< 0`
        1 Less "lt",
        /// `>= 0`
        2 GreaterEqual "ge",
        /// `!= 0`
        3 NotEqual "ne",
    }
}

codes! {
    /// `ALU_RESULT_SEL`: the channel that feeds the ALU result.
    pub enum ResultChannel: 1 {
        /// Red of the RGB unit.
        0 Red "r",
        /// The alpha unit.
        1 Alpha "a",
    }
}

codes! {
    /// `SRCP_OP`: the presubtract operation (CTM Guide p.26).
    pub enum Presubtract: 2 {
        /// `1 - 2 * src0`
        0 Bias "neg2",
        /// `src1 - src0`
        1 Sub "sub",
        /// `src1 + src0`
        2 Add "add",
        /// `1 - src0`
        3 Inv "neg",
    }
}

codes! {
    /// `*_SEL_*`: the source vector of an operand.
    pub enum Select: 2 {
        /// Source 0.
        0 Src0 "src0",
        /// Source 1.
        1 Src1 "src1",
        /// Source 2.
        2 Src2 "src2",
        /// The presubtract result.
        3 Srcp "srcp",
    }
}

codes! {
    /// `*_SWIZ_*`: the channel or constant that an operand's channel takes.
    pub enum Swizzle: 3 {
        /// Red.
        0 R "r",
        /// Green.
        1 G "g",
        /// Blue.
        2 B "b",
        /// Alpha.
        3 A "a",
        /// 0.0
        4 Zero "0",
        /// 0.5
        5 Half "h",
        /// 1.0
        6 One "1",
        /// Unused; reads 0.0.
        7 Unused "_",
    }
}

codes! {
    /// The 2-bit swizzle of texture coordinates and fetched channels.
    pub enum TexSwizzle: 2 {
        /// Red.
        0 R "r",
        /// Green.
        1 G "g",
        /// Blue.
        2 B "b",
        /// Alpha.
        3 A "a",
    }
}

codes! {
    /// `*_MOD_*`: the input modifier (absolute value first, then negation).
    pub enum InputModifier: 2 {
        /// As it is.
        0 None "",
        /// Negated.
        1 Negate "-",
        /// Absolute value.
        2 Absolute "||",
        /// Negated absolute value.
        3 NegateAbsolute "-||",
    }
}

codes! {
    /// `OMOD`: the output modifier (CTM Guide p.29).
    pub enum OutputModifier: 3 {
        /// Times 1.
        0 X1 "1.0",
        /// Times 2.
        1 X2 "2.0",
        /// Times 4.
        2 X4 "4.0",
        /// Times 8.
        3 X8 "8.0",
        /// Divided by 2.
        4 Half "0.5",
        /// Divided by 4.
        5 Quarter "0.25",
        /// Divided by 8.
        6 Eighth "0.125",
        /// Disabled: the result is left bit-exact and clamping is not applied.
        7 Disabled "exact",
    }
}

codes! {
    /// `RGB_OP`: the operation of the RGB unit (CTM Guide p.28-29).
    pub enum RgbOp: 4 {
        /// A * B + C
        0 Mad "MAD",
        /// Three-term dot product.
        1 Dp3 "DP3",
        /// Four-term dot product.
        2 Dp4 "DP4",
        /// Ar*Br + Ag*Bg + Cb
        3 D2a "D2A",
        /// Minimum.
        4 Min "MIN",
        /// Maximum.
        5 Max "MAX",
        /// Reserved.
        6 Reserved6 "OP6",
        /// C > 0.5 ? A : B
        7 Cnd "CND",
        /// C >= 0 ? A : B
        8 Cmp "CMP",
        /// A - floor(A)
        9 Frc "FRC",
        /// The alpha unit's transcendental result in all three channels.
        10 Sop "SOP",
        /// Horizontal derivative on a quad.
        11 Mdh "MDH",
        /// Vertical derivative on a quad.
        12 Mdv "MDV",
        /// Reserved.
        13 Reserved13 "OP13",
        /// Reserved.
        14 Reserved14 "OP14",
        /// Reserved.
        15 Reserved15 "OP15",
    }
}

codes! {
    /// `ALPHA_OP`: the operation of the alpha unit (CTM Guide p.28-29).
    pub enum AlphaOp: 4 {
        /// A * B + C
        0 Mad "MAD",
        /// The RGB unit's dot product.
        1 Dp "DP",
        /// Minimum.
        2 Min "MIN",
        /// Maximum.
        3 Max "MAX",
        /// Reserved.
        4 Reserved4 "OP4",
        /// C > 0.5 ? A : B
        5 Cnd "CND",
        /// C >= 0 ? A : B
        6 Cmp "CMP",
        /// A - floor(A)
        7 Frc "FRC",
        /// 2 to the power A.
        8 Ex2 "EX2",
        /// log2(A)
        9 Ln2 "LN2",
        /// 1 / A
        10 Rcp "RCP",
        /// 1 / sqrt(A)
        11 Rsq "RSQ",
        /// sin(2 pi A)
        12 Sin "SIN",
        /// cos(2 pi A)
        13 Cos "COS",
        /// Horizontal derivative on a quad.
        14 Mdh "MDH",
        /// Vertical derivative on a quad.
        15 Mdv "MDV",
    }
}

codes! {
    /// `INST` of texture instructions (CTM Guide p.33; R5xx `US_TEX_INST`).
    pub enum TexOp: 3 {
        /// Nothing is fetched.
        0 Nop "NOP",
        /// Fetch at (S, T).
        1 Ld "LD",
        /// Kill the lane when a coordinate is negative.
        2 Texkill "TEXKILL",
        /// Fetch at (S/Q, T/Q).
        3 Proj "PROJ",
        /// As LD; the bias is ignored.
        4 Lodbias "LODBIAS",
        /// As LD; the level is ignored.
        5 Lod "LOD",
        /// As LD; the derivatives are ignored.
        6 Dxdy "DXDY",
        /// Reserved.
        7 Reserved7 "OP7",
    }
}

codes! {
    /// `OP` of flow-control instructions (CTM Guide p.37).
    pub enum FlowOp: 3 {
        /// Jump.
        0 Jump "JUMP",
        /// Loop head that sets aL.
        1 Loop "LOOP",
        /// Loop end that steps aL.
        2 EndLoop "ENDLOOP",
        /// Loop head that leaves aL alone.
        3 Rep "REP",
        /// Loop end that leaves aL alone.
        4 EndRep "ENDREP",
        /// Leave a LOOP.
        5 BreakLoop "BREAKLOOP",
        /// Leave a REP.
        6 BreakRep "BREAKREP",
        /// Skip to the loop end.
        7 Continue "CONTINUE",
    }
}

codes! {
    /// `A_OP`: what a jump does with the address stack.
    pub enum AddressOp: 2 {
        /// Nothing.
        0 None "none",
        /// Jump to the popped address.
        1 Pop "pop",
        /// Push the next address.
        2 Push "push",
        /// Reserved.
        3 Reserved3 "reserved3",
    }
}

codes! {
    /// `B_OP0`, `B_OP1`: what staying and jumping do with the branch counters.
    pub enum BranchOp: 2 {
        /// Nothing.
        0 None "none",
        /// Subtract `B_POP_CNT`.
        1 Decr "decr",
        /// Add one; lanes that disagree with the decision become inactive.
        2 Incr "incr",
        /// Reserved.
        3 Reserved3 "reserved3",
    }
}

/// An operation that takes each channel on its own: the same in both units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelOp {
    /// A * B + C
    Mad,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// C > 0.5 ? A : B
    Cnd,
    /// C >= 0 ? A : B
    Cmp,
    /// A - floor(A)
    Frc,
    /// Horizontal derivative on a quad.
    Mdh,
    /// Vertical derivative on a quad.
    Mdv,
}

/// A dot product of the RGB unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotOp {
    /// Three terms.
    Dp3,
    /// Four terms.
    Dp4,
    /// Ar*Br + Ag*Bg + Cb
    D2a,
}

/// A function of one argument of the alpha unit, which SOP copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscendentalOp {
    /// 2 to the power A.
    Ex2,
    /// log2(A)
    Ln2,
    /// 1 / A
    Rcp,
    /// 1 / sqrt(A)
    Rsq,
    /// sin(2 pi A)
    Sin,
    /// cos(2 pi A)
    Cos,
}

/// What an operation of the RGB unit means. Whoever gives operations a meaning (the reference, the lift) matches classes
/// without wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RgbClass {
    /// Each channel on its own.
    PerChannel(ChannelOp),
    /// One number for all channels.
    Dot(DotOp),
    /// SOP: the result of the alpha unit.
    CopyAlpha,
    /// A code that the guide reserves.
    Reserved,
}

/// What an operation of the alpha unit means, as [`RgbClass`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaClass {
    /// The channel on its own.
    PerChannel(ChannelOp),
    /// A function of operand A.
    Transcendental(TranscendentalOp),
    /// DP: the dot product of the RGB unit.
    CopyDot,
    /// A code that the guide reserves.
    Reserved,
}

impl AlphaOp {
    /// What the operation means.
    pub const fn class(self) -> AlphaClass {
        match self {
            Self::Mad => AlphaClass::PerChannel(ChannelOp::Mad),
            Self::Dp => AlphaClass::CopyDot,
            Self::Min => AlphaClass::PerChannel(ChannelOp::Min),
            Self::Max => AlphaClass::PerChannel(ChannelOp::Max),
            Self::Reserved4 => AlphaClass::Reserved,
            Self::Cnd => AlphaClass::PerChannel(ChannelOp::Cnd),
            Self::Cmp => AlphaClass::PerChannel(ChannelOp::Cmp),
            Self::Frc => AlphaClass::PerChannel(ChannelOp::Frc),
            Self::Ex2 => AlphaClass::Transcendental(TranscendentalOp::Ex2),
            Self::Ln2 => AlphaClass::Transcendental(TranscendentalOp::Ln2),
            Self::Rcp => AlphaClass::Transcendental(TranscendentalOp::Rcp),
            Self::Rsq => AlphaClass::Transcendental(TranscendentalOp::Rsq),
            Self::Sin => AlphaClass::Transcendental(TranscendentalOp::Sin),
            Self::Cos => AlphaClass::Transcendental(TranscendentalOp::Cos),
            Self::Mdh => AlphaClass::PerChannel(ChannelOp::Mdh),
            Self::Mdv => AlphaClass::PerChannel(ChannelOp::Mdv),
        }
    }

    /// True for the operations whose result SOP copies: EX2, LN2, RCP, RSQ, SIN and COS.
    pub const fn is_transcendental(self) -> bool {
        matches!(self.class(), AlphaClass::Transcendental(_))
    }

    /// Number of operands that the operation reads.
    pub const fn operands(self) -> usize {
        match self {
            Self::Mad | Self::Cnd | Self::Cmp | Self::Mdh | Self::Mdv => 3,
            Self::Min | Self::Max => 2,
            Self::Dp | Self::Reserved4 => 0,
            Self::Frc | Self::Ex2 | Self::Ln2 | Self::Rcp | Self::Rsq | Self::Sin | Self::Cos => 1,
        }
    }

    /// True for MIN, MAX, CND and CMP, which return one of their arguments: the only ones that OMOD 7 is legal with.
    pub const fn is_selection(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::Cnd | Self::Cmp)
    }

    /// True for the code that the guide reserves.
    pub const fn is_reserved(self) -> bool {
        matches!(self.class(), AlphaClass::Reserved)
    }
}

impl RgbOp {
    /// What the operation means.
    pub const fn class(self) -> RgbClass {
        match self {
            Self::Mad => RgbClass::PerChannel(ChannelOp::Mad),
            Self::Dp3 => RgbClass::Dot(DotOp::Dp3),
            Self::Dp4 => RgbClass::Dot(DotOp::Dp4),
            Self::D2a => RgbClass::Dot(DotOp::D2a),
            Self::Min => RgbClass::PerChannel(ChannelOp::Min),
            Self::Max => RgbClass::PerChannel(ChannelOp::Max),
            Self::Cnd => RgbClass::PerChannel(ChannelOp::Cnd),
            Self::Cmp => RgbClass::PerChannel(ChannelOp::Cmp),
            Self::Frc => RgbClass::PerChannel(ChannelOp::Frc),
            Self::Sop => RgbClass::CopyAlpha,
            Self::Mdh => RgbClass::PerChannel(ChannelOp::Mdh),
            Self::Mdv => RgbClass::PerChannel(ChannelOp::Mdv),
            Self::Reserved6 | Self::Reserved13 | Self::Reserved14 | Self::Reserved15 => RgbClass::Reserved,
        }
    }

    /// True for DP3, DP4 and D2A, whose result the alpha unit's DP copies.
    pub const fn is_dot_product(self) -> bool {
        matches!(self.class(), RgbClass::Dot(_))
    }

    /// Number of operands that the operation reads.
    pub const fn operands(self) -> usize {
        match self {
            Self::Mad | Self::D2a | Self::Cnd | Self::Cmp | Self::Mdh | Self::Mdv => 3,
            Self::Dp3 | Self::Dp4 | Self::Min | Self::Max => 2,
            Self::Frc => 1,
            Self::Sop | Self::Reserved6 | Self::Reserved13 | Self::Reserved14 | Self::Reserved15 => 0,
        }
    }

    /// True for MIN, MAX, CND and CMP, which return one of their arguments: the only ones that OMOD 7 is legal with.
    pub const fn is_selection(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::Cnd | Self::Cmp)
    }

    /// True for the codes that the guide reserves.
    pub const fn is_reserved(self) -> bool {
        matches!(self.class(), RgbClass::Reserved)
    }
}
