//! Pages where addresses cannot be reserved.

#![allow(unsafe_code, reason = "shares memory between threads by raw pointers")]

use memmap2::{Mmap, MmapMut};
use std::ops::Range;

/// A mapping, written by raw pointers.
pub struct Map {
    map: MmapMut,
    /// Taken once, from exclusive access: a pointer made from a shared reference could not be written through.
    start: *mut u8,
}

// SAFETY: the pointer is to memory that the mapping owns; accesses by it are their makers' affair.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    pub fn new(length: usize) -> Option<Self> {
        let mut map = MmapMut::map_anon(length).ok()?;
        let start = map.as_mut_ptr();
        Some(Map { map, start })
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn reserved(&self) -> Range<usize> {
        0..0
    }

    /// Copies to the start of pages that nobody else uses yet.
    pub fn write(&mut self, bytes: &[u8]) {
        self.map[..bytes.len()].copy_from_slice(bytes);
    }

    pub fn into_code(self) -> Option<CodeMap> {
        self.map.make_exec().ok().map(CodeMap)
    }
}

/// A mapping that can be executed and read.
pub struct CodeMap(Mmap);

impl CodeMap {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn reserved(&self) -> Range<usize> {
        0..0
    }
}
