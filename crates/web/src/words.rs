//! What an editor offers while somebody types, and what it says of a name.

use crate::language::Language;
use ctm_text::topic::{Topic, find};
use serde::Serialize;

/// A name that can be typed.
#[derive(Clone, Debug, Serialize)]
pub struct Word {
    /// The name, as texts spell it.
    pub name: String,
    /// What has this name.
    pub kind: &'static str,
    /// What it means, in a sentence.
    pub meaning: String,
}

/// The names of a language, in the order of its reference. Languages that are compiled have none.
pub fn words(language: Language) -> Vec<Word> {
    if language.described().compiled {
        return Vec::new();
    }
    let word = |topic: Topic| Word { meaning: topic.summary().to_owned(), name: topic.name, kind: topic.kind };
    language.topics().into_iter().map(word).collect()
}

/// What the reference says of a name or of the code of a finding, as Markdown.
pub fn explain(language: Language, word: &str) -> Option<String> {
    if let Some(page) = language.finding(word) {
        return Some(page.to_owned());
    }
    if language.described().compiled {
        return None;
    }
    let topics = language.topics();
    let found = find(&topics, |topic| topic, word);
    let page = |topic: &&Topic| format!("### {}: {}\n\n{}", topic.name, topic.kind, topic.text());
    (!found.is_empty()).then(|| found.iter().map(page).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_pages() {
        for language in [Language::X1k, Language::R700, Language::Sm50] {
            let words = words(language);
            assert!(words.len() > 50, "{language:?}: {}", words.len());
            for word in &words {
                assert!(explain(language, &word.name).is_some(), "{}", word.name);
                assert!(!word.meaning.is_empty() && !word.meaning.contains(". "), "{}", word.meaning);
            }
        }
        assert!(explain(Language::X1k, "MAD").unwrap().contains("MAD"));
        assert!(explain(Language::Sm50, "MUFU.RCP").is_some());
        assert!(explain(Language::Glsl, "MAD").is_none() && explain(Language::X1k, "nothing").is_none());
    }

    #[test]
    fn findings_have_pages() {
        assert!(explain(Language::X1k, ctm_x1k::check::FindingCode::ALL[0].as_str()).is_some());
        assert!(explain(Language::Glsl, ctm_x1k::check::FindingCode::ALL[0].as_str()).is_some());
    }
}
