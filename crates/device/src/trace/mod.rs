//! Traces: what a device executed, in one file, so that it can be executed again and compared.

mod file;
mod replay;

pub use file::TraceError;
pub use replay::{Difference, Mismatch, Replay, replay};

use crate::fault::Fault;
use crate::options::Options;
use crate::recorder::Patch;

/// One submission of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// How memory changed since the end of the submission before, as far as this one reaches it.
    pub before: Vec<Patch>,
    /// Address of the command buffer.
    pub address: u32,
    /// Number of 32-bit words of the command buffer.
    pub words: u32,
    /// How the submission changed memory, in ascending order of addresses.
    pub after: Vec<Patch>,
    /// The first error in it: code and detail as the C interface reports them.
    pub fault: Option<(u32, u32)>,
}

/// What a device executed: everything needed to execute it again, and the results.
///
/// ```
/// use ctm_device::command::{Command, encode};
/// use ctm_device::{Connection, HOST_BASE, Options, Trace, replay};
///
/// let device = Connection::open_recording(Options { deterministic_clock: true, ..Options::default() })?;
/// let counters = HOST_BASE + 0x800;
/// let words = encode([
///     Command::InitPerfCounters { enable: true },
///     Command::StartProgram,
///     Command::ReadPerfCounters { base: counters },
/// ]);
/// device.write_words(HOST_BASE, &words)?;
/// device.submit(HOST_BASE, words.len() as u32)?;
///
/// let file = device.take_trace().unwrap().to_bytes();
/// let trace = Trace::from_bytes(&file)?;
/// assert_eq!(trace.steps[0].fault, Some((3, 2)), "there was no program to start");
/// assert!(replay(&trace, trace.options)?.differences.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Options of the device.
    pub options: Options,
    /// The submissions, in order.
    pub steps: Vec<Step>,
}

/// A trace in the making.
#[derive(Debug)]
pub(crate) struct Recording {
    trace: Trace,
}

impl Recording {
    pub fn new(options: Options) -> Self {
        Recording { trace: Trace { options, steps: Vec::new() } }
    }

    pub fn add(&mut self, before: Vec<Patch>, address: u32, words: u32, after: Vec<Patch>, fault: Option<&Fault>) {
        let fault = fault.map(|fault| (fault.code() as u32, fault.detail()));
        self.trace.steps.push(Step { before, address, words, after, fault });
    }

    pub fn trace(&self) -> Trace {
        self.trace.clone()
    }
}
