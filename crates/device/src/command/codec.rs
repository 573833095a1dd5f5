//! Words to commands and back.

use super::{COMMANDS, Command, CommandInfo, MAX_PARAMETERS, Parameters};
use thiserror::Error;

/// One command of a buffer, together with what its words say beyond the command.
///
/// The device heeds only `command`; the rest makes [`encode`] the inverse of [`decode`].
///
/// ```
/// use ctm_device::command::{Command, Packet};
/// let packet = Packet::from(Command::SetOutMask { mask: 0b0101 });
/// assert_eq!(packet.words(), [0xC000_1900, 0b0101]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The command.
    pub command: Command,
    /// Reserved bits of the parameters, in place.
    pub reserved: Parameters,
    /// The opcode is the command's [`CommandInfo::consistent_opcode`], if it has one.
    pub consistent_opcode: bool,
    /// The dword after the parameters that the count field of the opcode announces and the guide does not.
    pub extra: Option<u32>,
}

impl From<Command> for Packet {
    fn from(command: Command) -> Self {
        Packet { command, reserved: [0; MAX_PARAMETERS], consistent_opcode: false, extra: None }
    }
}

impl Packet {
    /// The first dword.
    pub fn opcode(&self) -> u32 {
        let info = self.command.info();
        info.consistent_opcode.filter(|_| self.consistent_opcode).unwrap_or(info.opcode)
    }

    /// The packet's dwords.
    pub fn words(&self) -> Vec<u32> {
        let info = self.command.info();
        let mut words = vec![self.opcode()];
        let parameters = self.command.parameters();
        words.extend((0..info.parameters).map(|i| parameters[i] | self.reserved[i] & info.reserved[i]));
        words.extend(self.extra);
        words
    }
}

/// Why a buffer, or its rest, is not a command (E_OPCODE).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The dword is not an opcode.
    #[error("dword {offset}: {word:#010x} is not an opcode; the rest of the buffer is dropped")]
    UnknownOpcode {
        /// Index of the dword in the buffer.
        offset: usize,
        /// The dword.
        word: u32,
    },
    /// The buffer ends inside a command.
    #[error("dword {offset}: {name} needs {needed} parameters, the buffer ends after {found}")]
    Truncated {
        /// Index of the opcode in the buffer.
        offset: usize,
        /// The command.
        name: &'static str,
        /// How many parameters it has.
        needed: usize,
        /// How many parameters are there.
        found: usize,
    },
}

impl DecodeError {
    /// Index of the dword where the command begins.
    pub const fn offset(&self) -> usize {
        match *self {
            DecodeError::UnknownOpcode { offset, .. } | DecodeError::Truncated { offset, .. } => offset,
        }
    }
}

/// Row of the table with this opcode, and whether it is the row's second opcode.
fn find(opcode: u32) -> Option<(usize, bool)> {
    // Bits 15:8 number the commands from 2 on, in the order of the table; all other bits must match as well.
    let row = ((opcode >> 8 & 0xFF) as usize).checked_sub(2)?;
    let info = COMMANDS.get(row)?;
    match opcode {
        _ if opcode == info.opcode => Some((row, false)),
        _ if Some(opcode) == info.consistent_opcode => Some((row, true)),
        _ => None,
    }
}

/// The commands of a buffer, each with the index of its first dword; ends after the first error.
///
/// Opcodes are matched as whole dwords. The guide prints `init_perf_counters` and `read_perf_counters` with a count
/// field of two parameters and lists one: after such an opcode a second dword is taken along unless it is an opcode.
///
/// ```
/// use ctm_device::command::{Command, DecodeError, decode};
/// let words = [0xC000_1900, 0x3, 0xC000_0800, 0, 7];
/// let mut commands = decode(&words);
/// assert_eq!(commands.next().unwrap().unwrap().1.command, Command::SetOutMask { mask: 3 });
/// assert_eq!(commands.next().unwrap().unwrap().1.command, Command::StartProgram);
/// assert_eq!(commands.next().unwrap().unwrap_err(), DecodeError::UnknownOpcode { offset: 4, word: 7 });
/// assert!(commands.next().is_none());
/// ```
pub fn decode(words: &[u32]) -> Decode<'_> {
    Decode { words, at: 0 }
}

/// Iterator of [`decode`].
#[derive(Clone, Debug)]
pub struct Decode<'a> {
    words: &'a [u32],
    at: usize,
}

impl Iterator for Decode<'_> {
    type Item = Result<(usize, Packet), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.at;
        let (&opcode, rest) = self.words.get(offset..)?.split_first()?;
        let item = decode_one(offset, opcode, rest);
        self.at = match &item {
            Ok((_, packet)) => offset + 1 + packet.command.info().parameters + usize::from(packet.extra.is_some()),
            Err(_) => self.words.len(),
        };
        Some(item)
    }
}

fn decode_one(offset: usize, opcode: u32, rest: &[u32]) -> Result<(usize, Packet), DecodeError> {
    let unknown = DecodeError::UnknownOpcode { offset, word: opcode };
    let (row, consistent_opcode) = find(opcode).ok_or(unknown)?;
    let info: &CommandInfo = &COMMANDS[row];
    let Some((given, rest)) = rest.split_at_checked(info.parameters) else {
        return Err(DecodeError::Truncated { offset, name: info.name, needed: info.parameters, found: rest.len() });
    };
    let mut words = [0; MAX_PARAMETERS];
    words[..given.len()].copy_from_slice(given);
    let command = Command::read(row, &words).ok_or(unknown)?;
    let reserved = std::array::from_fn(|i| words[i] & info.reserved[i]);
    let announces_more = info.consistent_opcode.is_some() && !consistent_opcode;
    let extra = rest.first().copied().filter(|&word| announces_more && find(word).is_none());
    Ok((offset, Packet { command, reserved, consistent_opcode, extra }))
}

/// The words of a sequence of commands, each as the guide prints it.
///
/// ```
/// use ctm_device::command::{Command, encode};
/// let words = encode([Command::SetDomain { i0: 0, j0: 0, i1: 63, j1: 63 }, Command::StartProgram]);
/// assert_eq!(words, [0xC003_0700, 0, 0, 63, 63, 0xC000_0800, 0]);
/// ```
pub fn encode<P: Into<Packet>>(commands: impl IntoIterator<Item = P>) -> Vec<u32> {
    commands.into_iter().flat_map(|command| command.into().words()).collect()
}

/// Little-endian words. A rest that is not a whole word is dropped.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
