//! Pages of memory that caches hold.

use crate::region::{PAGE, Region};
use ctm_memory::Space;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The bytes of a page.
pub(super) type Page = [u8; PAGE as usize];

/// First address of the page that an address lies in.
const fn page_of(address: u32) -> u32 {
    address - address % PAGE
}

/// The bytes of a region of one page within that page.
fn within(part: &Region) -> std::ops::Range<usize> {
    let start = (part.base % PAGE) as usize;
    start..start + part.bytes as usize
}

/// Memory's page at an address; zeros where nothing is mapped.
fn page_in(memory: &Space, address: u32) -> Page {
    let mut page = [0; PAGE as usize];
    // Arenas begin and end at page boundaries, so a page is mapped wholly or not at all.
    let _ = memory.read_bytes(page_of(address), &mut page);
    page
}

/// Memory's bytes of a region of one page.
pub(super) fn bytes_in(memory: &Space, part: &Region) -> Vec<u8> {
    page_in(memory, part.base)[within(part)].to_vec()
}

/// A cache of what one kind of clients read.
#[derive(Debug, Default)]
pub(super) struct ReadCache {
    pages: HashMap<u32, Arc<Page>>,
    /// Before the first invalidation the cache holds memory as it was when the device was opened: all zero.
    invalidated: bool,
}

impl ReadCache {
    /// Forgets everything: later reads see memory as of now.
    pub fn invalidate(&mut self) {
        self.pages.clear();
        self.invalidated = true;
    }

    /// The bytes of a region of one page, as the cache serves them.
    pub fn read(&mut self, memory: &Space, part: &Region) -> Vec<u8> {
        let address = page_of(part.base);
        let invalidated = self.invalidated;
        let load = || Arc::new(if invalidated { page_in(memory, address) } else { [0; PAGE as usize] });
        self.pages.entry(address).or_insert_with(load)[within(part)].to_vec()
    }

    /// Keeps a page that is about to change in memory.
    fn keep(&mut self, address: u32, page: &Arc<Page>) {
        if self.invalidated {
            self.pages.entry(address).or_insert_with(|| page.clone());
        }
    }

    /// Puts bytes that the cache's own client writes where the cache holds a copy.
    fn update(&mut self, address: u32, dirty: &Dirty) {
        if let Some(page) = self.pages.get_mut(&address) {
            dirty.apply(Arc::make_mut(page));
        }
    }
}

/// Bytes of a page that were written and not yet sent to memory.
#[derive(Clone, Debug)]
struct Dirty {
    bytes: Page,
    written: [bool; PAGE as usize],
}

impl Dirty {
    fn apply(&self, page: &mut Page) {
        for ((byte, dirty), written) in page.iter_mut().zip(self.bytes).zip(self.written) {
            if written {
                *byte = dirty;
            }
        }
    }
}

/// A cache of what one kind of clients write.
#[derive(Debug, Default)]
pub(super) struct WriteCache {
    pages: BTreeMap<u32, Dirty>,
}

impl WriteCache {
    /// Whether nothing waits to be written.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// First address that waits to be written, 0 if there is none.
    pub fn first(&self) -> u32 {
        let first = self.pages.first_key_value();
        first.map_or(0, |(address, dirty)| address + dirty.written.iter().position(|&w| w).unwrap_or(0) as u32)
    }

    /// Replaces the bytes of a region of one page by those that wait to be written.
    pub fn overlay(&self, part: &Region, bytes: &mut [u8]) {
        if let Some(dirty) = self.pages.get(&page_of(part.base)) {
            let range = within(part);
            for ((byte, new), written) in bytes.iter_mut().zip(&dirty.bytes[range.clone()]).zip(&dirty.written[range]) {
                if *written {
                    *byte = *new;
                }
            }
        }
    }

    /// The first address of a region of one page at which a byte waits that neither memory (`current`) nor the reader
    /// (`served`) has.
    pub fn hides(&self, part: &Region, current: &[u8], served: &[u8]) -> Option<u32> {
        let mut pending = current.to_vec();
        self.overlay(part, &mut pending);
        let at = (0..pending.len()).find(|&at| pending[at] != current[at] && pending[at] != served[at])?;
        Some(part.base + at as u32)
    }

    /// Takes the bytes in which `new` differs from `old`, both of a region of one page.
    pub fn write(&mut self, part: &Region, old: &[u8], new: &[u8]) {
        if old == new {
            return;
        }
        let clean = || Dirty { bytes: [0; PAGE as usize], written: [false; PAGE as usize] };
        let dirty = self.pages.entry(page_of(part.base)).or_insert_with(clean);
        for (at, (old, new)) in within(part).zip(old.iter().zip(new)) {
            if old != new {
                (dirty.bytes[at], dirty.written[at]) = (*new, true);
            }
        }
    }

    /// Sends everything to memory. `readers` keep what they must not see yet; `own` is the read side of this cache.
    pub fn flush(&mut self, memory: &Space, readers: &mut [&mut ReadCache], own: Option<&mut ReadCache>) {
        let mut own = own;
        for (address, dirty) in std::mem::take(&mut self.pages) {
            let mut page = page_in(memory, address);
            keep(address, &page, readers);
            if let Some(own) = &mut own {
                own.update(address, &dirty);
            }
            dirty.apply(&mut page);
            // The bytes came from a mapped page.
            let _ = memory.write_bytes(address, &page);
        }
    }
}

/// Lets caches keep a page that is about to change in memory.
fn keep(address: u32, page: &Page, readers: &mut [&mut ReadCache]) {
    let page = Arc::new(*page);
    readers.iter_mut().for_each(|reader| reader.keep(address, &page));
}

/// Lets caches keep all pages of a region that is about to change in memory.
pub(super) fn keep_region(memory: &Space, region: &Region, readers: &mut [&mut ReadCache]) {
    for part in region.mapped(memory).flat_map(|mapped| mapped.pages()) {
        keep(page_of(part.base), &page_in(memory, part.base), readers);
    }
}
