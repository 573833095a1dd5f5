//! Pages of a reference: what they begin with, what finds them, and that every cause and concept has one.

use ctm_text::Cause;
use ctm_text::topic::{Topic, causes, concepts};
use std::collections::BTreeSet;

#[test]
fn summaries_are_first_sentences() {
    let summary = |meaning: &str| Topic { meaning: meaning.into(), ..Topic::default() }.summary().to_owned();
    assert_eq!(summary("Adds. Rounds once. Flushes."), "Adds.");
    assert_eq!(summary("0.5 as 1.5e-1"), "0.5 as 1.5e-1");
}

#[test]
fn pages_are_found_by_the_words_in_them() {
    let topic = Topic {
        name: "MAD".into(),
        kind: "operation",
        meaning: "Multiplies and adds.".into(),
        rules: vec!["Denormals are zeros.".into()],
        ..Topic::default()
    };
    for words in ["mad", "operation", "adds multiplies", "denormal", "Zeros"] {
        assert!(topic.mentions(words), "{words}");
    }
    assert!(!topic.mentions("adds infinities") && !topic.mentions("normal"));
}

/// An error that people see has a page, which says what to do.
#[test]
fn every_cause_has_a_page() {
    let pages = causes();
    assert_eq!(pages.iter().map(|page| &*page.name).collect::<Vec<_>>(), Cause::ALL.map(Cause::as_str));
    for page in &pages {
        assert_eq!((page.kind, page.source.is_empty()), ("error of a text", false), "{}", page.name);
        let (meaning, remedy) = page.meaning.split_once(" Remedy: ").expect("both");
        assert!(
            meaning.ends_with('.') && remedy.ends_with('.') && remedy.len() > 10,
            "{}: {}",
            page.name,
            page.meaning
        );
    }
    let meanings: BTreeSet<_> = pages.iter().map(|page| &page.meaning).collect();
    assert_eq!(meanings.len(), pages.len());
}

#[test]
fn every_concept_has_its_own_page() {
    let pages = concepts();
    for page in &pages {
        assert_eq!(page.kind, "concept", "{}", page.name);
        assert!(page.meaning.ends_with('.') && !page.source.is_empty(), "{}", page.name);
    }
    assert!(pages.iter().any(|page| !page.rules.is_empty()));
    let names: BTreeSet<_> = pages.iter().map(|page| &page.name).collect();
    assert!(names.len() == pages.len() && pages.len() > 20);
}
