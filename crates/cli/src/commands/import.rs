//! `ctm import`.

use crate::args::{ImportMesaArgs, ImportSassArgs};
use crate::outputs::{OutputKind, Sink};
use crate::report::{Location, Message};
use crate::{Console, Failure, source};
use ctm_object::mesa::{Entry, Keep, Log, MesaError, Reader};
use ctm_object::sass::{self, SassError};
use std::path::Path;

/// Turns a program of a Mesa dump into assembly, or lists the programs.
pub fn import_mesa(args: &ImportMesaArgs, console: &mut Console) -> Result<(), Failure> {
    let Some(output) = &args.output else { return list(&args.dump, console) };
    let keep = args.index.map_or(Keep::Last, Keep::Number);
    let log = read_log(&args.dump, keep, console)?;
    let wrong = |error: MesaError| Message::error(error.to_string()).at(Location::File(source::name(&args.dump)));
    let (number, program) = log.only().map_err(wrong)?;
    let assembly = program.import().map_err(wrong)?;
    let count = log.entries().len();
    if count > 1 && args.index.is_none() {
        let message = Message::note(format!("the dump has {count} programs; this is number {number}"));
        console.report(&message.help("--list lists them, --index N gives another"));
    }
    let assembly = match &args.constants {
        Some(trace) => with_constants(&assembly, trace, console)?,
        None => assembly,
    };
    write(output, &assembly, console)
}

/// The assembly of a fragment program with the constants of a trace.
#[cfg(feature = "cards")]
fn with_constants(assembly: &str, trace: &Path, console: &mut Console) -> Result<String, Failure> {
    crate::card::constants::with_constants(assembly, trace, console)
}

#[cfg(not(feature = "cards"))]
fn with_constants(_: &str, _: &Path, _: &mut Console) -> Result<String, Failure> {
    Err(crate::absent::absent("its graphics cards", "cards"))
}

fn write(output: &Path, assembly: &str, console: &mut Console) -> Result<(), Failure> {
    if source::is_standard(output) {
        return Ok(console.out.write_all(assembly.as_bytes())?);
    }
    Sink::store(OutputKind::Assembly, [(output, assembly.as_bytes())], console)
}

/// Reads a dump line by line, however long it is.
fn read_log(dump: &Path, keep: Keep, console: &Console) -> Result<Log, Failure> {
    let (mut log, mut reader) = (Log::new(keep), Reader::default());
    source::lines(console.host, dump, &mut |line| reader.line(line, &mut |program| log.add(program)))?;
    reader.finish(&mut |program| log.add(program));
    Ok(log)
}

/// Prints the programs of a dump.
fn list(dump: &Path, console: &mut Console) -> Result<(), Failure> {
    let log = read_log(dump, Keep::None, console)?;
    if log.entries().is_empty() {
        let message = Message::error(MesaError::NoProgram.to_string()).at(Location::File(source::name(dump)));
        return Err(message.into());
    }
    let width = log.entries().len().to_string().len().max("index".len());
    writeln!(console.out, "{:>width$}  {:<9} {:>18}  {:>8}  name", "index", "stage", "length", "line")?;
    for (index, entry) in log.entries().iter().enumerate() {
        let Entry { stage, name, size, unit, line, .. } = entry;
        let (stage, name) = (stage.unwrap_or("unknown"), name.as_deref().unwrap_or_default());
        let length = format!("{size} {unit}");
        writeln!(console.out, "{}", format!("{index:>width$}  {stage:<9} {length:>18}  {line:>8}  {name}").trim_end())?;
    }
    Ok(())
}

/// Turns a function of a listing of SM50 code into assembly.
pub fn import_sass(args: &ImportSassArgs, console: &mut Console) -> Result<(), Failure> {
    let file = source::text_file(console.host, &args.listing)?;
    let functions = sass::read(&file.name, &file.text).map_err(|error| match error {
        SassError::Text(diagnostics) => diagnostics.into(),
        error => Failure::from(Message::error(error.to_string()).at(Location::File(file.name.clone()))),
    })?;
    let names = || functions.iter().map(|function| function.name.as_str()).collect::<Vec<_>>().join(", ");
    let chosen = match &args.kernel {
        Some(wanted) => {
            let named = functions.iter().find(|function| function.name == *wanted);
            named.or_else(|| functions.get(wanted.parse::<usize>().ok()?))
        }
        None if functions.len() == 1 => functions.first(),
        None => {
            let message = format!("the listing has {} functions: {}", functions.len(), names());
            let message = Message::error(message).at(Location::File(file.name));
            return Err(Failure::Usage(message.help("choose one with --kernel NAME or --kernel NUMBER")));
        }
    };
    let Some(function) = chosen else {
        let message =
            Message::error(format!("the listing has no function '{}'", args.kernel.as_deref().unwrap_or_default()));
        return Err(Failure::Usage(message.at(Location::File(file.name)).help(format!("its functions: {}", names()))));
    };
    write(&args.output, &function.assembly(), console)
}
