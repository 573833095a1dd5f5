//! Attributes of operations: the compile-time part of an instruction.
//!
//! An attribute is written either as a suffix of the operation's name (`fma.ftz.zx`) or as a leading operand
//! (`float_to_index 64, %3`). [`Attribute`] is what the text form needs to know of each kind.

use crate::cursor::{Cursor, ParseCause};
use std::cmp::Ordering;

/// The text form of one kind of attribute.
pub trait Attribute: Copy {
    /// The part that goes to the operation's name, with its dot; empty for operands and defaults.
    fn suffix(self) -> String {
        String::new()
    }
    /// The part that stands before the operands; empty for suffixes.
    fn operand(self) -> String {
        String::new()
    }
    /// Reads the attribute from the suffixes and operands that are left.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause>;
}

/// Declares an attribute that is one word out of a list, written as a suffix.
macro_rules! words {
    ($(#[$meta:meta])* $ty:ident, $what:literal { $($(#[$word_meta:meta])* $variant:ident $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $ty { $($(#[$word_meta])* $variant),+ }

        impl $ty {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word of the text form; empty for the value that is meant when no word is given.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl Attribute for $ty {
            fn suffix(self) -> String {
                match self.word() {
                    "" => String::new(),
                    word => format!(".{word}"),
                }
            }
            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
                let unwritten = Self::ALL.iter().copied().find(|value| value.word().is_empty());
                let word = cursor.peek_suffix().unwrap_or("");
                match Self::ALL.iter().copied().find(|value| !word.is_empty() && value.word() == word) {
                    Some(value) => {
                        cursor.take_suffix();
                        Ok(value)
                    }
                    None => unwritten.ok_or(ParseCause::Expected($what)),
                }
            }
        }
    };
}

words! {
    /// What an operation does with denormal numbers.
    Denorm, "a denormal rule" {
        /// Denormal operands and results are ordinary numbers.
        Keep "",
        /// Denormal operands are read as zero of their sign; a result is replaced by zero of its sign when the exact
        /// value, rounded to 24 bits with unbounded exponent, is below 2^-126 in magnitude (the rule of x86 with
        /// denormals-are-zero and flush-to-zero set).
        Flush "ftz",
    }
}

words! {
    /// The product of zero and something else.
    Zero, "a zero rule" {
        /// As IEEE 754 says.
        Ieee "",
        /// Zero times infinity or NaN is +0; all other products are the IEEE ones, sign of zero included.
        Special "zx",
        /// Zero times anything is +0, also where IEEE would give -0.
        Always "zz",
    }
}

words! {
    /// Direction of rounding to an integral value.
    Round, "a direction of rounding" {
        /// Toward minus infinity.
        Floor "floor",
        /// Toward plus infinity.
        Ceil "ceil",
        /// Toward zero.
        Trunc "trunc",
        /// To the nearest, ties to even.
        Even "even",
    }
}

words! {
    /// Direction in which a result is rounded to its format.
    Rounding, "a direction of rounding" {
        /// To the nearest number, ties to even.
        Even "",
        /// Toward minus infinity.
        Down "down",
        /// Toward plus infinity.
        Up "up",
        /// Toward zero.
        Zero "zero",
    }
}

impl From<Rounding> for ctm_num::ieee::Rounding {
    fn from(rounding: Rounding) -> Self {
        match rounding {
            Rounding::Even => Self::NearestEven,
            Rounding::Down => Self::Down,
            Rounding::Up => Self::Up,
            Rounding::Zero => Self::Zero,
        }
    }
}

words! {
    /// A comparison of two floats. Ordered tests are false when an operand is NaN, unordered ones are true.
    FloatTest, "a float test" {
        /// Ordered and equal.
        Oeq "oeq",
        /// Ordered and less.
        Olt "olt",
        /// Ordered and less or equal.
        Ole "ole",
        /// Ordered and greater.
        Ogt "ogt",
        /// Ordered and greater or equal.
        Oge "oge",
        /// Ordered and different.
        One "one",
        /// Neither is NaN.
        Ord "ord",
        /// Unordered or equal.
        Ueq "ueq",
        /// Unordered or less.
        Ult "ult",
        /// Unordered or less or equal.
        Ule "ule",
        /// Unordered or greater.
        Ugt "ugt",
        /// Unordered or greater or equal.
        Uge "uge",
        /// Unordered or different.
        Une "une",
        /// Either is NaN.
        Uno "uno",
    }
}

impl FloatTest {
    /// The test that is true exactly where this one is false.
    pub const fn negated(self) -> Self {
        match self {
            Self::Oeq => Self::Une,
            Self::Olt => Self::Uge,
            Self::Ole => Self::Ugt,
            Self::Ogt => Self::Ule,
            Self::Oge => Self::Ult,
            Self::One => Self::Ueq,
            Self::Ord => Self::Uno,
            Self::Ueq => Self::One,
            Self::Ult => Self::Oge,
            Self::Ule => Self::Ogt,
            Self::Ugt => Self::Ole,
            Self::Uge => Self::Olt,
            Self::Une => Self::Oeq,
            Self::Uno => Self::Ord,
        }
    }

    /// The test that says the same with the operands exchanged.
    pub const fn exchanged(self) -> Self {
        match self {
            Self::Olt => Self::Ogt,
            Self::Ole => Self::Oge,
            Self::Ogt => Self::Olt,
            Self::Oge => Self::Ole,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
            Self::Oeq | Self::One | Self::Ord | Self::Ueq | Self::Une | Self::Uno => self,
        }
    }

    /// Whether the test holds for two floats that compare like this; `None` stands for unordered.
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self {
            Self::Oeq => order == Some(Equal),
            Self::Olt => order == Some(Less),
            Self::Ole => matches!(order, Some(Less | Equal)),
            Self::Ogt => order == Some(Greater),
            Self::Oge => matches!(order, Some(Greater | Equal)),
            Self::One => matches!(order, Some(Less | Greater)),
            Self::Ord => order.is_some(),
            _ => !self.negated().holds(order),
        }
    }
}

