//! `ctm explain`.

use crate::args::ExplainArgs;
use crate::isa::{Code, Isa};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_text::topic::{self, NamedValue, Topic};
use ctm_text::{Substitute, nearest};
use serde_json::{Value, json};

/// Pages that a search lists, at most.
const MOST_MATCHES: usize = 50;

/// The instruction sets that the command line means.
fn isas(wanted: Option<Isa>) -> impl Iterator<Item = Isa> {
    Isa::all().filter(move |isa| wanted.is_none_or(|wanted| wanted == *isa))
}

/// The codes of all instruction sets, or of one.
fn codes(wanted: Option<Isa>) -> Vec<Code> {
    isas(wanted).flat_map(|isa| isa.codes()).collect()
}

/// The page of a name, with the instruction set that has it; concepts and errors of texts belong to all.
struct Page {
    isa: Option<Isa>,
    topic: Topic,
}

impl Page {
    /// What it is the page of: `operation of x1k`, `concept`.
    fn kind(&self) -> String {
        let of = self.isa.map(|isa| format!(" of {}", isa.name())).unwrap_or_default();
        format!("{}{of}", self.topic.kind)
    }
}

/// The pages that belong to all instruction sets.
fn common_pages() -> impl Iterator<Item = Page> {
    topic::concepts().into_iter().chain(topic::causes()).map(|topic| Page { isa: None, topic })
}

/// The pages of all names, or of those of one instruction set.
fn pages(wanted: Option<Isa>) -> Vec<Page> {
    let named = isas(wanted).flat_map(|isa| isa.topics().into_iter().map(move |topic| Page { isa: Some(isa), topic }));
    common_pages().chain(named).collect()
}

/// A page that a search found, in a line.
struct Match {
    name: String,
    kind: String,
    summary: String,
}

/// The pages that are about these words.
fn search(words: &str, pages: &[Page], codes: &[Code]) -> Vec<Match> {
    let of_code = |code: &Code| topic::mentions(&format!("{} {}", code.title, code.page), words);
    let codes = codes.iter().filter(|code| of_code(code)).map(|code| Match {
        name: code.id.to_owned(),
        kind: code.severity.name().to_owned(),
        summary: code.title.to_owned(),
    });
    let pages = pages.iter().filter(|page| page.topic.mentions(words)).map(|page| Match {
        name: page.topic.name.clone(),
        kind: page.kind(),
        summary: page.topic.summary().to_owned(),
    });
    pages.chain(codes).collect()
}

/// Explains a code, a name or a concept, lists the pages about some words, or lists all codes.
pub fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    if args.words.is_empty() {
        return list(args, console);
    }
    let wanted = args.words.join(" ");
    let codes = codes(args.isa);
    if let Some(code) = codes.iter().find(|code| code.id.eq_ignore_ascii_case(&wanted)) {
        if args.json {
            return Ok(console.json(&json!({ "code": code_json(code) }))?);
        }
        return Ok(writeln!(console.out, "{}", code.page.trim_end())?);
    }
    let pages = pages(args.isa);
    let found = topic::find(&pages, |page| &page.topic, &wanted);
    if found.is_empty() {
        return match substitutes(&wanted, args.isa) {
            substitutes if substitutes.is_empty() => matches(&wanted, args, (&pages, &codes), console),
            substitutes => Err(unknown(&wanted, args.isa, &pages, substitutes)),
        };
    }
    if args.json {
        let topics: Vec<Value> = found.iter().map(|page| topic_json(page)).collect();
        return Ok(console.json(&json!({ "topics": topics }))?);
    }
    for (place, page) in found.iter().enumerate() {
        let gap = if place > 0 { "\n" } else { "" };
        writeln!(console.out, "{gap}# {}: {}\n\n{}", page.topic.name, page.kind(), page.topic.text().trim_end())?;
    }
    // A concept is what the pages of several names have in common.
    if found.iter().any(|page| page.isa.is_none()) {
        let mut others = search(&wanted, &pages, &codes);
        others.retain(|other| found.iter().all(|page| page.topic.name != other.name || page.kind() != other.kind));
        if !others.is_empty() {
            writeln!(console.out, "\nPages that mention it:")?;
            print_matches(&others, console)?;
        }
    }
    Ok(())
}

