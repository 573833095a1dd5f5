//! Records which memory a buffer reaches, and how it changes: the content of a trace.

use crate::region::{PAGE, Region, Use};
use ctm_memory::Space;
use std::collections::{BTreeSet, HashMap};

type Page = [u8; PAGE as usize];

/// Bytes that memory has from an address on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// First address.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Follows memory through a sequence of buffers, page by page, as far as they reach it.
///
/// Pages that were never seen count as zero, as memory is when a device is opened.
#[derive(Debug)]
pub(crate) struct Recorder {
    memory: Space,
    known: HashMap<u32, Box<Page>>,
    /// Pages that the current buffer has reached.
    reached: BTreeSet<u32>,
    written: BTreeSet<u32>,
    before: Vec<Patch>,
}

impl Recorder {
    pub fn new(memory: Space) -> Self {
        Recorder {
            memory,
            known: HashMap::new(),
            reached: BTreeSet::new(),
            written: BTreeSet::new(),
            before: Vec::new(),
        }
    }

    /// The current buffer is about to read a region.
    pub fn reads(&mut self, region: Region) {
        for page in pages(&self.memory, &region) {
            if self.reached.insert(page) {
                let changed = self.update(page);
                extend(&mut self.before, changed);
            }
        }
    }

    /// The current buffer is about to write a region.
    pub fn writes(&mut self, region: Region) {
        self.reads(region);
        self.written.extend(pages(&self.memory, &region));
    }

    /// The current buffer is about to use a buffer of a program.
    pub fn uses(&mut self, used: &Use) {
        match used.written {
            true => self.writes(used.region),
            false => self.reads(used.region),
        }
    }

    /// Ends the current buffer: how memory differed from what was known before it, and how it changed since.
    pub fn end_buffer(&mut self) -> (Vec<Patch>, Vec<Patch>) {
        let mut after = Vec::new();
        for page in std::mem::take(&mut self.written) {
            let changed = self.update(page);
            extend(&mut after, changed);
        }
        self.reached.clear();
        let mut before = std::mem::take(&mut self.before);
        before.sort_by_key(|patch| patch.address);
        (before, after)
    }

    /// Learns what a page holds; gives the bytes from the first to the last that changed.
    fn update(&mut self, page: u32) -> Option<Patch> {
        let mut current: Box<Page> = Box::new([0; PAGE as usize]);
        self.memory.read_bytes(page, current.as_mut_slice()).ok()?;
        let known = self.known.get(&page).map_or(&[0; PAGE as usize], |known| &**known);
        let first = current.iter().zip(known).position(|(a, b)| a != b)?;
        let last = current.iter().zip(known).rposition(|(a, b)| a != b)?;
        let patch = Patch { address: page + first as u32, bytes: current[first..=last].to_vec() };
        self.known.insert(page, current);
        Some(patch)
    }
}

/// Appends a patch; one that begins where the last one ends becomes part of it.
fn extend(patches: &mut Vec<Patch>, patch: Option<Patch>) {
    let Some(patch) = patch else { return };
    match patches.last_mut() {
        Some(last) if u64::from(last.address) + last.bytes.len() as u64 == u64::from(patch.address) => {
            last.bytes.extend(patch.bytes);
        }
        _ => patches.push(patch),
    }
}

/// The mapped pages that a region touches.
fn pages(memory: &Space, region: &Region) -> Vec<u32> {
    region.mapped(memory).flat_map(|mapped| mapped.pages()).map(|part| part.base - part.base % PAGE).collect()
}
