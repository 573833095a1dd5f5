//! Relative links of the project's pages lead to files that exist, and to headings that these have; decisions that code cites are listed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project's folder")
}

/// All pages below a folder. Hidden folders and build outputs have none of ours; sources have templates, which mean the place that they are written to.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            if !name.starts_with('.') && !["target", "node_modules", "src"].contains(&name.as_str()) {
                pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The lines of a page outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// What links lead to: `[text](target)`, outside of code spans.
fn targets(line: &str) -> Vec<&str> {
    let spans = line.split('`').step_by(2);
    spans.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut found = Vec::new();
    pages(&project(), &mut found);
    assert!(found.len() > 30, "only {} pages", found.len());
    let texts: HashMap<&PathBuf, String> =
        found.iter().map(|page| (page, std::fs::read_to_string(page).expect("a page"))).collect();
    let mut broken = Vec::new();
    for (page, text) in &texts {
        for target in prose(text).flat_map(targets).filter(|target| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.to_path_buf() } else { page.parent().expect("a folder").join(file) };
            let known = path.canonicalize().ok();
            let leads = match &known {
                None => false,
                Some(_) if heading.is_empty() => true,
                Some(path) => texts.get(path).is_some_and(|text| anchors(text).iter().any(|known| known == heading)),
            };
            if !leads {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(anchor("R700: shaders of the next generation"), "r700-shaders-of-the-next-generation");
    assert_eq!(anchor("What `--sandbox` does (Linux)"), "what---sandbox-does-linux");
    assert_eq!(targets("[a](b.md#c) and `[x](y)` and [d](e)"), ["b.md#c", "e"]);
}

/// The numbers of a list of decisions: `C32, C33, C34`, `S50 to S56`.
fn decisions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut range = false;
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let number = word.get(1..).and_then(|digits| digits.parse::<u32>().ok());
        match (number, word.starts_with(['C', 'D', 'R', 'S'])) {
            (Some(last), true) if range => {
                let first: u32 = found.last().map_or(last, |first| first[1..].parse().expect("a number"));
                found.extend((first + 1..=last).map(|number| format!("{}{number}", &word[..1])));
                range = false;
            }
            (Some(_), true) => found.push(word.to_owned()),
            _ if word == "to" && !found.is_empty() => range = true,
            _ if word == "and" && !found.is_empty() => {}
            _ => break,
        }
    }
    found
}

/// All sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => sources(&path, found),
            false if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn decisions_that_code_cites_are_listed() {
    let page = std::fs::read_to_string(project().join("docs/decisions.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let listed: Vec<String> = rows.flat_map(|(first, _)| decisions(first)).collect();
    assert!(listed.len() > 150 && listed.contains(&"C65".to_owned()), "{listed:?}");
    let mut twice = listed.clone();
    twice.sort();
    twice.dedup();
    assert_eq!(twice.len(), listed.len(), "a number stands for one decision");
    let mut found = Vec::new();
    sources(&project().join("crates"), &mut found);
    let (mut cited, mut missing) = (0, Vec::new());
    for path in &found {
        let text = std::fs::read_to_string(path).expect("a source");
        // A citation may go on in the next line of a comment.
        let text: Vec<&str> = text.lines().map(|line| line.trim().trim_start_matches('/').trim()).collect();
        let text = text.join(" ");
        for (at, _) in text.to_ascii_lowercase().match_indices("decision") {
            let rest = text[at + "decision".len()..].trim_start_matches('s').trim_start();
            let numbers = rest.split(|c: char| !c.is_alphanumeric() && c != ' ' && c != ',').next().unwrap_or_default();
            for number in decisions(numbers) {
                cited += 1;
                if !listed.contains(&number) {
                    missing.push(format!("{}: {number}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(cited > 40, "only {cited} citations");
}
