//! Failures of checks, as lines of workers and exit codes.

use crate::forms::DISAGREEMENT;
use std::any::Any;
use std::process::{ExitCode, ExitStatus};
use std::thread;

/// How a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Engines disagree, or something else is not as it has to be.
    Difference,
    /// It panicked for another reason.
    Panic,
    /// Its process died.
    Crash,
    /// It took too long.
    Hang,
}

/// Exit code of a check whose file says nothing that can be checked.
pub const INVALID: u8 = 3;

impl Failure {
    const ALL: [Self; 4] = [Self::Difference, Self::Panic, Self::Crash, Self::Hang];

    /// In lines of workers and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Difference => "difference",
            Self::Panic => "panic",
            Self::Crash => "crash",
            Self::Hang => "hang",
        }
    }

    /// Of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|failure| failure.name() == name)
    }

    /// The exit code of a process that ends because of it.
    pub fn code(self) -> u8 {
        match self {
            Self::Difference => 1,
            Self::Panic => 4,
            Self::Hang => 5,
            Self::Crash => 6,
        }
    }

    /// Of a process that ended so; `None` if it found nothing. A code that nobody has chosen is a crash, as is a signal.
    pub fn of_process(status: ExitStatus) -> Option<Self> {
        let code = status.code();
        if status.success() || code == Some(INVALID.into()) {
            return None;
        }
        Some(Self::ALL.into_iter().find(|failure| code == Some(failure.code().into())).unwrap_or(Self::Crash))
    }

    /// Of a check, and what it says; `None` if it found nothing. Some checks panic where engines disagree.
    pub fn of_check(checked: thread::Result<Result<(), String>>) -> Option<(Self, String)> {
        match checked {
            Ok(Ok(())) => None,
            Ok(Err(difference)) => Some((Self::Difference, difference)),
            Err(panic) => {
                let text = message(&*panic);
                let failure = if text.contains(DISAGREEMENT) { Self::Difference } else { Self::Panic };
                Some((failure, format!("panic: {text}")))
            }
        }
    }

    /// The exit code of the check of a file. What differs says so; any other error is about the file itself.
    pub fn code_of_file(found: Option<&(Self, String)>) -> ExitCode {
        ExitCode::from(match found {
            None => 0,
            Some((Self::Difference, text)) if !text.contains(DISAGREEMENT) => INVALID,
            Some((failure, _)) => failure.code(),
        })
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
