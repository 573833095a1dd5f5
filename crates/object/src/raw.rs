//! Bare instruction words: little-endian dwords, six per instruction, no header.

use ctm_x1k::{INSTRUCTION_BYTES, Instruction, MAX_INSTRUCTIONS, Words};
use thiserror::Error;

/// Why bytes are not the words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RawError {
    /// There is nothing.
    #[error("the file is empty: a program has at least one instruction of {INSTRUCTION_BYTES} bytes")]
    Empty,
    /// The last instruction is cut off.
    #[error(
        "{length} bytes are not whole instructions: instruction {number} has {rest} of its {INSTRUCTION_BYTES} bytes (six \
         little-endian dwords)",
        number = length / INSTRUCTION_BYTES,
        rest = length % INSTRUCTION_BYTES
    )]
    PartialInstruction {
        /// Bytes that there are.
        length: usize,
    },
    /// More instructions than the machine holds.
    #[error("{count} instructions, the machine holds {MAX_INSTRUCTIONS}; is this a file of X1K instructions?")]
    TooMany {
        /// Instructions that there are.
        count: usize,
    },
}

/// Decodes bare instruction words (CTM Guide p.23: 1 to 512 instructions).
///
/// # Errors
/// The length is zero, not a multiple of 24 bytes, or beyond 512 instructions.
pub fn read_words(bytes: &[u8]) -> Result<Vec<Instruction>, RawError> {
    let length = bytes.len();
    if length == 0 {
        return Err(RawError::Empty);
    }
    if !length.is_multiple_of(INSTRUCTION_BYTES) {
        return Err(RawError::PartialInstruction { length });
    }
    if length > MAX_INSTRUCTIONS * INSTRUCTION_BYTES {
        return Err(RawError::TooMany { count: length / INSTRUCTION_BYTES });
    }
    Ok(decode(bytes))
}

/// Decodes whole instructions; a rest is dropped.
pub(crate) fn decode(bytes: &[u8]) -> Vec<Instruction> {
    let instruction = |chunk: &[u8]| {
        let mut words = Words::default();
        for (word, bytes) in words.iter_mut().zip(chunk.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Instruction::decode(&words)
    };
    bytes.chunks_exact(INSTRUCTION_BYTES).map(instruction).collect()
}

/// Encodes instructions as little-endian dwords, what [`read_words`] reads.
pub fn write_words(code: &[Instruction]) -> Vec<u8> {
    code.iter().flat_map(|instruction| instruction.encode()).flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_whole_instructions_come_back() {
        let bytes: Vec<u8> = (0..48u8).map(|n| n.wrapping_mul(37)).collect();
        assert_eq!(write_words(&read_words(&bytes).unwrap()), bytes);
    }

    #[test]
    fn wrong_lengths() {
        assert_eq!(read_words(&[]), Err(RawError::Empty));
        let partial = read_words(&[0; 25]).unwrap_err();
        assert_eq!(partial, RawError::PartialInstruction { length: 25 });
        assert!(partial.to_string().contains("instruction 1 has 1 of its 24 bytes"), "{partial}");
        assert_eq!(read_words(&vec![0; 513 * 24]), Err(RawError::TooMany { count: 513 }));
        assert!(read_words(&vec![0; 512 * 24]).is_ok());
    }
}
