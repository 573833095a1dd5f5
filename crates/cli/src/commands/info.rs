//! `ctm info`.

use super::folder::folder;
use crate::args::InfoArgs;
use crate::failure::cause;
use crate::isa::{Loaded, load_all};
use crate::report::Message;
use crate::{Console, Failure};
use serde_json::json;

/// Reports what a program contains and uses, or all programs of a file that has several; of a folder, a line for each program.
pub fn info(args: &InfoArgs, console: &mut Console) -> Result<(), Failure> {
    let path = &args.program.program;
    let unreadable = |error| Message::error(format!("cannot read '{}': {}", path.display(), cause(&error)));
    if let Some(files) = console.host.folder(path).map_err(unreadable)? {
        return folder(args, &files, console);
    }
    let programs = load_all(&args.program, console)?;
    let summaries = programs.iter().map(|program| program.summary()).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        let summary = match &summaries[..] {
            [summary] => summary.json(),
            several => json!({ "programs": several.iter().map(|summary| summary.json()).collect::<Vec<_>>() }),
        };
        return Ok(console.json(&summary)?);
    }
    for (number, (program, summary)) in programs.iter().zip(&summaries).enumerate() {
        if number > 0 {
            writeln!(console.out)?;
        }
        let number = (programs.len() > 1).then_some(number);
        summary.print(console.out, title(number, &**program).as_deref())?;
    }
    Ok(())
}

/// A program by its number, if there are several, and its name, if it has one.
fn title(number: Option<usize>, program: &dyn Loaded) -> Option<String> {
    let parts = number.map(|number| number.to_string()).into_iter().chain(program.title().map(str::to_owned));
    Some(parts.collect::<Vec<_>>().join(" ")).filter(|title| !title.is_empty())
}
