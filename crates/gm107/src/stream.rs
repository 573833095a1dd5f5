//! Command streams: packets of a header and its data, read from the pushes of a submission one after the other, each when its turn comes:
//! commands may write the data of later ones.
//!
//! Source: NVIDIA's public headers of host channels (`clb06f.h`), Mesa nouveau's `nvc0_winsys.h`.

use crate::objects::Objects;
use crate::pushes::{Push, pushes};
use ctm_bits::extract;
use ctm_memory::Arena;
use std::collections::VecDeque;
use std::ops::Range;
use thiserror::Error;

/// Dwords that are read at a time.
const CHUNK: u32 = 1024;

/// Where the data of packets goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To methods one after the other.
    Incrementing,
    /// To one method.
    Fixed,
    /// There is one, in the header.
    Immediate(u32),
    /// The first to a method, all others to the one after it.
    IncrementingOnce,
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Incrementing => "incrementing",
            Kind::Fixed => "fixed",
            Kind::Immediate(_) => "immediate",
            Kind::IncrementingOnce => "incrementing once",
        }
    }
}

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where its data goes.
    pub kind: Kind,
    /// How many dwords follow.
    pub count: u32,
    /// The subchannel.
    pub subchannel: u32,
    /// The byte offset of the first method.
    pub method: u32,
}

/// A dword that is no header (decision D308).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0:#010x} is not the header of a packet")]
pub struct NoHeader(pub u32);

impl Header {
    /// The header in a dword; `None` where there is none to be: fillers are zeros.
    ///
    /// # Errors
    /// There are no such headers.
    pub fn of(word: u32) -> Result<Option<Header>, NoHeader> {
        let count = extract(word, 28, 16);
        let (kind, count) = match extract(word, 31, 29) {
            0 if word == 0 => return Ok(None),
            1 => (Kind::Incrementing, count),
            3 => (Kind::Fixed, count),
            4 => (Kind::Immediate(count), 0),
            5 => (Kind::IncrementingOnce, count),
            _ => return Err(NoHeader(word)),
        };
        let (subchannel, method) = (extract(word, 15, 13), 4 * extract(word, 12, 0));
        Ok(Some(Header { kind, count, subchannel, method }))
    }

    /// The byte offset of the method that this dword of its data goes to.
    pub fn method_of(&self, number: u32) -> u32 {
        match self.kind {
            Kind::Incrementing => self.method.saturating_add(number.saturating_mul(4)),
            Kind::Fixed | Kind::Immediate(_) => self.method,
            Kind::IncrementingOnce => self.method + 4 * number.min(1),
        }
    }
}

/// What streams are read from.
pub trait Memory {
    /// Reads bytes; those that are not there are 0.
    fn read(&self, address: u64, bytes: &mut [u8]);
}

impl Memory for Objects {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        Objects::read(self, address, bytes);
    }
}

impl Memory for Arena {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        if !u32::try_from(address).is_ok_and(|address| self.read_bytes(address, bytes)) {
            bytes.fill(0);
        }
    }
}

/// The dwords of a submission's pushes, one after the other.
pub struct Stream<'a> {
    memory: &'a dyn Memory,
    pushes: VecDeque<Push>,
    chunk: Vec<u8>,
    /// Bytes of the chunk that have been taken.
    taken: usize,
    /// Dwords that have been taken.
    at: usize,
}

impl<'a> Stream<'a> {
    /// The stream of a submission with these words.
    pub fn new(memory: &'a dyn Memory, words: &[u32]) -> Self {
        let pushes = pushes(words).filter(|push| push.dwords != 0).collect();
        Stream { memory, pushes, chunk: Vec::new(), taken: 0, at: 0 }
    }

    /// How many dwords have been taken.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The bytes of memory that the next dword makes the card read; none if they have been read.
    pub fn next_read(&self) -> Option<Range<u64>> {
        let push = self.pushes.front().filter(|_| self.taken == self.chunk.len())?;
        let first = u64::from(push.address);
        Some(first..first + 4 * u64::from(push.dwords.min(CHUNK)))
    }

