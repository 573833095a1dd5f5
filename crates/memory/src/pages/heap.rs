//! Pages of the heap, where the host maps no memory.

#![allow(unsafe_code, reason = "shares memory between threads by raw pointers")]
#![cfg_attr(not(target_family = "wasm"), allow(dead_code, reason = "only its tests run here"))]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;

/// Bytes that blocks begin at a multiple of: the largest alignment that pages promise.
const ALIGNMENT: usize = 2048;

/// A block of the heap, accessed by raw pointers.
pub struct Map {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the pointer is to memory that the map owns; accesses by it are their makers' affair.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// So many bytes, more than 0.
    pub fn new(length: usize) -> Option<Self> {
        let layout = Layout::from_size_align(length, ALIGNMENT).ok().filter(|layout| layout.size() != 0)?;
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then_some(Map { start, layout })
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn reserved(&self) -> Range<usize> {
        0..0
    }

    /// Copies to the start of pages that nobody else uses yet.
    pub fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.layout.size());
        // SAFETY: the block is long enough, and this is the only reference to it.
        unsafe { self.start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// The heap cannot be executed.
    pub fn into_code(self) -> Option<CodeMap> {
        None
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the block was allocated with this layout, and whoever has a pointer into it promised not to use it any more.
        unsafe { dealloc(self.start, self.layout) };
    }
}

/// Memory that can be executed, of which there is none.
pub enum CodeMap {}

impl CodeMap {
    pub fn bytes(&self) -> &[u8] {
        match *self {}
    }

    pub fn reserved(&self) -> Range<usize> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::Map;

    #[test]
    fn blocks_are_zero_aligned_and_written() {
        for length in [1, 64, 2048, 100_000] {
            let mut map = Map::new(length).unwrap();
            assert!(map.start().addr().is_multiple_of(2048));
            map.write(&[7]);
            // SAFETY: the block has so many bytes, and is this test's alone.
            let bytes = unsafe { std::slice::from_raw_parts(map.start(), length) };
            assert!(bytes[0] == 7 && bytes[1..].iter().all(|&byte| byte == 0));
            assert!(map.into_code().is_none());
        }
        assert!(Map::new(0).is_none() && Map::new(usize::MAX / 2).is_none());
    }
}
