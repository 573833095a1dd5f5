//! Codes of what checks of programs find: numbers that never change their meaning, with a page of text each.

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program is refused, or cannot run as it stands.
    Error,
    /// The program is likely wrong, or wrong on hardware.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// The word for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Declares the enumeration `FindingCode` of an instruction set's findings.
///
/// Each row is `Variant "NUMBER" Severity "title";`, in ascending order of numbers. The page about a code is
/// `explain/NUMBER.md` beside the file that declares it.
#[macro_export]
macro_rules! finding_codes {
    ($($variant:ident $id:literal $severity:ident $title:literal;)+) => {
        /// What a finding is about. The numbers never change their meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingCode {
            $(#[doc = concat!($id, ": ", $title, ".")] $variant),+
        }

        impl FindingCode {
            /// Every code, in the order of numbers.
            pub const ALL: &'static [FindingCode] = &[$(FindingCode::$variant),+];

            /// The number for people and scripts.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $id),+ }
            }

            /// What it is about, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// How bad it is.
            pub const fn severity(self) -> $crate::findings::Severity {
                match self { $(Self::$variant => $crate::findings::Severity::$severity),+ }
            }

            /// A page about it: what it means, why the machine cares, the remedy, the source. Markdown.
            pub const fn explain(self) -> &'static str {
                match self { $(Self::$variant => include_str!(concat!("explain/", $id, ".md"))),+ }
            }
        }
    };
}
