//! What a reference says of the names of an assembly language, of errors of its texts, and of concepts that machines share.

mod causes;
mod concepts;

pub use causes::causes;
pub use concepts::concepts;

use std::fmt::Write;

/// A name of an assembly language, and what is to be known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// The name, as texts spell it.
    pub name: String,
    /// What has this name: an operation of some unit, a register, a field.
    pub kind: &'static str,
    /// What it means.
    pub meaning: String,
    /// Its result as a formula.
    pub formula: Option<String>,
    /// The operands in the order of the text.
    pub operands: Option<String>,
    /// Rounding, special values, and whatever else has to be known.
    pub rules: Vec<String>,
    /// Where it is in instruction words.
    pub encoding: Vec<String>,
    /// The values of a field that have names.
    pub values: Vec<NamedValue>,
    /// Where this comes from.
    pub source: String,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The number in the instruction word.
    pub value: u32,
    /// Its spelling; empty if texts say it by saying nothing.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Topic {
    /// Whether somebody who asks for `word` means this. Case is not significant, nor are brackets with what is in them, the dot of a
    /// directive that the word leaves out, or hyphens for spaces; a small `n` at the end of the name stands for a number, too.
    pub fn is_named(&self, word: &str) -> bool {
        let bare =
            |name: &str| name.split(['[', '(']).next().unwrap_or_default().to_ascii_lowercase().replace('-', " ");
        let (name, word) = (bare(&self.name), bare(word));
        let numbered = self.name.strip_suffix('n').and_then(|letters| word.strip_prefix(&letters.to_ascii_lowercase()));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        name == word || name.strip_prefix('.') == Some(&word) || numbered.is_some_and(is_number)
    }

    /// Whether a value of this field is spelled so, with or without a dot in front.
    pub fn has_value(&self, word: &str) -> bool {
        self.values.iter().any(|value| {
            let name = value.name.strip_prefix('.').unwrap_or(value.name);
            !name.is_empty() && name.eq_ignore_ascii_case(word)
        })
    }

    /// The first sentence of its meaning.
    pub fn summary(&self) -> &str {
        let end = self.meaning.find(". ").map_or(self.meaning.len(), |at| at + 1);
        &self.meaning[..end]
    }

    /// Whether it is about these words: each of them begins a word of its name or text. Case is not significant.
    pub fn mentions(&self, words: &str) -> bool {
        mentions(&format!("{} {} {}", self.name, self.kind, self.text()), words)
    }

    /// Everything, as Markdown without a heading.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.meaning);
        if let Some(formula) = &self.formula {
            text += "\n```text\n";
            text += formula;
            text += "\n```\n";
        }
        let mut items = String::new();
        let mut item = |name: &str, what: &str| {
            writeln!(items, "- {name}: {what}").expect("a string takes it");
        };
        if let Some(operands) = &self.operands {
            item("Operands", operands);
        }
        self.rules.iter().for_each(|rule| item("Rule", rule));
        self.encoding.iter().for_each(|place| item("Encoding", place));
        for NamedValue { value, name, meaning } in &self.values {
            let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
            item("Value", &format!("{value}{name}: {meaning}"));
        }
        item("Source", &self.source);
        text + "\n" + &items
    }
}

/// Whether each of these words begins a word of a text. Case is not significant.
pub fn mentions(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let begins = |at: usize| !text[..at].ends_with(|before: char| before.is_alphanumeric());
    words.to_lowercase().split_whitespace().all(|word| text.match_indices(word).any(|(at, _)| begins(at)))
}

/// What somebody means who asks for `word`: the topics of that name; else of what stands before a dot, which begins a suffix or a channel
/// (`MUFU.RCP`, `R0.x`); else the fields with a value of that name (`FTZ`, `VEC_012`).
pub fn find<'t, T>(items: &'t [T], topic: impl Fn(&T) -> &Topic, word: &str) -> Vec<&'t T> {
    let bare = word.strip_prefix('.').unwrap_or(word);
    let named = |word: &str| items.iter().filter(|item| topic(item).is_named(word)).collect::<Vec<_>>();
    let valued = || items.iter().filter(|item| topic(item).has_value(bare)).collect::<Vec<_>>();
    let before = || bare.split_once('.').map_or_else(Vec::new, |(name, _)| named(name));
    let first = |found: Vec<&'t T>, next: &dyn Fn() -> Vec<&'t T>| if found.is_empty() { next() } else { found };
    first(first(first(named(word), &|| named(bare)), &before), &valued)
}

/// A page about all topics, which stand in the order of their kinds.
pub fn page(title: &str, about: &str, topics: &[Topic]) -> String {
    let mut page = format!("# {title}\n\n{about}\n");
    let mut before = "";
    for topic in topics {
        if topic.kind != before {
            let mut kind = topic.kind.chars();
            let first = kind.next().map(|letter| letter.to_ascii_uppercase());
            write!(page, "\n## {}{}\n", first.map(String::from).unwrap_or_default(), kind.as_str())
                .expect("a string takes it");
        }
        before = topic.kind;
        write!(page, "\n### `{}`\n\n{}", topic.name, topic.text()).expect("a string takes it");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_and_without_brackets() {
        let topic = |name: &str| Topic { name: name.into(), ..Topic::default() };
        assert!(topic("temp[n]").is_named("TEMP") && topic("temp[n]").is_named("temp[3]"));
        assert!(topic("SR_TID.X").is_named("sr_tid.x") && !topic("SR_TID.X").is_named("SR_TID"));
        assert!(topic("Rn").is_named("r12") && topic("Rn").is_named("Rn") && !topic("Rn").is_named("RZ"));
        assert!(!topic("Rn").is_named("R") && !topic("MIN").is_named("MI5"));
        assert!(topic(".const").is_named("const") && topic(".const").is_named(".CONST"));
        assert!(!topic("const[n]").is_named(".const") && topic("branch stack").is_named("branch-stack"));
    }

    #[test]
    fn names_win_over_what_stands_before_a_dot_and_both_over_values() {
        let value = |name| NamedValue { value: 1, name, meaning: "" };
        let topics = [
            Topic { name: "MUFU".into(), ..Topic::default() },
            Topic { name: "ROUNDING".into(), values: vec![value(".RN"), value("")], ..Topic::default() },
            Topic { name: ".RZ".into(), ..Topic::default() },
            Topic { name: "TRUNCATION".into(), values: vec![value(".RZ")], ..Topic::default() },
        ];
        let found =
            |word: &str| find(&topics, |topic| topic, word).into_iter().map(|topic| &*topic.name).collect::<Vec<_>>();
        assert_eq!((found("mufu"), found("MUFU.RCP")), (vec!["MUFU"], vec!["MUFU"]));
        assert_eq!((found("RN"), found(".rn")), (vec!["ROUNDING"], vec!["ROUNDING"]));
        assert_eq!((found(".RZ"), found("rz")), (vec![".RZ"], vec![".RZ"]));
        assert!(found("R").is_empty() && found("").is_empty());
    }

    #[test]
    fn words_are_found_at_the_beginning_of_words() {
        assert!(mentions("Swizzles of an operand", "swizzle") && mentions("a branch's stack", "STACK branch"));
        assert!(!mentions("unswizzled", "swizzle") && !mentions("a branch", "branch stack"));
    }
}
