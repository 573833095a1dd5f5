//! Pages of the host: memory in the middle of reserved addresses that nobody can access.
//!
//! Machine code accesses memory at a base plus an index of 32 bits, scaled, plus constants. Its generator makes sure that
//! this stays inside of what the base belongs to. The guard regions around the pages are the second line after it: they
//! are as wide as such an address reaches, so that an access that escapes faults instead of finding other memory of the
//! process. That takes addresses, not memory. Where the host has too few (a limit as of `ulimit -v`), guards are one page
//! wide; hosts other than 64-bit Linux have none. WebAssembly maps no memory, and takes blocks of the heap.

#[cfg(any(test, target_family = "wasm"))]
mod heap;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
#[path = "reserved.rs"]
mod host;
#[cfg(not(any(target_family = "wasm", all(target_os = "linux", target_pointer_width = "64", not(miri)))))]
#[path = "plain.rs"]
mod host;
#[cfg(target_family = "wasm")]
use heap as host;

use std::fmt;
use std::ops::Range;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
use std::os::fd::BorrowedFd;

/// Bytes that lengths are rounded up to: those of the widest vector.
const GRANULE: usize = 64;

/// Memory that threads share, in pages of its own, zero at first, or those of a file. It takes no memory of the host until it
/// is written.
pub struct Pages {
    map: host::Map,
    length: usize,
}

impl Pages {
    /// So many bytes, rounded up to a multiple of 64 and not 0. The guard region after them begins where they end. `None` if
    /// the host has no addresses left.
    pub fn new(length: usize) -> Option<Self> {
        let length = length.max(1).checked_next_multiple_of(GRANULE)?;
        Some(Pages { map: host::Map::new(length)?, length })
    }

    /// Whole pages of a file from `offset` on, shared with all who map it; the file is one in memory (of `memfd_create`) and
    /// sealed against getting shorter. `None` if the file or the place in it is not so, or the host has no addresses left.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    pub fn of_file(file: BorrowedFd, offset: u64, length: usize) -> Option<Self> {
        Some(Pages { map: host::Map::of_file(file, offset, length)?, length })
    }

    /// Puts pages of a file, which is as for [`Pages::of_file`], in the place of these bytes, which are whole pages too. False if they stay.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    pub fn map_file(&self, bytes: Range<usize>, file: BorrowedFd, offset: u64) -> bool {
        self.map.map_file(bytes, file, offset)
    }

    /// Moves those of these bytes that the host has in memory to huge pages, where it can: so it looks up fewer addresses when they are
    /// accessed. That takes as long as to copy them, or longer; what they hold stays, also for who accesses them meanwhile.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    pub fn collapse(&self, bytes: Range<usize>) {
        self.map.collapse(bytes);
    }

    /// Host address of the first byte: a multiple of 64, and of 2048 if the length is one. The memory lives as long as
    /// this; the user of the pointer must prevent races.
    pub fn as_ptr(&self) -> *mut u8 {
        self.map.start()
    }

    /// Bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The host addresses that belong to these pages: they themselves and the guard regions around them.
    pub fn reserved(&self) -> Range<usize> {
        self.map.reserved()
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Pages({:#x} bytes at {:p})", self.length, self.as_ptr())
    }
}

/// Memory that holds machine code: written when it is made, executable afterwards, never both.
pub struct CodePages {
    map: host::CodeMap,
    length: usize,
}

impl CodePages {
    /// A copy of these bytes, at a multiple of 64. `None` if the host refuses.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let length = bytes.len().max(1).checked_next_multiple_of(GRANULE)?;
        let mut map = host::Map::new(length)?;
        map.write(bytes);
        Some(CodePages { map: map.into_code()?, length: bytes.len() })
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        &self.map.bytes()[..self.length]
    }

    /// As [`Pages::reserved`].
    pub fn reserved(&self) -> Range<usize> {
        self.map.reserved()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_aligned() {
        for length in [0, 1, 64, 2048, 4096, 0x1800, 0x20_0000, 0x180_0000] {
            let pages = Pages::new(length).unwrap();
            assert!(pages.length() >= length.max(64) && pages.length() < length.max(1) + 64);
            let alignment = if length.is_multiple_of(2048) && length != 0 { 2048 } else { 64 };
            assert!(pages.as_ptr().addr().is_multiple_of(alignment), "{length:#x}: {pages:?}");
            let reserved = pages.reserved();
            if cfg!(all(target_os = "linux", target_pointer_width = "64", not(miri))) {
                assert!(reserved.start < pages.as_ptr().addr());
                assert!(reserved.end > pages.as_ptr().addr() + pages.length());
            }
        }
        assert!(Pages::new(usize::MAX).is_none() && Pages::new(usize::MAX / 2).is_none());
    }

    /// As many blocks as the addresses of the host suffice for with wide guards, and more.
    #[test]
    #[cfg_attr(miri, ignore = "Miri's memory is not lazy")]
    fn guards_get_narrow_before_pages_run_out() {
        let blocks: Vec<Pages> = (0..3500).map(|_| Pages::new(64).unwrap()).collect();
        for block in &blocks {
            // SAFETY: the block is this test's alone.
            #[expect(unsafe_code)]
            unsafe {
                block.as_ptr().write(1);
            }
        }
        let widest = blocks[0].reserved().len();
        drop(blocks);
        assert_eq!(Pages::new(64).unwrap().reserved().len(), widest, "addresses are given back");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri executes no machine code")]
    fn code_is_what_it_was_made_of() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
        for length in [0, 1, 63, 4096, 5000] {
            let code = CodePages::new(&bytes[..length]).unwrap();
            assert_eq!(code.bytes(), &bytes[..length]);
            assert!(code.bytes().as_ptr().addr().is_multiple_of(64));
        }
    }
}
