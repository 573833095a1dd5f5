//! ALU clauses: groups of instructions that issue together, their literals, and the units that execute them.

use crate::alu::{Alu, LITERAL, Units};
use crate::cf::Qword;
use crate::codes::{Channel, Family};
use thiserror::Error;

/// Most instructions of a group: one for each unit.
pub const GROUP_SLOTS: usize = 5;

/// One of the five units that execute the instructions of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Vector unit x.
    X,
    /// Vector unit y.
    Y,
    /// Vector unit z.
    Z,
    /// Vector unit w.
    W,
    /// The trans unit.
    T,
}

impl Unit {
    /// All units, in the order in which a group lists them.
    pub const ALL: [Unit; GROUP_SLOTS] = [Unit::X, Unit::Y, Unit::Z, Unit::W, Unit::T];

    /// The vector unit of a channel.
    pub const fn vector(chan: Channel) -> Unit {
        Unit::ALL[chan as usize]
    }

    /// The letter in assembly text.
    pub const fn name(self) -> &'static str {
        ["x", "y", "z", "w", "t"][self as usize]
    }
}

/// Why the instructions of a group have no units to execute them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnitError {
    /// More instructions than units.
    #[error("a group of {0} instructions; there are {GROUP_SLOTS} units")]
    TooMany(usize),
    /// Two instructions need the same unit.
    #[error("instructions {first} and {second} of the group both need unit {}", .unit.name())]
    Collision {
        /// The instruction that has it, from 0.
        first: usize,
        /// The instruction that needs it, too.
        second: usize,
        /// The unit.
        unit: Unit,
    },
}

/// Finds the unit of each instruction of a group (R700 guide 4-1; decaf-emu's group parser).
///
/// `prefer_vector` is `SQ_CONFIG.ALU_INST_PREFER_VECTOR`: if it is off, the last instruction goes to the trans unit if it
/// can.
///
/// # Errors
/// The group has too many instructions, or two of them need the same unit.
pub fn assign_units(slots: &[Alu], family: Family, prefer_vector: bool) -> Result<Vec<Unit>, UnitError> {
    if slots.len() > GROUP_SLOTS {
        return Err(UnitError::TooMany(slots.len()));
    }
    let mut taken = [None; GROUP_SLOTS];
    let mut units = Vec::with_capacity(slots.len());
    for (place, slot) in slots.iter().enumerate() {
        let vector = Unit::vector(slot.fields.dst.chan);
        let unit = match slot.op.properties().units_of(family) {
            Units::Trans => Unit::T,
            Units::Vector | Units::Reduction(_) => vector,
            Units::Any if taken[vector as usize].is_some() => Unit::T,
            Units::Any if !prefer_vector && slot.fields.last => Unit::T,
            Units::Any => vector,
        };
        if let Some(first) = taken[unit as usize].replace(place) {
            return Err(UnitError::Collision { first, second: place, unit });
        }
        units.push(unit);
    }
    Ok(units)
}

/// A group of ALU instructions with its literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Qword of the clause where it begins, from 0.
    pub start: usize,
    /// The instructions, in order.
    pub slots: Vec<Alu>,
    /// Literal dwords x, y, z, w; zero where the group has none.
    pub literals: [u32; 4],
    /// Qwords of literals: 0, 1 or 2.
    pub literal_qwords: usize,
    /// The clause ends before the group does.
    pub cut_off: bool,
}

impl Group {
    /// Qwords of the group, literals included.
    pub fn length(&self) -> usize {
        self.slots.len() + self.literal_qwords
    }
}

/// Qwords of literals that instructions need: all sources that they encode count, whether an operation uses them or not
/// (R700 guide 4-12).
pub fn literal_qwords<'a>(slots: impl IntoIterator<Item = &'a Alu>) -> usize {
    let sources = slots.into_iter().flat_map(Alu::encoded_sources);
    let literals = sources.filter(|source| source.sel == LITERAL).map(|source| source.chan);
    literals.map(|chan| chan as usize / 2 + 1).max().unwrap_or(0)
}

/// Takes a clause apart into groups.
///
/// Total: a group that the end of the clause cuts off has [`Group::cut_off`], and its missing literals are zero.
pub fn groups(clause: &[Qword], family: Family) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut at = 0;
    while at < clause.len() {
        let start = at;
        let mut slots = Vec::new();
        let mut ended = false;
        while at < clause.len() && !ended {
            let alu = Alu::decode(&clause[at], family);
            ended = alu.fields.last;
            slots.push(alu);
            at += 1;
        }
        let wanted = literal_qwords(&slots);
        let there = &clause[at..(at + wanted).min(clause.len())];
        let mut literals = [0; 4];
        for (pair, qword) in literals.chunks_exact_mut(2).zip(there) {
            pair.copy_from_slice(qword);
        }
        at += there.len();
        let cut_off = !ended || there.len() < wanted;
        groups.push(Group { start, slots, literals, literal_qwords: there.len(), cut_off });
    }
    groups
}
