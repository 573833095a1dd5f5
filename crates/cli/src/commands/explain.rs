//! `ctm explain`.

use crate::args::ExplainArgs;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_text::findings::Severity;

/// The code of a finding.
struct Code {
    id: &'static str,
    severity: Severity,
    title: &'static str,
    page: &'static str,
}

/// The codes of all instruction sets.
fn codes() -> Vec<Code> {
    macro_rules! codes_of {
        ($($isa:ident)+) => {
            [$($isa::check::Code::ALL.iter().map(|code| Code {
                id: code.as_str(),
                severity: code.severity(),
                title: code.title(),
                page: code.explain(),
            }).collect::<Vec<_>>()),+].into_iter().flatten().collect()
        };
    }
    codes_of!(ctm_x1k ctm_r700 ctm_sm50)
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
