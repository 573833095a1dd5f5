//! The card's memory: one file in memory, of which every opening of the node is another opening.
//!
//! A card address is an offset in the file. So the driver maps buffer objects itself, with the descriptor that it has and the
//! offset that it is given.

use crate::real;
use ctm_card::Object;
use ctm_memory::Arena;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd};
use std::path::Path;
use std::sync::Arc;

/// The first card address that is used.
pub const FIRST: u64 = 0x1000;
/// Bytes of the file: the addresses of buffer objects. Those after them are left to what cards keep for themselves while they draw.
pub const LENGTH: u64 = 3 << 30;
/// Bytes that addresses and sizes of objects are multiples of: a page.
pub const GRANULE: u32 = 4096;
/// Pages of the file.
const PAGES: u64 = LENGTH / GRANULE as u64;
/// Where the [directory](crate::foreign) begins, of 16 bytes for each page.
pub const DIRECTORY: u64 = LENGTH - PAGES * 16;
/// The first address after those of buffer objects.
pub const END: u64 = DIRECTORY;

/// The card's memory.
pub struct Memory {
    file: File,
    arena: Arc<Arena>,
    /// Which file of the host's it is.
    identity: (u64, u64),
}

/// What an opening of the memory file stands for; numbers are of [`Objects`](crate::objects::Objects). It is noted as the position in the
/// file, which nobody needs otherwise: so copies of a descriptor mean the same, however they were made. Positions after the end of the
/// file do not move, since nothing can be read or written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// The node, opened for this client.
    Node(u64),
    /// An exported buffer object.
    Export(Export),
}

/// An export of a buffer object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    /// No other has it, in the same process.
    pub number: u64,
    /// Where the object lies: a page.
    pub address: u32,
}

impl Descriptor {
    fn note(self) -> u64 {
        LENGTH
            + match self {
                Descriptor::Node(number) => 2 * number,
                Descriptor::Export(Export { number, address }) => {
                    2 * (number * PAGES + u64::from(address / GRANULE)) + 1
                }
            }
    }

    fn of(note: u64) -> Option<Self> {
        let note = note.checked_sub(LENGTH)?;
        if note.is_multiple_of(2) {
            return Some(Descriptor::Node(note / 2));
        }
        let (number, page) = (note / 2 / PAGES, note / 2 % PAGES);
        Some(Descriptor::Export(Export { number, address: u32::try_from(page).ok()? * GRANULE }))
    }
}

/// What a descriptor of the memory file stands for. `None` if it is the file's first, which stands for nothing.
pub fn descriptor(descriptor: i32) -> Option<Descriptor> {
    Descriptor::of(real::position(descriptor)?)
}

/// Whether a file looks like the memory of a card. Few others do.
pub fn may_be_of_card(file: &libc::stat) -> bool {
    file.st_size == LENGTH as i64 && file.st_mode & libc::S_IFMT == libc::S_IFREG
}

/// Whether a descriptor is one of the memory of a card, whichever process has it.
pub fn is_of_card(descriptor: i32) -> bool {
    fs::read_link(format!("/proc/self/fd/{descriptor}"))
        .is_ok_and(|name| name == Path::new("/memfd:ctm card (deleted)"))
}

