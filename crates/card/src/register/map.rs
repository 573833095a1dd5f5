//! Registers by address.

use super::{Register, ValueFormat};
use crate::listing::fields_text;

/// All registers of a card, found by their addresses.
#[derive(Clone, Debug)]
pub struct RegisterMap {
    registers: Vec<&'static Register>,
    /// By a quarter of the address: every register write of a stream looks here.
    places: Vec<Option<(&'static Register, u32)>>,
}

impl RegisterMap {
    /// The registers of these units, whose addresses are below `end`. Those beyond are not found.
    pub fn new(units: &[&'static [Register]], end: u32) -> Self {
        let mut registers: Vec<_> = units.iter().flat_map(|unit| unit.iter()).collect();
        registers.sort_by_key(|register| register.address);
        let mut places = vec![None; (end / 4) as usize];
        for &register in &registers {
            for index in 0..register.count {
                let place = places.get_mut(((register.address + index * register.stride) / 4) as usize);
                if let Some(place) = place {
                    *place = Some((register, index));
                }
            }
        }
        RegisterMap { registers, places }
    }

    /// Every register, by ascending address of the first of its row.
    pub fn all(&self) -> &[&'static Register] {
        &self.registers
    }

    /// The register at an address, with its number among those of its row.
    pub fn at(&self, address: u32) -> Option<(&'static Register, u32)> {
        if !address.is_multiple_of(4) {
            return None;
        }
        self.places.get((address / 4) as usize).copied().flatten()
    }

    /// What the register at an address is for; nothing if it is not known.
    pub fn doc(&self, address: u32) -> &'static str {
        self.at(address).map_or("", |(register, _)| register.doc)
    }

    /// The name of the register at an address: that of the table, or the address.
    pub fn name(&self, address: u32) -> String {
        match self.at(address) {
            Some((register, index)) if register.name.contains('*') => register.name.replace('*', &index.to_string()),
            Some((register, index)) if register.count > 1 => format!("{}_{index}", register.name),
            Some((register, _)) => register.name.to_owned(),
            None => format!("{address:#06x}"),
        }
    }

    /// A register's value in words: its name, the value, and in brackets what it stands for: `COLORPITCH = 0x00010040 (COLORPITCH 32, COLORTILE 1)`.
    pub fn text(&self, address: u32, value: u32) -> String {
        let meaning = match self.at(address) {
            Some((register, _)) => match register.shown {
                ValueFormat::Bits => String::new(),
                ValueFormat::Float => format!(" ({})", f32::from_bits(value)),
                ValueFormat::Address | ValueFormat::Fields => fields_text(register.fields, &[value]),
            },
            None => String::from(" (not known)"),
        };
        format!("{} = {value:#010x}{meaning}", self.name(address))
    }
}
