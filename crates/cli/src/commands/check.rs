//! `ctm check`.

use crate::args::CheckArgs;
use crate::isa::{Finding, load_all};
use crate::report::Message;
use crate::wording::{number_of, title};
use crate::{Console, Failure, source};
use ctm_text::findings::Severity;
use serde_json::json;

/// Most findings that are shown: each needs a scan of the whole text.
const MOST_FINDINGS: usize = 1000;

/// Reports what is wrong or suspicious in a program, or in all programs of a file. Errors fail the command.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let mut programs = load_all(&args.program, console)?;
    let name = source::name(&args.program.program);
    let several = programs.len() > 1;
    let mut found = Vec::new();
    for (number, program) in programs.iter_mut().enumerate() {
        let title = several.then(|| program.title().map_or_else(|| number.to_string(), title));
        if let Some(title) = &title {
            program.set_file_name(format!("program {title} of {name}"));
        }
        let findings = program.check()?.into_iter();
        found.extend(findings.map(|finding| finding.of_program(title.as_deref())));
    }
    if console.strict {
        let warnings = found.iter_mut().filter(|finding| finding.message.severity == Severity::Warning);
        warnings.for_each(|finding| finding.message.severity = Severity::Error);
    }
    let count = |severity| found.iter().filter(|finding: &&Finding| finding.message.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let shown = &found[..found.len().min(MOST_FINDINGS)];
    let left_out = found.len() - shown.len();
    if args.json {
        let findings: Vec<_> = shown.iter().map(Finding::json).collect();
        let mut report = json!({ "errors": errors, "warnings": warnings, "findings": findings });
        if left_out > 0 {
            report["left_out"] = left_out.into();
        }
        console.json(&report)?;
    } else {
        shown.iter().for_each(|finding| console.report(&finding.message));
        if left_out > 0 {
            console.report(&Message::note(format!("{left_out} more findings are not shown")));
        }
    }
    let summary = format!("{name}: {}, {}", number_of(errors, "error"), number_of(warnings, "warning"));
    match errors {
        0 if args.json => Ok(()),
        0 => Ok(writeln!(console.out, "{summary}")?),
        _ => Err(Message::error(summary).into()),
    }
}
