//! Buffer objects of other processes' cards: compositors show those of their clients.
//!
//! An exported object is known in every process by its descriptor alone. The position in the file says at which card address it lies,
//! and a directory at the end of the file how long it is, and how its tiles lie. A process that imports it has its pages in the
//! memory of its own card, at an address that its own heap gave: both processes see what either writes, at once.

use crate::memory::{DIRECTORY, END, Export, FIRST, GRANULE, Memory};
use crate::real;
use ctm_card::Object;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// Bytes of an entry of the directory.
const ENTRY: u64 = 16;

/// What others must know of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Bytes.
    pub size: u32,
    /// What drivers have noted of its tiling.
    pub tiling: [u32; 2],
    /// PCI device number of the card: tiles of others lie in other ways.
    pub device: u16,
}

/// Where the directory has the entry of the object at an address.
fn entry(address: u32) -> u64 {
    DIRECTORY + u64::from(address) / u64::from(GRANULE) * ENTRY
}

impl Description {
    /// Writes it into the directory of a card's memory.
    pub fn write(self, memory: &Memory, address: u32) {
        let words = [self.size, self.tiling[0], self.tiling[1], self.device.into()];
        memory.arena().write_words(entry(address) as u32, &words);
    }

    /// What the directory of another process's memory says of an exported object. `None` if that makes no sense.
    pub fn read(file: BorrowedFd, export: Export) -> Option<Self> {
        let mut bytes = [0; ENTRY as usize];
        File::from(file.try_clone_to_owned().ok()?).read_exact_at(&mut bytes, entry(export.address)).ok()?;
        let word = |n: usize| u32::from_le_bytes([bytes[4 * n], bytes[4 * n + 1], bytes[4 * n + 2], bytes[4 * n + 3]]);
        let (size, device) = (word(0), u16::try_from(word(3)).ok()?);
        let end = u64::from(export.address) + u64::from(size);
        let is_inside = u64::from(export.address) >= FIRST && size != 0 && end <= END;
        let is_whole = size.is_multiple_of(GRANULE);
        (is_inside && is_whole).then_some(Description { size, tiling: [word(1), word(2)], device })
    }
}

/// Which object it is, in all processes: the file, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    file: (u64, u64),
    address: u32,
}

/// An object of another process's card.
pub struct Foreign {
    /// As long as this is open, the object is there.
    descriptor: OwnedFd,
    identity: Identity,
    address: u32,
    /// What its process says of it.
    pub description: Description,
}

impl Foreign {
    /// What a descriptor of an exported object stands for. `None` if its process says nothing sensible of it, or it is closed.
    pub fn new(descriptor: i32, export: Export) -> Option<Self> {
        let file = real::fstat(descriptor)?;
        // SAFETY: the call takes numbers only.
        let own = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
        if own < 0 {
            return None;
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(own) };
        let description = Description::read(descriptor.as_fd(), export)?;
        let identity = Identity { file: (file.st_dev, file.st_ino), address: export.address };
        Some(Foreign { descriptor, identity, address: export.address, description })
    }

    /// Which object it is.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Puts its pages in the place of an object of this process's card that is as long.
    pub fn map(&self, memory: &Memory, object: Object) -> io::Result<()> {
        // The descriptor itself stands for the object, whose first byte is its first: another opening stands for nothing.
        let file = real::reopen(self.descriptor.as_fd(), libc::O_RDWR | libc::O_CLOEXEC)?;
        memory.map_file(object, file.as_fd(), self.address.into())
    }

    /// Another descriptor of it, with these flags.
    pub fn export(&self, flags: i32) -> io::Result<i32> {
        let command = if flags & libc::O_CLOEXEC != 0 { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
        // SAFETY: the call takes numbers only.
        match unsafe { libc::fcntl(self.descriptor.as_raw_fd(), command, 0) } {
            descriptor if descriptor < 0 => Err(io::Error::last_os_error()),
            descriptor => Ok(descriptor),
        }
    }

    /// The descriptor, and the place in its file of a byte of the object.
    pub fn place(&self, offset: u32) -> (i32, i64) {
        (self.descriptor.as_raw_fd(), i64::from(self.address) + i64::from(offset))
    }
}

/// Bytes of an exported object of any process.
pub fn size(descriptor: i32, export: Export) -> Option<u32> {
    // SAFETY: the descriptor is open as long as its owner is asking.
    let file = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Some(Description::read(file, export)?.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Descriptor;

    #[test]
    fn descriptions_reach_other_processes() {
        let memory = Memory::new().unwrap();
        let export = Export { number: 3, address: 0x7000 };
        let opened = memory.open(Descriptor::Export(export), libc::O_CLOEXEC).unwrap();
        // SAFETY: the descriptor is this test's.
        let opened = unsafe { OwnedFd::from_raw_fd(opened) };
        assert_eq!(Description::read(opened.as_fd(), export), None, "nothing is said");
        let known = Description { size: 0x2000, tiling: [1, 256], device: 0x7140 };
        known.write(&memory, export.address);
        assert_eq!(Description::read(opened.as_fd(), export), Some(known));
        for size in [0, 0x2001, 0xFFFF_F000] {
            Description { size, ..known }.write(&memory, export.address);
            assert_eq!(Description::read(opened.as_fd(), export), None, "{size:#x}");
        }
    }

    #[test]
    fn pages_of_other_cards_are_seen_at_own_addresses_until_they_are_given_back() {
        let [one, other] = [(); 2].map(|()| Memory::new().unwrap());
        let export = Export { number: 0, address: 0x7000 };
        Description { size: 0x2000, tiling: [1, 256], device: 0x7140 }.write(&one, export.address);
        let opened = one.open(Descriptor::Export(export), libc::O_CLOEXEC).unwrap();
        let foreign = Foreign::new(opened, export).unwrap();
        // SAFETY: the descriptor is this test's.
        assert_eq!(unsafe { libc::close(opened) }, 0);
        assert!(one.is_open(Descriptor::Export(export)), "the other process needs it");

        let object = Object { address: 0x3000, size: 0x2000 };
        assert!(one.arena().write_u32(0x7004, 7) && other.arena().write_u32(0x3004, 9));
        foreign.map(&other, object).unwrap();
        assert_eq!(other.arena().read_u32(0x3004), Some(7));
        assert!(other.arena().write_u32(0x4000, 8));
        assert_eq!(one.arena().read_u32(0x8000), Some(8));
        other.unmap(object).unwrap();
        assert_eq!(other.arena().read_u32(0x3004), Some(9));
        drop(foreign);
        assert!(!one.is_open(Descriptor::Export(export)));
    }
}
