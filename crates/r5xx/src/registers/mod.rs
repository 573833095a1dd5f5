//! The registers: one table of names, addresses, fields and meanings, and what they hold.
//!
//! Sources: R5xx register tables.

pub mod codes;
mod file;
mod ga;
mod rb3d;
mod sc;
mod table;
mod tx;
mod us;
mod vap;
mod zb;

pub use file::{Binding, RegisterFile};
pub use ga::*;
pub use rb3d::*;
pub use sc::*;
pub use table::{Register, RegisterType, Shown};
pub use tx::*;
pub use us::*;
pub use vap::*;
pub use zb::*;

use std::sync::LazyLock;

/// `WAIT_UNTIL`, which belongs to no unit of the pipeline.
static WAIT_UNTIL: Register = Register {
    name: "WAIT_UNTIL",
    address: 0x1720,
    count: 1,
    stride: 4,
    unit: "RBBM",
    doc: "waits until units are idle",
    shown: Shown::Bits,
    ignored: true,
    fields: &[],
};

/// Every register, by ascending address of the first of its row.
pub fn all() -> &'static [&'static Register] {
    static ALL: LazyLock<Vec<&'static Register>> = LazyLock::new(|| {
        let units = [vap::VAP, ga::GA, sc::SC, tx::TX, us::US, rb3d::RB3D, zb::ZB];
        let mut all: Vec<_> = units.into_iter().flatten().chain([&WAIT_UNTIL]).collect();
        all.sort_by_key(|register| register.address);
        all
    });
    &ALL
}

/// The register at an address, with its number among those of its row.
pub fn at(address: u32) -> Option<(&'static Register, u32)> {
    /// By a quarter of the address: every register write of a stream looks here.
    static PLACES: LazyLock<Vec<Option<(&'static Register, u32)>>> = LazyLock::new(|| {
        let mut places = vec![None; (RegisterFile::END / 4) as usize];
        for register in all() {
            for index in 0..register.count {
                places[((register.address + index * register.stride) / 4) as usize] = Some((*register, index));
            }
        }
        places
    });
    if !address.is_multiple_of(4) {
        return None;
    }
    PLACES.get((address / 4) as usize).copied().flatten()
}

/// The name of the register at an address: that of the table, or the address.
pub fn name(address: u32) -> String {
    match at(address) {
        Some((register, index)) if register.count > 1 => format!("{}_{index}", register.name),
        Some((register, _)) => register.name.to_owned(),
        None => format!("{address:#06x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_is_found_at_its_addresses_alone() {
        let mut seen = std::collections::HashMap::new();
        for register in all() {
            for index in 0..register.count {
                let address = register.address + index * register.stride;
                assert_eq!(seen.insert(address, register.name), None, "{address:#x} has two registers");
                let found = at(address).map(|(found, number)| (found.name, number));
                assert_eq!(found, Some((register.name, index)));
                assert!(address < RegisterFile::END && address.is_multiple_of(4));
            }
        }
        for address in [0, 0x2130, 0x4074 + 32, 0x4FD8] {
            assert!(at(address).is_none(), "{address:#x}");
        }
        assert_eq!(
            (name(0x4E2C), name(0x4F00), name(0x1234)),
            ("RB3D_COLOROFFSET_1".into(), "ZB_CNTL".into(), "0x1234".into())
        );
    }

    #[test]
    fn fields_are_where_the_captured_values_say() {
        let pitch = Rb3dColorpitch::decode(0x00C3_0040);
        assert_eq!((pitch.pitch * 2, pitch.macro_tile, pitch.micro_tile, pitch.format), (64, true, 1, 6));
        let size = TxFormat0::decode(0x0001_F83F);
        assert_eq!((size.width, size.height, size.last_level), (63, 63, 0));
        let format = TxFormat1::decode(0x0008_860C);
        assert_eq!([format.red, format.green, format.blue, format.alpha], [0, 1, 2, 3]);
        let draw = VapVfCntl::read(&[0x0003_0034]);
        assert_eq!(
            (draw.primitive, draw.walk, draw.count),
            (codes::PrimitiveType::Triangles, codes::PrimitiveWalk::Embedded, 3)
        );
        let interpolator = RsIp::decode(0x000C_2040);
        assert_eq!([interpolator.s, interpolator.t, interpolator.r, interpolator.q], [0, 1, 2, 3]);
    }
}
