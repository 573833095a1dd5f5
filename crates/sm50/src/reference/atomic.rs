//! Atomic accesses, and shared memory. Lanes come one after the other, in ascending order.

use super::races::SharedAccess;
use super::warp::Warp;
use crate::codes::{AtomOp, AtomType, Cast, MemorySize, SharedType};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Reg;
use crate::table::{AtomicOp, SharedOp};
use ctm_follow::{MemoryAccess, ValueKind, note};
use ctm_memory::{Arena, Space};
use ctm_num::ieee::Rounding;
use ctm_num::sm50::{self, Denormals, FloatRules};

/// Where an atomic access goes; nowhere outside of memory.
pub(super) enum Cell<'a> {
    Global(&'a Space, &'a Arena, u32),
    Shared(usize),
    Nowhere,
}

/// What an atomic access does; operands are registers, or the first ones of pairs.
pub(super) enum Update {
    Apply {
        op: AtomOp,
        ty: AtomType,
        operand: Reg,
    },
    /// Stores if the place holds something.
    Compare {
        with: Reg,
        store: Reg,
    },
}

/// What memory holds after an atomic operation.
fn applied(op: AtomOp, ty: AtomType, old: u64, operand: u64) -> Result<u64, TrapKind> {
    let bits = match ty {
        AtomType::U64 | AtomType::S64 => 64,
        AtomType::U32 | AtomType::S32 | AtomType::F32 => 32,
        AtomType::U128 => return Err(TrapKind::Unsupported),
        AtomType::Invalid6 | AtomType::Invalid7 => return Err(TrapKind::IllegalInstrEncoding),
    };
    let mask = u64::MAX >> (64 - bits);
    let signed = |value: u64| (value << (64 - bits)).cast_signed();
    let has_sign = matches!(ty, AtomType::S32 | AtomType::S64);
    let less = if has_sign { signed(operand) < signed(old) } else { operand < old };
    let float = ty == AtomType::F32;
    let (a, b) = (old as u32, operand as u32);
    Ok(match op {
        AtomOp::Add if float => {
            let rules = FloatRules { rounding: Rounding::NearestEven, denormals: Denormals::Flush, saturate: false };
            sm50::fadd(rules, a, b).into()
        }
        AtomOp::Min if float => sm50::fmnmx(true, Denormals::Flush, a, b).into(),
        AtomOp::Max if float => sm50::fmnmx(false, Denormals::Flush, a, b).into(),
        AtomOp::Add => old.wrapping_add(operand) & mask,
        AtomOp::Min => {
            if less {
                operand
            } else {
                old
            }
        }
        AtomOp::Max => {
            if less {
                old
            } else {
                operand
            }
        }
        AtomOp::Inc => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        AtomOp::And => old & operand,
        AtomOp::Or => old | operand,
        AtomOp::Xor => old ^ operand,
        AtomOp::Exch => operand,
        AtomOp::SafeAdd => old.checked_add(operand).filter(|&sum| sum <= mask).unwrap_or(old),
        AtomOp::Invalid9
        | AtomOp::Invalid11
        | AtomOp::Invalid12
        | AtomOp::Invalid13
        | AtomOp::Invalid14
        | AtomOp::Invalid15 => return Err(TrapKind::IllegalInstrEncoding),
    })
}

