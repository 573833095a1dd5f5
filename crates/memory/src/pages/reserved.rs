//! Pages in the middle of a reservation.

#![allow(unsafe_code, reason = "maps memory, and shares it between threads by raw pointers")]

use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

/// Bytes below that machine code could reach: a signed index of 32 bits times 4, and a displacement of 32 bits.
const BELOW: usize = 12 << 30;
/// Bytes above: an unsigned index of 32 bits times 8, an offset of 32 bits that its base may have, and a displacement.
const ABOVE: usize = 40 << 30;
/// The host's huge pages.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes from which on to ask for huge pages: surfaces are walked through row by row, and with huge pages the host looks up
/// fewer addresses. It need not have any.
const HUGE: usize = 1 << 24;

/// Bytes of a page of the host.
fn page_bytes() -> Option<usize> {
    // SAFETY: no memory is involved.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
}

/// Bytes that a file has and will have at least; `None` if it is not sealed.
fn sealed_length(file: BorrowedFd) -> Option<u64> {
    // SAFETY: the call reads no memory.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
        return None;
    }
    let file = std::fs::File::from(file.try_clone_to_owned().ok()?);
    Some(file.metadata().ok()?.len())
}

/// A reservation whose middle can be accessed.
pub struct Map {
    /// The reserved addresses.
    first: *mut libc::c_void,
    reserved: usize,
    /// Whole pages that can be accessed, and the first byte that is used.
    body: *mut libc::c_void,
    body_length: usize,
    start: *mut u8,
    length: usize,
}

// SAFETY: the pointers are to memory that the map owns; accesses by them are their makers' affair.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    pub fn new(length: usize) -> Option<Self> {
        let page = page_bytes()?;
        let align = if length < HUGE_PAGE { page } else { HUGE_PAGE };
        let map = Self::reserve_guarded(length, page, (align, 0))?;
        // SAFETY: the body is part of the reservation, which nobody else knows yet.
        let opened = unsafe { libc::mprotect(map.body, map.body_length, libc::PROT_READ | libc::PROT_WRITE) };
        if opened != 0 {
            return None;
        }
        if length >= HUGE {
            // SAFETY: advice does not change what memory holds.
            unsafe { libc::madvise(map.body, map.body_length, libc::MADV_HUGEPAGE) };
        }
        Some(map)
    }

    /// So many bytes of a file from `offset` on, shared with all who map it. They are whole pages of the file, which is sealed
    /// against getting shorter: an access after its end would end the process.
    pub fn of_file(file: BorrowedFd, offset: u64, length: usize) -> Option<Self> {
        let page = page_bytes()?;
        if !length.is_multiple_of(page) {
            return None;
        }
        // Huge pages of the file are such of the mapping only where both begin at the same distance from a multiple.
        let phase = if length < HUGE_PAGE { (page, 0) } else { (HUGE_PAGE, offset as usize % HUGE_PAGE) };
        let map = Self::reserve_guarded(length, page, phase)?;
        map.map_file(0..length, file, offset).then_some(map)
    }

    /// Puts bytes of a file from `offset` on in the place of whole pages. False, and nothing is changed, if the file is not sealed, or either is
    /// not whole pages.
    pub fn map_file(&self, bytes: Range<usize>, file: BorrowedFd, offset: u64) -> bool {
        let map = || {
            let page = page_bytes()?;
            let length = bytes.end.checked_sub(bytes.start).filter(|&length| length != 0)?;
            let whole = [self.start.addr(), bytes.start, length].iter().all(|bytes| bytes.is_multiple_of(page));
            let end = offset.checked_add(length as u64)?;
            if !whole || !offset.is_multiple_of(page as u64) || bytes.end > self.length || end > sealed_length(file)? {
                return None;
            }
            let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
            let place = self.start.wrapping_add(bytes.start).cast();
            let offset = libc::off_t::try_from(offset).ok()?;
            // SAFETY: the mapping takes the place of pages inside of the body, which stay accessible all the time; that others change
            // what shared memory holds is expected by whoever accesses it.
            let mapped = unsafe { libc::mmap(place, length, access, flags, file.as_raw_fd(), offset) };
            (mapped == place).then_some(())
        };
        map().is_some()
    }

    /// As [`Map::reserve`], with guards as wide as the host has addresses for.
    fn reserve_guarded(length: usize, page: usize, place: (usize, usize)) -> Option<Self> {
        let wide = Self::reserve(length, (BELOW, ABOVE), page, place);
        wide.or_else(|| Self::reserve(length, (page, page), page, (page, 0)))
    }

    /// Reserves addresses for so many bytes and for guards below and above, all of it without access. The bytes begin `phase` after a
    /// multiple of `align`.
    fn reserve(
        length: usize,
        (below, above): (usize, usize),
        page: usize,
        (align, phase): (usize, usize),
    ) -> Option<Self> {
        let body_length = length.checked_next_multiple_of(page)?;
        let reserved = body_length.checked_add(below)?.checked_add(align)?.checked_add(above)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address that the host chooses touches no other.
        let first = unsafe { libc::mmap(ptr::null_mut(), reserved, libc::PROT_NONE, flags, -1, 0) };
        if first == libc::MAP_FAILED {
            return None;
        }
        let offset = (first.addr() + below - phase).next_multiple_of(align) + phase - first.addr();
        let body = first.wrapping_byte_add(offset);
        let start = body.wrapping_byte_add(body_length - length).cast();
        Some(Map { first, reserved, body, body_length, start, length })
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn reserved(&self) -> Range<usize> {
        self.first.addr()..self.first.addr() + self.reserved
    }

    pub fn collapse(&self, bytes: Range<usize>) {
        let end = bytes.end.min(self.length);
        let first = (self.start.addr() + bytes.start.min(end)).next_multiple_of(HUGE_PAGE);
        let last = (self.start.addr() + end) / HUGE_PAGE * HUGE_PAGE;
        if let Some(length) = last.checked_sub(first).filter(|&length| length != 0) {
            let first = self.start.with_addr(first).cast();
            // SAFETY: the range is inside the body, and advice does not change what memory holds.
            unsafe { libc::madvise(first, length, libc::MADV_COLLAPSE) };
        }
    }

    /// Copies to the start of pages that nobody else uses yet.
    pub fn write(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.length);
        // SAFETY: the body can be written, is long enough, and this is the only reference to it.
        unsafe { self.start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    pub fn into_code(self) -> Option<CodeMap> {
        // SAFETY: nobody has a pointer to the body, so that nobody loses the right to write.
        let flipped = unsafe { libc::mprotect(self.body, self.body_length, libc::PROT_READ | libc::PROT_EXEC) };
        (flipped == 0).then_some(CodeMap(self))
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the reservation is this map's alone, and whoever has a pointer into it promised not to use it any more.
        unsafe { libc::munmap(self.first, self.reserved) };
    }
}

/// A reservation whose middle can be executed and read.
pub struct CodeMap(Map);

impl CodeMap {
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the bytes are initialized (to zero, at first), and nobody can write them.
        unsafe { std::slice::from_raw_parts(self.0.start, self.0.length) }
    }

    pub fn reserved(&self) -> Range<usize> {
        self.0.reserved()
    }
}
