//! `ctm dap`: editors at standard input and output, at a port of this machine, or at a socket in the file system.

use super::debug::open;
use crate::args::{Cli, Command, DapArgs};
use crate::host::Local;
use crate::isa::IsaCommands;
use crate::options::{RUN, RunUse};
use crate::report::Message;
use crate::{Console, Failure};
use clap::Parser;
use ctm_dap::{Launch, serve};
use ctm_debug::Session;
use serde_json::Value;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How often the server looks up from waiting for clients.
const TICK: Duration = Duration::from_millis(20);
/// How long a client may take to introduce itself: whoever connects by mistake does not do it.
const INTRODUCTION: Duration = Duration::from_secs(5);
/// Most clients at a time. Each has threads, and memory of its own.
const MOST_CLIENTS: usize = 16;

/// Serves editors.
pub fn dap(args: &DapArgs, include: &[PathBuf], console: &mut Console) -> Result<(), Failure> {
    let settings = Settings { include: include.to_vec(), strict: console.strict };
    match (args.port, &args.socket) {
        (Some(port), _) => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
                Message::error(format!("cannot listen on port {port}: {error}"))
                    .help("another program may use it: choose another port")
            })?;
            let place = listener.local_addr().map_err(|error| failed(&error))?;
            listener.set_nonblocking(true).map_err(|error| failed(&error))?;
            wait(&place, || listener.accept().map(|(stream, _)| stream), &settings, console)
        }
        (None, Some(path)) => in_file_system(path, &settings, console),
        (None, None) => {
            let mut programs = Programs { settings, initialized: None };
            serve(BufReader::new(io::stdin()), &mut io::stdout().lock(), &mut programs).map_err(|error| failed(&error))
        }
    }
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Message::error(error.to_string()).into()
}

#[cfg(not(unix))]
fn in_file_system(_: &Path, _: &Settings, _: &mut Console) -> Result<(), Failure> {
    let message = Message::error("--socket is not supported on this system");
    Err(Failure::Usage(message.help("--port takes a port of this machine")))
}

/// Waits at a socket in the file system.
#[cfg(unix)]
fn in_file_system(path: &Path, settings: &Settings, console: &mut Console) -> Result<(), Failure> {
    let socket = crate::host::Socket::new(path).map_err(|error| {
        let message = Message::error(format!("cannot make the socket '{}': {error}", path.display()));
        match error.kind() {
            io::ErrorKind::AddrInUse => message.help("remove the file, if no other 'ctm dap' is waiting there"),
            _ => message,
        }
    })?;
    wait(&path.display(), || socket.accept(), settings, console)
}

/// A stream that a client is at the other end of.
trait Connection: Read + Write + Send + Sized + 'static {
    /// Another handle of it.
    fn copy(&self) -> io::Result<Self>;
    /// Waits in reads, at most so long.
    fn set_patience(&self, time: Option<Duration>) -> io::Result<()>;
    /// Ends it in both directions. A client that is gone already is not an error.
    fn end(&self);
}

