//! What programs write, and what people call it.

use crate::{Guest, Output, cell_name, find_cell};
use ctm_follow::Cell;
use std::ops::Range;
use thiserror::Error;

/// Most bytes of memory that are looked at as one thing.
const BYTES: u32 = 4096;

/// Something that a program writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteTarget {
    /// Cells of a lane, by their numbers: a register, or a channel of one.
    Cells(Range<usize>),
    /// Bytes of memory.
    Memory {
        /// GPU address of the first byte.
        address: u32,
        /// How many.
        bytes: u32,
    },
}

/// Why a text names nothing that programs write.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteTargetError {
    /// Nothing has this name.
    #[error(
        "unknown name '{name}': give a register like {register}, memory like 0x10000 or 0x10000:4 (words){}",
        .output.as_ref().map_or(String::new(), |output| format!(", or an output like '{output}'"))
    )]
    Unknown {
        /// The name.
        name: String,
        /// A register that there is.
        register: String,
        /// An output that there is.
        output: Option<String>,
    },
    /// Memory has no such bytes.
    #[error("there are no {bytes} bytes of memory at {address:#010x}")]
    NoMemory {
        /// GPU address of the first byte.
        address: u32,
        /// How many.
        bytes: u64,
    },
    /// It is too long.
    #[error("{0} bytes are too many to look at: {BYTES} is the most")]
    Long(u64),
    /// An output has no element there.
    #[error("{name} has no element of lane ({}, {})", .at.0, .at.1)]
    NoElement {
        /// The output.
        name: String,
        /// Column and row of the lane.
        at: (u32, u32),
    },
}

impl WriteTarget {
    /// A cell, by its number.
    pub fn cell(number: usize) -> Self {
        WriteTarget::Cells(number..number + 1)
    }

    /// So many bytes of a guest's memory, 4096 at most.
    ///
    /// # Errors
    /// There is no memory, or they are too many.
    pub fn memory(guest: &dyn Guest, address: u32, bytes: u64) -> Result<Self, WriteTargetError> {
        let missing = WriteTargetError::NoMemory { address, bytes };
        let length = u32::try_from(bytes).ok().filter(|&bytes| bytes <= BYTES).ok_or(WriteTargetError::Long(bytes))?;
        let is_there = length > 0 && guest.memory().arena_of(address, length).is_some();
        if is_there { Ok(WriteTarget::Memory { address, bytes: length }) } else { Err(missing) }
    }

    /// The target of a name: a register of a lane, or a channel; memory by its address and a number of words, as `0x10000:4`, one if
    /// there is none; an output, as `colour 0`, which means the element of the lane `at`, or of another one, as `colour 0 at 3,4`.
    ///
    /// # Errors
    /// There is no such thing.
    pub fn parse(guest: &dyn Guest, at: (u32, u32), text: &str) -> Result<Self, WriteTargetError> {
        let text = text.trim();
        if let Some(cells) = find_register(guest.cells(), text) {
            return Ok(WriteTarget::Cells(cells));
        }
        let (start, words) = text.split_once(':').unwrap_or((text, "1"));
        if let (Some(address), Ok(words)) = (number(start), words.trim().parse::<u32>()) {
            return WriteTarget::memory(guest, address, 4 * u64::from(words));
        }
        let outputs = guest.outputs();
        let place = |text: &str| {
            let (column, row) = text.split_once(',')?;
            Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
        };
        let other = text.rsplit_once(" at ").and_then(|(name, lane)| Some((name.trim(), place(lane)?)));
        let (name, at) = other.unwrap_or((text, at));
        match outputs.iter().find(|output| output.name == name) {
            Some(output) => {
                let bytes = output.bytes_of(at).filter(|bytes| !bytes.is_empty());
                let bytes = bytes.ok_or(WriteTargetError::NoElement { name: name.into(), at })?;
                WriteTarget::memory(guest, bytes.start, (bytes.end - bytes.start).into())
            }
            None => Err(WriteTargetError::Unknown {
                name: name.into(),
                register: guest.cells().first().map(cell_name).unwrap_or_default(),
                output: outputs.into_iter().next().map(|output| output.name),
            }),
        }
    }

    /// What people call it, where the lane `at` is looked at.
    pub fn name(&self, guest: &dyn Guest, at: (u32, u32)) -> String {
        match self {
            WriteTarget::Cells(cells) => match guest.cells().get(cells.clone()) {
                Some([cell]) => cell_name(cell),
                Some([cell, ..]) => cell.register(),
                Some([]) | None => String::new(),
            },
            &WriteTarget::Memory { address, bytes } => {
                let is_it = |output: &Output| output.bytes_of(at) == Some(address..address.saturating_add(bytes));
                let output = guest.outputs().into_iter().find(is_it).map(|output| format!("{}, ", output.name));
                let length = if bytes == 4 { String::new() } else { format!("{bytes} bytes of ") };
                format!("{}{length}memory at {address:#010x}", output.unwrap_or_default())
            }
        }
    }

    /// What is there now, as words of which the last one may be cut; none of cells if the lane is not there.
    pub fn words(&self, guest: &dyn Guest, lane: Option<usize>) -> Vec<u32> {
        match self {
            WriteTarget::Cells(cells) => match lane {
                Some(lane) => cells.clone().map(|cell| guest.read(lane, cell)).collect(),
                None => Vec::new(),
            },
            &WriteTarget::Memory { address, bytes } => {
                let mut all = vec![0; bytes as usize];
                if guest.memory().read_bytes(address, &mut all).is_err() {
                    return Vec::new();
                }
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                all.chunks(4).map(word).collect()
            }
        }
    }
}

/// Whether words were written over others. There are none of a lane that is in another part of its group, which runs before or after this one.
pub fn is_change(old: &[u32], new: &[u32]) -> bool {
    !old.is_empty() && !new.is_empty() && old != new
}

/// The cells of a register or channel with this name.
fn find_register(cells: &[Cell], name: &str) -> Option<Range<usize>> {
    if let Some(number) = find_cell(cells, name) {
        return Some(number..number + 1);
    }
    let first = cells.iter().position(|cell| cell.register() == name)?;
    let count = cells[first..].iter().take_while(|cell| cell.register() == name).count();
    Some(first..first + count)
}

/// A number, in hexadecimal after `0x`.
fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_change;

    /// Words that are not there are not written over, nor do they write over others.
    #[test]
    fn changes_are_of_words_that_are_there() {
        assert!(is_change(&[1], &[2]) && !is_change(&[1], &[1]));
        assert!(!is_change(&[], &[1]) && !is_change(&[1], &[]) && !is_change(&[], &[]));
    }
}
