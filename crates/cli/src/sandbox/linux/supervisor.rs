//! The process that starts the child, answers it, and reports how it ended.

use super::broker::Broker;
use super::protocol::{Request, send_answer};
use crate::execution::Execution;
use crate::failure::cause;
use crate::report::Message;
use crate::{Console, Failure};
use rustix::process::Signal;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the supervisor looks up from its work.
const TICK: Duration = Duration::from_millis(20);
/// What the child has besides the time of its run: for reading and assembling in front of it, and for converting results.
const GRACE: Duration = Duration::from_secs(30);
/// Variables of the environment that the child gets: how messages look.
const ENVIRONMENT: [&str; 8] =
    ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TERM", "COLUMNS", "LANG", "LC_ALL"];

/// Runs the command of this process in a child that can do nothing but compute, and gives its exit code.
///
/// # Errors
/// The child cannot be started, or did not end by itself.
pub fn supervise(execution: &dyn Execution, console: &mut Console) -> Result<u8, Failure> {
    let interrupt = console.host.interrupt();
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    ours.set_read_timeout(Some(TICK)).and_then(|()| ours.set_write_timeout(Some(TICK))).map_err(failed)?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.arg("--in-sandbox").args(std::env::args_os().skip(1)).env_clear();
    command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn().map_err(failed)?;
    // The command keeps the child's end of the socket open until it is dropped.
    drop(command);

    let deadline = time(execution).and_then(|time| Instant::now().checked_add(time));
    let supervised = Supervised { child, channel: ours, interrupt: &interrupt, deadline, ended: None };
    supervised.exit_code(&mut Broker::new(console.host, execution.files()))
}

fn failed(error: io::Error) -> Failure {
    Failure::Sandbox(Message::error(format!("sandbox: cannot start: {}", cause(&error))))
}

/// Time that the child of a command may take.
fn time(execution: &dyn Execution) -> Option<Duration> {
    execution.time_limit()?.checked_add(GRACE)
}

/// Why the supervisor ended the child.
#[derive(Clone, Copy)]
enum Ended {
    Interrupted,
    Late,
}

struct Supervised<'a> {
    child: Child,
    channel: UnixStream,
    interrupt: &'a AtomicBool,
    /// When the child is to be complete.
    deadline: Option<Instant>,
    ended: Option<Ended>,
}

impl Supervised<'_> {
    /// Serves the child to its end, and gives its exit code.
    fn exit_code(mut self, broker: &mut Broker) -> Result<u8, Failure> {
        self.serve(broker);
        let status = self.wait().map_err(failed)?;
        match self.ended {
            Some(Ended::Interrupted) => Err(Failure::Interrupted),
            Some(Ended::Late) => {
                let late = format!("the supervisor: it was not complete {} s after its time was over", GRACE.as_secs());
                Err(Failure::Sandbox(ended(&late).help("raise --timeout SECONDS, or --timeout none")))
            }
            None => exit_code(status),
        }
    }

    /// Answers until the child has nothing more to ask. What is wrong with the conversation shows in how the child ends.
    fn serve(&mut self, broker: &mut Broker) {
        while let Ok(Some(request)) = Request::receive(self) {
            let asked = Instant::now();
            let answer = broker.answer(request);
            // What the disks take is not the child's time.
            self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(asked.elapsed()));
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
            () if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) => Ended::Late,
            () => return Ok(()),
        };
        self.ended = Some(ended);
        self.child.kill()?;
        Err(io::ErrorKind::ConnectionAborted.into())
    }

    /// Does something with the socket, and looks up as long as the child makes it wait.
    fn retry<T>(&mut self, mut act: impl FnMut(&mut UnixStream) -> io::Result<T>) -> io::Result<T> {
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
        self.retry(|channel| channel.read(into))
    }
}

impl Write for Supervised<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(|channel| channel.write(bytes))
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
        () if named(Signal::ILL) => ("SIGILL", "it executed an invalid instruction"),
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
    Message::error(format!("sandbox: the run was ended by {by}")).with_note("incomplete results were not written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cli;
    use crate::args::Command as Parsed;
    use crate::execution::NamedFiles;
    use crate::host::Local;
    use clap::Parser;

    fn command(line: &str) -> Parsed {
        Cli::try_parse_from(line.split_whitespace()).expect("a command line").command
    }

    #[test]
    fn the_child_has_its_time_and_the_grace() {
        let of = |line: &str| time(command(line).execution().expect("a command that executes"));
        assert_eq!(of("ctm run a.x1k --sandbox --timeout 5"), Some(Duration::from_secs(35)));
        assert_eq!(of("ctm run a.x1k --sandbox --timeout none"), None);
        assert_eq!(of("ctm run a.x1k --sandbox"), None);
        assert_eq!(of("ctm replay a.trace --sandbox --timeout 5"), None);
    }

    #[test]
    fn the_signal_that_ended_a_child_is_named() {
        for (signal, name) in [
            (Signal::SYS, "SIGSYS: it asked"),
            (Signal::SEGV, "SIGSEGV: it accessed"),
            (Signal::BUS, "SIGBUS: it accessed"),
            (Signal::ILL, "SIGILL: it executed"),
            (Signal::FPE, "SIGFPE: it divided"),
            (Signal::ABORT, "SIGABRT: it ran out"),
            (Signal::XCPU, "SIGXCPU: it used"),
            (Signal::XFSZ, "SIGXFSZ: it printed"),
            (Signal::KILL, "SIGKILL: it used"),
            (Signal::USR2, "signal 12"),
        ] {
            let message = format!("{:?}", exit_code(ExitStatus::from_raw(signal.as_raw())));
            assert!(message.contains("Sandbox(") && message.contains(name), "{message}");
        }
        assert!(matches!(exit_code(ExitStatus::from_raw(Signal::INT.as_raw())), Err(Failure::Interrupted)));
        assert!(matches!(exit_code(ExitStatus::from_raw(3 << 8)), Ok(3)));
    }

    /// A child that was taken over need not end by itself: one asks for nothing, the other closes its socket too.
    #[test]
    fn a_child_that_is_late_is_ended() {
        for script in ["exec sleep 1000", "exec sleep 1000 0<&-"] {
            let (ours, theirs) = UnixStream::pair().expect("sockets");
            ours.set_read_timeout(Some(TICK)).expect("a timeout");
            let child = Command::new("sh").args(["-c", script]).stdin(Stdio::from(OwnedFd::from(theirs))).spawn();
            let child = child.expect("sh starts");
            let process = child.id();
            let deadline = Instant::now() + Duration::from_millis(300);
            let interrupt = AtomicBool::new(false);
            let supervised =
                Supervised { child, channel: ours, interrupt: &interrupt, deadline: Some(deadline), ended: None };
            let host = Local::default();
            let mut broker = Broker::new(&host, NamedFiles::default());
            let Err(Failure::Sandbox(message)) = supervised.exit_code(&mut broker) else {
                panic!("{script}: it was not ended");
            };
            let message = format!("{message:?}");
            assert!(message.contains("ended by the supervisor: it was not complete 30 s after"), "{message}");
            assert!(Instant::now() >= deadline, "{script}: it was ended too early");
            assert!(!std::path::Path::new(&format!("/proc/{process}")).exists(), "{script}: it lives on");
        }
    }
}
