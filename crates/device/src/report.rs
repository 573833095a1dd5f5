//! Reports of strict mode: cache and wait commands that a client left out.

use crate::fault::MemoryClient;
use std::fmt;

/// A command that is missing in a command buffer.
///
/// In strict mode every cache of the device holds what it has until a command says otherwise: reads are served from
/// copies of memory that were taken when the cache was last invalidated (or from zeros, before that), and outputs stay
/// back until a flush, `wait_for_idle` or the end of the buffer. Where that makes a difference, it is reported. Buffers
/// count as a whole: a program that reads one part of a buffer while another part waits to be flushed is reported too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Id of the submission.
    pub buffer: u32,
    /// Index of the dword before which the command is missing.
    pub offset: usize,
    /// The guide's name of the missing command.
    pub missing: &'static str,
    /// Whose data was not what the client could expect; nobody's for `wait_for_idle`.
    pub client: Option<MemoryClient>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { buffer, offset, missing, message, remedy, .. } = self;
        write!(f, "buffer {buffer}, dword {offset}: {missing} is missing: {message} ({remedy})")
    }
}
