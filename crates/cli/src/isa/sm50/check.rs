//! Findings.

use super::Loaded;
use crate::args::CheckArgs;
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_sm50::Code;
use ctm_sm50::check::{self, Finding, Severity};
use serde_json::{Value, json};

/// Reports what is wrong or suspicious in a program.
pub fn check(loaded: &Loaded, args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let findings = check::check(&loaded.program);
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.json {
        let findings: Vec<_> = findings.iter().map(|finding| machine_form(loaded, finding)).collect();
        console.json(&json!({ "errors": errors, "warnings": warnings, "findings": findings }))?;
    } else {
        findings.iter().for_each(|finding| console.tell(&loaded.message(finding)));
    }
    let summary = format!("{}: {}, {}", loaded.name, number_of(errors, "error"), number_of(warnings, "warning"));
    match errors {
        0 if args.json => Ok(()),
        0 => Ok(writeln!(console.out, "{summary}")?),
        _ => Err(Message::error(summary).into()),
    }
}

fn machine_form(loaded: &Loaded, finding: &Finding) -> Value {
    let message = loaded.message(finding);
    let origin = finding.index.and_then(|index| loaded.origins.get(index));
    json!({
        "code": finding.code.as_str(),
        "severity": finding.severity.name(),
        "address": finding.index.map(Code::address),
        "file": origin.map(|origin| &origin.file.name),
        "line": origin.map(|origin| origin.file.line_column(origin.span.start).0),
        "message": message.title,
        "help": message.help,
    })
}
