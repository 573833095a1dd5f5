//! Files with several programs, and the choice of `--kernel`.

use super::{File, Loaded, ProgramArgs};
use crate::report::{Location, Message};
use crate::wording::listing;
use crate::{Console, Failure};

/// Loads the program that `--kernel` chooses; without it, all programs of the file, at least one.
pub fn load_all(args: &ProgramArgs, console: &mut Console) -> Result<Vec<Box<dyn Loaded>>, Failure> {
    let (isa, file) = File::read(args, console)?;
    choose(isa.load(file, console)?, args.kernel.as_deref(), |program| &**program)
}

/// Loads the only program of a file, or the one that `--kernel` chooses.
pub fn load_one(args: &ProgramArgs, console: &mut Console) -> Result<Box<dyn Loaded>, Failure> {
    only(load_all(args, console)?, |program| &**program)
}

/// The only one of these programs, or the one that `kernel` chooses.
pub fn one<L>(programs: Vec<L>, kernel: Option<&str>, view: impl Fn(&L) -> &dyn Loaded) -> Result<L, Failure> {
    only(choose(programs, kernel, &view)?, view)
}

/// The program that `kernel` chooses, by name or number from 0; without it, all of them.
fn choose<L>(mut programs: Vec<L>, kernel: Option<&str>, view: impl Fn(&L) -> &dyn Loaded) -> Result<Vec<L>, Failure> {
    let Some(kernel) = kernel else { return Ok(programs) };
    let named = programs.iter().position(|program| view(program).title() == Some(kernel));
    match named.or_else(|| kernel.parse().ok()).filter(|&number| number < programs.len()) {
        Some(number) => Ok(vec![programs.swap_remove(number)]),
        None => {
            let message = Message::error(format!("the file has no program '{kernel}'"))
                .help(format!("its programs: {}", titles(programs.iter().map(&view))));
            Err(Failure::Usage(at_file(message, programs.first().map(view))))
        }
    }
}

/// The only one of these programs.
fn only<L>(mut programs: Vec<L>, view: impl Fn(&L) -> &dyn Loaded) -> Result<L, Failure> {
    match programs.pop() {
        Some(program) if programs.is_empty() => Ok(program),
        last => {
            programs.extend(last);
            let titles = titles(programs.iter().map(&view));
            let message = Message::error(format!("the file has {} programs: {titles}", programs.len()))
                .help("choose one with --kernel NAME or --kernel NUMBER");
            Err(Failure::Usage(at_file(message, programs.first().map(view))))
        }
    }
}

fn at_file(message: Message, program: Option<&dyn Loaded>) -> Message {
    match program {
        Some(program) => message.at(Location::File(program.file_name().into())),
        None => message,
    }
}

/// Programs by number, name and stage.
fn titles<'l>(programs: impl Iterator<Item = &'l dyn Loaded>) -> String {
    let title = |(number, program): (usize, &dyn Loaded)| {
        let name = program.title().map(|title| format!(" {title}")).unwrap_or_default();
        let stage = program.stage().map(|stage| format!(" ({stage})")).unwrap_or_default();
        format!("{number}{name}{stage}")
    };
    listing(programs.enumerate().map(title))
}
