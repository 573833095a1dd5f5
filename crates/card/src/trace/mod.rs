//! Trace files: what a driver submitted, with all that executing it again depends on.
//!
//! A file is a header, a record for each submission, and a mark after each frame, all of it little-endian dwords:
//!
//! | part | dwords |
//! |---|---|
//! | header | `CTM ` `CARD`, version 2, PCI device number, name of the card in 4 dwords, filled up with zeros |
//! | record | `SUBM`, numbers of command words, of objects and of pages |
//! | | the command words |
//! | | address and size in bytes of each object |
//! | | of each page its address, and 1024 dwords; or its address + 1 if the page is all zeros |
//! | mark | `FRAM`: the program has presented a frame in a window |
//!
//! Version 1 is the same without marks.
//!
//! Pages are 4096 bytes of the objects that the driver changed since the last record: memory is zero at first, and what the
//! card writes is not recorded. So a record is executed by writing its pages and submitting its words.

mod reader;
mod writer;

pub use reader::{Page, TraceError, TraceReader, TraceRecord};
pub use writer::TraceWriter;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"CTM CARD";
/// What a record begins with.
const RECORD: [u8; 4] = *b"SUBM";
/// What stands after a frame.
const FRAME: [u8; 4] = *b"FRAM";
/// The version that is written.
const VERSION: u32 = 2;
/// The first version that is read.
const FIRST_VERSION: u32 = 1;
/// Bytes of the name of a card.
const NAME: usize = 16;
/// In the address of a page: it is all zeros.
const ZEROS: u32 = 1;
