//! Arenas over files.

use crate::arena::check_place;
use crate::{Arena, ArenaError, Pages};
use std::os::fd::BorrowedFd;

/// Why an arena cannot be made over a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileArenaError {
    /// The GPU addresses.
    #[error(transparent)]
    Place(#[from] ArenaError),
    /// The file is too short, not sealed, or not of whole pages there, or the host has no addresses left.
    #[error(
        "{size} bytes at {offset:#x} of a file are not mapped: the file must be one in memory, so long, and sealed against \
         shrinking; place and size must be whole pages"
    )]
    NotMapped {
        /// First byte in the file.
        offset: u64,
        /// Bytes.
        size: u32,
    },
}

impl Arena {
    /// Makes an arena of `size` bytes at GPU address `base` over the bytes of a file from `offset` on, shared with all who map
    /// it. The file is one in memory (of `memfd_create`), at least so long, and sealed against getting shorter
    /// (`F_SEAL_SHRINK`); `offset` and `size` are whole pages of the host. For 64-bit Linux.
    pub fn of_file(base: u32, size: u32, file: BorrowedFd, offset: u64) -> Result<Self, FileArenaError> {
        check_place(base, size)?;
        let pages = Pages::of_file(file, offset, size as usize).ok_or(FileArenaError::NotMapped { offset, size })?;
        Ok(Arena::over(base, size, pages, false))
    }

    /// Replaces these bytes of an arena over a file by those of another file, or of another place in the same one, shared from now on with all who
    /// map that. Whoever reads or writes the bytes meanwhile has the old or the new ones. Files and places are as for
    /// [`Arena::of_file`]; bytes that are not inside are refused.
    pub fn map_file(&self, address: u32, size: u32, file: BorrowedFd, offset: u64) -> Result<(), FileArenaError> {
        let first = address.wrapping_sub(self.base()) as usize;
        let is_mapped = !self.is_private()
            && self.contains(address, size)
            && self.pages().map_file(first..first + size as usize, file, offset);
        is_mapped.then_some(()).ok_or(FileArenaError::NotMapped { offset, size })
    }