    /// The next dword.
    pub fn take(&mut self) -> Option<u32> {
        if self.taken == self.chunk.len() {
            let push = self.pushes.front_mut()?;
            let count = push.dwords.min(CHUNK);
            self.chunk.resize(4 * count as usize, 0);
            self.memory.read(push.address.into(), &mut self.chunk);
            self.taken = 0;
            // Pushes that go beyond the last address have nothing but zeros there.
            *push = Push { address: push.address.saturating_add(4 * count), dwords: push.dwords - count };
            if push.dwords == 0 {
                self.pushes.pop_front();
            }
        }
        let bytes = self.chunk.get(self.taken..)?.first_chunk::<4>()?;
        self.taken += 4;
        self.at += 1;
        Some(u32::from_le_bytes(*bytes))
    }

    /// Leaves so many dwords out; those are not read.
    pub fn skip(&mut self, count: usize) {
        let chunk = (self.chunk.len() - self.taken) / 4;
        let mut left = count;
        let now = left.min(chunk);
        self.taken += 4 * now;
        left -= now;
        while let Some(push) = self.pushes.front_mut().filter(|_| left > 0) {
            let now = left.min(push.dwords as usize) as u32;
            *push = Push { address: push.address.saturating_add(4 * now), dwords: push.dwords - now };
            if push.dwords == 0 {
                self.pushes.pop_front();
            }
            left -= now as usize;
        }
        self.at += count - left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_where_data_goes() {
        let methods = |word: u32| {
            let header = Header::of(word).unwrap().unwrap();
            (header.count, header.subchannel, [0, 1, 2].map(|number| header.method_of(number)))
        };
        assert_eq!(methods(0x2003_2040), (3, 1, [0x100, 0x104, 0x108]));
        assert_eq!(methods(0x6002_008E), (2, 0, [0x238; 3]));
        assert_eq!(methods(0xA1C1_406C), (0x1C1, 2, [0x1B0, 0x1B4, 0x1B4]));
        let immediate = Header::of(0x9FFF_0585).unwrap().unwrap();
        assert_eq!((immediate.kind, immediate.count, immediate.method), (Kind::Immediate(0x1FFF), 0, 0x1614));
        assert_eq!(Header::of(0), Ok(None));
        for word in [1, 0x4000_0000, 0xC000_0000, 0xFFFF_0674] {
            assert_eq!(Header::of(word), Err(NoHeader(word)));
        }
    }

    #[test]
    fn pushes_are_read_when_their_turn_comes() {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        (0..0x1000).for_each(|n| _ = memory.write_u32(0x1_0000 + 4 * n, n));
        let words = [0, 0x1_0000, 8, 0x1_0100, 0, 0x1_0200, 4 * 2000, 0x1_0010, 4];
        let mut stream = Stream::new(&memory, &words);
        assert_eq!(stream.next_read(), Some(0x1_0000..0x1_0008));
        assert_eq!([stream.take(), stream.take()], [Some(0), Some(1)]);
        memory.write_u32(0x1_0200, 77);
        assert_eq!(stream.next_read(), Some(0x1_0200..0x1_1200));
        assert_eq!((stream.take(), stream.next_read(), stream.at()), (Some(77), None, 3));
        stream.skip(1500);
        assert_eq!((stream.take(), stream.at()), (Some(0x80 + 1501), 1504));
        stream.skip(498);
        assert_eq!((stream.take(), stream.take(), stream.take()), (Some(4), None, None));
        stream.skip(9);
        assert_eq!(stream.at(), 2003);
    }

    #[test]
    fn what_is_skipped_first_is_not_read() {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        (0..8).for_each(|n| _ = memory.write_u32(0x1_0000 + 4 * n, n));
        let mut stream = Stream::new(&memory, &[0, 0x1_0000, 16, 0x1_0010, 16]);
        stream.skip(5);
        assert_eq!((stream.next_read(), stream.take(), stream.at()), (Some(0x1_0014..0x1_0020), Some(5), 6));
    }
}