/// Lists the pages about some words.
fn matches(
    wanted: &str,
    args: &ExplainArgs,
    (pages, codes): (&[Page], &[Code]),
    console: &mut Console,
) -> Result<(), Failure> {
    let found = search(wanted, pages, codes);
    if found.is_empty() {
        return Err(unknown(wanted, args.isa, pages, Vec::new()));
    }
    if args.json {
        let of = |Match { name, kind, summary }: &Match| json!({ "name": name, "kind": kind, "summary": summary });
        return Ok(console.json(&json!({ "matches": found.iter().map(of).collect::<Vec<_>>() }))?);
    }
    print_matches(&found, console)
}

fn print_matches(found: &[Match], console: &mut Console) -> Result<(), Failure> {
    let shown = &found[..found.len().min(MOST_MATCHES)];
    let width = shown.iter().map(|found| found.name.len()).max().unwrap_or_default();
    for Match { name, kind, summary } in shown {
        writeln!(console.out, "{name:<width$}  {kind}: {summary}")?;
    }
    if found.len() > shown.len() {
        writeln!(console.out, "{} more pages; add a word, or --isa", found.len() - shown.len())?;
    }
    Ok(())
}

fn list(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let codes = codes(args.isa);
    let is_all = args.isa.is_none();
    if args.json {
        let topics: Vec<Value> = common_pages().filter(|_| is_all).map(|page| topic_json(&page)).collect();
        let codes: Vec<Value> = codes.iter().map(code_json).collect();
        return Ok(console.json(&json!({ "codes": codes, "topics": topics }))?);
    }
    for Code { id, severity, title, .. } in codes {
        writeln!(console.out, "{id:<7}  {:<7}  {title}", severity.name())?;
    }
    let common = [("errors of texts", topic::causes()), ("concepts", topic::concepts())];
    for (title, topics) in common.into_iter().filter(|_| is_all) {
        writeln!(console.out, "\n{title}")?;
        for topic in topics {
            writeln!(console.out, "{:<18}  {}", topic.name, topic.summary())?;
        }
    }
    Ok(())
}

/// What takes the place of an operation that other instruction sets have.
fn substitutes(wanted: &str, isa: Option<Isa>) -> Vec<String> {
    let of = |isa: Isa| Some(format!("{}: {}", isa.name(), Substitute::of(wanted, isa.substitutes())?.help));
    isas(isa).filter_map(of).collect()
}

fn unknown(wanted: &str, isa: Option<Isa>, pages: &[Page], substitutes: Vec<String>) -> Failure {
    let place = isa.map(|isa| format!(" of {}", isa.name())).unwrap_or_default();
    let mut message = Message::error(format!("unknown code or name '{wanted}'{place}"));
    for substitute in substitutes {
        message = message.help(substitute);
    }
    let near = nearest(wanted, pages.iter().map(|page| page.topic.name.as_str()));
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Failure::Usage(message.help(format!("{near}'ctm explain' lists all codes; docs/reference has all names")))
}

fn code_json(Code { id, severity, title, page }: &Code) -> Value {
    json!({ "code": id, "severity": severity.name(), "title": title, "page": page })
}

