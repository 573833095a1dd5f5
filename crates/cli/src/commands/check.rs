//! `ctm check`.

use crate::args::CheckArgs;
use crate::isa::{Finding, ProgramArgs, load_all};
use crate::report::Message;
use crate::wording::{number_of, title};
use crate::{Console, Failure, source};
use ctm_text::findings::Severity;
use serde_json::{Value, json};

/// Most findings that are shown: each needs a scan of the whole text.
const MOST_FINDINGS: usize = 1000;

/// Reports what is wrong or suspicious in programs, in all programs of a file that has several. Errors fail the command.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    if args.more.is_empty() {
        let Checked { report, summary, is_wrong } = check_file(&args.program, args.json, console)?;
        return match is_wrong {
            true => finish(args.json.then_some(report), console).and(Err(Message::error(summary).into())),
            false if args.json => finish(Some(report), console),
            false => Ok(writeln!(console.out, "{summary}")?),
        };
    }
    let files = std::iter::once(&args.program.program).chain(&args.more);
    let (mut reports, mut wrong) = (Vec::new(), 0);
    for file in files {
        match check_file(&ProgramArgs { program: file.clone(), ..args.program.clone() }, args.json, console) {
            Ok(Checked { mut report, summary, is_wrong }) => {
                report["file"] = source::name(file).into();
                reports.push(report);
                wrong += usize::from(is_wrong);
                match is_wrong {
                    true if !args.json => console.report(&Message::error(summary)),
                    false if !args.json => writeln!(console.out, "{summary}")?,
                    _ => {}
                }
            }
            Err(failure @ (Failure::Output(_) | Failure::Interrupted)) => return Err(failure),
            Err(failure) => {
                console.fail(failure);
                wrong += 1;
            }
        }
    }
    finish(args.json.then(|| json!({ "files": reports })), console)?;
    match wrong {
        0 => Ok(()),
        _ => {
            let (wrong, all) = (number_of(wrong, "file"), args.more.len() + 1);
            Err(Message::error(format!("{wrong} of {all} with errors")).into())
        }
    }
}

/// Prints the report for machines, if that is wanted.
fn finish(report: Option<Value>, console: &mut Console) -> Result<(), Failure> {
    Ok(report.map_or(Ok(()), |report| console.json(&report))?)
}

/// What came of the check of a file.
struct Checked {
    /// For machines.
    report: Value,
    /// For people.
    summary: String,
    is_wrong: bool,
}

/// Checks the programs of a file. What is found is reported at once, unless machines want it.
fn check_file(args: &ProgramArgs, json: bool, console: &mut Console) -> Result<Checked, Failure> {
    let mut programs = load_all(args, console)?;
    let name = source::name(&args.program);
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
    let findings: Vec<_> = shown.iter().map(Finding::json).collect();
    let mut report = json!({ "errors": errors, "warnings": warnings, "findings": findings });
    if left_out > 0 {
        report["left_out"] = left_out.into();
    }
    if !json {
        shown.iter().for_each(|finding| console.report(&finding.message));
        if left_out > 0 {
            console.report(&Message::note(format!("{left_out} more findings are not shown")));
        }
    }
    let summary = format!("{name}: {}, {}", number_of(errors, "error"), number_of(warnings, "warning"));
    Ok(Checked { report, summary, is_wrong: errors > 0 })
}
