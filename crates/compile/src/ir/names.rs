//! What the variables of a source hold on the way through a function, for debuggers.
//!
//! A [`Naming`] says that from a place of the function on a part of a variable is a value. Places are counted in values: a naming `at` a value stands in front of
//! where that one is defined. [`Builder`](super::Builder) names a part again wherever what it holds changes, also where a region begins
//! or ends, so that the last naming in front of a place, in the order of the text, is the one that counts there. Passes carry namings along; none of
//! them keeps a value because it has a name.

use super::{Region, Value, definitions};

/// How the value of a part is read from that of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// As it is.
    Plain,
    /// A boolean, or a number that stands for one by not being negative.
    NonNegative {
        /// It is the other way round.
        inverted: bool,
    },
    /// A boolean: whether the number is zero, or is not.
    Zero {
        /// It is the other way round.
        inverted: bool,
    },
}

impl Reading {
    /// The same of the opposite of a boolean.
    pub const fn inverted(self) -> Reading {
        match self {
            Reading::Plain => Reading::NonNegative { inverted: true },
            Reading::NonNegative { inverted } => Reading::NonNegative { inverted: !inverted },
            Reading::Zero { inverted } => Reading::Zero { inverted: !inverted },
        }
    }

    /// Whether a boolean is read the other way round.
    pub const fn is_inverted(self) -> bool {
        matches!(self, Reading::NonNegative { inverted: true } | Reading::Zero { inverted: true })
    }
}

/// From a place on, a part of a variable is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The value in front of whose definition it stands; the number of values for the end.
    pub at: u32,
    /// The number of the part, as whoever built the function counts them.
    pub part: u32,
    /// What it is; none if no value of the function is that any more.
    pub value: Option<Value>,
    /// How it is read.
    pub reading: Reading,
}

/// The namings that stand in front of the definition of a value, by its number. They are in the order of their places.
pub(crate) fn at(names: &[Naming], number: u32) -> &[Naming] {
    let first = names.partition_point(|naming| naming.at < number);
    let count = names[first..].partition_point(|naming| naming.at == number);
    &names[first..first + count]
}

/// Namings of a function with other numbers for its values, which are in the order of their definitions: `new` gives them, for those that
/// are left.
pub(crate) fn renumbered(
    names: &[Naming],
    body: &Region,
    values: usize,
    new: &impl Fn(Value) -> Option<Value>,
) -> Vec<Naming> {
    if names.is_empty() {
        return Vec::new();
    }
    // How many of those that are left are defined in front of each value; of one that nothing defines, in front of the next.
    let (mut places, mut count) = (vec![None; values + 1], 0);
    definitions(body, &mut |value| {
        places[value.index()] = Some(count);
        count += u32::from(new(value).is_some());
    });
    let mut next = count;
    for place in places.iter_mut().rev() {
        next = *place.get_or_insert(next);
    }
    let moved = |naming: &Naming| Naming {
        at: places[naming.at as usize].unwrap_or(count),
        value: naming.value.and_then(new),
        ..*naming
    };
    let mut moved: Vec<Naming> = names.iter().map(moved).collect();
    // Passes may have moved definitions.
    moved.sort_by_key(|naming| naming.at);
    moved
}
