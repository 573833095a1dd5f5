//! `ctm debug`, `ctm dap`.

use crate::args::{Cli, Command, DapArgs, DebugCommand};
use crate::isa::{File, OwnCommands};
use crate::report::Message;
use crate::run::{Debugged, require_terminal};
use crate::{Console, Failure};
use clap::Parser;
use ctm_dap::{Launch, serve};
use ctm_debug::Session;
use serde_json::Value;
use std::io::{self, BufReader, BufWriter};
use std::net::{Ipv4Addr, Shutdown, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Opens a debugger in the terminal.
pub fn debug(command: &DebugCommand, console: &mut Console) -> Result<(), Failure> {
    require_terminal()?;
    open(command, true, console)?.show(console)
}

/// Serves editors.
pub fn dap(args: &DapArgs, console: &mut Console) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::from(Message::error(error.to_string()));
    let Some(port) = args.port else {
        let (input, mut output) = (BufReader::new(io::stdin()), io::stdout().lock());
        return serve(input, &mut output, &mut Programs(console)).map_err(|error| failed(&error));
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        Message::error(format!("port {port} cannot be had: {error}")).help("another program may have it: take another")
    })?;
    let place = listener.local_addr().map_err(|error| failed(&error))?;
    console.report(&Message::note(format!("waiting for editors at {place} (Ctrl-C ends it)")));
    let interrupt = console.host.interrupt();
    for stream in listener.incoming() {
        let stream = stream.map_err(|error| failed(&error))?;
        let copy = || stream.try_clone().map_err(|error| failed(&error));
        let (input, mut output) = (BufReader::new(copy()?), BufWriter::new(copy()?));
        // A client that fails does not end the others.
        if let Err(error) = serve(input, &mut output, &mut Programs(console)) {
            console.report(&Message::warning(error.to_string()));
        }
        // Who reads it ends. A client that is gone already is no error.
        let _ = stream.shutdown(Shutdown::Both);
        if interrupt.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
    }
    Ok(())
}

/// Opens the session that a command line asks for.
fn open(command: &DebugCommand, shows: bool, console: &mut Console) -> Result<Debugged, Failure> {
    if !command.run.outputs.is_empty() || command.run.output0.is_some() {
        let message = Message::error("a debugger's session works on a copy, and writes no output");
        return Err(Failure::Usage(message.help("leave -o and --output out; 'ctm run' writes them")));
    }
    let (isa, file) = File::read(&command.program, console)?;
    command.own.runner(isa)?.debug(file, &command.run, command.lane, shows, console)
}

/// A message without the text that it is about, for clients that show one line.
fn single_line(message: &Message) -> String {
    let json = message.json();
    let place = match (json["file"].as_str(), json["line"].as_u64()) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    let help: Vec<String> = message.help.iter().map(|help| format!(" ({help})")).collect();
    format!("{place}{}{}", message.title, help.concat())
}

/// What launch requests name.
struct Programs<'a, 'c>(&'a mut Console<'c>);

impl Launch for Programs<'_, '_> {
    fn launch(&mut self, arguments: &Value) -> Result<Session, String> {
        let mut words = vec!["ctm".to_owned()];
        match (arguments["program"].as_str(), arguments["command"].as_str()) {
            (_, Some(command)) => words.push(command.to_owned()),
            (Some(program), None) => {
                let directory = arguments["cwd"].as_str().map_or(PathBuf::new(), PathBuf::from);
                let program = directory.join(Path::new(program));
                let program = program.to_str().ok_or("the path of the program is not UTF-8")?;
                words.extend(["debug".to_owned(), program.to_owned()]);
            }
            (None, None) => return Err("the launch configuration needs 'program': a path".into()),
        }
        match &arguments["lane"] {
            Value::Null => {}
            Value::String(lane) => words.extend(["--lane".to_owned(), lane.clone()]),
            Value::Number(lane) => words.extend(["--lane".to_owned(), lane.to_string()]),
            _ => return Err("'lane' is a text like \"256,200\", or a number".into()),
        }
        for word in arguments["args"].as_array().into_iter().flatten() {
            words.push(word.as_str().map_or_else(|| word.to_string(), str::to_owned));
        }
        let cli = Cli::try_parse_from(&words).map_err(|error| error.to_string())?;
        let Console { host, err, .. } = &mut *self.0;
        // Standard output is the client's.
        let mut out = io::sink();
        let mut console = Console {
            out: &mut out,
            err: &mut **err,
            host: *host,
            interactive: false,
            colours: false,
            json: false,
            strict: cli.strict,
            refused: 0,
        };
        let opened = match &cli.command {
            Command::Debug(command) => open(command, false, &mut console),
            Command::Own(OwnCommands(command)) => command.debug(&mut console),
            _ => return Err("'args' are options of 'ctm run'; 'command' is one that draws".into()),
        };
        opened
            .map(|debugged| debugged.session)
            .map_err(|failure| failure.into_messages().iter().map(single_line).collect::<Vec<_>>().join("; "))
    }
}
