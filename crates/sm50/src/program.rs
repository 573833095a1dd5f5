//! A program: instructions in bundles with their control words, and the header.

use crate::control::Control;
use crate::field::{FieldId, key};
use crate::header::Header;
use crate::instruction::Instruction;
use crate::table::Class;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use thiserror::Error;

/// Bytes of a bundle: a control word and three instructions.
pub const BUNDLE_BYTES: u32 = 32;
/// Instructions of a bundle.
pub const BUNDLE_SLOTS: usize = 3;
/// Instructions that a hash has of code, at most.
const HASHED_INSTRUCTIONS: usize = 32;
/// Most instructions that a program can have here.
pub const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Instructions in bundles. The last bundle may be cut short.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    controls: Vec<u64>,
    instructions: Vec<Instruction>,
    /// Words of the bank of handles that instructions of textures name, in order, and whether there are such instructions at all.
    handles: Arc<[u16]>,
    has_textures: bool,
}

impl Hash for Code {
    /// Some instructions tell most programs apart, and every launch looks for its program.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let step = self.instructions.len().div_ceil(HASHED_INSTRUCTIONS).max(1);
        self.instructions.len().hash(state);
        self.instructions.iter().step_by(step).for_each(|instruction| instruction.hash(state));
    }
}

/// A program of a stage, or compute code, which has no header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The header.
    pub header: Option<Header>,
    /// The code.
    pub code: Code,
    /// Words of constant bank [`Program::CONSTANT_BANK`] that the compiler made for the program; often none.
    pub constants: Vec<u32>,
}

impl Program {
    /// The bank of the constants that travel with programs: that of uam, deko3d's compiler.
    pub const CONSTANT_BANK: u8 = 1;
}

/// Why bytes are not code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CodeError {
    /// There is nothing.
    #[error("there is no code: a program has at least a control word and one instruction")]
    Empty,
    /// The last word is cut off.
    #[error("{length} bytes of code are not whole words of 8 bytes: the last {} are too many", length % 8)]
    PartialWord {
        /// Bytes that there are.
        length: usize,
    },
    /// More instructions than can be.
    #[error("{count} words of code; at most {MAX_INSTRUCTIONS} instructions are read")]
    TooMany {
        /// Words that there are.
        count: usize,
    },
}

impl Code {
    /// Puts instructions, each with its control bits, into bundles. The last bundle ends with the last instruction.
    pub fn new(slots: impl IntoIterator<Item = (Instruction, Control)>) -> Self {
        let mut code = Code::default();
        for (instruction, control) in slots {
            let slot = code.instructions.len() % BUNDLE_SLOTS;
            if slot == 0 {
                code.controls.push(0);
            }
            if let Some(word) = code.controls.last_mut() {
                *word = control.put(*word, slot);
            }
            code.instructions.push(instruction);
        }
        code.with_handles()
    }

    /// The code, which knows its handles.
    fn with_handles(mut self) -> Self {
        let of_textures =
            |instruction: &&Instruction| matches!(instruction.op().class(), Class::Texture(_) | Class::Surface(_));
        self.has_textures = self.instructions.iter().any(|instruction| of_textures(&instruction));
        let named = self.instructions.iter().filter(of_textures).filter(|instruction| {
            matches!(instruction.op().class(), Class::Texture(_)) && instruction.has(FieldId::HANDLE)
        });
        let handles: BTreeSet<u16> = named.map(|instruction| instruction.get(key::HANDLE)).collect();
        self.handles = handles.into_iter().collect();
        self
    }

    /// The words of the bank of handles that the texture instructions name, in order.
    pub fn handles(&self) -> &[u16] {
        &self.handles
    }

    /// Whether there are instructions of textures or images.
    pub fn has_textures(&self) -> bool {
        self.has_textures
    }

    /// Takes little-endian words apart.
    ///
    /// # Errors
    /// There are none, the last one is cut off, or there are too many.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodeError> {
        let (words, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(CodeError::PartialWord { length: bytes.len() });
        }
        if words.len() > MAX_INSTRUCTIONS / BUNDLE_SLOTS * (BUNDLE_SLOTS + 1) {
            return Err(CodeError::TooMany { count: words.len() });
        }
        let mut code = Code::default();
        for (n, word) in words.iter().map(|word| u64::from_le_bytes(*word)).enumerate() {
            if n % (BUNDLE_SLOTS + 1) == 0 {
                code.controls.push(word);
            } else {
                code.instructions.push(Instruction::decode(word));
            }
        }
        if code.instructions.is_empty() { Err(CodeError::Empty) } else { Ok(code.with_handles()) }
    }

    /// The little-endian words that [`from_bytes`](Self::from_bytes) reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words().flat_map(u64::to_le_bytes).collect()
    }

    /// The words, control words among them.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let bundles = self.controls.iter().enumerate();
        bundles.flat_map(|(n, &control)| {
            let end = self.instructions.len().min((n + 1) * BUNDLE_SLOTS);
            let instructions = self.instructions[end.min(n * BUNDLE_SLOTS)..end].iter();
            std::iter::once(control).chain(instructions.map(Instruction::encode))
        })
    }

    /// The instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The control words, one for each bundle.
    pub fn controls(&self) -> &[u64] {
        &self.controls
    }

    /// The control words, to be changed.
    pub(crate) fn controls_mut(&mut self) -> &mut Vec<u64> {
        &mut self.controls
    }

    /// The control bits of the instruction with this number.
    pub fn control(&self, index: usize) -> Control {
        Control::of_word(self.controls[index / BUNDLE_SLOTS], index % BUNDLE_SLOTS)
    }

    /// The byte address of the instruction with this number, counted from the first control word.
    pub const fn address(index: usize) -> u32 {
        (index / BUNDLE_SLOTS) as u32 * BUNDLE_BYTES + (index % BUNDLE_SLOTS) as u32 * 8 + 8
    }

    /// The number of the instruction that is executed when control goes to this byte address: that of a control word means
    /// the first instruction of its bundle. `None` for addresses that are not of a word of the code.
    pub fn index_at(&self, address: u32) -> Option<usize> {
        if !address.is_multiple_of(8) {
            return None;
        }
        let (bundle, word) = ((address / BUNDLE_BYTES) as usize, (address % BUNDLE_BYTES / 8) as usize);
        let index = bundle * BUNDLE_SLOTS + word.saturating_sub(1);
        (index < self.instructions.len()).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_words_come_back() {
        for words in [2, 3, 4, 5, 6, 9] {
            let bytes: Vec<u8> = (0..words * 8).map(|n: u64| ((n * 151) >> 2) as u8).collect();
            assert_eq!(Code::from_bytes(&bytes).unwrap().to_bytes(), bytes, "{words} words");
        }
        assert_eq!(Code::from_bytes(&[]), Err(CodeError::Empty));
        assert_eq!(Code::from_bytes(&[0; 8]), Err(CodeError::Empty));
        assert_eq!(Code::from_bytes(&[0; 17]), Err(CodeError::PartialWord { length: 17 }));
    }

    #[test]
    fn addresses() {
        let code = Code::from_bytes(&[0; 48]).unwrap();
        assert_eq!(code.instructions().len(), 4);
        assert_eq!([0, 1, 2, 3].map(Code::address), [8, 16, 24, 40]);
        assert_eq!(
            [0, 8, 16, 24, 32, 40, 48, 4].map(|at| code.index_at(at)),
            [Some(0), Some(0), Some(1), Some(2), Some(3), Some(3), None, None]
        );
    }
}
