//! `ctm check`.

use crate::args::{CheckArgs, Isa};
use crate::isa::{File, Found, ctm, r700, sm50, x1k};
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_text::findings::Severity;
use serde_json::json;

/// Most findings that are told: each takes a look at the whole text.
const MOST_FINDINGS: usize = 1000;

/// Reports what is wrong or suspicious in a program, or in all programs of a file. Errors fail the command.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let file = File::read(&args.program, console)?;
    let (name, kernel) = (file.name.clone(), args.program.kernel.as_deref());
    let found = match file.isa {
        Isa::X1k => x1k::check(&x1k::Loaded::new(file, console)?),
        Isa::R700 => r700::check(r700::Loaded::of(file, kernel, console)?),
        Isa::Sm50 => sm50::check(sm50::Loaded::of(file, kernel, console)?),
        Isa::Ctm => return Err(ctm::no_program()),
    };
    let count = |severity| found.iter().filter(|found| found.message.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let told = &found[..found.len().min(MOST_FINDINGS)];
    let left_out = found.len() - told.len();
    if args.json {
        let findings: Vec<_> = told.iter().map(Found::json).collect();
        let mut report = json!({ "errors": errors, "warnings": warnings, "findings": findings });
        if left_out > 0 {
            report["left_out"] = left_out.into();
        }
        console.json(&report)?;
    } else {
        told.iter().for_each(|found| console.tell(&found.message));
        if left_out > 0 {
            console.tell(&Message::note(format!("{left_out} more findings are not shown")));
        }
    }
    let summary = format!("{name}: {}, {}", number_of(errors, "error"), number_of(warnings, "warning"));
    match errors {
        0 if args.json => Ok(()),
        0 => Ok(writeln!(console.out, "{summary}")?),
        _ => Err(Message::error(summary).into()),
    }
}
