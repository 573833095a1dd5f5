//! Words about problems: their codes, what was likely meant, and how lists and long texts are shown.

use ctm_text::findings::Severity;
use ctm_text::topic::{NamedValue, Topic, page};
use ctm_text::{Cause, excerpt, list, nearest, spell_float};
use std::collections::BTreeSet;

const CAUSES: [Cause; 18] = [
    Cause::Character,
    Cause::Include,
    Cause::Syntax,
    Cause::UnknownWord,
    Cause::Range,
    Cause::Duplicate,
    Cause::Misplaced,
    Cause::Operand,
    Cause::Unit,
    Cause::ReadPorts,
    Cause::Address,
    Cause::Raw,
    Cause::InlineConstant,
    Cause::NoConstantLeft,
    Cause::Condition,
    Cause::Label,
    Cause::Nesting,
    Cause::TooLong,
];

/// A code is the name of its cause, so that nobody has to learn two.
#[test]
fn codes_are_the_names_of_causes() {
    for cause in CAUSES {
        let letters = cause.as_str().replace('-', "");
        assert_eq!(letters, format!("{cause:?}").to_lowercase());
    }
    let codes: BTreeSet<_> = CAUSES.map(Cause::as_str).into();
    assert_eq!(codes.len(), CAUSES.len());
    let severities = [Severity::Error, Severity::Warning, Severity::Note];
    assert_eq!(severities.map(Severity::name), ["error", "warning", "note"]);
}

#[test]
fn one_edit_for_short_words_and_two_for_long_ones() {
    let near = |word: &str, candidate: &'static str| nearest(word, [candidate]).is_some();
    // An insertion, a removal, a replacement, and a swap of neighbours at both ends.
    for word in ["MADD", "xMAD", "MA", "AD", "MUD", "AMD", "MDA", "mad"] {
        assert!(near(word, "MAD"), "{word}");
    }
    // More than one of them.
    for word in ["MADDD", "M", "MUX", "DAM", "ADM", "XA", "XADD", "AMX", ""] {
        assert!(!near(word, "MAD"), "{word}");
    }
    assert!(!near("a", "b") && !near("a", "A") && near("ab", "b"));
    assert!(!near("ABCDE", "ABXYE") && near("ABCDEF", "ABXYEF") && !near("ABCDEF", "XYZDEF"));
    assert!(near("ABCDEF", "BADCEF"), "two swaps");
    assert!(near("ABCDEF", "ABCD") && near("ABCDEF", "ABCDEFGH") && !near("ABCDEF", "ABC"));
    assert_eq!(nearest("ABCDEF", ["ABCDXY", "ABCDEX", "ABXYEF"]), Some("ABCDEX"));
    let long = "x".repeat(32);
    assert_eq!(nearest(&long, [&*long]), Some(&*long));
    assert_eq!(nearest(&"x".repeat(33), [&*long]), None);
}

/// So many candidates are looked at that any language's words are, and so few that a million labels take no time.
#[test]
fn a_thousand_candidates_are_looked_at() {
    let others = |count: usize| std::iter::repeat_n("zzz", count).chain(["MAD"]);
    assert_eq!(nearest("MADD", others(999)), Some("MAD"));
    assert_eq!(nearest("MADD", others(1000)), None);
}

#[test]
fn lists_and_excerpts() {
    assert_eq!(list(&[]), "");
    assert_eq!(list(&["a"]), "`a`");
    assert_eq!(list(&["a", "b"]), "`a` or `b`");
    assert_eq!(list(&["a", "b", "c"]), "`a`, `b` or `c`");
    assert_eq!(excerpt(&"ü".repeat(40)), "ü".repeat(40));
    assert_eq!(excerpt(&"ü".repeat(41)), "ü".repeat(40) + "...");
}

#[test]
fn spelled_floats_are_decimals_or_the_bits_of_nans() {
    let spelled = [0x3F00_0000, 0x8000_0000, 1, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0001].map(spell_float);
    assert_eq!(spelled, ["0.5", "-0.0", "1e-45", "-inf", "0x7fc00000", "0xffc00001"]);
}

#[test]
fn pages_of_topics() {
    let bare = Topic { name: "MAX".into(), kind: "operation", meaning: "The larger.".into(), ..Topic::default() };
    let bare = Topic { source: "the guide, page 7".into(), ..bare };
    assert_eq!(bare.text(), "The larger.\n\n- Source: the guide, page 7\n");
    let value = |value, name| NamedValue { value, name, meaning: "some" };
    let field = Topic {
        name: "SIZE".into(),
        kind: "field",
        formula: Some("a + b".into()),
        operands: Some("a, b".into()),
        rules: vec!["first".into(), "second".into()],
        encoding: vec!["bits 3:0".into()],
        values: vec![value(0, ""), value(1, "two")],
        ..bare.clone()
    };
    let text = "The larger.\n\n```text\na + b\n```\n\n- Operands: a, b\n- Rule: first\n- Rule: second\n\
                - Encoding: bits 3:0\n- Value: 0: some\n- Value: 1 `two`: some\n- Source: the guide, page 7\n";
    assert_eq!(field.text(), text);
    let topics = [bare.clone(), bare.clone(), field];
    let bare = format!("\n### `MAX`\n\n{}", bare.text());
    let expected = format!("# T\n\nabout\n\n## Operation\n{bare}{bare}\n## Field\n\n### `SIZE`\n\n{text}");
    assert_eq!(page("T", "about", &topics), expected);
}
