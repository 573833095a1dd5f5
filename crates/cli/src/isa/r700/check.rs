//! Findings.

use super::Loaded;
use crate::args::CheckArgs;
use crate::report::{Message, Place};
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_r700::Wavefront;
use ctm_r700::check::{self, Finding, Severity};
use serde_json::{Value, json};

/// Reports what is wrong or suspicious in a program.
pub fn check(loaded: &Loaded, args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let findings = check::check(&loaded.program, Wavefront::default());
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.json {
        let findings: Vec<_> = findings.iter().map(|finding| machine_form(loaded, finding)).collect();
        console.json(&json!({ "errors": errors, "warnings": warnings, "findings": findings }))?;
    } else {
        findings.iter().for_each(|finding| console.tell(&message(loaded, finding)));
    }
    let summary = format!("{}: {}, {}", loaded.name, number_of(errors, "error"), number_of(warnings, "warning"));
    match errors {
        0 if args.json => Ok(()),
        0 => Ok(writeln!(console.out, "{summary}")?),
        _ => Err(Message::error(summary).into()),
    }
}

/// A finding as a message.
fn message(loaded: &Loaded, finding: &Finding) -> Message {
    let place = match finding.pc {
        Some(pc) => loaded.place(pc, finding.slot),
        None => Place::File(loaded.name.clone()),
    };
    Message::new(finding.severity, &finding.message).code(finding.code.as_str()).at(place).help(&finding.help)
}

fn machine_form(loaded: &Loaded, finding: &Finding) -> Value {
    let origin = finding.pc.and_then(|pc| loaded.origins.get(&finding.slot.unwrap_or(pc)));
    json!({
        "code": finding.code.as_str(),
        "severity": finding.severity.name(),
        "pc": finding.pc,
        "slot": finding.slot,
        "file": origin.map(|origin| &origin.file.name),
        "line": origin.map(|origin| origin.file.line_column(origin.span.start).0),
        "message": finding.message,
        "help": [finding.help],
    })
}