words! {
    /// A comparison of two integers.
    IntTest, "an integer test" {
        /// Equal.
        Eq "eq",
        /// Different.
        Ne "ne",
        /// Less, signed.
        Slt "slt",
        /// Less or equal, signed.
        Sle "sle",
        /// Greater, signed.
        Sgt "sgt",
        /// Greater or equal, signed.
        Sge "sge",
        /// Less, unsigned.
        Ult "ult",
        /// Less or equal, unsigned.
        Ule "ule",
        /// Greater, unsigned.
        Ugt "ugt",
        /// Greater or equal, unsigned.
        Uge "uge",
    }
}

impl IntTest {
    /// The test that is true exactly where this one is false.
    pub const fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
        }
    }

    /// The test that says the same with the operands exchanged.
    pub const fn exchanged(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
        }
    }

    /// Whether the test holds for these two words.
    pub fn holds(self, a: u32, b: u32) -> bool {
        let (sa, sb) = (a.cast_signed(), b.cast_signed());
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Slt => sa < sb,
            Self::Sle => sa <= sb,
            Self::Sgt => sa > sb,
            Self::Sge => sa >= sb,
            Self::Ult => a < b,
            Self::Ule => a <= b,
            Self::Ugt => a > b,
            Self::Uge => a >= b,
        }
    }
}

words! {
    /// The comparison of a conditional unit: the new value on the left, the stored one on the right.
    ElementTest, "a unit test" {
        /// Fails always.
        Never "never",
        /// New less than stored.
        Lt "lt",
        /// New less than or equal to stored.
        Le "le",
        /// Equal.
        Eq "eq",
        /// New greater than or equal to stored.
        Ge "ge",
        /// New greater than stored.
        Gt "gt",
        /// Different.
        Ne "ne",
        /// Passes always.
        Always "always",
    }
}

