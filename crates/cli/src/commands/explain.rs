//! `ctm explain`.

use crate::args::ExplainArgs;
use crate::isa::{Code, Isa};
use crate::report::Message;
use crate::{Console, Failure};

/// The codes of all instruction sets.
fn codes() -> Vec<Code> {
    Isa::all().flat_map(|isa| isa.codes()).collect()
}

/// Explains a code, or lists all of them.
pub fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let codes = codes();
    let Some(wanted) = &args.code else {
        for Code { id, severity, title, .. } in codes {
            writeln!(console.out, "{id:<7}  {:<7}  {title}", severity.name())?;
        }
        return Ok(());
    };
    match codes.iter().find(|code| code.id.eq_ignore_ascii_case(wanted)) {
        Some(code) => Ok(writeln!(console.out, "{}", code.page.trim_end())?),
        None => Err(Failure::Usage(
            Message::error(format!("there is no code '{wanted}'")).help("'ctm explain' lists all codes"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The page that lists all codes, by instruction set.
    fn page() -> String {
        let mut page = String::from("# Findings of `ctm check`\n\n`ctm explain CODE` prints the page of a code.\n");
        let mut before = "";
        for Code { id, severity, title, .. } in codes() {
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

    #[test]
    fn the_list_in_the_documentation_is_complete() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (path, page) = (root.join("docs/lints.md"), page());
        for link in page.split("](../").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(root.join(link).exists(), "{link}");
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != page {
            std::fs::write(&path, page).expect("a page that can be written");
            panic!(
                "docs/lints.md was not what the tables of codes say; it has been rewritten: look at it, and run again"
            );
        }
    }
}
