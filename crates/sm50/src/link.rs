//! Programs with the routines that they call by address.
//!
//! `JMP` and `JCAL` go to addresses that count from the beginning of the memory that code lies in. Mesa's nouveau puts routines at its
//! end, such as integer division, and calls them so. Here a program is one piece of code, whose addresses count from its own
//! beginning: linking puts the routines behind it, and makes the targets addresses of that.

use crate::control::Control;
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::program::{BUNDLE_BYTES, BUNDLE_SLOTS, Code, MAX_INSTRUCTIONS};
use thiserror::Error;

/// Code, and the address of its first control word.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The address.
    pub address: u32,
    /// The code.
    pub code: &'a Code,
}

/// Why code cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A target lies nowhere.
    #[error("{operation} at {at:#x} goes to {target:#x}, where neither the program nor a library has an instruction")]
    NoTarget {
        /// What the instruction is called.
        operation: &'static str,
        /// The address of the instruction, as the code was placed.
        at: u32,
        /// Where it goes.
        target: u32,
    },
    /// A target is not known before it runs.
    #[error("{operation} at {at:#x} adds a register to its target: code with it cannot be linked")]
    Indirect {
        /// What the instruction is called.
        operation: &'static str,
        /// The address of the instruction, as the code was placed.
        at: u32,
    },
    /// Two pieces have the same address.
    #[error("the code at {0:#x} overlaps other code")]
    Overlap(u32),
    /// An address is not that of a bundle, or the code ends beyond 2^32.
    #[error("code cannot lie at {0:#x}: addresses are multiples of {BUNDLE_BYTES}, and all of it is below 2^32")]
    Address(u32),
    /// More instructions than can be.
    #[error("{0} instructions with all libraries; at most {MAX_INSTRUCTIONS} can be")]
    TooMany(usize),
}

/// Where a piece of code was placed, and where it stands in the linked code.
struct Moved<'a> {
    placed: Placed<'a>,
    /// Its first control word in the linked code.
    base: u32,
}

impl Moved<'_> {
    /// The address in the linked code of what had this address.
    fn address(&self, target: u32) -> Option<u32> {
        let offset = target.checked_sub(self.placed.address)?;
        self.placed.code.index_at(offset)?;
        Some(self.base + offset)
    }
}

/// The code of a program and of the libraries that it calls, with the program's first.
///
/// # Errors
/// Pieces overlap, or a target lies in none of them.
pub fn link(program: Placed, libraries: &[Placed]) -> Result<Code, LinkError> {
    let mut pieces: Vec<Moved> = Vec::new();
    let mut bundles = 0;
    for &placed in [program].iter().chain(libraries) {
        let (start, count) = (placed.address, placed.code.controls().len() as u32);
        let end = |start: u32, count: u32| u64::from(start) + u64::from(count) * u64::from(BUNDLE_BYTES);
        if !start.is_multiple_of(BUNDLE_BYTES) || end(start, count) > 1 << 32 {
            return Err(LinkError::Address(start));
        }
        let overlaps = |other: &Moved| {
            let Placed { address, code } = other.placed;
            u64::from(start) < end(address, code.controls().len() as u32) && u64::from(address) < end(start, count)
        };
        if pieces.iter().any(overlaps) {
            return Err(LinkError::Overlap(start));
        }
        pieces.push(Moved { placed, base: bundles * BUNDLE_BYTES });
        bundles += count;
        if bundles as usize * BUNDLE_SLOTS > MAX_INSTRUCTIONS {
            return Err(LinkError::TooMany(bundles as usize * BUNDLE_SLOTS));
        }
    }
    let mut slots = Vec::new();
    for (n, Moved { placed: Placed { address, code }, .. }) in pieces.iter().enumerate() {
        for (index, instruction) in code.instructions().iter().enumerate() {
            let instruction = relocated(instruction, address + Code::address(index), &pieces)?;
            slots.push((instruction, code.control(index)));
        }
        // A piece begins with a control word of its own.
        if n + 1 < pieces.len() {
            let full = slots.len().next_multiple_of(BUNDLE_SLOTS);
            slots.resize(full, (Instruction::decode(Instruction::NOP_WORD), Control::NEUTRAL));
        }
    }
    Ok(Code::new(slots))
}

/// The instruction with the target that it has in the linked code; `at` is its address as it was placed.
fn relocated(instruction: &Instruction, at: u32, pieces: &[Moved]) -> Result<Instruction, LinkError> {
    let bits = instruction.bits_of(FieldId::ABSOLUTE);
    let operation = instruction.row().name;
    // A target in a constant bank is one of the linked code.
    let (Some(bits), false) = (bits, instruction.get(key::TARGET_CONST)) else { return Ok(*instruction) };
    let target = instruction.direct_target(at).ok_or(LinkError::Indirect { operation, at })?;
    let moved = pieces.iter().find_map(|piece| piece.address(target));
    let moved = moved.ok_or(LinkError::NoTarget { operation, at, target })?;
    Ok(Instruction::decode(bits.set(instruction.encode(), moved)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn code(text: &str) -> Code {
        text::parse(text).unwrap_or_else(|errors| panic!("{errors:?}")).program.code
    }

    #[test]
    fn calls_go_to_the_library() {
        let program = code("MOV R0, RZ; JCAL 0x740; JMP 0x120; MOV R1, RZ; MOV R2, RZ; EXIT;");
        let library = code("NOP; NOP; NOP; MOV R3, RZ; NOP; NOP; MOV R4, R3; RET; NOP; JCAL 0x700; RET;");
        let linked =
            link(Placed { address: 0x100, code: &program }, &[Placed { address: 0x700, code: &library }]).unwrap();
        let targets: Vec<_> = (0..linked.instructions().len())
            .filter_map(|index| linked.instructions()[index].direct_target(Code::address(index)))
            .collect();
        // The program has two bundles; the library's third one begins at 0x40 there, and stands at 0x80.
        assert_eq!(targets, [0x80, 0x20, 0x40]);
        assert_eq!(linked.instructions().len(), 6 + 11);
    }

    #[test]
    fn mistakes_are_named() {
        let program = code("JCAL 0x740; EXIT;");
        let at = |address| Placed { address, code: &program };
        assert_eq!(link(at(0x100), &[]), Err(LinkError::NoTarget { operation: "JCAL", at: 0x108, target: 0x740 }));
        assert_eq!(link(at(0x700), &[at(0x700)]), Err(LinkError::Overlap(0x700)));
        assert_eq!(link(at(0x708), &[]), Err(LinkError::Address(0x708)));
        assert_eq!(link(at(u32::MAX - 31), &[]).unwrap_err().to_string().split(' ').next(), Some("JCAL"));
    }
}
