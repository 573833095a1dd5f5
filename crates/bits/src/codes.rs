//! Code enumerations: the named values of a field.

/// Declares an enumeration of *all* codes of a field, each with its spelling in the assembly language.
///
/// The number after the name is the field's width in bits; exactly `2^width` codes must be given, or the declaration
/// does not compile. Codes that the guide reserves are listed too, so that decoding is total. Each row has words above it that say
/// what the code means, for people who ask.
///
/// ```
/// ctm_bits::codes! {
///     /// A comparison with zero.
///     pub enum Test: 1 {
///         /// Equal.
///         0 Eq "eq",
///         /// Not equal.
///         1 Ne "ne",
///     }
/// }
/// use ctm_bits::FieldValue;
/// assert_eq!(Test::from_raw(1), Test::Ne);
/// assert_eq!(Test::Ne.name(), "ne");
/// assert_eq!(Test::parse("eq"), Some(Test::Eq));
/// assert_eq!(Test::Eq.about(), "Equal.");
/// ```
#[macro_export]
macro_rules! codes {
    ($(#[$meta:meta])* $vis:vis enum $ty:ident : $width:literal {
        $($(#[doc = $about:literal])+ $code:literal $variant:ident $name:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        $vis enum $ty {
            #[default]
            $($(#[doc = $about])+ $variant = $code),+
        }

        const _: () = {
            let mut next = 0;
            $(assert!($code == next, "codes must be listed in order"); next += 1;)+
            assert!(next == 1 << $width, "every code of the field must be listed");
        };

        impl $ty {
            /// Every code, in order.
            pub const ALL: [Self; 1 << $width] = [$(Self::$variant),+];

            /// The spelling of the code in assembly text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What the code means: the words that stand above its row.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($about),+).trim_ascii()),+ }
            }

            /// The code with this spelling; case is not significant.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|code| code.name().eq_ignore_ascii_case(name))
            }
        }

        impl $crate::FieldValue for $ty {
            #[inline]
            fn from_raw(raw: u32) -> Self {
                Self::ALL[raw as usize]
            }
            #[inline]
            fn to_raw(self) -> u32 {
                self as u32
            }
            fn spell_raw(raw: u32) -> Option<&'static str> {
                Self::ALL.get(raw as usize).map(|code| code.name())
            }
            fn about_raw(raw: u32) -> Option<&'static str> {
                Self::ALL.get(raw as usize).map(|code| code.about())
            }
        }
    };
}
