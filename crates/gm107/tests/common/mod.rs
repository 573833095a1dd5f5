//! Streams that are written by hand, and memory for them.

use ctm_card::{Card as _, Object, Submission};
use ctm_gm107::{Card, Model};
use ctm_memory::Arena;
use std::sync::Arc;

/// Where the card's memory begins.
pub const FIRST: u32 = 0x100_0000;
/// What streams lie in.
pub const PUSHES: Object = Object { address: FIRST, size: 0x4_0000 };
/// What else is in memory: results, targets, programs.
pub const DATA: Object = Object { address: FIRST + 0x10_0000, size: 0x10_0000 };

pub fn memory() -> Arc<Arena> {
    Arc::new(Arena::new(FIRST, 0x40_0000).expect("memory"))
}

/// Commands, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Commands(pub Vec<u32>);

impl Commands {
    /// A packet of this kind: 1 incrementing, 3 fixed, 5 incrementing once.
    pub fn packet(mut self, kind: u32, subchannel: u32, method: u32, data: &[u32]) -> Self {
        self.0.push(kind << 29 | (data.len() as u32) << 16 | subchannel << 13 | (method / 4));
        self.0.extend(data);
        self
    }

    /// Writes methods of the 3D class one after the other.
    pub fn write(self, method: u32, data: &[u32]) -> Self {
        self.packet(1, 0, method, data)
    }

    /// Writes a method of the 3D class by a header alone.
    pub fn immediate(mut self, method: u32, data: u32) -> Self {
        self.0.push(4 << 29 | data << 16 | (method / 4));
        self
    }

    /// Stores bytes, by the class of uploads.
    pub fn upload(self, address: u32, words: &[u32]) -> Self {
        let exec: Vec<u32> = [&[0x1001], words].concat();
        self.packet(1, 2, 0x188, &[0, address])
            .packet(1, 2, 0x180, &[4 * words.len() as u32, 1])
            .packet(5, 2, 0x1B0, &exec)
    }

    /// Stores a report.
    pub fn report(self, address: u32, sequence: u32, get: u32) -> Self {
        self.write(0x1B00, &[0, address, sequence, get])
    }

    /// Uploads a macro with this number to a place.
    pub fn macro_code(self, number: u32, place: u32, code: &[u32]) -> Self {
        let data: Vec<u32> = [&[place], code].concat();
        self.write(0x11C, &[number, place]).packet(5, 0, 0x114, &data)
    }
}

/// A submission of several pushes of these commands: the channel, and where each lies.
pub fn place(memory: &Arena, pushes: &[&Commands]) -> Vec<u32> {
    let (mut words, mut address) = (vec![1], PUSHES.address);
    for Commands(commands) in pushes {
        assert!(memory.write_words(address, commands));
        let bytes = 4 * commands.len() as u32;
        words.extend([address, bytes]);
        address += bytes;
    }
    words
}

/// Executes pushes, and gives the warnings.
pub fn execute(card: &mut Card, memory: &Arc<Arena>, pushes: &[&Commands]) -> Vec<String> {
    let words = place(memory, pushes);
    let submission = Submission { words: &words, objects: &[PUSHES, DATA], untouched: &[] };
    card.submit(memory, &submission).expect("a stream");
    card.take_warnings()
}

pub fn card() -> Card {
    Card::new(Model::Gm107)
}

/// A word of the data.
pub fn stored(memory: &Arena, offset: u32) -> u32 {
    memory.read_u32(DATA.address + offset).expect("it is there")
}