fn topic_json(Page { isa, topic }: &Page) -> Value {
    let Topic { name, kind, meaning, formula, operands, rules, encoding, values, source } = topic;
    let value =
        |NamedValue { value, name, meaning }: &NamedValue| json!({ "value": value, "name": name, "meaning": meaning });
    json!({
        "isa": isa.map(|isa| isa.name()), "name": name, "kind": kind, "meaning": meaning, "formula": formula,
        "operands": operands, "rules": rules, "encoding": encoding,
        "values": values.iter().map(value).collect::<Vec<_>>(), "source": source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    /// The page that lists all codes, by instruction set.
    fn page() -> String {
        let mut page = String::from("# Findings of `ctm check`\n\n`ctm explain CODE` prints the page of a code.\n");
        let mut before = "";
        for Code { id, severity, title, .. } in codes(None) {
            // The last three digits count the findings of an instruction set.
            let isa = &id[..id.len() - 3];
            if isa != before {
                page += &format!("\n## {isa}\n\n| code | kind | about |\n|---|---|---|\n");
            }
            before = isa;
            let folder = isa.to_lowercase();
            let kind = severity.name();
            page += &format!("| [{id}](../crates/{folder}/src/check/explain/{id}.md) | {kind} | {title} |\n");
        }
        page
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// Fails unless the pages are what the tables say.
    fn are_up_to_date(pages: Vec<(PathBuf, String)>) {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let stale: Vec<_> = pages.into_iter().filter(|(path, page)| read(path) != *page).collect();
        for (path, page) in &stale {
            std::fs::write(path, page).expect("a page that can be written");
        }
        let names: Vec<&Path> = stale.iter().map(|(path, _)| path.as_path()).collect();
        assert!(
            names.is_empty(),
            "{names:?} were not what the tables say; they have been rewritten: look at them, and run again"
        );
    }

    #[test]
    fn the_list_in_the_documentation_is_complete() {
        let (path, page) = (root().join("docs/lints.md"), page());
        for link in page.split("](../").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(root().join(link).exists(), "{link}");
        }
        are_up_to_date(vec![(path, page)]);
    }

    #[test]
    fn reference_pages_are_up_to_date() {
        let mut pages = Vec::new();
        for isa in Isa::all() {
            let topics = isa.topics();
            if topics.is_empty() {
                continue;
            }
            let title = format!("{} reference", isa.name().to_uppercase());
            let about = format!(
                "Every operation, register, field, directive and modifier of {}. `ctm explain NAME --isa {}` prints what stands here of one name.\n\
                 This page is made from the tables by a test of the command line.",
                isa.about(),
                isa.name()
            );
            let page = ctm_text::topic::page(&title, &about, &topics);
            pages.push((root().join(format!("docs/reference/{}.md", isa.name())), page));
        }
        let about = "What several machines have in common, and what errors of assembly texts mean. `ctm explain NAME` prints what stands here of one \
                     name, and the pages that mention it.\nThis page is made from the tables by a test of the command line.";
        let common: Vec<Topic> = common_pages().map(|page| page.topic).collect();
        pages.push((root().join("docs/reference/concepts.md"), topic::page("Concepts", about, &common)));
        assert_eq!(pages.len(), 6);
        are_up_to_date(pages);
    }

    #[test]
    fn every_topic_has_words() {
        for page in pages(None) {
            let (topic, kind) = (&page.topic, page.kind());
            let said = [&topic.name, &topic.meaning, &topic.source];
            assert!(said.iter().all(|text| !text.trim().is_empty()), "{kind}: {topic:?}");
            let is_operation = topic.kind.contains("operation") || topic.kind.contains("instruction");
            assert!(!is_operation || !topic.encoding.is_empty(), "{kind}: {topic:?}");
            assert!(topic.meaning.ends_with('.'), "{kind}: {topic:?}");
        }
    }

    #[test]
    fn names_stand_for_one_concept_each() {
        let common: Vec<Page> = common_pages().collect();
        for page in &common {
            // An error may have the name of what it is about.
            let of_kind = common.iter().filter(|other| other.topic.kind == page.topic.kind);
            assert_eq!(
                of_kind.filter(|other| other.topic.is_named(&page.topic.name)).count(),
                1,
                "{}",
                page.topic.name
            );
        }
    }
}
