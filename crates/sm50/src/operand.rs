//! What instructions work on.

use ctm_bits::FieldValue;
use std::fmt;

/// A general register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u8);

impl Reg {
    /// The register that reads as 0 and keeps nothing.
    pub const RZ: Reg = Reg(255);

    /// Whether this is [`Reg::RZ`].
    pub const fn is_zero(self) -> bool {
        self.0 == 255
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() { f.write_str("RZ") } else { write!(f, "R{}", self.0) }
    }
}

/// A predicate register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pred(pub u8);

impl Pred {
    /// The predicate that reads as true and keeps nothing.
    pub const PT: Pred = Pred(7);

    /// Whether this is [`Pred::PT`].
    pub const fn is_true(self) -> bool {
        self.0 == 7
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_true() { f.write_str("PT") } else { write!(f, "P{}", self.0) }
    }
}

/// A predicate that is read: a guard or a predicate source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredSource {
    /// The predicate.
    pub pred: Pred,
    /// It is negated.
    pub not: bool,
}

impl PredSource {
    /// Always true.
    pub const TRUE: PredSource = PredSource { pred: Pred::PT, not: false };
}

impl fmt::Display for PredSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.not { "!" } else { "" }, self.pred)
    }
}

/// Where a source operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A register; of 64-bit operands the lower one.
    Reg(Reg),
    /// An immediate. Integers are sign-extended to 32 bits (`XMAD` and `SHF`: zero-extended); floats are their binary32 bits,
    /// or the upper word of their binary64 bits where the operand is of 64 bits (the lower word is 0).
    Imm(u32),
    /// A word of a constant bank; of 64-bit operands the lower one.
    Const {
        /// The bank, 0 to 31.
        bank: u8,
        /// Byte offset, a multiple of 4 below 0x10000.
        offset: u16,
    },
}

/// The part of the source's word that is taken before anything else happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordPart {
    /// All of it.
    Whole,
    /// The half with this number, 0 the low one.
    Half(u8),
    /// The byte with this number, 0 the lowest.
    Byte(u8),
}

/// A source operand: its value, and what happens to it, in the order `part`, `abs`, `neg`, `inv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Where it comes from.
    pub value: Value,
    /// The part that is taken.
    pub part: WordPart,
    /// Its sign is removed.
    pub abs: bool,
    /// It is negated.
    pub neg: bool,
    /// All bits are inverted.
    pub inv: bool,
}

impl Source {
    /// A register as it is.
    pub const fn reg(reg: Reg) -> Self {
        Source { value: Value::Reg(reg), part: WordPart::Whole, abs: false, neg: false, inv: false }
    }
}

impl FieldValue for Reg {
    fn from_raw(raw: u32) -> Self {
        Reg(raw as u8)
    }
    fn to_raw(self) -> u32 {
        self.0.into()
    }
}

impl FieldValue for Pred {
    fn from_raw(raw: u32) -> Self {
        Pred(raw as u8)
    }
    fn to_raw(self) -> u32 {
        self.0.into()
    }
}
