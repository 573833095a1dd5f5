//! The card's memory: one file in memory, of which every descriptor of the node is another opening.
//!
//! A card address is an offset in the file. So the driver maps buffer objects itself, with the descriptor that it has and the
//! offset that it is given.

use crate::real;
use ctm_card::Object;
use ctm_memory::Arena;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd};
use std::sync::Arc;

/// The first card address that is used.
pub const FIRST: u64 = 0x1000;
/// Bytes of the file: the addresses of buffer objects. Those behind them are left to what cards keep for themselves while they draw.
pub const LENGTH: u64 = 3 << 30;

/// The card's memory.
pub struct Memory {
    file: File,
    arena: Arc<Arena>,
    /// Which file of the host's it is.
    identity: (u64, u64),
}

/// What a descriptor of the memory file stands for. It is noted as the descriptor's position in the file, which nobody needs
/// otherwise: so copies of it mean the same, however they were made, and nothing is to be done when they are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// The node, opened for this client.
    Node(u64),
    /// An exported buffer object, at this address.
    Buffer(u32),
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

    /// A new descriptor of the file.
    pub fn open(&self, stands_for: Descriptor) -> io::Result<i32> {
        let path = format!("/proc/self/fd/{}\0", self.file.as_raw_fd());
        // SAFETY: the path is a string that ends with 0.
        let descriptor = unsafe { libc::open(path.as_ptr().cast(), libc::O_RDWR | libc::O_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        let note = match stands_for {
            Descriptor::Node(client) => LENGTH + client,
            Descriptor::Buffer(address) => u64::from(address),
        };
        match real::seek(descriptor, note as i64, libc::SEEK_SET) {
            Some(_) => Ok(descriptor),
            None => Err(io::Error::last_os_error()),
        }
    }

    /// What a descriptor stands for. `None` if it is none of the memory file.
    pub fn descriptor(&self, descriptor: i32) -> Option<Descriptor> {
        if !real::fstat(descriptor).is_some_and(|file| self.is_it(&file)) {
            return None;
        }
        let note = real::position(descriptor)?;
        Some(match note.checked_sub(LENGTH) {
            Some(client) => Descriptor::Node(client),
            None => Descriptor::Buffer(note as u32),
        })
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
    fn copies_of_descriptors_stand_for_the_same() {
        let memory = Memory::new().unwrap();
        for expected in [Descriptor::Node(3), Descriptor::Buffer(0x5000)] {
            let descriptor = memory.open(expected).unwrap();
            // SAFETY: the calls take numbers only.
            let copy = unsafe { libc::dup(descriptor) };
            assert_eq!([descriptor, copy].map(|number| memory.descriptor(number)), [Some(expected); 2]);
        }
        assert_eq!([0, -1].map(|number| memory.descriptor(number)), [None, None]);
    }

    #[test]
    fn cleared_pages_read_zero() {
        let memory = Memory::new().unwrap();
        assert!(memory.arena().write_u32(0x3000, 1) && memory.arena().write_u32(0x4000, 2));
        memory.clear(Object { address: 0x3000, size: 0x1000 }).unwrap();
        assert_eq!([0x3000, 0x4000].map(|address| memory.arena().read_u32(address)), [Some(0), Some(2)]);
    }
}
