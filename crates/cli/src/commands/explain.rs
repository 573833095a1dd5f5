//! `ctm explain`.

use crate::args::ExplainArgs;
use crate::report::Message;
use crate::{Console, Failure};
use ctm_x1k::check::Code;

/// Explains a code, or lists all of them.
pub fn explain(args: &ExplainArgs, console: &mut Console) -> Result<(), Failure> {
    let Some(wanted) = &args.code else {
        for code in Code::ALL {
            writeln!(console.out, "{}  {:<7}  {}", code.as_str(), code.severity().name(), code.title())?;
        }
        return Ok(());
    };
    match Code::ALL.iter().find(|code| code.as_str().eq_ignore_ascii_case(wanted)) {
        Some(code) => Ok(writeln!(console.out, "{}", code.explain().trim_end())?),
        None => Err(Failure::Usage(
            Message::error(format!("there is no code '{wanted}'")).help("'ctm explain' lists all codes"),
        )),
    }
}
