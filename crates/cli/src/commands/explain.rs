//! `ctm explain`.

use crate::args::ExplainArgs;
use crate::isa::{Code, Isa};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_text::topic::{NamedValue, Topic};
use ctm_text::{Substitute, nearest};
use serde_json::{Value, json};

/// The instruction sets that the command line means.
fn isas(wanted: Option<Isa>) -> impl Iterator<Item = Isa> {
    Isa::all().filter(move |isa| wanted.is_none_or(|wanted| wanted == *isa))
}

/// The codes of all instruction sets, or of one.
fn codes(wanted: Option<Isa>) -> Vec<Code> {
    isas(wanted).flat_map(|isa| isa.codes()).collect()
}

/// Explains a code or a name, or lists all codes.
pub fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let Some(wanted) = &args.name else { return list(args, console) };
    if let Some(code) = codes(args.isa).iter().find(|code| code.id.eq_ignore_ascii_case(wanted)) {
        if args.json {
            return Ok(console.json(&json!({ "code": code_json(code) }))?);
        }
        return Ok(writeln!(console.out, "{}", code.page.trim_end())?);
    }
    let topics: Vec<(Isa, Topic)> =
        isas(args.isa).flat_map(|isa| isa.topics().into_iter().map(move |topic| (isa, topic))).collect();
    let named = |name: &str| topics.iter().filter(|(_, topic)| topic.is_named(name)).collect::<Vec<_>>();
    // What follows a point is a part of the name (`SR_TID.X`), or a suffix or a channel (`MUFU.RCP`, `R0.x`).
    let bare = wanted.split('.').next().unwrap_or_default();
    let found = Some(named(wanted)).filter(|found| !found.is_empty()).unwrap_or_else(|| named(bare));
    if found.is_empty() {
        return Err(unknown(wanted, args.isa, &topics));
    }
    if args.json {
        let topics: Vec<Value> = found.iter().map(|(isa, topic)| topic_json(*isa, topic)).collect();
        return Ok(console.json(&json!({ "topics": topics }))?);
    }
    for (place, (isa, topic)) in found.into_iter().enumerate() {
        let gap = if place > 0 { "\n" } else { "" };
        writeln!(
            console.out,
            "{gap}# {}: {} of {}\n\n{}",
            topic.name,
            topic.kind,
            isa.name(),
            topic.text().trim_end()
        )?;
    }
    Ok(())
}

fn list(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let codes = codes(args.isa);
    if args.json {
        return Ok(console.json(&json!({ "codes": codes.iter().map(code_json).collect::<Vec<_>>() }))?);
    }
    for Code { id, severity, title, .. } in codes {
        writeln!(console.out, "{id:<7}  {:<7}  {title}", severity.name())?;
    }
    Ok(())
}

fn unknown(wanted: &str, isa: Option<Isa>, topics: &[(Isa, Topic)]) -> Failure {
    let place = isa.map(|isa| format!(" of {}", isa.name())).unwrap_or_default();
    let mut message = Message::error(format!("'{wanted}' is no code, and no name{place}"));
    let substitutes = isas(isa).filter_map(|isa| Some((isa, Substitute::of(wanted, isa.substitutes())?)));
    for (isa, substitute) in substitutes {
        message = message.help(format!("{}: {}", isa.name(), substitute.help));
    }
    let near = nearest(wanted, topics.iter().map(|(_, topic)| topic.name.as_str()));
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Failure::Usage(message.help(format!("{near}'ctm explain' lists all codes; docs/reference has all names")))
}

fn code_json(Code { id, severity, title, page }: &Code) -> Value {
    json!({ "code": id, "severity": severity.name(), "title": title, "page": page })
}

fn topic_json(isa: Isa, topic: &Topic) -> Value {
    let Topic { name, kind, meaning, formula, operands, rules, encoding, values, source } = topic;
    let value =
        |NamedValue { value, name, meaning }: &NamedValue| json!({ "value": value, "name": name, "meaning": meaning });
    json!({
        "isa": isa.name(), "name": name, "kind": kind, "meaning": meaning, "formula": formula, "operands": operands,
        "rules": rules, "encoding": encoding, "values": values.iter().map(value).collect::<Vec<_>>(), "source": source,
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
                "Every operation, register and field of {}. `ctm explain NAME --isa {}` prints what stands here of one name.\n\
                 This page is made from the tables by a test of the command line.",
                isa.about(),
                isa.name()
            );
            let page = ctm_text::topic::page(&title, &about, &topics);
            pages.push((root().join(format!("docs/reference/{}.md", isa.name())), page));
        }
        assert_eq!(pages.len(), 4);
        are_up_to_date(pages);
    }

    #[test]
    fn every_topic_has_words() {
        for isa in Isa::all() {
            for topic in isa.topics() {
                let said = [&topic.name, &topic.meaning, &topic.source];
                assert!(said.iter().all(|text| !text.trim().is_empty()), "{}: {topic:?}", isa.name());
                let is_operation = topic.kind.contains("operation") || topic.kind.contains("instruction");
                assert!(!is_operation || !topic.encoding.is_empty(), "{}: {topic:?}", isa.name());
                assert!(topic.meaning.ends_with('.'), "{}: {topic:?}", isa.name());
            }
        }
    }
}