impl Memory {
    /// Empty memory.
    pub fn new() -> io::Result<Self> {
        // SAFETY: the name is a string that ends with 0.
        let descriptor =
            unsafe { libc::memfd_create(c"ctm card".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len(LENGTH)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the call takes numbers only.
        if unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, seals) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let arena = Arena::of_file(FIRST as u32, (LENGTH - FIRST) as u32, file.as_fd(), FIRST)
            .map_err(|error| io::Error::other(error.to_string()))?;
        let found = real::fstat(descriptor).ok_or_else(io::Error::last_os_error)?;
        Ok(Memory { file, arena: Arc::new(arena), identity: (found.st_dev, found.st_ino) })
    }

    /// The memory at its card addresses.
    pub fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// Whether a file is the memory file.
    pub fn is_it(&self, file: &libc::stat) -> bool {
        (file.st_dev, file.st_ino) == self.identity
    }

    /// Opens the file again: a descriptor, with these flags.
    pub fn open(&self, stands_for: Descriptor, flags: i32) -> io::Result<i32> {
        let opened = real::reopen(self.file.as_fd(), libc::O_RDWR | flags & libc::O_CLOEXEC)?;
        let note = stands_for.note() as i64;
        real::seek(opened.as_raw_fd(), note, libc::SEEK_SET).ok_or_else(io::Error::last_os_error)?;
        self.lock(&opened, libc::F_OFD_SETLK, note)?;
        Ok(opened.into_raw_fd())
    }

    /// Whether an opening is still there: a descriptor in any process, or a mapping. Only the kernel knows all of them, and it gives
    /// the opening's lock back with the last.
    pub fn is_open(&self, stands_for: Descriptor) -> bool {
        let found = self.lock(&self.file, libc::F_OFD_GETLK, stands_for.note() as i64);
        found.is_ok_and(|found| i32::from(found.l_type) != libc::F_UNLCK)
    }

    /// Locks a byte of the file, or asks who has locked it.
    fn lock(&self, opened: &File, operation: i32, byte: i64) -> io::Result<libc::flock> {
        let (l_type, l_whence) = (libc::F_WRLCK as i16, libc::SEEK_SET as i16);
        let mut lock = libc::flock { l_type, l_whence, l_start: byte, l_len: 1, l_pid: 0 };
        // SAFETY: the structure is there.
        match unsafe { libc::fcntl(opened.as_raw_fd(), operation, &raw mut lock) } {
            0 => Ok(lock),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Puts bytes of another card's file in the place of an object.
    pub fn map_file(&self, object: Object, file: BorrowedFd, offset: u64) -> io::Result<()> {
        let mapped = self.arena.map_file(object.address, object.size, file, offset);
        mapped.map_err(|error| io::Error::other(error.to_string()))
    }

    /// Ends what [`Memory::map_file`] began.
    pub fn unmap(&self, object: Object) -> io::Result<()> {
        self.map_file(object, self.file.as_fd(), object.address.into())
    }

    /// Asks the host to have an object in huge pages.
    pub fn collapse(&self, object: Object) {
        self.arena.collapse(object.address, object.size);
    }

    /// Gives an object's pages back to the host. They read 0 afterwards.
    pub fn clear(&self, object: Object) -> io::Result<()> {
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        let (offset, length) = (i64::from(object.address), i64::from(object.size));
        // SAFETY: the call takes numbers only.
        match unsafe { libc::fallocate(self.file.as_raw_fd(), mode, offset, length) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_descriptors_stand_for_the_same_until_the_last_is_closed() {
        let memory = Memory::new().unwrap();
        let export = Export { number: 3, address: END as u32 - GRANULE };
        for expected in [Descriptor::Node(3), Descriptor::Export(export)] {
            assert!(!memory.is_open(expected));
            let opened = memory.open(expected, libc::O_CLOEXEC).unwrap();
            // SAFETY: the calls take numbers only.
            let copy = unsafe { libc::dup(opened) };
            assert_eq!([opened, copy].map(descriptor), [Some(expected); 2]);
            assert!([opened, copy].map(is_of_card) == [true; 2] && !is_of_card(0));
            for number in [opened, copy] {
                assert!(memory.is_open(expected));
                // SAFETY: the descriptor is this test's.
                unsafe { libc::close(number) };
            }
            assert!(!memory.is_open(expected));
        }
        assert_eq!(descriptor(memory.file.as_raw_fd()), None);
    }

    #[test]
    fn cleared_pages_read_zero() {
        let memory = Memory::new().unwrap();
        assert!(memory.arena().write_u32(0x3000, 1) && memory.arena().write_u32(0x4000, 2));
        memory.clear(Object { address: 0x3000, size: 0x1000 }).unwrap();
        assert_eq!([0x3000, 0x4000].map(|address| memory.arena().read_u32(address)), [Some(0), Some(2)]);
    }
}
