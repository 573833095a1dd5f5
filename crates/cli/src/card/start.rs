//! `ctm card run` and `ctm card record`.

use super::machine;
use super::mesa::MesaBuild;
use crate::args::{CardRecordArgs, CardRunArgs, ClientArgs};
use crate::failure::cause;
use crate::outputs::OutputKind;
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_card::trace::TraceReader;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, ExitStatus};
use std::time::SystemTime;

/// Lets a program with a card take the place of this one, so that its signals and its end are its own.
pub fn run(args: &CardRunArgs, console: &mut Console) -> Result<(), Failure> {
    let trace = args.trace.as_deref();
    trace.map(|path| OutputKind::CardTrace.require(path)).transpose()?;
    let mut command = command(&args.client, trace, console)?;
    if args.fps {
        command.env("CTM_CARD_FPS", "1");
    }
    if let Some(file) = &args.screenshot {
        command.env("CTM_CARD_SCREENSHOT", whole_name(file)?);
    }
    let error = replace_by(command);
    Err(not_run(&args.client, &error).into())
}

#[cfg(unix)]
fn replace_by(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn replace_by(_: Command) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

/// Runs a program with a card, and records what it submits.
pub fn record(args: &CardRecordArgs, console: &mut Console) -> Result<(), Failure> {
    OutputKind::CardTrace.require(&args.output)?;
    let path = args.output.display();
    let folder = args.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unwritable = |error: io::Error| Message::error(format!("cannot write '{path}': {}", cause(&error)));
    fs::metadata(folder).map_err(unwritable)?;
    // A file that was there, and stays as it was, is none of this program's.
    let before = stamp(&args.output);
    let status = command(&args.client, Some(&args.output), console)?.status();
    let status = status.map_err(|error| not_run(&args.client, &error))?;
    let records = File::open(&args.output).map(BufReader::new).map(TraceReader::new);
    match records {
        Ok(Ok(records)) if stamp(&args.output) != before => {
            let submissions = number_of(records.take_while(Result::is_ok).count(), "submission");
            console.report(&Message::note(format!("'{path}' has {submissions}")));
        }
        _ => {
            let message = format!("'{path}' has no trace: the program did not open the card");
            console.report(&Message::warning(message).help(
                "programs draw on it in windows of X, through EGL without a window system, through GBM, or in windows of a Wayland compositor that runs on the card too",
            ));
        }
    }
    ended(&args.client, status)
}

/// When a file was changed last, and its bytes.
fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// What runs a program with a card.
fn command(client: &ClientArgs, trace: Option<&Path>, console: &mut Console) -> Result<Command, Failure> {
    let library = machine::library(client.library.as_deref())?;
    let card = client.card.identity();
    let mesa = client.mesa.as_deref().map(|folder| MesaBuild::find(folder, card.driver)).transpose()?;
    machine::missing(&card, mesa.as_ref()).iter().for_each(|message| console.report(message));
    if let Some(mesa) = &mesa {
        let (version, driver) = (machine::mesa_version(&mesa.driver), mesa.driver.display());
        console.report(&Message::note(format!("the driver is Mesa {version}, '{driver}'")));
    }
    console.require_no_warnings()?;
    console.out.flush()?;
    let (program, arguments) = client.program.split_first().expect("a program is given");
    let mut preload = library.into_os_string();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(program);
    command.args(arguments).env("LD_PRELOAD", preload).env("CTM_CARD", card.name);
    command.envs(mesa.iter().flat_map(MesaBuild::environment));
    if let Some(engine) = client.engine {
        command.env("CTM_CARD_ENGINE", engine.name());
    }
    if client.require {
        command.env("CTM_CARD_REQUIRE", "1");
    }
    for (variable, file) in [("CTM_CARD_TRACE", trace), ("CTM_CARD_LOG", client.log.as_deref())] {
        if let Some(file) = file {
            command.env(variable, whole_name(file)?);
        }
    }
    Ok(command)
}

fn not_run(client: &ClientArgs, error: &io::Error) -> Message {
    let message = Message::error(format!("cannot run '{}': {}", client.program[0].display(), cause(error)));
    match error.kind() {
        io::ErrorKind::NotFound => message.help("a program of this folder is './NAME'"),
        _ => message,
    }
}

/// The program may change its folder.
fn whole_name(path: &Path) -> Result<PathBuf, Message> {
    absolute(path).map_err(|error| Message::error(format!("cannot write '{}': {}", path.display(), cause(&error))))
}

/// The program's exit code is that of the command.
fn ended(client: &ClientArgs, status: ExitStatus) -> Result<(), Failure> {
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Program(code as u8)),
        None => {
            let program = client.program[0].display();
            Err(Message::error(format!("'{program}' ended by a signal ({status})")).into())
        }
    }
}
