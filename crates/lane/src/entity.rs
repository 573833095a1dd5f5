//! Names of things inside a function: dense numbers, so that side tables are plain vectors.

use crate::attribute::Attribute;
use crate::cursor::{Cursor, ParseCause};
use std::fmt;

/// Declares an index type with its prefix in the text form.
macro_rules! entity {
    ($(#[$meta:meta])* $ty:ident($raw:ty) $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $ty(pub $raw);

        impl $ty {
            /// What names of this kind begin with in text.
            pub const PREFIX: &'static str = $prefix;

            /// The number as an index into a vector.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The name with this number.
            ///
            /// # Panics
            /// When the number does not fit; a function holds fewer things than that.
            pub fn new(index: usize) -> Self {
                Self(<$raw>::try_from(index).expect("a function holds fewer things of one kind"))
            }
        }

        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Declares an index type that instructions carry as an attribute.
macro_rules! declared {
    ($(#[$meta:meta])* $ty:ident $prefix:literal, $what:literal) => {
        entity! { $(#[$meta])* $ty(u16) $prefix }

        impl Attribute for $ty {
            fn operand(self) -> String {
                self.to_string()
            }
            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseCause> {
                let number = cursor.operand()?.strip_prefix($prefix).and_then(|number| number.parse().ok());
                number.map(Self).ok_or(ParseCause::Expected($what))
            }
        }
    };
}

entity! {
    /// A value: the result of an instruction or a parameter of a block.
    Value(u32) "%"
}
entity! {
    /// A block.
    Block(u32) "b"
}
entity! {
    /// An instruction.
    Inst(u32) "inst"
}
declared! {
    /// A surface that the function loads from or stores to.
    Surface "s", "a surface, as in `s0`"
}
declared! {
    /// A table of constants.
    Table "t", "a table, as in `t0`"
}
declared! {
    /// An array of the group: registers that are reached by index.
    Array "a", "an array, as in `a0`"
}
declared! {
    /// A range of memory that lanes address by byte.
    Buffer "m", "a buffer, as in `m0`"
}

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// 32 untyped bits for each lane; operations say how they read them.
    Lane,
    /// One bit for each lane.
    Mask,
    /// One 32-bit signed integer for the group.
    Uniform,
}

impl Type {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Lane, Self::Mask, Self::Uniform];

    /// The spelling in text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lane => "lane",
            Self::Mask => "mask",
            Self::Uniform => "uniform",
        }
    }

    /// The type with this spelling.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
