//! Operations that other languages have, and what takes their place.

use crate::diagnostic::nearest;

/// An operation that a language does not have under these names.
#[derive(Clone, Copy, Debug)]
pub struct Substitute {
    /// What other languages call it, in capitals.
    pub names: &'static [&'static str],
    /// What to write, with code between backticks.
    pub help: &'static str,
}

impl Substitute {
    /// The substitute for a name of another language, in capitals or not.
    pub fn of<'s>(name: &str, substitutes: &'s [Substitute]) -> Option<&'s Substitute> {
        substitutes.iter().find(|substitute| substitute.names.iter().any(|other| other.eq_ignore_ascii_case(name)))
    }
}

/// What to do about a word that is not an operation: its substitute, else the name of an operation that is like it. Empty if there
/// is neither.
pub fn instead<'n>(word: &str, substitutes: &[Substitute], names: impl IntoIterator<Item = &'n str>) -> String {
    match Substitute::of(word, substitutes) {
        Some(substitute) => substitute.help.to_owned(),
        None => nearest(word, names).map(|near| format!("did you mean `{near}`?")).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_come_before_names_that_are_alike() {
        let table = [Substitute { names: &["MUL", "MULT"], help: "use `MAD`" }];
        let help = |word| instead(word, &table, ["MUX", "MAD"]);
        assert_eq!(help("mul"), "use `MAD`");
        assert_eq!(help("MAAD"), "did you mean `MAD`?");
        assert_eq!(help("SUBTRACT"), "");
    }
}
