//! Constants by address, local memory, global memory.

use super::warp::{LANES, Warp};
use crate::codes::{ConstantMode, MemorySize};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Reg;
use crate::table::{GlobalOp, LocalOp, Op};
use ctm_follow::{MemoryAccess, ValueKind, note};
use ctm_memory::{Arena, Space};

/// A place in global memory: the memory, the arena, the address.
pub(super) type Place<'a> = (&'a Space, &'a Arena, u32);

impl<'a> Warp<'a> {
    /// LDC. All modes but the plain one add the register's upper half to the bank: IL by hardware, second hand; the others by
    /// decision S44.
    pub fn load_constant(&mut self, instruction: &Instruction) -> Result<(), TrapKind> {
        let register = self.reg(instruction.reg(key::RA));
        let segmented = instruction.get(key::CONSTANT_MODE) != ConstantMode::Plain;
        let bank = u32::from(instruction.get(key::BANK));
        let (bank, base) = if segmented { (bank + (register >> 16), register & 0xFFFF) } else { (bank, register) };
        let size = instruction.get(key::MEMORY_SIZE);
        let address = base.wrapping_add_signed(instruction.signed(FieldId::OFFSET));
        let address = self.align(address.into(), size)? as u32;
        self.load(instruction.dst(), size, |warp, k| {
            let offset = address.wrapping_add(4 * k);
            Ok(warp.constant(bank, offset)? >> (8 * (offset % 4)))
        })
    }

    /// LDL and STL.
    pub fn local_memory(&mut self, op: LocalOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let size = instruction.get(key::MEMORY_SIZE);
        let address = self.reg(instruction.reg(key::RA)).wrapping_add_signed(instruction.signed(FieldId::OFFSET));
        let address = self.align(address.into(), size)? as usize;
        let local_size = self.state.local.len() / LANES;
        let inside = address + size.bytes() as usize <= local_size;
        if !inside {
            self.violation(TrapKind::OutOfRangeAddr)?;
        }
        let start = self.lane * local_size + address;
        let bytes = size.bytes().min(4) as usize;
        if op == LocalOp::Ldl {
            return self.load(instruction.dst(), size, |warp, k| {
                let place = start + 4 * k as usize;
                let source = if inside { &warp.state.local[place..place + bytes] } else { &[] };
                let word = source.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                let name = || format!("local {:#x}", address.wrapping_add(4 * k as usize));
                note(&mut warp.follow, warp.lane, || MemoryAccess::read(name(), ValueKind::Word, [word]));
                Ok(word)
            });
        }
        self.store(instruction.dst(), size, |warp, k, value| {
            let place = start + 4 * k as usize;
            let name = || format!("local {:#x}", address.wrapping_add(4 * k as usize));
            note(&mut warp.follow, warp.lane, || MemoryAccess::write(name(), ValueKind::Word, [value]));
            if inside {
                warp.state.local[place..place + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
            Ok(())
        })
    }

    /// LD, ST, LDG and STG: without windows on other memory, generic addresses are global ones.
    pub fn global_memory(&mut self, op: GlobalOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let size = instruction.get(key::MEMORY_SIZE);
        let address = self.global_address(instruction, size)?;
        let inside = self.arena_at(address, size)?;
        if !op.stores() {
            // LD can put a predicate out, which is true here: what it says is not known.
            self.set_pred(instruction.pred(key::PD), true);
            return self.load(instruction.dst(), size, |warp, k| {
                let word = inside.and_then(|(_, arena, address)| {
                    let address = address + 4 * k;
                    Some(arena.read_u32(address)? >> (8 * (address % 4)))
                });
                let word = word.unwrap_or(0);
                let name = || format!("global {:#x}", address.wrapping_add(4 * u64::from(k)));
                note(&mut warp.follow, warp.lane, || MemoryAccess::read(name(), ValueKind::Word, [word]));
                Ok(word)
            });
        }
        self.store(instruction.dst(), size, |warp, k, value| {
            let name = || format!("global {:#x}", address.wrapping_add(4 * u64::from(k)));
            note(&mut warp.follow, warp.lane, || MemoryAccess::write(name(), ValueKind::Word, [value]));
            if let Some((space, _, address)) = inside {
                space.store(address + 4 * k, value, size.bytes().min(4));
            }
            Ok(())
        })
    }

    /// The address of an access to global memory, aligned.
    pub fn global_address(&mut self, instruction: &Instruction, size: MemorySize) -> Result<u64, TrapKind> {
        let register = instruction.reg(key::RA);
        let offset = instruction.signed(FieldId::OFFSET);
        let address = if instruction.get(key::E) {
            self.pair(register)?.wrapping_add_signed(offset.into())
        } else if instruction.has(FieldId::MEMORY_SIZE) && !matches!(instruction.op(), Op::Ld | Op::St) {
            u64::from(self.reg(register)).wrapping_add_signed(offset.into())
        } else {
            self.reg(register).wrapping_add_signed(offset).into()
        };
        self.align(address, size)
    }

    /// Where in which arena an access is: all of it is inside, or nothing.
    pub fn arena_at(&mut self, address: u64, size: MemorySize) -> Result<Option<Place<'a>>, TrapKind> {
        let inside = u32::try_from(address).ok().and_then(|address| {
            let space = self.launch.environment.memory?;
            Some((space, space.arena_of(address, size.bytes())?, address))
        });
        match inside {
            Some((space, _, address)) => self.note_access(space, address, size.bytes())?,
            None => self.violation(TrapKind::OutOfRangeAddr)?,
        }
        Ok(inside)
    }

    /// An address that is not a multiple of the size is a violation, and is brought down to one.
    pub(super) fn align(&mut self, address: u64, size: MemorySize) -> Result<u64, TrapKind> {
        let mask = u64::from(size.bytes()) - 1;
        if address & mask != 0 {
            self.violation(TrapKind::MisalignedAddr)?;
        }
        Ok(address & !mask)
    }

    /// Reads every word of an access, then writes the registers. Words of less than four bytes come in the low bits.
    pub(super) fn load(
        &mut self,
        dst: Reg,
        size: MemorySize,
        mut read: impl FnMut(&mut Self, u32) -> Result<u32, TrapKind>,
    ) -> Result<(), TrapKind> {
        let count = size.bytes().div_ceil(4) as u8;
        let base = self.aligned(dst, count)?;
        let mut words = [0; 4];
        for (word, k) in words.iter_mut().zip(0..u32::from(count)) {
            let value = read(self, k)?;
            *word = match size {
                MemorySize::U8 => value & 0xFF,
                MemorySize::S8 => i32::from(value as i8).cast_unsigned(),
                MemorySize::U16 => value & 0xFFFF,
                MemorySize::S16 => i32::from(value as i16).cast_unsigned(),
                MemorySize::B32 | MemorySize::B64 | MemorySize::B128 | MemorySize::U128 => value,
            };
        }
        for (word, k) in words.into_iter().zip(0..count) {
            if let Some(reg) = self.element(base, k)? {
                self.set_reg(reg, word);
            }
        }
        Ok(())
    }

    /// Writes every word of an access, the first register's first.
    pub(super) fn store(
        &mut self,
        data: Reg,
        size: MemorySize,
        mut write: impl FnMut(&mut Self, u32, u32) -> Result<(), TrapKind>,
    ) -> Result<(), TrapKind> {
        let count = size.bytes().div_ceil(4) as u8;
        let base = self.aligned(data, count)?;
        for k in 0..count {
            // Registers that are not there store nothing.
            if let Some(reg) = self.element(base, k)? {
                write(self, k.into(), self.reg(reg))?;
            }
        }
        Ok(())
    }
}
