//! Failures of commands, with their exit codes.

use crate::report::{Message, diagnostic};
use crate::wording::number_of;
use ctm_codegen::NoEngine;
use ctm_lane::budget::{self, Halt};
use ctm_text::Diagnostic;
use std::io;

/// Why a command did not finish.
#[derive(Debug)]
pub enum Failure {
    /// The program or an input is wrong, or a file cannot be read or written.
    Input(Vec<Message>),
    /// A program or an input of `ctm diff` is wrong, where 1 says that results differ.
    Compared(Vec<Message>),
    /// Results differ. What was printed says where.
    Different,
    /// The command line asks for something that there is not.
    Usage(Message),
    /// The program trapped.
    Trap(Message),
    /// The run would need more than it may use, or than the host has.
    Limit(Message),
    /// There is no sandbox, or it ended the command.
    Sandbox(Message),
    /// A bug of the engine was stopped before it did harm.
    Bug(Message),
    /// There were so many warnings, and `--strict` makes them errors.
    Warnings(usize),
    /// A program that was started ended with this code. It has said why.
    Program(u8),
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Standard output does not take more.
    Output(io::Error),
}

impl Failure {
    /// Exit code of the process. A reader that closes its end of a pipe is content with what it has.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Failure::Input(_) | Failure::Output(_) | Failure::Warnings(_) | Failure::Different => 1,
            Failure::Usage(_) | Failure::Compared(_) => 2,
            Failure::Trap(_) => 3,
            Failure::Limit(_) => 4,
            Failure::Sandbox(_) => 5,
            Failure::Bug(_) => 6,
            Failure::Program(code) => *code,
            Failure::Interrupted => 130,
        }
    }

    /// The same, of one of the runs of `ctm diff`.
    pub fn of_run(self, name: &str) -> Self {
        let noted = |message: Message| message.with_note(format!("in run {name}"));
        match self {
            Failure::Input(messages) | Failure::Compared(messages) => {
                Failure::Compared(messages.into_iter().map(noted).collect())
            }
            Failure::Usage(message) => Failure::Usage(noted(message)),
            Failure::Trap(message) => Failure::Trap(noted(message)),
            Failure::Limit(message) => Failure::Limit(noted(message)),
            Failure::Sandbox(message) => Failure::Sandbox(noted(message)),
            Failure::Bug(message) => Failure::Bug(noted(message)),
            Failure::Different
            | Failure::Warnings(_)
            | Failure::Program(_)
            | Failure::Interrupted
            | Failure::Output(_) => self,
        }
    }

    /// The messages for people.
    pub fn into_messages(self) -> Vec<Message> {
        match self {
            Failure::Input(messages) | Failure::Compared(messages) => messages,
            Failure::Usage(message)
            | Failure::Trap(message)
            | Failure::Limit(message)
            | Failure::Sandbox(message)
            | Failure::Bug(message) => {
                vec![message]
            }
            Failure::Warnings(count) => {
                let warnings = number_of(count, "warning");
                vec![Message::error(format!("{warnings}, and --strict makes warnings errors; no output was written"))]
            }
            Failure::Program(_) | Failure::Different => Vec::new(),
            Failure::Interrupted => vec![Message::error("interrupted; no output was written")],
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Vec::new(),
            Failure::Output(error) => vec![Message::error(format!("cannot write standard output: {}", cause(&error)))],
        }
    }
}

impl From<Message> for Failure {
    fn from(message: Message) -> Self {
        Failure::Input(vec![message])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure::Input(diagnostics.iter().map(diagnostic).collect())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<Halt> for Failure {
    fn from(halt: Halt) -> Self {
        let message = Message::error(halt.to_string());
        Failure::Limit(match halt {
            Halt::Cancelled => return Failure::Interrupted,
            Halt::Instructions => message.help("raise --instruction-limit, or leave it out"),
            Halt::Deadline => message.help("raise --timeout SECONDS, or --timeout none"),
            Halt::GroupTime { .. } => {
                message.help("if it is not an infinite loop, raise --group-timeout SECONDS, or --group-timeout none")
            }
            Halt::HostAccess { .. } => {
                return Failure::Bug(message.help(
                    "this is a bug in ctm's code generator, which was stopped safely: please report it, with the program and \
                     its inputs; --engine reference runs the program",
                ));
            }
            Halt::Memory { .. } => message.help("raise --memory SIZE, or use fewer --threads or smaller groups"),
            Halt::NoMemory { .. } => message.help("use fewer --threads, or a smaller domain or draw"),
        })
    }
}

/// Bytes that go with large allocations: headers of files, and what the host rounds sizes up to.
const SPARE: u64 = 1 << 20;

/// Makes sure that the host has so many bytes of memory for what comes next, which has no error for that.
pub fn require_memory(bytes: u64) -> Result<(), Failure> {
    Ok(budget::require(bytes.saturating_add(SPARE))?)
}

/// The host cannot have an engine that the command line names.
pub fn no_engine(error: NoEngine) -> Failure {
    Failure::Usage(Message::error(error.to_string()).help("use --engine interp, or leave --engine out"))
}

/// What the system says, without its number.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
