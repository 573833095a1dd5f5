//! Where the operands of an arithmetic instruction come from: each channel traced to the one value that it reads (CTM
//! Guide p.25-28).

use crate::codes::*;
use crate::instruction::{Alu, Operand, Source, inline_constant};
use crate::job::Constants;

const ONE: u32 = 0x3F80_0000;
const HALF: u32 = 0x3F00_0000;
/// Lanes of a quad, in lane order.
const TOP_LEFT: usize = 0;
const TOP_RIGHT: usize = 1;
const BOTTOM_LEFT: usize = 2;
/// The places of a derivative's operands A and C among the operands. They have their own, because a DP4 beside an alpha
/// derivative reads the ordinary ones.
pub(super) const QUAD_A: usize = 3;
pub(super) const QUAD_C: usize = 4;
/// Number of operands.
pub(super) const OPERANDS: usize = 5;
/// The alpha channel's number among R, G, B, A.
pub(super) const ALPHA: usize = 3;

/// A value that a source address delivers to one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Value(u32),
    Temp {
        index: u8,
        channel: usize,
    },
    /// aL is added to the index, modulo the number of registers.
    RelativeTemp {
        index: u8,
        channel: usize,
    },
    /// aL is added to the index, modulo the number of constants.
    RelativeConst {
        index: u8,
        channel: usize,
    },
}

/// What one channel of an operand reads, before its input modifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Read {
    Scalar(Scalar),
    Presubtract(Presubtract, Scalar, Scalar),
    /// The value that this lane of the quad reads (derivatives).
    OfQuadLane(usize, Scalar),
}

/// One channel of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    /// 0 to 2: A, B, C; then [`QUAD_A`] and [`QUAD_C`].
    pub operand: usize,
    /// 0 to 3: R, G, B, A.
    pub channel: usize,
    pub read: Read,
    pub modifier: InputModifier,
}

/// Traces operand channels to the values that they read.
pub(super) struct Sources<'a> {
    pub alu: &'a Alu,
    pub constants: &'a Constants,
}

impl Sources<'_> {
    /// The operands of one RGB channel, as far as the operation reads them; those of a dot product are
    /// [`dot_terms`](Self::dot_terms).
    pub fn rgb_terms(&self, channel: usize) -> Vec<Term> {
        match self.alu.rgb.op.class() {
            RgbClass::PerChannel(op) => self.channel_terms(op, channel),
            RgbClass::Dot(_) | RgbClass::CopyAlpha | RgbClass::Reserved => Vec::new(),
        }
    }

    /// The operands of the alpha unit, as far as the operation reads them.
    pub fn alpha_terms(&self) -> Vec<Term> {
        match self.alu.alpha.op.class() {
            AlphaClass::PerChannel(op) => self.channel_terms(op, ALPHA),
            AlphaClass::Transcendental(_) => vec![self.term(0, ALPHA)],
            AlphaClass::CopyDot | AlphaClass::Reserved => Vec::new(),
        }
    }

    fn channel_terms(&self, op: ChannelOp, channel: usize) -> Vec<Term> {
        let operands = match op {
            ChannelOp::Mad | ChannelOp::Cnd | ChannelOp::Cmp => 3,
            ChannelOp::Min | ChannelOp::Max => 2,
            ChannelOp::Frc => 1,
            ChannelOp::Mdh => return self.derivative_terms(channel, TOP_RIGHT),
            ChannelOp::Mdv => return self.derivative_terms(channel, BOTTOM_LEFT),
        };
        (0..operands).map(|operand| self.term(operand, channel)).collect()
    }

    /// The operands of a derivative: for A source 0 of the top left lane, for C that of the other lane. The input
    /// modifiers of A and C apply to them, their selects do not.
    fn derivative_terms(&self, channel: usize, other: usize) -> Vec<Term> {
        let of_lane = |operand, lane, modifiers_of| {
            let read = Read::OfQuadLane(lane, self.source(0, channel));
            Term { operand, read, ..self.term(modifiers_of, channel) }
        };
        vec![of_lane(QUAD_A, TOP_LEFT, 0), self.term(1, channel), of_lane(QUAD_C, other, 2)]
    }

    /// The operand channels of a dot product.
    pub fn dot_terms(&self, op: DotOp) -> Vec<Term> {
        let factors = match op {
            DotOp::Dp4 => 4,
            DotOp::Dp3 => 3,
            DotOp::D2a => 2,
        };
        let mut terms: Vec<Term> =
            (0..factors).flat_map(|channel| [0, 1].map(|operand| self.term(operand, channel))).collect();
        if op == DotOp::D2a {
            terms.push(self.term(2, 2));
        }
        terms
    }

    /// One channel of operand A, B or C.
    fn term(&self, operand: usize, channel: usize) -> Term {
        let (select, swizzle, modifier) = if channel == ALPHA {
            let arg = &self.alu.alpha.arg[operand];
            (arg.sel, arg.swizzle[0], arg.modifier)
        } else {
            let arg = &self.alu.rgb.arg[operand];
            (arg.sel, arg.swizzle[channel], arg.modifier)
        };
        Term { operand, channel, read: self.read(select, swizzle), modifier }
    }

    fn read(&self, select: Select, swizzle: Swizzle) -> Read {
        let channel = match swizzle {
            Swizzle::R => 0,
            Swizzle::G => 1,
            Swizzle::B => 2,
            Swizzle::A => ALPHA,
            Swizzle::Zero | Swizzle::Unused => return Read::Scalar(Scalar::Value(0)),
            Swizzle::Half => return Read::Scalar(Scalar::Value(HALF)),
            Swizzle::One => return Read::Scalar(Scalar::Value(ONE)),
        };
        match select {
            Select::Src0 => Read::Scalar(self.source(0, channel)),
            Select::Src1 => Read::Scalar(self.source(1, channel)),
            Select::Src2 => Read::Scalar(self.source(2, channel)),
            Select::Srcp => {
                let op = if channel == ALPHA { self.alu.alpha.srcp } else { self.alu.rgb.srcp };
                Read::Presubtract(op, self.source(0, channel), self.source(1, channel))
            }
        }
    }

    /// One channel of source vector `number`: R, G, B come from the RGB side's address, A from the alpha side's.
    fn source(&self, number: usize, channel: usize) -> Scalar {
        let source: Source = if channel == ALPHA { self.alu.alpha.src[number] } else { self.alu.rgb.src[number] };
        match source.operand() {
            Operand::Temp { index, relative: false } => Scalar::Temp { index, channel },
            Operand::Temp { index, relative: true } => Scalar::RelativeTemp { index, channel },
            Operand::Const { index, relative: false } => {
                Scalar::Value(self.constants.floats[usize::from(index)][channel])
            }
            Operand::Const { index, relative: true } => Scalar::RelativeConst { index, channel },
            Operand::Inline(code) => Scalar::Value(inline_constant(code).to_bits()),
        }
    }
}
