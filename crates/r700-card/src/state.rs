//! What the card keeps between packets.

use crate::counters::Counters;
use crate::packets::IndexWidth;
use crate::registers::{self, RegisterFile};
use crate::textures::Textures;
use ctm_card::Submission;

/// Streamout buffers.
pub const STREAMOUT_BUFFERS: usize = 4;

/// Everything that draws and events depend on besides the memory.
#[derive(Clone, Debug)]
pub struct State {
    /// What the registers hold.
    pub registers: RegisterFile,
    /// How wide indices are.
    pub index_width: IndexWidth,
    /// How often draws are drawn.
    pub instances: u32,
    /// Whether draws that a predicate may drop are drawn.
    pub visible: bool,
    /// How full streamout buffers are, in dwords.
    pub filled: [u32; STREAMOUT_BUFFERS],
    /// What queries ask for.
    pub counters: Counters,
    /// Textures that are decoded.
    pub(crate) textures: Textures,
}

impl Default for State {
    fn default() -> Self {
        State {
            registers: registers::after_reset(),
            index_width: IndexWidth::Bits16,
            instances: 1,
            visible: true,
            filled: [0; STREAMOUT_BUFFERS],
            counters: Counters::default(),
            textures: Textures::default(),
        }
    }
}

impl State {
    /// The stream of a submission begins: nothing that streams must set themselves is taken over.
    pub fn begin_stream(&mut self, submission: &Submission) {
        self.registers.unbind();
        self.index_width = IndexWidth::Bits16;
        self.instances = 1;
        self.visible = true;
        let mut untouched = submission.untouched.iter().peekable();
        for object in submission.objects {
            if untouched.next_if_eq(&object).is_none() {
                let first = u64::from(object.address);
                self.textures.touched(first..first + u64::from(object.size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;

    /// 8x8 texels of a byte in rows of 256.
    const TEXTURE: [u32; 7] = [1 << 3 | 1 | 31 << 8 | 7 << 19, 7 | 1 << 26, 0, 0, 0x0688_4000, 0, 2 << 30];

    #[test]
    fn textures_in_objects_that_programs_may_have_written_to_are_looked_at_again() {
        let memory = Arena::new(0x1_0000, 0x4000).unwrap();
        let objects = [0x1_1000, 0x1_2000].map(|address| Object { address, size: 0x1000 });
        let mut state = State::default();
        let found = |state: &State| {
            objects.map(|object| {
                let (_, vectors) = state.textures.get(&memory, TEXTURE, [(object, 0); 2]).unwrap();
                vectors.read_u32(vectors.base()).unwrap() & 0xFF
            })
        };
        assert_eq!(found(&state), [0; 2]);
        objects.iter().for_each(|object| _ = memory.write_u8(object.address, 5));
        for (untouched, expected) in [(&objects[..], [0, 0]), (&objects[1..], [5, 0]), (&[], [5, 5])] {
            state.begin_stream(&Submission { words: &[], objects: &objects, untouched });
            assert_eq!(found(&state), expected);
        }
    }
}