    /// Asks the host to have these bytes in huge pages, as [`Pages::collapse`]: for what is walked through again and again. Bytes that are not
    /// inside are none.
    pub fn collapse(&self, address: u32, length: u32) {
        if self.contains(address, length) {
            let offset = (address - self.base()) as usize;
            self.pages().collapse(offset..offset + length as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::{AsFd, AsRawFd, FromRawFd};

    /// Files on disks cannot be sealed: they may get shorter, and accesses after their end would end the process.
    #[test]
    fn files_on_disks_are_refused() {
        let path = std::env::temp_dir().join(format!("ctm-arena-{}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.set_len(0x2000).unwrap();
        let refused = Arena::of_file(0x1000, 0x1000, file.as_fd(), 0).unwrap_err();
        assert_eq!(refused, FileArenaError::NotMapped { offset: 0, size: 0x1000 });
    }

    #[test]
    #[expect(unsafe_code)]
    fn arenas_of_one_file_share_it() {
        // SAFETY: the name is a string, and the descriptor new.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"arena".as_ptr(), libc::MFD_ALLOW_SEALING)) };
        let length = 0x1_0000_0000;
        file.set_len(length).unwrap();
        let arena = |offset, size| Arena::of_file(0x1000, size, file.as_fd(), offset);
        let unsealed = arena(0x1000, 0x1000).unwrap_err();
        assert_eq!(unsealed, FileArenaError::NotMapped { offset: 0x1000, size: 0x1000 }, "it may get shorter");
        // SAFETY: the call takes no pointer.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK) }, 0);

        let [all, part] = [(0x1000, 0xFFFF_F000), (0x2000, 0x1000)].map(|(at, size)| arena(at, size).unwrap());
        let [mut all, part] = [all, part];
        assert_eq!(all.words_mut(), None, "others have it as well");
        assert!(all.write_u32(0x2004, 7) && part.write_u32(0x1008, 8) && all.write_u32(0xFFFF_FFFC, 9));
        assert_eq!(
            [part.read_u32(0x1004), all.read_u32(0x2008), all.read_u32(0xFFFF_FFFC)],
            [Some(7), Some(8), Some(9)]
        );
        assert!(all.reserved().start < all.as_ptr().addr(), "guard regions are there");
        assert_eq!(all.as_ptr().addr() % (2 << 20), 0x1000, "huge pages of the file can be huge pages of the mapping");
        for (address, length) in
            [(0x20_0000, 0x40_0000), (0x1000, 0xFFFF_F000), (0x1000, 0x1000), (0, 0x1000), (0x2000, u32::MAX)]
        {
            all.collapse(address, length);
        }
        for (offset, size) in [(length, 0x1000), (length - 0x1000, 0x2000), (0x800, 0x1000), (0x1000, 0x800)] {
            assert_eq!(arena(offset, size).unwrap_err(), FileArenaError::NotMapped { offset, size });
        }
        // The guard is as wide as machine code reaches, or where the host has no addresses left a page, wherever the bytes lie in the file.
        let large = arena(0x1F_F000, 0x20_0000).unwrap();
        let (reserved, end) = (large.reserved(), large.as_ptr().addr() + 0x20_0000);
        assert!(reserved.end - end >= 40 << 30 || reserved.len() < 1 << 30, "{reserved:#x?} {end:#x}");
        assert!(matches!(Arena::of_file(0, 0x1000, file.as_fd(), 0), Err(FileArenaError::Place(_))));
    }

    #[expect(unsafe_code)]
    fn sealed(length: u64) -> File {
        // SAFETY: the name is a string, and the descriptor new.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"arena".as_ptr(), libc::MFD_ALLOW_SEALING)) };
        file.set_len(length).unwrap();
        // SAFETY: the call takes no pointer.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK) }, 0);
        file
    }

    #[test]
    fn pages_of_other_files_take_the_place_of_an_arenas() {
        let [own, other] = [0x10_000, 0x4000].map(sealed);
        let arena = Arena::of_file(0x1000, 0x8000, own.as_fd(), 0x1000).unwrap();
        let foreign = Arena::of_file(0x1000, 0x4000, other.as_fd(), 0).unwrap();
        assert!((0x1000..0x9000).step_by(0x1000).all(|address| arena.write_u32(address, address)));
        assert!(foreign.write_u32(0x2008, 7));

        arena.map_file(0x3000, 0x2000, other.as_fd(), 0x1000).unwrap();
        assert_eq!([0x3000, 0x3008, 0x5000].map(|address| arena.read_u32(address)), [Some(0), Some(7), Some(0x5000)]);
        assert!(arena.write_u32(0x4004, 8));
        assert_eq!(foreign.read_u32(0x3004), Some(8), "both have the pages");
        for (address, size, offset) in [
            (0x3000, 0x1000, 0x4000),
            (0x3000, 0, 0),
            (0x3004, 0x1000, 0),
            (0x3000, 0x800, 0),
            (0x8000, 0x2000, 0),
            (0, 0x1000, 0),
        ] {
            let refused = arena.map_file(address, size, other.as_fd(), offset).unwrap_err();
            assert_eq!(refused, FileArenaError::NotMapped { offset, size }, "{address:#x}");
        }
        arena.map_file(0x3000, 0x2000, own.as_fd(), 0x3000).unwrap();
        assert_eq!([0x3000, 0x4000].map(|address| arena.read_u32(address)), [Some(0x3000), Some(0x4000)]);
        assert!(
            Arena::new(0x1000, 0x4000).unwrap().map_file(0x1000, 0x1000, other.as_fd(), 0).is_err(),
            "its memory is its own"
        );
    }
}