impl Warp<'_> {
    /// LDS and STS.
    pub fn shared_memory(&mut self, op: SharedOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let size = instruction.get(key::MEMORY_SIZE);
        let address = self.reg(instruction.reg(key::RA)).wrapping_add_signed(instruction.signed(FieldId::OFFSET));
        let place = self.shared_place(address, size)?;
        let access = if op == SharedOp::Sts { SharedAccess::Store } else { SharedAccess::Load };
        place.into_iter().for_each(|place| self.note_shared(access, place..place + size.bytes() as usize));
        let bytes = size.bytes().min(4) as usize;
        match op {
            SharedOp::Lds => self.load(instruction.dst(), size, |warp, k| {
                let source = place.and_then(|place| warp.state.shared.get(place + 4 * k as usize..)?.get(..bytes));
                let word = source.unwrap_or(&[]).iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                let name = || format!("shared {:#x}", address.wrapping_add(4 * k));
                note(&mut warp.follow, warp.lane, || MemoryAccess::read(name(), ValueKind::Word, [word]));
                Ok(word)
            }),
            SharedOp::Sts => self.store(instruction.dst(), size, |warp, k, value| {
                let name = || format!("shared {:#x}", address.wrapping_add(4 * k));
                note(&mut warp.follow, warp.lane, || MemoryAccess::write(name(), ValueKind::Word, [value]));
                if let Some(place) = place {
                    let place = place + 4 * k as usize;
                    warp.state.shared[place..place + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                }
                Ok(())
            }),
        }
    }

    /// Where an access of this size is in the block's memory; `None` outside.
    fn shared_place(&mut self, address: u32, size: MemorySize) -> Result<Option<usize>, TrapKind> {
        let address = self.align(address.into(), size)? as usize;
        let inside = address + size.bytes() as usize <= self.state.shared.len();
        if !inside {
            self.violation(TrapKind::OutOfRangeAddr)?;
        }
        Ok(inside.then_some(address))
    }

    /// ATOM, RED, ATOMS, and comparisons with exchange.
    pub fn atomic(&mut self, op: AtomicOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let wide = instruction.atom_words() > 1;
        let size = if wide { MemorySize::B64 } else { MemorySize::B32 };
        let shared = matches!(op, AtomicOp::Atoms | AtomicOp::AtomsCas);
        let compares = matches!(op, AtomicOp::AtomCas | AtomicOp::AtomsCas);
        if op == AtomicOp::AtomsCas && instruction.get(key::CAST) != Cast::Cas {
            return Err(TrapKind::Unsupported);
        }
        let cell = if self.is_helper() {
            Cell::Nowhere
        } else if shared {
            let offset = instruction.signed(FieldId::WORD_OFFSET) << 2;
            let address = self.reg(instruction.reg(key::RA)).wrapping_add_signed(offset);
            let place = self.shared_place(address, size)?;
            let bytes = size.bytes() as usize;
            place.into_iter().for_each(|place| self.note_shared(SharedAccess::Atomic, place..place + bytes));
            place.map_or(Cell::Nowhere, Cell::Shared)
        } else {
            let address = self.global_address(instruction, size)?;
            self.arena_at(address, size)?
                .map_or(Cell::Nowhere, |(space, arena, address)| Cell::Global(space, arena, address))
        };
        let data = if op == AtomicOp::Red { instruction.dst() } else { instruction.reg(key::RB) };
        let ty = if shared { of_shared(instruction.get(key::SHARED_TYPE)) } else { instruction.get(key::ATOM_TYPE) };
        let update = if compares {
            Update::Compare { with: data, store: instruction.cas_store() }
        } else {
            Update::Apply { op: instruction.get(key::ATOM_OP), ty, operand: data }
        };
        let old = self.update(&cell, wide, update)?;
        if op == AtomicOp::Red { Ok(()) } else { self.set_old(instruction.dst(), wide, old) }
    }

    /// Replaces what a place holds, and gives what it held.
    pub(super) fn update(&mut self, cell: &Cell, wide: bool, update: Update) -> Result<u64, TrapKind> {
        let old = self.read_cell(cell, wide);
        let new = match update {
            Update::Apply { op, ty, operand } => applied(op, ty, old, self.operand_of(operand, wide)?)?,
            Update::Compare { with, store } => {
                let (with, store) = (self.operand_of(with, wide)?, self.operand_of(store, wide)?);
                if old == with { store } else { old }
            }
        };
        self.write_cell(cell, wide, new);
        Ok(old)
    }

    /// Writes what a place held to a register, or to two.
    pub(super) fn set_old(&mut self, dst: Reg, wide: bool, old: u64) -> Result<(), TrapKind> {
        if wide {
            return self.set_pair(dst, old);
        }
        self.set_reg(dst, old as u32);
        Ok(())
    }

    fn operand_of(&mut self, reg: Reg, wide: bool) -> Result<u64, TrapKind> {
        if wide { self.pair(reg) } else { Ok(self.reg(reg).into()) }
    }

    fn read_cell(&mut self, cell: &Cell, wide: bool) -> u64 {
        let words = if wide { 2 } else { 1 };
        let word = |k: u32| match cell {
            Cell::Global(_, arena, address) => arena.read_u32(address + 4 * k).unwrap_or(0),
            Cell::Shared(place) => {
                let bytes = self.state.shared.get(place + 4 * k as usize..).and_then(|bytes| bytes.first_chunk());
                bytes.map_or(0, |&bytes| u32::from_le_bytes(bytes))
            }
            Cell::Nowhere => 0,
        };
        let old = (0..words).rev().fold(0, |value, k| value << 32 | u64::from(word(k)));
        note(&mut self.follow, self.lane, || MemoryAccess::read(named(cell), ValueKind::Word, [old as u32]));
        old
    }

    fn write_cell(&mut self, cell: &Cell, wide: bool, value: u64) {
        note(&mut self.follow, self.lane, || MemoryAccess::write(named(cell), ValueKind::Word, [value as u32]));
        for k in 0..if wide { 2 } else { 1 } {
            let word = (value >> (32 * k)) as u32;
            match cell {
                Cell::Global(space, _, address) => _ = space.store(address + 4 * k, word, 4),
                Cell::Shared(place) => {
                    let place = place + 4 * k as usize;
                    self.state.shared[place..place + 4].copy_from_slice(&word.to_le_bytes());
                }
                Cell::Nowhere => {}
            }
        }
    }
}

/// What a place is called.
fn named(cell: &Cell) -> String {
    match cell {
        Cell::Global(_, _, address) => format!("global {address:#x}"),
        Cell::Shared(place) => format!("shared {place:#x}"),
        Cell::Nowhere => "nowhere".into(),
    }
}

fn of_shared(ty: SharedType) -> AtomType {
    match ty {
        SharedType::U32 => AtomType::U32,
        SharedType::S32 => AtomType::S32,
        SharedType::U64 => AtomType::U64,
        SharedType::S64 => AtomType::S64,
    }
}
