//! Traces executed again.

use super::Trace;
use crate::open::{OpenError, map};
use crate::options::Options;
use crate::processor::Processor;
use crate::recorder::Patch;
use crate::report::Report;
use std::fmt;

/// Differences that are listed one by one.
const MOST_DIFFERENCES: usize = 100;

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Submissions executed.
    pub submissions: usize,
    /// Bytes of results compared.
    pub bytes_compared: u64,
    /// What came out otherwise than the trace says, at most 100 of it.
    pub differences: Vec<Difference>,
    /// What strict mode found, if the options ask for it.
    pub reports: Vec<Report>,
}

/// Something that came out otherwise than the trace says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which submission, from 0.
    pub step: usize,
    /// What differs.
    pub mismatch: Mismatch,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The first byte of a stretch of memory that is not as the trace has it.
    Memory {
        /// Address of the byte.
        address: u32,
        /// What it is in the trace.
        expected: u8,
        /// What it is here; nothing if no memory is there.
        found: Option<u8>,
        /// Bytes of the stretch that differ.
        bytes: usize,
    },
    /// Memory changed here that did not change when the trace was made.
    Changed {
        /// First address.
        address: u32,
        /// Bytes.
        bytes: usize,
    },
    /// Another error, or none, or one more.
    Fault {
        /// Code and detail in the trace.
        expected: Option<(u32, u32)>,
        /// Code and detail here.
        found: Option<(u32, u32)>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "submission {}: ", self.step)?;
        let fault = |fault: &Option<(u32, u32)>| match fault {
            Some((code, detail)) => format!("error {code} (detail {detail})"),
            None => "no error".to_string(),
        };
        match &self.mismatch {
            Mismatch::Memory { address, expected, found: None, .. } => {
                write!(f, "{address:#010x} is not mapped, the trace has {expected:#04x} there")
            }
            Mismatch::Memory { address, expected, found: Some(found), bytes } => {
                write!(f, "{address:#010x} is {found:#04x}, the trace has {expected:#04x}; {bytes} bytes differ here")
            }
            Mismatch::Changed { address, bytes } => {
                write!(f, "{bytes} bytes at {address:#010x} changed, they did not when the trace was made")
            }
            Mismatch::Fault { expected, found } => write!(f, "{}, the trace has {}", fault(found), fault(expected)),
        }
    }
}

/// Executes a trace on a new device and compares memory and errors after each submission.
///
/// `options` are those of the new device: [`Trace::options`], or changed ones to see what they change.
///
/// # Errors
/// No device with these options can be opened.
pub fn replay(trace: &Trace, options: Options) -> Result<Replay, OpenError> {
    let memory = map(&options)?;
    let mut processor = Processor::new(memory.clone(), options)?;
    processor.record();
    let mut replay = Replay::default();
    for (step, recorded) in trace.steps.iter().enumerate() {
        let mut differs = |mismatch| replay.differences.push(Difference { step, mismatch });
        for patch in &recorded.before {
            if memory.write_bytes(patch.address, &patch.bytes).is_err() {
                differs(Mismatch::Memory { address: patch.address, expected: patch.bytes[0], found: None, bytes: 1 });
            }
        }
        let result = processor.execute_at(step as u32 + 1, recorded.address, recorded.words);
        let found = result.err().map(|fault| (fault.code() as u32, fault.detail()));
        if found != recorded.fault {
            differs(Mismatch::Fault { expected: recorded.fault, found });
        }
        recorded.after.iter().filter_map(|patch| compare(&memory, patch)).for_each(&mut differs);
        let (_, after) = processor.end_record().unwrap_or_default();
        let expected = |patch: &Patch| recorded.after.iter().any(|other| covers(other, patch));
        for patch in after.iter().filter(|patch| !expected(patch)) {
            differs(Mismatch::Changed { address: patch.address, bytes: patch.bytes.len() });
        }
        replay.bytes_compared += recorded.after.iter().map(|patch| patch.bytes.len() as u64).sum::<u64>();
        replay.submissions += 1;
        replay.reports.extend(processor.take_reports());
        if replay.differences.len() > MOST_DIFFERENCES {
            replay.differences.truncate(MOST_DIFFERENCES);
            break;
        }
    }
    Ok(replay)
}

/// How memory differs from a patch.
fn compare(memory: &ctm_memory::Space, patch: &Patch) -> Option<Mismatch> {
    let mut bytes = vec![0; patch.bytes.len()];
    if memory.read_bytes(patch.address, &mut bytes).is_err() {
        return Some(Mismatch::Memory { address: patch.address, expected: patch.bytes[0], found: None, bytes: 1 });
    }
    let differs = |at: &usize| bytes[*at] != patch.bytes[*at];
    let first = (0..bytes.len()).find(differs)?;
    Some(Mismatch::Memory {
        address: patch.address + first as u32,
        expected: patch.bytes[first],
        found: Some(bytes[first]),
        bytes: (0..bytes.len()).filter(differs).count(),
    })
}

/// Whether all bytes of `patch` are in `other`.
fn covers(other: &Patch, patch: &Patch) -> bool {
    let end = |patch: &Patch| u64::from(patch.address) + patch.bytes.len() as u64;
    other.address <= patch.address && end(patch) <= end(other)
}
