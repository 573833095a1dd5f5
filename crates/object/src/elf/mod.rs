//! The CTM program image: an ELF file whose notes say what a program needs (CTM Guide p.45-49).
//!
//! [`read()`] takes an image apart, [`load()`] also refuses programs that the device would refuse, [`write()`] makes an
//! image. The layout, and what the project adds to it, is in `docs/elf.md`.
//!
//! ```
//! use ctm_object::{elf, raw};
//! use ctm_x1k::Program;
//! // One OUT of a register.
//! let words = [0x0007_8005u32, 0x0802_0000, 0x0802_0000, 0x0044_0220, 0x0060_C003, 0x0000_0005];
//! let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
//! let program = Program::from_code(raw::read_words(&bytes)?);
//! assert_eq!(elf::read(&elf::write(&program))?, program);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod layout;
mod notes;
mod read;
mod write;

pub use error::{ElfError, LoadError};
pub(crate) use layout::MACHINE;
pub use read::{load, read};
pub use write::write;
