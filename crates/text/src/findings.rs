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
/// `explain/NUMBER.md` beside the file that declares it. Tests of the numbers and pages come with it.
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

        #[cfg(test)]
        mod codes_of_findings {
            use super::FindingCode;
            use $crate::findings::Severity;

            /// The last three digits of a number count; the first of them is that of the severity.
            #[test]
            fn numbers_tell_the_severity_and_ascend() {
                for code in FindingCode::ALL {
                    let number = code.as_str();
                    let expected = match &number[number.len() - 3..number.len() - 2] {
                        "0" => Severity::Error,
                        "1" => Severity::Warning,
                        _ => Severity::Note,
                    };
                    assert_eq!(code.severity(), expected, "{number}");
                }
                assert!(FindingCode::ALL.is_sorted_by(|a, b| a.as_str() < b.as_str()), "a number is used twice");
            }

            #[test]
            fn pages_have_every_part() {
                for code in FindingCode::ALL {
                    let (number, page) = (code.as_str(), code.explain());
                    assert!(page.starts_with(&format!("# {number}: {}\n", code.title())), "{number}");
                    for part in ["\n## Why\n", "\n## Remedy\n", "\n## Source\n"] {
                        assert!(page.contains(part), "{number} has no part {}", part.trim());
                    }
                }
            }
        }
    };
}
