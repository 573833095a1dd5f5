//! Buffer objects, and the bytes of one and nothing beyond them.

use ctm_memory::{Arena, Buffer, Space, Words as SharedWords};

/// A buffer object that a submission names: a range of the card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Card address of its first byte.
    pub address: u32,
    /// Bytes.
    pub size: u32,
}

/// An element of up to 16 bytes, little-endian.
pub type ElementWords = [u32; 4];

/// The bytes of an object from some place on.
#[derive(Clone, Copy, Debug)]
pub struct ObjectBytes<'a> {
    memory: &'a Arena,
    /// Card address of the first.
    address: u64,
    /// Bytes to the end of the object.
    size: u64,
}

impl<'a> ObjectBytes<'a> {
    /// The bytes from `offset` on; none if the object ends before that.
    pub fn new(memory: &'a Arena, object: Object, offset: u32) -> Self {
        let size = object.size.saturating_sub(offset);
        ObjectBytes { memory, address: u64::from(object.address) + u64::from(offset), size: size.into() }
    }

    /// Those of them from `offset` on; none if they end before that.
    pub fn from(&self, offset: u64) -> Self {
        ObjectBytes { address: self.address + offset.min(self.size), size: self.size.saturating_sub(offset), ..*self }
    }

    /// The card address of so many bytes, if all of them are there.
    #[inline]
    pub fn address(&self, offset: u64, bytes: u32) -> Option<u32> {
        let end = offset.checked_add(bytes.into())?;
        if end <= self.size { u32::try_from(self.address + offset).ok() } else { None }
    }

    /// How many bytes there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// All of them as a buffer of this memory.
    pub fn buffer<'s>(&self, space: &'s Space) -> Option<Buffer<'s>> {
        Buffer::new(space, self.address(0, 0)?, self.size as u32).ok()
    }

    /// Whether bytes of both objects are the same ones.
    pub fn overlaps(&self, other: &ObjectBytes) -> bool {
        self.address < other.address + other.size && other.address < self.address + self.size
    }

    /// A little-endian element of 1, 2 or 4 bytes; 0 if not all of it is there.
    #[inline]
    pub fn read_word(&self, offset: u64, bytes: u32) -> u32 {
        let Some(address) = self.address(offset, bytes) else { return 0 };
        match bytes {
            1 => self.memory.read_u8(address).unwrap_or_default().into(),
            2 => self.memory.read_u16(address).unwrap_or_default().into(),
            _ => self.memory.read_u32(address).unwrap_or_default(),
        }
    }

    /// Replaces these bits of so many words, from this offset, a multiple of 4, on; false, and nothing written, if not all of them are there.
    pub fn fill_words(&self, offset: u64, count: u32, word: u32, bits: u32) -> bool {
        let address = self.address(offset, 4 * count);
        address.is_some_and(|address| self.memory.fill_words(address, count as usize, word, bits))
    }

    /// Reads these bytes; false, and nothing read, if not all of them are there.
    pub fn read_bytes(&self, offset: u64, bytes: &mut [u8]) -> bool {
        let address = u32::try_from(bytes.len()).ok().and_then(|count| self.address(offset, count));
        address.is_some_and(|address| self.memory.read_bytes(address, bytes))
    }

    /// Writes these bytes; false, and nothing written, if not all of them are there.
    pub fn write_bytes(&self, offset: u64, bytes: &[u8]) -> bool {
        let address = u32::try_from(bytes.len()).ok().and_then(|count| self.address(offset, count));
        address.is_some_and(|address| self.memory.write_bytes(address, bytes))
    }

    /// All of their words, if they begin with one.
    pub fn words(&self) -> Option<SharedWords<'a>> {
        let address = self.address(0, 0).filter(|address| address.is_multiple_of(4))?;
        self.memory.shared_words(address, self.size as usize / 4)
    }

    /// A little-endian element of 1, 2, 4, 8 or 16 bytes; zeros if not all of it is there.
    #[inline]
    pub fn read(&self, offset: u64, bytes: u32) -> ElementWords {
        if bytes <= 4 {
            return [self.read_word(offset, bytes), 0, 0, 0];
        }
        let Some(address) = self.address(offset, bytes) else { return [0; 4] };
        let word = |n: u32| self.memory.read_u32(address.wrapping_add(4 * n)).unwrap_or_default();
        match bytes {
            8 => [word(0), word(1), 0, 0],
            _ => [word(0), word(1), word(2), word(3)],
        }
    }

    /// Writes such an element; nothing happens if not all of it is there.
    #[inline]
    pub fn write(&self, offset: u64, bytes: u32, words: ElementWords) {
        let Some(address) = self.address(offset, bytes) else { return };
        match bytes {
            1 => _ = self.memory.write_u8(address, words[0] as u8),
            2 => _ = self.memory.write_u16(address, words[0] as u16),
            4 => _ = self.memory.write_u32(address, words[0]),
            _ => {
                for (n, word) in (0..bytes / 4).zip(words) {
                    self.memory.write_u32(address.wrapping_add(4 * n), word);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_not_there() {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        let object = Object { address: 0x1_0100, size: 40 };
        let bytes = ObjectBytes::new(&memory, object, 8);
        for (size, words) in
            [(1, [0x78, 0, 0, 0]), (2, [0x5678, 0, 0, 0]), (4, [0x1234_5678, 0, 0, 0]), (16, [1, 2, 3, 4])]
        {
            let last = 32 - u64::from(size);
            bytes.write(last, size, words);
            assert_eq!(bytes.read(last, size), words);
            bytes.write(last + 4, size, [!0; 4]);
            assert_eq!(bytes.read(last + 4, size), [0; 4]);
            assert_eq!(memory.read_u32(object.address + object.size), Some(0));
        }
        assert_eq!(bytes.read(u64::MAX - 1, 4), [0; 4]);
        let mut copy = [9; 4];
        assert!(bytes.write_bytes(28, &[5, 6, 7, 8]) && bytes.read_bytes(28, &mut copy) && copy == [5, 6, 7, 8]);
        assert!(!bytes.write_bytes(29, &copy) && !bytes.read_bytes(29, &mut copy));
        assert_eq!(ObjectBytes::new(&memory, object, 41).read(0, 1), [0; 4]);
        assert_eq!(memory.read_u32(object.address + 8 + 16), Some(1));
        assert_eq!(memory.read_u32(object.address + object.size), Some(0));
    }
}
