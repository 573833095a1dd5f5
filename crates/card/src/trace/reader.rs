//! Reads trace files.

use super::{FIRST_VERSION, FRAME, MAGIC, NAME, PAGE, RECORD, VERSION, ZEROS};
use crate::{Object, Submission};
use ctm_memory::Arena;
use std::io::{self, Read};

/// More command words than this are none that a driver submitted.
const MAX_WORDS: u32 = 1 << 20;
/// More objects.
const MAX_OBJECTS: u32 = 1 << 20;
/// More pages: all of the address space.
const MAX_PAGES: u32 = 1 << 20;

/// Why a file cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It begins otherwise.
    #[error("not a trace of a card: it does not begin with `CTM CARD`; `ctm card record` writes traces")]
    NoTrace,
    /// Another version's.
    #[error("a trace of version {version}; versions that can be read: {FIRST_VERSION} to {VERSION}")]
    Version {
        /// Its version.
        version: u32,
    },
    /// It ends too early.
    #[error("the trace ends at byte {at}, in {part}; what is before can be executed")]
    Ends {
        /// Bytes of the file.
        at: u64,
        /// Of what a part is missing.
        part: &'static str,
    },
    /// Something else stands where a record begins.
    #[error("no record begins at byte {at}: the trace is damaged")]
    NoRecord {
        /// Byte of the file.
        at: u64,
    },
    /// A number that is too large.
    #[error("the record at byte {at} has {count} {part}; there are {limit} at most: the trace is damaged")]
    TooMany {
        /// Byte of the file.
        at: u64,
        /// Of what.
        part: &'static str,
        /// How many.
        count: u32,
        /// At most.
        limit: u32,
    },
    /// An object or a page that leaves the card's memory.
    #[error(
        "the record at byte {at} has {part} at {address:#010x}, outside of the card's memory: the trace is damaged"
    )]
    Outside {
        /// Byte of the file.
        at: u64,
        /// An object, or a page.
        part: &'static str,
        /// Its address.
        address: u32,
    },
    /// The file cannot be read.
    #[error("cannot be read at byte {at}: {error}")]
    Io {
        /// Byte of the file.
        at: u64,
        /// What the host says.
        error: io::Error,
    },
}

/// A page that the driver changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Card address of its first byte.
    pub address: u32,
    /// What it holds; empty if that is zeros.
    pub bytes: Vec<u8>,
}

/// One submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// Byte of the file that it begins at.
    pub at: u64,
    /// Frames that were presented before it.
    pub frame: usize,
    /// The command words.
    pub words: Vec<u32>,
    /// The objects that they name.
    pub objects: Vec<Object>,
    /// What the driver changed in them since the last record.
    pub pages: Vec<Page>,
    /// The objects in which it changed nothing.
    untouched: Vec<Object>,
}

/// The objects of which no byte is in one of these pages.
fn untouched(objects: &[Object], pages: &[Page]) -> Vec<Object> {
    let mut pages: Vec<u64> = pages.iter().map(|page| page.address.into()).collect();
    pages.sort_unstable();
    let is_untouched = |object: &&Object| {
        let (first, end) = (u64::from(object.address), u64::from(object.address) + u64::from(object.size));
        let next = pages.partition_point(|page| page + PAGE as u64 <= first);
        pages.get(next).is_none_or(|&page| page >= end)
    };
    objects.iter().filter(is_untouched).copied().collect()
}

impl TraceRecord {
    /// Writes the pages.
    pub fn write_pages(&self, memory: &Arena) {
        for page in &self.pages {
            let bytes = if page.bytes.is_empty() { &[0; PAGE] } else { &page.bytes[..] };
            memory.write_bytes(page.address, bytes);
        }
    }

    /// What is to be executed then.
    pub fn submission(&self) -> Submission<'_> {
        Submission { words: &self.words, objects: &self.objects, untouched: &self.untouched }
    }
}

/// Reads a trace file, a record at a time.
#[derive(Debug)]
pub struct TraceReader<R> {
    file: R,
    /// Bytes that were read.
    at: u64,
    card: String,
    device: u32,
    /// Frames that were presented.
    frames: usize,
    /// After an error nothing more can be read.
    is_over: bool,
}

