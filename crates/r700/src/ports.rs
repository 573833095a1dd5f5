//! Read ports: whether the operands of a group can be fetched in three cycles, and bank swizzles with which they can.
//!
//! Every cycle delivers one register for each channel; BANK_SWIZZLE says in which cycle each source of an instruction is
//! read (R700 guide 4-12; Mesa's `check_vector`, `check_scalar` and `reserve_cfile`; LLVM's `R600InstrInfo`). Nothing of
//! this changes what a group computes.

use crate::alu::{Alu, Operand, Selector};
use crate::codes::{BankSwizzle, Channel, Family};
use crate::group::Unit;
use std::collections::BTreeSet;
use thiserror::Error;

/// Most constants of the trans unit.
const TRANS_CONSTANTS: usize = 2;
/// Most different constants of the constant file and cache in a group.
const GROUP_CONSTANTS: usize = 4;
/// Most different xy or zw halves of such constants that compilers use on R700.
const GROUP_HALVES: usize = 2;
const CYCLES: usize = 3;

/// Why the operands of a group cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PortError {
    /// A code that the unit has no cycles for.
    #[error("unit {} has no bank swizzle {code}", .unit.name())]
    NoSwizzle {
        /// The unit.
        unit: Unit,
        /// The code.
        code: u8,
    },
    /// More constants than the trans unit reads, whatever their kind.
    #[error("the trans unit reads {0} constants, it can read {TRANS_CONSTANTS}")]
    TransConstants(usize),
    /// The constants of the trans unit take the first cycles.
    #[error("source {source_number} of the trans unit is read in cycle {cycle}, which a constant takes")]
    TransCycle {
        /// The source, from 0.
        source_number: usize,
        /// The cycle.
        cycle: u8,
    },
    /// Two registers for one port.
    #[error("R{}.{channel} and R{}.{channel} are both read in cycle {cycle}", .registers[0], .registers[1], channel = .channel.name())]
    Collision {
        /// The registers, as the words have them.
        registers: [u8; 2],
        /// Their channel.
        channel: Channel,
        /// The cycle.
        cycle: u8,
    },
    /// More registers of one channel than cycles.
    #[error("channel {} of {count} registers is read, and there are {CYCLES} cycles to read one each", .channel.name())]
    Registers {
        /// The channel.
        channel: Channel,
        /// The number of registers.
        count: usize,
    },
    /// The units before leave no ports, whatever bank swizzles they have.
    #[error("unit {} finds no ports for its operands beside those of the other units", .0.name())]
    NoPortsLeft(Unit),
}

/// Constants of the constant file and cache that a group reads too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ConstantError {
    /// More than the machine reads.
    #[error("the group reads {count} different {what}, it can read {GROUP_CONSTANTS}", what = match .family {
        Family::R600 => "channels of constants",
        Family::R700 => "constants",
    })]
    Constants {
        /// How many.
        count: usize,
        /// R600 counts channels.
        family: Family,
    },
    /// More than compilers use on R700.
    #[error("the group reads {0} different xy or zw halves of constants; compilers read {GROUP_HALVES} at most")]
    Halves(usize),
}

/// What a register port delivers: a register, and whether an index is added.
type Register = (u8, bool);

fn register(operand: &Operand) -> Option<Register> {
    match operand.selector {
        Selector::Gpr(gpr) => Some((gpr, operand.relative)),
        _ => None,
    }
}

fn is_constant(operand: &Operand) -> bool {
    matches!(
        operand.selector,
        Selector::Kcache { .. } | Selector::Constant(_) | Selector::Literal | Selector::Special(_)
    )
}

/// The registers that each cycle delivers, by channel.
#[derive(Clone, Copy, Default)]
struct Ports([[Option<Register>; 4]; CYCLES]);

impl Ports {
    /// Adds the operands of an instruction that reads them as `swizzle` says.
    fn add(&mut self, unit: Unit, slot: &Alu, swizzle: BankSwizzle) -> Result<(), PortError> {
        let trans = unit == Unit::T;
        let operands: Vec<Operand> = slot.operands().collect();
        let cycles = swizzle.cycles(trans).ok_or(PortError::NoSwizzle { unit, code: swizzle.0 })?;
        let constants = operands.iter().filter(|operand| is_constant(operand)).count();
        if trans && constants > TRANS_CONSTANTS {
            return Err(PortError::TransConstants(constants));
        }
        for (source_number, (operand, cycle)) in operands.iter().zip(cycles).enumerate() {
            let previous = matches!(operand.selector, Selector::PreviousVector | Selector::PreviousScalar);
            let key = register(operand);
            if trans && usize::from(cycle) < constants && (key.is_some() || previous) {
                return Err(PortError::TransCycle { source_number, cycle });
            }
            let Some(key) = key else { continue };
            let same_as_first = !trans
                && source_number == 1
                && operands.first().is_some_and(|first| register(first) == Some(key) && first.chan == operand.chan);
            if same_as_first {
                continue;
            }
            let taken = *self.0[usize::from(cycle)][operand.chan as usize].get_or_insert(key);
            if taken != key {
                let registers = [taken.0, key.0];
                return Err(PortError::Collision { registers, channel: operand.chan, cycle });
            }
        }
        Ok(())
    }
}