impl ElementTest {
    /// Whether it passes, where the new value compares so with the stored one; none if one is a NaN.
    pub fn passes(self, order: Option<Ordering>) -> bool {
        match self {
            ElementTest::Never => false,
            ElementTest::Lt => order.is_some_and(Ordering::is_lt),
            ElementTest::Le => order.is_some_and(Ordering::is_le),
            ElementTest::Eq => order.is_some_and(Ordering::is_eq),
            ElementTest::Ge => order.is_some_and(Ordering::is_ge),
            ElementTest::Gt => order.is_some_and(Ordering::is_gt),
            ElementTest::Ne => order.is_none_or(Ordering::is_ne),
            ElementTest::Always => true,
        }
    }

    /// True if it looks at the stored value.
    pub const fn reads(self) -> bool {
        !matches!(self, ElementTest::Never | ElementTest::Always)
    }
}

words! {
    /// Whether a passing test of a conditional unit writes the new value.
    ElementWrite, "a write rule" {
        /// The surface stays as it is.
        No "",
        /// Lanes that pass write their value.
        Yes "write",
    }
}

/// 32 bits of a constant; floats are given as their bit pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits(pub u32);

impl Attribute for Bits {
    fn operand(self) -> String {
        format!("{:#010x}", self.0)
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        cursor.number().map(|number| Self(number as u32))
    }
}

impl Attribute for bool {
    fn operand(self) -> String {
        self.to_string()
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        match cursor.operand()? {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(ParseCause::Expected("`true` or `false`")),
        }
    }
}

impl Attribute for i32 {
    fn operand(self) -> String {
        self.to_string()
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        cursor.number().and_then(|number| number.try_into().map_err(|_| ParseCause::NumberRange))
    }
}

impl Attribute for u32 {
    fn operand(self) -> String {
        self.to_string()
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        cursor.number().and_then(|number| number.try_into().map_err(|_| ParseCause::NumberRange))
    }
}

/// A set of the channels R, G, B, A; bit 0 is R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channels(pub u8);

impl Channels {
    /// All four.
    pub const ALL: Self = Self(0xF);

    /// Whether channel 0 to 3 (R, G, B, A) belongs to the set.
    pub const fn has(self, channel: usize) -> bool {
        self.0 >> channel & 1 != 0
    }
}

const CHANNEL_LETTERS: [char; 4] = ['r', 'g', 'b', 'a'];

impl Attribute for Channels {
    fn suffix(self) -> String {
        let letters = (0..4).filter(|&channel| self.has(channel)).map(|channel| CHANNEL_LETTERS[channel]);
        std::iter::once('.').chain(letters).collect()
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        let word = cursor.peek_suffix().ok_or(ParseCause::Expected("channels"))?;
        let channels = (1..16).map(Self).find(|channels| channels.suffix()[1..] == *word);
        cursor.take_suffix();
        channels.ok_or(ParseCause::Expected("channels in the order r, g, b, a"))
    }
}

/// For each lane of a quad, the lane of the same quad that it reads. Lanes 0 to 3 are top left, top right, bottom left,
/// bottom right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuadOrder(pub [u8; 4]);

impl QuadOrder {
    /// Every lane reads lane `k` (0 to 3).
    pub const fn all(k: u8) -> Self {
        Self([k; 4])
    }
    /// Every lane reads its horizontal neighbour.
    pub const HORIZONTAL: Self = Self([1, 0, 3, 2]);
    /// Every lane reads its vertical neighbour.
    pub const VERTICAL: Self = Self([2, 3, 0, 1]);
}

impl Attribute for QuadOrder {
    fn suffix(self) -> String {
        let [a, b, c, d] = self.0;
        format!(".{a}{b}{c}{d}")
    }
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
        const WHAT: ParseCause = ParseCause::Expected("four quad lanes, as in `.0000`");
        let word = cursor.peek_suffix().ok_or(WHAT)?.as_bytes();
        let lanes: [u8; 4] = word.try_into().map_err(|_| WHAT)?;
        cursor.take_suffix();
        if lanes.iter().all(|lane| (b'0'..b'4').contains(lane)) {
            Ok(Self(lanes.map(|lane| lane - b'0')))
        } else {
            Err(WHAT)
        }
    }
}
