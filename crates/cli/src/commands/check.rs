//! `ctm check`.

use crate::args::CheckArgs;
use crate::program::{Loaded, Origin};
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_x1k::check::{self, Finding, Severity};
use serde_json::{Value, json};

/// Reports what is wrong or suspicious in a program.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let loaded = Loaded::read(&args.program, console)?;
    let findings = check::check(&loaded.program);
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if args.json {
        let findings: Vec<_> = findings.iter().map(|finding| machine_form(&loaded, finding)).collect();
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
    let line = match &loaded.origin {
        Origin::Text(assembled) => finding.pc.and_then(|pc| assembled.origins.get(pc)),
        _ => None,
    };
    json!({
        "code": finding.code.as_str(),
        "severity": finding.severity.name(),
        "pc": finding.pc,
        "file": line.as_ref().map(|place| place.file.name.clone()),
        "line": line.as_ref().map(|place| place.file.line_column(place.span.start).0),
        "message": message.title,
        "help": message.help,
    })
}
