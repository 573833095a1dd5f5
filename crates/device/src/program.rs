//! Programs in memory: how long an image is, and programs that were decoded before.

use crate::fault::ProgramError;
use ctm_object::elf;
use ctm_x1k::Program;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of an ELF header.
const HEADER_BYTES: usize = 52;
/// Where the header says at which offset the program headers are, and (two bytes) how many there are.
const PROGRAM_HEADERS_AT: usize = 28;
const PROGRAM_HEADER_COUNT_AT: usize = 44;
/// Bytes of a program header; offset and size of its segment are its dwords 1 and 4.
const PROGRAM_HEADER_BYTES: usize = 32;
/// The longest image that is read. Code has 12288 bytes at most, so any notes fit.
const MOST_IMAGE_BYTES: u64 = 1 << 20;
/// Programs that are kept.
const MOST_PROGRAMS: usize = 64;

/// Reads the image at `base`. `read` copies bytes from an address on, as many as there are, and returns how many; the image
/// ends where its header, program headers and segments end, or after 1 MiB.
pub fn read_image(base: u32, mut read: impl FnMut(u32, &mut [u8]) -> usize) -> Vec<u8> {
    let mut header = vec![0; HEADER_BYTES];
    if read(base, &mut header) < HEADER_BYTES || !header.starts_with(b"\x7FELF") {
        return Vec::new();
    }
    let dword = |bytes: &[u8], at: usize| bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let table = dword(&header, PROGRAM_HEADERS_AT);
    let count = dword(&header, PROGRAM_HEADER_COUNT_AT) as usize & 0xFFFF;
    let mut headers = vec![0; count * PROGRAM_HEADER_BYTES];
    let found = base.checked_add(table).map_or(0, |address| read(address, &mut headers));
    let segments = headers[..found].chunks_exact(PROGRAM_HEADER_BYTES);
    let ends = segments.map(|segment| u64::from(dword(segment, 4)) + u64::from(dword(segment, 16)));
    let table_end = u64::from(table) + headers.len() as u64;
    let length = ends.fold(table_end.max(HEADER_BYTES as u64), u64::max);
    // An image that claims to be longer than the memory after its address ends with the memory.
    let mut image = vec![0; length.min(MOST_IMAGE_BYTES) as usize];
    let found = read(base, &mut image);
    image.truncate(found);
    image
}

/// Decoded programs by the bytes of their images.
#[derive(Debug, Default)]
pub(crate) struct ProgramCache {
    programs: HashMap<Vec<u8>, Arc<Program>>,
}

impl ProgramCache {
    /// The program of an image that was found at `address`.
    pub fn load(&mut self, image: Vec<u8>, address: u32) -> Result<Arc<Program>, ProgramError> {
        if let Some(program) = self.programs.get(&image) {
            return Ok(program.clone());
        }
        let program = elf::load(&image).map_err(|error| ProgramError::Refused { address, error })?;
        if self.programs.len() == MOST_PROGRAMS {
            self.programs.clear();
        }
        Ok(self.programs.entry(image).or_insert(Arc::new(program)).clone())
    }
}
