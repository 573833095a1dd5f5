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
