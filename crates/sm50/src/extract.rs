//! Programs out of the memory that a card reads them from: how far they go shows where control can go.
//!
//! Such memory has programs one behind the other, and routines that several of them call by address. The words that no way through a
//! program comes to are those of others, and change when others do.

use crate::codes::Test;
use crate::control::Control;
use crate::instruction::Instruction;
use crate::link::{LinkError, Placed, link};
use crate::operand::PredSource;
use crate::program::{BUNDLE_BYTES, BUNDLE_SLOTS, Code};
use crate::table::{Class, FlowOp};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thiserror::Error;

/// Instructions that a program has at most, with the routines that it calls.
const MOST_INSTRUCTIONS: usize = 1 << 16;
/// Bytes from the first to the last of the routines.
const MOST_BYTES: u32 = 1 << 20;

/// A program, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// Its code, with the routines behind it, which it calls there. What no way comes to are instructions that do nothing.
    pub code: Code,
    /// Addresses of the bundles that it was made of: as long as these hold the same, it is the same.
    pub places: Vec<Range<u32>>,
}

/// Why no program can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtractError {
    /// Control goes where no memory is.
    #[error("its code goes on at {0:#x}, where there is no memory")]
    Outside(u32),
    /// Control goes to an address that no instruction has.
    #[error("its code goes on at {0:#x}, where no instruction can be")]
    Address(u32),
    /// Too much of it.
    #[error("it has more than {MOST_INSTRUCTIONS} instructions, or they lie too far apart")]
    TooLarge,
    /// A branch to an address in a register, or in a constant bank.
    #[error("the branch at {0:#x} goes to an address that is known only when it runs")]
    Indirect(u32),
    /// It cannot be put together.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// Reads the program whose first control word is at `start`. `read` gives the words of memory by address, and nothing where there is none.
///
/// # Errors
/// There is no whole program.
pub fn extract(start: u32, read: impl Fn(u32) -> Option<u64>) -> Result<Extracted, ExtractError> {
    if !start.is_multiple_of(BUNDLE_BYTES) {
        return Err(ExtractError::Address(start));
    }
    let mut walk = Walk { read, found: BTreeMap::new(), calls: BTreeSet::new() };
    walk.follow(vec![start])?;
    let own: BTreeSet<u32> = walk.found.keys().map(|at| at - at % BUNDLE_BYTES).collect();
    let mut called = BTreeSet::new();
    loop {
        let targets: Vec<u32> = walk.calls.iter().filter(|&target| called.insert(*target)).copied().collect();
        if targets.is_empty() {
            break;
        }
        walk.follow(targets)?;
    }
    let (Some(&first), Some(&last)) = (own.first(), own.last()) else { return Err(ExtractError::Outside(start)) };
    if first < start {
        return Err(ExtractError::Address(first));
    }
    let bundles: BTreeSet<u32> = walk.found.keys().map(|at| at - at % BUNDLE_BYTES).collect();
    let mut program = start..last + BUNDLE_BYTES;
    let others = || bundles.difference(&own).copied();
    let library = others().min().zip(others().max()).map(|(low, high)| low..high + BUNDLE_BYTES);
    let library = match library {
        // Routines among the program's own code are a part of it.
        Some(library) if library.start < program.end && program.start < library.end => {
            if library.start < program.start {
                return Err(ExtractError::Address(library.start));
            }
            program.end = program.end.max(library.end);
            None
        }
        library => library,
    };
    let (code, routines) =
        (walk.code(&program)?, library.map(|library| Ok::<_, ExtractError>((library.start, walk.code(&library)?))));
    let routines = routines.transpose()?;
    let routines: Vec<Placed> = routines.iter().map(|(address, code)| Placed { address: *address, code }).collect();
    Ok(Extracted { code: link(Placed { address: program.start, code: &code }, &routines)?, places: places(&bundles) })
}

/// Bundles in a row as ranges.
fn places(bundles: &BTreeSet<u32>) -> Vec<Range<u32>> {
    let mut places: Vec<Range<u32>> = Vec::new();
    for &bundle in bundles {
        match places.last_mut() {
            Some(last) if last.end == bundle => last.end += BUNDLE_BYTES,
            Some(_) | None => places.push(bundle..bundle + BUNDLE_BYTES),
        }
    }
    places
}

struct Walk<F> {
    read: F,
    /// Instructions that control comes to, by address.
    found: BTreeMap<u32, Instruction>,
    /// Where absolute flow control goes.
    calls: BTreeSet<u32>,
}

impl<F: Fn(u32) -> Option<u64>> Walk<F> {
    /// Follows all ways from these addresses, but for those by absolute addresses.
    fn follow(&mut self, mut starts: Vec<u32>) -> Result<(), ExtractError> {
        while let Some(start) = starts.pop() {
            if !start.is_multiple_of(8) || start > u32::MAX - 2 * BUNDLE_BYTES {
                return Err(ExtractError::Address(start));
            }
            let mut at = start;
            loop {
                // That of a control word means the instruction behind it.
                at += if at.is_multiple_of(BUNDLE_BYTES) { 8 } else { 0 };
                if self.found.contains_key(&at) {
                    break;
                }
                if self.found.len() == MOST_INSTRUCTIONS {
                    return Err(ExtractError::TooLarge);
                }
                let instruction = Instruction::decode((self.read)(at).ok_or(ExtractError::Outside(at))?);
                self.found.insert(at, instruction);
                if !self.step(at, &instruction, &mut starts)? {
                    break;
                }
                at += 8;
            }
        }
        Ok(())
    }

