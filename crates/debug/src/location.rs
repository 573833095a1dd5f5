//! Variables of the source that a program was compiled from: where they are is known in front of each row of the listing.

use crate::cell_name;
use ctm_follow::Cell;
use std::ops::{Range, RangeInclusive};

/// A scalar of a variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What holds it: the variable, or an element, column or member of it.
    pub name: String,
    /// Its channel, if that is a vector.
    pub channel: Option<char>,
    /// It is true or false.
    pub is_truth: bool,
    /// The lines of the source where the name means it.
    pub lines: RangeInclusive<u32>,
    /// Where it is, in front of which rows of the listing; nowhere in front of the others.
    pub places: Vec<(Range<usize>, Location)>,
}

/// What a variable is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A cell of the lane.
    Cell(usize),
    /// Always these bits.
    Bits(u32),
}

/// How a truth is read from a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is zero.
    Zero,
    /// It is not zero.
    NotZero,
    /// It is not negative.
    NonNegative,
    /// It is negative, or a NaN.
    Negative,
}

/// How the value of a variable is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Where it is.
    pub origin: Origin,
    /// The absolute value is taken.
    pub absolute: bool,
    /// The negative is taken, of the absolute value if that is.
    pub negative: bool,
    /// The truth that it says.
    pub test: Option<Test>,
}

impl Location {
    /// Bits that are always the same.
    pub const fn bits(bits: u32) -> Self {
        Location { origin: Origin::Bits(bits), absolute: false, negative: false, test: None }
    }

    pub(crate) fn read(&self, cell: impl Fn(usize) -> u32) -> u32 {
        let mut bits = match self.origin {
            Origin::Cell(number) => cell(number),
            Origin::Bits(bits) => bits,
        };
        if self.absolute {
            bits &= 0x7FFF_FFFF;
        }
        if self.negative {
            bits ^= 0x8000_0000;
        }
        let number = f32::from_bits(bits);
        match self.test {
            None => bits,
            Some(Test::Zero) => u32::from(number == 0.0),
            Some(Test::NotZero) => u32::from(number != 0.0),
            Some(Test::NonNegative) => u32::from(number >= 0.0),
            Some(Test::Negative) => u32::from(number < 0.0 || number.is_nan()),
        }
    }

    /// The same as an expression over registers.
    pub(crate) fn expression(&self, cells: &[Cell]) -> Option<String> {
        let mut text = match self.origin {
            Origin::Cell(number) => cell_name(cells.get(number)?),
            Origin::Bits(bits) => format!("{:?}", f32::from_bits(bits)),
        };
        if self.absolute {
            text = format!("abs({text})");
        }
        if self.negative {
            text = format!("-{text}");
        }
        Some(match self.test {
            None => format!("({text})"),
            Some(Test::Zero) => format!("({text} == 0)"),
            Some(Test::NotZero) => format!("({text} != 0)"),
            Some(Test::NonNegative) => format!("({text} >= 0)"),
            Some(Test::Negative) => format!("!({text} >= 0)"),
        })
    }
}
