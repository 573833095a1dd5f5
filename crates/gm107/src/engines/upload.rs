//! Inline uploads: data of packets is stored byte by byte.

use crate::methods::{UploadDstAddressHigh, UploadDstPitch, UploadLineCount, UploadLineLengthIn};
use crate::objects::Objects;
use crate::state::Methods;
use crate::written::Written;

/// Bytes that are stored together.
const CHUNK: usize = 4096;

/// An upload that has begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upload {
    /// Where the next byte goes.
    address: u64,
    /// Bytes of this line that are missing.
    left: u64,
    /// Lines after it.
    lines: u64,
    /// Bytes of a line.
    length: u64,
    /// From the end of a line to the beginning of the next one.
    gap: u64,
    /// What is not stored yet, before the address.
    waiting: Vec<u8>,
}

impl Upload {
    /// The upload that these methods describe. Its destination is linear, whatever they say.
    pub fn begin(methods: &Methods) -> Self {
        let length = u64::from(methods.get::<UploadLineLengthIn>().bytes);
        let lines = u64::from(methods.get::<UploadLineCount>().count.max(1));
        let pitch = u64::from(methods.get::<UploadDstPitch>().bytes);
        let address = methods.address_at::<UploadDstAddressHigh>(0);
        Upload {
            address,
            left: length,
            lines: lines - 1,
            length,
            gap: pitch.saturating_sub(length),
            waiting: Vec::new(),
        }
    }

    /// Stores four bytes more, as far as they are wanted.
    pub fn data(&mut self, objects: &Objects, written: &mut Written, word: u32) {
        let mut bytes = &word.to_le_bytes()[..];
        while !bytes.is_empty() && self.left > 0 {
            let count = self.left.min(bytes.len() as u64) as usize;
            let (now, later) = bytes.split_at(count);
            self.waiting.extend_from_slice(now);
            bytes = later;
            self.left -= count as u64;
            if self.left == 0 || self.waiting.len() >= CHUNK {
                self.store(objects, written);
            }
            if self.left == 0 && self.lines > 0 && self.length > 0 {
                (self.left, self.lines) = (self.length, self.lines - 1);
                self.address = self.address.saturating_add(self.gap);
            }
        }
    }

    /// Stores what is not stored yet.
    pub fn store(&mut self, objects: &Objects, written: &mut Written) {
        if self.waiting.is_empty() {
            return;
        }
        let end = self.address.saturating_add(self.waiting.len() as u64);
        objects.write(self.address, &self.waiting);
        written.add(self.address..end);
        self.address = end;
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    fn uploaded(length: u32, lines: u32, pitch: u32, words: &[u32]) -> Vec<u8> {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: 0x1_0000, size: 0x8000 }]);
        let mut methods = Methods::default();
        for (method, word) in [(0x180, length), (0x184, lines), (0x18C, 0x1_0003), (0x190, pitch)] {
            methods.write(method, word);
        }
        let mut upload = Upload::begin(&methods);
        let mut written = Written::default();
        words.iter().for_each(|&word| upload.data(&objects, &mut written, word));
        upload.store(&objects, &mut written);
        let mut bytes = vec![0; 24];
        memory.read_bytes(0x1_0000, &mut bytes);
        bytes
    }

    #[test]
    fn surplus_bytes_are_dropped() {
        let bytes = uploaded(6, 1, 0, &[0x0403_0201, 0x0807_0605, 0x0C0B_0A09]);
        assert_eq!(bytes[..12], [0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0]);
        assert_eq!(uploaded(0, 9, 0, &[5]), [0; 24]);
    }

    #[test]
    fn what_is_missing_is_not_waited_for() {
        assert_eq!(uploaded(u32::MAX, 1, 0, &[0x0403_0201])[..9], [0, 0, 0, 1, 2, 3, 4, 0, 0]);
    }

    #[test]
    fn lines_lie_apart() {
        let bytes = uploaded(3, 2, 5, &[0x0403_0201, 0x0807_0605]);
        assert_eq!(bytes[..14], [0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0]);
    }
}