impl<R: Read> TraceReader<R> {
    /// Reads the header.
    pub fn new(file: R) -> Result<Self, TraceError> {
        let mut reader = TraceReader { file, at: 0, card: String::new(), device: 0, frames: 0, is_over: false };
        let magic = reader.bytes(MAGIC.len(), "the header");
        if !matches!(&magic, Ok(bytes) if *bytes == MAGIC) && !matches!(magic, Err(TraceError::Io { .. })) {
            return Err(TraceError::NoTrace);
        }
        magic?;
        let [version, device] = reader.dwords("the header")?;
        if !(FIRST_VERSION..=VERSION).contains(&version) {
            return Err(TraceError::Version { version });
        }
        let name = reader.bytes(NAME, "the header")?;
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        reader.card = String::from_utf8_lossy(name).into_owned();
        reader.device = device;
        Ok(reader)
    }

    /// Name of the card that it was recorded on, as [`crate::Identity::name`].
    pub fn card(&self) -> &str {
        &self.card
    }

    /// PCI device number of that card.
    pub fn device(&self) -> u32 {
        self.device
    }

    /// Frames that were presented before what is read next.
    pub fn frames(&self) -> usize {
        self.frames
    }

    fn record(&mut self) -> Result<Option<TraceRecord>, TraceError> {
        let mut at = self.at;
        let mut beginning = self.up_to(RECORD.len())?;
        while beginning == FRAME {
            self.frames += 1;
            at = self.at;
            beginning = self.up_to(RECORD.len())?;
        }
        if beginning.is_empty() {
            return Ok(None);
        }
        if beginning.len() < RECORD.len() {
            return Err(TraceError::Ends { at: self.at, part: "the beginning of a record" });
        }
        if beginning != RECORD {
            return Err(TraceError::NoRecord { at });
        }
        let [words, objects, pages] = self.dwords("the beginning of a record")?;
        let limits =
            [("command words", words, MAX_WORDS), ("objects", objects, MAX_OBJECTS), ("pages", pages, MAX_PAGES)];
        for (part, count, limit) in limits {
            if count > limit {
                return Err(TraceError::TooMany { at, part, count, limit });
            }
        }
        let words = self.dword_array(words as usize, "command words")?;
        let objects = self.dword_array(2 * objects as usize, "objects")?;
        let objects: Vec<_> = objects.chunks(2).map(|object| Object { address: object[0], size: object[1] }).collect();
        let leaves = |object: &&Object| {
            object.address < PAGE as u32 || u64::from(object.address) + u64::from(object.size) > 1 << 32
        };
        if let Some(object) = objects.iter().find(leaves) {
            return Err(TraceError::Outside { at, part: "an object", address: object.address });
        }
        let mut changed = Vec::new();
        for _ in 0..pages {
            let [place] = self.dwords("a page")?;
            let address = place & !ZEROS;
            if !address.is_multiple_of(PAGE as u32) || address == 0 {
                return Err(TraceError::Outside { at, part: "a page", address });
            }
            let bytes = if place & ZEROS == 0 { self.bytes(PAGE, "a page")? } else { Vec::new() };
            changed.push(Page { address, bytes });
        }
        let untouched = untouched(&objects, &changed);
        Ok(Some(TraceRecord { at, frame: self.frames, words, objects, pages: changed, untouched }))
    }

    fn dwords<const N: usize>(&mut self, part: &'static str) -> Result<[u32; N], TraceError> {
        let dwords = self.dword_array(N, part)?;
        Ok(std::array::from_fn(|n| dwords[n]))
    }

    fn dword_array(&mut self, count: usize, part: &'static str) -> Result<Vec<u32>, TraceError> {
        let bytes = self.bytes(4 * count, part)?;
        let (dwords, _) = bytes.as_chunks::<4>();
        Ok(dwords.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    /// So many bytes.
    fn bytes(&mut self, count: usize, part: &'static str) -> Result<Vec<u8>, TraceError> {
        let bytes = self.up_to(count)?;
        if bytes.len() < count { Err(TraceError::Ends { at: self.at, part }) } else { Ok(bytes) }
    }

    /// So many bytes, or what is left. They take no memory before they are there.
    fn up_to(&mut self, count: usize) -> Result<Vec<u8>, TraceError> {
        let mut bytes = Vec::new();
        let read = self.file.by_ref().take(count as u64).read_to_end(&mut bytes);
        self.at += bytes.len() as u64;
        read.map_err(|error| TraceError::Io { at: self.at, error })?;
        Ok(bytes)
    }
}

impl<R: Read> Iterator for TraceReader<R> {
    type Item = Result<TraceRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let record = self.record();
        self.is_over = !matches!(record, Ok(Some(_)));
        record.transpose()
    }
}
