//! The trace file. The format is described in `docs/trace.md`.

use super::{Step, Trace};
use crate::options::Options;
use crate::recorder::Patch;
use ctm_lane::run::MAX_GROUP_WIDTH;
use thiserror::Error;

/// First bytes of every trace.
const MAGIC: [u8; 8] = *b"CTMTRACE";
/// Version of the format.
const VERSION: u32 = 1;
/// Bytes of magic and version.
const HEADER_BYTES: usize = MAGIC.len() + 4;
/// Bytes of the checksum.
const CHECKSUM_BYTES: usize = 8;

const OPTIONS: [u8; 4] = *b"OPTS";
const BEFORE: [u8; 4] = *b"MEMO";
const SUBMIT: [u8; 4] = *b"SUBM";
const AFTER: [u8; 4] = *b"EXPE";
const FAULT: [u8; 4] = *b"FAUL";

/// Why bytes are not a trace. Offsets are in bytes from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// The magic is missing.
    #[error("this is not a trace: it does not begin with CTMTRACE")]
    Magic,
    /// Another version of the format.
    #[error("the trace has version {0} of the format, this program reads version {VERSION}")]
    Version(u32),
    /// The file ends too early.
    #[error("the trace is cut off: byte {offset} needs {needed} bytes more than there are")]
    Truncated {
        /// Where something begins that is not all there.
        offset: usize,
        /// Bytes that are missing.
        needed: u64,
    },
    /// The checksum is wrong.
    #[error("the trace is damaged: its checksum is {found:#018x}, its bytes have {computed:#018x}")]
    Checksum {
        /// What the file says.
        found: u64,
        /// What its bytes give.
        computed: u64,
    },
    /// A chunk that version 1 does not have, or not there.
    #[error("byte {offset}: unknown or unexpected chunk `{tag}`")]
    Chunk {
        /// Where the chunk begins.
        offset: usize,
        /// Its name.
        tag: String,
    },
    /// A chunk of the wrong size, or with a value that it cannot have.
    #[error("byte {offset}: the chunk `{tag}` is malformed")]
    Content {
        /// Where the chunk begins.
        offset: usize,
        /// Its name.
        tag: String,
    },
    /// More lanes in a group than there can be, or none.
    #[error("the option group_width is {0}: a group has 1 to {MAX_GROUP_WIDTH} lanes")]
    GroupWidth(u64),
}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

impl Trace {
    /// The bytes of the trace's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Vec::from(MAGIC);
        file.extend(VERSION.to_le_bytes());
        chunk(&mut file, OPTIONS, &[&options_text(&self.options).into_bytes()]);
        for step in &self.steps {
            step.before.iter().for_each(|patch| patch_chunk(&mut file, BEFORE, patch));
            chunk(&mut file, SUBMIT, &[&step.address.to_le_bytes(), &step.words.to_le_bytes()]);
            step.after.iter().for_each(|patch| patch_chunk(&mut file, AFTER, patch));
            if let Some((code, detail)) = step.fault {
                chunk(&mut file, FAULT, &[&code.to_le_bytes(), &detail.to_le_bytes()]);
            }
        }
        file.extend(checksum(&file).to_le_bytes());
        file
    }

    /// Reads the bytes of a trace's file.
    ///
    /// # Errors
    /// The bytes are not a trace, or damaged; see [`TraceError`].
    pub fn from_bytes(file: &[u8]) -> Result<Trace, TraceError> {
        if !file.starts_with(&MAGIC) {
            return Err(TraceError::Magic);
        }
        let truncated = |offset: usize, end: u64| TraceError::Truncated { offset, needed: end - file.len() as u64 };
        let version = file[MAGIC.len()..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        match version {
            None => return Err(truncated(MAGIC.len(), HEADER_BYTES as u64)),
            Some(VERSION) => {}
            Some(version) => return Err(TraceError::Version(version)),
        }
        let Some((body, found)) =
            file.split_last_chunk::<CHECKSUM_BYTES>().filter(|(body, _)| body.len() >= HEADER_BYTES)
        else {
            return Err(truncated(HEADER_BYTES, (HEADER_BYTES + CHECKSUM_BYTES) as u64));
        };
        let (found, computed) = (u64::from_le_bytes(*found), checksum(body));
        if found != computed {
            return Err(TraceError::Checksum { found, computed });
        }
        read_chunks(body)
    }
}

fn chunk(file: &mut Vec<u8>, tag: [u8; 4], parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    file.extend(tag);
    file.extend((length as u32).to_le_bytes());
    parts.iter().for_each(|part| file.extend(*part));
}

fn patch_chunk(file: &mut Vec<u8>, tag: [u8; 4], patch: &Patch) {
    chunk(file, tag, &[&patch.address.to_le_bytes(), &patch.bytes]);
}

