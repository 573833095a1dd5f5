//! The process that starts the child, answers it, and tells how it ended.

use super::broker::Broker;
use super::grants::Grants;
use super::protocol::{Request, send_answer};
use crate::failure::cause;
use crate::report::Message;
use crate::{Cli, Console, Failure};
use rustix::process::Signal;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the supervisor looks up from its work.
const TICK: Duration = Duration::from_millis(20);
/// Variables of the environment that the child gets: how messages look.
const ENVIRONMENT: [&str; 8] =
    ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TERM", "COLUMNS", "LANG", "LC_ALL"];

/// Runs the command of this process in a child that can do nothing but compute, and gives its exit code.
///
/// # Errors
/// The child cannot be started, or did not end by itself.
pub fn supervise(cli: &Cli, console: &mut Console) -> Result<u8, Failure> {
    let interrupt = console.host.interrupt();
    let failed = |error: io::Error| {
        Failure::Sandbox(Message::error(format!("sandbox: it cannot be started: {}", cause(&error))))
    };
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    ours.set_read_timeout(Some(TICK)).and_then(|()| ours.set_write_timeout(Some(TICK))).map_err(failed)?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.arg("--in-sandbox").args(std::env::args_os().skip(1)).env_clear();
    command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn().map_err(failed)?;
    // The command keeps the child's end of the socket open until it is dropped.
    drop(command);

    let mut supervised = Supervised { child, channel: ours, interrupt: &interrupt, ended: None };
    let mut broker = Broker::new(console.host, Grants::of(&cli.command));
    supervised.serve(&mut broker);
    let status = supervised.wait().map_err(failed)?;
    match supervised.ended {
        Some(Ended::Interrupted) => Err(Failure::Interrupted),
        None => exit_code(status),
    }
}

/// Why the supervisor ended the child.
#[derive(Clone, Copy)]
enum Ended {
    Interrupted,
}

struct Supervised<'a> {
    child: Child,
    channel: UnixStream,
    interrupt: &'a AtomicBool,
    ended: Option<Ended>,
}

impl Supervised<'_> {
    /// Answers until the child has nothing more to ask. What is wrong with the conversation shows in how the child ends.
    fn serve(&mut self, broker: &mut Broker) {
        while let Ok(Some(request)) = Request::receive(self) {
            let answer = broker.answer(request);
            if send_answer(self, &answer).is_err() {
                break;
            }
        }
    }

    /// Waits for the end of the child.
    fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if self.ended.is_none() && self.look_up().is_err() {
                return self.child.wait();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the child if it is time.
    fn look_up(&mut self) -> io::Result<()> {
        let ended = match () {
            () if self.interrupt.load(Ordering::Relaxed) => Ended::Interrupted,
            () => return Ok(()),
        };
        self.ended = Some(ended);
        self.child.kill()?;
        Err(io::ErrorKind::ConnectionAborted.into())
    }

    /// Does something with the socket, and looks up as long as the child makes it wait.
    fn patiently<T>(&mut self, mut act: impl FnMut(&mut UnixStream) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(&mut self.channel) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    self.look_up()?
                }
                done => return done,
            }
        }
    }
}

impl Read for Supervised<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.patiently(|channel| channel.read(into))
    }
}

impl Write for Supervised<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.patiently(|channel| channel.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A child must not outlive what went wrong here.
impl Drop for Supervised<'_> {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The exit code of a child that ended by itself.
fn exit_code(status: ExitStatus) -> Result<u8, Failure> {
    if let Some(code) = status.code() {
        return Ok(code as u8);
    }
    let signal = status.signal().unwrap_or_default();
    let named = |named: Signal| named.as_raw() == signal;
    let (name, why) = match () {
        () if named(Signal::INT) => return Err(Failure::Interrupted),
        () if named(Signal::SYS) => ("SIGSYS", "it asked the system for something that the sandbox forbids"),
        () if named(Signal::SEGV) => ("SIGSEGV", "it accessed memory that it does not have"),
        () if named(Signal::BUS) => ("SIGBUS", "it accessed memory that it does not have"),
        () if named(Signal::ILL) => ("SIGILL", "it executed what is no instruction"),
        () if named(Signal::FPE) => ("SIGFPE", "it divided by zero, or trapped"),
        () if named(Signal::ABORT) => ("SIGABRT", "it ran out of memory, or found itself inconsistent"),
        () if named(Signal::XCPU) => ("SIGXCPU", "it used up its processor time"),
        () if named(Signal::XFSZ) => ("SIGXFSZ", "it printed more than it may"),
        () if named(Signal::KILL) => {
            ("SIGKILL", "it used up its processor time, or somebody ended it: often the system, for want of memory")
        }
        () => return Err(Failure::Sandbox(ended(&format!("signal {signal}")))),
    };
    Err(Failure::Sandbox(ended(&format!("{name}: {why}"))))
}

fn ended(by: &str) -> Message {
    Message::error(format!("sandbox: the run was ended by {by}"))
        .fact("results that were not complete were not written")
}
