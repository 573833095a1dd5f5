//! Tables of named numbers with properties about each: a sparse counterpart of [`ctm_bits::codes!`].

/// Declares an enumeration whose members have a number, a spelling, and properties.
///
/// Each row is `number Variant "SPELLING" properties;`, in ascending order of numbers. The type gets `ALL`, `code`, `name`,
/// `properties`, `from_code` and `parse`.
macro_rules! opcodes {
    ($(#[$meta:meta])* $vis:vis enum $ty:ident: $code_ty:ty => $properties_ty:ty {
        $($(#[$row_meta:meta])* $code:literal $variant:ident $name:literal $properties:expr;)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        $vis enum $ty {
            $(#[doc = concat!("`", $name, "`")] $(#[$row_meta])* $variant),+
        }

        impl $ty {
            /// Every member, by ascending number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            const CODES: &'static [$code_ty] = &{
                let codes = [$($code),+];
                let mut i = 1;
                while i < codes.len() {
                    assert!(codes[i - 1] < codes[i], "numbers must ascend");
                    i += 1;
                }
                codes
            };
            const PROPERTIES: &'static [$properties_ty] = &[$($properties),+];
            const NAMES: &'static [&'static str] = &[$($name),+];

            /// The number in the instruction word.
            pub const fn code(self) -> $code_ty {
                Self::CODES[self as usize]
            }

            /// The spelling in assembly text.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// What is to be known of it.
            pub const fn properties(self) -> &'static $properties_ty {
                &Self::PROPERTIES[self as usize]
            }

            /// The member with this number, if there is one.
            pub fn from_code(code: $code_ty) -> Option<Self> {
                Self::CODES.binary_search(&code).ok().map(|place| Self::ALL[place])
            }

            /// The member with this spelling; case is not significant.
            pub fn parse(name: &str) -> Option<Self> {
                Self::NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)).map(|place| Self::ALL[place])
            }
        }
    };
}
pub(crate) use opcodes;
