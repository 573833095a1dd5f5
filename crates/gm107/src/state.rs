//! What a channel holds besides the memory.

use crate::counters::Counters;
use crate::macros::Macros;
use crate::methods::{Class, END, RegisterType, after_reset};
use std::fmt;

/// Vertex attributes.
pub const ATTRIBUTES: usize = 32;
/// Feedback buffers.
pub const FEEDBACK_BUFFERS: usize = 4;
/// Stages that have constants: vertices, tessellation control and evaluation, geometry, fragments.
pub const STAGES: usize = 5;
/// Constant banks of a stage.
pub const BANKS: usize = 18;

/// What was last written to each method of a class.
#[derive(Clone, PartialEq, Eq)]
pub struct Methods(Vec<u32>);

impl fmt::Debug for Methods {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let written = (0..).step_by(4).zip(&self.0).filter(|&(_, &word)| word != 0);
        f.debug_map().entries(written.map(|(method, word): (u32, _)| (format!("{method:#06x}"), word))).finish()
    }
}

impl Default for Methods {
    fn default() -> Self {
        Methods(vec![0; (END / 4) as usize])
    }
}

impl Methods {
    /// Methods that hold 0 but for these.
    pub fn new(after_reset: &[(u32, u32)]) -> Self {
        let mut methods = Methods::default();
        after_reset.iter().for_each(|&(method, word)| methods.write(method, word));
        methods
    }

    /// The word of a method, by its byte offset; 0 beyond the methods.
    pub fn word(&self, method: u32) -> u32 {
        self.0.get((method / 4) as usize).copied().unwrap_or_default()
    }

    /// Sets it. Nothing happens beyond the methods.
    pub fn write(&mut self, method: u32, word: u32) {
        if let Some(slot) = self.0.get_mut((method / 4) as usize) {
            *slot = word;
        }
    }

    /// The word as binary32.
    pub fn float(&self, method: u32) -> f32 {
        f32::from_bits(self.word(method))
    }

    /// The word of one of several methods in a row.
    pub fn word_at<R: RegisterType>(&self, index: u32) -> u32 {
        self.word(R::ADDRESS.wrapping_add(index.wrapping_mul(R::STRIDE)))
    }

    /// The same as binary32.
    pub fn float_at<R: RegisterType>(&self, index: u32) -> f32 {
        f32::from_bits(self.word_at::<R>(index))
    }

    /// The address whose high half is one of several methods in a row, and its low half in the method after that.
    pub fn address_at<R: RegisterType>(&self, index: u32) -> u64 {
        self.address(R::ADDRESS.wrapping_add(index.wrapping_mul(R::STRIDE)))
    }

    /// An address whose high half is here, and its low half in the next method.
    pub fn address(&self, method: u32) -> u64 {
        u64::from(self.word(method)) << 32 | u64::from(self.word(method.wrapping_add(4)))
    }

    /// The fields of a method.
    pub fn get<R: RegisterType>(&self) -> R {
        self.at(0)
    }

    /// The fields of one of several methods in a row.
    pub fn at<R: RegisterType>(&self, index: u32) -> R {
        R::decode(self.word_at::<R>(index))
    }
}

/// A constant bank: bytes of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantBank {
    /// The address of the first.
    pub address: u64,
    /// How many there are; 0 if the bank is not bound.
    pub size: u32,
}

/// Everything that the commands of a channel depend on besides the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The 3D class.
    pub three_d: Methods,
    /// The compute class.
    pub compute: Methods,
    /// The 2D class.
    pub two_d: Methods,
    /// The copy class.
    pub copy: Methods,
    /// The class of inline uploads.
    pub upload: Methods,
    /// Macros of the 3D class.
    pub macros: Macros,
    /// What queries ask for.
    pub counters: Counters,
    /// Whether the condition of the 3D class holds: draws and clears are drawn.
    pub condition: bool,
    /// Whether that of the compute class holds: programs are launched.
    pub compute_condition: bool,
    /// Whether that of the 2D class holds: blits are done.
    pub two_d_condition: bool,
    /// Where transform feedback goes on in each of its buffers, in bytes.
    pub feedback: [u32; FEEDBACK_BUFFERS],
    /// Constants of vertex attributes, as bits.
    pub attributes: [[u32; 4]; ATTRIBUTES],
    /// Constant banks of the stages.
    pub constants: [[ConstantBank; BANKS]; STAGES],
}

impl Default for Channel {
    fn default() -> Self {
        Channel {
            three_d: Methods::new(&after_reset()),
            compute: Methods::default(),
            two_d: Methods::default(),
            copy: Methods::default(),
            upload: Methods::default(),
            macros: Macros::default(),
            counters: Counters::default(),
            condition: true,
            compute_condition: true,
            two_d_condition: true,
            feedback: [0; FEEDBACK_BUFFERS],
            attributes: [[0, 0, 0, 1.0f32.to_bits()]; ATTRIBUTES],
            constants: [[ConstantBank::default(); BANKS]; STAGES],
        }
    }
}

impl Channel {
    /// What a class's methods hold. Those of the software class have no effect.
    pub fn methods(&self, class: Class) -> Option<&Methods> {
        match class {
            Class::ThreeD => Some(&self.three_d),
            Class::Compute => Some(&self.compute),
            Class::Upload => Some(&self.upload),
            Class::TwoD => Some(&self.two_d),
            Class::Copy => Some(&self.copy),
            Class::Software => None,
        }
    }

    /// The same, to write them.
    pub fn methods_mut(&mut self, class: Class) -> Option<&mut Methods> {
        match class {
            Class::ThreeD => Some(&mut self.three_d),
            Class::Compute => Some(&mut self.compute),
            Class::Upload => Some(&mut self.upload),
            Class::TwoD => Some(&mut self.two_d),
            Class::Copy => Some(&mut self.copy),
            Class::Software => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_hold_what_was_written() {
        let mut channel = Channel::default();
        let methods = &mut channel.three_d;
        assert_eq!(
            [0xFBC, 0xFC8, 0x1A1C, 0xF90, 0x15E4, 0x1A20].map(|method| methods.word(method)),
            [0xFFFF, 0xFFFF, 0x1111, 1, 1, 0]
        );
        for (method, word) in [(0x7FFC, 5), (0x8000, 6), (0x1608, 1), (0x160C, 0x8000_0000)] {
            methods.write(method, word);
        }
        assert_eq!((methods.word(0x7FFC), methods.word(0x8000)), (5, 0));
        assert_eq!(methods.address(0x1608), 0x1_8000_0000);
    }
}