    /// Notes where an instruction leads; whether control can come to the next one.
    fn step(&mut self, at: u32, instruction: &Instruction, starts: &mut Vec<u32>) -> Result<bool, ExtractError> {
        use FlowOp::*;
        let op = match instruction.op().class() {
            Class::Flow(op) => op,
            // What is no instruction is a trap.
            class => return Ok(!matches!(class, Class::Raw)),
        };
        let is_certain = instruction.guard() == PredSource::TRUE && instruction.test() == Test::T;
        let (goes, returns) = match op {
            Ssy | Pbk | Pcnt | Pret | Plongjmp | Cal | Jcal => (true, true),
            Bra | Jmp | Brx | Jmx => (true, !is_certain),
            Sync | Brk | Cont | Ret | Longjmp | Exit => (false, !is_certain),
            Kil | Pexit | Sam | Ram => (false, true),
        };
        if goes {
            let target = instruction.direct_target(at).ok_or(ExtractError::Indirect(at))?;
            match op {
                Jcal | Jmp => _ = self.calls.insert(target),
                Ssy | Pbk | Pcnt | Pret | Plongjmp | Cal | Bra | Brx | Jmx | Sync | Brk | Cont | Ret | Longjmp
                | Exit | Kil | Pexit | Sam | Ram => starts.push(target),
            }
        }
        Ok(returns)
    }

    /// The code at these addresses, which are those of bundles.
    fn code(&self, place: &Range<u32>) -> Result<Code, ExtractError> {
        if place.len() as u32 > MOST_BYTES {
            return Err(ExtractError::TooLarge);
        }
        let nothing = Instruction::decode(Instruction::NOP_WORD);
        let mut slots = Vec::with_capacity(place.len() / 8);
        for bundle in place.clone().step_by(BUNDLE_BYTES as usize) {
            let is_used = self.found.range(bundle..bundle + BUNDLE_BYTES).next().is_some();
            let control = if is_used { (self.read)(bundle).ok_or(ExtractError::Outside(bundle))? } else { 0 };
            for slot in 0..BUNDLE_SLOTS {
                let at = bundle + 8 + 8 * slot as u32;
                let control = if is_used { Control::of_word(control, slot) } else { Control::NEUTRAL };
                slots.push((self.found.get(&at).copied().unwrap_or(nothing), control));
            }
        }
        Ok(Code::new(slots))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Memory with pieces of code at their addresses, and other things between them.
    fn memory(pieces: &[(u32, &str)]) -> impl Fn(u32) -> Option<u64> {
        let mut words = BTreeMap::new();
        for (address, text) in pieces {
            let code = text::parse(text).unwrap_or_else(|errors| panic!("{errors:?}")).program.code;
            words.extend((*address..).step_by(8).zip(code.words()));
        }
        move |address| (address < 0x1000).then(|| words.get(&address).copied().unwrap_or(0xdead_beef_dead_beef))
    }

    fn operations(code: &Code) -> Vec<&'static str> {
        code.instructions().iter().map(|instruction| instruction.row().name).collect()
    }

    #[test]
    fn programs_end_where_no_way_leads_on() {
        let found =
            extract(0x100, memory(&[(0x100, "@P0 BRA 0x28; MOV R0, RZ; EXIT; NOP; MOV R1, RZ; EXIT;")])).unwrap();
        // What is behind the last word of a piece is not read; NOP at 0x120 is not reached.
        assert_eq!(operations(&found.code)[..6], ["BRA", "MOV", "EXIT", "NOP", "MOV", "EXIT"]);
        assert_eq!((found.places.len(), found.places[0].clone()), (1, 0x100..0x140));
    }

    #[test]
    fn routines_are_put_behind() {
        let pieces = [
            (0x80, "MOV R0, RZ; JCAL 0x740; MOV R1, RZ; EXIT;"),
            (0x740, "MOV R3, RZ; RET; NOP; NOP; NOP; NOP; JCAL 0x740; RET;"),
        ];
        let found = extract(0x80, memory(&pieces)).unwrap();
        assert_eq!(found.places, [0x80..0xc0, 0x740..0x760]);
        let targets: Vec<_> = (0..found.code.instructions().len())
            .filter_map(|index| found.code.instructions()[index].direct_target(Code::address(index)))
            .collect();
        assert_eq!(targets, [0x40]);
        assert_eq!(operations(&found.code), ["MOV", "JCAL", "MOV", "EXIT", "NOP", "NOP", "MOV", "RET", "NOP"]);
        // The same program elsewhere is the same.
        let moved = [(0x280, pieces[0].1), pieces[1]];
        assert_eq!(extract(0x280, memory(&moved)).unwrap().code, found.code);
    }

    #[test]
    fn bad_memory_is_refused() {
        assert_eq!(extract(0x108, memory(&[])), Err(ExtractError::Address(0x108)));
        assert_eq!(extract(0x2000, memory(&[])), Err(ExtractError::Outside(0x2008)));
        let endless: String = "MOV R0, RZ;".repeat(4);
        let found = extract(0xfe0, memory(&[(0xfe0, &endless)]));
        assert_eq!(found, Err(ExtractError::Outside(0x1008)));
        let jump = extract(0x100, memory(&[(0x100, "JMP 0x3000;")]));
        assert_eq!(jump, Err(ExtractError::Outside(0x3008)));
        assert!(extract(0x100, memory(&[])).is_ok(), "what is not an instruction traps when it runs");
    }
}
