//! What a reference says of the names of an assembly language.

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
    /// Whether somebody who asks for `word` means this. Case matters not, nor do brackets with what is in them; a small `n` at the
    /// end of the name stands for a number, too.
    pub fn is_named(&self, word: &str) -> bool {
        let bare = |name: &str| name.split(['[', '(']).next().unwrap_or_default().to_ascii_lowercase();
        let (name, word) = (bare(&self.name), bare(word));
        let numbered = self.name.strip_suffix('n').and_then(|letters| word.strip_prefix(&letters.to_ascii_lowercase()));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        name == word || numbered.is_some_and(is_number)
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
    }
}