macro_rules! connections {
    ($($(#[$meta:meta])* $type:ty;)*) => {$(
        $(#[$meta])*
        impl Connection for $type {
            fn copy(&self) -> io::Result<Self> {
                self.try_clone()
            }

            fn set_patience(&self, time: Option<Duration>) -> io::Result<()> {
                // On some systems what is accepted does not block if what accepts does not.
                self.set_nonblocking(false)?;
                self.set_read_timeout(time)
            }

            fn end(&self) {
                let _ = self.shutdown(Shutdown::Both);
            }
        }
    )*};
}

connections! {
    TcpStream;
    #[cfg(unix)] std::os::unix::net::UnixStream;
}

/// Serves each client in a thread of its own, until Ctrl-C.
fn wait<C: Connection>(
    place: &dyn std::fmt::Display,
    accept: impl Fn() -> io::Result<C>,
    settings: &Settings,
    console: &mut Console,
) -> Result<(), Failure> {
    let interrupt = console.host.interrupt();
    console.report(&Message::note(format!("waiting for editors at {place} (Ctrl-C ends it)")));
    let clients = Arc::new(AtomicUsize::new(0));
    while !interrupt.load(Ordering::Relaxed) {
        let connection = match accept() {
            Ok(connection) => connection,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                thread::sleep(TICK);
                continue;
            }
            // A client that is gone again, or too many open files: others can still come.
            Err(error) => {
                console.report(&Message::warning(format!("a client cannot be served: {error}")));
                thread::sleep(TICK);
                continue;
            }
        };
        let Some(slot) = Slot::take(&clients) else {
            connection.end();
            let message = format!("a client was refused: {MOST_CLIENTS} others are being served");
            console.report(&Message::warning(message));
            continue;
        };
        let settings = settings.clone();
        thread::spawn(move || {
            let _slot = slot;
            if let Err(error) = serve_client(&connection, settings) {
                let message = Message::warning(error.to_string());
                let _ = writeln!(anstream::stderr(), "{}", message.render());
            }
            // The thread that reads from it ends then.
            connection.end();
        });
    }
    Err(Failure::Interrupted)
}

/// The place of one client among those that are served.
struct Slot(Arc<AtomicUsize>);

impl Slot {
    fn take(clients: &Arc<AtomicUsize>) -> Option<Self> {
        let slot = Slot(Arc::clone(clients));
        (slot.0.fetch_add(1, Ordering::Relaxed) < MOST_CLIENTS).then_some(slot)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a client to its end.
fn serve_client<C: Connection>(connection: &C, settings: Settings) -> Result<(), ctm_dap::WireError> {
    connection.set_patience(Some(INTRODUCTION))?;
    let (input, output, waiting) = (connection.copy()?, connection.copy()?, connection.copy()?);
    let initialized = Some(Box::new(move || waiting.set_patience(None)) as Box<dyn Fn() -> io::Result<()>>);
    serve(BufReader::new(input), &mut BufWriter::new(output), &mut Programs { settings, initialized })
}

/// What the command line of the server says for all launches.
#[derive(Clone)]
struct Settings {
    include: Vec<PathBuf>,
    strict: bool,
}

/// What launch requests name.
struct Programs {
    settings: Settings,
    /// What is to be done once the client has introduced itself.
    initialized: Option<Box<dyn Fn() -> io::Result<()>>>,
}

impl Launch for Programs {
    fn initialized(&mut self) -> io::Result<()> {
        self.initialized.as_ref().map_or(Ok(()), |act| act())
    }

    fn launch(&mut self, arguments: &Value, interrupt: &Arc<AtomicBool>) -> Result<Session, String> {
        let cli = Cli::try_parse_from(words(arguments)?).map_err(|error| error.to_string())?;
        let include = self.settings.include.iter().chain(&cli.include).cloned().collect();
        let host = Local::interruptible(include, Arc::clone(interrupt));
        let mut console = Console {
            // Standard output is the client's.
            out: &mut io::sink(),
            err: &mut anstream::stderr(),
            host: &host,
            interactive: false,
            colours: false,
            json: false,
            strict: self.settings.strict || cli.strict,
            refused: 0,
        };
        let opened = match &cli.command {
            Command::Debug(command) => {
                command.given.require_kept(RUN, RunUse::Editor).and_then(|()| open(command, false, &mut console))
            }
            Command::Isa(IsaCommands(command)) => command.debug(&mut console),
            _ => return Err("'args' are options of 'ctm run'; 'command' is one that draws".into()),
        };
        opened
            .and_then(|debugged| console.require_no_warnings().map(|()| debugged.session))
            .map_err(|failure| failure.into_messages().iter().map(single_line).collect::<Vec<_>>().join("; "))
    }
}

/// The command line that a launch request stands for.
fn words(arguments: &Value) -> Result<Vec<String>, String> {
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
    Ok(words)
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