fn read_chunks(body: &[u8]) -> Result<Trace, TraceError> {
    let mut options = None;
    let mut steps: Vec<Step> = Vec::new();
    let mut before = Vec::new();
    let mut at = HEADER_BYTES;
    while at < body.len() {
        let (offset, header) = (at, body[at..].first_chunk::<8>());
        let Some([t0, t1, t2, t3, length @ ..]) = header else {
            return Err(TraceError::Truncated { offset, needed: (at + 8 - body.len()) as u64 });
        };
        let (tag, length) = ([*t0, *t1, *t2, *t3], u32::from_le_bytes(*length) as usize);
        let Some(content) = body[at + 8..].get(..length) else {
            return Err(TraceError::Truncated { offset, needed: (at + 8 + length - body.len()) as u64 });
        };
        at += 8 + length;
        let name = || String::from_utf8_lossy(&tag).into_owned();
        let malformed = || TraceError::Content { offset, tag: name() };
        let words: [Option<u32>; 2] =
            [0, 4].map(|at| content.get(at..at + 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)));
        let patch = || {
            let bytes = content.get(4..).filter(|bytes| !bytes.is_empty())?;
            Some(Patch { address: words[0]?, bytes: bytes.to_vec() })
        };
        match (tag, steps.last_mut()) {
            (OPTIONS, None) if options.is_none() && before.is_empty() => {
                let text = std::str::from_utf8(content).map_err(|_| malformed())?;
                options = Some(parse_options(text, malformed)?);
            }
            (BEFORE, _) if options.is_some() => before.push(patch().ok_or_else(malformed)?),
            (SUBMIT, _) if options.is_some() => {
                let [Some(address), Some(words)] = words else { return Err(malformed()) };
                steps.push(Step { before: std::mem::take(&mut before), address, words, ..Step::default() });
            }
            (AFTER, Some(step)) if before.is_empty() => step.after.push(patch().ok_or_else(malformed)?),
            (FAULT, Some(step)) if before.is_empty() && step.fault.is_none() => {
                let [Some(code), Some(detail)] = words else { return Err(malformed()) };
                step.fault = Some((code, detail));
            }
            _ => return Err(TraceError::Chunk { offset, tag: name() }),
        }
    }
    let options = options.ok_or(TraceError::Chunk { offset: HEADER_BYTES, tag: "OPTS".to_string() })?;
    Ok(Trace { options, steps })
}

/// The options as text: a line for each, name and number.
fn options_text(options: &Options) -> String {
    let numbers = numbers(options);
    numbers.iter().map(|(name, number)| format!("{name}={number}\n")).collect()
}

fn numbers(options: &Options) -> [(&'static str, u64); 8] {
    // The engine stays out: it changes nothing, and another host may not have it. So do the limits: they are for the host that
    // executes.
    let Options {
        local_bytes,
        host_bytes,
        engine: _,
        group_width,
        threads,
        step_limit,
        limits: _,
        unfused,
        deterministic_clock,
        strict,
    } = *options;
    [
        ("local_bytes", local_bytes.into()),
        ("host_bytes", host_bytes.into()),
        // A run brings it inside, so this changes nothing.
        ("group_width", group_width.clamp(1, MAX_GROUP_WIDTH) as u64),
        ("threads", threads as u64),
        ("step_limit", step_limit),
        ("unfused", unfused.into()),
        ("deterministic_clock", deterministic_clock.into()),
        ("strict", strict.into()),
    ]
}

/// Options from their text; those that it does not name have their default.
fn parse_options(text: &str, malformed: impl Fn() -> TraceError) -> Result<Options, TraceError> {
    let mut options = Options::default();
    for line in text.lines() {
        let (name, number) = line.split_once('=').ok_or_else(&malformed)?;
        let number: u64 = number.parse().map_err(|_| malformed())?;
        match name {
            "local_bytes" => options.local_bytes = number.try_into().map_err(|_| malformed())?,
            "host_bytes" => options.host_bytes = number.try_into().map_err(|_| malformed())?,
            "group_width" => {
                let width = usize::try_from(number).ok().filter(|width| (1..=MAX_GROUP_WIDTH).contains(width));
                options.group_width = width.ok_or(TraceError::GroupWidth(number))?;
            }
            "threads" => options.threads = number.try_into().map_err(|_| malformed())?,
            "step_limit" => options.step_limit = number,
            "unfused" => options.unfused = number != 0,
            "deterministic_clock" => options.deterministic_clock = number != 0,
            "strict" => options.strict = number != 0,
            _ => return Err(malformed()),
        }
    }
    Ok(options)
}