/// Checks that the operands of a group can be read as its bank swizzles say.
///
/// # Errors
/// What stands in the way.
pub fn check_ports(group: &[(Unit, &Alu)]) -> Result<(), PortError> {
    let mut ports = Ports::default();
    group.iter().try_for_each(|(unit, slot)| ports.add(*unit, slot, slot.fields.bank_swizzle))
}

/// Checks that the constants of a group can be read.
///
/// # Errors
/// There are too many of them.
pub fn check_constants<'a>(slots: impl IntoIterator<Item = &'a Alu>, family: Family) -> Result<(), ConstantError> {
    let read: Vec<(u16, u8)> = slots
        .into_iter()
        .flat_map(Alu::operands)
        .filter(|operand| matches!(operand.selector, Selector::Kcache { .. } | Selector::Constant(_)))
        .map(|operand| (operand.selector.encode(), operand.chan as u8))
        .collect();
    let different = |of_channel: fn(u8) -> u8| {
        let keys: BTreeSet<_> = read.iter().map(|&(constant, channel)| (constant, of_channel(channel))).collect();
        keys.len()
    };
    let count = match family {
        Family::R600 => different(|channel| channel),
        Family::R700 => different(|_| 0),
    };
    let halves = different(|channel| channel / 2);
    match family {
        _ if count > GROUP_CONSTANTS => Err(ConstantError::Constants { count, family }),
        Family::R700 if halves > GROUP_HALVES => Err(ConstantError::Halves(halves)),
        _ => Ok(()),
    }
}

/// Finds bank swizzles with which a group can be read; `is_free` says of each instruction whether its own may be changed.
/// Of several answers it is the one with the least code for unit x, then for y, z, w, t.
///
/// # Errors
/// There are none, and why.
pub fn find_swizzles(group: &[(Unit, &Alu)], is_free: &[bool]) -> Result<Vec<BankSwizzle>, PortError> {
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by_key(|&place| group[place].0);
    let mut search = Search { group, is_free, order, found: vec![BankSwizzle::default(); group.len()], furthest: None };
    if search.place(0, Ports::default()) {
        return Ok(search.found);
    }
    Err(search.reason())
}

/// A search for bank swizzles, unit after unit.
struct Search<'a> {
    group: &'a [(Unit, &'a Alu)],
    is_free: &'a [bool],
    /// Places of the group in the order of units.
    order: Vec<usize>,
    found: Vec<BankSwizzle>,
    /// How far it came, and what the last swizzle of that unit met.
    furthest: Option<(usize, PortError)>,
}

impl Search<'_> {
    /// Gives swizzles to the units from the one at `depth` on; false if there are none.
    fn place(&mut self, depth: usize, ports: Ports) -> bool {
        let Some(&place) = self.order.get(depth) else { return true };
        let (unit, slot) = self.group[place];
        let own = slot.fields.bank_swizzle;
        let codes: Vec<BankSwizzle> =
            if self.is_free[place] { BankSwizzle::all(unit == Unit::T).collect() } else { vec![own] };
        for swizzle in codes {
            let mut ports = ports;
            match ports.add(unit, slot, swizzle) {
                Ok(()) => {
                    self.found[place] = swizzle;
                    if self.place(depth + 1, ports) {
                        return true;
                    }
                }
                Err(error) if self.furthest.is_none_or(|(furthest, _)| furthest <= depth) => {
                    self.furthest = Some((depth, error));
                }
                Err(_) => {}
            }
        }
        false
    }

    /// Why there are none.
    fn reason(&self) -> PortError {
        let exhausted = Channel::ALL.into_iter().find_map(|channel| {
            let operands = self.group.iter().flat_map(|(_, slot)| slot.operands());
            let registers: BTreeSet<Register> =
                operands.filter(|operand| operand.chan == channel).filter_map(|operand| register(&operand)).collect();
            (registers.len() > CYCLES).then_some(PortError::Registers { channel, count: registers.len() })
        });
        match (self.furthest, exhausted) {
            (Some((_, error @ (PortError::TransConstants(_) | PortError::NoSwizzle { .. }))), _) => error,
            (_, Some(exhausted)) => exhausted,
            // With its only swizzle there is one thing in the way; with several, there are several.
            (Some((depth, error)), None) if !self.is_free[self.order[depth]] => error,
            (furthest, None) => {
                PortError::NoPortsLeft(self.group[self.order[furthest.map_or(0, |(depth, _)| depth)]].0)
            }
        }
    }
}
